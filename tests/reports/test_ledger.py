"""The ledger as text, JSON, CSV and Markdown."""

from __future__ import annotations

import re
from dataclasses import replace
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
    assert "dkpro" in second
    assert second.endswith(
        "Official baselines: 1 published number: 1 exact.\n"
        "Strong systems: 1 published number: 1 close."
    )
    assert "## Strong systems" in ledger_text(cells, Format.markdown)
    assert len(ledger_text(cells, Format.csv).splitlines()) == 3


def test_what_is_accepted_and_what_no_paper_has_is_counted_apart() -> None:
    near = LedgerEntry("sts2012", "b", "ALL", 0.8, Decimal("0.82"), "close", tolerance=0.05)
    cells = [
        near,
        replace(near, name="Mean", status="differs"),
        replace(near, name="OnWN", status="differs", accepted=True, reason="why"),
        replace(near, name="MSRvid", status="not published", published=None, tolerance=None),
    ]
    text = ledger_text(cells)
    assert re.search(r"OnWN +0.80000 +0.82 ± 0.05 +differs \(accepted\) \[1\]\n", text)
    assert "\n[1] why\n" in text
    assert text.endswith(
        "Official baselines: 3 published numbers: 1 close, 1 differs, 1 differs (accepted)."
        " 1 other number without a\n    published counterpart."
    )
    assert ledger_text(cells[-1:]).endswith(": 1 other number without a published counterpart.")
