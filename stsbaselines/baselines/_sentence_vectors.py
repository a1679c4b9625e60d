"""The base class of the baselines that learn vectors of sentences from a corpus."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from stsbaselines.errors import InputError
from stsbaselines.predictor import CHUNK_SIZE, Predictor, check_pairs, chunks_of
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.text.stems import Vocabulary, count_matrix

FEWEST_OCCURRENCES = 2
Projection = Callable[[sparse.csr_matrix], FloatArray]


class SentenceVectors(TransformerMixin, Predictor):  # type: ignore[misc]
    """Similarity of two sentences as the cosine of their vectors, in [-1, 1].

    A subclass defines `_check_parameters`, `_learn` and `_projection`. The similarity is 0 if a
    sentence has no known word.
    """

    def fit(self, sentences: Iterable[Any], gold: Any = None) -> Any:
        """Learn from a corpus."""
        self._check_parameters()
        vocabulary, counts = count_matrix(_each_sentence(sentences), FEWEST_OCCURRENCES)
        if not vocabulary.columns:
            raise InputError(
                f"{self.name}: the corpus has no word twice, so nothing can be learned;"
                f" `stsbaselines train {self.name}` trains a model on a corpus."
            )
        try:
            self._learn(vocabulary, counts)
        except (np.linalg.LinAlgError, MemoryError) as error:
            raise InputError(f"{self.name} cannot be trained: {error}.") from None
        self.vocabulary_ = list(vocabulary.columns)
        self.idf_ = vocabulary.idf
        self.n_sentences_ = counts.shape[0]
        return self

    def fit_transform(self, sentences: Iterable[Any], gold: Any = None) -> FloatArray:
        """Learn from a corpus, which must fit in memory, and return its sentences' vectors."""
        kept = list(_each_sentence(sentences))
        return np.asarray(self.fit(kept).transform(kept))

    def transform(self, sentences: Iterable[str]) -> FloatArray:
        """Return the vectors of sentences, as an array of shape (n_sentences, n_components).

        Sentences are read in chunks. The vector of a sentence without a known word is 0.
        """
        check_is_fitted(self)
        self._check_parameters()
        _check_sentences(sentences)
        columns = {word: column for column, word in enumerate(self.vocabulary_)}
        vocabulary = Vocabulary(columns, self.idf_)
        project = self._projection(vocabulary)
        chunks = itertools.chain(chunks_of(sentences, CHUNK_SIZE), [[]])
        return np.concatenate([project(vocabulary.counts(each)) for each in chunks])

    def predict(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Return the cosine of the vectors of each pair, as an array of shape (n_pairs,)."""
        check_pairs(pairs)
        vectors = self.transform([pair[side] for side in (0, 1) for pair in pairs])
        left, right = vectors[: len(pairs)], vectors[len(pairs) :]
        lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
        products = np.einsum("ij,ij->i", left, right, dtype=np.float64)
        cosines = np.divide(products, lengths, out=np.zeros(len(pairs)), where=lengths != 0)
        return np.asarray(cosines.clip(-1, 1))

    def _check_parameters(self) -> None:
        raise NotImplementedError

    def _learn(self, vocabulary: Vocabulary, counts: sparse.csr_matrix) -> None:
        raise NotImplementedError

    def _projection(self, vocabulary: Vocabulary) -> Projection:
        """Return a function from counts of words to vectors of sentences."""
        raise NotImplementedError


def _check_sentences(items: Iterable[Any]) -> None:
    if isinstance(items, str):
        raise InputError("found a single string, expected sentences.")


def _each_sentence(items: Iterable[Any]) -> Iterator[str]:
    _check_sentences(items)
    for item in items:
        if isinstance(item, str):
            yield item
        else:
            check_pairs([item])
            yield from item
