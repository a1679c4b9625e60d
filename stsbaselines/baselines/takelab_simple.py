"""TakeLab's simple system of 2012: support vector regression on 21 features of a pair.

Šarić et al. (2012). The counts of Google Books and the spaces of the New York Times and of
Wikipedia, which they took information content and vectors of words from, are replaced by
corpora that are free; WordNet is as theirs.

Pairs of OnWN and FNWN contain definitions of WordNet word for word. A model that has read GCIDE
with what it copies from WordNet has seen them; the default is GCIDE without that.
"""

from __future__ import annotations

import functools
import itertools
import numbers
from collections import ChainMap
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from sklearn.utils.validation import check_is_fitted

from stsbaselines.baselines._pair_features import (
    HIGHEST,
    LOWEST,
    Pair,
    PairCache,
    PairFeatures,
    are_words,
    check_corpora,
    check_jobs,
    check_places,
    checked_scores,
    chosen_groups,
    map_pairs,
)
from stsbaselines.baselines._sentence_vectors import (
    HIGHEST_SEED,
    MOST_COMPONENTS,
    check_whole_numbers,
)
from stsbaselines.baselines._takelab_features import (
    CapitalOverlap,
    NgramOverlap,
    NumberOverlap,
    RelativeDifferences,
    SpaceSimilarity,
    StockOverlap,
    WeightedOverlap,
    WordNetOverlap,
    WordSpace,
    feature_groups,
)
from stsbaselines.data.corpora import CorpusState, find_wordnet, sentences_of, state_of
from stsbaselines.errors import InputError
from stsbaselines.predictor import Predictor, check_pairs, chunks_of
from stsbaselines.scoring.correlation import FloatArray, pearson
from stsbaselines.text.information_content import InformationContent, information_content
from stsbaselines.text.stems import Vocabulary, count_matrix

__all__ = [
    "CapitalOverlap",
    "NgramOverlap",
    "NumberOverlap",
    "RelativeDifferences",
    "SpaceSimilarity",
    "StockOverlap",
    "TakeLabFeatures",
    "TakeLabSimple",
    "WeightedOverlap",
    "WordNetOverlap",
    "WordSpace",
]

FOLDS = 10
PASSAGE = 50
PAIRS_AT_ONCE = 500
GRID_C = (1.0, 10.0, 100.0, 1000.0)
GRID_EPSILON = (1.0, 0.1, 0.01)
GRID_GAMMA = (2.0, 0.2, 0.02, 0.002)
GRID_TOLERANCE = 0.01
GROUPS = (
    "numbers",
    "capitals",
    "stocks",
    "ngrams",
    "wordnet",
    "weighted",
    "spaces",
    "differences",
)

Choice = tuple[float, float, float]


class TakeLabFeatures(PairFeatures):
    """The features of a pair, group after group; 21 with two spaces.

    Those of the last pairs are kept, and computed once for all transformers of a process that
    have the same information content, spaces and WordNet.

    Parameters
    ----------
    information_content : InformationContent
    spaces : sequence of WordSpace
    wordnet : path or None
        Folder of WordNet; None to find it.
    features : sequence of str or None
        Groups to use; None for all: ``numbers``, ``capitals``, ``stocks``, ``ngrams``,
        ``wordnet``, ``weighted``, ``spaces``, ``differences``.
    """

    def __init__(
        self,
        information_content: InformationContent,
        spaces: Sequence[WordSpace],
        wordnet: str | Path | None = None,
        features: Sequence[str] | None = None,
    ) -> None:
        self.information_content = information_content
        self.spaces = spaces
        self.wordnet = wordnet
        self.features = features

    def _names(self) -> list[str]:
        groups = feature_groups(self.information_content, self.spaces, self.wordnet)
        wanted = _chosen_groups(self.features)
        return [str(name) for group in wanted for name in groups[group].get_feature_names_out()]

    def _rows(self, pairs: Sequence[Sequence[str]]) -> list[list[float]]:
        wanted = _chosen_groups(self.features)
        content = self.information_content
        place = find_wordnet() if self.wordnet is None else Path(self.wordnet)
        known = [_rows_without_spaces(content, place)]
        if "spaces" in wanted:
            known.append(_rows_of_spaces(tuple(self.spaces), content, place))
        parts = zip(*(rows(pairs) for rows in known), strict=True)
        by_group = itertools.starmap(ChainMap, parts)
        return [[value for group in wanted for value in row[group]] for row in by_group]


_chosen_groups = functools.partial(chosen_groups, "takelab-simple", GROUPS)


@functools.lru_cache(maxsize=2)
def _rows_without_spaces(content: InformationContent, wordnet: Path) -> PairCache:
    groups = feature_groups(content, (), wordnet)
    del groups["spaces"]
    return PairCache(functools.partial(map_pairs, functools.partial(_row, groups)))


@functools.lru_cache(maxsize=8)
def _rows_of_spaces(
    spaces: tuple[WordSpace, ...], content: InformationContent, wordnet: Path
) -> PairCache:
    groups = feature_groups(content, spaces, wordnet)
    only = {"spaces": groups["spaces"]}
    return PairCache(functools.partial(map_pairs, functools.partial(_row, only)))


def _row(groups: Mapping[str, PairFeatures], pair: Pair) -> dict[str, Sequence[float]]:
    return {name: group.row(*pair) for name, group in groups.items()}


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
        Folder of WordNet; None to find it. A saved model needs it too.
    zero_unknown : bool
        Whether words that the first corpus has not twice have the information content 0, as in
        the authors' release, instead of the highest one.
    n_components : int
        Dimensions of each space.
    grid : bool
        Whether to choose C, epsilon and gamma by 10-fold cross-validation on the training
        pairs, by the squared correlation of the predictions of all folds together.
    C, epsilon, gamma : float
        Of the regression, if `grid` is false. The defaults are those that the authors' own
        grid search gives for MSRvid, in the instructions of their release.
    features : sequence of str or None
        Groups of features to use; None for all: ``numbers``, ``capitals``, ``stocks``,
        ``ngrams``, ``wordnet``, ``weighted``, ``spaces``, ``differences``.
    data_dir : path or None
        Where corpora and WordNet are looked for first.
    n_jobs : int
        Threads of the grid search; more than 3 do not make it faster.
    random_state : int
        Seeds the factorisation of the spaces, and shuffles the folds of the grid search.

    Attributes
    ----------
    C_, epsilon_, gamma_ : float
        Those that were taken.
    support_vectors_ : ndarray of shape (n_support_vectors, n_features)
    dual_coef_ : ndarray of shape (n_support_vectors,)
    intercept_ : float
    words_ : list of str
        Those that the first corpus has at least twice.
    counts_ : ndarray of int of shape (n_words,)
    total_ : int
        Words of the first corpus.
    stems_ : list of list of str
        Of each space; there is none if `features` leaves them out.
    vectors_ : ndarray of float32 of shape (stems of all spaces, n_components)

    References
    ----------
    Šarić, Glavaš, Karan, Šnajder and Dalbelo Bašić (2012), TakeLab: Systems for Measuring
    Semantic Text Similarity.

    Examples
    --------
    It needs WordNet and a corpus, so that this only makes it; then come `fit` and `predict`.

    >>> TakeLabSimple(corpora=["brown"], grid=True)
    TakeLabSimple(corpora=['brown'], grid=True)
    """

    name: ClassVar[str] = "takelab-simple"
    files: ClassVar[tuple[str, ...]] = ("corpora", "wordnet")
    all_groups: ClassVar[tuple[str, ...]] = GROUPS

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
        """Train on scored pairs; before, on the corpora, once for all models of a process.

        Parameters
        ----------
        pairs : sequence of (str, str) of length n_pairs
        gold : sequence of float of length n_pairs
            From 0 to 5.

        Raises
        ------
        InputError
            If there are too few pairs, gold scores that do not fit, wrong parameters, or no such
            corpus.
        MissingDataError
            If WordNet or a corpus is not here; the message says how to get it.
        """
        from sklearn.svm import SVR

        self._check_parameters()
        check_pairs(pairs)
        scores = checked_scores(self.name, gold, len(pairs), FOLDS if self.grid else 1)
        wordnet = self._wordnet()
        content, spaces = self._learned_of_corpora()
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
        check_is_fitted(self)
        features = self.transformer().transform(pairs)
        parts = map(self._products, chunks_of(features, PAIRS_AT_ONCE))
        scores = np.concatenate([np.empty(0), *parts]) + self.intercept_
        return np.asarray(scores.clip(LOWEST, HIGHEST))

    def _products(self, features: Sequence[FloatArray]) -> FloatArray:
        """Return the products of the kernel with the weights of the support vectors."""
        from scipy.spatial.distance import cdist  # slow to import

        distances = cdist(features, self.support_vectors_, "sqeuclidean")
        return np.asarray(np.exp(-self.gamma_ * distances) @ self.dual_coef_)

    def transformer(self) -> TakeLabFeatures:
        """Return the transformer of pairs to features, with what was learnt of the corpora."""
        check_is_fitted(self)
        found: tuple[InformationContent, list[WordSpace]] | None = self.__dict__.get("_learned")
        if found is None:
            found = self._learned = self._restored()
        return TakeLabFeatures(*found, self._wordnet(), self.features)

    def _wordnet(self) -> Path:
        return find_wordnet(self.data_dir) if self.wordnet is None else Path(self.wordnet)

    def _restored(self) -> tuple[InformationContent, list[WordSpace]]:
        counts = dict(zip(self.words_, self.counts_.tolist(), strict=True))
        ends = np.cumsum([len(words) for words in self.stems_])
        spaces = [
            WordSpace({stem: row for row, stem in enumerate(words)}, vectors)
            for words, vectors in zip(self.stems_, np.split(self.vectors_, ends), strict=False)
        ]
        return InformationContent(counts, self.total_, self.zero_unknown), spaces

    def _learned_of_corpora(self) -> tuple[InformationContent, list[WordSpace]]:
        place = None if self.data_dir is None else str(self.data_dir)
        states = list(map(state_of, self.corpora))
        content = _content(states[0], place, self.zero_unknown)
        if "spaces" not in _chosen_groups(self.features):
            states = []
        seed = self.random_state
        return content, [_space(state, place, self.n_components, seed) for state in states]

    def _keep(self, content: InformationContent, spaces: list[WordSpace]) -> None:
        """Take over what was learnt of the corpora, to be saved."""
        self.words_ = list(content.counts)
        self.counts_ = np.array(list(content.counts.values()), dtype=np.int64)
        self.total_ = content.total
        self.stems_ = [list(space.rows) for space in spaces]
        none = np.empty((0, self.n_components), dtype=np.float32)
        self.vectors_ = np.concatenate([none, *(space.vectors for space in spaces)])
        self._learned = content, spaces

    def _check_loaded(self) -> None:
        self._check_parameters()
        learned = vars(self)
        words, stems = learned.get("words_"), learned.get("stems_")
        if not (
            isinstance(words, list)
            and isinstance(stems, list)
            and all(map(are_words, [words, *stems]))
        ):
            raise InputError("no lists of distinct words")
        if len(stems) != (len(self.corpora) if "spaces" in _chosen_groups(self.features) else 0):
            raise InputError("other spaces than of the corpora")
        self._check_arrays(
            counts_=(len(words),), vectors_=(sum(map(len, stems)), self.n_components)
        )
        total = learned.get("total_")
        if not (isinstance(total, int) and total >= 1 and (self.counts_ >= 1).all()):
            raise InputError("no counts of words")
        self._learned = self._restored()
        transformer = TakeLabFeatures(*self._learned, features=self.features)
        width = len(transformer.get_feature_names_out())
        self._check_arrays(dual_coef_=(None,))
        self._check_arrays(support_vectors_=(len(self.dual_coef_), width))
        for name in ("C_", "epsilon_", "gamma_", "intercept_"):
            if not isinstance(learned.get(name), float):
                raise InputError(f"no number {name}")
        if self.gamma_ <= 0:
            raise InputError("a gamma_ that is not above 0")

    def _check_arrays(self, **shapes: tuple[int | None, ...]) -> None:
        for name, shape in shapes.items():
            if not _is_finite_array(vars(self).get(name), shape):
                raise InputError(f"no {name} that fit the words")

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is made again when it is needed."""
        return {key: value for key, value in super().__getstate__().items() if key != "_learned"}

    def _check_parameters(self) -> None:
        check_corpora(self.name, self.corpora)
        for name in ("grid", "zero_unknown"):
            if not isinstance(getattr(self, name), bool):
                raise InputError(f"{self.name}: {name} must be true or false.")
        _chosen_groups(self.features)
        check_places(self.name, wordnet=self.wordnet, data_dir=self.data_dir)
        check_jobs(self.name, self.n_jobs)
        model: Any = self
        check_whole_numbers(
            model, n_components=(1, MOST_COMPONENTS), random_state=(0, HIGHEST_SEED)
        )
        for name in ("C", "epsilon", "gamma"):
            value = getattr(self, name)
            is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
            if not (is_number and 0 < value < float("inf")):
                raise InputError(f"{self.name}: {name} is {value!r}, but must be above 0.")


@functools.lru_cache(maxsize=4)
def _content(corpus: CorpusState, data_dir: str | None, zero_unknown: bool) -> InformationContent:
    content = information_content(sentences_of(corpus.name, data_dir))
    return replace(content, zero_unknown=zero_unknown)


@functools.lru_cache(maxsize=4)
def _counted_passages(corpus: CorpusState, data_dir: str | None) -> tuple[Vocabulary, Any]:
    sentences = sentences_of(corpus.name, data_dir)
    return count_matrix(" ".join(passage) for passage in chunks_of(sentences, PASSAGE))


@functools.lru_cache(maxsize=12)
def _space(
    corpus: CorpusState, data_dir: str | None, n_components: int, random_state: int
) -> WordSpace:
    """Factorise the matrix of stems and passages; a small corpus fills only its first dimensions.

    A cell is ln(1 + tf) idf, and the vectors are the left singular ones times their values.
    """
    from sklearn.utils.extmath import randomized_svd

    vocabulary, counts = _counted_passages(corpus, data_dir)
    if not vocabulary.columns:
        raise InputError(f"the corpus {corpus.name} has no word twice, so nothing can be learnt.")
    weights = vocabulary.weighted(counts.log1p()).T.tocsr()
    rank = min(n_components, *weights.shape)
    left, values, _ = randomized_svd(weights, rank, random_state=random_state)
    vectors = np.zeros((len(left), n_components), dtype=np.float32)
    vectors[:, :rank] = left * values
    return WordSpace(vocabulary.columns, vectors)


def _best_choice(
    features: FloatArray, scores: FloatArray, random_state: int, n_jobs: int
) -> Choice:
    """Return the C, epsilon and gamma with the best cross-validation; of equal ones, the first.

    A high C makes training slow, so it comes last, when most choices can be given up early. Only
    one kernel of all pairs is in memory at a time, shared by the threads.
    """
    from sklearn.metrics.pairwise import rbf_kernel
    from sklearn.model_selection import KFold

    folds = list(KFold(FOLDS, shuffle=True, random_state=random_state).split(features))
    quality: dict[Choice, float] = {}
    best = -1.0
    for cost, gamma in itertools.product(GRID_C, GRID_GAMMA):
        kernel = rbf_kernel(features, gamma=gamma)
        found = Parallel(n_jobs=n_jobs, prefer="threads")(
            delayed(_pooled_r_squared)(kernel, scores, folds, cost, epsilon, best)
            for epsilon in GRID_EPSILON
        )
        quality.update(
            ((cost, epsilon, gamma), each)
            for epsilon, each in zip(GRID_EPSILON, found, strict=True)
        )
        best = max(best, *found)
    return max(itertools.product(GRID_C, GRID_EPSILON, GRID_GAMMA), key=quality.__getitem__)


def _pooled_r_squared(
    kernel: FloatArray,
    scores: FloatArray,
    folds: Sequence[Any],
    cost: float,
    epsilon: float,
    at_least: float = -1.0,
) -> float:
    """Return the squared correlation of all folds' predictions; 0 where it is undefined.

    It is 1 - (what the best line through all predictions leaves) / (the spread of the scores),
    and each fold can only add to what is left: -1 as soon as that is too much for `at_least`.
    """
    from sklearn.svm import SVR

    svr = SVR(kernel="precomputed", C=cost, epsilon=epsilon, tol=GRID_TOLERANCE)
    most = (1 - at_least) * _spread(scores)
    predictions, seen, r_squared = np.empty(len(scores)), np.zeros(len(scores), bool), 0.0
    for train, test in folds:
        svr.fit(kernel[np.ix_(train, train)], scores[train])
        predictions[test] = svr.predict(kernel[np.ix_(test, train)])
        seen[test] = True
        r_squared = (pearson(predictions[seen], scores[seen]) or 0.0) ** 2
        if (1 - r_squared) * _spread(scores[seen]) > most:
            return -1.0
    return r_squared


def _spread(scores: FloatArray) -> float:
    return float(((scores - scores.mean()) ** 2).sum())


def _is_finite_array(value: object, shape: Sequence[int | None]) -> bool:
    """Tell whether a value is an array of finite numbers of this shape; None for any length."""
    return (
        isinstance(value, np.ndarray)
        and value.dtype.kind in "fi"
        and value.ndim == len(shape)
        and all(size in (None, found) for size, found in zip(shape, value.shape, strict=True))
        and bool(np.isfinite(value).all())
    )
