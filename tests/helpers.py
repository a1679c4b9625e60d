"""What several tests use: the command line, data, archives, a limit of time."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stsbaselines.cli.main import app
from stsbaselines.data import find
from stsbaselines.data.catalogue import find_task
from stsbaselines.errors import InputError

ROOT = Path(__file__).parents[1]
COMMAND = Path(sys.executable).parent / "stsbaselines"
# What small models learn from.
CORPUS = [
    "The cat sleeps on the mat.",
    "A cat and a dog sleep.",
    "The dog barks at the cat.",
    "A dog barks.",
    "It rains and it rains.",
    "The rain falls on the mat.",
    "The cat sleeps on the mat.",
] * 3


def _find_official_data() -> Path | None:
    """Return the directory with the official data, if there is one."""
    named = os.environ.get(find.ENVIRONMENT)
    if named and not Path(named).is_dir():
        raise pytest.UsageError(f"${find.ENVIRONMENT}: no such directory: {named}")
    directory = Path(named or ROOT / "data")
    return directory.resolve() if directory.is_dir() else None


OFFICIAL_DATA = _find_official_data()


def needs(official_data: Path, *tasks: str, folder: str = "") -> None:
    """Skip the test if a task, or a folder of further material, was not found."""
    located = [each for name in tasks for each in find.locate_all(find_task(name), official_data)]
    if any(each.status == "missing" for each in located):
        pytest.skip(f"needs the official data of {', '.join(tasks)}")
    if not (official_data / folder).exists():
        pytest.skip(f"needs {folder}")


def run_command(arguments: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    """Run the installed command line."""
    return subprocess.run(
        [str(COMMAND), *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        **options,
    )


def command_refusal(*arguments: str) -> str:
    """Run a command in this process, and return the sentence in which it refuses its arguments."""
    with pytest.raises(InputError) as error:
        app(arguments, standalone_mode=False)
    return str(error.value)


def zipped(*files: tuple[str | zipfile.ZipInfo, bytes]) -> bytes:
    """Return a zip archive."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files:
            archive.writestr(name, content)
    return stream.getvalue()


def tarred(*files: tuple[str | tarfile.TarInfo, bytes], packed: bool = True) -> bytes:
    """Return a tar archive, by default packed by gzip."""
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w:gz" if packed else "w:") as archive:
        for name, content in files:
            info = tarfile.TarInfo(name) if isinstance(name, str) else name
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return stream.getvalue()


@contextlib.contextmanager
def at_most(seconds: int) -> Iterator[None]:
    """Let what takes longer fail, rather than hang."""

    def fail(*_: object) -> None:
        raise TimeoutError(f"this takes more than {seconds} seconds")

    before = signal.signal(signal.SIGALRM, fail)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)
