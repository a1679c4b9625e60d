"""The rank that a number would have in a published table.

A number ranks after all runs with a better printed number. Some papers give equal printed
numbers the same rank, others successive ranks: a new system gets the first of them.
Which rows have a rank differs from paper to paper; see `ranked_rows`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from stsbaselines.errors import InputError
from stsbaselines.reference.published import Row, Table, table, tables_of
from stsbaselines.scoring.rounding import SCRIPT_DECIMALS, printed

AGREEMENT = "agreement"
_RANK = "rank"
_BASELINES = frozenset({"baseline", "reference-system"})
_NO_RUNS = frozenset({"human", "summary"})


@dataclass(frozen=True)
class Rank:
    """The rank of a number among the runs of a published table."""

    table: Table
    column: str
    first: int
    last: int  # not `first` if the exact rank is unknown, because cells are illegible
    runs: int  # that have a rank
    above: Row | None  # the nearest better run that is legible
    below: Row | None
    equal: tuple[Row, ...] = ()
    baselines: tuple[Row, ...] = ()

    def __str__(self) -> str:
        """Return such as ``36 of 74``, ``20-41 of 90``, or ``below all 74``."""
        if self.first > self.runs:
            return f"below all {self.runs}"
        rank = str(self.first) if self.first == self.last else f"{self.first}-{self.last}"
        return f"{rank} of {self.runs}"


def name_of(row: Row) -> str:
    """Return the team and the run of a row."""
    return " ".join(filter(None, (row.text.get("team"), row.text.get("run"))))


def ranking_of(task: str, cell: str, chunks: str = "") -> tuple[Table, str] | None:
    """Find the published table and column that rank runs by a number; None if there is none.

    Parameters
    ----------
    task, cell : str
        Such as ``sts2015`` and ``headlines``; see `Task.cell_names`.
    chunks : str
        For interpretable STS: ``gold`` or ``system``, the chunks that the systems were given.

    Examples
    --------
    >>> found, column = ranking_of("ists2016", "images_TS", "gold")
    >>> found.name, column
    ('ists2016-images-goldchunks', 'TS')
    >>> ranking_of("sts2014", "Mean") is None
    True
    """
    for each in tables_of():
        if each.task != task or each.chunks != chunks or each.partial:
            continue
        column = cell.removeprefix(f"{each.dataset}_") if each.dataset else cell
        if any(column in row.values for row in each.rows):
            return each, column
    return None


def _rank_columns(of: Table) -> list[str]:
    return [column for column in of.columns if column.split("_")[-1] == _RANK]


def _rank_column(of: Table, column: str) -> str:
    """Return the column with the ranks by a column or, if it has none, the first such column."""
    found = _rank_columns(of)
    own = [f"{column}_{_RANK}", f"{column.split('_')[0]}_{_RANK}"]
    return next((each for each in own if each in found), found[0])


def ranked_rows(of: Table, column: str) -> list[Row]:
    """Return the rows that count when runs are ranked by a column, the best one first.

    These are the rows with a rank in the paper, so runs of organisers are mostly excluded. In the
    STS tables of 2012, 2013 and 2015 (English), the baseline counts; TakeLab and DKPro do not.
    """
    rows = [row for row in of.rows if column in row.values]
    if _rank_columns(of):
        rank = _rank_column(of, column)
        rows = [row for row in rows if not row.flags & of.uncounted]
        rows = [row for row in rows if rank in row.values or of.illegible_ranks]
    else:
        rows = [row for row in rows if not row.flags & _NO_RUNS]
    return sorted(rows, key=lambda row: row.values[column], reverse=True)


def rank_of(of: Table, column: str, value: float, script_decimals: int = SCRIPT_DECIMALS) -> Rank:
    """Find the rank of a number.

    Parameters
    ----------
    of : Table
        See `ranking_of`.
    column : str
        A data set or an aggregate.
    value : float
        Unrounded; it is rounded as in the paper.
    script_decimals : int
        Number of decimals that the task's scorer prints.

    Returns
    -------
    Rank
        The rank that the value would take, with the runs above and below.

    Examples
    --------
    >>> found = rank_of(table("sts2015-spanish"), "Mean", 0.60004)
    >>> str(found), name_of(found.above), name_of(found.below)
    ('5 of 16', 'UMDuluth-BlueTeam-run1', 'SopaLipnIimas-RF')
    """

    def ours(row: Row) -> Decimal:
        exponent = int(row.values[column].as_tuple().exponent)
        return printed(value, -exponent, script_decimals)

    rows = ranked_rows(of, column)
    runs = _last_rank(of, column) if of.illegible_ranks else len(rows)
    better = [row for row in rows if row.values[column] > ours(row)]
    equal = tuple(row for row in rows if row.values[column] == ours(row))
    worse = [row for row in rows if row.values[column] < ours(row)]
    first, last = _ranks(of, column, runs, better, equal, worse)
    return Rank(
        table=of,
        column=column,
        first=first,
        last=last,
        runs=runs,
        above=better[-1] if better else None,
        below=worse[0] if worse else None,
        equal=equal,
        baselines=baselines_of(of, column),
    )


def baselines_of(of: Table, column: str) -> tuple[Row, ...]:
    """Return the rows of baselines and reference systems that have a number in a column."""
    return tuple(row for row in of.rows if row.flags & _BASELINES and column in row.values)


def _last_rank(of: Table, column: str) -> int:
    rank = _rank_column(of, column)
    return max(int(row.values.get(rank, 0)) for row in of.rows)


def _ranks(
    of: Table, column: str, runs: int, better: list[Row], equal: tuple[Row, ...], worse: list[Row]
) -> tuple[int, int]:
    """Return the first and the last rank that a number after `better` can have."""
    first = len(better) + 1
    if not of.illegible_ranks:
        return first, first
    if column != main_column(of):
        return first, runs - len(equal) - len(worse) + 1

    def ranks(rows: Iterable[Row]) -> list[int]:
        return [int(row.values[_RANK]) for row in rows if _RANK in row.values]

    if equal:
        return min(ranks(equal)), min(ranks(equal))
    before, after = max(ranks(better), default=0), min(ranks(worse), default=runs + 1)
    first += sum(rank < before for rank in of.illegible_ranks)
    return first, first + sum(before < rank < after for rank in of.illegible_ranks)


def main_column(of: Table) -> str:
    """Return the main ranking column of a table, or its first numeric column if it has no ranks."""
    stem = next((rank.removesuffix(_RANK).rstrip("_") for rank in _rank_columns(of)), "")
    likely = [stem, f"{stem}_TS"] if stem else ["Mean", "Mean_TS", "TS", "Avg"]
    numeric = [column for column in of.columns if any(column in row.values for row in of.rows)]
    return next((each for each in likely if each in numeric), numeric[0])


def select_from(
    tables: Sequence[Table], team: str = "", unsupervised: bool = False, top: int | None = None
) -> list[Table]:
    """Return the tables with the selected rows; raise InputError if no table has any."""
    found = []
    for each in tables:
        rows = each.rows if top is None else tuple(ranked_rows(each, main_column(each)))
        if team:
            rows = tuple(row for row in rows if team.casefold() in name_of(row).casefold())
        if unsupervised:
            rows = tuple(row for row in rows if _is_unsupervised(row))
        if rows:
            found.append(replace(each, rows=rows[:top]))
    if not found:
        what = "run that is marked unsupervised" if unsupervised else "run"
        whose = f" with {team!r} in the name of the run or team" if team else ""
        names = ", ".join(each.name for each in tables)
        raise InputError(f"there is no {what}{whose} in {names}.")
    return found


def _is_unsupervised(row: Row) -> bool:
    return "unsupervised" in row.flags or row.text.get("system_type") == "unsupervised"


def annotator_agreement(of: Table, column: str) -> Decimal | None:
    """Return the annotators' agreement that the paper prints, if it does.

    It is no upper bound: a perfect system can be above it.
    """
    for row in table(AGREEMENT).rows:
        if (row.text["task"], row.text["dataset"]) == (of.name, column):
            return row.values[AGREEMENT]
    human = (row.values.get(column) for row in of.rows if "human" in row.flags)
    return next(human, None)
