"""TakeLab's simple system of 2012: support vector regression on 21 features of a pair.

Šarić et al. (2012). Free corpora replace the counts of Google Books and the spaces of the New York
Times and of Wikipedia, which information content and word vectors came from; WordNet is the same.

Pairs of OnWN and FNWN contain definitions of WordNet word for word, and so does GCIDE; the default
is GCIDE without what it copies from WordNet.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import cdist
from sklearn.metrics.pairwise import rbf_kernel
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.svm import SVR
from sklearn.utils.extmath import randomized_svd
from sklearn.utils.parallel import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from stsbaselines.baselines._pair_features import Pair
from stsbaselines.baselines._parameters import (
    HIGHEST,
    HIGHEST_SEED,
    LOWEST,
    MOST_COMPONENTS,
    check_booleans,
    check_corpora,
    check_jobs,
    check_parameter,
    check_paths,
    check_whole_numbers,
    checked_scores,
    chosen_groups,
    is_number,
)
from stsbaselines.baselines._takelab_features import GROUPS, TakeLabFeatures, WordSpace
from stsbaselines.data.corpora import CorpusState, find_wordnet, sentences_of, state_of
from stsbaselines.errors import InputError
from stsbaselines.predictor import Predictor, check_pairs, chunks_of
from stsbaselines.scoring.correlation import FloatArray, pearson
from stsbaselines.text.stems import Vocabulary, count_matrix
from stsbaselines.text.words import InformationContent, information_content

__all__ = ["TakeLabFeatures", "TakeLabSimple", "WordSpace"]

FOLDS = 10
SENTENCES_PER_PASSAGE = 50
PAIRS_AT_ONCE = 500
GRID_C = (1.0, 10.0, 100.0, 1000.0)
GRID_EPSILON = (1.0, 0.1, 0.01)
GRID_GAMMA = (2.0, 0.2, 0.02, 0.002)
GRID_TOLERANCE = 0.01

Choice = tuple[float, float, float]
Learned = tuple[InformationContent, list[WordSpace]]


class TakeLabSimple(Predictor):
    """Support vector regression, with a radial kernel, on the features of TakeLab.

    Parameters
    ----------
    corpora : sequence of str or path
        See `stsbaselines.data.corpora.sentences_of`. Each gives a space of word vectors, by
        latent semantic analysis of its passages of 50 sentences. Information content comes
        from the first one, which should be running text: in a dictionary, the words that
        explain others are far too frequent.
    wordnet : path or None
        Folder of WordNet; None to search for it. A saved model needs it too.
    zero_unknown : bool
        Whether words that the first corpus does not have twice get the information content 0, as in
        the authors' release, instead of the highest one.
    n_components : int
        Number of dimensions of each space.
    grid : bool
        Whether to choose C, epsilon and gamma by 10-fold cross-validation on the training
        pairs, by the squared correlation of the predictions of all folds together.
    C, epsilon, gamma : float
        Parameters of the regression, if `grid` is false. The defaults are the result of the
        authors' grid search for MSRvid, in the instructions of their release.
    features : sequence of str or None
        Groups of features to use; None means all: ``numbers``, ``capitals``, ``stocks``,
        ``ngrams``, ``wordnet``, ``weighted``, ``spaces``, ``differences``.
    data_dir : path or None
        Folder that is searched first for corpora and WordNet.
    n_jobs : int
        Number of threads of the grid search.
    random_state : int
        Seed of the factorisation of the spaces and of the folds of the grid search.

    References
    ----------
    Šarić, Glavaš, Karan, Šnajder and Dalbelo Bašić (2012), TakeLab: Systems for Measuring
    Semantic Text Similarity.

    Examples
    --------
    `fit` needs WordNet and a corpus.

    >>> TakeLabSimple(corpora=["brown"], grid=True)
    TakeLabSimple(corpora=['brown'], grid=True)
    """

    name: ClassVar[str] = "takelab-simple"
    all_groups: ClassVar[tuple[str, ...]] = tuple(GROUPS)

    def __init__(
        self,
        corpora: Sequence[str | Path] = ("brown", "gcide-without-wordnet"),
        wordnet: str | Path | None = None,
        zero_unknown: bool = False,
        n_components: int = 100,
        grid: bool = False,
        C: float = 200.0,  # noqa: N803 - scikit-learn's name
        epsilon: float = 0.5,
        gamma: float = 0.02,
        features: Sequence[str] | None = None,
        data_dir: str | Path | None = None,
        n_jobs: int = 1,
        random_state: int = 0,
    ) -> None:
        self.corpora = corpora
        self.wordnet = wordnet
        self.zero_unknown = zero_unknown
        self.n_components = n_components
        self.grid = grid
        self.C = C
        self.epsilon = epsilon
        self.gamma = gamma
        self.features = features
        self.data_dir = data_dir
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(
        self, pairs: Sequence[Pair], gold: Sequence[float] | FloatArray | None = None
    ) -> TakeLabSimple:
        """Learn from the corpora, once for all models of a process, and from scored pairs.

        Parameters
        ----------
        pairs : sequence of (str, str) of length n_pairs
            The left and the right sentence of each pair.
        gold : sequence of float of length n_pairs
            From 0 to 5.
        """
        self._check_parameters()
        check_pairs(pairs)
        scores = checked_scores(self.name, gold, len(pairs), FOLDS if self.grid else 1)
        wordnet = self._wordnet()
        content, spaces = self._learn_from_corpora()
        transformer = TakeLabFeatures(content, spaces, wordnet, self.features)
        features = transformer.transform(pairs)
        choice = self.C, self.epsilon, self.gamma
        if self.grid:
            choice = _best_choice(features, scores, self.random_state, self.n_jobs)
        self.C_, self.epsilon_, self.gamma_ = map(float, choice)
        svr = SVR(C=self.C_, epsilon=self.epsilon_, gamma=self.gamma_).fit(features, scores)
        self.support_vectors_ = np.array(svr.support_vectors_)
        self.dual_coef_ = svr.dual_coef_[0].copy()
        self.intercept_ = float(svr.intercept_[0])
        self._keep(content, spaces)
        return self

    def predict(self, pairs: Sequence[Pair]) -> FloatArray:
        """Return a score from 0 to 5 for each pair, as an array of shape (n_pairs,)."""
        features = self.transformer().transform(pairs)
        parts = map(self._products, chunks_of(features, PAIRS_AT_ONCE))
        scores = np.concatenate([np.empty(0), *parts]) + self.intercept_
        return np.asarray(scores.clip(LOWEST, HIGHEST))

    def _products(self, features: Sequence[FloatArray]) -> FloatArray:
        distances = cdist(features, self.support_vectors_, "sqeuclidean")
        return np.asarray(np.exp(-self.gamma_ * distances) @ self.dual_coef_)

    def transformer(self) -> TakeLabFeatures:
        """Return the transformer of pairs to features, with what the corpora taught."""
        check_is_fitted(self)
        if "_learned" not in vars(self):
            self._learned = self._restored()
        return TakeLabFeatures(*self._learned, self._wordnet(), self.features)

    def _wordnet(self) -> Path:
        return find_wordnet(self.data_dir) if self.wordnet is None else Path(self.wordnet)

    def _restored(self) -> Learned:
        counts = dict(zip(self.words_, self.counts_.tolist(), strict=True))
        ends = np.cumsum([len(words) for words in self.stems_])
        spaces = [
            WordSpace({stem: row for row, stem in enumerate(words)}, vectors)
            for words, vectors in zip(self.stems_, np.split(self.vectors_, ends), strict=False)
        ]
        return InformationContent(counts, self.total_, self.zero_unknown), spaces

    def _learn_from_corpora(self) -> Learned:
        states = list(map(state_of, self.corpora))
        content = _content(states[0], self.data_dir, self.zero_unknown)
        if "spaces" not in self._groups():
            return content, []
        options = self.data_dir, self.n_components, self.random_state
        return content, [_space(state, *options) for state in states]

    def _keep(self, content: InformationContent, spaces: list[WordSpace]) -> None:
        """Keep what the corpora taught as attributes that can be saved."""
        self.words_ = list(content.counts)
        self.counts_ = np.array(list(content.counts.values()), dtype=np.int64)
        self.total_ = content.total
        self.stems_ = [list(space.rows) for space in spaces]
        none = np.empty((0, self.n_components), dtype=np.float32)
        self.vectors_ = np.concatenate([none, *(space.vectors for space in spaces)])
        self._learned = content, spaces

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in super().__getstate__().items() if key != "_learned"}

    def _groups(self) -> list[str]:
        return chosen_groups(self.name, self.all_groups, self.features)

    def _check_parameters(self) -> None:
        check_corpora(self)
        check_booleans(self, "grid", "zero_unknown")
        self._groups()
        check_paths(self, "wordnet", "data_dir")
        check_jobs(self)
        check_whole_numbers(self, n_components=(1, MOST_COMPONENTS), random_state=(0, HIGHEST_SEED))
        for name in ("C", "epsilon", "gamma"):
            value = getattr(self, name)
            check_parameter(self, name, is_number(value) and 0 < value < math.inf, "above 0")


@functools.lru_cache(maxsize=4)
def _content(
    corpus: CorpusState, data_dir: str | Path | None, zero_unknown: bool
) -> InformationContent:
    content = information_content(sentences_of(corpus.name, data_dir))
    return replace(content, zero_unknown=zero_unknown)


@functools.lru_cache(maxsize=4)
def _counted_passages(corpus: CorpusState, data_dir: str | Path | None) -> tuple[Vocabulary, Any]:
    sentences = sentences_of(corpus.name, data_dir)
    return count_matrix(
        " ".join(passage) for passage in chunks_of(sentences, SENTENCES_PER_PASSAGE)
    )


@functools.lru_cache(maxsize=12)
def _space(
    corpus: CorpusState, data_dir: str | Path | None, n_components: int, random_state: int
) -> WordSpace:
    """Factorise the matrix of stems and passages; a small corpus fills only its first dimensions.

    A cell is ln(1 + tf) idf, and the vectors are the left singular ones times their values.
    """
    vocabulary, counts = _counted_passages(corpus, data_dir)
    if not vocabulary.columns:
        raise InputError(f"the corpus {corpus.name} has no word twice, so nothing can be learned.")
    weights = vocabulary.weighted(counts.log1p()).T.tocsr()
    rank = min(n_components, *weights.shape)
    left, values, _ = randomized_svd(weights, rank, random_state=random_state)
    vectors = np.zeros((len(left), n_components), dtype=np.float32)
    vectors[:, :rank] = left * values
    return WordSpace(vocabulary.columns, vectors)


def _best_choice(
    features: FloatArray, scores: FloatArray, random_state: int, n_jobs: int
) -> Choice:
    """Return C, epsilon and gamma with the best cross-validation; of equal ones, the first.

    Only one kernel of all pairs is in memory at a time, shared by the threads.
    """
    folds = list(KFold(FOLDS, shuffle=True, random_state=random_state).split(features))
    quality: dict[Choice, float] = {}
    for gamma in GRID_GAMMA:
        kernel = rbf_kernel(features, gamma=gamma)
        choices = list(itertools.product(GRID_C, GRID_EPSILON, [gamma]))
        found = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(_pooled_r_squared)(kernel, scores, folds, cost, epsilon)
            for cost, epsilon, _ in choices
        )
        quality.update(zip(choices, found, strict=True))
    return max(itertools.product(GRID_C, GRID_EPSILON, GRID_GAMMA), key=quality.__getitem__)


def _pooled_r_squared(
    kernel: FloatArray, scores: FloatArray, folds: Sequence[Any], cost: float, epsilon: float
) -> float:
    """Return the squared correlation of all folds' predictions; 0 where it is undefined."""
    svr = SVR(kernel="precomputed", C=cost, epsilon=epsilon, tol=GRID_TOLERANCE)
    predictions = cross_val_predict(svr, kernel, scores, cv=folds)
    return (pearson(predictions, scores) or 0.0) ** 2
