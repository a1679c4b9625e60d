"""Typed similarity of 2013: files, checker, scorer and the TF-IDF baseline."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from stsbaselines.baselines import create, load
from stsbaselines.baselines.typed_tfidf import TypedTfidf
from stsbaselines.data.catalogue import DataSet, find_task
from stsbaselines.data.find import SAMPLES, require_all
from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.evaluation.submission import score
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import read_config
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.tasks import typed
from stsbaselines.tasks.base import Family, family_of
from stsbaselines.tasks.records import Record, read_record
from stsbaselines.text import annotate
from tests.helpers import run_command

SAMPLE = find_task("sample-typed")
ROW = "1\t2\t3\t4\t5\t0\t1.5\t2.25"
MILL = Record(title=("The water mill",), creator=("Smith, John",), date=("c. 1850",))
VIEW = Record(title=("View of a mill",), creator=("John Smith",), date=("1850",))
PARIS = Record(title=("A street in Paris",), description=("A man is walking in Paris.",))
PAIRS = [(MILL, VIEW), (VIEW, PARIS), (PARIS, PARIS)]
records = st.builds(Record, *[st.lists(st.text(max_size=20), max_size=2).map(tuple)] * 6)


def dataset_of(pairs: int) -> DataSet:
    return SAMPLE.datasets[0].model_copy(update={"pairs": pairs, "scored": pairs})


def by_type(scores: FloatArray) -> dict[str, float]:
    return dict(zip(typed.TYPES, scores.tolist(), strict=True))


def test_the_module_is_a_family() -> None:
    family: Family = family_of(SAMPLE)
    assert TypedTfidf.predicts == family.PREDICTIONS


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1\t2\n", "line 1: found 2 columns in '1\\t2', expected 8 numbers, separated by TABs"),
        (
            ROW.replace("5", "6") + "\n",
            "line 1: found '6', expected a score (location) from 0 to 5",
        ),
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
        typed.read_output(path, SAMPLE, dataset_of(1), strict=True)
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


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("1a_1_2.json", '{"success": true, "object": {"proxies": []}}'),
        ("1a_1_2.json", '{"success": true, "object": {"proxies": [{"dcTitle": {"en": ["A"]}}]}}'),
        ("1a_1_2.xml", "<record></record>"),
    ],
)
def test_a_record_without_any_field_is_refused(tmp_path: Path, name: str, content: str) -> None:
    (tmp_path / name).write_text(content)
    with pytest.raises(InputError, match="found none of the fields, expected a record with one"):
        read_record(tmp_path / name)


def test_a_missing_record_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "sample"
    shutil.copytree(SAMPLES / "sample-typed", folder)
    gone = sorted((folder / "text").iterdir())[0]
    gone.unlink()
    files = {"input": folder / "STS.input.europeana.txt", "records": folder / "text"}
    with pytest.raises(MissingDataError, match=rf"1 of 12 item records are missing \({gone.stem}"):
        next(typed.read_inputs(files, SAMPLE, SAMPLE.datasets[0]))


def test_pairs_of_items_that_are_left_out_are_not_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "samples" / "sample-typed"
    shutil.copytree(SAMPLES / "sample-typed", folder)
    gone = sorted((folder / "text").iterdir())[0]
    gone.unlink()
    (folder / "left-out.txt").write_text(gone.stem + "\n")
    files = {"input": folder / "STS.input.europeana.txt", "records": folder / "text"}
    without = list(typed.read_inputs(files, SAMPLE, SAMPLE.datasets[0]))
    gone.write_text("dcTitle:\tA file that is there nonetheless\n")
    assert list(typed.read_inputs(files, SAMPLE, SAMPLE.datasets[0])) == without
    gone.unlink()
    monkeypatch.setattr("stsbaselines.data.find.SAMPLES", tmp_path / "samples")
    scores = experiment.run(read_config("sample-typed"), tmp_path / "out").baselines[0].runs[0]
    assert scores.datasets["europeana"]["n"] == 5
    assert "europeana: pairs not scored, since items are left out: 1" in scores.notes
    assert "sets:europeana(5/6)" in scores.signature
    folder = tmp_path / "out/sample-typed/typed-tfidf"
    output = folder / "STS.output.europeana.txt"
    assert len(output.read_text().splitlines()) == 6
    assert score("sample-typed", output).datasets == scores.datasets
    assert json.loads((folder / "evidence.jsonl").read_text().splitlines()[0])["left_out"]
    assert not (folder / "text" / gone.name).exists()
    assert len(list((folder / "xml").iterdir())) == 11


def test_undefined_and_outside_scores_are_said(tmp_path: Path) -> None:
    rows = np.arange(24.0).reshape(3, 8)
    rows[:, 1] = 2.5
    scores = typed.score(SAMPLE, "run", {"europeana": rows % 5}, {"europeana": rows})
    measures = scores.datasets["europeana"]
    assert measures["author"] is None
    assert measures["Mean"] is None
    assert "europeana: undefined, since all scores are the same: author" in scores.notes
    assert any("scores outside 0-5" in note for note in scores.notes)


@pytest.mark.parametrize(
    "predictions", [[1.0] * 8, [[1.0] * 7], [[math.nan] * 8], [[math.inf] + [0.0] * 7]]
)
def test_wrong_predictions_are_not_written(predictions: Any) -> None:
    with pytest.raises(InputError, match="the system predicted"):
        typed.format_predictions(predictions)


def test_similarities_of_small_records() -> None:
    model = TypedTfidf().fit(PAIRS)
    alike, other, same = map(by_type, model.predict(PAIRS))
    assert alike["author"] == pytest.approx(5)
    assert alike["people_involved"] == pytest.approx(5)
    assert alike["time"] == pytest.approx(5)
    assert 0 < alike["general"] < 5
    assert other["author"] == other["time"] == 0
    assert same["general"] == pytest.approx(5)
    assert same["location"] == pytest.approx(5)
    assert same["event"] == pytest.approx(5)


def test_tfidf_by_hand() -> None:
    """Two of three records have "mill": smooth idf is ln(4 / 3) + 1, of other words ln 2 + 1."""
    records = [Record(subject=(each,)) for each in ("mill", "mill pond", "sea")]
    model = TypedTfidf().fit_background(records)
    score = by_type(model.predict([(records[0], records[1])])[0])["subject"]
    mill, pond = math.log(4 / 3) + 1, math.log(2) + 1
    assert score == pytest.approx(5 * mill / math.hypot(mill, pond))
    plain = TypedTfidf(idf="plain").fit_background(records)
    mill, pond = math.log(3 / 2), math.log(3)
    score = by_type(plain.predict([(records[0], records[1])])[0])["subject"]
    assert score == pytest.approx(5 * mill / math.hypot(mill, pond))


def test_evidence_names_what_matched_and_adds_up_to_the_scores() -> None:
    model = TypedTfidf().fit(PAIRS)
    evidence = {each.type: each for each in model.explain(PAIRS)[0]}
    assert set(evidence["author"].matched) == {"john", "smith"}
    assert evidence["time"].matched == ("1850",)
    scores = [[each.score for each in row] for row in model.explain(PAIRS)]
    assert model.predict(PAIRS).tolist() == scores


def test_what_the_paper_leaves_open_is_a_parameter() -> None:
    left = Record(creator=("Smith, John",), date=("c. 1850-1860",), subject=("sea sea SHIP",))
    right = Record(creator=("John Brown",), date=("c. 1855",), subject=("sea ship ship",))

    def scores(**parameters: object) -> dict[str, float]:
        return by_type(TypedTfidf(**parameters).fit([]).predict([(left, right)])[0])  # type: ignore[arg-type]

    usual = scores()
    assert usual["people_involved"] > 0 == scores(entities="whole")["people_involved"]
    assert scores(dates="written")["time"] > usual["time"] == 0
    assert scores(term_frequency="binary")["subject"] == pytest.approx(5)
    assert usual["subject"] < scores(term_frequency="log")["subject"] < 5
    assert scores(lowercase=False)["subject"] < usual["subject"]
    assert scores(empty=2.5)["location"] == 2.5


@pytest.mark.parametrize(
    ("parameters", "message"),
    [
        ({"entities": "hole"}, "there is no entities 'hole', did you mean 'whole'"),
        ({"idf": ""}, "there is no idf ''"),
        ({"lowercase": 1}, "lowercase is 1, but must be true or false"),
        ({"empty": 6}, "empty is 6, but must be a number from 0 to 5"),
        ({"annotator": "stanfort"}, "there is no annotator 'stanfort'"),
        ({"annotator": "spacy"}, "there is no annotator 'spacy', did you mean"),
        ({"annotator": "builtin:x"}, "there is no annotator 'builtin:x'"),
        ({"annotator": None}, "there is no annotator None"),
    ],
)
def test_wrong_parameters_are_refused(parameters: dict[str, object], message: str) -> None:
    with pytest.raises(InputError) as error:
        create("typed-tfidf", **parameters).fit(PAIRS).predict(PAIRS)
    assert message in str(error.value)


def test_pairs_that_are_no_records_are_refused() -> None:
    with pytest.raises(InputError, match=r"pairs\[1\]: .* expected a Record"):
        TypedTfidf().fit([]).predict([PAIRS[0], ("a", "b")])  # type: ignore[list-item]


def test_it_is_cloned_saved_and_loaded(tmp_path: Path) -> None:
    model = clone(TypedTfidf(entities="whole")).fit(PAIRS)
    model.save(tmp_path / "model")
    assert np.array_equal(load(tmp_path / "model").predict(PAIRS), model.predict(PAIRS))


@given(st.lists(st.tuples(records, records), min_size=1, max_size=3))
def test_scores_are_symmetric_and_in_range(pairs: list[tuple[Record, Record]]) -> None:
    model = TypedTfidf().fit(pairs)
    scores = model.predict(pairs)
    assert scores.shape == (len(pairs), 8)
    assert ((scores >= 0) & (scores <= 5)).all()
    assert scores == pytest.approx(model.predict([(right, left) for left, right in pairs]))


def test_the_sample_from_the_command_line(tmp_path: Path) -> None:
    done = run_command(["run", "sample-typed", "--out", str(tmp_path)])
    assert done.returncode == 0, done.stderr
    assert "typed-tfidf  Mean" in done.stdout
    folder = tmp_path / "sample-typed" / "typed-tfidf"
    lines = (folder / "evidence.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert [row["pair"] for row in rows] == [1, 2, 3, 4, 5, 6]
    found = [[each["score"] for each in row["similarities"]] for row in rows]
    output = typed.read_output(folder / SAMPLE.datasets[0].output, SAMPLE, SAMPLE.datasets[0], True)
    assert output == pytest.approx(np.array(found), abs=1e-4)
    for text in (SAMPLES / "sample-typed" / "text").iterdir():
        assert (folder / "text" / text.name).read_bytes() == text.read_bytes()
        assert read_record(folder / "xml" / f"{text.stem}.xml") == read_record(text)
    checked = run_command(["check", "sample-typed", str(folder)])
    assert checked.stdout == f"europeana: {folder}/STS.output.europeana.txt is well-formed\n"
    scored = run_command(["score", "sample-typed", str(folder), "--json"])
    assert json.loads(scored.stdout)["datasets"]["europeana"]["n"] == 6


def test_predicting_sentences_with_it_is_refused() -> None:
    done = run_command(["predict", "typed-tfidf"], input="a\tb\n")
    assert done.returncode == 2
    assert "typed-tfidf predicts typed scores" in done.stderr


def test_without_any_data_the_sample_runs_and_says_what_is_missing(tmp_path: Path) -> None:
    done = run_command(["run", "sts2013-typed", "--out", str(tmp_path)])
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("The data of sts2013-typed is not here")
    assert "Sample in the format of typed similarity" in done.stdout


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


@pytest.mark.official
def test_the_test_records_are_missing_and_the_trial_runs_instead(
    official_data: Path, tmp_path: Path
) -> None:
    done = run_command(["run", "sts2013-typed", "--out", str(tmp_path)])
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("The item records of sts2013-typed are not here")
    assert "data fetch sts2013-typed --api-key" in done.stdout
    folder = tmp_path / "sts2013-typed-trial" / "typed-tfidf"
    original = official_data / "sts2013-typed-trial" / "text"
    for path in original.iterdir():
        assert (folder / "text" / path.name).read_bytes() == path.read_bytes()
    assert len(list((folder / "xml").iterdir())) == 10
    assert len((folder / "STS.output.europeana.txt").read_text().splitlines()) == 5


@pytest.mark.official
@pytest.mark.parametrize("kind", ["text", "json"])
def test_trial_records_as_text_and_json_give_the_same(kind: str, official_data: Path) -> None:
    task = find_task("sts2013-typed-trial")
    files = require_all(task, task.datasets[0], official_data)
    pairs = list(typed.read_inputs(files, task, task.datasets[0]))
    other = files | {"records": files["records"].parent / kind}
    assert list(typed.read_inputs(other, task, task.datasets[0])) == pairs


@pytest.mark.official
def test_the_published_row_is_no_data_without_records(official_data: Path, tmp_path: Path) -> None:
    cells = experiment.ledger([read_config("sts2013-typed")], tmp_path, official_data)
    assert [cell.status for cell in cells] == ["no data"] * 9
    assert all("data fetch" in cell.reason for cell in cells)


def test_a_background_is_counted_from_the_command_line_and_run_as_a_model(tmp_path: Path) -> None:
    things = tmp_path / "things.jsonl"
    things.write_text('{"id": "1", "title": "A mill"}\n{"title": "A pond", "medium": ["oil"]}\n')
    model = tmp_path / "data" / "models" / "things"
    model.parent.mkdir(parents=True)
    done = run_command(["train", "typed-tfidf", "--records", str(things), "-o", str(model)])
    assert done.stdout == f"things.jsonl: 2 records\nwrote {model}\n", done.stderr
    loaded: Any = load(model)
    assert loaded.document_frequencies_ == {"a": 2, "mill": 1, "oil": 1, "pond": 1}
    config = tmp_path / "mine.yaml"
    config.write_text(
        "task: sample-typed\nbaselines:\n  - {baseline: typed-tfidf, model: things}\n"
    )
    done = run_command(["run", str(config), "--data-dir", str(tmp_path / "data")])
    assert done.returncode == 0, done.stderr
    assert "trained on the records of things.jsonl (2)" in done.stdout


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("[1]", "found a list at the line, expected an object"),
        ('{"title": 1}', "found a number at title, expected text"),
        ('{"title": "a"', "expected a JSON object"),
        ('{"title": NaN}', "found NaN"),
        ('{"title": "\\ud800"}', "found a NUL or half a surrogate pair at title, expected text"),
        ('{"id": "1"}', "found no text, expected a record with some"),
        ("[" * 100_000, "found JSON nested too deeply, expected a JSON object"),
    ],
)
def test_a_malformed_catalogue_is_refused(tmp_path: Path, line: str, message: str) -> None:
    things = tmp_path / "things.jsonl"
    things.write_text('{"title": "A mill"}\n' + line + "\n")
    done = run_command(["train", "typed-tfidf", "--records", str(things), "-o", "new"])
    assert done.returncode == 2
    assert f"{things}, line 2" in done.stderr
    assert message in done.stderr
    assert not Path("new").exists()


def test_years_are_weighed_by_how_many_records_name_them() -> None:
    common = [Record(date=("19th century",))] * 9 + [Record(date=("1850",))]
    model = TypedTfidf().fit_background(common)
    assert model.document_frequencies_["1801"] == model.document_frequencies_["1900"] == 9
    left = Record(date=("19th century", "1850"))
    score = by_type(model.predict([(left, common[0])])[0])["time"]
    often, rare = math.log(11 / 10) + 1, math.log(11 / 2) + 1
    both = math.sqrt(2) * often
    assert score == pytest.approx(5 * both * both / (both * math.hypot(both, rare)))


def test_records_with_strings_for_tuples_are_refused() -> None:
    wrong = Record(title="The mill")  # type: ignore[arg-type]
    for call in (
        lambda: TypedTfidf().fit([(wrong, MILL)]),
        lambda: TypedTfidf().fit_background([wrong]),
        lambda: TypedTfidf().fit([]).predict([(MILL, wrong)]),
    ):
        with pytest.raises(
            InputError, match=r"\.title: found 'The mill', expected a tuple of text"
        ):
            call()


def test_it_must_be_fitted() -> None:
    with pytest.raises(NotFittedError):
        TypedTfidf().predict(PAIRS)


def test_the_annotator_is_loaded_once_a_data_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = []
    real = annotate.annotator_named

    def counting(name: str) -> annotate.Annotator:
        loaded.append(name)
        return real(name)

    monkeypatch.setattr("stsbaselines.baselines.typed_tfidf.annotator_named", counting)
    experiment.run(read_config("sample-typed"), tmp_path)
    assert loaded == ["builtin"]


def test_two_files_of_an_item_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "sample"
    shutil.copytree(SAMPLES / "sample-typed", folder)
    first = sorted((folder / "text").iterdir())[0]
    first.with_suffix(".txt~").write_text("a backup does not count")
    files = {"input": folder / "STS.input.europeana.txt", "records": folder / "text"}
    assert len(list(typed.read_inputs(files, SAMPLE, SAMPLE.datasets[0]))) == 6
    first.with_suffix(".xml").write_text("<record></record>")
    with pytest.raises(InputError, match="as well, expected one file for each item"):
        next(typed.read_inputs(files, SAMPLE, SAMPLE.datasets[0]))


def test_a_configuration_instead_must_not_name_others(tmp_path: Path) -> None:
    config = tmp_path / "mine.yaml"
    config.write_text(
        f"task: sample-typed\ninstead: [{config}]\nbaselines:\n  - {{baseline: typed-tfidf}}\n"
    )
    done = run_command(["run", str(config)])
    assert done.returncode == 2
    assert "names others by `instead` itself" in done.stderr
