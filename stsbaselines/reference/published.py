"""The published result tables of the task papers.

A table is one TSV file in `stsbaselines/reference/tables`. It begins with lines
``# key: value`` that describe it, followed by a header and one row per run. An empty cell is
one that the paper does not print, or that is illegible in our copy.
"""

from __future__ import annotations

import csv
import functools
import itertools
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from stsbaselines.errors import InputError, unknown
from stsbaselines.io.frames import to_frame, to_html

if TYPE_CHECKING:
    import pandas

TABLES = Path(__file__).parent / "tables"


@dataclass(frozen=True)
class Row:
    """One run of a table: texts such as ``run``, flags such as ``late``, numbers as printed."""

    text: Mapping[str, str]
    flags: frozenset[str]
    values: Mapping[str, Decimal]


@dataclass(frozen=True)
class Table:
    """A published table of the results of a task."""

    name: str
    task: str
    title: str
    note: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    dataset: str = ""  # the only data set of its columns
    chunks: str = ""  # which the runs were given: gold or system
    uncounted: frozenset[str] = frozenset()  # flags of rows that the paper did not rank
    illegible_ranks: tuple[int, ...] = ()  # of runs whose aggregate is illegible or missing
    partial: str = ""  # what it has, if other rows of the paper's table were not found

    def __repr__(self) -> str:
        partial = ", partial" if self.partial else ""
        return f"<Table {self.name} of {self.task}: {len(self.rows)} rows{partial}>"

    def to_frame(self) -> pandas.DataFrame:
        """Return the rows as a pandas DataFrame; pandas must be installed.

        Printed numbers are numbers; an empty cell is NaN or, in a column of texts, None.
        """
        return to_frame(
            [{name: self._value(row, name) for name in self.columns} for row in self.rows]
        )

    def _repr_html_(self) -> str:
        return to_html(self.title, self.cells(), notes=filter(None, [self.summary()["note"]]))

    def summary(self) -> dict[str, str]:
        """Return what the table is, without its rows."""
        note = f"Partial: only {self.partial}. {self.note}" if self.partial else self.note
        return {"table": self.name, "task": self.task, "title": self.title, "note": note}

    def row(self, run: str) -> Row:
        """Return the row of a run; raise InputError if there is none, or several."""
        found = [row for row in self.rows if row.text.get("run") == run]
        if not found:
            known = [row.text["run"] for row in self.rows if "run" in row.text]
            raise unknown(f"run in table {self.name}", run, known)
        if len(found) > 1:
            raise InputError(f"table {self.name} has {len(found)} runs that are named {run!r}.")
        return found[0]

    def cells(self) -> list[dict[str, str]]:
        """Return the rows as printed text, one dict per row; "" for an empty cell."""
        return [{column: self._cell(row, column) for column in self.columns} for row in self.rows]

    def _value(self, row: Row, column: str) -> str | float | None:
        number = row.values.get(column)
        if number is None:
            return self._cell(row, column) or None
        return float(number) if "." in str(number) else int(number)

    def _cell(self, row: Row, column: str) -> str:
        if column == "flags":
            return ",".join(sorted(row.flags))
        return row.text.get(column, str(row.values.get(column, "")))


def table_names() -> list[str]:
    """Return the names of all tables."""
    return sorted(path.stem for path in TABLES.glob("*.tsv"))


@functools.cache
def table(name: str) -> Table:
    """Return a published table.

    Parameters
    ----------
    name : str
        Such as ``sts2013-core``; see `table_names`.

    Raises
    ------
    InputError
        If there is none of that name.

    Examples
    --------
    >>> table("sts2015-english").row("Baseline-tokencos").values["Mean"]
    Decimal('0.5871')
    """
    if name not in table_names():
        raise unknown("table", name, table_names())
    lines = (TABLES / f"{name}.tsv").read_text("utf-8").rstrip("\n").split("\n")
    head = list(itertools.takewhile(lambda line: line.startswith("# "), lines))
    about = dict(line[2:].split(": ", 1) for line in head)
    rows = list(csv.DictReader(lines[len(head) :], delimiter="\t", quoting=csv.QUOTE_NONE))
    columns = tuple(rows[0])
    numeric = {column for column in columns if _is_numeric(row[column] for row in rows)} - {"run"}
    return Table(
        name=name,
        task=about["task"],
        title=about["title"],
        note=about.get("note", ""),
        columns=columns,
        rows=tuple(_row(cells, numeric) for cells in rows),
        dataset=about.get("dataset", ""),
        chunks=about.get("chunks", ""),
        uncounted=frozenset(about.get("uncounted", "").split()),
        partial=about.get("partial", ""),
        illegible_ranks=tuple(map(int, about.get("illegible ranks", "").split())),
    )


def _is_numeric(cells: Iterable[str]) -> bool:
    filled = [cell for cell in cells if cell]
    return bool(filled) and all(re.fullmatch(r"-?\d+(\.\d+)?", cell) for cell in filled)


def _row(cells: Mapping[str, str], numeric: set[str]) -> Row:
    return Row(
        text={key: value for key, value in cells.items() if key not in {"flags", *numeric}},
        flags=frozenset(filter(None, cells.get("flags", "").split(","))),
        values={key: Decimal(cells[key]) for key in cells if key in numeric and cells[key]},
    )


def tables_of(task: str | None = None) -> list[Table]:
    """Return the tables of a task, the table of that name, or all tables.

    Raises InputError if there is no such task or table.

    Examples
    --------
    >>> [found.name for found in tables_of("sts2012")]
    ['sts2012', 'sts2012-random', 'sts2012-weighted']
    """
    tables = [table(name) for name in table_names()]
    if task is None:
        return tables
    found = [each for each in tables if task in (each.task, each.name)]
    if not found:
        known = sorted({each.task for each in tables} | set(table_names()))
        raise unknown("published table or task", task, known)
    return found


def published(table_name: str, run: str) -> Mapping[str, Decimal]:
    """Return the printed numbers of one run; raise InputError if it has none."""
    values = table(table_name).row(run).values
    if not values:
        raise InputError(f"table {table_name} prints no number for the run {run!r}.")
    return values
