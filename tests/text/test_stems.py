"""Stems of a sentence, and counting them in a corpus."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stsbaselines.text.stems import Vocabulary, count_matrix, stems
from tests.helpers import needs


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("Strong, thick string.", ["strong", "thick", "string"]),
        ("12 o'clock", ["12", "o"]),
        ("We can't do that", ["we", "ca", "do", "that"]),
        ("the dogs' well-known house", ["the", "dog", "hous"]),
        ("caf\u00e9 Ma\u00f1ana", []),
        ("specially", ["special"]),
        ("", []),
    ],
)
def test_stems(sentence: str, expected: list[str]) -> None:
    assert stems(sentence) == expected


def test_counting_a_corpus() -> None:
    vocabulary, counts = count_matrix(iter(["cats and a cat", "a dog", "", "a cat"]))
    assert dict(vocabulary.columns) == {"a": 0, "cat": 1}
    assert counts.toarray().tolist() == [[1, 2], [1, 0], [0, 0], [1, 1]]
    assert vocabulary.idf == pytest.approx(np.log([4 / 4, 4 / 3]))
    weights = vocabulary.weighted(counts)
    assert weights.nnz == counts.nnz
    assert weights.toarray()[0] == pytest.approx([0, 2 * np.log(4 / 3)])


@pytest.mark.official
def test_the_pipeline_regenerates_the_vectors_of_the_authors(official_data: Path) -> None:
    folder = official_data / "pit2015" / "wtmf-train100"
    needs(official_data, folder="pit2015/wtmf-train100")
    pairs = (line.split("\t") for line in (folder / "vocab").read_text("latin-1").splitlines())
    columns = {word: int(number) for word, number in pairs}
    idf = np.zeros(max(columns.values()) + 1)
    for line in (folder / "idf").read_text().splitlines():
        number, weight = line.split()
        idf[int(number)] = float(weight)
    vocabulary = Vocabulary(columns, idf)
    sentences = (folder / "li06" / "text").read_text().splitlines()
    found = vocabulary.weighted(vocabulary.counts(sentences)).tocoo()
    mine = {
        (int(column), int(row) + 1): float(value)
        for row, column, value in zip(found.row, found.col, found.data, strict=True)
    }
    rows = [line.split() for line in (folder / "li06" / "text.ind").read_text().splitlines()]
    theirs = {(int(word), int(sentence)): float(value) for word, sentence, value in rows}
    assert mine.keys() == theirs.keys()
    assert max(abs(mine[cell] - theirs[cell]) for cell in theirs) < 1e-12
