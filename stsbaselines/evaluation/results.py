"""The results of comparing systems: values, ranks, significance tests and the largest errors."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from stsbaselines.data.catalogue import Task
from stsbaselines.errors import visible
from stsbaselines.io.files import to_displayable
from stsbaselines.io.frames import to_frame, to_html, with_decimals
from stsbaselines.reference.ranking import Rank, name_of
from stsbaselines.scoring.significance import Interval
from stsbaselines.tasks.base import ScorePairs, Scores

if TYPE_CHECKING:
    import pandas

FISHER, WILLIAMS = "Fisher's z", "Williams"
BOOTSTRAP, BOOTSTRAP_INTERVAL = "paired bootstrap", "bootstrap interval"
PERMUTATION = "permutation"
BASELINE, ABOVE, BELOW, SYSTEM = "baseline", "next above", "next below", "system"


class MeasureResult(NamedTuple):
    """An official number of a system, with its rank; None where one is undefined or unknown.

    `name` is the data set, aggregate or measure, as in `Task.cell_names`, `pairs` the number of
    scored pairs behind it, `interval` its 95 % confidence interval (by Fisher's z for a
    correlation, else by the bootstrap), and `rank` is among the published runs.
    """

    system: str
    name: str
    value: float | None
    pairs: int
    interval: Interval | None = None
    rank: Rank | None = None
    annotator_agreement: Decimal | None = None


class SignificanceTest(NamedTuple):
    """Whether a system differs from another system, or from a published run.

    Attributes
    ----------
    relation : str
        What the other one is: ``baseline``, ``next above``, ``next below``, or ``system`` if
        its output was compared too.
    name : str
        Which number was compared: a `MeasureResult`, or the chosen convention.
    method : str
        ``Fisher's z``, ``Williams``, ``paired bootstrap``, ``permutation`` or ``bootstrap
        interval``.
    difference, statistic : float, float or None
        Positive if the system is better.
    p : float or None
        Two-tailed between two systems, except for ``Fisher's z``; otherwise one-tailed, in the
        direction of the difference, as in the papers. None for ``bootstrap interval``.
    differs : bool
        Whether p < .05 or, for ``bootstrap interval``, whether the published number lies
        outside the interval.
    quote : bool
        Whether this is the test to quote for these two.
    interval : Interval or None
        Of the difference, by the paired bootstrap.
    """

    system: str
    other: str
    relation: str
    name: str
    method: str
    difference: float
    statistic: float | None
    p: float | None
    differs: bool
    quote: bool = False
    interval: Interval | None = None


class LargeError(NamedTuple):
    """A pair, by its line in the input file, whose score is far from the gold standard.

    `off` is in units of the gold standard, after a least-squares fit of the data set's scores to
    it; for alignments, it is 1 - TS. `sentences` is None if the input file was not found.
    """

    system: str
    dataset: str
    pair: int
    measure: str
    predicted: float
    gold: float
    off: float
    sentences: tuple[str, str] | None


class ConventionResult(NamedTuple):
    """A number of a system by a convention of the literature, with its signature.

    `interval` is that of the bootstrap, of the chosen convention only.
    """

    system: str
    name: str
    value: float | None
    signature: str
    interval: Interval | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """The result of `stsbaselines.compare`.

    `scores` has every measure by system, unrounded; `score_pairs` has the correlated values by
    system and data set (for typed similarity and PIT by measure); `errors` are the largest ones
    of each system; `convention` is the chosen one, or empty.
    """

    task: Task
    systems: tuple[str, ...]
    scores: Mapping[str, Scores]
    measured: tuple[MeasureResult, ...]
    tests: tuple[SignificanceTest, ...]
    conventions: tuple[ConventionResult, ...] = ()
    score_pairs: Mapping[tuple[str, str], ScorePairs] = field(default_factory=dict)
    errors: tuple[LargeError, ...] = ()
    notes: tuple[str, ...] = ()
    convention: str = ""

    def __repr__(self) -> str:
        found = {each.system: each for each in self.measured if each.name == self.official}
        return visible(
            f"<Comparison on {self.task.task};"
            f" {'; '.join(_in_short(each, found.get(each)) for each in self.systems)}>"
        )

    def _repr_html_(self) -> str:
        title = f"{self.task.title}: {', '.join(self.systems)}"
        return to_html(title, self.rows(), notes=self.notes)

    @property
    def official(self) -> str:
        """Name of the number by which the task ranks systems."""
        scores = self.scores[self.systems[0]]
        main = scores.main
        if not self.task.measures and not self.task.dataset_measures:
            return [*scores.datasets][-1]  # the test part
        measures = self.task.measures or [f"{self.task.dataset_names[0]}_{main}"]
        return main if main in measures else measures[0]

    @property
    def rank(self) -> dict[str, int | None]:
        """Rank of each system by the official number; the lowest one, if cells are illegible.

        None if no published ranking is available, or if not all data sets were scored.
        """
        found = {each.system: each.rank for each in self.measured if each.name == self.official}
        ranks = {system: found.get(system) for system in self.systems}
        return {system: rank.first if rank else None for system, rank in ranks.items()}

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of plain values for each official number of each system."""
        return [
            {
                "system": each.system,
                "name": each.name,
                "value": each.value,
                "low": each.interval.low if each.interval else None,
                "high": each.interval.high if each.interval else None,
                "pairs": each.pairs,
                "rank": each.rank.first if each.rank else None,
                "last_rank": each.rank.last if each.rank else None,
                "runs": each.rank.runs if each.rank else None,
                **_neighbour(each.rank, "above"),
                **_neighbour(each.rank, "below"),
                "agreement": None
                if each.annotator_agreement is None
                else float(each.annotator_agreement),
            }
            for each in self.measured
        ]

    def to_frame(self) -> pandas.DataFrame:
        """Return `rows` as a pandas DataFrame; pandas must be installed."""
        return to_frame(self.rows())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON; an infinite statistic becomes None."""
        values = {
            "task": self.task.task,
            "title": self.task.title,
            "official": self.official,
            "rank": self.rank,
            "measured": self.rows(),
            "tests": [each._asdict() for each in self.tests],
            "conventions": [each._asdict() for each in self.conventions],
            "errors": [each._asdict() for each in self.errors],
            "scores": {name: each.to_dict() for name, each in self.scores.items()},
            "notes": list(self.notes),
        }
        return {key: _plain(each) for key, each in values.items()}


def _in_short(system: str, found: MeasureResult | None) -> str:
    if found is None:
        return system
    rank = f", rank {found.rank}" if found.rank else ""
    return f"{system}: {found.name} {with_decimals(found.value)}{rank}"


def _neighbour(rank: Rank | None, side: str) -> dict[str, Any]:
    row = getattr(rank, side) if rank else None
    if rank is None or row is None:
        return {side: None, f"{side}_value": None}
    return {side: name_of(row), f"{side}_value": float(row.values[rank.column])}


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        return to_displayable(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {_plain(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value
