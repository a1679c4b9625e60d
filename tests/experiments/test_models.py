"""What `stsbaselines train` makes from labelled pairs."""

from __future__ import annotations

import pytest

from stsbaselines.baselines import create
from stsbaselines.errors import InputError
from stsbaselines.experiments.models import train_on_pairs


def test_training_leaves_the_parameters_as_they_were() -> None:
    chosen = {"features": ["strings"]}
    model = train_on_pairs("dkpro-string", ["sample-sts"], n_jobs=2, parameters=chosen)
    assert model.get_params() == create("dkpro-string", **chosen).get_params()
    own = train_on_pairs("dkpro-string", ["sample-sts"], parameters={"n_jobs": 2})
    assert own.n_jobs == 2


@pytest.mark.parametrize(
    ("sources", "message"),
    [
        (["sample-pit-train"], "no pairs with scores from 0 to 5"),
        (["sts2014-es"], "no pairs with scores from 0 to 5"),
        (["sample-sts", "sample-sts/kitchen"], "named twice to train on"),
    ],
)
def test_pairs_that_cannot_be_trained_on(sources: list[str], message: str) -> None:
    with pytest.raises(InputError, match=message):
        train_on_pairs("dkpro-string", sources)
