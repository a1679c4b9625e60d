"""Finding and verifying files on this machine."""

from __future__ import annotations

import gzip
import hashlib
import shutil
from pathlib import Path

import pytest

from stsbaselines.data import catalogue, find
from stsbaselines.data.catalogue import DataFile, Task
from stsbaselines.errors import InputError
from tests.data.pond import CLOSED, FILES, GOLD, INPUT, TASK

SAMPLE = catalogue.find_task("sample-sts")
KITCHEN = SAMPLE.dataset("kitchen")


def elsewhere() -> Task:
    """Return the sample task as if its files did not come with the package."""
    return SAMPLE.model_copy(
        update={"task": "elsewhere", "folders": ["somewhere", "official-archive", "."]}
    )


def put(folder: Path, content: bytes | None = None) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    target = folder / KITCHEN.files["gold"].name
    if content is None:
        shutil.copy(find.SAMPLES / "sample-sts" / target.name, target)
    else:
        target.write_bytes(content)
    return target


def test_directories_are_searched_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    task = elsewhere()
    places = [
        put(tmp_path / "cache" / "stsbaselines" / "data" / "somewhere"),
        put(Path("data") / "somewhere"),
        put(tmp_path / "environment" / "somewhere"),
        put(tmp_path / "option" / "somewhere"),
    ]
    assert find.require(task, KITCHEN, "gold") == places[1]
    monkeypatch.setenv(find.ENVIRONMENT, str(tmp_path / "environment"))
    assert find.require(task, KITCHEN, "gold") == places[2]
    assert find.require(task, KITCHEN, "gold", tmp_path / "option") == places[3]
    for place in places[:0:-1]:
        place.unlink()
    assert find.require(task, KITCHEN, "gold", tmp_path / "option") == places[0]


def test_layouts_of_official_archives_are_recognised(tmp_path: Path) -> None:
    place = put(tmp_path / "official-archive")
    assert find.require(elsewhere(), KITCHEN, "gold", tmp_path) == place


def test_a_right_file_is_preferred_to_a_wrong_one(tmp_path: Path) -> None:
    wrong = put(tmp_path / "somewhere", b"1\n")
    with pytest.raises(InputError) as error:
        find.require(elsewhere(), KITCHEN, "gold", tmp_path)
    found = hashlib.sha256(b"1\n").hexdigest()
    assert str(error.value) == (
        f"{wrong}: found sha256 {found}, expected sha256 {KITCHEN.files['gold'].sha256}"
    )
    right = put(tmp_path / "official-archive")
    assert find.require(elsewhere(), KITCHEN, "gold", tmp_path) == right


@pytest.mark.parametrize("kind", ["sha256", "git_blob"])
def test_a_packed_file_is_found_by_its_content(kind: str, tmp_path: Path) -> None:
    content = (find.SAMPLES / "sample-sts" / KITCHEN.files["gold"].name).read_bytes()
    blob = b"blob %d\0%b" % (len(content), content)
    checksums = {
        "sha256": hashlib.sha256(content).hexdigest(),
        "git_blob": hashlib.sha1(blob, usedforsecurity=False).hexdigest(),
    }
    wanted = DataFile.model_validate({"name": KITCHEN.files["gold"].name, kind: checksums[kind]})
    dataset = KITCHEN.model_copy(update={"files": {"gold": wanted}})
    path = packed(put(tmp_path / "somewhere"))
    assert find.require(elsewhere(), dataset, "gold", tmp_path) == path
    plain = put(tmp_path / "somewhere")
    assert find.require(elsewhere(), dataset, "gold", tmp_path) == plain
    plain.write_bytes(b"1\n")
    assert find.require(elsewhere(), dataset, "gold", tmp_path) == path
    plain.unlink()
    packed(put(tmp_path / "somewhere", b"1\n"))
    with pytest.raises(InputError, match="expected " + wanted.checksum):
        find.require(elsewhere(), dataset, "gold", tmp_path)


def packed(path: Path) -> Path:
    """Pack a file as gzip does: NAME becomes NAME.gz."""
    target = path.with_name(f"{path.name}.gz")
    target.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    return target


def test_a_damaged_packed_file_is_named(tmp_path: Path) -> None:
    path = packed(put(tmp_path / "somewhere"))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(InputError, match=r"\.txt\.gz: found damaged content, expected gzip data"):
        find.locate(elsewhere(), KITCHEN, "gold", tmp_path)


def test_another_file_of_that_name_in_the_directory_itself_is_not_meant(tmp_path: Path) -> None:
    put(tmp_path, b"1\n")
    assert find.locate(elsewhere(), KITCHEN, "gold", tmp_path).status == "missing"
    place = put(tmp_path)
    assert find.require(elsewhere(), KITCHEN, "gold", tmp_path) == place


def test_missing_data_says_where_to_get_it() -> None:
    task = catalogue.find_task("sts2013")
    with pytest.raises(InputError) as error:
        find.require(task, task.datasets[0], "input")
    message = str(error.value)
    assert "\n" not in message
    for part in ("sts2013-test/", task.source, "--data-dir", "$STSBASELINES_DATA", "make demo"):
        assert part in message
    assert "`stsbaselines data fetch sts2013`" in message


def test_restricted_sentences_have_their_own_source() -> None:
    task = catalogue.find_task("sts2013")
    with pytest.raises(InputError, match="Linguistic Data Consortium") as error:
        find.require(task, task.dataset("SMT"), "input")
    assert "data fetch" not in str(error.value)
    with pytest.raises(InputError, match="stswiki"):
        find.require(task, task.dataset("SMT"), "gold")


def test_a_directory_that_is_named_must_exist(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="nowhere: found no such directory"):
        list(find.directories("nowhere"))
    monkeypatch.setenv(find.ENVIRONMENT, "gone")
    with pytest.raises(InputError, match=r"\$STSBASELINES_DATA: gone"):
        list(find.directories())
    assert find.require(SAMPLE, KITCHEN, "gold").is_file()
    place = put(Path("given") / "somewhere")
    assert find.require(elsewhere(), KITCHEN, "gold", "given") == place


def test_verify_names_what_is_wrong_or_missing(tmp_path: Path) -> None:
    assert find.verify([TASK], tmp_path) == (["pond: not found"], [])
    assert "was not found" in str(find.verify([TASK], tmp_path, complete=True)[1][0])
    here = tmp_path / "pond-test"
    here.mkdir()
    for name, content in FILES.items():
        (here / name).write_bytes(content)
    right = ["pond: 2 of 3 files are right", f"pond: {CLOSED} was not found"]
    assert find.verify([TASK], tmp_path) == (right, [])
    (here / INPUT).write_bytes(b"y")
    (here / GOLD).unlink()
    messages = [str(fault) for fault in find.verify([TASK], tmp_path)[1]]
    assert f"{INPUT}: found sha256 " in messages[0]
    assert f"pond: {GOLD}: found no such file" in messages[1]
