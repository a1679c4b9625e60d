"""The commands on data: `stsbaselines data`."""

import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stsbaselines.cli.console import (
    AcceptLicence,
    DataDir,
    FormatOption,
    JsonOption,
    TaskName,
    example,
    format_of,
    progress_bar,
    say,
)
from stsbaselines.errors import SHOWN_FAULTS, InputError

if TYPE_CHECKING:
    from stsbaselines.data.catalogue import Task
    from stsbaselines.data.importing import Plan
    from stsbaselines.errors import Fault
    from stsbaselines.experiments.config import ExperimentConfig

data_app = typer.Typer(help="Find, fetch, import and verify the data sets.", no_args_is_help=True)

Tasks = Annotated[list[str] | None, typer.Argument(metavar="TASK", help="Default: all tasks.")]


@data_app.command("list", epilog=example("data list sts2013"))
def data_list(
    tasks: Tasks = None,
    data_dir: DataDir = None,
    format: FormatOption = "text",
    as_json: JsonOption = False,
) -> None:
    """List the data sets, and whether their files were found."""
    from stsbaselines.data.find import listing
    from stsbaselines.reports.tables import Format, render, without

    style = format_of(format, as_json)
    rows = listing(_tasks(tasks), data_dir)
    long = ("source", "folders", "citation")
    say(render(without(rows, *long) if style is Format.text else rows, style))


@data_app.command("path", epilog=example("data path sts2013 OnWN"))
def data_path(
    task: TaskName,
    dataset: Annotated[
        str | None, typer.Argument(metavar="DATASET", help="Only this data set of the task.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Print the paths of the files of a task."""
    from stsbaselines.data.find import paths
    from stsbaselines.tasks.labelled import as_task

    entry = as_task(task)
    datasets = entry.datasets if dataset is None else [entry.dataset(dataset)]
    say("\n".join(str(path) for path in paths(entry, datasets, data_dir)))


@data_app.command("verify", epilog=example("data verify sts2013"))
def data_verify(tasks: Tasks = None, data_dir: DataDir = None) -> None:
    """Compare the files with the official checksums.

    The exit status is 2 if a file is wrong, or missing from a task that is named or partly found.
    """
    from stsbaselines.data.find import verify

    right, faults = verify(_tasks(tasks), data_dir, complete=bool(tasks))
    for line in right:
        say(line)
    if faults:
        raise InputError(faults)


@data_app.command("import", epilog=example("data import my-downloads"))
def data_import(
    path: Annotated[
        str, typer.Argument(metavar="PATH", help="A file, a folder, or a zip or tar archive.")
    ],
    to: Annotated[
        str | None, typer.Option(metavar="DIR", help="Data directory; default: the user's cache.")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be done.")
    ] = False,
) -> None:
    """Put the official files that PATH holds in place.

    They are recognised by their checksums, under any name. An existing file is never changed: if
    a different file is already in one of the places, nothing is imported.
    """
    from stsbaselines.data import importing

    for name, each in (("PATH", path), ("--to", to)):
        if each == "":
            raise InputError(f"{name} is empty, but must name a place.")
    plan = importing.plan(Path(path), Path(to) if to else None)
    text = _plan_text(plan)  # before anything is written
    try:
        new = sum(each.state == "new" for each in plan.placements)
        new = new if dry_run else importing.place(plan)
    finally:
        say(text, flush=True)
    verb = "would be" if dry_run else "were"
    say(f"{new} of {len(plan.placements)} files {verb} imported into {plan.target}")


def _plan_text(plan: "Plan") -> str:
    from stsbaselines.data.find import directories
    from stsbaselines.reports.tables import render

    rows = [
        {
            "found": each.found,
            "task": each.task.task,
            "goes to": each.path.relative_to(plan.target).as_posix(),
            "state": each.state,
        }
        for each in plan.placements
    ]
    restricted = [each.file.name for each in plan.placements if each.restricted]
    notes = [f"{name}: may not be redistributed" for name in restricted]
    notes += [f"{name}: not an official file" for name in plan.others[:SHOWN_FAULTS]]
    if len(plan.others) > SHOWN_FAULTS:
        notes.append(f"... and {len(plan.others) - SHOWN_FAULTS:,} more files are not official")
    notes += map(str, plan.unreadable[:SHOWN_FAULTS])
    if plan.target.resolve() not in [each.resolve() for each in directories()]:
        notes.append(f"To use {plan.target}, name it by --data-dir or $STSBASELINES_DATA.")
    return "\n".join([render(rows), "", *notes])


@data_app.command("fetch", epilog=example("data fetch sts2013"))
def data_fetch(
    tasks: Annotated[
        list[str] | None, typer.Argument(metavar="TASK", help="Default: all public tasks.")
    ] = None,
    accept_licence: AcceptLicence = False,
    offline: Annotated[
        bool, typer.Option("--offline", help="Do not connect; report what is missing.")
    ] = False,
    data_dir: Annotated[
        Path | None,
        typer.Option(
            metavar="DIR", help="Search here first, and put files here instead of the cache."
        ),
    ] = None,
    api_key: Annotated[
        str | None,
        typer.Option(
            metavar="KEY",
            envvar="EUROPEANA_API_KEY",
            show_envvar=True,
            help="Your key of the Europeana API, for the item records of typed similarity.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "-o", "--out", metavar="DIR", help="Folder for item records. Default: the user's cache."
        ),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option(metavar="URL", help="Another address of the Europeana API.")
    ] = None,
    pause: Annotated[float, typer.Option(help="Seconds between two requests for records.")] = 0.5,
) -> None:
    """Fetch the missing files of tasks.

    Each file is checked by its official checksum, and goes to the user's cache. You are asked once
    to accept the licence of each task. The item records of typed similarity are fetched from
    Europeana with your own key: they go to DIR/text and DIR/json, and DIR/vanished.txt lists the
    items that no longer exist.
    """
    from stsbaselines.data.fetch import left_to_do
    from stsbaselines.data.find import is_offline
    from stsbaselines.io.files import make_folder

    offline = offline or is_offline()
    entries = [each for each in _tasks(tasks) if tasks or not each.is_sample]
    without_records = [each.task for each in entries if not _has_records(each)]
    if out is not None and without_records:
        raise InputError(f"-o is for item records: {without_records[0]} has none.")
    if data_dir is not None and not offline:
        make_folder(data_dir)
    refused: list[str] = []
    faults: list[Fault | str] = []
    unreachable: set[str] = set()
    for entry in entries:
        try:
            if not (offline or _may_fetch(entry, data_dir, accept_licence)):
                refused.append(entry.task)
                continue
            lines = _fetch(entry, data_dir, unreachable, offline)
            for line in lines:
                say(line, flush=True)
            if tasks and api_key and _has_records(entry) and not offline:
                _fetch_records(entry, data_dir, out, api_key, base_url, pause)
                continue
            if not lines:
                say(f"{entry.task}: nothing to fetch")
            for line in left_to_do(entry, data_dir):
                say(line)
        except InputError as error:
            faults.extend(error.faults)
    if refused:
        faults.append(_why_refused(refused))
    if faults:
        raise InputError(faults)


def _may_fetch(task: "Task", data_dir: Path | None, accept: bool) -> bool:
    """Show the licence of a task once, if there is something to fetch; ask on a terminal."""
    from stsbaselines.data import licences
    from stsbaselines.data.find import wanted_files

    if licences.is_accepted(task) or not wanted_files(task, data_dir):
        return True
    say(f"{licences.terms(task)}\n", file=sys.stderr, flush=True)
    if not accept and _is_terminal():
        question = f"Type yes to accept the licence of {task.task}: "
        say(question, end="", file=sys.stderr, flush=True)
        accept = sys.stdin.readline().strip().lower() == "yes"
    if accept:
        with suppress(InputError):  # if it cannot be remembered, the question is asked again
            licences.accept(task)
    return accept


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _why_refused(tasks: list[str]) -> str:
    return (
        f"{', '.join(tasks)} cannot be fetched before the licence is accepted: type yes on a"
        " terminal, or give `stsbaselines data fetch` the option --accept-licence."
    )


def _fetch(
    task: "Task", data_dir: Path | None, unreachable: set[str], offline: bool = False
) -> list[str]:
    """Fetch the missing files of a task; return lines that say what came from where."""
    from stsbaselines.data.fetch import fetch

    fetched = fetch(
        task, data_dir, offline=offline, progress=sys.stderr.isatty(), unreachable=unreachable
    )
    sources: dict[str, list[str]] = {}
    for each in fetched:
        place = f"into {each.path.parent} from {each.address.removesuffix(f'/{each.path.name}')}"
        sources.setdefault(place, []).append(each.path.name)
    return [f"{task.task}: {', '.join(names)} {where}" for where, names in sources.items()]


def fetch_for(configs: "list[ExperimentConfig]", data_dir: Path | None, accept: bool) -> None:
    """Fetch the missing data of configurations; `run` reports what could not be fetched.

    A task that cannot run in any case, because its item records are missing, is skipped.
    """
    from stsbaselines.data.catalogue import find_task
    from stsbaselines.data.find import directories, is_offline, lacks_folders, wanted_files
    from stsbaselines.data.licences import is_accepted

    unreachable: set[str] = set()
    list(directories(data_dir))  # raises an error if a named directory does not exist
    for name, datasets in dict.fromkeys(each for config in configs for each in config.needs):
        task = find_task(name)
        can = not is_offline() and (accept or _is_terminal() or is_accepted(task))
        if can and wanted_files(task, data_dir, datasets) and not lacks_folders(task, data_dir):
            try:
                may = _may_fetch(task, data_dir, accept)
                lines = _fetch(task, data_dir, unreachable) if may else [_why_refused([name])]
            except InputError as error:
                lines = [str(error)]
            say("\n".join(lines), file=sys.stderr, flush=True)


def _has_records(task: "Task") -> bool:
    return task.family == "typed" and not task.is_sample


def _fetch_records(
    task: "Task",
    data_dir: Path | None,
    out: Path | None,
    api_key: str,
    base_url: str | None,
    pause: float,
) -> None:
    from stsbaselines.data import europeana
    from stsbaselines.data.find import cache_directory, require
    from stsbaselines.tasks import typed
    from stsbaselines.tasks.records import text_of_json

    source = require(task, task.datasets[0], "input", data_dir)
    urls = typed.read_urls(source, task.datasets[0].pairs)
    folder = out or cache_directory() / task.folders[0]
    items = len({url for pair in urls for url in pair})
    with progress_bar(items, "fetching") as progress:
        found = europeana.fetch_records(
            urls,
            folder,
            api_key,
            text_of_json,
            base_url=europeana.API if base_url is None else base_url,
            pause=pause,
            progress=lambda *_: progress(1),
        )
    say(
        f"{folder}: {len(found.fetched):,} records fetched, {len(found.present):,} were there,"
        f" {len(found.vanished):,} have vanished, {len(found.failed):,} failed"
    )
    if found.failed:
        raise InputError([f"{name}: {why}" for name, why in found.failed.items()])


def _tasks(names: list[str] | None) -> "list[Task]":
    from stsbaselines.data.catalogue import task_names
    from stsbaselines.tasks.labelled import as_task

    return [as_task(name) for name in names or task_names()]
