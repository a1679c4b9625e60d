"""How the fenced blocks of README.md and docs/ are tested; plugin.py gives them to sybil.

Blocks of ``console`` and ``python`` are run. Those of ``sh`` need network, the official data or
minutes, so that it is only tested that what they name is there; ``yaml`` is a configuration.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
from importlib.metadata import metadata
from itertools import takewhile
from pathlib import Path
from typing import Any

import typer
from sybil import Example

from stsbaselines.cli.main import app
from stsbaselines.experiments.config import config_names, read_config
from stsbaselines.experiments.run import validate
from tests.helpers import COMMAND, ROOT

OTHER_PROGRAMS = {".venv/bin/pre-commit", "dask"}


def run_console(example: Example) -> str | None:
    """Run the commands of a console block and compare what they print.

    A command is after ``$``, and its further lines after ``>``, as a shell shows them.
    In what is expected, ``...`` stands for anything within a line; as a line, for any lines.
    ``make TASK`` stands for the command that the Makefile runs for it.
    """
    environment = dict(os.environ, PATH=f"{COMMAND.parent}:{os.environ['PATH']}")
    environment["TERM"] = "dumb"
    folder = example.namespace["folder"]
    for block in re.split(r"^\$ ", str(example.parsed), flags=re.MULTILINE)[1:]:
        lines = block.splitlines()
        further = [*takewhile(lambda line: line.startswith("> "), lines[1:])]
        command = "\n".join([lines[0], *(line[2:] for line in further)])
        expected = "\n".join(lines[1 + len(further) :])
        command = re.sub(r"^make ((?:sts|pit|ists)\S+)", _run_of_target, command)
        done = subprocess.run(
            ["bash", "-c", command], capture_output=True, text=True, cwd=folder, env=environment
        )
        printed = done.stdout + done.stderr
        if not re.fullmatch(_pattern(expected), "".join(f"{line}\n" for line in _lines(printed))):
            return f"$ {command}\n{printed}\n--- instead of\n{expected}"
    return None


def _run_of_target(match: re.Match[str]) -> str:
    configs = [match[1], f"{match[1]}-typed"]
    return " ".join(["stsbaselines run", *(each for each in configs if each in config_names())])


def _pattern(expected: str) -> str:
    lines = [
        "(?:.*\\n)*?" if line == "..." else f"{re.escape(line)}\\n" for line in _lines(expected)
    ]
    return "".join(lines).replace(re.escape("..."), ".*")


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.strip().splitlines()]


def check_commands(example: Example) -> str | None:
    """Test that the targets, commands, options, extras and scripts of a block are there."""
    for line in str(example.parsed).replace("\\\n", "").splitlines():
        words = shlex.split(line, comments=True)
        if words and not _is_known(words[0], words[1:]):
            return f"{line}: there is no such thing"
    return None


def _is_known(program: str, arguments: list[str]) -> bool:
    if program == "stsbaselines":
        parse(arguments)
    elif program == "make":
        dry = ["make", "--dry-run", *arguments]
        return subprocess.run(dry, cwd=ROOT, capture_output=True, check=False).returncode == 0
    elif program == "pip":
        extras = re.findall(r"stsbaselines\[(.+)\]", " ".join(arguments))
        return {*extras} <= {*metadata("stsbaselines").get_all("Provides-Extra", [])}
    elif program == ".venv/bin/python":
        return (ROOT / arguments[0]).is_file()
    else:
        return program in OTHER_PROGRAMS
    return True


def parse(arguments: list[str]) -> None:
    """Parse the arguments of a command line, without running it; fail if they are wrong."""
    command: Any = typer.main.get_command(app)
    name, rest = "stsbaselines", list(arguments)
    while hasattr(command, "commands"):
        name = rest.pop(0)
        command = command.commands[name]
    command.make_context(name, rest)


def check_configuration(example: Example) -> None:
    """Read a block as a configuration; that fails if it could not be run."""
    path = Path(example.namespace["folder"]) / "example.yaml"
    path.write_text(str(example.parsed), encoding="utf-8")
    validate(read_config(path))


def check_json(example: Example) -> None:
    """Read a block as JSON; that fails if it is none."""
    json.loads(str(example.parsed))
