"""Information content of words, from counts of a corpus."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.text.information_content import InformationContent, information_content


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
