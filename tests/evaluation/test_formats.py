"""Packed files, JSON lines and Parquet: what is read is right or refused."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import os
import sys
import tempfile
import threading
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stsbaselines.errors import SHOWN_FAULTS, InputError
from stsbaselines.evaluation import formats
from stsbaselines.evaluation.formats import Kind
from stsbaselines.io import PACKED, atomic_write, lines_of, open_to_read, zstd_module
from stsbaselines.tasks.base import SentencePair

ZSTD = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
KINDS = {".gz": "gzip", ".zst": "zstd"}
PAIRS = [SentencePair(f"Left {i} caf\u00e9.", f"Right {i % 3}.") for i in range(50)]

packings = st.sampled_from(PACKED)
contents = st.binary(max_size=2000) | st.builds(
    lambda piece, times: piece * times, st.binary(max_size=20), st.integers(0, 20_000)
)
TEXT_TYPES = [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())]
if int(pa.__version__.split(".")[0]) >= 22:  # before that, none can be written
    TEXT_TYPES.append(pa.string_view())

# Text that JSON can hold in UTF-8, with all that must be escaped.
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
scores = st.lists(st.floats(-10, 10).map(lambda value: b"%.10f\n" % value))


def packed(blocks: Sequence[bytes], suffix: str) -> bytes:
    return b"".join(formats.packed(block, Path(f"x{suffix}")) for block in blocks)


def in_file(content: bytes, name: str, read: Callable[[Path], Any]) -> Any:
    """Read some content from a file of that name."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, name)
        path.write_bytes(content)
        return read(path)


def read_all(path: Path) -> bytes:
    with open_to_read(path) as stream:
        return stream.read()


def unpacked(content: bytes, suffix: str) -> bytes:
    found: bytes = in_file(content, f"x{suffix}", read_all)
    return found


# Packed files


@given(st.lists(contents, min_size=1), packings)
def test_blocks_packed_one_by_one_are_one_file(blocks: list[bytes], suffix: str) -> None:
    whole = packed(blocks, suffix)
    assert unpacked(whole, suffix) == b"".join(blocks)
    others: Any = gzip if suffix == ".gz" else zstd_module()
    assert others.decompress(whole) == b"".join(blocks)


def test_a_gzip_member_has_no_name_and_no_time() -> None:
    header = packed([b"0.5000000000\n"], ".gz")[:10]
    assert header[:8] == b"\x1f\x8b\x08" + bytes(5)


def test_members_of_other_programs_are_read() -> None:
    stream = io.BytesIO()
    with gzip.GzipFile("name.txt", "wb", fileobj=stream, mtime=1e9) as member:
        member.write(b"one\n")
    assert unpacked(stream.getvalue() + gzip.compress(b"two\n"), ".gz") == b"one\ntwo\n"


@pytest.mark.parametrize("end", [b"", gzip.compress(b"two\n")])
def test_members_of_gzip_may_be_padded(end: bytes) -> None:
    padded = gzip.compress(b"one\n") + b"\0" * 40_000
    assert unpacked(padded + end, ".gz") == b"one\n" + (b"two\n" if end else b"")
    zstd = zstd_module()
    skippable = b"\x50\x2a\x4d\x18" + (3).to_bytes(4, "little") + b"abc"
    compressor = zstd.ZstdCompressor(level=1)
    streamed = compressor.compress(b"one\n") + compressor.flush()
    frames = skippable + streamed + skippable + zstd.compress(b"two\n")
    assert unpacked(frames, ".zst") == b"one\ntwo\n"


@given(st.lists(contents, min_size=1, max_size=4), packings, st.data())
def test_a_cut_file_is_read_up_to_a_whole_member_or_refused(
    blocks: list[bytes], suffix: str, data: st.DataObject
) -> None:
    """A file that ends with a member is a file: no reader can tell that there were more."""
    members = [packed([block], suffix) for block in blocks]
    ends = itertools.accumulate(map(len, members))
    whole = dict(zip(ends, itertools.accumulate(blocks), strict=True))
    length = data.draw(st.integers(0, sum(map(len, members)) - 1) | st.sampled_from(list(whole)))
    cut = b"".join(members)[:length]
    if length in whole:
        assert unpacked(cut, suffix) == whole[length]
    else:
        with pytest.raises(InputError, match=f"damaged content, expected {KINDS[suffix]} data"):
            unpacked(cut, suffix)


@given(st.lists(contents, min_size=1, max_size=3), packings, st.data())
def test_a_flipped_byte_changes_nothing_or_is_noticed(
    blocks: list[bytes], suffix: str, data: st.DataObject
) -> None:
    content = bytearray(packed(blocks, suffix))
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    try:
        found = unpacked(bytes(content), suffix)
    except InputError:
        return
    assert found == b"".join(blocks)


@pytest.mark.parametrize("suffix", PACKED)
@pytest.mark.parametrize("ending", [b"\0more", b"more", b"\x1f"])
def test_what_follows_the_last_member_is_refused(suffix: str, ending: bytes) -> None:
    with pytest.raises(InputError, match="damaged content"):
        unpacked(packed([b"one\n"], suffix) + ending, suffix)


@pytest.mark.parametrize("suffix", PACKED)
def test_an_empty_file_is_no_packed_file_but_nothing_can_be_packed(suffix: str) -> None:
    with pytest.raises(InputError, match="damaged content"):
        unpacked(b"", suffix)
    assert unpacked(packed([b""], suffix), suffix) == b""


@pytest.mark.parametrize("suffix", PACKED)
def test_damage_behind_good_lines_is_noticed_when_it_is_reached(
    suffix: str, tmp_path: Path
) -> None:
    path = tmp_path / f"pairs.tsv{suffix}"
    path.write_bytes(packed([b"one\n", b"two\n" * 100_000], suffix)[:-1])
    with open_to_read(path) as stream:
        lines = lines_of(stream, str(path))
        assert next(lines) == (1, b"one")
        with pytest.raises(InputError, match=r"pairs\.tsv.*: found damaged content"):
            list(lines)


@given(st.lists(contents, min_size=1, max_size=3), packings, st.data())
def test_seeking_is_as_in_a_plain_file(
    blocks: list[bytes], suffix: str, data: st.DataObject
) -> None:
    plain = io.BytesIO(b"".join(blocks))
    places = st.integers(0, len(plain.getvalue()))
    steps = data.draw(st.lists(st.tuples(places, st.integers(0, 1000)), max_size=5))

    def same(path: Path) -> None:
        with open_to_read(path) as stream:
            for place, size in steps:
                assert stream.seek(place) == plain.seek(place)
                assert stream.read(size) == plain.read(size)
                assert stream.tell() == plain.tell()
                assert stream.readline() == plain.readline()

    in_file(packed(blocks, suffix), f"x{suffix}", same)


def test_the_end_of_a_packed_file_cannot_be_sought(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(packed([b"one\n"], ".gz"))
    with open_to_read(path) as stream, pytest.raises(io.UnsupportedOperation):
        stream.seek(0, io.SEEK_END)


@pytest.mark.parametrize("suffix", PACKED)
def test_memory_stays_small_when_much_is_unpacked(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"bomb{suffix}"
    path.write_bytes(packed([b"a" * (1 << 26)], suffix))
    tracemalloc.start()
    try:
        with open_to_read(path) as stream:
            size = sum(map(len, iter(lambda: stream.read(1 << 16), b"")))
        with open_to_read(path) as stream, pytest.raises(InputError, match="over 1 MiB"):
            list(lines_of(stream, str(path)))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert size == 1 << 26
    assert peak < 1 << 23


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
@pytest.mark.parametrize("suffix", PACKED)
def test_a_line_is_read_from_a_pipe_as_soon_as_it_is_there(suffix: str, tmp_path: Path) -> None:
    path = tmp_path / f"pipe{suffix}"
    os.mkfifo(path)
    held = os.open(path, os.O_RDWR)  # the pipe has no end as long as this is open
    found: list[bytes] = []

    def read() -> None:
        with open_to_read(path) as stream:
            assert not stream.seekable()
            found.extend(stream.readline() for _ in range(2))

    reader = threading.Thread(target=read, daemon=True)
    reader.start()
    for byte in packed([b"one\n"], suffix):
        os.write(held, bytes([byte]))
    os.write(held, packed([b"two\n"], suffix))
    reader.join(60)
    os.close(held)
    assert found == [b"one\n", b"two\n"]


def test_closing_closes_the_packed_file(tmp_path: Path) -> None:
    path = tmp_path / "x.gz"
    path.write_bytes(packed([b"one\n"], ".gz"))
    stream = open_to_read(path)
    stream.close()
    with pytest.raises(ValueError, match="closed"):
        stream.read()


# What is not installed, or makes no sense


@pytest.mark.parametrize(
    ("name", "module", "extra"),
    [("x.tsv.zst", ZSTD, "zstd"), ("x.parquet", "pyarrow.parquet", "parquet")],
)
@pytest.mark.parametrize("is_output", [False, True])
def test_a_missing_package_is_named(
    name: str, module: str, extra: str, is_output: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    source, out = (None, Path(name)) if is_output else (Path(name), None)
    with pytest.raises(InputError, match=rf"pip install 'stsbaselines\[{extra}\]'"):
        formats.check(source, out, "scores")


def test_reading_and_packing_without_packages_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("x.zst", "x.parquet"):
        (tmp_path / name).touch()
    monkeypatch.setitem(sys.modules, ZSTD, None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    with pytest.raises(InputError, match="zstd"):
        open_to_read(tmp_path / "x.zst")
    with pytest.raises(InputError, match="zstd"):
        formats.packed(b"one\n", Path("x.zst"))
    with pytest.raises(InputError, match="parquet"):
        next(formats.rows_of_parquet(tmp_path / "x.parquet"))
    with pytest.raises(InputError, match="parquet"), formats.writing_parquet(io.BytesIO()):
        pass


@pytest.mark.parametrize(
    ("source", "out", "predicts", "message"),
    [
        ("x.parquet.gz", None, "scores", "Parquet packs its columns itself"),
        (None, "x.parquet.zst", "scores", "Parquet packs its columns itself"),
        (None, "x.jsonl", "alignments", "found alignments as JSON lines, expected lines of text"),
        (None, "x.jsonl.gz", "alignments", "found alignments as JSON lines"),
        (None, "x.parquet", "alignments", "found alignments as Parquet"),
    ],
)
def test_what_makes_no_sense_is_refused(
    source: str | None, out: str | None, predicts: str, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        formats.check(source and Path(source), out and Path(out), predicts)  # type: ignore[arg-type]


@pytest.mark.parametrize("source", [None, "x", "x.tsv.zst", "x.jsonl", "x.jsonl.gz", "x.parquet"])
def test_everything_else_can_be_asked_for(source: str | None) -> None:
    path = None if source is None else Path(source)
    formats.check(path, path, "scores")
    formats.check(path, Path("x.wa.gz"), "alignments")


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("x", Kind.lines),
        (".gz", Kind.lines),
        ("x.gz", Kind.lines),
        ("x.jsonl", Kind.json_lines),
        ("x.jsonl.zst", Kind.json_lines),
        ("x.parquet", Kind.parquet),
        ("jsonl", Kind.lines),
        ("x.jsonl.txt", Kind.lines),
    ],
)
def test_the_name_says_the_kind(name: str, kind: Kind) -> None:
    assert formats.kind_of(Path("x.parquet", name)) is kind


# JSON lines


def pairs_of(content: bytes, start: int = 1) -> list[SentencePair]:
    return list(formats.pairs_of_json_lines(io.BytesIO(content), "x.jsonl", start))


@given(
    st.lists(st.tuples(texts, texts).map(SentencePair._make), min_size=1),
    st.booleans(),
    st.sampled_from(["\n", "\r\n", " \n"]),
)
@example([SentencePair("a\tb\nc", '"\\\u2028\U0001f600')], True, "\n")
def test_pairs_come_back_from_json_lines(
    pairs: list[SentencePair], is_ascii: bool, newline: str
) -> None:
    lines = [
        json.dumps({"id": i, "sentence2": right, "sentence1": left}, ensure_ascii=is_ascii)
        for i, (left, right) in enumerate(pairs)
    ]
    assert pairs_of("".join(line + newline for line in lines).encode()) == pairs


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"A cat sat.\tIt sat.", "found text that is not JSON (Expecting value), expected a JSON"),
        (b"  ", "found a blank line, expected a JSON object"),
        (b'["a", "b"]', "found a list, expected a JSON object with the texts sentence1 and"),
        (b"null", "found nothing, expected a JSON object"),
        (b'{"sentence1": "a"}', "found no sentence2, expected a JSON object"),
        (b'{"sentence1": 1, "sentence2": null}', "a number at sentence1 and nothing at sentence2"),
        (b'{"sentence1": "a", "sentence2": ["b"]}', "found a list at sentence2"),
        (b'{"sentence1": "a", "sentence1": "b", "sentence2": "c"}', "'sentence1' twice"),
        (b'{"sentence1": "\\ud800", "sentence2": "b"}', "half a surrogate pair at sentence1"),
        (b'{"sentence1": "a", "sentence2": "b\\u0000"}', "a NUL or half a surrogate pair at"),
        (b'{"sentence1": "\xff", "sentence2": "b"}', "found byte 0xff, which is not UTF-8"),
        (b'{"sentence1": "a\tb", "sentence2": "b"}', "not JSON (Invalid control character at)"),
        (b'{"sentence1": "a", "sentence2": "b"', "not JSON"),
        (b'{"sentence1": "a", "sentence2": "b"} {}', "not JSON (Extra data)"),
        (b'{"x": ' + b"[" * 100_000, "found JSON nested too deeply, expected a JSON object"),
    ],
)
def test_a_line_that_is_no_pair_is_refused(line: bytes, message: str) -> None:
    good = b'{"sentence1": "a", "sentence2": "b"}\n'
    with pytest.raises(InputError) as caught:
        pairs_of(good + line + b"\n" + good, start=7)
    assert str(caught.value).startswith("x.jsonl, line 8: found")
    assert message in str(caught.value)
    assert len(caught.value.faults) == 1


def test_other_fields_do_not_count() -> None:
    line = b'{"sentence1": "a", "x": {"sentence1": [NaN, 1e999, %b]}, "sentence2": "b"}\n'
    assert pairs_of(line % (b"1" * 10_000)) == [("a", "b")]


def test_up_to_twenty_faults_are_named_and_no_pair_follows_a_fault() -> None:
    good = b'{"sentence1": "a", "sentence2": "b"}\n'
    pairs = formats.pairs_of_json_lines(io.BytesIO(good + b"1\n" + good + b"2\n" * 30), "x")
    assert next(pairs) == ("a", "b")
    with pytest.raises(InputError) as caught:
        next(pairs)
    assert len(caught.value.faults) == SHOWN_FAULTS
    assert [getattr(fault, "line", 0) for fault in caught.value.faults[:3]] == [2, 4, 5]


# Parquet


def parquet_of(pairs: Sequence[SentencePair], kind: Any = None, **options: Any) -> bytes:
    kind = kind or pa.string()
    left, right = ([pair[side] for pair in pairs] for side in (0, 1))
    table = pa.table(
        {
            "sentence2": pa.array(right, pa.string()).cast(kind),
            "id": range(len(pairs)),
            "sentence1": pa.array(left, pa.string()).cast(kind),
        }
    )
    stream = io.BytesIO()
    pq.write_table(table, stream, **options)
    return stream.getvalue()


def rows(content: bytes, start: int = 0) -> list[list[SentencePair]]:
    found: list[list[SentencePair]] = in_file(
        content, "x.parquet", lambda path: list(formats.rows_of_parquet(path, start))
    )
    return found


@given(
    st.lists(st.tuples(texts, texts).map(SentencePair._make), min_size=1, max_size=40),
    st.sampled_from(TEXT_TYPES),
    st.integers(1, 15),
    st.integers(0, 45),
    st.integers(1, 10),
)
def test_pairs_come_back_from_parquet(
    pairs: list[SentencePair], kind: Any, group: int, start: int, size: int
) -> None:
    content = parquet_of(pairs, kind, row_group_size=group)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(formats, "ROWS", size)
        found = rows(content, start)
    assert found == [pairs[i : i + size] for i in range(start, len(pairs), size)]


def test_row_groups_before_the_first_row_wanted_are_not_read() -> None:
    content = bytearray(parquet_of(PAIRS, row_group_size=10, write_page_checksum=True))
    metadata = pq.ParquetFile(io.BytesIO(bytes(content))).metadata
    chunk = metadata.row_group(0).column(0)
    content[chunk.data_page_offset + chunk.total_compressed_size // 2] ^= 0xFF
    assert rows(bytes(content), start=10) == [PAIRS[10:]]
    with pytest.raises(InputError, match="found damaged content, expected Parquet data"):
        rows(bytes(content))


@given(st.data())
def test_damaged_parquet_is_refused_or_gives_pairs(data: st.DataObject) -> None:
    """Its footer has no checksum, so that other pairs may be read if a byte of it is flipped."""
    content = bytearray(parquet_of(PAIRS, row_group_size=20, write_page_checksum=True))
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[place:]
    else:
        content[place] ^= data.draw(st.integers(1, 255))
    try:
        found = rows(bytes(content))
    except InputError:
        return
    assert all(type(pair) is SentencePair for batch in found for pair in batch)


def test_a_row_group_is_not_held_in_memory(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Many files have but one row group."""
    monkeypatch.setattr(formats, "ROWS", 100)
    path = tmp_path / "x.parquet"
    pairs = [SentencePair(os.urandom(250).hex(), os.urandom(250).hex()) for _ in range(30_000)]
    path.write_bytes(parquet_of(pairs, use_dictionary=False, compression="none"))
    assert pq.ParquetFile(path).metadata.num_row_groups == 1
    del pairs
    pool = pa.default_memory_pool()
    allocated = pool.bytes_allocated()
    tracemalloc.start()
    try:
        for _ in formats.rows_of_parquet(path):
            assert pool.bytes_allocated() - allocated < 1 << 23
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1 << 23


def test_sentences_that_are_missing_or_no_text_are_named_by_row(tmp_path: Path) -> None:
    broken = pa.array([b"a", b"\xff", b"\0", None, b"e"], pa.binary())
    column = pa.Array.from_buffers(pa.string(), 5, broken.buffers())
    table = pa.table({"sentence1": ["a"] * 5, "sentence2": column})
    path = tmp_path / "x.parquet"
    pq.write_table(table, path, row_group_size=1)
    with pytest.raises(InputError, match=r"x\.parquet, row 2: found .* at sentence2"):
        list(formats.rows_of_parquet(path))
    pq.write_table(table, path)
    with pytest.raises(InputError) as caught:
        list(formats.rows_of_parquet(path))
    assert str(caught.value).splitlines() == [
        f"{path}, row 2: found '\\\\xff', which is not UTF-8, at sentence2, expected text",
        f"{path}, row 3: found a NUL at sentence2, expected text",
        f"{path}, row 4: found nothing at sentence2, expected text",
    ]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"sentence1": ["a"]}, "found no column sentence2, expected the columns sentence1 and"),
        ({"sentence1": ["a"], "sentence2": [1]}, "found int64 in the column sentence2"),
        ({"sentence1": [b"a"], "sentence2": ["b"]}, "found binary in the column sentence1"),
        ({"sentence1": ["a"], "sentence2": [["b"]]}, "in the column sentence2, expected text"),
        (
            {"sentence1": pa.array([], pa.string()), "sentence2": pa.array([], pa.string())},
            "0 rows",
        ),
    ],
)
@pytest.mark.parametrize("read", [formats.rows_of_parquet, formats.rows_in_parquet])
def test_other_columns_are_refused(
    columns: dict[str, Any], message: str, read: Callable[[Path], Any], tmp_path: Path
) -> None:
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table(columns), path)
    if read is formats.rows_in_parquet and message == "0 rows":
        assert formats.rows_in_parquet(path) == 0
        return
    with pytest.raises(InputError, match=message):
        list(read(path))


def test_a_column_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    names = ["sentence1", "sentence2", "sentence1"]
    pq.write_table(pa.Table.from_arrays([["a"]] * 3, names=names), tmp_path / "x.parquet")
    with pytest.raises(InputError, match="found 2 columns sentence1"):
        formats.rows_in_parquet(tmp_path / "x.parquet")


def test_the_number_of_rows_is_known_before(tmp_path: Path) -> None:
    path = tmp_path / "x.parquet"
    path.write_bytes(parquet_of(PAIRS))
    assert formats.rows_in_parquet(path) == len(PAIRS)


def test_what_is_no_parquet_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "text.parquet").write_bytes(b"A cat sat.\tIt sat.\n")
    for name, found in [("text.parquet", "damaged content"), ("none.parquet", "nothing there")]:
        with pytest.raises(InputError, match=found):
            next(formats.rows_of_parquet(tmp_path / name))


# Output


@given(scores)
def test_scores_come_back_from_json_lines(lines: list[bytes]) -> None:
    found = formats.json_lines(b"".join(lines)).splitlines()
    assert [json.loads(line) for line in found] == [{"score": float(line)} for line in lines]
    assert [line[10:-1] + b"\n" for line in found] == lines


@given(st.lists(scores.map(b"".join)))
def test_scores_come_back_from_parquet_however_they_were_cut(blocks: list[bytes]) -> None:
    streams = [io.BytesIO(), io.BytesIO()]
    for stream, parts in zip(streams, (blocks, [b"".join(blocks)]), strict=True):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(formats, "_ROWS_A_GROUP", 5)
            with formats.writing_parquet(stream) as write:
                for part in parts:
                    write(part)
    assert streams[0].getvalue() == streams[1].getvalue()
    file = pq.ParquetFile(streams[0])
    assert file.schema_arrow == pa.schema([pa.field("score", pa.float64(), nullable=False)])
    groups = [file.metadata.row_group(n).num_rows for n in range(file.metadata.num_row_groups)]
    assert all(rows == 5 for rows in groups[:-1])
    found = pq.read_table(streams[0])["score"].to_pylist()
    assert found == [float(x) for x in b"".join(blocks).split()]


@pytest.mark.parametrize("blocks", [1, 20])
def test_a_full_disk_is_reported(blocks: int) -> None:
    def fill() -> None:
        with atomic_write(Path("/dev/full")) as stream, formats.writing_parquet(stream) as write:
            for number in range(blocks):
                write(b"".join(b"%.10f\n" % (number + 1 / n) for n in range(1, 10_000)))

    with pytest.raises(InputError, match="/dev/full: found No space left"):
        fill()


def test_an_error_of_the_caller_passes_through_a_parquet_writer() -> None:
    def fail() -> None:
        with formats.writing_parquet(io.BytesIO()) as write:
            write(b"0.5\n")
            raise InputError("bad line")

    with pytest.raises(InputError, match="bad line"):
        fail()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (None, b"0.5000000000\n"),
        ("x.txt", b"0.5000000000\n"),
        ("x.jsonl", b'{"score": 0.5000000000}\n'),
        ("x.parquet", b"0.5000000000\n"),
        ("x.txt.gz", b"0.5000000000\n"),
        ("x.jsonl.gz", b'{"score": 0.5000000000}\n'),
        ("x.jsonl.zst", b'{"score": 0.5000000000}\n'),
    ],
)
def test_lines_are_written_as_the_name_says(name: str | None, expected: bytes) -> None:
    out = None if name is None else Path(name)
    found = formats.encoded(b"0.5000000000\n", out)
    suffix = out.suffix if out else ""
    assert (unpacked(found, suffix) if suffix in PACKED else found) == expected
