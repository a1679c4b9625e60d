"""Tests of significance: textbook numbers, properties, and what the task papers say."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stsbaselines.data.catalogue import find_task
from stsbaselines.reference.published import Row, table
from stsbaselines.reference.ranking import ranked_rows
from stsbaselines.scoring.resampling import draw, pearson
from stsbaselines.scoring.significance import (
    bootstrap_interval,
    fisher_interval,
    fisher_test,
    paired_bootstrap,
    williams_test,
)


@pytest.mark.parametrize(
    ("r1", "r2", "between", "n", "t", "p"),
    [
        (0.4, 0.5, 0.1, 103, -0.8912799048, 0.1874592587),  # Steiger (1980), page 246: -.89
        (0.72, 0.68, 0.85, 200, 1.498518531, 0.06779963393),
        (0.3, 0.1, -0.2, 30, 0.7005787758, 0.2447798383),
        (0.64, 0.62, 0.74, 2000, 1.670127182, 0.04752545796),
        (0.95, 0.9, 0.88, 12, 1.069085433, 0.156432475),
    ],
)
def test_williams_test_is_that_of_psych(
    r1: float, r2: float, between: float, n: int, t: float, p: float
) -> None:
    """R 4.2.2, psych 2.2.9: r.test(n, r12 = r1, r13 = r2, r23 = between, twotailed = FALSE).

    Its p is that of |t|.
    """
    found = williams_test(r1, r2, between, n)
    assert found.statistic == pytest.approx(t, rel=1e-8)
    assert min(found.p, 1 - found.p) == pytest.approx(p, rel=1e-8)


@pytest.mark.parametrize(
    ("r1", "n1", "r2", "n2", "z", "p"),
    [
        (0.6, 30, 0.4, 30, 0.9901998, 0.1610382352),
        (0.62, 100, 0.55, 250, 0.8898343645, 0.1867774157),
        (0.64, 2000, 0.62, 2000, 1.048098069, 0.1472967129),
    ],
)
def test_fisher_test_is_that_of_psych(
    r1: float, n1: int, r2: float, n2: int, z: float, p: float
) -> None:
    """R 4.2.2, psych 2.2.9: r.test(n = n1, r12 = r1, r34 = r2, n2 = n2, twotailed = FALSE)."""
    assert fisher_test(r1, n1, r2, n2) == pytest.approx((z, p), rel=1e-7)


def test_fisher_interval_is_that_of_scipy() -> None:
    generator = np.random.RandomState(0)
    x = generator.standard_normal(50)
    y = x + generator.standard_normal(50)
    found = stats.pearsonr(x, y)
    theirs = found.confidence_interval(0.95)
    assert fisher_interval(found.statistic, 50) == pytest.approx(tuple(theirs))


@given(st.integers(0, 2**32 - 1), st.integers(4, 40))
def test_williams_test_turns_round_and_is_defined_for_data(seed: int, n: int) -> None:
    gold, first, second = np.random.RandomState(seed).standard_normal((3, n))
    r1, r2, between = np.corrcoef([gold, first, second])[[0, 0, 1], [1, 2, 2]].tolist()
    one, other = williams_test(r1, r2, between, n), williams_test(r2, r1, between, n)
    assert one.statistic == pytest.approx(-other.statistic)
    assert one.p + other.p == pytest.approx(1)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: fisher_interval(1.1, 10), "must be from -1 to 1, but is 1.1"),
        (lambda: fisher_interval(0.5, 3), "at least 4 pairs are needed, but there are 3"),
        (lambda: fisher_test(0.5, 10, math.nan, 10), "but is nan"),
        (lambda: williams_test(0.9, -0.9, 0.9, 50), "contradict each other"),
        (lambda: williams_test(0.8, 0.79999, 1.0, 750), "contradict each other"),
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


def test_the_bootstrap_on_the_same_resamples_is_that_of_a_plain_loop() -> None:
    generator = np.random.RandomState(2)
    gold = generator.standard_normal(30)
    systems = gold + generator.standard_normal((2, 30))
    counts = draw(30, 200)
    found = paired_bootstrap(*(pearson(each, gold, counts) for each in systems))
    assert found is not None
    one, other = (
        [stats.pearsonr(np.repeat(each, row), np.repeat(gold, row))[0] for row in counts]
        for each in systems
    )
    differences = [a - b for a, b in zip(one, other, strict=True)]
    assert found.p == (1 + sum(each <= 0 for each in differences)) / 201
    expected = stats.scoreatpercentile(differences, [2.5, 97.5])
    assert found.interval == pytest.approx(tuple(expected), abs=1e-10)


def test_the_bootstrap_of_equal_systems() -> None:
    equal = paired_bootstrap(np.full(50, 0.5), np.full(50, 0.5))
    assert equal == ((0.0, 0.0), 1.0)


@pytest.mark.parametrize(("undefined", "p"), [(5, 1 / 6), (6, None), (10, None)])
def test_resamples_that_are_undefined_do_not_count_unless_most_are(
    undefined: int, p: float | None
) -> None:
    values = np.array([np.nan] * undefined + [0.5] * (10 - undefined))
    found = paired_bootstrap(values, np.zeros(10))
    assert (found and found.p) == p
    assert bootstrap_interval(values) == (p and (0.5, 0.5))


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


PAIRS_2015 = {each.name: each.scored for each in find_task("sts2015").datasets}


def p_of_means(best: Row, other: Row, n: int) -> float:
    """Test as if a Mean were the correlation of n pairs: p, one-tailed."""
    return fisher_test(float(best.values["Mean"]), n, float(other.values["Mean"]), n).p


def first_that_differs(level: float, p: Callable[[Row, Row], float]) -> int:
    """Return the rank from which on the best run of 2015 (English) is better than all runs."""
    best, *others = ranked_rows(table("sts2015-english"), "Mean")
    differ = [p(best, other) < level for other in others]
    return 2 + max((place + 1 for place, each in enumerate(differ) if not each), default=0)


@pytest.mark.parametrize(
    ("n", "level", "rank"),
    [
        (3000, 0.05, 10),  # the scored pairs, one-tailed, as in 2012 and 2013
        (3000, 0.025, 13),  # two-tailed
        (3000, 0.01, 14),
        (8500, 0.05, 3),  # all pairs of the input
        (750, 0.05, 20),  # the largest data set
    ],
)
def test_from_which_rank_on_the_best_mean_of_2015_differs(n: int, level: float, rank: int) -> None:
    """The paper says from the 11th on, but not by which test: none of these."""
    assert first_that_differs(level, lambda best, other: p_of_means(best, other, n)) == rank


def test_the_best_run_of_2015_differs_from_the_11th_on_data_set_by_data_set() -> None:
    """The differences of z in the data sets, weighted by the inverse of their variances."""

    def p(best: Row, other: Row) -> float:
        d = sum(
            (n - 3) * (math.atanh(best.values[name]) - math.atanh(other.values[name]))
            for name, n in PAIRS_2015.items()
        )
        return float(stats.norm.sf(d / math.sqrt(2 * sum(n - 3 for n in PAIRS_2015.values()))))

    assert first_that_differs(0.05, p) == 11
