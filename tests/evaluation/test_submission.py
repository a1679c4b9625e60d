"""Output files that are packed, singly or in a folder, are as good as plain ones."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path

import pytest

from stsbaselines import compare
from stsbaselines.data.catalogue import find_task
from stsbaselines.data.find import SAMPLES
from stsbaselines.errors import InputError
from stsbaselines.evaluation import submission
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import read_config

SCORES = {
    "kitchen": b"".join(b"%.1f\n" % (n / 4) for n in range(12)),
    "journeys": b"".join(b"%.1f\n" % (n % 5) for n in range(10)),
}


def pack(path: Path) -> Path:
    """Pack a file as the command-line program does: NAME becomes NAME.gz."""
    target = path.with_name(f"{path.name}.gz")
    target.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    return target


def outputs(folder: Path) -> dict[str, Path]:
    folder.mkdir()
    paths = {name: folder / f"STS.output.{name}.txt" for name in SCORES}
    for name, path in paths.items():
        path.write_bytes(SCORES[name])
    return paths


@pytest.mark.parametrize(
    ("name", "baseline"),
    [
        ("sample-sts", "token-cosine"),
        ("sample-pit", "ngram-logreg"),
        ("sample-ists", "gold-chunks"),
        ("sample-typed", "typed-tfidf"),
    ],
)
def test_packed_outputs_get_the_same_scores(name: str, baseline: str, tmp_path: Path) -> None:
    experiment.run(read_config(name), tmp_path)
    folder = tmp_path / name / baseline
    wanted = submission.score(name, folder).datasets
    files = submission.output_files(find_task(name), folder, None, {})
    packed_files = {label: pack(path) for label, path in files.items()}
    assert submission.output_files(find_task(name), folder, None, {}) == packed_files
    assert submission.score(name, folder).datasets == wanted
    for label, path in packed_files.items():
        assert submission.score(name, path).datasets == {label: wanted[label]}


def test_packed_outputs_are_checked_and_compared(tmp_path: Path) -> None:
    paths = outputs(tmp_path / "run")
    plain = compare("sample-sts", [tmp_path / "run"], resamples=100)
    packed = {name: pack(path) for name, path in paths.items()}
    assert submission.check("sample-sts", tmp_path / "run") == packed
    assert compare("sample-sts", [tmp_path / "run"], resamples=100).to_dict() == plain.to_dict()


def test_a_plain_file_and_a_packed_one_for_the_same_data_set_are_two(tmp_path: Path) -> None:
    paths = outputs(tmp_path / "run")
    pack(paths["kitchen"])
    paths["kitchen"].write_bytes(SCORES["kitchen"])
    found = r"found 2 files \(STS\.output\.kitchen\.txt, STS\.output\.kitchen\.txt\.gz\)"
    with pytest.raises(InputError, match=found):
        submission.score("sample-sts", tmp_path / "run")


def test_faults_in_packed_outputs_are_named_by_line(tmp_path: Path) -> None:
    paths = outputs(tmp_path / "run")
    paths["kitchen"].write_bytes(SCORES["kitchen"].replace(b"1.0\n", b"1,0\n"))
    pack(paths["kitchen"])
    damaged = pack(paths["journeys"])
    damaged.write_bytes(damaged.read_bytes()[:-1])
    with pytest.raises(InputError) as caught:
        submission.score("sample-sts", tmp_path / "run")
    faults = str(caught.value).splitlines()
    assert len(faults) == 2
    assert any(".kitchen.txt.gz, line 5: found '1,0', expected a" in each for each in faults)
    assert any(".journeys.txt.gz: found damaged content" in each for each in faults)


def copies(folder: Path, **names: str) -> Path:
    for name, file_name in names.items():
        lines = (SAMPLES / "sample-sts" / f"STS.gs.{name}.txt").read_text()
        (folder / file_name).write_text(lines.replace("\n\n", "\n3\n"))
    return folder


def test_a_misnamed_file_is_pointed_out_and_can_be_mapped(tmp_path: Path) -> None:
    copies(tmp_path, kitchen="STS.output.kitchens.txt", journeys="STS.output.journeys.txt")
    (tmp_path / "readme.txt").write_text("not an output")
    with pytest.raises(InputError) as error:
        submission.score("sample-sts", tmp_path)
    assert "STS.output.kitchens.txt is for no data set" in str(error.value)
    assert "--map kitchen=STS.output.kitchens.txt" in str(error.value)
    mapping = {"kitchen": "STS.output.kitchens.txt"}
    assert submission.score("sample-sts", tmp_path, mapping=mapping).aggregates["Mean"] is not None
    assert set(submission.check("sample-sts", tmp_path, mapping=mapping)) == {"kitchen", "journeys"}
    one = submission.score("sample-sts", tmp_path, dataset="journeys")
    assert list(one.datasets) == ["journeys"]


def test_two_files_for_one_set_are_refused(tmp_path: Path) -> None:
    copies(tmp_path, journeys="STS.output.journeys.txt", kitchen="STS.output.kitchen.txt")
    copies(tmp_path, kitchen="STS.output.surprise.kitchen.txt")
    with pytest.raises(InputError, match="found 2 files"):
        submission.score("sample-sts", tmp_path)


def test_a_single_file_needs_a_telling_name_or_the_option(tmp_path: Path) -> None:
    copies(tmp_path, kitchen="mine.txt")
    with pytest.raises(InputError, match="--dataset with one of kitchen, journeys"):
        submission.score("sample-sts", tmp_path / "mine.txt")
    scores = submission.score("sample-sts", tmp_path / "mine.txt", dataset="kitchen")
    assert scores.datasets["kitchen"]["pearson"] == pytest.approx(1)
    assert scores.aggregates == {}
    copies(tmp_path, kitchen="STS.output.kitchens.txt")
    with pytest.raises(InputError, match="did you mean 'kitchen'"):
        submission.score("sample-sts", tmp_path / "STS.output.kitchens.txt")
    twice = dict.fromkeys(("kitchen", "journeys"), "x")
    with pytest.raises(InputError, match="a file of its own"):
        submission.score("sample-sts", tmp_path, mapping=twice)
    with pytest.raises(InputError, match="a file of its own"):
        submission.score("sample-sts", tmp_path, dataset="kitchen", mapping={"journeys": "x"})
    with pytest.raises(InputError, match="a folder, whose files --map names"):
        submission.score("sample-sts", tmp_path / "mine.txt", mapping={"kitchen": "x"})


TEAMS = [
    ("sts2012", "{}-output.txt", str.lower),
    ("sts2012", "surprise.{}-output.txt", str.lower),
    ("sts2013", "STScore.output.{}.txt", str),
    ("sts2014", "{}_run2.out.gz", str.upper),
    ("sts2015", "My Run.{}.scores", str.title),
    ("sts2016", "STS2016.OUTPUT.TEAM.RUN.{}.txt", str),
    ("ists2016", "{}.wa", str),
]


@pytest.mark.parametrize(("name", "pattern", "case"), TEAMS)
def test_files_are_recognised_by_the_names_of_data_sets(
    name: str, pattern: str, case: Callable[[str], str], tmp_path: Path
) -> None:
    task = find_task(name)
    wanted = {each: tmp_path / pattern.format(case(each)) for each in task.dataset_names}
    for path in (*wanted.values(), tmp_path / "notes.txt", tmp_path / ".headlines.swp"):
        path.touch()
    files = submission.output_files(task, tmp_path, None, {})
    assert files == wanted
    notes = submission.notes_on_names(task, files, None, {})
    for (each, path), note in zip(wanted.items(), notes, strict=True):
        assert note == f"{path.name} is taken as the output for {each}, which its name contains"
        assert submission.output_files(task, path, None, {}) == {each: path}
        with pytest.raises(InputError, match="--dataset with one of"):
            submission.output_files(task, path, None, {}, strict=True)
    with pytest.raises(InputError, match=f"pass --map {task.dataset_names[0]}="):
        submission.output_files(task, tmp_path, None, {}, strict=True)


def test_a_file_in_doubt_is_not_taken(tmp_path: Path) -> None:
    task = find_task("sts2014-es")
    for file, names in [
        ("newswire.txt", []),
        ("tweet-news.txt", ["news"]),
        ("NEWS1.txt", ["news"]),
        ("news.wikipedia.txt", ["wikipedia", "news"]),
        ("run1_news wikipedia", ["wikipedia", "news"]),
        ("STS.input.WIKIPEDIA.txt", ["wikipedia"]),
    ]:
        assert submission.occurring_names(task, file) == names
    assert submission.occurring_names(find_task("sts2014"), "tweet-news.txt") == ["tweet-news"]
    (tmp_path / "news-wikipedia.txt").touch()
    (tmp_path / "wikipedia.txt").touch()
    with pytest.raises(InputError) as error:
        submission.output_files(task, tmp_path, None, {})
    assert "found 2 files (news-wikipedia.txt, wikipedia.txt)" in str(error.value)
    assert "pass --map news=news-wikipedia.txt" in str(error.value)
    only = submission.output_files(task, tmp_path, None, {"news": "news-wikipedia.txt"})
    assert only["wikipedia"].name == "wikipedia.txt"


def test_the_gold_standard_is_never_taken_for_an_output(tmp_path: Path) -> None:
    for file in (SAMPLES / "sample-sts").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    with pytest.raises(InputError, match="found none, expected one output file for kitchen"):
        submission.score("sample-sts", tmp_path)
    for name, content in SCORES.items():
        (tmp_path / f"{name}-output.txt").write_bytes(content)
    assert submission.score("sample-sts", tmp_path).datasets


@pytest.mark.parametrize("pattern", ["STS.output.{}.txt", "{}.txt", "team_{}_run1.out", "{}-my"])
def test_a_similar_name_is_suggested(pattern: str, tmp_path: Path) -> None:
    task = find_task("sts2015")
    for name in task.dataset_names:
        (
            tmp_path / pattern.format(name.removesuffix("forums") + "forum" * ("forums" in name))
        ).touch()
    file = pattern.format("answers-forum")
    with pytest.raises(InputError, match=f"pass --map answers-forums={file}"):
        submission.output_files(task, tmp_path, None, {})


@pytest.mark.parametrize("blank", "-_ ")
def test_blanks_in_names_are_alike(blank: str, tmp_path: Path) -> None:
    task = find_task("sts2015")
    for name in task.dataset_names:
        (tmp_path / f"run1_{name.replace('-', blank)}.out").touch()
    files = submission.output_files(task, tmp_path, None, {})
    assert files["answers-forums"].name == f"run1_answers{blank}forums.out"
    files["answers-forums"].unlink()
    with pytest.raises(InputError) as error:
        submission.output_files(task, tmp_path, None, {})
    assert "--map" not in str(error.value)


def test_how_a_file_was_recognised_is_noted(tmp_path: Path) -> None:
    copies(tmp_path, kitchen="kitchen-output.txt", journeys="STS.output.journeys.txt")
    note = "kitchen-output.txt is taken as the output for kitchen, which its name contains"
    assert submission.score("sample-sts", tmp_path).notes[0] == note
    assert f"{tmp_path.name}: {note}" in compare("sample-sts", [tmp_path], resamples=100).notes
    mapping = {"kitchen": "kitchen-output.txt"}
    assert note not in submission.score("sample-sts", tmp_path, mapping=mapping).notes
