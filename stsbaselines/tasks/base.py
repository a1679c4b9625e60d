"""What the task families share: the scores of a run, and what a family module offers."""

from __future__ import annotations

import importlib
import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Generic, NamedTuple, Protocol, TypeVar, cast

from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.io import LONGEST_LINE, lines_of, open_to_read, whole_lines

if TYPE_CHECKING:  # slow to import
    import numpy as np
    import numpy.typing as npt

    from stsbaselines.data.catalogue import DataSet, Task

T = TypeVar("T")
_BLOCK_SIZE = 1 << 18
# Of these characters alone, what float() takes is what _NUMBER matches.
_OF_NUMBERS = b"0123456789.+-eE"
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


class ScorePairs(NamedTuple):
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
    lines = _Lines(str(path), parse, skip, count)
    with open_to_read(path) as stream:
        yield from lines.parsed(stream)
    lines.check()


@dataclass
class _Lines(Generic[T]):
    """The state of parsing the lines of a file, for which see `parse_lines`."""

    path: str
    parse: Callable[[bytes], T]
    skip: Callable[[bytes], bool] | None
    count: int | None
    found: int = 0
    carriage_returns: int = 0
    faults: list[Fault | str] = field(default_factory=list)

    def parsed(self, stream: BinaryIO, start: int = 1) -> Iterator[T]:
        """Parse the lines of a stream, the first of which has the number `start`."""
        for number, line in lines_of(stream, self.path, start):
            if self.skip is not None and self.skip(line):
                continue
            self.found += 1
            if self.count is not None and self.found > self.count:
                continue
            self.carriage_returns += line.endswith(b"\r")
            try:
                yield self.parse(line.removesuffix(b"\r"))
            except LineError as error:
                self.faults.append(Fault(self.path, error.found, error.expected, number))

    def check(self) -> None:
        """Raise all faults, at the end of the file."""
        faults = self.faults
        if self.carriage_returns:
            ends = f"{self.carriage_returns} lines that end in a carriage return"
            found = f"{ends} (Windows line endings)"
            faults.append(Fault(self.path, found, "lines that end in a newline alone"))
        if self.count is not None and self.found != self.count:
            expected = f"{self.count}, one for each pair"
            faults.append(Fault(self.path, f"{self.found} lines", expected))
        if faults:
            raise InputError(faults)


def parse_numbers(
    path: Path,
    parse: Callable[[bytes], npt.ArrayLike],
    parse_block: Callable[[bytes], npt.NDArray[np.float64] | None],
    count: int,
    skip: Callable[[bytes], bool] | None = None,
) -> npt.NDArray[np.float64]:
    """Parse a file of numbers into an array, many lines at once where nothing is unusual.

    Parameters
    ----------
    path : Path
    parse : callable
        Parses a line into a number or a row; see `parse_lines`.
    parse_block : callable
        Parses some whole lines into the same as an array, or returns None, so that `parse`
        gets each of them; see `plain_numbers`.
    count, skip
        As for `parse_lines`.

    Raises
    ------
    InputError
        With every fault; see `parse_lines`.
    """
    import numpy as np  # slow to import

    lines = _Lines(str(path), parse, skip, count)
    blocks = []
    with open_to_read(path) as stream:
        start = 1
        for block in whole_lines(stream, _BLOCK_SIZE):
            rows = parse_block(block) if 0 < len(block) <= LONGEST_LINE else None
            if rows is None:
                rows = np.array(list(lines.parsed(io.BytesIO(block), start)))
            else:
                lines.found += len(rows)
            if len(rows) and lines.found <= count:
                blocks.append(rows)
            start += block.count(b"\n")
    lines.check()
    return np.concatenate(blocks)


def plain_numbers(block: bytes, blank: bytes = b"") -> npt.NDArray[np.float64] | None:
    r"""Parse whole lines of decimal numbers, all with as many columns parted by TAB.

    Parameters
    ----------
    block : bytes
    blank : bytes, optional
        What an empty column counts as, such as ``nan``.

    Returns
    -------
    ndarray of shape (n_lines, n_columns) or None
        None if `number_of` may refuse one of the columns.

    Examples
    --------
    >>> plain_numbers(b"0.5\t100\n1\t20\n").tolist()
    [[0.5, 100.0], [1.0, 20.0]]
    >>> plain_numbers(b"1_0\n") is plain_numbers(b"1\n\n") is plain_numbers(b"nan\n") is None
    True
    """
    import numpy as np  # slow to import

    if not block.endswith(b"\n"):
        block += b"\n"
    ends = block.translate(None, delete=_OF_NUMBERS)
    columns = ends.find(b"\n") + 1
    rows = len(ends) // columns
    if ends != (b"\t" * (columns - 1) + b"\n") * rows:
        return None
    cells = block.replace(b"\t", b"\n").split(b"\n")[:-1]
    if blank:
        cells = [cell or blank for cell in cells]
    try:
        values = np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        return None
    return None if np.isinf(values).any() else values.reshape(rows, columns)


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
    import numpy as np  # slow to import

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

    def score_pairs(
        self, task: Task, gold: Mapping[str, Any], outputs: Mapping[str, Any]
    ) -> dict[str, ScorePairs]:
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
