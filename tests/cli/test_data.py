"""The commands on data; those of `data import` are tested with its module."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stsbaselines.cli import main as cli
from stsbaselines.data import catalogue, find
from stsbaselines.data.find import cache_directory, locate_all
from stsbaselines.errors import InputError
from stsbaselines.tasks import labelled
from tests.data.pond import ARCHIVE, CLOSED, FILES, GOLD, INPUT, POND, TASK, serving
from tests.data.server import Server
from tests.helpers import COMMAND, ROOT, command_refusal, run_command, zipped

WIKI = "/stswiki/images"


def test_data_sets_are_listed_as_json(command_output: Callable[..., str]) -> None:
    entries = json.loads(command_output("data", "list", "sts2013", "--format", "json"))
    assert entries[3]["data set"] == "SMT"
    assert entries[3]["status"] == "missing"


def test_a_wrong_file_is_named_with_its_checksums() -> None:
    Path("data/sts2014-es").mkdir(parents=True)
    Path("data/sts2014-es/STS.gs.news.txt").write_text("1\n")
    refused = command_refusal("data", "verify")
    assert "data/sts2014-es/STS.gs.news.txt: found sha256 4355a46b19d3" in refused
    assert "expected sha256 c2b323651c27" in refused


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    with serving(monkeypatch) as server:
        yield server


@pytest.fixture
def fetch_pond(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Return a function that runs the command with the task of ponds in the catalogue."""
    monkeypatch.setattr(labelled, "as_task", lambda name: TASK if name == "pond" else name)

    def run(*arguments: str) -> None:
        cli.app(["data", "fetch", "pond", *arguments], standalone_mode=False)

    return run


def test_the_licence_is_shown_once_and_must_be_accepted(
    server: Server, fetch_pond: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    server.serve(ARCHIVE, POND)
    target = cache_directory() / "pond-test"
    with pytest.raises(InputError, match="pond cannot be fetched before the licence is accepted"):
        fetch_pond()
    assert server.asked == []
    assert "for ducks only" in capsys.readouterr().err
    fetch_pond("--accept-licence")
    shown = capsys.readouterr()
    for part in ("for ducks only", TASK.source, "Mallard (2013)"):
        assert part in shown.err
    assert shown.out == (
        f"pond: {INPUT}, {GOLD} into {target} from {server.url}{ARCHIVE}\n"
        f"pond: {CLOSED} is never fetched: get it from the pond keeper, and put it into"
        " pond-test/.\n"
    )
    (target / GOLD).unlink()
    fetch_pond()
    assert "for ducks only" not in capsys.readouterr().err
    assert (target / GOLD).read_bytes() == FILES[GOLD]
    fetch_pond()
    assert capsys.readouterr().out.startswith("pond: nothing to fetch\n")


def test_a_failure_is_reported_after_the_other_tasks(server: Server) -> None:
    done = run_command(["data", "fetch", "sts2016", "sample-sts", "sts2014", "--accept-licence"])
    assert done.returncode == 2
    assert done.stdout == "sample-sts: nothing to fetch\n"
    lines = done.stderr.splitlines()[-2:]
    assert [line.split(" could not be fetched: ")[0].split()[-1] for line in lines] == [
        "sts2016",
        "sts2014",
    ]
    assert "Traceback" not in done.stderr


def test_without_a_terminal_no_question_is_asked(server: Server) -> None:
    done = run_command(["data", "fetch", "sts2016", "sts2014"], stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("sts2016, sts2014 cannot be fetched before the")
    done = run_command(["run", "--fetch", "sts2016"], stdin=subprocess.DEVNULL)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1
    assert "fetch it by `stsbaselines data fetch sts2016`" in done.stderr
    offline = {**os.environ, find.OFFLINE: "1"}
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
    server.serve(f"{WIKI}/9/98/STS2016-en-test.zip", POND)
    shown = on_a_terminal(["run", "--fetch", "sts2016"], "yes\n")
    assert "STS2016-en-test.zip: without the official STS2016.input.answer-answer.txt" in shown
    assert "The data of sts2016 was not found" in shown
    assert "exit status 2" in shown
    shown = on_a_terminal(["data", "fetch", "sts2016"], "")
    assert "Type yes" not in shown
    assert "could not be fetched: " in shown


def test_a_run_with_all_its_data_fetches_nothing(
    server: Server, command_output: Callable[..., str]
) -> None:
    plain = command_output("run", "sample-sts", "--out", "out")
    assert command_output("run", "--fetch", "sample-sts", "--out", "out") == plain
    assert server.asked == []


@pytest.fixture
def wiki(server: Server, official_data: Path, monkeypatch: pytest.MonkeyPatch) -> Server:
    """Return a server with the archive of 2013; no data is found on this machine."""
    task = catalogue.find_task("sts2013")
    public = [each.path for each in locate_all(task, official_data) if not each.restricted]
    files = {f"test-gs/{each.name}": each.read_bytes() for each in public if each}
    server.serve(f"{WIKI}/2/2f/STS2013-en-test.zip", zipped(*files.items()))
    monkeypatch.delenv(find.ENVIRONMENT)
    return server


@pytest.mark.official
def test_2013_is_fetched_and_gives_the_published_row(wiki: Server) -> None:
    done = run_command(["run", "--fetch", "--accept-licence", "sts2013"])
    assert done.returncode == 0, done.stderr
    assert re.search(r"token-cosine +headlines +0\.53986 +0\.5399 +exact", done.stdout)
    assert re.search(r"token-cosine +OnWN +0\.28277 +0\.2828 +exact", done.stdout)
    assert re.search(r"token-cosine +Mean +- +0\.3639 +no data", done.stdout)
    assert "SMT was excluded" in done.stdout
    assert len(wiki.asked) == 1


def test_make_fetches_what_is_missing() -> None:
    recipe = subprocess.run(
        ["make", "--dry-run", "--always-make", "--no-print-directory", "-C", str(ROOT), "sts2013"],
        env={**os.environ, "ACCEPT_LICENCE": "1"}, capture_output=True, text=True, check=True,
    ).stdout.splitlines()[-1]  # fmt: skip
    program, *arguments = recipe.split()
    assert program == ".venv/bin/stsbaselines"
    configs = ["configs/sts2013.yaml", "configs/sts2013-typed.yaml"]
    assert arguments == ["run", "--fetch", "--accept-licence", *configs]


def test_records_are_for_some_tasks_only_and_need_the_public_files(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    key = "my-Secret-key.1"
    refused = command_refusal("data", "fetch", "sts2012", "-o", "here", "--api-key", key)
    assert refused == "-o is for item records: sts2012 has none."
    monkeypatch.setenv(find.OFFLINE, "1")
    refused = command_refusal("data", "fetch", "sts2013-typed", "--api-key", key)
    assert refused.startswith("STS.input.europeana.txt and 1 more of sts2013-typed cannot be")
    assert key not in refused


@pytest.mark.official
def test_without_a_key_the_command_says_how_to_use_one(official_data: Path) -> None:
    environment = {key: each for key, each in os.environ.items() if key != "EUROPEANA_API_KEY"}
    done = run_command(["data", "fetch", "sts2013-typed"], env=environment)
    assert done.returncode == 0, done.stderr
    assert "data fetch sts2013-typed --api-key KEY" in done.stdout
