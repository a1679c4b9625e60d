"""Comparing systems with the published runs of a task, and with each other."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from stsbaselines.data.catalogue import Task, find_task
from stsbaselines.data.find import require_all
from stsbaselines.errors import Fault, InputError, MissingDataError, unknown
from stsbaselines.evaluation.explanation import conventional
from stsbaselines.evaluation.results import (
    ABOVE,
    BASELINE,
    BELOW,
    BOOTSTRAP,
    BOOTSTRAP_INTERVAL,
    FISHER,
    SYSTEM,
    WILLIAMS,
    Comparison,
    ConventionResult,
    LargeError,
    MeasureResult,
    SignificanceTest,
)
from stsbaselines.evaluation.submission import output_files, read_gold, read_outputs, run_name
from stsbaselines.evaluation.systems import Progress, Vectors, no_progress, outputs_of
from stsbaselines.io import to_displayable
from stsbaselines.predictor import Predictor
from stsbaselines.reference.published import Row, tables_of
from stsbaselines.reference.ranking import annotator_agreement, name_of, rank_of, ranking_of
from stsbaselines.scoring.correlation import FloatArray, fitted_to_gold, pearson
from stsbaselines.scoring.resampling import draw
from stsbaselines.scoring.significance import (
    EQUAL,
    FEWEST_PAIRS,
    Bootstrap,
    Interval,
    bootstrap_interval,
    fisher_interval,
    fisher_test,
    paired_bootstrap,
    williams_test,
)
from stsbaselines.tasks.base import ScorePairs, Scores, family_of

RESAMPLES = 1000
MOST_RESAMPLES = 100_000
FEWEST_RESAMPLES = 100  # of fewer, the bounds of an interval say nothing
LEVEL = 0.05
SHOWN_ERRORS = 10
LARGEST_SEED = 1 << 32
CHUNKS = ("gold", "system")
_CORRELATED_FAMILIES = ("sts", "typed")


@dataclass(frozen=True)
class _Run:
    """A system's scores, and what tests of them need."""

    name: str
    scores: Scores
    score_pairs: Mapping[str, ScorePairs]
    resampled: Mapping[str, FloatArray]

    def is_correlation(self, name: str) -> bool:
        """Tell whether a number is a correlation, or an aggregate that the papers treat so."""
        return (
            name in self.score_pairs or find_task(self.scores.task).family in _CORRELATED_FAMILIES
        )

    def pairs(self, name: str) -> int:
        """Return on how many pairs a number is: those of weight 0 do not count."""
        if name in self.score_pairs:
            score_pairs = self.score_pairs[name]
            weights = score_pairs.scores if score_pairs.weights is None else score_pairs.weights
            return len(weights) if score_pairs.weights is None else int((weights > 0).sum())
        counts = {
            key: self.pairs(key) if key in self.score_pairs else int(each["n"] or 0)
            for key, each in self.scores.datasets.items()
        }
        return next(
            (n for key, n in counts.items() if name.startswith(f"{key}_")), sum(counts.values())
        )


def compare(
    task: str,
    systems: Mapping[str, Any] | Iterable[Any],
    dataset: str | None = None,
    mapping: Mapping[str, str] | None = None,
    chunks: str = "",
    data_dir: str | Path | None = None,
    resamples: int = RESAMPLES,
    random_state: int = 0,
    n_jobs: int = 1,
    progress: Progress = no_progress,
) -> Comparison:
    """Compare systems with the published runs of a task, and with each other.

    Intervals and tests against published numbers are by Fisher's z, one-tailed, as in the task
    papers; for F scores, by the bootstrap. Systems are tested against each other by Williams'
    test and the paired bootstrap, since they depend on each other.

    Parameters
    ----------
    task : str
        Such as ``sts2015``.
    systems : mapping of str to system, iterable of systems, or one system
        A system is the path of an output file or a folder of them, or what
        `as_predictor` takes: a Predictor, an object with `encode`, or a callable on two lists of
        sentences. Without a mapping, paths and classes give the names.
    dataset : str, optional
        Only this data set.
    mapping : mapping of str to str, optional
        Names of output files by data set, for the folders that have such files; see
        `stsbaselines.score`.
    chunks : str
        For interpretable STS: ``gold`` or ``system``, whichever the systems were given. With
        ``system``, code gets plain sentences.
    data_dir : path, optional
        Where the data is looked for first.
    resamples : int
        Of the bootstrap.
    random_state : int
        Its seed.
    n_jobs : int
        Processes that predict.
    progress : callable
        Called with the number of pairs after each chunk that was predicted.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        If an output is missing or malformed, the gold standard is not here, or two systems
        have the same name.

    Examples
    --------
    >>> def overlap(left, right):
    ...     return [len({*a.split()} & {*b.split()}) for a, b in zip(left, right)]
    >>> def length(left, right):
    ...     return [min(len(a), len(b)) for a, b in zip(left, right)]
    >>> found = compare("sample-sts", {"overlap": overlap, "length": length})
    >>> [(each.system, round(each.value, 2)) for each in found.measured if each.name == "Mean"]
    [('overlap', 0.46), ('length', 0.21)]
    """
    entry = find_task(task)
    entry.check_is_scored()
    _check_chunks(entry, chunks)
    if not isinstance(resamples, int) or not FEWEST_RESAMPLES <= resamples <= MOST_RESAMPLES:
        bounds = f"from {FEWEST_RESAMPLES} to {MOST_RESAMPLES}"
        raise InputError(f"resamples is {resamples}, but must be {bounds}.")
    if not isinstance(random_state, int) or not 0 <= random_state < LARGEST_SEED:
        raise InputError(f"the seed is {random_state}, but must be from 0 to {LARGEST_SEED - 1}.")
    notes: list[str] = []
    outputs: dict[str, Mapping[str, Any]] = {}
    named = _named(systems)
    mappings = _mappings(named, mapping or {})
    wanted = [entry.dataset(dataset)] if dataset else entry.datasets
    is_plain = chunks == "system"
    for name, system in named.items():
        if isinstance(system, str | Path):
            files = output_files(entry, Path(system), dataset, mappings[name])
            outputs[name] = read_outputs(entry, files)
            continue
        _check_its_chunks(name, system, chunks)
        try:
            found = outputs_of(system, entry, wanted, data_dir, n_jobs, progress, is_plain)
        except MissingDataError:
            raise
        except InputError as error:
            raise InputError([f"{name}: {fault}" for fault in error.faults]) from error
        outputs[name] = found[0]
        notes += [f"{name}: {note}" for note in found[1]]
    used = {key for each in outputs.values() for key in each}
    gold = read_gold(entry, [each for each in entry.datasets if each.name in used], data_dir)
    runs = _scored(entry, gold, outputs, resamples, random_state)
    measured = [each for run in runs for each in _measured(entry, run, chunks)]
    return Comparison(
        task=entry,
        systems=tuple(outputs),
        scores={run.name: run.scores for run in runs},
        measured=tuple(measured),
        tests=tuple(_tests(entry, runs, measured)),
        conventions=tuple(each for run in runs for each in _conventions(entry, run)),
        score_pairs={
            (run.name, name): each for run in runs for name, each in run.score_pairs.items()
        },
        errors=tuple(_errors(entry, runs, data_dir)),
        notes=tuple(_notes(notes, runs)),
    )


def _check_chunks(task: Task, chunks: str) -> None:
    is_ranked = any(each.chunks for each in tables_of() if each.task == task.task)
    if chunks and (chunks not in CHUNKS or task.family != "ists"):
        if task.family != "ists":
            raise InputError(
                f"{task.task} has no chunks: only tasks of interpretable STS have some."
            )
        raise unknown("kind of chunks", chunks, CHUNKS)
    if is_ranked and not chunks:
        raise InputError(
            f"{task.task} ranks systems that were given gold chunks apart from those with system"
            " chunks: say --chunks gold or --chunks system."
        )


def _check_its_chunks(name: str, system: Any, chunks: str) -> None:
    """Refuse a baseline that finds chunks itself among those that were given them."""
    own = system.get_params().get("chunks") if isinstance(system, Predictor) else None
    if chunks == "gold" and own == "system":
        raise InputError(f"{name} finds chunks itself, so it is to be compared by chunks: system.")


def _mappings(
    systems: Mapping[str, Any], mapping: Mapping[str, str]
) -> dict[str, Mapping[str, str]]:
    """Return for each folder the part of a mapping whose files are there.

    Raises
    ------
    InputError
        If a file is in no folder.
    """
    folders = {name: Path(each) for name, each in systems.items() if isinstance(each, str | Path)}
    found: dict[str, Mapping[str, str]] = {
        name: {dataset: file for dataset, file in mapping.items() if (folder / file).exists()}
        for name, folder in folders.items()
    }
    for dataset, file in mapping.items():
        if not any(dataset in each for each in found.values()):
            raise InputError(f"--map {dataset}={file}: no folder that is compared has this file.")
    return found


def _named(systems: Mapping[str, Any] | Iterable[Any]) -> dict[str, Any]:
    if isinstance(systems, Mapping):
        named = [*systems.items()]
    elif isinstance(systems, str | Path) or not isinstance(systems, Iterable):
        named = [(_name(systems), systems)]
    else:
        named = [(_name(each), each) for each in systems]
    found: dict[str, Any] = {}
    for name, system in named:
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise InputError([Fault("a system's name", ascii(name), "printable text")])
        if name in found:
            raise InputError(f"two systems are called {name!r}: give them other names.")
        found[name] = system
    if not found:
        raise InputError(
            "there is no system to compare: name output files or folders, or systems by code."
        )
    return found


def _name(system: Any) -> str:
    place = system.folder if isinstance(system, Vectors) else system
    if isinstance(place, str | Path):
        return to_displayable(run_name(Path(place)))
    name = getattr(system, "name", None) or getattr(system, "__name__", None)
    return name if isinstance(name, str) else type(system).__name__


def _scored(
    task: Task,
    gold: Mapping[str, Any],
    outputs: Mapping[str, Mapping[str, Any]],
    resamples: int,
    random_state: int,
) -> list[_Run]:
    """Score all systems, and again on the same resampled pairs."""
    family = family_of(task)
    counts = {}
    for name, each in gold.items():
        counted = family.countable(each)
        seed = [random_state, task.dataset_names.index(name)]
        drawn = np.zeros((resamples, len(counted)), dtype=np.int16)
        drawn[:, counted] = draw(int(counted.sum()), resamples, seed)
        counts[name] = drawn
    runs = []
    for name, output in outputs.items():
        mine = {key: gold[key] for key in output}
        scores = family.score(task, name, mine, output)
        resampled = family.resampled(task, mine, output, counts)
        runs.append(_Run(name, scores, family.score_pairs(task, mine, output), resampled))
    return runs


def _measured(task: Task, run: _Run, chunks: str) -> Iterator[MeasureResult]:
    cells = run.scores.cells()
    for name in task.cell_names:
        if name not in cells:
            continue
        value, found = cells[name], ranking_of(task.task, name, chunks)
        yield MeasureResult(
            system=run.name,
            name=name,
            value=value,
            pairs=run.pairs(name),
            interval=None if value is None else _interval(run, name, value),
            place=rank_of(*found, value, task.decimals) if found and value is not None else None,
            annotator_agreement=annotator_agreement(*found) if found else None,
        )


def _interval(run: _Run, name: str, value: float) -> Interval | None:
    if not run.is_correlation(name):
        return bootstrap_interval(run.resampled[name])
    pairs = run.pairs(name)
    return fisher_interval(value, pairs) if pairs >= FEWEST_PAIRS else None


def _tests(
    task: Task, runs: Sequence[_Run], measured: Iterable[MeasureResult]
) -> Iterator[SignificanceTest]:
    by_name = {run.name: run for run in runs}
    for each in measured:
        yield from _against_published(by_name[each.system], each)
    for one, other in itertools.combinations(runs, 2):
        mine, theirs = one.scores.cells(), other.scores.cells()
        for name in task.cell_names:
            first, second = mine.get(name), theirs.get(name)
            if first is not None and second is not None:
                yield from _between(one, other, name, first, second)


def _against_published(run: _Run, each: MeasureResult) -> Iterator[SignificanceTest]:
    """Test a number against the baselines of the table and its neighbours there."""
    if each.place is None or each.value is None:
        return
    others = [
        *((BASELINE, row) for row in each.place.baselines),
        (ABOVE, each.place.above),
        (BELOW, each.place.below),
    ]
    seen: list[Row] = []
    for relation, row in others:
        if row is None or row in seen:
            continue
        seen.append(row)
        theirs = float(row.values[each.place.column])
        context = (each.system, name_of(row), relation, each.name)
        if run.is_correlation(each.name) and each.pairs >= FEWEST_PAIRS:
            yield _fisher(context, each.value, theirs, each.pairs)
        elif each.interval:
            outside = not each.interval.low <= theirs <= each.interval.high
            difference = each.value - theirs
            yield SignificanceTest(*context, BOOTSTRAP_INTERVAL, difference, None, None, outside)


def _fisher(
    context: tuple[str, str, str, str], ours: float, theirs: float, pairs: int
) -> SignificanceTest:
    test = fisher_test(max(ours, theirs), pairs, min(ours, theirs), pairs)
    statistic = math.copysign(test.statistic, ours - theirs)
    return SignificanceTest(*context, FISHER, ours - theirs, statistic, test.p, test.p < LEVEL)


def _between(
    one: _Run, other: _Run, name: str, first: float, second: float
) -> Iterator[SignificanceTest]:
    """Test two systems whose outputs are at hand; the last test is the one to quote."""
    context = (one.name, other.name, SYSTEM, name)
    pairs = min(one.pairs(name), other.pairs(name))
    if one.is_correlation(name) and pairs >= FEWEST_PAIRS:
        yield _fisher(context, first, second, pairs)
    between = _between_systems(one, other, name) if pairs >= FEWEST_PAIRS else None
    found = _bootstrapped(first - second, one.resampled[name], other.resampled[name])
    if found is not None:
        yield SignificanceTest(
            *context,
            BOOTSTRAP,
            first - second,
            None,
            found.p,
            found.p < LEVEL,
            quote=between is None,
            interval=found.interval,
        )
    if between is not None:
        test = williams_test(max(first, second), min(first, second), between, pairs)
        statistic = math.copysign(test.statistic, first - second)
        yield SignificanceTest(
            *context, WILLIAMS, first - second, statistic, test.p, test.p < LEVEL, quote=True
        )


def _bootstrapped(difference: float, mine: FloatArray, theirs: FloatArray) -> Bootstrap | None:
    """Return the paired bootstrap with the p in the direction of the difference.

    Of no difference, it is the larger p of both directions.
    """
    forth, back = paired_bootstrap(mine, theirs), paired_bootstrap(theirs, mine)
    if forth is None or back is None:
        return None
    if abs(difference) < EQUAL:
        return forth._replace(p=max(forth.p, back.p))
    return forth if difference > 0 else forth._replace(p=back.p)


def _between_systems(one: _Run, other: _Run, name: str) -> float | None:
    """Return the correlation of two systems, if their numbers are plain correlations."""
    mine, theirs = one.score_pairs.get(name), other.score_pairs.get(name)
    if mine is None or theirs is None:
        return None
    if mine.weights is not None or theirs.weights is not None:
        return None
    return pearson(mine.scores, theirs.scores)


def _conventions(task: Task, run: _Run) -> Iterator[ConventionResult]:
    others = conventional(task, run.score_pairs)
    cells = run.scores.cells()
    for name in task.measures if others else ():
        if name in cells:
            value = cells[name]
            signature = re.sub(r"aggregate:[^|]*", f"aggregate:{name}", run.scores.signature)
            yield ConventionResult(run.name, f"official {name}", value, signature)
    for name, value, signature in others:
        yield ConventionResult(run.name, name, value, signature)


def _notes(notes: Iterable[str], runs: Iterable[_Run]) -> list[str]:
    return [*notes, *(f"{run.name}: {note}" for run in runs for note in run.scores.notes)]


def _errors(task: Task, runs: Sequence[_Run], data_dir: str | Path | None) -> Iterator[LargeError]:
    """Yield the largest errors of each system, with their sentences if these are here."""
    sentences: dict[str, list[tuple[str, str]] | None] = {}
    for run in runs:
        found = _errors_of_points(task, run) if run.score_pairs else _errors_of_alignments(run)
        largest = sorted(found, key=lambda each: (-each.off, each.dataset, each.pair))
        for each in largest[:SHOWN_ERRORS]:
            if each.dataset not in sentences:
                sentences[each.dataset] = _sentences(task, each.dataset, data_dir)
            texts = sentences[each.dataset]
            yield each._replace(sentences=texts[each.pair - 1] if texts else None)


def _errors_of_points(task: Task, run: _Run) -> Iterator[LargeError]:
    for name, score_pairs in run.score_pairs.items():
        dataset = name if name in task.dataset_names else task.dataset_names[0]
        fitted = fitted_to_gold(score_pairs.scores, score_pairs.gold)
        if fitted is None or (name not in task.dataset_names and len(task.datasets) > 1):
            continue
        off = np.abs(fitted - score_pairs.gold)
        is_type = task.family == "typed"
        for place_ in np.argsort(-off, kind="stable")[:SHOWN_ERRORS].tolist():
            yield LargeError(
                system=run.name,
                dataset=dataset,
                pair=int(score_pairs.lines[place_]),
                measure=name if is_type else "score",
                predicted=float(score_pairs.scores[place_]),
                gold=float(score_pairs.gold[place_]),
                off=float(off[place_]),
                sentences=None,
            )


def _errors_of_alignments(run: _Run) -> Iterator[LargeError]:
    for dataset, tables in run.scores.details.items():
        for row in tables["pairs"]:
            if row["TS"] is not None:
                off = 1 - row["TS"]
                yield LargeError(run.name, dataset, row["pair"], "TS", row["TS"], 1.0, off, None)


def _sentences(task: Task, name: str, data_dir: str | Path | None) -> list[tuple[str, str]] | None:
    dataset = task.dataset(name)
    try:
        files = require_all(task, dataset, data_dir)
        pairs = list(family_of(task).read_inputs(files, task, dataset))
    except MissingDataError:
        return None
    return [(_text(left), _text(right)) for left, right in pairs]


def _text(side: Any) -> str:
    """Return the text of a sentence, chunked or not, or the titles of a record."""
    if isinstance(side, str):
        return side
    return side.text if hasattr(side, "text") else "; ".join(side.title)
