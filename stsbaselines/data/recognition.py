"""Recognising official files by their content, whatever they are called, also changed ones."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import NamedTuple

from stsbaselines.data.catalogue import DataFile, DataSet, Task
from stsbaselines.data.find import git_blob_digest
from stsbaselines.io import number_of_lines, unpacked_name

LARGEST = 16 << 20  # bytes: several times what the largest official file has
_MARK = b"\xef\xbb\xbf"
_NO_DATA = {
    b"version https://git-lfs": "a pointer of Git LFS in place of the file",
    b"<!doctype": "a web page",
    b"<html": "a web page",
}


class Wanted(NamedTuple):
    """A file of the catalogue.

    Attributes
    ----------
    task : Task
    dataset : DataSet or None
        None for a resource of the task.
    role : str
        Such as ``gold``, or the name of the resource.
    file : DataFile
    """

    task: Task
    dataset: DataSet | None
    role: str
    file: DataFile

    @property
    def is_withheld(self) -> bool:
        """Whether it may not be passed on, or is not to be had by everybody."""
        return self.dataset is not None and self.dataset.withholds(self.role)

    @property
    def licence(self) -> str:
        """The licence of its data set."""
        return (self.dataset and self.dataset.licence) or self.task.licence

    @property
    def lines(self) -> int | None:
        """How many lines it has, where that is known from its pairs."""
        if self.dataset is None or self.task.family == "pit" or self.file.name.endswith(".wa"):
            return None
        return self.dataset.pairs


@dataclass(frozen=True)
class Right:
    """An official file.

    Attributes
    ----------
    wanted : tuple of Wanted
        What it is: more than one if tasks share it.
    content : bytes
        The official content.
    undone : str
        What had been changed and was undone, in words; else empty.
    """

    wanted: tuple[Wanted, ...]
    content: bytes
    undone: str = ""


@dataclass(frozen=True)
class Wrong:
    """A file with an official name and other content.

    Attributes
    ----------
    wanted : tuple of Wanted
        What it may be meant to be.
    found : str
        What it probably is, in words.
    """

    wanted: tuple[Wanted, ...]
    found: str


class Index:
    """The files of some tasks, by checksum and by name.

    Parameters
    ----------
    tasks : sequence of Task
    """

    def __init__(self, tasks: Sequence[Task]) -> None:
        self._by_checksum: dict[str, list[Wanted]] = defaultdict(list)
        self._by_name: dict[str, list[Wanted]] = defaultdict(list)
        for wanted in files_of(tasks):
            self._by_name[_key(wanted.file.name)].append(wanted)
            if not wanted.file.unverified:
                self._by_checksum[wanted.file.checksum].append(wanted)

    def recognise(self, content: bytes, name: str) -> Right | Wrong | None:
        r"""Tell what a file is by its content or, if that is not official, by its name.

        Parameters
        ----------
        content : bytes
        name : str
            Its path, with ``/``.

        Examples
        --------
        >>> from stsbaselines.data.catalogue import find_task
        >>> from stsbaselines.data.find import SAMPLES
        >>> content = (SAMPLES / "sample-sts" / "STS.gs.kitchen.txt").read_bytes()
        >>> index = Index([find_task("sample-sts")])
        >>> index.recognise(content, "any").wanted[0].dataset.name
        'kitchen'
        >>> index.recognise(content.replace(b"\n", b"\r\n"), "STS.gs.kitchen.txt").undone
        'Windows line endings'
        >>> index.recognise(content[:20], "STS.gs.kitchen.txt").found
        '5 lines: cut short, for the official file has 12'
        """
        if wanted := self._official(content):
            return Right(wanted, content)
        named = self._by_name.get(_key(PurePosixPath(name).name), [])
        unverified = tuple(each for each in named if each.file.unverified)
        if unverified and content.strip() and not _no_data(content):
            return Right(unverified, content)
        if not named:
            return None
        done = []
        for what, undone in _undone(content):
            done.append(what)
            if wanted := self._official(undone):
                return Right(wanted, undone, " and ".join(done))
        lines = number_of_lines(content)
        meant = _meant(named, name, lines)
        return Wrong(meant, _likely(content, lines, meant, done))

    def _official(self, content: bytes) -> tuple[Wanted, ...]:
        found: list[Wanted] = []
        for checksum in _checksums(content):
            found += self._by_checksum.get(checksum, [])
        return tuple(found)


def files_of(tasks: Sequence[Task]) -> Iterator[Wanted]:
    """Yield the files of tasks, those of their data sets first."""
    for task in tasks:
        for dataset in task.datasets:
            for role, file in dataset.files.items():
                yield Wanted(task, dataset, role, file)
        for name, files in task.resources.items():
            for file in files:
                yield Wanted(task, None, name, file)


def _checksums(content: bytes) -> tuple[str, str]:
    """Return the checksums of a file, as the catalogue writes them."""
    blob = git_blob_digest(len(content))
    blob.update(content)
    return f"sha256 {hashlib.sha256(content).hexdigest()}", f"git blob {blob.hexdigest()}"


def _key(name: str) -> str:
    """Return what official names are compared by; SentEval calls those of 2016 as the others."""
    return unpacked_name(name).lower().replace("sts2016.", "sts.")


def _undone(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Yield what programs often change in a text, each undone after the ones before it."""
    for what, undo in (
        ("UTF-16", _from_utf16),
        ("a byte order mark", without_mark),
        ("Windows line endings", without_carriage_returns),
        ("an encoding that is not UTF-8", _from_latin1),
        ("no newline at the end", lambda text: text if text.endswith(b"\n") else text + b"\n"),
        ("empty lines at the end", lambda text: text.rstrip(b"\n") + b"\n"),
    ):
        undone = undo(content)
        if undone != content:
            content = undone
            yield what, content


def _from_utf16(content: bytes) -> bytes:
    if not content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return content
    return content.decode("utf-16", "replace").encode("utf-8")


def without_mark(content: bytes) -> bytes:
    r"""Return a text without the byte order mark of UTF-8.

    Examples
    --------
    >>> without_mark(b"\xef\xbb\xbfa")
    b'a'
    """
    return content.removeprefix(_MARK)


def without_carriage_returns(content: bytes) -> bytes:
    r"""Return a text with newlines alone, if all of its lines end as in Windows.

    Examples
    --------
    >>> without_carriage_returns(b"a\r\nb\r\n"), without_carriage_returns(b"a\r\nb\n")
    (b'a\nb\n', b'a\r\nb\n')
    """
    if content.count(b"\r\n") != content.count(b"\n"):
        return content
    return content.replace(b"\r\n", b"\n")


def _from_latin1(content: bytes) -> bytes:
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        pass
    else:
        return content
    try:
        return content.decode("cp1252").encode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1").encode("utf-8")


def _meant(named: Sequence[Wanted], name: str, lines: int) -> tuple[Wanted, ...]:
    """Return those of the files of a name that its folders, then its lines, speak for."""
    parts = set(PurePosixPath(name).parts[:-1])
    near = [
        each
        for each in named
        if parts & {part for folder in each.task.folders for part in PurePosixPath(folder).parts}
    ] or named
    return tuple([each for each in near if each.lines == lines] or near)


def _no_data(content: bytes) -> str:
    """Say what came in place of a file, if that shows at its begin."""
    start = content.lstrip()[:100].lower()
    return next((what for begin, what in _NO_DATA.items() if start.startswith(begin)), "")


def _likely(content: bytes, lines: int, meant: Sequence[Wanted], changes: Sequence[str]) -> str:
    """Say what a file with an official name, but other content, probably is."""
    if not content.strip():
        return "an empty file"
    if what := _no_data(content):
        return what
    if b"\0" in content and "UTF-16" not in changes:
        return "binary data"
    official = {each.lines for each in meant} - {None}
    expected = " or ".join(map(str, sorted(filter(None, official))))
    if not official:
        found = "other content than the official file"
    elif lines in official:
        found = f"{lines} lines, as the official file has, but other text: perhaps tokenised"
    elif lines < min(filter(None, official)):
        found = f"{lines} lines: cut short, for the official file has {expected}"
    else:
        found = f"{lines} lines, where the official file has {expected}"
    return "; also ".join([found, *changes])
