"""Faults around a process: its standard output, signals, and others that do the same."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from faults.commands import done_by
from faults.readers import LINES
from stsbaselines.files import LONGEST_LINE
from stsbaselines.journal import open_journal

MODULE = [sys.executable, "-m", "stsbaselines"]
SCORES = b"0.0000000000\n0.0000000000\n"
PRINTING = [
    ["tables"],
    ["predict", "token-cosine", "pairs.tsv"],
]
PATIENCE = 60


@dataclass(frozen=True)
class ProcessFault:
    """Something that can happen to a process.

    Attributes
    ----------
    about, outcome : str
        For the table in the documentation.
    check : callable
        Lets it happen in an empty folder, and checks the outcome.
    """

    about: str
    outcome: str
    check: Callable[[Path], object]


def environment() -> dict[str, str]:
    """Return an environment in which the package is found, as in this process."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def started(arguments: list[str], folder: Path, **options: Any) -> subprocess.Popen[bytes]:
    """Start the command line as a process of its own."""
    options = {"stderr": subprocess.PIPE, "env": environment(), "cwd": folder, **options}
    return subprocess.Popen([*MODULE, *arguments], **options)


def with_output(redirection: str, status: int, said: str) -> Callable[[Path], None]:
    """Return what checks commands whose standard output the shell has redirected."""

    def check(folder: Path) -> None:
        (folder / "pairs.tsv").write_bytes(LINES)
        for arguments in PRINTING:
            shell = ["bash", "-c", f'"$@" {redirection}', "bash", *MODULE, *arguments]
            done = subprocess.run(
                shell, capture_output=True, cwd=folder, env=environment(), timeout=PATIENCE
            )
            assert (done.returncode, done.stdout, done.stderr.decode()) == (status, b"", said)

    return check


def without_input(folder: Path) -> None:
    """Close the standard input."""
    shell = ["bash", "-c", '"$@" <&-', "bash", *MODULE, "predict", "token-cosine"]
    done = subprocess.run(
        shell, capture_output=True, cwd=folder, env=environment(), timeout=PATIENCE
    )
    said = b"standard input: found an empty file, expected at least one line\n"
    assert (done.returncode, done.stdout, done.stderr) == (2, b"", said)


def without_reader(folder: Path) -> None:
    """Let nobody read what is printed."""
    (folder / "pairs.tsv").write_bytes(LINES)
    for arguments in PRINTING:
        reading, writing = os.pipe()
        os.close(reading)
        with started(arguments, folder, stdout=writing) as process:
            os.close(writing)
            _, said = process.communicate(timeout=PATIENCE)
        assert (process.returncode, said) == (1, b"")


def ended_by(number: signal.Signals, status: int, leftovers: int) -> Callable[[Path], None]:
    """Return what checks that a run that a signal ends leaves the old file."""

    def check(folder: Path) -> None:
        out = folder / "scores.txt"
        out.write_text("old\n")
        command = ["predict", "token-cosine", "-", "-o", str(out)]
        with started(command, folder, stdin=subprocess.PIPE) as process:
            assert process.stdin
            process.stdin.write(LINES * 50_000)
            process.stdin.flush()
            deadline = time.monotonic() + PATIENCE
            while len(list(folder.iterdir())) == 1 and time.monotonic() < deadline:
                time.sleep(0.02)
            process.send_signal(number)
            assert process.wait(PATIENCE) == status
            process.stdin.close()
        assert out.read_text() == "old\n"
        assert len(list(folder.glob(".scores.txt.*.tmp"))) == leftovers
        (folder / "pairs.tsv").write_bytes(LINES)
        assert done_by([*command[:2], str(folder / "pairs.tsv"), *command[3:]]).status == 0
        assert out.read_bytes() == SCORES

    return check


def two_into_one_file(folder: Path) -> None:
    """Let two processes write the same file at the same time."""
    (folder / "pairs.tsv").write_bytes(LINES)
    command = ["predict", "token-cosine", "pairs.tsv", "-o", "scores.txt"]
    processes = [started(command, folder) for _ in range(2)]
    for process in processes:
        _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, said
    assert (folder / "scores.txt").read_bytes() == SCORES
    assert {path.name for path in folder.iterdir()} == {"pairs.tsv", "scores.txt"}


def two_runs(folder: Path) -> None:
    """Begin a run where another is at work."""
    journal = folder / "out" / "sample-sts" / "run.journal.jsonl"
    journal.parent.mkdir(parents=True)
    with open_journal(journal, {"run": "of another process"}):
        with started(["run", "sample-sts", "--out", "out"], folder) as process:
            _, said = process.communicate(timeout=PATIENCE)
        assert process.returncode == 2
        expected = "run.journal.jsonl: another process does this run at the moment.\n"
        assert said.decode().endswith(expected)
        assert [path.name for path in journal.parent.iterdir()] == [journal.name]


def endless_line(folder: Path) -> None:
    """Give a line without end on standard input."""
    command = ["predict", "token-cosine", "-o", "scores.txt"]
    with started(command, folder, stdin=subprocess.PIPE) as process:
        assert process.stdin
        written = 0
        with contextlib.suppress(BrokenPipeError), process.stdin as line:
            while written < 100:  # it is refused, and breaks off, long before
                line.write(b"x" * LONGEST_LINE)
                written += 1
        assert process.stderr
        said = process.stderr.read().decode()
        assert process.wait(PATIENCE) == 2
    assert written < 20
    assert said == "standard input, line 1: found over 1 MiB, expected a shorter line\n"
    assert list(folder.iterdir()) == []


PROCESS_FAULTS: dict[str, ProcessFault] = {
    "closed standard input": ProcessFault("`<&-`", "refused: exit status 2", without_input),
    "closed standard output": ProcessFault(
        "`>&-`",
        "refused: exit status 2",
        with_output(">&-", 2, "standard output: Bad file descriptor\n"),
    ),
    "full standard output": ProcessFault(
        "`> /dev/full`",
        "refused: exit status 2",
        with_output("> /dev/full", 2, "standard output: No space left on device\n"),
    ),
    "reader of the output gone": ProcessFault(
        "a pipe that nobody reads", "ends silently: exit status 1", without_reader
    ),
    "terminated midway": ProcessFault(
        "SIGTERM while a file is written",
        "the old file is left, and nothing else",
        ended_by(signal.SIGTERM, 128 + signal.SIGTERM, 0),
    ),
    "killed midway": ProcessFault(
        "SIGKILL while a file is written",
        "the old file is left, and a hidden `.tmp` beside it",
        ended_by(signal.SIGKILL, -signal.SIGKILL, 1),
    ),
    "two into one file": ProcessFault(
        "two processes write the same file", "the file of one of them, whole", two_into_one_file
    ),
    "two runs into one folder": ProcessFault(
        "a run is begun where another is at work", "refused: exit status 2", two_runs
    ),
    "endless line": ProcessFault(
        "a line without end on standard input",
        "refused after 1 MiB: exit status 2, no file",
        endless_line,
    ),
}
