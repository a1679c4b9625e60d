"""Inspecting alignments: a run beside the gold standard, or two sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from stsbaselines.baselines import create
from stsbaselines.data.catalogue import find_task
from stsbaselines.errors import InputError
from stsbaselines.evaluation.submission import output_files, read_gold, run_name
from stsbaselines.scoring.alignment import NOT_COUNTED, PENALTIES
from stsbaselines.tasks import ists
from stsbaselines.tasks.alignment_file import AlignedPair, ChunkAlignment
from stsbaselines.text.words import treebank_tokens

RIGHT, WRONG_TYPE, WRONG_SCORE = "right", "wrong type", "wrong score"
SPURIOUS, MISSED = "spurious", "missed"
Tokens = tuple[Sequence[str], Sequence[str]]
Chunks = tuple[tuple[int, ...], ...]
Measures = Mapping[str, float | int | None]


class InspectedPair(NamedTuple):
    """A sentence pair with its alignments and, if they were compared, those of the gold standard.

    `verdicts` has those of the system's and of the gold standard's alignments; see
    `compare_alignments`.
    """

    system: AlignedPair
    gold: AlignedPair | None = None
    verdicts: tuple[list[str], list[str]] = ([], [])
    measures: Measures | None = None


@dataclass(frozen=True)
class InspectedRun:
    """An alignment file, pair by pair; `measures` is empty if it was not compared with gold."""

    title: str
    pairs: list[InspectedPair]
    measures: Measures
    notes: tuple[str, ...]


def inspect_alignments(
    task: str,
    path: str | Path,
    with_gold: bool = False,
    dataset: str | None = None,
    data_dir: str | Path | None = None,
) -> InspectedRun:
    """Read an alignment file to show it, perhaps compared with the gold standard.

    `task` is an interpretable STS task, such as ``ists2016``; `dataset` is needed only if the
    name of the file does not tell the data set.
    """
    entry = find_task(task)
    if entry.family != "ists":
        raise InputError(
            f"{task} has no alignments to show; only interpretable STS tasks have them."
        )
    file = Path(path)
    if file.is_dir():
        raise InputError(f"{file} is a folder; name one of its files.")
    [name] = output_files(entry, file, dataset, {})
    output = ists.FAMILY.read_output(file, entry, entry.dataset(name))
    title = f"{run_name(file)} on {task}, {name}"
    if not with_gold:
        return InspectedRun(title, [InspectedPair(each) for each in output.pairs], {}, output.notes)
    gold = read_gold(entry, [entry.dataset(name)], data_dir)[name]
    scores = ists.FAMILY.score(entry, "", {name: gold}, {name: output})
    details = scores.details[name]["pairs"]
    pairs = []
    for ours, theirs, row in zip(output.pairs, gold.pairs, details, strict=True):
        verdicts = compare_alignments(ours.alignments, theirs.alignments, theirs.tokens)
        pairs.append(InspectedPair(ours, theirs, verdicts, _main_measures(row)))
    return InspectedRun(title, pairs, _main_measures(scores.datasets[name]), scores.notes)


def _main_measures(measures: Measures) -> Measures:
    return {name: measures[name] for name in PENALTIES}


def compare_alignments(
    system: Sequence[ChunkAlignment], gold: Sequence[ChunkAlignment], tokens: Tokens
) -> tuple[list[str], list[str]]:
    """Compare the alignments of a sentence pair with the gold standard."""
    system_at = {_counted(each, tokens): each for each in system}
    gold_at = {_counted(each, tokens): each for each in gold}
    return (
        [_verdict(each, tokens, gold_at, SPURIOUS) for each in system],
        [_verdict(each, tokens, system_at, MISSED) for each in gold],
    )


def _counted(each: ChunkAlignment, tokens: Tokens) -> Chunks:
    """Return the positions of both chunks without punctuation."""
    return tuple(
        tuple(place for place in places if words[place - 1] not in NOT_COUNTED)
        for places, words in zip(each.sides, tokens, strict=True)
    )


def _verdict(
    each: ChunkAlignment, tokens: Tokens, others: Mapping[Chunks, ChunkAlignment], alone: str
) -> str:
    chunks = _counted(each, tokens)
    if not all(chunks):
        return ""
    other = others.get(chunks)
    if other is None:
        return alone
    if {*each.types} != {*other.types}:
        return WRONG_TYPE
    return RIGHT if (each.score or 0) == (other.score or 0) else WRONG_SCORE


def align(left: str, right: str, **parameters: Any) -> AlignedPair:
    """Chunk and align two sentences by the baseline."""
    one, other = (" ".join(_tokenized(sentence)) for sentence in (left, right))
    if not (one and other):
        raise InputError("a sentence must have at least one word.")
    [alignments] = create("chunk-aligner", **parameters).predict([(one, other)])
    return AlignedPair(one, other, alignments)


def _tokenized(sentence: str) -> list[str]:
    """Return the tokens of a sentence, with its own quotation marks."""
    tokens = treebank_tokens(" ".join(sentence.split()))
    return ['"' if token in ("``", "''") and '"' in sentence else token for token in tokens]
