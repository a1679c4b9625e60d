"""Measures of paraphrase identification: F1 of labels, and of scores at their best cut.

SemEval-2015 task 1, section 2, and the organisers' `pit2015_eval_single.py`. A result
that is undefined is None: never NaN.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stsbaselines.scoring.correlation import FloatArray, rounded

BoolArray = npt.NDArray[np.bool_]


class Identification(NamedTuple):
    """Precision, recall and F1 of paraphrase labels.

    `precision` is None if nothing was labelled a paraphrase, `recall` if nothing is one.
    """

    precision: float | None
    recall: float | None
    f1: float


def _labels(values: npt.ArrayLike, name: str) -> BoolArray:
    labels = np.asarray(values)
    if labels.ndim != 1 or (labels.dtype != np.bool_ and len(labels)):
        raise ValueError(f"{name} must be a one-dimensional array of booleans")
    return labels.astype(np.bool_)


def _scored(scores: npt.ArrayLike, gold: npt.ArrayLike) -> tuple[FloatArray, BoolArray]:
    values, truth = np.asarray(scores, dtype=np.float64), _labels(gold, "gold")
    if values.shape != truth.shape:
        raise ValueError(f"scores has {values.size} values, but gold has {truth.size}")
    if not np.isfinite(values).all():
        raise ValueError("scores must be finite numbers, but has NaN or infinity")
    return values, truth


def identification(predicted: npt.ArrayLike, gold: npt.ArrayLike) -> Identification:
    """Precision, recall and F1 of predicted labels.

    F1 is 0, as officially, if no true pair was found.

    Parameters
    ----------
    predicted, gold : array-like of bool of shape (n_pairs,)
        True for a paraphrase. Debatable pairs must be excluded before.

    Examples
    --------
    >>> identification([True, True, False, False], [True, False, True, False])
    Identification(precision=0.5, recall=0.5, f1=0.5)
    """
    labels, truth = _labels(predicted, "predicted"), _labels(gold, "gold")
    if len(labels) != len(truth):
        raise ValueError(f"predicted has {len(labels)} values, but gold has {len(truth)}")
    found, claimed, true = (int(np.sum(each)) for each in (labels & truth, labels, truth))
    precision = found / claimed if claimed else None
    recall = found / true if true else None
    f1 = 2 * precision * recall / (precision + recall) if found and precision and recall else 0.0
    return Identification(precision, recall, f1)


class BestCut(NamedTuple):
    """The cut of the ranked pairs with the highest F1, and precision and recall there."""

    max_f1: float
    precision: float
    recall: float


def max_f1(scores: npt.ArrayLike, gold: npt.ArrayLike) -> BestCut | None:
    """Return the highest F1 over all cuts of the pairs ranked by score.

    The pairs are sorted by score, ascending and stable, and then reversed: among equal
    scores (in 12 significant digits) the later pair comes first. Every rank is a cut, also between
    equal scores, and of several best cuts the first one counts. Recall is over all true pairs. None
    without any.

    Parameters
    ----------
    scores : array-like of float of shape (n_pairs,)
        Higher for pairs that are more likely paraphrases.
    gold : array-like of bool of shape (n_pairs,)
        Debatable pairs must be excluded before.

    Examples
    --------
    >>> max_f1([0.9, 0.8, 0.7, 0.1], [True, False, True, False])
    BestCut(max_f1=0.8, precision=0.6666666666666666, recall=1.0)
    """
    values, truth = _scored(scores, gold)
    if not truth.any():
        return None
    found = np.cumsum(truth[np.argsort(rounded(values), kind="stable")[::-1]])
    precision = found / np.arange(1, len(found) + 1)
    recall = found / int(truth.sum())
    f1 = harmonic_mean(precision, recall)
    best = int(np.argmax(f1))
    return BestCut(float(f1[best]), float(precision[best]), float(recall[best]))


def average_precision(scores: npt.ArrayLike, gold: npt.ArrayLike) -> float | None:
    """Average precision as scikit-learn computes it, where equal scores make one cut: not official.

    Parameters are those of `max_f1`.

    Examples
    --------
    >>> average_precision([0.9, 0.8, 0.7], [True, False, False])
    1.0
    """
    values, truth = _scored(scores, gold)
    if not truth.any():
        return None
    _, precision, recall = _curve(values, truth)
    return float(-np.sum(np.diff(recall, append=0.0) * precision))


def f1_curve(scores: npt.ArrayLike, gold: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    """Return all thresholds, ascending, and F1 if pairs of at least that score are paraphrases.

    Equal scores make one cut, so that the highest F1 can be below the official `max_f1`.
    Parameters are those of `max_f1`. Both arrays are empty if there is no true pair.

    Examples
    --------
    >>> thresholds, f1 = f1_curve([0.9, 0.1], [True, False])
    >>> thresholds.tolist(), f1.round(4).tolist()
    ([0.1, 0.9], [0.6667, 1.0])
    """
    values, truth = _scored(scores, gold)
    if not truth.any():
        return np.empty(0), np.empty(0)
    thresholds, precision, recall = _curve(values, truth)
    return thresholds, harmonic_mean(precision, recall)


def _curve(values: FloatArray, truth: BoolArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the distinct scores, ascending, and precision and recall from each one on."""
    _, first, ranks = np.unique(rounded(values), return_index=True, return_inverse=True)
    thresholds = values[first]
    np.minimum.at(thresholds, ranks, values)
    claimed = np.cumsum(np.bincount(ranks)[::-1])[::-1]
    found = np.cumsum(np.bincount(ranks, truth)[::-1])[::-1]
    return thresholds, found / claimed, found / found[0]


def harmonic_mean(precision: FloatArray, recall: FloatArray) -> FloatArray:
    """Return F1 of arrays: 0 where precision and recall are 0; NaN counts as 0."""
    p, r = np.nan_to_num(precision), np.nan_to_num(recall)
    return np.divide(2 * p * r, p + r, out=np.zeros(p.shape), where=p + r > 0)
