"""The catalogue of data sets: one YAML file per task in `stsbaselines/data/catalogue`.

Further ones may lie outside the package, see `find_task`.
"""

from __future__ import annotations

import functools
import hashlib
import os
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, model_validator

from stsbaselines.errors import Fault, InputError, shown, unknown
from stsbaselines.io.settings import Entry, read_model

CATALOGUE = Path(__file__).parent / "catalogue"
SAMPLE_PREFIX = "sample-"
TASKS = "STSBASELINES_TASKS"


class DataFile(Entry):
    """A file of a data set: its official name, and the checksum by which it is recognised."""

    name: str
    sha256: str | None = Field(default=None, pattern="^[0-9a-f]{64}$")
    git_blob: str | None = Field(default=None, pattern="^[0-9a-f]{40}$")
    unverified: bool = False  # any file of that name is used, and its reader must check it

    @model_validator(mode="after")
    def _recognisable(self) -> DataFile:
        if [bool(self.sha256), bool(self.git_blob), self.unverified].count(True) != 1:
            raise ValueError("one of sha256, git_blob and unverified")
        return self

    @property
    def checksum(self) -> str:
        """The official checksum with its kind, such as ``sha256 ...``."""
        if self.sha256:
            return f"sha256 {self.sha256}"
        return f"git blob {self.git_blob}" if self.git_blob else "not verified"

    def checksum_of(self, content: bytes) -> str:
        """Return the checksum of `content` in the same form as `checksum`."""
        if self.sha256:
            return sha256_of(content)
        return git_blob_of(content) if self.git_blob else self.checksum


def sha256_of(content: bytes) -> str:
    """Return ``sha256 ...``."""
    return f"sha256 {hashlib.sha256(content).hexdigest()}"


def git_blob_of(content: bytes) -> str:
    """Return ``git blob ...``, git's object id of a file."""
    digest = hashlib.sha1(b"blob %d\0" % len(content), usedforsecurity=False)
    digest.update(content)
    return f"git blob {digest.hexdigest()}"


class Folder(Entry):
    """A folder that users have to get themselves; the first of its `names` that exists is used."""

    names: list[str] = Field(min_length=1)
    title: str
    source: str


Column = str | Annotated[int, Field(ge=1, strict=True)]


class LabelledColumns(Entry):
    """Columns of a file with sentences and scores: all by name, or all by number from 1.

    With `split`, only the rows count that have the value `part` in that column, in any case.
    """

    sentence1: Column
    sentence2: Column
    score: Column
    split: Column | None = None
    part: str = ""

    @model_validator(mode="after")
    def _of_one_kind(self) -> LabelledColumns:
        columns = self.sentence1, self.sentence2, self.score, self.split
        if len({type(each) for each in columns if each is not None}) > 1:
            raise ValueError("only names, or only numbers, of columns")
        return self

    def counts(self, part: object) -> bool:
        """Return whether a row with this value in the column `split` counts."""
        return self.split is None or str(part).casefold() == self.part.casefold()


class DataSet(Entry):
    """One data set of a task.

    Attributes
    ----------
    files : dict of str to DataFile
        By role: ``input`` and, unless the input holds the gold standard, ``gold``.
    folders : dict of str to Folder
        By role: ``records``.
    output : str
        Official name of a system's output file; empty for training data.
    pairs, scored : int
        Number of pairs in the input, and how many of them the gold standard scores.
    columns : LabelledColumns or None
        Where sentences and scores are, if the input is one file with both.
    gold_lines : list of int
        Of a gold standard with a line for each scored pair only: the lines of these pairs in the
        input, from 1, in the order of the gold standard.
    rows : list of int
        Of one part of a file with several: its rows, from 1, among the `file_rows` of the file.
    licence, source : str or None
        Where they differ from the task's.
    restricted : bool
        Its input may not be redistributed, or is not available to everybody. It is read from
        the user's own copy; a missing copy is not an error.
    """

    name: str
    files: dict[str, DataFile]
    folders: dict[str, Folder] = Field(default_factory=dict)
    output: str = ""
    pairs: int = Field(ge=1)
    scored: int = Field(ge=1)
    columns: LabelledColumns | None = None
    gold_lines: list[int] = Field(default_factory=list)
    rows: list[int] = Field(default_factory=list)
    file_rows: int = 0
    licence: str | None = None
    source: str | None = None
    restricted: bool = False

    @model_validator(mode="after")
    def _consistent(self) -> DataSet:
        lines = set(self.gold_lines)
        if lines and (len(self.gold_lines) != self.scored or len(lines) != self.scored):
            raise ValueError("as many gold_lines as scored pairs, each once")
        if lines and not 1 <= min(lines) <= max(lines) <= self.pairs:
            raise ValueError(f"gold_lines from 1 to {self.pairs}")
        return self

    def file(self, role: str) -> DataFile:
        """Return the file of that role."""
        return self.files["input" if self.columns and role == "gold" else role]

    def is_restricted(self, role: str) -> bool:
        """Return whether the file of that role is restricted: only an input can be."""
        return self.restricted and role == "input"


class Task(Entry):
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
        Range of the gold scores, and of the scores of a well-formed output.
    confidence : 'ignored' or 'weighted'
        Whether the task's scorer weighted pairs by the system's confidence.
    comments : bool
        Whether its scorer skips output lines that begin with ``#``.
    one_to_one : bool
        Whether chunks must be consecutive and aligned once (interpretable STS of 2015).
    dataset_measures : list of str
        The official measures of each data set, if there are several.
    decimals : int
        Decimals that the task's scorer prints.
    measures : list of str
        The official aggregates, the main one first; none if the data sets of an ``sts`` task are
        never taken together. For a task of another family with one data set and no
        `dataset_measures`, its official measures.
    resources : dict of str to list of DataFile
        Files that a baseline needs besides the data sets; one file of a list is enough.
    bounded : bool
        Whether the scores of a well-formed output are within `gold_range`.
    notes : list of str
        Notes that results show.
    version : str
        Part of its name in signatures: which data it is, if the name does not tell.
    """

    task: str
    family: str
    title: str
    language: str
    folders: list[str] = Field(min_length=1)
    gold_range: tuple[float, float]
    confidence: Literal["ignored", "weighted"] = "ignored"
    comments: bool = True
    one_to_one: bool = False
    dataset_measures: list[str] = Field(default_factory=list)
    decimals: int = Field(default=5, ge=1)
    measures: list[str] = Field(default_factory=list)
    resources: dict[str, list[DataFile]] = Field(default_factory=dict)
    source: str
    licence: str
    citation: str
    datasets: list[DataSet] = Field(min_length=1)
    bounded: bool = True
    notes: list[str] = Field(default_factory=list)
    version: str = ""

    @model_validator(mode="after")
    def _has_measures(self) -> Task:
        if not (self.measures or self.dataset_measures or self.family == "sts"):
            raise ValueError("measures or dataset_measures")
        return self

    @property
    def cell_names(self) -> list[str]:
        """Names of its official numbers: those of the data sets, then the aggregates."""
        if self.dataset_measures:
            cells = [
                f"{name}_{each}" for name in self.dataset_names for each in self.dataset_measures
            ]
        else:
            is_named = self.family == "sts" or len(self.datasets) > 1
            cells = self.dataset_names if is_named else []
        return [*cells, *self.measures]

    @property
    def signed_name(self) -> str:
        """Its name in signatures."""
        return f"{self.task}@{self.version}" if self.version else self.task

    @property
    def dataset_names(self) -> list[str]:
        """Names of the data sets, in the task's order."""
        return [dataset.name for dataset in self.datasets]

    def dataset(self, name: str) -> DataSet:
        """Return the data set `name`; raise InputError if the task has none of that name."""
        for dataset in self.datasets:
            if dataset.name == name:
                return dataset
        raise unknown(f"data set of {self.task}", name, self.dataset_names)

    def resource(self, name: str) -> list[DataFile]:
        """Return the files of the resource `name`; raise InputError if the task has none."""
        if name not in self.resources:
            raise unknown(f"resource of {self.task}", name, self.resources)
        return self.resources[name]

    def check_is_scored(self) -> None:
        """Raise InputError if the task is only to train on."""
        if not any(dataset.output for dataset in self.datasets):
            raise InputError(f"{self.task} is only to train on: its outputs are not scored.")

    @property
    def is_sample(self) -> bool:
        """Whether it is one of the embedded samples."""
        return self.task.startswith(SAMPLE_PREFIX)


def task_names() -> list[str]:
    """Return the names of all tasks of the package."""
    return sorted(path.stem for path in CATALOGUE.glob("*.yaml"))


def outside_tasks() -> dict[str, Path]:
    """Return the task files in the folders of ``$STSBASELINES_TASKS``, by name."""
    folders = filter(None, os.environ.get(TASKS, "").split(os.pathsep))
    files = [path for each in folders for path in sorted(Path(each).glob("*.yaml"))]
    return {path.stem: path for path in reversed(files) if path.stem not in task_names()}


def is_task_name(name: str) -> bool:
    """Return whether a task has this name, here or in ``$STSBASELINES_TASKS``."""
    return name in task_names() or name in outside_tasks()


def find_task(name: str) -> Task:
    """Return a task by its name, here or in ``$STSBASELINES_TASKS``, or by the path of its YAML.

    Raises
    ------
    InputError
        If there is none, or the file is not that of a task.

    Examples
    --------
    >>> find_task("sts2013").dataset_names
    ['headlines', 'OnWN', 'FNWN', 'SMT']
    """
    if name in task_names():
        return _packaged(name)
    if name.endswith((".yaml", ".yml")):
        return _read_outside(Path(name))
    outside = outside_tasks()
    if name not in outside:
        others = "The path of a file with sentences and scores, or of a task file, is a task, too."
        raise InputError(f"{unknown('task', name, [*task_names(), *outside])} {others}")
    return _read_outside(outside[name])


@functools.cache
def _packaged(name: str) -> Task:
    return read_model(CATALOGUE / f"{name}.yaml", Task)


def _read_outside(path: Path) -> Task:
    """Read a task file outside the package, below whose folder the data may lie, too."""
    task = read_model(path, Task)
    if task.task in task_names() or task.task != path.stem:
        expected = f"{path.stem}, as the file is called, and no name of a task of the package"
        raise InputError([Fault(str(path), f"task: {shown(task.task)}", expected)])
    beside = [str(path.parent.absolute() / folder) for folder in task.folders]
    return task.model_copy(update={"folders": [*task.folders, *beside]})
