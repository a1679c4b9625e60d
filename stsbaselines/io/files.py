"""Read files line by line, and write them whole or not at all."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import re
import secrets
import shutil
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from stsbaselines.errors import Fault, InputError

LONGEST_LINE = 1 << 20
LARGEST_MEMBER = 1 << 28  # of a zip archive
LARGEST_NUMBER = 1e308  # of settings and saved predictors: sums of larger ones overflow
NO_HOME = "/nonexistent"  # the home folder of a user who has none
_BUFFER = 1 << 17
_WRITABLE = "a file that can be written"
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")
# Characters that json.dumps keeps although terminals act on them.
_CONTROLS_IN_JSON = re.compile("[\x7f-\x9f]")


def open_to_read(path: Path, decompress: bool = True) -> BinaryIO:
    """Open `path` to read bytes, decompressed if its name ends in ``.gz``.

    InputError is raised for what cannot be opened or, while reading, for damaged content.
    """
    stream: Any
    try:
        if decompress and path.suffix == ".gz":
            stream = gzip.GzipFile(path, "rb")
        else:
            stream = path.open("rb", buffering=0)
    except IsADirectoryError:
        raise InputError([Fault(str(path), "a directory", "a file")]) from None
    except FileNotFoundError:
        raise InputError([Fault(str(path), "nothing there", "a file")]) from None
    except (OSError, ValueError) as error:
        raise unusable(path, error) from None
    return io.BufferedReader(_Source(path, stream), _BUFFER)


class _Source(io.RawIOBase):
    """An open file that raises InputError for what cannot be read."""

    def __init__(self, path: Path, stream: Any) -> None:
        self._path = path
        self._stream = stream
        # readinto1 returns what is intact before it reports the damage that follows.
        self._fill = getattr(stream, "readinto1", stream.readinto)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        try:
            return int(self._fill(buffer))
        except (EOFError, gzip.BadGzipFile, zlib.error):
            raise InputError([Fault(str(self._path), "damaged content", "gzip data")]) from None
        except OSError as error:
            raise unusable(self._path, error) from None

    def seekable(self) -> bool:
        return bool(self._stream.seekable())

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        return int(self._stream.seek(offset, whence))

    def close(self) -> None:
        self._stream.close()
        super().close()


def unusable(path: Path, error: Exception, expected: str = "a readable file") -> InputError:
    """Return the error to raise for one of the operating system."""
    found = getattr(error, "strerror", None) or str(error) or type(error).__name__
    return InputError([Fault(str(path), found, expected)])


def read_whole(path: Path) -> bytes:
    """Return the content of a file, decompressed as by `open_to_read`."""
    with open_to_read(path) as stream:
        return stream.read()


@contextlib.contextmanager
def open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a zip archive; raise InputError if it, or a member that is read, is damaged."""
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if member.file_size > LARGEST_MEMBER:
                    found = f"{member.filename!a} of {member.file_size:,} bytes"
                    raise InputError([Fault(str(path), found, "members of up to 256 MiB")])
            yield archive
    except (zipfile.BadZipFile, EOFError, OSError, RuntimeError, struct.error, zlib.error):
        raise InputError([Fault(str(path), "damaged content", "a zip archive")]) from None


def lines_of(stream: BinaryIO, name: str, start: int = 1) -> Iterator[tuple[int, bytes]]:
    r"""Yield (line number, line without its newline) of a stream of bytes.

    Only ``\n`` ends a line: carriage returns, form feeds and C1 controls are data. InputError is
    raised for an empty stream, a byte order mark, a NUL byte, a line over 1 MiB, or carriage
    returns where there is no newline at all; `name` is that of the stream in errors.
    """
    number = start - 1
    while line := stream.readline(LONGEST_LINE + 1):
        number += 1
        if number == 1 and has_bom(line):
            raise InputError([Fault(name, "a byte order mark", "plain text without one", 1)])
        if number == 1 and is_without_newlines(line):
            found = "line ends that are carriage returns"
            raise InputError([Fault(name, found, "lines that end in a newline", 1)])
        if b"\0" in line:
            raise InputError([Fault(name, "a NUL byte (binary data)", "lines of text", number)])
        if len(line) > LONGEST_LINE:
            raise InputError([Fault(name, "over 1 MiB", "a shorter line", number)])
        yield number, line[:-1] if line.endswith(b"\n") else line
    if number == 0:
        raise InputError([Fault(name, "an empty file", "at least one line")])


def plain_rows(lines: bytes) -> list[bytes] | None:
    r"""Return the rows of some lines; None if `lines_of` might refuse one, or there is none."""
    rows = lines.removesuffix(b"\n").split(b"\n")
    is_odd = not lines or b"\0" in lines or max(map(len, rows)) >= LONGEST_LINE
    return None if is_odd else rows


def whole_lines(
    stream: BinaryIO, size: int, read: Callable[[int], bytes] | None = None
) -> Iterator[bytes]:
    """Yield the rest of a stream in blocks of whole lines of about `size` bytes, at least one."""
    read = read or stream.read
    block = read(size)
    while True:
        if block and not block.endswith(b"\n"):
            block += stream.readline(LONGEST_LINE + 1)
        yield block
        if not (block := read(size)):
            return


def decoded(line: bytes) -> str:
    """Decode UTF-8; other bytes become surrogate escapes, which are encoded as the same bytes."""
    return line.decode("utf-8", "surrogateescape")


def is_without_newlines(content: bytes) -> bool:
    r"""Return whether lines end in carriage returns alone, judged by the first bytes of a file."""
    return b"\n" not in content and b"\r" in content.rstrip(b"\r")


def has_bom(content: bytes) -> bool:
    r"""Return whether bytes begin with a byte order mark."""
    return content.startswith(_BYTE_ORDER_MARKS)


def is_device(path: Path) -> bool:
    """Return whether `path` is a device or a pipe, which is written to directly."""
    special = path.exists() and not path.is_file() and not path.is_dir()
    return special or path.parts[:2] == ("/", "dev")


def entries_of(folder: Path) -> list[Path]:
    """Return the sorted entries of a folder; raise InputError if it cannot be read."""
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        raise unusable(folder, error, "a readable folder") from None


def to_displayable(text: str) -> str:
    r"""Return a text that can be printed: bytes that are not UTF-8 are read as Latin-1."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape").decode("latin-1")
    return text


def to_json(content: Any) -> str:
    r"""Return plain values as JSON; NaN raises ValueError, because no result is ever NaN."""
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    return _CONTROLS_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def keys_once(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the fields of an object of JSON (`object_pairs_hook`); ValueError for a key twice."""
    found = dict(fields)
    if len(found) < len(fields):
        raise ValueError("a key twice")
    return found


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
    """Open `path` to write bytes; the file is replaced when the block ends without an error.

    A device or a pipe (``/dev/null``) is written to directly.
    """
    if is_device(path):
        with translate_os_errors(path), path.open("ab") as stream:
            yield stream
        return
    target = target_of(path)
    temporary = _temporary(target)
    try:
        with translate_os_errors(path, temporary):
            with temporary.open("xb") as stream:
                yield stream
            if target.exists():
                shutil.copymode(target, temporary)
            temporary.replace(target)
    finally:
        with contextlib.suppress(OSError):
            temporary.unlink()


@contextlib.contextmanager
def translate_os_errors(path: Path, place: Path | None = None) -> Iterator[None]:
    """Re-raise an OSError of writing `path`, perhaps by way of `place`, as InputError."""
    try:
        yield
    except OSError as error:
        if error.filename not in (None, str(place or path)):
            raise
        raise unusable(path, error, _WRITABLE) from None


def write_text(path: Path, text: str) -> None:
    """Write `text` as UTF-8 to `path` by `atomic_write`; make its folder."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: Path, content: bytes) -> None:
    """Write `content` to `path` by `atomic_write`; make its folder."""
    make_folder(path.parent)
    with atomic_write(path) as stream:
        stream.write(content)


def target_of(path: Path) -> Path:
    """Return the file that `path` is or links to; raise InputError if there cannot be one."""
    target = Path(os.path.realpath(path))
    if target.is_symlink():
        raise InputError([Fault(str(path), "a link to itself", _WRITABLE)])
    if target.is_dir():
        raise InputError([Fault(str(path), "a directory", _WRITABLE)])
    return target


def _temporary(path: Path) -> Path:
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}.tmp")


@contextlib.contextmanager
def new_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder that becomes `path` when the block ends without an error."""
    check_new(path)
    temporary = _temporary(path)
    make_folder(temporary)
    try:
        with translate_os_errors(path, temporary):
            yield temporary
            temporary.rename(path)
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def check_new(path: Path) -> None:
    """Raise InputError if there is something at `path`."""
    if os.path.lexists(path):
        raise InputError([Fault(str(path), "something there", "a new folder")])


def make_folder(path: Path) -> None:
    """Make the folder `path` and its parents; raise InputError if that fails."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise unusable(path, error, "a folder that can be made") from None
