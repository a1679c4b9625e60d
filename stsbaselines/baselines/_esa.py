"""Explicit semantic analysis (ESA): words as vectors over the sentences of a corpus."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.preprocessing import normalize

from stsbaselines.baselines._dkpro_features import is_content
from stsbaselines.baselines._pair_features import Pair, PairFeatures
from stsbaselines.data.corpora import CorpusState, sentences_of, state_of
from stsbaselines.errors import InputError
from stsbaselines.predictor import chunks_of
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.text.stems import count_matrix, stems
from stsbaselines.text.words import treebank_words

PAIRS_AT_ONCE = 500
FEWEST_OCCURRENCES = 2

Arrays = tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]]


class Space(NamedTuple):
    """The vectors of the stems of a corpus, each with a row."""

    rows: Mapping[str, int]
    vectors: sparse.csr_matrix

    def cosines(self, pairs: Sequence[Pair]) -> FloatArray:
        """Return the cosine of each pair's sentences, as the sums of their words' vectors.

        Stop words do not count. The cosine is 0 if a sentence has no known word.
        """
        parts = [self._cosines(part) for part in chunks_of(pairs, PAIRS_AT_ONCE)]
        return np.concatenate([np.empty(0), *parts])

    def _cosines(self, pairs: Sequence[Pair]) -> FloatArray:
        """Multiply the vectors of all words of the pairs once, because there are few."""
        left, right = ([self._known_rows(pair[side]) for pair in pairs] for side in (0, 1))
        words = np.unique([row for rows in (*left, *right) for row in rows]).astype(int)
        vectors = self.vectors[words].astype(np.float64)
        products = vectors @ vectors.T
        x, y = _counts(left, words), _counts(right, words)
        xy = _row_sums(x @ products, y)
        lengths = np.sqrt(_row_sums(x @ products, x) * _row_sums(y @ products, y))
        return np.divide(xy, lengths, out=np.zeros(len(pairs)), where=lengths > 0).clip(0, 1)

    def _known_rows(self, sentence: str) -> list[int]:
        found = stems(" ".join(filter(is_content, treebank_words(sentence))))
        return [self.rows[stem] for stem in found if stem in self.rows]


def _counts(rows: Sequence[Sequence[int]], words: npt.NDArray[np.int_]) -> sparse.csr_matrix:
    columns = np.searchsorted(words, [word for each in rows for word in each])
    ends = np.cumsum([0, *map(len, rows)])
    return _matrix(np.ones(len(columns)), columns, ends, len(words))


def _row_sums(left: sparse.csr_matrix, right: sparse.csr_matrix) -> FloatArray:
    return np.asarray(left.multiply(right).sum(axis=1), dtype=np.float64).ravel()


def space_of(sentences: Iterable[str]) -> Space:
    """Return the space of a corpus: log(1 + count) of each word in each sentence, length 1."""
    vocabulary, counts = count_matrix(sentences, FEWEST_OCCURRENCES)
    if not vocabulary.columns:
        raise InputError("explicit semantic analysis: a corpus has no word twice.")
    vectors = normalize(counts.log1p().T.tocsr()).astype(np.float32)
    return Space(vocabulary.columns, vectors)


@functools.lru_cache(maxsize=4)
def corpus_space(corpus: CorpusState, data_dir: str | Path | None) -> Space:
    """Return the space of a corpus, read once per process."""
    return space_of(sentences_of(corpus.name, data_dir))


class SemanticAnalysis(PairFeatures):
    """Cosines by explicit semantic analysis, one per corpus; parameters as of `DKPro`."""

    def __init__(self, corpora: Sequence[str | Path], data_dir: str | Path | None = None) -> None:
        self.corpora = corpora
        self.data_dir = data_dir

    def fit(self, pairs: object = None, gold: object = None) -> SemanticAnalysis:
        """Read the corpora."""
        self.spaces_ = [corpus_space(state_of(corpus), self.data_dir) for corpus in self.corpora]
        return self

    @property
    def names(self) -> Sequence[str]:
        return [f"esa_{Path(corpus).stem}" for corpus in self.corpora]

    def _rows(self, pairs: Sequence[Pair]) -> list[Sequence[float]]:
        columns = [space.cosines(pairs).tolist() for space in self.spaces_]
        return list(zip(*columns, strict=True))


def pack_spaces(spaces: Sequence[Space]) -> tuple[list[list[str]], Arrays]:
    """Return the words of spaces, and the sparse vectors of all as three arrays, to be saved."""
    words = [list(space.rows) for space in spaces]
    width = max((space.vectors.shape[1] for space in spaces), default=0)
    nothing = _matrix(np.zeros(0, np.float32), np.zeros(0, int), np.zeros(1, int), width)
    vectors = (space.vectors for space in spaces)
    widened = (_matrix(each.data, each.indices, each.indptr, width) for each in vectors)
    stacked = sparse.vstack([nothing, *widened], format="csr")
    return words, (stacked.data, stacked.indices, stacked.indptr)


def unpack_spaces(words: Sequence[Sequence[str]], arrays: Arrays) -> list[Space]:
    """Return the spaces that `pack_spaces` was given."""
    values, columns, ends = arrays
    stacked = _matrix(values, columns, ends, 1 + int(np.max(columns, initial=-1)))
    stacked.check_format()  # SciPy would read outside of wrong arrays
    bounds = np.cumsum([0, *map(len, words)])
    return [
        Space({word: row for row, word in enumerate(each)}, stacked[start:end])
        for each, start, end in zip(words, bounds[:-1], bounds[1:], strict=True)
    ]


def _matrix(values: Any, columns: Any, ends: Any, width: int) -> sparse.csr_matrix:
    return sparse.csr_matrix((values, columns, ends), shape=(len(ends) - 1, width))
