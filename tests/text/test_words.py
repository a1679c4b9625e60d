"""Words and stems are those of NLTK."""

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
