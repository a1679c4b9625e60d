"""What the task families share: the scores of a run, and what a family module offers."""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, cast

from stsbaselines.data.catalogue import DataSet, Task

Measures = dict[str, float | int | None]


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
    """

    task: str
    run: str
    datasets: dict[str, Measures]
    aggregates: dict[str, float | None]
    main: str
    signature: str
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        return {key: value for key, value in asdict(self).items() if key != "main"}

    def cells(self) -> dict[str, float | int | None]:
        """Return the scores by the column names of the published tables.

        ``NAME`` is the main measure of a data set, ``NAME_MEASURE`` any measure of it;
        aggregates go by their names.
        """
        cells: dict[str, float | int | None] = {}
        for name, measures in self.datasets.items():
            cells[name] = measures[self.main]
            cells.update({f"{name}_{measure}": value for measure, value in measures.items()})
        return {**cells, **self.aggregates}


class Family(Protocol):
    """What a module of `stsbaselines.tasks` offers for the tasks of its family."""

    def read_pairs(self, path: Path) -> Iterator[Any]:
        """Yield the pairs of an input file."""

    def read_gold(self, path: Path, task: Task, dataset: DataSet) -> Any:
        """Read a gold standard file."""

    def read_output(self, path: Path, task: Task, dataset: DataSet, strict: bool = False) -> Any:
        """Read a system output; with `strict`, by the rules for submissions."""

    def format_predictions(self, predictions: Any) -> bytes:
        """Return the lines of a system output for the predictions of a chunk of pairs."""

    def label_of_output(self, file_name: str) -> str | None:
        """Return the data set that the name of an output file claims to be for, if any."""

    def score(
        self, task: Task, run: str, gold: Mapping[str, Any], outputs: Mapping[str, Any]
    ) -> Scores:
        """Score the outputs of a run; both mappings are by data set."""


def family_of(task: Task) -> Family:
    """Return the module that reads and scores a task."""
    return cast(Family, importlib.import_module(f"stsbaselines.tasks.{task.family}"))


def signature(fields: Iterable[tuple[str, object]]) -> str:
    """Join the fields of a signature.

    Examples
    --------
    >>> signature([("task", "sts2013"), ("n", 2250)])
    'task:sts2013|n:2250'
    """
    return "|".join(f"{name}:{value}" for name, value in fields)
