"""Writing files and folders whole, or not at all."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from stsbaselines.errors import Fault, InputError
from stsbaselines.files import is_device

_RANDOM_BYTES = 8  # in names of what is being written


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
    if is_device(path):
        place, mode = path, "ab"
    else:
        place, mode = _temporary(path), "xb"
    try:
        with writing_to(path, place):
            with place.open(mode) as stream:
                yield cast(BinaryIO, stream)
            if place != path:
                put_in_place(place, path.resolve())
    finally:
        if place != path:
            with contextlib.suppress(OSError):
                place.unlink()


@contextlib.contextmanager
def writing_to(path: Path, place: Path | None = None) -> Iterator[None]:
    """Say of what fails while `path` is written, perhaps by way of `place`, that it cannot be.

    Raises
    ------
    InputError
    """
    try:
        yield
    except OSError as error:
        if error.filename not in (None, str(place or path)):
            raise
        raise _unwritable(path, error.strerror) from None


def write_text(path: Path, text: str) -> None:
    """Write `text` as UTF-8 to `path`, whole or not at all; make its folder."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write `content` to `path`, whole or not at all; make its folder."""
    make_folder(path.parent)
    with writing(path) as stream:
        stream.write(content)


def put_in_place(part: Path, target: Path) -> None:
    """Make a file that is written the file `target`, with the mode that it had."""
    if target.exists():
        shutil.copymode(target, part)
    part.replace(target)


def target_of(path: Path) -> Path:
    """Return the file that `path` is or, as a link, leads to; it need not be there.

    Raises
    ------
    InputError
        If it is a directory, or a link to itself.
    """
    try:
        target = path.resolve()
    except (OSError, RuntimeError):
        raise _unwritable(path, "a link to itself") from None
    if target.is_symlink():  # from Python 3.13, resolve() lets a link to itself be
        raise _unwritable(path, "a link to itself")
    if target.is_dir():
        raise _unwritable(path, "a directory")
    return target


def _temporary(path: Path) -> Path:
    target = target_of(path)
    return target.with_name(f".{target.name}.{secrets.token_hex(_RANDOM_BYTES)}.tmp")


def remove_unfinished(path: Path) -> None:
    """Remove what killed processes had written of `path`; none may be writing it now."""
    name = re.compile(rf"\.{re.escape(path.name)}\.[0-9a-f]{{{2 * _RANDOM_BYTES}}}\.tmp")
    for each in path.parent.glob(".*.tmp"):
        if name.fullmatch(each.name):
            with contextlib.suppress(OSError):
                each.unlink()


def _unwritable(path: Path, found: str | None) -> InputError:
    return InputError([Fault(str(path), found or "an error", "a file that can be written")])


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
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(_RANDOM_BYTES)}.tmp")
    make_folder(temporary)
    try:
        with writing_to(path):
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
