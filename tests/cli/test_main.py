"""The entry point of the command line: mistakes, help texts, and what it prints."""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import platformdirs
import pytest

from stsbaselines.cli.main import _replace_missing_home, app
from stsbaselines.data.find import SAMPLES, cache_directory
from stsbaselines.io.files import NO_HOME
from stsbaselines.version import __version__
from tests.helpers import CORPUS, command_refusal, run_command
from tests.test_errors import ESCAPED, HOSTILE

PAIRS = str(SAMPLES / "sample-sts" / "STS.input.kitchen.txt")


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["run", "sts2013"], "make demo"),
        (["run", "sample-sts", "--jobs", "0"], "--jobs is 0"),
        (["run", "sample-sts", "--out", "/dev/null/x"], "expected a folder that can be made"),
        (["score", "sts2013", "."], "one output file for headlines"),
        (["score", "sts2013", ".", "--map", "x"], "must be NAME=FILE"),
        (["check", "sts2012", ".", "--dataset", "OnWN"], "STS.output.surprise.OnWN.txt"),
        (["tables", "--format", "markdwon"], "did you mean 'markdown'"),
        (["tables", "sts2015-english", "--format", "html"], "no format 'html'"),
        (["tables", "sts2012", "--unsupervised"], "no run that is marked unsupervised"),
        (["tables", "pit2015", "--significance"], "no test is defined for F1"),
        (["tables", "sts2012", "--tails", "2"], "are for --significance"),
        (["tables", "pit2015", "--plot", "x.gif"], ".svg, .png or .pdf"),
        (["explain-number", "0,5", "--task", "sts2015", "."], "not a number as printed in papers"),
        (["compare", "sts2015", "--predictor", "token-cosine"], "make demo"),
        (["predict", "random", "--set", "seed=1"], "no parameter 'seed'"),
        (["predict", "random", "--set", "seed"], "must be NAME=VALUE"),
        (["predict", "random", PAIRS, "--set", "high=1", "--set", "high=2"], "two values for high"),
        (
            ["predict", "random", PAIRS, "--set", "high=1e999"],
            "high is the number 1e999, but must be up",
        ),
        (
            ["predict", "random", PAIRS, "--set", "high=[1e999]"],
            "the number 1e999, but must be up to 1e308",
        ),
        (["predict", "random", PAIRS, "--set", f"high={'1' * 5000}"], "must be up to 1e308"),
        (["predict", "random", PAIRS, "--set", "high=yes"], "high is 'yes', but must be a number"),
        (
            ["predict", "random", PAIRS, "--set", "high=1:30"],
            "high is '1:30', but must be a number",
        ),
        (["predict", "random", PAIRS, "--set", "high="], "high is '', but must be a number"),
        (
            ["predict", "random", PAIRS, "--set", "high=null"],
            "high is nothing, but must be",
        ),
        (["predict", "random", PAIRS, "--set", 'high={"a": 1, "a": 2}'], "no JSON list or object"),
        (["predict", "random", PAIRS, "--set", "high=[1"], "no JSON list or object"),
        (["predict", "random", PAIRS, "--set", "high=" + "[" * 100_000], "no JSON list or object"),
        (["data", "path", "sts2015"], "make demo"),
        (["data", "path", "sample-sts", "kitchn"], "did you mean 'kitchen'"),
        (["reproduce"], "make demo"),
    ],
)
def test_mistakes_are_explained(
    arguments: list[str], part: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert part in command_refusal(*arguments)
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("arguments", "part"),
    [(["run", "sts213"], "did you mean 'sts2013'"), (["nonsense"], "No such command")],
)
def test_a_mistake_is_printed_with_exit_status_2(arguments: list[str], part: str) -> None:
    done = run_command(arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert part in done.stderr
    assert "Traceback" not in done.stderr


def test_version_and_module() -> None:
    assert run_command(["--version"]).stdout == f"stsbaselines {__version__}\n"
    module = [sys.executable, "-m", "stsbaselines", "--version"]
    assert subprocess.run(module, capture_output=True, text=True, check=True).stdout == (
        f"stsbaselines {__version__}\n"
    )


def test_what_a_terminal_acts_on_is_escaped_in_results(tmp_path: Path) -> None:
    folder = tmp_path / HOSTILE
    folder.mkdir()
    for name, count in {"kitchen": 12, "journeys": 10}.items():
        scores = "".join(f"{number % 6}\n" for number in range(count))
        (folder / f"STS.output.{name}.txt").write_text(scores)
    plain = run_command(["score", "sample-sts", str(folder)])
    assert plain.stdout.startswith(f"{ESCAPED} on sample-sts\n")
    as_json = run_command(["score", "sample-sts", str(folder), "--json"])
    assert "\x9b" not in as_json.stdout
    assert json.loads(as_json.stdout)["run"] == HOSTILE
    assert ESCAPED in run_command(["check", "sample-sts", str(folder)]).stdout


def test_a_user_without_a_home_folder_has_no_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*_: object) -> Path:
        raise RuntimeError

    monkeypatch.setenv("HOME", "")
    monkeypatch.setattr(Path, "home", nowhere)
    monkeypatch.setattr(platformdirs, "user_cache_dir", nowhere)
    _replace_missing_home()
    assert os.environ["HOME"] == NO_HOME
    assert not cache_directory().exists()
    assert "The model lsa-wordnet+brown was not found" in command_refusal("predict", "lsa")


class ClosedPipe(io.StringIO):
    def write(self, text: str) -> int:
        raise BrokenPipeError


@pytest.mark.parametrize(
    ("arguments", "file"),
    [
        ("compare sample-sts --predictor token-cosine --report out", "comparison.json"),
        ("run sample-sts --out out", "sample-sts/results.json"),
        ("train lsa --corpus corpus.txt --set n_components=2 -o out", "predictor.json"),
        ("data import downloads --to out", "sample-sts/STS.gs.kitchen.txt"),
        ("tables sts2013-core --plot out/table.svg", "table.svg"),
    ],
)
def test_files_are_written_before_anything_is_printed(
    arguments: str, file: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("corpus.txt").write_text("\n".join(CORPUS))
    shutil.copytree(SAMPLES / "sample-sts", "downloads")
    monkeypatch.setattr(sys, "stdout", ClosedPipe())
    with pytest.raises(BrokenPipeError):
        app(arguments.split(), standalone_mode=False)
    assert Path("out", file).is_file()


def test_no_code_of_the_current_folder_runs_unless_it_is_asked_for() -> None:
    for module in ("joblib", "numba", "nltk", "pandas", "yaml", "scipy", "mine"):
        Path(f"{module}.py").write_text("open('attacked', 'w').close()\n")
    done = run_command(["compare", "sample-typed", "--predictor", "typed-tfidf"])
    assert done.returncode == 0, done.stderr
    done = run_command(["compare", "sample-sts", "--predictor", "mine"])
    assert done.returncode == 2
    assert "MODULE:OBJECT" in done.stderr
    assert not Path("attacked").exists()


def test_quiet_keeps_results_and_errors() -> None:
    Path("pairs.csv").write_text("text1,text2\nA dog.,A cat.\n")
    loud = run_command(["predict", "token-cosine", "pairs.csv"])
    assert loud.stderr.startswith("note: ")
    quiet = run_command(["--quiet", "predict", "token-cosine", "pairs.csv"])
    assert (quiet.stdout, quiet.stderr) == (loud.stdout, "")
    done = run_command(["-q", "predict", "token-cosine", "nothing.csv"])
    assert (done.returncode, done.stdout) == (2, "")
    assert "nothing.csv" in done.stderr


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("score sample-t", "sample-typed"),
        ("run sample-t", "sample-typed"),
        ("predict typed", "typed-tfidf"),
    ],
)
def test_names_are_completed(words: str, expected: str) -> None:
    environment = dict(
        os.environ,
        _STSBASELINES_COMPLETE="complete_bash",
        COMP_WORDS=f"stsbaselines {words}",
        COMP_CWORD="2",
    )
    assert run_command([], env=environment).stdout.split() == [expected]


def test_the_list_has_each_thing_once(capsys: pytest.CaptureFixture[str]) -> None:
    app(["list"], standalone_mode=False)
    lines = capsys.readouterr().out.splitlines()
    for name in ("sample-typed", "token-cosine", "sts2013-core"):
        assert sum(line.split()[:1] == [name] for line in lines) >= 1
    assert all(len(line.split()) != 1 or line.endswith("s") for line in lines)  # all have a text
