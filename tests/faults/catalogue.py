"""Faults: what can be wrong with a file that is read, with a place to write to, or around it."""

from __future__ import annotations

import contextlib
import ctypes
import gzip
import os
import resource
import shutil
import socket
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path

MEBIBYTE = 1 << 20
FREE_MEMORY = 32 * MEBIBYTE
_READ_AND_OVERRIDE = 0b110  # CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH
_CAPABILITIES_3 = 0x20080522


@dataclass(frozen=True)
class Fault:
    """Something that can be wrong.

    Attributes
    ----------
    about : str
        For the table in the documentation.
    spoil : callable
        Makes the fault out of a good file, or of a place where nothing is yet.
    during : callable
        Gives a context in which the machine has the fault.
    in_file : bool
        Whether it is one of the file, rather than of the machine.
    """

    about: str
    spoil: Callable[[Path], object]
    during: Callable[[], AbstractContextManager[object]] = nullcontext
    in_file: bool = True


def content(change: Callable[[bytes], bytes]) -> Callable[[Path], object]:
    """Return what changes the content of a file."""
    return lambda path: path.write_bytes(change(path.read_bytes()))


def in_second_line(inserted: bytes) -> Callable[[Path], object]:
    """Return what inserts bytes into the middle of the second line, or of the only one."""

    def change(text: bytes) -> bytes:
        start = text.find(b"\n") + 1
        start = start if start < len(text) else 0
        end = text.find(b"\n", start)
        middle = (start + (end if end >= 0 else len(text))) // 2
        return text[:middle] + inserted + text[middle:]

    return content(change)


def instead(put: Callable[[Path], object]) -> Callable[[Path], object]:
    """Return what puts something else in the place of a file, if there is one."""

    def spoil(path: Path) -> None:
        path.unlink(missing_ok=True)
        put(path)

    return spoil


def linked_to(target: str) -> Callable[[Path], object]:
    """Return what puts a link in the place of a file."""
    return instead(lambda path: path.symlink_to(target.format(name=path.name)))


def linked(path: Path) -> None:
    """Move a file elsewhere, and put a link to it in its place."""
    target = path.parent.with_name("elsewhere") / path.name
    target.parent.mkdir()
    path.rename(target)
    path.symlink_to(target)


def put_socket(path: Path) -> None:
    """Put a socket there."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(path))


def below_a_file(path: Path) -> None:
    """Put a file in the place of the folder."""
    shutil.rmtree(path.parent)
    path.parent.touch()


@contextlib.contextmanager
def without_privileges() -> Iterator[None]:
    """Let permissions hold for the superuser, who owns the files, as for everybody else."""
    libc = ctypes.CDLL(None, use_errno=True)
    header = (ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0)
    state = (ctypes.c_uint32 * 6)()

    def call(function: str) -> None:
        if getattr(libc, function)(header, state) != 0:
            raise OSError(ctypes.get_errno(), function)

    call("capget")
    before = state[0]
    state[0] = before & ~_READ_AND_OVERRIDE
    call("capset")
    try:
        yield
    finally:
        state[0] = before
        call("capset")


def limited(kind: int, most: Callable[[], int]) -> Callable[[], AbstractContextManager[None]]:
    """Return what gives a context in which a resource of this process is limited."""

    @contextlib.contextmanager
    def limit() -> Iterator[None]:
        soft, hard = resource.getrlimit(kind)
        resource.setrlimit(kind, (most(), hard))
        try:
            yield
        finally:
            resource.setrlimit(kind, (soft, hard))

    return limit


def memory_and_a_bit() -> int:
    """Return how much memory this process has, and a bit more."""
    pages = int(Path("/proc/self/statm").read_text().split()[0])
    return pages * resource.getpagesize() + FREE_MEMORY


def lowest_free_descriptor() -> int:
    """Return the number that the next file would have that is opened."""
    descriptor = os.open(os.sep, os.O_RDONLY)
    os.close(descriptor)
    return descriptor


def nothing(path: Path) -> None:
    """Leave a file as it is."""


def shut_folder(path: Path) -> None:
    """Let nobody look into the folder of a file."""
    path.parent.chmod(0o000)


ALL_BYTES = bytes(range(256)) * 8
INPUT_FAULTS: dict[str, Fault] = {
    "empty": Fault("no byte in it", content(lambda text: b"")),
    "truncated": Fault("cut off in its middle", content(lambda text: text[: len(text) // 2])),
    "binary": Fault("all bytes from 0 to 255", content(lambda text: ALL_BYTES)),
    "binary without NUL": Fault(
        "all bytes from 1 to 255", content(lambda text: ALL_BYTES.replace(b"\0", b""))
    ),
    "NUL": Fault("a NUL byte in a line", in_second_line(b"\0")),
    "huge line": Fault("a line of 2 MiB", in_second_line(b"x" * (2 * MEBIBYTE))),
    "mixed encoding": Fault("a byte of Latin-1 among UTF-8", in_second_line(b"\xe9")),
    "UTF-16": Fault(
        "written as UTF-16", content(lambda text: text.decode("latin-1").encode("utf-16"))
    ),
    "byte order mark": Fault(
        "a byte order mark of UTF-8 before it", content(lambda text: b"\xef\xbb\xbf" + text)
    ),
    "CRLF": Fault("Windows line ends", content(lambda text: text.replace(b"\n", b"\r\n"))),
    "CR": Fault("line ends of the old Macintosh", content(lambda text: text.replace(b"\n", b"\r"))),
    "no newline at the end": Fault(
        "the last line has no end", content(lambda text: text.rstrip(b"\n"))
    ),
    "packed by gzip": Fault("packed, but its name does not say so", content(gzip.compress)),
    "link": Fault("a link to a good file", linked),
    "dangling link": Fault("a link to nothing", linked_to("nowhere")),
    "link to itself": Fault("a link to itself", linked_to("{name}")),
    "missing": Fault("nothing there", Path.unlink),
    "folder": Fault("a folder of that name", instead(Path.mkdir)),
    "pipe": Fault("a pipe that nobody writes to", instead(os.mkfifo)),
    "socket": Fault("a socket", instead(put_socket)),
    "endless device": Fault("a link to `/dev/zero`", linked_to("/dev/zero")),
    "empty device": Fault("a link to `/dev/null`", linked_to("/dev/null")),
    "below a file": Fault("its folder is a file", below_a_file),
    "unreadable": Fault(
        "without permission to read", lambda path: path.chmod(0o000), without_privileges
    ),
    "unreadable folder": Fault("in a folder without permissions", shut_folder, without_privileges),
    "failing disk": Fault("an input/output error on reading", linked_to("/proc/self/mem")),
    "too many open files": Fault(
        "none can be opened any more",
        nothing,
        limited(resource.RLIMIT_NOFILE, lowest_free_descriptor),
        in_file=False,
    ),
    "little memory": Fault(
        "a line of 64 MiB where the process gets 32 MiB more",
        lambda path: in_second_line(b"x" * 64 * MEBIBYTE)(path),
        limited(resource.RLIMIT_AS, memory_and_a_bit),
    ),
}

CONTENT_FAULTS = (
    *("empty", "truncated", "binary", "binary without NUL", "NUL", "huge line", "mixed encoding"),
    *("UTF-16", "byte order mark", "CRLF", "CR", "no newline at the end", "packed by gzip"),
)
# What is wrong with contents is up to the readers; of that, a command gets a few.
COMMAND_FAULTS = [
    name
    for name in INPUT_FAULTS
    if name not in {*CONTENT_FAULTS, "little memory"} or name in ("empty", "binary", "NUL", "CR")
]


def put_folder(path: Path) -> None:
    """Put a folder there with a file in it."""
    path.mkdir()
    (path / "file").touch()


def shut_for_writing(path: Path) -> None:
    """Let nobody write into the folder of a file."""
    path.parent.chmod(0o555)


FULL_DISK = "full disk"
OUTPUT_FAULTS: dict[str, Fault] = {
    "read-only folder": Fault(
        "in a folder without permission to write", shut_for_writing, without_privileges
    ),
    "below a file": Fault("its folder is a file", below_a_file),
    "folder": Fault("a folder with something in it", put_folder),
    "link to itself": Fault("a link to itself", linked_to("{name}")),
    "dangling link": Fault("a link to a file or folder that is not there yet", linked_to("new")),
    FULL_DISK: Fault(
        "no file can have more than 10 bytes",
        nothing,
        limited(resource.RLIMIT_FSIZE, lambda: 10),
    ),
    "too many open files": Fault(
        "none can be opened any more",
        nothing,
        limited(resource.RLIMIT_NOFILE, lowest_free_descriptor),
        in_file=False,
    ),
}
