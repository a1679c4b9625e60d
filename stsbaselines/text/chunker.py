"""Chunks of English sentences: a part-of-speech tagger and a chunker by conditional random fields.

A chunk is a phrase up to and including its head, as in CoNLL-2000. A small model comes with the
package; `tools/chunker_training.py` trains others.
"""

from __future__ import annotations

import functools
import hashlib
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pycrfsuite

from stsbaselines.errors import Fault, InputError
from stsbaselines.io.files import read_whole, to_displayable

SHIPPED = Path(__file__).parent / "models" / "chunker"
CARD = "model-card.json"
TAGGER = "tagger.crfsuite"
CHUNKER = "chunker.crfsuite"
LONGEST_AFFIX = 4
_START, _END = ("<2", "<1"), (">1", ">2")
_UPPER, _LOWER, _DIGITS = re.compile("[A-Z]+"), re.compile("[a-z]+"), re.compile("[0-9]+")

Span = tuple[int, int]


class Chunker:
    """A trained part-of-speech tagger and chunker.

    Parameters
    ----------
    folder : path
        Has both models and their model card with the checksums.

    Attributes
    ----------
    card : dict
        The model card: training data, scores, sizes, licence.

    References
    ----------
    Tjong Kim Sang and Buchholz (2000), Introduction to the CoNLL-2000 Shared Task: Chunking.

    Examples
    --------
    >>> chunker = load_chunker()
    >>> tokens = "The old man was sitting on a bench .".split()
    >>> [" ".join(tokens[start:end]) for start, end in chunker.chunks(tokens)]
    ['The old man', 'was sitting', 'on', 'a bench']
    """

    def __init__(self, folder: str | Path) -> None:
        self.card = read_card(Path(folder), (TAGGER, CHUNKER), "a chunker")
        self._tagger = open_model(Path(folder, TAGGER))
        self._chunker = open_model(Path(folder, CHUNKER))

    def tags(self, tokens: Sequence[str]) -> list[str]:
        """Return the part of speech of each token, by the tags of the Penn Treebank."""
        return list(self._tagger.tag(tag_features(encodable(tokens)))) if tokens else []

    def labels(self, tokens: Sequence[str]) -> list[str]:
        """Return the chunk label of each token: ``B-NP``, ``I-NP``, ..., ``O`` for none."""
        words, tags = encodable(tokens), self.tags(tokens)
        return list(self._chunker.tag(chunk_features(words, tags))) if tokens else []

    def chunks(self, tokens: Sequence[str]) -> list[Span]:
        """Return the chunks of a sentence, in order: (first token from 0, one past the last)."""
        return [span for span, _ in chunk_spans(self.labels(tokens))]


@functools.cache
def load_chunker() -> Chunker:
    """Return the chunker that comes with the package, loaded once."""
    return Chunker(SHIPPED)


def encodable(tokens: Sequence[str]) -> list[str]:
    """Return tokens with bytes that were not UTF-8 as Latin-1 letters."""
    return [to_displayable(token) for token in tokens]


def read_card(folder: Path, files: Sequence[str], of: str) -> dict[str, Any]:
    """Read a model card and check the files that it describes: CRFsuite can crash on damaged ones.

    `of` says for an error what the card should describe.
    """
    try:
        card: dict[str, Any] = json.loads(read_whole(folder / CARD).decode("utf-8"))
        checksums = {name: card["files"][name]["sha256"] for name in files}
    except (UnicodeError, json.JSONDecodeError, LookupError, TypeError, RecursionError):
        fault = Fault(str(folder / CARD), "other content", f"the model card of {of}")
        raise InputError([fault]) from None
    for name, expected in checksums.items():
        found = hashlib.sha256(read_whole(folder / name)).hexdigest()
        if found != expected:
            wanted = f"sha256 {expected}, as its model card says"
            raise InputError([Fault(str(folder / name), f"sha256 {found}", wanted)])
    return card


def open_model(path: Path) -> pycrfsuite.Tagger:
    """Open a model of CRFsuite."""
    tagger = pycrfsuite.Tagger()
    tagger.open(str(path))
    return tagger


def word_features(word: str) -> list[str]:
    """Return the features of a word itself: form, lower case, shape, affixes of 1 to 4 letters."""
    lower = word.lower()
    features = [f"w={word}", f"l={lower}", f"h={word_shape(word)}"]
    for length in range(1, min(LONGEST_AFFIX, len(lower)) + 1):
        features += [f"p{length}={lower[:length]}", f"s{length}={lower[-length:]}"]
    return features


def word_shape(word: str) -> str:
    """Return the kinds of letters of a word, runs of a kind as one: "McCoy-7b" is "XxXx-9x"."""
    return _DIGITS.sub("9", _LOWER.sub("x", _UPPER.sub("X", word)))


def tag_features(tokens: Sequence[str]) -> list[list[str]]:
    """Return the features by which each token gets its part of speech."""
    lower = [*_START, *(token.lower() for token in tokens), *_END]
    shapes = ["", *map(word_shape, tokens), ""]
    return [
        [
            *word_features(token),
            f"l-2={lower[i]}",
            f"l-1={lower[i + 1]}",
            f"l+1={lower[i + 3]}",
            f"l+2={lower[i + 4]}",
            f"s-1={lower[i + 1][-3:]}",
            f"s+1={lower[i + 3][-3:]}",
            f"h-1={shapes[i]}",
            f"h+1={shapes[i + 2]}",
        ]
        for i, token in enumerate(tokens)
    ]


def chunk_features(tokens: Sequence[str], tags: Sequence[str]) -> list[list[str]]:
    """Return the features by which each token gets its chunk label."""
    lower = [*_START, *(token.lower() for token in tokens), *_END]
    padded = [*_START, *tags, *_END]
    features = []
    for i, token in enumerate(tokens):
        w1, w2, w3, w4, w5 = lower[i : i + 5]
        t1, t2, t3, t4, t5 = padded[i : i + 5]
        words = [f"w-2={w1}", f"w-1={w2}", f"w={w3}", f"w+1={w4}", f"w+2={w5}"]
        words += [f"w-1,0={w2} {w3}", f"w0,1={w3} {w4}", f"s={w3[-3:]}", f"h={word_shape(token)}"]
        of_tags = [f"t-2={t1}", f"t-1={t2}", f"t={t3}", f"t+1={t4}", f"t+2={t5}"]
        of_tags += [f"t-2,-1={t1} {t2}", f"t-1,0={t2} {t3}", f"t0,1={t3} {t4}", f"t1,2={t4} {t5}"]
        features.append([*words, *of_tags, f"t-1,0,1={t2} {t3} {t4}"])
    return features


def chunk_spans(labels: Sequence[str]) -> Iterator[tuple[Span, str]]:
    """Yield the chunks that labels mark, with their kinds.

    As in the CoNLL-2000 scorer, a chunk ends before ``B-``, before ``O`` and where the kind
    changes.
    """
    start = 0
    for place in range(1, len(labels) + 1):
        before, kind = labels[place - 1][:1], labels[place - 1][2:]
        if place < len(labels) and before != "O" and labels[place] == f"I-{kind}":
            continue
        if before != "O":
            yield (start, place), kind
        start = place
