"""TF-IDF of typed similarity beside scikit-learn and gensim, on the same terms.

Run it with ``make bench``. The records are those of the embedded sample with changed words, as
many pairs as the task had. All ways get the terms of the eight types and their document
frequencies, which only this package finds; they weight the terms, and take a cosine a pair and
type. The scores must agree, else it says so and fails.
"""

from __future__ import annotations

import itertools
import math
import sys
import time
from typing import Any

import numpy as np
import numpy.typing as npt
from gensim.corpora import Dictionary
from gensim.matutils import cossim
from gensim.models import TfidfModel
from sklearn.feature_extraction.text import TfidfVectorizer

from stsbaselines.baselines.typed_tfidf import HIGHEST, Terms, TypedTfidf
from stsbaselines.data.catalogue import find_task
from stsbaselines.data.find import require_all
from stsbaselines.tasks.records import Record
from stsbaselines.tasks.typed import FAMILY, TYPES
from stsbaselines.text.annotate import annotator_named

PAIRS = 750
Pairs = list[tuple[Record, Record]]
Scores = npt.NDArray[np.float64]


def pairs_of(count: int) -> Pairs:
    """Return pairs of records: those of the sample, each time with other words."""
    task = find_task("sample-typed")
    [dataset] = task.datasets
    sample = list(FAMILY.read_inputs(require_all(task, dataset), task, dataset))

    def changed(record: Record, number: int) -> Record:
        texts = (f"{text} lot {number}" for text in record.description)
        return record._replace(description=tuple(texts))

    numbered = zip(itertools.cycle(sample), range(count), strict=False)
    return [(changed(left, n % 97), changed(right, n % 89)) for (left, right), n in numbered]


def ours(model: TypedTfidf, pairs: list[tuple[Terms, Terms]]) -> Scores:
    """Score with this package."""
    rows = model._compared_pairs(pairs)
    return np.array([[each.score for each in row] for row in rows])


def scikit_learn(model: TypedTfidf, pairs: list[tuple[Terms, Terms]]) -> Scores:
    """Score with scikit-learn's vectors, whole columns at a time."""
    frequencies = model.document_frequencies_
    vectorizer = TfidfVectorizer(analyzer=list, vocabulary=list(frequencies))
    counts = np.array(list(frequencies.values()))
    vectorizer.idf_ = np.log((1 + model.n_records_) / (1 + counts)) + 1
    columns = []
    for name in TYPES:
        left, right = (
            vectorizer.transform(each[name].elements() for each in side)
            for side in zip(*pairs, strict=True)
        )
        columns.append(np.asarray(left.multiply(right).sum(axis=1)).ravel())
    return HIGHEST * np.stack(columns, axis=1)


def gensim(model: TypedTfidf, pairs: list[tuple[Terms, Terms]]) -> Scores:
    """Score with gensim's vectors, row by row."""
    dictionary = Dictionary([list(model.document_frequencies_)])
    dictionary.dfs = {
        dictionary.token2id[term]: count for term, count in model.document_frequencies_.items()
    }
    dictionary.num_docs = model.n_records_
    weighted = TfidfModel(
        dictionary=dictionary, wglobal=lambda df, n: math.log((1 + n) / (1 + df)) + 1
    )

    def vector(terms: Terms, name: str) -> Any:
        return weighted[dictionary.doc2bow([*terms[name].elements()])]

    rows = [[cossim(vector(a, name), vector(b, name)) for name in TYPES] for a, b in pairs]
    return HIGHEST * np.array(rows)


def measure(runs: int = 3) -> dict[str, float]:
    """Return the CPU seconds of each way, the least of several runs, and of it all, once."""
    pairs = pairs_of(PAIRS)
    model = TypedTfidf().fit(pairs)
    start = time.process_time()
    results = [model.predict(pairs)]
    seconds = {"with annotation": time.process_time() - start}
    terms = model._terms({each for pair in pairs for each in pair}, annotator_named("builtin"))
    of_pairs = [(terms[left], terms[right]) for left, right in pairs]
    ways = {"stsbaselines": ours, "scikit-learn": scikit_learn, "gensim": gensim}
    for name, way in [*ways.items()] * runs:
        start = time.process_time()
        results.append(way(model, of_pairs))
        taken = time.process_time() - start
        seconds[name] = min(taken, seconds.get(name, taken))
    if not all(np.allclose(each, results[0], rtol=0, atol=1e-9) for each in results):
        sys.exit("the scores differ")
    return seconds


def main() -> None:
    """Print the table."""
    print(f"{PAIRS:,} pairs of records, eight types, one process")
    seconds = measure()
    for name, taken in seconds.items():
        ratio = taken / seconds["stsbaselines"]
        print(f"{name:16} {PAIRS / taken:10,.0f} pairs a CPU second   {ratio:5.2f} x our time")


if __name__ == "__main__":
    main()
