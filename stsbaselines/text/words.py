"""Words, by a simple pattern or as NLTK gives them, and stems."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable
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
