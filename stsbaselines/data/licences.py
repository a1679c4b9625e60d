"""The licences of data sets: shown once before fetching, and remembered when accepted."""

from __future__ import annotations

from pathlib import Path

from stsbaselines.data.catalogue import Task
from stsbaselines.data.find import cache_directory
from stsbaselines.io.files import read_whole, write_text


def terms(task: Task) -> str:
    """Return what the user has to accept before the data of a task is fetched."""
    of_datasets = [f"  {each.name}: {each.licence}" for each in task.datasets if each.licence]
    return "\n".join(
        [
            f"{task.task}: {task.title}",
            f"Licence: {task.licence}",
            *of_datasets,
            f"Source: {task.source}",
            f"To cite: {task.citation}",
        ]
    )


def is_accepted(task: Task) -> bool:
    """Return whether the current terms of a task were accepted on this machine."""
    path = _path(task)
    return path.is_file() and read_whole(path) == terms(task).encode()


def accept(task: Task) -> None:
    """Remember in the user's cache that the terms of a task were accepted."""
    write_text(_path(task), terms(task))


def _path(task: Task) -> Path:
    return cache_directory().parent / "accepted-licences" / f"{task.task}.txt"
