"""Pairs of sentences in DataFrames and arrays, and results as DataFrames and HTML."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas
import pytest

from stsbaselines import create
from stsbaselines.errors import InputError
from stsbaselines.io.frames import as_pairs, sentences_among, to_frame, to_html

PAIRS = [("a cat", "a dog"), ("yes", "yes"), ("it rains", "it snows")]
FRAME = pandas.DataFrame(PAIRS, columns=["sentence1", "sentence2"])


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (["SENTENCE_A", "Sentence-B"], (0, 1)),
        (["sentence_0", "sentence_1", "label"], (0, 1)),
        (["q2", "q1"], (1, 0)),
        (["first_sentence", "second sentence"], (0, 1)),
        (["sentence1", "sentence1", "sentence2"], None),
        (["a", "b"], None),
        (["1", "2"], None),
        (["left", "right"], (0, 1)),
        ([], None),
    ],
)
def test_names_of_sentences(names: list[str], found: tuple[int, int] | None) -> None:
    assert sentences_among(names) == found


@pytest.mark.parametrize(
    "given",
    [
        np.array(PAIRS),
        np.array(PAIRS, dtype=object),
        FRAME,
        FRAME.assign(score=[1.0, 2.0, 3.0], id=["x", "y", "z"]),
        FRAME.set_axis(["one", "other"], axis=1),
        FRAME.sort_index(ascending=False).sort_index(),
        FRAME[["sentence2", "sentence1"]],
        pandas.Series(PAIRS),
    ],
)
def test_pairs_of_arrays_and_frames(given: Any) -> None:
    assert as_pairs(given) == PAIRS
    expected = create("token-cosine").predict(PAIRS)
    assert (create("token-cosine").predict(given) == expected).all()
    assert (next(create("token-cosine").predict_chunks(given)) == expected).all()
    assert len(next(create("random").predict_chunks(given))) == len(PAIRS)


def test_a_baseline_learns_from_a_frame() -> None:
    pairs = [*PAIRS, ("a b", "a c")] * 3
    frame = pandas.DataFrame(pairs, columns=["text1", "text2"]).assign(label=[0, 1, 1, 0] * 3)
    for name in ("lsa", "dkpro-string", "ngram-logreg"):
        ours, expected = create(name), create(name).fit(pairs, [0, 1, 1, 0] * 3)
        assert (ours.fit(frame, frame["label"]).predict(frame) == expected.predict(pairs)).all()
    named: Any = create("lsa")
    assert named.fit(sentences=frame).vocabulary_ == create("lsa").fit(pairs).vocabulary_


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            FRAME.assign(text1="", text2=""),
            "found the columns 'sentence1, sentence2, text1, text2'",
        ),
        (FRAME.set_axis(["x", "x"], axis=1), "found the columns 'x, x', expected two with usual"),
        (FRAME.replace("yes", None), r"pairs\[1\]: found .* expected a pair of two strings"),
        (np.array(PAIRS)[:, :1], r"pairs\[0\]: found \('a cat',\)"),
        (np.array(PAIRS)[:, 0], r"pairs\[0\]: found 'a cat'"),
        (np.array([[1.0, 2.0]]), r"pairs\[0\]: found \(1\.0, 2\.0\)"),
        (np.array("a cat"), r"pairs\[0\]: found 'a'"),
    ],
)
def test_what_is_no_table_of_pairs_is_refused(given: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        create("token-cosine").predict(given)


def test_rows_become_a_frame() -> None:
    frame = to_frame([{"a": 1, "b": None}, {"a": 2, "b": 0.5}])
    assert frame["a"].tolist() == [1, 2]
    assert frame["b"].tolist()[1] == 0.5


def test_rows_become_html() -> None:
    found = to_html(
        "<b>", [{"name": "<i>", "value": 0.123456, "n": 3, "rank": None}], [], notes="&"
    )
    assert "&lt;b&gt;" in found
    assert "&lt;i&gt;" in found
    assert "0.1235" in found
    assert "None" not in found
    assert found.endswith("<p>&amp;</p>")
