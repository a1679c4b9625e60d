"""Stems of a sentence, and their counts in a corpus, as the authors of WTMF computed them.

Guo and Diab (2012): words of the Treebank tokenizer, lower-cased, stemmed by Porter's own later
variant of his algorithm; words with other characters than ASCII letters, digits and _ are left out.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import sparse

from stsbaselines.text.words import porter_stem, treebank_words

_WORD = re.compile(r"\w+", re.ASCII)
_INNER_APOSTROPHE = re.compile(r"(?<=\w)'.*")
_NEGATION = "n't"


def stems(sentence: str) -> list[str]:
    """Return the stems of a sentence."""
    words = [
        _INNER_APOSTROPHE.sub("", word) for word in treebank_words(sentence) if word != _NEGATION
    ]
    return [porter_stem(word, "MARTIN_EXTENSIONS") for word in words if _WORD.fullmatch(word)]


class Vocabulary(NamedTuple):
    """The words of a corpus: the column of each, and its inverse document frequency.

    The latter is ln(N / (df + 1)), in an array of shape (n_words,).
    """

    columns: Mapping[str, int]
    idf: npt.NDArray[np.float64]

    def counts(self, sentences: Iterable[str]) -> sparse.csr_matrix:
        """Return how often each known word occurs in each sentence."""
        known = (
            [self.columns[stem] for stem in stems(each) if stem in self.columns]
            for each in sentences
        )
        return _counted(known, len(self.columns))

    def weighted(self, counts: sparse.csr_matrix) -> sparse.csr_matrix:
        """Return the weights tf * idf for counts; weights of 0 are stored like others."""
        weights = counts.data * self.idf[counts.indices]
        return sparse.csr_matrix((weights, counts.indices, counts.indptr), shape=counts.shape)


def count_matrix(
    sentences: Iterable[str], least_count: int = 2
) -> tuple[Vocabulary, sparse.csr_matrix]:
    """Read a corpus: its vocabulary, and how often its sentences have each word.

    Words that the whole corpus has less often than `least_count` are left out.
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
    columns, ends = array("i"), array("q", [0])
    for row in rows:
        columns.extend(row)
        ends.append(len(columns))
    shape = len(ends) - 1, max(columns, default=-1) + 1 if width is None else width
    matrix = sparse.csr_matrix((np.ones(len(columns)), columns, ends), shape=shape)
    matrix.sum_duplicates()
    return matrix
