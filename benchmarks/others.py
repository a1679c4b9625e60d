"""What other parts of the package take, each with its peers: ``python benchmarks/others.py PART``.

It prints JSON: rows of what is measured, a way, and how much it did in how many CPU seconds. The
first way of each part is ours; the results of the others must agree with it. Each part runs in a
process of its own, with empty caches, on official data, or on the embedded samples without it.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import math
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from scipy import stats

from stsbaselines.baselines.chunk_aligner import ChunkAligner
from stsbaselines.baselines.ngram_logreg import NgramOverlap
from stsbaselines.baselines.token_cosine import TokenCosine
from stsbaselines.baselines.typed_tfidf import HIGHEST, Terms, TypedTfidf
from stsbaselines.data.catalogue import DataSet, Task, find_task
from stsbaselines.data.find import require, require_all
from stsbaselines.errors import MissingDataError
from stsbaselines.scoring.resampling import draw, pearson, spearman
from stsbaselines.tasks.alignment_file import AlignmentFile, read_alignments
from stsbaselines.tasks.base import family_of
from stsbaselines.tasks.typed import TYPES
from stsbaselines.text.annotate import annotator_named
from stsbaselines.text.chunker import load_chunker

OURS = "stsbaselines"
RUNS = 5
STS = ("sts2012", "sts2013", "sts2014", "sts2015", "sts2016")
SCORED_PAIRS, ALIGNED_PAIRS, RECORD_PAIRS, TOKENS = 1_000_000, 5_000, 750, 100_000
TWEET_PAIRS, SAMPLED_PAIRS, PAIRS_OF_2012, RESAMPLES = 18_762, 750, 3108, 1000

Row = dict[str, Any]
Array = npt.NDArray[np.float64]


def rows(what: str, unit: str, count: float, seconds: dict[str, float]) -> list[Row]:
    """Return a row for each way."""
    return [
        {"what": what, "way": way, "unit": unit, "count": count, "seconds": taken}
        for way, taken in seconds.items()
    ]


def measured(
    ways: dict[str, Callable[[], Any]], runs: int = RUNS, tolerance: float | None = 1e-9
) -> dict[str, float]:
    """Return the least CPU seconds of each way; their results must agree."""
    seconds = dict.fromkeys(ways, math.inf)
    wanted: Any = None
    for way in [*ways] * runs:
        start = time.process_time()
        found = ways[way]()
        seconds[way] = min(seconds[way], time.process_time() - start)
        wanted = found if wanted is None else wanted
        if tolerance is not None and not np.allclose(found, wanted, rtol=0, atol=tolerance):
            sys.exit(f"the results of {way} differ")
    return seconds


def datasets_of(names: Sequence[str], sample: str) -> list[tuple[Task, DataSet]]:
    """Return the data sets of tasks that are available, or else those of a sample."""

    def available(task: Task) -> Iterator[tuple[Task, DataSet]]:
        for dataset in task.datasets:
            with contextlib.suppress(MissingDataError):
                require_all(task, dataset)
                yield task, dataset

    found = [each for name in names for each in available(find_task(name))]
    return found or [*available(find_task(sample))]


def repeated(found: Sequence[Any], count: int) -> list[Any]:
    """Return so many items, the found ones again and again."""
    return list(itertools.islice(itertools.cycle(found), count))


def of_size(name: str, count: int) -> tuple[Task, DataSet]:
    """Return a task whose first data set has so many pairs, and this data set."""
    task = find_task(name)
    dataset = task.datasets[0].model_copy(update={"pairs": count, "scored": count})
    return task.model_copy(update={"datasets": [dataset, *task.datasets[1:]]}), dataset


def scoring() -> Iterator[Row]:
    """Read, check and score an output of STS, without and with confidences."""
    found: list[tuple[float, float]] = []
    for task, dataset in datasets_of(STS, "sample-sts"):
        pairs, gold, _ = family_of(task).read_training(require_all(task, dataset), task, dataset)
        found += zip(gold, TokenCosine().predict(pairs), strict=True)
    scored = np.array(repeated(found, SCORED_PAIRS))
    generator = np.random.RandomState(0)
    scored[:, 1] += generator.uniform(0, 0.01, SCORED_PAIRS)
    confidences = generator.randint(101, size=SCORED_PAIRS)
    with tempfile.TemporaryDirectory() as name:
        gold_file, output, confident = (Path(name, each) for each in ("gold", "out", "confident"))
        lines = [f"{score:.10f}" for score in scored[:, 1]]
        gold_file.write_text("".join(f"{score:g}\n" for score in scored[:, 0]))
        output.write_text("".join(f"{line}\n" for line in lines))
        together = zip(lines, confidences, strict=True)
        confident.write_text("".join(f"{line}\t{number}\n" for line, number in together))
        seconds = measured(
            {
                OURS: lambda: scored_by_us(gold_file, output),
                f"{OURS}, with confidences": lambda: scored_by_us(gold_file, confident),
                "loop and SciPy": lambda: loop_and_scipy(gold_file, output),
            },
            runs=3,
        )
    what = f"scoring {SCORED_PAIRS:,} STS pairs: reading, checking, all measures"
    yield from rows(what, "pairs", SCORED_PAIRS, seconds)


def scored_by_us(gold: Path, output: Path) -> list[float | int | None]:
    """Return two measures of a data set."""
    task, dataset = of_size("sts2013", SCORED_PAIRS)
    family = family_of(task)
    read = {dataset.name: family.read_output(output, task, dataset)}
    scores = family.score(task, "run", {dataset.name: family.read_gold(gold, task, dataset)}, read)
    measures = scores.datasets[dataset.name]
    return [measures.get("pearson_unweighted", measures["pearson"]), measures["spearman"]]


def loop_and_scipy(gold: Path, output: Path) -> list[float]:
    """Read with float() line by line, without a check, and correlate."""
    with gold.open("rb") as one, output.open("rb") as other:
        x, y = ([float(line) for line in stream] for stream in (one, other))
    return [float(stats.pearsonr(x, y).statistic), float(stats.spearmanr(x, y).statistic)]


def aligner() -> Iterator[Row]:
    """Align the chunks of sentence pairs, write and read the alignments, and score them."""
    found: list[tuple[Any, Any]] = []
    for task, dataset in datasets_of(("ists2015", "ists2016"), "sample-ists"):
        files, family = require_all(task, dataset), family_of(task)
        gold = family.read_gold(files["gold"], task, dataset).pairs
        found += zip(family.read_inputs(files, task, dataset), gold, strict=True)
    chunked, aligned = zip(*repeated(found, ALIGNED_PAIRS), strict=True)
    task, dataset = of_size("ists2015", ALIGNED_PAIRS)
    task = task.model_copy(update={"datasets": [dataset]})
    family, gold_file = family_of(task), AlignmentFile("gold", tuple(aligned))

    def run(chunks: Literal["given", "system"]) -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "run.wa")
            predictions = ChunkAligner(chunks=chunks).predict(chunked)
            path.write_bytes(family.format_predictions(predictions, chunked, 1))
            output = family.read_output(path, task, dataset)
        family.score(task, "run", {dataset.name: gold_file}, {dataset.name: output})

    what = "aligner and scorer of interpretable STS"
    seconds = measured({OURS: lambda: run("given")}, 3, None)
    yield from rows(f"{what}, given chunks", "pairs", ALIGNED_PAIRS, seconds)
    seconds = measured({OURS: lambda: run("system")}, 3, None)
    yield from rows(f"{what}, raw sentences", "pairs", ALIGNED_PAIRS, seconds)


def pit() -> Iterator[Row]:
    """Compute the 18 features of PIT-2015 for all pairs; those of a sample get other words."""
    found: list[tuple[str, str]] = []
    for task, dataset in datasets_of(("pit2015-train", "pit2015"), "sample-pit-train"):
        family, files = family_of(task), require_all(task, dataset)
        if dataset.name == "train-nodebatable":  # a table of another format, for training only
            found += family.read_training(files, task, dataset)[0]
        elif dataset.name != "train":  # has the same pairs, and more
            found += family.read_inputs(files, task, dataset)
    if len(found) < 1000:  # a sample
        numbered = enumerate(repeated(found, TWEET_PAIRS))
        found = [(f"{left} w{n % 997}", f"{right} w{n % 991}") for n, (left, right) in numbered]
    ways = {
        OURS: lambda: NgramOverlap().transform(found),
        "loop over pairs": lambda: plain_features(found),
    }
    yield from rows("18 features of PIT-2015", "pairs", len(found), measured(ways, 1))


def plain_features(pairs: Sequence[tuple[str, str]]) -> Array:
    """Compute the features pair by pair, as the organisers' script does."""
    from nltk.stem.porter import PorterStemmer
    from nltk.tokenize import TreebankWordTokenizer

    tokenizer, stemmer = TreebankWordTokenizer(), PorterStemmer()
    features = []
    for pair in pairs:
        words = [[word.lower() for word in tokenizer.tokenize(side)] for side in pair]
        stems = [[stemmer.stem(word) for word in side] for side in words]
        row: list[float] = []
        for sides, order in itertools.product((words, stems), (1, 2, 3)):
            a, b = (set(zip(*(side[n:] for n in range(order)), strict=False)) for side in sides)
            shared = len(a & b)
            precision, recall = shared / max(len(a), 1), shared / max(len(b), 1)
            first = row[0] if len(row) == 3 else precision
            row += [precision, recall, 2 * first * recall / (precision + recall) if shared else 0.0]
        features.append(row)
    return np.array(features)


def typed() -> Iterator[Row]:
    """TF-IDF of typed similarity, on the terms and frequencies that only this package finds."""
    task = find_task("sample-typed")
    [dataset] = task.datasets
    sample = list(family_of(task).read_inputs(require_all(task, dataset), task, dataset))

    def changed(record: Any, number: int) -> Any:
        texts = (f"{text} lot {number}" for text in record.description)
        return record._replace(description=tuple(texts))

    numbered = enumerate(repeated(sample, RECORD_PAIRS))
    pairs = [(changed(left, n % 97), changed(right, n % 89)) for n, (left, right) in numbered]
    model = TypedTfidf().fit(pairs)
    whole = measured({OURS: lambda: model.predict(pairs)}, 1)
    terms = model._terms({each for pair in pairs for each in pair}, annotator_named("builtin"))
    known = [(terms[left], terms[right]) for left, right in pairs]

    def ours() -> list[list[float]]:
        idf = functools.cache(model._idf)
        return [
            [model._compared(name, left[name], right[name], idf).score for name in TYPES]
            for left, right in known
        ]

    ways = {
        OURS: ours,
        "scikit-learn": lambda: by_scikit_learn(model, known),
        "gensim": lambda: by_gensim(model, known),
    }
    unit = "pairs of records"
    what = "typed TF-IDF: eight cosines of terms"
    yield from rows(what, unit, RECORD_PAIRS, measured(ways))
    what = "typed TF-IDF with tokens, names, dates and verbs"
    yield from rows(what, unit, RECORD_PAIRS, whole)


def by_scikit_learn(model: TypedTfidf, pairs: list[tuple[Terms, Terms]]) -> Array:
    """Score with scikit-learn's vectors, whole columns at a time."""
    from sklearn.feature_extraction.text import TfidfVectorizer

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


def by_gensim(model: TypedTfidf, pairs: list[tuple[Terms, Terms]]) -> Array:
    """Score with gensim's vectors, row by row."""
    from gensim.corpora import Dictionary
    from gensim.matutils import cossim
    from gensim.models import TfidfModel

    frequencies = model.document_frequencies_
    dictionary = Dictionary([list(frequencies)])
    dictionary.dfs = {dictionary.token2id[term]: count for term, count in frequencies.items()}
    dictionary.num_docs = model.n_records_
    weighted = TfidfModel(
        dictionary=dictionary, wglobal=lambda df, n: math.log((1 + n) / (1 + df)) + 1
    )

    def vector(terms: Terms, name: str) -> Any:
        return weighted[dictionary.doc2bow([*terms[name].elements()])]

    scores = [[cossim(vector(a, name), vector(b, name)) for name in TYPES] for a, b in pairs]
    return HIGHEST * np.array(scores)


def chunker() -> Iterator[Row]:
    """Label the chunks of sentences."""
    found: list[list[str]] = []
    for task, dataset in datasets_of(("ists2016-train",), "sample-ists"):
        for pair in read_alignments(require(task, dataset, "gold")).pairs:
            found += pair.tokens
    tokenized = found * (1 + TOKENS // sum(map(len, found)))
    label = load_chunker().labels
    seconds = measured({OURS: lambda: [label(tokens) for tokens in tokenized]}, 1, None)
    yield from rows("tagger and chunker", "tokens", sum(map(len, tokenized)), seconds)


def bootstrap() -> Iterator[Row]:
    """Bootstrap a correlation; standard errors need only be similar."""
    generator = np.random.RandomState(1)
    gold = generator.uniform(0, 5, SAMPLED_PAIRS)
    scores = gold + generator.standard_normal(SAMPLED_PAIRS)

    def by_scipy() -> float:
        found = stats.bootstrap(
            (scores, gold), lambda x, y: stats.pearsonr(x, y)[0], n_resamples=RESAMPLES,
            paired=True, vectorized=False, method="percentile", random_state=0,
        )  # fmt: skip
        return float(found.standard_error)

    def by_loop() -> float:
        drawn = np.random.RandomState(0).randint(SAMPLED_PAIRS, size=(RESAMPLES, SAMPLED_PAIRS))
        found = [np.corrcoef(scores[places], gold[places])[0, 1] for places in drawn]
        return float(np.std(found, ddof=1))

    ways = {
        OURS: lambda: float(np.std(pearson(scores, gold, draw(SAMPLED_PAIRS, RESAMPLES)), ddof=1)),
        "SciPy's bootstrap": by_scipy,
        "loop over NumPy's corrcoef": by_loop,
    }
    what = f"bootstrap of a Pearson correlation of {SAMPLED_PAIRS} pairs"
    yield from rows(what, "resamples", RESAMPLES, measured(ways, tolerance=2e-3))


def ranks() -> Iterator[Row]:
    """Bootstrap Spearman's correlation of as many pairs as 2012 has, on the same resamples."""
    generator = np.random.RandomState(1)
    gold = generator.randint(26, size=PAIRS_OF_2012) / 5
    scores = gold + generator.standard_normal(PAIRS_OF_2012)
    counts = draw(PAIRS_OF_2012, RESAMPLES)

    def by_scipy() -> list[float]:
        drawn = [(np.repeat(scores, row), np.repeat(gold, row)) for row in counts]
        return [float(stats.spearmanr(*each)[0]) for each in drawn]

    ways = {
        OURS: lambda: spearman(scores, gold, counts),
        "loop over SciPy's spearmanr": by_scipy,
    }
    what = f"bootstrap of a Spearman correlation of {PAIRS_OF_2012:,} pairs"
    yield from rows(what, "resamples", RESAMPLES, measured(ways, tolerance=1e-10))


PARTS = {
    "scoring": scoring,
    "aligner": aligner,
    "pit": pit,
    "typed": typed,
    "chunker": chunker,
    "bootstrap": bootstrap,
    "ranks": ranks,
}


if __name__ == "__main__":
    print(json.dumps([*PARTS[sys.argv[1]]()]))
