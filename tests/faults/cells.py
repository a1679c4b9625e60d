"""A cell of the catalogue: a reader with a fault, and what must hold of it."""

from __future__ import annotations

import contextlib
import functools
import re
import stat
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from unittest import mock

import joblib

from faults.catalogue import INPUT_FAULTS, MEBIBYTE, OUTPUT_FAULTS
from faults.commands import COMMANDS
from faults.outcomes import HARMLESS, REFUSED, UNSEEN
from faults.readers import READERS
from limits import at_most
from stsbaselines import files
from stsbaselines.cli import BAD_INPUT
from stsbaselines.errors import InputError, MissingDataError

LONGEST_SENTENCE = 600


@contextlib.contextmanager
def workplace() -> Iterator[Path]:
    """Give a new folder, whose name tells nothing and is short."""
    folder = Path(tempfile.mkdtemp()).resolve()
    place = folder / "in"
    place.mkdir()
    try:
        yield place
    finally:
        empty(folder)
        folder.rmdir()


def empty(folder: Path) -> None:
    """Remove everything in a folder, also what is shut."""
    for each in list(folder.iterdir()):
        if each.is_dir() and not each.is_symlink():
            each.chmod(0o700)
            empty(each)
            each.rmdir()
        else:
            each.unlink()


def state_of(folder: Path) -> dict[str, tuple[int, int, int, bytes]]:
    """Return all that is in a folder: kinds, modes, times, sizes, and contents unless huge."""
    state = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        is_small_file = stat.S_ISREG(status.st_mode) and status.st_size < MEBIBYTE
        content = path.read_bytes() if is_small_file else b""
        times = 0 if path.is_dir() else status.st_mtime_ns
        state[str(path)] = status.st_mode, times, status.st_size, content
    return state


@functools.cache
def warm(reader_name: str) -> None:
    """Read a good file once, so that everything is imported when the machine has a fault."""
    with workplace() as place:
        READERS[reader_name].read(READERS[reader_name].put(place))


def outcome(reader_name: str, fault_name: str) -> str:
    """Read a spoiled file; return what happened, after checking all that must hold."""
    reader, fault = READERS[reader_name], INPUT_FAULTS[fault_name]
    warm(reader_name)
    with workplace() as place, mock.patch.object(files, "PIPE_SECONDS", 0.02), at_most(60):
        path = reader.put(place)
        fault.spoil(path)
        before = state_of(place.parent)
        try:
            with fault.during():
                found = joblib.hash(reader.read(path))
        except InputError as error:
            assert state_of(place.parent) == before
            sentences = [str(each) for each in error.faults]
            assert not any("\n" in each for each in sentences)
            is_excused = isinstance(error, MissingDataError) or not fault.in_file
            check_sentences(sentences, path, is_excused)
            return REFUSED
        assert state_of(place.parent) == before or reader_name == "journal of a run"
        empty(place.parent)
        place.mkdir()
        return HARMLESS if found == joblib.hash(reader.read(reader.put(place))) else UNSEEN


def lines_of_refusal(reader_name: str, fault_name: str) -> set[int | None]:
    """Read a spoiled file; return the lines that the refusal names."""
    with workplace() as place:
        path = READERS[reader_name].put(place)
        INPUT_FAULTS[fault_name].spoil(path)
        try:
            READERS[reader_name].read(path)
        except InputError as error:
            return {getattr(fault, "line", None) for fault in error.faults}
    return set()


@functools.cache
def warm_command(name: str) -> None:
    """Run a command on good files once, so that everything is imported."""
    with workplace() as place:
        command = COMMANDS[name]
        done = command.run(command.put(place), place.parent / command.out)
        assert done.status in (0, 1), done.said


def outcome_of_command(name: str, fault_name: str) -> str:
    """Run a command on a spoiled file; return what happened, after checking all that must hold."""
    command, fault = COMMANDS[name], INPUT_FAULTS[fault_name]
    warm_command(name)
    with workplace() as place, mock.patch.object(files, "PIPE_SECONDS", 0.02), at_most(60):
        path, results = command.put(place), place.parent / "out"
        results.mkdir()
        fault.spoil(path)
        before = state_of(place.parent)
        with fault.during():
            done = command.run(path, results / command.out)
        if done.status == BAD_INPUT:
            remove_kept(results, command.keeps)
            assert state_of(place.parent) == before
            assert done.printed == b""
            check_sentences(done.said.splitlines(), path, not fault.in_file)
            return REFUSED
        found = done.status, done.printed, written(results)
        empty(place.parent)
        place.mkdir()
        results.mkdir()
        good = command.run(command.put(place), results / command.out)
        return HARMLESS if found == (good.status, good.printed, written(results)) else UNSEEN


def remove_kept(folder: Path, endings: Collection[str]) -> None:
    """Remove what a run leaves to be gone on with, and folders without anything else."""
    for path in sorted(folder.rglob("*") if endings else (), reverse=True):
        if path.name.endswith(tuple(endings)):
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()


def written(folder: Path) -> dict[str, bytes]:
    """Return the files in a folder."""
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def check_sentences(said: list[str], path: Path, is_excused: bool) -> None:
    """Check that what is said is in clear sentences, one of which names the file."""
    names = (path.name, path.stem, str(path.parent))
    assert any(name in line for name in names for line in said) or is_excused, said
    for sentence in said:
        assert len(sentence) < LONGEST_SENTENCE, sentence
        assert not re.search(r"Errno|Traceback|object at 0x|<class", sentence), sentence


def outcome_of_output(name: str, fault_name: str) -> str:
    """Let a command write to a spoiled place; return what happened, after the same checks."""
    command, fault = COMMANDS[name], OUTPUT_FAULTS[fault_name]
    warm_command(name)
    with workplace() as place, at_most(60):
        path, out = command.put(place), place.parent / "out" / command.out
        out.parent.mkdir()
        fault.spoil(out)
        before = state_of(place.parent)
        with fault.during():
            done = command.run(path, out)
        if done.status == BAD_INPUT:
            remove_kept(out.parent, command.keeps)
            assert state_of(place.parent) == before
            check_sentences(done.said.splitlines(), out, not fault.in_file)
            return REFUSED
        assert done.status == 0, done
        assert out.is_dir() or out.stat().st_size > 0
        return HARMLESS
