"""Scoring and checking the output files of a system."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from stsbaselines.data.catalogue import DataSet, Task, find_task
from stsbaselines.data.find import require, require_all
from stsbaselines.errors import Fault, InputError, MissingDataError, nearest, suggestion
from stsbaselines.io import entries_of, open_to_read
from stsbaselines.tasks import typed
from stsbaselines.tasks.base import Scores, family_of


def score(
    task: str,
    path: str | Path,
    dataset: str | None = None,
    mapping: Mapping[str, str] | None = None,
    data_dir: str | Path | None = None,
) -> Scores:
    """Score a system's output files with every measure of a task.

    Parameters
    ----------
    task : str
        Such as ``sts2015``.
    path : path
        An output file, or a folder with one file per data set; plain or ``.gz``.
    dataset : str, optional
        The data set of a single file, if its name does not tell.
    mapping : mapping of str to str, optional
        File names in the folder by data set, for files with other names than the official ones.
    data_dir : path, optional
        Where the gold standard is searched first.

    Returns
    -------
    Scores

    Raises
    ------
    InputError
        If a file is missing or malformed, or the gold standard was not found.
    """
    entry = find_task(task)
    gold, outputs = read_run(entry, Path(path), dataset, mapping or {}, data_dir)
    return family_of(entry).score(entry, run_name(path), gold, outputs)


def read_run(
    task: Task,
    path: Path,
    dataset: str | None,
    mapping: Mapping[str, str],
    data_dir: str | Path | None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the gold standard and the outputs of a run, both by data set."""
    files = output_files(task, path, dataset, mapping)
    outputs = read_outputs(task, files)
    gold = read_gold(task, [each for each in task.datasets if each.name in files], data_dir)
    return gold, outputs


def check(
    task: str,
    path: str | Path,
    dataset: str | None = None,
    mapping: Mapping[str, str] | None = None,
) -> dict[str, Path]:
    """Check that a submission is well-formed, by the task's rules for submissions.

    Parameters
    ----------
    task, path, dataset, mapping
        As for `score`. No official data is needed.

    Returns
    -------
    dict of str to Path
        The checked files, by data set.

    Raises
    ------
    InputError
        If a file is missing or malformed, with all faults.
    """
    entry = find_task(task)
    files = output_files(entry, Path(path), dataset, mapping or {})
    read_outputs(entry, files, strict=True)
    return files


def read_outputs(task: Task, files: Mapping[str, Path], strict: bool = False) -> dict[str, Any]:
    """Read the output file of each data set, with `strict` by the rules for submissions."""
    family = family_of(task)
    outputs: dict[str, Any] = {}
    faults: list[Fault | str] = []
    for name, path in files.items():
        try:
            outputs[name] = family.read_output(path, task, task.dataset(name), strict)
        except InputError as error:
            faults.extend(error.faults)
    if faults:
        raise InputError(faults)
    return outputs


def run_name(path: str | Path) -> str:
    """Return the name of a run: that of its folder or file."""
    return os.path.basename(os.path.abspath(path))


def output_files(
    task: Task, path: Path, dataset: str | None, mapping: Mapping[str, str]
) -> dict[str, Path]:
    """Find the output file of each data set."""
    task.check_is_scored()
    if path.is_dir():
        wanted = task.datasets if dataset is None else [task.dataset(dataset)]
        return _files_of_folder(task, wanted, path, mapping)
    if not path.exists():
        open_to_read(path)
    if mapping:
        raise InputError([Fault(str(path), "a file", "a folder, whose files --map names")])
    only = task.dataset_names[0] if len(task.datasets) == 1 else None
    label = dataset or only or family_of(task).label_of_output(path.name.removesuffix(".gz"))
    if label is None or (dataset is None and label not in task.dataset_names):
        names = ", ".join(task.dataset_names)
        found = f"the file name {path.name!r}{suggestion(label or '', task.dataset_names)}"
        raise InputError([Fault(str(path), found, f"--dataset with one of {names}")])
    return {task.dataset(label).name: path}


def _files_of_folder(
    task: Task, wanted: list[DataSet], folder: Path, mapping: Mapping[str, str]
) -> dict[str, Path]:
    family = family_of(task)
    labels: dict[str, list[str]] = {}
    for path in entries_of(folder):
        label = family.label_of_output(path.name.removesuffix(".gz"))
        if label is not None and path.name not in mapping.values():
            labels.setdefault(label, []).append(path.name)
    for name, file_name in mapping.items():
        if task.dataset(name) not in wanted or list(mapping.values()).count(file_name) > 1:
            raise InputError(f"--map {name}={file_name}: each data set needs a file of its own.")
        labels[name] = [file_name]
    strays = [label for label in labels if label not in task.dataset_names]
    faults: list[Fault | str] = []
    for dataset in wanted:
        found = labels.get(dataset.name, [])
        if len(found) == 1:
            continue
        what = f"{len(found)} files ({', '.join(found)})" if found else "none"
        meant = nearest(dataset.name, strays)
        if meant and not found:
            stray = labels[meant][0]
            to_use_it = f"pass --map {dataset.name}={stray}"
            what += f" ({stray} is for no data set; to use it, {to_use_it})"
        expected = f"one output file for {dataset.name}, such as {dataset.output}"
        faults.append(Fault(str(folder), what, expected))
    if faults:
        raise InputError(faults)
    return {each.name: folder / labels[each.name][0] for each in wanted}


def read_gold(
    task: Task, datasets: list[DataSet], data_dir: str | Path | None = None
) -> dict[str, Any]:
    """Read the gold standard of data sets of a task, by name.

    If item records are available, pairs with an item that the user excludes are not scored.
    """
    family = family_of(task)
    gold: dict[str, Any] = {}
    for each in datasets:
        gold[each.name] = family.read_gold(require(task, each, "gold", data_dir), task, each)
        if "records" in each.folders:
            with contextlib.suppress(MissingDataError):
                files = require_all(task, each, data_dir)
                gold[each.name] = typed.without_excluded(gold[each.name], files, each)
    return gold
