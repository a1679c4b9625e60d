"""The list of sources."""

from __future__ import annotations

import hashlib

import pytest

from stsbaselines.data import catalogue
from stsbaselines.data.sources import ArchiveSource, RepositorySource, mirrored, sources_of
from stsbaselines.errors import InputError

PUBLIC = [name for name in catalogue.task_names() if not catalogue.find_task(name).is_sample]


def test_samples_have_no_source_and_all_public_tasks_have_one() -> None:
    with_sources = [name for name in catalogue.task_names() if sources_of(name)]
    assert with_sources == PUBLIC


@pytest.mark.parametrize("name", PUBLIC)
def test_the_addresses_are_well_formed(name: str) -> None:
    files = [each.files for each in catalogue.find_task(name).datasets]
    known = {file.name for each in files for file in each.values()}
    for source in sources_of(name):
        if isinstance(source, ArchiveSource):
            if "/stswiki/" not in source.archive:
                continue
            # The folder on the wiki follows from the name.
            *_, first, second, file_name = source.archive.split("/")
            digest = hashlib.md5(file_name.encode(), usedforsecurity=False).hexdigest()
            assert (first, second) == (digest[0], digest[:2])
        else:
            assert set(source.names) <= known


def test_a_file_may_have_another_name_in_a_repository() -> None:
    source = RepositorySource(
        repository="two/pond", commit="1" * 40, folder="d", names={"b": "g s.txt"}
    )
    root = f"https://raw.githubusercontent.com/two/pond/{'1' * 40}/d/"
    assert source.addresses_of(["a", "b"]) == {f"{root}a": ["a"], f"{root}g%20s.txt": ["b"]}


def test_a_mirror_has_the_same_paths_below_its_address() -> None:
    address = "http://example.org/images/4/40/sts.zip"
    mirror = "http://localhost:8000/copies/"
    assert mirrored(address, mirror) == "http://localhost:8000/copies/images/4/40/sts.zip"
    assert mirrored(address, None) == address


@pytest.mark.parametrize(
    "mirror",
    [
        *("pond", "ftp://example.org", "http://", "http://a/?b", "a:b"),
        *("http://[::1", "http://a:99999", "http://a:b/", "http://a b/"),
    ],
)
def test_a_malformed_mirror_is_refused(mirror: str) -> None:
    with pytest.raises(InputError, match="is no mirror: expected http"):
        mirrored("http://example.org/sts.zip", mirror)
