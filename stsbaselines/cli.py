"""The command line: it parses arguments and prints; the work is done elsewhere."""

from __future__ import annotations

import io
import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stsbaselines import __version__
from stsbaselines.errors import InputError, visible
from stsbaselines.models import (
    CORPORA,
    PAIRS,
    TRAINED_ON_CORPORA,
    TRAINED_ON_PAIRS,
    model_name,
)

if TYPE_CHECKING:
    from stsbaselines.config import ExperimentConfig
    from stsbaselines.data.catalogue import Task
    from stsbaselines.experiment import Results
    from stsbaselines.reference import Table
    from stsbaselines.report import Format

    Advance = Callable[..., None]

BAD_INPUT = 2

app = typer.Typer(
    help="Official baselines and scorers of the STS, interpretable STS and PIT tasks.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
data_app = typer.Typer(help="Find and verify the data sets.", no_args_is_help=True)
app.add_typer(data_app, name="data")

DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        metavar="DIR",
        help="Look here first; then in $STSBASELINES_DATA, ./data and the user's cache.",
    ),
]
Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where results go.")]
Jobs = Annotated[int, typer.Option("--jobs", metavar="N", help="Processes; -1 for all cores.")]
Backend = Annotated[
    str,
    typer.Option("--backend", metavar="processes|dask", help="Where processes are: here, or dask."),
]
Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="ADDRESS", help="Of dask, such as tcp://host:8786."),
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
    for stream in (sys.stdout, sys.stderr):
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
    except OSError as error:
        sys.exit(_refuse(f"{error.filename or 'standard output'}: {error.strerror or error}"))


def _refuse(message: str) -> int:
    _say(message, file=sys.stderr)
    return BAD_INPUT


def _say(text: str, **options: Any) -> None:
    """Print a text; what a terminal would act on, as in the name of a file, is escaped."""
    print(visible(text), **options)


def _version(wanted: bool) -> None:
    if wanted:
        _say(f"stsbaselines {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Official baselines and scorers of the STS, interpretable STS and PIT tasks."""


@contextmanager
def _progress(steps: int | None, what: str = "predicting") -> Iterator[Advance]:
    """Show a progress bar with the rate and the time left on a terminal.

    What it gives is called with the steps that are done, and with the pairs if they are others.
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
    bar = Bar(*columns, console=Console(stderr=True), transient=True)
    first, total = None, 0

    def advance(done: int, pairs: int | None = None) -> None:
        nonlocal first, total
        if first is None:  # which may be what an earlier run has done
            first = time.monotonic()
        else:
            total += done if pairs is None else pairs
        seconds = time.monotonic() - first  # none, on a clock that ticks slowly
        rate = f"{total / seconds:,.0f} pairs/s" if seconds else ""
        bar.update(task, advance=done, rate=rate)

    with bar:
        task = bar.add_task(what, total=steps, rate="")
        yield advance


def _jobs(jobs: int) -> int:
    most = 8 * (os.cpu_count() or 1)
    if jobs != -1 and not 1 <= jobs <= most:
        raise InputError(f"--jobs is {jobs}, but must be from 1 to {most}, or -1 for all cores.")
    return jobs


@app.command()
def run(
    config: Annotated[
        list[str], typer.Argument(metavar="CONFIG...", help="Configuration files or their names.")
    ],
    data_dir: DataDir = None,
    out: Out = Path("results"),
    jobs: Jobs = 1,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run into OUT that was interrupted.")
    ] = False,
) -> None:
    """Run the baselines of a configuration, and compare them with the published numbers.

    Writes the official output files to OUT/TASK/BASELINE/ and OUT/TASK/results.json.
    """
    from stsbaselines.config import read_config
    from stsbaselines.report import results_text

    configs = [read_config(name) for name in config]
    for name, each in zip(config, configs, strict=True):
        _validate(name, each)
    for number, each in enumerate(configs):
        _say("" if number == 0 else "\n", end="")
        _say(results_text(_run(each, out, data_dir, jobs, resume)), flush=True)


def _validate(name: str, config: ExperimentConfig) -> None:
    from stsbaselines.experiment import validate

    try:
        validate(config)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def _run(
    config: ExperimentConfig, out: Path, data_dir: Path | None, jobs: int, resume: bool = False
) -> Results:
    from stsbaselines import experiment

    with _progress(experiment.pairs_to_process(config)) as progress:
        return experiment.run_or_instead(config, out, data_dir, _jobs(jobs), progress, resume)


@app.command()
def demo(out: Annotated[Path | None, typer.Option("--out", metavar="DIR")] = None) -> None:
    """Run all baselines on the embedded samples; needs neither data nor network.

    Keeps the output files only with --out.
    """
    from stsbaselines.config import read_config, sample_config_names
    from stsbaselines.report import results_text

    with tempfile.TemporaryDirectory() as temporary:
        for name in sample_config_names():
            _say(results_text(_run(read_config(name), out or Path(temporary), None, 1)))
    _say("\nWith the official data, `make sts2013` compares with the published rows.")


@app.command()
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
    from stsbaselines import submission
    from stsbaselines.files import to_json
    from stsbaselines.report import scores_text

    scores = submission.score(task, path, dataset, _mapping(mapping), data_dir)
    if details and not scores.details:
        raise InputError(f"{task} has no tables for error analysis.")
    _say(to_json(scores.to_dict()) if as_json else scores_text(scores, details))


@app.command()
def compare(
    task: Annotated[str, typer.Argument(metavar="TASK", help="Such as sts2015.")],
    path: Annotated[
        list[str] | None,
        typer.Argument(metavar="[PATH...]", help="Output files or folders, or NAME=PATH."),
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
        typer.Option("--encoder", metavar="MODULE:OBJECT", help="An object with `encode`."),
    ] = None,
    vectors: Annotated[
        list[str] | None,
        typer.Option("--vectors", metavar="DIR", help="Precomputed vectors: NAME.npz a data set."),
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
    resamples: Annotated[int, typer.Option(metavar="N", help="Of the bootstrap.")] = 1000,
    seed: Annotated[int, typer.Option(metavar="N", help="Of the bootstrap.")] = 0,
    data_dir: DataDir = None,
    jobs: Jobs = 1,
) -> None:
    """Say where systems stand among the published runs of a task, and whether they differ.

    Systems are output files as for `score`, or code: the options for it can be repeated.
    """
    from stsbaselines import comparison_report, systems
    from stsbaselines.data.catalogue import find_task
    from stsbaselines.files import to_json
    from stsbaselines.report import comparison_text
    from stsbaselines.standing import compare as compare_systems

    named = systems.from_arguments(path or [], predictor or [], encoder or [], vectors or [])
    if report is not None:
        if not report:
            raise InputError("--report is empty, but must name a folder.")
        comparison_report.check_folder(Path(report))
    by_code = sum(not isinstance(each, Path) for each in named.values())
    pairs = sum(each.pairs for each in find_task(task).datasets)
    with _progress(pairs * by_code) as progress:
        found = compare_systems(
            task,
            named,
            dataset=dataset,
            mapping=_mapping(mapping),
            chunks=chunks,
            data_dir=data_dir,
            resamples=resamples,
            random_state=seed,
            n_jobs=_jobs(jobs),
            progress=progress,
        )
    _say(to_json(found.to_dict()) if as_json else comparison_text(found), flush=True)
    for file in found.report(report) if report else ():
        _say(f"wrote {file}", file=sys.stderr)


@app.command("explain-number", context_settings={"ignore_unknown_options": True})
def explain_number(
    number: Annotated[str, typer.Argument(metavar="NUMBER", help="As printed, such as 0.7342.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="An output file, or a folder.")],
    task: Annotated[str, typer.Option("--task", metavar="TASK", help="Such as sts2015.")],
    dataset: DataSetName = None,
    mapping: Mapping_ = None,
    data_dir: DataDir = None,
    as_json: Annotated[bool, typer.Option("--json", help="Unrounded, as JSON.")] = False,
) -> None:
    """List the conventions and measures under which a run gives a number.

    Exit status 1 if there is none; then the nearest ones are shown.
    """
    from stsbaselines.explanation import explain
    from stsbaselines.files import to_json
    from stsbaselines.report import explanation_text

    found = explain(number, task, path, dataset, _mapping(mapping), data_dir)
    _say(to_json(found.to_dict()) if as_json else explanation_text(found))
    if not found.matches:
        raise typer.Exit(1)


@app.command()
def check(
    task: Annotated[str, typer.Argument(metavar="TASK", help="Such as sts2015.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="An output file, or a folder.")],
    dataset: DataSetName = None,
    mapping: Mapping_ = None,
) -> None:
    """Check that a submission is well-formed: exit status 0, or 2 with its faults."""
    from stsbaselines import submission

    files = submission.check(task, path, dataset, _mapping(mapping))
    for name, file in files.items():
        _say(f"{name}: {file} is well-formed")


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


ParameterOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter, such as random_state=1."),
]


@app.command()
def predict(
    baseline: Annotated[str, typer.Argument(metavar="BASELINE", help="Name, or a saved folder.")],
    file: Annotated[Path, typer.Argument(metavar="[FILE|-]", help="Two sentences a line.")] = Path(
        "-"
    ),
    out: Annotated[Path | None, typer.Option("-o", "--out", metavar="FILE")] = None,
    parameter: ParameterOption = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", metavar="N", help="Processes; -1 for all cores. Of dask, all."),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option("--resume", help="Keep what is done as OUT.part, and go on from there."),
    ] = False,
    backend: Backend = "processes",
    scheduler: Scheduler = None,
) -> None:
    """Predict each line of two TAB-separated sentences, streaming: one score a line.

    A baseline that aligns chunks gives the blocks of an alignment file instead. Files that end in
    .jsonl or .parquet have sentence1 and sentence2, or score; .gz and .zst are unpacked or packed.

    A file is checked before its first score is printed; standard input cannot be, so
    there the scores before a faulty block of lines have been printed when it is refused.
    """
    from stsbaselines import predictor
    from stsbaselines.parallel import workers
    from stsbaselines.streaming import no_advance, predict_file, size_of

    if baseline and baseline not in predictor.names() and Path(baseline).is_dir():
        if parameter:
            raise InputError(f"{baseline} is a saved predictor, so its parameters cannot be set.")
        system = predictor.load(baseline)
    else:
        system = predictor.create(baseline, **_parameters(parameter))
    standard = (Path("-"), Path("/dev/stdout"))
    target = None if out in standard else out
    if target is not None:
        _check_is_other(target, file)
    source = None if str(file) == "-" else file
    bar = nullcontext(no_advance) if target is None else _progress(size_of(source))
    start = time.monotonic()
    n_jobs = -1 if backend == "dask" and jobs is None else _jobs(1 if jobs is None else jobs)
    with workers(backend, scheduler), bar as advance:
        pairs = predict_file(system, source, target, n_jobs, resume, advance)
    if target is not None:
        rate = pairs / max(time.monotonic() - start, 1e-9)
        _say(
            f"wrote {target}: {pairs:,} {'pair' if pairs == 1 else 'pairs'},"
            f" {rate:,.0f} a second; {system.signature()}",
            file=sys.stderr,
        )


def _check_is_other(out: Path, source: Path) -> None:
    """Refuse to write over the file that is read."""
    if out.exists() and source.exists() and out.samefile(source) and out.is_file():
        raise InputError(f"{out} is the input; name another file for the output.")


def _parameters(options: list[str] | None) -> dict[str, Any]:
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


@app.command()
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
    """Write a page of HTML that shows the chunks of an output and how they are aligned."""
    from stsbaselines.files import write_text
    from stsbaselines.show import page

    target = out or Path(f"{path.stem}.html")
    _check_is_other(target, path)
    write_text(target, page(task, path, gold, dataset, data_dir))
    _say(f"wrote {target}")


@app.command()
def align(
    left: Annotated[str, typer.Argument(metavar="SENTENCE")],
    right: Annotated[str, typer.Argument(metavar="SENTENCE")],
    format: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="text, json or wa.")
    ] = "text",
    parameter: ParameterOption = None,
) -> None:
    """Chunk two sentences and align their chunks by the baseline of interpretable STS."""
    from rich.console import Console

    from stsbaselines import show
    from stsbaselines.errors import unknown
    from stsbaselines.files import to_json
    from stsbaselines.report import alignments_text
    from stsbaselines.tasks.ists import format_predictions

    if format not in ("text", "json", "wa"):
        raise unknown("format", format, ["text", "json", "wa"])
    pair = show.align(left, right, **_parameters(parameter))
    if format == "wa":
        sys.stdout.buffer.write(format_predictions([pair.alignments], [pair[:2]]))
    elif format == "json":
        _say(to_json({"sentences": pair[:2], "alignments": show.as_rows(pair)}))
    else:
        text = alignments_text(show.as_rows(pair))
        Console(highlight=False, soft_wrap=True).print(text)


train_app = typer.Typer(help="Train what baselines build on.", no_args_is_help=True)
app.add_typer(train_app, name="train")


@train_app.command("chunker")
def train_chunker(
    data: Annotated[
        Path,
        typer.Option(
            "--data", metavar="DIR", help="With *train*.txt as in CoNLL-2000, and *test*.txt."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="To make.")] = Path("chunker"),
    tags_from: Annotated[
        list[Path] | None,
        typer.Option("--tags-from", metavar="DIR", help="With *train*.conllu, for the tagger."),
    ] = None,
    licence: Annotated[
        str, typer.Option("--licence", metavar="TEXT", help="For the model card.")
    ] = "that of the training data",
) -> None:
    """Train a part-of-speech tagger and a chunker, and write them with their model card."""
    from stsbaselines.files import to_json
    from stsbaselines.text import chunker_training

    def report(line: str) -> None:
        _say(line, file=sys.stderr, flush=True)

    card = chunker_training.train_chunker(data, out, tags_from or [], licence, report)
    _say(to_json(card))


@train_app.command("names")
def train_names(
    data: Annotated[
        Path,
        typer.Option("--data", metavar="DIR", help="With wikigold/, wnut17/ and the others."),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="To make.")] = Path("names"),
) -> None:
    """Train a tagger of names, and write it with its model card."""
    from stsbaselines.files import to_json
    from stsbaselines.text import names_training

    def report(line: str) -> None:
        _say(line, file=sys.stderr, flush=True)

    _say(to_json(names_training.train_names(data, out, report)))


@train_app.command("typed-tfidf")
def train_typed_tfidf(
    records: Annotated[
        list[Path],
        typer.Option(
            "--records", metavar="FILE", help="Records: JSON objects, one a line (.gz, .zst too)."
        ),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="To make.")],
    parameter: ParameterOption = None,
) -> None:
    """Count in how many records of a background each word is, for typed similarity."""
    from stsbaselines.files import check_new
    from stsbaselines.training import train_on_catalogues

    check_new(out)
    model = train_on_catalogues(records, **_parameters(parameter))
    model.save(out)
    for name, each in model.corpora_.items():
        _say(f"{Path(name).name}: {each['records']:,} records")
    _say(f"wrote {out}")


ModelOut = Annotated[
    Path | None,
    typer.Option("-o", "--out", metavar="DIR", help="To make; by default in the user's cache."),
]


def train_on_corpora(
    context: typer.Context,
    corpus: Annotated[
        list[str],
        typer.Option("--corpus", metavar="NAME", help="A corpus, or a file, a sentence a line."),
    ] = list(CORPORA),  # noqa: B006 - typer copies it
    out: ModelOut = None,
    parameter: ParameterOption = None,
    data_dir: DataDir = None,
) -> None:
    """Train a model of sentences; by default with seed 0."""
    from stsbaselines import training
    from stsbaselines.data.corpora import corpus_names

    baseline = str(context.info_name)
    is_usual = not parameter and set(corpus) <= set(corpus_names())
    target = _model_folder(out, model_name(baseline, corpus) if is_usual else "")
    usual = {"verbose": sys.stderr.isatty(), "n_jobs": -1} if baseline == "wtmf" else {}
    parameters = {"random_state": 0, **usual, **_parameters(parameter)}
    model = training.train_on_corpora(baseline, corpus, data_dir, parameters)
    defaults = type(model)().get_params()
    model.set_params(**{name: defaults[name] for name in usual}).save(target)
    for name, each in model.corpora_.items():
        _say(f"{Path(name).name}: {each['sentences']:,} sentences")
    _say(f"wrote {target}")


def train_on_pairs(
    context: typer.Context,
    on: Annotated[
        list[str],
        typer.Option("--on", metavar="TASK[/DATASET]", help="Labelled pairs; can be repeated."),
    ] = list(PAIRS),  # noqa: B006 - typer copies it
    out: ModelOut = None,
    parameter: ParameterOption = None,
    data_dir: DataDir = None,
    jobs: Jobs = 1,
) -> None:
    """Train a system on labelled pairs."""
    from stsbaselines import training

    baseline = str(context.info_name)
    is_usual = not parameter and not any("/" in each for each in on)
    target = _model_folder(out, model_name(baseline, on) if is_usual else "")
    with _progress(None, "training"):
        model = training.train_on_pairs(baseline, on, data_dir, _jobs(jobs), _parameters(parameter))
    model.save(target)
    for name in training.datasets_of(on):
        count = model.trained_on_.get(name)
        _say(f"{name}: {count:,} pairs" if count else f"{name}: left out, as it is not here")
    _say(f"wrote {target}")


def _add_trainers() -> None:
    for name in TRAINED_ON_CORPORA:
        about = f"Train {name} on corpora; by default with seed 0."
        train_app.command(name, help=about)(train_on_corpora)
    for name in TRAINED_ON_PAIRS:
        train_app.command(name, help=f"Train {name} on labelled pairs.")(train_on_pairs)


_add_trainers()


def _model_folder(out: Path | None, usual: str) -> Path:
    """Return the folder to write a model to; by default that of its usual name, if it has one."""
    from stsbaselines.data.find import cache_directory
    from stsbaselines.files import check_new, make_folder

    if out is None and not usual:
        raise InputError("only the usual training has a place in the cache: name a folder by -o.")
    target = out or cache_directory() / "models" / usual
    check_new(target)
    make_folder(target.parent)
    return target


FormatOption = Annotated[
    str, typer.Option("--format", metavar="FORMAT", help="text, json, csv, markdown or latex.")
]


def _format(name: str) -> Format:
    from stsbaselines.errors import unknown
    from stsbaselines.report import Format

    if name not in list(Format.__members__):
        raise unknown("format", name, Format.__members__)
    return Format(name)


@app.command()
def tables(
    task: Annotated[
        str | None, typer.Argument(metavar="[TASK]", help="A task, or the name of a table.")
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
    """Print the published tables of a task; without TASK, list all tables."""
    from stsbaselines import reference
    from stsbaselines.files import to_json
    from stsbaselines.reference.ranking import select_from
    from stsbaselines.report import Format, render, tables_text

    style = _format(format)
    whole = reference.tables_of(task)
    found = select_from(whole, team, unsupervised, top)
    if plot is not None:
        from stsbaselines.plots import plot_table

        chosen = _only(found, task, "a plot")
        is_selected = bool(team or unsupervised or top)
        plot_table(reference.table(chosen.name), plot, chosen.rows if is_selected else ())
    if task is None:
        _say(render([table.summary() for table in found], style))
    elif style is Format.json:
        _say(to_json([{**table.summary(), "rows": table.cells()} for table in found]))
    elif style is Format.csv:
        _say(render(_only(found, task, "CSV").cells(), style))
    else:
        _say(tables_text(found, style))


def _only(found: list[Table], task: str | None, purpose: str) -> Table:
    """Return the only table, or the one of that name."""
    single = found if len(found) == 1 else [each for each in found if each.name == task]
    if not single:
        names = ", ".join(table.name for table in found)
        several = f"{task} has several tables" if task else "there are several tables"
        raise InputError(f"{several}; for {purpose}, name one of them: {names}.")
    return single[0]


@app.command()
def reproduce(
    config: Annotated[
        list[str] | None,
        typer.Argument(metavar="[CONFIG...]", help="By default all but the slow ones."),
    ] = None,
    data_dir: DataDir = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", metavar="DIR", help="Also write ledger.txt, .json and .md here."),
    ] = None,
    jobs: Jobs = 1,
    format: FormatOption = "text",
) -> None:
    """Print every published baseline cell beside ours: the ledger.

    Exit status 1 if a cell differs without a known reason, 2 if there is no data at all.
    """
    from stsbaselines import experiment
    from stsbaselines.config import config_names, read_config
    from stsbaselines.files import write_text
    from stsbaselines.report import Format, ledger_text

    style = _format(format)
    named = {name: read_config(name) for name in config or config_names()}
    for name, chosen in named.items():
        _validate(name, chosen)
    wanted = [each for each in named.values() if config or not each.slow]
    every = [experiment.with_published_rows(each) for each in wanted]
    configs = [each for each in every if each is not None]
    if not configs:
        raise InputError(f"{', '.join(named)}: no baseline has a published row.")
    total = sum(map(experiment.pairs_to_process, configs))
    with tempfile.TemporaryDirectory() as temporary, _progress(total) as progress:
        place = out or Path(temporary)
        cells = experiment.ledger(configs, place, data_dir, _jobs(jobs), progress)
    if all(cell.status == "no data" for cell in cells):
        raise InputError(sorted({cell.reason for cell in cells}))
    if out is not None:
        for ending, each in [("txt", Format.text), ("json", Format.json), ("md", Format.markdown)]:
            write_text(out / f"ledger.{ending}", ledger_text(cells, each) + "\n")
    _say(ledger_text(cells, style))
    if any(cell.status == "differs" for cell in cells):
        raise typer.Exit(1)


Tasks = Annotated[list[str] | None, typer.Argument(metavar="[TASK...]", help="All, if none.")]


@data_app.command("list")
def data_list(tasks: Tasks = None, data_dir: DataDir = None, format: FormatOption = "text") -> None:
    """List the data sets of the catalogue, and whether their files are here."""
    from stsbaselines.data.find import listing
    from stsbaselines.report import Format, render, without

    style = _format(format)
    rows = listing(_tasks(tasks), data_dir)
    long = ("source", "folders", "citation")
    _say(render(without(rows, *long) if style is Format.text else rows, style))


@data_app.command("path")
def data_path(
    task: Annotated[str, typer.Argument(metavar="TASK")],
    dataset: Annotated[str | None, typer.Argument(metavar="[DATASET]")] = None,
    data_dir: DataDir = None,
) -> None:
    """Print where the files of a task or of one of its data sets are."""
    from stsbaselines.data.catalogue import find_task
    from stsbaselines.data.find import paths

    entry = find_task(task)
    datasets = entry.datasets if dataset is None else [entry.dataset(dataset)]
    _say("\n".join(str(path) for path in paths(entry, datasets, data_dir)))


@data_app.command("verify")
def data_verify(tasks: Tasks = None, data_dir: DataDir = None) -> None:
    """Compare the files that are here with the official checksums.

    Exit status 2 if a file is wrong, or missing from a task that is named or partly here.
    """
    from stsbaselines.data.find import verify

    right, faults = verify(_tasks(tasks), data_dir, complete=bool(tasks))
    for line in right:
        _say(line)
    if faults:
        raise InputError(faults)


@data_app.command("fetch")
def data_fetch(
    task: Annotated[str, typer.Argument(metavar="TASK", help="Such as sts2013-typed.")],
    api_key: Annotated[
        str,
        typer.Option(
            "--api-key",
            metavar="KEY",
            envvar="EUROPEANA_API_KEY",
            show_envvar=True,
            help="Your key of the Europeana API.",
        ),
    ],
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="DIR", help="Default: the user's cache.")
    ] = None,
    data_dir: DataDir = None,
    base_url: Annotated[
        str | None, typer.Option("--base-url", metavar="URL", help="Another address of the API.")
    ] = None,
    pause: Annotated[float, typer.Option(help="Seconds between two requests.")] = 0.5,
) -> None:
    """Fetch the item records of typed similarity from Europeana, those that are not here yet.

    They go to DIR/text and DIR/json; what has vanished is listed in DIR/vanished.txt.
    """
    from stsbaselines.data import europeana
    from stsbaselines.data.catalogue import find_task
    from stsbaselines.data.find import cache_directory, require
    from stsbaselines.tasks import typed
    from stsbaselines.tasks.records import text_of_json

    entry = find_task(task)
    if entry.family != "typed" or entry.is_sample:
        raise InputError(f"{task} has no item records to fetch.")
    source = require(entry, entry.datasets[0], "input", data_dir)
    urls = typed.read_urls(source, entry.datasets[0].pairs)
    folder = out or cache_directory() / entry.folders[0]
    items = len({url for pair in urls for url in pair})
    with _progress(items, "fetching") as progress:
        found = europeana.fetch_records(
            urls,
            folder,
            api_key,
            text_of_json,
            base_url=europeana.API if base_url is None else base_url,
            pause=pause,
            progress=lambda *_: progress(1),
        )
    _say(
        f"{folder}: {len(found.fetched):,} records fetched, {len(found.present):,} were here,"
        f" {len(found.vanished):,} have vanished, {len(found.failed):,} failed"
    )
    if found.failed:
        raise InputError([f"{name}: {why}" for name, why in found.failed.items()])


def _tasks(names: list[str] | None) -> list[Task]:
    from stsbaselines.data.catalogue import find_task, task_names

    return [find_task(name) for name in names or task_names()]
