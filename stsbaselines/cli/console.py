"""Shared by the commands: common options, printing, and progress bars."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stsbaselines.errors import InputError, visible

if TYPE_CHECKING:
    from stsbaselines.reports.tables import Format

    Advance = Callable[..., None]


def example(arguments: str) -> str:
    """Return the last line of a command's help."""
    return f"Example: stsbaselines {arguments}"


def say(text: str, **options: Any) -> None:
    """Print a text; control characters, as in the name of a file, are escaped."""
    print(visible(text), **options)


DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        metavar="DIR",
        help="Search this directory before $STSBASELINES_DATA, ./data and the user's cache.",
    ),
]

AcceptLicence = Annotated[
    bool,
    typer.Option("--accept-licence", help="Accept the licences of fetched files without asking."),
]

Jobs = Annotated[
    int, typer.Option("--jobs", metavar="N", help="Number of processes; -1 for all cores.")
]

ParameterOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter, such as random_state=1."),
]

FormatOption = Annotated[
    str, typer.Option("--format", metavar="FORMAT", help="text, json, csv, markdown or latex.")
]


def format_of(name: str) -> Format:
    """Return the format of that name."""
    from stsbaselines.errors import unknown
    from stsbaselines.reports.tables import Format

    if name not in list(Format.__members__):
        raise unknown("format", name, Format.__members__)
    return Format(name)


@contextmanager
def progress_bar(steps: int | None, what: str = "predicting") -> Iterator[Advance]:
    """Show a progress bar with the rate and the time left on a terminal.

    The function it gives is called with the steps done, and with the pairs if these differ.
    """
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn("{task.fields[rate]}", justify="right"),
        TimeRemainingColumn(),
    ]
    start, total = time.monotonic(), 0

    def advance(done: int, pairs: int | None = None) -> None:
        nonlocal total
        total += done if pairs is None else pairs
        rate = total / max(time.monotonic() - start, 1e-9)
        bar.update(task, advance=done, rate=f"{rate:,.0f} pairs/s")

    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=steps, rate="")
        yield advance


def is_terminal() -> bool:
    """Return whether the user can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def jobs_of(jobs: int) -> int:
    """Return the number of processes, if it is plausible."""
    most = 8 * (os.cpu_count() or 1)
    if jobs != -1 and not 1 <= jobs <= most:
        raise InputError(f"--jobs is {jobs}, but must be from 1 to {most}, or -1 for all cores.")
    return jobs


def parameters_of(options: list[str] | None) -> dict[str, Any]:
    """Parse NAME=VALUE, the value as JSON if it is JSON, else as text."""
    parameters = {}
    for option in options or []:
        name, equals, value = option.partition("=")
        if not (name and equals):
            raise InputError(f"--set is {option!r}, but must be NAME=VALUE.")
        try:
            parameters[name] = json.loads(value)
        except (ValueError, RecursionError):
            parameters[name] = value
    return parameters


def check_is_other(out: Path, source: Path) -> None:
    """Refuse to write over the file that is read."""
    if out.exists() and source.exists() and out.samefile(source) and out.is_file():
        raise InputError(f"{out} is the input; name another file for the output.")
