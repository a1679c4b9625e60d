r"""The token-cosine baseline of STS 2012 to 2016: cosine of binary token vectors.

It follows the organisers' `00-baseline.pl` to the byte: tokens are what stands between
runs of ASCII white space; case, punctuation, no-break spaces and entities stay as they
are; and a sentence that begins with white space keeps one leading empty token, as Perl's
``split /\s+/`` does. (Without that token, OnWN of 2012 would be .5868, not .5864.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from stsbaselines.predictor import Predictor, check_pairs
from stsbaselines.scoring.correlation import FloatArray

_WHITE_SPACE = b" \t\n\r\f\v"


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

    def predict(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Return the cosine of each pair, as an array of shape (n_pairs,)."""
        check_pairs(pairs)
        return np.array([cosine(tokens(left), tokens(right)) for left, right in pairs])
