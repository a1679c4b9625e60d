"""Fetching the missing files of data sets."""

from __future__ import annotations

import logging
import os
import tempfile
import urllib.parse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from stsbaselines.data.archives import contents_of
from stsbaselines.data.catalogue import DataFile, Task
from stsbaselines.data.find import (
    OFFLINE,
    cache_directory,
    is_offline,
    locate_all,
    require_all,
    wanted_files,
)
from stsbaselines.data.sources import ArchiveSource, Source, mirrored, sources_of
from stsbaselines.errors import Fault, InputError, MissingDataError
from stsbaselines.io.files import make_folder, write_bytes
from stsbaselines.version import __version__

MIRROR = "STSBASELINES_MIRROR"
TIMEOUT = 30.0  # seconds to wait for the connection, and for each further piece

Files = Mapping[str, DataFile]


class FetchedFile(NamedTuple):
    """A file that was fetched, and the address of it or of the archive that it was in."""

    path: Path
    address: str


def fetch(
    task: Task,
    data_dir: str | Path | None = None,
    *,
    offline: bool = False,
    progress: bool = False,
    unreachable: set[str] | None = None,
) -> list[FetchedFile]:
    """Fetch the missing files of a task into its folder in `data_dir`, or in the user's cache.

    Sources are tried in order, and a file is used only if its checksum is the official one.
    Restricted files are never fetched. Hosts that do not answer are added to `unreachable` and
    not asked again. MissingDataError says what could not be fetched, and why.
    """
    wanted = wanted_files(task, data_dir)
    if not wanted:
        return []
    folder = (cache_directory() if data_dir is None else Path(data_dir)) / task.folders[0]
    by_hand = f"put into {folder} what you get from {task.source}"
    sources = sources_of(task.task)
    if offline or is_offline():
        why = "--offline" if offline else f"${OFFLINE}"
        raise MissingDataError(
            f"{_what(task, wanted)} cannot be fetched because of {why}: run"
            f" `stsbaselines data fetch {task.task}` with a network, or {by_hand}."
        )
    if not sources:
        raise MissingDataError(
            f"{_what(task, wanted)} cannot be fetched, because no source is known: {by_hand}."
        )
    make_folder(folder)
    unreachable = set() if unreachable is None else unreachable
    downloader = _Downloader(folder, os.environ.get(MIRROR), progress, unreachable)
    failures: list[str] = []
    for source in sources:
        failures += downloader.fetch_from(source, wanted)
        for each in downloader.fetched:
            wanted.pop(each.path.name, None)
        if not wanted:
            return downloader.fetched
    raise MissingDataError(
        f"{_what(task, wanted)} could not be fetched: {'; '.join(failures)}. You can also"
        f" {by_hand}."
    )


def left_to_do(task: Task, data_dir: str | Path | None = None) -> list[str]:
    """Return what of a task the user has to get by hand, one sentence each.

    Raises InputError if a file that was found is not the official one; it is not replaced.
    """
    located = locate_all(task, data_dir)
    wrong = [each.fault for each in located if each.status == "wrong"]
    if wrong:
        raise InputError(wrong)
    sentences = [
        f"{task.task}: {each.expected.name} is never fetched: get it from"
        f" {each.source}, and put it into {task.folders[0]}/."
        for each in located
        if each.status == "missing" and each.restricted
    ]
    if not sentences:
        try:
            for dataset in task.datasets:
                require_all(task, dataset, data_dir)
        except MissingDataError as error:
            sentences.append(str(error))
    return sentences


def _shown(address: str) -> str:
    """Return an address without the name and password that may be in it."""
    parts = urllib.parse.urlsplit(address)
    return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()


def _what(task: Task, files: Files) -> str:
    """Name the files that a message is about."""
    first, *others = files
    return f"{first}{f' and {len(others)} more' if others else ''} of {task.task}"


class _SourceError(Exception):
    """Why a download failed; `answered` is whether the host can be reached."""

    def __init__(self, why: str, answered: bool = True) -> None:
        super().__init__(why)
        self.answered = answered


@dataclass(frozen=True)
class _Downloader:
    """Downloads official files into a folder, and lists what it `fetched`."""

    folder: Path
    mirror: str | None
    progress: bool
    unreachable: set[str]
    fetched: list[FetchedFile] = field(default_factory=list)

    def fetch_from(self, source: Source, wanted: Files) -> list[str]:
        """Fetch what a source has of the wanted files; return why it does not have them all."""
        is_archive = isinstance(source, ArchiveSource)
        reasons: dict[str, None] = {}
        for original, names in source.addresses_of(wanted).items():
            address = mirrored(original, self.mirror)
            known_hash = None if is_archive else f"sha256:{wanted[names[0]].sha256}"
            try:
                with tempfile.TemporaryDirectory() as place:
                    path = self._download(address, known_hash, Path(place))
                    contents = _contents_of(path)
                self._keep(contents, {name: wanted[name] for name in names}, address)
            except _SourceError as error:
                reasons[str(error)] = None
                if not error.answered:
                    break
        shown = _shown(mirrored(source.address, self.mirror))
        return [f"{shown}: {' and '.join(reasons)}"] if reasons else []

    def _download(self, address: str, known_hash: str | None, place: Path) -> Path:
        import pooch  # slow

        parts = urllib.parse.urlsplit(address)
        if parts.netloc in self.unreachable:
            raise _SourceError("not asked again, because it did not answer", answered=False)
        headers = {"User-Agent": f"stsbaselines/{__version__}"}
        downloader = pooch.HTTPDownloader(self.progress, timeout=TIMEOUT, headers=headers)
        pooch.get_logger().setLevel(logging.WARNING)  # it reports each download
        name = PurePosixPath(parts.path).name
        try:
            return Path(pooch.retrieve(address, known_hash, name, place, downloader=downloader))
        except OSError as error:  # also the errors of requests, which pooch uses
            if error.errno is not None:
                expected = "a file that can be written"
                raise InputError([Fault(str(place), str(error.strerror), expected)]) from None
            response = getattr(error, "response", None)
            if response is not None:
                raise _SourceError(f"HTTP status {response.status_code}") from None
            self.unreachable.add(parts.netloc)
            raise _SourceError(f"no answer ({type(error).__name__})", answered=False) from None
        except ValueError:
            raise _SourceError("other content than the official file's") from None

    def _keep(self, contents: Sequence[bytes], files: Files, address: str) -> None:
        """Put the official files among the contents in place."""
        missing = dict(files)
        for content in contents:
            for name, file in files.items():
                if name in missing and file.checksum_of(content) == file.checksum:
                    write_bytes(self.folder / name, content)
                    self.fetched.append(FetchedFile(self.folder / name, _shown(address)))
                    del missing[name]
        if missing:
            raise _SourceError(f"without the official {', '.join(missing)}")


def _contents_of(path: Path) -> list[bytes]:
    try:
        return [content for _, content in contents_of(path) if content is not None]
    except InputError as error:
        raise _SourceError(str(error).replace(f"{path.parent}{os.sep}", "")) from None
