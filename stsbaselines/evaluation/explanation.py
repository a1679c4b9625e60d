"""A run's numbers by the conventions of papers, and which of them a printed number is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stsbaselines.data.catalogue import Task
from stsbaselines.errors import InputError, shown, unknown
from stsbaselines.evaluation.submission import scored_run
from stsbaselines.scoring import conventions
from stsbaselines.scoring.conventions import CONVENTIONS, Convention, Pair
from stsbaselines.scoring.rounding import SCRIPT_DECIMALS, agrees
from stsbaselines.tasks import base
from stsbaselines.tasks.base import ScorePairs, Scores, family_of
from stsbaselines.tasks.labelled import as_task

SHOWN_NEAREST = 3
MOST_DIGITS = 17  # of a double
PERCENT = 100
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)", re.ASCII)


class Match(NamedTuple):
    """A measure or convention whose value gives a number, `times` 1 or (in percent) 100.

    Several names for the same value are joined by `` = ``. `rounding` is ``rounded`` or, where
    it matters, whether twice (first as the official script prints the value) or once.
    """

    name: str
    value: float
    official: bool
    times: int
    rounding: str
    signature: str


class Near(NamedTuple):
    """A measure or convention that gives another number: ``times * value`` is larger by `off`."""

    name: str
    value: float
    official: bool
    times: int
    off: float
    signature: str


@dataclass(frozen=True)
class NumberOrigin:
    """Where a number comes from: the matches, official ones first, or else the nearest numbers.

    `notes` are those of the run's scores.
    """

    number: str
    task: str
    run: str
    matches: tuple[Match, ...]
    nearest: tuple[Near, ...] = ()
    notes: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of plain values for each match or, without one, for each nearest number."""
        return [each._asdict() for each in self.matches or self.nearest]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "number": self.number,
            "task": self.task,
            "run": self.run,
            "matches": [each._asdict() for each in self.matches],
            "nearest": [each._asdict() for each in self.nearest],
            "notes": self.notes,
        }


class _Candidate(NamedTuple):
    name: str
    value: float | None
    official: bool
    signature: str


def explain(
    number: str,
    task: str | Path | Task,
    path: str | Path,
    dataset: str | None = None,
    mapping: Mapping[str, str] | None = None,
    data_dir: str | Path | None = None,
) -> NumberOrigin:
    """Find the measures and conventions under which a run gives a number.

    Parameters
    ----------
    number : str
        As printed, such as ``0.7342`` or, in percent, ``73.42``; its decimals tell how it was
        rounded.
    task, path, dataset, mapping, data_dir
        As for `stsbaselines.score`.

    Returns
    -------
    NumberOrigin
        A value matches if it rounds to the number plainly, or as the official scripts and then
        the papers round; see `stsbaselines.scoring.rounding`.

    Raises
    ------
    InputError
        If the number or an output is malformed, or a file was not found.
    """
    published = _published(number)
    entry = as_task(task)
    gold, outputs, scores = scored_run(entry, [path], dataset, mapping, data_dir)
    found = sorted(
        _candidates(entry, scores, family_of(entry).score_pairs(entry, gold, outputs)),
        key=lambda each: not each.official,
    )
    matches = tuple(
        Match(each.name, each.value, each.official, *how, each.signature)
        for each in found
        if each.value is not None and (how := how_rounded(each.value, published, entry.decimals))
    )
    nearest = () if matches else _nearest(found, published)
    return NumberOrigin(number, entry.task, scores.run, matches, nearest, scores.notes)


def conventional(
    task: Task, score_pairs: Mapping[str, ScorePairs]
) -> list[tuple[str, float | None, str]]:
    """Return name, value and signature of a run's numbers by all fitting conventions.

    Conventions that are the same for the task's data sets are one, with their names joined by
    `` = ``. Families other than ``sts`` have none. If the data sets are never taken together, it is
    the Spearman correlation of each.
    """
    found = _all_conventions(task, score_pairs)
    return [(" = ".join(each.name for each in same), value, text) for same, value, text in found]


def chosen_convention(
    name: str, task: Task, score_pairs: Mapping[str, ScorePairs]
) -> tuple[Convention, str]:
    """Return the convention of a name, in any case, and all its names for the task's data sets."""
    for same, _, _ in _all_conventions(task, score_pairs):
        if name.casefold() in (each.name.casefold() for each in same):
            return same[0], " = ".join(each.name for each in same)
    known = [each.name for same, _, _ in _all_conventions(task, score_pairs) for each in same]
    if not known:
        raise InputError(f"there are no conventions for the data sets of {task.task} here.")
    raise unknown("convention", name, known)


def _all_conventions(
    task: Task, score_pairs: Mapping[str, ScorePairs]
) -> Iterator[tuple[list[Convention], float | None, str]]:
    return (_conventions if task.measures else _spearmans)(task, score_pairs)


def signature(convention: Convention, task: str, parts: Mapping[str, Pair]) -> str:
    """Return the signature of a number by a convention."""
    pairs = {name: np.size(gold) for name, (_, gold) in parts.items() if convention.counts(name)}
    return base.signature(
        task,
        [f"{name}({n})" for name, n in pairs.items()],
        n=sum(pairs.values()),
        correlation=convention.correlation,
        aggregate=convention.aggregate,
    )


def how_rounded(
    value: float, published: Decimal, script_decimals: int = SCRIPT_DECIMALS
) -> tuple[int, str] | None:
    """Return times and rounding, see `Match`, that turn a value into a published number, if any."""
    for times, target in ((1, published), (PERCENT, published.scaleb(-2))):
        decimals = max(0, -int(target.as_tuple().exponent))
        once = Decimal(f"{value:.{decimals}f}") == target
        twice = agrees(value, target, script_decimals)
        if once and twice:
            return times, "rounded"
        if twice:
            return times, f"rounded twice (first to {script_decimals} decimals)"
        if once:
            return times, f"rounded once (not first to {script_decimals} decimals)"
    return None


def _conventions(
    task: Task, score_pairs: Mapping[str, ScorePairs]
) -> Iterator[tuple[list[Convention], float | None, str]]:
    """Yield conventions of equal signature with their value."""
    if task.family != "sts" or not task.measures:
        return
    parts: dict[str, Pair] = {
        name: (score_pairs[name].scores, score_pairs[name].gold)
        for name in task.dataset_names
        if name in score_pairs
    }
    same: dict[str, list[Convention]] = {}
    for convention in CONVENTIONS:
        if convention.english_only and task.language != "English":
            continue
        if all(name in parts for name in task.dataset_names if convention.counts(name)):
            same.setdefault(signature(convention, task.signed_name, parts), []).append(convention)
    for text, group in same.items():
        yield group, conventions.value(group[0], parts), text


def _spearmans(
    task: Task, score_pairs: Mapping[str, ScorePairs]
) -> Iterator[tuple[list[Convention], float | None, str]]:
    for name in task.dataset_names if task.family == "sts" else ():
        if name in score_pairs:
            parts: dict[str, Pair] = {name: (score_pairs[name].scores, score_pairs[name].gold)}
            convention = Convention(f"Spearman {name}", "spearman", "ALL")
            value = conventions.value(convention, parts)
            yield [convention], value, signature(convention, task.signed_name, parts)


def _published(number: str) -> Decimal:
    if not _NUMBER.fullmatch(number):
        raise InputError(
            f"{shown(number)} is not a number as printed in papers, such as 0.7342 or 73.42."
        )
    digits = sum(each.isdigit() for each in number)
    if digits > MOST_DIGITS:
        raise InputError(f"{shown(number)} has {digits} digits, but at most {MOST_DIGITS} count.")
    return Decimal(number)


def _candidates(
    task: Task, scores: Scores, score_pairs: Mapping[str, ScorePairs]
) -> Iterator[_Candidate]:
    for dataset, measures in scores.datasets.items():
        for measure, value in measures.items():
            if measure != "n":
                name = _name(task, scores.main, dataset, measure)
                text = _signature(scores, measure, dataset)
                yield _Candidate(name, value, name in task.cell_names, text)
    others = dict(scores.aggregates)
    for same, value, text in _conventions(task, score_pairs):
        names, measure = [each.name for each in same], same[0].measure
        is_same = measure in others and others[measure] == value
        if is_same:
            names.insert(0, measure)
            del others[measure]
        yield _Candidate(" = ".join(names), value, is_same and measure in task.measures, text)
    for measure, value in others.items():
        yield _Candidate(measure, value, measure in task.measures, _signature(scores, measure))


def _name(task: Task, main: str, dataset: str, measure: str) -> str:
    """Return the name of a data set's measure, as in `Task.cell_names`."""
    if task.dataset_measures:
        return f"{dataset}_{measure}"
    if len(task.datasets) == 1:
        return measure
    return dataset if measure == main else f"{dataset}_{measure}"


def _signature(scores: Scores, measure: str, dataset: str = "") -> str:
    """Return the signature of a measure of one or all data sets, from the official signature."""
    fields = dict(each.split(":", 1) for each in scores.signature.split("|"))
    sets = fields["sets"].split("+")
    if dataset:
        sets = [each for each in sets if each.startswith(f"{dataset}(")]
    confidence = {"confidence": fields["confidence"]} if "confidence" in fields else {}
    return base.signature(fields["task"], sets, measure=measure, **confidence)


def _nearest(found: list[_Candidate], published: Decimal) -> tuple[Near, ...]:
    number = float(published)
    times = 1 if abs(number) <= 1 else PERCENT
    near = [
        Near(name, value, official, times, value * times - number, text)
        for name, value, official, text in found
        if value is not None
    ]
    return tuple(sorted(near, key=lambda each: abs(each.off))[:SHOWN_NEAREST])
