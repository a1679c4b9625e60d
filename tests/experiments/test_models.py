"""What `stsbaselines train` makes from labelled pairs."""

from __future__ import annotations

from stsbaselines.baselines import create
from stsbaselines.experiments.models import train_on_pairs


def test_training_leaves_the_parameters_as_they_were() -> None:
    chosen = {"features": ["strings"]}
    model = train_on_pairs("dkpro-string", ["sample-sts"], n_jobs=2, parameters=chosen)
    assert model.get_params() == create("dkpro-string", **chosen).get_params()
    own = train_on_pairs("dkpro-string", ["sample-sts"], parameters={"n_jobs": 2})
    assert own.n_jobs == 2
