"""From a configuration to predictions, scores and the comparison with published numbers."""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stsbaselines.cells import NOT_PUBLISHED, Cell, cells_of, published_row
from stsbaselines.config import BaselineConfig, ExperimentConfig, read_config
from stsbaselines.data.catalogue import DataSet, Task, find_task
from stsbaselines.data.find import require_all
from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.files import make_folder, to_json, write_bytes, write_text, writing
from stsbaselines.models import ready
from stsbaselines.predictor import Predictor, create
from stsbaselines.preparation import (
    Inputs,
    Prepared,
    fitted,
    pairs_to_train_on,
    prepare,
    validate_training,
)
from stsbaselines.submission import read_gold
from stsbaselines.systems import Progress, available, check_kind, no_progress, output_lines
from stsbaselines.tasks import sts, typed
from stsbaselines.tasks.family import Scores, family_named, family_of
from stsbaselines.tasks.records import text_of, xml_of

if TYPE_CHECKING:
    from stsbaselines.baselines.typed_tfidf import Evidence

KEPT_SEEDS = 10
EVIDENCE = "evidence.jsonl"
SHOWN_PAIRS = 10
_FORMATS = {"scores": "sts", "alignments": "ists"}


@dataclass(frozen=True)
class BaselineResult:
    """What one baseline of an experiment gave: scores of each seed, and cells.

    `evidence` says for each of a few pairs why they are similar, if the baseline tells.
    """

    config: BaselineConfig
    runs: tuple[Scores, ...]
    cells: tuple[Cell, ...]
    notes: tuple[str, ...] = ()
    evidence: tuple[list[Evidence], ...] = ()


@dataclass(frozen=True)
class Results:
    """What an experiment gave.

    Attributes
    ----------
    task : Task
    baselines : tuple of BaselineResult
    instead_of : str
        Why the configuration that was asked for could not be run, if this is another one.
    """

    task: Task
    baselines: tuple[BaselineResult, ...]
    instead_of: str = ""

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
    def cells(self) -> list[Cell]:
        """All cells, baseline by baseline."""
        return [cell for baseline in self.baselines for cell in baseline.cells]

    def to_dict(self) -> dict[str, Any]:
        """Return it as plain values for JSON."""
        return {
            "task": self.task.task,
            "title": self.task.title,
            "instead_of": self.instead_of,
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
        Output files go to ``out/TASK/BASELINE/``, those of the first ten of several
        seeds to ``out/TASK/BASELINE/seed-N/``, and everything, unrounded, to
        ``out/TASK/results.json``; of a configuration with a group, to ``out/GROUP/TASK/``.
    data_dir : path, optional
        Where the data is looked for first.
    n_jobs : int
        Processes.
    progress : callable
        Called with the number of pairs after each training and each chunk.

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
    validate(config)
    out = out / config.group
    datasets, notes = available(task, task.datasets, data_dir)
    inputs = {each.name: require_all(task, each, data_dir) for each in datasets}
    gold = read_gold(task, datasets, data_dir)
    prepared = [prepare(task, each, data_dir, notes, inputs, n_jobs) for each in config.baselines]
    make_folder(out / task.task)
    results, missing = [], set()
    for baseline, needs in zip(config.baselines, prepared, strict=True):
        runs: list[Scores] = []
        evidence: list[list[Evidence]] = []
        place = out / task.task / baseline.title
        try:
            with tempfile.TemporaryDirectory() as temporary:
                for folder, models in fitted(baseline, needs, datasets, progress):
                    target = (place if len(runs) < KEPT_SEEDS else Path(temporary)) / folder
                    evidence = _predict(task, datasets, inputs, models, target, n_jobs, progress)
                    runs.append(_scored(task, datasets, gold, target, baseline.title))
        except MissingDataError as error:
            needs, runs = replace(needs, why_missing=str(error), can_run=False), []
        missing.add(needs.why_missing)
        results.append(_result(task, datasets, baseline, needs, runs, evidence))
    if not any(each.runs for each in results):
        raise MissingDataError(sorted(missing))
    found = Results(task, tuple(results))
    _write_results(found, out)
    return found


def _result(
    task: Task,
    datasets: Sequence[DataSet],
    baseline: BaselineConfig,
    prepared: Prepared,
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


def _with_reason(cell: Cell, reason: str) -> Cell:
    return replace(cell, reason="; ".join(filter(None, [reason, cell.reason])))


def run_or_instead(
    config: ExperimentConfig,
    out: Path,
    data_dir: str | Path | None = None,
    n_jobs: int = 1,
    progress: Progress = no_progress,
) -> Results:
    """Run a configuration as `run` does or, if its data is not here, what it names instead."""
    try:
        return run(config, out, data_dir, n_jobs, progress)
    except MissingDataError as error:
        for name in config.instead:
            with contextlib.suppress(MissingDataError):
                found = run(read_config(name), out, data_dir, n_jobs, progress)
                found = replace(found, instead_of=str(error))
                _write_results(found, out)
                return found
        raise


def _not_published(
    cells: Iterable[Cell], baseline: BaselineConfig, prepared: Prepared
) -> Iterator[Cell]:
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
    for name in config.instead:
        other = read_config(name)
        if other.instead:
            raise InputError(f"instead: {name} names others by `instead` itself.")
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


def _predict(
    task: Task,
    datasets: list[DataSet],
    inputs: Inputs,
    predictors: Mapping[str, Predictor],
    folder: Path,
    n_jobs: int,
    progress: Progress,
) -> list[list[Evidence]]:
    """Write the outputs of predictors; return why a few pairs are similar, if they tell."""
    family = family_of(task)
    make_folder(folder)
    evidence: list[list[Evidence]] = []
    for dataset in datasets:
        predictor = predictors[dataset.name]
        pairs = family.read_inputs(inputs[dataset.name], task, dataset)
        if predictor.predicts == typed.PREDICTIONS and hasattr(predictor, "explain"):
            files = inputs[dataset.name]
            evidence += _predict_explained(predictor, pairs, files, dataset, folder)
            progress(dataset.pairs)
            continue
        with writing(folder / dataset.output) as stream:
            for count, lines in output_lines(family, predictor, pairs, n_jobs):
                stream.write(lines)
                progress(count)
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


def _scored(
    task: Task, datasets: list[DataSet], gold: Mapping[str, Any], folder: Path, run: str
) -> Scores:
    """Score the files that were written, as the organisers scored what was sent to them."""
    family = family_of(task)
    outputs = {each.name: family.read_output(folder / each.output, task, each) for each in datasets}
    return family.score(task, run, gold, outputs)


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
) -> list[tuple[BaselineConfig, tuple[Cell, ...]]]:
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


def predict_file(predictor: Predictor, source: Path | None, out: Path | None, n_jobs: int) -> None:
    """Predict the sentence pairs of a file or of standard input, chunk by chunk.

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
    predictor = ready(predictor)
    if source is None:
        pairs = sts.pairs_of(sys.stdin.buffer, "standard input")
    else:
        pairs = sts.read_pairs(source)
        if out is None and source.is_file():
            for _ in sts.read_pairs(source):
                pass
    if predictor.predicts not in _FORMATS:
        raise InputError(
            f"{predictor.name} predicts {predictor.predicts}, not something for two sentences a"
            " line: run it by a configuration."
        )
    family = family_named(_FORMATS[predictor.predicts])
    chunks = (lines for _, lines in output_lines(family, predictor, pairs, n_jobs))
    if out is None:
        for lines in chunks:
            sys.stdout.buffer.write(lines)
            sys.stdout.buffer.flush()
        return
    with writing(out) as stream:
        stream.writelines(chunks)
