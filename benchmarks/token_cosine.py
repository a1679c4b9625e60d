"""Token-cosine against scikit-learn's vectors and bare Python sets, on the same pairs.

Run it with ``make bench``. It prints, for pairs made from the embedded sample, the time of
each and its ratio to ours. All of them must agree, else it says so and fails.
"""

from __future__ import annotations

import itertools
import math
import re
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median

import numpy as np
import numpy.typing as npt
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.preprocessing import normalize

from stsbaselines.baselines.token_cosine import TokenCosine
from stsbaselines.data.catalogue import find_task
from stsbaselines.data.find import require
from stsbaselines.tasks.sts import read_pairs

Pairs = Sequence[tuple[str, str]]
Scores = npt.NDArray[np.float64]


def pairs_of(count: int) -> Pairs:
    """Return `count` pairs: those of the sample, each time with other words."""
    task = find_task("sample-sts")
    sample = [pair for each in task.datasets for pair in read_pairs(require(task, each, "input"))]
    numbered = zip(itertools.cycle(sample), range(count), strict=False)
    return [(f"{left} {n % 997}", f"{right} {n % 991}") for (left, right), n in numbered]


def ours(pairs: Pairs) -> Scores:
    """Score with this package."""
    return TokenCosine().predict(pairs)


def bare_sets(pairs: Pairs) -> Scores:
    """Score with Perl's split and Python sets, written down plainly."""
    white_space = re.compile(rb"[ \t\n\r\f\v]+")
    scores = []
    for left, right in pairs:
        a, b = (set(white_space.split(side.encode().rstrip())) for side in (left, right))
        scores.append(len(a & b) / (math.sqrt(len(a)) * math.sqrt(len(b))))
    return np.array(scores)


def vectors(pairs: Pairs) -> Scores:
    """Score with scikit-learn's binary vectors."""
    white_space = re.compile(r"[ \t\n\r\f\v]+")
    vectorizer = CountVectorizer(
        binary=True, lowercase=False, tokenizer=white_space.split, token_pattern=None
    )
    vectorizer.fit(side for pair in pairs for side in pair)
    left, right = (normalize(vectorizer.transform(side)) for side in zip(*pairs, strict=True))
    return np.asarray(left.multiply(right).sum(axis=1)).ravel()


def seconds(
    systems: Mapping[str, Callable[[Pairs], Scores]], pairs: Pairs, runs: int = 5
) -> dict[str, float]:
    """Return the median time of each system, all of them run in turn."""
    times: dict[str, list[float]] = {name: [] for name in systems}
    for _ in range(runs):
        for name, score in systems.items():
            start = time.perf_counter()
            score(pairs)
            times[name].append(time.perf_counter() - start)
    return {name: median(taken) for name, taken in times.items()}


def main() -> None:
    """Print the table."""
    pairs = pairs_of(50_000)
    if not all(np.allclose(ours(pairs), other(pairs)) for other in (bare_sets, vectors)):
        sys.exit("the scores differ")
    systems = {"stsbaselines": ours, "bare sets": bare_sets, "scikit-learn": vectors}
    taken = seconds(systems, pairs)
    print(f"{len(pairs):,} pairs, median of 5 runs in one process")
    for name, time_taken in taken.items():
        ratio = time_taken / taken["stsbaselines"]
        print(f"{name:14} {len(pairs) / time_taken:10,.0f} pairs/s   {ratio:5.2f} x our time")


if __name__ == "__main__":
    main()
