"""From a configuration to predictions, scores and the comparison with published numbers."""

from __future__ import annotations

import json
import statistics
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np

from stsbaselines.config import BaselineConfig, ExperimentConfig, Explanation
from stsbaselines.data.catalogue import DataSet, Task, find_task
from stsbaselines.data.find import locate, require
from stsbaselines.errors import InputError, MissingDataError, unknown
from stsbaselines.files import make_folder, write_text, writing
from stsbaselines.predictor import Predictor, create
from stsbaselines.reference import published, table
from stsbaselines.scoring.rounding import agrees
from stsbaselines.submission import read_gold
from stsbaselines.tasks import sts
from stsbaselines.tasks.family import Scores, family_of

Progress = Callable[[int], None]


def no_progress(pairs: int) -> None:
    """Show no progress."""


@dataclass(frozen=True)
class Cell:
    """One number of a baseline, beside the published one.

    Attributes
    ----------
    task, baseline, name : str
        `name` is the data set or aggregate.
    ours : float or None
        The mean over the seeds, if there are several; None where undefined or not run.
    deviation : float or None
        Standard deviation over the seeds.
    published : Decimal or None
    status : str
        ``exact`` (agrees to the printed digit), ``close`` (within the stated tolerance),
        ``differs``, ``not reproducible`` (a reason is known), ``illegible`` (printed, but
        not to be read), ``no data``, or "" where nothing was published.
    reason : str
    """

    task: str
    baseline: str
    name: str
    ours: float | None
    published: Decimal | None = None
    status: str = ""
    reason: str = ""
    deviation: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON; the published number as printed."""
        values = asdict(self)
        values["published"] = None if self.published is None else str(self.published)
        return values


@dataclass(frozen=True)
class BaselineResult:
    """What one baseline of an experiment gave: scores of each seed, and cells."""

    config: BaselineConfig
    runs: tuple[Scores, ...]
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Results:
    """What an experiment gave."""

    task: Task
    baselines: tuple[BaselineResult, ...]
    notes: tuple[str, ...] = field(default=())

    @property
    def cells(self) -> list[Cell]:
        """All cells, baseline by baseline."""
        return [cell for baseline in self.baselines for cell in baseline.cells]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        return {
            "task": self.task.task,
            "title": self.task.title,
            "notes": list(self.notes),
            "baselines": [
                {
                    "name": baseline.config.title,
                    **baseline.config.model_dump(include={"baseline", "parameters", "seeds"}),
                    "cells": [cell.to_dict() for cell in baseline.cells],
                    "runs": [scores.to_dict() for scores in baseline.runs],
                }
                for baseline in self.baselines
            ],
        }


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
    out : Path
        Output files go to ``out/TASK/BASELINE/``, with several seeds to
        ``out/TASK/BASELINE/seed-N/``, and everything, unrounded, to
        ``out/TASK/results.json``.
    data_dir : path, optional
        Where the data is looked for first.
    n_jobs : int
        Processes.
    progress : callable
        Called with the number of pairs after each chunk.

    Returns
    -------
    Results

    Raises
    ------
    InputError
        If data is missing or wrong. A data set that may not be redistributed is left
        out, and said to be, if its sentences are not here.
    """
    task = find_task(config.task)
    predictors = [list(_seeded(baseline)) for baseline in config.baselines]
    expected = [_published(task, baseline) for baseline in config.baselines]
    datasets, notes = _available(task, data_dir)
    inputs = {each.name: require(task, each, "input", data_dir) for each in datasets}
    gold = read_gold(task, datasets, data_dir)
    results = []
    for baseline, seeded, row in zip(config.baselines, predictors, expected, strict=True):
        runs = []
        for folder, predictor in seeded:
            target = out / task.task / baseline.title / folder
            _predict(task, datasets, inputs, predictor, target, n_jobs, progress)
            runs.append(_scored(task, datasets, gold, target, baseline.title))
        cells = _cells(task, baseline, runs, row, " ".join(notes))
        results.append(BaselineResult(baseline, tuple(runs), tuple(cells)))
    found = Results(task, tuple(results), tuple(notes))
    text = json.dumps(found.to_dict(), indent=2, ensure_ascii=False, allow_nan=False)
    write_text(out / task.task / "results.json", text + "\n")
    return found


def pairs_to_predict(config: ExperimentConfig) -> int:
    """Return how many pairs `run` will predict, all baselines and seeds together."""
    pairs = sum(dataset.pairs for dataset in find_task(config.task).datasets)
    return pairs * sum(baseline.seeds or 1 for baseline in config.baselines)


def with_published_rows(config: ExperimentConfig) -> ExperimentConfig | None:
    """Return the configuration of the baselines that have a published row, if there are any."""
    claimed = [baseline for baseline in config.baselines if baseline.published]
    return config.model_copy(update={"baselines": claimed}) if claimed else None


def _seeded(baseline: BaselineConfig) -> Iterator[tuple[str, Predictor]]:
    """Yield the subfolder and the predictor of each run of a baseline.

    A seed starts one RandomState for all data sets, so that their scores are independent.
    """
    parameters = dict(baseline.parameters)
    if baseline.seeds is None:
        yield "", create(baseline.baseline, **parameters)
        return
    for seed in range(baseline.seeds):
        parameters["random_state"] = np.random.RandomState(seed)
        yield f"seed-{seed}", create(baseline.baseline, **parameters)


def validate(config: ExperimentConfig) -> None:
    """Check the names in a configuration: task, baselines, parameters, tables and cells.

    Raises
    ------
    InputError
        If one of them is unknown.
    """
    task = find_task(config.task)
    for baseline in config.baselines:
        create(baseline.baseline, **baseline.parameters)
        list(_cells(task, baseline, [], _published(task, baseline)))


def _published(task: Task, baseline: BaselineConfig) -> Mapping[str, Decimal]:
    row = baseline.published
    if row is None:
        return {}
    if table(row.table).task != task.task:
        raise InputError(f"table {row.table} is of {table(row.table).task}, not of {task.task}.")
    return published(row.table, row.run)


def _available(task: Task, data_dir: str | Path | None) -> tuple[list[DataSet], list[str]]:
    """Return the data sets to run, and a note on each restricted one that is not here."""
    datasets, notes = [], []
    for dataset in task.datasets:
        if dataset.restricted and locate(task, dataset, "input", data_dir).status == "missing":
            notes.append(
                f"{dataset.name} was left out, and with it what needs all data sets:"
                f" {dataset.files['input'].name} is not here ({dataset.licence})."
            )
        else:
            datasets.append(dataset)
    return datasets, notes


def _predict(
    task: Task,
    datasets: list[DataSet],
    inputs: Mapping[str, Path],
    predictor: Predictor,
    folder: Path,
    n_jobs: int,
    progress: Progress,
) -> None:
    family = family_of(task)
    make_folder(folder)
    for dataset in datasets:
        pairs = family.read_pairs(inputs[dataset.name])
        with writing(folder / dataset.output) as stream:
            for predictions in predictor.predict_chunks(pairs, n_jobs=n_jobs):
                stream.write(family.format_predictions(predictions))
                progress(len(predictions))


def _scored(
    task: Task, datasets: list[DataSet], gold: Mapping[str, Any], folder: Path, run: str
) -> Scores:
    """Score the files that were written, as the organisers scored what was sent to them."""
    family = family_of(task)
    outputs = {each.name: family.read_output(folder / each.output, task, each) for each in datasets}
    return family.score(task, run, gold, outputs)


def _cells(
    task: Task,
    baseline: BaselineConfig,
    runs: list[Scores],
    expected: Mapping[str, Decimal],
    why_missing: str = "",
) -> Iterator[Cell]:
    """Yield a cell for each data set, official aggregate and other published number."""
    names = [*task.dataset_names, *task.measures]
    for column in [*expected, *baseline.explained]:
        if column not in names and not column.endswith("rank"):
            raise unknown(f"measure of {task.task}", column, names)
    for name in names:
        values = [scores.cells().get(name) for scores in runs]
        defined = [float(value) for value in values if value is not None]
        complete = 0 < len(defined) == len(values)
        cell = Cell(
            task=task.task,
            baseline=baseline.title,
            name=name,
            ours=statistics.fmean(defined) if complete else None,
            published=expected.get(name),
            deviation=statistics.stdev(defined) if complete and len(defined) > 1 else None,
        )
        if any(name in scores.cells() for scores in runs):
            yield _judged(cell, baseline.explained.get(name))
        else:
            yield replace(cell, status="no data", reason=why_missing)


def _judged(cell: Cell, explanation: Explanation | None) -> Cell:
    """Give a cell its status."""
    reason = explanation.reason if explanation else ""
    tolerance = explanation.tolerance if explanation else None
    if cell.published is None:
        return replace(cell, status="illegible" if reason else "", reason=reason)
    if agrees(cell.ours, cell.published):
        return replace(cell, status="exact")
    if tolerance is not None and cell.ours is not None:
        near = abs(cell.ours - float(cell.published)) <= tolerance
        return replace(cell, status="close" if near else "differs", reason=reason)
    return replace(cell, status="not reproducible" if reason else "differs", reason=reason)


def ledger(
    configs: Sequence[ExperimentConfig],
    out: Path,
    data_dir: str | Path | None = None,
    n_jobs: int = 1,
    progress: Progress = no_progress,
) -> list[Cell]:
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
    list of Cell

    Raises
    ------
    InputError
        As `run`, but not for missing data.
    """
    return [
        cell
        for config in configs
        for baseline, cells in _ledger_of(config, out, data_dir, n_jobs, progress)
        for cell in cells
        if cell.published is not None or cell.name in baseline.explained
    ]


def _ledger_of(
    config: ExperimentConfig,
    out: Path,
    data_dir: str | Path | None,
    n_jobs: int,
    progress: Progress,
) -> list[tuple[BaselineConfig, tuple[Cell, ...]]]:
    try:
        results = run(config, out, data_dir, n_jobs, progress)
        return [(each.config, each.cells) for each in results.baselines]
    except MissingDataError as error:
        task, why = find_task(config.task), str(error)
        return [
            (each, tuple(_cells(task, each, [], _published(task, each), why)))
            for each in config.baselines
        ]


def predict_file(predictor: Predictor, source: Path | None, out: Path | None, n_jobs: int) -> None:
    """Score the sentence pairs of a file or of standard input, chunk by chunk.

    Parameters
    ----------
    predictor : Predictor
    source : Path or None
        None for standard input. A regular file is checked before any score is printed.
    out : Path or None
        It appears when all is done, or not at all; None for standard output.
    n_jobs : int
        Processes.

    Raises
    ------
    InputError
        For a line that is no pair.
    """
    if source is None:
        pairs = sts.pairs_of(sys.stdin.buffer, "standard input")
    else:
        pairs = sts.read_pairs(source)
        if out is None and source.is_file():
            for _ in sts.read_pairs(source):
                pass
    chunks = map(sts.format_predictions, predictor.predict_chunks(pairs, n_jobs=n_jobs))
    if out is None:
        for lines in chunks:
            sys.stdout.buffer.write(lines)
            sys.stdout.buffer.flush()
        return
    with writing(out) as stream:
        stream.writelines(chunks)
