"""The permutation test, and experiments on all tests of two systems."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt
import pytest

from stsbaselines.scoring import conventions, correlation, resampling, significance
from stsbaselines.scoring.conventions import Convention
from stsbaselines.scoring.permutation import permutation_test

Values = npt.NDArray[np.float64]
RESAMPLES = 1000  # the default of `compare`, which the documentation describes
PEARSON, SPEARMAN = (Convention("", each, "ALL") for each in ("pearson", "spearman"))


def systems(seed: int, n: int, better: float = 0.0) -> tuple[Values, Values, Values]:
    """Return gold scores, and two systems of equal quality, unless one is `better`."""
    generator = np.random.default_rng(seed)
    gold, shared, one, other = generator.normal(size=(4, n))
    return gold, gold + shared + 0.3 * (1 - better) * one, gold + shared + 0.3 * other


@pytest.mark.parametrize("convention", [PEARSON, SPEARMAN])
def test_p_is_that_of_all_exchanges(convention: Convention) -> None:
    gold, first, second = systems(5, 8)

    def standard(scores: Values) -> Values:
        if convention is SPEARMAN:
            scores = np.asarray(scores.argsort().argsort(), dtype=np.float64)
        return np.asarray((scores - scores.mean()) / scores.std())

    one, other = standard(first), standard(second)
    differences = []
    for swaps in itertools.product([False, True], repeat=8):
        a, b = np.where(swaps, other, one), np.where(swaps, one, other)
        values = [conventions.value(convention, {"x": (each, gold)}) or 0.0 for each in (a, b)]
        differences.append(values[0] - values[1])
    exact = np.mean(np.array(differences) >= abs(differences[0]) - 1e-9)
    test = permutation_test(convention, {"x": (first, gold)}, {"x": (second, gold)}, 20_000)
    assert test is not None
    assert test.p == pytest.approx(exact, abs=4 * (0.25 / 20_000) ** 0.5)


def test_scales_do_not_matter_and_equal_systems_do_not_differ() -> None:
    gold, first, second = systems(1, 50)
    parts = [{"x": (scores, gold)} for scores in (first, second, 100 * second - 7)]
    for convention in (PEARSON, SPEARMAN):
        found = [permutation_test(convention, parts[0], each) for each in parts[1:]]
        assert found[0] is not None
        assert found[0] == pytest.approx(found[1])
        assert permutation_test(convention, parts[1], parts[2]) == (0.0, 0.5)
        constant = {"x": (np.ones(50), gold)}
        assert permutation_test(convention, parts[0], constant) is None


def p_values(gold: Values, first: Values, second: Values, seed: int) -> list[float]:
    """Return two-tailed p of each test that the documentation recommends."""
    n = len(gold)
    counts = resampling.draw(n, RESAMPLES, seed)
    found = []
    for measure in (resampling.pearson, resampling.spearman):
        values = [measure(scores, gold, counts) for scores in (first, second)]
        pair = [significance.paired_bootstrap(*each) for each in (values, values[::-1])]
        found.append(2 * min(each.p for each in pair if each))
    for convention in (PEARSON, SPEARMAN):
        one, other = ({"x": (scores, gold)} for scores in (first, second))
        test = permutation_test(convention, one, other, RESAMPLES, seed)
        found.append(2 * (test.p if test else 0.5))
    rs = [correlation.pearson(scores, gold) or 0.0 for scores in (first, second)]
    between = correlation.pearson(first, second) or 0.0
    found.append(2 * significance.williams_test(max(rs), min(rs), between, n).p)
    return found


@pytest.mark.slow
def test_systems_that_differ_by_noise_alone_are_rarely_called_different() -> None:
    found = np.array([p_values(*systems(seed, 150), seed) for seed in range(1000)])
    assert ((found < 0.05).mean(axis=0) <= 0.06).all(), (found < 0.05).mean(axis=0)


@pytest.mark.slow
def test_a_loss_of_two_hundredths_is_mostly_found() -> None:
    found, losses = [], []
    for seed in range(60):
        gold, first, second = systems(seed, 1500, better=0.55)
        rs = [correlation.pearson(each, gold) or 0.0 for each in (first, second)]
        losses.append(rs[0] - rs[1])
        found.append(p_values(gold, first, second, seed))
    assert np.mean(losses) == pytest.approx(0.02, abs=0.01)
    assert ((np.array(found) < 0.05).mean(axis=0) > 0.5).all()


@pytest.mark.slow
def test_intervals_of_the_bootstrap_cover_the_true_correlation() -> None:
    generator = np.random.default_rng(0)
    covered = []
    truth = 6 / np.pi * np.arcsin(0.7 / 2)  # Spearman's correlation of a bivariate normal
    for seed in range(1000):
        gold, noise = generator.normal(size=(2, 300))
        scores = 0.7 * gold + (1 - 0.49) ** 0.5 * noise
        values = resampling.spearman(scores, gold, resampling.draw(300, 1000, seed))
        interval = significance.bootstrap_interval(values)
        covered.append(interval is not None and interval.low <= truth <= interval.high)
    assert 0.93 <= np.mean(covered) <= 0.97
