"""Reading archives of unknown origin."""

from __future__ import annotations

import contextlib
import gzip
import random
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.data import archives
from stsbaselines.data.archives import contents_of
from stsbaselines.errors import InputError
from tests.helpers import tarred, zipped

FILES = {"set/STS.gs.kitchen.txt": b"4.2\n0\n", "00-readme.txt": b"Read me.\n"}
NOISE = random.Random(0).randbytes(300_000)


def plain_tar(*files: tuple[str | tarfile.TarInfo, bytes]) -> bytes:
    return tarred(*files, packed=False)


PACKERS = pytest.mark.parametrize("packed", [zipped, tarred, plain_tar])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "download"


@PACKERS
def test_the_files_of_an_archive_are_read(packed: Callable[..., bytes], path: Path) -> None:
    path.write_bytes(packed(*FILES.items(), ("noise", NOISE)))
    assert dict(contents_of(path)) == {**FILES, "noise": NOISE}


def test_folders_are_skipped(path: Path) -> None:
    folder = tarfile.TarInfo("./set")
    folder.type = tarfile.DIRTYPE
    path.write_bytes(tarred((folder, b""), *FILES.items()))
    assert dict(contents_of(path)) == FILES
    path.write_bytes(zipped(("set/", b""), *FILES.items()))
    assert dict(contents_of(path)) == FILES


@pytest.mark.parametrize(
    "content", [b"", b"4.2\n", b"<!DOCTYPE html>", gzip.compress(b"x"), b"\x1f\x8b", NOISE[:2000]]
)
def test_the_content_tells_what_is_an_archive(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "STS2013-en-test.zip"
    path.write_bytes(content)
    assert list(contents_of(path)) == [("", content)]


def test_a_packed_file_is_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "STS.gs.kitchen.txt.gz"
    path.write_bytes(gzip.compress(b"4.2\n"))
    assert list(contents_of(path)) == [("", b"4.2\n")]


@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE],
)
def test_links_and_devices_in_a_tar_are_not_followed(kind: bytes, path: Path) -> None:
    info = tarfile.TarInfo("set/link")
    info.type, info.linkname = kind, "/etc/passwd"
    path.write_bytes(tarred(*FILES.items(), (info, b"")))
    assert dict(contents_of(path)) == FILES


def test_large_files_are_not_read(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "LARGEST_FILE", 1000)
    for packed in (zipped, tarred, plain_tar):
        path.write_bytes(packed(*FILES.items(), ("noise", NOISE)))
        assert dict(contents_of(path)) == {**FILES, "noise": None}
    path.write_bytes(NOISE)
    assert list(contents_of(path)) == [("", None)]


@pytest.mark.parametrize("packed", [zipped, tarred])
def test_bombs_are_refused(
    packed: Callable[..., bytes], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "LARGEST_ARCHIVE", 2 << 20)
    path.write_bytes(packed(("a.txt", bytes(1 << 20)), ("b.txt", bytes(1 << 20)), ("c.txt", b"x")))
    with pytest.raises(InputError, match="download: found more than 2 MiB, expected an archive"):
        list(contents_of(path))


@pytest.mark.parametrize("packed", [bytes, gzip.compress])
def test_a_header_that_claims_a_huge_size_is_harmless(
    packed: Callable[[bytes], bytes], path: Path
) -> None:
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, 1 << 46  # what tarfile would read into memory
    path.write_bytes(packed(info.tobuf(tarfile.GNU_FORMAT) + bytes(1 << 20)))
    with contextlib.suppress(InputError):
        assert len(list(contents_of(path))) == 1


def test_an_encrypted_member_is_refused(path: Path) -> None:
    content = bytearray(zipped(("a.txt", b"secret")))
    content[6] |= 1  # the flags of the member, and those in the directory
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    with pytest.raises(InputError, match="download: found damaged content, expected a whole"):
        list(contents_of(path))


def test_what_cannot_be_read_is_an_input_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="found nothing there"):
        list(contents_of(tmp_path / "gone.zip"))
    with pytest.raises(InputError, match="found a pipe or a device, expected a regular file"):
        list(contents_of(Path("/dev/null")))


@given(
    packed=st.sampled_from([zipped, tarred, plain_tar]),
    length=st.integers(0, 4000),
    changes=st.lists(st.tuples(st.integers(0, 4000), st.integers(0, 255)), max_size=4),
)
def test_damage_is_an_input_error_or_harmless(
    packed: Callable[..., bytes],
    length: int,
    changes: list[tuple[int, int]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    content = bytearray(packed(*FILES.items(), ("noise", NOISE[:1500])))[: length + 200]
    for place, value in changes:
        content[place % len(content)] = value
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(content)
    with contextlib.suppress(InputError):
        for name, found in contents_of(path):
            assert isinstance(name, str)
            assert isinstance(found, bytes)
