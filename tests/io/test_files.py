"""Files are read line by line or refused in one sentence, and written whole or not at all."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import os
import stat
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stsbaselines.errors import InputError
from stsbaselines.io.files import (
    LONGEST_LINE,
    atomic_write,
    entries_of,
    lines_of,
    new_folder,
    open_to_read,
    open_zip,
    read_whole,
    target_of,
    to_displayable,
    to_json,
    write_text,
)
from tests.helpers import zipped

TEXTS = st.binary(max_size=30) | st.text("ab\n\r\0\ufeff", max_size=30).map(str.encode)


def refusal(read: Callable[[], Any]) -> str:
    with pytest.raises(InputError) as error:
        read()
    return str(error.value)


# Lines


def is_refused(content: bytes) -> bool:
    """Return whether `lines_of` must refuse a short content."""
    first = content.partition(b"\n")[0]
    return (
        not content
        or b"\0" in content
        or content.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"))
        or (b"\n" not in content and b"\r" in first.rstrip(b"\r"))
    )


@given(TEXTS)
def test_lines_join_to_the_content_or_are_refused(content: bytes) -> None:
    try:
        lines = list(lines_of(io.BytesIO(content), "pairs.tsv"))
    except InputError as error:
        assert str(error).startswith("pairs.tsv")  # noqa: PT017
        assert is_refused(content)
    else:
        assert not is_refused(content)
        assert b"\n".join(line for _, line in lines) == content.removesuffix(b"\n")
        assert [number for number, _ in lines] == list(range(1, len(lines) + 1))


@pytest.mark.parametrize(
    ("content", "found"),
    [
        (b"", "pairs.tsv: found an empty file, expected at least one line"),
        (b"\xef\xbb\xbfa\n", "line 1: found a byte order mark, expected plain text without one"),
        ("a\n".encode("utf-16"), "line 1: found a byte order mark"),
        (b"a\rb\r", "line 1: found line ends that are carriage returns, expected lines that end"),
        (b"a\nb\0\n", "line 2: found a NUL byte (binary data), expected lines of text"),
        (b"a\n" + b"b" * (LONGEST_LINE + 1), "line 2: found over 1 MiB, expected a shorter line"),
    ],
)
def test_what_is_no_text_is_refused(content: bytes, found: str) -> None:
    assert found in refusal(lambda: list(lines_of(io.BytesIO(content), "pairs.tsv")))


# Files


def test_a_file_that_cannot_be_opened_is_named(tmp_path: Path) -> None:
    missing = tmp_path / "missing.tsv"
    assert (
        refusal(lambda: read_whole(missing)) == f"{missing}: found nothing there, expected a file"
    )
    assert refusal(lambda: read_whole(tmp_path)).endswith(": found a directory, expected a file")
    assert "expected a readable file" in refusal(lambda: read_whole(Path("a\0b")))
    assert "expected a readable folder" in refusal(lambda: entries_of(missing))


def test_a_disk_that_fails_is_reported() -> None:
    if not os.access("/proc/self/mem", os.R_OK):
        pytest.skip("needs a file that cannot be read though it can be opened")
    assert "/proc/self/mem: found Input/output error" in refusal(
        lambda: read_whole(Path("/proc/self/mem"))
    )


# Compressed files


def read_gzip(content: bytes) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "pairs.tsv.gz")
        path.write_bytes(content)
        return read_whole(path)


@given(st.lists(st.binary(max_size=30), min_size=1, max_size=4), st.data())
def test_a_cut_gzip_file_is_read_up_to_a_whole_member_or_refused(
    blocks: list[bytes], data: st.DataObject
) -> None:
    members = [gzip.compress(block) for block in blocks]
    ends = itertools.accumulate(map(len, members))
    whole = dict(zip(ends, itertools.accumulate(blocks), strict=True))
    length = data.draw(st.integers(1, sum(map(len, members))) | st.sampled_from(list(whole)))
    cut = b"".join(members)[:length]
    if length in whole:
        assert read_gzip(cut) == whole[length]
    else:
        found = "pairs.tsv.gz: found damaged content, expected gzip data"
        assert found in refusal(lambda: read_gzip(cut))


@given(st.binary(max_size=60), st.integers(0), st.integers(1, 255))
def test_a_flipped_byte_changes_nothing_or_is_noticed(content: bytes, at: int, flip: int) -> None:
    damaged = bytearray(gzip.compress(content))
    damaged[at % len(damaged)] ^= flip
    try:
        assert read_gzip(bytes(damaged)) == content
    except InputError as error:
        assert "damaged content" in str(error)  # noqa: PT017


@pytest.mark.parametrize("ending", [b"\0more", b"more", b"\x1f"])
def test_what_follows_the_last_member_is_refused(ending: bytes) -> None:
    assert "damaged content" in refusal(lambda: read_gzip(gzip.compress(b"one\n") + ending))


def test_damage_behind_good_lines_is_noticed_when_it_is_reached(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv.gz"
    path.write_bytes(gzip.compress(b"one\n") + gzip.compress(os.urandom(1 << 20))[:-1])
    with open_to_read(path) as stream:
        assert stream.readline() == b"one\n"
        assert "damaged content" in refusal(stream.read)


def test_a_compressed_line_without_end_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv.gz"
    path.write_bytes(gzip.compress(b"a" * (1 << 26)))
    with open_to_read(path) as stream:
        assert "over 1 MiB" in refusal(lambda: next(lines_of(stream, "pairs.tsv.gz")))


@given(st.integers(0, 250))
@settings(max_examples=30)
def test_a_damaged_zip_archive_is_refused_or_read(at: int) -> None:
    content = bytearray(zipped(("data.noun", b"a noun " * 9)))
    content[at % len(content)] ^= 0xFF
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "wordnet.zip")
        path.write_bytes(content)
        try:
            with open_zip(path) as archive:
                found = [archive.read(name) for name in archive.namelist()]
        except InputError as error:
            assert "wordnet.zip: found " in str(error)  # noqa: PT017
        else:
            assert found in ([b"a noun " * 9], [])


# Writing


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError, ValueError])
def test_a_failing_writer_leaves_the_old_file(error: type[BaseException], tmp_path: Path) -> None:
    path = tmp_path / "folder" / "scores.txt"
    write_text(path, "old")

    def fail() -> None:
        with atomic_write(path) as stream:
            stream.write(b"new")
            raise error

    with pytest.raises((error, InputError)):
        fail()
    assert path.read_text() == "old"
    assert list(path.parent.iterdir()) == [path]
    write_text(path, "new")
    assert path.read_text() == "new"


def test_a_written_file_has_usual_permissions_and_links_stay(tmp_path: Path) -> None:
    link = tmp_path / "link.txt"
    link.symlink_to("target.txt")
    old = os.umask(0o022)
    try:
        write_text(link, "text")
    finally:
        os.umask(old)
    assert link.is_symlink()
    assert stat.S_IMODE((tmp_path / "target.txt").stat().st_mode) == 0o644


def test_an_existing_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "secret.txt"
    path.touch(mode=0o600)
    write_text(path, "text")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_where_nothing_can_be_written_is_reported(tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(link)
    full = Path("/dev/full")
    assert "/dev/full: found No space left" in refusal(lambda: write_text(full, "x" * 100_000))
    assert "found a directory, expected a file" in refusal(lambda: write_text(tmp_path, ""))
    assert "found a link to itself" in refusal(lambda: target_of(link))
    assert "expected a folder that can be made" in refusal(
        lambda: write_text(Path("/dev/null/folder/out.txt"), "")
    )


def test_an_error_of_the_caller_is_not_taken_for_one_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "out.txt"):
        (tmp_path / "missing.bin").read_bytes()


def test_a_new_folder_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "models" / "model"

    def fail() -> None:
        with new_folder(path) as folder:
            (folder / "part.txt").write_text("part")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert list(path.parent.iterdir()) == []
    with new_folder(path) as folder:
        assert not path.exists()
        (folder / "whole.txt").write_text("whole")
    assert [each.name for each in path.iterdir()] == ["whole.txt"]
    with pytest.raises(InputError, match="found something there, expected a new folder"):
        new_folder(path).__enter__()


def test_json_holds_no_control_characters_and_reads_back() -> None:
    text = "".join(map(chr, range(0xA0)))
    written = to_json([text])
    assert json.loads(written) == [text]
    assert not any(ord(each) < 32 or 127 <= ord(each) < 160 for each in written if each != "\n")
    with pytest.raises(ValueError, match="Out of range"):
        to_json(float("nan"))


@given(st.binary(max_size=20))
def test_what_is_not_utf_8_can_be_displayed(content: bytes) -> None:
    text = content.decode("utf-8", "surrogateescape")
    to_displayable(text).encode("utf-8")
    assert to_displayable(text) in (text, content.decode("latin-1"))
