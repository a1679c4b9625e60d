"""The entry point of the command line."""

import atexit
import gc
import io
import os
import signal
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from stsbaselines.cli import gate, overview, row, run, systems, tables
from stsbaselines.cli.console import IS_QUIET, say
from stsbaselines.cli.data import data_app
from stsbaselines.cli.train import train_app
from stsbaselines.errors import InputError
from stsbaselines.io.files import NO_HOME
from stsbaselines.version import __version__

app = typer.Typer(
    epilog="Start with `stsbaselines demo` and `stsbaselines COMMAND --help`.",
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for commands in (run, systems, row, gate, overview, tables):
    app.add_typer(commands.app)
app.add_typer(data_app, name="data")
app.add_typer(train_app, name="train")


def main() -> None:
    """Run the command line; bad input ends with one sentence and exit status 2."""
    atexit.register(gc.freeze)  # spares a last garbage collection
    _replace_closed_streams()
    _replace_missing_home()
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    signal.signal(signal.SIGTERM, lambda number, _: sys.exit(128 + number))
    try:
        app()
    except InputError as error:
        _refuse(str(error))
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(1)
    except MemoryError:
        _refuse("There is not enough memory for this.")
    except OSError as error:
        is_folder = isinstance(error, FileNotFoundError)  # which was deleted
        place = error.filename or ("the current folder" if is_folder else "standard output")
        _refuse(f"{place}: {error.strerror or error}")


def _replace_closed_streams() -> None:
    """Make a closed standard input empty, and printing to a closed standard output fail."""
    sys.stdin = sys.stdin or io.TextIOWrapper(io.BytesIO())
    sys.stderr = sys.stderr or io.StringIO()
    if sys.stdout is None:
        raw = io.FileIO(os.open(os.devnull, os.O_RDONLY), "w")
        sys.stdout = io.TextIOWrapper(raw, write_through=True)


def _replace_missing_home() -> None:
    """Name a home folder that does not exist if the user has none, so that libraries go on."""
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = NO_HOME


def _refuse(message: str) -> NoReturn:
    say(message, file=sys.stderr)
    sys.exit(2)


def _version(wanted: bool) -> None:
    if wanted:
        say(f"stsbaselines {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[  # noqa: ARG001 - its callback prints it
        bool,
        typer.Option(
            "--version", "-V", callback=_version, is_eager=True, help="Print the version."
        ),
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print results and errors only.")
    ] = False,
) -> None:
    """Official baselines and scorers of the STS, interpretable STS and PIT tasks."""
    IS_QUIET.set(quiet)
