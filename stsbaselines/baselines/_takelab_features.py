"""The features of a pair of sentences by which TakeLab's system of 2012 compares them.

Šarić et al. (2012), section 3. Each feature group is a transformer that can be used alone; all
features are symmetric in the two sentences. The n-gram overlaps, the WordNet-augmented overlap
and the vectors look at content words, which are those that are not in a list of frequent
function words; a sentence that has none keeps all its words.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stsbaselines.baselines._pair_features import KEPT_PAIRS, PairFeatures, ngrams
from stsbaselines.data.corpora import find_wordnet
from stsbaselines.errors import InputError
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.text.chunker import load_chunker
from stsbaselines.text.information_content import InformationContent
from stsbaselines.text.stems import stems
from stsbaselines.text.wordnet import WordNet, load_wordnet
from stsbaselines.text.words import is_word, treebank_tokens

ORDERS = (1, 2, 3)
_ANGLE_BRACKET = re.compile(r"[<>]")
_HYPHEN_OR_SLASH = re.compile(r"[-/\u2010-\u2015]")
_CURRENCY = re.compile(r"\$ ?[A-Z]{2,3} ?(?=\d)|\b[A-Z]{1,3}\$ ?(?=\d)")
_NUMBER = re.compile(r"[+-]?\d[\d,]*(?:\.\d+)?|\.\d+")
_STOCK_SYMBOL = re.compile(r"\.[A-Z]+(?:\.[A-Z]+)*")
_SPELLED_OUT = {"n't": "not", "'m": "am"}
_FUNCTION_WORDS = frozenset(
    word
    for words in (
        "a an the this that these those there such so then",
        "and or but if as than which who whom what",
        "of in on at by for from to with into",
        "is are was were be been being am 's 're",
        "has have had 've do does did",
        "will would can could shall should may might 'll 'd",
        "it its he him his she her they them their",
        "we us our you your i me my",
    )
    for word in words.split()
)


class Sentence(NamedTuple):
    """A sentence as the features see it.

    Attributes
    ----------
    words : tuple of str
        All words, lower-cased.
    content : tuple of str
        The content words among them.
    lemmas : tuple of str
        Of the content words.
    """

    words: tuple[str, ...]
    content: tuple[str, ...]
    lemmas: tuple[str, ...]


@functools.lru_cache(maxsize=KEPT_PAIRS)
def tokens_of_pair(left: str, right: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the tokens of two sentences.

    Hyphens and slashes part words, angle brackets go, a currency is a dollar sign, ``n't`` and
    ``'m`` are spelled out, and two tokens that the other sentence writes as one are joined.

    Examples
    --------
    >>> tokens_of_pair("I'm at the news stand", "US$12 at a newsstand")
    (('I', 'am', 'at', 'the', 'newsstand'), ('$', '12', 'at', 'a', 'newsstand'))
    """
    one, other = _tokens(left), _tokens(right)
    return _compounded(one, other), _compounded(other, one)


def _tokens(sentence: str) -> list[str]:
    text = _CURRENCY.sub("$", sentence)
    text = _HYPHEN_OR_SLASH.sub(" ", _ANGLE_BRACKET.sub(" ", text))
    return [_SPELLED_OUT.get(token, token) for token in treebank_tokens(text)]


def _compounded(tokens: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Join two tokens that are one in the other sentence."""
    known = {token.lower() for token in others}
    found: list[str] = []
    previous_is_joined = True
    for token in tokens:
        joins = not previous_is_joined and (found[-1] + token).lower() in known
        if joins and is_word(token) and is_word(found[-1]):
            found[-1] += token
        else:
            joins = False
            found.append(token)
        previous_is_joined = joins
    return tuple(found)


@functools.lru_cache(maxsize=KEPT_PAIRS)
def sentences_of_pair(left: str, right: str, wordnet: WordNet) -> tuple[Sentence, Sentence]:
    """Return the words, content words and lemmas of two sentences."""
    one, other = tokens_of_pair(left, right)
    return _analysed(one, wordnet), _analysed(other, wordnet)


def _analysed(tokens: Sequence[str], wordnet: WordNet) -> Sentence:
    tagged = [
        (token.lower(), tag)
        for token, tag in zip(tokens, load_chunker().tags(tokens), strict=True)
        if is_word(token)
    ]
    content = [pair for pair in tagged if pair[0] not in _FUNCTION_WORDS] or tagged
    return Sentence(
        tuple(word for word, _ in tagged),
        tuple(word for word, _ in content),
        tuple(wordnet.lemma(word, tag) for word, tag in content),
    )


def f1(shared: float, left: float, right: float) -> float:
    """Return the harmonic mean of shared / left and shared / right; 0 if nothing is shared.

    Examples
    --------
    >>> f1(1, 1, 3)
    0.5
    """
    return 2 * shared / (left + right) if shared else 0.0


def set_f1(left: Collection[Any], right: Collection[Any]) -> float:
    """Return the F1 of the overlap of two collections, taken as sets."""
    one, other = set(left), set(right)
    return f1(len(one & other), len(one), len(other))


def relative_difference(left: float, right: float) -> float:
    """Return the difference of two amounts, as a share of the larger one; 0 for 0 and 0.

    Examples
    --------
    >>> relative_difference(3, 4)
    0.25
    """
    largest = max(left, right)
    return abs(left - right) / largest if largest > 0 else 0.0


class NumberOverlap(PairFeatures):
    """Overlap of numbers: ln(1 + n) of all, F1, and whether one side's are among the other's.

    Numbers that differ only in how many decimals they give are the same: 65 and 65.2, but not
    65.24 and 65.25.

    Examples
    --------
    >>> NumberOverlap().transform([("2 of 65 men", "65.2 men")]).round(2)
    array([[1.39, 0.67, 1.  ]])
    """

    def _names(self) -> Sequence[str]:
        return ["number_count", "number_f1", "number_subset"]

    def row(self, left: str, right: str) -> Sequence[float]:
        one, other = map(_numbers, tokens_of_pair(left, right))
        matched = [_matched(one, other), _matched(other, one)]
        count = len(one) + len(other)
        is_subset = matched[0] == len(one) or matched[1] == len(other)
        return math.log1p(count), sum(matched) / max(count, 1), float(is_subset)


def _numbers(tokens: Iterable[str]) -> set[str]:
    found = {token.replace(",", "") for token in tokens if _NUMBER.fullmatch(token)}
    return {number if "." in number else f"{number}." for number in found}


def _matched(numbers: Iterable[str], others: Collection[str]) -> int:
    return sum(
        any(number.startswith(other) or other.startswith(number) for other in others)
        for number in numbers
    )


class CapitalOverlap(PairFeatures):
    """Overlap of capitalised words after the first token: ln(1 + n) of all, and F1.

    Examples
    --------
    >>> CapitalOverlap().transform([("In Rome or Oslo", "Now Rome is old")]).round(2)
    array([[1.39, 0.67]])
    """

    def _names(self) -> Sequence[str]:
        return ["capital_count", "capital_f1"]

    def row(self, left: str, right: str) -> Sequence[float]:
        one, other = (
            {token for token in tokens[1:] if token[0].isupper()}
            for tokens in tokens_of_pair(left, right)
        )
        return math.log1p(len(one) + len(other)), set_f1(one, other)


class StockOverlap(PairFeatures):
    """Overlap of stock symbols, such as ``.ABCD``: ln(1 + n) of all, and F1.

    Examples
    --------
    >>> StockOverlap().transform([("<.ABC> rose", "the index .ABC fell")]).round(2)
    array([[1.1, 1. ]])
    """

    def _names(self) -> Sequence[str]:
        return ["stock_count", "stock_f1"]

    def row(self, left: str, right: str) -> Sequence[float]:
        one, other = (
            set(filter(_STOCK_SYMBOL.fullmatch, tokens)) for tokens in tokens_of_pair(left, right)
        )
        return math.log1p(len(one) + len(other)), set_f1(one, other)


class _SentenceFeatures(PairFeatures):
    """Features of analysed sentences; a subclass defines `_names` and `_values`."""

    wordnet: str | Path | None

    def row(self, left: str, right: str) -> Sequence[float]:
        return self._values(*sentences_of_pair(left, right, self._loaded_wordnet()))

    def _loaded_wordnet(self) -> WordNet:
        return load_wordnet(Path(self.wordnet) if self.wordnet else _found_wordnet())

    def _values(self, left: Sentence, right: Sentence) -> Sequence[float]:
        raise NotImplementedError


@functools.cache
def _found_wordnet() -> Path:
    return find_wordnet()


class NgramOverlap(_SentenceFeatures):
    """F1 of the n-grams, n = 1, 2, 3, of content words and of their lemmas.

    Parameters
    ----------
    wordnet : path or None
        Folder of WordNet; None to find it.
    """

    def __init__(self, wordnet: str | Path | None = None) -> None:
        self.wordnet = wordnet

    def _names(self) -> Sequence[str]:
        return [f"{unit}_{order}gram_f1" for unit in ("word", "lemma") for order in ORDERS]

    def _values(self, left: Sentence, right: Sentence) -> Sequence[float]:
        sides = ((left.content, right.content), (left.lemmas, right.lemmas))
        return [
            set_f1(ngrams(one, order), ngrams(other, order))
            for one, other in sides
            for order in ORDERS
        ]


class WordNetOverlap(_SentenceFeatures):
    """Harmonic mean of how similar, on average, each lemma is to the nearest one across.

    Parameters
    ----------
    wordnet : path or None
        Folder of WordNet, whose path similarity is taken; None to find it.
    """

    def __init__(self, wordnet: str | Path | None = None) -> None:
        self.wordnet = wordnet

    def _names(self) -> Sequence[str]:
        return ["wordnet_overlap"]

    def _values(self, left: Sentence, right: Sentence) -> Sequence[float]:
        one, other = sorted(set(left.lemmas)), sorted(set(right.lemmas))
        similarity = self._loaded_wordnet().path_similarity
        there, back = _coverage(one, other, similarity), _coverage(other, one, similarity)
        return [2 * there * back / (there + back) if there and back else 0.0]


def _coverage(
    words: Sequence[str], others: Sequence[str], similarity: Callable[[str, str], float]
) -> float:
    """Return the similarity of each word to the nearest of the others, on average."""
    if not (words and others):
        return 0.0
    nearest = (
        1.0 if word in others else max(similarity(word, other) for other in others)
        for word in words
    )
    return sum(nearest) / len(words)


class _ContentFeatures(_SentenceFeatures):
    """Features that need information content."""

    def __init__(
        self, information_content: InformationContent, wordnet: str | Path | None = None
    ) -> None:
        self.information_content = information_content
        self.wordnet = wordnet


class WeightedOverlap(_ContentFeatures):
    """F1 of the words, and of the lemmas of content words, weighted by information content.

    Parameters
    ----------
    information_content : InformationContent
    wordnet : path or None
        Folder of WordNet; None to find it.
    """

    def _names(self) -> Sequence[str]:
        return ["weighted_word_f1", "weighted_lemma_f1"]

    def _values(self, left: Sentence, right: Sentence) -> Sequence[float]:
        return [
            self._weighted_f1(left.words, right.words),
            self._weighted_f1(left.lemmas, right.lemmas),
        ]

    def _weighted_f1(self, left: Collection[str], right: Collection[str]) -> float:
        one, other = set(left), set(right)
        return f1(*(_sum(self.information_content, each) for each in (one & other, one, other)))


def _sum(content: InformationContent, words: Iterable[str]) -> float:
    return math.fsum(map(content, words))


@dataclass(frozen=True, eq=False)
class WordSpace:
    """Vectors of words, by their stems.

    Two objects are never equal, so that caches can have them as keys.

    Parameters
    ----------
    rows : mapping of str to int
        Row of each stem.
    vectors : ndarray of shape (n_stems, n_components)
    """

    rows: Mapping[str, int]
    vectors: npt.NDArray[np.float32]

    def summed(self, words: Iterable[str], weight: Callable[[str], float]) -> FloatArray:
        """Return the weighted sum of the vectors of words; unknown words do not count.

        Examples
        --------
        >>> space = WordSpace({"cat": 0, "dog": 1}, np.eye(2, dtype=np.float32))
        >>> space.summed(["cats", "dog", "dogs", "emu"], len)
        array([4., 7.])
        """
        known = [
            (self.rows[stem], weight(word))
            for word in words
            for stem in _stems(word)
            if stem in self.rows
        ]
        if not known:
            return np.zeros(self.vectors.shape[1])
        rows, weights = zip(*known, strict=True)
        return np.asarray(np.array(weights) @ self.vectors[list(rows)].astype(np.float64))


@functools.lru_cache(maxsize=100_000)
def _stems(word: str) -> tuple[str, ...]:
    return tuple(stems(word))


class SpaceSimilarity(_SentenceFeatures):
    """Absolute cosines of the summed vectors of content words.

    First the plain sum of lemmas in the first space, then in each space the sum of words
    weighted by information content. A sentence without a known word has similarity 0.

    Parameters
    ----------
    spaces : sequence of WordSpace
    information_content : InformationContent
    wordnet : path or None
        Folder of WordNet; None to find it.
    """

    def __init__(
        self,
        spaces: Sequence[WordSpace],
        information_content: InformationContent,
        wordnet: str | Path | None = None,
    ) -> None:
        self.spaces = spaces
        self.information_content = information_content
        self.wordnet = wordnet

    def _names(self) -> Sequence[str]:
        if not self.spaces:
            raise InputError("the similarity in spaces of words needs at least one space.")
        numbers = range(1, len(self.spaces) + 1)
        return ["space_1", *(f"weighted_space_{number}" for number in numbers)]

    def _values(self, left: Sentence, right: Sentence) -> Sequence[float]:
        sides = left.content, right.content
        return [
            _cosine(*(self.spaces[0].summed(each.lemmas, lambda _: 1.0) for each in (left, right))),
            *(
                _cosine(*(space.summed(side, self.information_content) for side in sides))
                for space in self.spaces
            ),
        ]


def _cosine(left: FloatArray, right: FloatArray) -> float:
    lengths = float(np.linalg.norm(left) * np.linalg.norm(right))
    return min(abs(float(left @ right)) / lengths, 1.0) if lengths else 0.0


class RelativeDifferences(_ContentFeatures):
    """Relative difference of the number of content words, and of summed information content.

    Parameters
    ----------
    information_content : InformationContent
    wordnet : path or None
        Folder of WordNet; None to find it.
    """

    def _names(self) -> Sequence[str]:
        return ["length_difference", "content_difference"]

    def _values(self, left: Sentence, right: Sentence) -> Sequence[float]:
        content = self.information_content
        return [
            relative_difference(len(left.content), len(right.content)),
            relative_difference(_sum(content, left.words), _sum(content, right.words)),
        ]


def feature_groups(
    information_content: InformationContent,
    spaces: Sequence[WordSpace],
    wordnet: str | Path | None = None,
) -> dict[str, PairFeatures]:
    """Return the transformers of all feature groups by their names, in order.

    Parameters
    ----------
    information_content : InformationContent
    spaces : sequence of WordSpace
    wordnet : path or None
        Folder of WordNet; None to find it.

    Examples
    --------
    >>> list(feature_groups(InformationContent({}, 1), []))[:4]
    ['numbers', 'capitals', 'stocks', 'ngrams']
    """
    return {
        "numbers": NumberOverlap(),
        "capitals": CapitalOverlap(),
        "stocks": StockOverlap(),
        "ngrams": NgramOverlap(wordnet),
        "wordnet": WordNetOverlap(wordnet),
        "weighted": WeightedOverlap(information_content, wordnet),
        "spaces": SpaceSimilarity(spaces, information_content, wordnet),
        "differences": RelativeDifferences(information_content, wordnet),
    }
