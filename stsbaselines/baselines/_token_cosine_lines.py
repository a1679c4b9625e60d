"""Token-cosine of whole lines, as `predict` uses it on large files.

This module does not import scikit-learn, which takes longer than scoring half a million pairs.
"""

from __future__ import annotations

import functools
import importlib.util
import math
from types import ModuleType
from typing import ClassVar, Literal, get_args

from stsbaselines.errors import InputError, unknown
from stsbaselines.io import plain_rows
from stsbaselines.version import __version__

Kernel = Literal["auto", "python", "numba"]

_ABOVE_WHITE_SPACE = b"!"
_WORTH_NUMBA = 1 << 25  # bytes; for fewer, importing numba takes longer than it saves
_MOST_RECORDS = 1 << 16


def check_kernel(kernel: str) -> None:
    """Refuse an unknown kernel."""
    if kernel not in get_args(Kernel):
        raise unknown("kernel", str(kernel), get_args(Kernel))


class LineScorer:
    """Scores plain lines in place of `TokenCosine`, without importing scikit-learn."""

    name: ClassVar[str] = "token-cosine"
    predicts: ClassVar[str] = "scores"

    def __init__(self, kernel: Kernel = "auto") -> None:
        check_kernel(kernel)
        self.kernel = kernel
        self._scored = 0

    def __reduce__(self) -> tuple[object, tuple[Kernel]]:
        return line_scorer, (self.kernel,)  # a worker process has one for all blocks

    def is_pairwise(self) -> bool:
        """Return whether the score of a pair does not depend on other pairs."""
        return True

    def score_lines(self, lines: bytes) -> bytes | None:
        """Score whole lines; None if the reader of pairs may refuse one."""
        self._scored += len(lines)
        if self.kernel == "numba" or (self.kernel == "auto" and self._scored > _WORTH_NUMBA):
            module = _numba_kernel()
            if isinstance(module, ModuleType):
                scored: bytes | None = module.score_lines(lines, _score_lines)
                return scored
            if self.kernel == "numba":
                raise _unusable(module)
        return _score_lines(lines)

    def signature(self) -> str:
        """Return what scores are made by; of the kernel, what scores large files."""
        version = None if self.kernel == "python" else _numba_version()
        if self.kernel == "numba" and version is None:
            reason = _numba_kernel()
            if isinstance(reason, Exception):
                raise _unusable(reason)
        used = f"numba-{version}" if version else "python"
        return f"{self.name}|kernel:{used}|version:stsbaselines-{__version__}"


@functools.cache
def line_scorer(kernel: Kernel) -> LineScorer:
    """Return the line scorer of this process."""
    return LineScorer(kernel)


def _score_lines(lines: bytes) -> bytes | None:
    """Score lines in Python; nothing, and lines about as long as can be, are for the reader."""
    rows = plain_rows(lines)
    if rows is None:
        return None
    records = []
    for row in rows:
        columns = row.split(b"\t", 2)
        if len(columns) < 2:
            return None
        first, second = columns[0], columns[1]
        left, right = {*first.split()}, {*second.split()}
        if first < _ABOVE_WHITE_SPACE and left and first[:1].isspace():
            left.add(b"")
        if second < _ABOVE_WHITE_SPACE and right and second[:1].isspace():
            right.add(b"")
        n_right = len(right)
        right -= left
        records.append(_RECORDS[len(left), n_right, len(right)])
    return b"".join(records)


class _Records(dict[tuple[int, int, int], bytes]):
    """The lines for numbers of token types: of both sentences, and of the right one alone."""

    def __missing__(self, types: tuple[int, int, int]) -> bytes:
        left, right, unshared = types
        shared = right - unshared
        score = shared / (math.sqrt(left) * math.sqrt(right)) if shared else 0.0
        if len(self) == _MOST_RECORDS:
            self.clear()
        record = self[types] = b"%.10f\n" % score
        return record


_RECORDS = _Records()


@functools.cache
def _numba_kernel() -> ModuleType | Exception:
    """Return the module that scores with the kernel, or why it cannot be imported."""
    try:
        from stsbaselines.baselines import _token_cosine_kernel  # slow to import
    except (ImportError, RuntimeError) as error:  # RuntimeError: there is no place for its cache
        return error
    return _token_cosine_kernel


def _numba_version() -> str | None:
    """Return the version of numba, without importing it; None if it cannot be used."""
    has_failed = _numba_kernel.cache_info().currsize and isinstance(_numba_kernel(), Exception)
    if has_failed or importlib.util.find_spec("numba") is None:
        return None
    from importlib import metadata  # slow to import

    try:
        return metadata.version("numba")
    except metadata.PackageNotFoundError:
        return None


def _unusable(reason: Exception) -> InputError:
    return InputError(
        f"The kernel 'numba' cannot be used ({reason}): pip install 'stsbaselines[fast]'"
    )
