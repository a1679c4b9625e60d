"""The rows of systems for the seven sets, with intervals, ranks and exports."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from stsbaselines.errors import visible
from stsbaselines.io.frames import to_frame, to_html
from stsbaselines.reference.published import Row
from stsbaselines.reference.ranking import Rank
from stsbaselines.reference.rows import AVERAGE, COLUMNS, DECIMALS, rank_among
from stsbaselines.scoring.conventions import RowConvention
from stsbaselines.scoring.significance import Interval

if TYPE_CHECKING:
    import pandas

PERCENT = 100


class Difference(NamedTuple):
    """The difference of a number from that of the base system, with its interval."""

    value: float
    interval: Interval

    @property
    def differs(self) -> bool:
        """Whether the interval, which contains 95 % of the resampled differences, excludes 0."""
        return self.interval.low > 0 or self.interval.high < 0


class RowCell(NamedTuple):
    """A number of a row, or the reason why there is none.

    `interval` is its 95 % confidence interval by the bootstrap; `difference` is that from the base
    system. Both are None if they were not asked for, or the number is undefined.
    """

    value: float | None
    reason: str = ""
    interval: Interval | None = None
    difference: Difference | None = None


@dataclass(frozen=True)
class SystemRow:
    """The row of a system under a convention; its values are correlations, not times 100."""

    system: str
    convention: RowConvention
    columns: Mapping[str, RowCell]
    average: RowCell
    signature: str

    @property
    def cells(self) -> dict[str, RowCell]:
        """The columns, and their average under ``Avg``."""
        return {**self.columns, AVERAGE: self.average}

    @property
    def rank(self) -> Rank | None:
        """Rank of the average among the distinct published rows of the convention."""
        if self.average.value is None:
            return None
        return rank_among(self.convention.name, PERCENT * self.average.value)

    def to_dict(self, rank: bool = False) -> dict[str, Any]:
        """Return the unrounded values, and the reasons for missing ones, for JSON."""
        values: dict[str, Any] = {
            "convention": self.convention.name,
            "columns": {name: each.value for name, each in self.columns.items()},
            "average": self.average.value,
            "signature": self.signature,
            "missing": {name: each.reason for name, each in self.cells.items() if each.reason},
        }
        cells = self.cells.items()
        found = {name: each.interval for name, each in cells if each.interval}
        values |= {"intervals": found} if found else {}
        differences = {
            name: {**each.difference._asdict(), "differs": each.difference.differs}
            for name, each in cells
            if each.difference
        }
        values |= {"differences": differences} if differences else {}
        return {**values, "rank": _rank_to_dict(self.rank)} if rank else values


@dataclass(frozen=True, eq=False, repr=False)
class RowResult:
    """The result of `stsbaselines.row`: a row for each system under each convention.

    `base` is the system from which the others' differences are, if any.
    """

    system_rows: tuple[SystemRow, ...]
    notes: tuple[str, ...] = ()
    base: str = ""

    def by_convention(self) -> dict[str, list[SystemRow]]:
        """Return the rows of each convention."""
        return rows_by_convention(self.system_rows)

    def __repr__(self) -> str:
        short = [
            f"{each.system}, {each.convention.name}: {printed(each.average.value)}"
            for each in self.system_rows
        ]
        return visible(f"<RowResult; {AVERAGE} of {'; '.join(short)}>")

    def _repr_html_(self) -> str:
        rows = [
            {"system": each.system, "convention": each.convention.name}
            | {name: printed(cell.value) for name, cell in each.cells.items()}
            for each in self.system_rows
        ]
        return to_html(f"{', '.join(COLUMNS)}, times {PERCENT}", rows, notes=self.notes)

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of unrounded values for each system and convention."""
        return [
            {"system": each.system, "convention": each.convention.name}
            | {name: cell.value for name, cell in each.cells.items()}
            | {
                f"{name} {side}": getattr(cell.interval, side)
                for name, cell in each.cells.items()
                if cell.interval
                for side in cell.interval._fields
            }
            | {"signature": each.signature}
            for each in self.system_rows
        ]

    def to_frame(self) -> pandas.DataFrame:
        """Return `rows` as a pandas DataFrame; pandas must be installed."""
        return to_frame(self.rows())

    def to_dict(self, rank: bool = False) -> dict[str, Any]:
        """Return everything as plain values for JSON, with the ranks if wanted.

        That is ``{"systems": {NAME: ...}}`` for one convention; for several,
        ``{"conventions": {CONVENTION: {"systems": {NAME: ...}}}}``.
        """
        systems = {
            name: {"systems": {row.system: row.to_dict(rank) for row in rows}}
            for name, rows in self.by_convention().items()
        }
        notes = {"notes": list(self.notes)}
        if len(systems) == 1:
            return {**next(iter(systems.values())), **notes}
        return {"conventions": systems, **notes}


def rows_by_convention(rows: Iterable[SystemRow]) -> dict[str, list[SystemRow]]:
    """Return the rows of each convention, by its name."""
    found: dict[str, list[SystemRow]] = {}
    for row in rows:
        found.setdefault(row.convention.name, []).append(row)
    return found


def _rank_to_dict(rank: Rank | None) -> dict[str, Any] | None:
    if rank is None:
        return None

    def plain(row: Row | None) -> dict[str, Any] | None:
        if row is None:
            return None
        average = float(row.values[AVERAGE])
        flags = sorted(row.flags)
        return {
            "run": row.text["run"],
            "source": row.text["source"],
            AVERAGE: average,
            "flags": flags,
        }

    return {
        "rank": rank.first,
        "rows": rank.runs,
        "above": plain(rank.above),
        "equal": [plain(row) for row in rank.equal],
        "below": plain(rank.below),
    }


def printed(value: float | None) -> str:
    """Return a value as papers print it: times 100, with two decimals; "" for None."""
    return "" if value is None else f"{PERCENT * value:.{DECIMALS}f}"
