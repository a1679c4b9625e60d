"""Significance tests of scored systems, against published runs and against each other."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from stsbaselines.data.catalogue import Task
from stsbaselines.evaluation.results import (
    ABOVE,
    BASELINE,
    BELOW,
    BOOTSTRAP,
    BOOTSTRAP_INTERVAL,
    FISHER,
    PERMUTATION,
    SYSTEM,
    WILLIAMS,
    MeasureResult,
    SignificanceTest,
)
from stsbaselines.reference.published import Row
from stsbaselines.reference.ranking import name_of
from stsbaselines.scoring import conventions
from stsbaselines.scoring.conventions import Convention, Pair
from stsbaselines.scoring.correlation import FloatArray, pearson
from stsbaselines.scoring.permutation import permutation_test
from stsbaselines.scoring.significance import (
    EQUAL,
    FEWEST_PAIRS,
    Bootstrap,
    Interval,
    Significance,
    bootstrap_interval,
    fisher_interval,
    fisher_test,
    paired_bootstrap,
    williams_test,
)
from stsbaselines.tasks.base import ScorePairs, Scores

LEVEL = 0.05
_CORRELATED_FAMILIES = ("sts", "typed")


@dataclass(frozen=True)
class ScoredRun:
    """A system's scores, and what the tests need."""

    name: str
    family: str
    scores: Scores
    score_pairs: Mapping[str, ScorePairs]
    resampled: Mapping[str, FloatArray]
    by_convention: FloatArray | None = None

    def parts(self, names: Iterable[str]) -> dict[str, Pair]:
        """Return the scores and gold scores of those data sets that were scored."""
        found = {name: self.score_pairs[name] for name in names if name in self.score_pairs}
        return {name: (each.scores, each.gold) for name, each in found.items()}

    def is_correlation(self, name: str) -> bool:
        """Return whether a number is a correlation, or an aggregate treated as one."""
        return name in self.score_pairs or self.family in _CORRELATED_FAMILIES

    def pairs(self, name: str) -> int:
        """Return the number of pairs behind a number; pairs of weight 0 do not count."""
        if name in self.score_pairs:
            weights = self.score_pairs[name].weights
            if weights is None:
                return len(self.score_pairs[name].scores)
            return int((weights > 0).sum())
        counts = {
            key: self.pairs(key) if key in self.score_pairs else int(each["n"] or 0)
            for key, each in self.scores.datasets.items()
        }
        return next(
            (n for key, n in counts.items() if name.startswith(f"{key}_")), sum(counts.values())
        )

    def interval(self, name: str, value: float) -> Interval | None:
        """Return the 95 % confidence interval of a number."""
        if not self.is_correlation(name):
            return bootstrap_interval(self.resampled[name])
        pairs = self.pairs(name)
        return fisher_interval(value, pairs) if pairs >= FEWEST_PAIRS else None


def tests_of(
    task: Task, runs: Sequence[ScoredRun], measured: Iterable[MeasureResult]
) -> Iterator[SignificanceTest]:
    """Yield the tests of systems against published runs, then those between the systems."""
    by_name = {run.name: run for run in runs}
    for each in measured:
        yield from _test_against_published(by_name[each.system], each)
    for one, other in itertools.combinations(runs, 2):
        ours, theirs = one.scores.cells(), other.scores.cells()
        for name in task.cell_names:
            first, second = ours.get(name), theirs.get(name)
            if first is not None and second is not None:
                yield from _test_systems(one, other, name, first, second)


def _test_against_published(run: ScoredRun, each: MeasureResult) -> Iterator[SignificanceTest]:
    """Test a number against the baselines of the table and its neighbours there."""
    if each.rank is None or each.value is None:
        return
    others = [
        *((BASELINE, row) for row in each.rank.baselines),
        (ABOVE, each.rank.above),
        (BELOW, each.rank.below),
    ]
    seen: list[Row] = []
    for relation, row in others:
        if row is None or row in seen:
            continue
        seen.append(row)
        theirs = float(row.values[each.rank.column])
        context = (each.system, name_of(row), relation, each.name)
        if run.is_correlation(each.name) and each.pairs >= FEWEST_PAIRS:
            yield _fisher(context, each.value, theirs, each.pairs)
        elif each.interval:
            is_outside = not each.interval.low <= theirs <= each.interval.high
            difference = each.value - theirs
            yield SignificanceTest(*context, BOOTSTRAP_INTERVAL, difference, None, None, is_outside)


def _fisher(
    context: tuple[str, str, str, str], ours: float, theirs: float, pairs: int
) -> SignificanceTest:
    test = fisher_test(max(ours, theirs), pairs, min(ours, theirs), pairs)
    statistic = math.copysign(test.statistic, ours - theirs)
    return SignificanceTest(*context, FISHER, ours - theirs, statistic, test.p, test.p < LEVEL)


def _test_systems(
    one: ScoredRun, other: ScoredRun, name: str, first: float, second: float
) -> Iterator[SignificanceTest]:
    """Test two compared systems; the last test is the one to quote."""
    context = (one.name, other.name, SYSTEM, name)
    difference = first - second
    pairs = min(one.pairs(name), other.pairs(name))
    if one.is_correlation(name) and pairs >= FEWEST_PAIRS:
        yield _fisher(context, first, second, pairs)
    between = _correlation_between(one, other, name) if pairs >= FEWEST_PAIRS else None
    found = _directed_bootstrap(difference, one.resampled[name], other.resampled[name])
    if found is not None:
        p, is_quoted = _two_tailed(found.p), between is None
        yield SignificanceTest(
            *context, BOOTSTRAP, difference, None, p, p < LEVEL, is_quoted, found.interval
        )
    if between is not None:
        test = williams_test(max(first, second), min(first, second), between, pairs)
        statistic, p = math.copysign(test.statistic, difference), _two_tailed(test.p)
        yield SignificanceTest(*context, WILLIAMS, difference, statistic, p, p < LEVEL, quote=True)


def tests_by_convention(
    task: Task, runs: Sequence[ScoredRun], convention: Convention, name: str
) -> Iterator[SignificanceTest]:
    """Yield the tests of each two systems by a convention, which reports call `name`."""
    for one, other in itertools.combinations(runs, 2):
        ours, theirs = one.parts(task.dataset_names), other.parts(task.dataset_names)
        first, second = conventions.value(convention, ours), conventions.value(convention, theirs)
        if first is None or second is None or ours.keys() != theirs.keys():
            continue
        context, difference = (one.name, other.name, SYSTEM, name), first - second
        williams = _williams_by_convention(convention, ours, theirs, first, second)
        found = None
        if one.by_convention is not None and other.by_convention is not None:
            found = _directed_bootstrap(difference, one.by_convention, other.by_convention)
        if found is not None:
            p, is_quoted = _two_tailed(found.p), williams is None
            yield SignificanceTest(
                *context, BOOTSTRAP, difference, None, p, p < LEVEL, is_quoted, found.interval
            )
        if williams is not None:
            statistic, p = math.copysign(williams.statistic, difference), _two_tailed(williams.p)
            is_better = p < LEVEL
            yield SignificanceTest(*context, WILLIAMS, difference, statistic, p, is_better, True)
        test = permutation_test(convention, ours, theirs)
        if test is not None:
            p = _two_tailed(test.p)
            yield SignificanceTest(*context, PERMUTATION, difference, None, p, p < LEVEL)


def _williams_by_convention(
    convention: Convention,
    ours: Mapping[str, Pair],
    theirs: Mapping[str, Pair],
    first: float,
    second: float,
) -> Significance | None:
    """Return Williams' test of one Pearson correlation over all pairs; None for other numbers."""
    names = [name for name in ours if convention.counts(name)]
    is_one = convention.aggregate == "ALL" or (len(names) == 1 and convention.aggregate != "ALLnrm")
    if convention.correlation != "pearson" or not is_one:
        return None
    both = [
        np.concatenate([np.asarray(each[name][0]) for name in names]) for each in (ours, theirs)
    ]
    between, pairs = pearson(*both), len(both[0])
    if between is None or pairs < FEWEST_PAIRS:
        return None
    return williams_test(max(first, second), min(first, second), between, pairs)


def _two_tailed(p: float) -> float:
    """Return p for a difference in either direction: nobody said in advance which one is better."""
    return min(1.0, 2 * p)


def _directed_bootstrap(
    difference: float, ours: FloatArray, theirs: FloatArray
) -> Bootstrap | None:
    """Return the paired bootstrap with p in the direction of the difference.

    Without a difference, p is the larger one of the two directions.
    """
    forth, back = paired_bootstrap(ours, theirs), paired_bootstrap(theirs, ours)
    if forth is None or back is None:
        return None
    if abs(difference) < EQUAL:
        return forth._replace(p=max(forth.p, back.p))
    return forth if difference > 0 else forth._replace(p=back.p)


def _correlation_between(one: ScoredRun, other: ScoredRun, name: str) -> float | None:
    """Return the correlation of two systems, if their numbers are unweighted correlations."""
    ours, theirs = one.score_pairs.get(name), other.score_pairs.get(name)
    if ours is None or theirs is None:
        return None
    if ours.weights is not None or theirs.weights is not None:
        return None
    return pearson(ours.scores, theirs.scores)
