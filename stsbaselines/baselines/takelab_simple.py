"""TakeLab's simple system of 2012: support vector regression on 21 features of a pair.

Šarić et al. (2012). The counts of Google Books and the spaces of the New York Times and of
Wikipedia, which they took information content and vectors of words from, are replaced by
corpora that are free; WordNet is as theirs.
"""

from __future__ import annotations

import functools
import itertools
import numbers
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from stsbaselines.baselines._sentence_vectors import (
    HIGHEST_SEED,
    MOST_COMPONENTS,
    check_whole_numbers,
)
from stsbaselines.baselines._takelab_features import (
    CACHED_PAIRS,
    CapitalOverlap,
    NgramOverlap,
    NumberOverlap,
    Pair,
    PairFeatures,
    RelativeDifferences,
    SpaceSimilarity,
    StockOverlap,
    WeightedOverlap,
    WordNetOverlap,
    WordSpace,
)
from stsbaselines.data.corpora import sentences_of
from stsbaselines.errors import InputError
from stsbaselines.predictor import Predictor, check_pairs, chunks_of
from stsbaselines.scoring.correlation import FloatArray, pearson
from stsbaselines.text.information_content import InformationContent, information_content
from stsbaselines.text.stems import counted

LOWEST, HIGHEST = 0.0, 5.0
N_FEATURES = 19
FOLDS = 10
PASSAGE = 50
GRID_C = (1.0, 10.0, 100.0, 1000.0)
GRID_EPSILON = (1.0, 0.1, 0.01)
GRID_GAMMA = (2.0, 0.2, 0.02, 0.002)
GRID_TOLERANCE = 0.01
CHUNK = 250

Choice = tuple[float, float, float]


class TakeLabFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """All features of a pair, group after group; 21 with two spaces.

    Features are kept, of about 20,000 pairs at most, and computed once for each pair.

    Parameters
    ----------
    information_content : InformationContent
    spaces : sequence of WordSpace
    wordnet : path or None
        Folder of WordNet; None to find it.
    n_jobs : int
        Processes.
    """

    def __init__(
        self,
        information_content: InformationContent,
        spaces: Sequence[WordSpace],
        wordnet: str | Path | None = None,
        n_jobs: int = 1,
    ) -> None:
        self.information_content = information_content
        self.spaces = spaces
        self.wordnet = wordnet
        self.n_jobs = n_jobs

    def groups(self) -> list[PairFeatures]:
        """Return the feature groups, in order."""
        content, wordnet = self.information_content, self.wordnet
        return [
            NumberOverlap(),
            CapitalOverlap(),
            StockOverlap(),
            NgramOverlap(wordnet),
            WordNetOverlap(wordnet),
            WeightedOverlap(content, wordnet),
            SpaceSimilarity(self.spaces, content, wordnet),
            RelativeDifferences(content, wordnet),
        ]

    def fit(self, pairs: object = None, gold: object = None) -> TakeLabFeatures:
        """Do nothing: the features need no training."""
        return self

    def transform(self, pairs: Sequence[Pair]) -> FloatArray:
        """Return the features, as an array of shape (n_pairs, n_features)."""
        check_pairs(pairs)
        asked = [(left, right) for left, right in pairs]
        known: dict[Pair, FloatArray] = self.__dict__.setdefault("_rows", {})
        if len(known) > CACHED_PAIRS:
            known.clear()
        missing = list(dict.fromkeys(pair for pair in asked if pair not in known))
        known.update(zip(missing, self._computed(missing), strict=True))
        found = np.array([known[pair] for pair in asked], dtype=np.float64)
        return found.reshape(len(asked), len(self.get_feature_names_out()))

    def _computed(self, pairs: Sequence[Pair]) -> Iterable[FloatArray]:
        groups = self.groups()
        jobs = self.n_jobs if len(pairs) > CHUNK else 1
        rows = Parallel(n_jobs=jobs)(
            delayed(_rows)(groups, chunk) for chunk in chunks_of(pairs, CHUNK)
        )
        return itertools.chain.from_iterable(rows)

    def get_feature_names_out(self, input_features: object = None) -> npt.NDArray[np.object_]:
        """Return the names of the features."""
        return np.concatenate([group.get_feature_names_out() for group in self.groups()])

    def __sklearn_is_fitted__(self) -> bool:
        return True


def _rows(groups: Sequence[PairFeatures], pairs: Sequence[Pair]) -> FloatArray:
    return np.hstack([group.transform(pairs) for group in groups])


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
        Folder of WordNet; None to find it.
    n_components : int
        Dimensions of each space.
    grid : bool
        Whether to choose C, epsilon and gamma by 10-fold cross-validation on the training
        pairs, by the squared correlation of the predictions of all folds together. For each
        epsilon and gamma, C is raised until that falls.
    C, epsilon, gamma : float
        Of the regression, if `grid` is false. The defaults are those that the authors' own
        grid search gives for MSRvid, in the instructions of their release.
    n_jobs : int
        Processes.
    random_state : int
        Shuffles the folds of the grid search.

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
        Of each space.
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

    def __init__(
        self,
        corpora: Sequence[str | Path] = ("brown", "gcide"),
        wordnet: str | Path | None = None,
        n_components: int = 100,
        grid: bool = False,
        C: float = 200.0,  # noqa: N803 - scikit-learn's name
        epsilon: float = 0.5,
        gamma: float = 0.02,
        n_jobs: int = 1,
        random_state: int = 0,
    ) -> None:
        self.corpora = corpora
        self.wordnet = wordnet
        self.n_components = n_components
        self.grid = grid
        self.C = C
        self.epsilon = epsilon
        self.gamma = gamma
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, pairs: Sequence[Pair], gold: Sequence[float] | None = None) -> TakeLabSimple:
        """Train on scored pairs; before, on the corpora, once for all models of a process.

        Parameters
        ----------
        pairs : sequence of (str, str) of length n_pairs
        gold : sequence of float of length n_pairs

        Raises
        ------
        InputError
            If there are too few pairs, scores that are no finite numbers, wrong parameters,
            or no such corpus.
        """
        from sklearn.svm import SVR

        self._check_parameters()
        check_pairs(pairs)
        scores = self._scores(gold, len(pairs))
        names = tuple(str(corpus) for corpus in self.corpora)
        trained = _trained(names, self.wordnet, self.n_components)
        features = trained.set_params(n_jobs=self.n_jobs).transform(pairs)
        choice = self.C, self.epsilon, self.gamma
        if self.grid:
            choice = _best_choice(features, scores, self.random_state, self.n_jobs)
        self.C_, self.epsilon_, self.gamma_ = map(float, choice)
        svr = SVR(C=self.C_, epsilon=self.epsilon_, gamma=self.gamma_).fit(features, scores)
        self.support_vectors_ = np.array(svr.support_vectors_)
        self.dual_coef_ = svr.dual_coef_[0].copy()
        self.intercept_ = float(svr.intercept_[0])
        self._keep(trained)
        return self

    def predict(self, pairs: Sequence[Pair]) -> FloatArray:
        """Return a score from 0 to 5 for each pair, as an array of shape (n_pairs,)."""
        from scipy.spatial.distance import cdist

        check_is_fitted(self)
        features = self.features().transform(pairs)
        distances = cdist(features, self.support_vectors_, "sqeuclidean")
        scores = np.exp(-self.gamma_ * distances) @ self.dual_coef_ + self.intercept_
        return np.asarray(scores.clip(LOWEST, HIGHEST))

    def features(self) -> TakeLabFeatures:
        """Return the transformer of pairs to features, with what was learnt of the corpora."""
        check_is_fitted(self)
        found: TakeLabFeatures | None = self.__dict__.get("_features")
        if found is None:
            content = InformationContent(
                dict(zip(self.words_, self.counts_.tolist(), strict=True)), self.total_
            )
            ends = np.cumsum([len(words) for words in self.stems_])
            spaces = [
                WordSpace({stem: row for row, stem in enumerate(words)}, vectors)
                for words, vectors in zip(self.stems_, np.split(self.vectors_, ends), strict=False)
            ]
            found = self._features = TakeLabFeatures(content, spaces, self.wordnet)
        return found.set_params(n_jobs=self.n_jobs)  # type: ignore[no-any-return]

    def _keep(self, trained: TakeLabFeatures) -> None:
        """Take over what was learnt of the corpora, to be saved."""
        content, spaces = trained.information_content, trained.spaces
        self.words_ = list(content.counts)
        self.counts_ = np.array(list(content.counts.values()), dtype=np.int64)
        self.total_ = content.total
        self.stems_ = [list(space.rows) for space in spaces]
        self.vectors_ = np.concatenate([space.vectors for space in spaces])
        self._features = trained

    def _check_loaded(self) -> None:
        learned = vars(self)
        words, stems = learned.get("words_"), learned.get("stems_")
        if not (_are_texts(words) and isinstance(stems, list) and all(map(_are_texts, stems))):
            raise InputError("no lists of words")
        dual: Any = learned.get("dual_coef_")
        sizes = len(words), sum(map(len, stems))  # type: ignore[arg-type]
        shapes = {
            "counts_": (sizes[0],),
            "vectors_": (sizes[1], None),
            "dual_coef_": (None,),
            "support_vectors_": (*np.shape(dual)[:1], N_FEATURES + len(stems)),
        }
        for name, shape in shapes.items():
            if not _is_finite_array(learned.get(name), shape):
                raise InputError(f"no {name} that fit the words")
        for name in ("C_", "epsilon_", "gamma_", "intercept_"):
            if not isinstance(learned.get(name), float):
                raise InputError(f"no number {name}")
        total = learned.get("total_")
        if not (isinstance(total, int) and total >= 1 and (self.counts_ >= 1).all()):
            raise InputError("no counts of words")

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is made again when it is needed."""
        return {key: value for key, value in super().__getstate__().items() if key != "_features"}

    def _check_parameters(self) -> None:
        corpora = self.corpora
        if isinstance(corpora, str | Path) or not corpora:
            raise InputError(f"{self.name}: corpora is {corpora!r}, but must be a list of corpora.")
        if len({str(corpus) for corpus in corpora}) < len(corpora):
            raise InputError(f"{self.name}: a corpus is named twice.")
        if not isinstance(self.grid, bool):
            raise InputError(f"{self.name}: grid must be true or false.")
        model: Any = self
        check_whole_numbers(
            model, n_components=(1, MOST_COMPONENTS), random_state=(0, HIGHEST_SEED)
        )
        for name in ("C", "epsilon", "gamma"):
            value = getattr(self, name)
            is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
            if not (is_number and 0 < value < float("inf")):
                raise InputError(f"{self.name}: {name} is {value!r}, but must be above 0.")

    def _scores(self, gold: Sequence[float] | None, count: int) -> FloatArray:
        try:
            scores = np.asarray(() if gold is None else gold, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(f"{self.name}: a gold score is no number.") from None
        if scores.shape != (count,) or not np.isfinite(scores).all():
            raise InputError(f"{self.name}: {count} pairs need as many gold scores, all finite.")
        fewest = FOLDS if self.grid else 1
        if count < fewest:
            raise InputError(f"{self.name} needs at least {fewest} training pairs, not {count}.")
        return scores


@functools.lru_cache(maxsize=2)
def _trained(
    corpora: tuple[str, ...], wordnet: str | Path | None, n_components: int
) -> TakeLabFeatures:
    """Learn information content and spaces from corpora, once for all models of a process."""
    content = information_content(sentences_of(corpora[0]))
    spaces = [_space(corpus, n_components) for corpus in corpora]
    return TakeLabFeatures(content, spaces, wordnet)


def _space(corpus: str, n_components: int) -> WordSpace:
    """Factorise the matrix of stems and passages; a small corpus fills only its first dimensions.

    A cell is ln(1 + tf) idf, and the vectors are the left singular ones times their values.
    """
    from sklearn.utils.extmath import randomized_svd

    passages = (" ".join(each) for each in chunks_of(sentences_of(corpus), PASSAGE))
    vocabulary, counts = counted(passages)
    if not vocabulary.columns:
        raise InputError(f"the corpus {corpus} has no word twice, so nothing can be learnt.")
    counts.data = np.log1p(counts.data)
    weights = vocabulary.weighted(counts).T.tocsr()
    rank = min(n_components, *weights.shape)
    left, values, _ = randomized_svd(weights, rank, random_state=0)
    vectors = np.zeros((len(left), n_components), dtype=np.float32)
    vectors[:, :rank] = left * values
    return WordSpace(vocabulary.columns, vectors)


def _best_choice(
    features: FloatArray, scores: FloatArray, random_state: int, n_jobs: int
) -> Choice:
    """Return the C, epsilon and gamma with the best cross-validation; of equal ones, the first."""
    from sklearn.model_selection import KFold

    splitter = KFold(FOLDS, shuffle=True, random_state=random_state)
    folds = list(splitter.split(features))
    found = Parallel(n_jobs=n_jobs)(
        delayed(_best_cost)(features, scores, folds, epsilon, gamma)
        for epsilon, gamma in itertools.product(GRID_EPSILON, GRID_GAMMA)
    )
    return max(found, key=lambda each: each[0])[1]  # type: ignore[no-any-return]


def _best_cost(
    features: FloatArray, scores: FloatArray, folds: Sequence[Any], epsilon: float, gamma: float
) -> tuple[float, Choice]:
    """Raise C while the cross-validation gets better: beyond, it is slow and fits only noise."""
    best, choice = -1.0, (GRID_C[0], epsilon, gamma)
    for cost in GRID_C:
        found = _pooled_r_squared(features, scores, folds, (cost, epsilon, gamma))
        if found <= best:
            break
        best, choice = found, (cost, epsilon, gamma)
    return best, choice


def _pooled_r_squared(
    features: FloatArray, scores: FloatArray, folds: Sequence[Any], choice: Choice
) -> float:
    """Return the squared correlation of all folds' predictions; 0 where it is undefined."""
    from sklearn.svm import SVR

    cost, epsilon, gamma = choice
    svr = SVR(C=cost, epsilon=epsilon, gamma=gamma, tol=GRID_TOLERANCE)
    predictions = np.empty(len(scores))
    for train, test in folds:
        predictions[test] = svr.fit(features[train], scores[train]).predict(features[test])
    return (pearson(predictions, scores) or 0.0) ** 2


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def _is_finite_array(value: object, shape: Sequence[int | None]) -> bool:
    """Tell whether a value is an array of finite numbers of this shape; None for any length."""
    return (
        isinstance(value, np.ndarray)
        and value.dtype.kind in "fi"
        and value.ndim == len(shape)
        and all(size in (None, found) for size, found in zip(shape, value.shape, strict=True))
        and bool(np.isfinite(value).all())
    )
