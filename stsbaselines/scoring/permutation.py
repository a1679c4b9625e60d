"""The permutation test: two systems exchange scores of random pairs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from stsbaselines.scoring import conventions
from stsbaselines.scoring.conventions import Convention, Pair
from stsbaselines.scoring.correlation import FloatArray, rounded
from stsbaselines.scoring.significance import EQUAL, Significance

PERMUTATIONS = 1000
_CELLS_OF_BLOCK = 2**20


def permutation_test(
    convention: Convention,
    first: Mapping[str, Pair],
    second: Mapping[str, Pair],
    permutations: int = PERMUTATIONS,
    random_state: int = 0,
) -> Significance | None:
    """Test whether the better one of two systems is better than by chance (one-tailed).

    In each permutation, both systems exchange their scores of a random half of the pairs. Their
    scales may differ, so what is exchanged are ranks for Spearman's correlation, and otherwise
    scores with mean 0 and standard deviation 1 on each data set.

    Parameters
    ----------
    convention : Convention
        Not one of ALLnrm, which is fitted to the gold standard: the result is None then.
    first, second : mapping of str to (scores, gold)
        Of the scored pairs of each data set, see `stsbaselines.scoring.conventions.value`.
    permutations : int
    random_state : int

    Returns
    -------
    Significance or None
        The difference of both systems, and the share of permutations with one as large in its
        direction; None if it is undefined.

    References
    ----------
    Deutsch, Dror and Roth (2021), A Statistical Analysis of Summarization Evaluation Metrics using
    Resampling Methods, PERM-BOTH and standardised scores. Noreen (1989).

    Examples
    --------
    >>> gold = np.arange(20.0)
    >>> noise = np.random.RandomState(0).normal(size=20)
    >>> close, far = {"a": (gold + noise, gold)}, {"a": (gold + 20 * noise, gold)}
    >>> test = permutation_test(conventions.Convention("", "spearman", "ALL"), close, far)
    >>> test.statistic > 0.3, test.p < 0.01
    (True, True)
    """
    values = [conventions.value(convention, parts) for parts in (first, second)]
    if convention.aggregate == "ALLnrm" or values[0] is None or values[1] is None:
        return None
    difference = values[0] - values[1]
    if abs(difference) < EQUAL:
        return Significance(0.0, 0.5)
    names = [name for name in first if convention.counts(name)]
    sides = [_comparable(convention, [parts[name] for name in names]) for parts in (first, second)]
    golds = [np.asarray(first[name][1], dtype=np.float64) for name in names]
    generator = np.random.RandomState(random_state)
    as_large = 0
    for rows in _blocks(permutations, sum(map(len, golds))):
        swaps = [generator.randint(2, size=(rows, len(gold))).astype(bool) for gold in golds]
        ones = [np.where(swap, b, a) for swap, a, b in zip(swaps, *sides, strict=True)]
        others = [np.where(swap, a, b) for swap, a, b in zip(swaps, *sides, strict=True)]
        exchanged = _values(convention, ones, golds) - _values(convention, others, golds)
        as_large += int((exchanged * np.sign(difference) >= abs(difference) - EQUAL).sum())
    return Significance(difference, (1 + as_large) / (1 + permutations))


def _blocks(permutations: int, pairs: int) -> Iterator[int]:
    rows = max(1, _CELLS_OF_BLOCK // max(pairs, 1))
    for start in range(0, permutations, rows):
        yield min(rows, permutations - start)


def _comparable(convention: Convention, parts: list[Pair]) -> list[FloatArray]:
    """Return the scores of a system's data sets on a scale that all systems share."""
    scores = [np.asarray(each[0], dtype=np.float64) for each in parts]
    joined = [np.concatenate(scores)] if convention.aggregate == "ALL" else scores
    if convention.correlation == "spearman":
        scaled = [_ranks(rounded(each)[None])[0] for each in joined]
    else:
        scaled = [(each - each.mean()) / (each.std() or 1.0) for each in joined]
    ends = np.cumsum([len(each) for each in scores])[:-1]
    return np.split(scaled[0], ends) if convention.aggregate == "ALL" else scaled


def _ranks(rows: FloatArray) -> FloatArray:
    from scipy.stats import rankdata  # slow to import

    return np.asarray(rankdata(rows, axis=1), dtype=np.float64)


def _values(
    convention: Convention, scores: list[FloatArray], golds: list[FloatArray]
) -> FloatArray:
    """Return the number by a convention for each row of scores."""
    if convention.aggregate == "ALL":
        return _correlations(convention, np.concatenate(scores, axis=1), np.concatenate(golds))
    found = [_correlations(convention, *each) for each in zip(scores, golds, strict=True)]
    is_weighted = convention.aggregate == "weighted mean"
    weights = [len(gold) for gold in golds] if is_weighted else None
    return np.asarray(np.average(found, axis=0, weights=weights))


def _correlations(convention: Convention, rows: FloatArray, gold: FloatArray) -> FloatArray:
    if convention.correlation == "spearman":
        rows, gold = _ranks(rows), _ranks(gold[None])[0]
    rows = rows - rows.mean(axis=1, keepdims=True)
    centred: npt.NDArray[np.float64] = gold - gold.mean()
    spread = np.linalg.norm(rows, axis=1) * np.linalg.norm(centred)
    return np.asarray(np.divide(rows @ centred, spread, out=np.zeros(len(rows)), where=spread > 0))
