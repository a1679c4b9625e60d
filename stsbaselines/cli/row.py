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
    from stsbaselines.evaluation.row_explanation import explain_row
    from stsbaselines.io.files import to_json
    from stsbaselines.reference.rows import numbers_of
    from stsbaselines.reports.rows import origin_text, row_text
    from stsbaselines.reports.tables import Format

    style = format_of(format, as_json)
    is_json, found = style is Format.json, None
    if explain is not None:
        numbers_of(explain)  # before the systems, which may take minutes
        if style not in (Format.text, Format.json):
            raise InputError(f"--explain is printed as text or JSON, not as {format}.")
    if explain is None or path or predictor or encoder or vectors:
        from stsbaselines.evaluation import systems  # slow to import
        from stsbaselines.evaluation.row import ALL
        from stsbaselines.evaluation.row import row as row_of

        with progress_bar(None) as progress, redirect_stdout(sys.stderr):  # what user code prints
            arguments = parameters_of(encode_args, "--encode-args")
            found = row_of(
                systems.from_arguments(
                    path or [], predictor or [], encoder or [], vectors or [], arguments
                ),
                convention if explain is None else ALL,
                data_dir=data_dir,
                n_jobs=jobs,
                progress=progress,
                cache=cache,
                intervals=intervals,
                base=base,
                resamples=resamples,
                random_state=seed,
            )
    if explain is not None:
        origin = explain_row(explain, found)
        say(to_json(origin.to_dict()) if is_json else origin_text(origin))
        if not origin.is_found:
            raise typer.Exit(1)
    elif found:
        say(to_json(found.to_dict(rank)) if is_json else row_text(found, style, rank))
