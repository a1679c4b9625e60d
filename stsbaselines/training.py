"""Training a model of sentences on corpora."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from stsbaselines.data.corpora import sentences_of
from stsbaselines.errors import InputError
from stsbaselines.predictor import create


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
    if len({Path(corpus).resolve() for corpus in corpora}) < len(corpora):
        raise InputError("a corpus is named twice.")
    sources = {str(corpus): sentences_of(corpus, data_dir) for corpus in corpora}
    described: dict[str, dict[str, Any]] = {}
    predictor: Any = create(baseline, **parameters)
    predictor.fit(_described(sources, described))
    predictor.corpora_ = described
    return predictor


def _described(
    sources: dict[str, Iterator[str]], described: dict[str, dict[str, Any]]
) -> Iterator[str]:
    """Yield the sentences of all corpora, and describe each corpus when it has been read."""
    for name, sentences in sources.items():
        digest, count = hashlib.sha256(), 0
        for sentence in sentences:
            digest.update(sentence.encode("utf-8") + b"\n")
            count += 1
            yield sentence
        described[name] = {"sentences": count, "sha256": digest.hexdigest()}
