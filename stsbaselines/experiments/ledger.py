"""Comparing the numbers of a baseline with the published ones, cell by cell."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from typing import Any

import numpy as np

from stsbaselines.data.catalogue import Task
from stsbaselines.errors import InputError, unknown
from stsbaselines.experiments.config import SEEDS_OF_AN_INTERVAL, BaselineConfig, Deviation
from stsbaselines.reference.published import published, table
from stsbaselines.scoring.rounding import SCRIPT_DECIMALS, agrees
from stsbaselines.tasks.base import Scores

NOT_PUBLISHED = "not published"


@dataclass(frozen=True)
class LedgerEntry:
    """One number of a baseline, beside the published one.

    Attributes
    ----------
    task, baseline, name : str
        `name` is the data set or aggregate.
    ours : float or None
        The mean over the seeds, if there are several; None where undefined or not run.
    deviation : float or None
        Standard deviation over the seeds.
    interval : (float, float) or None
        Within which 95 % of at least 100 seeds lie.
    published : Decimal or None
    status : str
        ``exact`` (agrees to the printed digit), ``close`` (within the stated tolerance),
        ``differs``, ``not reproducible`` (a reason is known), ``trained`` (of a
        baseline that was trained afresh, within the stated tolerance), ``illegible``
        (printed, but not to be read), ``not published`` (of a trained model or a system made
        anew that no paper has a row for), ``no data``, or "" where nothing was published.
    reason : str
    group : str
        Of the configuration that it is from.
    """

    task: str
    baseline: str
    name: str
    ours: float | None
    published: Decimal | None = None
    status: str = ""
    reason: str = ""
    deviation: float | None = None
    interval: tuple[float, float] | None = None
    group: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON; the published number as printed."""
        values = asdict(self)
        values["published"] = None if self.published is None else str(self.published)
        return values


def published_row(task: Task, baseline: BaselineConfig) -> Mapping[str, Decimal]:
    """Return the printed numbers that a baseline claims to reproduce, by column.

    Parameters
    ----------
    task : Task
    baseline : BaselineConfig

    Raises
    ------
    InputError
        If a table is of another task, or has no such run, or tables contradict each other.
    """
    found: dict[str, Decimal] = {}
    for row in baseline.published:
        if table(row.table).task != task.task:
            raise InputError(
                f"table {row.table} is of {table(row.table).task}, not of {task.task}."
            )
        prefix = f"{row.dataset}_" if row.dataset else ""
        for column, value in published(row.table, row.run).items():
            if found.setdefault(f"{prefix}{column}", value) != value:
                raise InputError(f"the published tables contradict each other on {prefix}{column}.")
    return found


def cells_of(
    task: Task,
    baseline: BaselineConfig,
    runs: list[Scores],
    expected: Mapping[str, Decimal],
    why_missing: str = "",
    trained_on: str = "",
) -> Iterator[LedgerEntry]:
    """Yield a cell for each data set and official aggregate.

    Parameters
    ----------
    task : Task
    baseline : BaselineConfig
    runs : list of Scores
        One for each seed; none if the baseline did not run.
    expected : mapping of str to Decimal
        The published row.
    why_missing : str
        Why a data set was not run.
    trained_on : str
        What the baseline was trained on.

    Raises
    ------
    InputError
        If a published or explained column is no measure of the task.
    """
    names = task.cell_names
    for column in [*expected, *baseline.explained]:
        if column not in [*names, "all"] and not column.endswith("rank"):
            raise unknown(f"measure of {task.task}", column, names)
    scored = [scores.cells() for scores in runs]
    for name in names:
        values = [each.get(name) for each in scored]
        defined = [float(value) for value in values if value is not None]
        complete = 0 < len(defined) == len(values)
        cell = LedgerEntry(
            task=task.task,
            baseline=baseline.title,
            name=name,
            ours=statistics.fmean(defined) if complete else None,
            published=expected.get(name),
            deviation=statistics.stdev(defined) if complete and len(defined) > 1 else None,
            interval=_interval(defined) if complete else None,
        )
        if any(name in each for each in scored):
            explained = baseline.explained
            general = explained.get("all") if cell.published is not None else None
            explanation = explained.get(name, general)
            if cell.published is not None and baseline.substitutes:
                yield _judged_as_anew(cell, explanation, f"{trained_on}; {baseline.substitutes}")
            elif cell.published is not None and trained_on:
                yield _judged_as_trained(cell, explanation, trained_on)
            else:
                yield judged(cell, explanation, task.decimals)
        else:
            yield replace(cell, status="no data", reason=why_missing)


def _judged_as_trained(
    cell: LedgerEntry, explanation: Deviation | None, trained_on: str
) -> LedgerEntry:
    """Return the cell of a baseline that was trained afresh, and so never is `exact`."""
    tolerance = explanation.tolerance if explanation and explanation.tolerance else math.inf
    near = _is_near(cell, tolerance)
    reason = f"{trained_on}; {explanation.reason}" if explanation else trained_on
    return replace(cell, status="trained" if near else "differs", reason=reason)


def _judged_as_anew(cell: LedgerEntry, explanation: Deviation | None, origin: str) -> LedgerEntry:
    """Return the cell of a system that was made anew, and so never is `exact`."""
    reason = f"{origin}; {explanation.reason}" if explanation else origin
    if explanation is None or explanation.tolerance is None:
        return replace(cell, status="not reproducible", reason=reason)
    near = _is_near(cell, explanation.tolerance)
    return replace(cell, status="close" if near else "differs", reason=reason)


def _is_near(cell: LedgerEntry, tolerance: float) -> bool:
    if cell.ours is None or cell.published is None:
        return False
    return abs(cell.ours - float(cell.published)) <= tolerance


def _interval(values: list[float]) -> tuple[float, float] | None:
    if len(values) < SEEDS_OF_AN_INTERVAL:
        return None
    low, high = np.percentile(values, [2.5, 97.5])
    return float(low), float(high)


def judged(
    cell: LedgerEntry, explanation: Deviation | None, script_decimals: int = SCRIPT_DECIMALS
) -> LedgerEntry:
    """Return a cell with its status, and with the reason if it is not exact.

    Parameters
    ----------
    cell : LedgerEntry
    explanation : Deviation or None
    script_decimals : int
        How many the task's scorer prints.

    Examples
    --------
    >>> judged(LedgerEntry("task", "baseline", "Mean", 0.70385, Decimal("0.7039")), None).status
    'exact'
    """
    reason = explanation.reason if explanation else ""
    tolerance = explanation.tolerance if explanation else None
    if cell.published is None:
        return replace(cell, status="illegible" if reason else "", reason=reason)
    if agrees(cell.ours, cell.published, script_decimals):
        return replace(cell, status="exact")
    if tolerance is not None and cell.ours is not None:
        near = _is_near(cell, tolerance)
        return replace(cell, status="close" if near else "differs", reason=reason)
    if explanation is not None and explanation.within_interval and cell.interval:
        low, high = cell.interval
        near = low <= float(cell.published) <= high
        return replace(cell, status="close" if near else "differs", reason=reason)
    return replace(cell, status="not reproducible" if reason else "differs", reason=reason)
