"""Words by a simple pattern."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.text.words import simple_words


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
