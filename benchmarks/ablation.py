"""What each group of features of DKPro's and TakeLab's systems is worth, on the official data.

Run it with ``make ablation``. Each system of the configurations ``strong-*`` is trained and scored
with all of its features, without each group of them, and with each group alone; TakeLab's with one
seed.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from stsbaselines.baselines import find
from stsbaselines.errors import InputError
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import BaselineConfig, ExperimentConfig, read_config
from stsbaselines.reports.tables import Format, render

CONFIGS = ("strong-sts2012", "strong-sts2013", "strong-sts2015")
SYSTEMS = ("dkpro", "takelab-simple")


def variants(baseline: BaselineConfig) -> Iterator[tuple[str, BaselineConfig]]:
    """Yield what to call each choice of features, and the baseline with them."""
    groups = list(find(baseline.baseline).all_groups)
    choices = {"all": groups}
    choices |= {f"without {group}": [each for each in groups if each != group] for group in groups}
    choices |= {f"only {group}": [group] for group in groups}
    plain: dict[str, object] = {"published": [], "explained": {}, "seeds": None}
    for number, (title, features) in enumerate(choices.items()):
        parameters = {**baseline.parameters, "features": features}
        update = {**plain, "name": f"variant-{number}", "parameters": parameters}
        yield title, baseline.model_copy(update=update)


def columns(config: ExperimentConfig, system: str) -> dict[str, dict[str, str]]:
    """Return the aggregates of a year, by the choice of features."""
    [baseline] = [each for each in config.baselines if each.title == system]
    chosen = dict(variants(baseline))
    varied = config.model_copy(update={"baselines": list(chosen.values())})
    with tempfile.TemporaryDirectory() as out:
        results = experiment.run(varied, Path(out), n_jobs=-1)
    if not all(result.runs for result in results.baselines):
        raise InputError(results.notes)
    return {
        title: {
            f"{results.task.task.removeprefix('sts')} {name}": f"{value:.4f}"
            for name, value in result.runs[0].aggregates.items()
            if name in results.task.measures and value is not None
        }
        for title, result in zip(chosen, results.baselines, strict=True)
    }


def main() -> None:
    """Print a table for each system."""
    for system in SYSTEMS:
        rows: dict[str, dict[str, str]] = {}
        for name in CONFIGS:
            for title, found in columns(read_config(name), system).items():
                rows.setdefault(title, {"features": title}).update(found)
            print(f"{system}: {name}", file=sys.stderr)
        print(f"{system}\n\n{render(list(rows.values()), Format.markdown)}\n", flush=True)


if __name__ == "__main__":
    main()
