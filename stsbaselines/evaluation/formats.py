"""Formats of the sentence pairs and scores of ``stsbaselines predict``, told by a file's name.

- ``.jsonl``: JSON lines with the texts ``sentence1`` and ``sentence2``, or the number ``score``;
- ``.parquet``: Parquet with columns of these names;
- any other: lines of two sentences with a TAB between, or of scores or alignments.

``.gz`` and ``.zst`` after it say that a file is packed; Parquet packs its columns itself.
"""

from __future__ import annotations

import contextlib
import enum
import importlib
import itertools
import json
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

from stsbaselines.errors import SHOWN_FAULTS, Fault, InputError, shown
from stsbaselines.io import PACKED, is_device, lines_of, open_to_read, unpacked_name, zstd_module
from stsbaselines.predictor import chunks_of
from stsbaselines.tasks.base import SentencePair
from stsbaselines.tasks.lines import LineError

FIELDS = ("sentence1", "sentence2")
ROWS = 8192
_AN_OBJECT = "a JSON object with the texts sentence1 and sentence2"
_GZIP_LEVEL = 4  # packs scores 2.5 times as fast as 6, into 5 % more
_ZSTD_LEVEL = 3
_PARQUET_BUFFER = 1 << 20
_ROWS_A_GROUP = 1 << 17


class Kind(enum.Enum):
    """How pairs or scores stand in a file, once it is unpacked."""

    lines = "lines of text"
    json_lines = "JSON lines"
    parquet = "Parquet"


def kind_of(path: Path | None) -> Kind:
    """Return what the name of a file says that it is; lines for a standard stream.

    Examples
    --------
    >>> kind_of(Path("pairs.jsonl.gz")).value, kind_of(None).value
    ('JSON lines', 'lines of text')
    """
    suffix = Path(unpacked_name(path.name)).suffix if path else ""
    return {".jsonl": Kind.json_lines, ".parquet": Kind.parquet}.get(suffix, Kind.lines)


def is_packed(path: Path) -> bool:
    """Tell whether the name of a file says that it is packed.

    Examples
    --------
    >>> is_packed(Path("pairs.tsv.gz")), is_packed(Path("pairs.tsv"))
    (True, False)
    """
    return path.suffix in PACKED


def check(source: Path | None, out: Path | None, predicts: str) -> None:
    """Refuse an input or output whose format makes no sense or needs what is not installed.

    Parameters
    ----------
    source, out : Path or None
        None for a standard stream.
    predicts : str
        What the predictor predicts: ``scores`` or ``alignments``.

    Raises
    ------
    InputError

    Examples
    --------
    >>> check(None, Path("o.jsonl"), "alignments")
    Traceback (most recent call last):
    stsbaselines.errors.InputError: o.jsonl: found alignments as JSON lines, expected lines of text
    """
    for path in (source, out):
        if path is None:
            continue
        if kind_of(path) is Kind.parquet:
            if is_packed(path):
                expected = "a name in .parquet: Parquet packs its columns itself"
                raise InputError([Fault(str(path), "packed Parquet", expected)])
            if path is source and is_device(path):
                expected = "a regular file: Parquet is read from its end"
                raise InputError([Fault(str(path), "a pipe or device", expected)])
            _pyarrow()
        elif path.suffix == ".zst":
            zstd_module()
    kind = kind_of(out)
    if predicts != "scores" and kind is not Kind.lines:
        raise InputError([Fault(str(out), f"{predicts} as {kind.value}", Kind.lines.value)])


def pairs_of_json_lines(stream: BinaryIO, name: str, start: int = 1) -> Iterator[SentencePair]:
    r"""Yield the sentence pairs of a stream with a JSON object a line.

    Parameters
    ----------
    stream : binary file
        Of objects with the texts ``sentence1`` and ``sentence2``; other fields do not count.
    name : str
        What to call it in error messages.
    start : int
        Number of its first line.

    Raises
    ------
    InputError
        At the first line that is something else; the next ones (20 in all) are named too.

    Examples
    --------
    >>> import io
    >>> line = b'{"id": 7, "sentence1": "A cat\\tsat.", "sentence2": "It sat."}\n'
    >>> list(pairs_of_json_lines(io.BytesIO(line), "example"))
    [SentencePair(left='A cat\tsat.', right='It sat.')]
    """
    faults: list[Fault | str] = []
    for number, line in lines_of(stream, name, start):
        try:
            pair = _pair_of(line)
        except LineError as error:
            faults.append(Fault(name, error.found, error.expected, number))
            if len(faults) == SHOWN_FAULTS:
                break
        else:
            if not faults:
                yield pair
    if faults:
        raise InputError(faults)


def _pair_of(line: bytes) -> SentencePair:
    try:
        content = _DECODER.decode(line.decode("utf-8"))
        pair = SentencePair(content["sentence1"], content["sentence2"])
    except (ValueError, TypeError, KeyError, RecursionError):
        raise _what_is_wrong(line) from None
    if not (type(pair.left) is str and type(pair.right) is str):
        raise _what_is_wrong(line)
    if b"\\u" in line:
        _check_escaped(pair)
    return pair


def _check_escaped(pair: SentencePair) -> None:
    from stsbaselines.tasks.records import NOT_TEXT  # slow to import

    for field, sentence in zip(FIELDS, pair, strict=True):
        if NOT_TEXT.search(sentence):
            raise LineError(f"a NUL or half a surrogate pair at {field}", "text")


def _what_is_wrong(line: bytes) -> LineError:
    """Return the error of a line that is no pair."""
    from stsbaselines.tasks.records import json_of, json_shown  # slow to import

    if not line.strip():
        return LineError("a blank line", _AN_OBJECT)
    try:
        content = json_of(line, "", _AN_OBJECT)
    except InputError as error:
        fault = cast(Fault, error.faults[0])
        return LineError(fault.found, fault.expected)
    if not isinstance(content, dict):
        return LineError(json_shown(content), _AN_OBJECT)
    found = [
        f"{json_shown(content[field])} at {field}" if field in content else f"no {field}"
        for field in FIELDS
        if not isinstance(content.get(field), str)
    ]
    return LineError(" and ".join(found), _AN_OBJECT)


def _once(fields: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(fields)
    if len(found) < len(fields):
        raise ValueError("a key twice")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_once, parse_int=float)


def rows_of_parquet(path: Path, start_row: int = 0) -> Iterator[list[SentencePair]]:
    """Yield the sentence pairs of a Parquet file, 8,192 at a time.

    Parameters
    ----------
    path : Path
        With the columns of text ``sentence1`` and ``sentence2``; others are not read.
    start_row : int
        How many rows to skip; row groups of which no row is wanted are not read.

    Raises
    ------
    InputError
        If it is no such file, is damaged, or a sentence is missing or no text. Of bad rows, those
        that are read together are named together (20 at most).
    """
    with _parquet_file(path) as file:
        metadata = file.metadata
        groups = range(metadata.num_row_groups)
        starts = [0, *itertools.accumulate(metadata.row_group(i).num_rows for i in groups)]
        wanted = [i for i in groups if starts[i + 1] > start_row]
        first = starts[wanted[0]] if wanted else starts[-1]
        rows = _rows(file, wanted, first, str(path))
        yield from chunks_of(itertools.islice(rows, start_row - first, None), ROWS)


def rows_in_parquet(path: Path) -> int:
    """Return the number of rows of a Parquet file.

    Raises
    ------
    InputError
        If it is none, or one without the columns of sentence pairs.
    """
    with _parquet_file(path) as file:
        return int(file.metadata.num_rows)


@contextlib.contextmanager
def _parquet_file(path: Path) -> Iterator[Any]:
    with open_to_read(path) as stream, parquet_of(stream, str(path)) as file:
        check_texts(file.schema_arrow, str(path))
        yield file


@contextlib.contextmanager
def parquet_of(stream: BinaryIO, name: str) -> Iterator[Any]:
    """Open a stream that is a Parquet file; an error of pyarrow is said in one sentence.

    Parameters
    ----------
    stream : binary file
    name : str
        What to call it in error messages.

    Yields
    ------
    pyarrow.parquet.ParquetFile

    Raises
    ------
    InputError
        If it is none or is damaged, also where that shows while it is read; without the extra
        ``parquet``.
    """
    pyarrow = _pyarrow()
    try:
        yield pyarrow.parquet.ParquetFile(
            stream,
            buffer_size=_PARQUET_BUFFER,
            pre_buffer=False,  # a row group, which may be the whole file, is not read at once
            page_checksum_verification=True,
        )
    except (pyarrow.ArrowException, OSError, UnicodeDecodeError):
        raise InputError([_damaged(name)]) from None


def check_texts(schema: Any, name: str) -> None:
    """Refuse the schema of a Parquet file without the columns of text of sentence pairs.

    Raises
    ------
    InputError
    """
    types = _pyarrow().types
    faults: list[Fault | str] = []
    for field in FIELDS:
        places = schema.get_all_field_indices(field)
        if len(places) != 1:
            found = f"{len(places)} columns {field}" if places else f"no column {field}"
            faults.append(Fault(name, found, "the columns sentence1 and sentence2"))
            continue
        kind = schema.field(places[0]).type
        value = kind.value_type if types.is_dictionary(kind) else kind
        if str(value) not in ("string", "large_string", "string_view"):
            faults.append(Fault(name, f"{kind} in the column {field}", "text"))
    if faults:
        raise InputError(faults)


def _rows(file: Any, groups: Sequence[int], first: int, name: str) -> Iterator[SentencePair]:
    """Yield the pairs of some row groups, before which there are `first` rows."""
    done = first
    batches = file.iter_batches(ROWS, row_groups=groups, columns=FIELDS, use_threads=False)
    for batch in batches if groups else ():
        columns = [
            texts_of(batch.column(batch.schema.get_field_index(field)), field, done, name)
            for field in FIELDS
        ]
        yield from map(SentencePair, *columns)
        done += len(batch)
    expected = file.metadata.num_rows
    if done != expected or not done:
        raise InputError([Fault(name, f"{done} rows", str(expected or "at least one"))])


def texts_of(column: Any, field: str, done: int, name: str) -> list[str]:
    """Return the sentences of a part of a column, before which there are `done` rows.

    Raises
    ------
    InputError
        If one is missing or no text.
    """
    pyarrow = _pyarrow()
    if pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    with contextlib.suppress(pyarrow.ArrowException):  # bytes that are not UTF-8
        texts: list[str] = column.to_numpy(zero_copy_only=False).tolist()
        if not column.null_count and not any("\0" in text for text in texts):
            return texts
    contents = enumerate(column.cast(pyarrow.large_binary()).to_pylist(), done + 1)
    faults = (
        Fault(f"{name}, row {number}", f"{found} at {field}", "text")
        for number, content in contents
        if (found := _other_than_text(content))
    )
    raise InputError(list(itertools.islice(faults, SHOWN_FAULTS)) or [_damaged(name)])


def _damaged(name: str) -> Fault:
    return Fault(name, "damaged content", "Parquet data")


def _other_than_text(content: bytes | None) -> str:
    if content is None:
        return "nothing"
    if b"\0" in content:
        return "a NUL"
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return f"{shown(content)}, which is not UTF-8,"
    return ""


def encoded(lines: bytes, out: Path | None) -> bytes:
    """Return lines of an output as they stand in a file of that name; of Parquet, as they are.

    Parameters
    ----------
    lines : bytes
        Whole lines.
    out : Path or None
        None for standard output.
    """
    if out is None:
        return lines
    return packed(json_lines(lines) if kind_of(out) is Kind.json_lines else lines, out)


def json_lines(lines: bytes) -> bytes:
    r"""Turn lines of scores into JSON lines.

    Examples
    --------
    >>> json_lines(b"0.5000000000\n1.0000000000\n")
    b'{"score": 0.5000000000}\n{"score": 1.0000000000}\n'
    """
    return b"".join(b'{"score": %b}\n' % line for line in lines.split())


def packed(content: bytes, path: Path) -> bytes:
    """Pack some content as a gzip member or zstd frame of its own, if the name of `path` says so.

    Members after each other are a packed file. The same content gives the same bytes, and damage
    is noticed when it is unpacked.
    """
    if path.suffix == ".gz":
        member = zlib.compressobj(_GZIP_LEVEL, wbits=zlib.MAX_WBITS | 16)
        return member.compress(content) + member.flush()
    if path.suffix == ".zst":
        zstd = zstd_module()
        parameter = zstd.CompressionParameter
        options = {parameter.compression_level: _ZSTD_LEVEL, parameter.checksum_flag: 1}
        return bytes(zstd.compress(content, options=options))
    return content


@contextlib.contextmanager
def writing_parquet(stream: BinaryIO) -> Iterator[Callable[[bytes], None]]:
    """Give a function that writes lines of scores to a Parquet file.

    The file is whole when the block ends. It has one column of floats, ``score``.

    Parameters
    ----------
    stream : binary file

    Yields
    ------
    callable

    Raises
    ------
    InputError
        Without the extra ``parquet``.
    """
    pyarrow = _pyarrow()
    schema = pyarrow.schema([pyarrow.field("score", pyarrow.float64(), nullable=False)])
    scores: list[float] = []

    def write(lines: bytes) -> None:
        scores.extend(map(float, lines.split()))
        while len(scores) >= _ROWS_A_GROUP:
            write_group()

    def write_group() -> None:
        column = pyarrow.array(scores[:_ROWS_A_GROUP], pyarrow.float64())
        del scores[:_ROWS_A_GROUP]
        writer.write_table(pyarrow.Table.from_arrays([column], schema=schema))

    with pyarrow.parquet.ParquetWriter(stream, schema, write_page_checksum=True) as writer:
        yield write
        if scores:
            write_group()


def _pyarrow() -> Any:
    try:
        importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise InputError(
            "Parquet files need one more package: pip install 'stsbaselines[parquet]'"
        ) from None
    return importlib.import_module("pyarrow")
