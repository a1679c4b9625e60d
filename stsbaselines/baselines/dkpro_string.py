"""DKPro's system of 2012 without its resources: similarities of strings, a linear regression.

The system of the Ubiquitous Knowledge Processing Lab (UKP) was the best of STS 2012, and ran,
built with DKPro Similarity, as a contender in 2013. It is made anew here from its description.
What differs from it:

- Explicit semantic analysis and Resnik's similarity are in the baseline ``dkpro``. The
  distributional thesaurus, the lexical substitution and the machine translation are left out.
- Idf is by default that of the training pairs, so that a single pair can be scored; in 2012 it was
  that of the data set that is scored (``idf="predicted"``).
- Words are those of a simple pattern, near to those of Java's word iterator; stop words are those
  of the Glasgow Information Retrieval group.
- The longest common substring is 2 l / (n1 + n2), a norm of our choice, since the
  description that this follows does not name one.
- The features are not chosen by hand for each data set: all take part in the elimination.
"""

from __future__ import annotations

import copy
import functools
import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
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
from stsbaselines.baselines._pair_features import (
    HIGHEST,
    LOWEST,
    check_jobs,
    checked_scores,
    chosen_groups,
)
from stsbaselines.errors import InputError, unknown
from stsbaselines.predictor import CHUNK_SIZE, Predictor, check_pairs
from stsbaselines.scoring.correlation import FloatArray

__all__ = ["CharacterNgrams", "DKProString", "StringSimilarity", "WordNgrams"]

LEAST_PAIRS = 2

Idf = Literal["training", "predicted"]


class DKProString(Predictor):
    r"""Linear regression on the logarithm of similarities of characters and words.

    Features x become log(1 + x). One after the other is left out as long as Akaike's
    information criterion does not rise. Scores are kept within 0 and 5; two sentences with the
    same letters and digits get 5.

    Parameters
    ----------
    idf : {'training', 'predicted'}
        Of which pairs the inverse document frequencies are when scores are predicted. With
        ``training``, those that it was trained on: then the score of a pair does not depend
        on other pairs, and a single one can be scored. With ``predicted``, those that are
        predicted, as in 2012: then all of them are read before the first is scored, and the
        scores belong to that data set. It can be much better on data of another kind than the
        training pairs.
    features : sequence of str or None
        Groups of features to use; None for all: ``strings``, ``characters``, ``words``.
    n_jobs : int
        Processes that compute features for `fit`; for more processes when predicting, see
        `predict_chunks`.

    Attributes
    ----------
    intercept_ : float
    coefficients_ : dict of str to float
        By feature; 0 for a feature that was left out.
    frequencies_ : dict of str to dict of str to int
        By group with idf: in how many sentences of the training pairs a term is.
    n_sentences_ : int
        Of the training pairs.

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
    groups_with_idf: ClassVar[tuple[str, ...]] = ("characters",)

    def __init__(
        self, idf: Idf = "training", features: Sequence[str] | None = None, n_jobs: int = 1
    ) -> None:
        self.idf = idf
        self.features = features
        self.n_jobs = n_jobs

    def fit(
        self,
        pairs: Sequence[Sequence[str]],
        gold: Sequence[float] | FloatArray | None = None,
        sets: Sequence[object] | None = None,
    ) -> Any:
        """Learn idf and the regression.

        Parameters
        ----------
        pairs : sequence of (str, str) of length n_pairs
        gold : sequence of float of length n_pairs
            From 0 to 5.
        sets : sequence of length n_pairs, optional
            The data set that each pair is of, if they are of several. With the idf of the pairs
            that are predicted, each set is given its own idf in training too.

        Raises
        ------
        InputError
            If there are fewer than 2 pairs, gold scores that do not fit, or wrong parameters.
        """
        self._check_parameters()
        check_pairs(pairs)
        scores = checked_scores(self.name, gold, len(pairs), LEAST_PAIRS)
        if sets is not None and len(sets) != len(pairs):
            raise InputError(f"{self.name}: {len(pairs)} pairs, but the sets of {len(sets)}.")
        transformers = self._transformers()
        for transformer in transformers.values():
            transformer.fit(pairs)
        names = [
            str(name) for each in transformers.values() for name in each.get_feature_names_out()
        ]
        found = self._training_features(transformers, pairs, sets)
        weights, intercept = backward_elimination(found, scores)
        self.coefficients_ = dict(zip(names, weights.tolist(), strict=True))
        self.intercept_ = intercept
        self._learn_idf(transformers, 2 * len(pairs))
        return self

    def predict(self, pairs: Sequence[Sequence[str]]) -> FloatArray:
        """Return the score of each pair, from 0 to 5, as an array of shape (n_pairs,).

        Raises
        ------
        InputError
            For what is no pair of two strings, or for a single pair if idf is that of the
            pairs that are predicted.
        """
        check_is_fitted(self)
        self._check_parameters()
        check_pairs(pairs)
        if self.idf == "predicted":
            return self._adapted(pairs).predict(pairs)
        weights = np.array(list(self.coefficients_.values()))
        scores = _features(self._known_transformers(), pairs) @ weights + self.intercept_
        same = [is_same(left, right) for left, right in pairs]
        return np.where(same, HIGHEST, scores.clip(LOWEST, HIGHEST))

    def predict_chunks(
        self, pairs: Iterable[Any], chunk_size: int = CHUNK_SIZE, n_jobs: int = 1
    ) -> Iterator[FloatArray]:
        """Predict a stream of pairs chunk by chunk; see `Predictor.predict_chunks`.

        With the idf of the pairs that are predicted, all of them are read first.
        """
        self._check_parameters()
        if self.idf == "training":
            return super().predict_chunks(pairs, chunk_size, n_jobs)
        every = list(pairs)
        return self._adapted(every).predict_chunks(every, chunk_size, n_jobs)

    def is_pairwise(self) -> bool:
        """Tell whether what is predicted for a pair does not depend on the pairs around it."""
        return self.idf == "training"

    def _adapted(self, pairs: Sequence[Sequence[str]]) -> DKProString:
        """Return this predictor with the idf of these pairs."""
        if len(pairs) == 1:
            raise InputError(
                f"{self.name}: a single pair cannot be scored with idf='predicted', since what"
                " both of its sentences have would weigh nothing."
            )
        adapted = copy.copy(self)
        adapted.idf = "training"
        adapted._learn_idf(_refitted(self._known_transformers(), pairs), 2 * len(pairs))
        return adapted

    def _training_features(
        self,
        transformers: dict[str, Any],
        pairs: Sequence[Sequence[str]],
        sets: Sequence[object] | None,
    ) -> FloatArray:
        if sets is None or self.idf == "training":
            return _features(transformers, pairs)
        places = defaultdict(list)
        for place, name in enumerate(sets):
            places[name].append(place)
        parts = []
        for mine in places.values():
            part = [pairs[place] for place in mine]
            parts.append(_features(_refitted(transformers, part), part))
        order = np.argsort(np.concatenate([*places.values()]))
        return np.asarray(np.concatenate(parts)[order])

    def _learn_idf(self, transformers: dict[str, Any], number: int) -> None:
        self._fitted = transformers
        self.n_sentences_ = number
        self.frequencies_ = {
            group: each.frequencies_
            for group, each in transformers.items()
            if hasattr(each, "frequencies_")
        }

    def _builders(self) -> dict[str, Callable[[], Any]]:
        """Return what makes the transformer of each group, in the order of the features."""
        return {
            "strings": functools.partial(StringSimilarity, self.n_jobs),
            "characters": CharacterNgrams,
            "words": functools.partial(WordNgrams, self.n_jobs),
        }

    def _transformers(self) -> dict[str, Any]:
        builders = self._builders()
        return {group: builders[group]() for group in self._groups()}

    def _groups(self) -> list[str]:
        return chosen_groups(self.name, self.all_groups, self.features)

    def _check_parameters(self) -> None:
        if self.idf not in get_args(Idf):
            raise unknown("idf", str(self.idf), get_args(Idf))
        self._groups()
        check_jobs(self.name, self.n_jobs)

    def _known_transformers(self) -> dict[str, Any]:
        """Return the transformers as they were fitted, made again if this was loaded."""
        found: dict[str, Any] | None = self.__dict__.get("_fitted")
        if found is None:
            found = self._transformers()
            for group, transformer in found.items():
                self._restore(group, transformer)
            self._fitted = found
        return found

    def _restore(self, group: str, transformer: Any) -> None:
        if group in self.frequencies_:
            transformer.frequencies_ = self.frequencies_[group]
            transformer.n_sentences_ = self.n_sentences_

    def _check_loaded(self) -> None:
        """Refuse learned attributes that do not belong together."""
        self._check_parameters()
        learned = vars(self)
        weights, counts = learned.get("coefficients_"), learned.get("frequencies_")
        if not isinstance(weights, dict) or not all(
            map(_is_finite, [*weights.values(), learned.get("intercept_")])
        ):
            raise InputError("weights that are no numbers")
        number = learned.get("n_sentences_")
        if not isinstance(number, int) or not isinstance(counts, dict):
            raise InputError("no frequencies")
        transformers = self._transformers()
        expected = [name for name, each in transformers.items() if name in self.groups_with_idf]
        if list(counts) != expected:
            raise InputError(f"frequencies of {', '.join(counts) or 'nothing'}")
        for group, known in counts.items():
            if not (isinstance(known, dict) and known) or not all(
                isinstance(each, int) and 1 <= each <= number for each in known.values()
            ):
                raise InputError(f"frequencies of {group} that are not from 1 to {number}")
        for group, transformer in transformers.items():
            self._restore(group, transformer)
        names = [str(n) for each in transformers.values() for n in each.get_feature_names_out()]
        if list(weights) != names:
            raise InputError("weights of other features")

    def __getstate__(self) -> dict[str, Any]:
        """Leave out what is made again when it is needed."""
        state = super().__getstate__()
        state.pop("_fitted", None)
        return state


def is_same(left: str, right: str) -> bool:
    """Tell whether two sentences have the same ASCII letters and digits in the same order.

    Two that have none must be equal.

    Examples
    --------
    >>> is_same("It's here.", "Its here"), is_same("It is here.", "it is here"), is_same("?", "!")
    (True, False, False)
    """
    text = alphanumerics(left)
    return text == alphanumerics(right) if text else left == right


def _is_finite(value: object) -> bool:
    return isinstance(value, int | float) and math.isfinite(value)


def _refitted(transformers: dict[str, Any], pairs: Sequence[Sequence[str]]) -> dict[str, Any]:
    """Return transformers with the idf of these pairs."""
    return {
        group: copy.copy(each).fit(pairs) if hasattr(each, "frequencies_") else each
        for group, each in transformers.items()
    }


def _features(transformers: dict[str, Any], pairs: Sequence[Sequence[str]]) -> FloatArray:
    parts = [transformer.transform(pairs) for transformer in transformers.values()]
    return np.asarray(np.log1p(np.concatenate(parts, axis=1)))


def backward_elimination(features: npt.ArrayLike, gold: npt.ArrayLike) -> tuple[FloatArray, float]:
    """Fit a linear regression, without the features that do not pay by Akaike's criterion.

    The criterion is n ln(RSS / n) + 2 k for k features. The feature without which it is the
    lowest is left out, as long as it does not rise.

    Parameters
    ----------
    features : array-like of shape (n_pairs, n_features)
    gold : array-like of shape (n_pairs,)

    Returns
    -------
    coefficients : ndarray of shape (n_features,)
        0 for a feature that was left out.
    intercept : float

    Examples
    --------
    >>> coefficients, intercept = backward_elimination([[0, 1], [1, 1], [2, 1]], [1, 3, 5])
    >>> coefficients.round(6).tolist(), round(intercept, 6)
    ([2.0, 0.0], 1.0)
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
