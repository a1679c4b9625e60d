"""The official measures on many resamples of the pairs at once, for the bootstrap.

Resamples are given as `counts`, an array of shape (n_resamples, n_pairs): how often each pair was
drawn. So a measure of all resamples takes a few matrix products instead of a loop. All functions
return arrays of shape (n_resamples,); a result that is undefined is NaN.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stsbaselines.scoring import alignment, correlation
from stsbaselines.scoring.alignment import Links, Penalty
from stsbaselines.scoring.correlation import FloatArray, deviations, rounded
from stsbaselines.scoring.paraphrase import BoolArray, harmonic_mean

IntArray = npt.NDArray[np.integer[Any]]
Counts = Mapping[str, IntArray]  # by data set

_CELLS_OF_BLOCK = 2**20
_LEAST_KEPT = 0.1  # a sum of squares that loses more to its correction is recomputed
_LEAST_EXPLAINED = 1e-6


def draw(n: int, resamples: int, random_state: int | Sequence[int] = 0) -> IntArray:
    """Draw resamples of `n` pairs, each of as many pairs, with replacement; return `counts`."""
    generator = np.random.RandomState(random_state)
    counts = np.empty((resamples, n), dtype=np.int16)  # no pair is drawn 32,768 times
    for row in counts:
        row[:] = np.bincount(generator.randint(max(n, 1), size=n), minlength=n)
    return counts


def _blocks(counts: IntArray) -> Iterator[IntArray]:
    """Yield the resamples in blocks, which bounds the memory that a measure takes."""
    rows = max(1, _CELLS_OF_BLOCK // max(1, counts.shape[1]))
    for start in range(0, len(counts), rows):
        yield counts[start : start + rows]


def _totals(counts: IntArray, *values: npt.ArrayLike) -> FloatArray:
    """Return the total of each kind of values on each resample, one row per kind."""
    table = np.stack([np.asarray(each, dtype=np.float64) for each in values], axis=1)
    totals: FloatArray = np.concatenate([block @ table for block in _blocks(counts)]).T
    return totals


def _ratio(top: npt.ArrayLike, bottom: npt.ArrayLike) -> FloatArray:
    """Divide; NaN where the divisor is 0."""
    ratio: FloatArray = np.divide(top, np.where(np.equal(bottom, 0), np.nan, bottom))
    return ratio


class _Moments(NamedTuple):
    """Sums of weights, means, and sums of squares and products about the means.

    `safe` marks the resamples on which they are exact: not if a square is mostly cancelled by its
    correction, such as where the resample is constant or misses an outlier.
    """

    total: FloatArray
    mean_x: FloatArray
    mean_y: FloatArray
    xx: FloatArray
    yy: FloatArray
    xy: FloatArray
    safe: BoolArray


def _moments(x: FloatArray, y: FloatArray, weights: FloatArray, counts: IntArray) -> _Moments:
    """Return the moments on each resample of values that are deviations from their mean."""
    wx, wy = weights * x, weights * y
    total, sum_x, sum_y, xx, yy, xy = _totals(counts, weights, wx, wy, wx * x, wy * y, wx * y)
    mean_x, mean_y = _ratio(sum_x, total), _ratio(sum_y, total)
    about_x, about_y = xx - sum_x * mean_x, yy - sum_y * mean_y
    safe = (about_x > _LEAST_KEPT * xx) & (about_y > _LEAST_KEPT * yy)
    return _Moments(total, mean_x, mean_y, about_x, about_y, xy - sum_x * mean_y, safe)


def pearson(
    scores: npt.ArrayLike,
    gold: npt.ArrayLike,
    counts: IntArray,
    weights: npt.ArrayLike | None = None,
) -> FloatArray:
    """Return the Pearson correlation on each resample; see `correlation.pearson`."""
    x, y = (np.asarray(values, dtype=np.float64) for values in (scores, gold))
    w = np.ones(len(x)) if weights is None else np.asarray(weights, dtype=np.float64)
    if not w.any():
        return np.full(len(counts), np.nan)
    if not w.all():
        counted = w > 0
        x, y, w, counts = x[counted], y[counted], w[counted], counts[:, counted]
    w = w / w.max()
    found = _moments(deviations(x, w), deviations(y, w), w, counts)
    safe = found.safe
    spread = np.sqrt(found.xx[safe]) * np.sqrt(found.yy[safe])
    values = np.full(len(counts), np.nan)
    values[safe] = np.clip(found.xy[safe] / spread, -1.0, 1.0)
    for row in np.flatnonzero(~safe):
        values[row] = _or_nan(correlation.pearson(x, y, counts[row] * w))
    return values


def _or_nan(value: float | None) -> float:
    return np.nan if value is None else value


class _Ties(NamedTuple):
    """Values in ascending order: their places, and where each group of equal ones begins."""

    order: npt.NDArray[np.intp]
    starts: npt.NDArray[np.intp]
    sizes: npt.NDArray[np.intp]


def _ties(values: FloatArray) -> _Ties:
    order = np.argsort(values, kind="stable")
    ascending = values[order]
    starts = np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]]))
    return _Ties(order, starts, np.diff(starts, append=len(values)))


def _centred_ranks(ties: _Ties, counts: IntArray) -> FloatArray:
    """Return the mean rank of each pair on each resample, minus that of all its pairs.

    Nothing is sorted again: the rank follows from how many copies of smaller values were drawn.
    """
    groups = np.add.reduceat(counts[:, ties.order], ties.starts, axis=1, dtype=np.int64)
    ends = np.cumsum(groups, axis=1)
    ranks = ends - (groups + ends[:, -1:]) / 2
    found = np.empty(counts.shape)
    found[:, ties.order] = np.repeat(ranks, ties.sizes, axis=1)
    return found


def spearman(scores: npt.ArrayLike, gold: npt.ArrayLike, counts: IntArray) -> FloatArray:
    """Return Spearman's correlation on each resample; see `correlation.spearman`.

    Examples
    --------
    >>> spearman([1, 2, 30, 4], [0, 1, 2, 1], np.array([[1, 1, 1, 1], [2, 1, 1, 0]])).round(4)
    array([0.9487, 1.    ])
    """
    x, y = (np.asarray(values, dtype=np.float64) for values in (scores, gold))
    if not len(x):
        return np.full(len(counts), np.nan)
    sides = _ties(rounded(x)), _ties(y)
    found = []
    for block in _blocks(counts):
        left, right = (_centred_ranks(each, block) for each in sides)
        weighted = left * block
        xy, xx = np.einsum("ij,ij->i", weighted, right), np.einsum("ij,ij->i", weighted, left)
        yy = np.einsum("ij,ij,ij->i", block, right, right)
        found.append(_ratio(xy, np.sqrt(xx) * np.sqrt(yy)).clip(-1, 1))
    return np.concatenate(found)


def pearson_all_normalized(
    scores: Sequence[npt.ArrayLike], gold: Sequence[npt.ArrayLike], counts: Sequence[IntArray]
) -> FloatArray:
    """Return ALLnrm on each resample, to which it is fitted.

    See `correlation.pearson_all_normalized`; the arguments have one array per data set. The
    square of ALLnrm is the share of the variation of all gold scores that is explained: all of
    that between the data sets and, within each, what its correlation explains.
    """
    xs = [np.asarray(values, dtype=np.float64) for values in scores]
    ys = [np.asarray(values, dtype=np.float64) for values in gold]
    if not all(map(len, xs)):
        return np.full(len(counts[0]), np.nan)
    found = []
    for x, y, drawn in zip(xs, ys, counts, strict=True):
        equal = np.ones(len(x))
        found.append(_moments(deviations(x, equal), y - y.mean(), equal, drawn))
    total = np.stack([each.total for each in found])
    means = np.stack([y.mean() + each.mean_y for y, each in zip(ys, found, strict=True)])
    overall = _ratio((total * means).sum(axis=0), total.sum(axis=0))
    between = (total * (means - overall) ** 2).sum(axis=0)
    explained = between + sum(_ratio(each.xy**2, each.xx) for each in found)
    squares = between + sum(each.yy for each in found)
    safe = np.all([each.safe for each in found], axis=0) & (explained > _LEAST_EXPLAINED * squares)
    values = np.full(len(safe), np.nan)
    values[safe] = np.sqrt(np.minimum(explained[safe] / squares[safe], 1.0))
    for row in np.flatnonzero(~safe):
        drawn_x, drawn_y = (
            [np.repeat(each, drawn[row]) for each, drawn in zip(side, counts, strict=True)]
            for side in (xs, ys)
        )
        values[row] = _or_nan(correlation.pearson_all_normalized(drawn_x, drawn_y))
    return values


def f1(
    labels: npt.ArrayLike, gold: npt.ArrayLike, counts: IntArray
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return F1, precision and recall of labels on each resample; see `identification`."""
    claimed, truth = np.asarray(labels, dtype=np.bool_), np.asarray(gold, dtype=np.bool_)
    found, claims, true = _totals(counts, claimed & truth, claimed, truth)
    precision, recall = _ratio(found, claims), _ratio(found, true)
    return harmonic_mean(precision, recall), precision, recall


def max_f1(scores: npt.ArrayLike, gold: npt.ArrayLike, counts: IntArray) -> FloatArray:
    """Return the highest F1 over all cuts on each resample, and precision and recall there.

    See `paraphrase.max_f1`. The copies of a pair have the same rank. A cut between them is never
    the best one, because F1 rises with each true pair and never with another one: so cuts after
    all copies are enough.
    """
    order = np.argsort(rounded(np.asarray(scores, dtype=np.float64)), kind="stable")[::-1]
    truth = np.asarray(gold, dtype=np.bool_)[order]
    if not truth.any():
        return np.full((3, len(counts)), np.nan)
    best = [_best_cuts(block[:, order], truth) for block in _blocks(counts)]
    return np.concatenate(best, axis=1)


def _best_cuts(ranked: IntArray, truth: BoolArray) -> FloatArray:
    """Return the highest F1, precision and recall of resamples of ranked pairs."""
    ranks, found = np.cumsum(ranked, axis=1), np.cumsum(ranked * truth, axis=1)
    precision, recall = _ratio(found, ranks), _ratio(found, found[:, -1:])
    harmonic = harmonic_mean(precision, recall)
    cut = np.argmax(harmonic, axis=1)[:, None]
    best = [np.take_along_axis(each, cut, axis=1)[:, 0] for each in (harmonic, precision, recall)]
    return np.where(found[:, -1] > 0, best, np.nan)


def agreement(
    pairs: Sequence[tuple[Links, Links]], penalties: Sequence[Penalty], counts: IntArray
) -> FloatArray:
    """Return F of the links on each resample of sentence pairs; see `alignment.agreement`."""
    sums = np.array([_sums(pair, penalties) for pair in pairs]).T
    of_system, system, of_gold, gold = _totals(counts, *sums)
    precision, recall = _ratio(of_system, system), _ratio(of_gold, gold)
    f = harmonic_mean(precision, recall)
    return np.where(np.isnan(precision) & np.isnan(recall), np.nan, f)


def _sums(
    pair: tuple[Links, Links], penalties: Sequence[Penalty]
) -> tuple[float, float, float, float]:
    """Return the weight of a system's links that are right and of all, then the gold's."""
    found = alignment.agreement([pair], penalties)
    system, gold = (sum(link.weight for link in links.values()) for links in pair)
    return (found.precision or 0.0) * system, system, (found.recall or 0.0) * gold, gold
