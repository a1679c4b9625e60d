"""How far our numbers move with what the papers leave open: the tolerances of the configurations.

``python benchmarks/spread.py NAME`` prints, for each number that a configuration compares with a
published one, the number in each variant and its spread, the largest minus the smallest:

- ``ists``: the chunker; name folders of other chunkers (``make chunker-model``) after it
- ``pit``: the strength of the regularisation of the retrained logistic regression
- ``wtmf``: the corpora and the seed
- ``dkpro``, ``takelab``: the corpora, the idf or unknown words, and each group of features left out
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from stsbaselines.baselines import find
from stsbaselines.errors import InputError
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import BaselineConfig, read_config
from stsbaselines.experiments.models import train_on_corpora
from stsbaselines.reports.tables import Format, render

Variants = Mapping[str, Mapping[str, Any]]
DECIMALS = 3


def spread(
    config: str, baseline: str, variants: Variants, data_dir: Path | None = None
) -> list[dict[str, str]]:
    """Return a row for each published number: in each variant of a baseline, and their spread.

    A variant has the fields of a baseline of a configuration that it changes; `parameters` are
    added to those of the baseline.
    """
    wanted = read_config(config)
    [usual] = [each for each in wanted.baselines if each.title == baseline]
    varied = [_varied(usual, name, fields) for name, fields in variants.items()]
    with tempfile.TemporaryDirectory() as out:
        changed = wanted.model_copy(update={"baselines": varied})
        results = experiment.run(changed, Path(out), data_dir)
    if not all(each.runs for each in results.baselines):
        raise InputError(results.notes)
    rows = []
    for cells in zip(*(each.cells for each in results.baselines), strict=True):
        values = [cell.ours for cell in cells if cell.ours is not None]
        if cells[0].published is not None:
            row = {"set": cells[0].name, "published": str(cells[0].published)}
            row |= {cell.baseline: f"{cell.ours:.{DECIMALS}f}" for cell in cells}
            rows.append({**row, "spread": f"{max(values) - min(values):.{DECIMALS}f}"})
    return rows


def _varied(usual: BaselineConfig, name: str, fields: Mapping[str, Any]) -> BaselineConfig:
    parameters = {**usual.parameters, **fields.get("parameters", {})}
    update = {"seeds": None, **fields, "name": name, "parameters": parameters}
    return usual.model_copy(update=update)


def chunkers(folders: Sequence[str]) -> Variants:
    """Return the shipped chunker, and others by their folders."""
    others = {Path(each).name: {"parameters": {"chunker": each}} for each in folders}
    return {"shipped": {}, **others}


def strengths(grid: Iterable[float]) -> Variants:
    return {f"C={value:g}": {"parameters": {"C": value, "grid": None}} for value in grid}


def of_system(choices: Mapping[str, Mapping[str, Any]]) -> Variants:
    """Return variants that change parameters."""
    return {name: {"parameters": parameters} for name, parameters in choices.items()}


def without_groups(baseline: str) -> Mapping[str, Mapping[str, Any]]:
    """Return the parameters that leave out each group of features in turn."""
    groups = find(baseline).all_groups
    return {
        f"without-{group}": {"features": [each for each in groups if each != group]}
        for group in groups
    }


def models(data_dir: Path) -> Variants:
    """Train WTMF on both corpora with three seeds, and on each of them; return the models."""
    both = ("wordnet", "brown")
    trained = {}
    for corpora, seed in [(both, 0), (both, 1), (both, 2), (both[:1], 0), (both[1:], 0)]:
        name = f"{'+'.join(corpora)}-{seed}"
        parameters = {"random_state": seed, "dtype": "float32", "n_jobs": -1}
        train_on_corpora("wtmf", corpora, None, parameters).save(data_dir / "models" / name)
        trained[name] = {"model": name}
        print(name, file=sys.stderr)
    return trained


IDF = {"all": {}, "idf-training": {"idf": "training"}}
DKPRO = {**IDF, "brown": {"corpora": ["brown"]}, **without_groups("dkpro")}
TAKELAB = {
    "all": {},
    "seed-1": {"random_state": 1},
    "brown": {"corpora": ["brown"]},
    "zero-unknown": {"zero_unknown": True},
    "brown-zero-unknown": {"corpora": ["brown"], "zero_unknown": True},
    "C=100": {"C": 100, "epsilon": 0.1},
    "C=10": {"C": 10, "epsilon": 0.1},
}


def print_spread(config: str, baseline: str, variants: Variants, data_dir: Path | None = None) -> None:
    """Print the table of one baseline of a configuration."""
    rows = spread(config, baseline, variants, data_dir)
    print(f"{config}, {baseline}\n\n{render(rows, Format.markdown)}\n", flush=True)


def main(name: str, *more: str) -> None:
    """Print the tables of one kind of baselines."""
    if name == "ists":
        for config in ("ists2015", "ists2016"):
            print_spread(config, "system-chunks", chunkers(more))
    elif name == "pit":
        for baseline in ("trained-one-hot", "trained-real"):
            print_spread("pit2015", baseline, strengths([0.01, 0.1, 1, 10, 100]))
    elif name == "wtmf":
        with tempfile.TemporaryDirectory() as folder:
            print_spread("pit2015", "wtmf", models(Path(folder)), Path(folder))
    elif name == "dkpro":
        for config in more or ("strong-sts2012", "strong-sts2013"):
            print_spread(config, "dkpro", of_system(DKPRO))
    elif name == "takelab":
        for config in more or ("strong-sts2012", "strong-sts2013", "strong-sts2015"):
            print_spread(config, "takelab-simple", of_system(TAKELAB))


if __name__ == "__main__":
    main(*sys.argv[1:])
