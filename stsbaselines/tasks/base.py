"""What all task families share: the interface `Family`, and the scores of a run."""

from __future__ import annotations

import abc
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from stsbaselines.errors import Fault, InputError, shown, visible
from stsbaselines.io.frames import to_frame, to_html, with_decimals
from stsbaselines.version import __version__

if TYPE_CHECKING:  # slow to import
    import numpy as np
    import numpy.typing as npt
    import pandas

    from stsbaselines.data.catalogue import DataSet, Task

Files = Mapping[str, Path]
Measures = dict[str, float | int | None]
FINER_DIFFERENCES = "some scores differ only beyond 12 significant digits, and so have equal ranks"
UNDEFINED = "the correlation is undefined, because all scores that count are the same"
NEARLY_CONSTANT = (
    "the scores differ by less than 1e-13 of their size, so that rounding errors decide the"
    " correlations"
)
Details = dict[str, dict[str, list[dict[str, Any]]]]


@dataclass(frozen=True)
class Scores:
    """The scores of one run on a task.

    Attributes
    ----------
    task, run : str
    datasets : dict of str to dict
        The measures of each data set, unrounded; None where undefined.
    aggregates : dict of str to float or None
        Over all data sets; empty if only some were scored.
    main : str
        The measure that the published tables give for a data set.
    signature : str
        States how the numbers were computed.
    notes : tuple of str
        What the reader should know about the files of this run.
    details : dict of str to dict of str to list of dict
        Further tables of each data set by name, as rows, such as the scores of each pair.
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
        """Return the scores as plain values for JSON."""
        values = {key: value for key, value in asdict(self).items() if key != "main"}
        if not self.details:
            del values["details"]
        return values

    def __repr__(self) -> str:
        values = {name: measures[self.main] for name, measures in self.datasets.items()}
        numbers = ", ".join(
            f"{name} {with_decimals(value)}"
            for name, value in {**values, **self.aggregates}.items()
        )
        return visible(f"<Scores of {self.run} on {self.task}; {numbers}>")

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of plain values for each measure of a data set, and each aggregate.

        `name` is the data set or aggregate; an aggregate has no `measure`.
        """
        of_datasets = [
            {"run": self.run, "name": name, "measure": measure, "value": value}
            for name, measures in self.datasets.items()
            for measure, value in measures.items()
        ]
        return of_datasets + [
            {"run": self.run, "name": name, "measure": None, "value": value}
            for name, value in self.aggregates.items()
        ]

    def to_frame(self) -> pandas.DataFrame:
        """Return `rows` as a pandas DataFrame; pandas must be installed."""
        return to_frame(self.rows())

    def _repr_html_(self) -> str:
        of_datasets = [
            {"set": name, **{key: with_decimals(each) for key, each in measures.items()}}
            for name, measures in self.datasets.items()
        ]
        aggregates = [
            {"aggregate": name, "value": with_decimals(value)}
            for name, value in self.aggregates.items()
        ]
        title, notes = f"{self.run} on {self.task}", (*self.notes, self.signature)
        return to_html(title, of_datasets, aggregates, notes=notes)

    def cells(self) -> dict[str, float | int | None]:
        """Return the scores by the column names of the published tables.

        ``NAME`` is the main measure of a data set, ``NAME_MEASURE`` any measure of it. Aggregates
        have their own names, and so have the measures of a task with one data set.
        """
        cells: dict[str, float | int | None] = {}
        if len(self.datasets) == 1:
            cells.update(*self.datasets.values())
        for name, measures in self.datasets.items():
            cells[name] = measures[self.main]
            cells.update({f"{name}_{measure}": value for measure, value in measures.items()})
        return {**cells, **self.aggregates}


class SentencePair(NamedTuple):
    """Two sentences, as they stand in the file."""

    left: str
    right: str


class ScorePairs(NamedTuple):
    """Scores and gold scores of the pairs that count: the input of a correlation.

    `lines` are those of the pairs in the input file, from 1, or a running number over several
    files; `weights` are confidences, if the official correlation is weighted by them.
    """

    scores: npt.NDArray[np.float64]
    gold: npt.NDArray[np.float64]
    lines: npt.NDArray[np.int64]
    weights: npt.NDArray[np.float64] | None = None


class Family(abc.ABC):
    """How the files of one kind of task are read, written, checked and scored.

    The catalogue names the family of a task; `family_of` returns it. All methods that read files
    raise InputError with every line that does not fit.

    Attributes
    ----------
    predicts : str
        What systems predict: ``scores``, ``typed scores`` or ``alignments``.
    output_name : re.Pattern
        Official name of an output file; the first group is the name of its data set.
    """

    predicts: str
    output_name: re.Pattern[str]

    @abc.abstractmethod
    def read_inputs(self, files: Files, task: Task, dataset: DataSet) -> Iterator[Any]:
        """Yield the pairs of a data set.

        Parameters
        ----------
        files : mapping of str to Path
            By role, as in the catalogue.
        task, dataset : Task, DataSet
            Entries of the catalogue.
        """

    @abc.abstractmethod
    def read_training(
        self, files: Files, task: Task, dataset: DataSet
    ) -> tuple[Sequence[Any], Sequence[Any] | npt.NDArray[Any], Sequence[int]]:
        """Return the pairs that have a gold standard, that gold, and their lines from 1.

        See `read_inputs`.
        """

    @abc.abstractmethod
    def read_gold(self, path: Path, task: Task, dataset: DataSet) -> Any:
        """Read a gold standard file; see `read_output`."""

    @abc.abstractmethod
    def read_output(self, path: Path, task: Task, dataset: DataSet, strict: bool = False) -> Any:
        """Read the output of a system.

        Parameters
        ----------
        path : Path
            The output file, plain or ``.gz``.
        task, dataset : Task, DataSet
            Give the range of the scores, the rules of the scorer and the number of pairs.
        strict : bool
            Apply the rules of the official checker. Without it, what only the official scorer
            accepts is noted.
        """

    @abc.abstractmethod
    def format_predictions(
        self, predictions: Any, pairs: Sequence[Any] = (), start: int = 1
    ) -> bytes:
        """Return the part of an output file that has the predictions for some pairs.

        Parameters
        ----------
        predictions : array-like or sequence, one entry per pair
            What the `predict` of a baseline returned.
        pairs : sequence of pairs
            Only alignments are written with their sentences.
        start : int
            Number of the first pair in the file.

        Raises
        ------
        InputError
            For predictions that cannot be written, such as NaN.
        """

    @abc.abstractmethod
    def output_of(self, predictions: Any, pairs: Sequence[Any], task: Task) -> Any:
        """Return the output that predictions make, unrounded; see `format_predictions`."""

    def label_of_output(self, file_name: str) -> str | None:
        """Return the data set that the name of an output file claims to be for, if any."""
        match = self.output_name.fullmatch(file_name)
        return match[1] if match else None

    @abc.abstractmethod
    def score(
        self, task: Task, run: str, gold: Mapping[str, Any], outputs: Mapping[str, Any]
    ) -> Scores:
        """Score a run by the official measures, with other common ones beside them.

        Parameters
        ----------
        task : Task
            The task whose measures are computed.
        run : str
            Name of the run.
        gold, outputs : mapping of str to object
            By data set, what `read_gold` and `read_output` returned.
        """

    @abc.abstractmethod
    def countable(self, gold: Any) -> npt.NDArray[np.bool_]:
        """Return which lines of a data set the scorer counts; pairs are resampled from these."""

    @abc.abstractmethod
    def score_pairs(
        self, task: Task, gold: Mapping[str, Any], outputs: Mapping[str, Any]
    ) -> dict[str, ScorePairs]:
        """Return the correlated pairs, by the names of `Scores.cells`; see `score`."""

    @abc.abstractmethod
    def resampled(
        self,
        task: Task,
        gold: Mapping[str, Any],
        outputs: Mapping[str, Any],
        counts: Mapping[str, npt.NDArray[np.integer[Any]]],
    ) -> dict[str, npt.NDArray[np.float64]]:
        """Return official measures on resampled pairs, by the names of `Scores.cells`.

        Parameters
        ----------
        task, gold, outputs
            As for `score`.
        counts : mapping of str to ndarray of int of shape (n_resamples, n_lines)
            By data set, how often each line was drawn; only `countable` ones matter.

        Returns
        -------
        dict of str to ndarray of shape (n_resamples,)
            NaN where undefined.
        """


def family_of(task: Task) -> Family:
    """Return the family that reads and scores a task."""
    return family_named(task.family)


def family_named(name: str) -> Family:
    """Return the family of the module `name` of `stsbaselines.tasks`."""
    return cast(Family, importlib.import_module(f"stsbaselines.tasks.{name}").FAMILY)


def signature(task: str, sets: Iterable[str], **fields: object) -> str:
    """Return how a number was computed: numbers of equal signatures can be compared."""
    all_fields = {"task": task, "sets": "+".join(sets), **fields, "version": __version__}
    return "|".join(f"{name}:{value}" for name, value in all_fields.items())


def checked_scores(
    predictions: npt.ArrayLike,
    *columns: int,
    pairs: Sequence[Any] = (),
    source: str = "the system's scores",
) -> npt.NDArray[np.float64]:
    """Return predictions as an array; raise InputError if they are not finite numbers per pair.

    With `pairs`, the error names the first one that has something else.
    """
    values = finite_numbers(predictions)
    wanted = f"{columns[0]} finite numbers" if columns else "a finite number"
    if values is None and (wrong := first_wrong(predictions, columns)):
        index, found = wrong
        if index < len(pairs):
            left, right = map(text_of, pairs[index])
            found += f" for {shown(left)} and {shown(right)}"
        raise InputError([Fault(source, found, wanted, pair=index + 1 if pairs else None)])
    if values is None or values.ndim == 0 or values.shape[1:] != columns:
        found = kind_of(predictions)
        if values is not None:
            found = f"an array of shape {values.shape}"
        raise InputError([Fault(source, found, f"{wanted} per pair")])
    return values


def finite_numbers(values: Any) -> npt.NDArray[np.float64] | None:
    """Return numbers as an array; None if there is something else among them, such as None."""
    import numpy as np  # slow to import

    try:
        if isinstance(values, np.ma.MaskedArray):
            values = np.ma.filled(values.astype(np.float64), np.nan)
        array = np.asarray(values)
    except (RuntimeError, TypeError, ValueError):  # rows of different lengths, tensors of a GPU
        return None
    if array.dtype.kind not in "biuf" or not np.isfinite(array).all():
        return None
    return array.astype(np.float64)


def kind_of(values: Any) -> str:
    """Return what values are that are no array of numbers."""
    if getattr(getattr(values, "dtype", None), "kind", "") == "O":
        return "an array of Python objects"
    return f"{type(values).__name__} that is not an array of numbers"


def first_wrong(values: Any, shape: tuple[int, ...]) -> tuple[int, str] | None:
    """Return the index of the first value that is no finite number, or row of them, and what it is.

    None means that there is no such value, or no values at all.
    """
    import numpy as np  # slow to import

    for index, value in enumerate(values if isinstance(values, Iterable) else ()):
        numbers = finite_numbers(value)
        if numbers is None or numbers.shape != shape:
            plain = value.tolist() if isinstance(value, np.ndarray | np.generic) else value
            return index, shown(repr(plain))[1:-1]
    return None


def text_of(side: Any) -> str:
    """Return the text of a sentence, chunked or not, or the titles of a record."""
    if isinstance(side, str):
        return side
    return side.text if hasattr(side, "text") else "; ".join(side.title)
