"""The commands for data, through the real entry point."""

from __future__ import annotations

import json
from pathlib import Path

from tests.helpers import run_command


def test_data_commands_on_the_sample() -> None:
    listed = run_command(["data", "list", "sample-sts"]).stdout
    assert "kitchen" in listed
    assert " ok " in listed
    entries = json.loads(run_command(["data", "list", "sts2013", "--format", "json"]).stdout)
    assert entries[3]["data set"] == "SMT"
    assert entries[3]["status"] == "missing"
    paths = run_command(["data", "path", "sample-sts", "kitchen"]).stdout.splitlines()
    assert [Path(path).name for path in paths] == ["STS.input.kitchen.txt", "STS.gs.kitchen.txt"]
    verified = run_command(["data", "verify"])
    assert verified.returncode == 0
    assert "sample-sts: 4 of 4 files are right" in verified.stdout


def test_a_wrong_file_is_named_with_its_checksums() -> None:
    Path("data/sts2014-es").mkdir(parents=True)
    Path("data/sts2014-es/STS.gs.news.txt").write_text("1\n")
    done = run_command(["data", "verify"])
    assert done.returncode == 2
    assert "data/sts2014-es/STS.gs.news.txt: found sha256 4355a46b19d3" in done.stderr
    assert "expected sha256 c2b323651c27" in done.stderr
