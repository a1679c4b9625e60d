"""Running a configuration: train, predict, write official output files, score, and compare."""

from __future__ import annotations

import contextlib
import json
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stsbaselines.baselines import create
from stsbaselines.data.catalogue import DataSet, Task
from stsbaselines.data.find import require_all
from stsbaselines.errors import InputError, MissingDataError, visible
from stsbaselines.evaluation.outputs import (
    Lines,
    Progress,
    available,
    check_kind,
    no_progress,
    write_and_read,
)
from stsbaselines.evaluation.prediction import output_lines
from stsbaselines.evaluation.submission import read_gold
from stsbaselines.experiments.config import BaselineConfig, ExperimentConfig, read_config
from stsbaselines.experiments.ledger import NOT_PUBLISHED, LedgerEntry, cells_of, joined
from stsbaselines.experiments.training import (
    BaselineSetup,
    Inputs,
    count_training_pairs,
    fitted,
    prepare,
    validate_training,
)
from stsbaselines.io.files import make_folder, to_json, write_bytes, write_text
from stsbaselines.io.frames import to_frame, to_html, with_decimals
from stsbaselines.parallel import current_folder_on_path
from stsbaselines.predictor import Predictor
from stsbaselines.tasks import typed
from stsbaselines.tasks.base import Scores, family_of
from stsbaselines.tasks.records import text_of, xml_of

if TYPE_CHECKING:
    import pandas

    from stsbaselines.baselines.typed_tfidf import Evidence

KEPT_SEEDS = 10
_COMPARED = {"name", "published", "explained", "accepted"}
EVIDENCE = "evidence.jsonl"
SHOWN_PAIRS = 10


@dataclass(frozen=True)
class BaselineResult:
    """Scores of one baseline, one per seed, its ledger entries, or the problem why it did not run.

    `evidence` explains for a few pairs why they are similar, if the baseline does.
    """

    config: BaselineConfig
    runs: tuple[Scores, ...]
    cells: tuple[LedgerEntry, ...]
    notes: tuple[str, ...] = ()
    evidence: tuple[list[Evidence], ...] = ()
    problem: str = ""


@dataclass(frozen=True)
class Results:
    """Results of an experiment.

    `fallback_for` is why the requested configuration could not be run, if this is a fallback.
    """

    task: Task
    baselines: tuple[BaselineResult, ...]
    fallback_for: str = ""

    def __repr__(self) -> str:
        systems = [
            f"{each.config.title}: {', '.join(_in_short(cell) for cell in each.cells)}"
            for each in self.baselines
        ]
        return visible(f"<Results on {self.task.task}; {'; '.join(systems)}>")

    def rows(self) -> list[dict[str, Any]]:
        """Return a row of plain values for each number of each baseline."""
        return [
            {
                "baseline": cell.baseline,
                "name": cell.name,
                "ours": cell.ours,
                "published": None if cell.published is None else float(cell.published),
                "status": cell.status,
                "tolerance": cell.tolerance,
                "reason": cell.reason,
            }
            for cell in self.cells
        ]

    def to_frame(self) -> pandas.DataFrame:
        """Return `rows` as a pandas DataFrame; pandas must be installed."""
        return to_frame(self.rows())

    def _repr_html_(self) -> str:
        return to_html(self.task.title, self.rows(), notes=self.notes)

    @property
    def notes(self) -> list[str]:
        """Notes about the data that the baselines ran on, each once."""
        notes = list(dict.fromkeys(note for each in self.baselines for note in each.notes))
        absent = ", ".join(
            each.config.title for each in self.baselines if each.config.model and not each.cells
        )
        why = "Not run, because their models were not found (see `stsbaselines train`)"
        return [*notes, f"{why}: {absent}."] if absent else notes

    @property
    def cells(self) -> list[LedgerEntry]:
        """All entries, baseline by baseline."""
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
                    **baseline.config.model_dump(exclude=_COMPARED),
                    "cells": [cell.to_dict() for cell in baseline.cells],
                    "runs": [scores.to_dict() for scores in baseline.runs],
                }
                for baseline in self.baselines
            ],
        }


def _in_short(cell: LedgerEntry) -> str:
    return f"{cell.name} {with_decimals(cell.ours)}"


@dataclass(frozen=True)
class _Experiment:
    """What all baselines of an experiment share; their outputs go to subfolders of `folder`."""

    task: Task
    datasets: list[DataSet]
    notes: list[str]
    inputs: Inputs
    gold: Mapping[str, Any]
    folder: Path
    n_jobs: int
    progress: Progress


def run(
    config: ExperimentConfig,
    out: Path,
    data_dir: str | Path | None = None,
    n_jobs: int = 1,
    progress: Progress = no_progress,
) -> Results:
    """Run the baselines of a configuration, write and score their official output files.

    Parameters
    ----------
    config : ExperimentConfig
        See `stsbaselines.experiments.config.read_config`.
    out : Path
        Output files go to ``out/TASK/BASELINE/``, those of the first ten of several
        seeds to ``out/TASK/BASELINE/seed-N/``, and all results, unrounded, to
        ``out/TASK/results.json``; of a configuration with a group, to ``out/GROUP/TASK/``.
    data_dir : path, optional
        The directory to search first.
    n_jobs : int
        Number of processes.
    progress : callable
        Called with the number of pairs after each training and each chunk.

    Returns
    -------
    Results
        A restricted data set whose sentences were not found is excluded, with a note.

    Raises
    ------
    InputError
        If data is missing or wrong.
    """
    validate(config)
    task = config.read()
    datasets, notes = available(task, task.datasets, data_dir)
    inputs = {each.name: require_all(task, each, data_dir) for each in datasets}
    gold = read_gold(task, datasets, data_dir)
    setups = [prepare(task, each, inputs, data_dir, n_jobs) for each in config.baselines]
    folder = out / config.group / task.task
    make_folder(folder)
    experiment = _Experiment(task, datasets, notes, inputs, gold, folder, n_jobs, progress)
    found = []
    for baseline, setup in zip(config.baselines, setups, strict=True):
        with current_folder_on_path() if ":" in baseline.baseline else contextlib.nullcontext():
            found.append(_run_baseline(experiment, baseline, setup))
    if not any(each.runs for each in found):
        raise MissingDataError(sorted({each.problem for each in found}))
    results = Results(task, tuple(found))
    _write_results(results, folder)
    return results


def _run_baseline(
    experiment: _Experiment, baseline: BaselineConfig, setup: BaselineSetup
) -> BaselineResult:
    task = experiment.task
    family = family_of(task)
    runs: list[Scores] = []
    evidence: list[list[Evidence]] = []
    try:
        with tempfile.TemporaryDirectory() as temporary:
            models = fitted(baseline, setup, experiment.datasets, experiment.progress)
            for subfolder, predictors in models:
                is_kept = len(runs) < KEPT_SEEDS
                folder = experiment.folder / baseline.title if is_kept else Path(temporary)
                outputs, evidence = _predict(experiment, predictors, folder / subfolder)
                runs.append(family.score(task, baseline.title, experiment.gold, outputs))
    except MissingDataError as error:
        setup, runs = replace(setup, problem=str(error)), []
    cells = tuple(_cells(experiment, baseline, setup, runs))
    notes = (*experiment.notes, *setup.notes, *_notes(baseline, setup))
    return BaselineResult(baseline, tuple(runs), cells, notes, tuple(evidence), setup.problem)


def _cells(
    experiment: _Experiment, baseline: BaselineConfig, setup: BaselineSetup, runs: list[Scores]
) -> Iterator[LedgerEntry]:
    """Yield the entries of a baseline, with what the reader should know of its data."""
    is_unpublished = baseline.is_extra and not baseline.published
    if is_unpublished and setup.problem:
        return
    labelled = "" if baseline.model else setup.trained_on
    why_missing = setup.problem or " ".join([*experiment.notes, *setup.notes])
    excluded = _excluded_pairs(experiment.datasets, runs)
    for cell in cells_of(experiment.task, baseline, runs, labelled, why_missing):
        if is_unpublished and not cell.status:
            reason = joined(setup.trained_on, baseline.substitutes)
            cell = replace(cell, status=NOT_PUBLISHED, reason=reason)
        yield replace(cell, reason=joined(excluded, cell.reason))


def _excluded_pairs(datasets: Iterable[DataSet], runs: Sequence[Scores]) -> str:
    """Return on how many pairs a run was scored, if the user excluded some."""
    counts = [
        (each.name, runs[0].datasets[each.name]["n"], each.scored)
        for each in datasets
        if runs and each.folders
    ]
    return joined(
        *(f"on {n} of {scored} pairs of {name}" for name, n, scored in counts if n != scored)
    )


def _notes(baseline: BaselineConfig, setup: BaselineSetup) -> Iterator[str]:
    if baseline.fit_on_inputs and not setup.problem:
        yield f"{baseline.title}: fitted on the pairs it predicts, without their gold."
    if baseline.model and not baseline.published:
        return
    if setup.trained_on:
        yield f"{baseline.title}: {setup.trained_on}."
    yield from setup.data_notes
    if setup.problem:
        yield f"{baseline.title} did not run. {setup.problem}"


def _write_results(results: Results, folder: Path) -> None:
    write_text(folder / "results.json", to_json(results.to_dict()) + "\n")


def run_with_fallback(
    config: ExperimentConfig,
    out: Path,
    data_dir: str | Path | None = None,
    n_jobs: int = 1,
    progress: Progress = no_progress,
) -> Results:
    """Run a configuration as `run` does or, if its data was not found, one of its fallbacks."""
    try:
        return run(config, out, data_dir, n_jobs, progress)
    except MissingDataError as error:
        for name in config.fallback:
            with contextlib.suppress(MissingDataError):
                other = read_config(name)
                found = run(other, out, data_dir, n_jobs, progress)
                found = replace(found, fallback_for=str(error))
                _write_results(found, out / other.group / other.task)
                return found
        raise


def pairs_to_process(config: ExperimentConfig) -> int:
    """Return on how many pairs `run` will train and predict, over all baselines and seeds."""
    pairs = sum(dataset.pairs for dataset in config.read().datasets)
    return sum(
        (pairs + count_training_pairs(baseline)) * (baseline.seeds or 1)
        for baseline in config.baselines
    )


def validate(config: ExperimentConfig) -> None:
    """Refuse unknown names in a configuration: task, baselines, parameters, tables, measures."""
    task = config.read()
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
        list(cells_of(task, baseline, []))


def read_valid_config(name: str) -> ExperimentConfig:
    """Read and check a configuration; errors begin with its name."""
    config = read_config(name)
    try:
        validate(config)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    return config


def _predict(
    experiment: _Experiment, predictors: Mapping[str, Predictor], folder: Path
) -> tuple[dict[str, Any], list[list[Evidence]]]:
    """Write the outputs of predictors; return them as they are read from the files.

    Also return why a few pairs are similar, if a predictor can explain it.
    """
    task = experiment.task
    family = family_of(task)
    make_folder(folder)
    outputs: dict[str, Any] = {}
    evidence: list[list[Evidence]] = []
    for dataset in experiment.datasets:
        predictor, files = predictors[dataset.name], experiment.inputs[dataset.name]
        pairs = family.read_inputs(files, task, dataset)
        if predictor.predicts == typed.FAMILY.predicts and hasattr(predictor, "explain"):
            records = list(pairs)
            explained = predictor.explain(records)
            evidence += _write_evidence(explained, records, files, dataset, folder)
            scores = [[each.score for each in row] for row in explained]
            lines: Lines = [(dataset.pairs, family.format_predictions(scores))]
        else:
            lines = output_lines(family, predictor, pairs, experiment.n_jobs)
        outputs[dataset.name] = write_and_read(lines, folder, task, dataset, experiment.progress)
    return outputs, evidence


def _write_evidence(
    evidence: list[list[Evidence]],
    records: Sequence[typed.RecordPair],
    files: Mapping[str, Path],
    dataset: DataSet,
    folder: Path,
) -> list[list[Evidence]]:
    """Write what explains each pair as a line of JSON, and each item as text and XML.

    Return it if the pairs are few and none is excluded.
    """
    items = typed.read_items(files["input"], dataset.pairs)
    excluded = typed.read_excluded(files["records"])
    lines = []
    for number, (names, row) in enumerate(zip(items, evidence, strict=True), 1):
        found: dict[str, Any] = {"pair": number, "items": names}
        if excluded.intersection(names):
            found["left_out"] = True
        else:
            found["similarities"] = [each._asdict() for each in row]
        lines.append(json.dumps(found, ensure_ascii=False) + "\n")
    write_text(folder / EVIDENCE, "".join(lines))
    for names, pair in zip(items, records, strict=True):
        for name, record in zip(names, pair, strict=True):
            if name not in excluded:
                write_bytes(folder / "text" / f"{name}.txt", text_of(record))
                write_bytes(folder / "xml" / f"{name}.xml", xml_of(record))
    return evidence if len(items) <= SHOWN_PAIRS and not excluded else []
