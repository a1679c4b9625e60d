"""Notes on pairs that occur several times in training data, or also in test data."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.data.catalogue import find_task
from stsbaselines.data.find import SAMPLES
from stsbaselines.experiments.config import BaselineConfig, Training
from stsbaselines.experiments.duplicates import note_on_repeats, note_on_shared
from stsbaselines.experiments.models import notes_on_pairs
from stsbaselines.experiments.training import prepare
from stsbaselines.tasks.ists import ChunkedSentence
from stsbaselines.tasks.records import Record

SIDES: dict[str, Callable[[str], Any]] = {
    "sts": str,
    "ists": lambda text: ChunkedSentence(text, (text,), ((text,),)),
    "typed": lambda text: Record(title=(text,)),
}
TEXTS = [("a cat", "a dog"), ("x", "y"), ("a dog", "a cat"), ("a cat", "a dog"), ("x", "x")]


@pytest.mark.parametrize("family", SIDES)
@pytest.mark.parametrize(
    ("gold", "conflicts"), [([1, 2, 1, 1, 2], ""), ([1, 2, 3, 1, 2], "; with another gold")]
)
def test_repeated_and_swapped_pairs_are_noted(family: str, gold: Any, conflicts: str) -> None:
    pairs = [tuple(map(SIDES[family], pair)) for pair in TEXTS]
    labels = np.array(gold) if family == "sts" else np.array([[each] * 8 for each in gold])
    [note] = note_on_repeats("task/set", pairs, labels, [2, 3, 5, 7, 8])
    repeats = "task/set: lines that repeat the pair of an earlier one: 2 of 5 (5 = 2, 7 = 2)"
    swapped = "; with the sentences swapped: 1 (5 = 2)"
    end = f"{conflicts} standard: 1 (5 = 2)" if conflicts else ""
    assert note == f"{repeats}{swapped}{end}"


def test_alignments_of_swapped_sentences_are_no_conflict() -> None:
    [note] = note_on_repeats("set", TEXTS[:4], [("a",), ("b",), ("c",), ("d",)], range(1, 5))
    assert note.endswith("swapped: 1 (3 = 1); with another gold standard: 1 (4 = 1)")


@given(st.lists(st.sampled_from(TEXTS), max_size=8))
def test_a_note_counts_what_is_not_new(pairs: list[tuple[str, str]]) -> None:
    notes = list(note_on_repeats("set", pairs, [0] * len(pairs), range(1, len(pairs) + 1)))
    count = len(pairs) - len({frozenset(pair) for pair in pairs})
    assert bool(notes) == (count > 0)
    assert not notes or f"one: {count} of {len(pairs)} (" in notes[0]


def test_pairs_of_the_test_data_that_are_trained_on_are_noted() -> None:
    task = find_task("sample-pit")
    files = {"test": {"input": SAMPLES / "sample-pit" / "train.data"}}
    given = Training(task="sample-pit-train", first_of=["train"])
    baseline = BaselineConfig(baseline="ngram-logreg", train=[given])
    [note] = prepare(task, baseline, files).data_notes
    assert note.startswith("sample-pit/test: lines whose pair is in the training data too: ")
    assert note.endswith(", ...), from sample-pit-train/train")
    here = {"test": {"input": SAMPLES / "sample-pit" / "test.data"}}
    assert list(prepare(task, baseline, here).data_notes) == []


def test_swapped_pairs_are_shared(tmp_path: Path) -> None:
    path = tmp_path / "pairs.txt"
    path.write_text("one\ttwo\na dog\ta cat\n")
    task = find_task("sample-sts")
    [note] = note_on_shared(task, task.datasets[0], {"input": path}, TEXTS[:2], ["a", "b"])
    assert note == (
        "sample-sts/kitchen: lines whose pair is in the training data too: 1 of 2 (2), from a"
    )


@pytest.mark.official
def test_official_data_have_repeated_and_shared_pairs(official_data: Path) -> None:
    found = "\n".join(notes_on_pairs(["sts2012-train"], official_data))
    assert "sts2012-train/MSRvid: lines that repeat the pair of an earlier one: 13 of 750" in found
    shared = "lines whose pair is in the training data too: 2 of 750 (372, 401)"
    assert f"sts2012/MSRpar: {shared}, from sts2012-train/SMTeuroparl" in found
    of_other_years = "\n".join(notes_on_pairs(["sts2013/OnWN"], official_data))
    assert "sts2014/OnWN: lines whose pair is in the training data too" in of_other_years
