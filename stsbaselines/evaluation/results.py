"""What comparing systems gives: their ranks among the published runs, and whether they differ."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import TYPE_CHECKING, Any, NamedTuple

from stsbaselines.data.catalogue import Task
from stsbaselines.errors import InputError
from stsbaselines.io import to_displayable
from stsbaselines.reference.ranking import Rank, name_of
from stsbaselines.scoring.significance import Interval
from stsbaselines.tasks.base import ScorePairs, Scores

if TYPE_CHECKING:
    import pandas

FISHER, WILLIAMS = "Fisher's z", "Williams"
BOOTSTRAP, BOOTSTRAP_INTERVAL = "paired bootstrap", "bootstrap interval"
BASELINE, ABOVE, BELOW, SYSTEM = "baseline", "next above", "next below", "system"


class MeasureResult(NamedTuple):
    """An official number of a system, and where it stands.

    Attributes
    ----------
    system : str
    name : str
        The data set, aggregate or measure, as `Task.cell_names` has it.
    value : float or None
        None where it is undefined.
    pairs : int
        Scored pairs that it is on.
    interval : Interval or None
        Of 95 % confidence: by Fisher's z for a correlation, else by the bootstrap.
    place : Rank or None
        Among the published runs; None if no ranking of it is at hand.
    annotator_agreement : Decimal or None
        Agreement of the annotators.
    """

    system: str
    name: str
    value: float | None
    pairs: int
    interval: Interval | None = None
    place: Rank | None = None
    annotator_agreement: Decimal | None = None


class SignificanceTest(NamedTuple):
    """Whether a system differs from another one, or from a published run.

    Attributes
    ----------
    system, other : str
    relation : str
        What the other one is: ``baseline``, ``next above``, ``next below``, or ``system`` if
        its output is at hand.
    name : str
        What was compared; see `MeasureResult`.
    method : str
        ``Fisher's z``, ``Williams``, ``paired bootstrap`` or ``bootstrap interval``.
    difference : float
        Of the system over the other one.
    statistic : float or None
        With the sign of the difference.
    p : float or None
        One-tailed, in the direction of the difference; None for ``bootstrap interval``.
    differs : bool
        At the level of .05 or, for ``bootstrap interval``, whether the published number lies
        outside of it.
    quote : bool
        Whether this is the test of the two to quote.
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
    """A pair that a system scored far from the gold standard.

    Attributes
    ----------
    system, dataset : str
    pair : int
        Its line in the input file, from 1.
    measure : str
        What was predicted, such as ``score`` or ``TS``.
    predicted, gold : float
    off : float
        How far off, in units of the gold standard after fitting the scores of the data set to
        it by a line; of alignments, 1 - TS.
    sentences : (str, str) or None
        None if the input file is not here.
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
    """A number of a system by a convention that papers use.

    Attributes
    ----------
    system : str
    name : str
        The convention.
    value : float or None
    signature : str
    """

    system: str
    name: str
    value: float | None
    signature: str


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What comparing systems gave.

    Attributes
    ----------
    task : Task
    systems : tuple of str
    scores : mapping of str to Scores
        By system: every measure, unrounded.
    measured : tuple of MeasureResult
    tests : tuple of SignificanceTest
    conventions : tuple of ConventionResult
    score_pairs : mapping of (str, str) to ScorePairs
        What is correlated, by system and data set (of typed similarity and PIT by measure).
    errors : tuple of LargeError
        The largest ones of each system.
    notes : tuple of str
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

    def __repr__(self) -> str:
        """Return the task, and the official number and rank of each system."""
        found = {each.system: each for each in self.measured if each.name == self.official}
        systems = [
            f"{system}: {self.official} {found[system].value}, rank {found[system].place}"
            if system in found
            else system
            for system in self.systems
        ]
        return f"<Comparison on {self.task.task}; {'; '.join(systems)}>"

    @property
    def official(self) -> str:
        """Name of the number that the task ranks systems by first."""
        main = self.scores[self.systems[0]].main
        measures = self.task.measures or [f"{self.task.dataset_names[0]}_{main}"]
        return main if main in measures else measures[0]

    @property
    def rank(self) -> dict[str, int | None]:
        """Rank of each system by the official number; the lowest one, if cells are illegible.

        None if no published ranking is at hand, or not all data sets were scored.
        """
        found = {each.system: each.place for each in self.measured if each.name == self.official}
        places = {system: found.get(system) for system in self.systems}
        return {system: each.first if each else None for system, each in places.items()}

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
                "rank": each.place.first if each.place else None,
                "last_rank": each.place.last if each.place else None,
                "runs": each.place.runs if each.place else None,
                **_neighbour(each.place, "above"),
                **_neighbour(each.place, "below"),
                "agreement": None
                if each.annotator_agreement is None
                else float(each.annotator_agreement),
            }
            for each in self.measured
        ]

    def to_frame(self) -> pandas.DataFrame:
        """Return `rows` as a table of pandas, which must be installed.

        Raises
        ------
        InputError
            If it is not.
        """
        try:
            import pandas
        except ImportError:
            raise InputError(
                "pandas is not installed; `rows()` gives the same without it."
            ) from None
        return pandas.DataFrame(self.rows())

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON; an infinite statistic is None."""
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


def _plain(value: Any) -> Any:
    """Return plain values as JSON can have them: readable text, and no infinite statistics."""
    if isinstance(value, str):
        return to_displayable(value)
    if isinstance(value, float) and not math.isfinite(value):
        return None
    if isinstance(value, Mapping):
        return {_plain(key): _plain(each) for key, each in value.items()}
    return [_plain(each) for each in value] if isinstance(value, list | tuple) else value


def _neighbour(found: Rank | None, side: str) -> dict[str, Any]:
    row = getattr(found, side) if found else None
    if found is None or row is None:
        return {side: None, f"{side}_value": None}
    return {side: name_of(row), f"{side}_value": float(row.values[found.column])}
