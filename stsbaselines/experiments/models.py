"""What `stsbaselines train` makes: models trained on sentences, labelled pairs, or item records."""

from __future__ import annotations

import contextlib
import hashlib
import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from stsbaselines.baselines import create
from stsbaselines.data.catalogue import find_task, task_names
from stsbaselines.data.corpora import sentences_of
from stsbaselines.data.find import require_all
from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.evaluation.trained_models import supported_params
from stsbaselines.experiments.config import Training
from stsbaselines.experiments.duplicates import note_on_shared
from stsbaselines.experiments.training import check_distinct, dataset_names, read_labelled
from stsbaselines.tasks.labelled import as_task
from stsbaselines.tasks.records import read_catalogue, text_of

SCORES = (0, 5)

T = TypeVar("T")


def train_on_corpora(
    baseline: str,
    corpora: Sequence[str | Path],
    data_dir: str | Path | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Any:
    """Train a baseline that learns from sentences."""
    _check_distinct_files(corpora, "corpus")
    sources = {str(corpus): sentences_of(corpus, data_dir) for corpus in corpora}
    described: dict[str, dict[str, Any]] = {}
    predictor: Any = create(baseline, **(parameters or {}))
    predictor.fit(_described(sources, described, "sentences", lambda each: f"{each}\n".encode()))
    predictor.corpora_ = described
    return predictor


def train_on_pairs(
    baseline: str,
    sources: Sequence[str],
    data_dir: str | Path | None = None,
    n_jobs: int = 1,
    parameters: Mapping[str, Any] | None = None,
) -> Any:
    """Train a baseline that learns from labelled pairs."""
    wanted = [_source(text) for text in sources]
    check_distinct(wanted)
    pairs = read_labelled(wanted, data_dir)
    given = dict(parameters or {})
    predictor = create(baseline, **given)
    kept = predictor.get_params(deep=False)
    used = supported_params(predictor, data_dir=data_dir, n_jobs=n_jobs) | given
    fitted: Any = pairs.fit(predictor.set_params(**used)).set_params(**kept)
    fitted.trained_on_ = dict(Counter(pairs.sets))
    return fitted


def notes_on_pairs(sources: Sequence[str], data_dir: str | Path | None = None) -> list[str]:
    """Return notes on pairs of sources that are repeated, or are in test sets that are found."""
    given = read_labelled([_source(text) for text in sources], data_dir)
    notes = [*given.notes]
    for task in map(find_task, task_names()):
        for dataset in task.datasets if task.family == "sts" else []:
            if not dataset.output or f"{task.task}/{dataset.name}" in given.sets:
                continue
            with contextlib.suppress(MissingDataError):
                files = require_all(task, dataset, data_dir)
                notes += note_on_shared(task, dataset, files, given.pairs, given.sets)
    return notes


def _source(text: str) -> Training:
    """Parse ``TASK`` or ``TASK/DATASET``, of a task whose pairs have scores from 0 to 5."""
    name, slash, dataset = (text, "", "") if Path(text).is_file() else text.partition("/")
    task = as_task(name)
    if task.family != "sts" or tuple(task.gold_range) != SCORES:
        raise InputError(f"{name} cannot be trained on: it has no pairs with scores from 0 to 5.")
    return Training(task=name, datasets=[task.dataset(dataset).name] if slash else [])


def datasets_of(sources: Sequence[str]) -> list[str]:
    """Return the data sets of sources as `train_on_pairs` takes them."""
    return dataset_names(map(_source, sources))


def train_on_catalogues(catalogues: Sequence[str | Path], **parameters: Any) -> Any:
    """Count the document frequencies of the TF-IDF baseline of typed similarity in catalogues."""
    _check_distinct_files(catalogues, "catalogue")
    sources = {str(catalogue): read_catalogue(Path(catalogue)) for catalogue in catalogues}
    described: dict[str, dict[str, Any]] = {}
    model: Any = create("typed-tfidf", **parameters)
    model.fit_background(_described(sources, described, "records", text_of))
    model.corpora_ = described
    return model


def _check_distinct_files(sources: Sequence[str | Path], what: str) -> None:
    if len({os.path.realpath(source) for source in sources}) < len(sources):
        raise InputError(f"a {what} is named twice.")


def _described(
    sources: Mapping[str, Iterator[T]],
    described: dict[str, dict[str, Any]],
    unit: str,
    as_bytes: Callable[[T], bytes],
) -> Iterator[T]:
    """Yield the items of all sources, and describe each source when it has been read."""
    for name, items in sources.items():
        digest, count = hashlib.sha256(), 0
        for item in items:
            digest.update(as_bytes(item))
            count += 1
            yield item
        described[name] = {unit: count, "sha256": digest.hexdigest()}
