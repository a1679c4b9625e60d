"""The baseline of interpretable STS, 2015 and 2016: chunks aligned by the tokens they share.

SemEval-2015 task 2, section 4.2, and SemEval-2016 task 2, section 4. The papers say that the
sentences were lower-cased; the published rows are reproduced only without lower-casing.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, get_args

import numpy as np
import numpy.typing as npt

from stsbaselines.baselines._munkres import assignment
from stsbaselines.baselines._parameters import check_booleans, check_choices, check_paths
from stsbaselines.predictor import Predictor, check_pairs
from stsbaselines.tasks.alignment_file import ChunkAlignment, tokens_of
from stsbaselines.tasks.ists import ChunkedSentence
from stsbaselines.text.chunker import Chunker, load_chunker

HIGHEST_COST = 100
NOISE = str.maketrans("", "", "[],.:;\"'`-")
Chunks = Literal["given", "system"]
Span = tuple[int, ...]


class ChunkAligner(Predictor):
    """Align the chunks that share most tokens, one to one, as equivalent (EQUI 5).

    Parameters
    ----------
    chunks : 'given' or 'system'
        Whether to use the chunks of a `ChunkedSentence`, or always those of the
        chunker. A plain string is always split by the chunker.
    chunker : path or None
        Folder of a trained chunker; None for the one that comes with the package.
    lowercase : bool
        Whether tokens match regardless of case, as the papers describe it. The program behind the
        published rows did not lower-case.
    alic : bool
        The rules of 2015: a chunk that shares tokens, but whose partner was aligned to another
        chunk, is ALIC instead of NOALI.

    References
    ----------
    SemEval-2015 task 2, section 4.2; SemEval-2016 task 2, section 4 (baseline).

    Examples
    --------
    >>> pair = ("A man plays a guitar", "The man plays golf")
    >>> for each in ChunkAligner().predict([pair])[0]:
    ...     print(each.left, each.right, each.types[0], each.score)
    (1, 2) (1, 2) EQUI 5.0
    (3,) (3,) EQUI 5.0
    (4, 5) () NOALI None
    () (4,) NOALI None
    """

    name: ClassVar[str] = "chunk-aligner"
    predicts: ClassVar[str] = "alignments"

    def __init__(
        self,
        chunks: Chunks = "given",
        chunker: str | Path | None = None,
        lowercase: bool = False,
        alic: bool = False,
    ) -> None:
        self.chunks = chunks
        self.chunker = chunker
        self.lowercase = lowercase
        self.alic = alic

    def predict(self, pairs: Sequence[Any]) -> npt.NDArray[np.object_]:
        """Return the alignments of each pair.

        Parameters
        ----------
        pairs : sequence of (ChunkedSentence or str, ChunkedSentence or str)
            Sentences with their chunks, or plain ones, which are chunked.

        Returns
        -------
        ndarray of tuple of ChunkAlignment, of shape (n_pairs,)
            The alignments of each pair.
        """
        check_choices(self, chunks=get_args(Chunks))
        check_paths(self, "chunker")
        check_booleans(self, "lowercase", "alic")
        check_pairs(pairs, (str, ChunkedSentence))
        chunker = load_chunker() if self.chunker is None else Chunker(self.chunker)
        found = np.empty(len(pairs), dtype=object)
        for number, pair in enumerate(pairs):
            left, right = (self._chunked(sentence, chunker) for sentence in pair)
            found[number] = self._aligned(left, right)
        return found

    def _chunked(self, sentence: ChunkedSentence | str, chunker: Chunker) -> ChunkedSentence:
        if isinstance(sentence, ChunkedSentence) and self.chunks == "given":
            return sentence
        text = sentence.text if isinstance(sentence, ChunkedSentence) else sentence
        tokens = tokens_of(text)
        chunks = tuple(tuple(tokens[start:end]) for start, end in chunker.chunks(tokens))
        return ChunkedSentence(text, tuple(tokens), chunks)

    def _aligned(self, left: ChunkedSentence, right: ChunkedSentence) -> tuple[ChunkAlignment, ...]:
        sides = spans_of(left), spans_of(right)
        weights = self._weights(left, right, sides)
        linked = [sorted({indices[side] for indices in weights}) for side in (0, 1)]
        costs = [[HIGHEST_COST - weights[i, j] for j in linked[1]] for i in linked[0]]
        pairs = [(linked[0][row], linked[1][column]) for row, column in assignment(costs)]
        found = [
            ChunkAlignment(_filled(sides[0][i]), _filled(sides[1][j]), ("EQUI",), 5.0)
            for i, j in pairs
        ]
        for side in (0, 1):
            taken = {indices[side] for indices in pairs}
            for index, span in enumerate(sides[side]):
                if span and index not in taken:
                    kind = "ALIC" if self.alic and index in linked[side] else "NOALI"
                    tokens: list[Span] = [(), ()]
                    tokens[side] = _filled(span)
                    found.append(ChunkAlignment(tokens[0], tokens[1], (kind,), None))
        return tuple(found)

    def _weights(
        self, left: ChunkedSentence, right: ChunkedSentence, sides: tuple[list[Span], list[Span]]
    ) -> Counter[tuple[int, int]]:
        """Count the links between equal tokens that each pair of chunks has."""
        words, others = (self._words(sentence) for sentence in (left, right))
        return Counter(
            (i, j)
            for (i, span), (j, other) in itertools.product(*map(enumerate, sides))
            for a, b in itertools.product(span, other)
            if words[a] == others[b]
        )

    def _words(self, sentence: ChunkedSentence) -> Sequence[str]:
        return [token.lower() for token in sentence.tokens] if self.lowercase else sentence.tokens


def spans_of(sentence: ChunkedSentence) -> list[Span]:
    """Find the tokens of each chunk, as the organisers' program walked along the sentence.

    Punctuation is in no chunk. Where a word of a chunk is not the next token, the program
    took that token and the one after it: tokens outside of chunks, and the faults of
    some released files, become part of the following chunk. Tokens are numbered from 0.
    """
    tokens = [token.translate(NOISE) for token in sentence.tokens]
    indices = [index for index, token in enumerate(tokens) if token]
    spans: list[Span] = []
    for chunk in sentence.chunks:
        span: list[int] = []
        for word in filter(None, (word.translate(NOISE) for word in chunk)):
            taken = 1 if indices and tokens[indices[0]] == word else 2
            span += indices[:taken]
            del indices[:taken]
        spans.append(tuple(span))
    return spans


def _filled(span: Span) -> Span:
    """Return token numbers from the first to the last one, from 1."""
    return tuple(range(span[0] + 1, span[-1] + 2))
