"""The features by which TakeLab's system of 2012 compares two sentences.

Šarić et al. (2012), section 3. All features are symmetric in the two sentences. The n-gram
overlaps, the WordNet-augmented overlap and the vectors use content words: the words that are not
in a list of frequent function words. A sentence that has no content word keeps all its words.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stsbaselines.baselines._pair_features import KEPT_PAIRS, Pair, PairFeatures, ngrams
from stsbaselines.baselines._parameters import chosen_groups
from stsbaselines.data.corpora import find_wordnet
from stsbaselines.errors import InputError
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.text.chunker import load_chunker
from stsbaselines.text.stems import stems
from stsbaselines.text.wordnet import WordNet, load_wordnet
from stsbaselines.text.words import InformationContent, is_word, treebank_tokens

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


@dataclass(frozen=True, eq=False)
class WordSpace:
    """Vectors of stems, each with a row; compared by identity, as keys of caches."""

    rows: Mapping[str, int]
    vectors: npt.NDArray[np.float32]

    def weighted_sum(self, words: Iterable[str], weight: Callable[[str], float]) -> FloatArray:
        """Return the weighted sum of the vectors of words; unknown words do not count."""
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


class Resources(NamedTuple):
    """What the features of a pair are computed with."""

    information_content: InformationContent
    spaces: tuple[WordSpace, ...]
    wordnet: WordNet | None


class Sentence(NamedTuple):
    """A sentence as the features see it.

    `words` are the tokens that have a letter or digit, lower-cased, and `content` the content
    words among them, with their `lemmas`.
    """

    tokens: tuple[str, ...]
    words: tuple[str, ...] = ()
    content: tuple[str, ...] = ()
    lemmas: tuple[str, ...] = ()


Group = Callable[[Sentence, Sentence, Resources], Sequence[float]]


@functools.lru_cache(maxsize=KEPT_PAIRS)
def sentences_of_pair(left: str, right: str, wordnet: WordNet | None) -> tuple[Sentence, Sentence]:
    """Return the analysis of two sentences; only their tokens without WordNet.

    Hyphens and slashes separate words, a currency is a dollar sign, and two tokens that the other
    sentence writes as one are joined.
    """
    one, other = _tokens(left), _tokens(right)
    both = _compounded(one, other), _compounded(other, one)
    if wordnet is None:
        return Sentence(both[0]), Sentence(both[1])
    return _analysed(both[0], wordnet), _analysed(both[1], wordnet)


def _tokens(sentence: str) -> list[str]:
    text = _CURRENCY.sub("$", sentence)
    text = _HYPHEN_OR_SLASH.sub(" ", _ANGLE_BRACKET.sub(" ", text))
    return [_SPELLED_OUT.get(token, token) for token in treebank_tokens(text)]


def _compounded(tokens: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Join two tokens that are one in the other sentence."""
    known = {token.lower() for token in others}
    found: list[str] = []
    is_joined = True
    for token in tokens:
        is_joined = (
            not is_joined
            and (found[-1] + token).lower() in known
            and is_word(token)
            and is_word(found[-1])
        )
        if is_joined:
            found[-1] += token
        else:
            found.append(token)
    return tuple(found)


def _analysed(tokens: tuple[str, ...], wordnet: WordNet) -> Sentence:
    tagged = [
        (token.lower(), tag)
        for token, tag in zip(tokens, load_chunker().tags(tokens), strict=True)
        if is_word(token)
    ]
    content = [pair for pair in tagged if pair[0] not in _FUNCTION_WORDS] or tagged
    return Sentence(
        tokens,
        tuple(word for word, _ in tagged),
        tuple(word for word, _ in content),
        tuple(wordnet.lemma(word, tag) for word, tag in content),
    )


def _f1(shared: float, left: float, right: float) -> float:
    """Return the harmonic mean of shared / left and shared / right; 0 if nothing is shared."""
    return 2 * shared / (left + right) if shared else 0.0


def _set_f1(left: Collection[Any], right: Collection[Any]) -> float:
    one, other = set(left), set(right)
    return _f1(len(one & other), len(one), len(other))


def _relative_difference(left: float, right: float) -> float:
    """Return the difference as a share of the larger amount; 0 for 0 and 0."""
    largest = max(left, right)
    return abs(left - right) / largest if largest > 0 else 0.0


def number_overlap(left: Sentence, right: Sentence, _: Resources) -> list[float]:
    """Return ln(1 + n) of all numbers, F1, and whether one side's are among the other's.

    Numbers that differ only in how many decimals they give are the same: 65 and 65.2, but not
    65.24 and 65.25.
    """
    one, other = _numbers(left.tokens), _numbers(right.tokens)
    matched = [_matched(one, other), _matched(other, one)]
    count = len(one) + len(other)
    is_subset = matched[0] == len(one) or matched[1] == len(other)
    return [math.log1p(count), sum(matched) / max(count, 1), float(is_subset)]


def _numbers(tokens: Iterable[str]) -> set[str]:
    found = {token.replace(",", "") for token in tokens if _NUMBER.fullmatch(token)}
    return {number if "." in number else f"{number}." for number in found}


def _matched(numbers: Iterable[str], others: Collection[str]) -> int:
    return sum(
        any(number.startswith(other) or other.startswith(number) for other in others)
        for number in numbers
    )


def capital_overlap(left: Sentence, right: Sentence, _: Resources) -> list[float]:
    """Return ln(1 + n) of all capitalised words after the first token, and F1."""
    return _count_and_f1(
        *({token for token in each.tokens[1:] if token[0].isupper()} for each in (left, right))
    )


def stock_overlap(left: Sentence, right: Sentence, _: Resources) -> list[float]:
    """Return ln(1 + n) of all stock symbols, such as ``.ABCD``, and F1."""
    return _count_and_f1(
        *(set(filter(_STOCK_SYMBOL.fullmatch, each.tokens)) for each in (left, right))
    )


def _count_and_f1(one: set[str], other: set[str]) -> list[float]:
    return [math.log1p(len(one) + len(other)), _set_f1(one, other)]


def ngram_overlap(left: Sentence, right: Sentence, _: Resources) -> list[float]:
    """Return F1 of the n-grams, n = 1, 2, 3, of content words and of their lemmas."""
    return [
        _set_f1(ngrams(one, order), ngrams(other, order))
        for one, other in ((left.content, right.content), (left.lemmas, right.lemmas))
        for order in ORDERS
    ]


def wordnet_overlap(left: Sentence, right: Sentence, resources: Resources) -> list[float]:
    """Return the harmonic mean of how similar, on average, each lemma is to the nearest other."""
    one, other = sorted(set(left.lemmas)), sorted(set(right.lemmas))
    there, back = _coverage(one, other, resources.wordnet), _coverage(other, one, resources.wordnet)
    return [2 * there * back / (there + back) if there and back else 0.0]


def _coverage(words: Sequence[str], others: Sequence[str], wordnet: Any) -> float:
    """Return the average path similarity of each word to the nearest of the others."""
    if not (words and others):
        return 0.0
    nearest = (
        1.0 if word in others else max(wordnet.path_similarity(word, other) for other in others)
        for word in words
    )
    return sum(nearest) / len(words)


def weighted_overlap(left: Sentence, right: Sentence, resources: Resources) -> list[float]:
    """Return F1 of the words, and of the lemmas, weighted by information content."""
    content = resources.information_content
    sides = [(set(left.words), set(right.words)), (set(left.lemmas), set(right.lemmas))]
    return [
        _f1(_sum(content, one & other), _sum(content, one), _sum(content, other))
        for one, other in sides
    ]


def _sum(content: InformationContent, words: Iterable[str]) -> float:
    return math.fsum(map(content, words))


def space_similarity(left: Sentence, right: Sentence, resources: Resources) -> list[float]:
    """Return absolute cosines of the summed vectors of content words.

    First the plain sum of lemmas in the first space, then in each space the sum of words
    weighted by information content. The cosine is 0 if a sentence has no known word.
    """
    first, content = resources.spaces[0], resources.information_content
    return [
        _cosine(*(first.weighted_sum(each.lemmas, lambda _: 1.0) for each in (left, right))),
        *(
            _cosine(*(space.weighted_sum(each.content, content) for each in (left, right)))
            for space in resources.spaces
        ),
    ]


def _cosine(left: FloatArray, right: FloatArray) -> float:
    lengths = float(np.linalg.norm(left) * np.linalg.norm(right))
    return min(abs(float(left @ right)) / lengths, 1.0) if lengths else 0.0


def relative_differences(left: Sentence, right: Sentence, resources: Resources) -> list[float]:
    """Return the relative differences of length and of summed information content."""
    content = resources.information_content
    return [
        _relative_difference(len(left.content), len(right.content)),
        _relative_difference(_sum(content, left.words), _sum(content, right.words)),
    ]


GROUPS: dict[str, Group] = {
    "numbers": number_overlap,
    "capitals": capital_overlap,
    "stocks": stock_overlap,
    "ngrams": ngram_overlap,
    "wordnet": wordnet_overlap,
    "weighted": weighted_overlap,
    "spaces": space_similarity,
    "differences": relative_differences,
}
NAMES = {
    "numbers": ["number_count", "number_f1", "number_subset"],
    "capitals": ["capital_count", "capital_f1"],
    "stocks": ["stock_count", "stock_f1"],
    "ngrams": [f"{unit}_{order}gram_f1" for unit in ("word", "lemma") for order in ORDERS],
    "wordnet": ["wordnet_overlap"],
    "weighted": ["weighted_word_f1", "weighted_lemma_f1"],
    "differences": ["length_difference", "content_difference"],
}
WITHOUT_WORDNET = {"numbers", "capitals", "stocks"}
WITH_CONTENT = {"weighted", "spaces", "differences"}
NO_CONTENT = InformationContent({}, total=1)


class TakeLabFeatures(PairFeatures):
    """The features of a pair, group after group; 21 with two spaces.

    Those of the last pairs are kept for all transformers that have the same information
    content, spaces and WordNet.
    """

    def __init__(
        self,
        information_content: InformationContent | None = None,
        spaces: Sequence[WordSpace] = (),
        wordnet: str | Path | None = None,
        features: Sequence[str] | None = None,
    ) -> None:
        self.information_content = information_content
        self.spaces = spaces
        self.wordnet = wordnet
        self.features = features

    def _groups(self) -> list[str]:
        groups = chosen_groups("takelab-simple", tuple(GROUPS), self.features)
        if "spaces" in groups and not self.spaces:
            raise InputError("the similarity in spaces of words needs at least one space.")
        if self.information_content is None and not WITH_CONTENT.isdisjoint(groups):
            raise InputError(f"{', '.join(sorted(WITH_CONTENT))} need information content.")
        return groups

    @property
    def names(self) -> list[str]:
        weighted = [f"weighted_space_{number}" for number in range(1, len(self.spaces) + 1)]
        names = {**NAMES, "spaces": ["space_1", *weighted]}
        return [name for group in self._groups() for name in names[group]]

    def _rows(self, pairs: Sequence[Pair]) -> list[list[float]]:
        groups = self._groups()
        content = self.information_content or NO_CONTENT
        wordnet = None
        if not WITHOUT_WORDNET.issuperset(groups):
            folder = find_wordnet() if self.wordnet is None else Path(self.wordnet)
            wordnet = load_wordnet(folder)
        without_spaces = Resources(content, (), wordnet)
        resources = dict.fromkeys(groups, without_spaces)
        resources["spaces"] = without_spaces._replace(spaces=tuple(self.spaces))
        rows = []
        for left, right in pairs:
            parts = (_group_values(group, left, right, resources[group]) for group in groups)
            rows.append([*itertools.chain.from_iterable(parts)])
        return rows


@functools.lru_cache(maxsize=len(GROUPS) * KEPT_PAIRS)
def _group_values(group: str, left: str, right: str, resources: Resources) -> Sequence[float]:
    return GROUPS[group](*sentences_of_pair(left, right, resources.wordnet), resources)
