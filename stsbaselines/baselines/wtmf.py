"""Weighted textual matrix factorisation (WTMF): sentences modelled by present and missing words.

Guo and Diab (2012), the unsupervised baseline of PIT-2015. A sentence has few words, so the words
that it lacks are evidence too, of small weight: the matrix of words and sentences is
factorised with a weight of 1 for words that a sentence has and `missing_weight` for the others.
"""

from __future__ import annotations

from typing import ClassVar, Literal, get_args

import numpy as np
from rich.console import Console
from rich.progress import track
from scipy import sparse
from sklearn.utils import check_random_state

from stsbaselines.baselines._factorization import RowSolver, objective
from stsbaselines.baselines._parameters import (
    MOST_COMPONENTS,
    check_booleans,
    check_choices,
    check_numbers,
    check_seed,
    check_whole_numbers,
)
from stsbaselines.baselines._sentence_vectors import Projection, SentenceVectors
from stsbaselines.errors import InputError
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.text.stems import Vocabulary

Dtype = Literal["float64", "float32"]
SMALLEST, LARGEST = 1e-9, 1e9
_LEAST_EXPLAINED = 1e-6


class WTMF(SentenceVectors):
    """Weighted textual matrix factorisation, solved exactly by alternating least squares.

    Parameters
    ----------
    n_components : int
        Number of dimensions of a vector, possibly more than there are words.
    missing_weight : float
        Weight of the words that a sentence does not have, in (0, 1].
    regularization : float
        Above 0.
    n_iter : int
        Maximum number of iterations.
    orthogonality : float
        Size of the step towards orthogonal dimensions after each iteration (OrMF; its authors
        used 0.0001); 0 for none.
    tol : float
        Stop when the objective falls by less than this share; 0 means never.
    random_state : int, numpy.random.RandomState or None
        The initial factors of the words are drawn from it.
    dtype : 'float64' or 'float32'
        Precision of the factors; ``float32`` takes half the time.
    n_jobs : int
        Number of threads, -1 for all cores.
    working_memory : float
        Megabytes of intermediate results per thread.
    verbose : bool
        Whether to show the progress on standard error.

    References
    ----------
    Guo and Diab (2012), Modeling Sentences in the Latent Space; Guo, Liu and Diab (2014), Fast
    Tweet Retrieval with Compact Binary Codes (OrMF); SemEval-2015 task 1, section 5 (WTMF).

    Examples
    --------
    >>> corpus = ["a cat sleeps", "the cat sleeps", "a dog barks", "the dog barks", "it is late"]
    >>> model = WTMF(n_components=2, regularization=0.1, random_state=0).fit(corpus)
    >>> pairs = [("cats sleep", "a sleeping cat"), ("cats sleep", "dogs bark")]
    >>> int(model.predict(pairs).argmax())
    0
    """

    name: ClassVar[str] = "wtmf"

    def __init__(
        self,
        n_components: int = 100,
        missing_weight: float = 0.01,
        regularization: float = 20.0,
        n_iter: int = 20,
        orthogonality: float = 0.0,
        tol: float = 0.0,
        random_state: int | np.random.RandomState | None = None,
        dtype: Dtype = "float64",
        n_jobs: int = 1,
        working_memory: float = 2.0,
        verbose: bool = False,
    ) -> None:
        self.n_components = n_components
        self.missing_weight = missing_weight
        self.regularization = regularization
        self.n_iter = n_iter
        self.orthogonality = orthogonality
        self.tol = tol
        self.random_state = random_state
        self.dtype = dtype
        self.n_jobs = n_jobs
        self.working_memory = working_memory
        self.verbose = verbose

    def _learn(self, vocabulary: Vocabulary, counts: sparse.csr_matrix) -> None:
        weights = vocabulary.weighted(counts)
        of_words = weights.T.tocsr()
        generator = check_random_state(self.random_state)
        shape = weights.shape[1], self.n_components
        words = generator.standard_normal(shape).astype(self.dtype)
        objectives: list[float] = []
        console = Console(stderr=True)
        steps = track(range(self.n_iter), "iterations", console=console, disable=not self.verbose)
        for _ in steps:
            sentences = self._solver_for(words).solve(weights, self.n_jobs)
            words = self._solver_for(sentences).solve(of_words, self.n_jobs)
            objectives.append(objective(of_words, sentences, words, self.regularization))
            if self.orthogonality:
                words = self._made_orthogonal(words)
            if self._has_converged(objectives):
                break
        if objectives[-1] > (1 - _LEAST_EXPLAINED) * np.square(weights.data).sum():
            raise InputError(
                "wtmf: the model explains nothing of this corpus; a small corpus needs a smaller"
                f" regularization than {self.regularization:g}."
            )
        self.components_, self.objective_ = words, objectives

    def _solver_for(self, factors: FloatArray) -> RowSolver:
        return RowSolver(factors, self.missing_weight, self.regularization, self.working_memory)

    def _has_converged(self, objectives: list[float]) -> bool:
        if not self.tol or len(objectives) < 2:
            return False
        before, now = objectives[-2:]
        return before - now < self.tol * abs(before)

    def _made_orthogonal(self, words: FloatArray) -> FloatArray:
        """Take one step of gradient descent on the squared inner products of the dimensions."""
        products = words.T @ words
        np.fill_diagonal(products, 0)
        return np.asarray(words - words.dtype.type(self.orthogonality) * (words @ products))

    def _projection(self, vocabulary: Vocabulary) -> Projection:
        solver = self._solver_for(self.components_)
        return lambda counts: solver.solve(vocabulary.weighted(counts))

    def _check_parameters(self) -> None:
        check_whole_numbers(self, n_components=(1, MOST_COMPONENTS), n_iter=(1, 1_000_000))
        if self.n_jobs != -1:
            check_whole_numbers(self, n_jobs=(1, 1024))
        check_seed(self)
        check_numbers(
            self,
            missing_weight=(SMALLEST, 1),
            regularization=(SMALLEST, LARGEST),
            orthogonality=(0, 1),
            tol=(0, 1),
            working_memory=(1, LARGEST),
        )
        check_booleans(self, "verbose")
        check_choices(self, dtype=get_args(Dtype))
