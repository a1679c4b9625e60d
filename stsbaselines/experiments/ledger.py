"""The ledger: our numbers beside the published ones, each with a status."""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterator, Sequence
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
    published : Decimal or None
    status : str
        ``exact`` (agrees to the printed digit), ``close`` (within the stated tolerance),
        ``differs``, ``not reproducible`` (with a reason), ``trained`` (of a baseline that was
        retrained, within the stated tolerance), ``illegible`` (printed, but cannot be read),
        ``not published`` (of a trained model or a reimplemented system that no paper has a row
        for), ``no data``, or "" where nothing was published.
    reason : str
    deviation : float or None
        Standard deviation over the seeds.
    interval : (float, float) or None
        The interval of 95 % of the seeds, if there are at least 100.
    group : str
        The group of its configuration.
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


def published_row(task: Task, baseline: BaselineConfig) -> dict[str, Decimal]:
    """Return the printed numbers that a baseline reproduces, by column."""
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
    runs: Sequence[Scores],
    trained_on: str = "",
    why_missing: str = "",
) -> Iterator[LedgerEntry]:
    """Yield an entry for each data set and official aggregate of a baseline.

    `runs` has the scores of each seed, or none if the baseline did not run; `why_missing` is the
    reason of entries without a score.
    """
    row = published_row(task, baseline)
    for column in [*row, *baseline.explained]:
        if column not in [*task.cell_names, "all"] and not column.endswith("rank"):
            raise unknown(f"measure of {task.task}", column, task.cell_names)
    scored = [scores.cells() for scores in runs]
    for name in task.cell_names:
        entry = LedgerEntry(task.task, baseline.title, name, None, row.get(name))
        if not any(name in each for each in scored):
            yield replace(entry, status="no data", reason=why_missing)
            continue
        entry = _measured(entry, [each.get(name) for each in scored])
        general = baseline.explained.get("all") if name in row else None
        explanation = baseline.explained.get(name, general)
        if name in row and (trained_on or baseline.substitutes):
            yield _judged_as_new(entry, explanation, trained_on, baseline.substitutes)
        else:
            yield judged(entry, explanation, task.decimals)


def _measured(entry: LedgerEntry, values: Sequence[float | None]) -> LedgerEntry:
    """Return an entry with the mean over the seeds, which is undefined if one of them is."""
    defined = [float(value) for value in values if value is not None]
    if len(defined) < len(values):
        return entry
    interval = None
    if len(defined) >= SEEDS_OF_AN_INTERVAL:
        low, high = np.percentile(defined, [2.5, 97.5])
        interval = float(low), float(high)
    return replace(
        entry,
        ours=statistics.fmean(defined),
        deviation=statistics.stdev(defined) if len(defined) > 1 else None,
        interval=interval,
    )


def _judged_as_new(
    entry: LedgerEntry, explanation: Deviation | None, trained_on: str, substitutes: str
) -> LedgerEntry:
    """Return the entry of a retrained or reimplemented system, which is never `exact`."""
    tolerance = explanation.tolerance if explanation else None
    reasons = trained_on, substitutes, explanation.reason if explanation else ""
    if substitutes and tolerance is None:
        status = "not reproducible"
    elif _is_near(entry, math.inf if tolerance is None else tolerance):
        status = "close" if substitutes else "trained"
    else:
        status = "differs"
    return replace(entry, status=status, reason="; ".join(filter(None, reasons)))


def _is_near(entry: LedgerEntry, tolerance: float) -> bool:
    if entry.ours is None or entry.published is None:
        return False
    return abs(entry.ours - float(entry.published)) <= tolerance


def judged(
    entry: LedgerEntry, explanation: Deviation | None, script_decimals: int = SCRIPT_DECIMALS
) -> LedgerEntry:
    """Return an entry with its status, and with the reason if it is not exact."""
    reason = explanation.reason if explanation else ""
    if entry.published is None:
        return replace(entry, status="illegible" if reason else "", reason=reason)
    if agrees(entry.ours, entry.published, script_decimals):
        return replace(entry, status="exact")
    if explanation and explanation.tolerance is not None and entry.ours is not None:
        near = _is_near(entry, explanation.tolerance)
    elif explanation and explanation.within_interval and entry.interval:
        near = entry.interval[0] <= float(entry.published) <= entry.interval[1]
    else:
        return replace(entry, status="not reproducible" if reason else "differs", reason=reason)
    return replace(entry, status="close" if near else "differs", reason=reason)
