"""What other parts of the package take, each with its peers: ``python benchmarks/others.py PART``.

It prints JSON: rows of what is measured, a way, and how much it did in how many CPU seconds. The
first way of each thing is ours. Each part runs in a process of its own, with empty caches.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import aligner
import bootstrap
import chunker
import numpy as np
import pit_features
import scoring
import typed_tfidf

from stsbaselines.baselines.ngram_logreg import NgramOverlap
from stsbaselines.errors import MissingDataError
from stsbaselines.text.chunker import load_chunker

Row = dict[str, Any]
OURS = "stsbaselines"
RUNS = 5


def rows(what: str, unit: str, count: float, seconds: dict[str, float]) -> list[Row]:
    """Return a row for each way."""
    return [
        {"what": what, "way": way, "unit": unit, "count": count, "seconds": taken}
        for way, taken in seconds.items()
    ]


def timed(function: Callable[..., object], *arguments: object, runs: int = 1) -> float:
    """Return the CPU time of a function, the least of several runs."""
    times = []
    for _ in range(runs):
        start = time.process_time()
        function(*arguments)
        times.append(time.process_time() - start)
    return min(times)


def typed() -> Iterator[Row]:
    """TF-IDF of typed similarity."""
    seconds = typed_tfidf.measure(RUNS)
    whole = seconds.pop("with annotation")
    count = typed_tfidf.PAIRS
    yield from rows("typed TF-IDF: eight cosines of terms", "pairs of records", count, seconds)
    name = "typed TF-IDF with tokens, names, dates and verbs"
    yield from rows(name, "pairs of records", count, {OURS: whole})


def pit() -> Iterator[Row]:
    """Compute the 18 features of PIT-2015."""
    try:
        pairs = pit_features.official_pairs()
    except MissingDataError:
        pairs = pit_features.sample_pairs()
    ours = timed(NgramOverlap().transform, pairs)
    seconds = {OURS: ours, "loop over pairs": timed(pit_features.plain_loop, pairs)}
    yield from rows("18 features of PIT-2015", "pairs", len(pairs), seconds)


def resampling() -> Iterator[Row]:
    """Bootstrap a correlation."""
    generator = np.random.RandomState(1)
    gold = generator.uniform(0, 5, bootstrap.PAIRS)
    scores = gold + generator.standard_normal(bootstrap.PAIRS)
    ways = {
        OURS: bootstrap.ours,
        "SciPy's bootstrap": bootstrap.scipy_bootstrap,
        "loop over NumPy's corrcoef": bootstrap.plain_loop,
    }
    seconds = {name: timed(way, scores, gold, runs=RUNS) for name, way in ways.items()}
    what = f"bootstrap of a Pearson correlation of {bootstrap.PAIRS} pairs"
    yield from rows(what, "resamples", bootstrap.RESAMPLES, seconds)


def chunking() -> Iterator[Row]:
    """Label the chunks of sentences."""
    tokenized, _ = chunker.sentences()
    label = load_chunker().labels
    taken = timed(lambda: [label(tokens) for tokens in tokenized])
    count = sum(map(len, tokenized))
    yield from rows("tagger and chunker", "tokens", count, {OURS: taken})


def aligning() -> Iterator[Row]:
    """Align the chunks of sentence pairs, write and read the alignments, and score them."""
    for kind, taken in aligner.measure().items():
        what = f"aligner and scorer of interpretable STS, {kind}"
        yield from rows(what, "pairs", aligner.PAIRS, {OURS: taken})


def correlating() -> Iterator[Row]:
    """Score the output of a system."""
    what = f"scoring {scoring.PAIRS:,} STS pairs: reading, checking, all measures"
    yield from rows(what, "pairs", scoring.PAIRS, scoring.measure())


PARTS = {
    "scoring": correlating,
    "aligner": aligning,
    "pit": pit,
    "typed": typed,
    "chunker": chunking,
    "bootstrap": resampling,
}


if __name__ == "__main__":
    print(json.dumps([*PARTS[sys.argv[1]]()]))
