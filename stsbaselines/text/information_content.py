"""Information content of words, from counts of a corpus: a rare word says more."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from stsbaselines.text.words import treebank_words


@dataclass(frozen=True, eq=False)
class InformationContent:
    """The information content ln(N / n) of words, with n of the N words of a corpus.

    An unknown word counts as seen once: it gets the maximum, ln N. Two objects are never equal,
    so that caches can have them as keys.

    Parameters
    ----------
    counts : mapping of str to int
        Of words that the corpus has at least twice; others need not be there.
    total : int
        Words of the corpus, N.

    References
    ----------
    Resnik (1995), Using Information Content to Evaluate Semantic Similarity in a Taxonomy.

    Examples
    --------
    >>> content = InformationContent({"the": 50, "cat": 2}, total=100)
    >>> [round(content(word), 2) for word in ("the", "cat", "ocelot")]
    [0.69, 3.91, 4.61]
    """

    counts: Mapping[str, int]
    total: int

    def __call__(self, word: str) -> float:
        """Return the information content of a lower-cased word, in nats."""
        return math.log(self.total / self.counts.get(word, 1))


def information_content(sentences: Iterable[str]) -> InformationContent:
    """Count the words of a corpus, lower-cased.

    Tokens without a letter or digit do not count.

    Parameters
    ----------
    sentences : iterable of str
        Taken one by one.

    Examples
    --------
    >>> content = information_content(["The cat sat.", "The dog!"])
    >>> content.total, dict(content.counts)
    (5, {'the': 2})
    """
    counts = Counter(
        word for sentence in sentences for word in treebank_words(sentence) if is_word(word)
    )
    often = {word: counts[word] for word in sorted(counts) if counts[word] > 1}
    return InformationContent(often, max(counts.total(), 1))


def is_word(token: str) -> bool:
    """Tell whether a token has a letter or a digit.

    Examples
    --------
    >>> is_word("n't"), is_word("--")
    (True, False)
    """
    return any(map(str.isalnum, token))
