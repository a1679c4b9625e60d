"""What the baselines of an experiment need before they predict: resources, training, models."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from stsbaselines.baselines import create, find
from stsbaselines.data import corpora
from stsbaselines.data.catalogue import DataSet, Task, find_task
from stsbaselines.data.find import is_unverified, require_all, require_model, require_resource
from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.evaluation.systems import Progress
from stsbaselines.evaluation.trained_models import TRAINED_ON_PAIRS, load_model, supported_params
from stsbaselines.experiments.config import BaselineConfig, Training
from stsbaselines.experiments.models import LabelledPairs, check_distinct, read_labelled
from stsbaselines.predictor import Predictor
from stsbaselines.tasks.base import family_of

Inputs = Mapping[str, Mapping[str, Path]]
DEFAULT = ""


@dataclass(frozen=True)
class BaselineSetup:
    """What a baseline needs to run, or why it cannot.

    Attributes
    ----------
    parameters : dict
    notes : sequence of str
        What is to be known of the data.
    given : mapping of str to LabelledPairs
        What it is fitted on, by data set; under `DEFAULT` for those that are not named.
    trained_on : str
    why_missing : str
    can_run : bool
    model : Predictor or None
        A trained one, instead of `given`.
    """

    parameters: dict[str, Any]
    notes: Sequence[str] = ()
    given: Mapping[str, LabelledPairs] = field(default_factory=lambda: {DEFAULT: LabelledPairs()})
    trained_on: str = ""
    why_missing: str = ""
    can_run: bool = True
    model: Predictor | None = None


def prepare(
    task: Task,
    baseline: BaselineConfig,
    data_dir: str | Path | None,
    notes: list[str],
    inputs: Inputs,
    n_jobs: int = 1,
) -> BaselineSetup:
    """Find the resources of a baseline and read what it is trained on.

    Parameters
    ----------
    task : Task
    baseline : BaselineConfig
    data_dir : path, optional
        Where data is looked for first, also by the baseline if it asks for a `data_dir`.
    notes : list of str
        What is to be known of the task's data.
    inputs : mapping of str to mapping of str to Path
        Files of the data sets to predict.
    n_jobs : int
        Processes, also of the baseline if it asks for `n_jobs`.
    """
    parameters = supported_params(create(baseline.baseline), data_dir=data_dir, n_jobs=n_jobs)
    parameters.update(baseline.parameters)
    try:
        if baseline.model:
            return _loaded(baseline, data_dir, notes)
        for parameter, resource in baseline.resources.items():
            path = require_resource(task, resource, data_dir)
            parameters[parameter] = path
            if is_unverified(task, resource, path):
                notes = [*notes, f"{baseline.title}: {path} is not verified by a checksum."]
        why = " ".join(notes)
        if baseline.fit_on_inputs:
            given = {DEFAULT: LabelledPairs(_pairs(task, inputs))}
            return BaselineSetup(parameters, notes, given, why_missing=why)
        if not baseline.is_trained:
            return BaselineSetup(parameters, notes, why_missing=why)
        wanted = {**baseline.train_for, **({DEFAULT: baseline.train} if baseline.train else {})}
        given = {name: read_labelled(each, data_dir) for name, each in wanted.items()}
    except MissingDataError as error:
        return BaselineSetup(parameters, notes, why_missing=str(error), can_run=False)
    return BaselineSetup(parameters, notes, given, _trained_on(given), why)


def _pairs(task: Task, inputs: Inputs) -> list[Any]:
    read = family_of(task).read_inputs
    return [
        pair for name, files in inputs.items() for pair in read(files, task, task.dataset(name))
    ]


def _trained_on(given: Mapping[str, LabelledPairs]) -> str:
    if list(given) == [DEFAULT]:
        return f"trained on {given[DEFAULT].source}"
    parts = [f"{name or 'others'} on {each.source}" for name, each in given.items()]
    return f"trained for {'; for '.join(parts)}"


def _loaded(
    baseline: BaselineConfig, data_dir: str | Path | None, notes: Sequence[str]
) -> BaselineSetup:
    """Load a trained model, and note what it was trained on."""
    model = load_model(find(baseline.baseline), baseline.model, data_dir)
    trained = f"trained on the {_corpora(model) or 'sentences of an unknown corpus'}"
    return BaselineSetup({}, notes, {}, trained, " ".join(notes), model=model)


def _corpora(model: Predictor) -> str:
    """Return the corpora that a model says it was trained on, with their numbers of sentences."""
    corpora = vars(model).get("corpora_")
    described = corpora.items() if isinstance(corpora, dict) else ()
    for unit in ("sentences", "records"):
        counts = {name: each.get(unit) for name, each in described if isinstance(each, dict)}
        named = [f"{Path(k).name} ({n:,})" for k, n in counts.items() if isinstance(n, int)]
        if named:
            return f"{unit} of {', '.join(named)}"
    return ""


def folders_of(baseline: BaselineConfig, prepared: BaselineSetup) -> list[str]:
    """Return the subfolder of each run of a baseline: one for each seed; none if it cannot run.

    Examples
    --------
    >>> folders_of(BaselineConfig(baseline="random", seeds=2), BaselineSetup({}))
    ['seed-0', 'seed-1']
    """
    if not prepared.can_run:
        return []
    return [""] if baseline.seeds is None else [f"seed-{seed}" for seed in range(baseline.seeds)]


def fitted(
    baseline: BaselineConfig,
    prepared: BaselineSetup,
    datasets: Sequence[DataSet],
    progress: Progress,
    done: Container[str] = (),
) -> Iterator[tuple[str, dict[str, Predictor]]]:
    """Yield the subfolder of each run of a baseline, and its predictor for each data set.

    Parameters
    ----------
    baseline : BaselineConfig
    prepared : BaselineSetup
    datasets : sequence of DataSet
    progress : callable
        Called with the number of labelled pairs after each training.
    done : container of str
        Subfolders of the runs that need no predictors, and are given none.

    Raises
    ------
    MissingDataError
        If a corpus that the baseline needs is not here.
    """
    for seed, folder in enumerate(folders_of(baseline, prepared)):
        if folder in done:
            yield folder, {}
        elif prepared.model is not None:
            yield folder, {each.name: prepared.model for each in datasets}
        else:
            yield folder, _trained(baseline, prepared, datasets, progress, seed)


def _trained(
    baseline: BaselineConfig,
    prepared: BaselineSetup,
    datasets: Sequence[DataSet],
    progress: Progress,
    seed: int,
) -> dict[str, Predictor]:
    parameters = dict(prepared.parameters)
    if baseline.seeds is not None:
        parameters["random_state"] = _random_state(baseline, seed)
    models = {}
    for key in _keys(prepared, datasets):
        models[key] = prepared.given[key].fit(create(baseline.baseline, **parameters))
        if baseline.is_trained:
            progress(len(prepared.given[key].pairs))
    return {each.name: models[_key(prepared, each)] for each in datasets}


def pairs_of_a_run(
    baseline: BaselineConfig, prepared: BaselineSetup, datasets: Sequence[DataSet]
) -> int:
    """Return on how many pairs a baseline is trained, and how many it predicts, in one run."""
    keys = _keys(prepared, datasets) if baseline.is_trained else ()
    trained = sum(len(prepared.given[key].pairs) for key in keys)
    return trained + sum(each.pairs for each in datasets)


def _keys(prepared: BaselineSetup, datasets: Sequence[DataSet]) -> list[str]:
    return list(dict.fromkeys(_key(prepared, each) for each in datasets))


def _key(prepared: BaselineSetup, dataset: DataSet) -> str:
    return dataset.name if dataset.name in prepared.given else DEFAULT


def _random_state(baseline: BaselineConfig, seed: int) -> int | np.random.RandomState:
    """Return a seed for training, or one RandomState for all data sets of random scores.

    With one RandomState, the scores of the data sets are independent.
    """
    return seed if baseline.is_trained else np.random.RandomState(seed)


def files_read(
    baseline: BaselineConfig, prepared: BaselineSetup, data_dir: str | Path | None
) -> dict[str, Path]:
    """Return the files and folders that a baseline reads beside the pairs it predicts, by name.

    Parameters
    ----------
    baseline : BaselineConfig
    prepared : BaselineSetup
    data_dir : path, optional
        Where data is looked for first.

    Examples
    --------
    >>> files_read(BaselineConfig(baseline="token-cosine"), BaselineSetup({}), None)
    {}
    """
    if not prepared.can_run:
        return {}
    found = {
        f"resource {name}": Path(prepared.parameters[parameter])
        for parameter, name in baseline.resources.items()
    }
    if baseline.model:
        found[f"model {baseline.model}"] = require_model(baseline.model, "", data_dir)
    for name in dict.fromkeys(name for each in prepared.given.values() for name in each.sets):
        task = find_task(name.partition("/")[0])
        files = require_all(task, task.dataset(name.partition("/")[2]), data_dir)
        found.update({f"{role} of {name}": path for role, path in files.items()})
    if supported_params(create(baseline.baseline), data_dir=data_dir):
        found.update(_corpora_here(data_dir))
    return {**found, **create(baseline.baseline, **baseline.parameters).files_read()}


def _corpora_here(data_dir: str | Path | None) -> dict[str, Path]:
    """Return the corpora that a baseline may look for itself."""
    try:
        wordnet = corpora.find_wordnet(data_dir)
    except MissingDataError:
        wordnet = None
    brown, gcide = corpora.nltk_place("brown", data_dir), corpora.DEBIAN_GCIDE
    places = {"wordnet": wordnet, "brown": brown, "gcide": gcide if gcide.is_file() else None}
    return {f"corpus {name}": place for name, place in places.items() if place}


def validate_training(task: Task, baseline: BaselineConfig) -> None:
    """Check the names in what a baseline is trained on.

    Raises
    ------
    InputError
        If one is unknown, or it is the task itself or of another family, or a data set is left
        without training.
    """
    for sources in [baseline.train, *baseline.train_for.values()]:
        for each in sources:
            _validate_source(task, each)
        check_distinct(sources)
    is_given = baseline.is_trained or baseline.model or baseline.fit_on_inputs
    if baseline.baseline in TRAINED_ON_PAIRS and not is_given:
        raise InputError(f"{baseline.title} must be trained: say on what by `train`.")
    if baseline.is_trained and find(baseline.baseline).fit is Predictor.fit:
        raise InputError(f"train: the baseline {baseline.title!r} does not learn.")
    for name in baseline.train_for:
        task.dataset(name)
    forgotten = [name for name in task.dataset_names if name not in baseline.train_for]
    if baseline.train_for and not baseline.train and forgotten:
        raise InputError(f"train_for: nothing is said of {', '.join(forgotten)}; add train.")


def _validate_source(task: Task, train: Training) -> None:
    source = find_task(train.task)
    for name in [*train.first_of, *train.datasets]:
        source.dataset(name)
    if source.task == task.task:
        raise InputError(f"train: {task.task} is what is scored, so it must be another task.")
    if source.family != task.family:
        raise InputError(
            f"train: {source.task} cannot be trained on for {task.task}: it must be another task"
            " of the same family."
        )
    if source.gold_range != task.gold_range:
        raise InputError(
            f"train: {source.task} cannot be trained on for {task.task}: its gold scores are from"
            f" {source.gold_range[0]:g} to {source.gold_range[1]:g}, those of {task.task} from"
            f" {task.gold_range[0]:g} to {task.gold_range[1]:g}."
        )


def pairs_to_train_on(baseline: BaselineConfig) -> int:
    """Return on how many pairs, as the catalogue says, a baseline is trained in one run."""
    sources = [*baseline.train, *(each for many in baseline.train_for.values() for each in many)]
    return sum(
        find_task(each.task).dataset(name).scored
        for each in sources
        for name in each.first_of[:1] or each.datasets or find_task(each.task).dataset_names
    )
