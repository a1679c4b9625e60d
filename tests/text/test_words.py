"""Words by a simple pattern, and those of NLTK."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.tokenize import TreebankWordTokenizer

from stsbaselines.text.words import simple_words, treebank_tokens, treebank_words_of
from tests.helpers import at_most

contracted = ["cannot", "gimme", "gonna", "Gotta", "lemme", "WANNA", "dye", "tis", "twas", "5th"]
words = st.sampled_from(contracted) | st.text("abnogtAZ019", max_size=6)


sentences = st.lists(words, max_size=8).map(" ".join) | st.text("can't. ,\"()$%Wna-x", max_size=30)


@given(st.lists(sentences, max_size=6))
@example(["gonna", "we wanna", "Wanna go", "", " ", "not", "me", "na", "gim"])
def test_words_are_those_of_nltk(batch: list[str]) -> None:
    tokenizer = TreebankWordTokenizer()
    expected = {each: [t.lower() for t in tokenizer.tokenize(each)] for each in batch}
    assert treebank_words_of(batch) == expected


@pytest.mark.parametrize(
    ("split", "text"),
    [(simple_words, "a." * 200_000), (treebank_tokens, "a." + " " * 50_000 + "x")],
)
def test_no_text_makes_a_search_hang(split: Callable[[str], list[str]], text: str) -> None:
    with at_most(60):
        assert split(text)


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("The U.S. won, 3-1!", "the|u.s|.|won|,|3|-|1|!"),
        ("It's 1,999.50 o\u2019clock", "it's|1,999.50|o\u2019clock"),
        ("'quoted' dogs' ''", "'|quoted|'|dogs|'|'|'"),
        ("a..b, c_d ...", "a|.|.|b|,|c|_|d|.|.|."),
        ("Caf\u00e9\u00a0\u65e5\u672c 5\u20ac", "caf\u00e9|\u65e5\u672c|5|\u20ac"),
        ("", ""),
        (" \t", ""),
    ],
)
def test_simple_words_by_hand(sentence: str, expected: str) -> None:
    assert "|".join(simple_words(sentence)) == expected


@given(st.text() | st.text("aB1.,'\u2019_- "))
def test_simple_words_are_all_of_the_sentence(sentence: str) -> None:
    words = simple_words(sentence)
    assert "".join(words) == "".join(sentence.lower().split())
    for word in words:
        assert len(word) == 1 or (word[0].isalnum() and word[-1].isalnum())
        marks = "".join(character for character in word if not character.isalnum())
        assert len(word) == 1 or set(marks) <= set("'\u2019.,")
    assert simple_words(" ".join(words)) == words
