r"""The numba kernel of token-cosine: it scores a block of lines, and writes the scores as bytes.

Counts of token types are exact. Rows without two columns, rows that are long or have too many
types, and scores whose last digit is in doubt are left to Python.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numba import config, njit

from stsbaselines.io.files import LONGEST_LINE

if config.DISABLE_JIT:  # type: ignore[attr-defined]
    raise RuntimeError("NUMBA_DISABLE_JIT is set")

SLOTS = 1 << 10
MOST_TYPES = SLOTS // 4
RECORD = 13  # bytes of a score and its newline
_TAB, _NEWLINE, _POINT = 9, 10, 46
_IS_WHITE = np.array([byte in b" \t\n\r\f\v" for byte in range(256)])
_U = np.uint64  # of one and an int, numba would make a float
_ONE, _TEN, _DIGIT_0, _MASK, _LONG = _U(1), _U(10), _U(48), _U(SLOTS - 1), _U(1 << 63)
_MIX, _SHIFT = _U(0x9E3779B97F4A7C15), _U(65 - SLOTS.bit_length())  # 2**64 / golden ratio (Knuth)

_inlined = njit(forceinline=True)


def score_lines(lines: bytes, in_python: Callable[[bytes], bytes | None]) -> bytes | None:
    """Score whole lines; `in_python` scores those that the kernel leaves, or returns None."""
    if b"\0" in lines or not lines:
        return None
    size = len(lines)
    data = np.frombuffer(lines + b"\n" * 8, np.uint8)
    ends = np.empty(size + 1, np.uint32)
    table = tuple(np.zeros((3, SLOTS), np.uint64))
    records = np.empty(RECORD * (size // 2 + 1), np.uint8)  # a row has a TAB and a newline
    start = row = 0
    while start < size:
        start, row = _score(data, size, start, row, ends, table, records)
        if start < size:
            end = lines.find(b"\n", start) + 1 or size
            record = in_python(lines[start:end])
            if record is None:
                return None
            records[RECORD * row : RECORD * (row + 1)] = np.frombuffer(record, np.uint8)
            start, row = end, row + 1
    return records[: RECORD * row].tobytes()


@njit(cache=True)
def _score(data: Any, size: int, start: int, row: int, ends: Any, table: Any, records: Any) -> Any:
    """Write the records of rows from `start`; return where and which row is left to Python.

    The table has stamps, keys and starts of tokens. A slot is taken if it has the stamp of this row
    (a token of the left sentence) or that plus one (of the right one); so it is never emptied.
    """
    found, at = _U(0), 0
    for position, byte in enumerate(data[start : size + 1], start):
        ends[found] = position
        found += _U(_IS_WHITE[byte])
    while start < size:
        stamp = _U(2 * row + 2)
        left, _, at = _count(data, start, ends, at, stamp, False, table)
        middle = ends[at - 1]
        if data[middle] != _TAB or left > MOST_TYPES:
            break
        right, shared, at = _count(data, middle + 1, ends, at, stamp, True, table)
        if right > MOST_TYPES:
            break
        end = ends[at - 1]
        if data[end] != _NEWLINE:  # a third column
            break
        if left and right:  # white space at the beginning makes an empty token
            left_has_empty, right_has_empty = _IS_WHITE[data[start]], _IS_WHITE[data[middle + 1]]
            left += left_has_empty
            right += right_has_empty
            shared += left_has_empty and right_has_empty
        if end - start >= LONGEST_LINE or not _write(records, row * RECORD, shared, left, right):
            break
        start = end + 1
        row += 1
    return start, row


@_inlined
def _count(data: Any, start: int, ends: Any, at: int, stamp: Any, right: bool, table: Any) -> Any:
    """Count the token types of a sentence, and those shared; return the next index of `ends`."""
    stamps, keys, starts = table
    types = shared = 0
    own = stamp + _U(right)
    while types <= MOST_TYPES:
        end = ends[at]
        at += 1
        if end > start:
            key = _key(data, _U(start), _U(end - start))
            slot = key * _MIX >> _SHIFT
            while stamps[slot] >= stamp and not (
                keys[slot] == key and (key < _LONG or _is_same(data, start, end, starts[slot]))
            ):
                slot = slot + _ONE & _MASK
            types += stamps[slot] < own
            shared += right and stamps[slot] == stamp
            stamps[slot], keys[slot], starts[slot] = own, key, _U(start)
        if data[end] <= _NEWLINE:  # or a TAB
            break
        start = end + 1
    return types, shared, at


@_inlined
def _key(data: Any, start: Any, size: Any) -> Any:
    """Return a number for a token; different tokens share it only if it is `_LONG` or more."""
    if size <= _U(8):
        return _word(data, start) & (_U(2**64 - 1) >> _U(64) - _U(8) * size)
    return (_word(data, start) * _MIX ^ _word(data, start + size - _U(8))) | _LONG


@_inlined
def _word(data: Any, start: Any) -> Any:
    """Return eight bytes as a number; LLVM makes one load of it."""
    word = _U(data[start])
    for index in range(1, 8):
        word |= _U(data[start + _U(index)]) << _U(8 * index)
    return word


@_inlined
def _is_same(data: Any, start: int, end: int, other: Any) -> Any:
    for position in range(start, end):
        if data[position] != data[other]:
            return False
        other += _ONE
    return _IS_WHITE[data[other]]


@_inlined
def _write(records: Any, place: int, shared: int, left: int, right: int) -> bool:
    """Write the cosine with ten decimals; return False if their rounding is in doubt."""
    scaled = shared / (math.sqrt(left) * math.sqrt(right)) * 1e10 if shared else 0.0
    digits, rest = _U(scaled), scaled - math.floor(scaled)
    if abs(rest - 0.5) < 1e-5:  # the product with 1e10 is off by 2e-6 at most
        return False
    digits += _U(rest > 0.5)
    records[place + RECORD - 1] = _NEWLINE
    for index in range(RECORD - 2, 1, -1):
        records[place + index] = _DIGIT_0 + digits % _TEN
        digits //= _TEN
    records[place], records[place + 1] = _DIGIT_0 + digits, _POINT
    return True
