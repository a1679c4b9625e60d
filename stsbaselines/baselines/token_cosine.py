r"""The token-cosine baseline of STS 2012 to 2016: cosine of binary token vectors.

It follows the organisers' `00-baseline.pl` to the byte: tokens are what stands between
runs of ASCII white space; case, punctuation, no-break spaces and entities stay as they
are; and a sentence that begins with white space keeps one leading empty token, as Perl's
``split /\s+/`` does. (Without that token, OnWN of 2012 would be .5868, not .5864.)
"""

from __future__ import annotations

import functools
import importlib.util
import math
from collections.abc import Sequence
from types import ModuleType
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

from stsbaselines.errors import InputError, unknown
from stsbaselines.io import plain_rows
from stsbaselines.predictor import Predictor, check_pairs
from stsbaselines.version import __version__

if TYPE_CHECKING:
    from stsbaselines.scoring.correlation import FloatArray

Kernel = Literal["auto", "python", "numba"]

_WHITE_SPACE = b" \t\n\r\f\v"
_ABOVE_WHITE_SPACE = b"!"
_WORTH_NUMBA = 1 << 18  # bytes; for fewer, the import of numba takes longer than all the rest


def tokens(sentence: str) -> set[bytes]:
    r"""Return the token types of a sentence, as the official program splits it.

    Parameters
    ----------
    sentence : str
        Bytes that are not UTF-8 are surrogate escapes, as the readers give them.

    Returns
    -------
    set of bytes

    Examples
    --------
    >>> sorted(tokens("A dog, a\u00a0cat "))
    [b'A', b'a\xc2\xa0cat', b'dog,']
    >>> sorted(tokens(" A dog"))
    [b'', b'A', b'dog']
    """
    raw = sentence.encode("utf-8", "surrogateescape")
    found = set(raw.split())
    if found and raw[0] in _WHITE_SPACE:
        found.add(b"")
    return found


def cosine(left: set[bytes], right: set[bytes]) -> float:
    """Return the cosine of two sets as binary vectors; 0 if they share nothing.

    Examples
    --------
    >>> cosine({b"a", b"cat"}, {b"a", b"dog"})
    0.4999999999999999
    """
    shared = len(left & right)
    return shared / (math.sqrt(len(left)) * math.sqrt(len(right))) if shared else 0.0


class TokenCosine(Predictor):
    """Cosine of the binary token vectors of both sentences, in [0, 1].

    Parameters
    ----------
    kernel : str
        What scores blocks of lines (`score_lines`), always with the same result: ``python``, or
        ``numba``, several times as fast, which needs the extra ``fast``. ``auto`` takes numba if
        it is installed, for blocks of 256 KiB or more.

    References
    ----------
    STS 2012, section 5; *SEM 2013, section 5; SemEval-2015 task 2, section 4
    (baseline-tokencos); `00-baseline.pl`.

    Examples
    --------
    >>> TokenCosine().predict([("A cat sat", "A cat ran"), ("Yes", "yes")]).round(4)
    array([0.6667, 0.    ])
    """

    name: ClassVar[str] = "token-cosine"

    def __init__(self, kernel: Kernel = "auto") -> None:
        self.kernel = kernel

    def predict(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Return the cosine of each pair, as an array of shape (n_pairs,)."""
        import numpy as np  # slow to import

        self._check_kernel()
        check_pairs(pairs)
        return np.array([cosine(tokens(left), tokens(right)) for left, right in pairs])

    def score_lines(self, lines: bytes) -> bytes | None:
        r"""Score whole lines of two TAB-separated sentences, without making strings of them.

        Parameters
        ----------
        lines : bytes

        Returns
        -------
        bytes or None
            The lines of the output; None if there is a line that the reader of pairs refuses.

        Raises
        ------
        InputError
            If there is no such kernel, or not here.

        Examples
        --------
        >>> TokenCosine().score_lines(b"A cat sat\tA cat ran\nYes\tyes\n")
        b'0.6666666667\n0.0000000000\n'
        """
        self._check_kernel()
        if self.kernel == "numba" or (self.kernel == "auto" and len(lines) >= _WORTH_NUMBA):
            module = _numba_kernel()
            if isinstance(module, ModuleType):
                scored: bytes | None = module.score_lines(lines, _score_lines)
                return scored
            if self.kernel == "numba":
                raise _unusable(module)
        return _score_lines(lines)

    def signature(self) -> str:
        """Return what scores are made by; of the kernel, what scores large blocks of lines.

        Examples
        --------
        >>> TokenCosine(kernel="python").signature().partition("|version:")[0]
        'token-cosine|kernel:python'
        """
        self._check_kernel()
        version = None if self.kernel == "python" else _numba_version()
        if self.kernel == "numba" and version is None:
            reason = _numba_kernel()
            if isinstance(reason, ImportError):
                raise _unusable(reason)
        used = f"numba-{version}" if version else "python"
        return f"{self.name}|kernel:{used}|version:stsbaselines-{__version__}"

    def _check_kernel(self) -> None:
        if self.kernel not in get_args(Kernel):
            raise unknown("kernel", str(self.kernel), get_args(Kernel))


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


_MOST_RECORDS = 1 << 16
_RECORDS = _Records()


@functools.cache
def _numba_kernel() -> ModuleType | ImportError:
    """Return the module that scores with the kernel, or why it cannot be imported."""
    try:
        from stsbaselines.baselines import _token_cosine_fast  # slow to import

        _token_cosine_fast.kernel()
    except ImportError as error:
        return error
    return _token_cosine_fast


def _numba_version() -> str | None:
    """Return the version of numba, without importing it; None if it cannot be used."""
    has_failed = _numba_kernel.cache_info().currsize and isinstance(_numba_kernel(), ImportError)
    if has_failed or importlib.util.find_spec("numba") is None:
        return None
    from importlib import metadata  # slow to import

    try:
        return metadata.version("numba")
    except metadata.PackageNotFoundError:
        return None


def _unusable(reason: ImportError) -> InputError:
    return InputError(
        f"The kernel 'numba' cannot be used ({reason}): pip install 'stsbaselines[fast]'"
    )
