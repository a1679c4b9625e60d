"""F1 of labels, and the highest F1 of ranked pairs."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import (
    average_precision_score,
    precision_recall_curve,
    precision_recall_fscore_support,
)

from stsbaselines.scoring.paraphrase import (
    average_precision,
    f1_curve,
    identification,
    max_f1,
)

labelled = st.lists(st.tuples(st.integers(0, 8), st.booleans()), min_size=1, max_size=25)


@given(labelled)
def test_identification_equals_scikit_learn(pairs: list[tuple[int, bool]]) -> None:
    predicted, gold = [score > 4 for score, _ in pairs], [label for _, label in pairs]
    ours = identification(predicted, gold)
    theirs = precision_recall_fscore_support(gold, predicted, average="binary", zero_division=0)
    assert [ours.precision or 0, ours.recall or 0, ours.f1] == pytest.approx(theirs[:3])
    assert (ours.precision is None) == (not any(predicted))
    assert (ours.recall is None) == (not any(gold))


@given(labelled)
def test_curves_equal_those_of_scikit_learn(pairs: list[tuple[int, bool]]) -> None:
    scores, gold = [score / 7 for score, _ in pairs], [label for _, label in pairs]
    assume(any(gold))
    assert average_precision(scores, gold) == pytest.approx(average_precision_score(gold, scores))
    precision, recall, cuts = precision_recall_curve(gold, scores)
    thresholds, f1 = f1_curve(scores, gold)
    assert thresholds.tolist() == cuts.tolist()
    sums = precision + recall
    expected = np.divide(2 * precision * recall, sums, out=np.zeros(len(sums)), where=sums > 0)
    assert f1.tolist() == expected[:-1].tolist()


def swept(scores: list[int], gold: list[bool]) -> float:
    """Return the best F1 by the literal sweep."""
    ranked = sorted(range(len(scores)), key=lambda number: scores[number])[::-1]
    best = 0.0
    for cut in range(1, len(ranked) + 1):
        predicted = [number in ranked[:cut] for number in range(len(scores))]
        best = max(best, identification(predicted, gold).f1)
    return best


@given(labelled)
def test_max_f1_is_the_best_of_all_cuts(pairs: list[tuple[int, bool]]) -> None:
    scores, gold = [score for score, _ in pairs], [label for _, label in pairs]
    best = max_f1(scores, gold)
    assume(best is not None)
    assert best is not None
    assert best.max_f1 == pytest.approx(swept(scores, gold))
    precision, recall = best.precision, best.recall
    assert best.max_f1 == pytest.approx(2 * precision * recall / (precision + recall))
    thresholds, f1 = f1_curve(scores, gold)
    assert len(thresholds) == len(set(scores))
    assert f1.max() <= best.max_f1 + 1e-12


def test_among_equal_scores_the_later_pair_comes_first_and_ties_are_cut() -> None:
    best = max_f1([0.5, 0.5], [False, True])
    assert best is not None
    assert (best.max_f1, best.precision, best.recall) == (1, 1, 1)
    worse = max_f1([0.5, 0.5], [True, False])
    assert worse is not None
    assert (round(worse.max_f1, 4), worse.precision, worse.recall) == (0.6667, 0.5, 1)


def test_of_several_best_cuts_the_first_counts() -> None:
    best = max_f1([4, 3, 2, 1], [True, False, False, True])
    assert best is not None
    assert (best.precision, best.recall) == (1, 0.5)


def test_without_a_true_pair_there_is_no_best_cut() -> None:
    assert max_f1([1, 2], [False, False]) is None
    assert average_precision([1, 2], [False, False]) is None
    assert [len(values) for values in f1_curve([1, 2], [False, False])] == [0, 0]
    assert max_f1([], np.array([], dtype=bool)) is None


@pytest.mark.parametrize(
    ("scores", "gold", "message"),
    [
        ([1, math.nan], [True, False], "finite"),
        ([1], [True, False], "1 values, but gold has 2"),
        ([1, 2], [1, 0], "booleans"),
    ],
)
def test_bad_arrays_are_refused(scores: list[float], gold: list[Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        max_f1(scores, gold)
