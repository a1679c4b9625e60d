"""What the task families share: the scores of a run, and what a family module offers."""

from __future__ import annotations

import importlib
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar, cast

import numpy as np
import numpy.typing as npt

from stsbaselines.data.catalogue import DataSet, Task
from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.files import lines_of, open_to_read

T = TypeVar("T")
_NUMBER = re.compile(rb"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
Measures = dict[str, float | int | None]
Details = dict[str, dict[str, list[dict[str, Any]]]]


@dataclass(frozen=True)
class Scores:
    """The scores of one run on a task.

    Attributes
    ----------
    task, run : str
    datasets : dict of str to dict
        For each data set its measures, unrounded; None where undefined.
    aggregates : dict of str to float or None
        Over all data sets; empty if only some were scored.
    main : str
        The measure that the published tables give for a data set.
    signature : str
        Pins down how the numbers were made.
    notes : tuple of str
        What the reader should know of this run's files.
    details : dict of str to dict of str to list of dict
        For each data set further tables by name, as rows, such as scores of each pair.
    """

    task: str
    run: str
    datasets: dict[str, Measures]
    aggregates: dict[str, float | None]
    main: str
    signature: str
    notes: tuple[str, ...] = ()
    details: Details = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        values = {key: value for key, value in asdict(self).items() if key != "main"}
        if not self.details:
            del values["details"]
        return values

    def cells(self) -> dict[str, float | int | None]:
        """Return the scores by the column names of the published tables.

        ``NAME`` is the main measure of a data set, ``NAME_MEASURE`` any measure of it;
        aggregates, and the measures of a task with one data set, go by their own names.
        """
        cells: dict[str, float | int | None] = {}
        for name, measures in self.datasets.items():
            cells[name] = measures[self.main]
            cells.update({f"{name}_{measure}": value for measure, value in measures.items()})
        if len(self.datasets) == 1:
            cells.update(*self.datasets.values())
        return {**cells, **self.aggregates}


class SentencePair(NamedTuple):
    """Two sentences, as they stand in the file."""

    left: str
    right: str


class Points(NamedTuple):
    """Scores and gold scores of the pairs that count: what a correlation is of.

    Attributes
    ----------
    scores, gold : ndarray of shape (n_pairs,)
    lines : ndarray of int of shape (n_pairs,)
        Lines of the pairs in the input file, from 1; of several data sets together, just numbers.
    weights : ndarray of shape (n_pairs,) or None
        Confidences, if the official correlation is weighted by them.
    """

    scores: npt.NDArray[np.float64]
    gold: npt.NDArray[np.float64]
    lines: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64] | None = None


class LineError(Exception):
    """A line of a file that does not fit.

    Parameters
    ----------
    found, expected : str
    """

    def __init__(self, found: str, expected: str) -> None:
        self.found = found
        self.expected = expected


def parse_lines(
    path: Path,
    parse: Callable[[bytes], T],
    skip: Callable[[bytes], bool] | None = None,
    count: int | None = None,
) -> Iterator[T]:
    """Parse the lines of a file; raise all its faults together, after the last good line.

    Parameters
    ----------
    path : Path
    parse : callable
        Raises `LineError` for a line that does not fit.
    skip : callable, optional
        Says which lines do not count.
    count : int, optional
        Number of lines, one for each pair, that the file must have.

    Yields
    ------
    What `parse` returns.

    Raises
    ------
    InputError
        With every fault: lines that do not fit, Windows line endings, a wrong count.
    """
    faults: list[Fault | str] = []
    found = carriage_returns = 0
    with open_to_read(path) as stream:
        for number, line in lines_of(stream, str(path)):
            if skip is not None and skip(line):
                continue
            found += 1
            if count is not None and found > count:
                continue
            carriage_returns += line.endswith(b"\r")
            try:
                yield parse(line.removesuffix(b"\r"))
            except LineError as error:
                faults.append(Fault(str(path), error.found, error.expected, number))
    if carriage_returns:
        lines = f"{carriage_returns} lines that end in a carriage return (Windows line endings)"
        faults.append(Fault(str(path), lines, "lines that end in a newline alone"))
    if count is not None and found != count:
        faults.append(Fault(str(path), f"{found} lines", f"{count}, one for each pair"))
    if faults:
        raise InputError(faults)


def number_of(text: bytes, bounds: tuple[float, float] | None, what: str) -> float:
    """Parse a finite decimal number, within bounds if they are given.

    Parameters
    ----------
    text : bytes
    bounds : (float, float) or None
    what : str
        What to call it in the error.

    Raises
    ------
    LineError
        If it is none, or out of bounds.
    """
    wanted = f"{what} that is a number"
    if bounds:
        upper = "up" if math.isinf(bounds[1]) else f"to {bounds[1]:g}"
        wanted = f"{what} from {bounds[0]:g} {upper}"
    if not text.strip():
        raise LineError("a blank" if text else "nothing", wanted)
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value) or (bounds and not bounds[0] <= value <= bounds[1]):
        raise LineError(shown(text), wanted)
    return value


def checked_scores(predictions: npt.ArrayLike) -> list[float]:
    """Return predictions as a list, if they are one finite number a pair.

    Raises
    ------
    InputError
        If they are not.
    """
    values = np.asarray(predictions, dtype=np.float64)
    if values.ndim != 1:
        raise InputError(f"the system predicted {values.ndim}-dimensional scores, not one a pair")
    if not np.isfinite(values).all():
        raise InputError("the system predicted NaN or infinity, which is no score")
    scores: list[float] = values.tolist()
    return scores


class Family(Protocol):
    """What a module of `stsbaselines.tasks` offers for the tasks of its family.

    Attributes
    ----------
    PREDICTIONS : str
        What its systems predict: ``scores`` or ``alignments``.
    """

    PREDICTIONS: str

    def read_inputs(self, files: Mapping[str, Path], task: Task, dataset: DataSet) -> Iterator[Any]:
        """Yield the pairs of a data set; `files` are by role."""

    def read_training(
        self, files: Mapping[str, Path], task: Task, dataset: DataSet
    ) -> tuple[Sequence[Any], Sequence[Any] | npt.NDArray[Any]]:
        """Read pairs with their gold standard, to train on."""

    def read_gold(self, path: Path, task: Task, dataset: DataSet) -> Any:
        """Read a gold standard file."""

    def read_output(self, path: Path, task: Task, dataset: DataSet, strict: bool = False) -> Any:
        """Read a system output; with `strict`, by the rules for submissions."""

    def format_predictions(self, predictions: Any, pairs: Sequence[Any], start: int) -> bytes:
        """Return the lines of a system output for a chunk of pairs, numbered from `start`."""

    def label_of_output(self, file_name: str) -> str | None:
        """Return the data set that the name of an output file claims to be for, if any."""

    def score(
        self, task: Task, run: str, gold: Mapping[str, Any], outputs: Mapping[str, Any]
    ) -> Scores:
        """Score the outputs of a run; both mappings are by data set."""

    def countable(self, gold: Any) -> npt.NDArray[np.bool_]:
        """Tell which lines of a data set the scorer counts: among these, pairs are resampled."""

    def points(
        self, task: Task, gold: Mapping[str, Any], outputs: Mapping[str, Any]
    ) -> dict[str, Points]:
        """Return what is correlated, by the names of `Scores.cells`; empty for alignments.

        `gold` and `outputs` are as for `score`.
        """

    def resampled(
        self,
        task: Task,
        gold: Mapping[str, Any],
        outputs: Mapping[str, Any],
        counts: Mapping[str, npt.NDArray[np.integer[Any]]],
    ) -> dict[str, npt.NDArray[np.float64]]:
        """Return official measures on resampled pairs, by the names of `Scores.cells`.

        `gold` and `outputs` are as for `score`. `counts` says for each data set, in an array of
        shape (n_resamples, n_pairs), how often each line of it was drawn; those of lines that
        are not `countable` do not matter. Values are of shape (n_resamples,), NaN where undefined.
        """


def family_of(task: Task) -> Family:
    """Return the module that reads and scores a task."""
    return family_named(task.family)


def family_named(name: str) -> Family:
    """Return the module of `stsbaselines.tasks` of that name."""
    return cast(Family, importlib.import_module(f"stsbaselines.tasks.{name}"))


def signature(fields: Iterable[tuple[str, object]]) -> str:
    """Join the fields of a signature.

    Examples
    --------
    >>> signature([("task", "sts2013"), ("n", 2250)])
    'task:sts2013|n:2250'
    """
    return "|".join(f"{name}:{value}" for name, value in fields)
