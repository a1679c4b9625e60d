"""The ledger: our numbers beside the published ones, each with a status."""

from __future__ import annotations

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

NOT_PUBLISHED, DIFFERS = "not published", "differs"
NO_DATA, NOT_REPRODUCIBLE = "no data", "not reproducible"
WITHOUT_SCORE = frozenset({NO_DATA, NOT_REPRODUCIBLE})


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
        ``trained`` (the same for a baseline that was retrained), ``differs``, ``not
        reproducible`` (data that nobody can get is missing), ``illegible`` (printed, but cannot
        be read), ``not published`` (of a trained model or a reimplemented system that no paper
        has a row for), ``no data``, or "" where nothing was published.
    reason : str
    tolerance : float or None
    accepted : bool
        Whether the configuration names it as one that may differ.
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
    tolerance: float | None = None
    accepted: bool = False
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
    for column in baseline.accepted:
        if column not in row:
            raise unknown("published number to accept", column, row)
    scored = [scores.cells() for scores in runs]
    for name in task.cell_names:
        entry = LedgerEntry(task.task, baseline.title, name, None, row.get(name))
        general = baseline.explained.get("all") if name in row else None
        explanation = baseline.explained.get(name, general)
        if not any(name in each for each in scored):
            yield _without_score(entry, explanation, why_missing)
            continue
        entry = _measured(entry, [each.get(name) for each in scored])
        if name in row and (trained_on or baseline.substitutes):
            entry = _judged_as_new(entry, explanation, trained_on, baseline.substitutes)
        else:
            entry = judged(entry, explanation, task.decimals)
        if entry.status == DIFFERS and name in baseline.accepted:
            reason = joined(entry.reason, baseline.accepted[name])
            entry = replace(entry, accepted=True, reason=reason)
        yield entry


def _without_score(
    entry: LedgerEntry, explanation: Deviation | None, why_missing: str
) -> LedgerEntry:
    is_final = explanation and not (explanation.tolerance or explanation.within_interval)
    if entry.published is None or explanation is None or not is_final:
        return replace(entry, status=NO_DATA, reason=why_missing)
    reason = joined(explanation.reason, why_missing)
    return replace(entry, status=NOT_REPRODUCIBLE, reason=reason)


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
    entry = _compared(entry, explanation, "close" if substitutes else "trained")
    return replace(entry, reason=joined(trained_on, substitutes, entry.reason))


def judged(
    entry: LedgerEntry, explanation: Deviation | None, script_decimals: int = SCRIPT_DECIMALS
) -> LedgerEntry:
    """Return an entry with its status, and with the reason if it is not exact."""
    if entry.published is None:
        reason = explanation.reason if explanation else ""
        return replace(entry, status="illegible" if reason else "", reason=reason)
    if agrees(entry.ours, entry.published, script_decimals):
        return replace(entry, status="exact")
    return _compared(entry, explanation, "close")


def _compared(entry: LedgerEntry, explanation: Deviation | None, near: str) -> LedgerEntry:
    """Return an entry with the status `near`, if it deviates as little as it may."""
    if explanation is None:
        return replace(entry, status=DIFFERS)
    tolerance, reason = explanation.tolerance, explanation.reason
    if explanation.source:
        reason = joined(reason, f"the tolerance is {explanation.source}")
    is_near = False
    if entry.published is not None and entry.ours is not None:
        printed = float(entry.published)
        if tolerance is not None:
            is_near = abs(entry.ours - printed) <= tolerance
        elif explanation.within_interval and entry.interval:
            low, high = entry.interval
            is_near = low <= printed <= high
    status = near if is_near else DIFFERS
    return replace(entry, status=status, reason=reason, tolerance=tolerance)


def joined(*reasons: str) -> str:
    """Return the reasons that are not empty, separated by semicolons."""
    return "; ".join(filter(None, reasons))
