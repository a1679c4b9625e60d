"""From a configuration to predictions, scores and the comparison with published numbers."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from stsbaselines.baselines import create
from stsbaselines.data.catalogue import DataSet, Task, find_task
from stsbaselines.data.find import require_all
from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.evaluation.prediction import output_lines
from stsbaselines.evaluation.submission import read_gold
from stsbaselines.evaluation.systems import Progress, available, check_kind, no_progress
from stsbaselines.experiments.config import BaselineConfig, ExperimentConfig, read_config
from stsbaselines.experiments.ledger import NOT_PUBLISHED, LedgerEntry, cells_of, published_row
from stsbaselines.experiments.training import (
    BaselineSetup,
    Inputs,
    files_read,
    fitted,
    folders_of,
    pairs_of_a_run,
    pairs_to_train_on,
    prepare,
    validate_training,
)
from stsbaselines.io import (
    atomic_write,
    checksum,
    make_folder,
    remove_unfinished,
    to_json,
    write_bytes,
    write_text,
)
from stsbaselines.journal import Journal, open_journal, versions
from stsbaselines.predictor import Predictor
from stsbaselines.tasks import typed
from stsbaselines.tasks.base import Scores, family_of
from stsbaselines.tasks.records import text_of, xml_of

if TYPE_CHECKING:
    from stsbaselines.baselines.typed_tfidf import Evidence

KEPT_SEEDS = 10
EVIDENCE = "evidence.jsonl"
SHOWN_PAIRS = 10
JOURNAL = "run.journal.jsonl"
_REMEDY = "without --resume the run begins anew"


@dataclass(frozen=True)
class BaselineResult:
    """What one baseline of an experiment gave: scores of each seed, and cells.

    `evidence` says for each of a few pairs why they are similar, if the baseline tells.
    """

    config: BaselineConfig
    runs: tuple[Scores, ...]
    cells: tuple[LedgerEntry, ...]
    notes: tuple[str, ...] = ()
    evidence: tuple[list[Evidence], ...] = ()


@dataclass(frozen=True)
class Results:
    """What an experiment gave.

    Attributes
    ----------
    task : Task
    baselines : tuple of BaselineResult
    fallback_for : str
        Why the configuration that was asked for could not be run, if this is another one.
    """

    task: Task
    baselines: tuple[BaselineResult, ...]
    fallback_for: str = ""

    @property
    def notes(self) -> list[str]:
        """What is to be known of the data that the baselines ran on, each note once."""
        notes = list(dict.fromkeys(note for each in self.baselines for note in each.notes))
        absent = ", ".join(
            each.config.title for each in self.baselines if each.config.model and not each.cells
        )
        why = "Not run, since their models are not here (see `stsbaselines train`)"
        return [*notes, f"{why}: {absent}."] if absent else notes

    @property
    def cells(self) -> list[LedgerEntry]:
        """All cells, baseline by baseline."""
        return [cell for baseline in self.baselines for cell in baseline.cells]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        return {
            "task": self.task.task,
            "title": self.task.title,
            "fallback_for": self.fallback_for,
            "notes": self.notes,
            "baselines": [
                {
                    "name": baseline.config.title,
                    **baseline.config.model_dump(exclude={"name", "published", "explained"}),
                    "cells": [cell.to_dict() for cell in baseline.cells],
                    "runs": [scores.to_dict() for scores in baseline.runs],
                }
                for baseline in self.baselines
            ],
        }


@dataclass(frozen=True)
class _Shared:
    """What all baselines of an experiment are run with; their outputs go to folders in `place`."""

    task: Task
    datasets: list[DataSet]
    inputs: Inputs
    gold: Mapping[str, Any]
    place: Path
    n_jobs: int
    progress: Progress


class _Finished(BaseModel):
    """A line of the journal: a run of a baseline whose outputs were written and scored.

    Attributes
    ----------
    baseline, folder : str
        Its title, and the subfolder of the run.
    files : dict of str to str
        Checksums of its outputs, if they are kept.
    scores : Scores or None
        Its scores, if they are not.
    """

    baseline: str
    folder: str
    files: dict[str, str] = {}
    scores: Scores | None = None


def run(
    config: ExperimentConfig,
    out: Path,
    data_dir: str | Path | None = None,
    n_jobs: int = 1,
    progress: Progress = no_progress,
    resume: bool = False,
) -> Results:
    """Run the baselines of a configuration, write and score their official output files.

    Parameters
    ----------
    config : ExperimentConfig
    out : Path
        Output files go to ``out/TASK/BASELINE/``, those of the first ten of several
        seeds to ``out/TASK/BASELINE/seed-N/``, and everything, unrounded, to
        ``out/TASK/results.json``; of a configuration with a group, to ``out/GROUP/TASK/``.
        ``run.journal.jsonl`` beside it says what is finished.
    data_dir : path, optional
        Where the data is looked for first.
    n_jobs : int
        Processes.
    progress : callable
        Called with the number of pairs after each training and each chunk; before them, once for
        all that is not done again.
    resume : bool
        Whether what an earlier run into `out` has finished is not done again, also if it was
        killed. What is finished is a baseline with one seed, if its output files are still the
        same; of seeds that keep no files, the journal has the scores. A baseline that says why
        pairs are similar is always done again.

    Returns
    -------
    Results

    Raises
    ------
    InputError
        If data is missing or wrong, another process runs into the same folder, or, with
        `resume`, the earlier run was of another configuration, with other data, or by other
        versions. A data set that may not be redistributed is left out, and said to be, if its
        sentences are not here.
    """
    task = find_task(config.task)
    validate(config)
    datasets, notes = available(task, task.datasets, data_dir)
    inputs = {each.name: require_all(task, each, data_dir) for each in datasets}
    gold = read_gold(task, datasets, data_dir)
    prepared = [prepare(task, each, data_dir, notes, inputs, n_jobs) for each in config.baselines]
    place = out / config.group / task.task
    make_folder(place)
    shared = _Shared(task, datasets, inputs, gold, place, n_jobs, progress)
    identity = _identity(config, prepared, inputs, data_dir)
    with open_journal(place / JOURNAL, identity, not resume, _REMEDY) as journal:
        results = _run_all(shared, config.baselines, prepared, journal)
        _write_results(results, place.parent)
    return results


def _identity(
    config: ExperimentConfig,
    prepared: Sequence[BaselineSetup],
    inputs: Inputs,
    data_dir: str | Path | None,
) -> dict[str, Any]:
    """Return what must be the same for a run to be resumed, by what an error calls it."""
    files = {f"{role} of {name}": path for name in inputs for role, path in inputs[name].items()}
    for baseline, needs in zip(config.baselines, prepared, strict=True):
        files.update(files_read(baseline, needs, data_dir))
    return {
        "configuration": config.model_dump(mode="json"),
        **versions(),
        **{name: checksum(path) for name, path in files.items()},
    }


def _run_all(
    shared: _Shared,
    baselines: Sequence[BaselineConfig],
    prepared: Sequence[BaselineSetup],
    journal: Journal,
) -> Results:
    """Run the baselines one by one, but for what the journal says is finished."""
    remove_unfinished(shared.place / "results.json")
    finished = _finished_runs(journal)
    todo = [
        (baseline, needs, _known_scores(shared, baseline, needs, finished))
        for baseline, needs in zip(baselines, prepared, strict=True)
    ]
    skipped = sum(
        len(known) * pairs_of_a_run(baseline, needs, shared.datasets)
        for baseline, needs, known in todo
    )
    if skipped:
        shared.progress(skipped)
    results, missing = [], set()
    for baseline, needs, known in todo:
        needs, runs, evidence = _run_baseline(shared, baseline, needs, known, journal)
        missing.add(needs.why_missing)
        results.append(_result(shared.task, shared.datasets, baseline, needs, runs, evidence))
    if not any(each.runs for each in results):
        raise MissingDataError(sorted(missing))
    return Results(shared.task, tuple(results))


def _finished_runs(journal: Journal) -> dict[tuple[str, str], _Finished]:
    """Return the lines of a journal by baseline and subfolder; the last one counts."""
    found = {}
    for entry in journal.entries:
        with contextlib.suppress(ValidationError):
            line = _Finished.model_validate(entry)
            found[line.baseline, line.folder] = line
    return found


def _known_scores(
    shared: _Shared,
    baseline: BaselineConfig,
    needs: BaselineSetup,
    finished: Mapping[tuple[str, str], _Finished],
) -> dict[str, Scores]:
    """Return the scores of those runs of a baseline that need not be done again, by subfolder."""
    found = {}
    for number, folder in enumerate(folders_of(baseline, needs)):
        line = finished.get((baseline.title, folder))
        target = shared.place / baseline.title / folder
        if line and line.scores and number >= KEPT_SEEDS:
            found[folder] = line.scores
        elif line and number < KEPT_SEEDS and line.files == _checksums(shared, target):
            found[folder] = _scored(shared, target, baseline.title)
    return found


def _checksums(shared: _Shared, folder: Path) -> dict[str, str]:
    """Return the checksums of the outputs in a folder that are there."""
    files = [folder / each.output for each in shared.datasets]
    return {path.name: checksum(path) for path in files if path.is_file()}


def _run_baseline(
    shared: _Shared,
    baseline: BaselineConfig,
    needs: BaselineSetup,
    known: Mapping[str, Scores],
    journal: Journal,
) -> tuple[BaselineSetup, list[Scores], list[list[Evidence]]]:
    """Return the scores of each run of a baseline, and why a few pairs are similar, if it tells.

    What it needs comes first, which may turn out to be missing.
    """
    runs: list[Scores] = []
    evidence: list[list[Evidence]] = []
    try:
        with tempfile.TemporaryDirectory() as temporary:
            for folder, models in fitted(baseline, needs, shared.datasets, shared.progress, known):
                if folder in known:
                    runs.append(known[folder])
                    continue
                is_kept = len(runs) < KEPT_SEEDS
                target = (shared.place / baseline.title if is_kept else Path(temporary)) / folder
                evidence = _predict(shared, models, target)
                runs.append(_scored(shared, target, baseline.title))
                if any(map(_explains, models.values())):
                    continue
                known_by = (
                    {"files": _checksums(shared, target)}
                    if is_kept
                    else {"scores": asdict(runs[-1])}
                )
                journal.append({"baseline": baseline.title, "folder": folder, **known_by})
    except MissingDataError as error:
        return replace(needs, why_missing=str(error), can_run=False), [], evidence
    return needs, runs, evidence


def _result(
    task: Task,
    datasets: Sequence[DataSet],
    baseline: BaselineConfig,
    prepared: BaselineSetup,
    runs: list[Scores],
    evidence: list[list[Evidence]],
) -> BaselineResult:
    """Return the cells of a baseline beside the published ones, with what is to be known."""
    row = published_row(task, baseline)
    labelled = "" if baseline.model else prepared.trained_on
    cells = cells_of(task, baseline, runs, row, prepared.why_missing, labelled)
    is_extra = baseline.is_extra and not row
    judged = _not_published(cells, baseline, prepared) if is_extra else cells
    shown = tuple(_with_reason(cell, _left_out(datasets, runs)) for cell in judged)
    about = [*prepared.notes]
    if baseline.fit_on_inputs and runs:
        about.append(f"{baseline.title}: fitted on the pairs it predicts, without their gold.")
    if prepared.trained_on and not (is_extra and baseline.model):
        about.append(f"{baseline.title}: {prepared.trained_on}.")
    if not prepared.can_run and not (is_extra and baseline.model):
        about.append(f"{baseline.title} did not run. {prepared.why_missing}")
    return BaselineResult(baseline, tuple(runs), shown, tuple(about), tuple(evidence))


def _write_results(results: Results, out: Path) -> None:
    write_text(out / results.task.task / "results.json", to_json(results.to_dict()) + "\n")


def _left_out(datasets: Iterable[DataSet], runs: Sequence[Scores]) -> str:
    """Return on how many pairs a run was scored, if the user left some out."""
    counts = [
        (each.name, runs[0].datasets[each.name]["n"], each.scored)
        for each in datasets
        if runs and each.folders
    ]
    return "; ".join(
        f"on {n} of {scored} pairs of {name}" for name, n, scored in counts if n != scored
    )


def _with_reason(cell: LedgerEntry, reason: str) -> LedgerEntry:
    return replace(cell, reason="; ".join(filter(None, [reason, cell.reason])))


def run_with_fallback(
    config: ExperimentConfig,
    out: Path,
    data_dir: str | Path | None = None,
    n_jobs: int = 1,
    progress: Progress = no_progress,
    resume: bool = False,
) -> Results:
    """Run a configuration as `run` does or, if its data is not here, what it names instead."""
    try:
        return run(config, out, data_dir, n_jobs, progress, resume)
    except MissingDataError as error:
        for name in config.fallback:
            with contextlib.suppress(MissingDataError):
                found = run(read_config(name), out, data_dir, n_jobs, progress, resume)
                found = replace(found, fallback_for=str(error))
                _write_results(found, out)
                return found
        raise


def _not_published(
    cells: Iterable[LedgerEntry], baseline: BaselineConfig, prepared: BaselineSetup
) -> Iterator[LedgerEntry]:
    """Yield the cells of a system that no paper has a row for, if it could run."""
    for cell in cells if prepared.can_run else ():
        if cell.status:
            yield cell
        else:
            reason = "; ".join(filter(None, [prepared.trained_on, baseline.substitutes]))
            yield replace(cell, status=NOT_PUBLISHED, reason=reason)


def pairs_to_process(config: ExperimentConfig) -> int:
    """Return on how many pairs `run` will train and predict, all baselines and seeds together."""
    pairs = sum(dataset.pairs for dataset in find_task(config.task).datasets)
    return sum(
        (pairs + pairs_to_train_on(baseline)) * (baseline.seeds or 1)
        for baseline in config.baselines
    )


def with_published_rows(config: ExperimentConfig) -> ExperimentConfig | None:
    """Return the configuration of what belongs into the ledger, if there is something.

    That is the baselines that have a published row, those models of the papers that were
    trained on other corpora, and the systems that were made anew.
    """
    claimed = [each for each in config.baselines if each.published or each.is_extra]
    return config.model_copy(update={"baselines": claimed}) if claimed else None


def validate(config: ExperimentConfig) -> None:
    """Check the names in a configuration: task, baselines, parameters, tables and cells.

    Raises
    ------
    InputError
        If one of them is unknown.
    """
    task = find_task(config.task)
    task.check_is_scored()
    for name in config.fallback:
        other = read_config(name)
        if other.fallback:
            raise InputError(f"fallback: {name} names a fallback itself.")
        validate(other)
    for baseline in config.baselines:
        resources = dict.fromkeys(baseline.resources, "")
        seeds = {} if baseline.seeds is None else {"random_state": 0}
        predictor = create(baseline.baseline, **{**baseline.parameters, **resources, **seeds})
        check_kind(f"baseline {baseline.baseline!r}", predictor.predicts, task)
        for name in baseline.resources.values():
            task.resource(name)
        validate_training(task, baseline)
        list(cells_of(task, baseline, [], published_row(task, baseline)))


def _explains(predictor: Predictor) -> bool:
    return predictor.predicts == typed.PREDICTIONS and hasattr(predictor, "explain")


def _predict(
    shared: _Shared, predictors: Mapping[str, Predictor], folder: Path
) -> list[list[Evidence]]:
    """Write the outputs of predictors; return why a few pairs are similar, if they tell."""
    task = shared.task
    family = family_of(task)
    make_folder(folder)
    evidence: list[list[Evidence]] = []
    for dataset in shared.datasets:
        remove_unfinished(folder / dataset.output)
        predictor, files = predictors[dataset.name], shared.inputs[dataset.name]
        pairs = family.read_inputs(files, task, dataset)
        if _explains(predictor):
            evidence += _predict_explained(predictor, pairs, files, dataset, folder)
            shared.progress(dataset.pairs)
            continue
        with atomic_write(folder / dataset.output) as stream:
            for count, lines in output_lines(family, predictor, pairs, shared.n_jobs):
                stream.write(lines)
                shared.progress(count)
    return evidence


def _predict_explained(
    predictor: Any,
    pairs: Iterable[typed.RecordPair],
    files: Mapping[str, Path],
    dataset: DataSet,
    folder: Path,
) -> list[list[Evidence]]:
    """Write an output, a line of JSON a pair that says why, and each item as text and XML.

    Returns why the pairs are similar, if they are few.
    """
    items = typed.read_items(files["input"], dataset.pairs)
    left_out = typed.read_left_out(files["records"])
    records = list(pairs)
    evidence: list[list[Evidence]] = predictor.explain(records)
    write_bytes(
        folder / dataset.output,
        typed.format_predictions([[each.score for each in row] for row in evidence]),
    )
    rows = [
        {"pair": number, "items": names}
        | (
            {"left_out": True}
            if left_out.intersection(names)
            else {"similarities": [each._asdict() for each in row]}
        )
        for number, (names, row) in enumerate(zip(items, evidence, strict=True), 1)
    ]
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    write_text(folder / EVIDENCE, lines)
    for names, pair in zip(items, records, strict=True):
        for name, record in zip(names, pair, strict=True):
            if name not in left_out:
                write_bytes(folder / "text" / f"{name}.txt", text_of(record))
                write_bytes(folder / "xml" / f"{name}.xml", xml_of(record))
    return evidence if len(items) <= SHOWN_PAIRS and not left_out else []


def _scored(shared: _Shared, folder: Path, run: str) -> Scores:
    """Score the files that were written, as the organisers scored what was sent to them."""
    task = shared.task
    family = family_of(task)
    outputs = {
        each.name: family.read_output(folder / each.output, task, each) for each in shared.datasets
    }
    return family.score(task, run, shared.gold, outputs)


def ledger(
    configs: Sequence[ExperimentConfig],
    out: Path,
    data_dir: str | Path | None = None,
    n_jobs: int = 1,
    progress: Progress = no_progress,
) -> list[LedgerEntry]:
    """Return every published baseline cell of the configurations beside ours.

    The cells of a task whose data is not here have the status ``no data`` and the reason.

    Parameters
    ----------
    configs : sequence of ExperimentConfig
        All their baselines must have a published row; see `with_published_rows`.
    out, data_dir, n_jobs, progress
        As for `run`.

    Returns
    -------
    list of LedgerEntry

    Raises
    ------
    InputError
        As `run`, but not for missing data.
    """
    return [
        replace(cell, group=config.group)
        for config in configs
        for baseline, cells in _ledger_of(config, out, data_dir, n_jobs, progress)
        for cell in cells
        if cell.published is not None or cell.name in baseline.explained or baseline.is_extra
    ]


def _ledger_of(
    config: ExperimentConfig,
    out: Path,
    data_dir: str | Path | None,
    n_jobs: int,
    progress: Progress,
) -> list[tuple[BaselineConfig, tuple[LedgerEntry, ...]]]:
    try:
        results = run(config, out, data_dir, n_jobs, progress)
        return [(each.config, each.cells) for each in results.baselines]
    except MissingDataError as error:
        task, why = find_task(config.task), str(error)
        return [
            (each, tuple(cells_of(task, each, [], published_row(task, each), why)))
            for each in config.baselines
            if each.published
        ]
