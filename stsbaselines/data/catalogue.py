"""What data sets there are: one YAML file a task in `stsbaselines/data/catalogue`."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from stsbaselines.errors import unknown
from stsbaselines.yamlmodel import read_model

CATALOGUE = Path(__file__).parent / "catalogue"
SAMPLE_PREFIX = "sample-"


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class DataFile(_Entry):
    """A file of a data set: its official name and sha256."""

    name: str
    sha256: str = Field(pattern="^[0-9a-f]{64}$")


class DataSet(_Entry):
    """One data set of a task.

    Attributes
    ----------
    files : dict of str to DataFile
        By role: ``input`` and ``gold``.
    output : str
        Official name of a system's output file.
    pairs, scored : int
        Pairs of the input, and how many of them the gold standard scores.
    licence, source : str or None
        Where they differ from the task's.
    restricted : bool
        Its input may not be redistributed: it is only read from the user's own copy.
    """

    name: str
    files: dict[str, DataFile]
    output: str
    pairs: int = Field(ge=1)
    scored: int = Field(ge=1)
    licence: str | None = None
    source: str | None = None
    restricted: bool = False


class Task(_Entry):
    """A shared task: its data sets and the rules of its scorer.

    Attributes
    ----------
    task : str
        Name on the command line.
    family : str
        Module of `stsbaselines.tasks` that reads and scores it.
    folders : list of str
        Where its files may lie below a data directory: this project's layout first,
        then those of the official archives; ``.`` is the data directory itself.
    gold_range : (float, float)
        Range of the gold scores, and of a well-formed system's scores.
    confidence : 'ignored' or 'weighted'
        Whether the task's scorer weighted pairs by the system's confidence.
    comments : bool
        Whether its scorer skips lines of a system output that begin with ``#``.
    measures : list of str
        The official aggregates, the first one first.
    """

    task: str
    family: str
    title: str
    language: str
    folders: list[str] = Field(min_length=1)
    gold_range: tuple[float, float]
    confidence: Literal["ignored", "weighted"] = "ignored"
    comments: bool = True
    measures: list[str] = Field(min_length=1)
    source: str
    licence: str
    citation: str
    datasets: list[DataSet] = Field(min_length=1)

    @property
    def dataset_names(self) -> list[str]:
        """Names of the data sets, in the task's order."""
        return [dataset.name for dataset in self.datasets]

    def dataset(self, name: str) -> DataSet:
        """Return the data set `name`.

        Raises
        ------
        InputError
            If the task has none of that name.
        """
        for dataset in self.datasets:
            if dataset.name == name:
                return dataset
        raise unknown(f"data set of {self.task}", name, self.dataset_names)

    @property
    def is_sample(self) -> bool:
        """Whether it is one of the embedded samples."""
        return self.task.startswith(SAMPLE_PREFIX)


def task_names() -> list[str]:
    """Return the names of all tasks.

    Examples
    --------
    >>> "sts2013" in task_names()
    True
    """
    return sorted(path.stem for path in CATALOGUE.glob("*.yaml"))


@functools.cache
def find_task(name: str) -> Task:
    """Return the catalogue entry of the task `name`.

    Raises
    ------
    InputError
        If there is none.

    Examples
    --------
    >>> find_task("sts2013").dataset_names
    ['headlines', 'OnWN', 'FNWN', 'SMT']
    """
    if name not in task_names():
        raise unknown("task", name, task_names())
    return read_model(CATALOGUE / f"{name}.yaml", Task)
