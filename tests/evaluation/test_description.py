"""Statistics of data sets, against counts by an independent program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from stsbaselines.evaluation.description import describe
from tests.helpers import needs, run_command

# Of each data set: scores in each unit, mean, and zeros.
SCORES = {
    ("sts2013", "headlines"): ([116, 165, 122, 185, 162], 2.573, 26),
    ("sts2013", "OnWN"): ([205, 55, 42, 96, 163], 2.312, 55),
    ("sts2013", "FNWN"): ([65, 56, 54, 13, 1], 1.468, 23),
    ("sts2015", "answers-forums"): ([127, 96, 81, 56, 15], 1.665, 52),
    ("sts2015", "answers-students"): ([53, 184, 125, 160, 228], 2.918, 4),
    ("sts2015", "belief"): ([151, 84, 65, 44, 31], 1.617, 75),
    ("sts2015", "headlines"): ([150, 140, 122, 141, 197], 2.564, 52),
    ("sts2015", "images"): ([179, 108, 133, 120, 210], 2.502, 83),
}


LABELS = ("EQUI", "OPPO", "SPE1", "SPE2", "SIMI", "REL")


@pytest.mark.official
@pytest.mark.parametrize(("task", "dataset"), SCORES)
def test_gold_scores(task: str, dataset: str, official_data: Path) -> None:
    needs(official_data, task)
    found = describe(task, dataset, official_data).datasets[dataset]
    units, mean, zeros = SCORES[task, dataset]
    assert (found["units"], found["zeros"]) == (units, zeros)
    assert found["mean"] == pytest.approx(mean, abs=0.0005)


@pytest.mark.official
@pytest.mark.parametrize(
    ("task", "dataset", "expected"),
    [
        ("sts2012-train", "SMTeuroparl", {"lines": 734, "distinct_pairs": 734}),
        ("sts2012", "SMTnews", {"lines": 399, "distinct_pairs": 355}),
        ("sts2012", "SMTeuroparl", {"longest_left": 16, "longest_right": 21}),
        ("sts2013", "headlines", {"tokens_per_sentence": 7.21}),
        ("pit2015", "test", {"lines": 972, "distinct_sentences": 1295, "debatable": 134}),
        ("pit2015", "test", {"paraphrases": 175, "others": 663}),
        ("pit2015-train", "dev", {"lines": 4727, "distinct_sentences": 4772}),
        ("pit2015-train", "dev", {"paraphrases": 1470, "others": 2672, "debatable": 585}),
        ("ists2015-train", "headlines", {"lines": 378, "aligned": 1064}),
        ("ists2015", "images", {"lines": 375, "aligned": 942}),
        ("ists2016", "answers-students", {"lines": 344, "aligned": 932}),
    ],
)
def test_counts(task: str, dataset: str, expected: dict[str, Any], official_data: Path) -> None:
    if dataset == "dev":  # the other training data need not be available
        needs(official_data, folder="pit2015/dev.data")
    else:
        needs(official_data, task)
    found = describe(task, dataset, official_data).datasets[dataset]
    assert {key: found[key] for key in expected} == pytest.approx(expected, abs=0.005)


@pytest.mark.official
@pytest.mark.parametrize(
    ("task", "dataset", "shares"),
    [
        ("ists2015", "headlines", [60.3, 0.9, 9.0, 9.8, 14.0, 6.0]),
        ("ists2016-train", "images", [53.8, 0.2, 12.8, 12.0, 17.8, 3.5]),
    ],
)
def test_shares_of_labels(
    task: str, dataset: str, shares: list[float], official_data: Path
) -> None:
    needs(official_data, task)
    found = describe(task, dataset, official_data).datasets[dataset]
    counts = [found["labels"].get(label, 0) for label in LABELS]
    ours = [100 * count / found["aligned"] for count in counts]
    assert ours == pytest.approx(shares, abs=0.05)
    assert sum(counts) == found["aligned"]


@pytest.mark.official
def test_nearest_grades(official_data: Path) -> None:
    needs(official_data, "sts2015")
    found = describe("sts2015", "answers-students", official_data).datasets["answers-students"]
    assert [*found["grades"].values()] == [14, 147, 148, 147, 147, 147]


@pytest.mark.parametrize("task", ["sample-sts", "sample-pit", "sample-ists", "sample-typed"])
def test_the_command_for_each_family(task: str) -> None:
    done = run_command(["describe", task, "--plot", "sets.svg"])
    assert done.stderr == "wrote sets.svg\n"
    assert "tokens per sentence" in done.stdout
    assert Path("sets.svg").stat().st_size > 1000
    found = json.loads(run_command(["describe", task, "--json"]).stdout)
    assert found["task"] == task
    assert all(each["lines"] >= each["scored"] > 0 for each in found["datasets"].values())


def test_an_own_file() -> None:
    Path("a.csv").write_text("text1,text2,score\n A duck, A pond swims,0\nA duck,A duck,5\n")
    found = describe("a.csv").datasets["a"]
    assert (found["tokens"], found["units"], found["zeros"]) == (3 + 4 + 2 + 2, [1, 0, 0, 0, 1], 1)
    assert found["length_ratio"] == pytest.approx((3 / 4 + 1) / 2)
