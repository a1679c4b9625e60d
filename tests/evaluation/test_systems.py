"""Systems by code: functions, encoders and predictors, and how they are named."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.base import clone

from stsbaselines.baselines import create
from stsbaselines.baselines._outside import import_object
from stsbaselines.errors import InputError
from stsbaselines.evaluation.encoders import EncoderCosine, PairFunction
from stsbaselines.evaluation.systems import as_predictor, from_arguments, predictor_named
from stsbaselines.predictor import Predictor

PAIRS = [("ab", "ba"), ("ab", "a"), ("", "ab"), ("ab", "ab")]
MODULE = """
class Encoder:
    def encode(self, sentences):
        return [[len(text), 1] for text in sentences]

class Inner:
    encoder = Encoder()

def same(lefts, rights):
    return [left == right for left, right in zip(lefts, rights)]

def lengths(lefts, rights):
    return [len(left) for left in lefts]

number = 7
"""


class Letters:
    """Counts of letters, which remembers what it was given."""

    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def encode(self, sentences: list[str]) -> list[list[int]]:
        self.calls.append(sentences)
        return [[text.count(letter) for letter in "ab"] for text in sentences]


class Returns:
    """An encoder that returns something, whatever it is given."""

    def __init__(self, value: Any) -> None:
        self.value = value

    def encode(self, sentences: list[str]) -> Any:
        return self.value


class Lengths(Predictor):
    name = "lengths"

    def predict(self, pairs: Sequence[Any]) -> Any:
        return np.array([-abs(len(left) - len(right)) for left, right in pairs])


class NeedsArgument(Lengths):
    def __init__(self, size: int) -> None:
        self.size = size


def same_length(lefts: list[str], rights: list[str]) -> list[bool]:
    return [len(left) == len(right) for left, right in zip(lefts, rights, strict=True)]


class SameLength:
    """A cross-encoder, which is callable too, as modules of PyTorch are."""

    def predict(self, pairs: list[tuple[str, str]]) -> Any:
        return np.array([len(left) == len(right) for left, right in pairs], np.float16)

    def __call__(self, *arguments: Any) -> None:
        raise NotImplementedError


class Tensor:
    """What is used of a tensor of PyTorch."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def detach(self) -> Tensor:
        return self

    cpu = double = detach

    def numpy(self) -> Any:
        return np.asarray(self.values, dtype=np.float64)


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write modules to the current folder; forget them afterwards."""
    Path("mine.py").write_text(MODULE, encoding="utf-8")
    Path("broken.py").write_text("import not_there_at_all\n", encoding="utf-8")
    for name in ("mine", "broken"):
        monkeypatch.setitem(sys.modules, name, None)
        monkeypatch.delitem(sys.modules, name)
    return Path.cwd()


def message_of(function: Callable[..., Any], *arguments: Any) -> str:
    with pytest.raises(InputError) as refused:
        function(*arguments)
    return str(refused.value)


@pytest.mark.parametrize(
    ("system", "scores"),
    [
        (Letters(), [1, 0.5**0.5, 0, 1]),
        (Letters, [1, 0.5**0.5, 0, 1]),
        (same_length, [1, 0, 0, 1]),
        (SameLength(), [1, 0, 0, 1]),
        (Lengths(), [0, -1, -2, 0]),
        (Lengths, [0, -1, -2, 0]),
    ],
)
def test_kinds_of_systems(system: Any, scores: list[float]) -> None:
    assert as_predictor(system).predict(PAIRS) == pytest.approx(scores)


def test_a_predictor_is_returned_as_it_is() -> None:
    predictor = Lengths()
    assert as_predictor(predictor) is predictor


@pytest.mark.parametrize("system", ["token-cosine", 7, None, [1.0]])
def test_other_objects_are_refused(system: Any) -> None:
    message = message_of(as_predictor, system)
    assert f"found {repr(system)!a}, expected a Predictor, an object with encode" in message


def test_a_class_that_needs_arguments() -> None:
    message = message_of(as_predictor, NeedsArgument)
    assert "NeedsArgument cannot be called without arguments" in message
    assert "'size'" in message


@pytest.mark.parametrize("predictor", [EncoderCosine(Letters()), PairFunction(same_length)])
def test_clones_predict_the_same(predictor: Predictor) -> None:
    copy = clone(predictor)
    assert copy is not predictor
    assert copy.predict(PAIRS).tolist() == predictor.predict(PAIRS).tolist()


def test_each_sentence_is_encoded_once_in_order() -> None:
    letters = Letters()
    EncoderCosine(letters).predict([("b", "a"), ("c", "a"), ("b", "b")])
    assert letters.calls == [["b", "c", "a"]]


@pytest.mark.parametrize("predictor", [EncoderCosine(Returns(None)), PairFunction(print)])
def test_no_pairs(predictor: Predictor) -> None:
    assert predictor.predict([]).shape == (0,)


def test_bytes_that_are_not_utf_8_become_text() -> None:
    letters, pair = Letters(), (b"caf\xe9".decode("utf-8", "surrogateescape"), "cafe")
    EncoderCosine(letters).predict([pair])
    assert letters.calls == [["café", "cafe"]]
    assert PairFunction(lambda lefts, rights: [len(lefts[0].encode())]).predict([pair]) == [5]


@pytest.mark.parametrize(
    "value",
    [
        Tensor([[3, 4], [4, 3]]),
        [Tensor([3, 4]), Tensor([4, 3])],
        np.array([[3, 4], [4, 3]], np.float16),
    ],
)
def test_tensors_and_half_precision(value: Any) -> None:
    scores = EncoderCosine(Returns(value)).predict([("a", "b")])
    assert scores.dtype == np.float64
    assert scores == pytest.approx([0.96], abs=1e-15)


def test_arguments_of_encode() -> None:
    class Prompted(Letters):
        def encode(self, sentences: list[str], prompt: str = "") -> list[list[int]]:
            return super().encode([prompt + text for text in sentences])

    letters = Prompted()
    EncoderCosine(letters, {"prompt": "b: "}).predict([("a", "b")])
    assert letters.calls == [["b: a", "b: b"]]


def test_results_are_kept_in_a_folder(tmp_path: Path) -> None:
    def keyed(letters: Any, key: str = "1", args: Any = None) -> tuple[Any, Any]:
        letters.cache_key = key
        scores = EncoderCosine(letters, args).scores_of(PAIRS, tmp_path)
        return [text for call in letters.calls for text in call], scores.tolist()

    first = keyed(Letters())
    assert first == (["ab", "", "ba", "a"], EncoderCosine(Letters()).predict(PAIRS).tolist())
    assert keyed(Letters()) == ([], first[1])
    assert keyed(Letters(), "2") == first  # another version is computed
    (damaged, *_) = sorted(tmp_path.glob("*/*.npz"))
    damaged.write_bytes(b"PK")
    with pytest.raises(InputError, match="found no npz of plain arrays"):
        keyed(Letters()), keyed(Letters(), "2")
    message = message_of(EncoderCosine(Letters()).scores_of, PAIRS, tmp_path)
    assert "Letters cannot be kept, because nothing tells them from those of another" in message


def test_a_function_that_fails_keeps_what_it_has_done(tmp_path: Path) -> None:
    asked: list[str] = []

    def judge(lefts: list[str], rights: list[str]) -> list[float]:
        asked.extend(lefts)
        if "150" in lefts and len(asked) <= 200:
            raise ConnectionError("no answer")
        return [float(len(left)) for left in lefts]

    judge.cache_key = "1"  # type: ignore[attr-defined]
    pairs = [(str(number), "") for number in range(250)]
    with pytest.raises(InputError, match="ConnectionError: no answer"):
        PairFunction(judge).scores_of(pairs, tmp_path)
    scores = PairFunction(judge).scores_of(pairs, tmp_path)
    assert scores.tolist() == [len(left) for left, _ in pairs]
    assert len(asked) == 100 + 100 + 150


@given(arrays(np.float64, (2, 4), elements=st.integers(-99, 99)), st.integers(-300, 300))
def test_cosines_do_not_depend_on_lengths(vectors: Any, power: int) -> None:
    cosine = EncoderCosine(Returns(vectors)).predict([("a", "b")])[0]
    scaled = EncoderCosine(Returns(vectors * 10.0**power)).predict([("a", "b")])[0]
    assert scaled == pytest.approx(cosine, abs=1e-12)


@given(arrays(np.float64, (2, 4), elements=st.floats(allow_nan=False, allow_infinity=False)))
def test_cosines_are_within_one(vectors: Any) -> None:
    cosine = EncoderCosine(Returns(vectors)).predict([("a", "b")])[0]
    assert -1 - 1e-12 <= cosine <= 1 + 1e-12
    if not vectors[0].any():
        assert cosine == 0


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (np.ones((3, 4)), "an array of shape (3, 4)"),
        (np.ones((2, 1, 1)), "an array of shape (2, 1, 1)"),
        ([[1.0, 2.0], [1.0, np.nan]], "nan in vector 2 of 'b'"),
        ([[1.0, 2.0], None], "None in vector 2 of 'b'"),
        ([[1.0], [1.0, 2.0]], "list that is not an array of numbers"),
        ([["1"], ["2"]], "'1' in vector 1 of 'a'"),
        (None, "NoneType that is not an array of numbers"),
    ],
)
def test_bad_results_of_an_encoder(value: Any, found: str) -> None:
    message = message_of(EncoderCosine(Returns(value)).predict, [("a", "b")])
    assert message.startswith(f"Returns.encode: found {found}")
    assert message.endswith(
        "expected an array of shape (2, d): a vector of finite numbers for each sentence"
    )


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ([[1.0], [2.0]], "an array of shape (2, 1)"),
        ([1.0], "an array of shape (1,)"),
        ((score for score in (1.0, 2.0)), "generator that is not an array of numbers"),
    ],
)
def test_bad_results_of_a_function(value: Any, found: str) -> None:
    def mine(lefts: list[str], rights: list[str]) -> Any:
        return value

    message = message_of(PairFunction(mine).predict, [("a", "b"), ("c", "d")])
    assert message.startswith(f"mine: found {found}, expected ")
    assert message.endswith("finite number per pair")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_pair_of_an_odd_score_is_counted_over_all_chunks(n_jobs: int) -> None:
    def mine(lefts: list[str], rights: list[str]) -> Any:
        return [None if left == "a7" else 1.0 for left in lefts]

    pairs = [(f"a{number}", "x" * 100) for number in range(10)]
    message = message_of(lambda: [*PairFunction(mine).predict_chunks(pairs, 3, n_jobs)])
    shortened = f"{'x' * 37}..."
    assert message == (
        f"mine, pair 8: found None for 'a7' and '{shortened}', expected a finite number"
    )


@pytest.mark.parametrize("name", ["mine:Encoder", "mine:Inner.encoder", "mine:same"])
def test_import_from_the_current_folder(name: str, module: Path) -> None:
    before = [*sys.path]
    assert as_predictor(import_object(name)).predict([("ab", "ab")]) == pytest.approx([1])
    assert sys.path == before


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mine", "found 'mine', expected MODULE:OBJECT"),
        (".mine:lengths", "found '.mine:lengths', expected MODULE:OBJECT"),
        ("mine.py:lengths", "expected a module's name, as in mine:lengths"),
        ("mine:length", "mine.py) has no 'length', did you mean 'lengths'?"),
        ("mine:Inner.encode", "'Inner' of mine has no 'encode', did you mean 'encoder'?"),
        ("yours:lengths", "there is no module 'yours', neither in the current folder"),
        ("mine.inner:lengths", "'mine' is not a package"),
    ],
)
def test_names_that_cannot_be_imported(name: str, message: str, module: Path) -> None:
    before = [*sys.path]
    assert message in message_of(import_object, name)
    assert sys.path == before


def test_a_missing_dependency_of_a_module_is_reported(module: Path) -> None:
    message = message_of(import_object, "broken:encoder")
    assert "broken failed in " in message
    assert "No module named 'not_there_at_all'" in message


def test_systems_named_by_arguments(module: Path) -> None:
    create("token-cosine").save("saved")
    found = from_arguments(
        ["runs/one", "two=runs/one"],
        ["token-cosine", "old=saved", "saved", "mine:lengths"],
        ["mine:Encoder", "letters=mine:Inner.encoder"],
        ["vectors", "more=vectors"],
    )
    assert {name: type(system).__name__ for name, system in found.items()} == {
        "one": type(Path()).__name__,
        "two": type(Path()).__name__,
        "token-cosine": "TokenCosine",
        "old": "TokenCosine",
        "saved": "TokenCosine",
        "mine:lengths": "PairFunction",
        "mine:Encoder": "EncoderCosine",
        "letters": "EncoderCosine",
        "vectors": "Vectors",
        "more": "Vectors",
    }


def test_a_path_with_an_equals_sign_is_a_path() -> None:
    Path("k=3").mkdir()
    assert from_arguments(["k=3"], [], [], []) == {"k=3": Path("k=3")}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((["a/run", "b/run"], [], [], []), "two systems are called 'run': pass NAME=b/run"),
        (([], ["random", "random"], [], []), "two systems are called 'random'"),
        (([], [], ["mine:lengths"], []), "found PairFunction, expected an object with encode"),
        (([], [], ["mine:number"], []), "found '7', expected a Predictor"),
    ],
)
def test_arguments_that_are_refused(arguments: Any, message: str, module: Path) -> None:
    assert message in message_of(from_arguments, *arguments)


def test_an_unknown_baseline() -> None:
    message = message_of(predictor_named, "token-cosin")
    assert "did you mean 'token-cosine'?" in message
    assert "saved folder or MODULE:OBJECT" in message
