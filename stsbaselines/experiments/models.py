"""Training on labelled pairs, on corpora of sentences, and on catalogues of item records."""

from __future__ import annotations

import hashlib
import inspect
import itertools
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from stsbaselines.baselines import create
from stsbaselines.data.catalogue import DataSet, Task, find_task
from stsbaselines.data.corpora import sentences_of
from stsbaselines.data.find import require_all
from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.evaluation.systems import available
from stsbaselines.evaluation.trained_models import supported_params
from stsbaselines.experiments.config import Training
from stsbaselines.predictor import Predictor
from stsbaselines.tasks.base import family_of
from stsbaselines.tasks.records import read_catalogue, text_of

SCORES = (0, 5)

T = TypeVar("T")


class LabelledPairs(NamedTuple):
    """Pairs to train on.

    Attributes
    ----------
    pairs : sequence of length n_pairs
    labels : sequence or ndarray of length n_pairs, or None
        The gold standard, if there is one.
    sets : sequence of str of length n_pairs
        The task and data set of each pair.
    source : str
        What they are, in words.
    """

    pairs: Sequence[Any] = ()
    labels: Any = None
    sets: Sequence[str] = ()
    source: str = ""

    def fit(self, predictor: Predictor) -> Predictor:
        """Fit a predictor on them; it is told their data sets, if it asks for `sets`."""
        if "sets" in inspect.signature(predictor.fit).parameters:
            fit: Any = predictor.fit
            return fit(self.pairs, self.labels, sets=self.sets)  # type: ignore[no-any-return]
        return predictor.fit(self.pairs, self.labels)


def read_labelled(sources: Sequence[Training], data_dir: str | Path | None = None) -> LabelledPairs:
    """Read what a baseline is trained on.

    Parameters
    ----------
    sources : sequence of Training
        Of tasks of one family. Of a whole task, a data set that may not be redistributed is left
        out if its sentences are not here.
    data_dir : path, optional
        Where the data is looked for first.

    Raises
    ------
    MissingDataError
        If a data set is not here.
    InputError
        If one is malformed.
    """
    found: list[LabelledPairs] = []
    described = []
    for source in sources:
        task = find_task(source.task)
        here = _here(task, source, data_dir)
        parts = [_read(task, each, data_dir) for each in here]
        count = sum(len(part.pairs) for part in parts)
        names = [] if here == task.datasets else [each.name for each in here]
        described.append(f"{', '.join([task.task, *names])} ({count:,} labelled pairs)")
        found += parts
    labels = [part.labels for part in found]
    is_array = bool(labels) and all(isinstance(each, np.ndarray) for each in labels)
    return LabelledPairs(
        [pair for part in found for pair in part.pairs],
        np.concatenate(labels) if is_array else list(itertools.chain.from_iterable(labels)),
        [name for part in found for name in part.sets],
        " and ".join(described),
    )


def _read(task: Task, dataset: DataSet, data_dir: str | Path | None) -> LabelledPairs:
    files = require_all(task, dataset, data_dir)
    pairs, labels = family_of(task).read_training(files, task, dataset)
    return LabelledPairs(pairs, labels, [f"{task.task}/{dataset.name}"] * len(pairs))


def _here(task: Task, source: Training, data_dir: str | Path | None) -> list[DataSet]:
    if source.first_of:
        return [_first_here(task, source.first_of, data_dir)]
    if source.datasets:
        return [task.dataset(name) for name in source.datasets]
    return available(task, task.datasets, data_dir)[0]


def _first_here(task: Task, names: Sequence[str], data_dir: str | Path | None) -> DataSet:
    missing = []
    for name in names:
        try:
            require_all(task, task.dataset(name), data_dir)
        except MissingDataError as error:
            missing.append(error)
        else:
            return task.dataset(name)
    raise missing[-1]


def train_on_corpora(
    baseline: str,
    corpora: Sequence[str | Path],
    data_dir: str | Path | None = None,
    parameters: Mapping[str, Any] | None = None,
) -> Any:
    """Train a baseline that learns from sentences.

    Parameters
    ----------
    baseline : str
        ``wtmf``, ``lsa`` or ``lda``.
    corpora : sequence of str or Path
        See `stsbaselines.data.corpora.sentences_of`.
    data_dir : path, optional
        Where corpora are looked for first.
    parameters : mapping of str to any, optional
        Of the baseline.

    Returns
    -------
    Predictor
        Its ``corpora_`` says what it was trained on: sentences and sha256 of each corpus.

    Raises
    ------
    InputError
        If a corpus is not here, or named twice.
    """
    _check_distinct(corpora, "corpus")
    sources = {str(corpus): sentences_of(corpus, data_dir) for corpus in corpora}
    described: dict[str, dict[str, Any]] = {}
    predictor: Any = create(baseline, **(parameters or {}))
    predictor.fit(_described(sources, described, "sentences", _line))
    predictor.corpora_ = described
    return predictor


def train_on_pairs(
    baseline: str,
    sources: Sequence[str],
    data_dir: str | Path | None = None,
    n_jobs: int = 1,
    parameters: Mapping[str, Any] | None = None,
) -> Any:
    """Train a baseline that learns from labelled pairs.

    Parameters
    ----------
    baseline : str
        Such as ``dkpro-string``.
    sources : sequence of str
        ``TASK`` or ``TASK/DATASET``.
    data_dir : path, optional
        Where data is looked for first.
    n_jobs : int
        Processes.
    parameters : mapping of str to any, optional
        Of the baseline.

    Returns
    -------
    Predictor
        Its ``trained_on_`` has the number of pairs of each data set.

    Raises
    ------
    InputError
        If there is no such task or data set, one is named twice, or one is not here.
    """
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


def _source(text: str) -> Training:
    """Parse ``TASK`` or ``TASK/DATASET``, of a task whose pairs have scores from 0 to 5."""
    name, slash, dataset = text.partition("/")
    task = find_task(name)
    if task.family != "sts" or tuple(task.gold_range) != SCORES:
        raise InputError(f"{name} cannot be trained on: it has no pairs with scores from 0 to 5.")
    return Training(task=name, datasets=[task.dataset(dataset).name] if slash else [])


def datasets_of(sources: Sequence[str]) -> list[str]:
    """Return the data sets of sources such as `train_on_pairs` takes.

    Examples
    --------
    >>> datasets_of(["sample-sts", "sts2012/OnWN"])
    ['sample-sts/kitchen', 'sample-sts/journeys', 'sts2012/OnWN']
    """
    return _names(map(_source, sources))


def _names(sources: Iterable[Training]) -> list[str]:
    return [
        f"{source.task}/{name}"
        for source in sources
        for name in source.datasets or source.first_of or find_task(source.task).dataset_names
    ]


def check_distinct(sources: Sequence[Training]) -> None:
    """Refuse sources that name a data set twice.

    Examples
    --------
    >>> check_distinct([Training(task="sts2012"), Training(task="sts2012", datasets=["OnWN"])])
    Traceback (most recent call last):
    stsbaselines.errors.InputError: the data set sts2012/OnWN is named twice to train on.
    """
    for name, count in Counter(_names(sources)).items():
        if count > 1:
            raise InputError(f"the data set {name} is named twice to train on.")


def train_on_catalogues(catalogues: Sequence[str | Path], **parameters: Any) -> Any:
    """Count the document frequencies of the TF-IDF baseline of typed similarity in catalogues.

    Parameters
    ----------
    catalogues : sequence of str or Path
        See `stsbaselines.tasks.records.read_catalogue`.
    **parameters
        Of the baseline.

    Returns
    -------
    TypedTfidf
        Its ``corpora_`` says what was counted: records and sha256 of each catalogue.

    Raises
    ------
    InputError
        If a catalogue is malformed, or named twice, or there is no such parameter.
    """
    _check_distinct(catalogues, "catalogue")
    sources = {str(catalogue): read_catalogue(Path(catalogue)) for catalogue in catalogues}
    described: dict[str, dict[str, Any]] = {}
    model: Any = create("typed-tfidf", **parameters)
    model.fit_background(_described(sources, described, "records", text_of))
    model.corpora_ = described
    return model


def _check_distinct(sources: Sequence[str | Path], what: str) -> None:
    if len({os.path.realpath(source) for source in sources}) < len(sources):
        raise InputError(f"a {what} is named twice.")


def _line(sentence: str) -> bytes:
    return sentence.encode("utf-8") + b"\n"


def _described(
    sources: Mapping[str, Iterator[T]],
    described: dict[str, dict[str, Any]],
    unit: str,
    as_bytes: Callable[[T], bytes],
) -> Iterator[T]:
    """Yield what is in all sources, and describe each source when it has been read."""
    for name, items in sources.items():
        digest, count = hashlib.sha256(), 0
        for item in items:
            digest.update(as_bytes(item))
            count += 1
            yield item
        described[name] = {unit: count, "sha256": digest.hexdigest()}
