"""The commands for systems and their outputs."""

import sys
import time
from contextlib import nullcontext, redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from stsbaselines.cli.console import (
    CacheOption,
    ColumnsOption,
    DataDir,
    DataSetName,
    EncodeArgsOption,
    EncoderOption,
    FormatOption,
    Jobs,
    JsonOption,
    MapOption,
    OutputPath,
    OutputPaths,
    ParameterOption,
    PredictorOption,
    ResamplesOption,
    SeedOption,
    SplitOption,
    TaskName,
    VectorsOption,
    check_is_other,
    check_jobs,
    columns_of,
    complete_baselines,
    example,
    format_of,
    parameters_of,
    progress_bar,
    say,
    say_aside,
    say_results,
    task_of,
)
from stsbaselines.errors import InputError, unknown

if TYPE_CHECKING:
    from stsbaselines.tasks.columns import Columns

app = typer.Typer()


@app.command(epilog=example("score sts2015 my-outputs"))
def score(
    task: TaskName,
    path: OutputPaths,
    dataset: DataSetName = None,
    mapping: MapOption = None,
    data_dir: DataDir = None,
    format: FormatOption = "text",
    as_json: JsonOption = False,
    columns: ColumnsOption = None,
    split: SplitOption = None,
    details: Annotated[
        bool, typer.Option("--details", help="Also print tables for error analysis.")
    ] = False,
) -> None:
    """Score a system's output with every measure of a task.

    The official measures, and other usual ones beside them.
    """
    from stsbaselines.evaluation import submission
    from stsbaselines.reports.text import scores_text

    style = format_of(format, as_json)
    entry = task_of(task, columns, split)
    scores = submission.score(entry, _paths(path), dataset, _mapping(mapping), data_dir)
    if details and not scores.details:
        raise InputError(f"{task} has no tables for error analysis.")
    say_results(scores, style, lambda found: scores_text(found, details))


@app.command(epilog=example("compare sts2015 my-outputs --predictor token-cosine"))
def compare(
    task: TaskName,
    path: Annotated[
        list[str] | None,
        typer.Argument(metavar="PATH", help="Output files or folders, or NAME=PATH."),
    ] = None,
    predictor: PredictorOption = None,
    encoder: EncoderOption = None,
    encode_args: EncodeArgsOption = None,
    convention: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Also test the number by a convention, such as SimCSE."),
    ] = None,
    cache: CacheOption = None,
    vectors: VectorsOption = None,
    dataset: DataSetName = None,
    mapping: MapOption = None,
    chunks: Annotated[
        str,
        typer.Option(
            metavar="gold|system", help="Interpretable STS: the chunks that the systems were given."
        ),
    ] = "",
    report: Annotated[
        str | None, typer.Option(metavar="DIR", help="Also write HTML, Markdown, LaTeX and JSON.")
    ] = None,
    format: FormatOption = "text",
    as_json: JsonOption = False,
    resamples: ResamplesOption = 1000,
    seed: SeedOption = 0,
    data_dir: DataDir = None,
    jobs: Jobs = 1,
    columns: ColumnsOption = None,
    split: SplitOption = None,
) -> None:
    """Rank systems among the published runs, and compare them.

    Prints intervals, ranks, neighbours and significance tests.
    Systems are output files as for `score`, or code; the options for code can be repeated.
    """
    from stsbaselines.evaluation import systems
    from stsbaselines.evaluation.comparison import compare as compare_systems
    from stsbaselines.reports.comparison import comparison_text, folder_for
    from stsbaselines.reports.comparison import report as write_report

    style = format_of(format, as_json)
    with redirect_stdout(sys.stderr):  # what the user's code prints
        arguments = parameters_of(encode_args, "--encode-args")
        named = systems.from_arguments(
            path or [], predictor or [], encoder or [], vectors or [], arguments
        )
    if report == "":
        raise InputError("--report is empty, but must name a folder.")
    folder = folder_for(Path(report)) if report else nullcontext()
    by_code = sum(not isinstance(each, Path) for each in named.values())
    entry = task_of(task, columns, split)
    pairs = sum(each.pairs for each in entry.datasets)
    with folder, progress_bar(pairs * by_code) as progress:
        with redirect_stdout(sys.stderr):
            found = compare_systems(
                entry,
                named,
                dataset=dataset,
                mapping=_mapping(mapping),
                chunks=chunks,
                data_dir=data_dir,
                resamples=resamples,
                random_state=seed,
                n_jobs=jobs,
                progress=progress,
                cache=cache,
                convention=convention,
            )
        files: list[Path] = []
        try:
            files = write_report(found, report) if report else []
        finally:
            say_results(found, style, comparison_text)
        for file in files:
            say_aside(f"wrote {file}")


@app.command(
    "explain-number",
    context_settings={"ignore_unknown_options": True},
    epilog=example("explain-number 73.42 --task sts2015 my-outputs"),
)
def explain_number(
    number: Annotated[str, typer.Argument(metavar="NUMBER", help="As printed, such as 0.7342.")],
    path: OutputPath,
    task: Annotated[str, typer.Option(metavar="TASK", help="Such as sts2015.")],
    dataset: DataSetName = None,
    mapping: MapOption = None,
    data_dir: DataDir = None,
    columns: ColumnsOption = None,
    split: SplitOption = None,
    format: FormatOption = "text",
    as_json: JsonOption = False,
) -> None:
    """List the measures under which an output gives a number.

    All measures of the task and the conventions of later papers are tried.
    The exit status is 1 if none gives the number; then the nearest ones are shown.
    """
    from stsbaselines.evaluation.explanation import explain
    from stsbaselines.reports.text import explanation_text

    style = format_of(format, as_json)
    found = explain(
        number, task_of(task, columns, split), path, dataset, _mapping(mapping), data_dir
    )
    say_results(found, style, explanation_text)
    if not found.matches:
        raise typer.Exit(1)


@app.command(epilog=example("check sts2015 my-outputs"))
def check(
    task: TaskName,
    path: OutputPaths,
    dataset: DataSetName = None,
    mapping: MapOption = None,
    columns: ColumnsOption = None,
    split: SplitOption = None,
) -> None:
    """Check that a submission is well-formed.

    The exit status is 0 if it is; otherwise all problems are reported and the exit status is 2. No
    official data is needed.
    """
    from stsbaselines.evaluation import submission

    entry = task_of(task, columns, split)
    files = submission.check(entry, _paths(path), dataset, _mapping(mapping))
    for name, file in files.items():
        say(f"{name}: {file} is well-formed")


def _paths(paths: list[Path]) -> list[Path]:
    """Return paths, with that of standard input for ``-``."""
    return [Path("/dev/stdin") if str(each) == "-" else each for each in paths]


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


@app.command(epilog=example("show ists2016 STSint.output.images.wa --gold"))
def show(
    task: Annotated[str, typer.Argument(metavar="TASK", help="ists2015, ists2016 or another.")],
    path: Annotated[Path, typer.Argument(metavar="RUN.wa", help="An alignment file.")],
    gold: Annotated[
        bool, typer.Option("--gold", help="Also show the gold standard and the differences.")
    ] = False,
    dataset: DataSetName = None,
    data_dir: DataDir = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="Default: RUN.html.")
    ] = None,
) -> None:
    """Write an HTML page of chunks and their alignments."""
    from stsbaselines.evaluation.alignment import inspect_alignments
    from stsbaselines.io.files import write_text
    from stsbaselines.reports.alignments import alignment_page

    target = out or Path(f"{path.stem}.html")
    check_is_other(target, path)
    write_text(target, alignment_page(inspect_alignments(task, path, gold, dataset, data_dir)))
    say(f"wrote {target}")


@app.command(epilog=example("align 'A man plays.' 'The man is playing.'"))
def align(
    left: Annotated[str, typer.Argument(metavar="SENTENCE", help="In quotation marks.")],
    right: Annotated[
        str, typer.Argument(metavar="SENTENCE", help="The sentence to align it with.")
    ],
    format: Annotated[str, typer.Option(metavar="FORMAT", help="text, json or wa.")] = "text",
    as_json: JsonOption = False,
    parameter: ParameterOption = None,
) -> None:
    """Align the chunks of two sentences.

    Uses the chunker of this package and the baseline of interpretable STS.
    """
    from rich.console import Console

    from stsbaselines.evaluation.alignment import align as align_sentences
    from stsbaselines.io.files import to_json
    from stsbaselines.reports.alignments import as_rows
    from stsbaselines.reports.text import alignments_text
    from stsbaselines.tasks.ists import FAMILY

    if format not in ("text", "json", "wa"):
        raise unknown("format", format, ["text", "json", "wa"])
    pair = align_sentences(left, right, **parameters_of(parameter))
    rows = as_rows(pair.alignments, pair.tokens)
    if format == "wa":
        sys.stdout.buffer.write(FAMILY.format_predictions([pair.alignments], [pair[:2]]))
    elif as_json or format == "json":
        say(to_json({"sentences": pair[:2], "alignments": rows}))
    else:
        Console(highlight=False, soft_wrap=True).print(alignments_text(rows))


@app.command(epilog=example("predict token-cosine pairs.txt -o scores.txt"))
def predict(
    baseline: Annotated[
        str,
        typer.Argument(
            metavar="BASELINE",
            help="Such as token-cosine, MODULE:CLASS, or a saved folder.",
            autocompletion=complete_baselines,
        ),
    ],
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Two sentences per line; - is standard input.")
    ] = Path("-"),
    out: Annotated[
        Path | None, typer.Option("-o", "--out", metavar="FILE", help="Default: standard output.")
    ] = None,
    parameter: ParameterOption = None,
    columns: Annotated[
        str | None,
        typer.Option(
            metavar="sentence1=A,sentence2=B",
            help="The columns of the sentences: names A and B in a header, or two numbers: 6,7.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="Processes; -1 for all cores. Default: 1; with --scheduler, all workers.",
            callback=check_jobs,
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(metavar="ADDRESS", help="Work on a dask cluster, such as tcp://HOST:8786."),
    ] = None,
) -> None:
    """Score a file of sentence pairs with a baseline.

    Two TAB-separated sentences per line in, one score per line out; a baseline that aligns chunks
    writes the blocks of an alignment file. Files that end in .csv, .jsonl or .parquet are tables.
    A further .gz or .zst marks a compressed file.

    Usual names of columns (sentence1 and sentence2) and usual files (the STS benchmark, SICK, PIT)
    are recognised, which a note reports; other files of more than two columns need --columns.

    A file is checked before its first score is printed. Standard input cannot be: when a fault in
    it is reported, the scores before the faulty block of lines have already been printed.
    """
    from stsbaselines.evaluation.prediction import no_advance, predict_file, size_of, system_of

    system = system_of(baseline, parameters_of(parameter))
    target = None if out in (Path("-"), Path("/dev/stdout")) else out
    source = None if str(file) == "-" else file
    if target is not None:
        check_is_other(target, source or Path("/dev/stdin"))  # a file, if it is redirected
    bar = nullcontext(no_advance) if target is None else progress_bar(size_of(source))
    n_jobs = jobs or (-1 if scheduler else 1)
    start = time.monotonic()
    with bar as advance:
        pairs = predict_file(
            system, source, target, n_jobs, _sentences_of(columns), scheduler, advance, _note
        )
    if target is not None:
        rate = pairs / max(time.monotonic() - start, 1e-9)
        say_aside(
            f"wrote {target}: {pairs:,} {'pair' if pairs == 1 else 'pairs'},"
            f" {rate:,.0f} per second; {system.signature()}"
        )


def _note(text: str) -> None:
    say_aside(f"note: {text}")


def _sentences_of(option: str | None) -> "Columns | None":
    """Parse sentence1=A,sentence2=B or two numbers."""
    found = columns_of(option, ("sentence1", "sentence2"))
    if not found:
        return None
    both: Any = found.get("sentence1", "sentence1"), found.get("sentence2", "sentence2")
    if both[0] == both[1]:
        raise InputError(f"--columns is {option!r}, but must be two columns.")
    return both  # type: ignore[no-any-return]
