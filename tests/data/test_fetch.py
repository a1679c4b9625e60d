"""Fetching data sets, from a server on this machine."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stsbaselines.data import catalogue, find
from stsbaselines.data import fetch as fetching
from stsbaselines.data.fetch import fetch, left_to_do
from stsbaselines.data.find import cache_directory, locate_all
from stsbaselines.errors import InputError, MissingDataError
from tests.data.pond import (
    ARCHIVE,
    CLOSED,
    FILES,
    GOLD,
    INPUT,
    OTHER_RAW,
    POND,
    RAW,
    SOURCES,
    TASK,
    serving,
)
from tests.data.server import Reply, Server, redirect
from tests.helpers import tarred, zipped


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving(monkeypatch) as server:
        yield server


def serve_raw(server: Server, **changed: Reply) -> None:
    for name, content in FILES.items():
        server.reply(f"{RAW}{name}", changed.get(name.split(".")[1], Reply(body=content)))


def target() -> Path:
    return cache_directory() / "pond-test"


def placed(folder: Path | None = None) -> dict[str, bytes]:
    """Return all files in the folder of the task."""
    folder = folder or target()
    paths = [path for path in folder.rglob("*") if path.is_file()]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}


def refusal(**options: Any) -> str:
    with pytest.raises(InputError) as error:
        fetch(TASK, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("packed", [zipped, tarred])
def test_official_files_are_taken_out_of_an_archive(
    packed: Callable[..., bytes], server: Server
) -> None:
    files = [(f"x/y/{name}", content) for name, content in FILES.items()]
    server.serve(ARCHIVE, packed((f"train/{GOLD}", b"0\n"), *files, ("readme", b"!")))
    found = fetch(TASK)
    assert placed() == FILES
    assert [each.path for each in found] == [target() / name for name in FILES]
    assert {each.address for each in found} == {server.url + ARCHIVE}
    assert [each.status for each in locate_all(TASK)] == ["ok", "ok", "missing"]


def test_restricted_files_are_neither_kept_nor_asked_for(server: Server) -> None:
    server.serve(ARCHIVE, POND)
    fetch(TASK)
    assert placed() == FILES
    (target() / GOLD).unlink()
    server.reply(ARCHIVE, Reply(404))
    refusal()
    assert not any("closed" in path for path in server.asked)
    assert left_to_do(TASK) == [
        f"pond: {CLOSED} is never fetched: get it from the pond keeper, and put it into pond-test/."
    ]


def test_only_missing_files_are_fetched(server: Server) -> None:
    serve_raw(server)
    target().mkdir(parents=True)
    (target() / INPUT).write_bytes(FILES[INPUT])
    assert [each.path.name for each in fetch(TASK)] == [GOLD]
    assert INPUT not in " ".join(server.asked)
    asked = len(server.asked)
    assert fetch(TASK) == []
    assert len(server.asked) == asked


def test_files_go_to_the_data_directory_that_is_named(server: Server, tmp_path: Path) -> None:
    serve_raw(server)
    old = os.umask(0o022)
    try:
        fetch(TASK, tmp_path)
    finally:
        os.umask(old)
    assert placed(tmp_path / "pond-test") == FILES
    assert stat.S_IMODE((tmp_path / "pond-test" / GOLD).stat().st_mode) == 0o644
    assert not target().exists()


def test_a_wrong_file_is_not_replaced(server: Server, tmp_path: Path) -> None:
    server.serve(ARCHIVE, POND)
    (tmp_path / "pond-test").mkdir()
    (tmp_path / "pond-test" / INPUT).write_bytes(b"mine")
    assert [each.path.name for each in fetch(TASK, tmp_path)] == [GOLD]
    assert (tmp_path / "pond-test" / INPUT).read_bytes() == b"mine"
    with pytest.raises(InputError, match=f"{INPUT}: found sha256 .*, expected sha256"):
        left_to_do(TASK, tmp_path)


def test_a_progress_bar_is_shown(server: Server, capfd: pytest.CaptureFixture[str]) -> None:
    server.serve(ARCHIVE, POND)
    fetch(TASK, progress=True)
    assert "100%" in capfd.readouterr().err


PAGE = b"\n<!DOCTYPE html>\n<html><body>Please log in.</body></html>\n"
OTHER_FILES = f"without the official {INPUT}, {GOLD}"
FAULTS = {
    "missing": (Reply(404), "HTTP status 404"),
    "broken": (Reply(500), "HTTP status 500"),
    "page": (Reply(body=PAGE), OTHER_FILES),
    "half an archive": (Reply(body=POND[: len(POND) // 2]), OTHER_FILES),
    "other files": (Reply(body=zipped((GOLD, b"0\n"))), OTHER_FILES),
    "trap": (Reply(body=zipped((f"../../{INPUT}", b"!"))), OTHER_FILES),
    "truncated": (Reply(body=POND[:200], length=len(POND)), "no answer"),
    "endless": (redirect(ARCHIVE), "HTTP status 302"),
    "elsewhere": (redirect("ftp://example.org/pond.zip"), "no answer"),
    "nowhere": (redirect("http://127.0.0.1:1/pond.zip"), "no answer (ConnectionError)"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_if_an_archive_fails_the_next_source_is_tried(fault: str, server: Server) -> None:
    reply, reason = FAULTS[fault]
    server.reply(ARCHIVE, reply)
    message = refusal()
    assert message.startswith(
        f"{INPUT} and 1 more of pond could not be fetched: {server.url}{ARCHIVE}: {reason}"
    )
    assert message.endswith(
        f"You can also put into {target()} what you get from http://example.org/ponds."
    )
    assert placed() == {}
    serve_raw(server)
    if "no answer" in reason:  # the mirror is the host of all sources
        server.reply(ARCHIVE, Reply(404))
    found = fetch(TASK)
    assert {each.address for each in found} == {f"{server.url}{RAW}{name}" for name in FILES}
    assert placed() == FILES


def test_a_redirect_is_followed(server: Server) -> None:
    server.reply(ARCHIVE, redirect("/elsewhere.zip"))
    server.serve("/elsewhere.zip", POND)
    fetch(TASK)
    assert placed() == FILES


def test_files_that_an_archive_lacks_come_from_the_next_source(server: Server) -> None:
    server.serve(ARCHIVE, zipped((GOLD, FILES[GOLD]), ("x/damaged", b"!")))
    serve_raw(server)
    addresses = [each.address.removeprefix(server.url) for each in fetch(TASK)]
    assert addresses == [ARCHIVE, f"{RAW}{INPUT}"]
    assert placed() == FILES


@pytest.mark.parametrize(
    "wrong", [Reply(body=b"3.9\n"), Reply(body=PAGE), Reply(404), Reply(body=b"3.8\n", length=99)]
)
def test_a_wrong_file_is_not_kept(wrong: Reply, server: Server) -> None:
    serve_raw(server, gs=wrong, input=wrong)
    message = refusal()
    assert f"{INPUT} and 1 more of pond could not be fetched: " in message
    assert message.count(server.url) == 3  # each source once
    assert placed() == {}


def test_successful_downloads_are_kept(server: Server) -> None:
    server.serve(f"{OTHER_RAW}g%20s.txt", FILES[GOLD])  # its name there
    assert f"{INPUT} of pond could not be fetched" in refusal()
    assert placed() == {GOLD: FILES[GOLD]}
    server.serve(f"{OTHER_RAW}{INPUT}", FILES[INPUT])
    fetch(TASK)
    assert placed() == FILES


def test_a_host_that_does_not_answer_is_asked_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "sources_of", lambda _: SOURCES)
    monkeypatch.setenv("no_proxy", "*")
    unreachable: set[str] = set()
    monkeypatch.setenv(fetching.MIRROR, "http://127.0.0.1:1")
    message = refusal(unreachable=unreachable)
    assert unreachable == {"127.0.0.1:1"}
    assert message.count("no answer (ConnectionError)") == 1
    assert message.count("not asked again, because it did not answer") == 2
    assert refusal(unreachable=unreachable).count("not asked again") == 3


def test_a_password_in_the_address_of_a_mirror_is_not_shown(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.serve(ARCHIVE, POND)
    monkeypatch.setenv(fetching.MIRROR, server.url.replace("http://", "http://duck:quack@"))
    assert {each.address for each in fetch(TASK)} == {f"{server.url}{ARCHIVE}"}


def test_a_task_without_sources(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "sources_of", lambda _: [])
    assert "no source is known" in refusal()


@pytest.mark.parametrize("by_environment", [True, False])
def test_offline_nothing_is_asked_for(
    by_environment: bool, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    if by_environment:
        monkeypatch.setenv(find.OFFLINE, "1")
    message = refusal(offline=not by_environment)
    for part in ("`stsbaselines data fetch pond` with a network", str(target()), TASK.source):
        assert part in message
    assert server.asked == []
    monkeypatch.setenv(find.OFFLINE, "0")
    server.serve(ARCHIVE, POND)
    assert fetch(TASK)


def test_a_mirror_can_be_named_and_a_proxy_is_used(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(fetching.MIRROR, f"{server.url}/copies/")
    server.serve(f"/copies{ARCHIVE}", POND)
    assert fetch(TASK)
    (target() / GOLD).unlink()
    monkeypatch.delenv(fetching.MIRROR)
    monkeypatch.delenv("no_proxy")
    monkeypatch.setenv("http_proxy", server.url)
    server.serve(f"http://example.org{ARCHIVE}", POND)
    assert [each.address for each in fetch(TASK)] == [f"http://example.org{ARCHIVE}"]


def test_a_folder_that_cannot_be_written_to(server: Server, tmp_path: Path) -> None:
    (tmp_path / "pond-test").write_text("a file")
    assert "pond-test" in refusal(data_dir=tmp_path)
    assert server.asked == []


def test_a_full_disk_is_no_fault_of_the_source(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pooch

    def retrieve(*_: object, **options: object) -> str:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(pooch, "retrieve", retrieve)
    assert "found No space left on device, expected a file that can be written" in refusal()


def test_every_public_file_is_asked_for_and_no_restricted_one(server: Server) -> None:
    restricted = set()
    for name in catalogue.task_names():
        task = catalogue.find_task(name)
        if not task.is_sample:
            with pytest.raises(MissingDataError, match="HTTP status 404"):
                fetch(task)
            restricted |= {each.expected.name for each in locate_all(task) if each.restricted}
    assert restricted == {"STS.input.SMT.txt", "train.data", "train.nodebatable.csv"}
    asked = {path.rpartition("/")[2] for path in server.asked}
    assert not asked & restricted
    assert "STS.gs.SMT.txt" in asked
