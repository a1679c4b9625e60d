"""Data in memory: the pairs of a data set with their gold scores, and arrays of scores."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from numbers import Real
from pathlib import Path
from typing import Any

import numpy as np

from stsbaselines.data.catalogue import DataSet, Task
from stsbaselines.data.find import require_all
from stsbaselines.errors import Fault, InputError
from stsbaselines.tasks.base import checked_scores, family_of, finite_numbers, first_wrong
from stsbaselines.tasks.labelled import as_task

NAME = "scores"


def load_pairs(
    task: str | Path | Task,
    dataset: str | None = None,
    scored: bool = True,
    data_dir: str | Path | None = None,
) -> tuple[list[Any], Any]:
    """Return the pairs of a data set and their gold standard, to fit and to predict.

    Parameters
    ----------
    task : str, path or Task
        Such as ``sts2015``, ``sts2012-train`` to train on, or a file of your own; see
        `stsbaselines.read_task`.
    dataset : str, optional
        Such as ``belief``; needed unless the task has one data set.
    scored : bool
        Whether to leave out the pairs without a gold score.
    data_dir : path, optional
        Where the data is searched first.

    Returns
    -------
    pairs : list of (str, str) of length n_pairs
        Of typed similarity, pairs of `Record`; of interpretable STS, of `ChunkedSentence`.
    gold : ndarray of shape (n_pairs,)
        NaN for a pair without a gold score. Of the Twitter task, whether a pair is a paraphrase,
        with debatable pairs left out or NaN; of typed similarity, of shape (n_pairs, 8); of
        interpretable STS, a list of alignments.

    Raises
    ------
    InputError
        If there is no such task or data set, or its files were not found.

    Examples
    --------
    >>> pairs, gold = load_pairs("sample-sts", "kitchen")
    >>> len(pairs), gold[:3].tolist()
    (11, [4.6, 4.2, 2.6])
    >>> pairs, gold = load_pairs("sample-sts", "kitchen", scored=False)
    >>> len(pairs), int(np.isnan(gold).sum())
    (12, 1)
    """
    entry = as_task(task)
    if dataset is None and len(entry.datasets) > 1:
        names = ", ".join(entry.dataset_names)
        raise InputError(f"{entry.task} has several data sets: name one of {names}.")
    chosen = entry.dataset(dataset or entry.dataset_names[0])
    family, files = family_of(entry), require_all(entry, chosen, data_dir)
    pairs, gold, lines = family.read_training(files, entry, chosen)
    if scored:
        return list(pairs), gold
    every = list(family.read_inputs(files, entry, chosen))
    if not isinstance(gold, np.ndarray):  # alignments, which every pair has
        return every, gold
    spread = np.full((len(every), *gold.shape[1:]), np.nan)
    spread[np.array(lines, dtype=int) - 1] = gold
    return every, spread


def is_array(system: Any) -> bool:
    """Return whether an object is an array, or a list of numbers."""
    if isinstance(system, list | tuple):
        return bool(system) and isinstance(system[0], Real)
    return hasattr(system, "__array__") and not isinstance(system, type)


def are_arrays(system: Any) -> bool:
    """Return whether a system is given as an array, or as several by data set."""
    return isinstance(system, Mapping | list | tuple) or is_array(system)


def by_dataset(
    system: Any, task: Task, dataset: str | None = None
) -> tuple[dict[str, Any], list[str]]:
    """Return arrays by data set, in the task's order, and a note if the length of one decided."""
    task.check_is_scored()
    if family_of(task).predicts == "alignments":
        raise InputError(f"{task.task} needs alignments: an array has none.")
    if not isinstance(system, Mapping):
        if dataset is not None:
            return {task.dataset(dataset).name: system}, []
        name, notes = _dataset_by_length(system, task)
        return {name: system}, notes
    for name in system:
        task.dataset(name)
    wanted = task.dataset_names if dataset is None else [task.dataset(dataset).name]
    found = {name: system[name] for name in wanted if name in system}
    if not found:
        raise InputError(f"there is no array for {dataset or 'any data set'}.")
    return found, []


def _dataset_by_length(scores: Any, task: Task) -> tuple[str, list[str]]:
    if len(task.datasets) == 1:
        return task.dataset_names[0], []
    count = _count(scores, "the scores")
    fitting = [each.name for each in task.datasets if count in (each.pairs, each.scored)]
    if len(fitting) != 1:
        fit = f"those of {' and '.join(fitting)}" if fitting else "no data set"
        expected = f"arrays by data set, such as {{{task.dataset_names[0]!r}: array}}"
        what = f"{count} scores, which fit {fit} of {task.task}"
        raise InputError([Fault("the scores", what, expected)])
    return fitting[0], [f"the scores are taken as those of {fitting[0]}, by their number"]


def outputs_of_arrays(
    arrays: Mapping[str, Any], task: Task, gold: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the outputs that arrays of scores make, of all lines or of the scored pairs."""
    return {
        name: _output_of(scores, task, task.dataset(name), gold[name])
        for name, scores in arrays.items()
    }


def _output_of(scores: Any, task: Task, dataset: DataSet, gold: Any) -> Any:
    family, source = family_of(task), f"the scores of {dataset.name}"
    counted, columns = family.countable(gold), np.shape(gold)[1:]
    lines = np.flatnonzero(counted)
    count = _count(scores, source)
    if dataset.rows and count == dataset.file_rows:
        scores = [scores[row - 1] for row in dataset.rows]
        count = len(scores)
    if count not in (len(counted), len(lines)):
        expected = f"{len(counted)}, one for each line"
        if len(lines) < len(counted):
            expected += f", or {len(lines)}, one for each scored pair"
        raise InputError([Fault(source, f"{count} scores", expected)])
    if count > len(lines):
        is_plain = isinstance(scores, np.ndarray)
        scores = scores[counted] if is_plain else [*itertools.compress(scores, counted)]
    if finite_numbers(scores) is None and (wrong := first_wrong(scores, columns)):
        number = int(lines[wrong[0]]) + 1
        raise InputError([Fault(source, wrong[1], "a finite number", pair=number)])
    # What does not count is 0 here, and enters no number.
    full = np.zeros((len(counted), *columns))
    full[lines] = checked_scores(scores, *columns, source=source)
    return family.output_of(full, (), task)


def _count(scores: Any, source: str) -> int:
    try:
        return len(scores)
    except TypeError:
        expected = "an array with a number for each pair"
        raise InputError([Fault(source, type(scores).__name__, expected)]) from None
