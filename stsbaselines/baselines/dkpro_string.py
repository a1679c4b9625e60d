"""DKPro's system of 2012 without its resources: similarities of strings, a linear regression.

The system of the Ubiquitous Knowledge Processing Lab (UKP), built with DKPro Similarity, was the
best of STS 2012 and a contender in 2013. This is a reimplementation from its description.
Differences:

- The distributional thesaurus, the lexical substitution and the machine translation are left out.
- Words are those of a simple pattern, close to those of Java's word iterator; stop words are those
  of the Glasgow Information Retrieval group.
- The longest common substring is normalised as 2 l / (n1 + n2), because the description does not
  name a norm.
- The features are not chosen by hand for each data set: all take part in the elimination.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from stsbaselines.baselines._dkpro_features import (
    CharacterNgrams,
    StringSimilarity,
    WordNgrams,
    alphanumerics,
)
from stsbaselines.baselines._pair_features import Pair
from stsbaselines.baselines._parameters import (
    HIGHEST,
    LOWEST,
    check_choices,
    check_jobs,
    checked_scores,
    chosen_groups,
)
from stsbaselines.errors import InputError
from stsbaselines.predictor import CHUNK_SIZE, Predictor, check_pairs
from stsbaselines.scoring.correlation import FloatArray

__all__ = ["CharacterNgrams", "DKProString", "StringSimilarity", "WordNgrams"]

FEWEST_PAIRS = 2

Idf = Literal["training", "predicted"]
Transformers = dict[str, Any]


class DKProString(Predictor):
    r"""Linear regression on the logarithm of similarities of characters and words.

    Features x become log(1 + x). Features are removed one by one as long as Akaike's
    information criterion does not rise. Scores are clipped to 0 to 5; two sentences with the
    same letters and digits get 5.

    Parameters
    ----------
    idf : {'training', 'predicted'}
        Which pairs the inverse document frequencies come from when scores are predicted. With
        ``training``, a score does not depend on other pairs. With ``predicted``, as in 2012, all
        pairs are read before the first is scored, and scores are specific to that data set; it
        can be much better on data unlike the training pairs.
    features : sequence of str or None
        Groups of features to use; None means all: ``strings``, ``characters``, ``words``.
    n_jobs : int
        Number of processes that compute features for `fit`.

    Attributes
    ----------
    intercept_ : float
    coefficients_ : dict of str to float
        By feature; 0 for a removed feature.
    frequencies_ : dict of str to dict of str to int
        By group with idf: number of sentences of the training pairs that have each term.
    n_sentences_ : int
        Number of sentences of the training pairs.

    References
    ----------
    Baer, Biemann, Gurevych and Zesch (2012), UKP: Computing Semantic Textual Similarity by
    Combining Multiple Content Similarity Measures. \*SEM 2012.

    Examples
    --------
    >>> pairs = [("a b c", "a b d"), ("a b c", "a b c"), ("a b", "c d"), ("a", "b")]
    >>> model = DKProString(features=["strings"]).fit(pairs, [3, 5, 1, 0])
    >>> model.predict([("we go home", "we go home!"), ("yes", "no")]).round(1).tolist()
    [5.0, 0.0]
    """

    name: ClassVar[str] = "dkpro-string"
    all_groups: ClassVar[tuple[str, ...]] = ("strings", "characters", "words")

    def __init__(
        self, idf: Idf = "training", features: Sequence[str] | None = None, n_jobs: int = 1
    ) -> None:
        self.idf = idf
        self.features = features
        self.n_jobs = n_jobs

    def fit(
        self,
        pairs: Sequence[Pair],
        gold: Sequence[float] | FloatArray | None = None,
        sets: Sequence[object] | None = None,
    ) -> Any:
        """Learn idf and the regression.

        Parameters
        ----------
        pairs : sequence of (str, str) of length n_pairs
            The left and the right sentence of each pair.
        gold : sequence of float of length n_pairs
            From 0 to 5.
        sets : sequence of length n_pairs, optional
            The data set of each pair, if there are several. With ``idf="predicted"``, each set
            gets its own idf in training too.
        """
        self._check_parameters()
        check_pairs(pairs)
        scores = checked_scores(self.name, gold, len(pairs), FEWEST_PAIRS)
        if sets is not None and len(sets) != len(pairs):
            raise InputError(f"{self.name}: {len(pairs)} pairs, but the sets of {len(sets)}.")
        transformers = self._transformers()
        for transformer in transformers.values():
            transformer.fit(pairs)
        features = self._training_features(transformers, pairs, sets)
        weights, self.intercept_ = backward_elimination(features, scores)
        names = [name for each in transformers.values() for name in each.get_feature_names_out()]
        self.coefficients_ = dict(zip(names, weights.tolist(), strict=True))
        self._keep_idf(transformers, 2 * len(pairs))
        return self

    def predict(self, pairs: Sequence[Pair]) -> FloatArray:
        """Return the score of each pair, from 0 to 5, as an array of shape (n_pairs,)."""
        check_is_fitted(self)
        self._check_parameters()
        if self.idf == "predicted":
            return self._adapted(pairs).predict(pairs)
        weights = np.array(list(self.coefficients_.values()))
        scores = _features(self._restored(), pairs) @ weights + self.intercept_
        same = [is_same(left, right) for left, right in pairs]
        return np.where(same, HIGHEST, scores.clip(LOWEST, HIGHEST))

    def predict_chunks(
        self, pairs: Iterable[Any], chunk_size: int = CHUNK_SIZE, n_jobs: int = 1
    ) -> Iterator[FloatArray]:
        """Predict a stream of pairs chunk by chunk; see `Predictor.predict_chunks`.

        With the idf of the predicted pairs, all of them are read first.
        """
        self._check_parameters()
        if self.idf == "training":
            return super().predict_chunks(pairs, chunk_size, n_jobs)
        every = list(pairs)
        return self._adapted(every).predict_chunks(every, chunk_size, n_jobs)

    def is_pairwise(self) -> bool:
        """Return whether the prediction for a pair does not depend on the other pairs."""
        return self.idf == "training"

    def _adapted(self, pairs: Sequence[Pair]) -> DKProString:
        """Return a copy that has the idf of these pairs."""
        if len(pairs) == 1:
            raise InputError(
                f"{self.name}: a single pair cannot be scored with idf='predicted', because"
                " terms of both of its sentences would have no weight."
            )
        adapted = copy.copy(self)
        adapted.idf = "training"
        adapted._keep_idf(_refitted(self._restored(), pairs), 2 * len(pairs))
        return adapted

    def _training_features(
        self, transformers: Transformers, pairs: Sequence[Pair], sets: Sequence[object] | None
    ) -> FloatArray:
        if sets is None or self.idf == "training":
            return _features(transformers, pairs)
        rows: dict[int, FloatArray] = {}
        for name in set(sets):
            numbers = [number for number, each in enumerate(sets) if each == name]
            part = [pairs[number] for number in numbers]
            features = _features(_refitted(transformers, part), part)
            rows.update(zip(numbers, features, strict=True))
        return np.array([rows[number] for number in range(len(pairs))])

    def _keep_idf(self, transformers: Transformers, n_sentences: int) -> None:
        self.n_sentences_ = n_sentences
        self.frequencies_ = {
            group: each.frequencies_
            for group, each in transformers.items()
            if hasattr(each, "frequencies_")
        }

    def _transformers(self) -> Transformers:
        every = self._all_transformers()
        return {group: every[group] for group in self._groups()}

    def _all_transformers(self) -> Transformers:
        return {
            "strings": StringSimilarity(self.n_jobs),
            "characters": CharacterNgrams(),
            "words": WordNgrams(self.n_jobs),
        }

    def _groups(self) -> list[str]:
        return chosen_groups(self.name, self.all_groups, self.features)

    def _check_parameters(self) -> None:
        check_choices(self, idf=get_args(Idf))
        self._groups()
        check_jobs(self)

    def _restored(self) -> Transformers:
        """Return the transformers with what they learned."""
        transformers = self._transformers()
        for group, frequencies in self.frequencies_.items():
            transformers[group].frequencies_ = frequencies
            transformers[group].n_sentences_ = self.n_sentences_
        return transformers


def is_same(left: str, right: str) -> bool:
    """Return whether two sentences have the same ASCII letters and digits, or are equal."""
    text = alphanumerics(left)
    return text == alphanumerics(right) if text else left == right


def _refitted(transformers: Transformers, pairs: Sequence[Pair]) -> Transformers:
    """Return transformers with the idf of these pairs."""
    return {
        group: copy.copy(each).fit(pairs) if hasattr(each, "frequencies_") else each
        for group, each in transformers.items()
    }


def _features(transformers: Mapping[str, Any], pairs: Sequence[Pair]) -> FloatArray:
    parts = [transformer.transform(pairs) for transformer in transformers.values()]
    return np.asarray(np.log1p(np.concatenate(parts, axis=1)))


def backward_elimination(features: npt.ArrayLike, gold: npt.ArrayLike) -> tuple[FloatArray, float]:
    """Fit a linear regression, without the features that Akaike's criterion rejects.

    The criterion is n ln(RSS / n) + 2 k for k features. The feature whose removal makes it
    lowest is removed, until every removal raises it. A removed feature has the coefficient 0.
    """
    x, y = np.asarray(features, dtype=np.float64), np.asarray(gold, dtype=np.float64)
    centred, target = x - x.mean(axis=0), y - y.mean()
    orthogonal, triangle = np.linalg.qr(centred)
    projected = orthogonal.T @ target
    beyond = max(float(target @ target - projected @ projected), 0.0)

    def fitted(kept: list[int]) -> tuple[float, FloatArray]:
        weights = np.linalg.lstsq(triangle[:, kept], projected, rcond=1e-10)[0]
        rest = projected - triangle[:, kept] @ weights
        error = max(float(rest @ rest) + beyond, np.finfo(float).eps * len(y))
        return len(y) * math.log(error / len(y)) + 2 * len(kept), weights

    kept = list(range(x.shape[1]))
    criterion, weights = fitted(kept)
    while kept:
        lowest, least = min((fitted([k for k in kept if k != each])[0], each) for each in kept)
        if lowest > criterion:
            break
        kept.remove(least)
        criterion, weights = fitted(kept)
    coefficients = np.zeros(x.shape[1])
    coefficients[kept] = weights
    return coefficients, float(y.mean() - x.mean(axis=0) @ coefficients)
