"""Where the numbers of a row come from: published rows, and the conventions that give them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from stsbaselines.evaluation.row_results import PERCENT, RowResult, SystemRow
from stsbaselines.reference.rows import (
    AverageFit,
    NumbersOfRow,
    PublishedMatch,
    agree,
    numbers_of,
    published_with,
)


class ColumnOrigin(NamedTuple):
    """The conventions under which a system gives the number of a column.

    `value` is what it gives there under the conventions that fit the row best, times 100.
    """

    column: str
    conventions: tuple[str, ...]
    value: float | None


class SystemOrigin(NamedTuple):
    """The conventions under which a system gives most of the numbers, and its columns."""

    system: str
    conventions: tuple[str, ...]
    columns: tuple[ColumnOrigin, ...]

    @property
    def off(self) -> tuple[str, ...]:
        """The columns with another number under these conventions."""
        best = {*self.conventions}
        return tuple(each.column for each in self.columns if not best & {*each.conventions})


@dataclass(frozen=True)
class RowOrigin:
    """Which published rows have the numbers, and which systems give them.

    `published` are all that have them or, if none does, the rows with most of them; `average` says
    whether the average fits, and is None without one.
    """

    numbers: NumbersOfRow
    published: tuple[PublishedMatch, ...]
    average: AverageFit | None
    systems: tuple[SystemOrigin, ...] = ()

    @property
    def is_found(self) -> bool:
        """Whether all numbers are those of a published row or of a system."""
        systems = any(each.conventions and not each.off for each in self.systems)
        return systems or any(not each.off for each in self.published)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "numbers": self.numbers.to_dict(),
            "published": [each._asdict() for each in self.published],
            "average": self.average._asdict() if self.average else None,
            "systems": [
                {
                    "system": each.system,
                    "conventions": each.conventions,
                    "columns": [column._asdict() for column in each.columns],
                    "off": each.off,
                }
                for each in self.systems
            ],
        }


def explain_row(numbers: str, found: RowResult | None = None) -> RowOrigin:
    """Find where the numbers of a row come from.

    Parameters
    ----------
    numbers : str
        Those of STS12, STS13, STS14, STS15, STS16, STS-B and SICK-R, perhaps with their average,
        as printed and separated by blanks or ``&``; ``-`` is an empty cell. Or a single number.
    found : RowResult, optional
        The rows of systems under all conventions, whose numbers are compared.

    Returns
    -------
    RowOrigin
        The published rows with these numbers, and what the systems give.

    Raises
    ------
    InputError
        If a number is malformed, or there are not 1, 7 or 8.

    Examples
    --------
    >>> origin = explain_row("59.54 64.69 64.66 72.92 71.84 58.56 65.44")
    >>> [(each.run, each.conventions) for each in origin.published]
    [('BERT-base-flow (NLI)', ('wmean-spearman',))]
    >>> explain_row("58.40 67.10 60.85 75.16 71.23 68.66 64.47 66.55").published[0].off
    {'STS16': '71.22'}
    """
    given = numbers_of(numbers)
    rows: dict[str, list[SystemRow]] = {}
    for each in found.system_rows if found else ():
        rows.setdefault(each.system, []).append(each)
    systems = tuple(_origin(name, given, each) for name, each in rows.items())
    return RowOrigin(given, published_with(given), given.average_fit(), systems)


def _origin(system: str, given: NumbersOfRow, rows: list[SystemRow]) -> SystemOrigin:
    equal = {each.convention.name: {*_equal(given, each)} for each in rows}
    most = max(map(len, equal.values()))
    best = tuple(name for name, columns in equal.items() if most and len(columns) == most)
    shown = next(each for each in rows if not best or each.convention.name == best[0])
    if "" in given.values:
        columns = [name for name in shown.cells if any(name in each for each in equal.values())]
    else:
        columns = [*given.values]
    return SystemOrigin(
        system,
        best,
        tuple(
            ColumnOrigin(
                column,
                tuple(name for name, each in equal.items() if column in each),
                None if (value := shown.cells[column].value) is None else PERCENT * value,
            )
            for column in columns
        ),
    )


def _equal(given: NumbersOfRow, row: SystemRow) -> Iterator[str]:
    """Yield the columns in which a row has the given numbers."""
    for column, cell in row.cells.items():
        number = given.values.get("", given.values.get(column))
        if number is not None and cell.value is not None and agree(number, PERCENT * cell.value):
            yield column
