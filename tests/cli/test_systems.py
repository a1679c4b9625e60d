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
