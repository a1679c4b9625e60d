"""Reading, checking and scoring the files of typed similarity."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from stsbaselines.data.catalogue import DataSet, find_task
from stsbaselines.data.find import SAMPLES
from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.evaluation.submission import score
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import read_config
from stsbaselines.tasks import typed
from stsbaselines.tasks.records import read_record
from stsbaselines.tasks.typed import FAMILY

SAMPLE = find_task("sample-typed")

ROW = "1\t2\t3\t4\t5\t0\t1.5\t2.25"


def dataset_of(pairs: int) -> DataSet:
    return SAMPLE.datasets[0].model_copy(update={"pairs": pairs, "scored": pairs})


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1\t2\n", "line 1: found 2 columns in '1\\t2', expected 8 numbers, separated by TABs"),
        (ROW.replace("5", "6") + "\n", "line 1: found '6', expected a score (location) from 0"),
        (ROW.replace("5", "1e", 1) + "\n", "expected a score (location) from 0 to 5"),
        (ROW + "\n" + ROW + "\n", "found 2 lines, expected 1, one for each pair"),
        (ROW + "\r\n", "1 lines that end in a carriage return"),
        ("", "found an empty file"),
    ],
)
def test_the_checker_says_what_is_wrong(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "STS.output.europeana.txt"
    path.write_bytes(content.encode())
    with pytest.raises(InputError) as error:
        FAMILY.read_output(path, SAMPLE, dataset_of(1), strict=True)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "line", ["http://a.org/record/1/2.html", "a\tb", "http://a.org/record/1/2.html\thttp://b", ""]
)
def test_input_lines_that_are_no_addresses_are_refused(tmp_path: Path, line: str) -> None:
    path = tmp_path / "input.txt"
    path.write_text(line + "\n")
    with pytest.raises(InputError, match="expected two URLs such as"):
        typed.read_items(path)


def test_items_are_named_as_the_official_files(tmp_path: Path) -> None:
    path = tmp_path / "input.txt"
    address = "http://www.europeana.eu/portal/record/09405u/{}.html"
    path.write_text(f"{address.format('7A')}\t{address.format('8B')}\n")
    assert typed.read_items(path) == [("1a_09405u_7A", "1b_09405u_8B")]


def copied_sample(folder: Path) -> tuple[dict[str, Path], Path]:
    """Copy the sample; return its input files, and the first item record."""
    shutil.copytree(SAMPLES / "sample-typed", folder)
    files = {"input": folder / "STS.input.europeana.txt", "records": folder / "text"}
    return files, min((folder / "text").iterdir())


def test_a_missing_record_is_named(tmp_path: Path) -> None:
    files, gone = copied_sample(tmp_path / "sample")
    gone.unlink()
    with pytest.raises(MissingDataError, match=rf"1 of 12 item records are missing \({gone.stem}"):
        next(FAMILY.read_inputs(files, SAMPLE, SAMPLE.datasets[0]))


def test_pairs_of_excluded_items_are_not_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "samples" / "sample-typed"
    files, gone = copied_sample(folder)
    gone.unlink()
    (folder / "left-out.txt").write_text(gone.stem + "\n")
    without = list(FAMILY.read_inputs(files, SAMPLE, SAMPLE.datasets[0]))
    gone.write_text("dcTitle:\tA file that is there nonetheless\n")
    assert list(FAMILY.read_inputs(files, SAMPLE, SAMPLE.datasets[0])) == without
    gone.unlink()
    monkeypatch.setattr("stsbaselines.data.find.SAMPLES", tmp_path / "samples")
    scores = experiment.run(read_config("sample-typed"), tmp_path / "out").baselines[0].runs[0]
    assert scores.datasets["europeana"]["n"] == 5
    assert "europeana: pairs not scored, because items are excluded: 1" in scores.notes
    assert "sets:europeana(5/6)" in scores.signature
    folder = tmp_path / "out/sample-typed/typed-tfidf"
    output = folder / "STS.output.europeana.txt"
    assert len(output.read_text().splitlines()) == 6
    assert score("sample-typed", output).datasets == scores.datasets
    assert json.loads((folder / "evidence.jsonl").read_text().splitlines()[0])["left_out"]
    assert not (folder / "text" / gone.name).exists()
    assert len(list((folder / "xml").iterdir())) == 11


def test_undefined_and_outside_scores_are_noted(tmp_path: Path) -> None:
    rows = np.arange(24.0).reshape(3, 8)
    rows[:, 1] = 2.5
    scores = FAMILY.score(
        SAMPLE, "run", {"europeana": rows % 5}, {"europeana": typed.TypedOutput(rows)}
    )
    measures = scores.datasets["europeana"]
    assert measures["author"] is None
    assert measures["Mean"] is None
    assert "europeana: undefined, because all scores are the same: author" in scores.notes
    assert any("scores outside 0-5" in note for note in scores.notes)


def test_a_run_on_the_sample_explains_its_scores(tmp_path: Path) -> None:
    experiment.run(read_config("sample-typed"), tmp_path)
    folder = tmp_path / "sample-typed" / "typed-tfidf"
    lines = (folder / "evidence.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["pair"] for row in rows] == [1, 2, 3, 4, 5, 6]
    found = [[each["score"] for each in row["similarities"]] for row in rows]
    output = FAMILY.read_output(
        folder / SAMPLE.datasets[0].output, SAMPLE, SAMPLE.datasets[0], True
    )
    assert output.scores == pytest.approx(np.array(found), abs=1e-4)
    for text in (SAMPLES / "sample-typed" / "text").iterdir():
        assert (folder / "text" / text.name).read_bytes() == text.read_bytes()
        assert read_record(folder / "xml" / f"{text.stem}.xml") == read_record(text)
    assert score("sample-typed", folder).datasets["europeana"]["n"] == 6


def test_without_any_data_the_sample_runs_and_says_what_is_missing(
    command_output: Callable[..., str],
) -> None:
    text = command_output("run", "sts2013-typed", "--out", "out")
    assert text.startswith("The data of sts2013-typed was not found")
    assert "Sample in the format of typed similarity" in text


EXPECTED = {
    "sts2013-typed-trial": "-0.17476 0.42117 -0.89737 -0.69707 0.72183 -0.12310 -0.46833 -0.58569"
    " -0.22542",
    "sts2013-typed-train": "0.06788 -0.01326 -0.00330 0.03020 0.02067 0.01518 -0.03354 0.01213"
    " 0.01199",
    "sts2013-typed": "-0.02846 -0.01911 0.03557 -0.02142 0.07813 0.07003 -0.01271 -0.03923 0.00785",
}


@pytest.mark.official
@pytest.mark.parametrize("name", EXPECTED)
def test_the_released_sample_outputs_score_as_the_official_scorer_prints(
    name: str, official_data: Path
) -> None:
    task = find_task(name)
    output = official_data / task.folders[0] / "STS.output.europeana.txt"
    measures = score(name, output, data_dir=official_data).datasets["europeana"]
    found = [measures[each] for each in (*typed.TYPES, "Mean")]
    assert [f"{value:.5f}" for value in found] == EXPECTED[name].split()


def test_two_files_of_an_item_are_refused(tmp_path: Path) -> None:
    files, first = copied_sample(tmp_path / "sample")
    first.with_suffix(".txt~").write_text("a backup does not count")
    assert len(list(FAMILY.read_inputs(files, SAMPLE, SAMPLE.datasets[0]))) == 6
    first.with_suffix(".xml").write_text("<record></record>")
    with pytest.raises(InputError, match="as well, expected one file for each item"):
        next(FAMILY.read_inputs(files, SAMPLE, SAMPLE.datasets[0]))
