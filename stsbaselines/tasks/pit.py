"""Paraphrase identification and semantic similarity in Twitter: files and scorer of PIT-2015.

SemEval-2015 task 1. Pairs on which the annotators were of two minds are debatable: they do
not count for paraphrase identification, but they do for semantic similarity.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stsbaselines.data.catalogue import DataSet, Task
from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.io import open_to_read, unpacked_name
from stsbaselines.scoring import correlation, paraphrase, resampling
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.scoring.paraphrase import BoolArray
from stsbaselines.scoring.resampling import IntArray
from stsbaselines.tasks.base import (
    LineError,
    Measures,
    ScorePairs,
    Scores,
    SentencePair,
    checked_scores,
    number_of,
    parse_lines,
    signature,
)
from stsbaselines.version import __version__

COLUMNS = 7
DEBATABLE = b"----"
NO_SIMILARITY_RUN = 0.001
THRESHOLD = 0.5
PREDICTIONS = "scores"
_OUTPUT_NAME = re.compile(r"PIT2015_[A-Z-]{2,8}_0[1-3]_[a-z0-9]{2,10}\.output")
_SCORE = re.compile(rb"0\.\d{4}|1\.0000")
_CROWD = re.compile(r"\(([0-5]), ([0-5])\)")
_TRAINING_HEADER = b"Q1,Q2,result"


class Label(NamedTuple):
    """What annotators said of a pair.

    `is_paraphrase` is None for a debatable pair; `degree` is in [0, 1].
    """

    is_paraphrase: bool | None
    degree: float


class TweetPair(NamedTuple):
    """A line of a data file: two tweets on a topic, their label and their tags.

    A tag is ``token/named entity/part of speech/chunk/event``, one for each token.
    """

    topic_id: str
    topic: str
    left: str
    right: str
    label: Label
    left_tags: tuple[str, ...]
    right_tags: tuple[str, ...]


@dataclass(frozen=True)
class Gold:
    """The gold standard of a data set.

    Attributes
    ----------
    is_paraphrase, is_debatable : ndarray of bool of shape (n_pairs,)
    degree : ndarray of float of shape (n_pairs,)
        In [0, 1].
    """

    is_paraphrase: BoolArray
    is_debatable: BoolArray
    degree: FloatArray


@dataclass(frozen=True)
class SystemOutput:
    """A system's labels and scores.

    Attributes
    ----------
    labels : ndarray of bool of shape (n_pairs,)
    scores : ndarray of float of shape (n_pairs,)
    notes : tuple of str
        What is unusual about the file, yet does not keep it from being scored.
    """

    labels: BoolArray
    scores: FloatArray
    notes: tuple[str, ...] = ()


def label_of(text: str) -> Label:
    """Return the label that a data file gives as crowd votes or as an expert's digit.

    Of five crowd workers, 3 or more make a paraphrase, 2 are debatable; of an expert's
    degrees 0 to 5, 4 and 5 make one, 3 is debatable.

    Parameters
    ----------
    text : str
        Such as ``(3, 2)`` or ``4``.

    Raises
    ------
    ValueError
        If it is neither.

    Examples
    --------
    >>> label_of("(2, 3)"), label_of("4")
    (Label(is_paraphrase=None, degree=0.4), Label(is_paraphrase=True, degree=0.8))
    """
    votes = _CROWD.fullmatch(text)
    if votes and int(votes[1]) + int(votes[2]) == 5:
        degree, debatable = int(votes[1]), 2
    elif text in {"0", "1", "2", "3", "4", "5"}:
        degree, debatable = int(text), 3
    else:
        raise ValueError(f"no label: {text!r}")
    return Label(None if degree == debatable else degree > debatable, degree / 5)


def read_data(path: Path) -> Iterator[TweetPair]:
    """Yield the pairs of a data file (``train.data``, ``dev.data``, ``test.data``).

    Parameters
    ----------
    path : Path

    Raises
    ------
    InputError
        With every line that does not have the 7 columns, or a label that is none.
    """
    yield from parse_lines(path, _tweet_pair)


def _tweet_pair(line: bytes) -> TweetPair:
    columns = line.decode("utf-8", "surrogateescape").split("\t")
    if len(columns) != COLUMNS:
        raise LineError(f"{len(columns)} TAB-separated columns", str(COLUMNS))
    topic_id, topic, left, right, label, left_tags, right_tags = columns
    try:
        parsed = label_of(label)
    except ValueError:
        raise LineError(shown(label), "a label such as (3, 2) or 4") from None
    tags = tuple(left_tags.split(" ")), tuple(right_tags.split(" "))
    return TweetPair(topic_id, topic, left, right, parsed, *tags)


def read_pairs(path: Path) -> Iterator[SentencePair]:
    """Yield the pairs of tweets of a data file; see `read_data`."""
    return (SentencePair(pair.left, pair.right) for pair in read_data(path))


def read_inputs(files: Mapping[str, Path], task: Task, dataset: DataSet) -> Iterator[SentencePair]:
    """Yield the pairs of tweets of a data set; see `read_data`."""
    return read_pairs(files["input"])


def read_training(
    files: Mapping[str, Path], task: Task, dataset: DataSet
) -> tuple[list[SentencePair], BoolArray]:
    """Read labelled pairs to train on, without the debatable ones.

    Parameters
    ----------
    files : mapping of str to Path
        ``input`` is a data file, or a table ``Q1,Q2,result`` without quoting.
    task, dataset : Task, DataSet

    Returns
    -------
    pairs : list of (str, str)
    gold : ndarray of bool of shape (n_pairs,)
    """
    path = files["input"]
    with open_to_read(path) as stream:
        is_table = stream.read(len(_TRAINING_HEADER)) == _TRAINING_HEADER
    labelled: list[tuple[SentencePair, bool]]
    if is_table:
        lines = parse_lines(path, lambda line: line)
        next(lines)
        labelled = [_labelled(path, number, line) for number, line in enumerate(lines, 2)]
    else:
        labelled = [
            (SentencePair(pair.left, pair.right), pair.label.is_paraphrase)
            for pair in read_data(path)
            if pair.label.is_paraphrase is not None
        ]
    if len(labelled) != dataset.scored:
        expected = f"{dataset.scored} that are not debatable"
        raise InputError([Fault(str(path), f"{len(labelled)} labelled pairs", expected)])
    return [pair for pair, _ in labelled], np.array([label for _, label in labelled])


def _labelled(path: Path, number: int, line: bytes) -> tuple[SentencePair, bool]:
    columns = line.decode("utf-8", "surrogateescape").split(",")
    if len(columns) != 3 or columns[2] not in ("0", "1"):
        expected = "two sentences and 0 or 1, separated by commas"
        raise InputError([Fault(str(path), shown(line), expected, number)])
    return SentencePair(columns[0], columns[1]), columns[2] == "1"


def read_gold(path: Path, task: Task, dataset: DataSet) -> Gold:
    """Read a gold standard such as ``test.label``: ``true|false|----`` TAB degree.

    Parameters
    ----------
    path : Path
    task, dataset : Task, DataSet
        Give the range of the degrees and the number of pairs.

    Raises
    ------
    InputError
        With every line that does not fit.
    """

    def parse(line: bytes) -> tuple[bytes, float]:
        columns = line.split(b"\t")
        if len(columns) != 2 or columns[0] not in (b"true", b"false", DEBATABLE):
            raise LineError(shown(line), "true, false or ----, a TAB, and a degree")
        return columns[0], number_of(columns[1], task.gold_range, "a degree")

    rows = list(parse_lines(path, parse, count=dataset.pairs))
    labels = np.array([label for label, _ in rows])
    return Gold(labels == b"true", labels == DEBATABLE, np.array([degree for _, degree in rows]))


def read_output(path: Path, task: Task, dataset: DataSet, strict: bool = False) -> SystemOutput:
    """Read a system output: ``true|false`` TAB score a line.

    Parameters
    ----------
    path : Path
    task, dataset : Task, DataSet
        Give the number of pairs.
    strict : bool
        The rules for submissions: the official file name, and scores from 0 to 1 with
        four decimals. Without it these are noted, since the official scorer accepts them.

    Raises
    ------
    InputError
        With every line that does not fit.
    """
    unusual: list[bytes] = []

    def parse(line: bytes) -> tuple[bool, float]:
        columns = line.split(b"\t")
        if len(columns) != 2 or columns[0] not in (b"true", b"false"):
            raise LineError(shown(line), "true or false, a TAB, and a score")
        if not _SCORE.fullmatch(columns[1]):
            if strict:
                raise LineError(shown(columns[1]), "a score from 0 to 1 with four decimals")
            unusual.append(line)
        return columns[0] == b"true", number_of(columns[1], None, "a score")

    faults: list[Fault | str] = []
    notes = []
    if not _OUTPUT_NAME.fullmatch(unpacked_name(path.name)):
        wanted = "a name such as PIT2015_TEAM_01_run.output"
        faults.append(Fault(str(path), f"the file name {path.name!r}", wanted))
        notes.append("the file name is none that a submission may have")
    try:
        rows = list(parse_lines(path, parse, count=dataset.pairs))
    except InputError as error:
        raise InputError([*(faults if strict else []), *error.faults]) from None
    if strict and faults:
        raise InputError(faults)
    if unusual:
        notes.append(
            "lines with a score that is not from 0 to 1 with four decimals, which the official"
            f" scorer accepts and a submission must not have: {len(unusual)}"
        )
    labels, scores = zip(*rows, strict=True)
    return SystemOutput(np.array(labels), np.array(scores), tuple(notes))


def format_predictions(
    predictions: npt.ArrayLike, pairs: Sequence[Any] = (), start: int = 1
) -> bytes:
    r"""Return the lines of a system output: a pair is a paraphrase from a score of 0.5 on.

    Parameters
    ----------
    predictions : array-like of shape (n_pairs,)
    pairs, start
        Not used: a line says nothing but what was predicted.

    Raises
    ------
    InputError
        For a prediction that is not a finite number, or not one number a pair.

    Examples
    --------
    >>> format_predictions([0.5, 1 / 3])
    b'true\t0.5000\nfalse\t0.3333\n'
    """
    return b"".join(
        b"%s\t%.4f\n" % (b"true" if value >= THRESHOLD else b"false", value)
        for value in checked_scores(predictions)
    )


def label_of_output(file_name: str) -> str | None:
    """Return the data set that the name of an output file claims to be for: the only one.

    Parameters
    ----------
    file_name : str

    Returns
    -------
    str or None
        None for a file that is no output.

    Examples
    --------
    >>> label_of_output("PIT2015_TEAM_01_run.output"), label_of_output("readme.txt")
    ('test', None)
    """
    return "test" if file_name.endswith(".output") else None


def score(
    task: Task, run: str, gold: Mapping[str, Gold], outputs: Mapping[str, SystemOutput]
) -> Scores:
    """Score a run as the task's organisers did.

    Parameters
    ----------
    task : Task
    run : str
        What to call the run.
    gold : mapping of str to Gold
        By data set.
    outputs : mapping of str to SystemOutput
        By data set.

    Returns
    -------
    Scores
        ``F1``, ``precision`` and ``recall`` of the labels, and ``maxF1``, ``mPrecision``
        and ``mRecall`` of the best cut of the scores, over the ``n`` pairs that are not
        debatable; ``pearson`` of the scores with the degrees over all pairs. Where all
        scores are at most 0.001, the system has no similarity run: then only the labels
        are scored. Besides, named as such, ``average_precision``.
    """
    notes: list[str] = []
    return Scores(
        task=task.task,
        run=run,
        datasets={
            name: _measures(name, gold[name], output, notes) for name, output in outputs.items()
        },
        aggregates={},
        main="F1",
        signature=_signature(task, {name: gold[name] for name in outputs}),
        notes=tuple(notes),
    )


def countable(gold: Gold) -> BoolArray:
    """Tell which lines of a gold standard count: all do, for the correlation."""
    return np.ones(len(gold.degree), dtype=np.bool_)


def score_pairs(
    task: Task, gold: Mapping[str, Gold], outputs: Mapping[str, SystemOutput]
) -> dict[str, ScorePairs]:
    """Return what is correlated: scores and degrees of all pairs, as ``pearson``.

    Nothing for a system without a similarity run. See `Family.score_pairs`.
    """
    found = {}
    for name, output in outputs.items():
        if _has_similarity_run(output):
            lines = np.arange(1, len(output.scores) + 1)
            found["pearson"] = ScorePairs(output.scores, gold[name].degree, lines)
    return found


def resampled(
    task: Task,
    gold: Mapping[str, Gold],
    outputs: Mapping[str, SystemOutput],
    counts: Mapping[str, IntArray],
) -> dict[str, FloatArray]:
    """Return the official measures on resamples of all pairs, debatable ones too.

    Those of the scores are undefined without a similarity run. See `Family.resampled`.
    """
    found: dict[str, FloatArray] = {}
    for name, output in outputs.items():
        decided, drawn = ~gold[name].is_debatable, counts[name]
        truth, scores = gold[name].is_paraphrase[decided], output.scores[decided]
        labels = resampling.f1(output.labels[decided], truth, drawn[:, decided])
        found |= {"F1": labels.f1, "precision": labels.precision, "recall": labels.recall}
        if _has_similarity_run(output):
            pearson = resampling.pearson(output.scores, gold[name].degree, drawn)
            best = resampling.max_f1(scores, truth, drawn[:, decided])
            of_scores = [pearson, *best]
        else:
            of_scores = [np.full(len(drawn), np.nan)] * 4
        found |= zip(("pearson", "maxF1", "mPrecision", "mRecall"), of_scores, strict=True)
    return found


def _has_similarity_run(output: SystemOutput) -> bool:
    return bool((output.scores > NO_SIMILARITY_RUN).any())


def _measures(name: str, gold: Gold, output: SystemOutput, notes: list[str]) -> Measures:
    notes.extend(f"{name}: {note}" for note in output.notes)
    decided = ~gold.is_debatable
    truth, scores = gold.is_paraphrase[decided], output.scores[decided]
    labels = paraphrase.identification(output.labels[decided], truth)
    pearson, best, average = None, None, None
    if not _has_similarity_run(output):
        notes.append(f"{name}: all scores are at most {NO_SIMILARITY_RUN}: no similarity run")
    else:
        pearson = correlation.pearson(output.scores, gold.degree)
        best = paraphrase.max_f1(scores, truth)
        average = paraphrase.average_precision(scores, truth)
    return {
        "F1": labels.f1,
        "precision": labels.precision,
        "recall": labels.recall,
        "pearson": pearson,
        "maxF1": best.max_f1 if best else None,
        "mPrecision": best.precision if best else None,
        "mRecall": best.recall if best else None,
        "average_precision": average,
        "n": int(decided.sum()),
    }


def _signature(task: Task, gold: Mapping[str, Gold]) -> str:
    sets = (
        f"{name}({(~each.is_debatable).sum()}/{len(each.degree)})" for name, each in gold.items()
    )
    return signature(
        [
            ("task", task.task),
            ("sets", "+".join(sets)),
            ("F1", "without debatable pairs"),
            ("maxF1", "every rank a cut, later line first among ties"),
            ("correlation", "pearson over all pairs"),
            ("version", __version__),
        ]
    )
