"""Estimators that do not import scikit-learn, and that it takes for its own."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils import validation

from stsbaselines.baselines._dkpro_features import CharacterNgrams, StringSimilarity
from stsbaselines.baselines.dkpro_string import DKProString
from stsbaselines.estimator import Estimator, check_is_fitted
from stsbaselines.predictor import Predictor

PAIRS = [("a cat", "a dog"), ("The cat sleeps", "The cat sleeps."), ("a b c", "a b d"), ("x", "y")]
GOLD = [2.0, 5.0, 3.0, 0.0]
SLOW = ("joblib", "matplotlib", "nltk", "pandas", "scipy", "sklearn")
PREDICT = f"""
import sys
from stsbaselines.cli.main import main
try:
    main()
finally:
    print([name for name in {SLOW} if name in sys.modules], file=sys.stderr)
"""


class Constant(Estimator):
    """It predicts one number, its parameter or what it learns."""

    def __init__(
        self, value: float | None = None, kept: Any = (), inner: Any = None, **ignored: Any
    ) -> None:
        self.value = value
        self.kept = kept
        self.inner = inner

    def fit(self, pairs: Sequence[Any], gold: Any = None) -> Constant:
        self.found_ = float(np.mean(gold)) if self.value is None else self.value
        return self

    def predict(self, pairs: Sequence[Any]) -> Any:
        check_is_fitted(self)
        return np.full(len(pairs), self.found_)

    def score(self, pairs: Sequence[Any], gold: Any) -> float:
        return -float(np.abs(self.predict(pairs) - gold).sum())


class Theirs(BaseEstimator):  # type: ignore[misc]
    def __init__(self, value: float | None = None, kept: Any = (), inner: Any = None) -> None:
        self.value = value
        self.kept = kept
        self.inner = inner


class Bare(Estimator):
    """It has no parameters."""


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"value": 2.5},
        {"value": None, "kept": ()},
        {"kept": ["a"], "value": float("nan")},
        {"inner": {"x": 1}, "kept": "'"},
        {"inner": Constant(1)},
        {"inner": Constant(inner=Constant(kept=[1]))},
        {"inner": Constant},
    ],
)
def test_parameters_and_what_is_printed_are_as_in_scikit_learn(parameters: dict[str, Any]) -> None:
    ours, theirs = Constant(**parameters), Theirs(**parameters)
    for deep in (True, False):
        assert ours.get_params(deep) == theirs.get_params(deep)
    assert list(ours.get_params(deep=False)) == list(theirs.get_params(deep=False))
    assert repr(ours) == repr(theirs).replace("Theirs", "Constant")


def test_an_estimator_without_parameters() -> None:
    assert Bare().get_params() == {}
    assert repr(Bare().set_params()) == "Bare()"
    assert type(clone(Bare())) is Bare


def test_parameters_without_names_are_refused_as_by_scikit_learn() -> None:
    class Ours(Estimator):
        def __init__(self, *values: float) -> None:
            self.values = values

    class Theirs(BaseEstimator):  # type: ignore[misc]
        def __init__(self, *values: float) -> None:
            self.values = values

    for estimator in (Ours(1.0), Theirs(1.0)):
        with pytest.raises(RuntimeError, match="parameters in the signature"):
            estimator.get_params()


def test_parameters_of_parameters_are_set() -> None:
    outer = Constant(inner=Constant(1))
    assert outer.set_params(inner__value=2, kept="x", inner__kept="y") is outer
    assert outer.get_params() == {
        "inner": outer.inner,
        "inner__inner": None,
        "inner__kept": "y",
        "inner__value": 2,
        "kept": "x",
        "value": None,
    }
    other = Constant(5)
    assert outer.set_params(inner=other, inner__kept="z").inner is other
    assert other.kept == "z"


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"valu": 1}, "Constant has no parameter 'valu', did you mean 'value'[?] It has: inner,"),
        ({"ignored": 1}, "no parameter 'ignored'"),
        ({"found_": 1}, "no parameter 'found_'"),
        ({"x__value": 1}, "no parameter 'x'"),
        ({"inner__x": 1}, "Bare has no parameter 'x'. It has: none."),
    ],
)
def test_an_unknown_parameter_is_refused(parameters: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Constant(inner=Bare()).set_params(**parameters)


def test_a_clone_has_the_parameters_but_learned_nothing() -> None:
    fitted = Constant(kept=["a"], inner=Constant(1)).fit(PAIRS, GOLD)
    found = clone(fitted)
    assert repr(found) == repr(fitted)
    assert found.kept is not fitted.kept
    assert found.inner is not fitted.inner
    assert not hasattr(found, "found_")


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_copy_has_learned_the_same(duplicate: Any) -> None:
    fitted = Constant(kept=["a"]).fit(PAIRS, GOLD)
    found = duplicate(fitted)
    if isinstance(found, bytes):
        found = pickle.loads(found)
    assert found.predict(PAIRS).tolist() == [2.5] * 4
    assert vars(found) == vars(fitted)
    found.value = 1.0
    assert fitted.value is None


def test_a_grid_search_finds_the_best_parameter() -> None:
    search = GridSearchCV(Constant(), {"value": [0.0, 3.0, 9.0]}, cv=2).fit(PAIRS, GOLD)
    assert search.best_params_ == {"value": 3.0}
    assert search.predict(PAIRS).tolist() == [3.0] * 4


def test_a_pipeline_of_transformer_and_regression() -> None:
    pipeline = make_pipeline(CharacterNgrams(), Constant()).fit(PAIRS, GOLD)
    assert pipeline.predict(PAIRS).tolist() == [2.5] * 4
    assert pipeline.set_params(constant__value=1.0).fit(PAIRS, GOLD).predict(PAIRS)[0] == 1.0
    assert "CharacterNgrams()" in repr(pipeline)
    assert "CharacterNgrams" in pipeline._repr_html_()
    searched = GridSearchCV(pipeline, {"constant__value": [None, 1.0]}, cv=2).fit(PAIRS, GOLD)
    assert clone(searched).estimator.get_params()["constant__value"] == 1.0


@pytest.mark.parametrize("check", [check_is_fitted, validation.check_is_fitted])
def test_what_is_not_fitted_is_refused(check: Any) -> None:
    for estimator in (Constant(), CharacterNgrams(), DKProString()):
        name = type(estimator).__name__
        message = f"^This {name} instance is not fitted yet. Call 'fit' with appropriate arguments"
        with pytest.raises(NotFittedError, match=message):
            check(estimator)
        check(estimator.fit(PAIRS, GOLD))
    check(StringSimilarity())


def test_a_predictor_that_does_not_learn_is_fitted() -> None:
    class Lengths(Predictor):
        name = "lengths"

    class Learning(Lengths):
        def fit(self, pairs: Sequence[Any], gold: Any = None) -> Any:
            self.done_ = True
            return self

    check_is_fitted(Lengths())
    check_is_fitted(Learning().fit([]))
    with pytest.raises(NotFittedError):
        check_is_fitted(Learning())


def scores_and_slow_modules(arguments: Sequence[str], folder: Path) -> tuple[list[str], str]:
    """Return the printed scores of `PAIRS`, and which of the slow modules were imported."""
    (folder / "pairs.txt").write_text("".join(f"{left}\t{right}\n" for left, right in PAIRS))
    command = [sys.executable, "-c", PREDICT, "predict", arguments[0], "pairs.txt", *arguments[1:]]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120)
    return done.stdout.split(), done.stderr


def test_predicting_imports_nothing_slow(tmp_path: Path) -> None:
    model = DKProString().fit(PAIRS, GOLD)
    model.save(tmp_path / "model")
    drawn = np.random.RandomState(1).uniform(0, 5, len(PAIRS))
    expected = {
        ("token-cosine",): [0.5, 2 / 3, 2 / 3, 0.0],
        ("random", "--set", "random_state=1"): drawn,
        ("model",): model.predict(PAIRS),
    }
    for arguments, scores in expected.items():
        printed, slow = scores_and_slow_modules(arguments, tmp_path)
        assert (printed, slow) == ([f"{score:.10f}" for score in scores], "[]\n")
