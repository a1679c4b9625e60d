"""Transformers of pairs of sentences to features."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, TypeVar

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from stsbaselines.predictor import check_pairs, chunks_of
from stsbaselines.scoring.correlation import FloatArray

KEPT_PAIRS = 20_000
PAIRS_PER_TASK = 200

Pair = Sequence[str]
T = TypeVar("T")


class PairFeatures(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A scikit-learn transformer; a subclass defines `names`, `_rows`, and `fit` if it learns."""

    def fit(self, pairs: Sequence[Pair], gold: object = None) -> Any:
        """Learn from pairs. By default there is nothing to learn."""
        return self

    def transform(self, pairs: Sequence[Pair]) -> FloatArray:
        """Return the features of pairs, as an array of shape (n_pairs, n_features)."""
        check_is_fitted(self)
        check_pairs(pairs)
        shape = len(pairs), len(self.names)
        return np.array(self._rows(pairs), dtype=np.float64).reshape(shape)

    def get_feature_names_out(self, input_features: object = None) -> npt.NDArray[np.object_]:
        """Return the names of the features, as an array of shape (n_features,)."""
        return np.array(self.names, dtype=object)

    @property
    def names(self) -> Sequence[str]:
        raise NotImplementedError

    def _rows(self, pairs: Sequence[Pair]) -> Sequence[Sequence[float]]:
        raise NotImplementedError

    def __sklearn_is_fitted__(self) -> bool:
        is_learned = any(name.endswith("_") for name in vars(self))
        return is_learned or type(self).fit is PairFeatures.fit


class PairFunction(PairFeatures):
    """Features that are a function of two sentences; a subclass defines `names` and `function`."""

    function: ClassVar[Callable[[str, str], Sequence[float]]]

    def __init__(self, n_jobs: int = 1) -> None:
        self.n_jobs = n_jobs

    def _rows(self, pairs: Sequence[Pair]) -> Sequence[Sequence[float]]:
        return map_pairs(type(self).function, pairs, self.n_jobs)


def map_pairs(function: Callable[[str, str], T], pairs: Sequence[Pair], n_jobs: int = 1) -> list[T]:
    """Return what a function gives for each pair; many pairs are split between processes."""
    if n_jobs == 1 or len(pairs) <= PAIRS_PER_TASK:
        return [function(left, right) for left, right in pairs]
    tasks = (delayed(map_pairs)(function, part) for part in chunks_of(pairs, PAIRS_PER_TASK))
    return list(itertools.chain.from_iterable(Parallel(n_jobs=n_jobs)(tasks)))


def ngrams(words: Sequence[str], order: int) -> set[tuple[str, ...]]:
    return set(zip(*(words[start:] for start in range(order)), strict=False))
