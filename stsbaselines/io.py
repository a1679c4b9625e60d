"""Reading files safely, writing them whole or not at all, and YAML and JSON into models."""

from __future__ import annotations

import contextlib
import functools
import hashlib
import importlib
import io
import json
import os
import re
import secrets
import shutil
import struct
import sys
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar, cast, get_args, get_origin

import yaml
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic_core import ErrorDetails
from yaml.constructor import ConstructorError

from stsbaselines.errors import SHOWN_FAULTS, Fault, InputError, shown, suggestion

try:
    from lzma import LZMAError
except ImportError:  # a Python that was built without it
    LZMAError = zlib.error  # type: ignore[misc,assignment]

LONGEST_LINE = 1 << 20
LARGEST_MEMBER = 1 << 28  # of a zip archive
PACKED = (".gz", ".zst")
PIPE_SECONDS = 10.0  # that a pipe is waited for whom writes to it
# What the reader of zip archives raises for one that is damaged, encrypted or of another kind.
ZIP_ERRORS = (
    zipfile.BadZipFile,
    EOFError,
    LZMAError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
    struct.error,
    zlib.error,
)
_PIECE = 1 << 17  # of what is unpacked; what is packed is read in smaller pieces
_PACKED_PIECE = 1 << 14
# What json.dumps leaves as it is, though terminals act on it.
_UNSEEN_IN_JSON = re.compile("[\x7f-\x9f]")
_BYTE_ORDER_MARKS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def open_to_read(path: Path) -> BinaryIO:
    r"""Open `path` to read bytes; what is in a file named ``.gz`` or ``.zst`` is unpacked.

    It is unpacked piece by piece as it is read. To seek forwards in it is to read and drop.

    Parameters
    ----------
    path : Path

    Returns
    -------
    binary file

    Raises
    ------
    InputError
        If it is missing, a directory, or not readable; for ``.zst`` without the extra ``zstd``.
        Reading raises it where packed content is damaged or ends too early.

    Examples
    --------
    >>> import gzip, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "pairs.tsv.gz")
    ...     _ = path.write_bytes(gzip.compress(b"one\n") + gzip.compress(b"two\n"))
    ...     with open_to_read(path) as stream:
    ...         stream.read()
    b'one\ntwo\n'
    """
    if path.suffix not in PACKED:
        return open_as_is(path)
    new_part, error, kind = _unpacker(path.suffix)

    def unpack(packed: BinaryIO) -> Iterator[bytes]:
        try:
            yield from _unpacked(packed, new_part, kind)
        except (error, EOFError):
            raise InputError([Fault(str(path), "damaged content", f"{kind} data")]) from None

    return cast(BinaryIO, io.BufferedReader(_Unpacked(open_as_is(path), unpack), _PIECE))


def open_as_is(path: Path) -> BinaryIO:
    """Open `path` to read bytes, also packed ones.

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
        return io.BufferedReader(_Source(path))
    except IsADirectoryError:
        raise InputError([Fault(str(path), "a directory", "a file")]) from None
    except FileNotFoundError:
        raise InputError([Fault(str(path), "nothing there", "a file")]) from None
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None


def unreadable(path: Path | str, error: Exception) -> InputError:
    """Return the error for a file that could not be opened or read."""
    found = getattr(error, "strerror", None) or str(error)
    return InputError([Fault(str(path), found, "a readable file")])


def iter_bytes(path: Path) -> Iterator[bytes]:
    """Yield the content of a file, unpacked as by `open_to_read`, a MiB at a time.

    Raises
    ------
    InputError
        If it cannot be read.
    """
    with open_to_read(path) as stream:
        while piece := stream.read(1 << 20):
            yield piece


def read_whole(path: Path) -> bytes:
    r"""Return the content of a file, unpacked as by `open_to_read`.

    Raises
    ------
    InputError
        If it cannot be read, is too large, or is a device, which may have no end.

    Examples
    --------
    >>> read_whole(Path("/dev/zero"))
    Traceback (most recent call last):
    stsbaselines.errors.InputError: /dev/zero: found a device, expected a file
    """
    with open_to_read(path) as stream:
        if path.is_char_device():
            raise InputError([Fault(str(path), "a device", "a file")])
        return rest_of(stream, path)


def rest_of(stream: BinaryIO, path: Path) -> bytes:
    """Return all that is left in an open file.

    Raises
    ------
    InputError
        If it does not fit into memory.
    """
    try:
        return stream.read()
    except MemoryError:
        raise InputError(
            [Fault(str(path), "more than fits into memory", "a smaller file")]
        ) from None


class _Source(io.FileIO):
    """What is read, as it is; that a disk fails, or nobody writes to a pipe, is an `InputError`."""

    def __init__(self, path: Path) -> None:
        self._is_awaited = path.is_fifo()
        super().__init__(path, opener=_open_at_once if self._is_awaited else None)

    def readinto(self, buffer: Any) -> int | None:
        try:
            return self._first(buffer) if self._is_awaited else super().readinto(buffer)
        except OSError as error:
            raise unreadable(str(self.name), error) from None

    def _first(self, buffer: Any) -> int | None:
        """Read the first bytes of a pipe; none at once if nobody has it open to write."""
        deadline = time.monotonic() + PIPE_SECONDS
        while (size := super().readinto(buffer)) == 0:
            if time.monotonic() > deadline:
                raise InputError([Fault(str(self.name), "a pipe that nobody writes to", "a file")])
            time.sleep(0.01)
        self._is_awaited = False
        os.set_blocking(self.fileno(), True)
        return super().readinto(buffer) if size is None else size

    def read(self, size: int | None = -1) -> bytes:
        return io.RawIOBase.read(self, -1 if size is None else size) or b""

    def readall(self) -> bytes:
        return io.RawIOBase.readall(self) or b""


def _open_at_once(name: str, flags: int) -> int:
    return os.open(name, flags | os.O_NONBLOCK)


@contextlib.contextmanager
def open_zip(path: Path) -> Iterator[zipfile.ZipFile]:
    """Open a zip archive to read.

    Parameters
    ----------
    path : Path

    Yields
    ------
    ZipFile

    Raises
    ------
    InputError
        If it is none, has a member over 256 MiB, or one that is read is damaged.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if member.file_size > LARGEST_MEMBER:
                    found = f"{member.filename!a} of {member.file_size:,} bytes"
                    raise InputError([Fault(str(path), found, "members of up to 256 MiB")])
            yield archive
    except InputError:
        raise
    except ZIP_ERRORS:
        raise InputError([Fault(str(path), "damaged content", "a zip archive")]) from None


class _Unpacked(io.RawIOBase):
    """What a packed file holds, as a stream; going back in it means to unpack it again."""

    def __init__(self, packed: BinaryIO, unpack: Callable[[BinaryIO], Iterator[bytes]]) -> None:
        self._packed = packed
        self._unpack = unpack
        self._begin()

    def _begin(self) -> None:
        self._pieces = self._unpack(self._packed)
        self._rest = b""
        self._place = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._rest = self._rest or next(self._pieces, b"")
        size = min(len(buffer), len(self._rest))
        buffer[:size] = self._rest[:size]
        self._rest = self._rest[size:]
        self._place += size
        return size

    def seekable(self) -> bool:
        return self._packed.seekable()

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        if whence == io.SEEK_END:
            raise io.UnsupportedOperation("the length of a packed file is not known")
        place = offset if whence == io.SEEK_SET else self._place + offset
        if place < self._place:
            self._packed.seek(0)
            self._begin()
        while self._place < place and self.read(min(_PIECE, place - self._place)):
            pass
        return self._place

    def close(self) -> None:
        self._packed.close()
        super().close()


def _unpacker(suffix: str) -> tuple[Callable[[], Any], type[Exception], str]:
    """Return what makes an unpacker of a gzip member or zstd frame, its error, and its name."""
    if suffix == ".gz":
        return functools.partial(zlib.decompressobj, zlib.MAX_WBITS | 16), zlib.error, "gzip"
    zstd = zstd_module()
    return zstd.ZstdDecompressor, zstd.ZstdError, "zstd"


def _unpacked(packed: BinaryIO, new_part: Callable[[], Any], kind: str) -> Iterator[bytes]:
    """Yield the content of a file of gzip members or zstd frames, of one at least."""

    def read() -> bytes:
        return cast(io.BufferedReader, packed).read1(_PACKED_PIECE)

    piece = read()
    while True:
        part = new_part()
        while not part.eof:
            if not piece and getattr(part, "needs_input", True):
                piece = read()
                if not piece:
                    raise EOFError
            if content := part.decompress(piece, _PIECE):
                yield content
            piece = getattr(part, "unconsumed_tail", b"")  # zstd keeps what is left itself
        piece = part.unused_data or read()
        if kind == "gzip":  # its members may be padded
            while piece and not (piece := piece.lstrip(b"\0")):
                piece = read()
        if not piece:
            return


def zstd_module() -> Any:
    """Return the module that packs and unpacks zstd.

    Raises
    ------
    InputError
        If it is not installed.
    """
    try:
        if sys.version_info >= (3, 14):
            return importlib.import_module("compression.zstd")
        return importlib.import_module("backports.zstd")
    except ImportError:
        raise InputError(
            "Files named .zst need one more package: pip install 'stsbaselines[zstd]'"
        ) from None


def unpacked_name(name: str) -> str:
    """Return the name of a file without the ending that says that it is packed.

    Examples
    --------
    >>> unpacked_name("pairs.tsv.gz"), unpacked_name("pairs.tsv")
    ('pairs.tsv', 'pairs.tsv')
    """
    path = Path(name)
    return path.stem if path.suffix in PACKED else name


def lines_of(stream: BinaryIO, name: str, start: int = 1) -> Iterator[tuple[int, bytes]]:
    r"""Yield (line number, line without its newline) of a stream of bytes.

    Only ``\n`` ends a line: carriage returns, form feeds and C1 controls are data.

    Parameters
    ----------
    stream : binary file
    name : str
        What to call the stream in error messages.
    start : int
        Number of its first line.

    Raises
    ------
    InputError
        For an empty stream, a byte order mark, a NUL byte, a line over 1 MiB, or carriage returns
        where there is no newline at all.

    Examples
    --------
    >>> import io
    >>> list(lines_of(io.BytesIO(b"one\ntwo\r"), "example"))
    [(1, b'one'), (2, b'two\r')]
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
    r"""Return the rows of some lines; None if `lines_of` might refuse one, or there is none.

    Examples
    --------
    >>> plain_rows(b"one\ntwo"), plain_rows(b"one\n\0\n"), plain_rows(b"")
    ([b'one', b'two'], None, None)
    """
    rows = lines.split(b"\n")
    if not rows[-1]:
        rows.pop()
    if not rows or b"\0" in lines:
        return None
    return None if len(lines) >= LONGEST_LINE <= max(map(len, rows)) else rows


def number_of_lines(content: bytes) -> int:
    r"""Return how many lines there are; the last one may lack its newline.

    Examples
    --------
    >>> number_of_lines(b"one\ntwo"), number_of_lines(b"one\n"), number_of_lines(b"")
    (2, 1, 0)
    """
    return content.count(b"\n") + (content[-1:] not in b"\n")


def is_without_newlines(content: bytes) -> bool:
    r"""Tell whether the lines of a file end in carriage returns alone, as its first bytes say.

    Examples
    --------
    >>> is_without_newlines(b"one\rtwo\r"), is_without_newlines(b"one\r\ntwo\r\n")
    (True, False)
    """
    return b"\n" not in content and b"\r" in content.rstrip(b"\r")


def exists(path: Path) -> bool:
    """Tell whether there is something, be it a link to nothing or in a folder that is shut.

    Examples
    --------
    >>> exists(Path("/dev/null")), exists(Path("/dev/null/nothing"))
    (True, False)
    """
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except (OSError, ValueError):
        pass
    return True


def is_file(path: Path) -> bool:
    """Tell whether `path` is a regular file, or in a folder that is shut, as opening it will say.

    Examples
    --------
    >>> is_file(Path("/dev/null")), is_file(Path("/dev/null/nothing"))
    (False, False)
    """
    try:
        return path.is_file()
    except OSError:
        return True


def is_device(path: Path) -> bool:
    """Tell whether `path` is a device or a pipe, which is written to directly.

    Examples
    --------
    >>> is_device(Path("/dev/null")), is_device(Path("scores.txt"))
    (True, False)
    """
    special = path.exists() and not path.is_file() and not path.is_dir()
    return special or path.parts[:2] == ("/", "dev")


def entries_of(folder: Path) -> list[Path]:
    """Return what is in a folder, in order.

    Raises
    ------
    InputError
        If it cannot be looked into.
    """
    try:
        return sorted(folder.iterdir())
    except OSError as error:
        found = error.strerror or "an error"
        raise InputError([Fault(str(folder), found, "a readable folder")]) from None


def whole_lines(
    stream: BinaryIO, size: int, read: Callable[[int], bytes] | None = None
) -> Iterator[bytes]:
    r"""Yield what is left of a stream in blocks of whole lines; one at least.

    Parameters
    ----------
    stream : binary file
    size : int
        About how many bytes a block has.
    read : callable on int
        What reads up to so many bytes, by default the stream's own method.

    Yields
    ------
    bytes
        A line that is too long may be cut.

    Examples
    --------
    >>> import io
    >>> list(whole_lines(io.BytesIO(b"one\ntwo\nthree"), 5))
    [b'one\ntwo\n', b'three']
    """
    read = read or stream.read
    block = read(size)
    while True:
        if block and not block.endswith(b"\n"):
            block += stream.readline(LONGEST_LINE + 1)
        yield block
        if not (block := read(size)):
            return


def has_bom(content: bytes) -> bool:
    r"""Tell whether bytes begin with a byte order mark.

    Examples
    --------
    >>> has_bom(b"\xef\xbb\xbfa"), has_bom(b"a")
    (True, False)
    """
    return content.startswith(_BYTE_ORDER_MARKS)


def checksum(path: Path) -> str:
    r"""Return the sha256 of a file or, of a folder, that of the names and checksums in it.

    Parameters
    ----------
    path : Path
        What is neither, as a pipe, counts as empty.

    Raises
    ------
    InputError
        If it cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "pairs.tsv"
    >>> path.write_text("a cat\ta dog\n")
    12
    >>> checksum(path)[:8], checksum(path.parent)[:8]
    ('afa9e454', 'c7164076')
    """
    digest = hashlib.sha256()
    if path.is_dir():
        for each in sorted(path.iterdir()):
            digest.update(f"{checksum(each)} {each.name}\n".encode("utf-8", "surrogateescape"))
    elif path.is_file():
        with open_as_is(path) as stream:
            while block := stream.read(1 << 20):
                digest.update(block)
    return digest.hexdigest()


def to_displayable(text: str) -> str:
    r"""Return a text to show: one with bytes that are not UTF-8 is read as Latin-1.

    Examples
    --------
    >>> to_displayable(b"caf\xe9".decode("utf-8", "surrogateescape"))
    'café'
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogateescape").decode("latin-1")
    return text


def to_json(content: Any) -> str:
    r"""Write plain values as JSON; NaN is refused, since no result is ever NaN.

    Examples
    --------
    >>> print(to_json("caf\xe9\x9b"))
    "café\u009b"
    """
    text = json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False)
    return _UNSEEN_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


_RANDOM_BYTES = 8  # in names of what is being written


@contextlib.contextmanager
def atomic_write(path: Path) -> Iterator[BinaryIO]:
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
        with translate_os_errors(path, place):
            with place.open(mode) as stream:
                yield cast(BinaryIO, stream)
            if place != path:
                put_in_place(place, path.resolve())
    finally:
        if place != path:
            with contextlib.suppress(OSError):
                place.unlink()


@contextlib.contextmanager
def translate_os_errors(path: Path, place: Path | None = None) -> Iterator[None]:
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
    with atomic_write(path) as stream:
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
        with translate_os_errors(path):
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


LARGEST_FILE = 1 << 18
MOST_VALUES = 100_000
LONGEST_NUMBER = 1_000  # digits
_NOT_YAML = (
    yaml.YAMLError,
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
)

Model = TypeVar("Model", bound=BaseModel)
Location = tuple[int | str, ...]

# What pydantic expected, by its type of error, where its own words are those of programmers.
_EXPECTED = {
    "bool_type": "true or false",
    "dict_type": "keys and values",
    "float_parsing": "a number",
    "float_type": "a number",
    "greater_than": "a number above {gt:g}",
    "greater_than_equal": "a number of at least {ge:g}",
    "int_from_float": "a whole number",
    "int_parsing": "a whole number",
    "int_type": "a whole number",
    "list_type": "a list",
    "model_type": "keys and values",
    "string_pattern_mismatch": "a name that fits {pattern}",
    "string_type": "text",
    "too_short": "a list of at least {min_length}",
}


class Entry(BaseModel):
    """A part of a file: its keys are those of the class, and it does not change."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class _Loader(yaml.SafeLoader):
    """The safe loader, which moreover refuses a key that stands twice, or is no text."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise ConstructorError(None, None, "a key that is no text", key.start_mark)
            if key.value in seen:
                problem = f"the key {key.value!r} twice"
                raise ConstructorError(None, None, problem, key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)

    def construct_yaml_int(self, node: yaml.ScalarNode) -> int:
        """Refuse what Python would not show in an error: hexadecimal digits have no limit."""
        if len(node.value) > LONGEST_NUMBER:
            problem = f"a number of {len(node.value):,} digits"
            raise ConstructorError(None, None, problem, node.start_mark)
        return int(super().construct_yaml_int(node))


_Loader.add_constructor("tag:yaml.org,2002:int", _Loader.construct_yaml_int)


def read_model(path: Path, model: type[Model]) -> Model:
    """Read the YAML file `path` as a `model`.

    Parameters
    ----------
    path : Path
    model : class
        A subclass of pydantic's `BaseModel`.

    Returns
    -------
    An instance of `model`.

    Raises
    ------
    InputError
        If it is not YAML, is over 256 KiB, or does not fit the model: each fault is named with
        its line, and an unknown key with the key that was probably meant.
    """
    with open_to_read(path) as stream:
        raw = stream.read(LARGEST_FILE + 1)
    if len(raw) > LARGEST_FILE:
        raise InputError([Fault(str(path), "over 256 KiB", "a smaller file")])
    line: int | None
    try:
        loader = _Loader(raw.decode("utf-8"))
        node = loader.get_single_node()
        if _values_in(node, {}) > MOST_VALUES:
            found = f"over {MOST_VALUES:,} values, with those that aliases stand for"
            raise InputError([Fault(str(path), found, "fewer")])
        content = None if node is None else loader.construct_document(node)
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise InputError([Fault(str(path), "bytes that are not UTF-8", "YAML", line)]) from None
    except yaml.reader.ReaderError as error:
        line = raw.decode("utf-8").count("\n", 0, error.position) + 1
        found = f"the character {chr(error.character)!a}"
        raise InputError([Fault(str(path), found, "YAML", line)]) from None
    except InputError:
        raise
    except RecursionError:
        raise InputError([Fault(str(path), "values nested too deeply", "YAML")]) from None
    except _NOT_YAML as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else None
        found = str(getattr(error, "problem", None) or "a fault").removeprefix("found ")
        raise InputError([Fault(str(path), found, "YAML", line)]) from None
    if not isinstance(content, dict):
        found = "nothing" if content is None else shown(str(content))
        raise InputError([Fault(str(path), found, "keys and values")])
    try:
        return model.model_validate(content)
    except ValidationError as error:
        faults = _faults(path, error, node, model)
        raise InputError(list(islice(faults, SHOWN_FAULTS))) from None


def _values_in(node: yaml.Node | None, counted: dict[int, int]) -> int:
    """Return how many values a node stands for; over `MOST_VALUES` if it is within itself."""
    if not isinstance(node, yaml.CollectionNode):
        return 1
    if id(node) not in counted:
        counted[id(node)] = MOST_VALUES
        parts = node.value if isinstance(node, yaml.SequenceNode) else [*chain(*node.value)]
        counted[id(node)] = 1 + sum(_values_in(part, counted) for part in parts)
    return counted[id(node)]


def _faults(
    path: Path, error: ValidationError, node: yaml.Node | None, model: type[BaseModel]
) -> Iterator[Fault]:
    for detail in error.errors(include_url=False):
        location: Location = detail["loc"]
        key = ".".join(str(part) for part in location)
        line = _line_of(node, location)
        if detail["type"] == "extra_forbidden":
            known = _model_at(model, location).model_fields
            hint = suggestion(str(location[-1]), known) or ", which has no meaning there"
            yield Fault(str(path), f"key {key!r}{hint}", "a known key", line)
        elif detail["type"] == "missing":
            yield Fault(str(path), f"no key {key!r}", "this key", line)
        else:
            found = f"{key}: {shown(str(detail['input']))}"
            yield Fault(str(path), found, _expected(detail), line)


def _expected(detail: ErrorDetails) -> str:
    words = _EXPECTED.get(detail["type"])
    if words is not None:
        return words.format(**detail.get("ctx", {}))
    return detail["msg"].removeprefix("Input should be ").removeprefix("Value error, ")


def _model_at(model: type[BaseModel], location: Location) -> type[BaseModel]:
    """Return the model that the key at `location` belongs to."""
    for part in location[:-1]:
        field = model.model_fields.get(str(part))
        if field is not None:
            model = next(_models_in(field.annotation), model)
    return model


def _models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    is_class = get_origin(annotation) is None and isinstance(annotation, type)
    if is_class and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _models_in(inner)


def _line_of(node: yaml.Node | None, location: Location) -> int | None:
    """Return the line of the deepest YAML node on the way to `location`."""
    line = node.start_mark.line + 1 if node else None
    for part in location:
        if isinstance(node, yaml.MappingNode):
            entry = next(((k, v) for k, v in node.value if k.value == part), None)
            if entry is None:
                break
            line, node = entry[0].start_mark.line + 1, entry[1]
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            if part >= len(node.value):
                break
            node = node.value[part]
            line = node.start_mark.line + 1
    return line
