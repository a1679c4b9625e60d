"""Scoring and checking the output files of a system."""

from __future__ import annotations

import contextlib
import itertools
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from stsbaselines.data.catalogue import DataSet, Task
from stsbaselines.data.find import require, require_all
from stsbaselines.errors import Fault, InputError, MissingDataError, nearest, shown, suggestion
from stsbaselines.evaluation.arrays import NAME, are_arrays, by_dataset, outputs_of_arrays
from stsbaselines.io.files import entries_of, open_to_read
from stsbaselines.tasks import typed
from stsbaselines.tasks.base import Scores, family_of
from stsbaselines.tasks.labelled import as_task


def score(
    task: str | Path | Task,
    output: Any,
    dataset: str | None = None,
    mapping: Mapping[str, str] | None = None,
    data_dir: str | Path | None = None,
) -> Scores:
    """Score a system's output with every measure of a task.

    Parameters
    ----------
    task : str, path or Task
        Such as ``sts2015``; the path of a task file, or of a file with sentences and gold scores;
        or what `stsbaselines.read_task` returns.
    output : path, list of paths, array-like, or mapping of str to array-like
        An output file, one per data set, or a folder of them; plain or ``.gz``. Or the scores, in
        an array for each data set: of all lines of the input, or of the scored pairs alone.
    dataset : str, optional
        The data set of a single file or array, if its name or length does not tell.
    mapping : mapping of str to str, optional
        File names in the folder by data set, for files with other names than the official ones.
    data_dir : path, optional
        Where the gold standard is searched first.

    Returns
    -------
    Scores
        All measures of each data set and of all together, with notes and a signature.

    Raises
    ------
    InputError
        If a file is missing or malformed, a score is not a finite number, the number of scores
        does not fit, or the gold standard was not found.

    Examples
    --------
    >>> score("sample-sts", {"kitchen": [5, 4, 3, 4, 5, 1, 5, 0, 4, 5, 2]})
    <Scores of scores on sample-sts; kitchen 0.9902>
    """
    entry = as_task(task)
    paths = [output] if isinstance(output, str | Path) else output
    if isinstance(paths, list) and paths and all(isinstance(each, str | Path) for each in paths):
        return scored_run(entry, paths, dataset, mapping, data_dir)[-1]
    if not are_arrays(output):
        expected = "an output file, a folder of them, or arrays of scores"
        raise InputError([Fault("the output", shown(repr(output)), expected)])
    if mapping:
        raise InputError("a mapping names output files, but the scores are given as an array.")
    arrays, notes = by_dataset(output, entry, dataset)
    gold = read_gold(entry, [entry.dataset(name) for name in arrays], data_dir)
    scores = family_of(entry).score(entry, NAME, gold, outputs_of_arrays(arrays, entry, gold))
    return replace(scores, notes=(*entry.notes, *notes, *scores.notes))


def scored_run(
    task: Task,
    paths: Sequence[str | Path],
    dataset: str | None,
    mapping: Mapping[str, str] | None,
    data_dir: str | Path | None,
) -> tuple[dict[str, Any], dict[str, Any], Scores]:
    """Return the gold standard and the outputs of a run by data set, and its scores."""
    files = files_of_run(task, paths, dataset, mapping)
    outputs = read_outputs(task, files)
    gold = read_gold(task, [each for each in task.datasets if each.name in files], data_dir)
    scores = family_of(task).score(task, _name_of_run(paths), gold, outputs)
    notes = *task.notes, *notes_on_names(task, files, dataset, mapping), *scores.notes
    return gold, outputs, replace(scores, notes=notes)


def files_of_run(
    task: Task,
    paths: Sequence[str | Path],
    dataset: str | None = None,
    mapping: Mapping[str, str] | None = None,
    strict: bool = False,
) -> dict[str, Path]:
    """Return the output files of one run by data set: a folder of them, or files of its own."""
    found: dict[str, Path] = {}
    for path in map(Path, paths):
        if len(paths) > 1 and path.is_dir():
            raise InputError(f"{path} is a folder: score one run at a time, or use `compare`.")
        for name, file in output_files(task, path, dataset, mapping or {}, strict).items():
            if name in found:
                raise InputError(
                    f"{found[name]} and {file} are both for {name}: score one run at a time, or"
                    " use `compare`."
                )
            found[name] = file
    return {name: found[name] for name in task.dataset_names if name in found}


def _name_of_run(paths: Sequence[str | Path]) -> str:
    first = Path(paths[0])
    return run_name(first if len(paths) == 1 else first.parent)


def check(
    task: str | Path | Task,
    path: str | Path | Sequence[str | Path],
    dataset: str | None = None,
    mapping: Mapping[str, str] | None = None,
) -> dict[str, Path]:
    """Check that a submission is well-formed, by the task's rules for submissions.

    Parameters
    ----------
    task : str, path or Task
        As for `score`.
    path : path or list of paths
        An output file, one per data set, or a folder of them.
    dataset, mapping
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
    entry = as_task(task)
    paths = [path] if isinstance(path, str | Path) else path
    files = files_of_run(entry, paths, dataset, mapping, strict=True)
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
    task: Task, path: Path, dataset: str | None, mapping: Mapping[str, str], strict: bool = False
) -> dict[str, Path]:
    """Find the output file of each data set.

    Files need not have official names, unless `strict`: the name of a data set may occur in the
    name of one file.
    """
    task.check_is_scored()
    if path.is_dir():
        wanted = task.datasets if dataset is None else [task.dataset(dataset)]
        return _files_of_folder(task, wanted, path, mapping, strict)
    if not path.exists():
        open_to_read(path)
    if mapping:
        raise InputError([Fault(str(path), "a file", "a folder, whose files --map names")])
    only = task.dataset_names[0] if len(task.datasets) == 1 else None
    label = dataset or only or family_of(task).label_of_output(path.name.removesuffix(".gz"))
    occurring = [] if strict else occurring_names(task, path.name)
    if dataset is None and label not in task.dataset_names and len(occurring) == 1:
        label = occurring[0]
    if label is None or (dataset is None and label not in task.dataset_names):
        names = ", ".join(task.dataset_names)
        found = f"the file name {path.name!r}{suggestion(label or '', task.dataset_names)}"
        raise InputError([Fault(str(path), found, f"--dataset with one of {names}")])
    return {task.dataset(label).name: path}


def occurring_names(task: Task, file: str) -> list[str]:
    """Return the data sets whose names occur in a file's name, not next to letters, in any case.

    "-", "_" and a blank are alike. An occurrence within that of another name does not count, and
    tasks with one data set need none.
    """
    if len(task.datasets) == 1:
        return []
    found = [
        (match.start(), match.end(), name)
        for name in task.dataset_names
        for words in ["[-_ ]".join(map(re.escape, re.split("[-_ ]", name)))]
        for match in re.finditer(rf"(?<![a-z]){words}(?![a-z])", file, re.IGNORECASE)
    ]
    outer = {
        name
        for start, end, name in found
        if not any(a <= start and end <= b and b - a > end - start for a, b, _ in found)
    }
    return [name for name in task.dataset_names if name in outer]


def notes_on_names(
    task: Task,
    files: Mapping[str, Path],
    dataset: str | None,
    mapping: Mapping[str, str] | None,
) -> list[str]:
    """Return a note on each output file that was recognised by a name that is not official."""
    family, given = family_of(task), {*(mapping or {}), dataset}
    return [
        f"{path.name} is taken as the output for {name}, which its name contains"
        for name, path in files.items()
        if name not in given
        and len(task.datasets) > 1
        and family.label_of_output(path.name.removesuffix(".gz")) != name
    ]


def _files_of_folder(
    task: Task, wanted: list[DataSet], folder: Path, mapping: Mapping[str, str], strict: bool
) -> dict[str, Path]:
    files = _labelled_files(task, folder, mapping, strict)
    for name, file_name in mapping.items():
        if task.dataset(name) not in wanted or list(mapping.values()).count(file_name) > 1:
            raise InputError(f"--map {name}={file_name}: each data set needs a file of its own.")
        files[name] = [file_name]
    faults: list[Fault | str] = []
    for dataset in wanted:
        found = files.get(dataset.name, [])
        if len(found) == 1:
            continue
        what = f"{len(found)} files ({', '.join(found)})" if found else "none"
        stray = "" if found else _similar_file(task, dataset.name, files[""])
        if stray:
            to_use_it = f"pass --map {dataset.name}={stray}"
            what += f" ({stray} is for no data set; to use it, {to_use_it})"
        expected = f"one output file for {dataset.name}, such as {dataset.output}"
        faults.append(Fault(str(folder), what, expected))
    if faults:
        raise InputError(faults)
    return {each.name: folder / files[each.name][0] for each in wanted}


def _labelled_files(
    task: Task, folder: Path, mapping: Mapping[str, str], strict: bool
) -> dict[str, list[str]]:
    """Return the names of the files for each data set, and of others for ""."""
    family = family_of(task)
    labelled: dict[str, list[str]] = {"": []}
    occurring: dict[str, list[str]] = {}
    official = {file.name for each in task.datasets for file in each.files.values()}
    for path in entries_of(folder):
        if path.name in mapping.values() or path.name.startswith(".") or path.is_dir():
            continue
        label = family.label_of_output(path.name.removesuffix(".gz"))
        if label in task.dataset_names:
            labelled.setdefault(label, []).append(path.name)
        elif path.name not in official:
            labelled[""].append(path.name)
    for file in [] if strict else labelled[""]:
        for name in occurring_names(task, file):
            occurring.setdefault(name, []).append(file)
    all_occurring = list(itertools.chain(*occurring.values()))
    for name, files in occurring.items():
        if len(files) > 1 or all_occurring.count(files[0]) == 1:
            labelled.setdefault(name, files)
    return labelled


def _similar_file(task: Task, dataset: str, files: list[str]) -> str:
    """Return the file whose name contains that of a data set, or something like it, or "".

    A name that contains that of another data set alone is never similar.
    """
    by_part: dict[str, str] = {}
    for file in files:
        names, words = occurring_names(task, file), re.split(r"[-._\s]+", file)
        if dataset in names:
            return file
        if not names:
            runs = itertools.combinations(range(len(words) + 1), 2)
            by_part |= {"-".join(words[start:end]): file for start, end in runs}
    return by_part.get(nearest(dataset, by_part) or "", "")


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
