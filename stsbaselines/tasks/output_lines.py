"""Lines of a system's output, read as leniently as the official scorers read them.

What is unusual in a file but leaves no doubt about its meaning is noted: Windows line endings, a
byte order mark, blanks around and between columns, a header, an index in the first column. What
leaves a doubt is refused.
"""

from __future__ import annotations

import itertools
import re
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from stsbaselines.data.catalogue import DataSet
from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.io.files import open_to_read, whole_lines
from stsbaselines.tasks.lines import BLOCK_SIZE, Bounds, LineError, Lines, numbers_of

NOT_SUBMITTED = "which a submission must not have"
_INDEX = ("index", "id", "pair", "pair_id", "pair_number", "number", "line", "no", "")
_BLANKS = re.compile(rb"[ \t]+")
_NOT_IN_NAMES = re.compile(r"[\s_-]+")
_HEAD_SIZE = 1 << 16
_HEAD_LINES = 50
_FEWEST = 3  # lines that can show an index
_CARRIAGE_RETURNS = "lines that end in a carriage return"
_EXTRA_BLANKS = "lines with blanks or several TABs around or between their columns"


class Form(NamedTuple):
    """The columns of a kind of output.

    Attributes
    ----------
    names : tuple of tuple of str
        What a header may call each column; the first name is the usual one.
    least : int
        How many of the columns each line has at least.
    top : float
        Numbers up to this one may be scores; an index goes beyond it.
    comments : bool
        Whether lines that begin with ``#`` do not count.
    partial : bool
        Whether an output may have lines for the scored pairs alone, named by their numbers.
    """

    names: tuple[tuple[str, ...], ...]
    least: int
    top: float
    comments: bool = False
    partial: bool = False


class OutputLines(NamedTuple):
    """The numbers of an output, one row per line.

    `pairs` are the numbers of the pairs from 1, if not all pairs have a line. `has_names` tells
    whether a header or an index was found. `doubtful` is the number of the first line that has an
    empty column before another one, so that it is not clear which column is missing.
    """

    rows: npt.NDArray[np.float64]
    notes: list[str]
    pairs: npt.NDArray[np.int64] | None
    has_names: bool
    doubtful: int | None


def hints_of(dataset: DataSet, partial: bool = False) -> dict[int, str]:
    """Return what to say of an output that has a line for each scored pair only."""
    if dataset.scored >= dataset.pairs:
        return {}
    hint = f"{dataset.scored:,} of the {dataset.pairs:,} pairs are scored: give all"
    if not partial:
        return {dataset.scored: f"; {hint} {dataset.pairs:,}"}
    how = "begin their lines with the number of the pair and a TAB"
    return {dataset.scored: f"; {hint} {dataset.pairs:,}, or name the scored ones ({how})"}


def read_output_lines(
    path: Path,
    parse: Callable[[bytes], Sequence[float]],
    dataset: DataSet,
    form: Form,
    bounds: Sequence[Bounds | None] = (),
) -> OutputLines:
    """Read an output; `parse` gets each line with single TABs between its columns.

    Lines that are plain numbers within `bounds` are parsed faster.
    """
    with open_to_read(path) as stream:
        head = next(whole_lines(stream, _HEAD_SIZE))
        marked, head = head.startswith(BOM_UTF8), head.removeprefix(BOM_UTF8)
        layout = _layout_of(head, path, dataset, form)
        lines = Lines(str(path), parse, dataset.pairs, layout.skips, layout.cleaned)
        lines.hints = hints_of(dataset, form.partial)
        if layout.names_pairs:
            lines.count, lines.hints = dataset.scored, {}
            lines.each = "one for each scored pair, because the index is not 0, 1, 2, ..."
        blocks = itertools.chain([head], filter(None, whole_lines(stream, BLOCK_SIZE)))
        rows = numbers_of(lines, blocks, () if layout.has_names else bounds)
    return OutputLines(
        rows,
        [*layout.notes(marked, lines.blank_at_end)],
        np.array(layout.pairs) if layout.names_pairs else None,
        layout.has_names,
        layout.doubtful,
    )


@dataclass
class _Layout:
    """Which column of an output is which, and what was unusual in the lines read so far.

    `columns` are the positions of the columns under the `header`, and `index` that of the index,
    whose last number was `last`.
    """

    form: Form
    n_pairs: int
    header: bytes | None = None
    width: int | None = None
    columns: tuple[int, ...] = ()
    index: int | None = None
    last: int = 0
    names_pairs: bool = False
    pairs: list[int] = field(default_factory=list)
    doubtful: int | None = None
    seen_header: bool = False
    comments: int = 0
    unusual: Counter[str] = field(default_factory=Counter)

    @property
    def has_names(self) -> bool:
        return self.header is not None or self.index is not None

    def skips(self, line: bytes) -> bool:
        """Return whether a line is a comment or the header."""
        if self.form.comments and line.startswith(b"#"):
            self.comments += 1
            return True
        if self.header is not None and not self.seen_header:
            self.seen_header = True
            return True
        return False

    def cleaned(self, number: int, line: bytes) -> bytes:
        """Return a line with its columns in order, without the index, separated by one TAB."""
        bare = line.removesuffix(b"\r")
        fields = _fields(bare)
        self.unusual[_CARRIAGE_RETURNS] += bare != line
        n_columns = len(fields) - (self.index is not None)
        if fields != [b""] and not self.form.least <= n_columns <= len(self.form.names):
            fields = bare.split(b"\t")  # to be refused as it is
        elif b"\t".join(fields) != bare:
            self.unusual[_EXTRA_BLANKS] += 1
            self._doubt(number, bare, len(fields))
        if self.width is not None and len(fields) != self.width:
            raise LineError(f"{len(fields)} columns", f"{self.width}, as in the header")
        if self.index is not None:
            self._count(fields[self.index])
            fields = fields[: self.index] + fields[self.index + 1 :]
        if self.columns:
            fields = [fields[place] for place in self.columns]
        return b"\t".join(fields)

    def _doubt(self, number: int, line: bytes, n_fields: int) -> None:
        """Take a line with an empty column before others: the others might be shifted."""
        cells = [cell.strip(b" ") for cell in line.rstrip(b" \t").split(b"\t")]
        if b"" in cells and 0 < n_fields < len(self.form.names) + (self.index is not None):
            if self.has_names:
                raise LineError("an empty column", "no column empty")
            self.doubtful = self.doubtful or number

    def _count(self, text: bytes) -> None:
        found = _whole(text)
        wanted = self.last + 1
        if self.names_pairs:
            if not wanted <= found <= self.n_pairs:
                expected = f"the number of a pair, from {wanted} to {self.n_pairs}"
                raise LineError(f"{shown(text)} in the index", expected)
        elif found != wanted:
            self.last = max(found, self.last)
            raise LineError(f"{shown(text)} in the index", f"{wanted}, the next number")
        self.last = found
        self.pairs.append(found)

    def notes(self, has_mark: bool, blank_lines: int) -> Iterator[str]:
        if has_mark:
            yield f"a byte order mark, {NOT_SUBMITTED}"
        if self.header is not None:
            yield f"the header {shown(self.header.strip())}, {NOT_SUBMITTED}, tells the columns"
        if self.names_pairs:
            yield f"the index names the pairs that have a score: {len(self.pairs)}"
        elif self.index is not None:
            run = ", ".join(map(str, self.pairs[:3]))
            yield f"a column is an index ({run}, ...), {NOT_SUBMITTED}, and no score"
        for what, lines in [*self.unusual.items(), ("blank lines at the end", blank_lines)]:
            if lines:
                yield f"{what}, {NOT_SUBMITTED}: {lines}"
        if self.comments:
            yield f"lines skipped because they begin with #: {self.comments}"


def are_running_numbers(values: npt.NDArray[np.float64]) -> bool:
    """Return whether a column has each number from 0 or 1 on once, in any order."""
    ordered = np.sort(values)
    return len(values) >= _FEWEST and ordered[0] in (0, 1) and bool((np.diff(ordered) == 1).all())


def _fields(line: bytes) -> list[bytes]:
    return _BLANKS.split(line.strip(b" \t"))


def _layout_of(head: bytes, path: Path, dataset: DataSet, form: Form) -> _Layout:
    """Return the layout that the first lines of a file have."""
    numbered = enumerate((line.removesuffix(b"\r") for line in head.split(b"\n")), 1)
    lines = {
        number: line
        for number, line in numbered
        if line.strip() and not (form.comments and line.startswith(b"#"))
    }
    first, *_ = [*lines, 1]
    rows = [_fields(line) for line in itertools.islice(lines.values(), _HEAD_LINES)]
    layout = _Layout(form, dataset.pairs)
    names = _names_of(lines.get(first, b""))
    known = {name for each in (*form.names, _INDEX[:-1]) for name in each}
    if known.intersection(names):
        layout.header, rows = lines[first], rows[1:]
        if rows and len(rows[0]) == len(names) + 1:  # as R writes the names of rows
            names = ["", *names]
        problem = _use_header(layout, names)
    else:
        problem = _use_index(layout, rows)
    if problem:
        raise InputError([Fault(str(path), *problem, first)])
    if layout.index is not None:
        numbers = [_whole(row[layout.index]) if len(row) > layout.index else -1 for row in rows]
        layout.last = -1 if numbers and numbers[0] == 0 else 0
        is_part = form.partial and dataset.scored < dataset.pairs and _increases(numbers)
        layout.names_pairs = is_part and not _runs(numbers)
    return layout


def _names_of(line: bytes) -> list[str]:
    cells = line.split(b"\t") if b"\t" in line else _fields(line)
    texts = [cell.decode("utf-8", "replace").strip().strip('"').lower() for cell in cells]
    return [_NOT_IN_NAMES.sub("_", text) for text in texts]


def _use_header(layout: _Layout, names: list[str]) -> tuple[str, str] | None:
    """Take the columns by their names; return what is in doubt, as found and expected."""
    form = layout.form
    places = [
        [place for place, name in enumerate(names) if name in allowed]
        for allowed in (*form.names, _INDEX)
    ]
    is_known = sum(map(len, places)) == len(names) and max(map(len, places)) == 1
    if not is_known or not all(places[: form.least]):
        usual = ", ".join(each[0] for each in form.names)
        found = f"the columns {', '.join(map(repr, names))}"
        return found, f"the columns {usual}, perhaps after an index"
    layout.width = len(names)
    layout.index = places[-1][0] if places[-1] else None
    wanted = [each[0] for each in places[:-1] if each]
    layout.columns = tuple(
        place - (layout.index is not None and place > layout.index) for place in wanted
    )
    return None


def _use_index(layout: _Layout, rows: list[list[bytes]]) -> tuple[str, str] | None:
    """Recognise an index in the first column; return what is in doubt, as found and expected."""
    form = layout.form
    numbers = [_whole(row[0]) for row in rows]
    most = max(map(len, rows), default=0)
    is_long = bool(numbers) and numbers[-1] > form.top
    is_running = _runs(numbers)
    if not is_running and not (form.partial and is_long and _increases(numbers)):
        return None
    if most == len(form.names) + 1 or (is_long and form.least < most):
        layout.index = 0
        return None
    if not is_long and most <= form.least:
        return None
    place = "the only column" if most == 1 else f"the first of {most} columns"
    run = f"{', '.join(map(str, numbers[:3]))}, ... in {place}"
    if is_long:
        return run, "scores, perhaps after an index"
    return run, "a header, because these may be an index, or scores with confidences"


def _whole(text: bytes) -> int:
    """Return the whole number that a text is, or -1."""
    return int(text) if text.isdigit() and len(text) < 10 else -1


def _runs(numbers: list[int]) -> bool:
    first = numbers[0] if numbers else -1
    is_run = numbers == list(range(first, first + len(numbers)))
    return len(numbers) >= _FEWEST and first in (0, 1) and is_run


def _increases(numbers: list[int]) -> bool:
    is_increasing = all(one < other for one, other in itertools.pairwise(numbers))
    return len(numbers) >= _FEWEST and numbers[0] > 0 and is_increasing


def check_columns(path: Path, found: OutputLines, top: float) -> None:
    """Raise InputError if the columns of an output may be others than scores and confidences."""
    if found.has_names:
        return
    scores, confidences = found.rows.T
    are_full = len(scores) > 2 and not np.isnan(confidences).any()
    if are_full and scores.max() > top and _are_numbers_of_pairs(scores):
        what = "different whole numbers in the first column"
        raise InputError([Fault(str(path), what, f"scores up to {top:g}")])
    if are_full and are_running_numbers(confidences):
        raise InputError([Fault(str(path), "running numbers in the second column", "confidences")])
    if found.doubtful and not np.isnan(confidences).all():
        expected = "a score, or score TAB confidence"
        what = "an empty column before a number"
        raise InputError([Fault(str(path), what, expected, found.doubtful)])


def _are_numbers_of_pairs(values: npt.NDArray[np.float64]) -> bool:
    """Return whether most values are whole numbers that differ."""
    return 2 * len(np.unique(values[values % 1 == 0])) > len(values)
