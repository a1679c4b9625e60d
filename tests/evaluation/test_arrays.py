"""Pairs and scores in memory."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas
import pytest

import stsbaselines
from stsbaselines import create, load_pairs
from stsbaselines.data.catalogue import find_task
from stsbaselines.errors import InputError
from stsbaselines.evaluation.submission import read_gold, score
from tests.helpers import needs

TASK = find_task("sample-sts")
GOLD = read_gold(TASK, TASK.datasets)["kitchen"]

VALUES = np.arange(12) * 5 % 12 / 4


# Pairs


@pytest.mark.parametrize(
    ("task", "dataset", "pairs", "scored"),
    [
        ("sample-sts", "kitchen", 12, 11),
        ("sample-pit", None, 12, 10),
        ("sample-typed", None, 6, 6),
        ("sample-ists", None, 10, 10),
    ],
)
def test_pairs_with_their_gold(task: str, dataset: str | None, pairs: int, scored: int) -> None:
    some, of_some = load_pairs(task, dataset)
    every, of_every = load_pairs(task, dataset, scored=False)
    assert len(some) == len(of_some) == scored
    assert len(every) == len(of_every) == pairs
    if isinstance(of_every, np.ndarray):
        is_scored = ~np.isnan(of_every.reshape(pairs, -1)[:, 0])
        assert is_scored.sum() == scored
        assert [pair for pair, each in zip(every, is_scored, strict=True) if each] == some
        assert (of_every[is_scored] == of_some).all()


def test_a_data_set_must_be_named() -> None:
    with pytest.raises(InputError, match="has several data sets: name one of kitchen, journeys"):
        load_pairs("sample-sts")
    with pytest.raises(InputError, match="did you mean 'kitchen'"):
        load_pairs("sample-sts", "kitchens")


# Scores


@pytest.mark.parametrize(
    "make",
    [
        list,
        tuple,
        np.array,
        pandas.Series,
        lambda values: np.array(values, dtype=np.float32),
        np.ma.array,
    ],
)
@pytest.mark.parametrize("only_scored", [True, False])
def test_arrays_of_all_lines_or_of_scored_pairs(make: Any, only_scored: bool) -> None:
    values = VALUES[~np.isnan(GOLD)] if only_scored else VALUES
    found = score("sample-sts", {"kitchen": make(values.tolist())})
    Path("scores.txt").write_text("".join(f"{each}\n" for each in VALUES), encoding="utf-8")
    expected = score("sample-sts", "scores.txt", dataset="kitchen")
    assert found.datasets == expected.datasets
    assert found.signature == expected.signature
    alone = score("sample-sts", make(values.tolist()))
    assert alone.datasets == expected.datasets
    assert alone.notes == ("the scores are taken as those of kitchen, by their number",)


def test_pairs_without_gold_may_have_no_score() -> None:
    values = np.where(np.isnan(GOLD), np.nan, np.arange(12))
    expected = score("sample-sts", {"kitchen": np.arange(12)})
    assert score("sample-sts", {"kitchen": values}).datasets == expected.datasets


def test_arrays_of_all_data_sets_have_aggregates() -> None:
    arrays = {"journeys": np.arange(10), "kitchen": np.arange(11)}
    found = score("sample-sts", arrays)
    assert [*found.datasets] == ["kitchen", "journeys"]
    assert found.aggregates["Mean"] is not None
    assert score("sample-sts", arrays, dataset="journeys").aggregates == {}


def test_arrays_of_other_families() -> None:
    pairs = load_pairs("sample-pit", scored=False)[0]
    values = create("token-cosine").predict(pairs)
    found = stsbaselines.compare("sample-pit", {"mine": values, "base": "token-cosine"})
    assert found.scores["mine"].datasets == found.scores["base"].datasets
    rows = np.random.default_rng(1).uniform(size=(6, 8))
    assert score("sample-typed", rows).datasets["europeana"]["n"] == 6
    assert score("sample-typed", rows.tolist()).datasets == score("sample-typed", rows).datasets


@pytest.mark.parametrize(
    ("task", "given", "message"),
    [
        (
            "sample-sts",
            {"kitchen": [1.0] * 9},
            "found 9 scores, expected 12, one for each line, or",
        ),
        ("sample-sts", [1.0, 2.0], "found 2 scores, which fit no data set of sample-sts"),
        ("sample-sts", {"kitchn": [1.0]}, "did you mean 'kitchen'"),
        ("sample-sts", {}, "there is no array for any data set"),
        ("sample-sts", {"kitchen": 1.0}, "kitchen: found float, expected an array"),
        ("sample-sts", {"kitchen": [*"12345678901"]}, "kitchen, pair 1: found '1', expected"),
        ("sample-sts", {"kitchen": [*range(10), None]}, "kitchen, pair 12: found None"),
        ("sample-sts", {"kitchen": [*range(11), np.inf]}, "kitchen, pair 12: found inf"),
        ("sample-sts", {"kitchen": np.ma.masked_equal(range(11), 3)}, "kitchen, pair 4: found"),
        ("sample-sts", {"kitchen": np.ones((12, 2))}, r"an array of shape \(11, 2\)"),
        ("sample-sts", 3, "the output: found '3', expected an output file, a folder of them, or"),
        ("sample-pit", [0.5] * 10, "found 10 scores, expected 12, one for each line$"),
        (
            "sample-typed",
            np.ones(6),
            r"found an array of shape \(6,\), expected 8 finite numbers per",
        ),
        ("sample-ists", [1.0] * 10, "sample-ists needs alignments: an array has none"),
        ("sample-pit-train", [1.0], "is only to train on"),
    ],
)
def test_arrays_that_are_refused(task: str, given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        score(task, given)


def test_arrays_have_no_file_names() -> None:
    with pytest.raises(InputError, match="a mapping names output files"):
        score("sample-sts", {"kitchen": [1.0] * 12}, mapping={"kitchen": "mine.txt"})


def test_a_length_that_fits_two_data_sets_is_refused(official_data: Path) -> None:
    needs(official_data, "sts2015")
    with pytest.raises(InputError, match="2000 scores, which fit those of answers-forums and beli"):
        score("sts2015", np.arange(2000))


@pytest.mark.official
def test_arrays_get_the_published_numbers(official_data: Path) -> None:
    needs(official_data, "sts2015")
    baseline, names = create("token-cosine"), find_task("sts2015").dataset_names
    for scored in (True, False):
        pairs = {name: load_pairs("sts2015", name, scored)[0] for name in names}
        found = score("sts2015", {name: baseline.predict(each) for name, each in pairs.items()})
        assert f"{found.aggregates['Mean']:.4f}" == "0.5871"
