"""Bootstrap of a Pearson correlation against SciPy, on the same made-up pairs.

Run it with ``make bench``. It prints the time of each, and its ratio to ours. The standard
errors must agree, else it says so and fails.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy import stats

from stsbaselines.scoring.resampling import draw, pearson

PAIRS, RESAMPLES, TOLERANCE = 750, 1000, 0.1
Array = npt.NDArray[np.float64]


def ours(scores: Array, gold: Array) -> float:
    """Return the standard error by this package."""
    return float(np.std(pearson(scores, gold, draw(PAIRS, RESAMPLES)), ddof=1))


def scipy_bootstrap(scores: Array, gold: Array) -> float:
    """Return it by `scipy.stats.bootstrap`."""

    def statistic(x: Array, y: Array) -> float:
        return float(stats.pearsonr(x, y)[0])

    found = stats.bootstrap(
        (scores, gold), statistic, n_resamples=RESAMPLES, paired=True, vectorized=False,
        method="percentile", random_state=0,
    )  # fmt: skip
    return float(found.standard_error)


def plain_loop(scores: Array, gold: Array) -> float:
    """Return it by a loop over NumPy's correlation."""
    generator = np.random.RandomState(0)
    found = []
    for _ in range(RESAMPLES):
        places = generator.randint(PAIRS, size=PAIRS)
        found.append(np.corrcoef(scores[places], gold[places])[0, 1])
    return float(np.std(found, ddof=1))


def main() -> int:
    """Print the table; return 1 if the results disagree."""
    generator = np.random.RandomState(1)
    gold = generator.uniform(0, 5, PAIRS)
    scores = gold + generator.standard_normal(PAIRS)
    methods: list[Callable[[Array, Array], float]] = [ours, scipy_bootstrap, plain_loop]
    print(f"standard error of r: {PAIRS} pairs, {RESAMPLES} resamples")
    errors, times = [], []
    for method in methods:
        start = time.perf_counter()
        errors.append(method(scores, gold))
        times.append(time.perf_counter() - start)
        name, ratio = method.__name__.replace("_", " "), times[-1] / times[0]
        print(f"{name:16} {errors[-1]:.5f} {times[-1]:8.3f} s {ratio:6.1f} times ours")
    if max(errors) > (1 + TOLERANCE) * min(errors):
        print("the results disagree", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
