"""Tables as plain text, JSON, CSV, Markdown and LaTeX."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.reports.tables import Format, in_latex, number, printable, render

ESCAPES = st.characters(min_codepoint=0xDC80, max_codepoint=0xDCFF)  # bytes that are not UTF-8


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        (Format.text, "run      Mean\n-----  ------\na_b    0.5870"),
        (Format.json, '[\n  {\n    "run": "a_b",\n    "Mean": "0.5870"\n  }\n]'),
        (Format.csv, "run,Mean\na_b,0.5870"),
        (Format.markdown, "| run   |   Mean |\n|:------|-------:|\n| a_b   | 0.5870 |"),
    ],
)
def test_formats(style: Format, expected: str) -> None:
    assert render([{"run": "a_b", "Mean": "0.5870"}], style) == expected


def test_latex_is_escaped() -> None:
    text = render([{"run": "a_b & c", "Mean": "0.5870"}], Format.latex)
    assert r"a\_b \& c" in text
    assert r"\toprule" in text
    assert in_latex("50 % café_1 中") == r"50 \% caf\'{e}\_1 [U+4E2D]"


@given(st.text())
def test_latex_is_ascii_with_balanced_braces(text: str) -> None:
    latex = in_latex(text)
    assert latex.isascii()
    assert latex.isprintable()
    bare = re.sub(r"\\[{}]", "", latex)
    assert bare.count("{") == bare.count("}")
    assert not re.search(r"(?<!\\)[&%#_]", latex)


def test_control_characters_and_breaks_of_lines_are_replaced() -> None:
    assert printable("one\n two\x01") == "one two\ufffd"


def test_scores_have_five_decimals_and_counts_none() -> None:
    assert [*map(number, (0.5, 750, None))] == ["0.50000", "750", "undefined"]


@given(st.text(alphabet=st.one_of(st.characters(codec="utf-8"), ESCAPES)))
def test_any_text_can_be_shown(text: str) -> None:
    shown = printable(text)
    shown.encode("utf-8")
    assert len(shown.splitlines()) <= 1
    assert printable(shown) == shown
