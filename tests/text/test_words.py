"""Words by a simple pattern and those of NLTK, and their information content."""

from __future__ import annotations

import math
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from nltk.tokenize import TreebankWordTokenizer

from stsbaselines.text.words import (
    InformationContent,
    information_content,
    simple_words,
    treebank_tokens,
    treebank_words_of,
)
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


def test_unknown_words_can_have_no_information_content() -> None:
    known, unknown = (
        InformationContent({"cat": 2}, 8, zero_unknown=zero) for zero in (False, True)
    )
    assert (known("cat"), known("ocelot")) == (math.log(4), math.log(8))
    assert (unknown("cat"), unknown("ocelot")) == (math.log(4), 0.0)


def test_information_content_by_hand() -> None:
    content = information_content(["The cat.", "the dog"])
    assert content("the") == pytest.approx(math.log(4 / 2))
    assert content("cat") == content("emu") == pytest.approx(math.log(4))
    assert information_content([])("cat") == 0


@given(st.dictionaries(st.text(max_size=3), st.integers(2, 9)), st.text(max_size=3))
def test_no_word_says_more_than_an_unknown_one(counts: dict[str, int], word: str) -> None:
    content = InformationContent(counts, sum(counts.values()) + 1)
    assert 0 <= content(word) <= content("unknown")
