"""A task of ponds, and a server that has its files."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Iterator

import pytest

from stsbaselines.data import fetch, find, sources
from stsbaselines.data.catalogue import DataFile, DataSet, Task
from stsbaselines.data.sources import ArchiveSource, RepositorySource, Source
from tests.data.server import Server, running
from tests.helpers import zipped

INPUT, GOLD, CLOSED = "STS.input.pond.txt", "STS.gs.pond.txt", "STS.input.closed.txt"
FILES = {INPUT: b"A duck swims.\tA swan swims.\n" * 300, GOLD: b"3.8\n" * 300}
CLOSED_CONTENT = b"Nobody\tmay pass this on.\n"
ARCHIVE, RAW, OTHER_RAW = (
    "/images/pond.zip",
    f"/one/pond/{'0' * 12}/data/",
    f"/two/pond/{'1' * 40}/d/",
)


def file(name: str, content: bytes) -> DataFile:
    return DataFile(name=name, sha256=hashlib.sha256(content).hexdigest())


def dataset(name: str, files: dict[str, DataFile], restricted: bool = False) -> DataSet:
    source = "the pond keeper" if restricted else None
    return DataSet(
        name=name, files=files, output=name, pairs=1, scored=1, restricted=restricted, source=source
    )


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
        dataset("open", {"input": file(INPUT, FILES[INPUT]), "gold": file(GOLD, FILES[GOLD])}),
        dataset("closed", {"input": file(CLOSED, CLOSED_CONTENT)}, restricted=True),
    ],
)
SOURCES: list[Source] = [
    ArchiveSource(archive="http://example.org/images/pond.zip"),
    RepositorySource(repository="one/pond", commit="0" * 12, folder="data"),
    RepositorySource(repository="two/pond", commit="1" * 40, folder="d", names={GOLD: "g s.txt"}),
]
POND = zipped(
    *((f"test-gs/{name}", content) for name, content in FILES.items()),
    (f"train/{GOLD}", b"0\n"),
    (f"x/{CLOSED}", CLOSED_CONTENT),
)


@contextlib.contextmanager
def serving(monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """Run a server that is the mirror of all sources, also of those of the task of ponds."""
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", find.OFFLINE):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("no_proxy", "*")
    known = sources.sources_of
    monkeypatch.setattr(
        fetch, "sources_of", lambda name: SOURCES if name == "pond" else known(name)
    )
    with running(Server()) as server:
        monkeypatch.setenv(fetch.MIRROR, server.url)
        yield server
