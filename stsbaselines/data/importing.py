"""Importing official files that the user already has: they are recognised by checksum."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from stsbaselines.data.archives import contents_of
from stsbaselines.data.catalogue import (
    DataFile,
    Task,
    find_task,
    git_blob_of,
    sha256_of,
    task_names,
)
from stsbaselines.data.find import cache_directory
from stsbaselines.errors import Fault, InputError, visible
from stsbaselines.io.files import read_whole, write_bytes


@dataclass(frozen=True)
class Placement:
    """An official file, the name under which it was found, and the path where it goes."""

    found: str
    task: Task
    file: DataFile
    path: Path
    content: bytes = field(repr=False)

    @property
    def restricted(self) -> bool:
        """Whether the file may not be redistributed."""
        return any(
            self.file == each.files[role]
            for each in self.task.datasets
            for role in each.files
            if each.is_restricted(role)
        )

    @property
    def state(self) -> Literal["new", "already there", "another file is there"]:
        """What is at `path` now."""
        if not os.path.lexists(self.path):
            return "new"
        is_same = self.path.is_file() and read_whole(self.path) == self.content
        return "already there" if is_same else "another file is there"


@dataclass(frozen=True)
class Plan:
    """The official files that were found, and the names of others."""

    target: Path
    placements: tuple[Placement, ...]
    others: tuple[str, ...]
    unreadable: tuple[Fault | str, ...]


def plan(path: Path, target: Path | None = None) -> Plan:
    """Recognise the official files in a file, a folder or an archive; nothing is written."""
    target = target or cache_directory()
    files = _official_files()
    placements: dict[Path, Placement] = {}
    others: list[str] = []
    unreadable: list[Fault | str] = []
    for name, content in _contents(path, unreadable):
        official = files.get(sha256_of(content)) or files.get(git_blob_of(content), [])
        for task, file in official:
            place = target / task.folders[0] / file.name
            placements.setdefault(place, Placement(name, task, file, place, content))
        if not official:
            others.append(name)
    if not placements:
        found = f"{len(others):,} files, none of them official"
        expected = "official files of `stsbaselines data list`"
        summary = [Fault(str(path), found, expected)] if others or not unreadable else []
        raise InputError([*summary, *unreadable])
    return Plan(target, tuple(placements.values()), tuple(others), tuple(unreadable))


def place(plan: Plan) -> int:
    """Write the new files of a plan, and return how many."""
    faults: list[Fault | str] = [
        Fault(str(each.path), "another file", f"nothing, or what {each.found} has")
        for each in plan.placements
        if each.state == "another file is there"
    ]
    if faults:
        raise InputError(faults)
    new = [each for each in plan.placements if each.state == "new"]
    for each in new:
        write_bytes(each.path, each.content)
    return len(new)


def _official_files() -> dict[str, list[tuple[Task, DataFile]]]:
    """Return the official files by checksum."""
    files: dict[str, list[tuple[Task, DataFile]]] = {}
    for task in map(find_task, task_names()):
        of_datasets = [file for dataset in task.datasets for file in dataset.files.values()]
        of_resources = [file for resource in task.resources.values() for file in resource]
        for file in (*of_datasets, *of_resources):
            files.setdefault(file.checksum, []).append((task, file))
    return files


def _contents(path: Path, unreadable: list[Fault | str]) -> Iterator[tuple[str, bytes]]:
    """Yield name and content of each file in a file, a folder, and the archives in it.

    Faults of files that cannot be read are added to `unreadable`.
    """
    for each in _files_in(path):
        in_folder = each.relative_to(path).as_posix() if each != path else ""
        try:
            for member, content in contents_of(each):
                name = "/".join(filter(None, (in_folder, member))) or path.name
                yield visible(name).replace("\n", r"\n"), content or b""
        except InputError as error:
            unreadable += error.faults


def _files_in(path: Path) -> Iterator[Path]:
    """Yield a file, or the files in a folder, but no hidden ones."""
    if not path.is_dir():
        yield path
        return
    for folder, folders, names in os.walk(path):
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        yield from (Path(folder, each) for each in sorted(names) if not each.startswith("."))
