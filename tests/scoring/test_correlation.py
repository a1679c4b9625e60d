"""The measures, against scipy and by their properties."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from stsbaselines.scoring import correlation, paraphrase
from stsbaselines.scoring.correlation import FloatArray

paired = st.integers(3, 30).flatmap(
    lambda n: st.tuples(*[st.lists(st.integers(0, 50), min_size=n, max_size=n)] * 2)
)


def spread(values: Sequence[float]) -> bool:
    return len(set(values)) > 1


@given(paired)
def test_pearson_and_spearman_equal_scipy(pair: tuple[list[int], list[int]]) -> None:
    x, y = pair
    assume(spread(x) and spread(y))
    assert correlation.pearson(x, y) == pytest.approx(stats.pearsonr(x, y).statistic, abs=1e-12)
    assert correlation.spearman(x, y) == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)


@given(paired, st.data())
def test_whole_weights_count_as_repeated_pairs(
    pair: tuple[list[int], list[int]], data: st.DataObject
) -> None:
    x, y = pair
    weights = data.draw(st.lists(st.integers(0, 4), min_size=len(x), max_size=len(x)))
    repeated = correlation.pearson(np.repeat(x, weights), np.repeat(y, weights))
    weighted = correlation.pearson(x, y, weights)
    if repeated is None:
        assert weighted is None
    else:
        assert weighted == pytest.approx(repeated, abs=1e-9)


@pytest.mark.parametrize(
    ("x", "y", "weights"),
    [
        ([], [], None),
        ([1], [2], None),
        ([2, 2, 2], [1, 2, 3], None),
        ([0.1] * 7, [1, 2, 3, 4, 5, 6, 7], None),
        ([1, 2, 3], [4, 4, 4], None),
        ([1, 2, 3], [1, 2, 3], [0, 0, 0]),
        ([1, 2, 2], [1, 2, 3], [0, 1, 1]),
    ],
)
def test_undefined_stays_undefined(
    x: list[float], y: list[float], weights: list[float] | None
) -> None:
    assert correlation.pearson(x, y, weights) is None


@pytest.mark.parametrize("scale", [1e-300, 1e150, 3e307])
def test_extreme_values_neither_overflow_nor_vanish(scale: float) -> None:
    x, y, w = [1.0, 2.0, 3.0, 5.0], [1.0, 2.0, 4.0, 3.0], [1.0, 2.0, 3.0, 4.0]
    large = np.array(x) * scale
    assert correlation.pearson(large, y) == pytest.approx(correlation.pearson(x, y))
    assert correlation.pearson(y, large) == pytest.approx(correlation.pearson(x, y))
    weighted = correlation.pearson(x, y, np.array(w) * scale)
    assert weighted == pytest.approx(correlation.pearson(x, y, w))
    fitted, expected = correlation.fitted_to_gold(y, large), correlation.fitted_to_gold(y, x)
    assert fitted is not None
    assert expected is not None
    assert fitted / scale == pytest.approx(expected)


@pytest.mark.parametrize(
    ("x", "y", "weights", "message"),
    [
        ([1, float("nan")], [1, 2], None, "NaN"),
        ([1, 2], [1, float("inf")], None, "infinity"),
        ([1, 2], [1, 2, 3], None, "2 values, but gold has 3"),
        ([[1, 2]], [1, 2], None, "one dimension"),
        ([1, 2], [1, 2], [1, -1], "negative"),
        ([1, 2], [1, 2], [1], "weights has 1"),
    ],
)
def test_bad_arrays_are_refused(
    x: list[float], y: list[float], weights: list[float] | None, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        correlation.pearson(x, y, weights)


@given(paired)
def test_fitted_scores_are_the_least_squares_line(pair: tuple[list[int], list[int]]) -> None:
    x, y = pair
    assume(spread(x))
    line = stats.linregress(x, y)
    expected = line.intercept + line.slope * np.array(x)
    assert correlation.fitted_to_gold(x, y) == pytest.approx(expected, abs=1e-8)


def exact(x: list[float], y: list[float]) -> float:
    """Return the Pearson correlation by rational arithmetic."""
    dx, dy = (
        [Fraction(each) - sum(map(Fraction, side)) / len(side) for each in side] for side in (x, y)
    )
    product = sum(a * b for a, b in zip(dx, dy, strict=True))
    squares = sum(a * a for a in dx) * sum(b * b for b in dy)
    return math.copysign(math.sqrt(product * product / squares), product)


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 50)), min_size=3, max_size=30),
    st.floats(1e-3, 1e8),
)
def test_nearly_constant_scores_keep_all_digits(pairs: list[tuple[int, int]], base: float) -> None:
    steps, gold = [step for step, _ in pairs], [float(score) for _, score in pairs]
    assume(spread(steps) and spread(gold))
    scores = [base + step * math.ulp(base) for step in steps]
    assume(spread(scores))
    assert correlation.pearson(scores, gold) == pytest.approx(exact(scores, gold), abs=1e-12)
    assert correlation.is_nearly_constant(np.array(scores))


@pytest.mark.parametrize(
    "function",
    [
        np.exp,
        lambda x: 0.1 ** (300 - 10 * x),
        lambda x: 1 / (1 + np.exp(-x / 2)),
        lambda x: x**3 - 1e6,
        lambda x: -(1e300 / (1 + x)),
        np.float32,
    ],
)
@given(st.lists(st.tuples(st.integers(0, 50), st.booleans()), min_size=1, max_size=40))
def test_a_monotone_map_changes_no_measure_of_ranks(
    function: Callable[[FloatArray], FloatArray], pairs: list[tuple[int, bool]]
) -> None:
    x, labels = (np.array(side) for side in zip(*pairs, strict=True))
    mapped = function(x.astype(float))
    assert correlation.spearman(mapped, labels) == correlation.spearman(x, labels)
    assert paraphrase.max_f1(mapped, labels) == paraphrase.max_f1(x, labels)
    assert paraphrase.average_precision(mapped, labels) == paraphrase.average_precision(x, labels)


@given(st.lists(st.tuples(st.integers(1, 50), st.booleans(), st.integers(-4, 4)), min_size=1))
def test_rounding_errors_split_no_ties(rows: list[tuple[int, bool, int]]) -> None:
    numbers, labels, errors = (np.array(side) for side in zip(*rows, strict=True))
    clean = 1 / np.sqrt(numbers)
    noisy = clean + errors * np.spacing(clean)
    assert correlation.spearman(noisy, labels) == correlation.spearman(clean, labels)
    assert paraphrase.max_f1(noisy, labels) == paraphrase.max_f1(clean, labels)
    assert paraphrase.average_precision(noisy, labels) == paraphrase.average_precision(
        clean, labels
    )


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_rounding_keeps_twelve_digits_and_the_order(values: list[float]) -> None:
    found = correlation.rounded(np.array(values))
    normal = np.abs(values) > 1e-290
    printed = np.array([float(f"{value:.11e}") for value in values])
    assert found[normal] == pytest.approx(printed[normal], rel=1e-11)
    order = np.argsort(values)
    assert (np.diff(found[order]) >= 0).all()


def test_large_offsets_lose_no_digits() -> None:
    assert correlation.pearson([1e16, 1e16 + 2, 1e16 + 4], [1, 2, 3]) == pytest.approx(1)


def test_sets_must_align() -> None:
    with pytest.raises(ValueError, match="3 values, but gold has 2"):
        correlation.pearson_all([[1, 2, 3], [4]], [[1, 2], [3, 4]])
    with pytest.raises(ValueError, match="weights has 1"):
        correlation.mean([0.5, 0.6], [1])


def test_one_constant_set_leaves_allnrm_and_mean_undefined() -> None:
    assert correlation.pearson_all_normalized([[1, 1], [1, 2]], [[1, 2], [1, 2]]) is None
    assert correlation.mean([0.5, None], [750, 250]) is None
    assert correlation.mean([]) is None
    with pytest.raises(ValueError, match="finite"):
        correlation.mean([0.5, float("nan")])
