"""Inspecting alignments: verdicts beside the gold standard, and aligning two sentences."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from stsbaselines.data.find import SAMPLES
from stsbaselines.evaluation.alignment import compare_alignments
from stsbaselines.tasks.alignment_file import ChunkAlignment, read_alignments
from tests.helpers import command_refusal

GOLD = SAMPLES / "sample-ists" / "STSint.testinput.garden.wa"


def test_verdicts_on_alignments() -> None:
    def line(left: int, right: int, types: str = "EQUI", score: float | None = 5) -> ChunkAlignment:
        return ChunkAlignment((left,), (right,), tuple(types.split("_")), score)

    words = list("abcd."), list("efgh.")
    system = [line(1, 1), line(2, 2, "SIMI"), line(3, 3, score=None), line(4, 1)]
    gold = [line(1, 1), line(2, 2), line(3, 3, score=2), line(4, 4)]
    assert compare_alignments(system, gold, words) == (
        ["right", "wrong type", "wrong score", "spurious"],
        ["right", "wrong type", "wrong score", "missed"],
    )
    with_stop = line(1, 1)._replace(left=(1, 5))
    assert compare_alignments([with_stop], [line(1, 1)], words) == (["right"], ["right"])
    alone = ChunkAlignment((1,), (), ("NOALI",), None)
    assert compare_alignments([alone], [], words) == ([""], [])
    stops = line(5, 5)
    assert compare_alignments([stops, line(1, 1)], [line(1, 1)], words) == (
        ["", "right"],
        ["right"],
    )


def test_aligning_two_sentences(command_output: Callable[..., str]) -> None:
    assert command_output("align", ".", "!") == "no chunks\n"
    found = json.loads(command_output("align", 'He said "no".', "He left.", "--format", "json"))
    assert found["sentences"] == ['He said " no " .', "He left ."]
    assert found["alignments"][0]["left"] == [1]
    sentences = ["A man plays a guitar.", "The man plays golf."]
    Path("one.wa").write_text(command_output("align", *sentences, "--format", "wa"))
    assert len(read_alignments(Path("one.wa"), 1, strict=True).pairs[0].alignments) == 4


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["", "a"], "a sentence must have at least one word"),
        (["a", "b", "--format", "xml"], "there is no format 'xml'"),
    ],
)
def test_sentences_and_options_that_are_refused(arguments: list[str], message: str) -> None:
    assert message in command_refusal("align", *arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sample-sts", "x.wa"], "sample-sts has no alignments to show"),
        (["sample-ists", "."], ". is a folder; name one of its files"),
        (["ists2016", str(GOLD)], "expected --dataset with one of images, headlines"),
        (["ists2016", str(GOLD), "--dataset", "images"], "10 sentence pairs"),
    ],
)
def test_files_that_cannot_be_shown(arguments: list[str], message: str) -> None:
    assert message in command_refusal("show", *arguments)
    assert list(Path().iterdir()) == []
