"""What a configuration's baseline needs and is fitted on: resources, labelled pairs, a model."""

from __future__ import annotations

import contextlib
import inspect
import itertools
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stsbaselines.baselines import create, find
from stsbaselines.data.catalogue import DataSet, Task
from stsbaselines.data.find import is_unverified, require_all, require_resource
from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.evaluation.outputs import Progress, available
from stsbaselines.evaluation.trained_models import TRAINED_ON_PAIRS, load_model, supported_params
from stsbaselines.experiments.config import BaselineConfig, Training
from stsbaselines.experiments.duplicates import note_on_repeats, note_on_shared
from stsbaselines.predictor import Predictor
from stsbaselines.tasks.base import family_of

Inputs = Mapping[str, Mapping[str, Path]]
DEFAULT = ""


class LabelledPairs(NamedTuple):
    """Pairs to train on, with their gold standard, ``TASK/DATASET`` of each, and a description.

    `notes` say which pairs are repeated.
    """

    pairs: Sequence[Any] = ()
    labels: Any = None
    sets: Sequence[str] = ()
    source: str = ""
    notes: Sequence[str] = ()

    def fit(self, predictor: Predictor) -> Predictor:
        """Fit a predictor; `sets` is passed if its `fit` has such a parameter."""
        fit: Any = predictor.fit
        extra = {"sets": self.sets} if "sets" in inspect.signature(fit).parameters else {}
        return fit(self.pairs, self.labels, **extra)  # type: ignore[no-any-return]


@dataclass(frozen=True)
class BaselineSetup:
    """What a baseline needs to run, or the problem why it cannot.

    `given` has what it is fitted on, by data set, or under `DEFAULT` for those that are not named;
    a trained `model` is used instead. `data_notes` say which pairs of its data are repeated.
    """

    parameters: dict[str, Any]
    notes: Sequence[str] = ()
    given: Mapping[str, LabelledPairs] = field(default_factory=lambda: {DEFAULT: LabelledPairs()})
    trained_on: str = ""
    model: Predictor | None = None
    problem: str = ""
    data_notes: Sequence[str] = ()


def prepare(
    task: Task,
    baseline: BaselineConfig,
    inputs: Inputs,
    data_dir: str | Path | None = None,
    n_jobs: int = 1,
) -> BaselineSetup:
    """Find the resources of a baseline, and read what it is trained on.

    `inputs` are the files of the data sets to predict.
    """
    parameters = supported_params(create(baseline.baseline), data_dir=data_dir, n_jobs=n_jobs)
    parameters.update(baseline.parameters)
    notes: list[str] = []
    try:
        if baseline.model:
            model = load_model(find(baseline.baseline), baseline.model, data_dir)
            return BaselineSetup({}, trained_on=_corpora_of(model), model=model)
        for parameter, resource in baseline.resources.items():
            path = require_resource(task, resource, data_dir)
            parameters[parameter] = path
            if is_unverified(task, resource, path):
                notes.append(f"{baseline.title}: {path} is not verified by a checksum.")
        if baseline.fit_on_inputs:
            return BaselineSetup(parameters, notes, {DEFAULT: _unlabelled(task, inputs)})
        if not baseline.is_trained:
            return BaselineSetup(parameters, notes)
        wanted = {**baseline.train_for, **({DEFAULT: baseline.train} if baseline.train else {})}
        given = {name: read_labelled(each, data_dir) for name, each in wanted.items()}
    except MissingDataError as error:
        return BaselineSetup(parameters, notes, problem=str(error))
    about = _notes_on_data(task, inputs, given)
    return BaselineSetup(parameters, notes, given, _trained_on(given), data_notes=about)


def _notes_on_data(task: Task, inputs: Inputs, given: Mapping[str, LabelledPairs]) -> list[str]:
    notes = [note for each in given.values() for note in each.notes]
    for name, files in inputs.items():
        used = given[name if name in given else DEFAULT]
        notes += note_on_shared(task, task.dataset(name), files, used.pairs, used.sets)
    return notes


def _corpora_of(model: Predictor) -> str:
    """Return what a model was trained on: corpora, with their numbers of sentences."""
    corpora = vars(model).get("corpora_", {})
    for unit in ("sentences", "records"):
        named = [
            f"{Path(name).name} ({each[unit]:,})" for name, each in corpora.items() if unit in each
        ]
        if named:
            return f"trained on the {unit} of {', '.join(named)}"
    return "trained on the sentences of an unknown corpus"


def _unlabelled(task: Task, inputs: Inputs) -> LabelledPairs:
    read = family_of(task).read_inputs
    return LabelledPairs(
        [pair for name, files in inputs.items() for pair in read(files, task, task.dataset(name))]
    )


def _trained_on(given: Mapping[str, LabelledPairs]) -> str:
    if list(given) == [DEFAULT]:
        return f"trained on {given[DEFAULT].source}"
    parts = [f"{name or 'others'} on {each.source}" for name, each in given.items()]
    return f"trained for {'; for '.join(parts)}"


def read_labelled(sources: Sequence[Training], data_dir: str | Path | None = None) -> LabelledPairs:
    """Read what a baseline is trained on, from tasks of one family.

    If a whole task is asked for, restricted data sets that were not found are excluded.
    """
    pairs: list[Any] = []
    labels: list[Any] = []
    sets: list[str] = []
    described = []
    notes: list[str] = []
    for source in sources:
        task = source.read()
        datasets = _datasets_of(task, source, data_dir)
        before = len(pairs)
        for dataset in datasets:
            files = require_all(task, dataset, data_dir)
            some_pairs, some_labels, lines = family_of(task).read_training(files, task, dataset)
            pairs += some_pairs
            labels.append(some_labels)
            name = f"{task.signed_name}/{dataset.name}"
            sets += [name] * len(some_pairs)
            notes += note_on_repeats(name, some_pairs, some_labels, lines)
        names = [] if datasets == task.datasets else [each.name for each in datasets]
        count = len(pairs) - before
        described.append(f"{', '.join([task.task, *names])} ({count:,} labelled pairs)")
    is_array = bool(labels) and all(isinstance(each, np.ndarray) for each in labels)
    joined = np.concatenate(labels) if is_array else [*itertools.chain.from_iterable(labels)]
    return LabelledPairs(pairs, joined, sets, " and ".join(described), notes)


def _datasets_of(task: Task, source: Training, data_dir: str | Path | None) -> list[DataSet]:
    if source.first_of:
        return [_first_found(task, source.first_of, data_dir)]
    if source.datasets:
        return [task.dataset(name) for name in source.datasets]
    return available(task, task.datasets, data_dir)[0]


def _first_found(task: Task, names: Sequence[str], data_dir: str | Path | None) -> DataSet:
    """Return the first data set that is found, or the last one, so that reading it fails."""
    for name in names[:-1]:
        with contextlib.suppress(MissingDataError):
            require_all(task, task.dataset(name), data_dir)
            return task.dataset(name)
    return task.dataset(names[-1])


def fitted(
    baseline: BaselineConfig,
    setup: BaselineSetup,
    datasets: Sequence[DataSet],
    progress: Progress,
) -> Iterator[tuple[str, dict[str, Predictor]]]:
    """Yield the subfolder of each run of a baseline, and its predictor for each data set.

    There is one run per seed, or none if the baseline cannot run. `progress` is called with the
    number of labelled pairs after each training.
    """
    if setup.problem:
        return
    keys = {each.name: each.name if each.name in setup.given else DEFAULT for each in datasets}
    for seed in range(baseline.seeds or 1):
        folder, parameters = "", dict(setup.parameters)
        if baseline.seeds is not None:
            folder = f"seed-{seed}"
            # One RandomState for all data sets of random scores, so that these are independent.
            state = seed if baseline.is_trained else np.random.RandomState(seed)
            parameters["random_state"] = state
        models = {} if setup.model is None else {DEFAULT: setup.model}
        for key in keys.values():
            if key not in models:
                models[key] = setup.given[key].fit(create(baseline.baseline, **parameters))
                if baseline.is_trained:
                    progress(len(setup.given[key].pairs))
        yield folder, {name: models[key] for name, key in keys.items()}


def validate_training(task: Task, baseline: BaselineConfig) -> None:
    """Refuse unknown names, sources that do not fit the task, and data sets without training."""
    for sources in [baseline.train, *baseline.train_for.values()]:
        for each in sources:
            _validate_source(task, each)
        check_distinct(sources)
    is_given = baseline.is_trained or baseline.model or baseline.fit_on_inputs
    if baseline.baseline in TRAINED_ON_PAIRS and not is_given:
        raise InputError(f"{baseline.title} must be trained: name its training data by `train`.")
    if baseline.is_trained and find(baseline.baseline).fit is Predictor.fit:
        raise InputError(f"train: the baseline {baseline.title!r} does not learn.")
    for name in baseline.train_for:
        task.dataset(name)
    forgotten = [name for name in task.dataset_names if name not in baseline.train_for]
    if baseline.train_for and not baseline.train and forgotten:
        raise InputError(f"train_for: no training for {', '.join(forgotten)}; add `train`.")


def _validate_source(task: Task, train: Training) -> None:
    source = train.read()
    for name in [*train.first_of, *train.datasets]:
        source.dataset(name)
    if source == task or source.family != task.family:
        raise InputError(
            f"train: {source.task} cannot be training data for {task.task}: it must be another"
            " task of the same family."
        )
    if source.bounded and task.bounded and source.gold_range != task.gold_range:
        raise InputError(
            f"train: {source.task} cannot be training data for {task.task}: its gold scores are"
            f" from {source.gold_range[0]:g} to {source.gold_range[1]:g}, those of {task.task} from"
            f" {task.gold_range[0]:g} to {task.gold_range[1]:g}."
        )


def check_distinct(sources: Iterable[Training]) -> None:
    """Refuse sources that name a data set twice."""
    for name, count in Counter(dataset_names(sources)).items():
        if count > 1:
            raise InputError(f"the data set {name} is named twice to train on.")


def dataset_names(sources: Iterable[Training]) -> list[str]:
    """Return ``TASK/DATASET`` of each data set that is named."""
    return [
        f"{task.signed_name}/{name}"
        for source in sources
        for task in [source.read()]
        for name in source.datasets or source.first_of or task.dataset_names
    ]


def count_training_pairs(baseline: BaselineConfig) -> int:
    """Return on how many pairs, according to the catalogue, a baseline is trained in one run."""
    sources = [*baseline.train, *(each for many in baseline.train_for.values() for each in many)]
    return sum(
        each.read().dataset(name).scored
        for each in sources
        for name in each.first_of[:1] or each.datasets or each.read().dataset_names
    )
