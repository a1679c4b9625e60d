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

Backend = Annotated[
    str,
    typer.Option("--backend", metavar="processes|dask", help="Where processes are: here, or dask."),
]

Scheduler = Annotated[
    str | None,
    typer.Option("--scheduler", metavar="ADDRESS", help="Where dask is: tcp://HOST:8786."),
]


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
        check_is_other(target, source or Path("/dev/stdin"))  # a file, if it is redirected
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
