"""The baselines and the Predictor interface that they share."""

from __future__ import annotations

import json
import math
import pickle
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted

import stsbaselines
from stsbaselines import baselines
from stsbaselines.baselines.random import RandomScores
from stsbaselines.baselines.token_cosine import TokenCosine, tokens
from stsbaselines.errors import InputError
from stsbaselines.parallel import AHEAD
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


def tokens_of_perl(sentence: bytes) -> set[bytes]:
    """``split /\\s+/``: runs of white space part; trailing empty fields go, a leading one stays."""
    fields = re.split(rb"[ \t\n\r\f\v]+", sentence)
    while fields and not fields[-1]:
        fields.pop()
    return set(fields)


@given(st.binary(max_size=40) | st.text(" \ta.\u00a0\x1cB", max_size=20).map(str.encode))
def test_tokens_are_those_of_perl(raw: bytes) -> None:
    assert tokens(raw.decode("utf-8", "surrogateescape")) == tokens_of_perl(raw)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("a b c", "a b d", 2 / 3),
        ("a a a", "a", 1.0),
        (" a", "a", 1 / math.sqrt(2)),
        (" a", " b", 0.5),
        ("A", "a", 0.0),
        ("dog.", "dog", 0.0),
        ("", "", 0.0),
        ("   ", "   ", 0.0),
        ("a\u00a0b", "a b", 0.0),
        ("caf\u00e9", "cafe\u0301", 0.0),
    ],
)
def test_token_cosine_by_hand(left: str, right: str, expected: float) -> None:
    assert TokenCosine().predict([(left, right)]) == pytest.approx([expected])


@given(st.lists(st.tuples(st.text(), st.text())))
def test_token_cosine_is_symmetric_and_in_range(pairs: list[tuple[str, str]]) -> None:
    pairs = [
        tuple(side.encode("utf-8", "replace").decode() for side in pair)  # type: ignore[misc]
        for pair in pairs
    ]
    scores = TokenCosine().predict(pairs)
    assert ((scores >= 0) & (scores <= 1 + 1e-12)).all()
    assert (scores == TokenCosine().predict([(right, left) for left, right in pairs])).all()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("chunk_size", [1, 3, 100])
@pytest.mark.parametrize("n_jobs", [1, 2])
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
def test_baselines_are_estimators(name: str, tmp_path: Path) -> None:
    baseline = baselines.create(name, **PARAMETERS.get(name, {}))
    assert clone(baseline).get_params() == baseline.get_params()
    assert baseline.fit(pairs_for(name), [1.0, 0.0, 0.0, 1.0]) is baseline
    check_is_fitted(baseline)
    assert baseline.predict([]).shape[0] == 0
    baseline.save(tmp_path / "saved")
    assert stsbaselines.load(tmp_path / "saved").get_params() == baseline.get_params()


class Weighted(Predictor):
    """A baseline that learns: the cosine, mapped onto the gold by a line."""

    name = "weighted"

    def __init__(self, lowercase: bool = False) -> None:
        self.lowercase = lowercase

    def fit(self, pairs: Sequence[Any], gold: Sequence[float] | None = None) -> Weighted:
        self.line_ = np.polyfit(self._cosines(pairs), np.asarray(gold), 1)
        self.words_ = ["a", "b"]
        return self

    def predict(self, pairs: Sequence[Any]) -> Any:
        return np.polyval(self.line_, self._cosines(pairs))

    def _cosines(self, pairs: Sequence[Any]) -> Any:
        lowered = [(left.lower(), right.lower()) for left, right in pairs]
        return TokenCosine().predict(lowered if self.lowercase else pairs)


LEARNT = [("a b", "a b"), ("A b", "a B"), ("a", "b"), ("A", "a"), ("a b", "b c"), ("c", "d")]
GOLD = [5.0, 5.0, 0.0, 5.0, 2.5, 0.0]


def test_grid_search_finds_the_better_parameter() -> None:
    scorer = make_scorer(lambda gold, scores: -np.abs(np.subtract(gold, scores)).sum())
    search = GridSearchCV(Weighted(), {"lowercase": [False, True]}, scoring=scorer, cv=2)
    search.fit(LEARNT, GOLD)
    assert search.best_params_ == {"lowercase": True}
    assert search.predict(LEARNT) == pytest.approx(GOLD)


def test_a_predictor_is_fitted_as_scikit_learn_understands_it() -> None:
    assert make_pipeline("passthrough", TokenCosine()).predict([("a", "a")]).tolist() == [1]
    check_is_fitted(TokenCosine())
    with pytest.raises(NotFittedError):
        check_is_fitted(Weighted())
    check_is_fitted(Weighted().fit(LEARNT, GOLD))


def test_a_predictor_of_ones_own_is_saved_and_loaded(tmp_path: Path) -> None:
    fitted = Weighted(lowercase=True).fit(LEARNT, GOLD)
    fitted.save(tmp_path / "saved")
    loaded = Weighted.load(tmp_path / "saved")
    assert (loaded.predict(LEARNT) == fitted.predict(LEARNT)).all()
    assert loaded.words_ == ["a", "b"]
    with pytest.raises(InputError, match="no baseline 'weighted'"):
        TokenCosine.load(tmp_path / "saved")
    TokenCosine().save(tmp_path / "other")
    with pytest.raises(InputError, match="found a saved 'token-cosine', expected a Weighted"):
        Weighted.load(tmp_path / "other")


def test_chunks_are_read_only_as_they_are_needed() -> None:
    read = 0

    def pairs() -> Iterator[tuple[str, str]]:
        nonlocal read
        for read in range(1, 1001):  # noqa: B007
            yield "a", "a"

    for jobs in (1, 2):
        chunks = TokenCosine().predict_chunks(pairs(), chunk_size=10, n_jobs=jobs)
        assert next(chunks).tolist() == [1] * 10
        assert read <= (1 if jobs == 1 else AHEAD * jobs) * 10


@pytest.mark.parametrize("scores", [np.zeros(3), np.zeros((1, 4))])
def test_a_wrong_number_of_predictions_is_refused(scores: Any) -> None:
    class Wrong(Predictor):
        name = "wrong"

        def predict(self, pairs: Sequence[Any]) -> Any:
            return scores

    with pytest.raises(InputError, match="predictions for 4 pairs, but must give one for each"):
        list(Wrong().predict_chunks(PAIRS))


@pytest.mark.parametrize("pair", ["ab", ("a",), (None, "a"), ("a", b"b"), ("a", "b", "c"), 1])
def test_what_is_no_pair_of_sentences_is_refused(pair: Any) -> None:
    with pytest.raises(InputError, match=r"pairs\[1\]: found .* expected a pair of two strings"):
        TokenCosine().predict([("a", "b"), pair])


@pytest.mark.parametrize(
    "parameters",
    [{"low": "x"}, {"high": True}, {"high": math.nan}, {"random_state": -1}, {"random_state": "x"}],
)
def test_random_refuses_what_is_no_number(parameters: dict[str, Any]) -> None:
    with pytest.raises(InputError, match="must be"):
        RandomScores(**parameters).predict(PAIRS)


def test_a_random_state_goes_on_between_calls() -> None:
    system = RandomScores(random_state=np.random.RandomState(1))
    first, second = system.predict(PAIRS), system.predict(PAIRS)
    assert (first != second).all()
    assert (RandomScores(random_state=1).predict(PAIRS * 2) == [*first, *second]).all()


def test_a_saved_predictor_is_json_and_npz(tmp_path: Path) -> None:
    TokenCosine().save(tmp_path / "saved")
    assert sorted(path.name for path in tmp_path.joinpath("saved").iterdir()) == [
        "arrays.npz",
        "predictor.json",
    ]


def test_saving_refuses_what_cannot_be_exchanged(tmp_path: Path) -> None:
    TokenCosine().save(tmp_path / "saved")
    with pytest.raises(InputError, match="expected a new folder"):
        TokenCosine().save(tmp_path / "saved")
    with pytest.raises(InputError, match="cannot be saved"):
        RandomScores(random_state=np.random.RandomState(1)).save(tmp_path / "other")
    with pytest.raises(InputError, match="neither plain JSON"):
        RandomScores(low={1: 2}).save(tmp_path / "other")  # type: ignore[arg-type]
    with_objects: Any = TokenCosine()
    with_objects.objects_ = np.array([object()])
    with pytest.raises(InputError, match="cannot be saved"):
        with_objects.save(tmp_path / "other")
    assert [path.name for path in tmp_path.iterdir() if path.name not in ("cache", "work")] == [
        "saved"
    ]


def change(folder: Path, **fields: object) -> None:
    path = folder / "predictor.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **fields}))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda folder: (folder / "predictor.json").unlink(), "nothing there"),
        (lambda folder: (folder / "arrays.npz").unlink(), "nothing there"),
        (lambda folder: (folder / "predictor.json").write_text("{"), "description"),
        (lambda folder: (folder / "predictor.json").write_text("[1]"), "description"),
        (lambda folder: change(folder, format=2), "format 2"),
        (lambda folder: change(folder, name="pickle"), "no baseline 'pickle'"),
        (lambda folder: change(folder, parameters={"x": 1}), "no parameter 'x'"),
        (lambda folder: change(folder, parameters={"name": 1}), "no parameter 'name'"),
        (lambda folder: change(folder, attributes={"predict": 1}), "attribute 'predict'"),
        (lambda folder: (folder / "arrays.npz").write_bytes(b"PK\x03\x04"), "arrays"),
        (lambda folder: (folder / "arrays.npz").write_bytes(pickle.dumps([1])), "arrays"),
        (lambda folder: np.savez(folder / "arrays.npz", a_=np.array([{}])), "arrays"),
        (lambda folder: (folder / "arrays.npz").write_bytes(b"\x93NUMPY\x01"), "arrays"),
    ],
)
def test_loading_refuses_damaged_folders(fault: object, message: str, tmp_path: Path) -> None:
    TokenCosine().save(tmp_path / "saved")
    fault(tmp_path / "saved")  # type: ignore[operator]
    with pytest.raises(InputError, match=message):
        stsbaselines.load(tmp_path / "saved")


def test_unknown_names_are_suggested() -> None:
    with pytest.raises(InputError, match="did you mean 'token-cosine'"):
        baselines.create("token-cosin")
    with pytest.raises(InputError, match="did you mean 'random_state'"):
        baselines.create("random", randomstate=1)
    with pytest.raises(InputError, match=r"It has: kernel\."):
        baselines.create("token-cosine", lower=True)


def test_public_names_load_when_used() -> None:
    assert stsbaselines.create("token-cosine").name == "token-cosine"
    for name in stsbaselines.__all__:
        assert getattr(stsbaselines, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        stsbaselines.nothing  # noqa: B018
