"""The registry, and what holds for every baseline in it."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

import stsbaselines
from stsbaselines import baselines
from stsbaselines.errors import InputError
from stsbaselines.predictor import Predictor
from stsbaselines.tasks.records import Record

PARAMETERS: dict[str, dict[str, Any]] = {
    "dkpro": {"features": ["strings", "characters", "words"]},
    "random": {"random_state": 5},
    "wtmf": {"random_state": 5, "regularization": 0.01, "n_components": 2},
}
# takelab-simple needs corpora: see test_takelab.py
NAMES = [name for name in baselines.names() if name != "takelab-simple"]
PAIRS = [("a cat", "a dog"), (" a cat", "a cat"), ("", "x"), ("One\ttwo", "two\x0bOne")]
RECORDS = [tuple(Record(title=(text,)) for text in pair) for pair in PAIRS]


def pairs_for(name: str) -> list[Any]:
    return list(RECORDS if baselines.find(name).predicts == "typed scores" else PAIRS)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("chunk_size", "n_jobs"), [(1, 1), (3, 2), (100, 1)])
def test_chunks_give_what_one_call_gives(name: str, chunk_size: int, n_jobs: int) -> None:
    pairs = pairs_for(name)
    baseline = baselines.create(name, **PARAMETERS.get(name, {})).fit(pairs, [1.0, 0.0, 0.0, 1.0])
    chunks = list(baseline.predict_chunks(iter(pairs), chunk_size, n_jobs))
    found, expected = np.concatenate(chunks), baseline.predict(pairs)
    if expected.dtype == object:
        assert (found == expected).all()
    else:
        assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_one_object_predicts_the_same_in_several_threads(name: str) -> None:
    pairs = pairs_for(name) * 5
    baseline = baselines.create(name, **PARAMETERS.get(name, {})).fit(pairs, [1.0, 0, 0, 1] * 5)
    expected = baseline.predict(pairs)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(6) as threads:
            found = list(threads.map(baseline.predict, [pairs] * 12))
    finally:
        sys.setswitchinterval(interval)
    assert all((each == expected).all() for each in found)


@pytest.mark.parametrize("name", NAMES)
def test_baselines_are_estimators(name: str, tmp_path: Path) -> None:
    baseline = baselines.create(name, **PARAMETERS.get(name, {}))
    assert clone(baseline).get_params() == baseline.get_params()
    assert baseline.fit(pairs_for(name), [1.0, 0.0, 0.0, 1.0]) is baseline
    check_is_fitted(baseline)
    assert baseline.predict([]).shape[0] == 0
    baseline.save(tmp_path / "saved")
    assert stsbaselines.load(tmp_path / "saved").get_params() == baseline.get_params()


# typed-tfidf reads any iterable once.
@pytest.mark.parametrize("name", [name for name in NAMES if name != "typed-tfidf"])
def test_pairs_that_can_be_read_only_once_are_refused(name: str) -> None:
    pairs = pairs_for(name)
    baseline = baselines.create(name, **PARAMETERS.get(name, {})).fit(pairs, [1.0, 0.0, 0.0, 1.0])
    with pytest.raises(InputError, match="found a list_iterator, expected a list of pairs"):
        baseline.predict(cast(Any, iter(pairs)))


@pytest.mark.parametrize("name", ["dkpro-string", "ngram-logreg", "takelab-simple"])
def test_a_masked_gold_standard_is_refused(name: str) -> None:
    gold = np.ma.masked_array([1.0, 0.0, 0.0, 1.0], mask=[False, True, False, False])
    with pytest.raises(InputError, match=f"{name} cannot be trained on masked values"):
        baselines.create(name).fit(PAIRS, gold)


@pytest.mark.parametrize("name", ["dkpro-string", "ngram-logreg", "takelab-simple"])
@pytest.mark.parametrize("wrong", [None, float("nan"), "1"])
def test_the_pair_without_a_gold_number_is_named(name: str, wrong: Any) -> None:
    with pytest.raises(InputError, match=rf"{name}'s gold standard, pair 2: found '?{wrong}"):
        baselines.create(name).fit(PAIRS, [1.0, wrong, 0.0, 1.0])


def test_unknown_names_are_suggested() -> None:
    with pytest.raises(InputError, match="did you mean 'token-cosine'"):
        baselines.create("token-cosin")
    with pytest.raises(InputError, match="did you mean 'random_state'"):
        baselines.create("random", randomstate=1)
    with pytest.raises(InputError, match=r"It has: kernel, tokenizer\."):
        baselines.create("token-cosine", lower=True)


# Baselines from outside

MODULE = """
import numpy as np
from stsbaselines import Predictor

class Lengths(Predictor):
    name = "lengths"

    def __init__(self, scale=1.0):
        self.scale = scale

    def predict(self, pairs):
        return np.array([-self.scale * abs(len(left) - len(right)) for left, right in pairs])

class Needy(Lengths):
    name = "needy"

    def __init__(self, scale):
        self.scale = scale

class Nameless(Predictor):
    pass

def function(lefts, rights):
    return [0.0] * len(lefts)
"""


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("outside.py").write_text(MODULE, encoding="utf-8")
    monkeypatch.delitem(sys.modules, "outside", raising=False)


@pytest.mark.usefixtures("module")
def test_a_baseline_by_its_class() -> None:
    baseline = stsbaselines.create("outside:Lengths", scale=2)
    assert baseline.predict([("a cat", "a")]).tolist() == [-8]
    assert repr(baseline) == "Lengths(scale=2)"


@pytest.mark.usefixtures("module")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("outside:function", "expected a class that derives from Predictor, with a `name`"),
        ("outside:Nameless", "expected a class that derives from Predictor, with a `name`"),
        ("outside:Length", "has no 'Length', did you mean 'Lengths'"),
        ("elsewhere:Lengths", "no module 'elsewhere', neither in the current folder"),
        ("outside:Needy", "baseline 'needy' needs the parameter 'scale'"),
    ],
)
def test_classes_that_are_refused(name: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        stsbaselines.create(name)


@pytest.mark.usefixtures("module")
def test_a_saved_baseline_is_loaded_by_its_class(monkeypatch: pytest.MonkeyPatch) -> None:
    stsbaselines.create("outside:Lengths", scale=2).save("saved")
    assert repr(stsbaselines.load("saved")) == "Lengths(scale=2)"
    monkeypatch.delitem(sys.modules, "outside")
    message = "saved holds a saved outside:Lengths, which Python cannot import; add the folder"
    with pytest.raises(InputError, match=message):
        stsbaselines.load("saved")
    monkeypatch.syspath_prepend(str(Path.cwd()))
    assert repr(stsbaselines.load("saved")) == "Lengths(scale=2)"
    monkeypatch.delitem(sys.modules, "outside")


@pytest.mark.usefixtures("module")
def test_entry_points_are_baselines(monkeypatch: pytest.MonkeyPatch) -> None:
    about = Path("outside-1.0.dist-info")
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: outside\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[stsbaselines.baselines]\nlengths = outside:Lengths\nwrong = outside:function\n"
        "gone = elsewhere:Lengths\nrandom = outside:Lengths\n"
    )
    monkeypatch.syspath_prepend(str(Path.cwd()))
    assert "lengths" in baselines.names()
    assert repr(stsbaselines.create("lengths", scale=3)) == "Lengths(scale=3)"
    assert repr(stsbaselines.create("random")) == "RandomScores()"
    for name, message in [
        ("wrong", "outside:function: found .* expected a class that derives from Predictor"),
        ("gone", "the entry point gone failed in .* No module named 'elsewhere'"),
        ("length", "did you mean 'lengths'"),
    ]:
        with pytest.raises(InputError, match=message):
            stsbaselines.create(name)
    monkeypatch.delitem(sys.modules, "outside")


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("random",)])
def test_what_is_not_fitted_says_so(name: str) -> None:
    baseline = baselines.create(name, **PARAMETERS.get(name, {}))
    if type(baseline).fit is Predictor.fit:
        check_is_fitted(baseline)
        return
    for refused in (check_is_fitted, lambda each: each.predict(pairs_for(name))):
        with pytest.raises(NotFittedError, match="is not fitted yet"):
            refused(baseline)
