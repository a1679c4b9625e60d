"""Correlations as scorers of scikit-learn: functions of an estimator, pairs and gold scores."""

from __future__ import annotations

import math
from typing import Any

import numpy.typing as npt

from stsbaselines.scoring.correlation import pearson, spearman


def pearson_scorer(estimator: Any, pairs: Any, gold: npt.ArrayLike) -> float:
    """Pearson correlation of an estimator's predictions, for `GridSearchCV` and its like.

    `Predictor.score` is the same; pass this one as `scoring` for other estimators.

    Parameters
    ----------
    estimator : object with `predict`
        A fitted estimator.
    pairs : sequence of length n_pairs
        What the estimator predicts: pairs of sentences, or their features.
    gold : array-like of shape (n_pairs,)
        The gold scores.

    Returns
    -------
    float
        NaN where it is undefined, such as for constant predictions.

    Raises
    ------
    ValueError
        If a prediction or gold score is not a finite number, or their numbers differ.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> features, gold = [[1], [2], [3], [4], [5], [6]], [1, 2, 4, 4, 5, 9]
    >>> cross_val_score(LinearRegression(), features, gold, scoring=pearson_scorer, cv=2).round(3)
    array([0.982, 0.945])
    """
    return _defined(pearson(estimator.predict(pairs), gold))


def spearman_scorer(estimator: Any, pairs: Any, gold: npt.ArrayLike) -> float:
    """Spearman rank correlation of an estimator's predictions; see `pearson_scorer`.

    Parameters
    ----------
    estimator : object with `predict`
        A fitted estimator.
    pairs : sequence of length n_pairs
        What the estimator predicts: pairs of sentences, or their features.
    gold : array-like of shape (n_pairs,)
        The gold scores.

    Returns
    -------
    float
        NaN where it is undefined.

    Raises
    ------
    ValueError
        As for `pearson_scorer`.

    Examples
    --------
    >>> from sklearn.linear_model import LinearRegression
    >>> model = LinearRegression().fit([[1], [2], [3]], [1, 2, 4])
    >>> round(spearman_scorer(model, [[1], [3], [2]], [0, 5, 1]), 3)
    1.0
    """
    return _defined(spearman(estimator.predict(pairs), gold))


def _defined(value: float | None) -> float:
    return math.nan if value is None else value
