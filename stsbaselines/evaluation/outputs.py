"""The outputs of a system for the data sets of a task."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from stsbaselines.data.catalogue import DataSet, Task
from stsbaselines.data.find import locate, require_all
from stsbaselines.errors import Fault, InputError
from stsbaselines.evaluation.arrays import outputs_of_arrays
from stsbaselines.evaluation.encoders import EncoderCosine, PairFunction
from stsbaselines.evaluation.submission import read_gold
from stsbaselines.evaluation.systems import Vectors, as_predictor
from stsbaselines.evaluation.trained_models import ready
from stsbaselines.io.files import atomic_write
from stsbaselines.parallel import current_folder_on_path
from stsbaselines.predictor import Predictor
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.tasks.base import family_of

Progress = Callable[[int], None]
Lines = Iterable[tuple[int, bytes]]
K = TypeVar("K")


def no_progress(pairs: int) -> None:
    """Show no progress."""


def outputs_of(
    system: Any,
    task: Task,
    datasets: Sequence[DataSet],
    data_dir: str | Path | None = None,
    n_jobs: int = 1,
    progress: Progress = no_progress,
    plain: bool = False,
    cache: str | Path | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """Return a system's outputs by data set, and a note on each excluded data set.

    `system` is `Vectors`, or as for `as_predictor`; `progress` is called with the number of pairs
    after each chunk; with `plain`, a system gets the sentences without their gold standard chunks.
    Encoders and functions get the scored pairs only, and `cache` keeps their results.
    """
    task.check_is_scored()
    if isinstance(system, Vectors):
        return _outputs_of_vectors(system, task, datasets)
    predictor = as_predictor(system)
    if isinstance(predictor, EncoderCosine | PairFunction):
        folder = None if cache is None else Path(cache)
        return _outputs_of_code(predictor, task, datasets, data_dir, progress, folder)
    check_kind(getattr(predictor, "name", type(predictor).__name__), predictor.predicts, task)
    family = family_of(task)
    found, notes = available(task, datasets, data_dir)
    inputs = {each.name: require_all(task, each, data_dir) for each in found or datasets}
    predictor = ready(predictor, data_dir)
    notes += _seen_in_training(predictor, task, found)
    is_ours = type(predictor).__module__.startswith("stsbaselines.baselines.")
    outputs: dict[str, Any] = {}
    with contextlib.nullcontext() if is_ours else current_folder_on_path():
        for dataset in found:
            pairs = list(family.read_inputs(inputs[dataset.name], task, dataset))
            if plain:
                pairs = [(left.text, right.text) for left, right in pairs]
            predictions = _predictions(predictor, pairs, n_jobs, progress)
            outputs[dataset.name] = family.output_of(predictions, pairs, task)
    return outputs, notes


def _outputs_of_code(
    system: EncoderCosine | PairFunction,
    task: Task,
    datasets: Sequence[DataSet],
    data_dir: str | Path | None,
    progress: Progress,
    cache: Path | None,
) -> tuple[dict[str, Any], list[str]]:
    """Return the outputs of code that is asked about the scored pairs only.

    An encoder gets those of all data sets together, so that it encodes each sentence once.
    """
    check_kind(system.name, system.predicts, task)
    found, notes = available(task, datasets, data_dir)
    gold = read_gold(task, found, data_dir)
    if not found:
        require_all(task, datasets[0], data_dir)
    parts = {each.name: (task, each, gold[each.name]) for each in found}
    scores = scores_of_code(system, parts, data_dir, progress, cache)
    return outputs_of_arrays(scores, task, gold), notes


def scores_of_code(
    system: EncoderCosine | PairFunction,
    parts: Mapping[K, tuple[Task, DataSet, Any]],
    data_dir: str | Path | None,
    progress: Progress,
    cache: Path | None,
) -> dict[K, FloatArray]:
    """Return the scores of the scored pairs of data sets, each with its task and gold standard.

    An encoder gets those of all data sets together, so that it encodes each sentence once.
    """
    pairs: dict[K, list[Any]] = {}
    lines: dict[K, list[int]] = {}
    for key, (task, dataset, gold) in parts.items():
        files = require_all(task, dataset, data_dir)
        inputs = family_of(task).read_inputs(files, task, dataset)
        counted = family_of(task).countable(gold)
        pairs[key] = [*itertools.compress(inputs, counted)]
        lines[key] = (np.flatnonzero(counted) + 1).tolist()

    def advance_of(count: int) -> Callable[[float], None]:
        return lambda share: progress(round(share * count))

    scores: dict[K, FloatArray] = {}
    with current_folder_on_path():
        if isinstance(system, EncoderCosine):
            every = [pair for each in pairs.values() for pair in each]
            ends = np.cumsum([len(each) for each in pairs.values()])[:-1]
            found_scores = system.scores_of(every, cache, advance_of(len(every)))
            scores = dict(zip(pairs, np.split(found_scores, ends), strict=True))
        else:
            for key, some in pairs.items():
                try:
                    scores[key] = system.scores_of(some, cache, advance_of(len(some)))
                except InputError as error:
                    raise _at_lines(error, lines[key]) from error.__cause__
    return scores


def _at_lines(error: InputError, lines: Sequence[int]) -> InputError:
    """Return an error about scored pairs, with the numbers of their lines."""
    return InputError(
        [
            replace(each, pair=lines[each.pair - 1])
            if isinstance(each, Fault) and each.pair
            else each
            for each in error.faults
        ]
    )


def _predictions(
    predictor: Predictor, pairs: Sequence[Any], n_jobs: int, progress: Progress
) -> list[Any]:
    found: list[Any] = []
    for chunk in predictor.predict_chunks(pairs, n_jobs=n_jobs):
        found.extend(chunk)
        progress(len(chunk))
    if len(found) != len(pairs):
        raise InputError(
            f"{type(predictor).__name__} gave {len(found)} predictions"
            f" for {len(pairs)} pairs, but must give one for each."
        )
    return found


def write_and_read(
    lines: Lines, folder: Path, task: Task, dataset: DataSet, progress: Progress
) -> Any:
    """Write an output and read it, as the organisers scored what was sent to them."""
    path = folder / dataset.output
    with atomic_write(path) as stream:
        for count, chunk in lines:
            stream.write(chunk)
            progress(count)
    return family_of(task).read_output(path, task, dataset)


def _outputs_of_vectors(
    vectors: Vectors, task: Task, datasets: Sequence[DataSet]
) -> tuple[dict[str, Any], list[str]]:
    check_kind("a folder of vectors", "scores", task)
    folder = vectors.folder
    if not folder.is_dir():
        what = f"a folder with a file such as {datasets[0].name}.npz for each data set"
        raise InputError([Fault(str(folder), "no such folder", what)])
    outputs: dict[str, Any] = {}
    notes: list[str] = []
    faults: list[Fault | str] = []
    for dataset in datasets:
        file = f"{dataset.name}.npz"
        if dataset.restricted and not (folder / file).exists():
            notes.append(_excluded(dataset, file))
            continue
        try:
            scores = vectors.cosines(dataset.name, dataset.pairs)
        except InputError as error:
            faults.extend(error.faults)
            continue
        outputs[dataset.name] = family_of(task).output_of(scores, (), task)
    if faults:
        raise InputError(faults)
    return outputs, notes


def _seen_in_training(
    predictor: Predictor, task: Task, datasets: Iterable[DataSet]
) -> Iterator[str]:
    known = vars(predictor).get("trained_on_")
    for dataset in datasets:
        if isinstance(known, dict) and f"{task.signed_name}/{dataset.name}" in known:
            yield (
                f"{predictor.name} was trained on {task.task}/{dataset.name}: its scores there"
                " are no test result."
            )


def check_kind(name: str, predicts: str, task: Task) -> None:
    """Refuse a system whose kind of predictions, see `Predictor.predicts`, does not fit a task."""
    wanted = family_of(task).predicts
    if predicts != wanted:
        raise InputError(f"{name} predicts {predicts}, but {task.task} needs {wanted}.")


def available(
    task: Task, datasets: Iterable[DataSet], data_dir: str | Path | None
) -> tuple[list[DataSet], list[str]]:
    """Return the data sets to run, and a note on each restricted one that was not found."""
    found, notes = [], []
    for dataset in datasets:
        if dataset.restricted and locate(task, dataset, "input", data_dir).status == "missing":
            notes.append(_excluded(dataset, dataset.files["input"].name))
        else:
            found.append(dataset)
    return found, notes


def _excluded(dataset: DataSet, file: str) -> str:
    return (
        f"{dataset.name} was excluded, and with it every number that needs all data sets:"
        f" {file} was not found ({dataset.licence})."
    )
