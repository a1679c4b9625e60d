"""The commands for outputs of systems, through the real entry point."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.helpers import COMMAND, command_refusal, run_command

GOOD = b"".join(b"%.1f\n" % (n / 4) for n in range(12))


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        ("check", "decimal comma"),
        ("check", "missing"),
        ("check", "directory"),
        ("score", "decimal comma"),
        ("compare", "unreadable"),
    ],
)
def test_malformed_output_gives_no_number(
    command: str, fault: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "STS.output.kitchen.txt"
    if fault == "directory":
        path.mkdir()
    elif fault == "unreadable":
        path.symlink_to(path)
    elif fault != "missing":
        path.write_bytes(GOOD.replace(b"1.0", b"1,0"))
    message = command_refusal(command, "sample-sts", str(path), "--dataset", "kitchen")
    assert str(tmp_path) in message
    assert "expected" in message
    assert capsys.readouterr().out == ""


def test_a_constant_output_is_undefined(tmp_path: Path) -> None:
    path = tmp_path / "STS.output.kitchen.txt"
    path.write_bytes(b"2.5\n" * 12)
    done = run_command(["score", "sample-sts", str(path)])
    assert done.returncode == 0
    assert "undefined" in done.stdout
    done = run_command(["score", "sample-sts", str(path), "--json"])
    assert json.loads(done.stdout)["datasets"]["kitchen"]["pearson"] is None


def test_what_the_code_of_a_user_prints_is_not_in_the_results() -> None:
    Path("noisy.py").write_text(
        "print('at import')\n"
        "def mine(lefts, rights):\n    print('called')\n    return list(map(len, lefts))\n"
    )
    done = run_command(["compare", "sample-sts", "--predictor", "noisy:mine", "--json"])
    assert json.loads(done.stdout)["task"] == "sample-sts"
    assert done.stderr == "at import\ncalled\ncalled\n"


def test_names_that_are_not_utf_8_are_escaped() -> None:
    name = os.fsencode(Path.cwd()) + b"/\xff.txt"
    Path(os.fsdecode(name)).write_bytes(GOOD)
    command = [os.fsencode(COMMAND), b"score", b"sample-sts", name, b"--dataset", b"kitchen"]
    done = subprocess.run([*command, b"--json"], capture_output=True, check=True)
    assert json.loads(done.stdout)["run"] == "\udcff.txt"


def test_a_number_that_no_convention_gives_ends_with_exit_status_1() -> None:
    Path("STS.output.kitchen.txt").write_bytes(GOOD)
    arguments = ["explain-number", "-0.9", "--task", "sample-sts", "STS.output.kitchen.txt"]
    done = run_command([*arguments, "--json"])
    assert (done.returncode, json.loads(done.stdout)["matches"]) == (1, [])


def outputs() -> list[str]:
    """Write an output for each data set of the sample."""
    for name, pairs in (("kitchen", 12), ("journeys", 10)):
        lines = "".join(f"{number % 4}.5\n" for number in range(pairs))
        Path(f"STS.output.{name}.txt").write_text(lines)
    return ["STS.output.kitchen.txt", "STS.output.journeys.txt"]


def test_several_files_are_one_run() -> None:
    files = outputs()
    done = run_command(["score", "sample-sts", *files, "--json"])
    whole = json.loads(run_command(["score", "sample-sts", ".", "--json"]).stdout)
    assert json.loads(done.stdout) == whole
    assert "Mean" in whole["aggregates"]
    assert run_command(["check", "sample-sts", *files]).stdout.count("is well-formed") == 2
    message = command_refusal("score", "sample-sts", files[0], files[0])
    assert "are both for kitchen: score one run at a time" in message
    assert ". is a folder: score one run" in command_refusal("score", "sample-sts", ".", files[0])


def test_an_output_on_standard_input() -> None:
    content = Path(outputs()[0]).read_text()
    done = run_command(["score", "sample-sts", "-", "--dataset", "kitchen"], input=content)
    assert "stdin on sample-sts" in done.stdout
    done = run_command(["score", "sample-sts", "-", "--dataset", "kitchen"], input="1,5\n")
    assert done.returncode == 2
    assert "/dev/stdin, line 1: found '1,5'" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "beginning"),
    [
        (["score", "sample-sts", "."], "run,name,measure,value"),
        (["compare", "sample-sts", "."], "system,name,value,low,high,pairs"),
        (["explain-number", "0.1", "--task", "sample-sts", "."], "name,value,official"),
        (["list"], "kind,name,about"),
        (["data", "list", "sample-sts"], "task,data set,pairs"),
        (["tables"], "table,task,title"),
    ],
)
def test_results_in_other_formats(arguments: list[str], beginning: str) -> None:
    outputs()
    assert run_command([*arguments, "--format", "csv"]).stdout.startswith(beginning)
    as_json = [run_command([*arguments, *how]).stdout for how in (["--json"], ["--format", "json"])]
    assert json.loads(as_json[0])
    assert as_json[0] == as_json[1]
    message = command_refusal(*arguments, "--json", "--format", "csv")
    assert message == "--json and --format csv: pass one of them."
