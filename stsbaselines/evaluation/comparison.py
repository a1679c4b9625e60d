"""Comparing systems with the published runs of a task, and with each other."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from stsbaselines.baselines import names
from stsbaselines.data.catalogue import Task
from stsbaselines.data.find import require_all
from stsbaselines.errors import Fault, InputError, MissingDataError, unknown
from stsbaselines.evaluation.arrays import (
    NAME,
    are_arrays,
    by_dataset,
    is_array,
    outputs_of_arrays,
)
from stsbaselines.evaluation.explanation import chosen_convention, conventional
from stsbaselines.evaluation.outputs import Progress, no_progress, outputs_of
from stsbaselines.evaluation.results import (
    Comparison,
    ConventionResult,
    LargeError,
    MeasureResult,
)
from stsbaselines.evaluation.significance import ScoredRun, tests_by_convention, tests_of
from stsbaselines.evaluation.submission import (
    notes_on_names,
    output_files,
    read_gold,
    read_outputs,
    run_name,
)
from stsbaselines.evaluation.systems import Vectors, predictor_named
from stsbaselines.io.files import to_displayable
from stsbaselines.predictor import Predictor
from stsbaselines.reference.published import tables_of
from stsbaselines.reference.ranking import annotator_agreement, rank_of, ranking_of
from stsbaselines.scoring import conventions
from stsbaselines.scoring.correlation import fitted_to_gold
from stsbaselines.scoring.resampling import draw
from stsbaselines.scoring.significance import EQUAL, bootstrap_interval
from stsbaselines.tasks.base import family_of, text_of
from stsbaselines.tasks.labelled import as_task

RESAMPLES = 1000
MOST_RESAMPLES = 100_000
FEWEST_RESAMPLES = 100  # with fewer, the bounds of an interval are meaningless
SHOWN_ERRORS = 10
LARGEST_SEED = 1 << 32
CHUNKS = ("gold", "system")


def compare(
    task: str | Path | Task,
    systems: Mapping[str, Any] | Iterable[Any],
    dataset: str | None = None,
    mapping: Mapping[str, str] | None = None,
    chunks: str = "",
    data_dir: str | Path | None = None,
    resamples: int = RESAMPLES,
    random_state: int = 0,
    n_jobs: int = 1,
    progress: Progress = no_progress,
    cache: str | Path | None = None,
    convention: str | None = None,
) -> Comparison:
    """Compare systems with the published runs of a task, and with each other.

    Intervals and tests against published numbers use Fisher's z, one-tailed, as in the task
    papers; for F scores, the bootstrap. Systems are tested against each other by Williams'
    test and the paired bootstrap, because they are scored on the same pairs.

    Parameters
    ----------
    task : str, path or Task
        As for `stsbaselines.score`.
    systems : mapping of str to system, iterable of systems, or one system
        A system is the path of an output file or a folder of them; an array of scores, or a
        mapping of them by data set, as for `stsbaselines.score`; the name of a baseline; or what
        `stsbaselines.evaluation.systems.as_predictor` takes: a Predictor, an object with
        `encode`, or a function of two lists of sentences. Without a mapping, systems are named
        after their files or classes.
    dataset : str, optional
        Only this data set.
    mapping : mapping of str to str, optional
        Names of output files by data set, for the folders that contain such files; see
        `stsbaselines.score`.
    chunks : str
        For interpretable STS: ``gold`` or ``system``, whichever the systems were given. With
        ``system``, code gets plain sentences.
    data_dir : path, optional
        Where the data is searched first.
    resamples : int
        Number of bootstrap resamples.
    random_state : int
        Seed of the bootstrap.
    n_jobs : int
        Processes that predict.
    progress : callable
        Called with the number of pairs after each predicted chunk.
    cache : path, optional
        A folder that keeps the vectors of encoders and the scores of functions, for later runs.
        Models of sentence-transformers are recognised by their weights; other code needs an
        attribute `cache_key`.
    convention : str, optional
        Such as ``SimCSE``: the number by this convention of papers also gets an interval, by the
        bootstrap, and tests between the systems. See `stsbaselines.scoring.conventions`.

    Returns
    -------
    Comparison
        Official numbers with intervals and ranks, tests, conventions and largest errors.

    Raises
    ------
    InputError
        If an output is missing or malformed, the gold standard was not found, or two systems
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
    entry = as_task(task)
    entry.check_is_scored()
    _check_chunks(entry, chunks)
    check_resamples(resamples, random_state)
    named = named_systems(systems)
    mappings = _mappings(named, mapping or {})
    datasets = [entry.dataset(dataset)] if dataset else entry.datasets
    notes = [*entry.notes]
    outputs: dict[str, Mapping[str, Any]] = {}
    for name, system in named.items():
        if isinstance(system, str | Path):
            files = output_files(entry, Path(system), dataset, mappings[name])
            outputs[name] = read_outputs(entry, files)
            about = notes_on_names(entry, files, dataset, mappings[name])
            notes += [f"{name}: {note}" for note in about]
            continue
        if are_arrays(system):
            outputs[name], about = _outputs_of_arrays(name, system, entry, dataset, data_dir)
            notes += about
            continue
        own_chunks = system.get_params().get("chunks") if isinstance(system, Predictor) else None
        if chunks == "gold" and own_chunks == "system":
            raise InputError(f"{name} finds chunks itself: compare it with --chunks system.")
        is_plain = chunks == "system"
        try:
            found = outputs_of(system, entry, datasets, data_dir, n_jobs, progress, is_plain, cache)
        except MissingDataError:
            raise
        except InputError as error:
            raise InputError([f"{name}: {fault}" for fault in error.faults]) from error
        outputs[name] = found[0]
        notes += [f"{name}: {note}" for note in found[1]]
    used = {key for each in outputs.values() for key in each}
    gold = read_gold(entry, [each for each in entry.datasets if each.name in used], data_dir)
    runs = _score_runs(entry, gold, outputs, resamples, random_state, convention)
    measured = [each for run in runs for each in _measure(entry, run, chunks)]
    tests = [*tests_of(entry, runs, measured)]
    chosen = ""
    if convention is not None:
        found_convention, chosen = chosen_convention(convention, entry, runs[0].score_pairs)
        tests += tests_by_convention(entry, runs, found_convention, chosen)
    by_convention = [each for run in runs for each in _conventions(entry, run, chosen)]
    return Comparison(
        task=entry,
        systems=tuple(outputs),
        scores={run.name: run.scores for run in runs},
        measured=tuple(measured),
        tests=tuple(tests),
        conventions=tuple(by_convention),
        convention=chosen,
        score_pairs={
            (run.name, name): each for run in runs for name, each in run.score_pairs.items()
        },
        errors=tuple(_errors(entry, runs, data_dir)),
        notes=(
            *notes,
            *(f"{run.name}: {note}" for run in runs for note in run.scores.notes),
            *_disagreements([*outputs], by_convention),
        ),
    )


def check_resamples(resamples: int, random_state: int) -> None:
    """Refuse an implausible number of resamples, or seed."""
    if not isinstance(resamples, int) or not FEWEST_RESAMPLES <= resamples <= MOST_RESAMPLES:
        bounds = f"from {FEWEST_RESAMPLES} to {MOST_RESAMPLES}"
        raise InputError(f"resamples is {resamples}, but must be {bounds}.")
    if not isinstance(random_state, int) or not 0 <= random_state < LARGEST_SEED:
        raise InputError(f"the seed is {random_state}, but must be from 0 to {LARGEST_SEED - 1}.")


def _outputs_of_arrays(
    name: str, system: Any, task: Task, dataset: str | None, data_dir: str | Path | None
) -> tuple[dict[str, Any], list[str]]:
    """Return the outputs that arrays make; in notes and errors, they are called `name`."""
    try:
        arrays, notes = by_dataset(system, task, dataset)
        gold = read_gold(task, [task.dataset(each) for each in arrays], data_dir)
        found = outputs_of_arrays(arrays, task, gold)
    except MissingDataError:
        raise
    except InputError as error:
        raise InputError([f"{name}: {fault}" for fault in error.faults]) from None
    return found, [f"{name}: {note}" for note in notes]


def _check_chunks(task: Task, chunks: str) -> None:
    if chunks and task.family != "ists":
        raise InputError(f"{task.task} has no chunks; only interpretable STS tasks have them.")
    if chunks and chunks not in CHUNKS:
        raise unknown("kind of chunks", chunks, CHUNKS)
    if not chunks and any(each.chunks for each in tables_of() if each.task == task.task):
        raise InputError(
            f"{task.task} ranks systems that were given gold chunks apart from those with system"
            " chunks: pass --chunks gold or --chunks system."
        )


def _mappings(
    systems: Mapping[str, Any], mapping: Mapping[str, str]
) -> dict[str, Mapping[str, str]]:
    """Return for each folder the part of a mapping whose files it contains."""
    folders = {name: Path(each) for name, each in systems.items() if isinstance(each, str | Path)}
    found: dict[str, Mapping[str, str]] = {
        name: {dataset: file for dataset, file in mapping.items() if (folder / file).exists()}
        for name, folder in folders.items()
    }
    for dataset, file in mapping.items():
        if not any(dataset in each for each in found.values()):
            raise InputError(f"--map {dataset}={file}: no compared folder has this file.")
    return found


def named_systems(systems: Mapping[str, Any] | Iterable[Any]) -> dict[str, Any]:
    """Return systems by name, as `compare` takes them."""
    if isinstance(systems, Mapping):
        named = [*systems.items()]
    elif isinstance(systems, str | Path) or not isinstance(systems, Iterable) or is_array(systems):
        named = [(_name_of_system(systems), systems)]
    else:
        named = [(_name_of_system(each), each) for each in systems]
    found: dict[str, Any] = {}
    for name, system in named:
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise InputError([Fault("a system's name", ascii(name), "printable text")])
        if name in found:
            raise InputError(f"two systems are called {name!r}: give them other names.")
        is_baseline = system in names() if isinstance(system, str) else False
        found[name] = (
            predictor_named(system) if is_baseline and not Path(system).exists() else system
        )
    if not found:
        raise InputError(
            "there is no system to compare: name output files or folders, or systems by code."
        )
    return found


def _name_of_system(system: Any) -> str:
    if are_arrays(system):
        return NAME
    path = system.folder if isinstance(system, Vectors) else system
    if isinstance(path, str | Path):
        return to_displayable(run_name(path))
    name = getattr(system, "name", None) or getattr(system, "__name__", None)
    return name if isinstance(name, str) else type(system).__name__


def _score_runs(
    task: Task,
    gold: Mapping[str, Any],
    outputs: Mapping[str, Mapping[str, Any]],
    resamples: int,
    random_state: int,
    convention: str | None,
) -> list[ScoredRun]:
    """Score all systems, also on the same resampled pairs."""
    family = family_of(task)
    counts = {}
    for name, each in gold.items():
        counted = family.countable(each)
        seed = [random_state, task.dataset_names.index(name)]
        counts[name] = np.zeros((resamples, len(counted)), dtype=np.int16)
        counts[name][:, counted] = draw(int(counted.sum()), resamples, seed)
    runs = []
    for name, output in outputs.items():
        own = {key: gold[key] for key in output}
        scores = family.score(task, name, own, output)
        resampled = family.resampled(task, own, output, counts)
        score_pairs = family.score_pairs(task, own, output)
        run = ScoredRun(name, task.family, scores, score_pairs, resampled)
        if convention is not None:
            chosen, _ = chosen_convention(convention, task, score_pairs)
            parts = run.parts(task.dataset_names)
            drawn = {each: counts[each][:, score_pairs[each].lines - 1] for each in parts}
            run = replace(run, by_convention=conventions.resampled(chosen, parts, drawn))
        runs.append(run)
    return runs


def _measure(task: Task, run: ScoredRun, chunks: str) -> Iterator[MeasureResult]:
    cells = run.scores.cells()
    for name in task.cell_names:
        if name not in cells:
            continue
        value, ranking = cells[name], ranking_of(task.task, name, chunks)
        yield MeasureResult(
            system=run.name,
            name=name,
            value=value,
            pairs=run.pairs(name),
            interval=None if value is None else run.interval(name, value),
            rank=rank_of(*ranking, value, task.decimals) if ranking and value is not None else None,
            annotator_agreement=annotator_agreement(*ranking) if ranking else None,
        )


def _conventions(task: Task, run: ScoredRun, chosen: str) -> Iterator[ConventionResult]:
    others = conventional(task, run.score_pairs)
    cells = run.scores.cells()
    for name in task.measures if others else ():
        if name in cells:
            signature = re.sub(r"aggregate:[^|]*", f"aggregate:{name}", run.scores.signature)
            yield ConventionResult(run.name, f"official {name}", cells[name], signature)
    for name, value, signature in others:
        interval = None
        if name == chosen and run.by_convention is not None:
            interval = bootstrap_interval(run.by_convention)
        yield ConventionResult(run.name, name, value, signature, interval)


def _disagreements(systems: Sequence[str], results: Sequence[ConventionResult]) -> Iterator[str]:
    """Yield a note for each two systems of which each is better by some conventions."""
    values = {(each.system, each.name): each.value for each in results}
    names = [*dict.fromkeys(each.name for each in results)]
    for one, other in itertools.combinations(systems, 2):
        pairs = {name: (values.get((one, name)), values.get((other, name))) for name in names}
        defined = {key: a - b for key, (a, b) in pairs.items() if a is not None and b is not None}
        better = [name for name, difference in defined.items() if difference > EQUAL]
        worse = [name for name, difference in defined.items() if difference < -EQUAL]
        if better and worse:
            yield (
                f"conventions disagree: {one} is better than {other} by {', '.join(better)}, but"
                f" worse by {', '.join(worse)}"
            )


def _errors(
    task: Task, runs: Sequence[ScoredRun], data_dir: str | Path | None
) -> Iterator[LargeError]:
    """Yield the largest errors of each system, with their sentences if these are available."""
    sentences: dict[str, list[tuple[str, str]] | None] = {}
    for run in runs:
        found = _errors_of_scores(task, run) if run.score_pairs else _errors_of_alignments(run)
        largest = sorted(found, key=lambda each: (-each.off, each.dataset, each.pair))
        for each in largest[:SHOWN_ERRORS]:
            if each.dataset not in sentences:
                sentences[each.dataset] = _sentences(task, each.dataset, data_dir)
            texts = sentences[each.dataset]
            yield each._replace(sentences=texts[each.pair - 1] if texts else None)


def _errors_of_scores(task: Task, run: ScoredRun) -> Iterator[LargeError]:
    for name, score_pairs in run.score_pairs.items():
        dataset = name if name in task.dataset_names else task.dataset_names[0]
        fitted = fitted_to_gold(score_pairs.scores, score_pairs.gold)
        if fitted is None or (name not in task.dataset_names and len(task.datasets) > 1):
            continue
        off = np.abs(fitted - score_pairs.gold)
        for index in np.argsort(-off, kind="stable")[:SHOWN_ERRORS].tolist():
            yield LargeError(
                system=run.name,
                dataset=dataset,
                pair=int(score_pairs.lines[index]),
                measure=name if task.family == "typed" else "score",
                predicted=float(score_pairs.scores[index]),
                gold=float(score_pairs.gold[index]),
                off=float(off[index]),
                sentences=None,
            )


def _errors_of_alignments(run: ScoredRun) -> Iterator[LargeError]:
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
    return [(text_of(left), text_of(right)) for left, right in pairs]
