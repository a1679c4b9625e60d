"""The logistic regression of PIT-2015, and reading its official weights."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV

from stsbaselines.baselines import create, load
from stsbaselines.baselines.ngram_logreg import (
    FEATURE_NAMES,
    NgramLogisticRegression,
    NgramOverlap,
)
from stsbaselines.errors import InputError
from tests.helpers import run_command


def written(folder: Path, content: str | bytes, name: str) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def features_of(left: str, right: str, **parameters: Any) -> dict[str, float]:
    row = NgramOverlap(**parameters).transform([(left, right)])[0]
    return dict(zip(FEATURE_NAMES, row.tolist(), strict=True))


def test_features_by_hand() -> None:
    # words: the cats sat down | the cat sat; stems: the cat sat down | the cat sat
    features = features_of("The cats sat down", "the cat sat")
    assert features["precision1gram"] == 2 / 4
    assert features["recall1gram"] == 2 / 3
    assert features["f1gram"] == pytest.approx(2 * 0.5 * (2 / 3) / (0.5 + 2 / 3))
    assert features["precision2gram"] == features["recall2gram"] == features["f2gram"] == 0
    assert features["precision1stem"] == 3 / 4
    assert features["recall1stem"] == 1
    assert (features["precision2stem"], features["recall2stem"]) == (2 / 3, 1)
    assert features["f2stem"] == pytest.approx(0.8)
    assert (features["precision3stem"], features["recall3stem"]) == (1 / 2, 1)


def test_the_official_bigram_fault_is_an_option() -> None:
    left, right = "a b c d", "a b c"
    p1, p2, r2 = 3 / 4, 2 / 3, 1.0
    official, right_f = (
        features_of(left, right, official_bigram_f=fault)["f2gram"] for fault in (True, False)
    )
    assert official == pytest.approx(2 * p1 * r2 / (p2 + r2))
    assert right_f == pytest.approx(2 * p2 * r2 / (p2 + r2))
    assert features_of(left, right)["f2stem"] == pytest.approx(right_f)


PAIRS = [("a b", "a b c"), ("a b", "a c"), ("a", "b"), ("c d", "e f"), ("a", "a")] * 6
GOLD = [True, True, False, False, False] * 6


@pytest.mark.parametrize("encoding", ["one-hot", "real"])
@pytest.mark.parametrize("grid", [None, [0.1, 10.0]])
def test_training_gives_what_the_pipeline_gives(
    encoding: Any, grid: list[float] | None, tmp_path: Path
) -> None:
    model = clone(NgramLogisticRegression(encoding=encoding, grid=grid)).fit(PAIRS, GOLD)
    distinct = [number for number, (left, right) in enumerate(PAIRS) if left != right]
    pipeline = clone(model).set_params(C=model.C_).pipeline()
    pipeline.fit([PAIRS[n] for n in distinct], [GOLD[n] for n in distinct])
    new = [*PAIRS, ("", ""), ("unseen words here", "unseen words"), ("a", "a b c d e f g")]
    expected = pipeline.predict_proba(new)[:, 1]
    assert model.predict(new) == pytest.approx(expected, abs=1e-9)
    if grid:
        assert model.C_ in grid
    model.save(tmp_path / "saved")
    assert (load(tmp_path / "saved").predict(new) == model.predict(new)).all()


def test_the_grid_is_chosen_by_f1() -> None:
    """On these noisy labels, accuracy would choose another C."""
    random = np.random.default_rng(9)
    shared = random.integers(0, 4, 40)
    gold = (random.random(40) < 0.15 + 0.2 * shared).tolist()
    words = ["one", "two", "three", "four"]
    pairs = [(" ".join(words), " ".join([*words[:k], *"xyz"[k:]])) for k in shared]
    grid = [0.01, 10.0]
    pipeline = NgramLogisticRegression(encoding="real").pipeline()
    by_f1, by_accuracy = (
        GridSearchCV(pipeline, {"classifier__C": grid}, scoring=scoring, cv=5).fit(pairs, gold)
        for scoring in ("f1", "accuracy")
    )
    assert by_f1.best_params_ != by_accuracy.best_params_
    model = NgramLogisticRegression(encoding="real", grid=grid).fit(pairs, gold)
    assert by_f1.best_params_["classifier__C"] == model.C_


@pytest.mark.parametrize(
    ("parameters", "pairs", "gold", "message"),
    [
        ({}, PAIRS, None, "trained on labelled pairs"),
        ({}, PAIRS, [True] * 30, "at least 1 paraphrases and as many other"),
        ({}, PAIRS, ["true"] * 30, "true or false"),
        ({}, PAIRS, [[True]] * 30, "30 pairs need as many labels"),
        ({}, ["ab"] * 30, GOLD, "expected a pair of two strings"),
        ({"C": 0}, PAIRS, GOLD, "C must be from 1e-08 to 1e"),
        ({"grid": 5}, PAIRS, GOLD, "C must be from"),
        ({"official_bigram_f": "banana"}, PAIRS, GOLD, "must be true or false"),
        ({"grid": [1.0]}, PAIRS[:10], GOLD[:10], "at least 5 paraphrases"),
        ({"encoding": "one-hit"}, PAIRS, GOLD, "encoding is 'one-hit', but must be official-w"),
        ({"encoding": "official-weights"}, [], None, "needs `weights`"),
        ({"encoding": "official-weights", "weights": "gone"}, [], None, "nothing there"),
    ],
)
def test_what_cannot_be_trained_says_why(
    parameters: dict[str, Any], pairs: list[tuple[str, str]], gold: list[bool] | None, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        NgramLogisticRegression(**parameters).fit(pairs, gold)


def test_the_pipeline_is_a_classifier_for_grid_search() -> None:
    search = GridSearchCV(
        NgramLogisticRegression(encoding="real").pipeline(),
        {"classifier__C": [1e-6, 10.0]},
        scoring="neg_log_loss",
        cv=2,
    )
    assert search.fit(PAIRS, GOLD).best_params_ == {"classifier__C": 10.0}
    with pytest.raises(InputError, match="no encoding to train 'official-weights'"):
        NgramLogisticRegression(encoding="official-weights").pipeline()


def test_an_untrained_model_does_not_predict() -> None:
    with pytest.raises(NotFittedError):
        NgramLogisticRegression().predict(PAIRS)
    done = run_command(["predict", "ngram-logreg"], input="a\tb\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert "must be trained on labelled pairs, or read its `weights`" in done.stderr


TABLE = (
    "index\tfeature\tvalue\tlabel\tweight_base2\n"
    "0\tprecision1gram\t0.5\ttrue\t2.0\n"
    "1\tprecision1gram\t0.5\tfalse\t1.0\n"
    "2\tf3stem\t1.0\ttrue\t-1.0\n"
    "3\t*always-on*\t1.0\tfalse\t1.0\n"
    "4\t*always-on*\t1.0\ttrue\t0.5\n"
)


def official(path: Path) -> Any:
    return create("ngram-logreg", encoding="official-weights", weights=path).fit([])


def test_official_weights_are_base_two(tmp_path: Path) -> None:
    model = official(written(tmp_path, TABLE, "weights.tsv"))
    pairs = [("a b", "a"), ("x", "y")]
    expected = [1 / (1 + 2 ** (2.0 - 2.5)), 1 / (1 + 2 ** (1.0 - 0.5))]
    assert model.predict(pairs) == pytest.approx(expected)
    model.save(tmp_path / "saved")
    assert (load(tmp_path / "saved").predict(pairs) == model.predict(pairs)).all()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("\t0.5\ttrue", "\tx\ttrue", "line 2: found"),
        ("\t2.0\n", "\tnan\n", "not finite"),
        ("0.5\ttrue", "0.5\tmaybe", "line 2: found"),
        ("f3stem", "f4stem", "the feature 'f4stem'"),
        ("*always-on*", "f1gram", "no *always-on* weight"),
        ("index", "number", "other content"),
        ("\t0.5\n", "\t0.5", "no newline at its end"),
        ("4\t", "5\t", "indices that are not 0 to 4"),
        ("0.5\tfalse", "0.5\ttrue", "two weights for the same"),
    ],
)
def test_a_faulty_table_of_weights_is_refused(
    old: str, new: str, message: str, tmp_path: Path
) -> None:
    path = written(tmp_path, TABLE.replace(old, new), "weights.tsv")
    with pytest.raises(InputError, match=message.replace("*", r"\*")):
        official(path)


def maxent_classifier() -> Any:
    """Return a classifier of the kind that the organisers pickled."""
    from nltk.classify.maxent import BinaryMaxentFeatureEncoding, MaxentClassifier

    mapping = {
        ("precision1gram", 0.5, "true"): 0,
        ("precision1gram", 0.5, "false"): 1,
        ("f3stem", 1.0, "true"): 2,
    }
    encoding = BinaryMaxentFeatureEncoding(["true", "false"], mapping, alwayson_features=True)
    encoding._alwayson = {"false": 3, "true": 4}
    return MaxentClassifier(encoding, np.array([2.0, 1.0, -1.0, 1.0, 0.5]), logarithmic=True)


@pytest.mark.parametrize("protocol", [0, 1, 2, 3, 4])
def test_the_released_pickle_is_read_like_the_table(protocol: int, tmp_path: Path) -> None:
    raw = pickle.dumps(maxent_classifier(), protocol)
    model = official(written(tmp_path, raw, "baseline.model"))
    table = official(written(tmp_path, TABLE, "weights.tsv"))
    pairs = [("a b", "a"), ("x", "y"), ("a b c", "a b c")]
    assert (model.predict(pairs) == table.predict(pairs)).all()


class Malicious:
    def __reduce__(self) -> Any:
        return (Path.touch, (Path("executed"),))


@pytest.mark.parametrize(
    "content",
    [
        pickle.dumps(Malicious()),
        b"cos\nsystem\n(S'touch executed'\ntR.",
        b"cnltk.classify.maxent\nMaxentClassifier.__init__.__globals__\n.",
        b"\x80\x02Nr\xff\xff\xff\x0f0.",
        b"ccopy_reg\n_reconstructor\n(N}S'__defaults__'\n(I1\ntstb.",
        b"(" * 100_000 + b"t" * 100_000 + b".",
        b"\x80\x04\x8f(K\x01\x90.",
        b"",
        b"garbage",
    ],
)
def test_other_pickles_execute_nothing(content: bytes, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="expected a table of weights"):
        official(written(tmp_path, content, "baseline.model"))
    assert not Path("executed").exists()


@settings(max_examples=50)
@given(st.data())
def test_a_damaged_pickle_is_refused_or_read(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    raw = bytearray(pickle.dumps(maxent_classifier(), data.draw(st.integers(0, 4))))
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    path = written(tmp_path_factory.mktemp("damaged"), bytes(raw), "baseline.model")
    try:
        model = official(path)
    except InputError:
        return
    assert np.isfinite([*model.weight_, *model.value_, model.intercept_]).all()
