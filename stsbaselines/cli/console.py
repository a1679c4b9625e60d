"""Shared by the commands: common options, printing, and progress bars."""

from __future__ import annotations

import json
import os
import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stsbaselines.errors import InputError, shown, unknown, visible
from stsbaselines.io.files import keys_once

if TYPE_CHECKING:
    from stsbaselines.data.catalogue import Task
    from stsbaselines.reports.tables import Format


IS_QUIET = ContextVar("IS_QUIET", default=False)  # whether --quiet was passed


def example(arguments: str) -> str:
    """Return the last line of a command's help."""
    return f"Example: stsbaselines {arguments}"


def say(text: str, **options: Any) -> None:
    """Print a text; control characters, as in the name of a file, are escaped."""
    print(visible(text), **options)


def check_jobs(jobs: int | None) -> int | None:
    """Refuse an implausible number of processes."""
    most = 8 * (os.cpu_count() or 1)
    if jobs is not None and jobs != -1 and not 1 <= jobs <= most:
        raise InputError(f"--jobs is {jobs}, but must be from 1 to {most}, or -1 for all cores.")
    return jobs


ColumnsOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAME=COLUMN,...",
        help="Columns of a file as TASK: sentence1=A,sentence2=B,score=C, or numbers: 6,7,5.",
    ),
]
SplitOption = Annotated[
    str | None, typer.Option(metavar="NAME", help="Only rows of this split of a file as TASK.")
]
OutputPath = Annotated[Path, typer.Argument(metavar="PATH", help="An output file, or a folder.")]
OutputPaths = Annotated[
    list[Path],
    typer.Argument(
        metavar="PATH", help="An output file per data set, a folder of them, or - (standard input)."
    ),
]
DataSetName = Annotated[
    str | None, typer.Option(metavar="NAME", help="Only this data set of the task.")
]
MapOption = Annotated[
    list[str] | None,
    typer.Option(
        "--map",
        metavar="NAME=FILE",
        help="The file in PATH that is for data set NAME.",
    ),
]
DataDir = Annotated[
    Path | None,
    typer.Option(
        metavar="DIR",
        help="Search this directory before $STSBASELINES_DATA, ./data and the user's cache.",
    ),
]
AcceptLicence = Annotated[
    bool,
    typer.Option("--accept-licence", help="Accept the licences of fetched files without asking."),
]
Jobs = Annotated[
    int,
    typer.Option(metavar="N", help="Number of processes; -1 for all cores.", callback=check_jobs),
]
PredictorOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="SYSTEM",
        help="A baseline, a saved folder, or MODULE:OBJECT: a Predictor or a function.",
    ),
]
EncoderOption = Annotated[
    list[str] | None,
    typer.Option(
        metavar="MODEL",
        help="MODULE:OBJECT with `encode`, or a model of sentence-transformers.",
    ),
]
EncodeArgsOption = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=VALUE", help="An argument of `encode`, such as prompt=..."),
]
CacheOption = Annotated[
    Path | None,
    typer.Option(metavar="DIR", help="Keep vectors and scores of code for later runs."),
]
VectorsOption = Annotated[
    list[str] | None,
    typer.Option(metavar="DIR", help="Precomputed sentence vectors: one NAME.npz per data set."),
]
ResamplesOption = Annotated[int, typer.Option(metavar="N", help="Resamples of the bootstrap.")]
SeedOption = Annotated[int, typer.Option(metavar="N", help="Random seed of the bootstrap.")]
ParameterOption = Annotated[
    list[str] | None,
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="A parameter of the baseline, such as lowercase=true.",
    ),
]
FormatOption = Annotated[
    str, typer.Option(metavar="FORMAT", help="text, json, csv, markdown or latex.")
]
JsonOption = Annotated[bool, typer.Option("--json", help="The same as --format json.")]


def format_of(name: str, as_json: bool) -> Format:
    """Return the format that --format and --json name."""
    from stsbaselines.reports.tables import Format

    if name not in Format.__members__:
        raise unknown("format", name, Format.__members__)
    if as_json and name not in ("text", "json"):
        raise InputError(f"--json and --format {name}: pass one of them.")
    return Format.json if as_json else Format(name)


def say_results(found: Any, style: Format, to_text: Callable[[Any], str]) -> None:
    """Print results: everything as text or JSON, and their `rows` in other formats."""
    from stsbaselines.io.files import to_json
    from stsbaselines.reports.tables import Format, render

    if style is Format.text:
        say(to_text(found), flush=True)
    elif style is Format.json:
        say(to_json(found.to_dict()), flush=True)
    else:
        say(render(found.rows(), style), flush=True)


def say_aside(text: str) -> None:
    """Print what is not part of the results on standard error, unless --quiet was passed."""
    if not IS_QUIET.get():
        say(text, file=sys.stderr, flush=True)


def complete_tasks(incomplete: str) -> list[str]:
    """Return the names of tasks that begin with what was typed."""
    from stsbaselines.data.catalogue import outside_tasks, task_names

    return [name for name in [*task_names(), *outside_tasks()] if name.startswith(incomplete)]


def complete_baselines(incomplete: str) -> list[str]:
    """Return the names of baselines that begin with what was typed."""
    from stsbaselines.baselines import names

    return [name for name in names() if name.startswith(incomplete)]


def complete_configs(incomplete: str) -> list[str]:
    """Return the names of configurations that begin with what was typed."""
    from stsbaselines.experiments.config import config_names

    return [name for name in config_names() if name.startswith(incomplete)]


TaskName = Annotated[
    str,
    typer.Argument(
        metavar="TASK",
        help="Such as sts2015, or a file of sentences and scores.",
        autocompletion=complete_tasks,
    ),
]
ConfigNames = Annotated[
    list[str],
    typer.Argument(
        metavar="CONFIG",
        help="Such as sts2013, or a YAML file; one or more.",
        autocompletion=complete_configs,
    ),
]


@contextmanager
def progress_bar(steps: int | None, what: str = "predicting") -> Iterator[Callable[..., None]]:
    """Show a progress bar with the rate and the time left, if there is a terminal.

    Yield a function to call with the steps just done, and with the pairs if their number differs.
    """
    if not sys.stderr.isatty() or IS_QUIET.get():
        yield lambda *_: None
        return
    from rich import progress
    from rich.console import Console

    columns = [
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.TaskProgressColumn(),
        progress.TextColumn("{task.fields[rate]}", justify="right"),
        progress.TimeRemainingColumn(),
    ]
    start, total = time.monotonic(), 0

    def advance(done: int, pairs: int | None = None) -> None:
        nonlocal total
        total += done if pairs is None else pairs
        rate = total / max(time.monotonic() - start, 1e-9)
        bar.update(task, advance=done, rate=f"{rate:,.0f} pairs/s")

    with progress.Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=steps, rate="")
        yield advance


def parameters_of(options: list[str] | None, option_name: str = "--set") -> dict[str, Any]:
    """Parse NAME=VALUE, the value as in a configuration: a number, JSON, or text."""
    parameters: dict[str, Any] = {}
    for option in options or []:
        name, equals, value = option.partition("=")
        if not (name and equals):
            raise InputError(f"{option_name} is {option!r}, but must be NAME=VALUE.")
        if name in parameters:
            raise InputError(f"{option_name} gives two values for {name}.")
        try:
            parameters[name] = _value_of(value, option_name)
        except OverflowError as error:
            raise InputError(f"{option_name} {name} is {error}, but must be up to 1e308.") from None
    return parameters


def _value_of(text: str, option_name: str) -> Any:
    from stsbaselines.io.settings import plain_value  # slow to import

    if text[:1] not in ("[", "{", '"'):
        return plain_value(text) if text else text
    try:
        return json.loads(
            text,
            object_pairs_hook=keys_once,
            parse_float=plain_value,
            parse_int=plain_value,
            parse_constant=plain_value,
        )
    except (ValueError, RecursionError):
        if text[0] == '"':
            return text
        raise InputError(
            f"{option_name} has {shown(text)}, which is no JSON list or object."
        ) from None


def check_is_other(out: Path, source: Path) -> None:
    """Refuse to overwrite the input file."""
    if out.exists() and source.exists() and out.samefile(source) and out.is_file():
        raise InputError(f"{out} is the input; name another file for the output.")


def task_of(text: str, columns: str | None, split: str | None) -> Task:
    """Return the task that an argument names, with --columns and --split if it is a file."""
    from stsbaselines.tasks.labelled import KEYS, as_task, read_task

    if columns is None and split is None:
        return as_task(text)
    return read_task(text, columns_of(columns, KEYS), split)


def columns_of(option: str | None, keys: tuple[str, ...]) -> dict[str, str | int]:
    """Parse KEY=NAME,... or numbers in the order of `keys`."""
    if option is None:
        return {}
    parts = [each.strip() for each in option.split(",")]
    if all(re.fullmatch("[1-9][0-9]{0,5}", each) for each in parts) and 1 < len(parts) <= len(keys):
        return dict(zip(keys, map(int, parts), strict=False))
    named = dict(each.partition("=")[::2] for each in parts)
    if len(named) != len(parts) or not all(named.values()) or not (named.keys() <= {*keys}):
        expected = f"{','.join(f'{key}=NAME' for key in keys)} or numbers, such as 6,7"
        raise InputError(f"--columns is {option!r}, but must be {expected}.")
    return {**named}
