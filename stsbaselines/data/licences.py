"""The terms of data sets: shown once before they are fetched, and remembered when accepted."""

from __future__ import annotations

from pathlib import Path

from stsbaselines.data.catalogue import Task
from stsbaselines.data.find import cache_directory
from stsbaselines.io import open_to_read, write_text


def terms(task: Task) -> str:
    """Return what is to be accepted before the data of a task is fetched.

    Examples
    --------
    >>> from stsbaselines.data.catalogue import find_task
    >>> print(terms(find_task("sample-pit")))
    sample-pit: Sample in the format of PIT-2015, made for this package
    Licence: Apache-2.0, as this package
    Source: this package
    To cite: none: the sentences were written for this package
    """
    of_sets = [f"  {each.name}: {each.licence}" for each in task.datasets if each.licence]
    return "\n".join(
        [
            f"{task.task}: {task.title}",
            f"Licence: {task.licence}",
            *of_sets,
            f"Source: {task.source}",
            f"To cite: {task.citation}",
        ]
    )


def is_accepted(task: Task) -> bool:
    """Tell whether the terms of a task, as they are now, were accepted on this machine."""
    path = _path(task)
    if not path.is_file():
        return False
    with open_to_read(path) as stream:
        return stream.read() == terms(task).encode()


def accept(task: Task) -> None:
    """Remember that the terms of a task were accepted.

    Raises
    ------
    InputError
        If that cannot be written to the user's cache.
    """
    write_text(_path(task), terms(task))


def _path(task: Task) -> Path:
    return cache_directory().parent / "accepted-licences" / f"{task.task}.txt"
