"""Training models on corpora of sentences, and on catalogues of item records."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from stsbaselines.data.corpora import sentences_of
from stsbaselines.errors import InputError
from stsbaselines.predictor import create
from stsbaselines.tasks.records import read_catalogue, text_of

T = TypeVar("T")


def model_name(baseline: str, corpora: Sequence[str | Path]) -> str:
    """Return what a trained model is called by default.

    Examples
    --------
    >>> model_name("wtmf", ["wordnet", "my/sentences.txt"])
    'wtmf-wordnet+sentences'
    """
    return f"{baseline}-{'+'.join(Path(corpus).stem for corpus in corpora)}"


def train_on_corpora(
    baseline: str,
    corpora: Sequence[str | Path],
    data_dir: str | Path | None = None,
    **parameters: Any,
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
    **parameters
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
    predictor: Any = create(baseline, **parameters)
    predictor.fit(_described(sources, described, "sentences", _line))
    predictor.corpora_ = described
    return predictor


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
    if len({Path(source).resolve() for source in sources}) < len(sources):
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
