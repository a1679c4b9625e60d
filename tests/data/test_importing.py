"""Importing official files that a user has on disk: they are recognised by checksum."""

from __future__ import annotations

import gzip
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from stsbaselines.data import find, importing
from stsbaselines.data.catalogue import DataFile, Task, find_task, git_blob_of, sha256_of
from stsbaselines.errors import InputError
from tests.helpers import command_refusal, run_command, tarred, zipped

SAMPLES = find.SAMPLES / "sample-sts"
NAMES = sorted(path.name for path in SAMPLES.iterdir())
GOLD, INPUT = "STS.gs.kitchen.txt", "STS.input.kitchen.txt"
TARGET = Path("mydata")


def content_of(name: str) -> bytes:
    return (SAMPLES / name).read_bytes()


OFFICIAL = {f"sample-sts/{name}": content_of(name) for name in NAMES}


def imported(path: Path) -> importing.Plan:
    plan = importing.plan(path, TARGET)
    importing.place(plan)
    return plan


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as error:
        imported(path)
    return str(error.value)


def files_in(folder: Path) -> dict[str, bytes]:
    paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def as_folder(place: Path) -> Path:
    """Put the files of the sample in a folder, under other names."""
    (place / "deep" / "er").mkdir(parents=True)
    for number, name in enumerate(NAMES):
        shutil.copy(SAMPLES / name, place / ("deep/er" if number % 2 else ".") / f"{number}.dat")
    return place


def as_zip(place: Path) -> Path:
    path = place / "sample.zip"
    path.write_bytes(zipped(*((f"test-gold/{name}", content_of(name)) for name in NAMES)))
    return path


def as_tar(place: Path) -> Path:
    path = place / "sample.data"
    path.write_bytes(tarred(*((f"../{name}", content_of(name)) for name in NAMES)))
    return path


def as_folder_with_zip(place: Path) -> Path:
    as_zip(place)
    return place


def as_packed_files(place: Path) -> Path:
    for name in NAMES:
        (place / f"{name}.gz").write_bytes(gzip.compress(content_of(name)))
    return place


@pytest.mark.parametrize("lay", [as_folder, as_zip, as_tar, as_folder_with_zip, as_packed_files])
def test_official_files_are_recognised_under_any_name(
    lay: Callable[[Path], Path], tmp_path: Path
) -> None:
    place = tmp_path / "disk"
    place.mkdir()
    plan = imported(lay(place))
    assert files_in(TARGET) == OFFICIAL
    assert (plan.others, plan.unreadable) == ((), ())


def test_by_default_the_users_cache_is_the_target() -> None:
    importing.place(importing.plan(SAMPLES))
    assert files_in(find.cache_directory()) == OFFICIAL


def test_a_dry_run_shows_what_would_be_imported(
    tmp_path: Path, command_output: Callable[..., str]
) -> None:
    path = tmp_path / "my.zip"
    path.write_bytes(zipped(("a/any.txt", content_of(GOLD)), ("read\nme", b"x")))
    lines = command_output(
        "data", "import", str(path), "--to", str(TARGET), "--dry-run"
    ).splitlines()
    assert lines[2].split() == ["a/any.txt", "sample-sts", f"sample-sts/{GOLD}", "new"]
    assert r"read\nme: not an official file" in lines
    assert lines[-1] == "1 of 1 files would be imported into mydata"
    assert not TARGET.exists()


@pytest.mark.parametrize("again", [SAMPLES, TARGET])
def test_a_second_import_changes_nothing(again: Path) -> None:
    imported(SAMPLES)
    before = {path: path.stat().st_mtime_ns for path in TARGET.rglob("*")}
    assert [each.state for each in imported(again).placements] == ["already there"] * 4
    assert {path: path.stat().st_mtime_ns for path in TARGET.rglob("*")} == before


def test_another_file_is_never_replaced() -> None:
    other = TARGET / "sample-sts" / GOLD
    other.parent.mkdir(parents=True)
    other.write_bytes(b"mine\n")
    done = run_command(["data", "import", str(SAMPLES), "--to", str(TARGET)])
    assert done.returncode == 2
    assert "another file is there" in done.stdout
    assert done.stderr == f"{other}: found another file, expected nothing, or what {GOLD} has\n"
    assert files_in(TARGET) == {f"sample-sts/{GOLD}": b"mine\n"}
    other.unlink()
    other.symlink_to("gone")
    assert "found another file" in refusal(SAMPLES)


def task_with(content: bytes, file: DataFile) -> Task:
    """Return a task with one restricted file."""
    sample = find_task("sample-sts")
    dataset = sample.datasets[0].model_copy(update={"files": {"input": file}, "restricted": True})
    assert file.checksum_of(content) == file.checksum
    update = {"task": "mine", "folders": ["mine-test"], "datasets": [dataset]}
    return sample.model_copy(update=update)


@pytest.mark.parametrize("kind", ["sha256", "git_blob"])
def test_restricted_files_are_imported_from_the_users_copy(
    kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = b"Nobody\tmay pass this on.\n"
    checksum = sha256_of(content) if kind == "sha256" else git_blob_of(content)
    file = DataFile.model_validate({"name": "closed.txt", kind: checksum.split()[-1]})
    monkeypatch.setattr(importing, "task_names", lambda: ["mine"])
    monkeypatch.setattr(importing, "find_task", lambda _: task_with(content, file))
    (tmp_path / "any").write_bytes(content)
    assert [each.restricted for each in imported(tmp_path / "any").placements] == [True]
    assert files_in(TARGET) == {"mine-test/closed.txt": content}


def test_edited_copies_are_not_official(tmp_path: Path) -> None:
    (tmp_path / GOLD).write_bytes(content_of(GOLD))
    (tmp_path / INPUT).write_bytes(content_of(INPUT).replace(b"\n", b"\r\n"))
    (tmp_path / ".hidden").write_bytes(b"x")
    assert imported(tmp_path).others == (INPUT,)
    assert files_in(TARGET) == {f"sample-sts/{GOLD}": content_of(GOLD)}


def test_it_is_an_error_if_nothing_is_official(tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.txt").write_text("letters")
    assert refusal(tmp_path) == (
        f"{tmp_path}: found 3 files, none of them official, expected official files of"
        " `stsbaselines data list`"
    )
    (tmp_path / "empty").mkdir()
    assert "found 0 files" in refusal(tmp_path / "empty")
    assert "found nothing there" in refusal(tmp_path / "gone")
    assert not TARGET.exists()


def test_unreadable_files_do_not_prevent_the_import_of_others(tmp_path: Path) -> None:
    folder = as_folder(tmp_path / "downloads")
    (folder / "link").symlink_to("gone")
    (folder / "folder").symlink_to(folder)
    os.mkfifo(folder / "pipe")
    (folder / "a.txt.gz").write_bytes(gzip.compress(b"text")[:-1])
    plan = imported(folder)
    assert files_in(TARGET) == OFFICIAL
    assert [str(fault).removeprefix(f"{folder}/") for fault in plan.unreadable] == [
        "a.txt.gz: found damaged content, expected gzip data",
        "link: found nothing there, expected a file",
        "pipe: found a pipe or a device, expected a regular file",
    ]
    assert plan.others == ()


def test_a_target_that_cannot_be_written_to() -> None:
    TARGET.write_text("a file")
    assert str(TARGET) in refusal(SAMPLES)
    message = command_refusal("data", "import", str(SAMPLES), "--to", "")
    assert message == "--to is empty, but must name a place."
