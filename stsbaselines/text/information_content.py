"""Information content of words, from counts of a corpus: a rare word says more."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from stsbaselines.text.words import is_word, treebank_words


@dataclass(frozen=True, eq=False)
class InformationContent:
    """The information content ln(N / n) of words, with n of the N words of a corpus.

    An unknown word counts as seen once: it gets the maximum, ln N, unless `zero_unknown`.
    Objects are compared by identity, so that caches can use them as keys. See Resnik (1995).
    """

    counts: Mapping[str, int]
    total: int
    zero_unknown: bool = False

    def __call__(self, word: str) -> float:
        """Return the information content of a lower-cased word, in nats."""
        count = self.counts.get(word, self.total if self.zero_unknown else 1)
        return math.log(self.total / count)


def information_content(sentences: Iterable[str]) -> InformationContent:
    """Count the words of a corpus; tokens without a letter or digit do not count."""
    counts = Counter(
        word for sentence in sentences for word in treebank_words(sentence) if is_word(word)
    )
    often = {word: counts[word] for word in sorted(counts) if counts[word] > 1}
    return InformationContent(often, max(counts.total(), 1))
