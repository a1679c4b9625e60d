"""The scores of a system for the seven sets of `stsbaselines.row`."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from stsbaselines.data.catalogue import DataSet, Task, find_task
from stsbaselines.data.find import require_all
from stsbaselines.errors import InputError, MissingDataError, unknown
from stsbaselines.evaluation.arrays import are_arrays, by_dataset, outputs_of_arrays
from stsbaselines.evaluation.encoders import EncoderCosine, PairFunction
from stsbaselines.evaluation.outputs import Progress, outputs_of, scores_of_code
from stsbaselines.evaluation.submission import (
    notes_on_names,
    output_files,
    read_gold,
    read_outputs,
)
from stsbaselines.evaluation.systems import Vectors, as_predictor
from stsbaselines.evaluation.trained_models import ready
from stsbaselines.scoring.conventions import Pair
from stsbaselines.tasks.base import family_of

REST = "SICK-R train and trial"  # beside SICK-R, which is the test part
_TASKS = {
    "STS12": "sts2012",
    "STS13": "sts2013",
    "STS14": "sts2014",
    "STS15": "sts2015",
    "STS16": "sts2016",
    "STS-B": "stsbenchmark",
    "SICK-R": "sick-r",
    REST: "sick-r",
}
_DATASETS = {
    "STS13": ("headlines", "OnWN", "FNWN"),
    "STS-B": ("test",),
    "SICK-R": ("test",),
    REST: ("train", "trial"),
}


@dataclass(frozen=True)
class SetScores:
    """The scored pairs of the data sets of the seven sets, and why a set has none.

    Data sets are called such as ``STS12/MSRpar``, because several years have one of the same name.
    """

    parts: Mapping[str, Mapping[str, Pair]]
    missing: Mapping[str, str]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Sets:
    """The sets to score: their tasks with the data sets that count, and gold standards.

    `missing` says why a set has no gold standard.
    """

    tasks: Mapping[str, Task]
    gold: Mapping[str, Mapping[str, Any]]
    missing: Mapping[str, str] = field(default_factory=dict)


def _task_of(name: str) -> Task:
    """Return a task with all its parts; the training part of SICK is scored here, as by MTEB."""
    task = find_task(name)
    if name != "sick-r":
        return task
    train = find_task("sick-r-train").dataset("train")
    scored = train.model_copy(update={"output": "STS.output.train.txt"})
    return task.model_copy(update={"datasets": [scored, *task.datasets]})


def find_sets(whole_sick: bool, data_dir: str | Path | None) -> Sets:
    """Return the sets whose gold standards are found; raise MissingDataError if none is."""
    tasks, gold, missing = {}, {}, {}
    for key, name in _TASKS.items():
        if key == REST and not whole_sick:
            continue
        task = _task_of(name)
        chosen = [task.dataset(each) for each in _DATASETS.get(key, task.dataset_names)]
        tasks[key] = task.model_copy(update={"datasets": chosen})
        try:
            gold[key] = read_gold(task, chosen, data_dir)
        except MissingDataError as error:
            missing[key] = str(error)
    if not gold:
        raise MissingDataError("\n".join(dict.fromkeys(missing.values())))
    return Sets(tasks, gold, missing)


Outputs = Mapping[str, Any]
OfSet = Callable[[str], tuple[Outputs, list[str]]]


def scores_of_sets(
    name: str,
    system: Any,
    sets: Sets,
    data_dir: str | Path | None,
    n_jobs: int,
    progress: Progress,
    cache: str | Path | None,
) -> SetScores:
    """Return the scored pairs of a system, as `compare` takes systems.

    A path is a folder with one folder of output files per task, and so are `Vectors`; arrays are
    mappings by task.
    """
    parts: dict[str, Mapping[str, Pair]] = {}
    missing, notes = dict(sets.missing), []
    try:
        of_set = _outputs_by_set(system, sets, data_dir, n_jobs, progress, cache)
        for key, gold in sets.gold.items():
            try:
                outputs, about = of_set(key)
            except MissingDataError as error:
                missing[key] = str(error)
                continue
            task = sets.tasks[key]
            pairs = family_of(task).score_pairs(task, gold, outputs)
            parts[key] = {
                f"{key}/{each}": (pairs[each].scores, pairs[each].gold)
                for each in task.dataset_names
            }
            notes += [f"{name}: {note}" for note in about]
    except InputError as error:
        raise InputError([f"{name}: {fault}" for fault in error.faults]) from error.__cause__
    if not parts:
        raise MissingDataError([f"{name}: {each}" for each in dict.fromkeys(missing.values())])
    return SetScores(parts, missing, tuple(notes))


def _outputs_by_set(
    system: Any,
    sets: Sets,
    data_dir: str | Path | None,
    n_jobs: int,
    progress: Progress,
    cache: str | Path | None,
) -> OfSet:
    """Return what returns a system's outputs for a set, or raises MissingDataError."""
    if isinstance(system, Vectors):
        return functools.partial(_of_vectors, system.folder, sets)
    if isinstance(system, str | Path):
        return functools.partial(_of_files, Path(system), sets)
    if are_arrays(system):
        return functools.partial(_of_arrays, _by_task(system, sets), sets)
    predictor = as_predictor(system)
    if isinstance(predictor, EncoderCosine | PairFunction):
        return _of_code(predictor, sets, data_dir, progress, cache)
    predictor = ready(predictor, data_dir)

    def of_set(key: str) -> tuple[Outputs, list[str]]:
        task = sets.tasks[key]
        return outputs_of(predictor, task, task.datasets, data_dir, n_jobs, progress)

    return of_set


def _folder_of(root: Path, task: Task) -> Path:
    if not (root / task.task).is_dir():
        raise MissingDataError(f"there is no folder {root / task.task}")
    return root / task.task


def _of_vectors(root: Path, sets: Sets, key: str) -> tuple[Outputs, list[str]]:
    task = sets.tasks[key]
    folder = _folder_of(root, task)
    files = [folder / f"{each}.npz" for each in task.dataset_names]
    if absent := [str(each) for each in files if not each.exists()]:
        raise MissingDataError(f"there is no file {', '.join(absent)}")
    return outputs_of(Vectors(folder), task, task.datasets)


def _of_files(root: Path, sets: Sets, key: str) -> tuple[Outputs, list[str]]:
    task = sets.tasks[key]
    folder = _folder_of(root, task)
    try:
        files = output_files(task, folder, None, {})
    except InputError as error:
        raise MissingDataError(error.faults) from error
    return read_outputs(task, files), notes_on_names(task, files, None, None)


def _by_task(system: Any, sets: Sets) -> Mapping[str, Any]:
    """Return arrays by task; raise InputError if they are others."""
    known = [*dict.fromkeys(each.task for each in sets.tasks.values())]
    if not isinstance(system, Mapping):
        raise InputError(
            f"arrays must be given by task, such as {{{known[0]!r}: {{NAME: array}}}}."
        )
    for name in system:
        if name not in known:
            raise unknown("task of a row", name, known)
    return system


def _of_arrays(system: Mapping[str, Any], sets: Sets, key: str) -> tuple[Outputs, list[str]]:
    task = sets.tasks[key]
    if task.task not in system:
        raise MissingDataError(f"there are no scores of {task.task}")
    arrays, notes = by_dataset(system[task.task], _task_of(task.task))
    if absent := [each for each in task.dataset_names if each not in arrays]:
        raise MissingDataError(f"there are no scores of {task.task}, {' and '.join(absent)}")
    chosen = {each: arrays[each] for each in task.dataset_names}
    return outputs_of_arrays(chosen, task, sets.gold[key]), notes


def _of_code(
    system: EncoderCosine | PairFunction,
    sets: Sets,
    data_dir: str | Path | None,
    progress: Progress,
    cache: str | Path | None,
) -> OfSet:
    """Ask code about all sets at once, so that an encoder encodes each sentence once."""
    missing: dict[str, MissingDataError] = {}
    parts: dict[tuple[str, str], tuple[Task, DataSet, Any]] = {}
    for key, gold in sets.gold.items():
        task = sets.tasks[key]
        try:
            for dataset in task.datasets:
                require_all(task, dataset, data_dir)
        except MissingDataError as error:
            missing[key] = error
            continue
        parts |= {(key, each.name): (task, each, gold[each.name]) for each in task.datasets}
    found = scores_of_code(system, parts, data_dir, progress, Path(cache) if cache else None)

    def of_set(key: str) -> tuple[Outputs, list[str]]:
        if key in missing:
            raise missing[key]
        task = sets.tasks[key]
        scores = {each: found[key, each] for each in task.dataset_names}
        return outputs_of_arrays(scores, task, sets.gold[key]), []

    return of_set
