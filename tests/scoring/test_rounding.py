"""Rounding as the papers do."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.scoring.rounding import agrees, printed


@pytest.mark.parametrize(
    ("value", "decimals", "expected"),
    [
        (0.7038483, 4, "0.7039"),
        (0.7984471, 4, "0.7985"),
        (0.58709, 4, "0.5871"),
        (0.494925, 3, "0.495"),
        (0.411334, 5, "0.41133"),
        (-0.06684999, 4, "-0.0669"),
        (0.5, 1, "0.5"),
    ],
)
def test_rounding_is_that_of_the_papers(value: float, decimals: int, expected: str) -> None:
    assert printed(value, decimals) == Decimal(expected)


@given(st.floats(-1, 1), st.integers(1, 5))
def test_a_value_agrees_with_its_own_print_and_no_neighbour(value: float, decimals: int) -> None:
    cell = printed(value, decimals)
    assert agrees(value, cell)
    assert not agrees(value, cell + Decimal(1).scaleb(-decimals))
    assert not agrees(None, cell)
