"""The features of PIT-2015: time for all train, dev and test pairs, and for a plain loop.

Run it with ``make bench``. Without the official data it takes as many pairs that are made
from the embedded sample.
"""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from nltk.stem.porter import PorterStemmer
from nltk.tokenize import TreebankWordTokenizer

from stsbaselines.baselines.ngram_logreg import NgramOverlap
from stsbaselines.data.catalogue import find_task
from stsbaselines.data.find import require
from stsbaselines.errors import MissingDataError
from stsbaselines.tasks import pit

Pairs = Sequence[tuple[str, str]]
ALL_PAIRS = 18_762


def official_pairs() -> Pairs:
    """Return the pairs of the training extract, dev and test."""
    pairs: list[tuple[str, str]] = []
    for name in ("train-nodebatable", "dev"):
        task = find_task("pit2015-train")
        dataset = task.dataset(name)
        files = {"input": require(task, dataset, "input")}
        if name == "dev":
            pairs.extend(pit.read_pairs(files["input"]))
        else:
            pairs.extend(pit.FAMILY.read_training(files, task, dataset)[0])
    test = find_task("pit2015")
    return [*pairs, *pit.read_pairs(require(test, test.datasets[0], "input"))]


def sample_pairs() -> Pairs:
    """Return as many pairs, made from the embedded sample with other words."""
    task = find_task("sample-pit-train")
    sample = list(pit.read_pairs(require(task, task.datasets[0], "input")))
    numbered = zip(itertools.cycle(sample), range(ALL_PAIRS), strict=False)
    return [(f"{left} w{n % 997}", f"{right} w{n % 991}") for (left, right), n in numbered]


def plain_loop(pairs: Pairs) -> npt.NDArray[np.float64]:
    """Compute the features pair by pair, as the organisers' script does."""
    tokenizer, stemmer = TreebankWordTokenizer(), PorterStemmer()
    rows = []
    for pair in pairs:
        words = [[word.lower() for word in tokenizer.tokenize(side)] for side in pair]
        stems = [[stemmer.stem(word) for word in side] for side in words]
        row: list[float] = []
        for left, right in (words, stems):
            for order in (1, 2, 3):
                a, b = (
                    set(zip(*(side[n:] for n in range(order)), strict=False))
                    for side in (left, right)
                )
                shared = len(a & b)
                precision, recall = shared / max(len(a), 1), shared / max(len(b), 1)
                first = row[0] if len(row) == 3 else precision
                f = 2 * first * recall / (precision + recall) if shared else 0.0
                row += [precision, recall, f]
        rows.append(row)
    return np.array(rows)


def main() -> None:
    """Print the times."""
    try:
        pairs, origin = official_pairs(), "official pairs"
    except MissingDataError:
        pairs, origin = sample_pairs(), "pairs made from the sample"
    times, results = [], []
    for compute in (NgramOverlap().transform, plain_loop):
        start = time.perf_counter()
        results.append(compute(pairs))
        times.append(time.perf_counter() - start)
    if not all((result == results[0]).all() for result in results):
        sys.exit("the features differ")
    print(f"18 features of {len(pairs):,} {origin}, one process, caches cold")
    for name, taken in zip(("stsbaselines", "plain loop"), times, strict=True):
        whole = taken * ALL_PAIRS / len(pairs)
        print(
            f"{name:14} {taken:6.2f} s   {taken / times[0]:5.2f} x our time"
            f"   {whole:6.2f} s for all {ALL_PAIRS:,} pairs at this rate"
        )


if __name__ == "__main__":
    main()
