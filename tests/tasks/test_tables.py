"""Tables of sentence pairs and scores: what is read is right or refused."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import re
import sys
import tracemalloc
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from stsbaselines.errors import SHOWN_FAULTS, InputError
from stsbaselines.io.files import atomic_write
from stsbaselines.tasks import tables
from stsbaselines.tasks.columns import Columns
from stsbaselines.tasks.tables import (
    COLUMNS,
    read_table,
    table_columns,
    table_ending,
    writing_scores,
)

PAIRS = [(f"Left {i} caf\u00e9.", f"Right {i % 3}.") for i in range(50)]
TEXT_TYPES = [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())]
texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
pairs_of_texts = st.lists(st.tuples(texts, texts), min_size=1, max_size=40)

Pairs = Sequence[tuple[str, ...]]


def in_csv(pairs: Pairs) -> bytes:
    stream = io.StringIO(newline="")
    writer = csv.writer(stream)
    writer.writerows([("sentence2", "id", "sentence1"), *((b, 7, a) for a, b in pairs)])
    return stream.getvalue().encode()


def in_json_lines(pairs: Pairs) -> bytes:
    rows = ({"id": [1.5], "sentence2": b, "sentence1": a} for a, b in pairs)
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode()


def in_parquet(pairs: Pairs, kind: Any = None, **options: Any) -> bytes:
    left, right = (pa.array(side).cast(kind or pa.string()) for side in zip(*pairs, strict=True))
    stream = io.BytesIO()
    numbers = range(len(pairs))
    pq.write_table(
        pa.table({"sentence2": right, "id": numbers, "sentence1": left}), stream, **options
    )
    return stream.getvalue()


FORMATS = {"csv": in_csv, "jsonl": in_json_lines, "parquet": in_parquet}


def rows(name: str, content: bytes, wanted: Columns | None = None) -> list[tuple[str, ...]]:
    """Return the pairs in a table, whose numbers must follow each other."""
    path = Path(name)
    path.write_bytes(content)
    found: list[tuple[str, ...]] = []
    for first, batch in read_table(path, table_columns(path, wanted)[0]):
        assert first == len(found) + 1
        found += map(tuple, batch)
    return found


def zstd(content: bytes) -> bytes:
    return bytes(pa.compress(content, codec="zstd", asbytes=True))


@pytest.mark.parametrize("size", [1, 7, 8192])
@pytest.mark.parametrize("ending", FORMATS)
def test_rows_come_back(ending: str, size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "ROWS", size)
    content = FORMATS[ending](PAIRS)
    assert rows(f"x.{ending}", content) == PAIRS
    swapped = [(right, left) for left, right in PAIRS]
    assert rows(f"x.{ending}", content, ("sentence2", "sentence1")) == swapped
    if ending != "parquet":
        assert rows(f"x.{ending}.gz", gzip.compress(content)) == PAIRS
        assert rows(f"x.{ending}.zst", zstd(content)) == PAIRS


@given(pairs_of_texts)
@example([("a,b\r\n", '"'), ("", "\ufeff")])
@example([("a\tb\nc", '"\\\u2028\U0001f600')])
@settings(max_examples=30)
def test_any_texts_come_back(pairs: Pairs) -> None:
    for ending in ("csv", "jsonl", "parquet"):
        assert rows(f"x.{ending}", FORMATS[ending](pairs)) == pairs


@pytest.mark.parametrize("kind", TEXT_TYPES)
def test_any_type_of_text_is_read_from_parquet(kind: Any) -> None:
    assert rows("x.parquet", in_parquet(PAIRS, kind, row_group_size=7)) == PAIRS


def test_a_byte_order_mark_before_a_header_does_not_count() -> None:
    assert rows("x.csv", b"\xef\xbb\xbf" + in_csv(PAIRS)) == PAIRS


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("x.csv", b"sentence1,sentence2\na,b\nc\n", "row 2: found 1 columns, not 2, expected a"),
        ("x.csv", b"sentence1,sentence2\na,b\n\n", "row 2: found a blank line"),
        (
            "x.csv",
            b"sentence1,sentence2\na,b\nsentence1,sentence2\n",
            "row 2: found the header a",
        ),
        (
            "x.csv",
            b'sentence1,sentence2\n"a", "b"\n',
            "row 1: found a blank before",
        ),
        ("x.csv", b'sentence1,sentence2\na,"b\n', r"line 2: found a fault \(unexpected end"),
        ("x.csv", b'sentence1,sentence2\n"a"b,c\n', r"line 2: found a fault \("),
        ("x.csv", b"sentence1,sentence2\n\xff,b\n", "row 1: found a NUL, or bytes that are not"),
        ("x.csv", b"sentence1,sentence2\na," + b"b" * 2**20 + b"b\n", "field larger than"),
        ("x.csv", b"sentence1,sentence2\n", "found no rows, expected at least one"),
        ("x.csv", b"", "found an empty file"),
        ("x.csv", "sentence1,sentence2\na,b\n".encode("utf-16"), "found a byte order mark of UTF"),
        ("x.csv", b"sentence1,s\na,b\n", "found the columns 'sentence1, s', expected two that are"),
        ("x.csv", b"sentence1,sentence2,sentence1\na,b,c\n", "found the columns 'sentence1, sent"),
        ("x.jsonl", b'{"sentence1": "a"}\n', "found the columns 'sentence1', expected two that"),
        (
            "x.jsonl",
            in_json_lines(PAIRS[:1]) + b'{"sentence1": "a"}\n',
            "2: found nothing at sente",
        ),
        ("x.jsonl", b'{"sentence1": "a", "sentence2": [1]}\n', r"found '\[1.0\]' at sentence2"),
        ("x.jsonl", b"a\tb\n", r"found text that is not JSON \(Expecting value"),
        ("x.jsonl", b"\n", "line 1: found a blank line"),
        ("x.jsonl", b"", "found an empty file"),
        ("x.jsonl", b'["a", "b"]\n', "which is no JSON object"),
        ("x.jsonl", b'{"x": 1, "x": 2, "sentence1": "a", "sentence2": "b"}\n', "a key twice"),
        ("x.jsonl", b'{"sentence1": "\\ud800", "sentence2": "b"}\n', "found a NUL, or bytes that"),
        ("x.jsonl", b'{"sentence1": "\\u0000", "sentence2": "b"}\n', "found a NUL, or bytes that"),
        ("x.jsonl", b'{"sentence1": "\xff", "sentence2": "b"}\n', "found a NUL, or bytes that"),
        ("x.jsonl", b'{"x": ' + b"[" * 100_000, "found JSON nested too deeply"),
        ("x.jsonl.gz", b"a", "found damaged content"),
        ("x.csv.zst", b"a", "found damaged content, expected zstd data"),
        ("x.csv.zst", zstd(in_csv(PAIRS))[:-9], "found damaged content"),
        ("x.parquet", b"a\tb\n", "found damaged content, expected Parquet data"),
        ("x.parquet.gz", b"", "found packed Parquet, expected a name that ends in .parquet"),
    ],
)
def test_a_table_with_a_fault_is_refused(name: str, content: bytes, message: str) -> None:
    with pytest.raises(InputError, match=rf"^{name}.*{message}"):
        rows(name, content)


def test_up_to_twenty_faults_are_named() -> None:
    good = in_json_lines(PAIRS[:1])
    with pytest.raises(InputError) as caught:
        rows("x.jsonl", good + b"1\n" + good + b"2\n" * 30)
    assert len(caught.value.faults) == SHOWN_FAULTS
    assert [str(fault).partition(":")[0] for fault in caught.value.faults[:3]] == [
        f"x.jsonl, line {number}" for number in (2, 4, 5)
    ]


def test_rows_of_parquet_that_are_no_text_are_named() -> None:
    broken = pa.array([b"a", b"\xff", b"\0", None, b"e"], pa.binary())
    column = pa.Array.from_buffers(pa.string(), 5, broken.buffers())
    pq.write_table(pa.table({"sentence1": ["a"] * 5, "sentence2": column}), "x.parquet")
    with pytest.raises(InputError) as caught:
        list(read_table(Path("x.parquet"), COLUMNS))
    assert [str(fault).partition(",")[2][:20] for fault in caught.value.faults] == [
        " row 2: found a NUL,",
        " row 3: found a NUL,",
        " row 4: found nothin",
    ]


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"sentence1": ["a"], "sentence2": [1]}, "found int64 in the column sentence2"),
        ({"sentence1": [b"a"], "sentence2": ["b"]}, "found binary in the column sentence1"),
        ({"sentence1": ["a"]}, "found the columns 'sentence1', expected two that are known"),
        (dict.fromkeys(COLUMNS, pa.array([], pa.string())), "no row"),
    ],
)
def test_other_columns_of_parquet_are_refused(columns: dict[str, Any], message: str) -> None:
    pq.write_table(pa.table(columns), "x.parquet")
    with pytest.raises(InputError, match=message):
        list(read_table(Path("x.parquet"), table_columns(Path("x.parquet"), None)[0]))


@pytest.mark.parametrize("ending", FORMATS)
@given(data=st.data())
@settings(max_examples=30)
def test_a_damaged_table_is_refused_or_gives_texts(ending: str, data: st.DataObject) -> None:
    content = bytearray(FORMATS[ending](PAIRS))
    place = data.draw(st.integers(0, len(content) - 1))
    if data.draw(st.booleans()):
        del content[place:]
    else:
        content[place] ^= data.draw(st.integers(1, 255))
    try:
        found = rows(f"x.{ending}", bytes(content))
    except InputError:
        return
    assert all(type(text) is str for pair in found for text in pair)


@pytest.mark.parametrize("ending", FORMATS)
def test_memory_does_not_grow_with_a_table(ending: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many Parquet files have a single row group."""
    monkeypatch.setattr(tables, "ROWS", 100)
    path = Path(f"x.{ending}")
    path.write_bytes(FORMATS[ending]([(os.urandom(250).hex(), str(n)) for n in range(30_000)]))
    allocated = pa.total_allocated_bytes()
    tracemalloc.start()
    try:
        for _ in read_table(path, COLUMNS):
            assert pa.total_allocated_bytes() - allocated < 1 << 23
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1 << 23


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs named pipes")
def test_a_table_is_no_pipe() -> None:
    os.mkfifo("x.csv")
    with pytest.raises(InputError, match=r"x\.csv: found a pipe or device, expected a regular"):
        table_columns(Path("x.csv"), None)


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        (".gz", ""),
        ("x.txt.gz", ""),
        ("x.jsonl.zst", ".jsonl"),
        ("jsonl", ""),
        ("x.jsonl.txt", ""),
        ("x.parquet", ".parquet"),
    ],
)
def test_the_name_says_what_a_file_is(name: str, ending: str) -> None:
    assert table_ending(Path("x.csv", name)) == ending


# Output

SCORES = [b"0.5000000000\n1.0000000000\n", b"0.2500000000\n"]


def written(name: str, blocks: Iterable[bytes] = SCORES) -> bytes:
    with writing_scores(Path(name)) as write:
        for block in blocks:
            write(block)
    return Path(name).read_bytes()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("x.txt", b"".join(SCORES)),
        ("x.csv", b"score\n" + b"".join(SCORES)),
        ("x.jsonl", re.sub(rb"(?m)^(.+)$", rb'{"score": \1}', b"".join(SCORES))),
    ],
)
def test_scores_are_written_as_the_name_says(name: str, expected: bytes) -> None:
    assert written(name) == expected
    assert gzip.decompress(written(f"{name}.gz")) == expected
    written(f"{name}.zst")
    with tables.open_unpacked(Path(f"{name}.zst")) as stream:
        assert stream.read() == expected


def test_packed_output_has_no_name_and_no_time() -> None:
    assert written("x.gz")[:8] == b"\x1f\x8b\x08" + bytes(5)


@pytest.mark.parametrize("group", [1, 2, 100])
def test_scores_come_back_from_parquet(group: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "_ROWS_PER_GROUP", group)
    whole = written("x.parquet")
    assert written("x.parquet", [b"".join(SCORES)]) == whole
    found = pq.read_table("x.parquet")
    assert found.schema == pa.schema([pa.field("score", pa.float64(), nullable=False)])
    assert found["score"].to_pylist() == [0.5, 1.0, 0.25]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("name", ["x", "x.gz", "x.zst", "x.csv", "x.parquet"])
def test_a_full_disk_is_reported(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tables, "atomic_write", lambda _: atomic_write(Path("/dev/full")))
    with pytest.raises(InputError, match="/dev/full: found No space left"):
        written(name, [b"0.1234567890\n" * 10_000] * 20)


@pytest.mark.parametrize("name", ["x.txt", "x.gz", "x.zst", "x.parquet"])
def test_an_output_appears_only_when_it_is_whole(name: str) -> None:
    def blocks() -> Iterator[bytes]:
        yield SCORES[0]
        raise InputError("bad line")

    with pytest.raises(InputError, match="bad line"):
        written(name, blocks())
    assert not list(Path().iterdir())


@pytest.mark.parametrize("name", ["x.parquet", "x.tsv.zst"])
def test_a_missing_package_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    Path(name).touch()
    for module in ("pyarrow", "pyarrow.lib", "pyarrow.parquet"):
        monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(InputError, match=r"pip install 'stsbaselines\[tables\]'"):
        list(read_table(Path(name), COLUMNS))
    with pytest.raises(InputError, match=r"pip install 'stsbaselines\[tables\]'"):
        written(name)
