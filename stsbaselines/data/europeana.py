"""Fetching the item records of the typed-similarity pilot (2013) from Europeana's record API.

The records were never distributed: each user fetches them with an own API key. The answers echo
the key, so it is taken out of them before anything is written.
"""

from __future__ import annotations

import contextlib
import email.utils
import http.client
import json
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.io import atomic_write, make_folder, open_to_read, write_text

API = "https://api.europeana.eu/"
DUMMY_KEY = "xxxXxXXxx"
LARGEST_ANSWER = 16 << 20
LARGEST_REFUSAL = 1 << 16
LONGEST_WAIT = 120.0
FAILURES_IN_A_ROW = 5
_OK, _TIMEOUT, _TOO_MANY, _SERVER_ERROR = 200, 408, 429, 500
_KEY_REFUSED = (401, 403)
_GONE = (404, 410)
_GOES_ON = "what was fetched is kept, and another run goes on from there."
_URL = re.compile(
    r"https?://(?:www\.|data\.|preview\.)?europeana\.eu/(?:portal/)?(?:[a-z]{2}/)?"
    r"(?:record|item)/([A-Za-z0-9_]{1,32})/([A-Za-z0-9_]{1,160})(?:\.html)?(?:[?#].*)?"
)
_BASE_URL = re.compile(
    r"(?:https://[A-Za-z0-9.-]+|http://(?:localhost|127\.0\.0\.1|\[::1\]))(?::\d{1,5})?"
    r"(?:/[A-Za-z0-9._~-]+)*/?"
)
_KEY = re.compile("[A-Za-z0-9._~-]{6,200}")
_ECHOED_KEY = re.compile(rb'("apikey"\s*:\s*")(?:[^"\\]|\\.)*"')
_ESCAPED_CHARACTER = re.compile(rb"\\u00([0-7][0-9A-Fa-f])")

TextOfJson = Callable[[bytes, str], bytes]


class Fetched(NamedTuple):
    """What became of each record, by its name, in the order of the pairs.

    Attributes
    ----------
    fetched : tuple of str
        Written now.
    present : tuple of str
        They were there already.
    vanished : tuple of str
        Europeana no longer has the item; they are listed in ``vanished.txt`` as well.
    failed : dict of str to str
        Records that could not be had, and why; another run asks for them again.
    """

    fetched: tuple[str, ...]
    present: tuple[str, ...]
    vanished: tuple[str, ...]
    failed: Mapping[str, str]


def item_code(url: str) -> tuple[str, str]:
    """Return the collection and the item that a URL of Europeana's portal names.

    Parameters
    ----------
    url : str
        In the form of the task's files, or a later one of the portal.

    Returns
    -------
    (str, str)

    Raises
    ------
    InputError
        If it names no item.

    Examples
    --------
    >>> item_code("http://www.europeana.eu/portal/record/00001a/A1B2.html")
    ('00001a', 'A1B2')
    >>> item_code("https://www.europeana.eu/en/item/00001a/A1B2")
    ('00001a', 'A1B2')
    """
    match = _URL.fullmatch(url)
    if match is None:
        raise InputError(f"{shown(url, 80)} is not the URL of an item in Europeana.")
    return match[1], match[2]


def api_path(url: str) -> str:
    """Return the path of an item's record in the API.

    Raises
    ------
    InputError
        If `url` names no item.

    Examples
    --------
    >>> api_path("http://www.europeana.eu/portal/record/00001a/A1B2.html")
    'record/v2/00001a/A1B2.json'
    """
    return "record/v2/{}/{}.json".format(*item_code(url))


def record_name(pair: int, side: str, url: str) -> str:
    """Return the name of a record's files, without their ending.

    Parameters
    ----------
    pair : int
        Number of the pair, from 1.
    side : 'a' or 'b'
        The left or the right item.
    url : str

    Raises
    ------
    InputError
        If `url` names no item.

    Examples
    --------
    >>> record_name(12, "a", "http://www.europeana.eu/portal/record/00001a/A1B2.html")
    '12a_00001a_A1B2'
    """
    return "{}{}_{}_{}".format(pair, side, *item_code(url))


def fetch_records(
    urls: Sequence[tuple[str, str]],
    out: Path,
    api_key: str,
    text_of_json: TextOfJson,
    *,
    base_url: str = API,
    pause: float = 0.5,
    retries: int = 4,
    timeout: float = 30.0,
    progress: Callable[[int, int], None] | None = None,
) -> Fetched:
    """Fetch the record of each item of the pairs that is not there yet.

    An item of several pairs is asked for once. A run that was interrupted goes on where it
    stopped: what is there and readable is kept, also a text file without its JSON file.

    Parameters
    ----------
    urls : sequence of (str, str)
        The items of each pair.
    out : Path
        ``json/NAME.json`` gets the API's answers, ``text/NAME.txt`` what is made of them.
    api_key : str
        The user's key; it is written nowhere, and is in no message.
    text_of_json : callable on (bytes, str)
        Makes the text file of an answer with a name to call it in messages, and raises
        InputError if it cannot: `stsbaselines.tasks.records.text_of_json`.
    base_url : str
        Where the API is: https, or http on this machine.
    pause : float
        Seconds between two requests; doubled for each further try.
    retries : int
        Further tries if there is no answer, or a broken one.
    timeout : float
        Seconds to wait for an answer.
    progress : callable on (int, int), optional
        Told how many items are done, and of how many.

    Returns
    -------
    Fetched

    Raises
    ------
    InputError
        If an argument is malformed, the key is refused, there were too many requests, five
        items in a row were not answered, or a file cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     fetch_records([], Path(folder), "my-own-key", lambda answer, name: answer).vanished
    ()
    """
    client = _Client(api_key, base_url, pause, retries, timeout)
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
                f"because of {failures[path]}; {_GOES_ON}"
            )
        if progress is not None:
            progress(done, len(names_of))
    return _summary(path_of, outcomes, failures, out)


class _ItemError(Exception):
    """An item that could not be had, and why; `answered` if the answer was of no use."""

    def __init__(self, why: str, answered: bool) -> None:
        super().__init__(why)
        self.answered = answered


class _Reply(NamedTuple):
    """What came back: `status` is 0 without an answer, `fault` is empty with a whole one."""

    status: int
    body: bytes = b""
    fault: str = ""
    again: bool = True
    wait: float = 0.0


class _SameHost(urllib.request.HTTPRedirectHandler):
    """Follows a redirect to another path of the same host only, with the same query."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        """Return the request for the new path, or None to give up."""
        asked, told = urllib.parse.urlsplit(req.full_url), urllib.parse.urlsplit(newurl)
        if told.netloc != asked.netloc:
            return None
        there = asked._replace(path=told.path).geturl()
        return super().redirect_request(req, fp, code, msg, headers, there)


class _Client:
    """Asks the API politely, and keeps the key to itself."""

    def __init__(
        self, api_key: str, base_url: str, pause: float, retries: int, timeout: float
    ) -> None:
        if not _KEY.fullmatch(api_key) or api_key == DUMMY_KEY:
            raise InputError("that is not an API key: expected 6 to 200 letters and digits.")
        if not _BASE_URL.fullmatch(base_url) or api_key in base_url:
            raise InputError("the API cannot be there: expected https://HOST/ or http://localhost/")
        if not (0 <= pause <= LONGEST_WAIT and 0 <= retries <= 100 and 0 < timeout <= 3600):
            raise InputError(
                "expected a pause of 0 to 120 seconds, 0 to 100 retries, "
                "and a timeout of at most 3600 seconds."
            )
        self.key = api_key.encode()
        self.base_url = base_url.rstrip("/") + "/"
        self.pause, self.retries, self.timeout = pause, retries, timeout
        self.asked_before = False
        self.opener = urllib.request.build_opener(_SameHost)

    def fetch(self, path: str, name: str, text_of_json: TextOfJson) -> tuple[bytes, bytes] | None:
        """Return an item's JSON and text files; None if it has vanished."""
        wait = self.pause
        for attempt in range(self.retries + 1):
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
                    return self.files(reply.body, name, text_of_json)
                except InputError as error:
                    fault = str(error)
                if answer:
                    raise _ItemError(fault, answered=not refuses)
            if not reply.again:
                break
            wait = min(max(self.pause * 2 ** (attempt + 1), reply.wait), LONGEST_WAIT)
        if reply.status == _TOO_MANY:
            raise InputError(f"Europeana takes no more requests for now (HTTP 429); {_GOES_ON}")
        raise _ItemError(fault, answered=False)

    def _ask(self, path: str, wait: float) -> _Reply:
        if self.asked_before:
            time.sleep(wait)
        self.asked_before = True
        request = urllib.request.Request(  # noqa: S310 - https, or http on this machine
            f"{self.base_url}{path}?wskey={self.key.decode()}",
            headers={"Accept": "application/json", "User-Agent": "stsbaselines"},
        )
        deadline = time.monotonic() + self.timeout
        try:
            with self.opener.open(request, timeout=self.timeout) as response:
                return _read_reply(response, deadline)
        except urllib.error.HTTPError as error:
            with error:
                again = error.code in (_TIMEOUT, _TOO_MANY) or error.code >= _SERVER_ERROR
                wait = _seconds(error.headers.get("Retry-After", ""))
                body = b""
                with contextlib.suppress(OSError, http.client.HTTPException):
                    body = error.read(LARGEST_REFUSAL)
                return _Reply(error.code, body, f"HTTP status {error.code}", again, wait)
        except (OSError, http.client.HTTPException, ValueError) as error:
            return _Reply(0, fault=_reason(error))

    def files(self, answer: bytes, name: str, text_of_json: TextOfJson) -> tuple[bytes, bytes]:
        """Return the JSON file, without the key, and the text file of an answer."""
        dummy = DUMMY_KEY.encode()
        content = _ECHOED_KEY.sub(rb"\g<1>" + dummy + b'"', answer).replace(self.key, dummy)
        plain = _ESCAPED_CHARACTER.sub(lambda match: bytes([int(match[1], 16)]), content)
        if self.key in plain:
            raise InputError([Fault(name, "the API key, escaped", "an answer with it unescaped")])
        text = text_of_json(content, name)
        if not text:
            raise InputError([Fault(name, "none of the fields", "a record with one at least")])
        return content, text


def _paths_by_name(urls: Sequence[tuple[str, str]]) -> dict[str, str]:
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
    client: _Client, path: str, names: list[str], out: Path, text_of_json: TextOfJson
) -> str:
    """Return what became of an item whose records have these names."""
    files_of: dict[str, tuple[bytes, bytes]] = {}
    for name in names:
        file = out / "json" / f"{name}.json"
        with contextlib.suppress(InputError):
            files_of[name] = client.files(_read(file), str(file), text_of_json)
    if not files_of and _only_text_is_there(out, names):
        return "present"
    there = next(iter(files_of.values()), None)
    files = there or client.fetch(path, names[0], text_of_json)
    if files is None:
        return "vanished"
    for name in names:
        content, text = files_of.get(name, files)
        _write(out / "json" / f"{name}.json", content)
        _write(out / "text" / f"{name}.txt", text)
    return "present" if there else "fetched"


def _only_text_is_there(out: Path, names: list[str]) -> bool:
    texts = [out / "text" / f"{name}.txt" for name in names]
    return not any((out / "json" / f"{name}.json").exists() for name in names) and all(
        each.is_file() and each.stat().st_size > 0 for each in texts
    )


def _read(path: Path) -> bytes:
    with open_to_read(path) as stream:
        return stream.read(LARGEST_ANSWER + 1)


def _write(path: Path, content: bytes) -> None:
    with contextlib.suppress(InputError):
        if _read(path) == content:
            return
    with atomic_write(path) as stream:
        stream.write(content)


def _summary(
    path_of: Mapping[str, str], outcomes: Mapping[str, str], failures: Mapping[str, str], out: Path
) -> Fetched:
    def ended(outcome: str) -> tuple[str, ...]:
        return tuple(name for name, path in path_of.items() if outcomes.get(path) == outcome)

    failed = {name: failures[path] for name, path in path_of.items() if path in failures}
    write_text(out / "vanished.txt", "".join(f"{name}\n" for name in ended("vanished")))
    return Fetched(ended("fetched"), ended("present"), ended("vanished"), failed)


def _read_reply(response: http.client.HTTPResponse, deadline: float) -> _Reply:
    pieces: list[bytes] = []
    size = 0
    while piece := response.read1(1 << 16):
        pieces.append(piece)
        size += len(piece)
        if size > LARGEST_ANSWER:
            return _Reply(response.status, fault="an answer over 16 MiB", again=False)
        if time.monotonic() > deadline:
            return _Reply(response.status, fault="an answer that takes too long")
    if response.length:
        return _Reply(response.status, fault="an answer that breaks off")
    if response.status != _OK:
        return _Reply(response.status, fault=f"HTTP status {response.status}", again=False)
    return _Reply(_OK, b"".join(pieces))


def _json_object(body: bytes) -> dict[str, Any]:
    """Return the object that an answer is; an empty one if it is none."""
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


def _seconds(retry_after: str) -> float:
    """Return the seconds that a Retry-After header asks to wait, in either of its forms."""
    if re.fullmatch("[0-9]{1,9}", retry_after):
        return float(retry_after)
    try:
        return email.utils.parsedate_to_datetime(retry_after).timestamp() - time.time()
    except (TypeError, ValueError, OverflowError):
        return 0.0
