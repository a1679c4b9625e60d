"""The journal of a run that can be interrupted: what it was to do, and what of that is done.

It is a file of JSON lines: the first says what run it is of, and each further one a step that is
done. A run that goes on reads them; a line that was not written whole is as if it was not there.
"""

from __future__ import annotations

import contextlib
import errno
import importlib.metadata
import json
import os
import platform
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, cast

from stsbaselines.errors import Fault, InputError
from stsbaselines.io import is_file, rest_of, translate_os_errors
from stsbaselines.version import __version__

with contextlib.suppress(ImportError):  # there is none on Windows
    import fcntl

LIBRARIES = ("numpy", "scipy", "scikit-learn", "gensim", "nltk", "python-crfsuite")
_RUN = "run"
_REMEDY = "delete it to begin anew"
_PATIENCE_SECONDS = 2.0
"""How long the lock is waited for: workers of a run that was killed have it until they end."""


class Journal:
    """An open journal; see `open_journal`.

    Attributes
    ----------
    path : Path
    entries : list of dict
        The steps that were done before.
    """

    def __init__(self, path: Path, stream: BinaryIO, entries: list[dict[str, Any]]) -> None:
        self.path = path
        self.entries = entries
        self._stream = stream

    def append(self, entry: Mapping[str, Any]) -> None:
        """Add a step that is done, which outlives this process.

        Raises
        ------
        InputError
            If it cannot be written.
        """
        with translate_os_errors(self.path):
            self._stream.write(_line(entry))
            self._stream.flush()

    def remove(self) -> None:
        """Delete the journal, as when the run has ended."""
        self.path.unlink()


@contextlib.contextmanager
def open_journal(
    path: Path, run: Mapping[str, Any], anew: bool = False, remedy: str = _REMEDY
) -> Iterator[Journal]:
    """Begin a journal, or open that of an earlier run that was the same, for this process alone.

    Parameters
    ----------
    path : Path
    run : mapping of str to JSON values
        What must be the same for a run to be gone on with.
    anew : bool
        Whether what is there is forgotten.
    remedy : str
        What the error says to do if what is there is the journal of another run.

    Yields
    ------
    Journal

    Raises
    ------
    InputError
        If what is there is the journal of another run, or none, or another process has it open.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "journal.jsonl"
    >>> with open_journal(path, {"input": "pairs.tsv"}) as journal:
    ...     journal.append({"done": 10})
    >>> with open_journal(path, {"input": "pairs.tsv"}) as journal:
    ...     journal.entries
    [{'done': 10}]
    >>> with open_journal(path, {"input": "others.tsv"}) as journal:
    ...     pass
    Traceback (most recent call last):
    stsbaselines.errors.InputError: ...journal.jsonl is of a run with another input: delete it ...
    """
    if not is_file(path) and path.exists():
        raise InputError([Fault(str(path), "no regular file", "a file that can be written")])
    with translate_os_errors(path):
        stream = cast(BinaryIO, path.open("a+b"))
    with _closed_after(stream):
        _lock(path, stream)
        stream.seek(0)
        content = b"" if anew else rest_of(stream, path)
        entries, end = _read(path, content, dict(run), remedy)
        stream.truncate(end)
        journal = Journal(path, stream, entries[1:])
        if not entries:
            journal.append({_RUN: dict(run)})
        yield journal


@contextlib.contextmanager
def _closed_after(stream: BinaryIO) -> Iterator[None]:
    """Close a journal, of which each line was written before, or could not be, as was said then."""
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            stream.close()


def versions() -> dict[str, str | None]:
    """Return the versions that results may depend on, by what to call them.

    Examples
    --------
    >>> "version of numpy" in versions()
    True
    """
    return {
        "version of stsbaselines": __version__,
        "version of Python": platform.python_version(),
        **{f"version of {name}": _version(name) for name in LIBRARIES},
    }


def _version(library: str) -> str | None:
    try:
        return importlib.metadata.version(library)
    except importlib.metadata.PackageNotFoundError:  # installed without saying so
        return None


def _lock(path: Path, stream: BinaryIO) -> None:
    if "fcntl" not in globals():
        return
    last = time.monotonic() + _PATIENCE_SECONDS
    while not _is_locked(stream):
        if time.monotonic() > last:
            raise InputError(f"{path}: another process does this run at the moment.")
        time.sleep(0.05)
    if os.fstat(stream.fileno()).st_nlink == 0:
        raise InputError(f"{path}: another process has just ended this run.")


def _is_locked(stream: BinaryIO) -> bool:
    """Lock a file; return False if another process has locked it."""
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:  # perhaps a file system without locks
        return error.errno not in (errno.EACCES, errno.EAGAIN)
    return True


def _read(
    path: Path, content: bytes, run: dict[str, Any], remedy: str
) -> tuple[list[dict[str, Any]], int]:
    """Return the entries that were written whole, and where they end."""
    entries: list[dict[str, Any]] = []
    end = 0
    for line in content.splitlines(keepends=True):
        entry = _entry(line)
        if entry is None:
            break
        entries.append(entry)
        end += len(line)
    if not entries and not _line({_RUN: run}).startswith(content):
        raise InputError(f"{path} is no journal of a run: rename it, or {remedy}.")
    if entries:
        _check_same(path, entries[0].get(_RUN), run, remedy)
    return entries, end


def _check_same(path: Path, earlier: Any, run: dict[str, Any], remedy: str) -> None:
    if not isinstance(earlier, dict):
        raise InputError(f"{path} is no journal of a run: rename it, or {remedy}.")
    now = json.loads(json.dumps(run))
    differing = [key for key in {**now, **earlier} if now.get(key) != earlier.get(key)]
    if differing:
        raise InputError(f"{path} is of a run with another {' and '.join(differing)}: {remedy}.")


def _entry(line: bytes) -> dict[str, Any] | None:
    """Parse a line, if it was written whole."""
    try:
        entry = json.loads(line) if line.endswith(b"\n") else None
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _line(entry: Mapping[str, Any]) -> bytes:
    return json.dumps(entry).encode() + b"\n"
