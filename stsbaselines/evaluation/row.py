"""The row of papers: the seven sets STS12 to STS16, STS-B and SICK-R, and their average."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stsbaselines.errors import unknown, visible
from stsbaselines.evaluation.comparison import named_systems
from stsbaselines.evaluation.outputs import Progress, no_progress
from stsbaselines.evaluation.row_scores import REST, SetScores, find_sets, scores_of_sets
from stsbaselines.io.frames import to_frame, to_html
from stsbaselines.reference.published import Row
from stsbaselines.reference.ranking import Rank
from stsbaselines.reference.rows import AVERAGE, COLUMNS, DECIMALS, rank_among
from stsbaselines.scoring import conventions
from stsbaselines.scoring.conventions import ROW_CONVENTIONS, Pair, RowConvention
from stsbaselines.tasks.base import UNDEFINED, signature

if TYPE_CHECKING:
    import pandas

ALL = "all"
PERCENT = 100
_HEAD = (
    "SentEval trains a regression head for it, whose number no other system gets from its scores"
)


class RowCell(NamedTuple):
    """A number of a row, or the reason why there is none."""

    value: float | None
    reason: str = ""


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
        values = {
            "convention": self.convention.name,
            "columns": {name: each.value for name, each in self.columns.items()},
            "average": self.average.value,
            "signature": self.signature,
            "missing": {name: each.reason for name, each in self.cells.items() if each.reason},
        }
        return {**values, "rank": _rank_to_dict(self.rank)} if rank else values


@dataclass(frozen=True, eq=False, repr=False)
class RowResult:
    """The result of `stsbaselines.row`: a row for each system under each convention."""

    system_rows: tuple[SystemRow, ...]
    notes: tuple[str, ...] = ()

    def by_convention(self) -> dict[str, list[SystemRow]]:
        """Return the rows of each convention."""
        names = dict.fromkeys(each.convention.name for each in self.system_rows)
        return {
            name: [row for row in self.system_rows if row.convention.name == name] for name in names
        }

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


def row(
    systems: Any,
    convention: str = "simcse",
    data_dir: str | Path | None = None,
    n_jobs: int = 1,
    progress: Progress = no_progress,
    cache: str | Path | None = None,
) -> RowResult:
    """Compute the row of papers: STS12 to STS16, STS-B, SICK-R and their average.

    Parameters
    ----------
    systems : mapping of str to system, iterable of systems, or one system
        As for `stsbaselines.compare`, but over several tasks: the path of a folder with a folder
        of output files per task, such as ``sts2012``; or arrays of scores by task, and in each by
        data set. Code is asked about the pairs of all sets together.
    convention : str
        ``simcse``, ``consert``, ``wmean-spearman``, ``senteval``, ``senteval-mean`` or ``mteb``, or
        ``all`` of them.
    data_dir : path, optional
        Where the data is searched first.
    n_jobs : int
        Processes that predict.
    progress : callable
        Called with the number of pairs after each predicted chunk.
    cache : path, optional
        As for `stsbaselines.compare`.

    Returns
    -------
    RowResult
        A set that was not found, or for which a system has no output, leaves its column and the
        average empty, with the reason.

    Raises
    ------
    InputError
        If an output is malformed, no set is found at all, or there is no such convention.

    References
    ----------
    SimCSE, appendix B, and the programs that `docs/row.md` names.
    """
    if convention not in (ALL, *ROW_CONVENTIONS):
        raise unknown("convention of a row", convention, [*ROW_CONVENTIONS, ALL])
    chosen = [each for each in ROW_CONVENTIONS.values() if convention in (ALL, each.name)]
    named = named_systems(systems)
    sets = find_sets(any(each.whole_sick for each in chosen), data_dir)
    scored = {
        name: scores_of_sets(name, system, sets, data_dir, n_jobs, progress, cache)
        for name, system in named.items()
    }
    notes = [f"{each.name}: {each.note}" for each in chosen if each.note]
    notes += [note for each in scored.values() for note in each.notes]
    rows = tuple(_row_of(name, each, found) for each in chosen for name, found in scored.items())
    return RowResult(rows, tuple(dict.fromkeys(notes)))


def _row_of(system: str, convention: RowConvention, found: SetScores) -> SystemRow:
    pairs = {name: _pairs_of(name, convention, found) for name in COLUMNS}
    columns = {}
    for name, parts in pairs.items():
        if isinstance(parts, str):
            columns[name] = RowCell(None, parts)
        else:
            value = conventions.value(convention.column, parts)
            columns[name] = RowCell(value, UNDEFINED if value is None else "")
    average = convention.average([each.value for each in columns.values()])
    empty = [name for name, each in columns.items() if each.value is None]
    reason = f"there is no number for {', '.join(empty)}" if empty else ""
    return SystemRow(
        system, convention, columns, RowCell(average, reason), _signature(convention, pairs)
    )


def _pairs_of(column: str, convention: RowConvention, found: SetScores) -> dict[str, Pair] | str:
    """Return the scored pairs of the data sets of a column, or why there are none."""
    if convention.has_head and column in ("STS-B", "SICK-R"):
        return _HEAD
    keys = (REST, column) if convention.whole_sick and column == "SICK-R" else (column,)
    if missing := [found.missing[key] for key in keys if key in found.missing]:
        return missing[0]
    return {name: (p.scores, p.gold) for key in keys for name, p in found.parts[key].items()}


def _signature(convention: RowConvention, pairs: Mapping[str, Mapping[str, Pair] | str]) -> str:
    counts = {
        name: sum(np.size(gold) for _, gold in parts.values())
        for name, parts in pairs.items()
        if not isinstance(parts, str)
    }
    return signature(
        "row",
        [f"{name}({count})" for name, count in counts.items()],
        convention=convention.name,
        correlation=convention.column.correlation,
        aggregate=convention.column.aggregate,
        average=f"of {'rounded' if convention.rounds else 'unrounded'} columns",
    )
