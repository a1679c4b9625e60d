"""Importing what users have on disk: official files by their content, and labelled pairs."""

from __future__ import annotations

import gzip
import io
import json
import os
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stsbaselines.cli import main as cli
from stsbaselines.data import candidates, find, importing, recognition
from stsbaselines.data.catalogue import DataFile, Task, find_task, task_names
from stsbaselines.data.recognition import Right
from stsbaselines.errors import InputError
from stsbaselines.evaluation import formats
from stsbaselines.exports import RANGE, Export, read_export
from stsbaselines.io import PACKED
from stsbaselines.tasks import sts
from tests.helpers import run_command

SAMPLE = find_task("sample-sts")
SAMPLES = find.SAMPLES / "sample-sts"
NAMES = sorted(path.name for path in SAMPLES.iterdir())
GOLD, INPUT = "STS.gs.kitchen.txt", "STS.input.kitchen.txt"
PAIRS = [
    ("A man cuts an onion.", "A man is cutting onions.", 4.2),
    ("The café is open.", 'The "café" is open # now.', 3.8),
    ("It rains.", "The train was late.", 0.4),
]
TARGET = Path("mydata")


def content_of(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


def imported(path: Path) -> importing.Plan:
    """Import into `TARGET`."""
    plan = importing.plan(importing.recognise(path), TARGET)
    importing.place(plan)
    return plan


def refused(path: Path) -> str:
    """Import what is refused, and return the reason."""
    with pytest.raises(InputError) as error:
        imported(path)
    return str(error.value)


def on_the_command_line(path: Path, *options: str) -> subprocess.CompletedProcess[str]:
    done = run_command(["data", "import", str(path), "--to", str(TARGET), *options])
    assert "Traceback" not in done.stderr
    return done


def files_in(folder: Path) -> dict[str, bytes]:
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


OFFICIAL = {f"sample-sts/{name}": content_of(name) for name in NAMES}


def as_folder(place: Path) -> Path:
    """Put the files of the sample in a folder, under names that say nothing."""
    folder = place / "downloads"
    (folder / "deep" / "er").mkdir(parents=True)
    for number, name in enumerate(NAMES):
        shutil.copy(SAMPLES / name, folder / ("deep/er" if number % 2 else ".") / f"{number}.dat")
    return folder


def as_zip(place: Path) -> Path:
    with zipfile.ZipFile(place / "sample.zip", "w") as archive:
        for name in NAMES:
            archive.write(SAMPLES / name, f"test-gold/{name}")
    return place / "sample.zip"


def as_tar(place: Path) -> Path:
    with tarfile.open(place / "sample.data", "w:gz") as archive:
        archive.add(SAMPLES, "sample")
    return place / "sample.data"


def as_folder_with_zip(place: Path) -> Path:
    (place / "downloads").mkdir()
    as_zip(place / "downloads")
    return place / "downloads"


def as_packed_files(place: Path) -> Path:
    for number, name in enumerate(NAMES):
        path = place / f"{number}{PACKED[number % 2]}"
        path.write_bytes(formats.packed(content_of(name), path))
    return place


@pytest.mark.parametrize("lay", [as_folder, as_zip, as_tar, as_folder_with_zip, as_packed_files])
def test_official_files_are_recognised_by_their_content(
    lay: Callable[[Path], Path], tmp_path: Path
) -> None:
    place = tmp_path / "disk"
    place.mkdir()
    path = lay(place)
    plan = imported(path)
    assert files_in(TARGET) == OFFICIAL
    assert not any("missing" in note for note in plan.notes)


def test_the_command_says_what_was_found_and_where_it_goes(tmp_path: Path) -> None:
    path = tmp_path / "any.txt"
    shutil.copy(SAMPLES / GOLD, path)
    done = on_the_command_line(path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines() == [
        "found    task        data set    is     goes to                        state",
        "-------  ----------  ----------  -----  -----------------------------  -------",
        "any.txt  sample-sts  kitchen     right  sample-sts/STS.gs.kitchen.txt  new",
        "",
        "Files that were looked at: 1; in the table: 1.",
        "mydata is only searched where --data-dir or $STSBASELINES_DATA names it.",
        "1 of 1 files were put into mydata",
    ]
    assert files_in(TARGET) == {f"sample-sts/{GOLD}": content_of(GOLD)}


def test_by_default_the_users_cache_is_the_target() -> None:
    importing.place(importing.plan(importing.recognise(SAMPLES)))
    assert files_in(find.cache_directory()) == OFFICIAL


@pytest.mark.parametrize("again", [SAMPLES, TARGET])
def test_a_second_import_changes_nothing(again: Path) -> None:
    imported(SAMPLES)
    before = {path: path.stat().st_mtime_ns for path in TARGET.rglob("*")}
    assert [row["state"] for row in imported(again).rows] == ["already there"] * 4
    assert {path: path.stat().st_mtime_ns for path in TARGET.rglob("*")} == before


def test_a_dry_run_says_the_same_and_writes_nothing() -> None:
    done = on_the_command_line(SAMPLES, "--dry-run")
    assert done.returncode == 0
    assert "4 of 4 files would be put into mydata" in done.stdout
    assert not TARGET.exists()


def test_another_file_is_never_replaced() -> None:
    other = TARGET / "sample-sts" / GOLD
    other.parent.mkdir(parents=True)
    other.write_bytes(b"mine\n")
    done = on_the_command_line(SAMPLES)
    assert done.returncode == 2
    assert "another file is there" in done.stdout
    assert done.stderr == f"{other}: found another file, expected nothing, or what {GOLD} has\n"
    assert files_in(TARGET) == {f"sample-sts/{GOLD}": b"mine\n"}
    other.unlink()
    other.symlink_to("gone")
    assert "found another file" in refused(SAMPLES)


CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "Windows line endings": lambda text: text.replace(b"\n", b"\r\n"),
    "a byte order mark": lambda text: b"\xef\xbb\xbf" + text,
    "no newline at the end": lambda text: text[:-1],
    "empty lines at the end": lambda text: text + b"\n\n",
    "an encoding that is not UTF-8": lambda text: text.decode().encode("latin-1"),
    "UTF-16": lambda text: text.decode().encode("utf-16"),
    "a byte order mark and Windows line endings and no newline at the end": lambda text: (
        b"\xef\xbb\xbf" + text[:-1].replace(b"\n", b"\r\n")
    ),
}


@pytest.mark.parametrize("change", CHANGES)
def test_what_programs_change_is_undone(change: str, tmp_path: Path) -> None:
    (tmp_path / INPUT).write_bytes(CHANGES[change](content_of(INPUT)))
    assert imported(tmp_path / INPUT).rows[0]["is"] == f"right, without {change}"
    assert files_in(TARGET) == {f"sample-sts/{INPUT}": content_of(INPUT)}


WRONG = {
    "12 lines, as the official file has, but other text": content_of(INPUT).replace(b".", b" ."),
    "7 lines: cut short, for the official file has 12": content_of(INPUT)[:500],
    "13 lines, where the official file has 12": content_of(INPUT) + b"a\tb\n",
    "an empty file": b"\n",
    "a web page": b"<!DOCTYPE html><title>404</title>",
    "a pointer of Git LFS": b"version https://git-lfs.github.com/spec/v1\nsize 100\n",
    "binary data": bytes(range(256)),
    "text: perhaps tokenised; also Windows line endings": content_of(INPUT)
    .replace(b".", b" .")
    .replace(b"\n", b"\r\n"),
}


@pytest.mark.parametrize("reason", WRONG)
def test_a_changed_file_is_refused_with_the_likely_reason(reason: str, tmp_path: Path) -> None:
    path = tmp_path / INPUT
    path.write_bytes(WRONG[reason])
    message = refused(path)
    assert message.startswith(f"{path}: found ")
    assert reason in message
    assert message.endswith(f"expected the official {INPUT} of sample-sts")


def test_right_files_are_imported_beside_wrong_ones(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    shutil.copy(SAMPLES / GOLD, tmp_path / "a" / GOLD)
    (tmp_path / "a" / INPUT).write_bytes(b"cut\tshort\n")
    plan = imported(tmp_path / "a")
    assert [row["is"] for row in plan.rows] == ["right", "wrong"]
    assert (
        f"{INPUT}: 1 lines: cut short, for the official file has 12;"
        f" it is not the official {INPUT} of sample-sts."
    ) in plan.notes
    assert files_in(TARGET) == {f"sample-sts/{GOLD}": content_of(GOLD)}


def test_a_right_copy_is_taken_once_and_makes_wrong_ones_not_matter(tmp_path: Path) -> None:
    for name, content in (("a", b"cut\n"), ("b", content_of(GOLD)), ("c", content_of(GOLD))):
        (tmp_path / name).mkdir()
        (tmp_path / name / GOLD).write_bytes(content)
    crlf = content_of(GOLD).replace(b"\n", b"\r\n")
    (tmp_path / "a" / GOLD).write_bytes(crlf)
    found = importing.recognise(tmp_path)
    assert (list(found.right), found.wrong, found.looked_at) == ([f"b/{GOLD}"], {}, 3)


def year(number: int, restricted: bool = False) -> Task:
    """Return a task whose data sets have the names of those of another year."""
    texts = {"input": b"one\ttwo\n" * number, "gold": b"1\n" * number}
    index = {role: recognition._checksums(text)[0].split()[1] for role, text in texts.items()}
    files = {
        role: DataFile(name=SAMPLE.datasets[0].files[role].name, sha256=checksum)
        for role, checksum in index.items()
    }
    dataset = SAMPLE.datasets[0].model_copy(
        update={"files": files, "pairs": number, "restricted": restricted, "licence": "mine alone"}
    )
    folders = [f"year{number}-test", f"Year{number}-en-test/gold"]
    update = {"task": f"year{number}", "folders": folders, "datasets": [dataset]}
    return SAMPLE.model_copy(update=update)


def test_one_name_in_several_years_is_told_apart(tmp_path: Path) -> None:
    index = recognition.Index([year(2), year(3), year(4)])

    def meant(content: bytes, name: str) -> list[str]:
        found = index.recognise(content, name)
        assert found is not None
        return [each.task.task for each in found.wanted]

    assert meant(b"1\n" * 3, GOLD) == ["year3"]
    assert meant(b"5\n" * 3, GOLD) == ["year3"]
    assert meant(b"5\n" * 3, f"Year2-en-test/{GOLD}") == ["year2"]
    assert meant(b"5\n" * 9, GOLD) == ["year2", "year3", "year4"]


def test_missing_files_and_licences_are_said(tmp_path: Path) -> None:
    (tmp_path / INPUT).write_bytes(b"one\ttwo\n" * 2)
    found = importing.recognise(tmp_path, [year(2, restricted=True), year(3)])
    notes = importing.plan(found, TARGET).notes
    assert f"{INPUT} may not be passed on (mine alone)." in notes
    assert f"year2: still missing: {GOLD}." in notes
    assert not any("year3" in note for note in notes)


def test_what_is_missing_of_restricted_data_has_its_source(tmp_path: Path) -> None:
    (tmp_path / GOLD).write_bytes(b"1\n" * 2)
    found = importing.recognise(tmp_path, [year(2, restricted=True)])
    missing = f"year2: still missing: {INPUT} (from {SAMPLE.source})."
    assert missing in importing.plan(found, TARGET).notes


def test_what_is_there_already_is_not_missing(tmp_path: Path) -> None:
    (tmp_path / GOLD).write_bytes(b"1\n" * 2)
    (TARGET / "year2-test").mkdir(parents=True)
    (TARGET / "year2-test" / INPUT).write_bytes(b"one\ttwo\n" * 2)
    notes = importing.plan(importing.recognise(tmp_path, [year(2)]), TARGET).notes
    assert not any("missing" in note for note in notes)


def test_gits_object_id_will_do(tmp_path: Path) -> None:
    file = DataFile(name="train.data", git_blob="814f4a422927b82f5f8a43f8fab6d3839e3983f2")
    dataset = SAMPLE.datasets[0].model_copy(update={"files": {"input": file}})
    task = SAMPLE.model_copy(update={"datasets": [dataset], "folders": ["here"]})
    (tmp_path / "any").write_bytes(b"one\ntwo\n")
    found = importing.recognise(tmp_path, [task])
    assert [row["goes to"] for row in importing.plan(found, TARGET).rows] == ["here/train.data"]


def test_a_file_whose_checksum_is_not_known_is_recognised_by_its_name(tmp_path: Path) -> None:
    name = "baseline_logisticregression.model"
    (tmp_path / name).write_bytes(b"weights\n")
    (row,) = importing.plan(importing.recognise(tmp_path), TARGET).rows
    assert (row["is"], row["goes to"]) == ("not verified", f"pit2015/{name}")


def test_nothing_known_is_one_sentence(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("letters")
    message = refused(tmp_path)
    assert message.startswith(f"{tmp_path}: found 3 files that are no data set, expected official")
    assert "\n" not in message
    (tmp_path / "empty").mkdir()
    assert "found 0 files" in refused(tmp_path / "empty")
    assert not TARGET.exists()


def loop(path: Path) -> None:
    path.symlink_to(path)


def broken_zip(path: Path) -> None:
    path.write_bytes(as_zip(path.parent).read_bytes()[:200])


def huge(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(1 << 40)


BAD: dict[str, tuple[Callable[[Path], object], str]] = {
    "loop": (loop, "found Too many levels of symbolic links"),
    "pipe": (os.mkfifo, "found a pipe or a device, expected a regular file"),
    "broken zip": (broken_zip, "damaged or truncated content"),
    "huge": (huge, "found a file larger than data sets are, expected at most 16 MiB"),
    "missing": (lambda path: None, "found nothing there"),
    "link to nothing": (lambda path: path.symlink_to("gone"), "found No such file"),
}


@pytest.mark.parametrize("fault", BAD)
def test_bad_input_is_one_sentence(fault: str, tmp_path: Path) -> None:
    path = tmp_path / "data.bin"
    make, reason = BAD[fault]
    make(path)
    message = refused(path)
    assert message.startswith(f"{path}: ")
    assert reason in message
    assert "\n" not in message
    assert not TARGET.exists()


def test_bad_files_do_not_keep_good_ones_from_being_imported(tmp_path: Path) -> None:
    folder = as_folder(tmp_path)
    for name, (make, _) in BAD.items():
        make(folder / name)
    (folder / "zipped.txt.gz").write_bytes(gzip.compress(b"text")[:-1])
    (folder / "bomb.gz").write_bytes(gzip.compress(bytes(1 << 25)))
    (folder / "folder").symlink_to(folder)
    printed = "\n".join(imported(folder).notes)
    assert files_in(TARGET) == OFFICIAL
    for reason in (
        *(reason for name, (_, reason) in BAD.items() if name != "missing"),
        "zipped.txt.gz: found damaged content, expected gzip data",
        "bomb.gz: found a file larger than data sets are",
        "folder: found a link to a folder, expected the folder itself",
    ):
        assert reason in printed


def test_an_endless_folder_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(candidates, "MOST_FILES", 3)
    with pytest.raises(InputError, match="found more than 3 files"):
        importing.recognise(SAMPLES)
    monkeypatch.setattr(candidates, "DEEPEST", 2)
    (tmp_path / "1" / "2" / "3").mkdir(parents=True)
    with pytest.raises(InputError, match="1/2: found more than 2 folders below each other"):
        importing.recognise(tmp_path)


def test_a_name_that_a_terminal_would_obey_is_harmless(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("x/\033[31m\r\n.txt", content_of(GOLD))
    assert list(importing.recognise(tmp_path).right) == ["a.zip/x/?[31m??.txt"]


@pytest.mark.parametrize("place", [".", "sample-sts"])
def test_a_target_that_is_no_folder_is_refused(place: str) -> None:
    obstacle = TARGET / place
    obstacle.parent.mkdir(exist_ok=True)
    obstacle.write_text("mine")
    assert str(obstacle) in refused(SAMPLES)
    assert obstacle.read_text() == "mine"
    assert [*TARGET.parent.glob(".*")] == [*TARGET.glob(".*")] == []


def test_a_target_that_leads_to_itself_is_refused() -> None:
    TARGET.symlink_to(TARGET.absolute())
    assert str(TARGET) in refused(SAMPLES)


def test_nothing_is_put_in_place_if_not_all_can_be_written(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = importing.plan(importing.recognise(SAMPLES), TARGET)
    write = Path.write_bytes

    def full(path: Path, content: bytes) -> int:
        if path.name == "3":
            raise OSError(28, "No space left on device", str(path))
        return write(path, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(InputError, match="No space left on device"):
        importing.place(plan)
    assert not TARGET.exists()


def test_what_was_put_in_place_is_taken_back_if_not_all_can_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    plan = importing.plan(importing.recognise(SAMPLES), TARGET)
    last = plan.placements[-1].path

    def put(part: Path, target: Path) -> None:
        if target == last:
            raise OSError(28, "No space left on device", str(part))
        part.replace(target)

    monkeypatch.setattr(importing, "put_in_place", put)
    TARGET.mkdir()
    (TARGET / "mine.txt").write_text("kept")
    with pytest.raises(InputError, match="No space left on device"):
        importing.place(plan)
    assert [each.name for each in TARGET.iterdir()] == ["mine.txt"]


def test_a_web_page_is_no_model_of_any_name() -> None:
    Path("baseline_logisticregression.model").write_bytes(b"<!DOCTYPE html><p>Not found")
    assert "a web page" in refused(Path("baseline_logisticregression.model"))


def benchmark(pairs: Sequence[tuple[str, str, object]]) -> bytes:
    rows = [
        f"main-captions\tMSRvid\t2012test\t{number:04}\t{score}\t{left}\t{right}\n"
        for number, (left, right, score) in enumerate(pairs)
    ]
    return "".join(rows).encode()


def companion(pairs: Sequence[tuple[str, str, object]]) -> bytes:
    return benchmark(pairs).replace(b"main-captions\t", b"")


def json_lines(pairs: Sequence[tuple[str, str, object]], field: str = "score") -> bytes:
    rows = [
        json.dumps({"id": 7, "sentence1": left, "sentence2": right, field: score}) + "\n"
        for left, right, score in pairs
    ]
    return "".join(rows).encode()


def table(pairs: Sequence[tuple[str, str, object]], field: str = "score") -> bytes:
    rows = [f"{left}\t7\t{right}\t{score}" for left, right, score in pairs]
    return "\n".join([f"sentence1\tindex\tsentence2\t{field}", *rows, ""]).encode()


def parquet(
    pairs: Sequence[tuple[str | None, str, object]], field: str = "score", kind: str = "float32"
) -> bytes:
    lefts, rights, scores = zip(*pairs, strict=True)
    columns = {"sentence1": pyarrow.array(lefts, "string"), "sentence2": rights}
    columns |= {"idx": list(range(len(pairs))), field: pyarrow.array(scores, kind)}
    stream = io.BytesIO()
    pyarrow.parquet.write_table(pyarrow.table(columns), stream)
    return stream.getvalue()


EXPORTS = {
    "sts-dev.csv": benchmark(PAIRS),
    "sts-other.csv": companion(PAIRS),
    "mine.jsonl": json_lines(PAIRS),
    "mine.json": json_lines(PAIRS, "similarity_score"),
    "mine.tsv": table(PAIRS, "label"),
    "mine.csv": table(PAIRS).replace(b"\n", b"\r\n"),
    "mine.parquet": parquet(PAIRS),
    "half.parquet": parquet([(a, b, np.float16(c)) for a, b, c in PAIRS], "label", "float16"),
}


@pytest.mark.parametrize("name", EXPORTS)
def test_labelled_pairs_become_official_files(name: str) -> None:
    found = read_export(EXPORTS[name], name, name)
    assert found is not None
    assert found.pairs == len(PAIRS)
    assert found.input.decode() == "".join(f"{left}\t{right}\n" for left, right, _ in PAIRS)
    assert found.gold == b"4.2\n3.8\n0.4\n"


def test_an_own_data_set_can_be_predicted(tmp_path: Path) -> None:
    (tmp_path / "my pairs.jsonl").write_bytes(json_lines(PAIRS))
    notes = imported(tmp_path / "my pairs.jsonl").notes
    path = TARGET / "own" / "my-pairs" / "STS.input.my-pairs.txt"
    command = f"predict token-cosine {path} -o STS.output.my-pairs.txt"
    assert f"my-pairs: go on with `stsbaselines {command}`." in notes
    assert run_command(command.split()).returncode == 0
    gold = path.with_name("STS.gs.my-pairs.txt")
    dataset = SAMPLE.datasets[0].model_copy(update={"pairs": len(PAIRS)})
    assert sts.FAMILY.read_gold(gold, SAMPLE, dataset).tolist() == [score for *_, score in PAIRS]
    again = imported(tmp_path / "my pairs.jsonl")
    assert [row["state"] for row in again.rows] == ["already there"] * 2


def test_scores_of_an_export_stay_as_they_stand() -> None:
    found = read_export(benchmark([("a", "b", "3.800"), ("c", "d", "5")]), "a.csv", "a.csv")
    assert found is not None
    assert found.gold == b"3.800\n5\n"
    low = read_export(json_lines([("a", "b", 0.25), ("c", "d", 1)]), "a.jsonl", "a.jsonl")
    assert low is not None
    assert low.gold == b"0.25\n1\n"
    assert low.notes == (
        "no score is over 1: they may be normalised to 0-1, and are taken as they are",
    )


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("glue/stsb/train-00000-of-00001.parquet", "stsb-train"),
        ("data/train-00000-of-00002.parquet", "train-00000-of-00002"),
        ("test.parquet", "test"),
        ("../x/. my;pairs$(rm).parquet", "my-pairs-rm"),
    ],
)
def test_an_own_data_set_is_named_by_its_file(path: str, name: str) -> None:
    found = read_export(parquet(PAIRS), path, path)
    assert found is not None
    assert found.name == name


def test_an_own_data_set_is_named_by_the_folder_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "sick").mkdir()
    (tmp_path / "sick" / "train.jsonl").write_bytes(json_lines(PAIRS))
    for path in (tmp_path / "sick", tmp_path / "sick" / "train.jsonl", tmp_path):
        assert [each.name for each in importing.recognise(path).exports] == ["sick-train"]


@pytest.mark.parametrize("arguments", [[""], [".", "--to", ""]])
def test_an_empty_argument_is_refused(arguments: list[str]) -> None:
    with pytest.raises(InputError, match="is empty, but must name a place"):
        cli.app(["data", "import", *arguments], standalone_mode=False)


def test_two_data_sets_of_one_name_are_refused_unless_they_are_the_same(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "pairs.jsonl").write_bytes(json_lines(PAIRS))
    assert len(importing.recognise(tmp_path).exports) == 1
    (tmp_path / "b" / "pairs.jsonl").write_bytes(json_lines(PAIRS[:1]))
    message = refused(tmp_path)
    assert "found a/pairs.jsonl and b/pairs.jsonl for pairs" in message
    assert not TARGET.exists()


BAD_EXPORTS = {
    "a score of 7": (
        "a.jsonl",
        json_lines([*PAIRS, ("a", "b", 7)]),
        "line 4: found '7'",
    ),
    "a hidden label": ("a.parquet", parquet([("a", "b", -1)], "label"), "row 1: found '-1'"),
    "a NaN": ("a.parquet", parquet([("a", "b", float("nan"))]), "row 1: found 'nan'"),
    "no score": ("a.parquet", parquet([("a", "b", None)]), "row 1: found 'nan'"),
    "a null": ("a.jsonl", json_lines([("a", "b", None)]), "line 1: found nothing at score"),
    "a text": (
        "a.jsonl",
        json_lines([("a", "b", "4")]),
        "found a text at score",
    ),
    "a truth": ("a.jsonl", json_lines([("a", "b", True)]), "found true at score"),
    "NaN in JSON": ("a.jsonl", json_lines([("a", "b", float("nan"))]), "line 1: found"),
    "a decimal comma": ("a.tsv", table([("a", "b", "4,5")]), "line 2: found '4,5'"),
    "no sentence": ("a.jsonl", json_lines([(" ", "b", 4)]), "found no sentence at sentence1"),
    "a null sentence": (
        "a.parquet",
        parquet([(None, "b", 4)]),
        "found nothing at sentence1",
    ),
    "a TAB": ("a.jsonl", json_lines([("a\tb", "c", 4)]), "a TAB, a newline or another"),
    "a mark": ("a.jsonl", json_lines([("\ufeffa", "c", 4)]), "a TAB, a newline or another"),
    "half a pair": ("a.jsonl", json_lines([("\ud800", "c", 4)]), "a TAB, a newline or another"),
    "a long line": ("a.parquet", parquet([("a" * (1 << 20), "b", 4)]), "row 1: found over 1 MiB"),
    "Latin-1": ("a.tsv", table(PAIRS).decode().encode("latin-1"), "bytes that are not UTF-8"),
    "classes": ("a.jsonl", json_lines([("a", "b", 1), ("c", "d", 0)], "label"), "may be classes"),
    "a text column": (
        "a.parquet",
        parquet([("a", "b", "4")], kind="string"),
        "string in the",
    ),
    "a truth column": ("a.parquet", parquet([("a", "b", True)], kind="bool"), "bool in the"),
    "two scores": (
        "a.tsv",
        table(PAIRS, "score\tlabel"),
        "found the columns sentence1, sentence2, score, label",
    ),
    "fewer columns": ("a.tsv", table(PAIRS) + b"1\ta\n", "line 5: found 2 TAB-separated columns"),
    "short benchmark": ("a.csv", benchmark(PAIRS) + b"a\tb\n", "line 4: found 2 TAB-separated"),
    "commas": ("a.csv", b'id,"sentence1",sentence2,score\n', "found columns with commas between"),
    "a header alone": ("a.tsv", table([]), "found no pairs"),
    "no rows": ("a.parquet", parquet(PAIRS)[:0], "damaged content"),
    "a JSON list": ("a.json", b"[" + json_lines(PAIRS[:1]).strip() + b"]", "found a list"),
    "broken JSON": ("a.jsonl", json_lines(PAIRS)[:-3], "line 3: found"),
    "broken at once": ("a.jsonl", json_lines(PAIRS)[:30], "line 1: found"),
    "broken Parquet": ("a.parquet", parquet(PAIRS)[:-9], "found damaged content"),
}


@pytest.mark.parametrize("fault", BAD_EXPORTS)
def test_bad_labelled_pairs_are_refused(fault: str) -> None:
    name, content, reason = BAD_EXPORTS[fault]
    with pytest.raises(InputError) as error:
        read_export(content, name, name)
    assert reason in str(error.value)
    assert str(error.value).startswith(name)


def test_bad_labelled_pairs_give_no_file(tmp_path: Path) -> None:
    for number, (name, content, _) in enumerate(BAD_EXPORTS.values()):
        (tmp_path / f"{number}{name}").write_bytes(content)
    done = on_the_command_line(tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "expected a score from 0 to 5" in done.stderr
    assert not TARGET.exists()


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("package.json", b'{"name": "sentence1"}\n'),
        ("nli.jsonl", b'{"sentence1": "a", "sentence2": "b", "gold_label": "neutral"}\n'),
        ("sources.tsv", b"sentence1\tsentence2\tauthor\n"),
        ("other.parquet", parquet(PAIRS, "premise")),
        ("numbers.csv", b"1,2,3\n"),
    ],
)
def test_other_data_is_left_alone(name: str, content: bytes) -> None:
    assert read_export(content, name, name) is None


def check_whatever(content: bytes, name: str) -> None:
    """Read what may be anything: it is refused, or gives whole pairs with scores in the range."""
    try:
        found = read_export(content, name, name)
    except InputError:
        return
    if isinstance(found, Export):
        pairs = list(sts.pairs_of(io.BytesIO(found.input), name))
        scores = [float(line) for line in found.gold.splitlines()]
        assert len(pairs) == len(scores) == found.pairs > 0
        assert all(RANGE[0] <= score <= RANGE[1] for score in scores)


@given(st.binary(), st.sampled_from([*EXPORTS]))
def test_any_bytes_are_refused_or_read(content: bytes, name: str) -> None:
    check_whatever(content, name)
    check_whatever(EXPORTS[name] + content, name)


@settings(max_examples=300)
@given(st.data())
def test_damaged_labelled_pairs_are_refused_or_read(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([*EXPORTS]))
    content = bytearray(EXPORTS[name])
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(content) - 1))
        content[place : place + data.draw(st.integers(0, 9))] = data.draw(st.binary(max_size=9))
        content = content or bytearray(b"x")
    check_whatever(bytes(content), name)


TEXTS = st.text(st.characters(codec="utf-8"), min_size=1)


@given(st.lists(st.tuples(TEXTS, TEXTS, st.floats(0, 5, width=32)), min_size=1))
def test_what_is_read_is_what_was_written(pairs: list[tuple[str, str, float]]) -> None:
    for name, content in (("a.jsonl", json_lines(pairs)), ("a.parquet", parquet(pairs))):
        try:
            found = read_export(content, name, name)
        except InputError:
            assert any(
                not text.strip() or set(text) & set("\t\n\r\0\ufeff")
                for left, right, _ in pairs
                for text in (left, right)
            )
            continue
        assert found is not None
        read = list(sts.pairs_of(io.BytesIO(found.input), name))
        assert read == [(left, right) for left, right, _ in pairs]
        kind = np.float32 if name == "a.parquet" else float
        assert [kind(line) for line in found.gold.split()] == [score for *_, score in pairs]


OFFICIAL_FILES = [
    wanted
    for wanted in recognition.files_of([find_task(name) for name in task_names()])
    if wanted.dataset is not None and not wanted.task.is_sample
]


def official_contents(data: Path) -> Iterator[tuple[recognition.Wanted, bytes]]:
    for wanted in OFFICIAL_FILES:
        assert wanted.dataset is not None
        path = find.locate(wanted.task, wanted.dataset, wanted.role, data).path
        if path is not None:
            yield wanted, path.read_bytes()


@pytest.mark.official
def test_official_files_are_as_is_said_of_them(official_data: Path) -> None:
    index = recognition.Index([wanted.task for wanted in OFFICIAL_FILES])
    for wanted, content in official_contents(official_data):
        assert len(content) <= recognition.LARGEST
        assert wanted.lines in (None, content.count(b"\n")), wanted.file.name
        found = index.recognise(content.replace(b"\n", b"\r\n"), wanted.file.name)
        assert isinstance(found, Right)
        assert (found.content, found.undone) == (content, "Windows line endings")


@pytest.mark.official
def test_archives_of_the_official_data_are_imported(
    official_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "downloads").mkdir()
    here = set()
    for number, (wanted, content) in enumerate(official_contents(official_data)):
        folders = [folder for folder in wanted.task.folders if folder != "."]
        here.add(wanted.task.task)
        with zipfile.ZipFile(tmp_path / "downloads" / f"{wanted.task.task}.zip", "a") as archive:
            archive.writestr(f"{folders[-1]}/{number}-{wanted.file.name}", content)
    if "sts2015" not in here:
        pytest.skip("needs the official data of sts2015")
    monkeypatch.delenv(find.ENVIRONMENT)
    plan = imported(tmp_path / "downloads")
    assert {row["is"] for row in plan.rows} == {"right"}
    verified = run_command(["data", "verify", "--data-dir", str(TARGET), *sorted(here)])
    assert (verified.returncode, verified.stderr) == (0, "")
    done = run_command(["run", "sts2015", "--data-dir", str(TARGET)])
    rows = [line.split() for line in done.stdout.splitlines() if line.startswith("token-cosine")]
    assert [row[-1] for row in rows] == ["exact"] * 6


@pytest.mark.official
def test_tokenised_copies_are_told_from_the_official_files(
    official_data: Path, tmp_path: Path
) -> None:
    names = [f"sts{number}" for number in range(2012, 2017)]
    files = [each for each in official_contents(official_data) if each[0].task.task in names]
    if not files:
        pytest.skip(f"needs the official data of {', '.join(names)}")
    for wanted, content in files:
        copy = content.replace(b".", b" .") if wanted.role == "input" else content
        folder = tmp_path / "STS" / f"STS{wanted.task.task[-2:]}-en-test"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / wanted.file.name.replace("STS2016", "STS")).write_bytes(copy)
    found = importing.recognise(tmp_path)
    golds = [wanted.file for wanted, _ in files if wanted.role == "gold"]
    assert sorted(each.name for right in found.right.values() for *_, each in right.wanted) == (
        sorted(each.name for each in golds)
    )
    assert len(found.wrong) == len(files) - len(golds)
    for name, each in found.wrong.items():
        assert len(each.wanted) == 1, name
        assert f"sts20{name[7:9]}" == each.wanted[0].task.task
        assert "perhaps tokenised" in each.found


@pytest.mark.official
def test_the_sts_benchmark_is_read(official_data: Path) -> None:
    if not (official_data / "stsbenchmark").is_dir():
        pytest.skip("needs stsbenchmark")
    found = importing.recognise(official_data / "stsbenchmark")
    pairs = {each.name: each.pairs for each in found.exports}
    assert pairs == {"sts-train": 5749, "sts-dev": 1500, "sts-test": 1379}
    assert found.unusable == ()
