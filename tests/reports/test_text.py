"""Results as text, JSON, CSV, Markdown and LaTeX."""

from __future__ import annotations

from decimal import Decimal

import pytest

from stsbaselines.experiments.ledger import LedgerEntry
from stsbaselines.io import to_json
from stsbaselines.reports.text import Format, ledger_text, render


@pytest.mark.parametrize(
    ("style", "expected"),
    [
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


def test_nan_never_becomes_json() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        to_json({"pearson": float("nan")})


def test_the_ledger_has_a_part_for_each_group() -> None:
    cells = [
        LedgerEntry(
            "sts2012", "dkpro", "ALL", 0.8, Decimal("0.8239"), "close", group="strong-systems"
        ),
        LedgerEntry("sts2012", "token-cosine", "ALL", 0.311, Decimal("0.3110"), "exact"),
    ]
    text = ledger_text(cells)
    first, second = text.split("\n\nStrong systems\n\n")
    assert "token-cosine" in first
    assert "1 published cells: 1 exact." in first
    assert "dkpro" in second
    assert second.endswith("1 published cells: 1 close.")
    assert "## Strong systems" in ledger_text(cells, Format.markdown)
    assert len(ledger_text(cells, Format.csv).splitlines()) == 3
