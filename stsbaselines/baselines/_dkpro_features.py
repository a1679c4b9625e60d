"""The features of DKPro's system of 2012 that need no resources: strings, n-grams.

Each group is a transformer of pairs of sentences. Characters are lower-cased; idf is
log10(N / df) over the N sentences of the pairs that a transformer was fitted on, and what
they do not have counts as if one of them had it.
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

from stsbaselines.baselines._pair_features import Pair, PairCache, PairFeatures, map_pairs, ngrams
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
    """Return the ASCII letters and digits of a sentence.

    Examples
    --------
    >>> alphanumerics("It's 5 o'clock.")
    'Its5oclock'
    """
    return _NOT_ALPHANUMERIC.sub("", sentence)


def tiled(left: str, right: str, shortest: int = SHORTEST_TILE) -> int:
    """Return how many characters greedy string tiling covers (Wise 1996).

    The longest common substring that no tile touches becomes a tile, again and again, until
    all that are left are shorter than `shortest`.

    Examples
    --------
    >>> tiled("abcdef xyz", "xyz-abcdef")
    9
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
    """Yield the common substrings that cannot be made longer: places in both, and length."""
    places = defaultdict(list)
    for j in range(len(right) - shortest + 1):
        places[right[j : j + shortest]].append(j)
    starts = range(len(left) - shortest + 1)
    common = {(i, j) for i in starts for j in places.get(left[i : i + shortest], ())}
    for i, j in common:
        if (i - 1, j - 1) not in common:
            further = itertools.count(1)
            last = next(n for n in further if (i + n, j + n) not in common)
            yield i, j, last - 1 + shortest


def common_subsequence(left: str, right: str) -> int:
    """Return the length of the longest common subsequence (Allison and Dix 1986).

    Examples
    --------
    >>> common_subsequence("a cat", "act")
    3
    """
    places: dict[str, int] = defaultdict(int)
    for place, character in enumerate(left):
        places[character] |= 1 << place
    every = (1 << len(left)) - 1
    ends = every
    for character in right:
        here = ends & places.get(character, 0)
        ends = (ends + here | ends - here) & every
    return len(left) - bin(ends).count("1")


def common_substring(left: str, right: str) -> int:
    """Return the length of the longest common substring (Gusfield 1997).

    Examples
    --------
    >>> common_substring("a cat sat", "the cat")
    4
    """
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    return matcher.find_longest_match(0, len(left), 0, len(right)).size


def string_similarities(pair: Pair) -> list[float]:
    """Return the similarities of two sentences as strings, by `STRING_NAMES`; 0 if one is empty.

    Examples
    --------
    >>> string_similarities(("abcd", "xabcdx"))
    [1.0, 0.8, 1.0, 0.8]
    """
    left, right = (sentence.lower() for sentence in pair)
    if not (left and right):
        return [0.0] * len(STRING_NAMES)
    subsequence = common_subsequence(left, right)
    both = len(left) + len(right)
    return [
        tiled(left, right) / len(left),
        2 * subsequence / both,
        subsequence / len(left),
        2 * common_substring(left, right) / both,
    ]


def word_similarities(pair: Pair) -> list[float]:
    """Return the overlaps of the sets of word n-grams of two sentences, by `WORD_NAMES`.

    Containment is the part of the first sentence's n-grams that the second one has, Jaccard's
    coefficient the part of all. Content words are those that are neither stop words nor
    punctuation. Without n-grams an overlap is 0.

    Examples
    --------
    >>> found = word_similarities(("The old cat sleeps.", "The old cat runs."))
    >>> [round(value, 2) for value in found]
    [0.67, 0.5, 0.67, 0.33, 0.2, 0.0, 0.0]
    """
    words = [simple_words(sentence) for sentence in pair]
    content = [list(filter(is_content, each)) for each in words]
    return [
        _containment(*(ngrams(each, 1) for each in content)),
        _containment(*(ngrams(each, 2) for each in content)),
        _jaccard(*(ngrams(each, 1) for each in words)),
        _jaccard(*(ngrams(each, 2) for each in content)),
        _jaccard(*(ngrams(each, 3) for each in words)),
        _jaccard(*(ngrams(each, 4) for each in words)),
        _jaccard(*(ngrams(each, 4) for each in content)),
    ]


def is_content(word: str) -> bool:
    """Tell whether a lower-case word has a letter or digit and is no stop word.

    Examples
    --------
    >>> [word for word in ["the", "cat", ",", "3"] if is_content(word)]
    ['cat', '3']
    """
    return word not in ENGLISH_STOP_WORDS and is_word(word)


def _containment(left: set[Any], right: set[Any]) -> float:
    return len(left & right) / len(left) if left else 0.0


def _jaccard(left: set[Any], right: set[Any]) -> float:
    return len(left & right) / len(left | right) if left or right else 0.0


_STRINGS = PairCache(functools.partial(map_pairs, string_similarities))
_WORDS = PairCache(functools.partial(map_pairs, word_similarities))


class StringSimilarity(PairFeatures):
    """Greedy string tiling, longest common subsequence (2 ways) and substring.

    Parameters
    ----------
    n_jobs : int

    Examples
    --------
    >>> StringSimilarity().fit_transform([("abcd", "xabcdx")])
    array([[1. , 0.8, 1. , 0.8]])
    """

    def __init__(self, n_jobs: int = 1) -> None:
        self.n_jobs = n_jobs

    def _names(self) -> Sequence[str]:
        return STRING_NAMES

    def _rows(self, pairs: Sequence[Sequence[str]]) -> list[list[float]]:
        return _STRINGS(pairs, self.n_jobs)


class WordNgrams(PairFeatures):
    """Containment and Jaccard's coefficient of word n-grams; see `word_similarities`.

    Parameters
    ----------
    n_jobs : int

    Examples
    --------
    >>> WordNgrams().fit_transform([("cats sleep", "cats sleep")])
    array([[1., 1., 1., 1., 0., 0., 0.]])
    """

    def __init__(self, n_jobs: int = 1) -> None:
        self.n_jobs = n_jobs

    def _names(self) -> Sequence[str]:
        return WORD_NAMES

    def _rows(self, pairs: Sequence[Sequence[str]]) -> list[list[float]]:
        return _WORDS(pairs, self.n_jobs)


class CharacterNgrams(PairFeatures):
    """Cosines of character 2-, 3- and 4-grams, weighted by count times idf.

    Only ASCII letters and digits count.

    Attributes
    ----------
    frequencies_ : dict of str to int
        In how many sentences each n-gram is.
    n_sentences_ : int

    Examples
    --------
    >>> pairs = [("abc", "abd"), ("xyz", "xyz")]
    >>> CharacterNgrams().fit_transform(pairs).round(2).tolist()
    [[0.2, 0.0, 0.0], [1.0, 1.0, 0.0]]
    """

    def fit(self, pairs: Sequence[Sequence[str]], gold: object = None) -> CharacterNgrams:
        """Count in how many sentences each n-gram is."""
        check_pairs(pairs)
        profiles = (
            character_profile(sentence, order)
            for pair in pairs
            for sentence in pair
            for order in CHARACTER_ORDERS
        )
        self.frequencies_ = frequencies(profiles)
        self.n_sentences_ = 2 * len(pairs)
        return self

    def _names(self) -> Sequence[str]:
        return [f"character_{order}" for order in CHARACTER_ORDERS]

    def _rows(self, pairs: Sequence[Sequence[str]]) -> list[list[float]]:
        return [[self._cosine(pair, order) for order in CHARACTER_ORDERS] for pair in pairs]

    def _cosine(self, pair: Sequence[str], order: int) -> float:
        first, second = (self._weighted(character_profile(each, order)) for each in pair)
        product = math.fsum(first[each] * second[each] for each in first.keys() & second.keys())
        lengths = math.hypot(*first.values()) * math.hypot(*second.values())
        return min(1.0, product / lengths) if lengths else 0.0

    def _weighted(self, profile: Mapping[str, int]) -> dict[str, float]:
        known, number = self.frequencies_, self.n_sentences_
        return {each: count * idf(known, number, each) for each, count in profile.items()}


def character_profile(sentence: str, order: int) -> Counter[str]:
    """Return how often a sentence has each character n-gram, without spaces and punctuation.

    Examples
    --------
    >>> character_profile("A b, ab", 2)
    Counter({'ab': 2, 'ba': 1})
    """
    text = alphanumerics(sentence).lower()
    return Counter(text[start : start + order] for start in range(len(text) - order + 1))


def frequencies(sentences: Iterable[Iterable[str]]) -> dict[str, int]:
    """Return in how many sentences each term is, the terms sorted.

    Examples
    --------
    >>> frequencies([{"b", "a"}, {"b"}])
    {'a': 1, 'b': 2}
    """
    counts = Counter(term for terms in sentences for term in set(terms))
    return dict(sorted(counts.items()))


def idf(known: Mapping[str, int], number: int, term: str) -> float:
    """Return log10(N / df); a term that no sentence has counts as in one.

    Examples
    --------
    >>> idf({"a": 10}, 100, "a"), idf({"a": 10}, 100, "b")
    (1.0, 2.0)
    """
    return math.log10(max(number, 1) / known.get(term, 1))
