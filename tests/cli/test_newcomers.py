"""A newcomer's first steps: make, help texts, and a quick start."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from stsbaselines.cli.main import app
from tests.examples import parse
from tests.helpers import ROOT


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run make in the current folder, which has a Makefile and nothing that it installs."""
    for name in ("Makefile", "pyproject.toml"):
        shutil.copy(ROOT / name, name)
    shutil.copytree(ROOT / "configs", "configs", dirs_exist_ok=True)
    # As called from a shell, also where the tests are called by make.
    env = {name: value for name, value in os.environ.items() if not name.startswith("MAKE")}
    return subprocess.run(
        ["make", *arguments], capture_output=True, text=True, check=False, env=env
    )


def script(path: Path, lines: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{lines}\n", encoding="utf-8")
    path.chmod(0o755)


def test_a_missing_or_old_python_is_named() -> None:
    script(Path("old"), "exit 1")
    for python in ("nowhere", "./old"):
        done = make("sts2013", f"PYTHON={python}")
        assert done.returncode == 2
        assert (
            f"{python} is no Python 3.10 or newer: name one,"
            " such as make sts2013 PYTHON=python3.12\n" in done.stderr
        )
    assert not Path(".venv").exists()


def test_a_python_without_venv_is_explained_and_leaves_no_half_made_environment() -> None:
    script(
        Path("python"),
        '[ "$1" = -c ] || { mkdir -p .venv/bin; echo > .venv/bin/python; exit 1; }',
    )
    done = make("demo", "PYTHON=./python")
    assert done.returncode == 2
    assert "apt-get install python3-venv" in done.stderr
    assert not Path(".venv/bin/python").exists()


def test_an_environment_whose_python_is_gone_is_made_again() -> None:
    script(Path("python"), '[ "$1" = -c ] || touch .venv/bin/python')
    Path(".venv/bin").mkdir(parents=True)
    Path(".venv/bin/python").symlink_to("/nowhere/python3")
    Path(".venv/.base").touch()
    make("demo", "PYTHON=./python")
    assert Path(".venv/bin/python").is_file()
    assert not Path(".venv/.base").exists()


def test_without_network_one_sentence_says_what_is_missing() -> None:
    script(Path(".venv/bin/python"), "exit 1")
    for target in ("demo", "sts2013", "test"):
        done = make(target)
        assert done.returncode == 2
        assert "that takes network, or a package index that PIP_INDEX_URL names.\n" in done.stderr
        assert done.stdout == ""
    assert not Path(".venv/.base").exists()


def commands(command: Any, words: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Return each command and group of commands, with the words by which it is called."""
    yield words, command
    for name, each in getattr(command, "commands", {}).items():
        yield from commands(each, (*words, name))


COMMANDS = dict(commands(typer.main.get_command(app)))


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_each_command_and_option_has_a_help_text(words: tuple[str, ...]) -> None:
    command = COMMANDS[words]
    assert command.help
    for parameter in command.params:
        assert parameter.help, parameter.name
    context = command.make_context("stsbaselines", [], resilient_parsing=True, terminal_width=80)
    text = command.get_help(context)
    if hasattr(command, "commands"):
        assert "..." not in text.partition("Commands:")[2], "a summary is cut off"
    else:
        example = shlex.split(" ".join(text.partition("Example: stsbaselines ")[2].split()))
        assert tuple(example[: len(words)]) == words
        parse(example)


HEAVY = {"gensim", "matplotlib", "nltk", "numba", "numpy", "pandas", "scipy", "sklearn"}
SLOW = {"sklearn", "scipy", "joblib", "pandas", "matplotlib", "pooch"}
LOADED_BY_A_COMMAND = """
import sys
from stsbaselines.cli.main import main
sys.argv[0] = "stsbaselines"
try:
    main()
except SystemExit as end:
    assert not end.code, end.code
print(*sys.modules, file=sys.stderr)
"""
LOADED_BY_THE_PACKAGE = "import sys, stsbaselines; print(*sys.modules, file=sys.stderr)"


@pytest.mark.parametrize(
    ("code", "arguments", "unwanted"),
    [
        (LOADED_BY_THE_PACKAGE, [], HEAVY),
        (LOADED_BY_A_COMMAND, ["--version"], HEAVY),
        (LOADED_BY_A_COMMAND, ["predict", "--help"], HEAVY),
        (LOADED_BY_A_COMMAND, ["predict", "token-cosine", "pairs.tsv"], HEAVY),
        (LOADED_BY_A_COMMAND, ["score", "sample-sts", "scores.txt", "--dataset", "journeys"], SLOW),
        (LOADED_BY_A_COMMAND, ["check", "sample-sts", "scores.txt", "--dataset", "journeys"], SLOW),
        (LOADED_BY_A_COMMAND, ["tables", "sts2013"], SLOW),
        (LOADED_BY_A_COMMAND, ["data", "list"], SLOW),
    ],
)
def test_libraries_are_loaded_when_they_are_used(
    code: str, arguments: list[str], unwanted: set[str]
) -> None:
    Path("scores.txt").write_text("1\n2\n" * 5)
    Path("pairs.tsv").write_text("A cat\tA dog\n")
    command = [sys.executable, "-c", code, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    loaded = {name.partition(".")[0] for name in done.stderr.split()}
    assert "stsbaselines" in loaded
    assert not unwanted & loaded
