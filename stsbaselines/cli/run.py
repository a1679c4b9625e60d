"""The commands that run configurations: run, demo and reproduce."""

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stsbaselines.cli.console import (
    AcceptLicence,
    ConfigNames,
    DataDir,
    FormatOption,
    Jobs,
    JsonOption,
    example,
    format_of,
    progress_bar,
    say,
    say_aside,
)
from stsbaselines.cli.data import fetch_for
from stsbaselines.errors import InputError, MissingDataError

if TYPE_CHECKING:
    from stsbaselines.experiments.config import ExperimentConfig
    from stsbaselines.experiments.run import Results

app = typer.Typer()


@app.command(epilog=example("run sts2013 --jobs -1"))
def run(
    config: ConfigNames,
    data_dir: DataDir = None,
    out: Annotated[Path, typer.Option(metavar="DIR", help="Output folder.")] = Path("results"),
    jobs: Jobs = 1,
    fetch: Annotated[
        bool,
        typer.Option(
            "--fetch", help="First fetch missing files where possible, as `data fetch` does."
        ),
    ] = False,
    accept_licence: AcceptLicence = False,
) -> None:
    """Run baselines, and compare with the published numbers.

    CONFIG is a YAML file, or the name of a configuration that comes with the package.
    Official output files go to OUT/TASK/BASELINE/, all results to OUT/TASK/results.json.
    """
    from stsbaselines.experiments.run import read_valid_config
    from stsbaselines.reports.ledger import results_text

    configs = [read_valid_config(name) for name in config]
    without: dict[str, list[str]] = {"fallback": []} if len(configs) > 1 else {}
    if fetch:
        fetch_for(configs, data_dir, accept_licence)
    for number, each in enumerate(configs):
        try:
            results = _run(each.model_copy(update=without), out, data_dir, jobs)
        except MissingDataError as error:
            if not each.fallback or len(configs) == 1:
                raise
            why = str(error).partition("\n")[0]
            say(
                f"\n{each.task} was not run: {why} `stsbaselines run {each.fallback[-1]}` shows it."
            )
            continue
        say(("\n" if number else "") + results_text(results), flush=True)
        folder = out / each.group / results.task.task
        say(f"\nOutputs and unrounded results are in {folder}/", flush=True)


def _run(
    config: "ExperimentConfig", out: Path, data_dir: Path | None = None, jobs: int = 1
) -> "Results":
    from stsbaselines.experiments import run as experiment

    with progress_bar(experiment.pairs_to_process(config)) as progress:
        return experiment.run_with_fallback(config, out, data_dir, jobs, progress)


@app.command(epilog=example("demo"))
def demo(
    out: Annotated[Path | None, typer.Option(metavar="DIR", help="Output folder.")] = None,
) -> None:
    """Run all baselines on samples, without data or network.

    The samples are sentences in the official formats that come with the package.
    Output files are kept only with --out.
    """
    from stsbaselines.experiments.config import read_config, sample_config_names
    from stsbaselines.reports.ledger import MEANINGS, demo_text

    configs = [read_config(name) for name in sample_config_names()]
    families = [*MEANINGS]
    configs.sort(key=lambda config: families.index(config.read().family))
    with tempfile.TemporaryDirectory() as temporary:
        for config in configs:
            say(f"{demo_text(_run(config, out or Path(temporary)))}\n", flush=True)
    say("With the official data, `make sts2013` compares with the published rows.")
    say("Score your own system: stsbaselines compare sample-sts --predictor MODULE:FUNCTION")


@app.command(epilog=example("reproduce sts2012 sts2013"))
def reproduce(
    config: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="CONFIG", help="Such as sts2013; default: all except the slow ones."
        ),
    ] = None,
    data_dir: DataDir = None,
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Also write ledger.txt, .json and .md there.")
    ] = None,
    jobs: Jobs = 1,
    format: FormatOption = "text",
    as_json: JsonOption = False,
) -> None:
    """Print the ledger: published baseline numbers beside ours.

    The exit status is 1 if a number differs and its configuration does not accept it by name, and 2
    if no data was found.
    """
    from stsbaselines.experiments import reproduce as reproducing
    from stsbaselines.experiments.ledger import DIFFERS, WITHOUT_SCORE
    from stsbaselines.experiments.run import pairs_to_process
    from stsbaselines.io.files import write_text
    from stsbaselines.reports.ledger import ledger_text
    from stsbaselines.reports.tables import Format

    style = format_of(format, as_json)
    configs = reproducing.ledger_configs(config or ())
    total = sum(map(pairs_to_process, configs))
    with tempfile.TemporaryDirectory() as temporary, progress_bar(total) as progress:
        place = out or Path(temporary)
        cells = reproducing.ledger(configs, place, data_dir, jobs, progress, say_aside)
    if all(cell.status in WITHOUT_SCORE for cell in cells):
        raise InputError(sorted({cell.reason for cell in cells}))
    if out is not None:
        for ending, each in [("txt", Format.text), ("json", Format.json), ("md", Format.markdown)]:
            write_text(out / f"ledger.{ending}", ledger_text(cells, each) + "\n")
    say(ledger_text(cells, style))
    if any(cell.status == DIFFERS and not cell.accepted for cell in cells):
        raise typer.Exit(1)
