"""Where the files of data sets can be fetched from: `stsbaselines/data/sources.yaml`."""

from __future__ import annotations

import functools
import re
import urllib.parse
from collections.abc import Iterable
from pathlib import Path

from pydantic import Field

from stsbaselines.errors import InputError, shown
from stsbaselines.io.settings import Entry, read_model

SOURCES = Path(__file__).parent / "sources.yaml"
RAW_FILES = "https://raw.githubusercontent.com"
_HOST = re.compile(r"[^\s/]+")


class ArchiveSource(Entry):
    """The address of an archive with files of a task."""

    archive: str = Field(pattern="^https?://[^/?#]+/[^?#]+[^/?#]$")

    @property
    def address(self) -> str:
        """What to call the source in messages."""
        return self.archive

    def addresses_of(self, names: Iterable[str]) -> dict[str, list[str]]:
        """Return what to download, and which of the files are expected there."""
        return {self.archive: list(names)}


class RepositorySource(Entry):
    """A folder with single files in a public repository, at a fixed commit.

    `names` maps official names of files to those that they have in the repository.
    """

    repository: str = Field(pattern="^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$")
    commit: str = Field(pattern="^([0-9a-f]{12}|[0-9a-f]{40})$")
    folder: str = Field(pattern="^[^/?#]+(/[^/?#]+)*$")
    names: dict[str, str] = Field(default_factory=dict)

    @property
    def address(self) -> str:
        """What to call the source in messages."""
        path = urllib.parse.quote(f"{self.repository}/{self.commit}/{self.folder}")
        return f"{RAW_FILES}/{path}/"

    def addresses_of(self, names: Iterable[str]) -> dict[str, list[str]]:
        """Return what to download, and which of the files are expected there."""
        return {
            self.address + urllib.parse.quote(self.names.get(name, name)): [name] for name in names
        }


Source = ArchiveSource | RepositorySource


class SourceList(Entry):
    """The sources of each task, in the order in which to try them."""

    tasks: dict[str, list[Source]]


@functools.cache
def sources_of(task: str) -> list[Source]:
    """Return the sources of a task, in the order in which to try them."""
    return read_model(SOURCES, SourceList).tasks.get(task, [])


def mirrored(address: str, mirror: str | None) -> str:
    """Return the address of the same path below the address of a mirror."""
    if not mirror:
        return address
    try:
        parts = urllib.parse.urlsplit(mirror)
        is_address = parts.port != 0 and bool(_HOST.fullmatch(parts.netloc))
    except ValueError:
        is_address = False
    if not is_address or parts.scheme not in ("http", "https") or parts.query or parts.fragment:
        raise InputError(
            f"{shown(mirror, 80)} is no mirror: expected http://HOST/ or https://HOST/"
        )
    return mirror.rstrip("/") + urllib.parse.urlsplit(address).path
