"""Typed similarity of cultural heritage items (*SEM 2013 pilot): files, checker and scorer.

Each pair has eight similarities from 0 to 5. The input names the items by their addresses at
Europeana; their records, which may not be redistributed, lie in files of their own.
"""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stsbaselines.data.catalogue import DataSet, Task
from stsbaselines.data.europeana import item_code, record_name
from stsbaselines.errors import Fault, InputError, MissingDataError, shown
from stsbaselines.io.files import entries_of
from stsbaselines.scoring import correlation, resampling
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.scoring.paraphrase import BoolArray
from stsbaselines.scoring.resampling import Counts
from stsbaselines.tasks.base import (
    NEARLY_CONSTANT,
    Family,
    Files,
    Measures,
    ScorePairs,
    Scores,
    checked_scores,
    signature,
)
from stsbaselines.tasks.lines import Bounds, LineError, number_of, parse_lines, parse_numbers
from stsbaselines.tasks.output_lines import Form, read_output_lines
from stsbaselines.tasks.records import SUFFIXES, Record, check_record, read_record

TYPES = (
    "general",
    "author",
    "people_involved",
    "time",
    "location",
    "event",
    "subject",
    "description",
)
_SHOWN_MISSING = 10
_NAME = re.compile(r"\d+[ab]_\w+")
EXCLUDED = "left-out.txt"


class RecordPair(NamedTuple):
    """The records of two items."""

    left: Record
    right: Record


def read_items(path: Path, count: int | None = None) -> list[tuple[str, str]]:
    """Return the names of two items per line, such as ``12a_09405u_759A01``; see `read_urls`."""
    return [
        (record_name(number, "a", left), record_name(number, "b", right))
        for number, (left, right) in enumerate(read_urls(path, count), 1)
    ]


def read_urls(path: Path, count: int | None = None) -> list[tuple[str, str]]:
    """Read an input file of `count` lines: the URLs of two items per line, separated by a TAB."""
    return list(parse_lines(path, _two_urls, count))


def _two_urls(line: bytes) -> tuple[str, str]:
    try:
        left, right = line.decode("utf-8").split("\t")
        item_code(left), item_code(right)
    except ValueError:
        url = "http://www.europeana.eu/portal/record/09405u/7A.html"
        raise LineError(shown(line), f"two URLs such as {url}, separated by a TAB") from None
    return left, right


def read_excluded(records: Path) -> set[str]:
    """Return the items that the user excludes in ``left-out.txt`` beside the records' folder."""
    path = records.parent / EXCLUDED
    return set(parse_lines(path, _name)) if os.path.lexists(path) else set()


def _name(line: bytes) -> str:
    name = line.decode("utf-8", "backslashreplace")
    if not _NAME.fullmatch(name):
        raise LineError(shown(line), "the name of an item's file, such as 12a_09405u_7A")
    return name


def without_excluded(gold: FloatArray, files: Mapping[str, Path], dataset: DataSet) -> FloatArray:
    """Return a gold standard with NaN for the pairs of excluded items."""
    excluded = read_excluded(files["records"])
    items = read_items(files["input"], dataset.pairs)
    is_excluded = [bool(excluded.intersection(pair)) for pair in items]
    return np.where(np.array(is_excluded)[:, None], np.nan, gold)


Golds = Mapping[str, FloatArray]


@dataclass(frozen=True)
class TypedOutput:
    """A system's scores, of shape (n_pairs, 8), and notes about what is unusual in its file."""

    scores: FloatArray
    notes: tuple[str, ...] = ()


Outputs = Mapping[str, TypedOutput]


class TypedFamily(Family):
    """Pairs of item records with eight scores each, in the order of `TYPES`."""

    predicts = "typed scores"
    output_name = re.compile(r"STS\.output\.(.+)\.txt")

    def read_inputs(self, files: Files, task: Task, dataset: DataSet) -> Iterator[RecordPair]:
        """Yield the records of the pairs: empty ones for a pair with an excluded item.

        ``records`` is the folder with the file of each item. Before the first pair,
        MissingDataError is raised if an item has no file and is not excluded.
        """
        items = read_items(files["input"], dataset.pairs)
        excluded = read_excluded(files["records"])
        places = _record_files(files["records"])
        names = [name for pair in items for name in pair]
        missing = [name for name in names if name not in places and name not in excluded]
        if missing:
            named = ", ".join(missing[:_SHOWN_MISSING])
            more = ", ..." if len(missing) > _SHOWN_MISSING else ""
            raise MissingDataError(
                f"{files['records']}: {len(missing):,} of {2 * len(items):,} item records are"
                f" missing ({named}{more}): fetch them, or name the items that have vanished, one"
                f" per line, in {files['records'].parent / EXCLUDED}, to exclude their pairs."
            )
        for pair in items:
            if excluded.intersection(pair):
                yield RecordPair(Record(), Record())
            else:
                yield RecordPair(*(read_record(places[name]) for name in pair))

    def read_training(
        self, files: Files, task: Task, dataset: DataSet
    ) -> tuple[list[RecordPair], FloatArray, list[int]]:
        gold = without_excluded(self.read_gold(files["gold"], task, dataset), files, dataset)
        scored = self.countable(gold)
        pairs = itertools.compress(self.read_inputs(files, task, dataset), scored)
        return list(pairs), gold[scored], (np.flatnonzero(scored) + 1).tolist()

    def read_gold(self, path: Path, task: Task, dataset: DataSet) -> FloatArray:
        return self.read_output(path, task, dataset, strict=True).scores

    def read_output(
        self, path: Path, task: Task, dataset: DataSet, strict: bool = False
    ) -> TypedOutput:
        """Read eight numbers per line, in the order of `TYPES`.

        The rule of `correct-output-typed.pl`: all are within the range of the gold standard.
        """
        bounds = task.gold_range if strict else None

        def parse(line: bytes) -> list[float]:
            columns = line.split(b"\t")
            if len(columns) != len(TYPES):
                found = f"{len(columns)} columns in {shown(line)}"
                raise LineError(found, "8 numbers, separated by TABs")
            return [
                number_of(column, bounds, f"a score ({name})")
                for name, column in zip(TYPES, columns, strict=True)
            ]

        if strict:
            return TypedOutput(parse_numbers(path, parse, (), dataset.pairs))
        form = Form(tuple((name,) for name in TYPES), len(TYPES), task.gold_range[1])
        found = read_output_lines(path, parse, dataset, form)
        return TypedOutput(found.rows, tuple(found.notes))

    def format_predictions(
        self, predictions: npt.ArrayLike, pairs: Sequence[Any] = (), start: int = 1
    ) -> bytes:
        """Return eight scores per line, with 4 decimals as the organisers' samples have."""
        rows = checked_scores(predictions, len(TYPES)).tolist()
        return b"".join(b"\t".join(b"%.4f" % each for each in row) + b"\n" for row in rows)

    def output_of(
        self, predictions: npt.ArrayLike, pairs: Sequence[Any], task: Task
    ) -> TypedOutput:
        return TypedOutput(checked_scores(predictions, len(TYPES), pairs=pairs))

    def score(self, task: Task, run: str, gold: Golds, outputs: Outputs) -> Scores:
        """Score a run by `correlation-typed.pl`: Pearson of each type, and their mean.

        The mean is undefined if the correlation of a type is.
        """
        datasets: dict[str, Measures] = {}
        notes: list[str] = []
        sets: list[str] = []
        for name, output in outputs.items():
            scored = self.countable(gold[name])
            predicted = output.scores[scored]
            values = map(correlation.pearson, predicted.T, gold[name][scored].T)
            pearsons = dict(zip(TYPES, values, strict=True))
            mean = correlation.mean(list(pearsons.values()))
            datasets[name] = {**pearsons, "Mean": mean, "n": len(predicted)}
            pairs = len(output.scores)
            about = _notes(pearsons, predicted, pairs, task.gold_range)
            notes += [f"{name}: {note}" for note in (*output.notes, *about)]
            n = f"{len(predicted)}/{pairs}" if len(predicted) < pairs else pairs
            sets.append(f"{name}({n})")
        return Scores(
            task=task.task,
            run=run,
            datasets=datasets,
            aggregates={},
            main="Mean",
            signature=signature(
                task.signed_name, sets, correlation="pearson of each of 8 types", mean="plain"
            ),
            notes=tuple(notes),
        )

    def countable(self, gold: FloatArray) -> BoolArray:
        """All lines count except those of excluded items."""
        return ~np.isnan(gold[:, 0])

    def score_pairs(self, task: Task, gold: Golds, outputs: Outputs) -> dict[str, ScorePairs]:
        """Return the pairs of each type."""
        found: dict[str, ScorePairs] = {}
        for name, output in outputs.items():
            scored = self.countable(gold[name])
            lines = np.flatnonzero(scored) + 1
            columns = zip(TYPES, output.scores[scored].T, gold[name][scored].T, strict=True)
            found |= {each: ScorePairs(mine, theirs, lines) for each, mine, theirs in columns}
        return found

    def resampled(
        self, task: Task, gold: Golds, outputs: Outputs, counts: Counts
    ) -> dict[str, FloatArray]:
        """Return the correlations of each type, and their ``Mean``."""
        found: dict[str, FloatArray] = {}
        for name, output in outputs.items():
            drawn = counts[name][:, self.countable(gold[name])]
            pairs = self.score_pairs(task, gold, {name: output})
            of_types = {
                each: resampling.pearson(mine.scores, mine.gold, drawn)
                for each, mine in pairs.items()
            }
            found |= {**of_types, "Mean": np.mean([*of_types.values()], axis=0)}
        return found


FAMILY = TypedFamily()


def _record_files(folder: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in entries_of(folder):
        if path.suffix in SUFFIXES and found.setdefault(path.stem, path) != path:
            other = found[path.stem].name
            raise InputError([Fault(str(path), f"{other} as well", "one file for each item")])
    return found


def _notes(
    pearsons: Mapping[str, float | None], scores: FloatArray, pairs: int, bounds: Bounds
) -> Iterator[str]:
    """Yield what is unusual about the scores that count, of so many pairs."""
    undefined = ", ".join(each for each, value in pearsons.items() if value is None)
    if not len(scores):
        yield "no pair is scored"
    elif undefined:
        yield f"undefined, because all scores are the same: {undefined}"
    for name, values in zip(TYPES, scores.T, strict=True):
        if correlation.is_nearly_constant(values):
            yield f"{name}: {NEARLY_CONSTANT}"
    if len(scores) < pairs:
        yield f"pairs not scored, because items are excluded: {pairs - len(scores)}"
    low, high = bounds
    outside = int(((scores < low) | (scores > high)).sum())
    if outside:
        yield f"scores outside {low:g}-{high:g}, which a submission must not have: {outside}"


def check_records(pairs: Sequence[Any]) -> None:
    """Raise InputError unless these are pairs of records."""
    for number, pair in enumerate(pairs):
        if not (isinstance(pair, tuple | list) and len(pair) == 2):
            raise InputError([Fault(f"pairs[{number}]", repr(pair)[:80], "a pair of two Records")])
        for each in pair:
            check_record(each, f"pairs[{number}]")
