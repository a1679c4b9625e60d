"""Fetching item records, from an API on this machine that answers as Europeana's does."""

from __future__ import annotations

import json
import os
import time
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stsbaselines.data import europeana
from stsbaselines.data.europeana import (
    RecordsSummary,
    api_path,
    fetch_records,
    item_code,
    record_name,
)
from stsbaselines.errors import InputError
from stsbaselines.tasks.records import text_of_json
from tests.data.server import Reply, Server, redirect, running
from tests.helpers import needs, run_command

KEY = "my-Secret-key.1"
PORTAL = "http://www.europeana.eu/portal/record"
ITEMS = [f"{PORTAL}/0000{number}a/A{number}.html" for number in range(1, 9)]
PAIRS = [(ITEMS[0], ITEMS[1]), (ITEMS[2], ITEMS[0])]
ALL_PAIRS = list(zip(ITEMS[::2], ITEMS[1::2], strict=True))
NAMES = ("1a_00001a_A1", "1b_00002a_A2", "2a_00003a_A3", "2b_00001a_A1")


def record(title: str, **changes: Any) -> bytes:
    """Return an API answer, which repeats the key."""
    proxies = [{"dcTitle": {"def": [title]}, "edmType": "IMAGE"}, {"europeanaProxy": True}]
    content = {"apikey": KEY, "action": "record.json", "success": True}
    return json.dumps({**content, "object": {"proxies": proxies}, **changes}).encode()


class Api(Server):
    """Answers for all items, and notes the keys that it is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: set[str] = set()
        for number, url in enumerate(ITEMS, start=1):
            self.answer(url, Reply(body=record(f"Item {number}")))

    def answer(self, url: str, *replies: Reply) -> None:
        self.reply("/" + api_path(url), *replies)

    def note(self, path: str) -> None:
        url = urllib.parse.urlsplit(path)
        self.asked.append(url.path.rsplit("/", 1)[1])
        self.keys.update(urllib.parse.parse_qs(url.query)["wskey"])


@pytest.fixture
def api(monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    monkeypatch.setenv("no_proxy", "*")
    monkeypatch.setattr(europeana, "RETRIES", 2)
    with running(Api()) as server:
        yield server
    assert server.keys <= {KEY}


@pytest.fixture
def out(tmp_path: Path) -> Iterator[Path]:
    """Return a folder to fetch to, in which the key must never be."""
    folder = tmp_path / "records"
    yield folder
    for path in folder.rglob("*"):
        assert KEY not in path.name
        assert path.is_dir() or KEY.encode() not in path.read_bytes()


def fetch(api: Api, out: Path, pairs: list[tuple[str, str]], **options: Any) -> RecordsSummary:
    options = {"base_url": f"{api.url}/", "pause": 0.001, **options}
    return fetch_records(pairs, out, KEY, text_of_json, **options)


def refused(api: Api, out: Path, pairs: list[tuple[str, str]], **options: Any) -> str:
    """Return the message of the error that fetching ends with; the key is in none of its causes."""
    with pytest.raises(InputError) as caught:
        fetch(api, out, pairs, **options)
    error: BaseException | None = caught.value
    while error is not None:
        assert KEY not in f"{error} {error!r} {vars(error)}"
        error = error.__cause__ or error.__context__
    return str(caught.value)


def text(out: Path, name: str) -> str:
    return (out / "text" / f"{name}.txt").read_text(encoding="utf-8")


def files(out: Path) -> dict[str, bytes]:
    paths = [path for path in out.rglob("*") if path.is_file()]
    return {path.relative_to(out).as_posix(): path.read_bytes() for path in paths}


@pytest.mark.parametrize(
    "url",
    [
        "http://www.europeana.eu/portal/record/00001a/A1_b.html",
        "https://www.europeana.eu/portal/record/00001a/A1_b.html?start=1&query=mill",
        "https://www.europeana.eu/portal/en/record/00001a/A1_b.html",
        "https://www.europeana.eu/en/item/00001a/A1_b",
        "http://data.europeana.eu/item/00001a/A1_b#top",
    ],
)
def test_an_item_is_named_by_its_url(url: str) -> None:
    assert item_code(url) == ("00001a", "A1_b")
    assert api_path(url) == "record/v2/00001a/A1_b.json"
    assert record_name(12, "a", url) == "12a_00001a_A1_b"


@pytest.mark.parametrize(
    "url",
    [
        "",
        "http://www.europeana.eu/portal/",
        "http://www.europeana.eu/portal/record/../A1.html",
        "http://www.europeana.eu/portal/record/00001a/A%2F1.html",
        "http://www.europeana.eu/portal/record/00001a/A1.html\n",
        "http://www.europeana.eu.example.org/portal/record/00001a/A1.html",
        "http://www.europeana.eu/portal/record/00001a/" + "A" * 161,
    ],
)
def test_other_urls_are_refused(url: str) -> None:
    with pytest.raises(InputError, match="is not the URL of an item in Europeana"):
        item_code(url)


def test_all_urls_are_checked_before_the_first_request(api: Api, out: Path) -> None:
    message = refused(api, out, [(ITEMS[0], "mill"), ("river", ITEMS[1])])
    assert message.splitlines() == [
        "pair 1: 'mill' is not the URL of an item in Europeana.",
        "pair 2: 'river' is not the URL of an item in Europeana.",
    ]
    assert api.asked == []


def test_each_item_is_fetched_once_for_all_its_pairs(api: Api, out: Path) -> None:
    told: list[tuple[int, int]] = []
    result = fetch(api, out, PAIRS, progress=lambda done, of: told.append((done, of)))
    assert result == RecordsSummary(NAMES, (), (), {})
    assert api.asked == ["A1.json", "A2.json", "A3.json"]
    assert api.keys == {KEY}
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert [text(out, name) for name in NAMES] == [
        f"dcTitle:\tItem {number}\n" for number in (1, 2, 3, 1)
    ]
    assert (out / "vanished.txt").read_bytes() == b""


def test_the_answer_is_kept_unchanged_except_for_keys(api: Api, out: Path) -> None:
    body = record("Överby", link="https://example.org/?wskey=" + KEY)
    api.answer(ITEMS[0], Reply(body=body))
    api.answer(ITEMS[1], Reply(body=record("Mill", apikey='some "other" key')))
    fetch(api, out, PAIRS[:1])
    kept = [(out / "json" / f"{name}.json").read_bytes() for name in NAMES[:2]]
    assert kept[0] == body.replace(KEY.encode(), b"xxxXxXXxx")
    assert json.loads(kept[1])["apikey"] == "xxxXxXXxx"


def hang_up() -> None:
    raise ConnectionAbortedError


@pytest.mark.parametrize(
    "trouble",
    [
        Reply(429, b"{}"),
        Reply(500, b"<html>"),
        Reply(503, headers=(("Retry-After", "0"),)),
        Reply(503, headers=(("Retry-After", "soon"),)),
        Reply(body=b""),
        Reply(body=record("Half")[:-30]),
        Reply(body=record("Half")[:-30], length=len(record("Half"))),
        Reply(body=b"[" * 100_000),
        Reply(body=b"[]"),
        Reply(body=b"zz\r\n{", headers=(("Transfer-Encoding", "chunked"),)),
        Reply(before=hang_up),
    ],
)
def test_a_broken_answer_is_requested_again(trouble: Reply, api: Api, out: Path) -> None:
    api.answer(ITEMS[0], trouble, Reply(body=record("Whole")))
    result = fetch(api, out, PAIRS[:1])
    assert result.fetched == NAMES[:2]
    assert text(out, NAMES[0]) == "dcTitle:\tWhole\n"
    assert api.asked == ["A1.json", "A1.json", "A2.json"]


def test_pauses_grow_and_follow_retry_after(
    api: Api, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    naps: list[float] = []
    monkeypatch.setattr(time, "sleep", naps.append)
    monkeypatch.setattr(europeana, "RETRIES", 4)
    waits = [(("Retry-After", value),) for value in ("7", "0", "99999")]
    troubles = [Reply(503), *(Reply(429, headers=each) for each in waits)]
    api.answer(ITEMS[0], *troubles, Reply(body=record("Whole")))
    fetch(api, out, PAIRS[:1], pause=0.5)
    assert naps == [1.0, 7.0, 4.0, 120.0, 0.5]


def test_vanished_items_are_listed_until_they_are_back(api: Api, out: Path) -> None:
    gone = record("", success=False, object=None)
    api.answer(ITEMS[0], Reply(404, gone), Reply(body=record("Back")))
    api.answer(ITEMS[1], Reply(410, gone))
    assert fetch(api, out, PAIRS[:1]).vanished == NAMES[:2]
    assert (out / "vanished.txt").read_text() == f"{NAMES[0]}\n{NAMES[1]}\n"
    assert fetch(api, out, PAIRS[:1]) == RecordsSummary(NAMES[:1], (), NAMES[1:2], {})
    assert (out / "vanished.txt").read_text() == f"{NAMES[1]}\n"


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_stops_the_run(status: int, api: Api, out: Path) -> None:
    api.answer(ITEMS[1], Reply(status, json.dumps({"apikey": KEY}).encode()))
    assert refused(api, out, PAIRS) == f"Europeana refused the API key (HTTP status {status})."
    assert api.asked == ["A1.json", "A2.json"]


def test_too_many_requests_stop_the_run(api: Api, out: Path) -> None:
    api.answer(ITEMS[1], Reply(429))
    assert "accepts no more requests for now (HTTP 429)" in refused(api, out, PAIRS)
    assert api.asked == ["A1.json", *["A2.json"] * 3]


@pytest.mark.parametrize(
    ("trouble", "reason", "tries"),
    [
        (Reply(500), "HTTP status 500", 3),
        (Reply(404, b"<html>no such page</html>"), "HTTP status 404", 1),
        (Reply(body=record("", success=False)), "1a_00001a_A1: found success false", 1),
        (Reply(body=b"{}", length=9), "no answer (IncompleteRead)", 3),
        (Reply(body=b"{" + KEY.encode()), "1a_00001a_A1: found text that is not JSON", 3),
        (Reply(body=record("", object={})), "1a_00001a_A1: found none of the fields", 1),
        (Reply(before=hang_up), "no answer (RemoteDisconnected)", 3),
        (redirect("http://localhost/other"), "HTTP status 302", 1),
        (Reply(204), "HTTP status 204", 1),
        (redirect("http://[other"), "no answer (ValueError)", 3),
        (redirect("file:///other"), "HTTP status 302", 1),
    ],
)
def test_an_item_that_fails_is_reported_and_skipped(
    trouble: Reply, reason: str, tries: int, api: Api, out: Path
) -> None:
    api.answer(ITEMS[0], trouble)
    result = fetch(api, out, PAIRS)
    assert (result.fetched, result.vanished) == (NAMES[1:3], ())
    assert list(result.failed) == [NAMES[0], NAMES[3]]
    assert result.failed[NAMES[0]].startswith(reason)
    assert KEY not in str(result)
    assert api.asked == [*["A1.json"] * tries, "A2.json", "A3.json"]
    assert {path.split("/")[-1].split(".")[0] for path in files(out)} == {*NAMES[1:3], "vanished"}


def test_five_failures_in_a_row_stop_the_run(api: Api, out: Path) -> None:
    for url in ITEMS[1:]:
        api.answer(url, Reply(500))
    message = refused(api, out, ALL_PAIRS)
    assert message.startswith("5 items in a row were not answered, the last one (3b_00006a_A6)")
    assert "HTTP status 500; what was fetched is kept" in message
    assert text(out, NAMES[0]) == "dcTitle:\tItem 1\n"


@pytest.mark.parametrize("is_present", [False, True])
def test_only_an_item_that_is_fetched_ends_the_row_of_failures(
    is_present: bool, api: Api, out: Path
) -> None:
    for url in {*ITEMS} - {ITEMS[3], ITEMS[6], ITEMS[7]}:
        api.answer(url, Reply(500))
    if is_present:
        (out / "text").mkdir(parents=True)
        (out / "text" / f"{record_name(2, 'b', ITEMS[3])}.txt").write_bytes(b"dcTitle:\tMine\n")
        assert refused(api, out, ALL_PAIRS).startswith("5 items in a row")
    else:
        assert len(fetch(api, out, ALL_PAIRS).failed) == 5


def test_useless_answers_do_not_stop_the_run(api: Api, out: Path) -> None:
    for url in ITEMS:
        api.answer(url, Reply(body=record("", object={})))
    assert len(fetch(api, out, ALL_PAIRS).failed) == 8


def test_a_redirect_to_another_path_of_the_host_is_followed(api: Api, out: Path) -> None:
    api.answer(ITEMS[0], redirect(f"/{api_path(ITEMS[3])}", 301))
    place = f"{api.url}/{api_path(ITEMS[3])}?wskey=other"
    api.answer(ITEMS[1], redirect(place, 301))
    assert fetch(api, out, PAIRS[:1]).fetched == NAMES[:2]
    assert api.asked == ["A1.json", "A4.json", "A2.json", "A4.json"]
    assert text(out, NAMES[0]) == text(out, NAMES[1]) == "dcTitle:\tItem 4\n"


def test_the_key_is_not_sent_to_another_host(api: Api, out: Path) -> None:
    place = f"{api.url.replace('127.0.0.1', 'localhost')}/{api_path(ITEMS[3])}"
    api.answer(ITEMS[0], redirect(place, 301))
    assert fetch(api, out, PAIRS[:1]).failed == {NAMES[0]: "HTTP status 301"}
    assert api.asked == ["A1.json", "A2.json"]


def test_a_rerun_continues_an_interrupted_run(api: Api, out: Path) -> None:
    def interrupt(done: int, of: int) -> None:
        if done == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fetch(api, out, PAIRS, progress=interrupt)
    api.asked.clear()
    expected = RecordsSummary(NAMES[2:3], (*NAMES[:2], NAMES[3]), (), {})
    assert fetch(api, out, PAIRS) == expected
    assert api.asked == ["A3.json"]
    before = files(out)
    assert fetch(api, out, PAIRS) == RecordsSummary((), NAMES, (), {})
    assert (api.asked, files(out)) == (["A3.json"], before)


def test_text_files_of_the_user_are_kept(api: Api, out: Path) -> None:
    (out / "text").mkdir(parents=True)
    (out / "text" / f"{NAMES[0]}.txt").write_bytes(b"dcTitle:\tMy own\n")
    assert fetch(api, out, PAIRS[:1]) == RecordsSummary(NAMES[1:2], NAMES[:1], (), {})
    assert api.asked == ["A2.json"]
    assert text(out, NAMES[0]) == "dcTitle:\tMy own\n"


@pytest.mark.parametrize("key", ["", "short", "with blank", "with\nnewline", "xxxXxXXxx", "é" * 9])
def test_a_malformed_key_is_refused(key: str, api: Api, out: Path) -> None:
    with pytest.raises(InputError, match="not an API key") as error:
        fetch_records(PAIRS, out, key, text_of_json, base_url=f"{api.url}/")
    assert not key or key not in str(error.value)


@pytest.mark.parametrize(
    "url",
    [
        "",
        "ftp://127.0.0.1/",
        "http://api.example.org/",
        "http://127.0.0.1.example.org/",
        "https://me:word@example.org/",
        "https://example.org/?key=1",
        "https://example.org/\n",
        f"https://example.org/{KEY}",
    ],
)
def test_the_key_is_sent_to_safe_addresses_only(url: str, api: Api, out: Path) -> None:
    assert refused(api, out, PAIRS, base_url=url).startswith("the API cannot be there")


@pytest.mark.parametrize("pause", [-1, 121, float("nan")])
def test_a_pause_out_of_range_is_refused(pause: float, api: Api, out: Path) -> None:
    assert refused(api, out, PAIRS, pause=pause) == "expected a pause of 0 to 120 seconds."


def test_a_folder_that_cannot_be_written_to(api: Api, out: Path) -> None:
    out.write_bytes(b"")
    assert "expected a folder that can be made" in refused(api, out, PAIRS)
    assert api.asked == []


@pytest.mark.official
def test_the_trial_records_are_made_byte_for_byte(official_data: Path, api: Api, out: Path) -> None:
    folder = official_data / "sts2013-typed-trial"
    needs(official_data, folder="sts2013-typed-trial")
    lines = (folder / "STS.input.europeana.txt").read_text().splitlines()
    pairs = [(left, right) for left, right in (line.split("\t") for line in lines)]
    for number, pair in enumerate(pairs, start=1):
        for side, url in zip("ab", pair, strict=True):
            answer = (folder / "json" / f"{record_name(number, side, url)}.json").read_bytes()
            api.answer(url, Reply(body=answer.replace(b"xxxXxXXxx", KEY.encode())))
    official = {name: each for name, each in files(folder).items() if "/" in name}
    command = ["data", "fetch", "sts2013-typed-trial", "-o", str(out), "--base-url", f"{api.url}/"]
    for counts in ("10 records fetched, 0 were there", "0 records fetched, 10 were there"):
        done = run_command([*command, "--pause", "0"], env={**os.environ, "EUROPEANA_API_KEY": KEY})
        assert done.stdout == f"{out}: {counts}, 0 have vanished, 0 failed\n", done.stderr
        assert files(out) == {**official, "vanished.txt": b""}
