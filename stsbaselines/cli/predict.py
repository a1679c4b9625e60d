"""The command that scores sentence pairs: predict."""

import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated

import typer

from stsbaselines.cli.console import (
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


@app.command(epilog=example("predict token-cosine pairs.txt -o scores.txt"))
def predict(
    baseline: Annotated[
        str, typer.Argument(metavar="BASELINE", help="Such as token-cosine, or a saved folder.")
    ],
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Two sentences per line; - is standard input.")
    ] = Path("-"),
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE", help="Default: standard output."),
    ] = None,
    parameter: ParameterOption = None,
    columns: Annotated[
        str | None,
        typer.Option(
            "--columns",
            metavar="sentence1=A,sentence2=B",
            help="Columns A and B of a table with a header have the sentences.",
        ),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs", metavar="N", help="Processes; -1 for all cores. Default: 1; of dask, all."
        ),
    ] = None,
    scheduler: Annotated[
        str | None,
        typer.Option(
            "--scheduler",
            metavar="ADDRESS",
            help="Work on a dask cluster, such as tcp://HOST:8786.",
        ),
    ] = None,
) -> None:
    """Score sentence pairs with a baseline, streaming.

    Two TAB-separated sentences per line in, one score per line out; a baseline that aligns chunks
    writes the blocks of an alignment file. Files that end in .csv, .jsonl or .parquet are tables
    with the columns sentence1 and sentence2, or score; a .gz or .zst after that means packed.

    A file is checked before its first score is printed; standard input cannot be, so
    there the scores before a faulty block of lines have been printed when it is refused.
    """
    from stsbaselines.evaluation.prediction import no_advance, predict_file, size_of, system_of

    system = system_of(baseline, parameters_of(parameter))
    target = None if out in (Path("-"), Path("/dev/stdout")) else out
    source = None if str(file) == "-" else file
    if target is not None:
        check_is_other(target, source or Path("/dev/stdin"))  # a file, if it is redirected
    bar = nullcontext(no_advance) if target is None else progress_bar(size_of(source))
    n_jobs = -1 if scheduler and jobs is None else jobs_of(1 if jobs is None else jobs)
    start = time.monotonic()
    with bar as advance:
        pairs = predict_file(
            system, source, target, n_jobs, _columns_of(columns), scheduler, advance
        )
    if target is not None:
        rate = pairs / max(time.monotonic() - start, 1e-9)
        say(
            f"wrote {target}: {pairs:,} {'pair' if pairs == 1 else 'pairs'},"
            f" {rate:,.0f} a second; {system.signature()}",
            file=sys.stderr,
        )


def _columns_of(option: str | None) -> tuple[str, str] | None:
    """Parse sentence1=A,sentence2=B."""
    if option is None:
        return None
    named = dict(each.partition("=")[::2] for each in option.split(","))
    if (
        len(named) != option.count(",") + 1
        or not all(named.values())
        or not (named.keys() <= {"sentence1", "sentence2"})
    ):
        raise InputError(f"--columns is {option!r}, but must be sentence1=A,sentence2=B.")
    return named.get("sentence1", "sentence1"), named.get("sentence2", "sentence2")
