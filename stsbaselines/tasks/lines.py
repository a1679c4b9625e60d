"""Parsing the files of a task line by line, so that all faults of a file are reported together."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar

import numpy as np
import numpy.typing as npt

from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.io.files import LONGEST_LINE, lines_of, open_to_read, whole_lines

T = TypeVar("T")
Bounds = tuple[float, float]
BLOCK_SIZE = 1 << 18
# If a text has only these characters and float() accepts it, then _NUMBER matches it.
_OF_NUMBERS = b"0123456789.+-eE"
_NUMBER = re.compile(rb"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?")


class LineError(Exception):
    """A line, or a part of one, is not what was expected."""

    def __init__(self, found: str, expected: str) -> None:
        self.found = found
        self.expected = expected


def parse_lines(path: Path, parse: Callable[[bytes], T], count: int | None = None) -> Iterator[T]:
    """Yield the parsed lines of a file, of which there must be `count`.

    `parse` raises `LineError` for a line that does not fit. All faults are raised together, as
    an `InputError` after the last good line.
    """
    lines = Lines(str(path), parse, count)
    with open_to_read(path) as stream:
        yield from lines.parsed(stream)
    lines.check()


@dataclass
class Lines(Generic[T]):
    """The lines of a file: how to parse them, and what was found so far.

    `skip` tells lines that do not count. `clean`, if given, returns the line to parse for a line
    and its number; blank lines at the end do not count then. `each` says what there must be a line
    for, and `hints` explain numbers of lines.
    """

    path: str
    parse: Callable[[bytes], T]
    count: int | None
    skip: Callable[[bytes], bool] | None = None
    clean: Callable[[int, bytes], bytes] | None = None
    each: str = "one for each pair"
    hints: Mapping[int, str] = field(default_factory=dict)
    found: int = 0
    blank_at_end: int = 0
    carriage_returns: int = 0
    faults: list[Fault | str] = field(default_factory=list)

    def parsed(self, stream: BinaryIO, start: int = 1) -> Iterator[T]:
        """Parse the lines of a stream, the first of which has the number `start`."""
        for number, line in lines_of(stream, self.path, start):
            if self.skip is not None and self.skip(line):
                continue
            if self.clean and self.found == self.count and not line.strip():
                self.blank_at_end += 1
                continue
            self.add(1)
            if self.count is not None and self.found > self.count:
                continue
            try:
                if self.clean:
                    yield self.parse(self.clean(number, line))
                else:
                    self.carriage_returns += line.endswith(b"\r")
                    yield self.parse(line.removesuffix(b"\r"))
            except LineError as error:
                self.faults.append(Fault(self.path, error.found, error.expected, number))

    def add(self, lines: int) -> None:
        """Count lines, and the blank ones before them, which are not at the end of the file."""
        self.found += lines + self.blank_at_end
        self.blank_at_end = 0

    def counted_only(self, block: bytes) -> bool:
        """Return whether a block follows the last line that is wanted; then count its lines."""
        if self.count is None or self.found < self.count or len(block) > LONGEST_LINE:
            return False
        n_lines = block.count(b"\n") + (not block.endswith(b"\n"))
        if self.found == self.count:
            is_blank = self.clean is not None and not block.strip()
            self.blank_at_end += n_lines * is_blank
            return is_blank
        if b"\0" in block or b"#" in block:
            return False
        self.add(n_lines)
        return True

    def check(self) -> None:
        """Raise all faults, at the end of the file."""
        faults: list[Fault | str] = []
        if self.count is not None and self.found != self.count:
            expected = f"{self.count:,}, {self.each}" + self.hints.get(self.found, "")
            faults.append(Fault(self.path, f"{self.found:,} lines", expected))
        if self.carriage_returns:
            ends = f"{self.carriage_returns} lines that end in a carriage return"
            found = f"{ends} (Windows line endings)"
            faults.append(Fault(self.path, found, "lines that end in a newline alone"))
        if faults or self.faults:
            raise InputError([*faults, *self.faults])


def parse_numbers(
    path: Path,
    parse: Callable[[bytes], Sequence[float]],
    bounds: Sequence[Bounds | None],
    count: int,
    blank: bytes = b"",
    hints: Mapping[int, str] | None = None,
) -> npt.NDArray[np.float64]:
    """Parse a file of numbers into an array, by blocks where all lines are plain numbers."""
    lines = Lines(str(path), parse, count, hints=hints or {})
    with open_to_read(path) as stream:
        return numbers_of(lines, whole_lines(stream, BLOCK_SIZE), bounds, blank)


def numbers_of(
    lines: Lines[Sequence[float]],
    blocks: Iterable[bytes],
    bounds: Sequence[Bounds | None],
    blank: bytes = b"",
) -> npt.NDArray[np.float64]:
    """Parse the blocks of a file into an array; without `bounds`, line by line."""
    found = []
    start = 1
    for block in blocks:
        if not lines.counted_only(block):
            rows = plain_rows(block, bounds, blank)
            if rows is None:
                rows = np.array(list(lines.parsed(io.BytesIO(block), start)))
            else:
                lines.add(len(rows))
            if len(rows):
                found.append(rows)
        start += block.count(b"\n")
    lines.check()
    return np.concatenate(found)


def plain_rows(
    block: bytes, bounds: Sequence[Bounds | None], blank: bytes
) -> npt.NDArray[np.float64] | None:
    """Parse whole lines of as many numbers each, or return None if one may be something else."""
    if not 0 < len(block) <= LONGEST_LINE:
        return None
    if not block.endswith(b"\n"):
        block += b"\n"
    ends = block.translate(None, delete=_OF_NUMBERS)
    columns = ends.find(b"\n") + 1
    n_rows = len(ends) // columns
    if columns > len(bounds) or ends != (b"\t" * (columns - 1) + b"\n") * n_rows:
        return None
    cells = block.replace(b"\t", b"\n").split(b"\n")[:-1]
    if blank:
        cells = [cell or blank for cell in cells]
    rows = np.full((n_rows, len(bounds)), math.nan)
    try:
        rows[:, :columns] = np.fromiter(map(float, cells), float).reshape(n_rows, columns)
    except ValueError:
        return None
    for values, limits in zip(rows.T, bounds, strict=True):
        if limits and ((values < limits[0]) | (values > limits[1])).any():
            return None
    return None if np.isinf(rows).any() else rows


def number_of(text: bytes, bounds: Bounds | None, what: str) -> float:
    """Parse a finite decimal number, within bounds if they are given.

    Raises `LineError` otherwise, which calls the number `what`.
    """
    wanted = f"{what} that is a number"
    if bounds:
        upper = "up" if math.isinf(bounds[1]) else f"to {bounds[1]:g}"
        wanted = f"{what} from {bounds[0]:g} {upper}"
    if not text.strip():
        raise LineError("a blank" if text else "nothing", wanted)
    value = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not math.isfinite(value) or (bounds and not bounds[0] <= value <= bounds[1]):
        raise LineError(shown(text), wanted)
    return value
