"""Latent semantic analysis (LSA), which the paper on WTMF compares with."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from gensim.matutils import Sparse2Corpus
from gensim.models import LsiModel
from scipy import sparse

from stsbaselines.baselines._parameters import HIGHEST_SEED, MOST_COMPONENTS, check_whole_numbers
from stsbaselines.baselines._sentence_vectors import Projection, SentenceVectors
from stsbaselines.text.stems import Vocabulary


class LSA(SentenceVectors):
    """Latent semantic analysis by gensim, on the same weights as WTMF.

    Parameters
    ----------
    n_components : int
        Number of dimensions of a vector; a small corpus may give fewer.
    random_state : int
        Seed of the decomposition.

    References
    ----------
    Guo and Diab (2012), section 5.

    Examples
    --------
    >>> corpus = ["a cat sleeps", "the cat sleeps", "a dog barks", "the dog barks", "it is late"]
    >>> pairs = [("cats sleep", "a sleeping cat"), ("cats sleep", "dogs bark")]
    >>> int(LSA(n_components=2).fit(corpus).predict(pairs).argmax())
    0
    """

    name: ClassVar[str] = "lsa"

    def __init__(self, n_components: int = 100, random_state: int = 0) -> None:
        self.n_components = n_components
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_whole_numbers(self, n_components=(1, MOST_COMPONENTS), random_state=(0, HIGHEST_SEED))

    def _learn(self, vocabulary: Vocabulary, counts: sparse.csr_matrix) -> None:
        names = dict(enumerate(vocabulary.columns))
        corpus = Sparse2Corpus(vocabulary.weighted(counts), documents_columns=False)
        model = LsiModel(corpus, self.n_components, names, random_seed=self.random_state)
        self.components_ = np.ascontiguousarray(model.projection.u)

    def _projection(self, vocabulary: Vocabulary) -> Projection:
        return lambda counts: np.asarray(vocabulary.weighted(counts) @ self.components_)
