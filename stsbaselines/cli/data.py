"""The commands on data: `stsbaselines data`."""

import functools
import sys
from contextlib import nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stsbaselines.cli.console import (
    AcceptLicence,
    DataDir,
    FormatOption,
    download_bars,
    example,
    format_of,
    is_terminal,
    progress_bar,
    say,
)
from stsbaselines.errors import InputError

if TYPE_CHECKING:
    from stsbaselines.data.catalogue import Task
    from stsbaselines.errors import Fault
    from stsbaselines.experiments.config import ExperimentConfig

data_app = typer.Typer(help="Find, fetch, import and verify the data sets.", no_args_is_help=True)

Tasks = Annotated[list[str] | None, typer.Argument(metavar="TASK", help="All, if none.")]


@data_app.command("list", epilog=example("data list sts2013"))
def data_list(tasks: Tasks = None, data_dir: DataDir = None, format: FormatOption = "text") -> None:
    """List the data sets, and whether their files are here."""
    from stsbaselines.data.find import listing
    from stsbaselines.reports.text import Format, render, without

    style = format_of(format)
    rows = listing(_tasks(tasks), data_dir)
    long = ("source", "folders", "citation")
    say(render(without(rows, *long) if style is Format.text else rows, style))


@data_app.command("path", epilog=example("data path sts2013 OnWN"))
def data_path(
    task: Annotated[str, typer.Argument(metavar="TASK", help="Such as sts2015.")],
    dataset: Annotated[
        str | None, typer.Argument(metavar="DATASET", help="Only this data set of the task.")
    ] = None,
    data_dir: DataDir = None,
) -> None:
    """Print where the files of a task are."""
    from stsbaselines.data.catalogue import find_task
    from stsbaselines.data.find import paths

    entry = find_task(task)
    datasets = entry.datasets if dataset is None else [entry.dataset(dataset)]
    say("\n".join(str(path) for path in paths(entry, datasets, data_dir)))


@data_app.command("verify", epilog=example("data verify sts2013"))
def data_verify(tasks: Tasks = None, data_dir: DataDir = None) -> None:
    """Compare the files with the official checksums.

    Exit status 2 if a file is wrong, or missing from a task that is named or partly here.
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
        str, typer.Argument(metavar="PATH", help="A file, a folder or a zip or tar archive.")
    ],
    to: Annotated[
        str | None,
        typer.Option("--to", metavar="DIR", help="Data directory; default: the user's cache."),
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only say what would be done.")
    ] = False,
) -> None:
    """Recognise files of data sets, and put them in place.

    Official files and labelled pairs are known by their content.
    A file that is there already is never changed: if another one is in the way, nothing is done.
    """
    from stsbaselines.data import importing
    from stsbaselines.reports.text import render

    for name, each in (("PATH", path), ("--to", to)):
        if each == "":
            raise InputError(f"{name} is empty, but must name a place.")
    plan = importing.plan(importing.recognise(Path(path)), Path(to) if to else None)
    say("\n".join([render(plan.rows), "", *plan.notes]), flush=True)
    plan.check()
    done = f"{len(plan.new)} of {len(plan.placements)} files"
    if dry_run:
        say(f"{done} would be put into {plan.target}")
    else:
        importing.place(plan)
        say(f"{done} were put into {plan.target}")


@data_app.command("fetch", epilog=example("data fetch sts2013"))
def data_fetch(
    tasks: Annotated[
        list[str] | None, typer.Argument(metavar="TASK", help="All public ones, if none.")
    ] = None,
    accept_licence: AcceptLicence = False,
    offline: Annotated[
        bool, typer.Option("--offline", help="Ask nobody; say what is missing.")
    ] = False,
    data_dir: Annotated[
        Path | None,
        typer.Option(
            "--data-dir",
            metavar="DIR",
            help="Look here first, and put files here, not in the cache.",
        ),
    ] = None,
    api_key: Annotated[
        str | None,
        typer.Option(
            "--api-key",
            metavar="KEY",
            envvar="EUROPEANA_API_KEY",
            show_envvar=True,
            help="Your key of the Europeana API, for the item records of typed similarity.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="DIR", help="For records; default: the user's cache."),
    ] = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", metavar="URL", help="Another address of the API.")
    ] = None,
    pause: Annotated[float, typer.Option(help="Seconds between two requests for records.")] = 0.5,
) -> None:
    """Fetch the files of tasks that are not here yet.

    Each is checked by its official checksum, and goes to the user's cache. The licence of a task
    is shown, and to be accepted, once. The item records of typed similarity are fetched from
    Europeana with a key of your own: they go to DIR/text and DIR/json; what has vanished is listed
    in DIR/vanished.txt.
    """
    from stsbaselines.data.fetch import left_to_do
    from stsbaselines.data.find import is_offline
    from stsbaselines.io import make_folder

    entries = [each for each in _tasks(tasks) if tasks or not each.is_sample]
    without = [each.task for each in entries if not _has_records(each)]
    if out is not None and without:
        raise InputError(f"-o is for item records: {without[0]} has none.")
    if data_dir is not None and not (offline or is_offline()):
        make_folder(data_dir)
    refused: list[str] = []
    faults: list[Fault | str] = []
    silent: set[str] = set()
    for entry in entries:
        try:
            if not (offline or _may_fetch(entry, data_dir, accept_licence)):
                refused.append(entry.task)
                continue
            fetched = _fetch(entry, data_dir, silent, offline)
            say("".join(f"{line}\n" for line in fetched), end="", flush=True)
            if tasks and api_key and _has_records(entry) and not (offline or is_offline()):
                _fetch_records(entry, data_dir, out, api_key, base_url, pause)
                continue
            nothing = [] if fetched else [f"{entry.task}: nothing to fetch"]
            say("".join(f"{line}\n" for line in [*nothing, *left_to_do(entry, data_dir)]), end="")
        except InputError as error:
            faults.extend(error.faults)
    if refused:
        faults.append(_why_refused(refused))
    if faults:
        raise InputError(faults)


def _may_fetch(task: "Task", data_dir: Path | None, accept: bool) -> bool:
    """Show the licence of a task once, if there is something to fetch; ask on a terminal."""
    from stsbaselines.data import licences
    from stsbaselines.data.find import is_offline, wanted_files

    if is_offline() or licences.is_accepted(task) or not wanted_files(task, data_dir):
        return True
    say(f"{licences.terms(task)}\n", file=sys.stderr, flush=True)
    unasked = accept  # which need not be remembered
    if not accept and is_terminal():
        print(
            f"Type yes to accept the licence of {task.task}: ", end="", file=sys.stderr, flush=True
        )
        accept = sys.stdin.readline().strip().lower() == "yes"
    if accept:
        with suppress(InputError) if unasked else nullcontext():
            licences.accept(task)
    return accept


def _why_refused(tasks: list[str]) -> str:
    return (
        f"{', '.join(tasks)} cannot be fetched before the licence is accepted: type yes on a"
        " terminal, or give `stsbaselines data fetch` the option --accept-licence."
    )


def _fetch(
    task: "Task", data_dir: Path | None, silent: set[str], offline: bool = False
) -> list[str]:
    """Fetch the missing files of a task; return what was fetched from where."""
    from stsbaselines.data.fetch import fetch

    notice = functools.partial(say, file=sys.stderr, flush=True)
    with download_bars() as progress:
        fetched = fetch(
            task, data_dir, offline=offline, progress=progress, silent=silent, notice=notice
        )
    sources: dict[str, list[str]] = {}
    for each in fetched:
        place = f"into {each.path.parent} from {each.address.removesuffix(f'/{each.path.name}')}"
        sources.setdefault(place, []).append(each.path.name)
    return [f"{task.task}: {', '.join(names)} {where}" for where, names in sources.items()]


def fetch_for(configs: "list[ExperimentConfig]", data_dir: Path | None, accept: bool) -> None:
    """Fetch what configurations lack; where that fails, `run` says what is missing.

    Nothing is fetched for what cannot be run all the same, since its item records are not here.
    """
    from stsbaselines.data.catalogue import find_task
    from stsbaselines.data.find import directories, is_offline, lacks_folders, wanted_files
    from stsbaselines.data.licences import is_accepted

    silent: set[str] = set()
    list(directories(data_dir))  # refuses those that are named, but not there
    for name, datasets in dict.fromkeys(each for config in configs for each in config.needs):
        task = find_task(name)
        can = not is_offline() and (accept or is_terminal() or is_accepted(task))
        if can and wanted_files(task, data_dir, datasets) and not lacks_folders(task, data_dir):
            try:
                may = _may_fetch(task, data_dir, accept)
                lines = _fetch(task, data_dir, silent) if may else [_why_refused([name])]
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
        f"{folder}: {len(found.fetched):,} records fetched, {len(found.present):,} were here,"
        f" {len(found.vanished):,} have vanished, {len(found.failed):,} failed"
    )
    if found.failed:
        raise InputError([f"{name}: {why}" for name, why in found.failed.items()])


def _tasks(names: list[str] | None) -> "list[Task]":
    from stsbaselines.data.catalogue import find_task, task_names

    return [find_task(name) for name in names or task_names()]
