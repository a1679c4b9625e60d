"""Fetching data sets, from a server on this machine that has every fault a server can have."""

from __future__ import annotations

import contextlib
import hashlib
import http.server
import json
import os
import platform
import pty
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from stsbaselines.cli import main as cli
from stsbaselines.data import catalogue, download, find, licences, sources
from stsbaselines.data import fetch as fetching
from stsbaselines.data.catalogue import DataFile, DataSet, Task
from stsbaselines.data.fetch import fetch, left_to_do
from stsbaselines.data.find import cache_directory, locate_all
from stsbaselines.data.sources import ArchiveSource, RepositorySource, Source
from stsbaselines.errors import InputError, MissingDataError
from tests.helpers import COMMAND, ROOT, run_command, tarred, zipped

INPUT, GOLD, CLOSED = "STS.input.pond.txt", "STS.gs.pond.txt", "STS.input.closed.txt"
FILES = {INPUT: b"A duck swims.\tA swan swims.\n" * 3000, GOLD: b"3.8\n" * 3000}
CLOSED_CONTENT = b"Nobody\tmay pass this on.\n"
ARCHIVE, RAW, RAW_OTHER = "/images/pond.zip", "/one/pond/" + "0" * 12, "/two/pond/" + "1" * 40
PAGE = b"\n<!DOCTYPE html>\n<html><body>Please log in.</body></html>\n"

Reply = Callable[["_Handler"], None]


def whole(content: bytes, ranges: bool = True) -> Reply:
    """Answer with the content, or the range of it that is asked for."""

    def reply(handler: _Handler) -> None:
        start = handler.first_byte if ranges else 0
        if start > len(content):
            return handler.begin(416)
        headers = {"Content-Length": str(len(content) - start)}
        if start:
            headers["Content-Range"] = f"bytes {start}-{len(content) - 1}/{len(content)}"
        handler.begin(206 if start else 200, headers)
        return handler.send(content[start:])

    return reply


def status(code: int) -> Reply:
    return lambda handler: handler.begin(code)


def redirect(path: str) -> Reply:
    return lambda handler: handler.begin(302, {"Location": path})


def cut(content: bytes, length: int, then: Callable[[_Handler], None] | None = None) -> Reply:
    """Break off after so many bytes of the content."""

    def reply(handler: _Handler) -> None:
        handler.begin(200, {"Content-Length": str(len(content))})
        handler.send(content[:length])
        if then:
            then(handler)

    return reply


def reset(handler: _Handler) -> None:
    handler.wfile.flush()
    time.sleep(0.05)
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def stall(handler: _Handler) -> None:
    handler.server.released.wait(10)


def trickle(handler: _Handler) -> None:
    handler.begin(200, {"Content-Length": "1000"})
    while not handler.server.released.wait(0.01):
        handler.send(b"x")


class Server(http.server.ThreadingHTTPServer):
    """Gives the replies of a path one after the other, the last one again and again."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        self.replies: dict[str, list[Reply]] = {}
        self.asked: list[tuple[str, int]] = []  # path, and first byte that was asked for
        self.released = threading.Event()

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.asked]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that hang up."""


class _Handler(http.server.BaseHTTPRequestHandler):
    server: Server

    def do_GET(self) -> None:
        match = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range", ""))
        self.first_byte = int(match[1]) if match else 0
        self.server.asked.append((self.path, self.first_byte))
        replies = self.server.replies.get(self.path, [status(404)])
        (replies.pop(0) if len(replies) > 1 else replies[0])(self)

    def begin(self, code: int, headers: dict[str, str] | None = None) -> None:
        self.send_response(code)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()

    def send(self, content: bytes) -> None:
        with contextlib.suppress(OSError):
            self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", find.OFFLINE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "*")
    with Server() as server:
        monkeypatch.setenv(fetching.MIRROR, server.url)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.released.set()
        server.shutdown()
        thread.join()


def file(name: str, content: bytes) -> DataFile:
    return DataFile(name=name, sha256=hashlib.sha256(content).hexdigest())


def git_file(name: str, content: bytes) -> DataFile:
    blob = hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False)
    return DataFile(name=name, git_blob=blob.hexdigest())


def dataset(name: str, files: dict[str, DataFile], restricted: bool = False) -> DataSet:
    return DataSet(
        name=name, files=files, output=name, pairs=1, scored=1, restricted=restricted,
        source="the pond keeper" if restricted else None,
    )  # fmt: skip


OPEN = {"input": file(INPUT, FILES[INPUT]), "gold": git_file(GOLD, FILES[GOLD])}
TASK = Task(
    task="pond",
    family="sts",
    title="Similarity of ponds",
    language="English",
    folders=["pond-test", "."],
    gold_range=(0, 5),
    measures=["Mean"],
    source="http://example.org/ponds",
    licence="for ducks only",
    citation="Mallard (2013). Ponds.",
    datasets=[
        dataset("open", OPEN),
        dataset("closed", {"input": file(CLOSED, CLOSED_CONTENT)}, restricted=True),
    ],
)
SOURCES: list[Source] = [
    ArchiveSource(archive="http://example.org/images/pond.zip"),
    RepositorySource(repository="one/pond", commit="0" * 12, folder="data"),
    RepositorySource(repository="two/pond", commit="1" * 40, folder="d", names={GOLD: "g s.txt"}),
]


@pytest.fixture(autouse=True)
def _own_task(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    """Let the task be in the catalogue, and have sources."""
    if "official_data" not in request.fixturenames:
        known = sources.sources_of
        monkeypatch.setattr(
            fetching, "sources_of", lambda name: SOURCES if name == "pond" else known(name)
        )


NOISE = hashlib.shake_128(b"noise").digest(200_000)  # so that the archive is not small
POND = zipped(
    *((f"test-gs/{name}", content) for name, content in FILES.items()),
    (f"train/{GOLD}", b"0\n"),
    (f"x/{CLOSED}", CLOSED_CONTENT),
    ("noise", NOISE),
)


def serve_raw(server: Server, raw: str = RAW + "/data", **changed: Reply) -> None:
    for name, content in FILES.items():
        server.replies[f"{raw}/{name}"] = [changed.get(name.split(".")[1], whole(content))]


def target() -> Path:
    return cache_directory() / "pond-test"


def placed(folder: Path | None = None) -> dict[str, bytes]:
    """Return what is in the folder of the task, but for what belongs to the lock."""
    folder = folder or target()
    return {
        each.relative_to(folder).as_posix(): each.read_bytes()
        for each in folder.rglob("*")
        if each.is_file() and each.name != "lock"
    }


def refusal(**options: Any) -> str:
    with pytest.raises(InputError) as error:
        fetch(TASK, **options)
    assert "\n" not in str(error.value)
    return str(error.value)


# --- what is fetched, and where to


@pytest.mark.parametrize("packed", [zipped, tarred])
def test_files_are_taken_out_of_an_archive_wherever_they_lie(
    packed: Callable[..., bytes], server: Server
) -> None:
    files = [(f"x/y/{name}", content) for name, content in FILES.items()]
    content = packed((f"train/{GOLD}", b"0\n"), *files, ("readme", b"!"))
    server.replies[ARCHIVE] = [whole(content)]
    found = fetch(TASK)
    assert placed() == FILES
    assert [each.path for each in found] == [target() / name for name in FILES]
    assert {each.address for each in found} == {server.url + ARCHIVE}
    assert [each.status for each in locate_all(TASK)] == ["ok", "ok", "missing"]


def test_what_may_not_be_passed_on_is_neither_taken_nor_asked_for(server: Server) -> None:
    server.replies[ARCHIVE] = [whole(POND)]
    fetch(TASK)
    assert placed() == FILES
    (target() / GOLD).unlink()
    server.replies[ARCHIVE] = [status(404)]
    refusal()
    assert not any("closed" in path for path in server.paths)
    assert left_to_do(TASK) == [
        f"pond: {CLOSED} is never fetched: get it from the pond keeper, and put it into pond-test/."
    ]


def test_only_what_is_missing_is_fetched(server: Server) -> None:
    serve_raw(server)
    target().mkdir(parents=True)
    (target() / INPUT).write_bytes(FILES[INPUT])
    assert [each.path.name for each in fetch(TASK)] == [GOLD]
    assert INPUT not in " ".join(server.paths)
    asked = len(server.asked)
    assert fetch(TASK) == []
    assert len(server.asked) == asked


def test_a_data_directory_can_be_named(server: Server, tmp_path: Path) -> None:
    server.replies[ARCHIVE] = [whole(POND)]
    fetch(TASK, tmp_path)
    assert placed(tmp_path / "pond-test") == FILES
    assert not target().exists()


def test_a_wrong_file_that_is_here_is_not_replaced(server: Server, tmp_path: Path) -> None:
    server.replies[ARCHIVE] = [whole(POND)]
    (tmp_path / "pond-test").mkdir()
    (tmp_path / "pond-test" / INPUT).write_bytes(b"mine")
    assert [each.path.name for each in fetch(TASK, tmp_path)] == [GOLD]
    assert (tmp_path / "pond-test" / INPUT).read_bytes() == b"mine"
    with pytest.raises(InputError, match=f"{INPUT}: found sha256 .*, expected sha256"):
        left_to_do(TASK, tmp_path)


def test_progress_is_told_up_to_the_end(server: Server) -> None:
    server.replies[ARCHIVE] = [whole(POND)]
    told: list[tuple[str, int, int | None]] = []
    fetch(TASK, progress=lambda *each: told.append(each))
    assert told[0] == ("pond.zip", 0, len(POND))
    assert told[-1] == ("pond.zip", len(POND), len(POND))
    assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)


# --- one source after the other

PARTIAL_ARCHIVE = zipped((GOLD, FILES[GOLD]), ("x/damaged", b"!"))
FAULTS: dict[str, tuple[Reply, str]] = {
    "missing": (status(404), "HTTP status 404"),
    "broken": (status(500), "HTTP status 500"),
    "page": (whole(PAGE), "a web page instead of the file"),
    "text": (whole(b"not here"), "something else than an archive"),
    "cut archive": (whole(POND[:-30]), "damaged or truncated content"),
    "bomb": (whole(zipped((INPUT, bytes(3 << 20)))), "200 times the packed bytes"),
    "trap": (whole(zipped(("../../" + INPUT, b"!"))), "a path that leads out of the archive"),
    "other files": (whole(zipped((GOLD, b"0\n"))), f"without the official {INPUT}, {GOLD}"),
    "truncated": (cut(POND, 0), "an answer that breaks off"),
    "reset": (cut(POND, 0, reset), "an answer that breaks off"),
    "too slow": (cut(POND, 0, stall), "no answer in time"),
    "silent": (stall, "no answer in time"),
    "endless": (redirect(ARCHIVE), "too many redirects"),
    "elsewhere": (redirect("ftp://example.org/pond.zip"), "no connection"),
    "nowhere": (redirect("http://127.0.0.1:1/pond.zip"), "no connection (Connection refused)"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_where_an_archive_cannot_be_had_the_next_source_is_tried(
    fault: str, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "TIMEOUT", 0.3)
    reply, reason = FAULTS[fault]
    server.replies[ARCHIVE] = [reply]
    message = refusal()
    assert f"{server.url}{ARCHIVE}: " in message
    assert reason in message
    assert placed() == {}
    serve_raw(server)
    found = fetch(TASK)
    assert {each.address for each in found} == {f"{server.url}{RAW}/data/{n}" for n in FILES}
    assert placed() == FILES


def test_the_content_of_a_redirection_is_not_read(server: Server) -> None:
    def endless(handler: _Handler) -> None:
        handler.begin(302, {"Location": "/elsewhere/pond.zip", "Content-Length": str(1 << 50)})
        handler.send(b"x" * 1000)

    server.replies[ARCHIVE] = [endless]
    server.replies["/elsewhere/pond.zip"] = [whole(POND)]
    assert len(fetch(TASK)) == 2


def test_a_host_that_does_not_answer_is_not_asked_for_other_tasks(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "TIMEOUT", 0.3)
    server.replies[ARCHIVE] = [stall]
    silent: set[str] = set()
    with pytest.raises(MissingDataError, match="no answer in time"):
        fetch(TASK, silent=silent)
    assert silent == {server.url.removeprefix("http://")}
    with pytest.raises(MissingDataError, match="not asked again, as it did not answer") as error:
        fetch(TASK, silent=silent)
    assert f"You can also put into {cache_directory() / TASK.folders[0]} what you get from" in str(
        error.value
    )


def test_a_password_in_the_address_of_a_mirror_is_not_shown(server: Server) -> None:
    server.replies[ARCHIVE] = [whole(POND)]
    mirror = server.url.replace("http://", "http://duck:quack@")
    assert {each.address for each in fetch(TASK, mirror=mirror)} == {f"{server.url}{ARCHIVE}"}


def test_what_an_archive_lacks_comes_from_the_next_source(server: Server) -> None:
    server.replies[ARCHIVE] = [whole(PARTIAL_ARCHIVE)]
    serve_raw(server)
    assert [each.address.removeprefix(server.url) for each in fetch(TASK)] == [
        ARCHIVE,
        f"{RAW}/data/{INPUT}",
    ]
    assert placed() == FILES


@pytest.mark.parametrize("wrong", [whole(b"3.9\n"), whole(PAGE), status(404), cut(b"3.8\n", 2)])
def test_a_wrong_file_is_not_kept(wrong: Reply, server: Server) -> None:
    serve_raw(server, gs=wrong, input=wrong)
    message = refusal()
    assert f"{INPUT} and 1 more of pond could not be fetched: " in message
    assert message.count(server.url) == 3  # each source once
    assert all(name.startswith(".fetching/") for name in placed())
    server.replies[f"{RAW_OTHER}/d/g%20s.txt"] = [whole(FILES[GOLD])]  # its name there
    assert f"{INPUT} of pond could not be fetched" in refusal()
    assert placed()[GOLD] == FILES[GOLD]  # what could be had is kept
    server.replies[f"{RAW_OTHER}/d/{INPUT}"] = [whole(FILES[INPUT])]
    fetch(TASK)
    assert {name: placed()[name] for name in FILES} == FILES


def test_a_host_that_does_not_answer_is_asked_for_one_file_only(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "TIMEOUT", 0.3)
    serve_raw(server, input=stall)
    refusal()
    assert f"{RAW}/data/{GOLD}" not in server.paths


def test_a_redirect_is_followed(server: Server) -> None:
    server.replies[ARCHIVE] = [redirect("/elsewhere.zip")]
    server.replies["/elsewhere.zip"] = [whole(POND)]
    fetch(TASK)
    assert placed() == FILES


def test_an_endless_answer_is_given_up(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "LARGEST", 10_000)
    server.replies[ARCHIVE] = [whole(POND)]
    assert f"{ARCHIVE}: more than 0 MiB" in refusal()
    assert placed() == {}


def test_an_answer_that_trickles_is_given_up(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(download, "TIMEOUT", 0.3)
    server.replies[ARCHIVE] = [trickle]
    assert "less than 1,024 bytes a second" in refusal()


def test_a_task_without_sources(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "sources_of", lambda _: [])
    assert "no source is known" in refusal()


# --- downloads that break off go on


@pytest.mark.parametrize("then", [None, reset])
def test_a_download_that_breaks_off_goes_on(
    then: Callable[[_Handler], None] | None, server: Server
) -> None:
    server.replies[ARCHIVE] = [cut(POND, 50_000, then), whole(POND)]
    fetch(TASK)
    assert placed() == FILES
    (first, _), (second, start) = server.asked
    assert first == second == ARCHIVE
    assert 0 < start <= 50_000


def test_another_run_goes_on(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(download, "TIMEOUT", 0.3)
    server.replies[ARCHIVE] = [cut(POND, 70_000, stall)]
    refusal()
    [part] = placed()
    assert part.endswith(".part")
    server.asked.clear()
    server.replies[ARCHIVE] = [whole(POND)]
    fetch(TASK)
    assert server.asked == [(ARCHIVE, 70_000)]
    assert placed() == FILES


@pytest.mark.parametrize(
    ("left", "ranges"),
    [
        (POND[:1000], False),  # a server that knows no ranges
        (POND + b"more", True),  # 416
        (PAGE[:30], True),  # of another file
        (POND, True),  # whole, but not put in place yet
    ],
)
def test_what_cannot_be_gone_on_with_is_fetched_anew(
    left: bytes, ranges: bool, server: Server
) -> None:
    server.replies[ARCHIVE] = [cut(POND, 70_000), status(404)]
    refusal()
    [part] = placed()
    (target() / part).write_bytes(left)
    server.replies[ARCHIVE] = [whole(POND, ranges)]
    fetch(TASK)
    assert placed() == FILES


def test_an_answer_of_another_range_is_not_put_together(server: Server) -> None:
    def other_range(handler: _Handler) -> None:
        if not handler.first_byte:
            return whole(POND)(handler)
        handler.begin(206, {"Content-Range": f"bytes 5-{len(POND) - 1}/{len(POND)}"})
        return handler.send(POND[5:])

    server.replies[ARCHIVE] = [cut(POND, 50_000), other_range]
    fetch(TASK)
    assert placed() == FILES


# --- two processes

OTHER_PROCESS = """
import json, sys, time
from stsbaselines.data import fetch, sources
from stsbaselines.data.catalogue import Task

task = Task.model_validate_json(sys.argv[1])
known = [sources.SourceList.model_validate({"tasks": {"pond": json.loads(sys.argv[2])}})]
fetch.sources_of = lambda name: known[0].tasks[name]
if len(sys.argv) > 3:
    with fetch._only_process(fetch.cache_directory() / "pond-test"):
        print("has it", flush=True)
        time.sleep(60)
print(len(fetch.fetch(task)))
"""


def other_process(*arguments: str) -> subprocess.Popen[str]:
    task, known = TASK.model_dump_json(), json.dumps([each.model_dump() for each in SOURCES])
    command = [sys.executable, "-c", OTHER_PROCESS, task, known, *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ.copy())


def test_of_two_processes_one_fetches_and_the_other_waits(server: Server) -> None:
    def slow(handler: _Handler) -> None:
        server.released.wait(0.5)
        whole(POND)(handler)

    server.replies[ARCHIVE] = [slow]
    processes = [other_process() for _ in range(2)]
    printed = sorted(process.communicate(timeout=60)[0] for process in processes)
    assert printed == ["0\n", "2\n"]
    assert server.paths == [ARCHIVE]
    assert placed() == FILES


def test_who_fetches_is_said_after_a_while_and_a_dead_process_is_no_hindrance(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    monkeypatch.setattr(fetching, "LONGEST_WAIT", 0.1)
    server.replies[ARCHIVE] = [whole(POND)]
    with other_process("hold") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "has it\n"
        who = f"another process ({process.pid} on {platform.node()})"
        assert f"{target()}: {who} has been fetching into" in refusal(notice=told.append)
        assert told == [f"{target()}: waiting, since {who} fetches into it."]
        for holder, said in ((b"", "its number is not known"), (b"\xff", "\ufffd")):
            (target() / fetching.WORK / fetching.HOLDER).write_bytes(holder)
            assert f"another process ({said}) has been" in refusal()
        process.send_signal(signal.SIGKILL)
    fetch(TASK)
    assert placed() == FILES


# --- networks


@pytest.mark.parametrize("by_environment", [True, False])
def test_offline_nobody_is_asked(
    by_environment: bool, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    if by_environment:
        monkeypatch.setenv("STSBASELINES_OFFLINE", "1")
    message = refusal(offline=not by_environment)
    for part in ("`stsbaselines data fetch pond` with a network", str(target()), TASK.source):
        assert part in message
    assert server.asked == []
    monkeypatch.setenv("STSBASELINES_OFFLINE", "0")
    server.replies[ARCHIVE] = [whole(POND)]
    assert fetch(TASK)


@pytest.mark.parametrize(
    "mirror",
    [
        *("pond", "ftp://example.org", "http://", "http://a/?b", "a:b"),
        *("http://[::1", "http://a:99999", "http://a:b/", "http://a b/"),
    ],
)
def test_what_is_no_mirror(mirror: str, server: Server) -> None:
    assert "is no mirror: expected http" in refusal(mirror=mirror)


def test_a_mirror_can_be_named_and_a_proxy_is_used(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(fetching.MIRROR, "http://127.0.0.1:1/")
    server.replies["/copies" + ARCHIVE] = [whole(POND)]
    assert fetch(TASK, mirror=f"{server.url}/copies/")
    (target() / GOLD).unlink()
    monkeypatch.delenv(fetching.MIRROR)
    monkeypatch.delenv("no_proxy")
    monkeypatch.setenv("http_proxy", server.url)
    server.replies["http://example.org" + ARCHIVE] = [whole(POND)]
    assert [each.address for each in fetch(TASK)] == ["http://example.org" + ARCHIVE]


def test_a_place_that_cannot_be_written_to(server: Server, tmp_path: Path) -> None:
    (tmp_path / "pond-test").write_text("a file")
    assert "pond-test" in refusal(data_dir=tmp_path)
    assert server.asked == []


def test_a_full_disk_is_no_fault_of_the_source(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.replies[ARCHIVE] = [whole(POND)]
    target().mkdir(parents=True)
    (target() / ".fetching").mkdir()
    key = hashlib.sha256(f"{server.url}{ARCHIVE}".encode()).hexdigest()[:12]
    (target() / ".fetching" / f"pond.zip.{key}.part").symlink_to("/dev/full")
    assert "found No space left on device, expected a file that can be written" in refusal()


# --- the list of sources


def test_every_public_file_has_a_source_and_no_other(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    known = sources.sources_of("sts2013")
    assert known[0] == ArchiveSource(
        archive="http://ixa2.si.ehu.es/stswiki/images/2/2f/STS2013-en-test.zip"
    )
    withheld = set()
    for name in catalogue.task_names():
        task = catalogue.find_task(name)
        if task.is_sample:
            assert not sources.sources_of(name)
            continue
        with pytest.raises(MissingDataError, match="HTTP status 404"):
            fetch(task)
        withheld |= {each.expected.name for each in locate_all(task) if each.is_withheld}
    assert withheld == {"STS.input.SMT.txt", "train.data", "train.nodebatable.csv"}
    asked = {path.rpartition("/")[2] for path in server.paths}
    assert not asked & withheld
    assert "STS.gs.SMT.txt" in asked


def test_folders_of_the_wiki_follow_from_the_names() -> None:
    for name in catalogue.task_names():
        for source in sources.sources_of(name):
            if isinstance(source, ArchiveSource):
                *_, first, second, file_name = source.archive.split("/")
                digest = hashlib.md5(file_name.encode(), usedforsecurity=False).hexdigest()
                assert (first, second) == (digest[0], digest[:2])
            else:
                files = [each.files for each in catalogue.find_task(name).datasets]
                known = {file.name for each in files for file in each.values()}
                assert set(source.names) <= known


# --- licences, and the command


@pytest.fixture
def pond_command(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return what runs the command with the task in the catalogue."""
    monkeypatch.setattr(catalogue, "find_task", lambda name: TASK if name == "pond" else name)

    def run(*arguments: str) -> None:
        cli.app(["data", "fetch", "pond", *arguments], standalone_mode=False)

    return run


def test_the_licence_is_shown_once_and_must_be_accepted(
    server: Server, pond_command: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    server.replies[ARCHIVE] = [whole(POND)]
    with pytest.raises(InputError, match="pond cannot be fetched before the licence is accepted"):
        pond_command()
    assert server.asked == []
    assert "for ducks only" in capsys.readouterr().err
    pond_command("--accept-licence")
    shown = capsys.readouterr()
    for part in ("for ducks only", TASK.source, "Mallard (2013)"):
        assert part in shown.err
    assert shown.out == (
        f"pond: {INPUT}, {GOLD} into {target()} from {server.url}{ARCHIVE}\n"
        f"pond: {CLOSED} is never fetched: get it from the pond keeper, and put it into"
        " pond-test/.\n"
    )
    (target() / GOLD).unlink()
    pond_command()
    assert "for ducks only" not in capsys.readouterr().err
    assert placed() == FILES
    pond_command()
    assert capsys.readouterr().out.startswith("pond: nothing to fetch\n")
    other = TASK.model_copy(update={"licence": "for swans, too"})
    assert licences.is_accepted(TASK)
    assert not licences.is_accepted(other)  # another licence is asked for anew


def test_a_failure_is_told_after_the_rest_was_tried(server: Server) -> None:
    done = run_command(["data", "fetch", "sts2016", "sample-sts", "sts2014", "--accept-licence"])
    assert done.returncode == 2
    assert done.stdout == "sample-sts: nothing to fetch\n"
    lines = done.stderr.splitlines()[-2:]
    assert [line.split(" could not be fetched: ")[0].split()[-1] for line in lines] == [
        "sts2016",
        "sts2014",
    ]
    assert "Traceback" not in done.stderr


def test_without_a_terminal_nothing_is_asked(server: Server) -> None:
    done = run_command(["data", "fetch", "sts2016", "sts2014"], stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("sts2016, sts2014 cannot be fetched before the")
    done = run_command(["run", "--fetch", "sts2016"], stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "fetch it by `stsbaselines data fetch sts2016`" in done.stderr
    offline = {**os.environ, "STSBASELINES_OFFLINE": "1"}
    again = run_command(["run", "--fetch", "--accept-licence", "sts2016"], env=offline)
    assert (again.returncode, again.stderr) == (2, done.stderr)
    assert server.asked == []


def on_a_terminal(arguments: list[str], typed: str) -> str:
    """Run the command on a terminal, and return what is shown there."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [str(COMMAND), *arguments], stdin=theirs, stdout=theirs, stderr=theirs, close_fds=True
    ) as process:
        os.close(theirs)
        os.write(ours, typed.encode())
        shown = b""
        with contextlib.suppress(OSError):  # at the end
            while block := os.read(ours, 1 << 16):
                shown += block
    os.close(ours)
    return f"{shown.decode()}\nexit status {process.returncode}"


def test_on_a_terminal_yes_is_typed_once(server: Server) -> None:
    shown = on_a_terminal(["data", "fetch", "sts2016"], "no\n")
    assert "Type yes to accept the licence of sts2016: " in shown
    assert "cannot be fetched before the licence is accepted" in shown
    assert server.asked == []
    server.replies["/stswiki/images/9/98/STS2016-en-test.zip"] = [whole(POND)]
    shown = on_a_terminal(["run", "--fetch", "sts2016"], "yes\n")
    assert "STS2016-en-test.zip: without the official STS2016.input.answer-answer.txt" in shown
    assert "The data of sts2016 is not here" in shown
    assert "exit status 2" in shown
    shown = on_a_terminal(["data", "fetch", "sts2016"], "")
    assert "Type yes" not in shown
    assert "could not be fetched: " in shown


def test_a_run_with_all_its_data_fetches_nothing(server: Server) -> None:
    plain = run_command(["run", "sample-sts", "--out", "a"])
    done = run_command(["run", "--fetch", "--accept-licence", "sample-sts", "--out", "b"])
    assert (done.returncode, done.stdout, done.stderr) == (0, plain.stdout, "")
    assert server.asked == []


# --- with the official files


@pytest.fixture
def wiki(server: Server, official_data: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    """Return a server with the archive of 2013, as the organisers packed it; no data is here."""
    task = catalogue.find_task("sts2013")
    public = [each.path for each in locate_all(task, official_data) if not each.is_withheld]
    files = {f"test-gs/{each.name}": each.read_bytes() for each in public if each}
    server.replies["/stswiki/images/2/2f/STS2013-en-test.zip"] = [whole(zipped(*files.items()))]
    monkeypatch.delenv("STSBASELINES_DATA")
    return server


@pytest.mark.official
def test_2013_is_fetched_into_nothing_and_gives_the_published_row(wiki: Server) -> None:
    done = run_command(["data", "fetch", "sts2013", "--accept-licence"])
    assert done.returncode == 0, done.stderr
    assert "STS.input.SMT.txt is never fetched: get it from the Linguistic Data" in done.stdout
    done = run_command(["run", "sts2013"])
    assert done.returncode == 0, done.stderr
    assert re.search(r"token-cosine +headlines +0\.53986 +0\.5399 +exact", done.stdout)
    assert re.search(r"token-cosine +OnWN +0\.28277 +0\.2828 +exact", done.stdout)
    assert len(wiki.asked) == 1


@pytest.mark.official
def test_make_fetches_what_is_missing(wiki: Server, tmp_path: Path) -> None:
    recipe = subprocess.run(
        ["make", "--dry-run", "--always-make", "--no-print-directory", "-C", str(ROOT), "sts2013"],
        env={**os.environ, "ACCEPT_LICENCE": "1"}, capture_output=True, text=True, check=True,
    ).stdout.splitlines()[-1]  # fmt: skip
    program, *arguments = recipe.split()
    assert program == ".venv/bin/stsbaselines"
    configs = [each for each in arguments if each.startswith("configs/")]
    assert configs == ["configs/sts2013.yaml", "configs/sts2013-typed.yaml"]
    arguments[arguments.index(configs[0])] = str(ROOT / configs[0])
    arguments.remove(configs[1])
    done = run_command(arguments)
    assert done.returncode == 0, done.stderr
    assert re.search(r"token-cosine +headlines +0\.53986 +0\.5399 +exact", done.stdout)
    assert len(wiki.asked) == 1
