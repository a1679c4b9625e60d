"""Words, by a simple pattern or as NLTK gives them, their stems and information content."""

from __future__ import annotations

import functools
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from nltk.stem.porter import PorterStemmer
    from nltk.tokenize import TreebankWordTokenizer

_PLAIN = re.compile("[A-Za-z0-9 ]*")
_SIMPLE = re.compile(r"[^\W_]+(?:['\u2019.,][^\W_]+)*|[^\w\s]|_")


def simple_words(sentence: str) -> list[str]:
    """Return the lower-cased words and punctuation marks of a sentence.

    A word is a run of letters and digits. Single apostrophes, full stops and commas within it
    belong to it; each other character except white space is a punctuation mark of its own.
    That is close to the words of Java's ``BreakIterator``.
    """
    return _SIMPLE.findall(sentence.lower())


def is_word(token: str) -> bool:
    """Return whether a token has a letter or digit, of any language."""
    return any(map(str.isalnum, token))


def has_letter(token: str) -> bool:
    """Return whether a token has a letter, of any language."""
    return any(map(str.isalpha, token))


def treebank_words(sentence: str) -> list[str]:
    """Return the lower-cased tokens of NLTK's Treebank word tokenizer, for one sentence."""
    return [token.lower() for token in treebank_tokens(sentence)]


def treebank_tokens(sentence: str) -> list[str]:
    """Return the tokens of NLTK's Treebank word tokenizer, case kept."""
    return list(_tokenizer().tokenize(sentence))


@functools.cache
def _tokenizer() -> TreebankWordTokenizer:
    from nltk.tokenize import TreebankWordTokenizer  # slow to import

    return TreebankWordTokenizer()


def treebank_words_of(sentences: Iterable[str]) -> dict[str, list[str]]:
    """Return the words of many sentences, each as `treebank_words` gives them, but faster.

    Sentences without punctuation are tokenized together, because then no rule of the
    tokenizer looks beyond a word; tokens are assigned to sentences by their lengths.
    """
    distinct = set(sentences)
    plain = sorted(filter(_PLAIN.fullmatch, distinct))
    words = {sentence: treebank_words(sentence) for sentence in distinct.difference(plain)}
    tokens = iter(treebank_words(" ".join(plain)))
    for sentence in plain:
        letters, mine = len(sentence) - sentence.count(" "), []
        while letters:
            token = next(tokens)
            letters -= len(token)
            mine.append(token)
        words[sentence] = mine
    return words


@functools.lru_cache(maxsize=100_000)
def porter_stem(word: str, mode: str = "NLTK_EXTENSIONS") -> str:
    """Return the stem of a word by Porter's algorithm, in a variant that NLTK has."""
    return str(_stemmer(mode).stem(word))


@functools.cache
def _stemmer(mode: str) -> PorterStemmer:
    from nltk.stem.porter import PorterStemmer  # slow to import

    return PorterStemmer(mode=mode)


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
