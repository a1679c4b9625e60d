"""The features of DKPro's system of 2012 that need no resources: strings and n-grams.

Each group is a transformer of pairs of sentences. Characters are lower-cased. The inverse document
frequency (idf) of a term is log10(N / df), where N counts the sentences of the pairs that the
transformer was fitted on; a term that none of them has counts as if one had it.
"""

from __future__ import annotations

import functools
import heapq
import itertools
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

from stsbaselines.baselines._pair_features import (
    KEPT_PAIRS,
    Pair,
    PairFeatures,
    PairFunction,
    ngrams,
)
from stsbaselines.predictor import check_pairs
from stsbaselines.text.words import is_word, simple_words

SHORTEST_TILE = 3
CHARACTER_ORDERS = (2, 3, 4)
STRING_NAMES = (
    "greedy_string_tiling",
    "common_subsequence",
    "common_subsequence_of_first",
    "common_substring",
)
WORD_NAMES = (
    "content_containment_1",
    "content_containment_2",
    "jaccard_1",
    "content_jaccard_2",
    "jaccard_3",
    "jaccard_4",
    "content_jaccard_4",
)
_NOT_ALPHANUMERIC = re.compile("[^A-Za-z0-9]+")


def alphanumerics(sentence: str) -> str:
    """Return the ASCII letters and digits of a sentence."""
    return _NOT_ALPHANUMERIC.sub("", sentence)


def tiled(left: str, right: str, shortest: int = SHORTEST_TILE) -> int:
    """Return how many characters greedy string tiling covers (Wise 1996).

    The longest common substring that no tile touches becomes a tile, until
    all others are shorter than `shortest`.
    """
    free_left, free_right = [True] * len(left), [True] * len(right)
    runs = [(-length, i, j) for i, j, length in _runs(left, right, shortest)]
    heapq.heapify(runs)
    covered = 0
    while runs:
        negative, i, j = heapq.heappop(runs)
        end = i - negative
        free = [a and b for a, b in zip(free_left[i:end], free_right[j:], strict=False)]
        if all(free):
            free_left[i:end] = free_right[j : j - negative] = [False] * -negative
            covered -= negative
            continue
        for is_free, part in itertools.groupby(range(len(free)), key=free.__getitem__):
            places = list(part)
            if is_free and len(places) >= shortest:
                heapq.heappush(runs, (-len(places), i + places[0], j + places[0]))
    return covered


def _runs(left: str, right: str, shortest: int) -> Iterator[tuple[int, int, int]]:
    """Yield the common substrings that cannot be made longer: start in both, and length."""
    starts = defaultdict(list)
    for j in range(len(right) - shortest + 1):
        starts[right[j : j + shortest]].append(j)
    of_left = range(len(left) - shortest + 1)
    common = {(i, j) for i in of_left for j in starts.get(left[i : i + shortest], ())}
    for i, j in common:
        if (i - 1, j - 1) not in common:
            further = itertools.count(1)
            last = next(n for n in further if (i + n, j + n) not in common)
            yield i, j, last - 1 + shortest


def common_subsequence(left: str, right: str) -> int:
    """Return the length of the longest common subsequence (Allison and Dix 1986)."""
    positions: dict[str, int] = defaultdict(int)
    for position, character in enumerate(left):
        positions[character] |= 1 << position
    every = (1 << len(left)) - 1
    ends = every
    for character in right:
        matches = ends & positions.get(character, 0)
        ends = (ends + matches | ends - matches) & every
    return len(left) - bin(ends).count("1")


def common_substring(left: str, right: str) -> int:
    """Return the length of the longest common substring (Gusfield 1997)."""
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    return matcher.find_longest_match(0, len(left), 0, len(right)).size


@functools.lru_cache(maxsize=KEPT_PAIRS)
def string_similarities(left: str, right: str) -> tuple[float, ...]:
    """Return the similarities `STRING_NAMES` of two sentences; all are 0 if one is empty."""
    left, right = left.lower(), right.lower()
    if not (left and right):
        return (0.0,) * len(STRING_NAMES)
    subsequence = common_subsequence(left, right)
    both = len(left) + len(right)
    return (
        tiled(left, right) / len(left),
        2 * subsequence / both,
        subsequence / len(left),
        2 * common_substring(left, right) / both,
    )


@functools.lru_cache(maxsize=KEPT_PAIRS)
def word_similarities(left: str, right: str) -> tuple[float, ...]:
    """Return the overlaps `WORD_NAMES` of the word n-grams of two sentences.

    Containment is the share of the first sentence's n-grams that the second one has, Jaccard's
    coefficient the share of all their n-grams that both have. Without n-grams an overlap is 0.
    """
    words = [simple_words(sentence) for sentence in (left, right)]
    content = [list(filter(is_content, each)) for each in words]
    containments = [(content, 1), (content, 2)]
    jaccards = [(words, 1), (content, 2), (words, 3), (words, 4), (content, 4)]
    return (
        *(_containment(ngrams(x, order), ngrams(y, order)) for (x, y), order in containments),
        *(_jaccard(ngrams(x, order), ngrams(y, order)) for (x, y), order in jaccards),
    )


def is_content(word: str) -> bool:
    """Return whether a lower-case token has a letter or digit and is not a stop word."""
    return word not in ENGLISH_STOP_WORDS and is_word(word)


def _containment(left: set[Any], right: set[Any]) -> float:
    return len(left & right) / len(left) if left else 0.0


def _jaccard(left: set[Any], right: set[Any]) -> float:
    return len(left & right) / len(left | right) if left or right else 0.0


class StringSimilarity(PairFunction):
    """Greedy string tiling, longest common subsequence (two norms) and substring."""

    names = STRING_NAMES
    function = string_similarities


class WordNgrams(PairFunction):
    """Containment and Jaccard's coefficient of word n-grams."""

    names = WORD_NAMES
    function = word_similarities


class CharacterNgrams(PairFeatures):
    """Cosines of character 2-, 3- and 4-grams, weighted by count times idf."""

    names = tuple(f"character_{order}" for order in CHARACTER_ORDERS)

    def fit(self, pairs: Sequence[Pair], gold: object = None) -> CharacterNgrams:
        """Count the sentences that have each n-gram."""
        check_pairs(pairs)
        sentences = (sentence for pair in pairs for sentence in pair)
        self.frequencies_ = document_frequencies(
            character_profile(sentence, order)
            for sentence in sentences
            for order in CHARACTER_ORDERS
        )
        self.n_sentences_ = 2 * len(pairs)
        return self

    def _rows(self, pairs: Sequence[Pair]) -> list[list[float]]:
        return [[self._cosine(pair, order) for order in CHARACTER_ORDERS] for pair in pairs]

    def _cosine(self, pair: Pair, order: int) -> float:
        left, right = (self._weighted(character_profile(each, order)) for each in pair)
        product = math.fsum(left[each] * right[each] for each in left.keys() & right.keys())
        lengths = math.hypot(*left.values()) * math.hypot(*right.values())
        return min(1.0, product / lengths) if lengths else 0.0

    def _weighted(self, profile: Mapping[str, int]) -> dict[str, float]:
        known, number = self.frequencies_, self.n_sentences_
        return {each: count * idf(known, number, each) for each, count in profile.items()}


def character_profile(sentence: str, order: int) -> Counter[str]:
    """Count the n-grams of a sentence's ASCII letters and digits, lower-cased."""
    text = alphanumerics(sentence).lower()
    return Counter(text[start : start + order] for start in range(len(text) - order + 1))


def document_frequencies(sentences: Iterable[Iterable[str]]) -> dict[str, int]:
    """Return the number of sentences that have each term, the terms sorted."""
    counts = Counter(term for terms in sentences for term in set(terms))
    return dict(sorted(counts.items()))


def idf(frequencies: Mapping[str, int], number: int, term: str) -> float:
    """Return log10(N / df) of a term; an unknown term counts as if one sentence had it."""
    return math.log10(max(number, 1) / frequencies.get(term, 1))
