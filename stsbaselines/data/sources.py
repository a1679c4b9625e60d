"""Where the files of data sets may be fetched from: `stsbaselines/data/sources.yaml`."""

from __future__ import annotations

import functools
import re
import urllib.parse
from pathlib import Path

from pydantic import Field

from stsbaselines.errors import InputError, shown
from stsbaselines.io import Entry, read_model

SOURCES = Path(__file__).parent / "sources.yaml"
_HOST = re.compile(r"[^\s/]+")
RAW_FILES = "https://raw.githubusercontent.com"


class ArchiveSource(Entry):
    """An archive with files of a task.

    Attributes
    ----------
    archive : str
        Its address.
    """

    archive: str = Field(pattern="^https?://[^/?#]+/[^?#]+[^/?#]$")


class RepositorySource(Entry):
    """Single files in a folder of a public repository, at a fixed commit.

    Attributes
    ----------
    repository : str
        Owner and name.
    commit : str
    folder : str
    names : dict of str to str
        Files that have another name there, by their official name.
    """

    repository: str = Field(pattern="^[A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+$")
    commit: str = Field(pattern="^([0-9a-f]{12}|[0-9a-f]{40})$")
    folder: str = Field(pattern="^[^/?#]+(/[^/?#]+)*$")
    names: dict[str, str] = Field(default_factory=dict)

    def address_of(self, name: str) -> str:
        """Return the address of the file that is officially called `name`.

        Examples
        --------
        >>> source = RepositorySource(repository="someone/data", commit="0" * 12, folder="sts")
        >>> source.address_of("STS.gs.kitchen.txt")
        'https://raw.githubusercontent.com/someone/data/000000000000/sts/STS.gs.kitchen.txt'
        """
        path = f"{self.repository}/{self.commit}/{self.folder}/{self.names.get(name, name)}"
        return f"{RAW_FILES}/{urllib.parse.quote(path)}"


Source = ArchiveSource | RepositorySource


class SourceList(Entry):
    """The content of the file: sources by task, in the order in which to try them."""

    tasks: dict[str, list[Source]]


@functools.cache
def sources_of(task: str) -> list[Source]:
    """Return the sources of a task, in the order in which to try them.

    Examples
    --------
    >>> sources_of("sts2013")[0].archive.rpartition("/")[2]
    'STS2013-en-test.zip'
    """
    return read_model(SOURCES, SourceList).tasks.get(task, [])


def mirrored(address: str, mirror: str | None) -> str:
    """Return where a mirror has what is at `address`: at the same path below its own address.

    Raises
    ------
    InputError
        If the mirror's address is malformed.

    Examples
    --------
    >>> mirrored("http://example.org/images/4/40/sts.zip", "http://localhost:8000/copies/")
    'http://localhost:8000/copies/images/4/40/sts.zip'
    """
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
