"""The baselines and the Predictor interface that they share."""

from __future__ import annotations

import json
import math
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV

import stsbaselines
from stsbaselines import predictor
from stsbaselines.baselines.random import RandomScores
from stsbaselines.baselines.token_cosine import TokenCosine, tokens
from stsbaselines.errors import InputError
from stsbaselines.scoring.correlation import pearson

PAIRS = [("a cat", "a dog"), (" a cat", "a cat"), ("", "x"), ("One\ttwo", "two\x0bOne")]


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


@pytest.mark.parametrize("name", predictor.names())
@pytest.mark.parametrize("chunk_size", [1, 3, 100])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_chunks_give_what_one_call_gives(name: str, chunk_size: int, n_jobs: int) -> None:
    parameters = {"random_state": 5} if name == "random" else {}
    baseline = predictor.create(name, **parameters)
    chunks = list(baseline.predict_chunks(iter(PAIRS), chunk_size, n_jobs))
    assert (np.concatenate(chunks) == baseline.predict(PAIRS)).all()


@pytest.mark.parametrize("name", predictor.names())
def test_baselines_are_estimators(name: str, tmp_path: Path) -> None:
    baseline = predictor.create(name)
    assert clone(baseline).get_params() == baseline.get_params()
    assert baseline.fit(PAIRS) is baseline
    assert baseline.predict([]).shape == (0,)
    baseline.save(tmp_path / "saved")
    assert stsbaselines.load(tmp_path / "saved").get_params() == baseline.get_params()


def test_grid_search_takes_a_predictor() -> None:
    search = GridSearchCV(
        RandomScores(random_state=0),
        {"high": [1.0, 5.0]},
        scoring=make_scorer(lambda gold, scores: pearson(scores, gold)),
        cv=2,
    )
    search.fit(PAIRS * 3, [1.0, 2.0, 3.0, 4.0] * 3)
    assert search.best_params_["high"] in (1.0, 5.0)


def test_a_generator_goes_on_between_calls() -> None:
    system = RandomScores(random_state=np.random.default_rng(1))
    first, second = system.predict(PAIRS), system.predict(PAIRS)
    assert (first != second).all()
    assert (RandomScores(random_state=1).predict(PAIRS * 2) == [*first, *second]).all()


def test_what_was_learned_is_saved(tmp_path: Path) -> None:
    baseline = TokenCosine()
    baseline.idf_ = np.array([0.5, 1.5])
    baseline.words_ = ["a", "b"]
    baseline.save(tmp_path / "saved")
    loaded = stsbaselines.load(tmp_path / "saved")
    assert (loaded.idf_ == [0.5, 1.5]).all()
    assert loaded.words_ == ["a", "b"]
    assert sorted(path.name for path in tmp_path.joinpath("saved").iterdir()) == [
        "arrays.npz",
        "predictor.json",
    ]


def test_saving_refuses_what_cannot_be_exchanged(tmp_path: Path) -> None:
    TokenCosine().save(tmp_path / "saved")
    with pytest.raises(InputError, match="expected a new folder"):
        TokenCosine().save(tmp_path / "saved")
    with pytest.raises(InputError, match="cannot be saved as JSON"):
        RandomScores(random_state=np.random.default_rng(1)).save(tmp_path / "other")
    with_objects = TokenCosine()
    with_objects.objects_ = np.array([object()])
    with pytest.raises(InputError, match="cannot be saved as JSON"):
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
        predictor.create("token-cosin")
    with pytest.raises(InputError, match="did you mean 'random_state'"):
        predictor.create("random", randomstate=1)
    with pytest.raises(InputError, match=r"It has: none\."):
        predictor.create("token-cosine", lower=True)


def test_public_names_load_when_used() -> None:
    assert stsbaselines.create("token-cosine").name == "token-cosine"
    for name in stsbaselines.__all__:
        assert getattr(stsbaselines, name)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        stsbaselines.nothing  # noqa: B018
