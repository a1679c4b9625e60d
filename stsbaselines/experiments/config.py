"""The configuration of an experiment: a task, its baselines, and the published numbers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import BeforeValidator, Field, model_validator

from stsbaselines.data.catalogue import SAMPLE_PREFIX, Column, Task, is_task_name
from stsbaselines.errors import Fault, InputError, suggestion
from stsbaselines.io.settings import Entry, read_model
from stsbaselines.tasks.labelled import as_task, is_path, is_task_file, read_task

SEEDS_OF_AN_INTERVAL = 100
MOST_SEEDS = 10_000
T = TypeVar("T", bound=Entry)
OneOrSeveral = Annotated[
    list[T],
    BeforeValidator(lambda value: [value] if isinstance(value, dict | Entry) else value or []),
]
_PACKAGED = Path(__file__).parents[1] / "configs"
_CHECKOUT = Path(__file__).parents[2] / "configs"


class PublishedRun(Entry):
    """The run of a published table that a baseline reproduces.

    `dataset` is the data set of the table, if its columns do not name it.
    """

    table: str
    run: str
    dataset: str = ""


class Deviation(Entry):
    """Why a number deviates from the printed one, and how far it may.

    With a reason alone, an entry is ``illegible`` if there is no published number, ``not
    reproducible`` if there is none of ours, and otherwise ``differs``.

    Attributes
    ----------
    reason : str
    tolerance : float or None
        Within it the entry is ``close``.
    source : str
        Where the tolerance comes from: how far our number moves with seeds, folds, corpora or
        other choices that the paper leaves open.
    within_interval : bool
        Whether the entry is ``close`` if the published number lies in the interval of 95 % of
        the seeds.
    """

    reason: str = Field(min_length=1)
    tolerance: float | None = Field(default=None, gt=0, allow_inf_nan=False, strict=True)
    source: str = ""
    within_interval: bool = Field(default=False, strict=True)

    @model_validator(mode="after")
    def _one_rule(self) -> Deviation:
        if self.within_interval and self.tolerance is not None:
            raise ValueError("either a tolerance or within_interval")
        if bool(self.source) != (self.tolerance is not None):
            raise ValueError("a tolerance with its source")
        return self


class TaskSource(Entry):
    """A task, or a labelled file as one, with the columns and the split of the file.

    A path is relative to the folder of the configuration. See `stsbaselines.read_task`.
    """

    task: str
    columns: dict[str, Column] = Field(default_factory=dict)
    split: str | None = None

    @property
    def is_labelled_file(self) -> bool:
        """Whether the task is a file with sentences and scores."""
        is_file = not is_task_name(self.task) and Path(self.task).is_file()
        return is_file and not is_task_file(self.task)

    def read(self) -> Task:
        """Return the task."""
        if self.columns or self.split is not None:
            return read_task(self.task, self.columns, self.split)
        return as_task(self.task)


Source = TypeVar("Source", bound=TaskSource)


class Training(TaskSource):
    """What to train a baseline on: all data sets of a task, `datasets`, or the first one found.

    `first_of` lists the data sets of which the first one that is found is taken.
    """

    datasets: list[str] = Field(default_factory=list)
    first_of: list[str] = Field(default_factory=list)

    @model_validator(mode="after")
    def _one_choice(self) -> Training:
        if self.datasets and self.first_of:
            raise ValueError("either datasets or first_of")
        return self


class BaselineConfig(Entry):
    """One baseline of an experiment.

    Attributes
    ----------
    baseline : str
        Such as ``token-cosine``, or ``module:Class`` for a `Predictor` outside the package.
    name : str
        Its name in this experiment, if the experiment runs the baseline several times.
    parameters : dict
    seeds : int or None
        The number of runs, with ``random_state`` 0, 1, ...; the mean is reported.
    train : list of Training
        What it is trained on, all together.
    train_for : dict of str to list of Training
        By data set: what a separate model for that data set is trained on.
    fit_on_inputs : bool
        Whether it is fitted on the pairs that it predicts, without their gold standard.
    model : str
        A model written by `stsbaselines train`, loaded instead of training one.
    resources : dict of str to str
        Parameters that are the path of a resource of the task, such as
        ``weights: official-weights``.
    substitutes : str
        Of a reimplemented system: which resources are replaced or missing.
    published : list of PublishedRun
        One, or several if the paper has one table per data set.
    explained : dict of str to Deviation
        By data set or aggregate; ``all`` is for those not named.
    accepted : dict of str to str
        Data sets and aggregates whose numbers may differ from the published ones, each with the
        reason. Their status stays ``differs``.
    """

    baseline: str
    name: str = Field(default="", pattern=r"^([A-Za-z0-9][A-Za-z0-9_+-]*)?$")
    parameters: dict[str, Any] = Field(default_factory=dict)
    seeds: int | None = Field(default=None, ge=1, le=MOST_SEEDS, strict=True)
    train: OneOrSeveral[Training] = Field(default_factory=list)
    train_for: dict[str, OneOrSeveral[Training]] = Field(default_factory=dict)
    fit_on_inputs: bool = Field(default=False, strict=True)
    model: str = Field(default="", pattern=r"^([A-Za-z0-9][A-Za-z0-9_+.-]*)?$")
    resources: dict[str, str] = Field(default_factory=dict)
    substitutes: str = ""
    published: OneOrSeveral[PublishedRun] = Field(default_factory=list)
    explained: dict[str, Deviation] = Field(default_factory=dict)
    accepted: dict[str, Annotated[str, Field(min_length=1)]] = Field(default_factory=dict)

    @property
    def title(self) -> str:
        """Its name in tables and folders."""
        return self.name or self.baseline.rpartition(":")[-1]

    @property
    def is_extra(self) -> bool:
        """Whether the ledger lists it even if no paper has a row for it."""
        return bool(self.model or self.substitutes)

    @property
    def is_trained(self) -> bool:
        """Whether it is trained on labelled pairs."""
        return bool(self.train or self.train_for)

    @model_validator(mode="after")
    def _consistent(self) -> BaselineConfig:
        if self.seeds is not None and "random_state" in self.parameters:
            raise ValueError("either seeds or a random_state")
        if self.model and (self.parameters or self.seeds or self.is_trained or self.resources):
            raise ValueError("a model without parameters, seeds, train and resources")
        if not all(self.train_for.values()):
            raise ValueError("something to train on for each data set of train_for")
        if self.fit_on_inputs and (self.is_trained or self.model):
            raise ValueError("only one of fit_on_inputs, train and model")
        if (self.explained or self.accepted) and not self.published:
            raise ValueError("a published run beside what is explained or accepted")
        if (self.seeds or 0) < SEEDS_OF_AN_INTERVAL and any(
            explanation.within_interval for explanation in self.explained.values()
        ):
            raise ValueError(f"at least {SEEDS_OF_AN_INTERVAL} seeds for within_interval")
        return self


class ExperimentConfig(TaskSource):
    """The content of a configuration file.

    Attributes
    ----------
    task, columns, split
        See `TaskSource`.
    group : str
        Its part of the ledger and its folder of outputs, such as ``strong-systems``; empty for
        the official baselines.
    slow : bool
        Whether it is excluded from the ledger unless it is named, because it takes long.
    baselines : list of BaselineConfig
    fallback : list of str
        Configurations to try in turn if the data of this one was not found.
    """

    slow: bool = Field(default=False, strict=True)
    group: str = Field(default="", pattern=r"^([a-z][a-z0-9-]*)?$")
    fallback: list[str] = Field(default_factory=list)
    baselines: list[BaselineConfig] = Field(min_length=1)

    @property
    def needs(self) -> list[tuple[str, tuple[str, ...]]]:
        """The tasks whose data it needs, each with the data sets if it does not need all.

        Labelled files are not among them.
        """
        training = [
            each
            for baseline in self.baselines
            for several in (baseline.train, *baseline.train_for.values())
            for each in several
        ]
        named = [
            (each.task, tuple(each.datasets or each.first_of))
            for each in training
            if not each.is_labelled_file
        ]
        own: list[tuple[str, tuple[str, ...]]] = [] if self.is_labelled_file else [(self.task, ())]
        return [*own, *dict.fromkeys(named)]

    @model_validator(mode="after")
    def _distinct_names(self) -> ExperimentConfig:
        titles = [baseline.title for baseline in self.baselines]
        if len(set(titles)) < len(titles):
            raise ValueError("baselines with different names")
        return self


def config_names() -> list[str]:
    """Return the names of the configurations that come with the package."""
    return sorted(path.stem for path in _config_folder().glob("*.yaml"))


def sample_config_names() -> list[str]:
    """Return the names of the configurations that run on the embedded samples."""
    return [name for name in config_names() if name.startswith(SAMPLE_PREFIX)]


def read_config(config: str | Path) -> ExperimentConfig:
    """Read a configuration: a YAML file, or the name of one that comes with the package.

    Examples
    --------
    >>> read_config("sts2013").task
    'sts2013'
    """
    path = Path(config)
    packaged = _config_folder() / f"{config}.yaml"
    if path.name == str(config) and packaged.is_file() and not path.is_file():
        path = packaged
    elif not os.path.lexists(path):
        names = ", ".join(config_names())
        hint = suggestion(str(config), config_names())
        wanted = f"a configuration file, or one of {names}"
        raise InputError([Fault(str(config), f"no such file{hint}", wanted)])
    return _located(read_model(path, ExperimentConfig), path.parent)


def _located(config: ExperimentConfig, folder: Path) -> ExperimentConfig:
    """Return a configuration with the paths of its tasks relative to a folder."""

    def located(source: Source) -> Source:
        path = folder / source.task
        is_file = not is_task_name(source.task) and (is_path(source.task) or path.is_file())
        return source.model_copy(update={"task": str(path)}) if is_file else source

    baselines = [
        each.model_copy(
            update={
                "train": [*map(located, each.train)],
                "train_for": {name: [*map(located, some)] for name, some in each.train_for.items()},
            }
        )
        for each in config.baselines
    ]
    return located(config).model_copy(update={"baselines": baselines})


def _config_folder() -> Path:
    return _PACKAGED if _PACKAGED.is_dir() else _CHECKOUT
