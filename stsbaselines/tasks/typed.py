"""Typed similarity of cultural heritage items (*SEM 2013 pilot): files, checker and scorer.

Each pair has eight similarities from 0 to 5. The input names the items by their addresses at
Europeana; their records, which may not be redistributed, lie in files of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stsbaselines.data.catalogue import DataSet, Task
from stsbaselines.data.europeana import item_code, record_name
from stsbaselines.errors import Fault, InputError, MissingDataError, shown
from stsbaselines.io import entries_of, exists
from stsbaselines.scoring import correlation, resampling
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.scoring.paraphrase import BoolArray
from stsbaselines.scoring.resampling import IntArray
from stsbaselines.tasks.base import (
    LineError,
    Measures,
    ScorePairs,
    Scores,
    number_of,
    parse_lines,
    signature,
)
from stsbaselines.tasks.records import SUFFIXES, Record, check_record, read_record
from stsbaselines.version import __version__

PREDICTIONS = "typed scores"
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
SHOWN_MISSING = 10
_NAME = re.compile(r"\d+[ab]_\w+")
_OUTPUT_NAME = re.compile(r"STS\.output\.(.+)\.txt")
LEFT_OUT = "left-out.txt"


class RecordPair(NamedTuple):
    """The records of two items."""

    left: Record
    right: Record


class ItemPair(NamedTuple):
    """The names of two items, which are those of their files, such as ``12a_09405u_759A01``."""

    left: str
    right: str


def read_items(path: Path, count: int | None = None) -> list[ItemPair]:
    """Read an input file, and return the names of the files of its items; see `read_urls`."""
    return [
        ItemPair(record_name(number, "a", left), record_name(number, "b", right))
        for number, (left, right) in enumerate(read_urls(path, count), 1)
    ]


def read_urls(path: Path, count: int | None = None) -> list[tuple[str, str]]:
    """Read an input file: the URLs of two items a line, separated by a TAB.

    Parameters
    ----------
    path : Path
    count : int, optional
        Number of lines that it must have.

    Returns
    -------
    list of (str, str)

    Raises
    ------
    InputError
        With every line that does not fit.
    """
    return list(parse_lines(path, _two_urls, count=count))


def _two_urls(line: bytes) -> tuple[str, str]:
    try:
        left, right = line.decode("utf-8").split("\t")
        item_code(left), item_code(right)
    except ValueError:
        url = "http://www.europeana.eu/portal/record/09405u/7A.html"
        raise LineError(shown(line), f"two URLs such as {url}, separated by a TAB") from None
    return left, right


def read_inputs(files: Mapping[str, Path], task: Task, dataset: DataSet) -> Iterator[RecordPair]:
    """Yield the records of the pairs of a data set.

    Parameters
    ----------
    files : mapping of str to Path
        ``input``, and ``records``: the folder with the file of each item.
    task, dataset : Task, DataSet

    Raises
    ------
    MissingDataError
        Before the first pair, if an item has no file and is not left out; both records of a
        pair with one that is left out are empty.
    InputError
        If a file is no record.
    """
    items = read_items(files["input"], dataset.pairs)
    left_out = read_left_out(files["records"])
    places = _record_files(files["records"])
    names = [name for pair in items for name in pair]
    missing = [name for name in names if name not in places and name not in left_out]
    if missing:
        named = ", ".join(missing[:SHOWN_MISSING])
        more = ", ..." if len(missing) > SHOWN_MISSING else ""
        raise MissingDataError(
            f"{files['records']}: {len(missing):,} of {2 * len(items):,} item records are"
            f" missing ({named}{more}): fetch them, or name the items that have vanished, a name"
            f" a line, in {files['records'].parent / LEFT_OUT}, to leave their pairs out."
        )
    for pair in items:
        if left_out.intersection(pair):
            yield RecordPair(Record(), Record())
        else:
            yield RecordPair(*(read_record(places[name]) for name in pair))


def _record_files(folder: Path) -> dict[str, Path]:
    found: dict[str, Path] = {}
    for path in entries_of(folder):
        if path.suffix in SUFFIXES and found.setdefault(path.stem, path) != path:
            other = found[path.stem].name
            raise InputError([Fault(str(path), f"{other} as well", "one file for each item")])
    return found


def read_left_out(records: Path) -> set[str]:
    """Return the names of the items whose pairs the user leaves out, as they have vanished.

    Parameters
    ----------
    records : Path
        The folder of the records: ``left-out.txt`` lies beside it.
    """
    path = records.parent / LEFT_OUT
    return set(parse_lines(path, _name)) if exists(path) else set()


def _name(line: bytes) -> str:
    name = line.decode("utf-8", "backslashreplace")
    if not _NAME.fullmatch(name):
        raise LineError(shown(line), "the name of an item's file, such as 12a_09405u_7A")
    return name


def without_left_out(gold: FloatArray, files: Mapping[str, Path], dataset: DataSet) -> FloatArray:
    """Return a gold standard with NaN for the pairs of items that are left out."""
    left_out = read_left_out(files["records"])
    items = read_items(files["input"], dataset.pairs)
    leaves = [left in left_out or right in left_out for left, right in items]
    return np.where(np.array(leaves)[:, None], np.nan, gold)


def read_training(
    files: Mapping[str, Path], task: Task, dataset: DataSet
) -> tuple[list[RecordPair], FloatArray]:
    """Read pairs with their gold standard, to train on.

    Returns
    -------
    pairs : list of RecordPair
    gold : ndarray of shape (n_pairs, 8)
    """
    gold = without_left_out(read_gold(files["gold"], task, dataset), files, dataset)
    scored = ~np.isnan(gold[:, 0])
    pairs = zip(read_inputs(files, task, dataset), scored, strict=True)
    return [pair for pair, counts in pairs if counts], gold[scored]


def read_gold(path: Path, task: Task, dataset: DataSet) -> FloatArray:
    """Read a gold standard: eight numbers a line, in the order of `TYPES`.

    Returns
    -------
    ndarray of shape (n_pairs, 8)

    Raises
    ------
    InputError
        With every line that does not fit.
    """
    return read_output(path, task, dataset, strict=True)


def read_output(path: Path, task: Task, dataset: DataSet, strict: bool = False) -> FloatArray:
    """Read a system output: eight numbers a line, in the order of `TYPES`.

    Parameters
    ----------
    path : Path
    task, dataset : Task, DataSet
        Give the range of the scores and the number of pairs.
    strict : bool
        The rules for submissions (`correct-output-typed.pl`): all numbers are within the
        range of the gold standard.

    Returns
    -------
    ndarray of shape (n_pairs, 8)

    Raises
    ------
    InputError
        With every line that does not fit.
    """

    def parse(line: bytes) -> list[float]:
        columns = line.split(b"\t")
        if len(columns) != len(TYPES):
            raise LineError(
                f"{len(columns)} columns in {shown(line)}", "8 numbers, separated by TABs"
            )
        bounds = task.gold_range if strict else None
        return [
            number_of(column, bounds, f"a score ({name})")
            for name, column in zip(TYPES, columns, strict=True)
        ]

    return np.array(list(parse_lines(path, parse, count=dataset.pairs)))


def format_predictions(
    predictions: npt.ArrayLike, pairs: Sequence[Any] = (), start: int = 1
) -> bytes:
    r"""Return the lines of a system output, with 4 decimals as the organisers' samples have.

    Parameters
    ----------
    predictions : array-like of shape (n_pairs, 8)
    pairs, start
        Not used.

    Raises
    ------
    InputError
        For what is not eight finite numbers a pair.

    Examples
    --------
    >>> format_predictions([[5, 0, 1, 2, 3, 4, 0.5, 1 / 3]])
    b'5.0000\t0.0000\t1.0000\t2.0000\t3.0000\t4.0000\t0.5000\t0.3333\n'
    """
    values = np.asarray(predictions, dtype=np.float64)
    if values.ndim != 2 or values.shape[1] != len(TYPES):
        raise InputError(f"the system predicted scores of shape {values.shape}, not eight a pair")
    if not np.isfinite(values).all():
        raise InputError("the system predicted NaN or infinity, which is no score")
    return b"".join(b"\t".join(b"%.4f" % each for each in row) + b"\n" for row in values.tolist())


def label_of_output(file_name: str) -> str | None:
    """Return the data set that the name of an output file claims to be for, if any.

    Examples
    --------
    >>> label_of_output("STS.output.europeana.txt")
    'europeana'
    """
    match = _OUTPUT_NAME.fullmatch(file_name)
    return match[1] if match else None


def score(
    task: Task, run: str, gold: Mapping[str, FloatArray], outputs: Mapping[str, FloatArray]
) -> Scores:
    """Score a run by `correlation-typed.pl`: Pearson of each type, and their mean.

    Parameters
    ----------
    task : Task
    run : str
        What to call the run.
    gold, outputs : mapping of str to ndarray of shape (n_pairs, 8)
        By data set; NaN in `gold` for pairs that are not scored.

    Returns
    -------
    Scores
        The mean is undefined if the correlation of a type is.
    """
    datasets: dict[str, Measures] = {}
    notes = []
    for name, output in outputs.items():
        scored = countable(gold[name])
        predicted = output[scored]
        columns = zip(TYPES, predicted.T, gold[name][scored].T, strict=True)
        pearsons = {each: correlation.pearson(mine, theirs) for each, mine, theirs in columns}
        undefined = ", ".join(each for each, value in pearsons.items() if value is None)
        if not scored.any():
            notes.append(f"{name}: no pair is scored")
        elif undefined:
            notes.append(f"{name}: undefined, since all scores are the same: {undefined}")
        if not scored.all():
            notes.append(f"{name}: pairs not scored, since items are left out: {(~scored).sum()}")
        outside = int(((predicted < task.gold_range[0]) | (predicted > task.gold_range[1])).sum())
        if outside:
            notes.append(
                f"{name}: scores outside {task.gold_range[0]:g}-{task.gold_range[1]:g}, which a"
                f" submission must not have: {outside}"
            )
        mean = correlation.mean(list(pearsons.values()))
        datasets[name] = {**pearsons, "Mean": mean, "n": len(predicted)}
    return Scores(
        task=task.task,
        run=run,
        datasets=datasets,
        aggregates={},
        main="Mean",
        signature=_signature(task, datasets, outputs),
        notes=tuple(notes),
    )


def countable(gold: FloatArray) -> BoolArray:
    """Tell which lines of a gold standard are scored: not those of items that are left out."""
    return ~np.isnan(gold[:, 0])


def score_pairs(
    task: Task, gold: Mapping[str, FloatArray], outputs: Mapping[str, FloatArray]
) -> dict[str, ScorePairs]:
    """Return what is correlated, by type; see `Family.score_pairs`."""
    found: dict[str, ScorePairs] = {}
    for name, output in outputs.items():
        scored = countable(gold[name])
        lines = np.flatnonzero(scored) + 1
        columns = zip(TYPES, output[scored].T, gold[name][scored].T, strict=True)
        found |= {each: ScorePairs(mine, theirs, lines) for each, mine, theirs in columns}
    return found


def resampled(
    task: Task,
    gold: Mapping[str, FloatArray],
    outputs: Mapping[str, FloatArray],
    counts: Mapping[str, IntArray],
) -> dict[str, FloatArray]:
    """Return the official correlations on resamples, by type, and their ``Mean``.

    See `Family.resampled`.
    """
    found: dict[str, FloatArray] = {}
    for name in outputs:
        drawn = counts[name][:, countable(gold[name])]
        of_types = score_pairs(task, {name: gold[name]}, {name: outputs[name]})
        found |= {
            each: resampling.pearson(mine.scores, mine.gold, drawn)
            for each, mine in of_types.items()
        }
        found["Mean"] = np.mean([found[each] for each in TYPES], axis=0)
    return found


def _signature(
    task: Task, datasets: Mapping[str, Measures], outputs: Mapping[str, FloatArray]
) -> str:
    counts = {name: {str(each["n"]), str(len(outputs[name]))} for name, each in datasets.items()}
    return signature(
        [
            ("task", task.task),
            ("sets", "+".join(f"{k}({'/'.join(sorted(n, key=int))})" for k, n in counts.items())),
            ("correlation", "pearson of each of 8 types"),
            ("mean", "plain"),
            ("version", __version__),
        ]
    )


def check_records(pairs: Sequence[Any]) -> None:
    """Refuse what is no sequence of pairs of records.

    Raises
    ------
    InputError
        Naming the first pair that is none.
    """
    for number, pair in enumerate(pairs):
        if not (isinstance(pair, tuple | list) and len(pair) == 2):
            raise InputError([Fault(f"pairs[{number}]", repr(pair)[:80], "a pair of two Records")])
        for each in pair:
            check_record(each, f"pairs[{number}]")
