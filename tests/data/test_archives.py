"""Reading archives that nobody vouches for."""

from __future__ import annotations

import gzip
import random
import stat
import struct
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.data import archives
from stsbaselines.errors import InputError
from tests.helpers import tarred, zipped

FILES = {"set/STS.gs.kitchen.txt": b"4.2\n0\n", "00-readme.txt": b"Read me.\n"}
NOISE = random.Random(0).randbytes(300_000)


def plain_tar(*files: tuple[str | tarfile.TarInfo, bytes]) -> bytes:
    return tarred(*files, packed=False)


def unpacked(path: Path) -> dict[str, bytes]:
    with archives.open_archive(path) as members:
        return {each.name: b"".join(each.read_blocks()) for each in members}


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as error:
        unpacked(path)
    message = str(error.value)
    assert str(path) in message
    assert "\n" not in message
    return message


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "download"


@pytest.mark.parametrize("packed", [zipped, tarred, plain_tar])
def test_the_files_of_an_archive_are_read(packed: Callable[..., bytes], path: Path) -> None:
    content = packed(*FILES.items(), ("./set/./STS.input.kitchen.txt", NOISE))
    path.write_bytes(content)
    assert archives.is_archive(path)
    assert unpacked(path) == {**FILES, "set/STS.input.kitchen.txt": NOISE}
    with archives.open_archive(path) as members:  # in any order, and again
        last = members[-1]
        assert last.size == len(NOISE)
        assert next(iter(last.read_blocks())) == NOISE[: 1 << 17]
        assert b"".join(members[0].read_blocks()) == FILES["set/STS.gs.kitchen.txt"]
        assert b"".join(last.read_blocks()) == NOISE


def test_folders_are_left_out(path: Path) -> None:
    folder = tarfile.TarInfo("./set")
    folder.type = tarfile.DIRTYPE
    path.write_bytes(tarred((folder, b""), *FILES.items()))
    assert unpacked(path) == FILES
    path.write_bytes(zipped(("set/", b""), *FILES.items()))
    assert unpacked(path) == FILES


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"4.2\n",
        b"<!DOCTYPE html><html></html>",
        gzip.compress(b"no tar archive"),
        b"\x1f\x8b",
        bytes(10240),
        NOISE[:2000],
    ],
)
def test_what_is_no_archive_is_told_by_its_content(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "STS2013-en-test.zip"
    path.write_bytes(content)
    assert not archives.is_archive(path)
    assert "found other content, expected a zip or tar archive" in refusal(path)


def test_a_file_that_is_not_there(path: Path) -> None:
    with pytest.raises(InputError, match="found nothing there"):
        archives.is_archive(path)
    assert "found nothing there" in refusal(path)


@pytest.mark.parametrize("packed", [zipped, tarred, plain_tar])
@pytest.mark.parametrize(
    "name",
    [
        "/etc/passwd",
        "../up.txt",
        "set/../../up.txt",
        "C:\\up.txt",
        "c:up.txt",
        "..\\up.txt",
        "\\up",
    ],
)
def test_paths_that_lead_out_are_refused(
    packed: Callable[..., bytes], name: str, path: Path
) -> None:
    path.write_bytes(packed(*FILES.items(), (name, b"x")))
    assert "a path that leads out of the archive" in refusal(path)


@pytest.mark.parametrize(
    "kind",
    [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.BLKTYPE, tarfile.FIFOTYPE],
)
def test_links_and_devices_in_a_tar_are_refused(kind: bytes, path: Path) -> None:
    info = tarfile.TarInfo("set/link")
    info.type, info.linkname = kind, "/etc/passwd"
    path.write_bytes(tarred(*FILES.items(), (info, b"")))
    assert "member 'set/link': found a link, a device" in refusal(path)


@pytest.mark.parametrize("mode", [stat.S_IFLNK, stat.S_IFCHR, stat.S_IFIFO])
def test_links_and_devices_in_a_zip_are_refused(mode: int, path: Path) -> None:
    info = zipfile.ZipInfo("set/link")
    info.external_attr = (mode | 0o777) << 16
    path.write_bytes(zipped((info, b"/etc/passwd")))
    assert "member 'set/link': found a link or a device" in refusal(path)


@pytest.mark.filterwarnings("ignore:Duplicate name:UserWarning")
@pytest.mark.parametrize("packed", [zipped, tarred])
def test_a_name_that_stands_twice_is_refused(packed: Callable[..., bytes], path: Path) -> None:
    path.write_bytes(packed(("a/b.txt", b"1"), ("a/./b.txt", b"2")))
    assert "member 'a/b.txt': found this name twice" in refusal(path)


def test_an_encrypted_member_is_refused(path: Path) -> None:
    content = bytearray(zipped(("a.txt", b"secret")))
    content[6] |= 1  # the flags of the member, and those in the directory
    content[content.index(b"PK\x01\x02") + 8] |= 1
    path.write_bytes(content)
    assert "member 'a.txt': found an encrypted file" in refusal(path)


def test_another_method_of_packing_is_refused(path: Path) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a.txt", b"x" * 1000)
    assert "found another method of packing, expected deflate" in refusal(path)


@pytest.mark.parametrize("packed", [zipped, tarred])
def test_bombs_are_refused(packed: Callable[..., bytes], path: Path) -> None:
    path.write_bytes(packed(("zeros.txt", bytes(3 << 20))))
    assert "more than 1,024 MiB or 200 times the packed bytes" in refusal(path)
    path.write_bytes(packed(("zeros.txt", bytes(1 << 19))))  # small enough to be harmless
    assert unpacked(path) == {"zeros.txt": bytes(1 << 19)}


@pytest.mark.parametrize("packed", [zipped, tarred, plain_tar])
def test_large_content_is_refused(
    packed: Callable[..., bytes], path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archives, "LARGEST_CONTENT", 400_000)
    path.write_bytes(packed(("a.txt", NOISE)))
    assert unpacked(path) == {"a.txt": NOISE}
    path.write_bytes(packed(("a.txt", NOISE), ("b.txt", NOISE)))
    assert "found more than" in refusal(path)


def test_an_empty_name_is_refused(path: Path) -> None:
    path.write_bytes(zipped((zipfile.ZipInfo(""), b"x")))
    assert "a path that leads out of the archive" in refusal(path)


@pytest.mark.parametrize("size", [1 << 40, 2 << 20])
def test_a_large_header_is_refused_at_once(size: int, path: Path) -> None:
    info = tarfile.TarInfo("pax")
    info.type, info.size = tarfile.XHDTYPE, size  # what tarfile would read into memory
    path.write_bytes(gzip.compress(info.tobuf(tarfile.GNU_FORMAT) + bytes(3 << 20)))
    assert "found more than" in refusal(path)


def test_a_zip_that_says_less_than_it_holds_is_refused(path: Path) -> None:
    content = bytearray(zipped(("a.txt", b"x" * 1000)))
    content[22:26] = struct.pack("<I", 10)
    place = content.index(b"PK\x01\x02") + 24
    content[place : place + 4] = struct.pack("<I", 10)
    path.write_bytes(content)
    assert "damaged or truncated content" in refusal(path)


def test_many_members_are_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_MEMBERS", 3)
    for packed in (zipped, tarred):
        path.write_bytes(packed(*((f"{number}.txt", b"x") for number in range(3))))
        assert len(unpacked(path)) == 3
        path.write_bytes(packed(*((f"{number}.txt", b"x") for number in range(4))))
        assert "found more than 3 members" in refusal(path)


@pytest.mark.parametrize("packed", [zipped, tarred, plain_tar])
def test_archives_that_are_cut_off_are_refused(packed: Callable[..., bytes], path: Path) -> None:
    content = packed(*FILES.items(), ("noise.bin", NOISE))
    end = len(content) if packed is not plain_tar else content.rstrip(b"\0").__len__() + 400
    for length in (600, end // 2, end - 1):
        path.write_bytes(content[:length])
        assert archives.is_archive(path)
        assert "found " in refusal(path)


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
    content = bytearray(packed(*FILES.items(), ("noise.bin", NOISE[:1500])))[: length + 200]
    for place, value in changes:
        content[place % len(content)] = value
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(content)
    try:
        found = unpacked(path)
    except InputError:
        return
    assert all(not name.startswith("/") and ".." not in name.split("/") for name in found)
