"""Explicit semantic analysis (ESA): words as vectors over the sentences of a corpus."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.preprocessing import normalize

from stsbaselines.baselines._dkpro_features import is_content
from stsbaselines.baselines._pair_features import PairCache, PairFeatures, are_words, check_corpora
from stsbaselines.data.corpora import CorpusState, sentences_of, state_of
from stsbaselines.errors import InputError
from stsbaselines.predictor import chunks_of
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.text.stems import count_matrix, stems
from stsbaselines.text.words import treebank_words

PAIRS_AT_ONCE = 500
LEAST_COUNT = 2


class Space:
    """The vectors of the words of a corpus; the cosines of the last pairs are kept.

    Parameters
    ----------
    rows : mapping of str to int
        By stem.
    vectors : csr_matrix of shape (n_words, n_concepts)
        A concept is a sentence of the corpus, or a definition.
    """

    def __init__(self, rows: Mapping[str, int], vectors: sparse.csr_matrix) -> None:
        self.rows = rows
        self.vectors = vectors
        self._remembered = PairCache(self._cosines)

    def cosines(self, pairs: Sequence[Sequence[str]]) -> FloatArray:
        """Return the cosine of the sentences of each pair: of the sums of their words' vectors.

        Stop words do not count. Of a pair in which a sentence has no known word it is 0.
        """
        return np.array(self._remembered(pairs), dtype=np.float64)

    def _cosines(self, pairs: Sequence[Sequence[str]]) -> Iterator[float]:
        for part in chunks_of(pairs, PAIRS_AT_ONCE):
            yield from self._cosines_of_some(part)

    def _cosines_of_some(self, pairs: Sequence[Sequence[str]]) -> FloatArray:
        """Return cosines by the products of the vectors of words, of which there are few."""
        known = [[self._known(sentence) for sentence in pair] for pair in pairs]
        words = np.unique([row for both in known for rows in both for row in rows]).astype(int)
        vectors = self.vectors[words].astype(np.float64)
        products = vectors @ vectors.T
        left, right = (_counts([each[side] for each in known], words) for side in (0, 1))
        of_left = left @ products
        both = _row_sums(of_left, right)
        lengths = np.sqrt(_row_sums(of_left, left) * _row_sums(right @ products, right))
        return np.divide(both, lengths, out=np.zeros(len(pairs)), where=lengths > 0).clip(0, 1)

    def _known(self, sentence: str) -> list[int]:
        found = stems(" ".join(filter(is_content, treebank_words(sentence))))
        return [self.rows[stem] for stem in found if stem in self.rows]


def _counts(rows: Sequence[Sequence[int]], words: npt.NDArray[np.int_]) -> sparse.csr_matrix:
    columns = np.searchsorted(words, [word for each in rows for word in each])
    ends = np.cumsum([0, *map(len, rows)])
    return _matrix(np.ones(len(columns)), columns, ends, len(words))


def _row_sums(left: sparse.csr_matrix, right: sparse.csr_matrix) -> FloatArray:
    return np.asarray(left.multiply(right).sum(axis=1), dtype=np.float64).ravel()


def space_of(sentences: Iterable[str]) -> Space:
    """Return the space of a corpus: log(1 + count) of each word in each sentence, of length 1.

    Parameters
    ----------
    sentences : iterable of str
        Taken one by one. Words that they have only once are left out.

    Raises
    ------
    InputError
        If they have no word twice.

    Examples
    --------
    >>> space = space_of(["cat: feline pet", "dog: canine pet", "feline: cat", "canine: dog"])
    >>> space.cosines([("cats", "feline"), ("cats", "dogs"), ("cats", "pets")]).round(2).tolist()
    [1.0, 0.0, 0.5]
    """
    vocabulary, counts = count_matrix(sentences, LEAST_COUNT)
    if not vocabulary.columns:
        raise InputError("explicit semantic analysis: a corpus has no word twice.")
    counts.data = np.log1p(counts.data)
    vectors = normalize(counts.T.tocsr()).astype(np.float32)
    return Space(vocabulary.columns, vectors)


@functools.lru_cache(maxsize=4)
def corpus_space(corpus: CorpusState, data_dir: str | None = None) -> Space:
    """Return the space of a corpus; see `stsbaselines.data.corpora.sentences_of`."""
    return space_of(sentences_of(corpus.name, data_dir))


class SemanticAnalysis(PairFeatures):
    """Cosines by explicit semantic analysis, one for each corpus.

    Parameters
    ----------
    corpora : sequence of str or Path
        Names or files; see `stsbaselines.data.corpora.sentences_of`.
    data_dir : path or None
        Where corpora are looked for first.

    Attributes
    ----------
    spaces_ : list of Space
    """

    def __init__(
        self,
        corpora: Sequence[str | Path] = ("wordnet", "gcide", "brown"),
        data_dir: str | Path | None = None,
    ) -> None:
        self.corpora = corpora
        self.data_dir = data_dir

    def fit(self, pairs: object = None, gold: object = None) -> SemanticAnalysis:
        """Read the corpora.

        Raises
        ------
        InputError
            If they are no list of different corpora.
        MissingDataError
            If one is not here; the message says how to get it.
        """
        check_corpora("SemanticAnalysis", self.corpora)
        place = None if self.data_dir is None else str(self.data_dir)
        self.spaces_ = [corpus_space(state_of(corpus), place) for corpus in self.corpora]
        return self

    def _names(self) -> Sequence[str]:
        return [f"esa_{Path(corpus).stem}" for corpus in self.corpora]

    def _rows(self, pairs: Sequence[Sequence[str]]) -> list[Sequence[float]]:
        columns = [space.cosines(pairs).tolist() for space in self.spaces_]
        return list(zip(*columns, strict=True))


def packed(spaces: Sequence[Space]) -> tuple[list[list[str]], dict[str, npt.NDArray[Any]]]:
    """Return the words of spaces, and arrays of their vectors one below the other, to be saved.

    Examples
    --------
    >>> [space] = unpacked(*packed([space_of(["a cat", "the cat"])]))
    >>> dict(space.rows), space.vectors.toarray().round(2)
    ({'cat': 0}, array([[0.71, 0.71]], dtype=float32))
    """
    words = [list(space.rows) for space in spaces]
    width = max((space.vectors.shape[1] for space in spaces), default=0)
    nothing = _matrix(np.zeros(0, np.float32), np.zeros(0, int), np.zeros(1, int), width)
    vectors = (space.vectors for space in spaces)
    widened = (_matrix(each.data, each.indices, each.indptr, width) for each in vectors)
    stacked = sparse.vstack([nothing, *widened], format="csr")
    return words, {"values": stacked.data, "columns": stacked.indices, "ends": stacked.indptr}


def unpacked(words: Any, arrays: Mapping[str, Any]) -> list[Space]:
    """Return the spaces that `packed` was given.

    Parameters
    ----------
    words : list of list of str
    arrays : mapping of str to ndarray
        ``values``, ``columns`` and ``ends``.

    Raises
    ------
    InputError
        If words and arrays do not belong together.
    """
    kinds = {"values": "f", "columns": "iu", "ends": "iu"}
    if not isinstance(words, list) or not all(map(are_words, words)):
        raise InputError("no lists of distinct words")
    if not all(
        isinstance(arrays[n], np.ndarray) and arrays[n].dtype.kind in kinds[n] for n in kinds
    ):
        raise InputError("vectors of words that are no arrays of numbers")
    values, columns, ends = (arrays[name] for name in kinds)
    try:
        bounds = np.cumsum([0, *map(len, words)])
        stacked = _matrix(values, columns, ends, 1 + int(np.max(columns, initial=-1)))
        stacked.check_format()
        is_finite = bool(np.isfinite(stacked.data).all())
    except (TypeError, ValueError, IndexError):
        is_finite = False
    if not is_finite:
        raise InputError("vectors of words that are no sparse matrix of numbers")
    if stacked.shape[0] != bounds[-1]:
        raise InputError(f"vectors of {stacked.shape[0]} words, but {bounds[-1]} words")
    return [
        Space({word: row for row, word in enumerate(each)}, stacked[start:end])
        for each, start, end in zip(words, bounds[:-1], bounds[1:], strict=True)
    ]


def _matrix(values: Any, columns: Any, ends: Any, width: int) -> sparse.csr_matrix:
    return sparse.csr_matrix((values, columns, ends), shape=(len(ends) - 1, width))
