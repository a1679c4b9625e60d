"""Latent Dirichlet allocation (LDA), the second model that the paper on WTMF compares with."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from gensim.matutils import Sparse2Corpus
from gensim.models import LdaModel
from scipy import sparse

from stsbaselines.baselines._sentence_vectors import (
    HIGHEST_SEED,
    MOST_COMPONENTS,
    SentenceVectors,
    check_whole_numbers,
)
from stsbaselines.errors import InputError
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.text.stems import Vocabulary


class LDA(SentenceVectors):
    """Latent Dirichlet allocation by gensim, on counts of words.

    The vector of a sentence is its distribution over topics.

    Parameters
    ----------
    n_components : int
        Topics.
    n_passes : int
        How often the corpus is gone through.
    random_state : int

    Attributes
    ----------
    components_ : ndarray of shape (n_words, n_components)
        Expected counts of each word in each topic.

    References
    ----------
    Guo and Diab (2012), section 5.

    Examples
    --------
    >>> corpus = ["a cat sleeps", "the cat sleeps", "a dog barks", "the dog barks", "it is late"]
    >>> LDA(n_components=2, n_passes=5).fit(corpus).transform(["cats sleep"]).shape
    (1, 2)
    """

    name: ClassVar[str] = "lda"

    def __init__(self, n_components: int = 100, n_passes: int = 1, random_state: int = 0) -> None:
        self.n_components = n_components
        self.n_passes = n_passes
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_whole_numbers(
            self,
            n_components=(1, MOST_COMPONENTS),
            n_passes=(1, 1000),
            random_state=(0, HIGHEST_SEED),
        )

    def _check_loaded(self) -> None:
        super()._check_loaded()
        if self.components_.shape[1] != self.n_components:
            found = f"{self.components_.shape[1]} factors"
            raise InputError(f"{found}, but {self.n_components} components")
        if (self.components_ < 0).any():
            raise InputError("counts of words that are below 0")

    def _learn(self, vocabulary: Vocabulary, counts: sparse.csr_matrix) -> None:
        model = self._untrained(len(vocabulary.columns))
        model.update(Sparse2Corpus(counts, documents_columns=False), passes=self.n_passes)
        self.components_ = np.ascontiguousarray(model.state.sstats.T)

    def _untrained(self, n_words: int) -> LdaModel:
        names = {column: str(column) for column in range(n_words)}
        return LdaModel(
            num_topics=self.n_components,
            id2word=names,
            dtype=np.float64,
            eval_every=None,
            random_state=self.random_state,
        )

    def _vectors(self, vocabulary: Vocabulary, counts: sparse.csr_matrix) -> FloatArray:
        known: Any = self.__dict__.get("_known")
        if known is None or known[0] is not self.components_:
            known = self._known = self.components_, self._untrained(len(vocabulary.columns))
            known[1].state.sstats = np.ascontiguousarray(self.components_.T)
            known[1].sync_state()
        model = known[1]
        found = np.zeros((counts.shape[0], self.components_.shape[1]))
        for row, document in enumerate(Sparse2Corpus(counts, documents_columns=False)):
            if document:
                model.random_state = np.random.RandomState(self.random_state)
                gamma, _ = model.inference([document])
                found[row] = gamma[0] / gamma[0].sum()
        return found
