"""The commands that run configurations: run, demo and reproduce."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stsbaselines.cli.console import (
    AcceptLicence,
    DataDir,
    FormatOption,
    Jobs,
    example,
    format_of,
    jobs_of,
    progress_bar,
    say,
)
from stsbaselines.cli.data import fetch_for
from stsbaselines.errors import InputError

if TYPE_CHECKING:
    from stsbaselines.experiments.config import ExperimentConfig
    from stsbaselines.experiments.run import Results

app = typer.Typer()

Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where results go.")]


@app.command(epilog=example("run sts2013 --jobs -1"))
def run(
    config: Annotated[
        list[str],
        typer.Argument(metavar="CONFIG", help="Such as sts2013, or a YAML file; one or more."),
    ],
    data_dir: DataDir = None,
    out: Out = Path("results"),
    jobs: Jobs = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run into OUT that was interrupted.")
    ] = False,
    fetch: Annotated[
        bool,
        typer.Option(
            "--fetch", help="First fetch what is missing, as `data fetch` does, if it can."
        ),
    ] = False,
    accept_licence: AcceptLicence = False,
) -> None:
    """Run baselines on a task, beside the published numbers.

    CONFIG is a YAML file, or the name of a configuration that comes with the package.
    Writes the official output files to OUT/TASK/BASELINE/ and OUT/TASK/results.json.
    """
    from stsbaselines.experiments.config import read_config
    from stsbaselines.reports.text import results_text

    configs = [read_config(name) for name in config]
    for name, each in zip(config, configs, strict=True):
        _validate(name, each)
    if fetch:
        fetch_for(configs, data_dir, accept_licence)
    for number, each in enumerate(configs):
        say("" if number == 0 else "\n", end="")
        say(results_text(_run(each, out, data_dir, jobs, resume)), flush=True)


def _validate(name: str, config: "ExperimentConfig") -> None:
    from stsbaselines.experiments.run import validate

    try:
        validate(config)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _run(
    config: "ExperimentConfig", out: Path, data_dir: Path | None, jobs: int, resume: bool = False
) -> "Results":
    from stsbaselines.experiments import run as experiment

    with progress_bar(experiment.pairs_to_process(config)) as progress:
        return experiment.run_with_fallback(config, out, data_dir, jobs_of(jobs), progress, resume)


@app.command(epilog=example("demo"))
def demo(
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Where results go, to be kept.")
    ] = None,
) -> None:
    """Run all baselines on samples: no data, no network.

    The samples are sentences of our own in the official formats, and come with the package.
    Output files are kept only with --out.
    """
    from stsbaselines.experiments.config import read_config, sample_config_names
    from stsbaselines.reports.text import results_text

    with tempfile.TemporaryDirectory() as temporary:
        for name in sample_config_names():
            say(results_text(_run(read_config(name), out or Path(temporary), None, 1)))
    say("\nWith the official data, `make sts2013` compares with the published rows.")


@app.command(epilog=example("reproduce sts2012 sts2013"))
def reproduce(
    config: Annotated[
        list[str] | None,
        typer.Argument(metavar="CONFIG", help="Such as sts2013; default: all but the slow ones."),
    ] = None,
    data_dir: DataDir = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Also write ledger.txt, .json and .md here."),
    ] = None,
    jobs: Jobs = 1,
    format: FormatOption = "text",
) -> None:
    """Print all published baseline cells beside ours.

    This is the ledger.
    Exit status 1 if a cell differs without a known reason, 2 if there is no data at all.
    """
    from stsbaselines.experiments import run as experiment
    from stsbaselines.experiments.config import config_names, read_config
    from stsbaselines.io import write_text
    from stsbaselines.reports.text import Format, ledger_text

    style = format_of(format)
    named = {name: read_config(name) for name in config or config_names()}
    for name, chosen in named.items():
        _validate(name, chosen)
    wanted = [each for each in named.values() if config or not each.slow]
    every = [experiment.with_published_rows(each) for each in wanted]
    configs = [each for each in every if each is not None]
    if not configs:
        raise InputError(f"{', '.join(named)}: no baseline has a published row.")
    total = sum(map(experiment.pairs_to_process, configs))
    with tempfile.TemporaryDirectory() as temporary, progress_bar(total) as progress:
        place = out or Path(temporary)
        cells = experiment.ledger(configs, place, data_dir, jobs_of(jobs), progress)
    if all(cell.status == "no data" for cell in cells):
        raise InputError(sorted({cell.reason for cell in cells}))
    if out is not None:
        for ending, each in [("txt", Format.text), ("json", Format.json), ("md", Format.markdown)]:
            write_text(out / f"ledger.{ending}", ledger_text(cells, each) + "\n")
    say(ledger_text(cells, style))
    if any(cell.status == "differs" for cell in cells):
        raise typer.Exit(1)
