"""Which runs of a published table differ, by Fisher's z."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from stsbaselines.data.catalogue import find_task, is_task_name
from stsbaselines.errors import InputError, unknown, visible
from stsbaselines.evaluation.significance import LEVEL
from stsbaselines.io.frames import to_frame, to_html
from stsbaselines.reference.published import Row, Table
from stsbaselines.reference.ranking import baselines_of, main_column, name_of, ranked_rows
from stsbaselines.scoring.significance import FEWEST_PAIRS, fisher_test

if TYPE_CHECKING:
    import pandas

_CORRELATED_FAMILIES = ("sts", "typed")
_CORRELATION_OF_PIT = "pearson"


class RunDifference(NamedTuple):
    """A run, and the first position of a run below that differs from it.

    Attributes
    ----------
    position : int
        Among the runs that have a number.
    run : str
    value : Decimal
        As printed.
    differs_from : int or None
        A position; None if no run below differs. The runs below that position differ, too.
    p, p_before : float or None
        At that position, and at the one before: of the last run that does not differ.
    """

    position: int
    run: str
    value: Decimal
    differs_from: int | None
    p: float | None
    p_before: float | None


@dataclass(frozen=True, eq=False, repr=False)
class TableSignificance:
    """The differences between the runs of a table; `p` has the p of each run and each other."""

    table: Table
    column: str
    pairs: int
    tails: int
    runs: tuple[RunDifference, ...]
    p: tuple[tuple[float, ...], ...]
    notes: tuple[str, ...]

    @property
    def title(self) -> str:
        """How the runs were compared."""
        tails = "one-tailed" if self.tails == 1 else "two-tailed"
        return f"{self.table.name}, {self.column}: Fisher's z, n = {self.pairs:,}, {tails}"

    def __repr__(self) -> str:
        return visible(f"<TableSignificance of {self.title}; {len(self.runs)} runs>")

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each run."""
        return [{**each._asdict(), "value": float(each.value)} for each in self.runs]

    def to_frame(self) -> pandas.DataFrame:
        """Return `rows` as a pandas DataFrame; pandas must be installed."""
        return to_frame(self.rows())

    def _repr_html_(self) -> str:
        return to_html(self.title, self.rows(), notes=self.notes)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        return {
            "table": self.table.name,
            "column": self.column,
            "n": self.pairs,
            "tails": self.tails,
            "level": LEVEL,
            "runs": self.rows(),
            "p": [list(row) for row in self.p],
            "notes": list(self.notes),
        }


def table_significance(
    of: Table, column: str | None = None, pairs: int | None = None, tails: int = 1
) -> TableSignificance:
    """Find for each run of a published table the first run below that differs from it.

    Runs differ if p < .05 by Fisher's z, which treats their correlations as if they came from
    different pairs.

    Parameters
    ----------
    of : Table
        See `stsbaselines.table`. Rows without a rank do not count, such as those of organisers,
        nor do baselines and reference systems.
    column : str, optional
        A data set or an aggregate; by default the main column of the table.
    pairs : int, optional
        The n of Fisher's z. By default the scored pairs of the data set or, for an aggregate, of
        all data sets.
    tails : int
        1, as in the papers, or 2.

    Returns
    -------
    TableSignificance
        The runs, the best one first, and the matrix of all p.

    Raises
    ------
    InputError
        If the column has no correlations, its pairs are not known, or the table is partial.

    References
    ----------
    STS 2013, section 4.1; STS 2015, section 3.1.

    Examples
    --------
    >>> from stsbaselines import table
    >>> best, second, *_ = table_significance(table("sts2013-core")).runs
    >>> best.run, best.differs_from, round(best.p, 4), round(best.p_before, 3)
    ('UMBC_EBIQUITY-ParingWords', 3, 0.0218, 0.089)
    """
    name = column or main_column(of)
    _check_column(of, name)
    n = _pairs_of(of, name) if pairs is None else pairs
    if n < FEWEST_PAIRS or tails not in (1, 2):
        limits = f"n must be at least {FEWEST_PAIRS}, and tails 1 or 2"
        raise InputError(f"n is {n} and tails {tails}, but {limits}.")
    baselines = baselines_of(of, name)
    ranked = [row for row in ranked_rows(of, name) if row not in baselines]
    values = [float(row.values[name]) for row in ranked]

    @functools.cache
    def p_of(better: float, worse: float) -> float:
        return min(1.0, tails * fisher_test(better, n, worse, n).p)

    matrix = tuple(tuple(p_of(max(a, b), min(a, b)) for b in values) for a in values)
    runs = tuple(_difference(place, row, name, matrix[place]) for place, row in enumerate(ranked))
    return TableSignificance(of, name, n, tails, runs, matrix, _notes(of, name))


def _difference(place: int, row: Row, column: str, p: tuple[float, ...]) -> RunDifference:
    first = next((other for other in range(place + 1, len(p)) if p[other] < LEVEL), None)
    before = (len(p) if first is None else first) - 1
    return RunDifference(
        position=place + 1,
        run=name_of(row),
        value=row.values[column],
        differs_from=None if first is None else first + 1,
        p=None if first is None else p[first],
        p_before=p[before] if before > place else None,
    )


def _check_column(of: Table, column: str) -> None:
    if of.partial:
        raise InputError(f"{of.name} has only {of.partial}, so positions are unknown.")
    numeric = [name for name in of.columns if any(name in row.values for row in of.rows)]
    known = [name for name in numeric if not name.endswith("rank")]
    if column not in known:
        raise unknown(f"column of numbers in {of.name}", column, known)
    family = find_task(of.task).family if is_task_name(of.task) else ""
    if family not in _CORRELATED_FAMILIES and (family, column) != ("pit", _CORRELATION_OF_PIT):
        raise InputError(
            f"{of.name}: no test is defined for {column}. Fisher's z compares Pearson correlations"
            " of one task."
        )


def _pairs_of(of: Table, column: str) -> int:
    """Return the pairs behind a number; the correlation of PIT also counts debatable pairs."""
    task = find_task(of.task)
    if column not in task.cell_names:
        raise InputError(f"{of.name}: the number of pairs of {column} is unknown: pass --n.")
    if task.family == "pit":
        return sum(each.pairs for each in task.datasets)
    return sum(each.scored for each in task.datasets if column in (each.name, *task.measures))


def _notes(of: Table, column: str) -> tuple[str, ...]:
    missing = [row for row in of.rows if column not in row.values and not row.flags]
    if not missing:
        return ()
    runs = "1 run has" if len(missing) == 1 else f"{len(missing)} runs have"
    return (f"{runs} no position, because {column} is not printed or not legible.",)
