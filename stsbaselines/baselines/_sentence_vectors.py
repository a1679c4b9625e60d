"""What the baselines share that learn vectors of sentences from a corpus."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import TransformerMixin
from sklearn.utils.validation import check_is_fitted

from stsbaselines.errors import InputError
from stsbaselines.predictor import CHUNK_SIZE, Predictor, check_pairs, chunks_of
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.text.stems import Vocabulary, count_matrix

LEAST_COUNT = 2
MOST_COMPONENTS = 10_000
LARGEST_FACTOR = 1e15
HIGHEST_SEED = 2**32 - 1


class SentenceVectors(TransformerMixin, Predictor):  # type: ignore[misc]
    """Similarity of two sentences as the cosine of their vectors, in [-1, 1].

    A subclass defines `_learn` and `_vectors`. Of a pair in which a sentence has no known
    word, the similarity is 0.

    Attributes
    ----------
    vocabulary_ : list of str
        Stems that the corpus has at least twice.
    idf_ : ndarray of shape (n_words,)
    n_sentences_ : int
        Of the corpus.
    """

    def fit(self, sentences: Iterable[Any], gold: Any = None) -> Any:
        """Learn from a corpus.

        Parameters
        ----------
        sentences : iterable of str or of (str, str)
            Taken one by one: they are never all in memory. Of pairs, both sentences count.
        gold : ignored

        Raises
        ------
        InputError
            If the corpus has no word twice.
        """
        self._check_parameters()
        vocabulary, counts = count_matrix(_each_sentence(sentences), LEAST_COUNT)
        if not vocabulary.columns:
            raise InputError(
                f"{self.name}: the corpus has no word twice, so nothing can be learnt;"
                f" `stsbaselines train {self.name}` trains a model on a corpus."
            )
        try:
            self._learn(vocabulary, counts)
        except (np.linalg.LinAlgError, MemoryError) as error:
            raise InputError(f"{self.name} cannot be trained so: {error}.") from None
        self.__dict__.pop("_vocabulary", None)
        self.vocabulary_ = list(vocabulary.columns)
        self.idf_ = vocabulary.idf
        self.n_sentences_ = counts.shape[0]
        return self

    def fit_transform(self, sentences: Iterable[Any], gold: Any = None) -> FloatArray:
        """Learn from a corpus, and return the vectors of its sentences.

        Parameters
        ----------
        sentences : iterable of str
            All in memory, since they are gone through twice.
        gold : ignored
        """
        kept = list(_each_sentence(sentences))
        return np.asarray(self.fit(kept).transform(kept))

    def transform(self, sentences: Iterable[str]) -> FloatArray:
        """Return the vectors of sentences; 0 for one without a known word.

        Parameters
        ----------
        sentences : iterable of str
            Taken in chunks.

        Returns
        -------
        ndarray of shape (n_sentences, n_components)
        """
        check_is_fitted(self)
        if isinstance(sentences, str):
            raise InputError(f"{self.name}: found a single string, expected sentences.")
        vocabulary = self._known_words()
        chunks = [
            self._vectors(vocabulary, vocabulary.counts(each))
            for each in chunks_of(sentences, CHUNK_SIZE)
        ]
        return np.concatenate(chunks or [self._vectors(vocabulary, vocabulary.counts([]))])

    def predict(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Return the cosine of the vectors of each pair, as an array of shape (n_pairs,)."""
        check_pairs(pairs)
        left = self.transform(left for left, _ in pairs)
        right = self.transform(right for _, right in pairs)
        lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
        products = np.einsum("ij,ij->i", left, right, dtype=np.float64)
        found: FloatArray = np.divide(
            products, lengths, out=np.zeros(len(pairs)), where=lengths != 0
        )
        return found.clip(-1, 1)

    def _known_words(self) -> Vocabulary:
        found: Vocabulary | None = self.__dict__.get("_vocabulary")
        if found is None:
            index = {word: column for column, word in enumerate(self.vocabulary_)}
            found = self._vocabulary = Vocabulary(index, self.idf_)
        return found

    def _check_loaded(self) -> None:
        self._check_parameters()
        learned: Mapping[str, Any] = vars(self)
        words: Any = learned.get("vocabulary_")
        idf: Any = learned.get("idf_")
        factors: Any = learned.get("components_")
        if not (isinstance(words, list) and all(isinstance(word, str) for word in words)):
            raise InputError("no vocabulary of words")
        if not words or len(set(words)) < len(words):
            raise InputError("a vocabulary without words, or with one twice")
        if not _is_finite(idf, "d") or np.shape(idf) != (len(words),):
            raise InputError(f"other weights than a number for each of {len(words)} words")
        if not (_is_finite(factors, "fd") and factors.ndim == 2 and factors.shape[1]):
            raise InputError("no factors that are numbers")
        if len(factors) != len(words):
            raise InputError(f"factors of {len(factors)} words, but a vocabulary of {len(words)}")

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is made again when it is needed."""
        state = super().__getstate__()
        return {
            key: value
            for key, value in state.items()
            if not key.startswith("_") or key == "_sklearn_version"
        }

    def _check_parameters(self) -> None:
        raise NotImplementedError

    def _learn(self, vocabulary: Vocabulary, counts: sparse.csr_matrix) -> None:
        raise NotImplementedError

    def _vectors(self, vocabulary: Vocabulary, counts: sparse.csr_matrix) -> FloatArray:
        raise NotImplementedError


def _is_finite(array: Any, kinds: str) -> bool:
    """Tell whether an array has numbers alone, of which no product overflows."""
    is_array = isinstance(array, np.ndarray) and array.dtype.char in kinds
    return is_array and bool((np.abs(array) <= LARGEST_FACTOR).all())


def _each_sentence(items: Iterable[Any]) -> Iterator[str]:
    if isinstance(items, str):
        raise InputError("found a single string, expected sentences.")
    for item in items:
        if isinstance(item, str):
            yield item
        else:
            check_pairs([item])
            yield from item


def check_whole_numbers(model: SentenceVectors, **bounds: tuple[int, int]) -> None:
    """Refuse parameters that are no whole numbers, or out of bounds.

    Parameters
    ----------
    model : SentenceVectors
    **bounds : (int, int)
        By parameter.

    Raises
    ------
    InputError
    """
    for name, (lowest, highest) in bounds.items():
        value = getattr(model, name)
        is_number = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        if not (is_number and lowest <= value <= highest):
            raise InputError(
                f"{model.name}: {name} is {value!r}, but must be a whole number from {lowest}"
                f" to {highest}."
            )
