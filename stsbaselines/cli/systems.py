"""The commands for outputs of systems: score, compare, explain-number, check, show, align."""

import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from stsbaselines.cli.console import (
    DataDir,
    Jobs,
    ParameterOption,
    check_is_other,
    example,
    jobs_of,
    parameters_of,
    progress_bar,
    say,
)
from stsbaselines.errors import InputError

app = typer.Typer()

DataSetName = Annotated[
    str | None, typer.Option("--dataset", metavar="NAME", help="Only this data set of the task.")
]

Mapping_ = Annotated[
    list[str] | None,
    typer.Option("--map", metavar="NAME=FILE", help="A file in PATH with another name."),
]


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
        typer.Option("--details", help="Also tables for error analysis, if there are any."),
    ] = False,
) -> None:
    """Score a system's output with every measure of a task.

    PATH is an output file, or a folder with one file per data set.
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
            help="Precomputed sentence vectors: one NAME.npz per data set.",
        ),
    ] = None,
    dataset: DataSetName = None,
    mapping: Mapping_ = None,
    chunks: Annotated[
        str,
        typer.Option(
            metavar="gold|system", help="Interpretable STS: the chunks that the systems were given."
        ),
    ] = "",
    report: Annotated[
        str | None,
        typer.Option("--report", metavar="DIR", help="Also write HTML, Markdown, LaTeX and JSON."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All results, as JSON.")] = False,
    resamples: Annotated[int, typer.Option(metavar="N", help="Resamples of the bootstrap.")] = 1000,
    seed: Annotated[int, typer.Option(metavar="N", help="Random seed of the bootstrap.")] = 0,
    data_dir: DataDir = None,
    jobs: Jobs = 1,
) -> None:
    """Rank systems among the published runs, and compare them.

    Prints intervals, ranks, neighbours and significance tests.
    Systems are output files as for `score`, or code; the options for code can be repeated.
    """
    from stsbaselines.data.catalogue import find_task
    from stsbaselines.evaluation import systems
    from stsbaselines.evaluation.comparison import compare as compare_systems
    from stsbaselines.io import to_json
    from stsbaselines.reports.comparison import comparison_text, folder_for
    from stsbaselines.reports.comparison import report as write_report

    named = systems.from_arguments(path or [], predictor or [], encoder or [], vectors or [])
    if report == "":
        raise InputError("--report is empty, but must name a folder.")
    folder = folder_for(Path(report)) if report else nullcontext()
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
    """List the measures by which an output gets a number.

    All measures of the task and the conventions of later papers are tried.
    The exit status is 1 if none gives the number; then the nearest ones are shown.
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

    The exit status is 0 if it is, and 2 with its faults if not. Needs no official data.
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
    """Write an HTML page that shows alignments.

    It shows the chunks of an output of interpretable STS, and their alignments.
    """
    from stsbaselines.evaluation.alignment import inspect_alignments
    from stsbaselines.io import write_text
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
    format: Annotated[
        str, typer.Option("--format", metavar="FORMAT", help="text, json or wa.")
    ] = "text",
    parameter: ParameterOption = None,
) -> None:
    """Align the chunks of two sentences.

    Uses the chunker of this package and the baseline of interpretable STS.
    """
    from rich.console import Console

    from stsbaselines.errors import unknown
    from stsbaselines.evaluation.alignment import align as align_sentences
    from stsbaselines.io import to_json
    from stsbaselines.reports.alignments import as_rows
    from stsbaselines.reports.text import alignments_text
    from stsbaselines.tasks.ists import FAMILY

    if format not in ("text", "json", "wa"):
        raise unknown("format", format, ["text", "json", "wa"])
    pair = align_sentences(left, right, **parameters_of(parameter))
    if format == "wa":
        sys.stdout.buffer.write(FAMILY.format_predictions([pair.alignments], [pair[:2]]))
    elif format == "json":
        say(to_json({"sentences": pair[:2], "alignments": as_rows(pair)}))
    else:
        text = alignments_text(as_rows(pair))
        Console(highlight=False, soft_wrap=True).print(text)
