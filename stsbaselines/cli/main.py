"""The command line: it parses arguments and prints; the work is done elsewhere."""

import atexit
import gc
import io
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from stsbaselines.cli.console import (
    AcceptLicence,
    DataDir,
    FormatOption,
    Jobs,
    ParameterOption,
    example,
    format_of,
    jobs_of,
    parameters_of,
    progress_bar,
    say,
)
from stsbaselines.cli.data import data_app, fetch_for
from stsbaselines.cli.train import train_app
from stsbaselines.errors import InputError
from stsbaselines.version import __version__

if TYPE_CHECKING:
    from stsbaselines.experiments.config import ExperimentConfig
    from stsbaselines.experiments.run import Results
    from stsbaselines.reference.published import Table

    Advance = Callable[..., None]

BAD_INPUT = 2

app = typer.Typer(
    epilog="To begin: `stsbaselines demo`, and `stsbaselines COMMAND --help`.",
    help="Official baselines and scorers of the STS, interpretable STS and PIT tasks.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

app.add_typer(data_app, name="data")

Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where results go.")]

Backend = Annotated[
    str,
    typer.Option("--backend", metavar="processes|dask", help="Where processes are: here, or dask."),
]

Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="ADDRESS", help="Where dask is: tcp://HOST:8786."),
]

DataSetName = Annotated[
    str | None, typer.Option("--dataset", metavar="NAME", help="Only this data set of the task.")
]

Mapping_ = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="NAME=FILE", help="A file in PATH that is named otherwise."),
]


def main() -> None:
    """Run the command line; bad input ends in one sentence and exit status 2."""
    atexit.register(gc.freeze)  # else the end takes as long as a search of all objects for garbage
    _replace_closed_streams()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        app()
    except InputError as error:
        sys.exit(_refuse(str(error)))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except MemoryError:
        sys.exit(_refuse("There is not enough memory for this."))
    except OSError as error:
        sys.exit(_refuse(f"{error.filename or 'standard output'}: {error.strerror or error}"))


def _replace_closed_streams() -> None:
    """Let there be nothing on a closed standard input, and printing to a closed output fail."""
    if sys.stdin is None:
        sys.stdin = io.TextIOWrapper(io.BytesIO())
    if sys.stdout is None:
        raw = io.FileIO(os.open(os.devnull, os.O_RDONLY), "w")
        sys.stdout = io.TextIOWrapper(raw, write_through=True)
    if sys.stderr is None:
        sys.stderr = io.StringIO()


def _refuse(message: str) -> int:
    say(message, file=sys.stderr)
    return BAD_INPUT


def _version(wanted: bool) -> None:
    if wanted:
        say(f"stsbaselines {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Official baselines and scorers of the STS, interpretable STS and PIT tasks."""


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


@app.command(epilog=example("score sts2015 my-outputs"))
def score(
    task: Annotated[str, typer.Argument(metavar="TASK", help="Such as sts2015.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="An output file, or a folder.")],
    dataset: DataSetName = None,
    mapping: Mapping_ = None,
    data_dir: DataDir = None,
    as_json: Annotated[bool, typer.Option("--json", help="Unrounded, as JSON.")] = False,
    details: Annotated[
        bool,
        typer.Option("--details", help="Also tables for error analysis, where there are some."),
    ] = False,
) -> None:
    """Score a system's output with every measure of a task.

    PATH is one output file, or a folder with one file for each data set.
    """
    from stsbaselines.evaluation import submission
    from stsbaselines.io import to_json
    from stsbaselines.reports.text import scores_text

    scores = submission.score(task, path, dataset, _mapping(mapping), data_dir)
    if details and not scores.details:
        raise InputError(f"{task} has no tables for error analysis.")
    say(to_json(scores.to_dict()) if as_json else scores_text(scores, details))


@app.command(epilog=example("compare sts2015 my-outputs --predictor token-cosine"))
def compare(
    task: Annotated[str, typer.Argument(metavar="TASK", help="Such as sts2015.")],
    path: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help="Output files or folders, or NAME=PATH."),
    ] = None,
    predictor: Annotated[
        list[str] | None,
        typer.Option(
            "--predictor",
            metavar="SYSTEM",
            help="A baseline, a saved folder, or MODULE:OBJECT: a Predictor or a function.",
        ),
    ] = None,
    encoder: Annotated[
        list[str] | None,
        typer.Option(
            "--encoder",
            metavar="MODULE:OBJECT",
            help="A sentence embedder: an object with `encode`.",
        ),
    ] = None,
    vectors: Annotated[
        list[str] | None,
        typer.Option(
            "--vectors",
            metavar="DIR",
            help="Computed vectors of sentences: a NAME.npz each data set.",
        ),
    ] = None,
    dataset: DataSetName = None,
    mapping: Mapping_ = None,
    chunks: Annotated[
        str,
        typer.Option(metavar="gold|system", help="Interpretable STS: what systems were given."),
    ] = "",
    report: Annotated[
        str | None,
        typer.Option("--report", metavar="DIR", help="Also write HTML, Markdown, LaTeX and JSON."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Everything, as JSON.")] = False,
    resamples: Annotated[int, typer.Option(metavar="N", help="Resamples of the bootstrap.")] = 1000,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed of the bootstrap.")] = 0,
    data_dir: DataDir = None,
    jobs: Jobs = 1,
) -> None:
    """Rank systems among the published runs, and compare them.

    Prints intervals, ranks, neighbours and tests of significance.
    Systems are output files as for `score`, or code: the options for it can be repeated.
    """
    from stsbaselines.data.catalogue import find_task
    from stsbaselines.evaluation import systems
    from stsbaselines.evaluation.comparison import compare as compare_systems
    from stsbaselines.io import to_json
    from stsbaselines.reports import comparison as comparison_report
    from stsbaselines.reports.comparison import report as write_report
    from stsbaselines.reports.text import comparison_text

    named = systems.from_arguments(path or [], predictor or [], encoder or [], vectors or [])
    if report == "":
        raise InputError("--report is empty, but must name a folder.")
    folder = comparison_report.folder_for(Path(report)) if report else nullcontext()
    by_code = sum(not isinstance(each, Path) for each in named.values())
    pairs = sum(each.pairs for each in find_task(task).datasets)
    with folder, progress_bar(pairs * by_code) as progress:
        found = compare_systems(
            task,
            named,
            dataset=dataset,
            mapping=_mapping(mapping),
            chunks=chunks,
            data_dir=data_dir,
            resamples=resamples,
            random_state=seed,
            n_jobs=jobs_of(jobs),
            progress=progress,
        )
        say(to_json(found.to_dict()) if as_json else comparison_text(found), flush=True)
        for file in write_report(found, report) if report else ():
            say(f"wrote {file}", file=sys.stderr)


@app.command(
    "explain-number",
    context_settings={"ignore_unknown_options": True},
    epilog=example("explain-number 73.42 --task sts2015 my-outputs"),
)
def explain_number(
    number: Annotated[str, typer.Argument(metavar="NUMBER", help="As printed, such as 0.7342.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="An output file, or a folder.")],
    task: Annotated[str, typer.Option("--task", metavar="TASK", help="Such as sts2015.")],
    dataset: DataSetName = None,
    mapping: Mapping_ = None,
    data_dir: DataDir = None,
    as_json: Annotated[bool, typer.Option("--json", help="Unrounded, as JSON.")] = False,
) -> None:
    """List the measures by which a run gives a number.

    It tries every measure of the task, and the conventions of later papers.
    Exit status 1 if there is none; then the nearest ones are shown.
    """
    from stsbaselines.evaluation.explanation import explain
    from stsbaselines.io import to_json
    from stsbaselines.reports.text import explanation_text

    found = explain(number, task, path, dataset, _mapping(mapping), data_dir)
    say(to_json(found.to_dict()) if as_json else explanation_text(found))
    if not found.matches:
        raise typer.Exit(1)


@app.command(epilog=example("check sts2015 my-outputs"))
def check(
    task: Annotated[str, typer.Argument(metavar="TASK", help="Such as sts2015.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="An output file, or a folder.")],
    dataset: DataSetName = None,
    mapping: Mapping_ = None,
) -> None:
    """Check that a submission is well-formed.

    Exit status 0 if it is, or 2 with its faults. Needs no official data.
    """
    from stsbaselines.evaluation import submission

    files = submission.check(task, path, dataset, _mapping(mapping))
    for name, file in files.items():
        say(f"{name}: {file} is well-formed")


def _mapping(options: list[str] | None) -> dict[str, str]:
    mapping = {}
    for option in options or []:
        name, equals, file = option.partition("=")
        if not (name and equals and file):
            raise InputError(f"--map is {option!r}, but must be NAME=FILE.")
        if name in mapping:
            raise InputError(f"--map gives two files for {name}.")
        mapping[name] = file
    return mapping


@app.command(epilog=example("predict token-cosine pairs.txt -o scores.txt"))
def predict(
    baseline: Annotated[
        str, typer.Argument(metavar="BASELINE", help="Such as token-cosine, or a saved folder.")
    ],
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Two sentences a line; - is standard input.")
    ] = Path("-"),
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", help="Default: standard output."),
    ] = None,
    parameter: ParameterOption = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", metavar="N", help="Processes; -1 for all cores. Default: 1; of dask, all."
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Keep what is done as OUT.part, and go on from it."),
    ] = False,
    backend: Backend = "processes",
    scheduler: Scheduler = None,
) -> None:
    """Score sentence pairs with a baseline, streaming.

    Two TAB-separated sentences a line in, one score a line out; a baseline that aligns chunks
    gives the blocks of an alignment file. Files that end in .jsonl or .parquet have sentence1 and
    sentence2, or score; .gz and .zst are unpacked or packed.

    A file is checked before its first score is printed; standard input cannot be, so
    there the scores before a faulty block of lines have been printed when it is refused.
    """
    from stsbaselines import baselines
    from stsbaselines.evaluation.prediction import no_advance, predict_file, size_of
    from stsbaselines.parallel import workers

    if baseline and baseline not in baselines.names() and Path(baseline).is_dir():
        if parameter:
            raise InputError(f"{baseline} is a saved predictor, so its parameters cannot be set.")
        system = baselines.load(baseline)
    else:
        system = baselines.create(baseline, **parameters_of(parameter))
    standard = (Path("-"), Path("/dev/stdout"))
    target = None if out in standard else out
    source = None if str(file) == "-" else file
    if target is not None:
        _check_is_other(target, source or Path("/dev/stdin"))  # a file, if it is redirected
    bar = nullcontext(no_advance) if target is None else progress_bar(size_of(source))
    start = time.monotonic()
    n_jobs = -1 if backend == "dask" and jobs is None else jobs_of(1 if jobs is None else jobs)
    with workers(backend, scheduler), bar as advance:
        pairs = predict_file(system, source, target, n_jobs, resume, advance)
    if target is not None:
        rate = pairs / max(time.monotonic() - start, 1e-9)
        say(
            f"wrote {target}: {pairs:,} {'pair' if pairs == 1 else 'pairs'},"
            f" {rate:,.0f} a second; {system.signature()}",
            file=sys.stderr,
        )


def _check_is_other(out: Path, source: Path) -> None:
    """Refuse to write over the file that is read."""
    if out.exists() and source.exists() and out.samefile(source) and out.is_file():
        raise InputError(f"{out} is the input; name another file for the output.")


@app.command(epilog=example("show ists2016 STSint.output.images.wa --gold"))
def show(
    task: Annotated[str, typer.Argument(metavar="TASK", help="ists2015, ists2016 or another.")],
    path: Annotated[Path, typer.Argument(metavar="RUN.wa", help="An alignment file.")],
    gold: Annotated[
        bool, typer.Option("--gold", help="With the gold standard beside, and what differs.")
    ] = False,
    dataset: DataSetName = None,
    data_dir: DataDir = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="Default: RUN.html here.")
    ] = None,
) -> None:
    """Write a page of HTML that shows alignments.

    It has the chunks of an output of interpretable STS, and how they are aligned.
    """
    from stsbaselines.io import write_text
    from stsbaselines.reports.alignments import page

    target = out or Path(f"{path.stem}.html")
    _check_is_other(target, path)
    write_text(target, page(task, path, gold, dataset, data_dir))
    say(f"wrote {target}")


@app.command(epilog=example("align 'A man plays.' 'The man is playing.'"))
def align(
    left: Annotated[str, typer.Argument(metavar="SENTENCE", help="In quotation marks.")],
    right: Annotated[str, typer.Argument(metavar="SENTENCE", help="What it is aligned with.")],
    format: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="text, json or wa.")
    ] = "text",
    parameter: ParameterOption = None,
) -> None:
    """Align the chunks of two sentences.

    The chunks are those of our chunker, the alignment that of the baseline of interpretable STS.
    """
    from rich.console import Console

    from stsbaselines.errors import unknown
    from stsbaselines.io import to_json
    from stsbaselines.reports import alignments as show
    from stsbaselines.reports.text import alignments_text
    from stsbaselines.tasks.ists import format_predictions

    if format not in ("text", "json", "wa"):
        raise unknown("format", format, ["text", "json", "wa"])
    pair = show.align(left, right, **parameters_of(parameter))
    if format == "wa":
        sys.stdout.buffer.write(format_predictions([pair.alignments], [pair[:2]]))
    elif format == "json":
        say(to_json({"sentences": pair[:2], "alignments": show.as_rows(pair)}))
    else:
        text = alignments_text(show.as_rows(pair))
        Console(highlight=False, soft_wrap=True).print(text)


app.add_typer(train_app, name="train")


@app.command(epilog=example("tables sts2015 --top 5"))
def tables(
    task: Annotated[
        str | None, typer.Argument(metavar="TASK", help="A task, or the name of a table.")
    ] = None,
    format: FormatOption = "text",
    team: Annotated[
        str, typer.Option(metavar="TEXT", help="Only runs with this in their name or their team's.")
    ] = "",
    unsupervised: Annotated[
        bool, typer.Option("--unsupervised", help="Only runs that the paper marks so.")
    ] = False,
    top: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Only the N best, in order.")
    ] = None,
    plot: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Also plot one table: .svg, .png or .pdf."),
    ] = None,
) -> None:
    """Print the published tables of a task, or list all.

    Without TASK, all tables are listed.
    """
    from stsbaselines.io import to_json
    from stsbaselines.reference import published as reference
    from stsbaselines.reference.ranking import select_from
    from stsbaselines.reports.text import Format, render, tables_text

    style = format_of(format)
    whole = reference.tables_of(task)
    found = select_from(whole, team, unsupervised, top)
    if plot is not None:
        from stsbaselines.reports.plots import plot_table

        chosen = _only(found, task, "a plot")
        is_selected = bool(team or unsupervised or top)
        plot_table(reference.table(chosen.name), plot, chosen.rows if is_selected else ())
    if task is None:
        say(render([table.summary() for table in found], style))
    elif style is Format.json:
        say(to_json([{**table.summary(), "rows": table.cells()} for table in found]))
    elif style is Format.csv:
        say(render(_only(found, task, "CSV").cells(), style))
    else:
        say(tables_text(found, style))


def _only(found: "list[Table]", task: str | None, purpose: str) -> "Table":
    """Return the only table, or the one of that name."""
    single = found if len(found) == 1 else [each for each in found if each.name == task]
    if not single:
        names = ", ".join(table.name for table in found)
        several = f"{task} has several tables" if task else "there are several tables"
        raise InputError(f"{several}; for {purpose}, name one of them: {names}.")
    return single[0]


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
