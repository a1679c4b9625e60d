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
    from stsbaselines.errors import Fault
    from stsbaselines.experiment import Results
    from stsbaselines.reference import Table
    from stsbaselines.report import Format

    Advance = Callable[..., None]

BAD_INPUT = 2
_REFRESH_SECONDS = 0.1


def _example(arguments: str) -> str:
    """Return the last line of a command's help."""
    return f"Example: stsbaselines {arguments}"


app = typer.Typer(
    epilog="To begin: `stsbaselines demo`, and `stsbaselines COMMAND --help`.",
    help="Official baselines and scorers of the STS, interpretable STS and PIT tasks.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
data_app = typer.Typer(help="Find, fetch, import and verify the data sets.", no_args_is_help=True)
app.add_typer(data_app, name="data")

DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        metavar="DIR",
        help="Look here first; then in $STSBASELINES_DATA, ./data and the user's cache.",
    ),
]
AcceptLicence = Annotated[
    bool,
    typer.Option("--accept-licence", help="Accept the licences of what is fetched, unasked."),
]
Out = Annotated[Path, typer.Option("--out", metavar="DIR", help="Where results go.")]
Jobs = Annotated[int, typer.Option("--jobs", metavar="N", help="Processes; -1 for all cores.")]
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
    _replace_closed_streams()
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
    # A thread that refreshes it would be in the way of forks.
    bar = Bar(*columns, console=Console(stderr=True), transient=True, auto_refresh=False)
    first, shown, total = None, 0.0, 0

    def advance(done: int, pairs: int | None = None) -> None:
        nonlocal first, shown, total
        now = time.monotonic()
        if first is None:  # which may be what an earlier run has done
            first = now
        else:
            total += done if pairs is None else pairs
        seconds = now - first  # none, on a clock that ticks slowly
        rate = f"{total / seconds:,.0f} pairs/s" if seconds else ""
        is_due = now - shown > _REFRESH_SECONDS
        shown = now if is_due else shown
        bar.update(task, advance=done, rate=rate, refresh=is_due)

    with bar:
        task = bar.add_task(what, total=steps, rate="")
        yield advance


def _jobs(jobs: int) -> int:
    most = 8 * (os.cpu_count() or 1)
    if jobs != -1 and not 1 <= jobs <= most:
        raise InputError(f"--jobs is {jobs}, but must be from 1 to {most}, or -1 for all cores.")
    return jobs


@app.command(epilog=_example("run sts2013 --jobs -1"))
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
    from stsbaselines.config import read_config
    from stsbaselines.report import results_text

    configs = [read_config(name) for name in config]
    for name, each in zip(config, configs, strict=True):
        _validate(name, each)
    if fetch:
        _fetch_for(configs, data_dir, accept_licence)
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


@app.command(epilog=_example("demo"))
def demo(
    out: Annotated[
        Path | None, typer.Option("--out", metavar="DIR", help="Where results go, to be kept.")
    ] = None,
) -> None:
    """Run all baselines on samples: no data, no network.

    The samples are sentences of our own in the official formats, and come with the package.
    Output files are kept only with --out.
    """
    from stsbaselines.config import read_config, sample_config_names
    from stsbaselines.report import results_text

    with tempfile.TemporaryDirectory() as temporary:
        for name in sample_config_names():
            _say(results_text(_run(read_config(name), out or Path(temporary), None, 1)))
    _say("\nWith the official data, `make sts2013` compares with the published rows.")


@app.command(epilog=_example("score sts2015 my-outputs"))
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


@app.command(epilog=_example("compare sts2015 my-outputs --predictor token-cosine"))
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
    from stsbaselines import comparison_report, systems
    from stsbaselines.data.catalogue import find_task
    from stsbaselines.files import to_json
    from stsbaselines.report import comparison_text
    from stsbaselines.standing import compare as compare_systems

    named = systems.from_arguments(path or [], predictor or [], encoder or [], vectors or [])
    if report == "":
        raise InputError("--report is empty, but must name a folder.")
    folder = comparison_report.folder_for(Path(report)) if report else nullcontext()
    by_code = sum(not isinstance(each, Path) for each in named.values())
    pairs = sum(each.pairs for each in find_task(task).datasets)
    with folder, _progress(pairs * by_code) as progress:
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


@app.command(
    "explain-number",
    context_settings={"ignore_unknown_options": True},
    epilog=_example("explain-number 73.42 --task sts2015 my-outputs"),
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
    from stsbaselines.explanation import explain
    from stsbaselines.files import to_json
    from stsbaselines.report import explanation_text

    found = explain(number, task, path, dataset, _mapping(mapping), data_dir)
    _say(to_json(found.to_dict()) if as_json else explanation_text(found))
    if not found.matches:
        raise typer.Exit(1)


@app.command(epilog=_example("check sts2015 my-outputs"))
def check(
    task: Annotated[str, typer.Argument(metavar="TASK", help="Such as sts2015.")],
    path: Annotated[Path, typer.Argument(metavar="PATH", help="An output file, or a folder.")],
    dataset: DataSetName = None,
    mapping: Mapping_ = None,
) -> None:
    """Check that a submission is well-formed.

    Exit status 0 if it is, or 2 with its faults. Needs no official data.
    """
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


@app.command(epilog=_example("predict token-cosine pairs.txt -o scores.txt"))
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


@app.command(epilog=_example("show ists2016 STSint.output.images.wa --gold"))
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
    from stsbaselines.files import write_text
    from stsbaselines.show import page

    target = out or Path(f"{path.stem}.html")
    _check_is_other(target, path)
    write_text(target, page(task, path, gold, dataset, data_dir))
    _say(f"wrote {target}")


@app.command(epilog=_example("align 'A man plays.' 'The man is playing.'"))
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


train_app = typer.Typer(help="Train models, and what they build on.", no_args_is_help=True)
app.add_typer(train_app, name="train")


@train_app.command("chunker", epilog=_example("train chunker --data data/conll2000"))
def train_chunker(
    data: Annotated[
        Path,
        typer.Option(
            "--data", metavar="DIR", help="Has *train*.txt as in CoNLL-2000, and *test*.txt."
        ),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to make.")] = Path(
        "chunker"
    ),
    tags_from: Annotated[
        list[Path] | None,
        typer.Option("--tags-from", metavar="DIR", help="Has *train*.conllu, for the tagger."),
    ] = None,
    licence: Annotated[
        str, typer.Option("--licence", metavar="TEXT", help="What the model card says.")
    ] = "that of the training data",
) -> None:
    """Train a part-of-speech tagger and a chunker.

    They are written with their model card.
    """
    from stsbaselines.files import to_json
    from stsbaselines.text import chunker_training

    def report(line: str) -> None:
        _say(line, file=sys.stderr, flush=True)

    card = chunker_training.train_chunker(data, out, tags_from or [], licence, report)
    _say(to_json(card))


@train_app.command("names", epilog=_example("train names --data taggers"))
def train_names(
    data: Annotated[
        Path,
        typer.Option("--data", metavar="DIR", help="Has wikigold/, wnut17/ and the others."),
    ],
    out: Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder to make.")] = Path(
        "names"
    ),
) -> None:
    """Train a tagger of names.

    It is written with its model card.
    """
    from stsbaselines.files import to_json
    from stsbaselines.text import names_training

    def report(line: str) -> None:
        _say(line, file=sys.stderr, flush=True)

    _say(to_json(names_training.train_names(data, out, report)))


@train_app.command(
    "typed-tfidf", epilog=_example("train typed-tfidf --records records.jsonl.gz -o my-idf")
)
def train_typed_tfidf(
    records: Annotated[
        list[Path],
        typer.Option(
            "--records", metavar="FILE", help="Records: JSON objects, one a line (.gz, .zst too)."
        ),
    ],
    out: Annotated[Path, typer.Option("-o", "--out", metavar="DIR", help="Folder to make.")],
    parameter: ParameterOption = None,
) -> None:
    """Count words in records, for typed similarity.

    It counts in how many records of a background each word is.
    """
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
    typer.Option(
        "-o", "--out", metavar="DIR", help="Folder to make; default: in the user's cache."
    ),
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
        example = _example(f"train {name} --corpus my-sentences.txt -o my-model")
        train_app.command(name, help=about, epilog=example)(train_on_corpora)
    for name in TRAINED_ON_PAIRS:
        about, example = f"Train {name} on labelled pairs.", _example(f"train {name} --jobs -1")
        train_app.command(name, help=about, epilog=example)(train_on_pairs)


_add_trainers()


def _model_folder(out: Path | None, usual: str) -> Path:
    """Return the folder to write a model to; by default that of its usual name, if it has one."""
    from stsbaselines.data.find import cache_directory
    from stsbaselines.files import check_new, make_folder

    if out is None and not usual:
        raise InputError(
            "the cache is for models of the usual corpora, pairs and parameters:"
            " name a folder by -o."
        )
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


@app.command(epilog=_example("tables sts2015 --top 5"))
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


@app.command(epilog=_example("reproduce sts2012 sts2013"))
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


Tasks = Annotated[list[str] | None, typer.Argument(metavar="TASK", help="All, if none.")]


@data_app.command("list", epilog=_example("data list sts2013"))
def data_list(tasks: Tasks = None, data_dir: DataDir = None, format: FormatOption = "text") -> None:
    """List the data sets, and whether their files are here."""
    from stsbaselines.data.find import listing
    from stsbaselines.report import Format, render, without

    style = _format(format)
    rows = listing(_tasks(tasks), data_dir)
    long = ("source", "folders", "citation")
    _say(render(without(rows, *long) if style is Format.text else rows, style))


@data_app.command("path", epilog=_example("data path sts2013 OnWN"))
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
    _say("\n".join(str(path) for path in paths(entry, datasets, data_dir)))


@data_app.command("verify", epilog=_example("data verify sts2013"))
def data_verify(tasks: Tasks = None, data_dir: DataDir = None) -> None:
    """Compare the files with the official checksums.

    Exit status 2 if a file is wrong, or missing from a task that is named or partly here.
    """
    from stsbaselines.data.find import verify

    right, faults = verify(_tasks(tasks), data_dir, complete=bool(tasks))
    for line in right:
        _say(line)
    if faults:
        raise InputError(faults)


@data_app.command("import", epilog=_example("data import my-downloads"))
def data_import(
    path: Annotated[
        Path, typer.Argument(metavar="PATH", help="A file, a folder or a zip or tar archive.")
    ],
    to: Annotated[
        Path | None,
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
    from stsbaselines import importing
    from stsbaselines.report import render

    plan = importing.plan(importing.recognise(path), to)
    _say("\n".join([render(plan.rows), "", *plan.notes]), flush=True)
    plan.check()
    done = f"{len(plan.new)} of {len(plan.placements)} files"
    if dry_run:
        _say(f"{done} would be put into {plan.target}")
    else:
        importing.place(plan)
        _say(f"{done} were put into {plan.target}")


@data_app.command("fetch", epilog=_example("data fetch sts2013"))
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
    from stsbaselines.files import make_folder

    entries = [each for each in _tasks(tasks) if tasks or not each.is_sample]
    without = [each.task for each in entries if not _has_records(each)]
    if out is not None and without:
        raise InputError(f"-o is for item records: {without[0]} has none.")
    if data_dir is not None:
        make_folder(data_dir)
    refused: list[str] = []
    faults: list[Fault | str] = []
    for entry in entries:
        try:
            if not (offline or _may_fetch(entry, data_dir, accept_licence)):
                refused.append(entry.task)
                continue
            fetched = _fetch(entry, data_dir, offline)
            _say("".join(f"{line}\n" for line in fetched), end="", flush=True)
            if tasks and api_key and _has_records(entry) and not (offline or is_offline()):
                _fetch_records(entry, data_dir, out, api_key, base_url, pause)
                continue
            nothing = [] if fetched else [f"{entry.task}: nothing to fetch"]
            _say("".join(f"{line}\n" for line in [*nothing, *left_to_do(entry, data_dir)]), end="")
        except InputError as error:
            faults.extend(error.faults)
    if refused:
        faults.append(_why_refused(refused))
    if faults:
        raise InputError(faults)


def _may_fetch(task: Task, data_dir: Path | None, accept: bool) -> bool:
    """Show the licence of a task once, if there is something to fetch; ask on a terminal."""
    from stsbaselines.data import licences
    from stsbaselines.data.find import is_offline, wanted_files

    if is_offline() or licences.is_accepted(task) or not wanted_files(task, data_dir):
        return True
    _say(f"{licences.terms(task)}\n", file=sys.stderr, flush=True)
    if not accept and _is_terminal():
        print(
            f"Type yes to accept the licence of {task.task}: ", end="", file=sys.stderr, flush=True
        )
        accept = sys.stdin.readline().strip().lower() == "yes"
    if accept:
        licences.accept(task)
    return accept


def _why_refused(tasks: list[str]) -> str:
    return (
        f"{', '.join(tasks)} cannot be fetched before the licence is accepted: type yes on a"
        " terminal, or give `stsbaselines data fetch` the option --accept-licence."
    )


def _fetch(task: Task, data_dir: Path | None, offline: bool = False) -> list[str]:
    """Fetch the missing files of a task; return what was fetched from where."""
    from stsbaselines.data.fetch import fetch

    with _download_progress() as progress:
        fetched = fetch(task, data_dir, offline=offline, progress=progress)
    sources: dict[str, list[str]] = {}
    for each in fetched:
        place = f"into {each.path.parent} from {each.address.removesuffix(f'/{each.path.name}')}"
        sources.setdefault(place, []).append(each.path.name)
    return [f"{task.task}: {', '.join(names)} {where}" for where, names in sources.items()]


def _fetch_for(configs: list[ExperimentConfig], data_dir: Path | None, accept: bool) -> None:
    """Fetch what configurations lack; where that fails, `run` says what is missing."""
    from stsbaselines.data.catalogue import find_task
    from stsbaselines.data.find import directories, is_offline, wanted_files
    from stsbaselines.data.licences import is_accepted

    list(directories(data_dir))  # refuses those that are named, but not there
    for name, datasets in dict.fromkeys(each for config in configs for each in config.needs):
        task = find_task(name)
        can = not is_offline() and (accept or _is_terminal() or is_accepted(task))
        if can and wanted_files(task, data_dir, datasets):
            try:
                may = _may_fetch(task, data_dir, accept)
                lines = _fetch(task, data_dir) if may else [_why_refused([name])]
            except InputError as error:
                lines = [str(error)]
            _say("\n".join(lines), file=sys.stderr, flush=True)


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


@contextmanager
def _download_progress() -> Iterator[Callable[[str, int, int | None], None]]:
    """Show a bar for each download on a terminal."""
    if not sys.stderr.isatty():
        yield lambda *_: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, DownloadColumn, TextColumn, TransferSpeedColumn
    from rich.progress import Progress as Bar

    columns = [
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
    ]
    rows: dict[str, Any] = {}
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:

        def tell(name: str, done: int, total: int | None) -> None:
            if name not in rows:
                rows[name] = bar.add_task(name, total=total)
            bar.update(rows[name], completed=done, total=total)

        yield tell


def _has_records(task: Task) -> bool:
    return task.family == "typed" and not task.is_sample


def _fetch_records(
    task: Task,
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
