r"""The token-cosine baseline of STS 2012 to 2016: cosine of binary token vectors.

It follows the organisers' `00-baseline.pl` to the byte: tokens are what stands between
runs of ASCII white space; case, punctuation, no-break spaces and entities stay as they
are; and a sentence that begins with white space keeps one leading empty token, as Perl's
``split /\s+/`` does. (Without that token, OnWN of 2012 would be .5868, not .5864.)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, Literal, get_args

import numpy as np

from stsbaselines.baselines._token_cosine_lines import (
    Kernel,
    LineScorer,
    check_kernel,
    cosine,
    line_scorer,
    token_types,
)
from stsbaselines.errors import unknown
from stsbaselines.predictor import Predictor, check_pairs
from stsbaselines.text.words import treebank_words

if TYPE_CHECKING:
    from stsbaselines.scoring.correlation import FloatArray

Tokenizer = Literal["official", "treebank"]


def tokens(sentence: str) -> set[bytes]:
    r"""Return the token types of a sentence, as the official program splits it.

    Examples
    --------
    >>> sorted(tokens("A dog, a\u00a0cat "))
    [b'A', b'a\xc2\xa0cat', b'dog,']
    >>> sorted(tokens(" A dog"))
    [b'', b'A', b'dog']
    """
    return token_types(sentence.encode("utf-8", "surrogateescape"))


class TokenCosine(Predictor):
    r"""Cosine of the binary token vectors of both sentences, in [0, 1].

    Parameters
    ----------
    kernel : str
        What scores blocks of lines (`score_lines`), always with the same result: ``python``, or
        ``numba``, several times as fast, which needs the extra ``fast``. ``auto`` takes numba, if
        it is installed, after 32 MiB of lines.
    tokenizer : str
        ``official``, as in `00-baseline.pl`, or ``treebank``: lower-cased tokens of NLTK's
        Treebank word tokenizer, close to the baseline of 2017.

    References
    ----------
    STS 2012, section 4.3; \*SEM 2013, section 4.2; SemEval-2015 task 2, section 3.2
    (baseline-tokencos); SemEval-2017 task 1; `00-baseline.pl`.

    Examples
    --------
    >>> TokenCosine().predict([("A cat sat", "A cat ran"), ("Yes", "yes")]).round(4)
    array([0.6667, 0.    ])
    >>> TokenCosine(tokenizer="treebank").predict([("Yes!", "yes !")])
    array([1.])
    """

    name: ClassVar[str] = "token-cosine"

    def __init__(self, kernel: Kernel = "auto", tokenizer: Tokenizer = "official") -> None:
        self.kernel = kernel
        self.tokenizer = tokenizer

    def predict(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Return the cosine of each pair, as an array of shape (n_pairs,)."""
        check_kernel(self.kernel)
        check_pairs(pairs)
        if self._is_official():
            types = ((tokens(left), tokens(right)) for left, right in pairs)
            return np.array([cosine(len(a), len(b), len(a & b)) for a, b in types])
        words = ((set(treebank_words(left)), set(treebank_words(right))) for left, right in pairs)
        return np.array([cosine(len(a), len(b), len(a & b)) for a, b in words])

    def score_lines(self, lines: bytes) -> bytes | None:
        r"""Score whole lines of two TAB-separated sentences, without making strings of them.

        The result is None if there is a line that the reader of pairs may refuse, or if the
        tokenizer is not the official one. InputError is raised if there is no such kernel, or it
        is not installed.

        Examples
        --------
        >>> TokenCosine().score_lines(b"A cat sat\tA cat ran\nYes\tyes\n")
        b'0.6666666667\n0.0000000000\n'
        """
        return self._lines().score_lines(lines) if self._is_official() else None

    def signature(self) -> str:
        """Return name, kernel and version; for `auto`, the kernel that scores large files.

        With another tokenizer than the official one, it takes the place of the kernel.

        Examples
        --------
        >>> TokenCosine(kernel="python").signature().partition("|version:")[0]
        'token-cosine|kernel:python'
        """
        if not self._is_official():
            return super().signature().replace("|", f"|tokenizer:{self.tokenizer}|", 1)
        return self._lines().signature()

    def _is_official(self) -> bool:
        if self.tokenizer not in get_args(Tokenizer):
            raise unknown("tokenizer", str(self.tokenizer), get_args(Tokenizer))
        return self.tokenizer == "official"

    def _lines(self) -> LineScorer:
        check_kernel(self.kernel)
        return line_scorer(self.kernel)
