"""The published tables keep the printed digits."""

from __future__ import annotations

import pytest

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
