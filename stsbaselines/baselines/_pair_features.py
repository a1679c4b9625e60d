"""What the systems of DKPro and TakeLab share: features of pairs, and checks of what is given."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from stsbaselines.errors import InputError, unknown
from stsbaselines.predictor import check_pairs, chunks_of
from stsbaselines.scoring.correlation import FloatArray

LOWEST, HIGHEST = 0.0, 5.0
KEPT_PAIRS = 20_000
PAIRS_A_TASK = 200

Pair = tuple[str, str]


class PairFeatures(BaseEstimator):  # type: ignore[misc]
    """A transformer of pairs of sentences to features.

    A subclass defines `_names`, `row` or `_rows`, and `fit` if it learns.

    Examples
    --------
    >>> class Lengths(PairFeatures):
    ...     def _names(self):
    ...         return ["left", "right"]
    ...     def row(self, left, right):
    ...         return [len(left), len(right)]
    >>> Lengths().fit_transform([("a", "the")])
    array([[1., 3.]])
    >>> Lengths().get_feature_names_out()
    array(['left', 'right'], dtype=object)
    """

    def fit(self, pairs: Sequence[Sequence[str]], gold: object = None) -> Any:
        """Do nothing; a subclass may learn."""
        return self

    def fit_transform(self, pairs: Sequence[Sequence[str]], gold: object = None) -> FloatArray:
        """Learn from pairs, and return their features."""
        found: FloatArray = self.fit(pairs, gold).transform(pairs)
        return found

    def transform(self, pairs: Sequence[Sequence[str]]) -> FloatArray:
        """Return the features, as an array of shape (n_pairs, n_features).

        Raises
        ------
        InputError
            For what is no pair of two strings.
        """
        check_is_fitted(self)
        check_pairs(pairs)
        width = len(self._names())
        return np.array(self._rows(pairs), dtype=np.float64).reshape(len(pairs), width)

    def get_feature_names_out(self, input_features: object = None) -> npt.NDArray[np.object_]:
        """Return the names of the features."""
        return np.array(self._names(), dtype=object)

    def row(self, left: str, right: str) -> Sequence[float]:
        """Return the features of one pair."""
        check_is_fitted(self)
        return self._rows([(left, right)])[0]

    def _names(self) -> Sequence[str]:
        raise NotImplementedError

    def _rows(self, pairs: Sequence[Sequence[str]]) -> Sequence[Sequence[float]]:
        return [self.row(left, right) for left, right in pairs]

    def __sklearn_is_fitted__(self) -> bool:
        return type(self).fit is PairFeatures.fit or any(key.endswith("_") for key in vars(self))


class PairCache:
    """What a function gives for pairs, computed once while it is among the last pairs.

    Threads may share one.

    Parameters
    ----------
    function : callable
        Of a list of pairs; see `map_pairs` for one of a pair. To run in other processes, it must be
        one that can be pickled.

    Examples
    --------
    >>> import functools
    >>> PairCache(functools.partial(map_pairs, len))([("a", "b"), ("a", "b")])
    [2, 2]
    """

    def __init__(self, function: Callable[[Sequence[Pair]], Iterable[Any]]) -> None:
        self._function = function
        self._values: dict[Pair, Any] = {}

    def __call__(self, pairs: Iterable[Sequence[str]], n_jobs: int = 1) -> list[Any]:
        """Return the value of each pair."""
        asked = [(pair[0], pair[1]) for pair in pairs]
        known = self._known(asked)
        new = [pair for pair in dict.fromkeys(asked) if pair not in known]
        if n_jobs == 1 or len(new) <= PAIRS_A_TASK:
            values = self._function(new)
        else:
            from joblib import Parallel, delayed  # slow to import

            tasks = (delayed(self._function)(part) for part in chunks_of(new, PAIRS_A_TASK))
            values = itertools.chain.from_iterable(Parallel(n_jobs=n_jobs)(tasks))
        found = dict(zip(new, values, strict=True))
        self._keep(found)
        found.update(known)
        return [found[pair] for pair in asked]

    def _known(self, pairs: Iterable[Pair]) -> dict[Pair, Any]:
        """Return the kept values; other threads may forget them from now on."""
        found = {}
        for pair in pairs:
            try:
                found[pair] = self._values[pair]
            except KeyError:
                continue
        return found

    def _keep(self, values: dict[Pair, Any]) -> None:
        self._values.update(values)
        if len(self._values) > KEPT_PAIRS:
            for pair in list(self._values)[:-KEPT_PAIRS]:
                self._values.pop(pair, None)


def map_pairs(function: Callable[[Pair], Any], pairs: Iterable[Pair]) -> list[Any]:
    """Return what a function gives for each pair.

    Examples
    --------
    >>> map_pairs(len, [("a", "b"), ("c", "d")])
    [2, 2]
    """
    return [function(pair) for pair in pairs]


def ngrams(words: Sequence[str], order: int) -> set[tuple[str, ...]]:
    """Return the n-grams of words.

    Examples
    --------
    >>> sorted(ngrams(["a", "b", "a"], 2))
    [('a', 'b'), ('b', 'a')]
    """
    return set(zip(*(words[start:] for start in range(order)), strict=False))


def chosen_groups(owner: str, known: Sequence[str], features: Sequence[str] | None) -> list[str]:
    """Return the names of feature groups in their order, without repetitions; None for all.

    Raises
    ------
    InputError
        For no list of names, an empty one, or an unknown name.

    Examples
    --------
    >>> chosen_groups("takelab-simple", ["numbers", "ngrams", "spaces"], ["spaces", "numbers"])
    ['numbers', 'spaces']
    """
    wanted = known if features is None else features
    if isinstance(wanted, str) or not (isinstance(wanted, Sequence) and wanted):
        raise InputError(f"{owner}: features must be a list of names, not {wanted!r}.")
    for group in wanted:
        if group not in known:
            raise unknown("group of features", str(group), known)
    return [group for group in known if group in wanted]


def are_words(value: object) -> bool:
    """Tell whether a value is a list of distinct strings.

    Examples
    --------
    >>> are_words(["a", "b"]), are_words(["a", "a"]), are_words([1])
    (True, False, False)
    """
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        return False
    return len(set(value)) == len(value)


def check_corpora(owner: str, corpora: object) -> None:
    """Refuse what is no list of different corpora.

    Raises
    ------
    InputError

    Examples
    --------
    >>> check_corpora("dkpro", ["brown", "brown"])
    Traceback (most recent call last):
    stsbaselines.errors.InputError: dkpro: a corpus is named twice.
    """
    if not (
        isinstance(corpora, Sequence)
        and not isinstance(corpora, str)
        and corpora
        and all(isinstance(corpus, str | Path) for corpus in corpora)
    ):
        raise InputError(f"{owner}: corpora is {corpora!r}, but must be a list of corpora.")
    if len(set(map(str, corpora))) < len(corpora):
        raise InputError(f"{owner}: a corpus is named twice.")


def check_places(owner: str, **places: object) -> None:
    """Refuse parameters that are neither a path nor None.

    Raises
    ------
    InputError

    Examples
    --------
    >>> check_places("dkpro", wordnet=3)
    Traceback (most recent call last):
    stsbaselines.errors.InputError: dkpro: wordnet must be a path or None.
    """
    for name, place in places.items():
        if not isinstance(place, str | Path | None):
            raise InputError(f"{owner}: {name} must be a path or None.")


def check_jobs(owner: str, n_jobs: object) -> None:
    """Refuse a number of processes or threads that joblib does not know.

    Raises
    ------
    InputError

    Examples
    --------
    >>> check_jobs("dkpro", 0)
    Traceback (most recent call last):
    stsbaselines.errors.InputError: dkpro: n_jobs is 0, but must be a whole number other than 0.
    """
    if not isinstance(n_jobs, int) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise InputError(f"{owner}: n_jobs is {n_jobs!r}, but must be a whole number other than 0.")


def checked_scores(owner: str, gold: Any, count: int, fewest: int) -> FloatArray:
    """Return the gold scores of `count` pairs as an array.

    Raises
    ------
    InputError
        For no scores, another number of them, fewer than `fewest`, or others than from 0 to 5.

    Examples
    --------
    >>> checked_scores("dkpro", [5, 2.5], count=2, fewest=2)
    array([5. , 2.5])
    """
    if gold is None:
        raise InputError(f"{owner} must be trained on pairs with scores first.")
    try:
        scores = np.asarray(gold)
    except ValueError:
        raise InputError(f"{owner}: gold must be a list of scores.") from None
    if scores.shape != (count,) or count < fewest:
        raise InputError(
            f"{owner} must be trained on pairs, at least {fewest}, each with a score,"
            f" but has {count} and scores of shape {scores.shape}."
        )
    in_range = scores.dtype.kind in "biuf" and ((scores >= LOWEST) & (scores <= HIGHEST)).all()
    if not in_range:
        raise InputError(f"{owner} must be trained on scores from {LOWEST:g} to {HIGHEST:g}.")
    return scores.astype(np.float64)
