"""Latent Dirichlet allocation (LDA), which the paper on WTMF compares with."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from gensim.matutils import Sparse2Corpus
from gensim.models import LdaModel
from scipy import sparse

from stsbaselines.baselines._parameters import HIGHEST_SEED, MOST_COMPONENTS, check_whole_numbers
from stsbaselines.baselines._sentence_vectors import Projection, SentenceVectors
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.text.stems import Vocabulary


class LDA(SentenceVectors):
    """Latent Dirichlet allocation by gensim, on counts of words.

    The vector of a sentence is its distribution over topics.

    Parameters
    ----------
    n_components : int
        Number of topics.
    n_passes : int
        Number of passes through the corpus.
    random_state : int
        Seed of the topics.

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

    def _projection(self, vocabulary: Vocabulary) -> Projection:
        model = self._untrained(len(vocabulary.columns))
        model.state.sstats = np.ascontiguousarray(self.components_.T)
        model.sync_state()

        def project(counts: sparse.csr_matrix) -> FloatArray:
            found = np.zeros((counts.shape[0], self.n_components))
            for row, document in enumerate(Sparse2Corpus(counts, documents_columns=False)):
                if document:
                    model.random_state = np.random.RandomState(self.random_state)
                    gamma, _ = model.inference([document])
                    found[row] = gamma[0] / gamma[0].sum()
            return found

        return project
