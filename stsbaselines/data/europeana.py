"""Fetching the item records of the typed-similarity pilot (2013) from Europeana's record API.

The records were never distributed: each user fetches them with their own API key. The answers
repeat the key, which is removed before anything is written.
"""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.io.files import make_folder, write_bytes, write_text

API = "https://api.europeana.eu/"
DUMMY_KEY = "xxxXxXXxx"
TIMEOUT = 30.0  # seconds
LONGEST_WAIT = 120.0  # seconds
RETRIES = 4
FAILURES_IN_A_ROW = 5
_OK, _TOO_MANY, _SERVER_ERROR = 200, 429, 500
_TEMPORARY = (0, _OK, 408, _TOO_MANY)  # 0: no answer, 408: timeout
_KEY_REFUSED = (401, 403)
_GONE = (404, 410)
_KEPT = "what was fetched is kept; rerun the same command to continue."
_URL = re.compile(
    r"https?://(?:www\.|data\.|preview\.)?europeana\.eu/(?:portal/)?(?:[a-z]{2}/)?"
    r"(?:record|item)/([A-Za-z0-9_]{1,32})/([A-Za-z0-9_]{1,160})(?:\.html)?(?:[?#].*)?"
)
_BASE_URL = re.compile(
    r"(?:https://[A-Za-z0-9.-]+|http://(?:localhost|127\.0\.0\.1))(?::\d{1,5})?(?:/[\w./~-]*)?"
)
_KEY = re.compile("[A-Za-z0-9._~-]{6,200}")
_ECHOED_KEY = re.compile(rb'("apikey"\s*:\s*")(?:[^"\\]|\\.)*"')

TextOfJson = Callable[[bytes, str], bytes]


class RecordsSummary(NamedTuple):
    """The names of the records by outcome, in the order of the pairs; `failed` has the reasons."""

    fetched: tuple[str, ...]
    present: tuple[str, ...]
    vanished: tuple[str, ...]  # Europeana no longer has them; also listed in vanished.txt
    failed: Mapping[str, str]


def item_code(url: str) -> tuple[str, str]:
    """Return the collection and the item that a URL of Europeana's portal names."""
    match = _URL.fullmatch(url)
    if match is None:
        raise InputError(f"{shown(url, 80)} is not the URL of an item in Europeana.")
    return match[1], match[2]


def api_path(url: str) -> str:
    """Return the path of an item's record in the API."""
    return "record/v2/{}/{}.json".format(*item_code(url))


def record_name(pair: int, side: str, url: str) -> str:
    """Return the name of a record's files without their suffix, such as ``12a_00001a_A1B2``."""
    return "{}{}_{}_{}".format(pair, side, *item_code(url))


def fetch_records(
    urls: Sequence[tuple[str, str]],
    out: Path,
    api_key: str,
    text_of_json: TextOfJson,
    *,
    base_url: str = API,
    pause: float = 0.5,
    progress: Callable[[int, int], None] | None = None,
) -> RecordsSummary:
    """Fetch the missing records of the items of all pairs; a rerun continues an interrupted run."""
    client = _Client(api_key, base_url, pause)
    path_of = _paths_by_name(urls)
    names_of: dict[str, list[str]] = {}
    for name, path in path_of.items():
        names_of.setdefault(path, []).append(name)
    for folder in ("json", "text"):
        make_folder(out / folder)
    outcomes: dict[str, str] = {}
    failures: dict[str, str] = {}
    in_a_row = 0
    for done, (path, names) in enumerate(names_of.items(), start=1):
        try:
            outcomes[path] = _fetch_item(client, path, names, out, text_of_json)
        except _ItemError as error:
            failures[path] = str(error)
            in_a_row = 0 if error.answered else in_a_row + 1
        else:
            in_a_row = in_a_row if outcomes[path] == "present" else 0
        if in_a_row == FAILURES_IN_A_ROW:
            raise InputError(
                f"{in_a_row} items in a row were not answered, the last one ({names[0]}) "
                f"because of {failures[path]}; {_KEPT}"
            )
        if progress is not None:
            progress(done, len(names_of))
    fetched, present, vanished = (
        tuple(name for name, path in path_of.items() if outcomes.get(path) == outcome)
        for outcome in ("fetched", "present", "vanished")
    )
    write_text(out / "vanished.txt", "".join(f"{name}\n" for name in vanished))
    failed = {name: failures[path] for name, path in path_of.items() if path in failures}
    return RecordsSummary(fetched, present, vanished, failed)


def _paths_by_name(urls: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Return the path in the API of each record."""
    paths: dict[str, str] = {}
    faults: list[Fault | str] = []
    for number, pair in enumerate(urls, start=1):
        for side, url in zip("ab", pair, strict=True):
            try:
                paths[record_name(number, side, url)] = api_path(url)
            except InputError as error:
                faults.append(f"pair {number}: {error}")
    if faults:
        raise InputError(faults)
    return paths


def _fetch_item(
    client: _Client, path: str, names: Iterable[str], out: Path, text_of_json: TextOfJson
) -> str:
    """Fetch the record of an item; return what became of it."""
    text_files = {name: out / "text" / f"{name}.txt" for name in names}
    missing = [name for name, file in text_files.items() if not file.is_file()]
    if not missing:
        return "present"
    record = client.fetch(path, missing[0], text_of_json)
    if record is None:
        return "vanished"
    json_content, text_content = record
    for name in missing:
        write_bytes(out / "json" / f"{name}.json", json_content)
        write_bytes(text_files[name], text_content)
    return "fetched"


class _ItemError(Exception):
    """Why an item could not be fetched; `answered` if there was an answer, a useless one."""

    def __init__(self, why: str, answered: bool) -> None:
        super().__init__(why)
        self.answered = answered


class _Reply(NamedTuple):
    """A reply: `status` is 0 without an answer, `fault` is empty for status 200."""

    status: int
    body: bytes = b""
    fault: str = ""
    wait: float = 0.0


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows a redirect to another path of the same host only, with the same query."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        """Return the request for the new path, or None to give up."""
        old, new = urllib.parse.urlsplit(req.full_url), urllib.parse.urlsplit(newurl)
        if new.netloc != old.netloc:
            return None
        redirected = old._replace(path=new.path).geturl()
        return super().redirect_request(req, fp, code, msg, headers, redirected)


class _Client:
    """Asks the API with pauses and retries, and keeps the key out of files and messages."""

    def __init__(self, api_key: str, base_url: str, pause: float) -> None:
        if not _KEY.fullmatch(api_key) or api_key == DUMMY_KEY:
            raise InputError("that is not an API key: expected 6 to 200 letters and digits.")
        if not _BASE_URL.fullmatch(base_url) or api_key in base_url:
            raise InputError("the API cannot be there: expected https://HOST/ or http://localhost/")
        if not 0 <= pause <= LONGEST_WAIT:
            raise InputError(f"expected a pause of 0 to {LONGEST_WAIT:.0f} seconds.")
        self.key = api_key
        self.base_url = base_url.rstrip("/") + "/"
        self.pause = pause
        self.asked_before = False
        self.opener = urllib.request.build_opener(_SameHost)

    def fetch(self, path: str, name: str, text_of_json: TextOfJson) -> tuple[bytes, bytes] | None:
        """Return the contents of the JSON and the text file of an item; None if it vanished."""
        wait = self.pause
        for attempt in range(RETRIES + 1):
            reply = self._ask(path, wait)
            if reply.status in _KEY_REFUSED:
                raise InputError(f"Europeana refused the API key (HTTP status {reply.status}).")
            answer = _json_object(reply.body)
            refuses = answer.get("success") is False
            if reply.status in _GONE and refuses:
                return None
            fault = reply.fault
            if not fault:
                try:
                    return self._record(reply.body, name, text_of_json)
                except InputError as error:
                    fault = str(error)
                if answer:
                    raise _ItemError(fault, answered=not refuses)
            if reply.status not in _TEMPORARY and reply.status < _SERVER_ERROR:
                break
            wait = min(max(self.pause * 2 ** (attempt + 1), reply.wait), LONGEST_WAIT)
        if reply.status == _TOO_MANY:
            raise InputError(f"Europeana accepts no more requests for now (HTTP 429); {_KEPT}")
        raise _ItemError(fault, answered=False)

    def _ask(self, path: str, wait: float) -> _Reply:
        if self.asked_before:
            time.sleep(wait)
        self.asked_before = True
        request = urllib.request.Request(  # noqa: S310 - https, or http on this machine
            f"{self.base_url}{path}?wskey={self.key}",
            headers={"Accept": "application/json", "User-Agent": "stsbaselines"},
        )
        try:
            with self.opener.open(request, timeout=TIMEOUT) as response:
                is_ok = response.status == _OK
                fault = "" if is_ok else f"HTTP status {response.status}"
                return _Reply(response.status, response.read(), fault)
        except urllib.error.HTTPError as error:
            body = b""
            with error, contextlib.suppress(OSError, http.client.HTTPException):
                body = error.read()
            seconds = error.headers.get("Retry-After", "")
            wait = float(seconds) if re.fullmatch("[0-9]{1,9}", seconds) else 0.0
            return _Reply(error.code, body, f"HTTP status {error.code}", wait)
        except (OSError, http.client.HTTPException, ValueError) as error:
            return _Reply(0, fault=_reason(error))

    def _record(self, answer: bytes, name: str, text_of_json: TextOfJson) -> tuple[bytes, bytes]:
        dummy = DUMMY_KEY.encode()
        content = _ECHOED_KEY.sub(rb"\g<1>" + dummy + b'"', answer)
        content = content.replace(self.key.encode(), dummy)
        text = text_of_json(content, name)
        if not text:
            raise InputError([Fault(name, "none of the fields", "a record with at least one")])
        return content, text


def _json_object(body: bytes) -> dict[str, Any]:
    """Return the object that an answer is; an empty one if it is something else."""
    try:
        answer = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return answer if isinstance(answer, dict) else {}


def _reason(error: Exception) -> str:
    cause = getattr(error, "reason", error)
    if isinstance(cause, TimeoutError):
        return "no answer in time"
    return f"no answer ({getattr(cause, 'strerror', None) or type(cause).__name__})"
