"""Whether correlations differ: Fisher's z, Williams' test and the paired bootstrap.

The task papers compare runs by Fisher's z, as if the runs had been scored on different pairs. But
scores of two systems on the same pairs are dependent: then Williams' test is the right one for
Pearson's correlation, and the bootstrap for any measure.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

FEWEST_PAIRS = 4
CONFIDENCE = 0.95
EQUAL = 1e-7  # smaller differences can be due to the 10 decimals of outputs


class Significance(NamedTuple):
    """The statistic of a test, and the probability of one this high without a difference."""

    statistic: float
    p: float


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


def fisher_interval(r: float, n: int) -> Interval:
    """Return the two-sided 95 % confidence interval of a correlation by Fisher's z.

    Parameters
    ----------
    r : float
        Correlation, in [-1, 1].
    n : int
        Pairs, at least 4.

    References
    ----------
    STS 2012, section 4 (95 % intervals of the best runs).

    Examples
    --------
    >>> [round(bound, 3) for bound in fisher_interval(0.5, 103)]
    [0.339, 0.632]
    """
    from scipy.stats import norm  # slow to import, and only needed here

    _check(n, r)
    half = float(norm.ppf((1 + CONFIDENCE) / 2)) / math.sqrt(n - 3)
    return Interval(math.tanh(_z(r) - half), math.tanh(_z(r) + half))


def fisher_test(r1: float, n1: int, r2: float, n2: int) -> Significance:
    """Test whether the first of two independent correlations is higher, by Fisher's z (one-tailed).

    The statistic is (z1 - z2) / sqrt(1 / (n1 - 3) + 1 / (n2 - 3)).

    Parameters
    ----------
    r1, r2 : float
        Correlations, in [-1, 1].
    n1, n2 : int
        Pairs of each, at least 4.

    References
    ----------
    The STS task papers; Numerical Recipes, equation 14.5.10.

    Examples
    --------
    >>> test = fisher_test(0.6, 30, 0.4, 30)
    >>> round(test.statistic, 2), round(test.p, 3)
    (0.99, 0.161)
    """
    _check(n1, r1)
    _check(n2, r2)
    difference = 0.0 if r1 == r2 else _z(r1) - _z(r2)
    statistic = difference / math.sqrt(1 / (n1 - 3) + 1 / (n2 - 3))
    return Significance(statistic, math.erfc(statistic / math.sqrt(2)) / 2)


def williams_test(r1: float, r2: float, between: float, n: int) -> Significance:
    """Test whether the first of two systems correlates higher with the same gold (one-tailed).

    The statistic has a t distribution with n - 3 degrees of freedom.

    Parameters
    ----------
    r1, r2 : float
        Correlation of each system with the gold standard.
    between : float
        Correlation of both systems with each other.
    n : int
        Pairs, at least 4.

    References
    ----------
    Williams (1959); Steiger (1980), Tests for Comparing Elements of a Correlation Matrix,
    equation 7 (T2).

    Examples
    --------
    >>> test = williams_test(0.4, 0.5, 0.1, 103)
    >>> round(test.statistic, 2), round(test.p, 2)
    (-0.89, 0.81)
    """
    from scipy.stats import t  # slow to import, and only needed here

    _check(n, r1, r2, between)
    determinant = 1 - r1**2 - r2**2 - between**2 + 2 * r1 * r2 * between
    is_equal = abs(r1 - r2) < EQUAL
    if determinant < -1e-12 or (between == 1 and not is_equal):
        raise ValueError(f"correlations of {r1}, {r2} and {between} contradict each other")
    if is_equal:
        return Significance(0.0, 0.5)
    mean = (r1 + r2) / 2
    spread = 2 * max(0.0, determinant) * (n - 1) / (n - 3) + mean**2 * (1 - between) ** 3
    top = (r1 - r2) * math.sqrt((n - 1) * (1 + between))
    statistic = top / math.sqrt(spread) if spread else math.copysign(math.inf, top)
    return Significance(statistic, float(t.sf(statistic, n - 3)))


def bootstrap_interval(values: npt.ArrayLike) -> Interval | None:
    """Return the interval within which 95 % of the resampled values of a measure lie.

    Parameters
    ----------
    values : array-like of shape (resamples,)
        See `stsbaselines.scoring.resampling`; NaN where undefined. None if more than half are.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 13.3.

    Examples
    --------
    >>> [round(bound, 3) for bound in bootstrap_interval(np.arange(1001) / 1000)]
    [0.025, 0.975]
    """
    resampled = np.asarray(values, dtype=np.float64)
    defined = resampled[~np.isnan(resampled)]
    if not len(defined) or 2 * len(defined) < len(resampled):
        return None
    low, high = np.percentile(defined, [50 * (1 - CONFIDENCE), 50 * (1 + CONFIDENCE)])
    return Interval(float(low), float(high))


class Bootstrap(NamedTuple):
    """A paired bootstrap test of two systems.

    Attributes
    ----------
    interval : Interval
        It contains 95 % of the differences on resampled pairs.
    p : float
        Share of the resamples in which the first system is not better (one-tailed); the sample
        itself counts as one of them.
    """

    interval: Interval
    p: float


def paired_bootstrap(first: npt.ArrayLike, second: npt.ArrayLike) -> Bootstrap | None:
    """Test whether the first of two systems is better, on the same resampled pairs (one-tailed).

    Parameters
    ----------
    first, second : array-like of shape (resamples,)
        A measure of each system on the same resamples; NaN where undefined. None if most are.

    References
    ----------
    Efron and Tibshirani (1993), An Introduction to the Bootstrap, section 16.

    Examples
    --------
    >>> paired_bootstrap([0.7, 0.9, 0.8, 0.6], [0.6, 0.6, 0.6, 0.6]).p
    0.4
    """
    differences = np.subtract(first, second)
    interval = bootstrap_interval(differences)
    if interval is None:
        return None
    defined = int((~np.isnan(differences)).sum())
    worse = int((differences <= EQUAL).sum())
    return Bootstrap(interval, (1 + worse) / (1 + defined))


def _z(r: float) -> float:
    return math.atanh(r) if abs(r) < 1 else math.copysign(math.inf, r)


def _check(n: int, *correlations: float) -> None:
    if n < FEWEST_PAIRS:
        raise ValueError(f"at least {FEWEST_PAIRS} pairs are needed, but there are {n}")
    for r in correlations:
        if not -1 <= r <= 1:
            raise ValueError(f"a correlation must be from -1 to 1, but is {r}")
