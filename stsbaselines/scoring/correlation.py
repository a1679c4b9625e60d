"""Correlations of system scores with gold scores, and their aggregates over data sets.

Sections "Evaluation" of the STS task papers (2012: tables 1 and 2; 2013, 2015) and the
organisers' `correlation.pl`. A result that is undefined, such as the correlation of
constant scores, is None: never 0, never NaN.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
SIGNIFICANT_DIGITS = 12
LEAST_SPREAD = 1e-13
LARGEST_ERROR = 1e-14


def _vector(values: npt.ArrayLike, name: str) -> FloatArray:
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1:
        raise ValueError(f"{name} must have one dimension, but has {vector.ndim}")
    if not np.isfinite(vector).all():
        raise ValueError(f"{name} must be finite numbers, but has NaN or infinity")
    return vector


def _vectors(scores: npt.ArrayLike, gold: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    x, y = _vector(scores, "scores"), _vector(gold, "gold")
    if len(x) != len(y):
        raise ValueError(f"scores has {len(x)} values, but gold has {len(y)}")
    return x, y


def _is_constant(values: FloatArray) -> bool:
    return len(values) == 0 or bool(np.all(values == values[0]))


def is_nearly_constant(values: FloatArray) -> bool:
    """Return whether values differ, but so little that mostly rounding errors may remain."""
    return bool(0 < np.ptp(values) < LEAST_SPREAD * np.abs(values).max()) if len(values) else False


def has_finer_differences(values: FloatArray) -> bool:
    """Return whether values differ beyond `SIGNIFICANT_DIGITS` by more than rounding errors."""
    ordered = np.unique(values)
    digits = rounded(ordered)
    gaps = np.diff(ordered) > LARGEST_ERROR * np.abs(ordered[1:])
    return bool((gaps & (digits[1:] == digits[:-1])).any())


def rounded(values: FloatArray) -> FloatArray:
    """Round to `SIGNIFICANT_DIGITS`, so that scores which only rounding errors separate are ties.

    Examples
    --------
    >>> rounded(np.array([0.1 + 0.2, 0.3])).tolist()
    [0.3, 0.3]
    """
    with np.errstate(divide="ignore"):
        magnitude = np.floor(np.log10(np.abs(values)))
    places = np.where(values == 0, 0, SIGNIFICANT_DIGITS - 1 - magnitude)
    digits = np.rint(_shifted(values, places))
    is_longer = np.abs(digits) >= 10**SIGNIFICANT_DIGITS  # rounded up to the next power of ten
    return _shifted(np.where(is_longer, digits / 10, digits), is_longer - places)


def _shifted(values: FloatArray, places: FloatArray) -> FloatArray:
    """Move the decimal point, in two steps because a power of ten alone may overflow."""
    half = np.trunc(places / 2)
    shifted: FloatArray = values * 10.0**half * 10.0 ** (places - half)
    return shifted


def deviations(values: FloatArray, weights: FloatArray) -> FloatArray:
    """Deviations from the weighted mean, scaled to at most 1 so that no square overflows."""
    _, exponent = np.frexp(np.abs(values).max())
    scaled = np.ldexp(values, -exponent)
    # The mean is rounded. For nearly equal values, the rounding may exceed the deviations, but
    # these differences are exact, so that their own mean corrects them.
    centred = scaled - np.average(scaled, weights=weights)
    centred -= np.average(centred, weights=weights)
    largest = np.abs(centred).max()
    return np.asarray(centred / largest if largest > 0 else centred)


def pearson(
    scores: npt.ArrayLike, gold: npt.ArrayLike, weights: npt.ArrayLike | None = None
) -> float | None:
    """Pearson correlation, weighted by confidences if `weights` are given.

    None with fewer than two pairs that count, or constant values.

    Parameters
    ----------
    scores, gold : array-like of shape (n_pairs,)
        Of the same length; constant ones have no correlation.
    weights : array-like of shape (n_pairs,), optional
        Confidences, not negative, in any unit. Pairs of weight 0 do not count.

    References
    ----------
    `correlation.pl` of 2012 (unweighted) and 2013 (weighted); STS 2012, table 2.

    Examples
    --------
    >>> round(pearson([1, 2, 3], [1, 2, 4]), 5)
    0.98198
    >>> round(pearson([1, 2, 3], [1, 2, 4], weights=[100, 100, 0]), 5)
    1.0
    """
    x, y = _vectors(scores, gold)
    w = np.ones(len(x)) if weights is None else _vector(weights, "weights")
    if len(w) != len(x):
        raise ValueError(f"weights has {len(w)} values, but scores has {len(x)}")
    if (w < 0).any():
        raise ValueError("weights must not be negative")
    counted = w > 0
    if not counted.all():
        x, y, w = x[counted], y[counted], w[counted]
    if _is_constant(x) or _is_constant(y):
        return None
    w = w / w.max()
    dx, dy = deviations(x, w), deviations(y, w)
    spread = math.sqrt(np.sum(w * dx * dx)) * math.sqrt(np.sum(w * dy * dy))
    if spread == 0:
        return None
    return float(np.clip(np.sum(w * dx * dy) / spread, -1.0, 1.0))


def spearman(scores: npt.ArrayLike, gold: npt.ArrayLike) -> float | None:
    """Spearman rank correlation, ties given their mean rank.

    Scores that are equal in 12 significant digits are ties.

    Parameters
    ----------
    scores, gold : array-like of shape (n_pairs,)
        Of the same length; constant ones have no correlation.

    Examples
    --------
    >>> round(spearman([1, 2, 30], [0, 1, 2]), 5)
    1.0
    """
    x, y = _vectors(scores, gold)
    return pearson(_ranks(rounded(x)), _ranks(y)) if len(x) else None


def _ranks(values: FloatArray) -> FloatArray:
    """Return ranks from 1 as `scipy.stats.rankdata` does, which is slow to import."""
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    mean_ranks: FloatArray = np.cumsum(counts) - (counts - 1) / 2
    return mean_ranks[inverse]


def fitted_to_gold(scores: npt.ArrayLike, gold: npt.ArrayLike) -> FloatArray | None:
    """Map scores onto the gold scores by their least-squares line; None for constant scores.

    Parameters
    ----------
    scores, gold : array-like of shape (n_pairs,)
        Of the same length.

    References
    ----------
    STS 2012, section 4 (ALLnrm).

    Examples
    --------
    >>> fitted_to_gold([0, 1, 2], [1, 3, 5])
    array([1., 3., 5.])
    """
    x, y = _vectors(scores, gold)
    if _is_constant(x):
        return None
    dx = deviations(x, np.ones(len(x)))
    largest = max(float(np.abs(y).max()), np.finfo(float).tiny)
    scaled = y / largest
    middle = scaled.mean()
    slope = np.sum(dx * (scaled - middle)) / np.sum(dx * dx)
    return np.asarray((middle + slope * dx) * largest)


def pearson_all(
    scores: Sequence[npt.ArrayLike],
    gold: Sequence[npt.ArrayLike],
    weights: Sequence[npt.ArrayLike] | None = None,
) -> float | None:
    """ALL: one Pearson correlation over the concatenated data sets.

    Parameters
    ----------
    scores, gold : sequence of array-like of shape (n_pairs of the data set,)
        One array per data set, in the order in which they are concatenated.
    weights : likewise, optional
        Confidences.

    References
    ----------
    STS 2012, table 1 (ALL) and table 2 (ALLw).

    Examples
    --------
    >>> round(pearson_all([[1, 2], [3, 5]], [[1, 2], [3, 4]]), 5)
    0.98271
    """
    pairs = [_vectors(s, g) for s, g in zip(scores, gold, strict=True)]
    joined = None if weights is None else np.concatenate([np.asarray(w) for w in weights])
    x, y = (np.concatenate(side) for side in zip(*pairs, strict=True))
    return pearson(x, y, joined)


def pearson_all_normalized(
    scores: Sequence[npt.ArrayLike], gold: Sequence[npt.ArrayLike]
) -> float | None:
    """ALLnrm: ALL after mapping each data set's scores onto its gold by least squares.

    It is fitted to the gold scores, so that even random scores reach a high value. None if the
    scores of any data set are constant.

    Parameters
    ----------
    scores, gold : sequence of array-like of shape (n_pairs of the data set,)
        One array per data set, in the order in which they are concatenated.

    References
    ----------
    STS 2012, section 4 and table 1.

    Examples
    --------
    >>> round(pearson_all_normalized([[1, 2], [9, 5]], [[1, 2], [3, 4]]), 5)
    1.0
    """
    fitted = [fitted_to_gold(s, g) for s, g in zip(scores, gold, strict=True)]
    defined = [values for values in fitted if values is not None]
    return pearson_all(defined, gold) if len(defined) == len(fitted) else None


def mean(values: Sequence[float | None], weights: Sequence[float] | None = None) -> float | None:
    """Mean of the data sets' correlations, weighted by their scored pairs or plain.

    None if any value is undefined or there is none.

    Parameters
    ----------
    values : sequence of float or None, one per data set
        None is an undefined value; the mean is then undefined, too.
    weights : sequence of float, optional
        Number of scored pairs of each data set.

    References
    ----------
    STS 2012, table 1 (Mean); `correlation-all.pl` of 2013.

    Examples
    --------
    >>> mean([0.5, 0.8], weights=[750, 250]), mean([0.5, None])
    (0.575, None)
    """
    if weights is not None and len(weights) != len(values):
        raise ValueError(f"weights has {len(weights)} values, but values has {len(values)}")
    defined = [value for value in values if value is not None]
    if not np.isfinite(defined).all():
        raise ValueError("values must be finite numbers or None")
    if not defined or len(defined) < len(values):
        return None
    return float(np.average(defined, weights=weights))
