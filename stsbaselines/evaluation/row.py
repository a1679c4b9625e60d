"""The row of papers: the seven sets STS12 to STS16, STS-B and SICK-R, and their average."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from stsbaselines.errors import unknown
from stsbaselines.evaluation.comparison import RESAMPLES, check_resamples, named_systems
from stsbaselines.evaluation.outputs import Progress, no_progress
from stsbaselines.evaluation.row_results import (
    Difference,
    RowCell,
    RowResult,
    SystemRow,
)
from stsbaselines.evaluation.row_scores import REST, SetScores, find_sets, scores_of_sets
from stsbaselines.reference.rows import AVERAGE, COLUMNS
from stsbaselines.scoring import conventions, resampling
from stsbaselines.scoring.conventions import ROW_CONVENTIONS, Pair, RowConvention
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.scoring.significance import bootstrap_interval, paired_bootstrap
from stsbaselines.tasks.base import UNDEFINED, signature

ALL = "all"
_HEAD = (
    "SentEval trains a regression head for it, whose number no other system gets from its scores"
)


def row(
    systems: Any,
    convention: str = "simcse",
    data_dir: str | Path | None = None,
    n_jobs: int = 1,
    progress: Progress = no_progress,
    cache: str | Path | None = None,
    intervals: bool = False,
    base: str = "",
    resamples: int = RESAMPLES,
    random_state: int = 0,
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
    intervals : bool
        Whether to compute the 95 % confidence interval of each number, by the bootstrap.
    base : str, optional
        The name of one of the systems: the differences from it are tested by the paired bootstrap.
    resamples, random_state : int
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
    check_resamples(resamples, random_state)
    chosen = [each for each in ROW_CONVENTIONS.values() if convention in (ALL, each.name)]
    named = named_systems(systems)
    if base and base not in named:
        raise unknown("system", base, named)
    sets = find_sets(any(each.whole_sick for each in chosen), data_dir)
    scored = {
        name: scores_of_sets(name, system, sets, data_dir, n_jobs, progress, cache)
        for name, system in named.items()
    }
    notes = [f"{each.name}: {each.note}" for each in chosen if each.note]
    notes += [note for each in scored.values() for note in each.notes]
    rows = tuple(_row_of(name, each, found) for each in chosen for name, found in scored.items())
    if intervals or base:
        drawn = _drawn([*scored.values()], resamples, random_state)
        rows = tuple(_with_intervals(rows, scored, drawn, intervals, base))
    return RowResult(rows, tuple(dict.fromkeys(notes)), base)


def _drawn(
    scored: Sequence[SetScores], resamples: int, random_state: int
) -> dict[str, resampling.IntArray]:
    """Draw resamples of the pairs of each data set, which are the same for all systems."""
    sizes = {
        name: np.size(gold)
        for found in scored
        for parts in found.parts.values()
        for name, (_, gold) in parts.items()
    }
    return {
        name: resampling.draw(size, resamples, [random_state, *name.encode()])
        for name, size in sizes.items()
    }


def _with_intervals(
    rows: Sequence[SystemRow],
    scored: Mapping[str, SetScores],
    drawn: resampling.Counts,
    intervals: bool,
    base: str,
) -> Iterator[SystemRow]:
    known: dict[tuple[object, ...], FloatArray] = {}
    resampled = {
        (row.convention, row.system): _resampled(row.convention, row.system, scored, drawn, known)
        for row in rows
    }
    of_base = {row.convention: row.cells for row in rows if row.system == base}
    for row in rows:
        cells = row.cells
        for name, values in resampled[row.convention, row.system].items():
            value = cells[name].value
            if value is None:
                continue
            if intervals:
                cells[name] = cells[name]._replace(interval=bootstrap_interval(values))
            other = None
            if base and row.system != base:
                other = of_base[row.convention][name].value
            if other is not None:
                found = paired_bootstrap(values, resampled[row.convention, base][name])
                difference = Difference(value - other, found.interval) if found else None
                cells[name] = cells[name]._replace(difference=difference)
        average = cells.pop(AVERAGE)
        yield replace(row, columns=cells, average=average)


def _resampled(
    convention: RowConvention,
    system: str,
    scored: Mapping[str, SetScores],
    drawn: resampling.Counts,
    known: dict[tuple[object, ...], FloatArray],
) -> dict[str, FloatArray]:
    """Return the columns on each resample and, if all are there, their average.

    `known` are columns by system, convention and data sets, because conventions share columns.
    """
    values = {}
    for name in COLUMNS:
        parts = _pairs_of(name, convention, scored[system])
        if isinstance(parts, str):
            continue
        column = replace(convention.column, name="")
        key = (system, column, *parts)
        if key not in known:
            known[key] = conventions.resampled(column, parts, drawn)
        values[name] = known[key]
    if len(values) == len(COLUMNS):
        values[AVERAGE] = np.mean([*values.values()], axis=0)
    return values


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
    return {name: pair for key in keys for name, pair in found.parts[key].items()}


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
