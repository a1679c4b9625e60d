"""The measures on resamples, against the plain scorers on repeated pairs and against SciPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from stsbaselines.scoring import alignment, correlation, paraphrase, resampling
from stsbaselines.scoring.alignment import Links
from stsbaselines.scoring.resampling import draw

Counts = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]

# Efron and Tibshirani (1993), An Introduction to the Bootstrap, table 3.1: the law school data,
# mean LSAT and GPA of 15 classes of 1973.
LSAT = [576, 635, 558, 578, 666, 580, 555, 661, 651, 605, 653, 575, 545, 572, 594]
GPA = [3.39, 3.30, 2.81, 3.03, 3.44, 3.07, 3.00, 3.43, 3.36, 3.13, 3.12, 2.74, 2.76, 2.88, 2.96]

seeds = st.integers(0, 2**32 - 1)
scores = st.integers(0, 20).map(lambda tenth: tenth / 10)


@st.composite
def counts_of(draw_: st.DrawFn, n: int) -> Counts:
    """Some resamples, the first of which is the sample itself."""
    rows = draw_(st.lists(st.lists(st.integers(0, 3), min_size=n, max_size=n), max_size=4))
    return np.array([[1] * n, *rows])


@st.composite
def correlated(draw_: st.DrawFn) -> tuple[Values, Values, Values, Counts]:
    """Scores, gold scores and weights of pairs, with resamples of them."""
    n = draw_(st.integers(1, 12))
    values = [draw_(st.lists(scores, min_size=n, max_size=n)) for _ in range(3)]
    x, y, weights = np.array(values)
    return x, y, weights, draw_(counts_of(n))


def agree(found: Values, expected: Sequence[float | None], tolerance: float = 1e-10) -> None:
    plain = np.array([np.nan if each is None else each for each in expected])
    np.testing.assert_allclose(found, plain, rtol=0, atol=tolerance, equal_nan=True)


@given(correlated(), st.booleans())
def test_pearson_is_that_of_the_repeated_pairs(
    sample: tuple[Values, Values, Values, Counts], is_weighted: bool
) -> None:
    x, y, confidences, counts = sample
    weights = confidences if is_weighted else np.ones(len(x))
    found = resampling.pearson(x, y, counts, weights if is_weighted else None)
    agree(found[:1], [correlation.pearson(x, y, weights)], 1e-12)
    repeated = [[np.repeat(each, row) for each in (x, y, weights)] for row in counts]
    agree(found, [correlation.pearson(*each) for each in repeated])


@given(correlated())
def test_spearman_is_that_of_the_repeated_pairs(
    sample: tuple[Values, Values, Values, Counts],
) -> None:
    x, y, _, counts = sample
    found = resampling.spearman(x, y, counts)
    repeated = [(np.repeat(x, row), np.repeat(y, row)) for row in counts]
    agree(found, [correlation.spearman(*each) for each in repeated])


def test_spearman_of_many_pairs_is_that_of_scipy() -> None:
    generator = np.random.default_rng(0)
    gold = generator.integers(0, 26, 1500) / 5
    scores = gold + generator.normal(size=1500)
    scores[:300] = scores[:300].round()
    counts = draw(1500, 20)
    expected = [stats.spearmanr(np.repeat(scores, row), np.repeat(gold, row))[0] for row in counts]
    agree(resampling.spearman(scores, gold, counts), expected)


@given(st.lists(correlated(), min_size=1, max_size=3))
def test_allnrm_is_that_of_the_repeated_pairs(
    samples: list[tuple[Values, Values, Values, Counts]],
) -> None:
    resamples = min(len(counts) for *_, counts in samples)
    xs, ys = [x for x, *_ in samples], [y for _, y, *_ in samples]
    counts = [each[:resamples] for *_, each in samples]
    found = resampling.pearson_all_normalized(xs, ys, counts)
    agree(found[:1], [correlation.pearson_all_normalized(xs, ys)], 1e-12)

    def repeated(values: list[Values], row: int) -> list[Values]:
        return [np.repeat(each, of[row]) for each, of in zip(values, counts, strict=True)]

    def plain(row: int) -> float | None:
        return correlation.pearson_all_normalized(repeated(xs, row), repeated(ys, row))

    agree(found, [plain(row) for row in range(resamples)])


@given(correlated())
def test_f1_is_that_of_the_repeated_pairs(sample: tuple[Values, Values, Values, Counts]) -> None:
    x, y, _, counts = sample
    labels, gold = x > 1, y > 1
    f1, precision, recall = resampling.f1(labels, gold, counts)
    plain = [
        paraphrase.identification(np.repeat(labels, row), np.repeat(gold, row)) for row in counts
    ]
    agree(f1, [each.f1 for each in plain], 1e-12)
    agree(precision, [each.precision for each in plain], 1e-12)
    agree(recall, [each.recall for each in plain], 1e-12)


@given(correlated())
def test_max_f1_is_that_of_the_repeated_pairs(
    sample: tuple[Values, Values, Values, Counts],
) -> None:
    x, y, _, counts = sample
    gold = y > 1
    found = np.transpose(resampling.max_f1(x, gold, counts))
    for mine, row in zip(found, counts, strict=True):
        plain = paraphrase.max_f1(np.repeat(x, row), np.repeat(gold, row))
        agree(mine, [*plain] if plain else [None] * 3, 1e-12)


@st.composite
def links(draw_: st.DrawFn) -> Links:
    """Links between the tokens of two sentences of three tokens."""
    token = st.integers(1, 3)
    types = st.sampled_from([("EQUI",), ("SIMI",), ("SPE1", "FACT")])
    alignments = st.tuples(
        st.lists(token, max_size=2), st.lists(token, max_size=2), types, st.integers(0, 5)
    )
    return alignment.links_of(draw_(st.lists(alignments, max_size=3)), "abc", "def")


@st.composite
def linked(draw_: st.DrawFn) -> tuple[list[tuple[Links, Links]], Counts]:
    pairs = draw_(st.lists(st.tuples(links(), links()), min_size=1, max_size=5))
    return pairs, draw_(counts_of(len(pairs)))


@pytest.mark.parametrize("measure", alignment.PENALTIES)
@given(sample=linked())
def test_agreement_is_that_of_the_repeated_pairs(
    measure: str, sample: tuple[list[tuple[Links, Links]], Counts]
) -> None:
    pairs, counts = sample
    penalties = alignment.PENALTIES[measure]

    def plain(row: Counts) -> float | None:
        drawn = [pair for pair, count in zip(pairs, row, strict=True) for _ in range(count)]
        return alignment.agreement(drawn, penalties).f

    agree(resampling.agreement(pairs, penalties, counts), [*map(plain, counts)], 1e-12)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        ([1e9 + 0.1, 1e9 + 0.2, 1e9 + 0.4, 1e9 + 0.5], [0.0, 1.0, 1.0, 2.0]),
        ([0.1, 0.3, 0.2, 1e200], [0.0, 1.0, 3.0, 5.0]),
        ([0.1, 0.3, 0.2, 1e-200], [0.0, 1e-300, 3.0, 5.0]),
        ([0.25, 0.25, 0.25, 1.0], [0.0, 1.0, 3.0, 5.0]),
    ],
    ids=["large mean", "outlier", "tiny", "nearly constant"],
)
@pytest.mark.parametrize("weights", [[1.0, 1.0, 1.0, 1.0], [1.0, 4.0, 2.0, 1.0]])
def test_pearson_loses_no_digits_to_extreme_values(
    weights: list[float], x: list[float], y: list[float]
) -> None:
    counts = draw(4, 200)
    repeated = [[np.repeat(each, row) for each in (x, y, weights)] for row in counts]
    expected = [correlation.pearson(*each) for each in repeated]
    assert None in expected
    agree(resampling.pearson(x, y, counts, weights), expected, 1e-9)


def test_many_pairs_are_computed_block_by_block(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.RandomState(0)
    x, y = generator.standard_normal((2, 50))
    counts = draw(50, 33)
    whole = resampling.pearson(x, y, counts), *resampling.max_f1(x, y > 0, counts)
    monkeypatch.setattr(resampling, "_CELLS_OF_BLOCK", 100)
    parts = resampling.pearson(x, y, counts), *resampling.max_f1(x, y > 0, counts)
    np.testing.assert_allclose(parts, whole, rtol=0, atol=1e-12)


@given(seeds, st.integers(0, 30), st.integers(1, 5))
def test_as_many_pairs_are_drawn_as_there_are(seed: int, n: int, resamples: int) -> None:
    counts = draw(n, resamples, [seed, 1])
    assert counts.shape == (resamples, n)
    assert (counts.sum(axis=1) == n).all()
    assert (counts == draw(n, resamples, [seed, 1])).all()


def test_each_pair_is_drawn_as_often_as_the_others() -> None:
    counts = draw(8, 4000)
    assert stats.chisquare(counts.sum(axis=0)).pvalue > 0.001
    assert counts.var() == pytest.approx(1 - 1 / 8, abs=0.03)  # that of a binomial


def test_the_bootstrap_of_the_law_school_data_is_the_published_one() -> None:
    """Efron and Tibshirani (1993): r = .776 in section 3.2; standard error .132 in table 6.1."""
    assert f"{correlation.pearson(LSAT, GPA):.3f}" == "0.776"
    values = resampling.pearson(LSAT, GPA, draw(15, 20000))
    assert values.std(ddof=1) == pytest.approx(0.132, abs=0.003)
