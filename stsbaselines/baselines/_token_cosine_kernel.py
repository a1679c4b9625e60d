r"""The numba kernel that `_token_cosine_fast` scores with.

It finds the ends of tokens, packs each token into a 64-bit key, counts the token types of
both sentences in a small hash table, and writes the record of the row, such as
``b"0.6666666667\n"``. The key of a token of up to 7 bytes is the token; where keys of longer ones
meet, bytes are compared, so that counts are exact. Rows that do not fit its tables, rows without a
TAB, and scores whose last digit is in doubt it leaves to Python.

Numbers are unsigned throughout, and so are constants: numba makes floats of mixed operands.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba import types

from stsbaselines.baselines._token_cosine_fast import CHUNK, RECORD, SLOTS

Function = TypeVar("Function", bound=Callable[..., Any])
U = np.uint64


_ZERO, _ONE, _TWO, _THREE, _EIGHT, _TEN = map(U, (0, 1, 2, 3, 8, 10))
_WORD_BITS, _ALL_BITS, _LONG = U(64), U(2**64 - 1), U(1 << 63)
_MIX = U(0x9E3779B97F4A7C15)  # 2**64 divided by the golden ratio (Knuth)
_HALF_WORD = U(32)
_CHUNK, _RECORD, _MASK = U(CHUNK), U(RECORD), U(SLOTS - 1)
_HASH_SHIFT = U(64 - (SLOTS - 1).bit_length())
_MOST_TYPES = U(SLOTS // 4)
_DECIMALS, _DOUBT = 1e10, 1e-5
_LAST_DIGIT, _DIGIT_0, _NEWLINE, _POINT = U(RECORD - 2), U(48), 10, 46
_TAB = 9
_IS_WHITE = np.array([byte in b" \t\n\r\f\v" for byte in range(256)], dtype=np.uint64)

_pointer_to: Callable[..., Any] = types.CPointer
_BYTES, _NUMBERS = _pointer_to(types.uint8), _pointer_to(types.uint64)
_SIGNATURE = types.boolean(
    _BYTES,  # data
    types.uint64,  # stop
    _NUMBERS,  # state
    _NUMBERS,  # stamps
    _NUMBERS,  # keys
    _NUMBERS,  # starts
    _NUMBERS,  # ends
    _BYTES,  # records
)


def llvm() -> tuple[str, str]:
    """Return the name of the kernel as a function of C, and its LLVM code."""
    kernel: Any = numba.cfunc(_SIGNATURE, error_model="numpy")(_score)
    return kernel.native_name, kernel.inspect_llvm()


def _inlined(function: Function) -> Function:
    """Make a function a part of what calls it; a call would cost as much as a token."""
    compiled: Any = numba.njit(forceinline=True)(function)
    return cast(Function, compiled)


def _score(
    data: Any, stop: Any, state: Any, stamps: Any, keys: Any, starts: Any, ends: Any, records: Any
) -> bool:
    """Write the records of rows up to `stop`; return False at a row that is left to Python.

    `state` holds where the row begins, its number, and its stamp. A slot of the table is taken if
    it has the stamp of this row (a token of the left sentence) or that plus one (of the right,
    and perhaps of the left); so it need never be emptied.
    """
    start, row, stamp = state[0], state[1], state[2]
    while start < stop:
        n_ends = _find_ends(data, start, min(start + _CHUNK, stop), ends)
        if n_ends == _ZERO:
            return False
        at = _ZERO
        while at < n_ends:
            stamp += _TWO
            state[2] = stamp
            left, _, at = _count(data, start, ends, at, stamp, _ZERO, stamps, keys, starts)
            end = ends[at - _ONE]
            if data[end] != _TAB or left > _MOST_TYPES:
                return False
            right_start = end + _ONE
            right, shared, at = _count(
                data, right_start, ends, at, stamp, _ONE, stamps, keys, starts
            )
            if right > _MOST_TYPES:
                return False
            end = ends[at - _ONE]
            while data[end] != _NEWLINE:
                end = ends[at]
                at += _ONE
            if left != _ZERO and right != _ZERO:
                left_is_indented = _is_indented(data, start)
                right_is_indented = _is_indented(data, right_start)
                left += left_is_indented
                right += right_is_indented
                shared += left_is_indented & right_is_indented
            if not _write(records, row, shared, left, right):
                return False
            start = end + _ONE
            row += _ONE
            state[0], state[1] = start, row
    return True


@_inlined
def _find_ends(data: Any, start: Any, stop: Any, ends: Any) -> Any:
    """Note where white space stands, and return for how much of it rows are complete."""
    found = _ZERO
    for position in range(start, stop):
        ends[found] = position
        found += _IS_WHITE[data[position]]
    while found != _ZERO and data[ends[found - _ONE]] != _NEWLINE:
        found -= _ONE
    return found


@_inlined
def _count(
    data: Any,
    start: Any,
    ends: Any,
    at: Any,
    stamp: Any,
    side: Any,
    stamps: Any,
    keys: Any,
    starts: Any,
) -> Any:
    """Put a sentence's tokens into the table; count its types, and those that are shared.

    The third number is the index of the next end.
    """
    n_types, shared = _ZERO, _ZERO
    own = stamp + side
    while True:
        end = ends[at]
        at += _ONE
        if end != start:
            slot = _find_slot(data, start, end, stamp, stamps, keys, starts)
            seen = stamps[slot]
            n_types += U(seen < own)
            shared += U(seen == stamp) & side
            stamps[slot] = own
            if n_types > _MOST_TYPES:
                break
        if data[end] == _TAB or data[end] == _NEWLINE:
            break
        start = end + _ONE
    return n_types, shared, at


@_inlined
def _find_slot(
    data: Any, start: Any, end: Any, stamp: Any, stamps: Any, keys: Any, starts: Any
) -> Any:
    """Return the slot of a token, or a free one, where its key is put."""
    key = _key(data, start, end)
    slot = (key * _MIX) >> _HASH_SHIFT
    while True:
        is_free = stamps[slot] < stamp
        if (is_free | (keys[slot] == key)) and (
            key < _LONG or is_free or _is_same(data, start, end, starts[slot])
        ):
            break
        slot = (slot + _ONE) & _MASK
    keys[slot] = key
    starts[slot] = start
    return slot


@_inlined
def _key(data: Any, start: Any, end: Any) -> Any:
    """Return the number for a token; tokens share it only if it is `_LONG` or more."""
    word = _word(data, start)
    if end - start <= _EIGHT:
        return word & (_ALL_BITS >> (_WORD_BITS - ((end - start) << _THREE)))
    key = _ZERO
    while start + _EIGHT < end:
        key = (key ^ word) * _MIX
        key ^= key >> _HALF_WORD
        start += _EIGHT
        word = _word(data, start)
    return key ^ (word & (_ALL_BITS >> (_WORD_BITS - ((end - start) << _THREE)))) | _LONG


@_inlined
def _word(data: Any, start: Any) -> Any:
    """Return eight bytes as a number; LLVM makes one load of it."""
    word = U(data[start])
    for index in range(1, 8):
        word |= U(data[start + U(index)]) << U(8 * index)
    return word


@_inlined
def _is_same(data: Any, start: Any, end: Any, other: Any) -> Any:
    """Tell whether the token that begins at `other` is the one from `start` to `end`."""
    while start < end and data[other] == data[start]:
        start += _ONE
        other += _ONE
    return start == end and _IS_WHITE[data[other]] != _ZERO


@_inlined
def _is_indented(data: Any, start: Any) -> Any:
    return _IS_WHITE[data[start]]


@_inlined
def _write(records: Any, row: Any, shared: Any, left: Any, right: Any) -> bool:
    """Write the cosine with ten decimals, unless their rounding is in doubt.

    The product with 1e10 is off by 2e-6 at most.
    """
    scaled = 0.0
    if shared != _ZERO:
        scaled = shared / (math.sqrt(left) * math.sqrt(right)) * _DECIMALS
    digits = U(scaled)
    rest = scaled - math.floor(scaled)
    if abs(rest - 0.5) < _DOUBT:
        return False
    digits += U(rest > 0.5)
    first = row * _RECORD
    records[first + _LAST_DIGIT + _ONE] = _NEWLINE
    for index in range(10):
        quotient = digits // _TEN
        records[first + _LAST_DIGIT - U(index)] = _DIGIT_0 + (digits - quotient * _TEN)
        digits = quotient
    records[first + _ONE] = _POINT
    records[first] = _DIGIT_0 + digits
    return True
