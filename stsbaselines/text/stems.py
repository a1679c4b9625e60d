"""Stems of a sentence, and counting them in a corpus, as the authors of WTMF did.

Guo and Diab (2012): words of the Treebank tokenizer, lower-cased, stemmed by Porter's own later
variant of his algorithm, without those that have a character which is none of a word.
"""

from __future__ import annotations

import functools
import re
from array import array
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from stsbaselines.text.words import treebank_words

if TYPE_CHECKING:
    from nltk.stem.porter import PorterStemmer

_NO_WORD_CHARACTER = re.compile(r"\W", re.ASCII)
_INNER_APOSTROPHE = re.compile(r"(?<=\w)'.*")
_NEGATION = "n't"


def stems(sentence: str) -> list[str]:
    """Return the stems of a sentence.

    Examples
    --------
    >>> stems("At 3 o'clock we're reading well-known stories.")
    ['at', '3', 'o', 'we', 'read', 'stori']
    """
    return [stem for stem in map(_stem, treebank_words(sentence)) if stem]


@functools.lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    """Return the stem of a word; "" for what is none."""
    if word == _NEGATION:
        return ""
    word = _INNER_APOSTROPHE.sub("", word)
    return "" if _NO_WORD_CHARACTER.search(word) else str(_stemmer().stem(word))


@functools.cache
def _stemmer() -> PorterStemmer:
    from nltk.stem.porter import PorterStemmer  # slow to import

    return PorterStemmer(mode=PorterStemmer.MARTIN_EXTENSIONS)


class Vocabulary(NamedTuple):
    """The words of a corpus: the column of each, and its inverse document frequency.

    The latter is ln(N / (df + 1)), in an array of shape (n_words,).
    """

    columns: Mapping[str, int]
    idf: npt.NDArray[np.float64]

    def counts(self, sentences: Iterable[str]) -> sparse.csr_matrix:
        """Return how often each known word stands in each sentence."""
        known = ([stem for stem in stems(each) if stem in self.columns] for each in sentences)
        return _counted(
            ([self.columns[stem] for stem in each] for each in known), len(self.columns)
        )

    def weighted(self, counts: sparse.csr_matrix) -> sparse.csr_matrix:
        """Return the weights tf * idf for counts, in a matrix that shares their cells.

        A word that every sentence has can have the weight 0; its cells are stored all the same.
        """
        weights = counts.data * self.idf[counts.indices]
        return sparse.csr_matrix((weights, counts.indices, counts.indptr), shape=counts.shape)


def count_matrix(
    sentences: Iterable[str], least_count: int = 2
) -> tuple[Vocabulary, sparse.csr_matrix]:
    """Read a corpus: its vocabulary, and how often its sentences have each word.

    Sentences are taken one by one. Words that the whole corpus has less often than
    `least_count` are left out.

    Examples
    --------
    >>> vocabulary, counts = count_matrix(["a cat", "a dog", "the cat", "it rains"])
    >>> dict(vocabulary.columns), vocabulary.idf.round(3).tolist()
    ({'a': 0, 'cat': 1}, [0.288, 0.288])
    """
    numbers: dict[str, int] = {}
    rows = ([numbers.setdefault(stem, len(numbers)) for stem in stems(each)] for each in sentences)
    matrix = _counted(rows)
    often = np.asarray(matrix.sum(axis=0)).ravel() >= least_count
    words = sorted(word for word, number in numbers.items() if often[number])
    matrix = matrix[:, [numbers[word] for word in words]]
    matrix.sort_indices()
    documents = np.bincount(matrix.indices, minlength=len(words))
    idf = np.log(max(matrix.shape[0], 1) / (documents + 1))
    return Vocabulary({word: column for column, word in enumerate(words)}, idf), matrix


def _counted(rows: Iterable[Iterable[int]], width: int | None = None) -> sparse.csr_matrix:
    """Return how often each row has each column; the width is that of the last one by default."""
    columns, values, ends = array("i"), array("d"), array("q", [0])
    for row in rows:
        counter = Counter(row)
        for column in sorted(counter):
            columns.append(column)
            values.append(counter[column])
        ends.append(len(columns))
    shape = len(ends) - 1, max(columns, default=-1) + 1 if width is None else width
    indices = np.frombuffer(columns, dtype=np.int32)
    matrix = (np.frombuffer(values).copy(), indices, np.frombuffer(ends, dtype=np.int64))
    return sparse.csr_matrix(matrix, shape=shape)
