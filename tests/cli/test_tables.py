"""The command for the published tables."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path


def test_tables_in_every_format(command_output: Callable[..., str]) -> None:
    assert "sts2013-core" in command_output("tables")
    assert "0.3639" in command_output("tables", "sts2013")
    rows = json.loads(command_output("tables", "sts2015", "--format", "json"))[0]["rows"]
    assert rows[0]["Mean"] == "0.5871"
    csv = command_output("tables", "sts2012", "--format", "csv").splitlines()
    assert len(csv) == 90
    assert csv[1].startswith("00-baseline/task6-baseline,baseline,0.3110,87,")
    assert r"\toprule" in command_output("tables", "sts2015-es", "--format", "latex")
    assert "0.3639 |" in command_output("tables", "sts2013-core", "--format", "markdown")


def test_tables_are_selected_and_plotted(command_output: Callable[..., str]) -> None:
    def runs(*arguments: str) -> list[str]:
        tables = json.loads(command_output("tables", *arguments, "--format", "json"))
        return [row["run"] for table in tables for row in table["rows"]]

    assert runs("sts2015", "--top", "2") == ["DLS@CU-S1", "ExBThemis-themisexp"]
    assert runs("sts2015", "--team", "sopalip", "--top", "1") == ["SopaLipnIimas-RF"]
    assert runs("pit2015", "--unsupervised", "--top", "1") == ["02_ormf"]
    assert "sts2015-spanish" in command_output("tables", "--team", "sopalip")
    command_output("tables", "pit2015", "--plot", "plot.svg")
    assert Path("plot.svg").read_bytes().startswith(b"<?xml")


def test_which_runs_of_a_table_differ(command_output: Callable[..., str]) -> None:
    lines = command_output("tables", "sts2015", "--significance", "--top", "2").splitlines()
    assert lines[0] == "sts2015-english, Mean: Fisher's z, n = 3,000, one-tailed"
    assert lines[-2].split() == ["1", "DLS@CU-S1", "0.8015", "10", "0.0415", "0.0680"]
    options = ["--significance", "--column", "images", "--n", "500", "--tails", "2"]
    found = json.loads(command_output("tables", "sts2015", *options, "--team", "dls", "--json"))
    assert (found["column"], found["n"], found["tails"]) == ("images", 500, 2)
    assert len(found["runs"]) < len(found["p"]) == 73
    csv = command_output("tables", "sts2012", "--significance", "--format", "csv").splitlines()
    assert csv[0] == "position,run,ALL,differs from,p,p before"
