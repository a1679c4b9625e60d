"""Reproducing published numbers: run configurations, and collect the ledger."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.evaluation.outputs import Progress, no_progress
from stsbaselines.experiments.config import BaselineConfig, ExperimentConfig, config_names
from stsbaselines.experiments.ledger import LedgerEntry, cells_of
from stsbaselines.experiments.run import read_valid_config, run


def ledger_configs(names: Sequence[str] = ()) -> list[ExperimentConfig]:
    """Return the configurations of the ledger: the named ones, or all that are not slow.

    They have only the baselines with a published row, models of the papers that were trained on
    other corpora, and reimplemented systems.
    """
    found = []
    for config in map(read_valid_config, names or config_names()):
        claimed = [each for each in config.baselines if each.published or each.is_extra]
        if claimed and (names or not config.slow):
            found.append(config.model_copy(update={"baselines": claimed}))
    if not found:
        raise InputError(f"{', '.join(names)}: no baseline has a published row.")
    return found


def no_announcement(line: str) -> None:
    """Announce nothing."""


def ledger(
    configs: Sequence[ExperimentConfig],
    out: Path,
    data_dir: str | Path | None = None,
    n_jobs: int = 1,
    progress: Progress = no_progress,
    announce: Callable[[str], None] = no_announcement,
) -> list[LedgerEntry]:
    """Return every published number of the configurations beside ours.

    Entries of a task whose data was not found have the status ``no data`` and the reason. See
    `ledger_configs`; the other parameters are those of `run`. `announce` is called with a line
    before each configuration.
    """
    entries = []
    for number, config in enumerate(configs, 1):
        group = f", {config.group}" if config.group else ""
        announce(f"{number} of {len(configs)}: {config.task}{group}")
        found: list[tuple[BaselineConfig, Iterable[LedgerEntry]]]
        try:
            results = run(config, out, data_dir, n_jobs, progress)
            found = [(each.config, each.cells) for each in results.baselines]
        except MissingDataError as error:
            task, why = config.read(), str(error)
            found = [
                (each, cells_of(task, each, [], why_missing=why))
                for each in config.baselines
                if each.published
            ]
        entries += [
            replace(cell, group=config.group)
            for baseline, cells in found
            for cell in cells
            if cell.published is not None or cell.name in baseline.explained or baseline.is_extra
        ]
    return entries
