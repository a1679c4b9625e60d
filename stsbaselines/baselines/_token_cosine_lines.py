"""Token-cosine of whole lines, as `predict` uses it on large files.

This module does not import scikit-learn, which takes longer than scoring half a million pairs.
"""

from __future__ import annotations

import functools
import math
import os
import sys
from types import ModuleType
from typing import ClassVar, Literal, get_args

from stsbaselines.errors import InputError, unknown
from stsbaselines.io.files import plain_rows
from stsbaselines.version import __version__

Kernel = Literal["auto", "python", "numba"]

_BLAS = "scipy.linalg.cython_blas"
_ABOVE_WHITE_SPACE = b"!"  # a sentence that begins with white space is below
_WORTH_NUMBA = 1 << 25  # bytes; for fewer, importing numba takes longer than it saves


def check_kernel(kernel: str) -> None:
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
        return True

    def score_lines(self, lines: bytes) -> bytes | None:
        """Score whole lines; None if the reader of pairs may refuse one."""
        self._scored += len(lines)
        if self.kernel == "numba" or (self.kernel == "auto" and self._scored > _WORTH_NUMBA):
            module = _numba_kernel(is_required=self.kernel == "numba")
            if module:
                scored: bytes | None = module.score_lines(lines, _score_lines)
                return scored
        return _score_lines(lines)

    def signature(self) -> str:
        """Return name, kernel and version; for `auto`, the kernel that scores large files."""
        version = None if self.kernel == "python" else _numba_version()
        if self.kernel == "numba" and version is None:
            _numba_kernel(is_required=True)
        used = f"numba-{version}" if version else "python"
        return f"{self.name}|kernel:{used}|version:stsbaselines-{__version__}"


@functools.cache
def line_scorer(kernel: Kernel) -> LineScorer:
    """Return the line scorer of this process."""
    return LineScorer(kernel)


def _score_lines(lines: bytes) -> bytes | None:
    """Score lines in Python; None if there are none, or the reader of pairs may refuse one."""
    rows = plain_rows(lines)
    if rows is None:
        return None
    records = []
    for row in rows:
        columns = row.split(b"\t", 2)
        if len(columns) != 2:
            return None
        first, second = columns
        # `token_types`, written out, because two calls per line take an eighth of the time.
        left, right = {*first.split()}, {*second.split()}
        if first < _ABOVE_WHITE_SPACE and left and first[:1].isspace():
            left.add(b"")
        if second < _ABOVE_WHITE_SPACE and right and second[:1].isspace():
            right.add(b"")
        n_right = len(right)
        right -= left
        records.append(_record(len(left), n_right, n_right - len(right)))
    return b"".join(records)


@functools.lru_cache(maxsize=1 << 16)
def _record(left: int, right: int, shared: int) -> bytes:
    """Return the output for two sentences with so many token types."""
    return b"%.10f\n" % cosine(left, right, shared)


def cosine(left: int, right: int, shared: int) -> float:
    """Return the cosine of binary vectors, by numbers of token types; 0 if none is shared."""
    return shared / (math.sqrt(left) * math.sqrt(right)) if shared else 0.0


def token_types(sentence: bytes) -> set[bytes]:
    """Return the token types of a sentence, as the official program splits it."""
    types = {*sentence.split()}
    if types and sentence[:1].isspace():
        types.add(b"")
    return types


@functools.cache
def _numba_kernel(is_required: bool) -> ModuleType | None:
    """Return the module that scores with the kernel, if it can be imported.

    Numba imports SciPy's BLAS to see if there is one, which takes a third of its import; it does so
    again where it is used. A module in its place spares this import.
    """
    stub = ModuleType(_BLAS)
    sys.modules.setdefault(_BLAS, stub)
    try:
        import numba.np.arraymath  # noqa: F401

        from stsbaselines.baselines import _token_cosine_kernel  # slow to import
    except (ImportError, RuntimeError) as error:  # RuntimeError: it is disabled, or has no cache
        if not is_required:
            return None
        hint = ": pip install 'stsbaselines[fast]'" if isinstance(error, ImportError) else "."
        raise InputError(f"The kernel 'numba' cannot be used ({error}){hint}") from None
    finally:
        if sys.modules[_BLAS] is stub:
            del sys.modules[_BLAS]
    return _token_cosine_kernel


def _numba_version() -> str | None:
    """Return the version of numba, without importing it; None if it cannot be used."""
    is_known = _numba_kernel.cache_info().currsize or "NUMBA_DISABLE_JIT" in os.environ
    if is_known and not _numba_kernel(is_required=False):
        return None
    from importlib import metadata  # slow to import

    try:
        return metadata.version("numba")
    except metadata.PackageNotFoundError:
        return None
