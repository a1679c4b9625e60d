"""Interpretable STS, 2015 pilot and 2016: sentences in chunks, aligned, labelled and scored."""

from __future__ import annotations

import io
import itertools
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stsbaselines.data.catalogue import DataSet, Task
from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.io.files import decoded
from stsbaselines.scoring import alignment, correlation, resampling
from stsbaselines.scoring.alignment import Agreement, Links, links_of
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.scoring.paraphrase import BoolArray
from stsbaselines.scoring.resampling import Counts
from stsbaselines.tasks.alignment_file import (
    ADDITIONAL_TYPES,
    MAIN_TYPES,
    AlignedPair,
    AlignmentFile,
    ChunkAlignment,
    alignments_of,
    format_block,
    read_alignments,
    tokens_of,
)
from stsbaselines.tasks.base import Details, Family, Files, Measures, ScorePairs, Scores, signature
from stsbaselines.tasks.lines import parse_lines

_CHUNK = re.compile(r"\[([^\[]+)\]")
_NOT_ALPHANUMERIC = re.compile(r"[\W_]+")
_SURROGATE = re.compile("[\udc80-\udcff]")
_MOST_OTHER_SENTENCES = 0.5


class ChunkedSentence(NamedTuple):
    """A sentence, whose tokens are separated by blanks, with the words of each chunk.

    `tokens` are those of the file of chunks, which in damaged pairs differ from `text`. Some
    tokens may be in no chunk.
    """

    text: str
    tokens: tuple[str, ...]
    chunks: tuple[tuple[str, ...], ...]


class ChunkedPair(NamedTuple):
    """Two sentences with their chunks."""

    left: ChunkedSentence
    right: ChunkedSentence


def chunked_sentence(line: str, text: str | None = None) -> ChunkedSentence:
    """Parse a line of a file of chunks, as the organisers' baseline did."""
    tokens = tokens_of(line.replace("[ ", "").replace(" ]", ""))
    return ChunkedSentence(
        text=" ".join(tokens if text is None else tokens_of(text)),
        tokens=tuple(tokens),
        chunks=tuple(tuple(tokens_of(words)) for words in _CHUNK.findall(line)),
    )


def read_chunks(sentences: Path, chunks: Path, count: int | None = None) -> list[ChunkedSentence]:
    """Read the chunks of sentences."""
    texts = list(parse_lines(sentences, decoded, count))
    lines = list(parse_lines(chunks, decoded, len(texts)))
    found: list[ChunkedSentence] = []
    faults: list[Fault | str] = []
    for number, (line, text) in enumerate(zip(lines, texts, strict=True), 1):
        each = chunked_sentence(line, text)
        found.append(each)
        expected = ""
        if not each.chunks:
            expected = "at least one chunk, such as [ a cat ]"
        elif [*map(_letters, each.tokens)] != [*map(_letters, tokens_of(each.text))]:
            expected = f"the words of {shown(each.text)}"
        if expected:
            faults.append(Fault(str(chunks), shown(line), expected, number))
    if faults:
        raise InputError(faults)
    return found


def _letters(text: str) -> str:
    """Return the letters and digits of a text without case, in which damaged pairs still agree."""
    return _NOT_ALPHANUMERIC.sub("", text).casefold()


Golds = Mapping[str, AlignmentFile]
Outputs = Mapping[str, AlignmentFile]


class IstsFamily(Family):
    """Pairs of sentences whose chunks are aligned, labelled and scored."""

    predicts = "alignments"
    output_name = re.compile(r"STSint\.(?:gs|input|testinput|output)\.(.+)\.wa")

    def read_inputs(self, files: Files, task: Task, dataset: DataSet) -> Iterator[ChunkedPair]:
        """Yield the sentence pairs with their gold standard chunks.

        Without ``chunks1`` among the files, the alignments of ``gold`` define the chunks.
        """
        if "chunks1" not in files:
            gold = self.read_gold(files["gold"], task, dataset)
            for number, pair in enumerate(gold.pairs, 1):
                yield _gold_chunks(gold.path, number, pair)
            return
        sides = [
            read_chunks(files[f"sentences{side}"], files[f"chunks{side}"], dataset.pairs)
            for side in (1, 2)
        ]
        yield from map(ChunkedPair, *sides)

    def read_training(
        self, files: Files, task: Task, dataset: DataSet
    ) -> tuple[list[ChunkedPair], list[tuple[ChunkAlignment, ...]], range]:
        gold = self.read_gold(files["gold"], task, dataset)
        pairs = list(self.read_inputs(files, task, dataset))
        return pairs, [pair.alignments for pair in gold.pairs], range(1, len(pairs) + 1)

    def read_gold(self, path: Path, task: Task, dataset: DataSet) -> AlignmentFile:
        return read_alignments(path, dataset.pairs)

    def read_output(
        self, path: Path, task: Task, dataset: DataSet, strict: bool = False
    ) -> AlignmentFile:
        return read_alignments(path, dataset.pairs, strict, task.one_to_one)

    def format_predictions(
        self,
        predictions: Sequence[Iterable[ChunkAlignment]],
        pairs: Sequence[Any] = (),
        start: int = 1,
    ) -> bytes:
        """Return the blocks of an alignment file; `pairs` are strings or `ChunkedSentence`."""
        blocks = [
            format_block(number, _text_of(left), _text_of(right), alignments)
            for number, ((left, right), alignments) in enumerate(
                zip(pairs, predictions, strict=True), start
            )
        ]
        return "".join(blocks).encode("utf-8", "surrogateescape")

    def output_of(
        self, predictions: Sequence[Iterable[ChunkAlignment]], pairs: Sequence[Any], task: Task
    ) -> AlignmentFile:
        """Return the alignments as they are read from a file, and so by the same rules."""
        written = io.BytesIO(self.format_predictions(predictions, pairs))
        return alignments_of(written, "the system's output", one_to_one=task.one_to_one)

    def score(self, task: Task, run: str, gold: Golds, outputs: Outputs) -> Scores:
        """Score a run as the task's organisers did.

        ``F`` is that of the links, ``T`` with the types, ``S`` with the scores, ``TS`` with both;
        ``precision`` and ``recall`` are those of the links. Tasks of 2015 also have
        ``TS_second_version``, with the special cases of the script's second version. Aggregates
        are plain means. The details are precision and recall by type, the confusion of the types,
        and the scores of each sentence pair.
        """
        faults: list[Fault | str] = []
        notes: list[str] = []
        for name, output in outputs.items():
            found, about = _compared_sentences(output, gold[name])
            faults += found
            notes += [f"{name}: {note}" for note in (*output.notes, *about)]
        if faults:
            raise InputError(faults)
        datasets: dict[str, Measures] = {}
        details: Details = {}
        for name, output in outputs.items():
            pairs = links_of_pairs(output, gold[name])
            datasets[name], details[name] = _measured(task, pairs)
        aggregates = {}
        if len(outputs) == len(task.datasets):
            for name in alignment.PENALTIES:
                values = [measures[name] for measures in datasets.values()]
                aggregates[f"Mean_{name}"] = correlation.mean(values)
        return Scores(
            task=task.task,
            run=run,
            datasets=datasets,
            aggregates=aggregates,
            main="TS",
            signature=signature(
                task.signed_name,
                [f"{name}({len(each.pairs)})" for name, each in outputs.items()],
                links="between tokens, weighted by fan-out, without punctuation",
                type="jaccard",
                mean="plain",
            ),
            notes=tuple(notes),
            details=details,
        )

    def countable(self, gold: AlignmentFile) -> BoolArray:
        """All sentence pairs count."""
        return np.ones(len(gold.pairs), dtype=np.bool_)

    def score_pairs(self, task: Task, gold: Golds, outputs: Outputs) -> dict[str, ScorePairs]:
        """Return an empty dict: nothing is correlated."""
        return {}

    def resampled(
        self, task: Task, gold: Golds, outputs: Outputs, counts: Counts
    ) -> dict[str, FloatArray]:
        """Return measures such as ``images_TS`` and, of all data sets, ``Mean_TS``.

        The outputs must fit the gold standard, which `score` checks.
        """
        found: dict[str, FloatArray] = {}
        for name, output in outputs.items():
            pairs = links_of_pairs(output, gold[name])
            for measure, penalties in alignment.PENALTIES.items():
                found[f"{name}_{measure}"] = resampling.agreement(pairs, penalties, counts[name])
        if len(outputs) == len(task.datasets):
            found["Mean_TS"] = np.mean([found[f"{name}_TS"] for name in outputs], axis=0)
        return found


FAMILY = IstsFamily()


def _gold_chunks(path: str, number: int, pair: AlignedPair) -> ChunkedPair:
    sentences = []
    for side, tokens in enumerate(pair.tokens):
        chunks = sorted(each.sides[side] for each in pair.alignments)
        if sorted(itertools.chain(*chunks)) != list(range(1, len(tokens) + 1)):
            found = f"tokens of sentence {number} in no chunk or in several"
            raise InputError([Fault(path, found, "each token in exactly one chunk")])
        words = tuple(tuple(tokens[place - 1] for place in chunk) for chunk in chunks if chunk)
        sentences.append(ChunkedSentence(" ".join(tokens), tuple(tokens), words))
    return ChunkedPair(*sentences)


def _text_of(sentence: ChunkedSentence | str) -> str:
    return sentence.text if isinstance(sentence, ChunkedSentence) else sentence


def links_of_pairs(output: AlignmentFile, gold: AlignmentFile) -> list[tuple[Links, Links]]:
    """Return the links of a system output and of the gold standard for each sentence pair.

    For both, punctuation is looked up in the gold standard's sentences.
    """
    return [
        (links_of(mine.alignments, *theirs.tokens), links_of(theirs.alignments, *theirs.tokens))
        for mine, theirs in zip(output.pairs, gold.pairs, strict=True)
    ]


def _compared_sentences(
    output: AlignmentFile, gold: AlignmentFile
) -> tuple[list[Fault | str], list[str]]:
    """Return why an output is not of the gold standard's sentences, and a note on differences."""
    faults: list[Fault | str] = []
    differing = []
    for number, (mine, theirs) in enumerate(zip(output.pairs, gold.pairs, strict=True), 1):
        texts = [*zip(mine[:2], theirs[:2], strict=True)]
        if any(_SURROGATE.search(ours) and not _SURROGATE.search(gs) for ours, gs in texts):
            found = f"bytes in sentence {number} that are not UTF-8"
            faults.append(Fault(output.path, found, "UTF-8"))
        if any(_letters(ours) != _letters(gs) for ours, gs in texts):
            differing.append(number)
        lengths = [len(tokens) for tokens in theirs.tokens]
        for each in mine.alignments:
            for numbers, length in zip(each.sides, lengths, strict=True):
                if numbers and numbers[-1] > length:
                    found = f"token {numbers[-1]} in sentence {number}"
                    faults.append(Fault(output.path, found, f"at most {length}, as in the gold"))
    if len(differing) > _MOST_OTHER_SENTENCES * len(gold.pairs):
        first = differing[0]
        found = f"{shown(output.pairs[first - 1].left)} as sentence {first}"
        expected = f"{shown(gold.pairs[first - 1].left)}: the sentences of another data set?"
        return [Fault(output.path, found, expected)], []
    about = (
        "sentence pairs whose text is not the gold standard's, which the official scorer ignores"
    )
    return faults, [f"{about}: {len(differing)}"] if differing else []


def _measured(
    task: Task, pairs: Sequence[tuple[Links, Links]]
) -> tuple[Measures, dict[str, list[dict[str, Any]]]]:
    """Return the measures of a data set and its details."""
    found = alignment.agreements(pairs, alignment.PENALTIES)
    measures: Measures = {name: whole.f for name, (whole, _) in found.items()}
    links, _ = found["F"]
    measures |= {"precision": links.precision, "recall": links.recall}
    if task.one_to_one:
        measures["TS_second_version"] = alignment.agreement(pairs, alignment.SECOND_VERSION).f
    measures["n"] = len(pairs)
    return measures, _details(pairs, {name: each for name, (_, each) in found.items()})


def _details(
    pairs: Sequence[tuple[Links, Links]], of_pairs: Mapping[str, Sequence[Agreement]]
) -> dict[str, list[dict[str, Any]]]:
    by_type = alignment.by_type(pairs, (*MAIN_TYPES, *ADDITIONAL_TYPES))
    table = alignment.confusion(pairs, MAIN_TYPES)
    return {
        "types": [
            {"type": name, "precision": each.precision, "recall": each.recall, "F": each.f}
            for name, each in by_type.items()
        ],
        "confusion": [{"gold standard": name, **row} for name, row in table.items()],
        "pairs": [
            {"pair": number, **{name: each[number - 1].f for name, each in of_pairs.items()}}
            for number in range(1, len(pairs) + 1)
        ],
    }
