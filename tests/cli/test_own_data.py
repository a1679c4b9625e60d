"""The commands on files with sentences and scores, in each layout that people have."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.helpers import command_refusal

ROWS = [
    ("A duck swims.", "A duck, wet, swims.", "4.5"),
    ("Two boats sail.", "Two boats sail.", "5"),
    ('A "swan" sleeps.', "The pond is calm.", "0.2"),
    *((f"Boat {n} sails.", f"Boat {n} sails at {n}.", f"3.{n}") for n in range(5)),
]
LAYOUTS = {
    "ducks.csv": [f"pond\tducks\t2012test\t{n}\t{row[2]}\t{row[0]}\t{row[1]}"
                  for n, row in enumerate(ROWS)],
    "ducks.tsv": ["sentence1\tsentence2\tscore", *map("\t".join, ROWS)],
    "ducks.txt": ["pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\r",
                  *(f"{n}\t{row[0]}\t{row[1]}\t{row[2]}\tNEUTRAL\r" for n, row in enumerate(ROWS))],
}  # fmt: skip
TRAINING = """\
s1,s2,gold,split
a b,c d,0,train
e f,e g,1,train
h i,h i,2,train
j k l,j k m,3,train
n o,p q,4,train
x y,z,no score,test
"""
CONFIG = """\
task: ./{file}
baselines:
  - baseline: token-cosine
  - baseline: dkpro-string
    train: {{task: more.csv, split: train}}
"""


@pytest.mark.parametrize("file", LAYOUTS)
def test_each_command_finds_the_columns(file: str, command_output: Callable[..., str]) -> None:
    Path(file).write_text("\n".join(LAYOUTS[file]) + "\n", newline="")
    command_output("predict", "token-cosine", file, "-o", "scores.txt")
    Path("index.txt").write_text(
        "".join(f"{n}\t{line}\n" for n, line in enumerate(Path("scores.txt").read_text().split()))
    )
    values = []
    for scores in ("scores.txt", "index.txt"):
        found = json.loads(command_output("score", file, scores, "--json"))
        assert found["task"] == "ducks"
        values.append(found["datasets"]["ducks"])
    found = json.loads(command_output("compare", file, "--predictor", "token-cosine", "--json"))
    assert found["rank"] == {"token-cosine": None}
    values.append(found["scores"]["token-cosine"]["datasets"]["ducks"])
    Path("more.csv").write_text(TRAINING)
    Path("mine.yaml").write_text(CONFIG.format(file=file))
    shown = command_output("run", "mine.yaml")
    for each in values:
        assert each == pytest.approx(values[0], abs=1e-9)
    assert f"{values[0]['pearson']:.5f}" in shown


def test_options_name_columns_and_a_split(command_output: Callable[..., str]) -> None:
    Path("a.csv").write_text("A,B,C,D\nx y,x z,1,test\nx y,x y,3,test\nx y,z,0,train\n")
    Path("scores.txt").write_text("0.5\n0.9\n0\n")
    options = ["--columns", "sentence1=A,sentence2=B,score=C,split=D", "--split", "test"]
    found = json.loads(command_output("score", "a.csv", "scores.txt", *options, "--json"))
    assert found["datasets"]["a"] == pytest.approx({"pearson": 1, "spearman": 1, "n": 2})
    assert "no column X" in command_refusal("score", "a.csv", "scores.txt", "--columns",
                                            "sentence1=A,sentence2=B,score=X")  # fmt: skip
    assert "expected two that are known to be sentences" in command_refusal("data", "list", "a.csv")


def test_constant_gold_scores_are_undefined(command_output: Callable[..., str]) -> None:
    Path("a.csv").write_text("s1,s2,gold\nx y,x z,3\nx y,z,3\n")
    Path("scores.txt").write_text("1\n2\n")
    found = json.loads(command_output("score", "a.csv", "scores.txt", "--json"))
    assert found["datasets"]["a"]["pearson"] is None
