"""Random scores: parameters, and one stream of numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from stsbaselines.baselines.random import RandomScores
from stsbaselines.errors import InputError

PAIRS = [("a cat", "a dog"), (" a cat", "a cat"), ("", "x")]


@pytest.mark.parametrize(
    "parameters",
    [{"low": "x"}, {"high": True}, {"high": math.nan}, {"random_state": -1}, {"random_state": "x"}],
)
def test_random_refuses_what_is_no_number(parameters: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="must be"):
        RandomScores(**parameters).predict(PAIRS)


def test_a_random_state_continues_between_calls() -> None:
    system = RandomScores(random_state=np.random.RandomState(1))
    first, second = system.predict(PAIRS), system.predict(PAIRS)
    assert (first != second).all()
    assert (RandomScores(random_state=1).predict(PAIRS * 2) == [*first, *second]).all()
