"""How far our numbers move with what the papers leave open: the tolerances of the configurations.

``python benchmarks/spread.py NAME [MORE]`` prints a table for each baseline: every number that has
a published counterpart, in each variant, and its spread, the largest minus the smallest.

- ``ists CHUNKER...``: the chunker; names folders of other chunkers (``make chunker-model``)
- ``pit``: the strength of the regularisation of the retrained logistic regression
- ``wtmf``: the corpora and the seed of the trained model
- ``tokens``: how token-cosine of 2017 splits and lower-cases sentences (needs ``sacremoses``)
- ``dkpro``, ``takelab``, with the names of configurations: the corpora and other choices
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from stsbaselines.baselines._token_cosine_lines import cosine
from stsbaselines.baselines.dkpro import DKPro
from stsbaselines.data.catalogue import find_task
from stsbaselines.data.find import require_all
from stsbaselines.errors import InputError
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import BaselineConfig, ExperimentConfig, read_config
from stsbaselines.experiments.models import train_on_corpora
from stsbaselines.reports.tables import Format, render
from stsbaselines.scoring.correlation import pearson
from stsbaselines.tasks.base import family_of
from stsbaselines.text.words import simple_words, treebank_words

Variants = Mapping[str, Mapping[str, Any]]
"""By name: the parameters that a variant changes, or the model that it uses."""

STRENGTHS: Variants = {f"C={c:g}": {"C": c, "grid": None} for c in (0.01, 0.1, 1, 10, 100)}
# The paper chose features by hand, and does not say from which pairs the idf was computed.
DKPRO: Variants = {
    "all": {},
    "idf-training": {"idf": "training"},
    "brown": {"corpora": ["brown"]},
    **{
        f"without-{group}": {"features": [each for each in DKPro.all_groups if each != group]}
        for group in DKPro.all_groups
    },
}
# The paper chooses C and epsilon by a grid search, and does not print what it chose.
TAKELAB: Variants = {
    "all": {},
    "seed-1": {"random_state": 1},
    "brown": {"corpora": ["brown"]},
    "zero-unknown": {"zero_unknown": True},
    "brown-zero-unknown": {"corpora": ["brown"], "zero_unknown": True},
    "C=100": {"C": 100, "epsilon": 0.1},
    "C=10": {"C": 10, "epsilon": 0.1},
}
BOTH = ("wordnet", "brown")
MODELS = [(BOTH, 0), (BOTH, 1), (BOTH, 2), (BOTH[:1], 0), (BOTH[1:], 0)]
TABLES = {
    "pit": [("pit2015", name, STRENGTHS) for name in ("trained-one-hot", "trained-real")],
    "dkpro": [(f"strong-sts{year}", "dkpro", DKPRO) for year in (2012, 2013)],
    "takelab": [(f"strong-sts{year}", "takelab-simple", TAKELAB) for year in (2012, 2013, 2015)],
}


def varied(config: str, baseline: str, variants: Variants) -> ExperimentConfig:
    """Return a configuration that has the variants of one of its baselines only."""
    whole = read_config(config)
    [usual] = [each for each in whole.baselines if each.title == baseline]
    changed = [_variant(usual, name, each) for name, each in variants.items()]
    return whole.model_copy(update={"baselines": changed})


def _variant(usual: BaselineConfig, name: str, changed: Mapping[str, Any]) -> BaselineConfig:
    fields: dict[str, Any] = {"name": name, "seeds": None, "explained": {}, "accepted": {}}
    if "model" in changed:
        return usual.model_copy(update={**fields, **changed})
    return usual.model_copy(update={**fields, "parameters": {**usual.parameters, **changed}})


def print_spread(
    config: str, baseline: str, variants: Variants, data_dir: Path | None = None
) -> None:
    """Run the variants of a baseline, and print their numbers."""
    with tempfile.TemporaryDirectory() as out:
        results = experiment.run(varied(config, baseline, variants), Path(out), data_dir)
    if not all(each.runs for each in results.baselines):
        raise InputError(results.notes)
    rows = []
    for cells in zip(*(each.cells for each in results.baselines), strict=True):
        if cells[0].published is not None:
            values = {cell.baseline: cell.ours for cell in cells if cell.ours is not None}
            row = {"set": cells[0].name, "published": str(cells[0].published)}
            row |= {name: f"{value:.3f}" for name, value in values.items()}
            rows.append({**row, "spread": f"{max(values.values()) - min(values.values()):.3f}"})
    print(f"{config}, {baseline}\n\n{render(rows, Format.markdown)}\n", flush=True)


def trained_models(data_dir: Path) -> Variants:
    """Train WTMF on both corpora with three seeds, and on each of them; return the models."""
    trained = {}
    for corpora, seed in MODELS:
        name = f"{'+'.join(corpora)}-{seed}"
        parameters = {"random_state": seed, "dtype": "float32", "n_jobs": -1}
        train_on_corpora("wtmf", corpora, None, parameters).save(data_dir / "models" / name)
        trained[name] = {"model": name}
    return trained


def print_tokenizers() -> None:
    """Print the numbers of the tracks of 2017 that need no translation, by tokenizer."""
    from sacremoses import MosesTokenizer  # type: ignore[import-not-found]  # in no extra

    moses = MosesTokenizer()
    tokenizers: dict[str, Callable[[str], list[str]]] = {
        "treebank": treebank_words,
        "simple": simple_words,
        "moses": lambda sentence: [token.lower() for token in moses.tokenize(sentence)],
    }
    task = find_task("sts2017")
    family = family_of(task)
    rows = []
    for name in ("track1.ar-ar", "track3.es-es", "track5.en-en"):
        dataset = task.dataset(name)
        pairs, gold, _ = family.read_training(require_all(task, dataset), task, dataset)
        values = {}
        for kind, split in tokenizers.items():
            sets = [(set(split(left)), set(split(right))) for left, right in pairs]
            scores = [cosine(len(left), len(right), len(left & right)) for left, right in sets]
            values[kind] = pearson(scores, gold) or 0.0
        row = {"set": name} | {kind: f"{value:.4f}" for kind, value in values.items()}
        rows.append({**row, "spread": f"{max(values.values()) - min(values.values()):.3f}"})
    print(render(rows, Format.markdown))


def main(name: str, more: Iterable[str]) -> None:
    """Print the tables of one kind of baselines."""
    if name == "ists":
        chunkers = {"shipped": {}, **{Path(each).name: {"chunker": each} for each in more}}
        for year in (2015, 2016):
            print_spread(f"ists{year}", "system-chunks", chunkers)
    elif name == "tokens":
        print_tokenizers()
    elif name == "wtmf":
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "models").mkdir()
            print_spread("pit2015", "wtmf", trained_models(Path(folder)), Path(folder))
    else:
        for config, baseline, variants in TABLES[name]:
            if not more or config in more:
                print_spread(config, baseline, variants)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
