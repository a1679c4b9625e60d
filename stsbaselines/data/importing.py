"""Putting in place what a user has on disk: official files, and labelled pairs of their own.

`recognise` says what there is, `plan` where it goes, and `place` writes it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import shlex
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from stsbaselines.data import find, recognition
from stsbaselines.data.candidates import Candidate, candidates_in
from stsbaselines.data.catalogue import DataFile, Task, find_task, task_names
from stsbaselines.data.recognition import Right, Wanted, Wrong
from stsbaselines.errors import Fault, InputError
from stsbaselines.exports import LARGEST, Export, may_be_export, name_of, read_export
from stsbaselines.io import make_folder, open_as_is, put_in_place, translate_os_errors

OWN = "own"
State = Literal["new", "already there", "another file is there"]
_EXPECTED = (
    "official files of `stsbaselines data list`, an archive of them, or labelled pairs (the STS"
    " benchmark, or sentence1, sentence2 and score as Parquet, JSON lines or TSV)"
)


@dataclass(frozen=True)
class Found:
    """What is in a file, a folder or an archive.

    Attributes
    ----------
    path : Path
    looked_at : int
        How many files there are.
    right : dict of str to Right
        Official files, by their name there; each official file once.
    wrong : dict of str to Wrong
        Files that have an official name and other content, where the official one is not here.
    exports : tuple of Export
        Labelled pairs, the same ones once.
    unusable : tuple of Fault or str
        What could not be read, or is wrong with labelled pairs.
    """

    path: Path
    looked_at: int
    right: dict[str, Right]
    wrong: dict[str, Wrong]
    exports: tuple[Export, ...]
    unusable: tuple[Fault | str, ...]


@dataclass(frozen=True)
class Placement:
    """A file to put in place.

    Attributes
    ----------
    source : str
        What it was found as.
    task, dataset : str
    how : str
        ``right``, or what was undone or made of it.
    path : Path
        Where it goes.
    content : bytes
    """

    source: str
    task: str
    dataset: str
    how: str
    path: Path
    content: bytes = field(repr=False)

    @property
    def state(self) -> State:
        """What is there now."""
        if not os.path.lexists(self.path):
            return "new"
        if self.path.is_file() and self.path.stat().st_size == len(self.content):
            with open_as_is(self.path) as stream:
                if stream.read() == self.content:
                    return "already there"
        return "another file is there"


@dataclass(frozen=True)
class Plan:
    """Where everything that was found goes.

    Attributes
    ----------
    found : Found
    target : Path
        The data directory.
    placements : tuple of Placement
    rows : tuple of dict of str to str
        The same, and what is wrong, as a table.
    notes : tuple of str
        What is wrong and why, what is still missing, what may not be passed on.
    """

    found: Found
    target: Path
    placements: tuple[Placement, ...]
    rows: tuple[dict[str, str], ...]
    notes: tuple[str, ...]

    @property
    def new(self) -> list[Placement]:
        """The files that are not there yet."""
        return [each for each in self.placements if each.state == "new"]

    def check(self) -> None:
        """Refuse to put a file where another one is.

        Raises
        ------
        InputError
        """
        faults: list[Fault | str] = [
            Fault(str(each.path), "another file", f"nothing, or what {each.source} has")
            for each in self.placements
            if each.state == "another file is there"
        ]
        if faults:
            raise InputError(faults)


def recognise(path: Path, tasks: Sequence[Task] | None = None) -> Found:
    """Look at all files in a file, a folder or an archive, and tell what they are.

    Parameters
    ----------
    path : Path
    tasks : sequence of Task, optional
        Those whose official files are known; by default all of the catalogue.

    Returns
    -------
    Found

    Raises
    ------
    InputError
        If nothing of it can be used; the message says what was there.

    Examples
    --------
    >>> found = recognise(find.SAMPLES / "sample-sts")
    >>> found.looked_at, list(found.right)[0]
    (4, 'STS.gs.journeys.txt')
    """
    index = recognition.Index(
        [find_task(name) for name in task_names()] if tasks is None else tasks
    )
    heap = _Heap(path)
    for candidate in candidates_in(path):
        heap.looked_at += 1
        if not isinstance(candidate, Candidate):
            heap.unusable.append(candidate)
            continue
        try:
            heap.add(candidate, _recognised(candidate, index, path))
        except InputError as error:
            heap.unusable += error.faults
    return heap.found()


class _Heap:
    """What was recognised so far in a file, a folder or an archive.

    Parameters
    ----------
    path : Path
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.looked_at = self.others = 0
        self.unusable: list[Fault | str] = []
        self._right: dict[tuple[DataFile, ...], tuple[str, Right]] = {}
        self._wrong: dict[str, tuple[str, Wrong]] = {}
        self._exports: dict[str, list[Export]] = {}

    def add(self, candidate: Candidate, what: Right | Wrong | Export | None) -> None:
        """Add what a file is: of equal ones the first, and rather one that was not changed."""
        if isinstance(what, Right):
            files = tuple(wanted.file for wanted in what.wanted)
            if files not in self._right or (self._right[files][1].undone and not what.undone):
                self._right[files] = candidate.name, what
        elif isinstance(what, Wrong):
            self._wrong[candidate.name] = candidate.place, what
        elif isinstance(what, Export):
            alike = self._exports.setdefault(what.name, [])
            if (what.input, what.gold) not in [(each.input, each.gold) for each in alike]:
                alike.append(what)
        else:
            self.others += 1

    def found(self) -> Found:
        """Return all that can be used; raise InputError if nothing can."""
        exports = tuple(each[0] for each in self._exports.values() if len(each) == 1)
        unusable = [*self.unusable, *self._ambiguous()]
        if not (self._right or exports):
            raise InputError([*self._refused(bool(unusable)), *unusable])
        here = set(itertools.chain.from_iterable(self._right))
        wrong = {
            name: each
            for name, (_, each) in self._wrong.items()
            if not {wanted.file for wanted in each.wanted} <= here
        }
        right = dict(sorted(self._right.values(), key=lambda named: named[0]))
        return Found(self.path, self.looked_at, right, wrong, exports, tuple(unusable))

    def _ambiguous(self) -> Iterator[Fault]:
        for name, alike in self._exports.items():
            if len(alike) > 1:
                sources = " and ".join(each.source for each in alike)
                expected = "files with different names"
                yield Fault(str(self.path), f"{sources} for {name}", expected)

    def _refused(self, is_explained: bool) -> Iterator[Fault]:
        for place, each in self._wrong.values():
            yield Fault(place, each.found, f"the official {_files(each.wanted)}")
        if self.others or not (self._wrong or is_explained):
            what = "1 file that is" if self.others == 1 else f"{self.others:,} files that are"
            yield Fault(str(self.path), f"{what} no data set", _EXPECTED)


def _recognised(
    candidate: Candidate, index: recognition.Index, path: Path
) -> Right | Wrong | Export | None:
    is_like_export = may_be_export(candidate.name)
    content = candidate.content(LARGEST if is_like_export else recognition.LARGEST)
    official = None
    if len(content) <= recognition.LARGEST:
        official = index.recognise(content, candidate.name)
    export = None if official else read_export(content, candidate.name, candidate.place)
    if export and "/" not in candidate.name:  # it may be named by what it lies in
        place = path.resolve()
        folder = place.name if place.is_dir() else place.parent.name
        return replace(export, name=name_of(f"{folder}/{candidate.name}"))
    return official or export


def _files(wanted: Sequence[Wanted]) -> str:
    """Name official files, one of which is meant."""
    names = dict.fromkeys(each.file.name for each in wanted)
    tasks = dict.fromkeys(each.task.task for each in wanted)
    return f"{' or '.join(names)} of {' or '.join(tasks)}"


def plan(found: Found, target: Path | None = None) -> Plan:
    """Say where everything that was found goes; nothing is written.

    Parameters
    ----------
    found : Found
    target : Path, optional
        The data directory; by default that in the user's cache.

    Returns
    -------
    Plan

    Raises
    ------
    InputError
        If the target is no folder.
    """
    target = target or find.cache_directory()
    if target.exists() and not target.is_dir():
        raise InputError([Fault(str(target), "something else", "a folder")])
    placements = (*_official(found, target), *_own(found, target))
    rows = [
        {
            "found": each.source,
            "task": each.task,
            "data set": each.dataset,
            "is": each.how,
            "goes to": each.path.relative_to(target).as_posix(),
            "state": each.state,
        }
        for each in placements
    ]
    rows += [
        {
            "found": name,
            "task": " or ".join(dict.fromkeys(wanted.task.task for wanted in each.wanted)),
            "data set": " or ".join(dict.fromkeys(_data_set(wanted) for wanted in each.wanted)),
            "is": "wrong",
        }
        for name, each in found.wrong.items()
    ]
    return Plan(found, target, placements, tuple(rows), tuple(_notes(found, target)))


def _data_set(wanted: Wanted) -> str:
    return wanted.dataset.name if wanted.dataset else wanted.role


def _official(found: Found, target: Path) -> Iterator[Placement]:
    for name, each in found.right.items():
        for wanted in each.wanted:
            how = f"right, without {each.undone}" if each.undone else "right"
            yield Placement(
                source=name,
                task=wanted.task.task,
                dataset=_data_set(wanted),
                how="not verified" if wanted.file.unverified else how,
                path=target / wanted.task.folders[0] / wanted.file.name,
                content=each.content,
            )


def _own(found: Found, target: Path) -> Iterator[Placement]:
    for export in found.exports:
        how = f"{export.pairs:,} {'pair' if export.pairs == 1 else 'pairs'}, {export.kind}"
        for kind, content in (("input", export.input), ("gs", export.gold)):
            path = target / OWN / export.name / f"STS.{kind}.{export.name}.txt"
            yield Placement(export.source, OWN, export.name, how, path, content)


def _notes(found: Found, target: Path) -> Iterator[str]:
    known = len(found.right) + len(found.wrong) + len(found.exports)
    yield f"Files that were looked at: {found.looked_at:,}; in the table: {known:,}."
    for name, each in found.wrong.items():
        yield f"{name}: {each.found}; it is not the official {_files(each.wanted)}."
    if found.unusable:
        yield str(InputError(found.unusable))
    wanted = [one for each in found.right.values() for one in each.wanted]
    for one in wanted:
        if one.is_withheld:
            yield f"{one.file.name} may not be passed on ({one.licence})."
    for task, files in itertools.groupby(_missing(wanted, target), key=lambda one: one.task.task):
        yield f"{task}: still missing: {', '.join(_named(one) for one in files)}."
    searched = {os.path.realpath(each) for each in find.directories()}
    if found.right and os.path.realpath(target) not in searched:
        yield f"{target} is only searched where --data-dir or ${find.ENVIRONMENT} names it."
    for export in found.exports:
        yield from (f"{export.source}: {note}." for note in export.notes)
        path = target / OWN / export.name / f"STS.input.{export.name}.txt"
        command = f"stsbaselines predict token-cosine {shlex.quote(str(path))}"
        yield f"{export.name}: go on with `{command} -o STS.output.{export.name}.txt`."


def _missing(wanted: Sequence[Wanted], target: Path) -> Iterator[Wanted]:
    """Yield the files of the tasks touched that are neither found nor here already."""
    tasks = {one.task.task: one.task for one in wanted}
    found = {one.file for one in wanted}
    place = target if target.is_dir() else None
    for one in recognition.files_of(list(tasks.values())):
        if one.dataset is None or one.file in found:
            continue
        if find.locate(one.task, one.dataset, one.role, place).status != "ok":
            yield one


def _named(wanted: Wanted) -> str:
    if not wanted.is_withheld:
        return wanted.file.name
    source = (wanted.dataset and wanted.dataset.source) or wanted.task.source
    return f"{wanted.file.name} (from {source})"


def place(plan: Plan) -> None:
    """Put the files of a plan in place, after all of them were written.

    Parameters
    ----------
    plan : Plan

    Raises
    ------
    InputError
        If another file is where one goes, or they cannot be written: then none is put in place.
    """
    plan.check()
    new = plan.new
    if not new:
        return
    stage = plan.target / f".import.{secrets.token_hex(8)}.tmp"
    parts = [stage / str(number) for number in range(len(new))]
    with contextlib.ExitStack() as undo, contextlib.ExitStack() as end:
        _make_folder(plan.target, undo)
        end.callback(shutil.rmtree, stage, ignore_errors=True)
        make_folder(stage)
        for part, each in zip(parts, new, strict=True):
            with translate_os_errors(each.path, part):
                part.write_bytes(each.content)
        for part, each in zip(parts, new, strict=True):
            _make_folder(each.path.parent, undo)
            with translate_os_errors(each.path, part):
                put_in_place(part, each.path)
            undo.callback(each.path.unlink, missing_ok=True)
        undo.pop_all()


def _make_folder(folder: Path, undo: contextlib.ExitStack) -> None:
    """Make a folder; if it comes to undoing, remove what was made and is empty then."""
    for each in [*reversed(folder.parents), folder]:
        if not each.exists():
            make_folder(each)
            undo.callback(_remove_empty, each)


def _remove_empty(folder: Path) -> None:
    with contextlib.suppress(OSError):
        folder.rmdir()
