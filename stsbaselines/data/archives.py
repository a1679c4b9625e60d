"""Reading zip and tar archives that nobody vouches for: nothing is unpacked by their names."""

from __future__ import annotations

import contextlib
import functools
import gzip
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import IO, BinaryIO, Literal, cast

from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.io import open_as_is

MOST_MEMBERS = 10_000
LARGEST_CONTENT = 1 << 30  # bytes, unpacked
HIGHEST_RATIO = 200  # of unpacked to packed bytes, ...
ALWAYS_ALLOWED = 1 << 20  # ... unless it is no more than these
_BLOCK = 1 << 17
_RECORD = 512  # of a tar archive
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_DRIVE = re.compile("[A-Za-z]:")
_DAMAGE = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    RuntimeError,  # also NotImplementedError: a feature of zip that is not supported
)

Kind = Literal["zip", "tar", "tar.gz"]


@dataclass(frozen=True)
class Member:
    """A regular file in an archive, which can be read as long as that is open.

    Attributes
    ----------
    name : str
        Its path in the archive, with ``/``: relative, without ``.`` and ``..``.
    size : int
        Bytes that it has unpacked.
    """

    name: str
    size: int
    _archive: Path = field(repr=False)
    _open: Callable[[], IO[bytes]] = field(repr=False)

    def read_blocks(self) -> Iterator[bytes]:
        """Yield its content, block by block.

        Raises
        ------
        InputError
            If it is damaged, or not as long as it is said to be.
        """
        read = 0
        with _named(self._archive, self.name), self._open() as stream:
            while block := stream.read(_BLOCK):
                read += len(block)
                yield block
        if read != self.size:
            raise _fault(self._archive, self.name, f"{read:,} bytes", f"{self.size:,}")


def is_archive(path: Path) -> bool:
    """Tell by its content whether a file begins as a zip, tar or tar.gz archive does.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    return _kind(path) is not None


@contextlib.contextmanager
def open_archive(path: Path) -> Iterator[list[Member]]:
    r"""Open a zip, tar or tar.gz archive to read the regular files in it.

    Parameters
    ----------
    path : Path

    Yields
    ------
    list of Member
        In the order of the archive; folders are left out.

    Raises
    ------
    InputError
        If it is no archive, damaged or truncated; if a member is a link or a device, is
        encrypted, stands twice, or leads out of the folder that it would be unpacked to; if
        there are more than 10,000 members or 1 GiB, or more than 200 times the packed bytes.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pairs.zip")
    ...     with zipfile.ZipFile(path, "w") as archive:
    ...         archive.writestr("set/STS.gs.kitchen.txt", "4.2\n")
    ...     with open_archive(path) as members:
    ...         [(each.name, b"".join(each.read_blocks())) for each in members]
    [('set/STS.gs.kitchen.txt', b'4.2\n')]
    """
    kind = _kind(path)
    if kind is None:
        raise InputError([Fault(str(path), "other content", "a zip or tar archive")])
    with contextlib.ExitStack() as opened:
        with _named(path):
            stream = opened.enter_context(open_as_is(path))
            members = (
                _zip_members(path, stream, opened)
                if kind == "zip"
                else _tar_members(path, stream, opened, kind)
            )
            _check(path, members)
        yield members


def _kind(path: Path) -> Kind | None:
    with open_as_is(path) as stream:
        start = stream.read(_RECORD)
        if start.startswith((b"PK\x03\x04", b"PK\x05\x06")):
            return "zip"
        if not start.startswith(b"\x1f\x8b"):
            return "tar" if _is_tar_header(start) else None
        stream.seek(0)
        with contextlib.suppress(OSError, EOFError, zlib.error), gzip.open(stream) as unpacked:
            return "tar.gz" if _is_tar_header(unpacked.read(_RECORD)) else None
    return None


def _is_tar_header(record: bytes) -> bool:
    try:
        tarfile.TarInfo.frombuf(record, "utf-8", "surrogateescape")
    except tarfile.TarError:
        return False
    return True


def _zip_members(path: Path, stream: BinaryIO, opened: contextlib.ExitStack) -> list[Member]:
    archive = opened.enter_context(zipfile.ZipFile(stream))
    members = []
    for count, info in enumerate(archive.infolist()):
        _check_count(path, count)
        name = _safe_name(path, info.filename)
        kind = stat.S_IFMT(info.external_attr >> 16)
        if info.is_dir() or kind == stat.S_IFDIR:
            continue
        if kind not in (0, stat.S_IFREG):
            raise _fault(path, name, "a link or a device", "a regular file")
        if info.flag_bits & 1:
            raise _fault(path, name, "an encrypted file", "one that can be read")
        if info.compress_type not in _METHODS:
            raise _fault(path, name, "another method of packing", "deflate")
        if info.file_size > max(ALWAYS_ALLOWED, HIGHEST_RATIO * info.compress_size):
            raise _too_large(path, name)
        members.append(Member(name, info.file_size, path, functools.partial(archive.open, info)))
    return members


def _tar_members(
    path: Path, stream: BinaryIO, opened: contextlib.ExitStack, kind: Kind
) -> list[Member]:
    most = LARGEST_CONTENT
    if kind == "tar.gz":
        packed = os.fstat(stream.fileno()).st_size
        most = min(most, max(ALWAYS_ALLOWED, HIGHEST_RATIO * packed))
        stream = cast(BinaryIO, opened.enter_context(gzip.GzipFile(fileobj=stream)))
    bounded = _Bounded(stream, most, path)
    archive = opened.enter_context(tarfile.TarFile(fileobj=cast(BinaryIO, bounded)))
    members = []
    for count, info in enumerate(archive):
        _check_count(path, count)
        name = _safe_name(path, info.name)
        if info.isdir():
            continue
        if not info.isreg() or info.issparse():
            raise _fault(path, name, "a link, a device or a sparse file", "a regular file")
        content = cast(Callable[[], IO[bytes]], functools.partial(archive.extractfile, info))
        members.append(Member(name, info.size, path, content))
    bounded.seek(archive.offset)
    if bounded.read(_RECORD) != bytes(_RECORD):
        raise InputError([Fault(str(path), "an end without its mark", "a whole tar archive")])
    while bounded.read(_BLOCK):  # to the checksum of gzip
        pass
    return members


class _Bounded:
    """A stream for `tarfile` that refuses to go beyond so many bytes."""

    def __init__(self, stream: BinaryIO, most: int, path: Path) -> None:
        self._stream, self._most, self._path = stream, most, path
        self.tell = stream.tell

    def read(self, size: int) -> bytes:
        """Return the next bytes; fewer than `size` at the end."""
        if size > ALWAYS_ALLOWED:  # a header: contents are read block by block
            raise _too_large(self._path)
        content = self._stream.read(min(size, self._most + 1 - self.tell()))
        self._check(self.tell())
        return content

    def seek(self, place: int) -> int:
        """Go to `place`, which is counted from the start."""
        self._check(place)
        return self._stream.seek(place)

    def _check(self, place: int) -> None:
        if place > self._most:
            raise _too_large(self._path)


def _check(path: Path, members: list[Member]) -> None:
    seen: set[str] = set()
    for member in members:
        if member.name in seen:
            raise _fault(path, member.name, "this name twice", "each name once")
        seen.add(member.name)
    if sum(member.size for member in members) > LARGEST_CONTENT:
        raise _too_large(path)


def _check_count(path: Path, count: int) -> None:
    if count >= MOST_MEMBERS:
        found = f"more than {MOST_MEMBERS:,} members"
        raise InputError([Fault(str(path), found, "an archive of a data set")])


def _safe_name(path: Path, name: str) -> str:
    """Return the name of a member with ``/`` and without ``.``, if it stays where it is put."""
    plain = name.replace("\\", "/")
    parts = PurePosixPath(plain).parts
    if not plain or plain.startswith("/") or ".." in parts or _DRIVE.match(plain) or "\0" in plain:
        raise _fault(path, name, "a path that leads out of the archive", "one below its root")
    return "/".join(parts)


@contextlib.contextmanager
def _named(path: Path, member: str = "") -> Iterator[None]:
    """Say of damage in which archive and member it is."""
    try:
        yield
    except InputError:
        raise
    except _DAMAGE as error:
        found = f"damaged or truncated content ({shown(str(error), 80)})"
        raise _fault(path, member, found, "a whole archive") from None


def _too_large(path: Path, member: str = "") -> InputError:
    most = f"{LARGEST_CONTENT >> 20:,} MiB or {HIGHEST_RATIO} times the packed bytes"
    return _fault(path, member, f"more than {most}", "an archive of a data set")


def _fault(path: Path, member: str, found: str, expected: str) -> InputError:
    place = f"{path}, member {shown(member, 120)}" if member else str(path)
    return InputError([Fault(place, found, expected)])
