"""The one interface of all baselines: an estimator of scikit-learn that is saved without pickle."""

from __future__ import annotations

import copy
import json
import math
import os
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LinearRegression
from sklearn.metrics import make_scorer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.validation import check_is_fitted

import stsbaselines
from stsbaselines.baselines._dkpro_features import CharacterNgrams, StringSimilarity
from stsbaselines.baselines.dkpro_string import DKProString
from stsbaselines.baselines.random import RandomScores
from stsbaselines.baselines.token_cosine import TokenCosine
from stsbaselines.errors import InputError
from stsbaselines.predictor import Predictor, read_arrays
from stsbaselines.scoring.correlation import pearson, spearman
from stsbaselines.scoring.scorers import pearson_scorer, spearman_scorer
from tests.helpers import zipped

PAIRS = [("a b", "a b"), ("A b", "a B"), ("a", "b"), ("A", "a"), ("a b", "b c"), ("c", "d")]
GOLD = [5.0, 5.0, 0.0, 5.0, 2.5, 0.0]


class Weighted(Predictor):
    """A baseline that learns: the cosine, mapped onto the gold by a line."""

    name = "weighted"

    def __init__(self, lowercase: bool = False) -> None:
        self.lowercase = lowercase

    def fit(self, pairs: Sequence[Any], gold: Sequence[float] | None = None) -> Weighted:
        self.line_ = np.polyfit(self._cosines(pairs), np.asarray(gold), 1)
        self.words_ = ["a", "b"]
        self.count_ = 2
        return self

    def predict(self, pairs: Sequence[Any]) -> Any:
        check_is_fitted(self)
        slope, intercept = self.line_
        return self._cosines(pairs) * slope + intercept

    def _cosines(self, pairs: Sequence[Any]) -> Any:
        lowered = [(left.lower(), right.lower()) for left, right in pairs]
        return TokenCosine().predict(lowered if self.lowercase else pairs)


# Conventions of scikit-learn


def test_a_predictor_is_printed_and_cloned_as_an_estimator() -> None:
    fitted = Weighted(lowercase=True).fit(PAIRS, GOLD)
    assert repr(fitted) == "Weighted(lowercase=True)"
    assert repr(clone(fitted)) == repr(fitted)
    assert not hasattr(clone(fitted), "line_")
    assert Weighted().set_params(lowercase=True).get_params() == {"lowercase": True}
    with pytest.raises(ValueError, match="'lower'"):
        Weighted().set_params(lower=True)


def test_grid_search_finds_the_better_parameter() -> None:
    scorer = make_scorer(lambda gold, scores: -np.abs(np.subtract(gold, scores)).sum())
    search = GridSearchCV(Weighted(), {"lowercase": [False, True]}, scoring=scorer, cv=2)
    search.fit(PAIRS, GOLD)
    assert search.best_params_ == {"lowercase": True}
    assert search.predict(PAIRS) == pytest.approx(GOLD)


def test_grid_search_by_pearson_needs_no_scoring() -> None:
    search = GridSearchCV(Weighted(), {"lowercase": [False, True]}, cv=2).fit(PAIRS, GOLD)
    assert search.best_params_ == {"lowercase": True}
    expected = pearson(search.predict(PAIRS), GOLD)
    assert search.score(PAIRS, GOLD) == pearson_scorer(search, PAIRS, GOLD) == expected
    assert spearman_scorer(search, PAIRS, GOLD) == spearman(search.predict(PAIRS), GOLD)


def test_scores_that_are_undefined_or_impossible() -> None:
    assert math.isnan(TokenCosine().score([("a", "a")] * 2, [1, 2]))
    with pytest.raises(ValueError, match="gold must be finite numbers"):
        TokenCosine().score(PAIRS, [math.nan] * 6)
    with pytest.raises(ValueError, match="scores has 6 values, but gold has 5"):
        TokenCosine().score(PAIRS, GOLD[:5])
    with pytest.raises(InputError, match="predicts alignments, which have no correlation"):
        stsbaselines.create("chunk-aligner").score(PAIRS, GOLD)


def test_a_pipeline_of_transformer_and_predictor() -> None:
    assert make_pipeline("passthrough", TokenCosine()).predict([("a", "a")]).tolist() == [1]
    pipeline = make_pipeline(CharacterNgrams(), LinearRegression()).fit(PAIRS, GOLD)
    assert "CharacterNgrams()" in repr(pipeline)
    assert "CharacterNgrams" in pipeline._repr_html_()


@pytest.mark.parametrize("estimator", [Weighted(), CharacterNgrams(), DKProString()])
def test_what_is_not_fitted_is_refused(estimator: Any) -> None:
    message = f"^This {type(estimator).__name__} instance is not fitted yet. Call 'fit' with"
    with pytest.raises(NotFittedError, match=message):
        check_is_fitted(clone(estimator))
    check_is_fitted(clone(estimator).fit(PAIRS, GOLD))


@pytest.mark.parametrize("estimator", [TokenCosine(), StringSimilarity()])
def test_what_learns_nothing_is_fitted(estimator: Any) -> None:
    check_is_fitted(estimator)


@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy, pickle.dumps])
def test_a_copy_has_learned_the_same(duplicate: Callable[[Any], Any]) -> None:
    for fitted in (Weighted().fit(PAIRS, GOLD), DKProString().fit(PAIRS, GOLD)):
        before = {**vars(fitted)}
        found = duplicate(fitted)
        if isinstance(found, bytes):
            found = pickle.loads(found)
        assert found.predict(PAIRS).tolist() == fitted.predict(PAIRS).tolist()
        assert before.keys() <= vars(fitted).keys()


# Predicting chunk by chunk


def test_chunks_are_read_only_when_they_are_needed() -> None:
    pairs = iter([("a", "a")] * 1000)
    chunks = TokenCosine().predict_chunks(pairs, chunk_size=10)
    assert next(chunks).tolist() == [1] * 10
    assert len(list(pairs)) == 990


@pytest.mark.parametrize("scores", [np.zeros(3), np.zeros((1, 6))])
def test_a_wrong_number_of_predictions_is_refused(scores: Any) -> None:
    class Wrong(Predictor):
        name = "wrong"

        def predict(self, pairs: Sequence[Any]) -> Any:
            return scores

    with pytest.raises(InputError, match="predictions for 6 pairs, but must give one for each"):
        list(Wrong().predict_chunks(PAIRS))


@pytest.mark.parametrize("pair", ["ab", ("a",), (None, "a"), ("a", b"b"), ("a", "b", "c"), 1])
def test_what_is_no_pair_of_sentences_is_refused(pair: Any) -> None:
    with pytest.raises(InputError, match=r"pairs\[1\]: found .* expected a pair of two strings"):
        TokenCosine().predict([("a", "b"), pair])


def test_a_subclass_with_another_predict_is_asked_by_it_alone() -> None:
    class Half:
        def predict(self, pairs: Sequence[Any]) -> Any:
            return np.full(len(pairs), 0.5)

    class Mixed(Half, TokenCosine):
        name = "mixed"

    class Constant(RandomScores):
        name = "constant"

        def predict(self, pairs: Sequence[Any]) -> Any:
            return np.full(len(pairs), 0.5)

    class Further(Constant):
        name = "further"

    for system in (Mixed(), Constant(), Further()):
        assert np.concatenate([*system.predict_chunks(PAIRS)]).tolist() == [0.5] * len(PAIRS)
        assert system.score_lines(b"a\tb\n") is None
        assert system.is_pairwise()


# Saving and loading


def test_a_predictor_is_saved_and_loaded(tmp_path: Path) -> None:
    fitted = Weighted(lowercase=True).fit(PAIRS, GOLD)
    fitted.save(tmp_path / "saved")
    loaded = Weighted.load(tmp_path / "saved")
    assert (loaded.predict(PAIRS) == fitted.predict(PAIRS)).all()
    assert (loaded.words_, loaded.count_) == (["a", "b"], 2)
    assert {each.name for each in (tmp_path / "saved").iterdir()} == {
        "arrays.npz",
        "predictor.json",
    }
    by_its_path = stsbaselines.load(tmp_path / "saved")
    assert type(by_its_path) is Weighted
    assert (by_its_path.predict(PAIRS) == fitted.predict(PAIRS)).all()
    TokenCosine().save(tmp_path / "other")
    with pytest.raises(InputError, match="found a saved 'token-cosine', expected a Weighted"):
        Weighted.load(tmp_path / "other")


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("state_", np.random.RandomState(1)),
        ("table_", {1: 2}),
        ("objects_", np.array([object()])),
        ("number_", math.inf),
        ("numbers_", np.array([math.nan])),
        ("count_", 2**60),
    ],
)
def test_saving_refuses_what_cannot_be_exchanged(
    attribute: str, value: object, tmp_path: Path
) -> None:
    predictor = Weighted().fit(PAIRS, GOLD)
    setattr(predictor, attribute, value)
    with pytest.raises(InputError, match="neither plain JSON nor an array of finite numbers"):
        predictor.save(tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


def test_saving_needs_a_new_folder_and_plain_parameters(tmp_path: Path) -> None:
    TokenCosine().save(tmp_path / "saved")
    with pytest.raises(InputError, match="saved: found something there, expected a new folder"):
        TokenCosine().save(tmp_path / "saved")
    with pytest.raises(InputError, match="random cannot be saved"):
        RandomScores(random_state=np.random.RandomState(1)).save(tmp_path / "other")


def test_a_subclass_needs_its_own_name_to_be_saved(tmp_path: Path) -> None:
    class Mine(TokenCosine):
        pass

    with pytest.raises(InputError, match="it has the name of TokenCosine, 'token-cosine': give it"):
        Mine().save(tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


def replace_arrays(folder: Path, **arrays: Any) -> None:
    """Write other arrays, as if earlier versions had saved them, without their shapes."""
    np.savez(folder / "arrays.npz", **arrays)
    path = folder / "predictor.json"
    content = json.loads(path.read_text())
    content.pop("arrays")
    path.write_text(json.dumps(content))


def change(folder: Path, **fields: Any) -> None:
    """Change fields of a description; those of parameters and attributes are added."""
    path = folder / "predictor.json"
    content = json.loads(path.read_text())
    for key, value in fields.items():
        is_added = isinstance(value, dict) and isinstance(content.get(key), dict)
        content[key] = {**content[key], **value} if is_added else value
    path.write_text(json.dumps(content))


def edit(folder: Path, old: str, new: str) -> None:
    path = folder / "predictor.json"
    path.write_text(path.read_text().replace(old, new))


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda folder: (folder / "predictor.json").unlink(), "json: found nothing there"),
        (lambda folder: (folder / "arrays.npz").unlink(), "npz: found nothing there"),
        (lambda folder: (folder / "predictor.json").write_text("{"), "found other content"),
        (lambda folder: (folder / "predictor.json").write_text("[" * 10**6), "found other content"),
        (lambda folder: edit(folder, '"format": 1', '"format": 1, "format": 1'), "other content"),
        (lambda folder: edit(folder, '"format": 1', f'"format": {"1" * 5000}'), "other content"),
        (lambda folder: change(folder, format=2), "found format 2"),
        (lambda folder: change(folder, name="pickle"), "no baseline 'pickle'"),
        (lambda folder: change(folder, parameters={"x": 1}), "no parameter 'x'"),
        (lambda folder: change(folder, attributes={"predict": 1}), "attribute 'predict'"),
        (lambda folder: change(folder, attributes={"a_": [{"b": 2**60}]}), "other values of"),
        (lambda folder: change(folder, attributes={"a_": -(10**400)}), "other values of"),
        (lambda folder: change(folder, attributes={"a_": math.nan}), "other values of"),
        (lambda folder: (folder / "arrays.npz").write_bytes(b"PK\x03\x04"), "saved arrays"),
        (lambda folder: replace_arrays(folder, a=[1.0]), "attribute 'a'"),
        (lambda folder: replace_arrays(folder, a_=[math.nan]), "other values of 'a_'"),
        (lambda folder: replace_arrays(folder, a_=[1.5e308]), "other values of 'a_'"),
        (lambda folder: replace_arrays(folder, a_=[2**53 + 1]), "other values of 'a_'"),
        (lambda folder: replace_arrays(folder, a_=[1j]), "other values of 'a_'"),
    ],
)
def test_loading_refuses_damaged_folders(
    fault: Callable[[Path], Any], message: str, tmp_path: Path
) -> None:
    TokenCosine().save(tmp_path / "saved")
    fault(tmp_path / "saved")
    with pytest.raises(InputError, match=message):
        stsbaselines.load(tmp_path / "saved")


@pytest.mark.parametrize(
    "arrays", [{}, {"line_": np.ones(3)}, {"line_": np.ones(2, int)}, {"line_": 1.0, "more_": 1}]
)
def test_other_arrays_than_were_saved_are_refused(arrays: dict[str, Any], tmp_path: Path) -> None:
    Weighted().fit(PAIRS, GOLD).save(tmp_path / "saved")
    np.savez(tmp_path / "saved" / "arrays.npz", **arrays)
    with pytest.raises(InputError, match=r"arrays\.npz: found other arrays than were saved"):
        Weighted.load(tmp_path / "saved")


@pytest.mark.parametrize("line", [None, "text", [], 7])
def test_what_cannot_be_predicted_with_is_one_sentence(line: object, tmp_path: Path) -> None:
    Weighted().fit(PAIRS, GOLD).save(tmp_path / "saved")
    replace_arrays(tmp_path / "saved")
    change(tmp_path / "saved", attributes={"line_": line})
    with pytest.raises(InputError, match=r"saved: found content .* expected a saved weighted"):
        list(Weighted.load(tmp_path / "saved").predict_chunks(PAIRS))


class Attack:
    """What runs code as soon as it is unpickled."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os.mkdir, ("attacked",)


def npz_of(header: bytes) -> bytes:
    array = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    return zipped(("left.npy", array + b"\0" * 64))


def damaged(content: bytes) -> bytes:
    return content[:50] + b"\xff" * 10 + content[60:]


HEADER = b"{'descr': '<f8', 'fortran_order': False, 'shape': (8,),}\n"


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps(Attack()),
        b"\x93NUMPY\x01",
        zipped(("left.npy", b"\x93NUMPY")),
        zipped(("left.txt", b"text")),
        damaged(npz_of(HEADER)),
        npz_of(HEADER[:40]),
        npz_of(HEADER.replace(b"8,", b"9999999999999, 9")),
        npz_of(HEADER.replace(b"8,", b"-1,")),
        npz_of(HEADER.replace(b"<f8", b"|O")),
        npz_of(b"__import__('os').mkdir('attacked')\n"),
        npz_of(b"{[]: 1, 2: 3}\n"),
        npz_of(b"(" * 9000 + b"\n"),
    ],
)
def test_a_file_that_is_no_npz_of_plain_arrays_runs_nothing(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "kitchen.npz"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"kitchen.npz: found no npz of plain arrays"):
        read_arrays(path)
    assert not Path("attacked").exists()


def test_arrays_of_objects_are_refused_and_run_nothing(tmp_path: Path) -> None:
    path = tmp_path / "kitchen.npz"
    np.savez(path, left=np.array([Attack()], dtype=object), right=np.eye(2))
    with pytest.raises(InputError, match=r"kitchen.npz: found no npz of plain arrays"):
        read_arrays(path)
    assert not Path("attacked").exists()


# Imports
