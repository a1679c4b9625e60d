"""The published tables keep the printed digits."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

import pytest

from stsbaselines.data.catalogue import find_task
from stsbaselines.errors import InputError
from stsbaselines.reference import published as reference


def test_every_table_is_readable() -> None:
    for name in reference.table_names():
        table = reference.table(name)
        assert table.title
        assert table.rows
        cells = table.cells()
        assert all(tuple(row) == table.columns for row in cells)


def test_tables_keep_printed_digits() -> None:
    assert str(reference.published("sts2012", "00-baseline/task6-baseline")["ALL"]) == "0.3110"
    row = reference.table("sts2013-core").row("DKPro")
    assert row.flags == {"reference-system"}
    assert "Mean" not in row.values
    with pytest.raises(InputError, match="did you mean 'DKPro'"):
        reference.table("sts2013-core").row("DKpro")
    with pytest.raises(InputError, match="2 runs that are named 'UBC-RUN1'"):
        reference.table("sts2015-english").row("UBC-RUN1")
    with pytest.raises(InputError, match="no run in table agreement"):
        reference.table("agreement").row("x")
    with pytest.raises(InputError, match="no published table or task"):
        reference.tables_of("sts1999")


@pytest.mark.parametrize(("name", "rows"), [("sts2016", 123), ("sts2016-es-en", 26)])
def test_the_printed_means_follow_from_the_printed_cells(name: str, rows: int) -> None:
    """The published Mean is weighted by scored pairs."""
    weights = {each.name: each.scored for each in find_task(name).datasets}
    whole = [row for row in reference.table(name).rows if "Mean" in row.values]
    assert len(whole) == rows
    for row in whole:
        total = sum((row.values[each] * weights[each] for each in weights), Decimal())
        mean = total / sum(weights.values())
        assert mean.quantize(Decimal("0.00001"), ROUND_HALF_UP) == row.values["Mean"], row


def test_a_partial_table_says_so() -> None:
    for name in ("sts2014", "sts2017"):
        table = reference.table(name)
        assert table.summary()["note"].startswith(f"Partial: only {table.partial}. ")
    assert "Partial" not in reference.table("sts2016").summary()["note"]


def test_a_table_is_shown() -> None:
    table = reference.table("sts2015-english")
    assert repr(table) == f"<Table sts2015-english of sts2015: {len(table.rows)} rows>"
    row = table.to_frame().set_index("run").loc["Baseline-tokencos"]
    assert (row["Mean"], row["flags"]) == (0.5871, "baseline")
    assert "0.5871" in table._repr_html_()
    assert "Mean" in reference.table("sts2013-core").to_frame()
