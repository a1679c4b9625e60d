"""Tests of significance: textbook numbers, properties, and what the task papers say."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stsbaselines.reference import table
from stsbaselines.scoring.correlation import pearson
from stsbaselines.scoring.significance import (
    fisher_interval,
    fisher_test,
    paired_bootstrap,
    williams_test,
)

correlations = st.floats(-0.99, 0.99)
sizes = st.integers(5, 5000)


def test_williams_test_gives_steigers_example() -> None:
    """Steiger (1980), page 246: T2 = -.89 for .4, .5 and .1 with 103 cases."""
    test = williams_test(0.4, 0.5, 0.1, 103)
    assert f"{test.statistic:.2f}" == "-0.89"
    assert test.p == pytest.approx(stats.t.sf(test.statistic, 100))


def test_fisher_interval_is_that_of_scipy() -> None:
    generator = np.random.RandomState(0)
    x = generator.standard_normal(50)
    y = x + generator.standard_normal(50)
    found = stats.pearsonr(x, y)
    theirs = found.confidence_interval(0.95)
    assert fisher_interval(found.statistic, 50) == pytest.approx(tuple(theirs))


@given(correlations, correlations, sizes, sizes)
def test_fisher_test_turns_round(r1: float, r2: float, n1: int, n2: int) -> None:
    one, other = fisher_test(r1, n1, r2, n2), fisher_test(r2, n2, r1, n1)
    assert one.statistic == pytest.approx(-other.statistic)
    assert one.p + other.p == pytest.approx(1)
    assert (one.p - 0.5) * one.statistic <= 0


@given(st.integers(0, 2**32 - 1), st.integers(4, 40))
def test_williams_test_turns_round_and_is_defined_for_data(seed: int, n: int) -> None:
    gold, first, second = np.random.RandomState(seed).standard_normal((3, n))
    r1, r2, between = np.corrcoef([gold, first, second])[[0, 0, 1], [1, 2, 2]].tolist()
    one, other = williams_test(r1, r2, between, n), williams_test(r2, r1, between, n)
    assert one.statistic == pytest.approx(-other.statistic)
    assert one.p + other.p == pytest.approx(1)


def test_williams_test_of_systems_that_agree_is_stronger_than_fishers() -> None:
    assert williams_test(0.8, 0.78, 0.95, 500).p < 0.01 < fisher_test(0.8, 500, 0.78, 500).p


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fisher_interval(1.1, 10), "must be from -1 to 1, but is 1.1"),
        (lambda: fisher_interval(0.5, 3), "at least 4 pairs are needed, but there are 3"),
        (lambda: fisher_interval(0.5, 10, 1), "between 0 and 1, but is 1"),
        (lambda: fisher_test(0.5, 10, math.nan, 10), "but is nan"),
        (lambda: williams_test(0.9, -0.9, 0.9, 50), "cannot go together"),
    ],
)
def test_impossible_values_are_refused(call: object, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        call()  # type: ignore[operator]


def test_perfect_correlations_have_an_outcome() -> None:
    assert fisher_interval(1.0, 10) == (1.0, 1.0)
    assert fisher_test(1.0, 10, 1.0, 10).p == 0.5
    assert fisher_test(1.0, 10, 0.5, 10).p == 0
    assert williams_test(1.0, 0.5, 0.5, 10).p < 1e-3


def test_the_bootstrap_agrees_with_scipys_percentile_interval() -> None:
    generator = np.random.RandomState(1)
    gold = generator.standard_normal(200)
    first = gold + 0.5 * generator.standard_normal(200)
    second = gold + 0.7 * generator.standard_normal(200)

    def both(places: npt.NDArray[Any]) -> tuple[float | None, float | None]:
        return pearson(first[places], gold[places]), pearson(second[places], gold[places])

    found = paired_bootstrap(both, 200, resamples=2000, random_state=3)
    assert found is not None
    assert found == paired_bootstrap(both, 200, resamples=2000, random_state=3)
    whole = both(np.arange(200))
    assert found.difference == (whole[0] or 0) - (whole[1] or 0)

    def difference(a: Any, b: Any, c: Any) -> float:
        return float(stats.pearsonr(a, c)[0] - stats.pearsonr(b, c)[0])

    theirs = stats.bootstrap(
        (first, second, gold), difference, paired=True, vectorized=False, n_resamples=2000,
        method="percentile", random_state=5,
    ).confidence_interval  # fmt: skip
    assert found.interval == pytest.approx(tuple(theirs), abs=0.01)
    assert found.p < 0.01


def test_the_bootstrap_of_equal_systems_and_of_undefined_measures() -> None:
    equal = paired_bootstrap(lambda places: (0.5, 0.5), 10, resamples=50)
    assert equal is not None
    assert (equal.difference, equal.interval, equal.p) == (0.0, (0.0, 0.0), 1.0)
    assert paired_bootstrap(lambda places: (None, 0.5), 10, resamples=50) is None


def runs_of(name: str, column: str) -> list[float]:
    rows = [row for row in table(name).rows if not row.flags & {"organizer", "late"}]
    return sorted((float(row.values[column]) for row in rows if column in row.values), reverse=True)


def test_the_interval_of_the_best_run_of_2012() -> None:
    best = runs_of("sts2012", "ALL")[0]
    assert [round(bound, 3) for bound in fisher_interval(best, 3108)] == [0.812, 0.835]


def test_the_best_run_of_2013_differs_from_all_but_the_second() -> None:
    best, second, *others = runs_of("sts2013-core", "Mean")
    assert fisher_test(best, 2250, second, 2250).p > 0.05
    assert all(fisher_test(best, 2250, other, 2250).p < 0.05 for other in others)
