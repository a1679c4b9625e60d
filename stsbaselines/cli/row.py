"""The command for the row of the seven sets."""

import sys
from contextlib import redirect_stdout
from typing import Annotated

import typer

from stsbaselines.cli.console import (
    CacheOption,
    DataDir,
    EncodeArgsOption,
    EncoderOption,
    FormatOption,
    Jobs,
    JsonOption,
    PredictorOption,
    ResamplesOption,
    SeedOption,
    VectorsOption,
    example,
    format_of,
    parameters_of,
    progress_bar,
    say,
)
from stsbaselines.errors import InputError

app = typer.Typer()


@app.command(epilog=example("row --predictor token-cosine --rank"))
def row(
    path: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PATH", help="Folders with a folder of outputs per task, or NAME=PATH."
        ),
    ] = None,
    predictor: PredictorOption = None,
    encoder: EncoderOption = None,
    encode_args: EncodeArgsOption = None,
    cache: CacheOption = None,
    vectors: VectorsOption = None,
    convention: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="simcse, consert, wmean-spearman, senteval, senteval-mean, mteb, or all.",
        ),
    ] = "simcse",
    intervals: Annotated[
        bool, typer.Option("--intervals", help="Add the 95 % interval of each number.")
    ] = False,
    base: Annotated[
        str,
        typer.Option(metavar="SYSTEM", help="Mark what differs significantly from this system."),
    ] = "",
    rank: Annotated[
        bool, typer.Option("--rank", help="Rank the averages among the published rows.")
    ] = False,
    explain: Annotated[
        str | None,
        typer.Option(
            metavar="NUMBERS", help='Find where a printed row comes from: "55.14 70.66 ...".'
        ),
    ] = None,
    format: FormatOption = "text",
    as_json: JsonOption = False,
    resamples: ResamplesOption = 1000,
    seed: SeedOption = 0,
    data_dir: DataDir = None,
    jobs: Jobs = 1,
) -> None:
    """Print the row of papers: the seven sets and Avg.

    The sets are STS12 to STS16, STS-B and SICK-R. Systems are given as for `compare`; the folders
    of PATH and of vectors have one folder per task. With --explain, no system is needed, and the
    exit status is 1 if nothing gives all the numbers.
    """
    from stsbaselines.evaluation import systems
    from stsbaselines.evaluation.row import ALL
    from stsbaselines.evaluation.row import row as row_of
    from stsbaselines.evaluation.row_explanation import explain_row
    from stsbaselines.io.files import to_json
    from stsbaselines.reports.rows import origin_text, row_text
    from stsbaselines.reports.tables import Format

    style = format_of(format, as_json)
    if explain is not None and style not in (Format.text, Format.json):
        raise InputError(f"--explain is printed as text or JSON, not as {format}.")
    with redirect_stdout(sys.stderr):  # what the user's code prints
        arguments = parameters_of(encode_args, "--encode-args")
        named = systems.from_arguments(
            path or [], predictor or [], encoder or [], vectors or [], arguments
        )
    found = None
    if named or explain is None:
        with progress_bar(None) as progress, redirect_stdout(sys.stderr):
            chosen = convention if explain is None else ALL
            found = row_of(
                named,
                chosen,
                data_dir,
                jobs,
                progress,
                cache,
                intervals,
                base,
                resamples,
                seed,
            )
    if found and explain is None:
        as_text = style is not Format.json
        say(row_text(found, style, rank) if as_text else to_json(found.to_dict(rank)))
        return
    origin = explain_row(explain or "", found)
    say(to_json(origin.to_dict()) if style is Format.json else origin_text(origin))
    if not origin.is_found:
        raise typer.Exit(1)
