"""Paraphrase identification and semantic similarity in Twitter: files and scorer of PIT-2015.

SemEval-2015 task 1. Pairs on which the annotators disagreed are debatable: they do not count
for paraphrase identification, but they do for semantic similarity.
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
from stsbaselines.io.files import decoded, open_to_read
from stsbaselines.scoring import correlation, paraphrase, resampling
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.scoring.paraphrase import BoolArray
from stsbaselines.scoring.resampling import Counts
from stsbaselines.tasks.base import (
    FINER_DIFFERENCES,
    NEARLY_CONSTANT,
    UNDEFINED,
    Family,
    Files,
    Measures,
    ScorePairs,
    Scores,
    SentencePair,
    checked_scores,
    signature,
)
from stsbaselines.tasks.lines import LineError, number_of, parse_lines, parse_numbers
from stsbaselines.tasks.output_lines import Form, are_running_numbers, hints_of, read_output_lines

COLUMNS = (
    ("label", "paraphrase", "is_paraphrase"),
    ("score", "scores", "similarity", "degree", "probability"),
)
_COLUMNS_OF_DATA = 7
DEBATABLE = b"----"
NO_SIMILARITY_RUN = 0.001
THRESHOLD = 0.5
_SCORE = re.compile(rb"0\.\d{4}|1\.0000")
_CROWD = re.compile(r"\(([0-5]), ([0-5])\)")
_TRAINING_HEADER = b"Q1,Q2,result"


class Label(NamedTuple):
    """The annotators' judgement of a pair."""

    is_paraphrase: bool | None  # None for a debatable pair
    degree: float  # in [0, 1]


class LabelledPair(NamedTuple):
    """Two tweets and their label."""

    sentences: SentencePair
    label: Label


@dataclass(frozen=True)
class Gold:
    """The gold standard of a data set."""

    is_paraphrase: BoolArray
    is_debatable: BoolArray
    degree: FloatArray  # in [0, 1]


@dataclass(frozen=True)
class PitOutput:
    """A system's labels and scores, and notes about what is unusual in its file."""

    labels: BoolArray
    scores: FloatArray
    notes: tuple[str, ...] = ()

    @property
    def has_similarity_run(self) -> bool:
        """Whether the scores count: officially, they do if one of them is above 0.001."""
        return bool((self.scores > NO_SIMILARITY_RUN).any())


def label_of(text: str) -> Label:
    """Return the label that a data file gives as crowd votes or as an expert's digit.

    A pair is a paraphrase with 3 or more votes of five crowd workers, or an expert's degree of 4
    or 5; it is debatable with 2 votes, or a degree of 3.
    """
    votes = _CROWD.fullmatch(text)
    if votes and int(votes[1]) + int(votes[2]) == 5:
        degree, debatable = int(votes[1]), 2
    elif text in {"0", "1", "2", "3", "4", "5"}:
        degree, debatable = int(text), 3
    else:
        raise LineError(shown(text), "a label such as (3, 2) or 4")
    return Label(None if degree == debatable else degree > debatable, degree / 5)


def read_data(path: Path) -> Iterator[LabelledPair]:
    """Yield the pairs of a data file (``train.data``, ``dev.data``, ``test.data``)."""
    return parse_lines(path, _labelled_pair)


def _labelled_pair(line: bytes) -> LabelledPair:
    columns = decoded(line).split("\t")
    if len(columns) != _COLUMNS_OF_DATA:
        raise LineError(f"{len(columns)} TAB-separated columns", str(_COLUMNS_OF_DATA))
    _topic_id, _topic, left, right, label, _left_tags, _right_tags = columns
    return LabelledPair(SentencePair(left, right), label_of(label))


Golds = Mapping[str, Gold]
Outputs = Mapping[str, PitOutput]


class PitFamily(Family):
    """Pairs of tweets that are labelled and scored."""

    predicts = "scores"
    output_name = re.compile(r"PIT2015_[A-Z-]{2,8}_0[1-3]_[a-z0-9]{2,10}\.output")

    def read_inputs(self, files: Files, task: Task, dataset: DataSet) -> Iterator[SentencePair]:
        return (pair.sentences for pair in read_data(files["input"]))

    def read_training(
        self, files: Files, task: Task, dataset: DataSet
    ) -> tuple[list[SentencePair], BoolArray, list[int]]:
        """Return labelled pairs without the debatable ones.

        ``input`` is a data file, or a table ``Q1,Q2,result`` without quoting.
        """
        path = files["input"]
        with open_to_read(path) as stream:
            is_table = stream.read(len(_TRAINING_HEADER)) == _TRAINING_HEADER
        if is_table:
            labelled = _pairs_of_table(path)
        else:
            labelled = [
                (pair.sentences, pair.label.is_paraphrase, line)
                for line, pair in enumerate(read_data(path), 1)
                if pair.label.is_paraphrase is not None
            ]
        if len(labelled) != dataset.scored:
            expected = f"{dataset.scored} that are not debatable"
            raise InputError([Fault(str(path), f"{len(labelled)} labelled pairs", expected)])
        labels = np.array([label for _, label, _ in labelled])
        return [pair for pair, _, _ in labelled], labels, [line for _, _, line in labelled]

    def read_gold(self, path: Path, task: Task, dataset: DataSet) -> Gold:
        """Read ``true``, ``false`` or ``----`` per line, followed by a TAB and a degree."""

        def parse(line: bytes) -> tuple[bytes, float]:
            columns = line.split(b"\t")
            if len(columns) != 2 or columns[0] not in (b"true", b"false", DEBATABLE):
                raise LineError(shown(line), "true, false or ----, a TAB, and a degree")
            return columns[0], number_of(columns[1], task.gold_range, "a degree")

        rows = list(parse_lines(path, parse, dataset.pairs))
        labels = np.array([label for label, _ in rows])
        degrees = np.array([degree for _, degree in rows])
        return Gold(labels == b"true", labels == DEBATABLE, degrees)

    def read_output(
        self, path: Path, task: Task, dataset: DataSet, strict: bool = False
    ) -> PitOutput:
        """Read ``true`` or ``false`` per line, followed by a TAB and a score.

        The rules for submissions: the official file name, and scores from 0 to 1 with four
        decimals.
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
        if not self.output_name.fullmatch(path.name.removesuffix(".gz")):
            notes.append("a submission must not have this file name")
            if strict:
                wanted = "a name such as PIT2015_TEAM_01_run.output"
                faults.append(Fault(str(path), f"the file name {path.name!r}", wanted))
        try:
            if strict:
                rows = parse_numbers(path, parse, (), dataset.pairs, hints=hints_of(dataset))
            else:
                found = read_output_lines(path, parse, dataset, Form(COLUMNS, 2, 1.0))
                rows, notes = found.rows, [*notes, *found.notes]
        except InputError as error:
            faults += error.faults
        if faults:
            raise InputError(faults)
        if not strict and are_running_numbers(rows[:, 1]):
            raise InputError([Fault(str(path), "running numbers in the second column", "scores")])
        if unusual:
            notes.append(
                "lines with a score that is not from 0 to 1 with four decimals, which the official"
                f" scorer accepts and a submission must not have: {len(unusual)}"
            )
        labels, scores = rows.T
        return PitOutput(labels > 0, scores, tuple(notes))

    def format_predictions(
        self, predictions: npt.ArrayLike, pairs: Sequence[Any] = (), start: int = 1
    ) -> bytes:
        """Return a label and a score per line: a pair is a paraphrase from a score of 0.5 on."""
        return b"".join(
            b"%s\t%.4f\n" % (b"true" if value >= THRESHOLD else b"false", value)
            for value in checked_scores(predictions).tolist()
        )

    def output_of(self, predictions: npt.ArrayLike, pairs: Sequence[Any], task: Task) -> PitOutput:
        scores = checked_scores(predictions, pairs=pairs)
        outside = int(np.sum((scores < 0) | (scores > 1)))
        what = f"F1, precision and recall are those of the threshold {THRESHOLD}"
        note = f"scores outside 0-1, while {what}: {outside}"
        return PitOutput(scores >= THRESHOLD, scores, (note,) if outside else ())

    def label_of_output(self, file_name: str) -> str | None:
        return "test" if file_name.endswith(".output") else None

    def score(self, task: Task, run: str, gold: Golds, outputs: Outputs) -> Scores:
        """Score a run as the task's organisers did.

        ``F1``, ``precision`` and ``recall`` are those of the labels, ``maxF1``, ``mPrecision`` and
        ``mRecall`` of the best cut of the scores, over the ``n`` pairs that are not debatable;
        ``pearson`` is that of the scores with the degrees over all pairs. Without a similarity
        run, only the labels are scored. ``average_precision`` is not official.
        """
        datasets: dict[str, Measures] = {}
        notes: list[str] = []
        sets: list[str] = []
        for name, output in outputs.items():
            measures = _measures(gold[name], output)
            datasets[name] = measures
            notes += [f"{name}: {note}" for note in output.notes]
            if measures["pearson"] is None and output.has_similarity_run:
                notes.append(f"{name}: {UNDEFINED}")
            if not output.has_similarity_run:
                most = f"all scores are at most {NO_SIMILARITY_RUN}"
                notes.append(f"{name}: {most}: no similarity run")
            elif correlation.is_nearly_constant(output.scores):
                notes.append(f"{name}: {NEARLY_CONSTANT}")
            if correlation.has_finer_differences(output.scores):
                notes.append(f"{name}: {FINER_DIFFERENCES}")
            sets.append(f"{name}({measures['n']}/{len(gold[name].degree)})")
        return Scores(
            task=task.task,
            run=run,
            datasets=datasets,
            aggregates={},
            main="F1",
            signature=signature(
                task.signed_name,
                sets,
                F1="without debatable pairs",
                maxF1="every rank a cut, later line first among ties",
                correlation="pearson over all pairs",
            ),
            notes=tuple(notes),
        )

    def countable(self, gold: Gold) -> BoolArray:
        """All lines count for the correlation."""
        return np.ones(len(gold.degree), dtype=np.bool_)

    def score_pairs(self, task: Task, gold: Golds, outputs: Outputs) -> dict[str, ScorePairs]:
        """Return scores and degrees as ``pearson``; nothing without a similarity run."""
        found = {}
        for name, output in outputs.items():
            if output.has_similarity_run:
                lines = np.arange(1, len(output.scores) + 1)
                found["pearson"] = ScorePairs(output.scores, gold[name].degree, lines)
        return found

    def resampled(
        self, task: Task, gold: Golds, outputs: Outputs, counts: Counts
    ) -> dict[str, FloatArray]:
        """Return the official measures on resamples of all pairs, also debatable ones."""
        found: dict[str, FloatArray] = {}
        for name, output in outputs.items():
            decided, drawn = _decided(gold[name]), counts[name]
            truth, scores = gold[name].is_paraphrase[decided], output.scores[decided]
            of_labels = resampling.f1(output.labels[decided], truth, drawn[:, decided])
            found |= zip(("F1", "precision", "recall"), of_labels, strict=True)
            if output.has_similarity_run:
                pearson = resampling.pearson(output.scores, gold[name].degree, drawn)
                best = resampling.max_f1(scores, truth, drawn[:, decided])
                of_scores = [pearson, *best]
            else:
                of_scores = [np.full(len(drawn), np.nan)] * 4
            found |= zip(("pearson", "maxF1", "mPrecision", "mRecall"), of_scores, strict=True)
        return found


FAMILY = PitFamily()


def _pairs_of_table(path: Path) -> list[tuple[SentencePair, bool, int]]:
    """Read the labelled pairs of a table, whose first line is its header."""
    lines = parse_lines(path, lambda line: line)
    next(lines)
    found = []
    for number, line in enumerate(lines, 2):
        columns = decoded(line).split(",")
        if len(columns) != 3 or columns[2] not in ("0", "1"):
            expected = "two sentences and 0 or 1, separated by commas"
            raise InputError([Fault(str(path), shown(line), expected, number)])
        found.append((SentencePair(columns[0], columns[1]), columns[2] == "1", number))
    return found


def _decided(gold: Gold) -> BoolArray:
    return ~gold.is_debatable


def _measures(gold: Gold, output: PitOutput) -> Measures:
    decided = _decided(gold)
    truth, scores = gold.is_paraphrase[decided], output.scores[decided]
    labels = paraphrase.identification(output.labels[decided], truth)
    pearson, best, average = None, None, None
    if output.has_similarity_run:
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
