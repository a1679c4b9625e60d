"""The files to look at in a file, a folder or an archive of which nothing is known."""

from __future__ import annotations

import functools
import os
import re
import stat
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from stsbaselines.data.archives import Member, is_archive, open_archive
from stsbaselines.errors import Fault, InputError
from stsbaselines.io import PACKED, iter_bytes

MOST_FILES = 20_000
DEEPEST = 16  # folders below each other
_CONTROL = re.compile("[\0-\x1f\x7f-\x9f]")


@dataclass(frozen=True)
class Candidate:
    """A file on disk or in an archive.

    Attributes
    ----------
    name : str
        Its path below what was named, with ``/``.
    place : str
        What to call it in error messages.
    """

    name: str
    place: str
    _size: int = field(repr=False)
    _blocks: Callable[[], Iterator[bytes]] = field(repr=False)

    def content(self, most: int) -> bytes:
        """Return its bytes, unpacked; of one in an archive only the archive is unpacked.

        Raises
        ------
        InputError
            If there are more than `most`, or they cannot be read.
        """
        blocks = []
        size = self._size
        if size <= most:
            size = 0
            for block in self._blocks():
                size += len(block)
                if size > most:
                    break
                blocks.append(block)
        if size > most:
            expected = f"at most {most >> 20} MiB"
            raise InputError([Fault(self.place, "a file larger than data sets are", expected)])
        return b"".join(blocks)


def candidates_in(path: Path) -> Iterator[Candidate | Fault | str]:
    r"""Yield each file in `path`, which may be a file, a folder or an archive.

    Archives in a folder are opened, those in archives are not. Links to folders are not followed,
    and what is hidden is left out. A candidate can be read until the next one is asked for.

    Parameters
    ----------
    path : Path

    Yields
    ------
    Candidate, or the Fault (or text) of one that cannot be looked at

    Raises
    ------
    InputError
        If there is nothing, or more than 20,000 files.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = Path(folder, "STS.gs.kitchen.txt").write_text("4.2\n")
    ...     [(each.name, each.content(10)) for each in candidates_in(Path(folder))]
    [('STS.gs.kitchen.txt', b'4.2\n')]
    """
    if not os.path.lexists(path):
        raise InputError([Fault(str(path), "nothing there", "a file, a folder or an archive")])
    found = _in_folder(path) if path.is_dir() else _in_file(path, "")
    for count, each in enumerate(found):
        if count == MOST_FILES:
            expected = "a folder or an archive of data sets"
            raise InputError([Fault(str(path), f"more than {MOST_FILES:,} files", expected)])
        yield each


def _in_folder(folder: Path) -> Iterator[Candidate | Fault | str]:
    unread: list[Fault] = []

    def note(error: OSError) -> None:
        unread.append(Fault(str(error.filename), str(error.strerror), "a folder to look into"))

    for place, folders, names in os.walk(folder, onerror=note):
        here = Path(place)
        folders[:] = sorted(each for each in folders if not each.startswith("."))
        for each in [each for each in folders if (here / each).is_symlink()]:
            yield Fault(str(here / each), "a link to a folder", "the folder itself")
        if folders and len(here.relative_to(folder).parts) >= DEEPEST:
            yield Fault(place, f"more than {DEEPEST} folders below each other", "fewer")
            folders.clear()
        for name in sorted(each for each in names if not each.startswith(".")):
            yield from _in_file(here / name, (here / name).relative_to(folder).as_posix())
    yield from unread


def _in_file(path: Path, name: str) -> Iterator[Candidate | Fault | str]:
    """Yield a file, called `name`, or what is in it, if it is an archive."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            yield Fault(str(path), "a pipe or a device", "a regular file")
        elif is_archive(path):
            with open_archive(path) as members:
                for member in members:
                    yield _member(path, name, member)
        else:
            blocks = functools.partial(iter_bytes, path)
            size = 0 if path.suffix in PACKED else status.st_size
            yield Candidate(_on_one_line(name or path.name), str(path), size, blocks)
    except InputError as error:
        yield from error.faults
    except OSError as error:
        yield Fault(str(path), error.strerror or str(error), "a readable file")


def _member(archive: Path, name: str, member: Member) -> Candidate:
    parts = [name, member.name] if name else [member.name]
    called = _on_one_line("/".join(parts)), f"{archive}/{_on_one_line(member.name)}"
    return Candidate(*called, member.size, member.read_blocks)


def _on_one_line(name: str) -> str:
    """Return a name without characters that a terminal would obey."""
    return _CONTROL.sub("?", name)
