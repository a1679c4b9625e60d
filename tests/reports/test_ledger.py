"""The ledger as text, JSON, CSV and Markdown."""

from __future__ import annotations

from decimal import Decimal

from stsbaselines.experiments.ledger import LedgerEntry
from stsbaselines.reports.ledger import ledger_text
from stsbaselines.reports.tables import Format


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
