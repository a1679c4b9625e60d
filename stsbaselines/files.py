"""Reading lines of bytes safely, and writing files whole or not at all."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import secrets
import shutil
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, cast

from stsbaselines.errors import Fault, InputError

LONGEST_LINE = 1 << 20
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def open_to_read(path: Path) -> BinaryIO:
    """Open `path` to read bytes.

    Parameters
    ----------
    path : Path

    Returns
    -------
    binary file

    Raises
    ------
    InputError
        If it is missing, a directory, or not readable.
    """
    try:
        return path.open("rb")
    except IsADirectoryError:
        raise InputError([Fault(str(path), "a directory", "a file")]) from None
    except FileNotFoundError:
        raise InputError([Fault(str(path), "nothing there", "a file")]) from None
    except (OSError, ValueError) as error:
        found = getattr(error, "strerror", None) or str(error)
        raise InputError([Fault(str(path), found, "a readable file")]) from None


def lines_of(stream: BinaryIO, name: str) -> Iterator[tuple[int, bytes]]:
    r"""Yield (line number, line without its newline) of a stream of bytes.

    Only ``\n`` ends a line: carriage returns, form feeds and C1 controls are data.

    Parameters
    ----------
    stream : binary file
    name : str
        What to call the stream in error messages.

    Raises
    ------
    InputError
        For an empty stream, a byte order mark, a NUL byte, or a line over 1 MiB.

    Examples
    --------
    >>> import io
    >>> list(lines_of(io.BytesIO(b"one\ntwo\r"), "example"))
    [(1, b'one'), (2, b'two\r')]
    """
    number = 0
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        if number == 1 and line.startswith(_BYTE_ORDER_MARKS):
            raise InputError([Fault(name, "a byte order mark", "plain text without one", 1)])
        if b"\0" in line:
            raise InputError([Fault(name, "a NUL byte (binary data)", "lines of text", number)])
        if len(line) > LONGEST_LINE:
            raise InputError([Fault(name, "over 1 MiB", "a shorter line", number)])
        yield number, line[:-1] if line.endswith(b"\n") else line
    if number == 0:
        raise InputError([Fault(name, "an empty file", "at least one line")])


def numbered_lines(path: Path, stream: BinaryIO) -> Iterator[tuple[int, bytes]]:
    """Yield (line number, line) of a file, which is unpacked if its name ends in ``.gz``."""
    if path.suffix != ".gz":
        yield from lines_of(stream, str(path))
        return
    try:
        with gzip.open(stream) as unpacked:
            yield from lines_of(cast(BinaryIO, unpacked), str(path))
    except (OSError, EOFError, zlib.error):
        raise InputError([Fault(str(path), "damaged content", "gzip data")]) from None


@contextlib.contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """Open `path` to write bytes; it appears whole when the block ends, else not at all.

    A device or a pipe (``/dev/null``) is written to directly.

    Parameters
    ----------
    path : Path

    Yields
    ------
    binary file

    Raises
    ------
    InputError
        If the place cannot be written to.
    """
    if _is_device(path):
        place, mode = path, "ab"
    else:
        place, mode = _temporary(path), "xb"
    try:
        with place.open(mode) as stream:
            yield cast(BinaryIO, stream)
        if place != path:
            target = path.resolve()
            if target.exists():
                shutil.copymode(target, place)
            place.replace(target)
    except OSError as error:
        if error.filename not in (None, str(place)):
            raise
        raise _unwritable(path, error.strerror) from None
    finally:
        if place != path:
            with contextlib.suppress(OSError):
                place.unlink()


def _is_device(path: Path) -> bool:
    special = path.exists() and not path.is_file() and not path.is_dir()
    return special or path.parts[:2] == ("/", "dev")


def _temporary(path: Path) -> Path:
    try:
        target = path.resolve()
    except (OSError, RuntimeError):
        raise _unwritable(path, "a link to itself") from None
    if target.is_dir():
        raise _unwritable(path, "a directory")
    return target.with_name(f".{target.name}.{secrets.token_hex(8)}.tmp")


def _unwritable(path: Path, found: str | None) -> InputError:
    return InputError([Fault(str(path), found or "an error", "a file that can be written")])


def readable(text: str) -> str:
    r"""Return a text to show: one with bytes that are not UTF-8 is read as Latin-1.

    Examples
    --------
    >>> readable(b"caf\xe9".decode("utf-8", "surrogateescape"))
    'café'
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape").decode("latin-1")
    return text


def to_json(content: Any) -> str:
    """Write plain values as JSON; NaN is refused, since no result is ever NaN."""
    return json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)


def write_text(path: Path, text: str) -> None:
    """Write `text` as UTF-8 to `path`, whole or not at all; make its folder."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write `content` to `path`, whole or not at all; make its folder."""
    make_folder(path.parent)
    with writing(path) as stream:
        stream.write(content)


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Make a folder that appears whole when the block ends, else not at all.

    Parameters
    ----------
    path : Path
        It must not be there yet.

    Yields
    ------
    Path
        The folder to write to for the time being.

    Raises
    ------
    InputError
        If there is something, or it cannot be made.
    """
    check_new(path)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")
    make_folder(temporary)
    try:
        yield temporary
        try:
            temporary.rename(path)
        except OSError as error:
            found = error.strerror or "something there"
            raise InputError([Fault(str(path), found, "a new folder")]) from None
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def check_new(path: Path) -> None:
    """Refuse a place where there is something.

    Raises
    ------
    InputError
    """
    if os.path.lexists(path):
        raise InputError([Fault(str(path), "something there", "a new folder")])


def make_folder(path: Path) -> None:
    """Make the folder `path` and those above it.

    Raises
    ------
    InputError
        If it cannot be made.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        found = error.strerror or type(error).__name__
        raise InputError([Fault(str(path), found, "a folder that can be made")]) from None
