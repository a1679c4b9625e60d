"""Which columns of a file of TAB-separated lines, or of a table, are the two sentences.

What is decided from the first lines (a header, the columns of STS-B) holds for the whole file: a
later line with another number of columns is a fault.
"""

from __future__ import annotations

import io
import re
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator, Sequence
from typing import BinaryIO, NamedTuple

from stsbaselines.errors import SHOWN_FAULTS, Fault, InputError, shown
from stsbaselines.io.files import decoded, lines_of, plain_rows
from stsbaselines.io.frames import MARKS, sentences_among
from stsbaselines.tasks.base import SentencePair

FIRST_LINES = 1000
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")
_YEAR = re.compile(r"(19|20)\d\d\D*")
_PIT_LABEL = re.compile(r"\d|\(\d+, ?\d+\)")
_NUMBERED = re.compile(r"([^\W\d]{3,})([0-2])")
# It begins with a literal, by which the search is 40 times as fast.
_QUOTED = re.compile(rb'"(?<![^\t\n]")[^\t\n]*"(?![^\t\n])')
_TWO_SENTENCES = "two sentences separated by a TAB"

Rows = Sequence[list[str]]
Columns = tuple[str, str] | tuple[int, int]  # names in a header, or numbers from 1


class Layout(NamedTuple):
    """Which columns of TAB-separated lines are the sentences, counted from 0.

    `skip` is the number of bytes before the first pair: a byte order mark and the `header`. Lines
    have `width` columns, or more if it `is_open`. `score` is the number, from 1, of the column of
    gold scores, if the layout tells.
    """

    left: int = 0
    right: int = 1
    width: int = 2
    is_open: bool = False
    header: bytes = b""
    skip: int = 0
    notes: tuple[str, ...] = ()
    score: int | None = None

    @property
    def has_header(self) -> bool:
        """Whether the first line is a header."""
        return self.header != b""

    @property
    def is_plain(self) -> bool:
        """Whether lines have two sentences and nothing else."""
        return self[:4] == PLAIN[:4]


PLAIN = Layout()


class Tidied(NamedTuple):
    """Lines of two sentences each, and what was found in them."""

    lines: bytes
    carriage_returns: int
    quoted: int


def named_columns(names: Sequence[str], wanted: Columns | None, place: str) -> tuple[int, int]:
    """Return which columns of a header are wanted, by default those with usual names."""
    if wanted and isinstance(wanted[0], int):
        found, expected = "--columns with numbers", "names of columns: sentence1=A,sentence2=B"
        raise InputError([Fault(place, found, expected)])
    if wanted:
        faults: list[Fault | str] = []
        for column in wanted:
            if (count := names.count(str(column))) != 1:
                found = f"{count or 'no'} column{'s' * (count > 1)} {column}"
                faults.append(Fault(place, found, f"one; the columns are {_listed(names)}"))
        if faults:
            raise InputError(faults)
        return names.index(str(wanted[0])), names.index(str(wanted[1]))
    if usual := sentences_among(names):
        return usual
    expected = (
        "two that are known to be sentences; name them by --columns sentence1=A,sentence2=B, or by"
        " numbers if this is no header"
    )
    raise InputError([Fault(place, f"the columns {_listed(names)}", expected)])


def _listed(names: Sequence[str]) -> str:
    return shown(", ".join(names), 200)


def is_enough(lead: bytes, wanted: Columns | None = None) -> bool:
    """Return whether further lines cannot change the layout that `layout_of` finds."""
    if lead.count(b"\n") >= FIRST_LINES or (wanted and isinstance(wanted[0], str)):
        return True
    cells = lead[: lead.find(b"\n") + 1].split(b"\t")
    return wanted is None and len(cells) == 2 and all(len(cell.split()) > 2 for cell in cells)


def layout_of(lead: bytes, name: str, wanted: Columns | None = None) -> Layout:
    """Return the layout of a file that is called `name`, by its first lines."""
    skip, notes = 0, []
    if lead.startswith(BOM_UTF8):
        skip = len(BOM_UTF8)
        notes = ["a byte order mark at the beginning was skipped"]
    first = lead[skip : lead.find(b"\n") + 1 or None]
    next(lines_of(io.BytesIO(first), name))
    lines = lead[skip:].removesuffix(b"\n").split(b"\n", FIRST_LINES)[:FIRST_LINES]
    texts = [decoded(line.rstrip(b"\r")) for line in lines]
    rows = [text.split("\t") for text in texts]
    found = layout_of_rows(rows, name, wanted) if wanted else _recognised(rows, name)
    if found.has_header:
        skip += len(first)
    notes = [*notes, *found.notes, *_note_about_words(rows[found.has_header :], found)]
    return found._replace(skip=skip, notes=tuple(notes))


def layout_of_rows(rows: Rows, name: str, wanted: Columns) -> Layout:
    """Return the layout of a file with these first rows, whose columns were named by the user."""
    header = rows[0]
    if isinstance(wanted[0], str):
        left, right = named_columns(header, wanted, name)
        return Layout(left, right, len(header), header=_line(header))
    left, right = int(wanted[0]) - 1, int(wanted[1]) - 1
    width = max(left, right) + 1
    if len(header) < width:
        raise InputError([Fault(name, f"{len(header)} columns", f"at least {width}", 1)])
    line = _line(header) if _has_header(rows, (left, right)) else b""
    sentences = [[row[left], row[right]] for row in rows if len(row) >= width]
    notes = ("the first line is a header",) if line else _note_about_first(sentences)
    return Layout(left, right, width, True, line, notes=notes)


def _line(row: Sequence[str]) -> bytes:
    return "\t".join(row).encode("utf-8", "surrogateescape")


def _has_header(rows: Rows, sentences: tuple[int, ...] = ()) -> bool:
    """Return whether the first line has usual names, or words above numbers, not `sentences`."""
    header, *rest = rows
    return sentences_among(header) is not None or any(
        number not in sentences
        and cell.strip()
        and not _is_code(cell)
        and _all(_is_number, rest, number)
        for number, cell in enumerate(header)
    )


def _all(is_such: Callable[[str], object], rows: Rows, column: int) -> bool:
    """Return whether a column is such in all rows that have it, at least one."""
    cells = [row[column] for row in rows if len(row) > column]
    return bool(cells) and all(map(is_such, cells))


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell.strip()) is not None


def _is_code(cell: str) -> bool:
    """Return whether a cell is a number or another single word with a digit."""
    return len(cell.split()) == 1 and any(map(str.isdigit, cell))


def _is_tagged(cell: str) -> bool:
    """Return whether a cell is a sentence of PIT with tags: word/O/DT/B-NP/O."""
    return all(token.count("/") >= 4 for token in cell.split(" "))


def _recognised(rows: Rows, name: str) -> Layout:
    """Return the layout of a file by the names or the contents of its columns."""
    header = rows[0]
    width = len(header)
    if found := sentences_among(header) or _numbered(header):
        if '"' in header[found[0]]:
            expected = "TAB-separated columns without quotation marks, or CSV in a file named .csv"
            raise InputError([Fault(name, "a header in quotation marks", expected, 1)])
        pairs = [[row[each] for each in found] for row in rows[1:] if len(row) == width]
        _check_two(pairs, name, 2)
        return _noted(Layout(*found, width, header=_line(header)), "by the header", header)
    if width < 3:
        _check_two(rows, name)
        return PLAIN._replace(notes=_note_about_first(rows))
    whole = [row for row in rows if len(row) == width]
    if layout := _benchmark(rows) or _official(whole):
        return layout
    if width == 3 and [row[0] for row in whole] in (_counted(0, whole), _counted(1, whole)):
        _check_two([row[1:] for row in whole], name)
        return _noted(Layout(1, 2, 3), "after a running number")
    expected = (
        "two sentences; name their columns by --columns: by numbers, such as 1,2, or, if the first"
        " line is a header, by names, sentence1=A,sentence2=B"
    )
    cells = ", ".join(shown(cell, 20) for cell in header[:12])
    raise InputError([Fault(name, f"{width} columns ({cells})", expected, 1)])


def _numbered(header: list[str]) -> tuple[int, int] | None:
    """Return both columns if their names are one word of any language, numbered: Satz1, Satz2."""
    names = [_NUMBERED.fullmatch(cell.strip()) for cell in header]
    if len(names) != 2 or not names[0] or not names[1] or names[0][1] != names[1][1]:
        return None
    marks = names[0][2], names[1][2]
    return (0, 1) if marks in MARKS else (1, 0) if marks[::-1] in MARKS else None


def _benchmark(rows: Rows) -> Layout | None:
    """Return the layout of the STS benchmark or its companion, which lacks the genre.

    The sentences follow year, number and score; sources may follow them.
    """
    kinds: tuple[Callable[[str], object], ...] = _YEAR.fullmatch, _is_code, _is_number
    for start in (2, 1):
        first, second = start + 3, start + 4
        whole = [row for row in rows if len(row) > second]
        if (
            len(rows[0]) > second
            and all(_all(kind, whole, column) for column, kind in enumerate(kinds, start))
            and not any(_all(_is_number, whole, column) for column in (first, second))
        ):
            layout = Layout(first, second, second + 1, True, score=start + 3)
            return _noted(layout, "as in the STS benchmark")
    return None


def _official(rows: Rows) -> Layout | None:
    """Return the layout of the files of PIT-2015, or of STS-2016."""
    width = len(rows[0])
    if (
        width == 7
        and _all(_PIT_LABEL.fullmatch, rows, 4)
        and all(_all(_is_tagged, rows, column) for column in (5, 6))
    ):
        return _noted(Layout(2, 3, 7), "as in the files of PIT-2015")
    if width == 4 and all(_all(lambda cell: "http" in cell, rows, column) for column in (2, 3)):
        return _noted(Layout(0, 1, 4), "before their sources, as in STS-2016")
    return None


def _note_about_first(rows: Rows) -> tuple[str, ...]:
    """Return a note if the first line looks like a header.

    That is two titles, with fewer words than most other cells, or that differ in their marks only.
    """
    header, *rest = rows
    counts = [len(cell.split()) for row in rest for cell in row]
    longest = max(len(cell.split()) for cell in header)
    is_shorter = 2 * sum(count > longest for count in counts) > len(counts)
    is_header = is_shorter or (header not in rest and _is_marked(header))
    if not rest or not is_header or not all(map(_is_title, header)):
        return ()
    how = "if it is a header, name the columns by --columns sentence1=A,sentence2=B"
    return (f"the first line, {_listed(header)}, counts as a pair; {how}",)


def _is_title(cell: str) -> bool:
    """Return whether a cell has up to three words, which do not end like a sentence."""
    return len(cell.split()) == 1 or (
        0 < len(cell.split()) < 4 and not cell.rstrip().endswith((".", "!", "?"))
    )


def _is_marked(header: Sequence[str]) -> bool:
    """Return whether two cells differ in one mark only, such as 1 and 2."""
    left, right = header[0].strip(), header[-1].strip()
    marks = [pair for pair in zip(left, right, strict=False) if pair[0] != pair[1]]
    usual = {(a.lower(), b.lower()) for a, b in marks}
    return len(left) == len(right) and len(marks) == 1 and usual <= set(MARKS)


def _note_about_words(rows: Rows, layout: Layout) -> tuple[str, ...]:
    """Return a note if one column has single words only, and most cells of the other have more."""
    columns = layout.left, layout.right
    pairs = [
        [len(row[each].split()) for each in columns] for row in rows if len(row) > max(columns)
    ]
    for place, column in enumerate(columns):
        longer = sum(pair[1 - place] > 1 for pair in pairs)
        if len(pairs) > 1 and 2 * longer > len(pairs) and all(pair[place] < 2 for pair in pairs):
            return (f"the column {column + 1} has single words only, beside longer texts",)
    return ()


def _counted(start: int, rows: Rows) -> list[str]:
    return [str(number) for number, _ in enumerate(rows, start)]


def _noted(layout: Layout, reason: str, names: Sequence[str] = ()) -> Layout:
    left, right = layout.left, layout.right
    columns = (
        f"{names[left].strip()} and {names[right].strip()}"
        if names
        else f"{left + 1} and {right + 1}"
    )
    return layout._replace(notes=(f"the sentences are in the columns {columns}, {reason}",))


def _check_two(rows: Rows, name: str, first: int = 1) -> None:
    """Refuse two columns of which one has numbers, or codes beside longer texts."""
    rest = rows[1:]
    may_be_header = first == 1 and rest and all(len(cell.split()) < 3 for cell in rows[0])
    for lines in (rows, rest) if may_be_header else (rows,):
        for column, other in ((0, 1), (1, 0)):
            has_texts = any(" " in row[other].strip() for row in lines if len(row) > other)
            if _all(_is_number, lines, column) or (has_texts and _all(_is_code, lines, column)):
                cell = shown(next(row[column] for row in lines if len(row) > column), 20)
                found = f"numbers or codes, such as {cell}, beside a sentence"
                expected = "two sentences; name their columns by --columns, such as --columns 1,2"
                raise InputError([Fault(name, found, expected, first)])


def pairs_of(
    stream: BinaryIO, name: str, layout: Layout = PLAIN, start: int = 1
) -> Iterator[SentencePair]:
    """Yield the pairs of a stream that has no header, and whose first line has the number `start`.

    Carriage returns at the ends of lines do not count.
    """
    for left, right in _rows(stream, name, layout, start):
        yield SentencePair(decoded(left), decoded(right))


def _rows(stream: BinaryIO, name: str, layout: Layout, start: int) -> Iterator[tuple[bytes, bytes]]:
    """Yield the two sentences of each line; InputError is raised with all faults."""
    faults: list[Fault | str] = []
    for number, line in lines_of(stream, name, start):
        line = line.rstrip(b"\r")
        columns = line.split(b"\t")
        if layout.header and line == layout.header:
            faults.append(Fault(name, "the header again", "two sentences", number))
        elif len(columns) != layout.width and not (layout.is_open and len(columns) > layout.width):
            faults.append(Fault(name, *_fault_of(line, len(columns), layout), number))
        elif not faults:
            # What ends in a carriage return would be read differently at the end of a line.
            yield columns[layout.left].rstrip(b"\r"), columns[layout.right].rstrip(b"\r")
        if len(faults) == SHOWN_FAULTS:
            break
    if faults:
        raise InputError(faults)


def _fault_of(line: bytes, count: int, layout: Layout) -> tuple[str, str]:
    """Return what is found in a line with another number of columns, and what is expected."""
    found = f"{count} columns" if count > 1 else shown(line) if line.strip() else "a blank line"
    if layout.is_plain:
        return found, _TWO_SENTENCES
    return found, f"{'at least ' * layout.is_open}{layout.width} columns, separated by TABs"


def has_layout(lines: bytes, layout: Layout) -> bool:
    """Return whether `pairs_of` certainly takes all of some whole lines."""
    rows = plain_rows(lines)
    if rows is None or (layout.header and layout.header in rows):
        return False
    return all(
        count == layout.width or (layout.is_open and count > layout.width)
        for count in (row.count(b"\t") + 1 for row in rows)
    )


def tidied(
    lines: bytes, name: str, layout: Layout, start: int, is_counted_later: bool = False
) -> Tidied:
    """Return whole lines with nothing but their two sentences, as they are if that is so.

    If the result has a line without a TAB, `pairs_of` would refuse it. With `is_counted_later`,
    plain lines may also have more columns than two.
    """
    returns, given, is_clean = 0, lines, True
    if b"\r" in lines:
        rows = lines.split(b"\n")
        stripped = [row.rstrip(b"\r") for row in rows]
        returns = sum(len(a) != len(b) for a, b in zip(rows, stripped, strict=True))
        lines = b"\n".join(stripped)
        within = lines.count(b"\r\t")
        returns += within
        is_clean = not within and given.endswith(b"\n") == lines.endswith(b"\n")  # no lost line
    is_tidy = (
        layout.is_plain
        and (is_counted_later or lines.count(b"\t") == _count_lines(lines))
        and is_clean
        and not (layout.header and layout.header in lines)  # which may be the header again
    )
    if not is_tidy:
        pairs = _rows(io.BytesIO(given), name, layout, start)
        lines = b"".join([b"%b\t%b\n" % pair for pair in pairs])
    quoted = len(_QUOTED.findall(lines)) if b'"' in lines else 0
    return Tidied(lines, returns, quoted)


def _count_lines(lines: bytes) -> int:
    return lines.count(b"\n") + (not lines.endswith(b"\n"))
