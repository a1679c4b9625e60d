"""Systems by code: functions, encoders, vectors and predictors."""

from __future__ import annotations

import os
import re
import subprocess
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
from stsbaselines.data.catalogue import DataFile, Task, find_task
from stsbaselines.errors import InputError
from stsbaselines.evaluation import submission
from stsbaselines.evaluation.systems import (
    EncoderCosine,
    PairFunction,
    Vectors,
    as_predictor,
    from_arguments,
    import_object,
    outputs_of,
    predictor_named,
    vectors_of,
)
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import BaselineConfig, ExperimentConfig
from stsbaselines.predictor import Predictor
from stsbaselines.reference import published as reference
from stsbaselines.scoring.rounding import agrees
from stsbaselines.tasks.base import family_of
from tests.helpers import ROOT

SAMPLE = find_task("sample-sts")
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
    import helper
    return [helper.ratio(left, right) for left, right in zip(lefts, rights)]

number = 7
"""
SCRIPT = """
from stsbaselines.data.catalogue import find_task
from stsbaselines.evaluation.systems import import_object, outputs_of

if __name__ == "__main__":
    task, system = find_task("sample-sts"), import_object("mine:lengths")
    one, two = (outputs_of(system, task, task.datasets, n_jobs=jobs)[0] for jobs in (1, 2))
    print(all((one[name].scores == two[name].scores).all() for name in one))
"""
HELPER = """
def ratio(left, right):
    return min(len(left), len(right)) / max(len(left), len(right), 1)
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


class Learner(Lengths):
    name = "learner"

    def fit(self, pairs: Sequence[Any], gold: Any = None) -> Learner:
        self.seen_ = len(pairs)
        return self

    def predict(self, pairs: Sequence[Any]) -> Any:
        return np.full(len(pairs), float(self.seen_))


class NeedsArgument(Lengths):
    def __init__(self, size: int) -> None:
        self.size = size


def same_length(lefts: list[str], rights: list[str]) -> list[bool]:
    return [len(left) == len(right) for left, right in zip(lefts, rights, strict=True)]


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Path:
    """Write modules to the current folder; forget them afterwards."""
    Path("mine.py").write_text(MODULE, encoding="utf-8")
    Path("helper.py").write_text(HELPER, encoding="utf-8")
    Path("broken.py").write_text("import not_there_at_all\n", encoding="utf-8")
    for name in ("mine", "helper", "broken"):
        monkeypatch.setitem(sys.modules, name, None)
        monkeypatch.delitem(sys.modules, name)
    return Path.cwd()


def message_of(function: Callable[..., Any], *arguments: Any) -> str:
    with pytest.raises(InputError) as refused:
        function(*arguments)
    return str(refused.value)


def write_vectors(folder: Path, task: Task = SAMPLE, **changes: Any) -> None:
    folder.mkdir(exist_ok=True)
    for dataset in task.datasets:
        ones = np.ones((dataset.pairs, 3))
        sides: dict[str, Any] = {"left": ones, "right": ones}
        sides |= changes.get(dataset.name, {})
        np.savez(folder / f"{dataset.name}.npz", **sides)


def without_input(task: Task, name: str) -> Task:
    """Return the task with one data set that may not be redistributed, and is not here."""
    absent = {"input": DataFile(name="absent.txt", unverified=True)}
    datasets = [
        each.model_copy(
            update={"restricted": True, "licence": "secret", "files": {**each.files, **absent}}
            if each.name == name
            else {}
        )
        for each in task.datasets
    ]
    return task.model_copy(update={"datasets": datasets})


@pytest.mark.parametrize(
    ("system", "scores"),
    [
        (Letters(), [1, 0.5**0.5, 0, 1]),
        (Letters, [1, 0.5**0.5, 0, 1]),
        (same_length, [1, 0, 0, 1]),
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
def test_what_is_no_system(system: Any) -> None:
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
        (np.ones(2), "an array of shape (2,)"),
        (np.ones((3, 4)), "an array of shape (3, 4)"),
        (np.ones((2, 0)), "an array of shape (2, 0)"),
        (np.ones((2, 1, 1)), "an array of shape (2, 1, 1)"),
        ([[1.0, np.nan], [1.0, 2.0]], "NaN or infinity"),
        ([[1.0, np.inf], [1.0, 2.0]], "NaN or infinity"),
        ([[1.0], [1.0, 2.0]], "list that is no array of numbers"),
        ([["1"], ["2"]], "list that is no array of numbers"),
        (None, "NoneType that is no array of numbers"),
    ],
)
def test_what_an_encoder_must_not_return(value: Any, found: str) -> None:
    message = message_of(EncoderCosine(Returns(value)).predict, [("a", "b")])
    assert message.startswith(f"Returns.encode: found {found}")
    assert message.endswith(
        "expected an array of shape (2, d): a vector of finite numbers for each sentence"
    )


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (1.0, "an array of shape ()"),
        ([1.0], "an array of shape (1,)"),
        ([[1.0], [2.0]], "an array of shape (2, 1)"),
        ([1.0, float("nan")], "NaN or infinity"),
        ([1.0, None], "list that is no array of numbers"),
        ((score for score in (1.0, 2.0)), "generator that is no array of numbers"),
    ],
)
def test_what_a_function_must_not_return(value: Any, found: str) -> None:
    def mine(lefts: list[str], rights: list[str]) -> Any:
        return value

    message = message_of(PairFunction(mine).predict, [("a", "b"), ("c", "d")])
    assert (
        message == f"mine: found {found}, expected an array of shape (2,): one finite number a pair"
    )


@pytest.mark.parametrize("error", [KeyError("weights"), SystemExit(0), RuntimeError()])
def test_an_error_in_the_code_of_the_user_is_said_with_its_line(error: BaseException) -> None:
    def mine(lefts: list[str], rights: list[str]) -> Any:
        raise error

    expected = rf"mine failed in .*test_systems\.py, line \d+: {type(error).__name__}"
    with pytest.raises(InputError, match=expected) as refused:
        outputs_of(mine, SAMPLE, SAMPLE.datasets)
    assert refused.value.__cause__ is error


@pytest.mark.parametrize("name", ["mine:Encoder", "mine:Inner.encoder", "mine:same"])
def test_import_from_the_current_folder(name: str, module: Path) -> None:
    before = [*sys.path]
    assert as_predictor(import_object(name)).predict([("ab", "ab")]) == pytest.approx([1])
    assert sys.path == before


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("mine", "found 'mine', expected MODULE:OBJECT"),
        ("mine:", "found 'mine:', expected MODULE:OBJECT"),
        (":lengths", "found ':lengths', expected MODULE:OBJECT"),
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


def test_what_a_module_needs_and_lacks_is_said(module: Path) -> None:
    message = message_of(import_object, "broken:encoder")
    assert "broken failed in " in message
    assert "No module named 'not_there_at_all'" in message


def test_systems_named_by_arguments(module: Path) -> None:
    create("token-cosine").save("saved")
    found = from_arguments(
        ["runs/one", "two=runs/one"],
        ["token-cosine", "old=saved", "saved", "mine:lengths"],
        ["mine:Encoder", "letters=mine:Inner.encoder"],
        [Path("vectors"), "more=vectors"],
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
        ((["a/run", "b/run"], [], [], []), "two systems are called 'run': say NAME=b/run"),
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


def test_outputs_of_a_module_of_the_current_folder(module: Path) -> None:
    counted: list[int] = []
    outputs, notes = outputs_of(
        import_object("mine:lengths"), SAMPLE, SAMPLE.datasets, progress=counted.append
    )
    sizes = {name: len(each.scores) for name, each in outputs.items()}
    assert sizes == {"kitchen": 12, "journeys": 10}
    assert counted == [12, 10]
    assert notes == []


def test_other_processes_import_from_the_current_folder(module: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.py"
    script.write_text(SCRIPT, encoding="utf-8")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=120)
    assert done.stdout == "True\n", done.stderr


@pytest.mark.parametrize(
    ("name", "baseline"),
    [
        ("sample-sts", "token-cosine"),
        ("sample-pit", "token-cosine"),
        ("sample-ists", "chunk-aligner"),
    ],
)
def test_outputs_are_those_that_a_run_writes(name: str, baseline: str, tmp_path: Path) -> None:
    task = find_task(name)
    config = ExperimentConfig(task=name, baselines=[BaselineConfig(baseline=baseline)])
    scores = experiment.run(config, tmp_path).baselines[0].runs[0]
    outputs, _ = outputs_of(create(baseline), task, task.datasets)
    gold = submission.read_gold(task, [*task.datasets])
    assert family_of(task).score(task, scores.run, gold, outputs) == scores


def test_only_some_data_sets() -> None:
    outputs, _ = outputs_of(same_length, SAMPLE, [SAMPLE.dataset("journeys")])
    assert [*outputs] == ["journeys"]


def test_a_predictor_that_learns_is_fitted_without_pairs() -> None:
    outputs, _ = outputs_of(Learner, SAMPLE, [SAMPLE.dataset("kitchen")])
    assert set(outputs["kitchen"].scores) == {0.0}
    fitted = Learner().fit([("a", "b")] * 3)
    outputs, _ = outputs_of(fitted, SAMPLE, [SAMPLE.dataset("kitchen")])
    assert set(outputs["kitchen"].scores) == {3.0}


def test_labels_of_pit_are_scores_of_half_or_more() -> None:
    task = find_task("sample-pit")

    def mine(lefts: list[str], rights: list[str]) -> list[float]:
        return [(0.5, 0.49, -1.0, 2.0)[number % 4] for number in range(len(lefts))]

    outputs, _ = outputs_of(mine, task, task.datasets)
    (output,) = outputs.values()
    assert output.labels[:4].tolist() == [True, False, False, True]


@pytest.mark.parametrize(
    ("system", "task", "message"),
    [
        (same_length, "sample-ists", "pair-function predicts scores, but sample-ists needs align"),
        (Vectors(Path()), "sample-ists", "a folder of vectors predicts scores, but sample-ists"),
        (same_length, "sts2012-train", "sts2012-train"),
        (create("chunk-aligner"), "sample-sts", "chunk-aligner predicts alignments, but sample-st"),
    ],
)
def test_predictions_that_do_not_fit_the_task(system: Any, task: str, message: str) -> None:
    entry = find_task(task)
    assert message in message_of(outputs_of, system, entry, entry.datasets)


def test_predictions_of_a_predictor_are_checked() -> None:
    class Wrong(Lengths):
        def predict(self, pairs: Sequence[Any]) -> Any:
            return np.full(len(pairs), np.nan)

    assert "NaN" in message_of(outputs_of, Wrong(), SAMPLE, SAMPLE.datasets)


def test_a_restricted_data_set_is_left_out() -> None:
    task = without_input(SAMPLE, "kitchen")
    outputs, notes = outputs_of(same_length, task, task.datasets)
    assert [*outputs] == ["journeys"]
    assert notes == [
        "kitchen was left out, and with it what needs all data sets: absent.txt is not here"
        " (secret)."
    ]
    assert "absent.txt" in message_of(outputs_of, same_length, task, [task.dataset("kitchen")])


def test_vectors_are_compared_by_their_cosine() -> None:
    pairs = SAMPLE.dataset("kitchen").pairs
    left = np.tile([1.0, 0.0], (pairs, 1))
    right = np.tile([1.0, 1.0], (pairs, 1))
    right[0] = 0
    write_vectors(Path("vectors"), kitchen={"left": left, "right": right})
    outputs, notes = outputs_of(Vectors(Path("vectors")), SAMPLE, SAMPLE.datasets)
    assert outputs["kitchen"].scores == pytest.approx([0, *[0.5**0.5] * (pairs - 1)], abs=1e-9)
    assert outputs["journeys"].scores == pytest.approx(np.ones(10))
    assert notes == []


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"left": np.ones((11, 3))},
            "left: found an array of shape (11, 3), expected an array of shape (12, d)",
        ),
        ({"right": np.ones(12)}, "right: found an array of shape (12,)"),
        ({"right": np.ones((12, 2))}, "left of shape (12, 3) and right of shape (12, 2)"),
        ({"left": np.full((12, 3), np.nan)}, "left: found NaN or infinity"),
        ({"left": np.full((12, 3), "x")}, "left: found ndarray that is no array of numbers"),
        ({"left": np.full((12, 3), None)}, "found no npz of plain arrays"),
    ],
)
def test_vectors_that_are_refused(change: dict[str, Any], message: str) -> None:
    write_vectors(Path("vectors"), kitchen=change)
    assert message in message_of(vectors_of, "vectors", SAMPLE, SAMPLE.datasets)


def test_vectors_with_other_names_and_missing_files() -> None:
    assert "found no such folder" in message_of(vectors_of, "vectors", SAMPLE, SAMPLE.datasets)
    Path("vectors").mkdir()
    np.savez("vectors/kitchen.npz", first=np.ones((12, 3)))
    lines = message_of(vectors_of, "vectors", SAMPLE, SAMPLE.datasets).splitlines()
    assert [line.split(": ", 1)[1] for line in lines] == [
        "found arrays named first, expected arrays named left and right",
        "found nothing there, expected a file",
    ]


def test_restricted_data_sets_need_no_vectors() -> None:
    task = without_input(SAMPLE, "kitchen")
    write_vectors(Path("vectors"))
    assert [*outputs_of(Vectors(Path("vectors")), task, task.datasets)[0]] == [
        "kitchen",
        "journeys",
    ]
    os.remove("vectors/kitchen.npz")
    outputs, notes = outputs_of(Vectors(Path("vectors")), task, task.datasets)
    assert [*outputs] == ["journeys"]
    assert "kitchen.npz is not here (secret)" in notes[0]


@pytest.mark.official
def test_token_cosine_gets_its_published_row(official_data: Path) -> None:
    task = find_task("sts2015")
    outputs, notes = outputs_of(create("token-cosine"), task, task.datasets, official_data)
    gold = submission.read_gold(task, [*task.datasets], official_data)
    cells = family_of(task).score(task, "token-cosine", gold, outputs).cells()
    row = reference.published("sts2015-english", "Baseline-tokencos")
    assert {"Mean", *task.dataset_names} <= set(row)
    for name in ("Mean", *task.dataset_names):
        assert agrees(cells[name], row[name]), name
    assert notes == []


@pytest.mark.extras
def test_the_embedder_of_the_documentation() -> None:
    text = (ROOT / "docs" / "own-system.md").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(# minilm\.py\n.*?)^```$", text, re.MULTILINE | re.DOTALL)
    Path("minilm.py").write_text(code, encoding="utf-8")
    system = predictor_named("minilm:encoder")
    assert isinstance(system, EncoderCosine)
    outputs, _ = outputs_of(system, SAMPLE, SAMPLE.datasets)
    gold = submission.read_gold(SAMPLE, [*SAMPLE.datasets])
    scores = family_of(SAMPLE).score(SAMPLE, "minilm", gold, outputs)
    means = {name: measures["pearson"] for name, measures in scores.datasets.items()}
    assert means == pytest.approx({"kitchen": 0.9145, "journeys": 0.9755}, abs=0.001)
