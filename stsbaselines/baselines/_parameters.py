"""Checks of what a user passes to a baseline; all of them raise `InputError`."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from stsbaselines.errors import Fault, InputError, unknown
from stsbaselines.predictor import Predictor
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.tasks.base import finite_numbers, first_wrong

LOWEST, HIGHEST = 0.0, 5.0
HIGHEST_SEED = 2**32 - 1
MOST_COMPONENTS = 10_000


def check_parameter(model: Any, name: str, is_valid: bool, expected: str) -> None:
    if not is_valid:
        value = getattr(model, name)
        found = "nothing" if value is None else repr(value)
        if isinstance(value, str) and _looks_like_number(value):
            found = f"the text {value!r}"
        raise InputError(f"{model.name}: {name} is {found}, but must be {expected}.")


def _looks_like_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def check_whole_numbers(model: Predictor, **bounds: tuple[int, int]) -> None:
    """Check that parameters are whole numbers within inclusive bounds."""
    for name, (low, high) in bounds.items():
        value = getattr(model, name)
        is_whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
        is_valid = is_whole and low <= value <= high
        check_parameter(model, name, is_valid, f"a whole number from {low} to {high}")


def check_seed(model: Any) -> None:
    if not isinstance(model.random_state, np.random.RandomState | None):
        check_whole_numbers(model, random_state=(0, HIGHEST_SEED))


def check_numbers(model: Predictor, **bounds: tuple[float, float]) -> None:
    """Check that parameters are numbers within inclusive bounds."""
    for name, (low, high) in bounds.items():
        value = getattr(model, name)
        is_valid = is_number(value) and low <= value <= high
        check_parameter(model, name, is_valid, f"a number from {low:g} to {high:g}")


def is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def check_booleans(model: Predictor, *names: str) -> None:
    for name in names:
        check_parameter(model, name, isinstance(getattr(model, name), bool), "true or false")


def check_choices(model: Predictor, **choices: Sequence[str]) -> None:
    for name, known in choices.items():
        *others, last = known
        expected = f"{', '.join(others)} or {last}"
        check_parameter(model, name, getattr(model, name) in known, expected)


def check_paths(model: Predictor, *names: str) -> None:
    for name in names:
        is_valid = isinstance(getattr(model, name), str | Path | None)
        check_parameter(model, name, is_valid, "a path or None")


def check_jobs(model: Any) -> None:
    is_valid = isinstance(model.n_jobs, int) and is_number(model.n_jobs) and model.n_jobs != 0
    check_parameter(model, "n_jobs", is_valid, "a whole number other than 0")


def check_corpora(model: Any) -> None:
    corpora = model.corpora
    is_list = isinstance(corpora, Sequence) and not isinstance(corpora, str) and len(corpora) > 0
    is_valid = is_list and all(isinstance(corpus, str | Path) for corpus in corpora)
    check_parameter(model, "corpora", is_valid, "a list of corpora")
    if len(set(map(str, corpora))) < len(corpora):
        raise InputError(f"{model.name}: a corpus is named twice.")


def chosen_groups(owner: str, known: Sequence[str], features: Sequence[str] | None) -> list[str]:
    """Return the chosen groups of features, in their usual order; None means all."""
    wanted = known if features is None else features
    if isinstance(wanted, str) or not (isinstance(wanted, Sequence) and wanted):
        raise InputError(f"{owner}: features must be a list of names, not {wanted!r}.")
    for group in wanted:
        if group not in known:
            raise unknown("group of features", str(group), known)
    return [group for group in known if group in wanted]


def gold_array(owner: str, gold: Any) -> npt.NDArray[Any]:
    if np.ma.is_masked(gold):
        raise InputError(f"{owner} cannot be trained on masked values of a gold standard.")
    if finite_numbers(gold) is None and (wrong := first_wrong(gold, ())):
        index, found = wrong
        raise InputError(
            [Fault(f"{owner}'s gold standard", found, "a number, true or false", pair=index + 1)]
        )
    return np.asarray(gold)


def checked_scores(owner: str, gold: Any, count: int, fewest: int) -> FloatArray:
    """Return the gold scores of `count` pairs, at least `fewest`, as an array."""
    if gold is None:
        raise InputError(f"{owner} must be trained on pairs with scores first.")
    scores = gold_array(owner, gold)
    if scores.shape != (count,) or count < fewest:
        raise InputError(
            f"{owner} must be trained on pairs, at least {fewest}, each with a score,"
            f" but has {count} and scores of shape {scores.shape}."
        )
    is_numeric = scores.dtype.kind in "biuf"
    if not (is_numeric and ((scores >= LOWEST) & (scores <= HIGHEST)).all()):
        raise InputError(f"{owner} must be trained on scores from {LOWEST:g} to {HIGHEST:g}.")
    return scores.astype(np.float64)
