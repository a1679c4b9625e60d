"""Getting a file over HTTP: a download that broke off goes on, and what is wrong is not kept."""

from __future__ import annotations

import functools
import hashlib
import logging
import re
import time
import urllib.parse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import pooch
import requests
import urllib3.exceptions

from stsbaselines.io import translate_os_errors
from stsbaselines.version import __version__

TIMEOUT = 30.0  # seconds to wait for the connection, and for each further piece
SLOWEST = 1 << 10  # bytes a second, after that time
LARGEST = 256 << 20  # bytes
MOST_REDIRECTIONS = 10
TRIES = 4  # of a connection that breaks
NO_ANSWER = "no answer in time"
_PIECE = 1 << 16
_OK, _PARTIAL, _NO_SUCH_RANGE = 200, 206, 416
_BEGINS_PAGE = re.compile(rb"\s*<(!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_LATE = (TimeoutError, requests.Timeout, urllib3.exceptions.TimeoutError)
_TOTAL = re.compile(r"bytes (\d{1,15})-\d{1,15}/(?:(\d{1,15})|\*)")

Progress = Callable[[str, int, int | None], None]
"""Told of a file's name, the bytes of it that are here, and all its bytes if they are known."""


class DownloadError(Exception):
    """Why a file could not be had from an address.

    Parameters
    ----------
    why : str
    breaks : bool
        Whether the connection broke, so that it may go on at another try.
    answered : bool
        Whether the host answers as it should; if not, it need not be asked for other files.
    """

    def __init__(self, why: str, breaks: bool = False, answered: bool = True) -> None:
        super().__init__(why)
        self.breaks = breaks
        self.answered = answered


def no_progress(name: str, done: int, total: int | None) -> None:
    """Tell nobody of the progress."""


def obtain(
    address: str,
    path: Path,
    check: Callable[[Path], None],
    progress: Progress = no_progress,
) -> None:
    """Download the file at `address` to `path`.

    Parameters
    ----------
    address : str
    path : Path
        It appears whole or not at all. Beside it there is a file ``.part`` meanwhile, which is left
        if the connection breaks, and gone on with by the next call.
    check : callable on Path
        Raises DownloadError if the file is not the right one.
    progress : callable on (str, int, int or None)

    Raises
    ------
    DownloadError
        If it cannot be had, or is not the right one.
    InputError
        If it cannot be written.
    """
    key = hashlib.sha256(address.encode()).hexdigest()[:12]
    part = path.with_name(f"{path.name}.{key}.part")
    goes_on = part.exists()
    try:
        _retrieve(address, path, part, check, progress)
    except DownloadError as error:
        if not goes_on or error.breaks or part.exists():
            raise
        # What an earlier call had left may be of another file.
        _retrieve(address, path, part, check, progress)


def _retrieve(
    address: str,
    path: Path,
    part: Path,
    check: Callable[[Path], None],
    progress: Progress,
) -> None:
    def downloader(url: str, output_file: str, _: Any) -> None:
        _download(url, part, path.name, progress)
        with translate_os_errors(path, part):
            part.replace(output_file)

    pooch.get_logger().setLevel(logging.WARNING)  # it would tell of each download
    path.unlink(missing_ok=True)  # pooch would take it for what was downloaded
    try:
        pooch.retrieve(address, None, path.name, path.parent, downloader=downloader)
        check(path)
    except DownloadError:
        path.unlink(missing_ok=True)
        raise


def _download(address: str, part: Path, name: str, progress: Progress) -> None:
    """Download to `part`; go on with it as long as something comes when the connection breaks."""
    for attempt in range(1, TRIES + 1):
        before = _size(part)
        try:
            _transfer(address, part, name, progress)
        except DownloadError as error:
            if not _size(part):
                part.unlink(missing_ok=True)
            if not error.breaks or attempt == TRIES or _size(part) == before:
                raise
        else:
            return


def _size(part: Path) -> int:
    return part.stat().st_size if part.exists() else 0


def _transfer(address: str, part: Path, name: str, progress: Progress) -> None:
    here = _size(part)
    headers = {"User-Agent": f"stsbaselines/{__version__}", "Accept-Encoding": "identity"}
    if here:
        headers["Range"] = f"bytes={here}-"
    with _request(address, headers) as response:
        start, total = _extent(response, here, part)
        with translate_os_errors(part), part.open("ab" if start else "wb") as out:
            done = _write(_pieces(response), out, start, lambda done: progress(name, done, total))
    if done > LARGEST:
        part.unlink()
        raise DownloadError(f"more than {LARGEST >> 20} MiB")
    if total is not None and done != total:
        raise DownloadError(f"an answer that breaks off after {done:,} of {total:,} bytes", True)
    with part.open("rb") as stream:
        is_page = _BEGINS_PAGE.match(stream.read(_PIECE))
    if is_page:
        part.unlink()
        raise DownloadError("a web page instead of the file")


def _request(address: str, headers: dict[str, str]) -> requests.Response:
    """Ask for a file; of a redirection, its content is not read, which may have no end."""
    get = functools.partial(requests.get, headers=headers, stream=True, timeout=TIMEOUT)
    try:
        for _ in range(MOST_REDIRECTIONS):
            response = get(address, allow_redirects=False)
            if not response.is_redirect:
                return response
            response.close()
            address = urllib.parse.urljoin(response.url, response.headers["Location"])
    except (OSError, ValueError, urllib3.exceptions.HTTPError) as error:
        raise DownloadError(_reason(error), answered=False) from None
    raise DownloadError("too many redirects", answered=False)


def _extent(response: requests.Response, here: int, part: Path) -> tuple[int, int | None]:
    """Return at which byte an answer starts, and how many bytes the whole file has."""
    length = response.headers.get("Content-Length", "")
    size = int(length) if re.fullmatch("[0-9]{1,15}", length) else None
    if response.status_code == _OK:
        return 0, size
    if response.status_code == _PARTIAL and here:
        match = _TOTAL.fullmatch(response.headers.get("Content-Range", ""))
        if match and int(match[1]) == here:
            return here, int(match[2]) if match[2] else None if size is None else here + size
    if response.status_code in (_PARTIAL, _NO_SUCH_RANGE) and here:
        part.unlink()
        raise DownloadError("an answer that does not go on with what is here", breaks=True)
    raise DownloadError(f"HTTP status {response.status_code}")


def _write(
    pieces: Iterator[bytes], out: BinaryIO, start: int, progress: Callable[[int], None]
) -> int:
    """Write the pieces, as long as they come fast enough; return how long the file is then."""
    begin = time.monotonic()
    done = start
    progress(done)
    for piece in pieces:
        out.write(piece)
        done += len(piece)
        progress(done)
        if done > LARGEST:
            break
        if time.monotonic() - begin > TIMEOUT + (done - start) / SLOWEST:
            raise DownloadError(f"less than {SLOWEST:,} bytes a second", answered=False)
    return done


def _pieces(response: requests.Response) -> Iterator[bytes]:
    """Yield what comes, as it comes, and as it was packed by the server."""
    while True:
        try:
            piece = response.raw.read1(_PIECE, decode_content=False)
        except (OSError, ValueError, urllib3.exceptions.HTTPError) as error:
            why = NO_ANSWER if isinstance(error, _LATE) else "an answer that breaks off"
            raise DownloadError(why, breaks=True) from None
        if not piece:
            return
        yield piece


def _reason(error: Exception) -> str:
    if isinstance(error, _LATE):
        return NO_ANSWER
    if isinstance(error, requests.exceptions.ProxyError):
        return "no answer of the proxy"
    if isinstance(error, requests.exceptions.SSLError):
        return "a certificate that is not trusted"
    cause = next(
        (each for each in _causes(error) if isinstance(each, OSError) and each.strerror), None
    )
    return f"no connection ({cause.strerror})" if cause else "no connection"


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or error.__context__
