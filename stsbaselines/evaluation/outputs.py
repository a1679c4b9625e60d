"""The outputs of a system for the data sets of a task, as they would be submitted."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stsbaselines.data.catalogue import DataSet, Task
from stsbaselines.data.find import locate, require_all
from stsbaselines.errors import Fault, InputError
from stsbaselines.evaluation.prediction import output_lines
from stsbaselines.evaluation.systems import Vectors, as_predictor, current_folder_on_path
from stsbaselines.evaluation.trained_models import ready
from stsbaselines.io import atomic_write
from stsbaselines.predictor import Predictor
from stsbaselines.tasks.base import family_of

_ROUNDING = 1e-12
_LARGEST_LOSS = 1e-3
Progress = Callable[[int], None]
Lines = Iterable[tuple[int, bytes]]


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
) -> tuple[dict[str, Any], list[str]]:
    """Return a system's outputs by data set, and a note on each excluded data set.

    The outputs are as read from the files that the system would submit. `system` is `Vectors`, or
    as for `as_predictor`; `progress` is called with the number of pairs after each chunk; with
    `plain`, a system gets the sentences without their gold standard chunks.
    """
    task.check_is_scored()
    modules: contextlib.AbstractContextManager[Any] = contextlib.nullcontext()
    if isinstance(system, Vectors):
        lines, notes = _lines_of_vectors(system, task, datasets)
    else:
        predictor = as_predictor(system)
        if not type(predictor).__module__.startswith("stsbaselines.baselines."):
            modules = current_folder_on_path()
        lines, notes = _lines_of_predictor(predictor, task, datasets, data_dir, n_jobs, plain)
    with modules, tempfile.TemporaryDirectory() as folder:
        outputs = {
            name: write_and_read(each, Path(folder), task, task.dataset(name), progress)
            for name, each in lines.items()
        }
    return outputs, notes


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


def _lines_of_vectors(
    vectors: Vectors, task: Task, datasets: Sequence[DataSet]
) -> tuple[dict[str, Lines], list[str]]:
    check_kind("a folder of vectors", "scores", task)
    folder = vectors.folder
    if not folder.is_dir():
        what = f"a folder with a file such as {datasets[0].name}.npz for each data set"
        raise InputError([Fault(str(folder), "no such folder", what)])
    lines: dict[str, Lines] = {}
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
        text = family_of(task).format_predictions(scores, (), 1)
        _check_scale(scores, text)
        lines[dataset.name] = [(len(scores), text)]
    if faults:
        raise InputError(faults)
    return lines, notes


def _lines_of_predictor(
    predictor: Predictor,
    task: Task,
    datasets: Sequence[DataSet],
    data_dir: str | Path | None,
    n_jobs: int,
    plain: bool,
) -> tuple[dict[str, Lines], list[str]]:
    check_kind(getattr(predictor, "name", type(predictor).__name__), predictor.predicts, task)
    family = family_of(task)
    found, notes = available(task, datasets, data_dir)
    inputs = {each.name: require_all(task, each, data_dir) for each in found or datasets}
    predictor = ready(predictor, data_dir)
    notes += _seen_in_training(predictor, task, found)
    check = _check_scale if predictor.predicts == "scores" else None
    lines: dict[str, Lines] = {}
    for dataset in found:
        pairs = family.read_inputs(inputs[dataset.name], task, dataset)
        if plain:
            pairs = ((left.text, right.text) for left, right in pairs)
        lines[dataset.name] = output_lines(family, predictor, pairs, n_jobs, check)
    return lines, notes


def _seen_in_training(
    predictor: Predictor, task: Task, datasets: Iterable[DataSet]
) -> Iterator[str]:
    known = vars(predictor).get("trained_on_")
    for dataset in datasets:
        if isinstance(known, dict) and f"{task.task}/{dataset.name}" in known:
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


def _check_scale(predictions: Any, lines: bytes) -> None:
    """Refuse scores whose differences are lost in the decimals of an output file."""
    scores = np.asarray(predictions, dtype=np.float64)
    written = [float(line.split(b"\t")[-1]) for line in lines.splitlines()]
    spread = float(np.ptp(scores)) if scores.size else 0.0
    is_constant = spread <= _ROUNDING * float(np.abs(scores).max(initial=0.0))
    if not is_constant and np.abs(scores - written).max() > _LARGEST_LOSS * spread:
        raise InputError(
            f"the scores lie within {spread:.3g} of each other, too close for the decimals of an"
            " output file: multiply them by a constant."
        )
