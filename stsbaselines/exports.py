"""Labelled pairs as others give them out: the STS benchmark, and exports of data set libraries.

- the STS benchmark and its companion: genre, file, year, id, score and two sentences with TABs
  between, without quoting (the companion has no genre);
- Parquet, JSON lines, or lines with a header and TABs between: ``sentence1``, ``sentence2`` and
  ``score``, or in its place ``similarity_score``, or ``label`` if these are no classes.
"""

from __future__ import annotations

import functools
import io
import itertools
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any, NamedTuple, cast

import numpy as np

from stsbaselines.data.recognition import without_carriage_returns, without_mark
from stsbaselines.errors import SHOWN_FAULTS, Fault, InputError
from stsbaselines.evaluation.formats import FIELDS, check_texts, parquet_of, texts_of
from stsbaselines.io import LONGEST_LINE, lines_of, unpacked_name
from stsbaselines.tasks.lines import LineError, number_of

LARGEST = 64 << 20  # bytes
SCORES = ("score", "similarity_score", "label")
RANGE = (0.0, 5.0)
_MOST_PAIRS = 1_000_000
_LONGEST_SCORE = 100
_ROWS = 256  # read at once: a short file can have long rows
_JSON = (".jsonl", ".json")
_SUFFIXES = (".parquet", ".csv", ".tsv", *_JSON)
_BENCHMARK = re.compile(
    rb"(?P<genre>[^\t]+\t)?[^\t]+\t(?:MSRvid)?20\d\d[a-z]*\t[^\t]*\t[\d.]+\t[^\t]+\t"
)
_NUMBERS = re.compile("u?int(8|16|32|64)|halffloat|float|double")  # types of Arrow
_NO_SENTENCE = re.compile("^\ufeff|[\t\n\r\0\ud800-\udfff]")
_GENERIC = ("train", "test", "dev", "validation", "data", "all")
_ONLY_SHARD = "-00000-of-00001"


@dataclass(frozen=True)
class Export:
    """Labelled pairs, in the form of the official files.

    Attributes
    ----------
    name : str
        What to call the data set; made of its file's name.
    source : str
        The file.
    kind : str
        Its format, in words.
    pairs : int
    input, gold : bytes
        Two sentences a line with a TAB between; a score a line.
    notes : tuple of str
        What the reader should know.
    """

    name: str
    source: str
    kind: str
    pairs: int
    input: bytes
    gold: bytes
    notes: tuple[str, ...] = ()


class _Row(NamedTuple):
    left: str
    right: str
    score: bytes | float


class _LinesFormat(NamedTuple):
    """A format of lines: in which column the scores are, lines of header, and what reads a line."""

    kind: str
    field: str
    header: int
    parse: Callable[[bytes], _Row]


Rows = Iterator[tuple[int, Callable[[], _Row]]]


def may_be_export(name: str) -> bool:
    """Tell whether the name of a file is like that of an export.

    Examples
    --------
    >>> may_be_export("train.jsonl.gz"), may_be_export("STS.gs.OnWN.txt")
    (True, False)
    """
    return PurePosixPath(unpacked_name(name)).suffix.lower() in _SUFFIXES


def read_export(content: bytes, name: str, place: str) -> Export | None:
    r"""Read labelled pairs, if a file looks like some.

    Parameters
    ----------
    content : bytes
    name : str
        Path of the file, with ``/``.
    place : str
        What to call it in error messages.

    Returns
    -------
    Export or None
        None if it does not look like labelled pairs.

    Raises
    ------
    InputError
        If it does, but something is wrong with it: what is damaged, no sentence, or no score from
        0 to 5, or when it is not clear which column has the scores.

    Examples
    --------
    >>> line = b'{"sentence1": "A cat.", "sentence2": "The cat.", "score": 4.20}\n'
    >>> found = read_export(line, "mine.jsonl", "mine.jsonl")
    >>> found.name, found.input, found.gold
    ('mine', b'A cat.\tThe cat.\n', b'4.2\n')
    """
    suffix = PurePosixPath(unpacked_name(name)).suffix.lower()
    if suffix == ".parquet":
        return _read_parquet(content, name, place)
    text = without_carriage_returns(without_mark(content))
    changed = ("a byte order mark or Windows line endings were left out",) * (text != content)

    def fault(line: int, error: LineError) -> Fault:
        return Fault(place, error.found, error.expected, line)

    try:
        lines = _lines_format(text[:LONGEST_LINE].split(b"\n", 1)[0], suffix in _JSON)
    except LineError as error:
        raise InputError([fault(1, error)]) from None
    if lines is None:
        return None
    numbered = itertools.islice(lines_of(io.BytesIO(text), place), lines.header, None)
    rows = ((number, functools.partial(lines.parse, line)) for number, line in numbered)
    return _export(rows, fault, lines.field, name, place, lines.kind, changed)


def _lines_format(begin: bytes, is_json: bool) -> _LinesFormat | None:
    """Return the format of lines that begin so; None if they are no labelled pairs."""
    if is_json:
        field = _score_field(_json_object(begin)) if b'"sentence1"' in begin else ""
        parse = functools.partial(_json_row, field=field)
        return _LinesFormat("JSON lines", field, 0, parse) if field else None
    if match := _BENCHMARK.match(begin):
        parse = functools.partial(_benchmark_row, first=3 + bool(match["genre"]))
        return _LinesFormat("STS benchmark", SCORES[0], 0, parse)
    header = begin.decode("utf-8", "replace")
    names = header.split("\t")
    if field := _score_field(names):
        places = [names.index(each) for each in (*FIELDS, field)]
        parse = functools.partial(_table_row, places=places, count=len(names))
        return _LinesFormat("TSV", field, 1, parse)
    if _score_field([each.strip('"') for each in header.split(",")]):
        raise LineError("columns with commas between", "TABs between them")
    return None


def _score_field(names: Iterable[str]) -> str:
    """Return the column with the scores; empty if these are not the columns of labelled pairs."""
    known = [each for each in names if each in (*FIELDS, *SCORES)]
    scores = [each for each in known if each in SCORES]
    if not (scores and set(FIELDS) <= set(known)):
        return ""
    if len(known) > len(FIELDS) + 1:
        raise LineError(f"the columns {', '.join(known)}", "two of sentences and one of scores")
    return scores[0]


def _benchmark_row(line: bytes, first: int) -> _Row:
    """Parse a line of the STS benchmark, whose score is the column `first`, from 0."""
    columns = line.split(b"\t")
    if len(columns) < first + 3:
        expected = f"at least {first + 3}, the last of them score and two sentences"
        raise LineError(f"{len(columns)} TAB-separated columns", expected)
    return _Row(_decoded(columns[first + 1]), _decoded(columns[first + 2]), columns[first])


def _table_row(line: bytes, places: Sequence[int], count: int) -> _Row:
    columns = line.split(b"\t")
    if len(columns) != count:
        raise LineError(f"{len(columns)} TAB-separated columns", f"{count}, as in the first line")
    left, right, score = (columns[place] for place in places)
    return _Row(_decoded(left), _decoded(right), score)


def _decoded(sentence: bytes) -> str:
    try:
        return sentence.decode("utf-8")
    except UnicodeDecodeError:
        raise LineError("bytes that are not UTF-8", "text") from None


def _json_row(line: bytes, field: str) -> _Row:
    from stsbaselines.tasks.records import json_shown  # slow to import

    content = _json_object(line)
    for name, kind in ((FIELDS[0], str), (FIELDS[1], str), (field, float)):
        if not isinstance(content.get(name), kind):
            found = json_shown(content[name]) if name in content else "nothing"
            raise LineError(f"{found} at {name}", "a text" if kind is str else "a number")
    return _Row(content[FIELDS[0]], content[FIELDS[1]], content[field])


def _json_object(line: bytes) -> dict[str, Any]:
    from stsbaselines.tasks.records import json_of, json_shown  # slow to import

    expected = "a JSON object with sentence1, sentence2 and score"
    try:
        content = json_of(line, "", expected)
    except InputError as error:
        fault = cast(Fault, error.faults[0])
        raise LineError(fault.found, fault.expected) from None
    if not isinstance(content, dict):
        raise LineError(json_shown(content), expected)
    return content


def _read_parquet(content: bytes, name: str, place: str) -> Export | None:
    def fault(row: int, error: LineError) -> Fault:
        return Fault(f"{place}, row {row}", error.found, error.expected)

    with parquet_of(io.BytesIO(content), place) as file:
        schema = file.schema_arrow
        try:
            field = _score_field(schema.names)
        except LineError as error:
            raise InputError([Fault(place, error.found, error.expected)]) from None
        if not field:
            return None
        check_texts(schema, place)
        kind = str(schema.field(field).type)
        if not _NUMBERS.fullmatch(kind):
            raise InputError([Fault(place, f"{kind} in the column {field}", "numbers")])
        rows = _parquet_rows(file, field, place)
        return _export(rows, fault, field, name, place, "Parquet", ())


def _parquet_rows(file: Any, field: str, place: str) -> Rows:
    done = 0
    for batch in file.iter_batches(_ROWS, columns=[*FIELDS, field], use_threads=False):
        lefts, rights = (texts_of(batch.column(each), each, done, place) for each in FIELDS)
        scores = batch.column(field).to_numpy(zero_copy_only=False)
        for row in zip(lefts, rights, scores, strict=True):
            done += 1
            yield done, functools.partial(_Row, *row)
    if done != file.metadata.num_rows:
        raise InputError([Fault(place, f"{done} rows", str(file.metadata.num_rows))])


def _export(
    rows: Rows,
    fault: Callable[[int, LineError], Fault],
    field: str,
    name: str,
    place: str,
    kind: str,
    notes: tuple[str, ...],
) -> Export:
    """Check all rows, and write them in the form of the official files."""
    pairs, gold = _collected(rows, fault, place)
    scores = [float(each) for each in gold]
    if field == "label" and all(map(float.is_integer, scores)):
        found = "only whole numbers in the column label, which may be classes"
        raise InputError([Fault(place, found, "similarity scores in a column score")])
    if max(scores) <= 1:
        low = "no score is over 1: they may be normalised to 0-1, and are taken as they are"
        notes = (*notes, low)
    quoted = sum(line.count(b'""') > 0 for line in pairs) if kind == "TSV" else 0
    if quoted:
        notes = (*notes, f'lines with "", which is taken as it stands, not as a quote: {quoted}')
    join = b"\n".join
    return Export(
        name_of(name), name, kind, len(pairs), join([*pairs, b""]), join([*gold, b""]), notes
    )


def _collected(
    rows: Rows, fault: Callable[[int, LineError], Fault], place: str
) -> tuple[list[bytes], list[bytes]]:
    pairs: list[bytes] = []
    gold: list[bytes] = []
    faults: list[Fault | str] = []
    size = 0
    for number, parse in rows:
        try:
            row = parse()
            pairs.append(_line(row.left, row.right))
            gold.append(_score(row.score))
            size += len(pairs[-1])
        except LineError as error:
            faults.append(fault(number, error))
        if len(pairs) > _MOST_PAIRS or size > LARGEST:
            most = f"at most {_MOST_PAIRS:,} pairs and {LARGEST >> 20} MiB"
            raise InputError([Fault(place, "a larger data set", most)])
        if len(faults) == SHOWN_FAULTS:
            break
    if faults or not pairs:
        raise InputError(faults or [Fault(place, "no pairs", "at least one")])
    return pairs, gold


def _line(left: str, right: str) -> bytes:
    for field, sentence in zip(FIELDS, (left, right), strict=True):
        if not sentence.strip():
            raise LineError(f"no sentence at {field}", "text")
        if _NO_SENTENCE.search(sentence):
            found = f"a TAB, a newline or another character that is no text at {field}"
            raise LineError(found, "a sentence on one line")
    line = f"{left}\t{right}".encode()
    if len(line) > LONGEST_LINE:
        raise LineError("over 1 MiB", "a shorter pair")
    return line


def _score(score: bytes | float) -> bytes:
    """Return a score as it stands or, of a binary number, as short as it can be written."""
    if not isinstance(score, bytes):
        value = score if isinstance(score, np.floating) else float(score)  # keeps its precision
        score = np.format_float_positional(value, trim="-").encode()
    if len(score) > _LONGEST_SCORE:
        raise LineError(f"a score of {len(score):,} characters", "a shorter number")
    number_of(score, RANGE, "a score")
    return score


def name_of(path: str) -> str:
    """Name a data set by its file and, if many files have that name, its folder.

    Examples
    --------
    >>> name_of("stsbenchmark/sts-dev.csv"), name_of("glue/data/train-00000-of-00001.parquet")
    ('sts-dev', 'data-train')
    """
    place = PurePosixPath(unpacked_name(path))
    name = place.stem.removesuffix(_ONLY_SHARD)
    if name in _GENERIC and place.parent.name:
        name = f"{place.parent.name}-{name}"
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip(".-") or "pairs"
