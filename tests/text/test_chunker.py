"""The tagger and chunker: labels, the shipped model, and damaged ones."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.errors import InputError
from stsbaselines.text import chunker
from stsbaselines.text.chunker import Chunker, load_chunker

MEGABYTE = 1_000_000


def test_the_shipped_models_are_small_and_described() -> None:
    sizes = {path.name: path.stat().st_size for path in chunker.SHIPPED.iterdir()}
    assert sum(sizes.values()) < 3 * MEGABYTE
    card = load_chunker().card
    assert {name: entry["bytes"] for name, entry in card["files"].items()} == {
        name: size for name, size in sizes.items() if name.endswith(".crfsuite")
    }
    assert card["licence"] == "CC BY-SA 4.0"
    assert card["test"]["chunk_F1"] > 0.9


def test_chunks_of_a_sentence() -> None:
    tokens = ["The", "young", "woman", "has", "been", "waiting", "for", "an", "old", "bus", "."]
    spans = load_chunker().chunks(tokens)
    assert [tokens[start:end] for start, end in spans] == [
        ["The", "young", "woman"],
        ["has", "been", "waiting"],
        ["for"],
        ["an", "old", "bus"],
    ]
    assert (load_chunker().chunks([]), load_chunker().tags([])) == ([], [])


load_chunker()


@given(st.lists(st.text(min_size=1, max_size=8), max_size=12))
def test_chunks_of_anything_are_in_order_and_apart(tokens: list[str]) -> None:
    assert len(load_chunker().tags(tokens)) == len(tokens)
    places = [place for start, end in load_chunker().chunks(tokens) for place in range(start, end)]
    assert places == sorted(set(places))
    assert set(places) <= set(range(len(tokens)))


@pytest.mark.parametrize(
    ("labels", "spans"),
    [
        ("", []),
        ("O O", []),
        ("B-NP B-NP", [((0, 1), "NP"), ((1, 2), "NP")]),
        ("I-NP I-NP O", [((0, 2), "NP")]),
        ("B-NP I-VP I-VP", [((0, 1), "NP"), ((1, 3), "VP")]),
        ("O I-NP O I-NP", [((1, 2), "NP"), ((3, 4), "NP")]),
    ],
)
def test_labels_spell_chunks(labels: str, spans: list[tuple[tuple[int, int], str]]) -> None:
    assert list(chunker.chunk_spans(labels.split())) == spans


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        (chunker.TAGGER, b"lCRF damaged", "sha256 .* as its model card says"),
        (chunker.CARD, b"[]", "expected the model card of a chunker"),
        (chunker.CARD, b"\xff", "expected the model card of a chunker"),
        (chunker.CARD, b'{"files": {}}', "expected the model card of a chunker"),
    ],
)
def test_damaged_models_are_refused(
    tmp_path: Path, file: str, content: bytes, message: str
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(chunker.SHIPPED, folder)
    (folder / file).write_bytes(content)
    with pytest.raises(InputError, match=message):
        Chunker(folder)
