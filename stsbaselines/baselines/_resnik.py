"""Resnik's similarity of sentences, by WordNet."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from pathlib import Path

from stsbaselines.baselines._dkpro_features import document_frequencies, idf
from stsbaselines.baselines._pair_features import KEPT_PAIRS, Pair, PairFeatures, map_pairs
from stsbaselines.data.corpora import find_wordnet
from stsbaselines.predictor import check_pairs
from stsbaselines.text.chunker import load_chunker
from stsbaselines.text.wordnet import WordNet, load_wordnet
from stsbaselines.text.words import is_word, treebank_tokens

Lemmas = list[tuple[str, str]]
Matches = list[tuple[str, float]]


class WordNetSimilarity(PairFeatures):
    """Resnik's similarity of words, aggregated over sentences as by Mihalcea et al. (2006).

    Each word is matched with the most similar word of the other sentence: 1 for the
    same lemma, else the highest similarity of two nouns or two verbs, else 0. The similarity is
    the mean of the two sentences' averages, weighted by idf. Its parameters are those of `DKPro`.
    """

    names = ("resnik",)

    def __init__(
        self,
        wordnet: str | Path | None = None,
        data_dir: str | Path | None = None,
        n_jobs: int = 1,
    ) -> None:
        self.wordnet = wordnet
        self.data_dir = data_dir
        self.n_jobs = n_jobs

    def fit(self, pairs: Sequence[Pair], gold: object = None) -> WordNetSimilarity:
        """Count the sentences that have each lemma."""
        check_pairs(pairs)
        sides = (side for both in self._matches(pairs) for side in both)
        self.frequencies_ = document_frequencies([lemma for lemma, _ in side] for side in sides)
        self.n_sentences_ = 2 * len(pairs)
        return self

    def _rows(self, pairs: Sequence[Pair]) -> list[list[float]]:
        return [
            [(self._average(left) + self._average(right)) / 2]
            for left, right in self._matches(pairs)
        ]

    def _matches(self, pairs: Sequence[Pair]) -> list[tuple[Matches, Matches]]:
        folder = find_wordnet(self.data_dir) if self.wordnet is None else Path(self.wordnet)
        return map_pairs(functools.partial(best_matches, folder), pairs, self.n_jobs)

    def _average(self, matches: Matches) -> float:
        weights = [idf(self.frequencies_, self.n_sentences_, lemma) for lemma, _ in matches]
        products = (weight * best for weight, (_, best) in zip(weights, matches, strict=True))
        total = math.fsum(weights)
        return math.fsum(products) / total if total else 0.0


@functools.lru_cache(maxsize=KEPT_PAIRS)
def best_matches(folder: Path, left: str, right: str) -> tuple[Matches, Matches]:
    """Return the lemmas of each sentence's words, each with its best match in the other one."""
    wordnet = load_wordnet(folder)
    one, other = _lemmas(wordnet, left), _lemmas(wordnet, right)
    return _matched(wordnet, one, other), _matched(wordnet, other, one)


def _lemmas(wordnet: WordNet, sentence: str) -> Lemmas:
    """Return lemma and part of speech (n, v, or "" for others) of each word."""
    tokens = treebank_tokens(sentence)
    tagged = zip(tokens, load_chunker().tags(tokens), strict=True)
    return [
        (wordnet.lemma(token.lower(), tag), {"N": "n", "V": "v"}.get(tag[0], ""))
        for token, tag in tagged
        if is_word(token)
    ]


def _matched(wordnet: WordNet, words: Lemmas, others: Lemmas) -> Matches:
    return [(lemma, _best(wordnet, lemma, pos, others)) for lemma, pos in words]


def _best(wordnet: WordNet, lemma: str, pos: str, others: Lemmas) -> float:
    if any(lemma == other for other, _ in others):
        return 1.0
    same_kind = (other for other, kind in others if pos and kind == pos)
    return max((wordnet.resnik(lemma, other, pos) for other in same_kind), default=0.0)
