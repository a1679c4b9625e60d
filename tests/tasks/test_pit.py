"""Reading, checking and scoring the files of PIT-2015."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from stsbaselines.data.catalogue import DataSet, find_task
from stsbaselines.data.find import SAMPLES
from stsbaselines.errors import InputError
from stsbaselines.evaluation import submission
from stsbaselines.tasks import pit
from stsbaselines.tasks.base import Scores
from stsbaselines.tasks.lines import LineError
from stsbaselines.tasks.pit import FAMILY

SAMPLE = find_task("sample-pit")

NAME = "PIT2015_TEAM_01_run.output"


def dataset_of(pairs: int, scored: int | None = None) -> DataSet:
    return SAMPLE.datasets[0].model_copy(update={"pairs": pairs, "scored": scored or pairs})


def written(folder: Path, content: str | bytes, name: str = NAME) -> Path:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("text", "is_paraphrase", "degree"),
    [
        ("(5, 0)", True, 1.0),
        ("(3, 2)", True, 0.6),
        ("(2, 3)", None, 0.4),
        ("(1, 4)", False, 0.2),
        ("(0, 5)", False, 0.0),
        ("5", True, 1.0),
        ("4", True, 0.8),
        ("3", None, 0.6),
        ("2", False, 0.4),
        ("0", False, 0.0),
    ],
)
def test_labels_of_crowd_and_expert(text: str, is_paraphrase: bool | None, degree: float) -> None:
    assert pit.label_of(text) == (is_paraphrase, degree)


@pytest.mark.parametrize("text", ["", "6", "(3, 3)", "(6, 0)", "3,2", "(3,2)", "true", "-1"])
def test_other_labels_are_refused(text: str) -> None:
    with pytest.raises(LineError):
        pit.label_of(text)


def test_training_pairs_are_those_that_are_not_debatable(tmp_path: Path) -> None:
    task = find_task("sample-pit-train")
    files = {"input": SAMPLES / "sample-pit" / "train.data"}
    pairs, gold, lines = FAMILY.read_training(files, task, task.datasets[0])
    assert len(pairs) == len(gold) == len(lines) == task.datasets[0].scored == 18
    table = written(tmp_path, "Q1,Q2,result\na b,a c,1\nx,y,0\n", "train.csv")
    pairs, gold, lines = FAMILY.read_training({"input": table}, task, dataset_of(2))
    assert (pairs, gold.tolist()) == ([("a b", "a c"), ("x", "y")], [True, False])
    assert lines == [2, 3]
    with pytest.raises(InputError, match="found 2 labelled pairs, expected 3"):
        FAMILY.read_training({"input": table}, task, dataset_of(3))
    table.write_text("Q1,Q2,result\na,b,c,1\n")
    with pytest.raises(InputError, match="line 2: found 'a,b,c,1'"):
        FAMILY.read_training({"input": table}, task, dataset_of(1))


@pytest.mark.parametrize(
    "line",
    [
        "a\tb\tc\td\t3\te",
        "1\tt\tl\tr\t7\tx\ty",
        "",
        "1\tt\tl\tr\t3\tx\ty\r",
        f"1\tt\ta\tb\t({'9' * 5000}, 0)\tx\ty",
    ],
)
def test_a_faulty_data_file_is_refused(line: str, tmp_path: Path) -> None:
    good = "1\tt\tl\tr\t3\tx\ty\n"
    with pytest.raises(InputError, match="expected"):
        list(pit.read_data(written(tmp_path, good + line + "\n", "dev.data")))


@pytest.mark.parametrize(
    "line",
    [
        "true",
        "true\t0,5000",
        "true\tnan",
        "true\t0.5\tx",
        "",
        "----\t0.5000",
        "true\t1e999",
    ],
)
@pytest.mark.parametrize("strict", [False, True])
def test_faulty_output_is_refused(line: str, strict: bool, tmp_path: Path) -> None:
    path = written(tmp_path, f"true\t0.5000\n{line}\n")
    with pytest.raises(InputError, match="line 2: found"):
        FAMILY.read_output(path, SAMPLE, dataset_of(2), strict)


@pytest.mark.parametrize("score", ["-0.1000", "1.0001", "0.5", "0.50000", "1.5000", "1e-2"])
def test_unusual_scores_are_noted_and_refused_in_a_submission(score: str, tmp_path: Path) -> None:
    path = written(tmp_path, f"true\t0.5000\nfalse\t{score}\n")
    output = FAMILY.read_output(path, SAMPLE, dataset_of(2))
    assert output.scores[1] == float(score)
    assert "which the official scorer accepts" in output.notes[0]
    with pytest.raises(InputError, match=r"line 2: found .* four decimals"):
        FAMILY.read_output(path, SAMPLE, dataset_of(2), strict=True)


@pytest.mark.parametrize(
    "name", ["PIT2015_A_01_run.output", "mine.output", "PIT2015_TEAM_04_run.output", "x.txt"]
)
def test_a_file_name_is_a_note_and_a_fault_of_a_submission(name: str, tmp_path: Path) -> None:
    path = written(tmp_path, "true\t0.5000\n", name)
    assert FAMILY.read_output(path, SAMPLE, dataset_of(1)).notes == (
        "a submission must not have this file name",
    )
    with pytest.raises(InputError, match=r"expected a name such as PIT2015_TEAM_01_run\.output"):
        FAMILY.read_output(path, SAMPLE, dataset_of(1), strict=True)


def test_gold_labels(tmp_path: Path) -> None:
    gold = FAMILY.read_gold(
        written(tmp_path, "true\t0.8000\n----\t0.6000\nfalse\t0.0000\n"), SAMPLE, dataset_of(3)
    )
    assert gold.is_paraphrase.tolist() == [True, False, False]
    assert gold.is_debatable.tolist() == [False, True, False]
    assert gold.degree.tolist() == [0.8, 0.6, 0.0]
    for line in ("maybe\t0.5", "true\t1.5", "true"):
        with pytest.raises(InputError, match="expected"):
            FAMILY.read_gold(written(tmp_path, line + "\n"), SAMPLE, dataset_of(1))


def scored(labels: list[bool], scores: list[float]) -> Scores:
    gold = pit.Gold(
        is_paraphrase=np.array([True, True, False, False, False]),
        is_debatable=np.array([False, False, False, False, True]),
        degree=np.array([1.0, 0.8, 0.2, 0.0, 0.6]),
    )
    output = pit.PitOutput(np.array(labels), np.array(scores))
    return FAMILY.score(SAMPLE, "run", {"test": gold}, {"test": output})


def test_debatable_pairs_count_for_similarity_only() -> None:
    first, second = (
        scored([True, False, True, False, label], [0.9, 0.4, 0.6, 0.1, 0.5])
        for label in (True, False)
    )
    assert first == second
    cells = first.cells()
    assert (cells["F1"], cells["precision"], cells["recall"], cells["n"]) == (0.5, 0.5, 0.5, 4)
    moved = scored([True, False, True, False, True], [0.9, 0.4, 0.6, 0.1, 0.8]).cells()
    assert moved["maxF1"] == cells["maxF1"]
    assert moved["pearson"] != cells["pearson"]


def test_no_positive_prediction_and_no_similarity_run() -> None:
    scores = scored([False] * 5, [0.0, 0.001, 0.0, 0.0, 0.0])
    cells = scores.cells()
    assert (cells["F1"], cells["precision"], cells["recall"]) == (0, None, 0)
    assert cells["pearson"] is cells["maxF1"] is cells["average_precision"] is None
    assert "no similarity run" in scores.notes[0]


def test_constant_scores_have_a_best_cut_but_no_correlation() -> None:
    cells = scored([True] * 5, [0.7] * 5).cells()
    assert cells["pearson"] is None
    assert cells["maxF1"] is not None


def test_predictions_become_labels_and_four_decimals() -> None:
    assert (
        FAMILY.format_predictions([0.5, 0.49999, 1.0])
        == b"true\t0.5000\nfalse\t0.5000\ntrue\t1.0000\n"
    )


def test_a_submission_must_have_its_name(tmp_path: Path) -> None:
    lines = "".join(f"{'true' if n % 2 else 'false'}\t0.{n:02}00\n" for n in range(12))
    path = written(tmp_path, lines)
    assert submission.check("sample-pit", path) == {"test": path}
    other = written(tmp_path, lines, "mine.output")
    with pytest.raises(InputError, match="expected a name such as"):
        submission.check("sample-pit", other)
    with pytest.raises(InputError, match="found 2 files"):
        submission.score("sample-pit", tmp_path)


@pytest.mark.parametrize("header", ["", "label\tscore\n"])
@pytest.mark.parametrize("start", [0, 1])
@pytest.mark.parametrize("step", [1, 2])
def test_running_numbers_are_no_scores(header: str, start: int, step: int, tmp_path: Path) -> None:
    rows = [f"true\t{n * step % 5 + start}\n" for n in range(5)]
    path = written(tmp_path, header + "".join(rows))
    with pytest.raises(InputError, match="running numbers in the second column"):
        FAMILY.read_output(path, SAMPLE, dataset_of(5))


@pytest.mark.parametrize(
    ("scores", "note"),
    [
        ([-1, 0.5, 3], "recall are those of the threshold 0.5: 2"),
        ([0.7, 0.7, 0.7], "the correlation is undefined"),
    ],
)
def test_unusual_scores_of_code_are_noted(scores: list[float], note: str) -> None:
    gold = pit.Gold(np.array([True, False, True]), np.zeros(3, bool), np.array([0.8, 0.2, 1]))
    output = FAMILY.output_of(scores, (), SAMPLE)
    notes = FAMILY.score(SAMPLE, "", {"test": gold}, {"test": output}).notes
    assert any(note in each for each in notes)
