"""The command for the row of the seven sets."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers import command_refusal, needs, run_command

GLOVE = "55.14 70.66 59.73 68.25 63.66 58.02 53.76 61.32"


def test_a_published_row_is_explained_without_any_system() -> None:
    done = run_command(["row", "--explain", GLOVE])
    assert done.returncode == 0
    assert "Avg. GloVe embeddings" in done.stdout
    assert "Avg 61.32 is the mean of the columns as printed, which is 61.317." in done.stdout
    done = run_command(["row", "--explain", GLOVE.replace("53.76", "53.86"), "--json"])
    found = json.loads(done.stdout)
    assert done.returncode == 1
    assert [each["off"] for each in found["published"]] == [{"SICK-R": "53.76"}]
    assert found["average"]["fits"] == "no"
    done = run_command(["row", "--explain", "1 2 3 4 5 6 7"])
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--explain", "1 2"], "the row: found 2 numbers, expected 1, or the 7 of STS12"),
        (["--explain", GLOVE, "--format", "csv"], "--explain is printed as text or JSON"),
        ([], "there is no system to compare"),
        (["--predictor", "token-cosine", "--convention", "x"], "there is no convention of a row"),
        (["nowhere"], "sts2012"),
    ],
)
def test_what_makes_no_row_is_refused(arguments: list[str], message: str) -> None:
    assert message in command_refusal("row", *arguments)


def test_published_rows_are_printed_and_selected(command_output: Callable[..., str]) -> None:
    tables = json.loads(command_output("tables", "rows", "--json"))
    assert sum(len(table["rows"]) for table in tables) == 272
    text = command_output("tables", "rows", "--team", "flow")
    assert "rows-wmean-spearman" in text
    assert "rows-mteb" not in text
    lines = command_output("tables", "rows-simcse", "--top", "3", "--format", "csv").splitlines()
    averages = [float(each["Avg"]) for each in csv.DictReader(lines)]
    assert averages == sorted(averages, reverse=True)
    assert averages[0] > 80


@pytest.mark.official
def test_rows_in_every_format(official_data: Path, command_output: Callable[..., str]) -> None:
    needs(official_data, "sts2012", "sts2014", "stsbenchmark", "sick-r", "sick-r-train")
    command = ("row", "--predictor", "token-cosine")
    text = command_output(*command, "--rank")
    assert re.search(r"token-cosine +33\.25 +43\.07 +44\.13 +59\.70 +50\.84 +43\.17 +53\.42", text)
    assert "145 of 149" in text
    assert "(secondary)" in text
    assert "known under wmean-spearman (table rows-wmean-spearman): BERT-base; " in text
    (system,) = json.loads(command_output(*command, "--json"))["systems"].values()
    assert system.keys() == {"convention", "columns", "average", "signature", "missing"}
    every = json.loads(command_output(*command, "--convention", "all", "--format", "json"))
    assert every["conventions"]["simcse"]["systems"]["token-cosine"] == system
    assert any("tokenised" in note for note in every["notes"])
    lines = command_output(*command, "--convention", "senteval", "--format", "csv").splitlines()
    (row,) = csv.DictReader(lines)
    assert (row["STS-B"], row["Avg"]) == ("", "")
    assert float(row["STS12"]) == pytest.approx(0.4356322140, abs=1e-9)
    assert "| token-cosine |" in command_output(*command, "--format", "markdown")
    latex = command_output(*command, "--format", "latex")
    assert r"\toprule" in latex
    assert r"task:row\textbar{}" in latex
    mixed = "44.97 41.29 51.16 57.39 50.84 43.17 53.42"
    done = run_command([*command, "--explain", mixed])
    assert done.returncode == 1
    assert "gives 6 of 7 of the numbers under wmean-spearman. Off: STS16." in done.stdout
