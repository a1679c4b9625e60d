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

    Parameters
    ----------
    sentence : str

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
    """The words of a corpus.

    Attributes
    ----------
    columns : mapping of str to int
        Column of each word.
    idf : ndarray of shape (n_words,)
        Inverse document frequency, ln(N / (df + 1)).
    """

    columns: Mapping[str, int]
    idf: npt.NDArray[np.float64]

    def counts(self, sentences: Iterable[str]) -> sparse.csr_matrix:
        """Return how often each known word stands in each sentence.

        Parameters
        ----------
        sentences : iterable of str
            Taken one by one.

        Returns
        -------
        csr_matrix of shape (n_sentences, n_words)
            Rows of sentences without a known word are empty.

        Examples
        --------
        >>> Vocabulary({"cat": 0}, np.array([0.5])).counts(["Cats, cats", "dogs"]).toarray()
        array([[2.],
               [0.]])
        """
        counts = _Counts()
        for sentence in sentences:
            counts.add(self.columns[stem] for stem in stems(sentence) if stem in self.columns)
        return counts.matrix(len(self.columns))

    def weighted(self, counts: sparse.csr_matrix) -> sparse.csr_matrix:
        """Return the weights tf * idf for counts, in a matrix that shares their cells.

        A word that every sentence has can have the weight 0; its cells are stored all the same.

        Examples
        --------
        >>> vocabulary = Vocabulary({"cat": 0}, np.array([0.5]))
        >>> vocabulary.weighted(vocabulary.counts(["Cats, cats"])).toarray()
        array([[1.]])
        """
        weights = counts.data * self.idf[counts.indices]
        return sparse.csr_matrix((weights, counts.indices, counts.indptr), shape=counts.shape)


def count_matrix(
    sentences: Iterable[str], least_count: int = 2
) -> tuple[Vocabulary, sparse.csr_matrix]:
    """Read a corpus: its vocabulary, and how often its sentences have each word.

    Parameters
    ----------
    sentences : iterable of str
        Taken one by one; they are never all in memory.
    least_count : int
        Words that the whole corpus has less often are left out.

    Returns
    -------
    vocabulary : Vocabulary
    counts : csr_matrix of shape (n_sentences, n_words)

    Examples
    --------
    >>> vocabulary, counts = count_matrix(["a cat", "a dog", "the cat", "it rains"])
    >>> dict(vocabulary.columns), vocabulary.idf.round(3).tolist()
    ({'a': 0, 'cat': 1}, [0.288, 0.288])
    """
    numbers: dict[str, int] = {}
    counts = _Counts()
    for sentence in sentences:
        counts.add(numbers.setdefault(stem, len(numbers)) for stem in stems(sentence))
    matrix = counts.matrix(len(numbers))
    often = np.asarray(matrix.sum(axis=0)).ravel() >= least_count
    words = sorted(word for word, number in numbers.items() if often[number])
    matrix = matrix[:, [numbers[word] for word in words]]
    matrix.sort_indices()
    documents = np.bincount(matrix.indices, minlength=len(words))
    idf = np.log(max(matrix.shape[0], 1) / (documents + 1))
    return Vocabulary({word: column for column, word in enumerate(words)}, idf), matrix


class _Counts:
    """Counts of words, sentence by sentence, in arrays that grow."""

    def __init__(self) -> None:
        self.columns, self.values, self.ends = array("i"), array("d"), array("q", [0])

    def add(self, numbers: Iterable[int]) -> None:
        counter = Counter(numbers)
        for number in sorted(counter):
            self.columns.append(number)
            self.values.append(counter[number])
        self.ends.append(len(self.columns))

    def matrix(self, columns: int) -> sparse.csr_matrix:
        shape = len(self.ends) - 1, columns
        values = np.frombuffer(self.values, dtype=np.float64).copy()
        indices = np.frombuffer(self.columns, dtype=np.int32)
        ends = np.frombuffer(self.ends, dtype=np.int64)
        return sparse.csr_matrix((values, indices, ends), shape=shape)
