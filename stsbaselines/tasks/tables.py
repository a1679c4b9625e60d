"""Tables with named columns, read and written in constant memory.

The name of a file tells its format: CSV, TSV with a header, JSON lines or Parquet.
"""

from __future__ import annotations

import contextlib
import csv
import gzip
import importlib
import io
import itertools
import json
import re
import sys
from codecs import BOM_UTF8
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from stsbaselines.errors import SHOWN_FAULTS, Fault, InputError, shown
from stsbaselines.io.files import (
    LONGEST_LINE,
    atomic_write,
    decoded,
    has_bom,
    is_device,
    keys_once,
    lines_of,
    open_to_read,
    unusable,
)
from stsbaselines.io.frames import sentences_among
from stsbaselines.tasks.columns import (
    FIRST_LINES,
    Columns,
    layout_of_rows,
    named_columns,
)

COLUMNS = ("sentence1", "sentence2")
ROWS = 8192
_LEAD = 1 << 16
_ROWS_PER_GROUP = 1 << 17  # of Parquet
_GZIP_LEVEL = 4  # packs scores 2.5 times as fast as 6, into 5 % more
_QUOTE_AFTER_BLANK = re.compile(' +"')
_NOT_TEXT = re.compile("[\0\ud800-\udfff]")

Write = Callable[[bytes], Any]


class _Row(NamedTuple):
    """The values of the wanted columns of a row, or what is found instead of a row."""

    number: int
    values: Sequence[object] | str


def table_ending(path: Path | None) -> str:
    """Return ``.csv``, ``.jsonl`` or ``.parquet`` if the name of a file, packed or not, says so."""
    if path is None:
        return ""
    suffix = Path(path.stem).suffix if path.suffix in (".gz", ".zst") else path.suffix
    suffix = suffix.lower()
    return suffix if suffix in (".csv", ".jsonl", ".parquet") else ""


def lead_of(path: Path) -> bytes:
    """Return the first lines of a file that is not a pipe, also if damage follows them."""
    lines: list[bytes] = []
    size = 0
    with open_unpacked(path) as stream:
        try:
            while size < _LEAD and (line := stream.readline(LONGEST_LINE + 1)):
                lines.append(line)
                size += len(line)
        except InputError:
            if not lines:
                raise
    return b"".join(lines)


def is_table(path: Path | None) -> bool:
    """Return whether a file is to be read by `read_table`: not if it is TSV that is named .csv."""
    if path is None or table_ending(path) != ".csv" or not path.is_file():
        return table_ending(path) != ""
    lines = lead_of(path).removeprefix(BOM_UTF8).removesuffix(b"\n").split(b"\n")
    names = lines[0].decode("utf-8", "replace").split(",")
    return sentences_among(names) is not None or not all(b"\t" in line for line in lines)


def table_columns(path: Path, wanted: Columns | None) -> tuple[Columns, tuple[str, ...]]:
    """Return the columns of a table that have the sentences, and notes about them.

    They are numbers, from 1, if CSV has no header.
    """
    _check_regular(path)
    if table_ending(path) == ".csv":
        if has_bom(lead_of(path).removeprefix(BOM_UTF8)):
            raise InputError([Fault(str(path), "a byte order mark of UTF-16", "text in UTF-8")])
        with contextlib.closing(_csv_rows(path)) as lines:
            is_numbered = wanted is not None and isinstance(wanted[0], int)
            rows = list(itertools.islice(lines, FIRST_LINES if is_numbered else 1))
        if not rows:
            raise InputError([Fault(str(path), "an empty file", "at least one line")])
        names = rows[0]
        if len(names) == 1:
            found = f"one column ({shown(names[0])})"
            raise InputError([Fault(str(path), found, "columns separated by commas", 1)])
        if wanted and isinstance(wanted[0], int):
            layout = layout_of_rows(rows, str(path), wanted)
            if not layout.has_header:
                return wanted, layout.notes
            wanted = names[layout.left], names[layout.right]
    else:
        names = names_in(path)
    left, right = named_columns(names, wanted, str(path))
    columns = names[left], names[right]
    if wanted or columns == COLUMNS:
        return columns, ()
    return columns, (f"the sentences are in the columns {columns[0]} and {columns[1]}",)


def names_in(path: Path) -> list[str]:
    """Return the names of the columns of a table: of JSON lines, those of the first one."""
    if table_ending(path) == ".csv":
        with contextlib.closing(_csv_rows(path)) as rows:
            return next(rows, [])
    if table_ending(path) == ".parquet":
        with _opened_parquet(path) as file:
            return list(file.schema_arrow.names)
    with open_unpacked(path) as stream:
        _, line = next(lines_of(stream, str(path)))
    found = _json_object(line)
    if isinstance(found, str):
        raise InputError([Fault(f"{path}, line 1", found, "an object with two sentences")])
    return list(found)


def _check_regular(path: Path) -> None:
    if is_device(path):
        raise InputError([Fault(str(path), "a pipe or device", "a regular file")])


def unit_of(path: Path) -> str:
    """Return what a table consists of: lines or rows."""
    return "line" if table_ending(path) == ".jsonl" else "row"


def read_table(
    path: Path, columns: Columns, others: Sequence[str | int] = ()
) -> Iterator[tuple[int, list[Any]]]:
    """Yield a table in batches: the number of the first row, and each row's texts of `columns`.

    The values of `others`, as they are, follow the texts.
    """
    unit = unit_of(path)
    wanted = [*columns, *others]
    kinds = {".jsonl": _json_lines, ".parquet": _parquet}
    rows = kinds.get(table_ending(path), _csv)(path, wanted)
    names = [f"column {name}" if isinstance(name, int) else name for name in columns]
    expected = f"a row with texts in the columns {' and '.join(map(str, columns))}"
    faults: list[Fault | str] = []
    first = None
    while chunk := list(itertools.islice(rows, ROWS)):
        first = chunk[0].number
        for row in chunk:
            if found := _fault_of(row, names):
                faults.append(Fault(f"{path}, {unit} {row.number}", found, expected))
        if len(faults) >= SHOWN_FAULTS:
            break
        if not faults:
            yield first, [row.values for row in chunk]
    if first is None:
        faults.append(Fault(str(path), "no rows", "at least one"))
    if faults:
        raise InputError(faults[:SHOWN_FAULTS])


def _fault_of(row: _Row, columns: Sequence[str]) -> str:
    """Return what is wrong with a row, or ""."""
    if isinstance(row.values, str):
        return row.values
    for name, value in zip(columns, row.values, strict=False):  # others may follow
        if value is None:
            return f"nothing at {name}"
        if not isinstance(value, str):
            return f"{shown(json.dumps(value))} at {name}"
        if _NOT_TEXT.search(value):
            return f"a NUL, or bytes that are not UTF-8, at {name}"
    return ""


def _json_lines(path: Path, columns: Sequence[Any]) -> Iterator[_Row]:
    with open_unpacked(path) as stream:
        for number, line in lines_of(stream, str(path)):
            found = _json_object(line)
            values = found if isinstance(found, str) else [found.get(name) for name in columns]
            yield _Row(number, values)


def _json_object(line: bytes) -> dict[Any, Any] | str:
    """Return the object in a line of JSON, or what is found instead."""
    if not line.strip():
        return "a blank line"
    try:
        text = decoded(line)
        found = json.loads(text, object_pairs_hook=keys_once, parse_int=float)
    except RecursionError:
        return "JSON nested too deeply"
    except ValueError as error:
        return f"text that is not JSON ({error})"
    return found if isinstance(found, dict) else f"{shown(line)}, which is no JSON object"


def _csv(path: Path, columns: Sequence[Any]) -> Iterator[_Row]:
    rows = _csv_rows(path)
    header = next(rows, [])
    places = [name - 1 if isinstance(name, int) else header.index(name) for name in columns]
    without_header = [header] if isinstance(columns[0], int) else []
    for number, row in enumerate(itertools.chain(without_header, rows), 1):
        if len(row) != len(header):
            found = f"{len(row)} columns, not {len(header)}" if row else "a blank line"
            yield _Row(number, found)
        elif row == header and not without_header:
            yield _Row(number, "the header again")
        elif any(_QUOTE_AFTER_BLANK.match(row[place]) for place in places[:2]):
            yield _Row(number, "a blank before a quotation mark")
        else:
            yield _Row(number, [row[place] for place in places])


def _csv_rows(path: Path) -> Generator[list[str], None, None]:
    csv.field_size_limit(LONGEST_LINE)
    with open_unpacked(path) as stream:
        text = io.TextIOWrapper(stream, "utf-8-sig", "surrogateescape", newline="")
        reader = csv.reader(text, strict=True)
        try:
            yield from reader
        except csv.Error as error:
            fault = Fault(str(path), f"a fault ({error})", "CSV", reader.line_num)
            raise InputError([fault]) from None


@contextlib.contextmanager
def _opened_parquet(path: Path) -> Iterator[Any]:
    _check_parquet_name(path)
    pyarrow = pyarrow_for("parquet")
    with open_to_read(path) as stream, _damage_reported(path, "Parquet data"):
        yield pyarrow.parquet.ParquetFile(
            stream,
            buffer_size=1 << 20,
            pre_buffer=False,  # a row group, which may be the whole file, is not read at once
            page_checksum_verification=True,
        )


def _parquet(path: Path, columns: Sequence[Any]) -> Iterator[_Row]:
    pyarrow = pyarrow_for("parquet")
    with _opened_parquet(path) as file:
        schema = file.schema_arrow
        for name in columns[:2]:
            kind = schema.field(name).type
            value = kind.value_type if pyarrow.types.is_dictionary(kind) else kind
            if str(value) not in ("string", "large_string", "string_view"):
                raise InputError([Fault(str(path), f"{kind} in the column {name}", "text")])
        first = 1
        for batch in file.iter_batches(ROWS, columns=list(columns), use_threads=False):
            texts = [_texts(batch.column(name), pyarrow) for name in columns[:2]]
            others = [batch.column(name).to_pylist() for name in columns[2:]]
            yield from map(_Row, itertools.count(first), zip(*texts, *others, strict=True))
            first += len(batch)


def _texts(column: Any, pyarrow: Any) -> list[str | None]:
    if pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    contents = column.cast(pyarrow.large_binary()).to_pylist()
    return [each if each is None else decoded(each) for each in contents]


@contextlib.contextmanager
def writing_scores(out: Path | None) -> Iterator[Write]:
    """Yield a function that writes lines of scores to a file, in the format that its name says.

    The file appears when the block ends. A table has the column ``score``. None is standard output.
    """
    if out is None:
        yield _print
        return
    ending = table_ending(out)
    if ending == ".parquet":
        _check_parquet_name(out)
        with atomic_write(out) as file, _writing_parquet(file) as write:
            yield write
        return
    with atomic_write(out) as file, _packing(file, out.suffix) as stream:
        if ending == ".csv":
            stream.write(b"score\n")
        if ending == ".jsonl":
            yield lambda lines: stream.write(_as_json_lines(lines))
        else:
            yield stream.write


def _as_json_lines(scores: bytes) -> bytes:
    return b"".join(b'{"score": %b}\n' % score for score in scores.split())


def _print(lines: bytes) -> None:
    sys.stdout.buffer.write(lines)
    sys.stdout.buffer.flush()


def _packing(file: BinaryIO, suffix: str) -> contextlib.AbstractContextManager[Any]:
    """Return a stream that packs what is written to a file, if its name says so."""
    if suffix == ".gz":
        return gzip.GzipFile("", "wb", _GZIP_LEVEL, file, mtime=0)
    if suffix == ".zst":
        packed: contextlib.AbstractContextManager[Any]
        packed = pyarrow_for("lib").CompressedOutputStream(file, "zstd")
        return packed
    return contextlib.nullcontext(file)


@contextlib.contextmanager
def _writing_parquet(file: BinaryIO) -> Iterator[Write]:
    pyarrow = pyarrow_for("parquet")
    schema = pyarrow.schema([pyarrow.field("score", pyarrow.float64(), nullable=False)])
    scores: list[float] = []

    def write(lines: bytes, rows: int = _ROWS_PER_GROUP) -> None:
        scores.extend(map(float, lines.split()))
        while len(scores) >= rows:
            column = pyarrow.array(scores[:_ROWS_PER_GROUP], pyarrow.float64())
            del scores[:_ROWS_PER_GROUP]
            writer.write_table(pyarrow.Table.from_arrays([column], schema=schema))

    with pyarrow.parquet.ParquetWriter(file, schema, write_page_checksum=True) as writer:
        yield write
        write(b"", rows=1)


def _check_parquet_name(path: Path) -> None:
    """Refuse the name of a packed Parquet file."""
    if path.suffix.lower() != ".parquet":
        expected = "a name that ends in .parquet: Parquet packs its columns itself"
        raise InputError([Fault(str(path), "packed Parquet", expected)])


def pyarrow_for(module: str) -> Any:
    """Return pyarrow with a submodule."""
    try:
        importlib.import_module(f"pyarrow.{module}")
    except ImportError:
        raise InputError(
            "Files named .parquet and .zst need one more package:"
            " pip install 'stsbaselines[tables]'"
        ) from None
    return importlib.import_module("pyarrow")


@contextlib.contextmanager
def open_unpacked(path: Path) -> Iterator[BinaryIO]:
    """Open a file to read, unpacked if its name ends in ``.gz`` or ``.zst``."""
    if path.suffix != ".zst":
        with open_to_read(path) as stream:
            yield stream
        return
    pyarrow = pyarrow_for("lib")
    try:
        packed = path.open("rb")
    except OSError as error:
        raise unusable(path, error) from None
    with packed, _damage_reported(path, "zstd data"):
        yield io.BufferedReader(pyarrow.CompressedInputStream(packed, "zstd"), 1 << 17)


@contextlib.contextmanager
def _damage_reported(path: Path, expected: str) -> Iterator[None]:
    """Report errors of pyarrow in one sentence."""
    pyarrow = importlib.import_module("pyarrow")
    try:
        yield
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError):
        raise InputError([Fault(str(path), "damaged content", expected)]) from None
