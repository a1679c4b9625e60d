"""Words and stems as NLTK gives them."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from nltk.stem.porter import PorterStemmer
from nltk.tokenize import TreebankWordTokenizer

_PLAIN = re.compile("[A-Za-z0-9 ]*")
_TOKENIZER = TreebankWordTokenizer()
_STEMMER = PorterStemmer(mode=PorterStemmer.NLTK_EXTENSIONS)


def treebank_words(sentence: str) -> list[str]:
    """Return the lower-cased tokens of NLTK's Treebank word tokenizer.

    Parameters
    ----------
    sentence : str
        One sentence: a full stop is parted from its word only at the end.

    Examples
    --------
    >>> treebank_words("I can't wait.")
    ['i', 'ca', "n't", 'wait', '.']
    """
    return [token.lower() for token in treebank_tokens(sentence)]


def treebank_tokens(sentence: str) -> list[str]:
    """Return the tokens of NLTK's Treebank word tokenizer, case kept.

    Examples
    --------
    >>> treebank_tokens("I can't wait.")
    ['I', 'ca', "n't", 'wait', '.']
    """
    return list(_TOKENIZER.tokenize(sentence))


def treebank_words_of(sentences: Iterable[str]) -> dict[str, list[str]]:
    """Return the words of many sentences, each as `treebank_words` gives them, but faster.

    Sentences without punctuation are tokenized together, since then no rule of the
    tokenizer looks beyond a word; tokens are given back to sentences by their lengths.

    Parameters
    ----------
    sentences : iterable of str

    Returns
    -------
    dict of str to list of str

    Examples
    --------
    >>> treebank_words_of(["You cannot", "Stop!"])
    {'Stop!': ['stop', '!'], 'You cannot': ['you', 'can', 'not']}
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
def porter_stem(word: str) -> str:
    """Return the stem of a word by NLTK's variant of Porter's stemmer.

    Examples
    --------
    >>> porter_stem("dies")
    'die'
    """
    return str(_STEMMER.stem(word))
