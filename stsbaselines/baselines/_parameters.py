"""Checks of what a user passes to a baseline; all of them raise `InputError`."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stsbaselines.errors import InputError, unknown
from stsbaselines.predictor import Predictor
from stsbaselines.scoring.correlation import FloatArray

LOWEST, HIGHEST = 0.0, 5.0
HIGHEST_SEED = 2**32 - 1
MOST_COMPONENTS = 10_000


def check_whole_numbers(model: Predictor, **bounds: tuple[int, int]) -> None:
    """Check that parameters are whole numbers within inclusive bounds."""
    for name, (lowest, highest) in bounds.items():
        value = getattr(model, name)
        is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        if not (is_whole and lowest <= value <= highest):
            raise InputError(
                f"{model.name}: {name} is {value!r}, but must be a whole number from {lowest}"
                f" to {highest}."
            )


def check_numbers(model: Predictor, **bounds: tuple[float, float]) -> None:
    """Check that parameters are numbers within inclusive bounds."""
    for name, (lowest, highest) in bounds.items():
        value = getattr(model, name)
        if not (is_number(value) and lowest <= value <= highest):
            raise InputError(
                f"{model.name}: {name} is {value!r}, but must be a number from {lowest:g}"
                f" to {highest:g}."
            )


def is_number(value: object) -> bool:
    """Return whether a value is a real number; a truth value is not."""
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def check_booleans(model: Predictor, *names: str) -> None:
    """Check that parameters are booleans."""
    for name in names:
        value = getattr(model, name)
        if not isinstance(value, bool):
            raise InputError(f"{model.name}: {name} is {value!r}, but must be true or false.")


def check_choices(model: Predictor, **choices: Sequence[str]) -> None:
    """Check that parameters have one of their possible values."""
    for name, known in choices.items():
        value = getattr(model, name)
        if value not in known:
            *others, last = known
            raise InputError(
                f"{model.name}: {name} is {value!r}, but must be {', '.join(others)} or {last}."
            )


def check_paths(model: Predictor, *names: str) -> None:
    """Check that parameters are paths or None."""
    for name in names:
        value = getattr(model, name)
        if not isinstance(value, str | Path | None):
            raise InputError(f"{model.name}: {name} is {value!r}, but must be a path or None.")


def check_jobs(model: Any) -> None:
    """Check that `n_jobs` is a whole number other than 0."""
    n_jobs = model.n_jobs
    if not isinstance(n_jobs, int) or isinstance(n_jobs, bool) or n_jobs == 0:
        raise InputError(
            f"{model.name}: n_jobs is {n_jobs!r}, but must be a whole number other than 0."
        )


def check_corpora(owner: str, corpora: object) -> None:
    """Check that `corpora` is a list of different names or paths."""
    if not (
        isinstance(corpora, Sequence)
        and not isinstance(corpora, str)
        and corpora
        and all(isinstance(corpus, str | Path) for corpus in corpora)
    ):
        raise InputError(f"{owner}: corpora is {corpora!r}, but must be a list of corpora.")
    if len(set(map(str, corpora))) < len(corpora):
        raise InputError(f"{owner}: a corpus is named twice.")


def chosen_groups(owner: str, known: Sequence[str], features: Sequence[str] | None) -> list[str]:
    """Return the groups of features that are asked for, in their usual order; None means all.

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


def checked_scores(owner: str, gold: Any, count: int, fewest: int) -> FloatArray:
    """Return the gold scores of `count` pairs, at least `fewest`, as an array.

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
    is_numeric = scores.dtype.kind in "biuf"
    if not (is_numeric and ((scores >= LOWEST) & (scores <= HIGHEST)).all()):
        raise InputError(f"{owner} must be trained on scores from {LOWEST:g} to {HIGHEST:g}.")
    return scores.astype(np.float64)
