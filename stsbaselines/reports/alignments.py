"""Looking at alignments: a page of an output beside the gold standard, or two sentences."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from stsbaselines.baselines import create
from stsbaselines.data.catalogue import Task, find_task
from stsbaselines.errors import InputError
from stsbaselines.evaluation.submission import output_files, read_gold, run_name
from stsbaselines.io import to_displayable
from stsbaselines.reports.text import number
from stsbaselines.scoring.alignment import NOT_COUNTED, PENALTIES
from stsbaselines.tasks import ists
from stsbaselines.tasks.alignment_file import (
    ADDITIONAL_TYPES,
    MAIN_TYPES,
    AlignedPair,
    AlignmentFile,
    ChunkAlignment,
)
from stsbaselines.text.words import treebank_tokens

RIGHT, WRONG_TYPE, WRONG_SCORE, SPURIOUS, MISSED = (
    "right",
    "wrong type",
    "wrong score",
    "spurious",
    "missed",
)
Tokens = tuple[Sequence[str], Sequence[str]]


def page(
    task: str,
    path: str | Path,
    with_gold: bool = False,
    dataset: str | None = None,
    data_dir: str | Path | None = None,
) -> str:
    """Return a page of HTML that shows the alignments of a system output.

    It needs no network and no other file.

    Parameters
    ----------
    task : str
        A task of interpretable STS, such as ``ists2016``.
    path : path
        The output file.
    with_gold : bool
        Whether to show the gold standard beside, with what differs; needs its file.
    dataset : str, optional
        The data set of the file, if its name does not say so.
    data_dir : path, optional
        Where the gold standard is looked for first.

    Returns
    -------
    str

    Raises
    ------
    InputError
        If the task is none of interpretable STS, the file cannot be read, or the gold
        standard is not here.
    """
    entry = find_task(task)
    if entry.family != "ists":
        raise InputError(f"{task} has no alignments to show; tasks of interpretable STS have.")
    file = Path(path)
    if file.is_dir():
        raise InputError(f"{file} is a folder; name one of its files.")
    [name] = output_files(entry, file, dataset, {})
    output = ists.FAMILY.read_output(file, entry, entry.dataset(name))
    pairs = [
        {"number": place, "tokens": _shown(each.tokens), "system": as_rows(each)}
        for place, each in enumerate(output.pairs, 1)
    ]
    notes: tuple[str, ...] = output.notes
    measures: dict[str, str] = {}
    if with_gold:
        notes, measures = _add_gold(pairs, entry, name, output, data_dir)
    environment = Environment(
        loader=PackageLoader("stsbaselines.reports"), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("alignments.html").render(
        title=to_displayable(f"{run_name(file)} on {task}, {name}"),
        pairs=pairs,
        measures=measures,
        notes=notes,
        types=MAIN_TYPES,
        choices=(*MAIN_TYPES, *ADDITIONAL_TYPES),
        errors=(WRONG_TYPE, WRONG_SCORE, SPURIOUS, MISSED) if with_gold else (),
    )


def _add_gold(
    pairs: Sequence[dict[str, Any]],
    task: Task,
    name: str,
    output: AlignmentFile,
    data_dir: str | Path | None,
) -> tuple[tuple[str, ...], dict[str, str]]:
    """Add the gold standard and what differs to each pair; return notes and scores of all."""
    gold = read_gold(task, [task.dataset(name)], data_dir)[name]
    scores = ists.FAMILY.score(task, "", {name: gold}, {name: output})
    details = scores.details[name]["pairs"]
    for pair, mine, theirs, each in zip(pairs, output.pairs, gold.pairs, details, strict=True):
        of_system, of_gold = compared(mine.alignments, theirs.alignments, theirs.tokens)
        pair["tokens"] = _shown(theirs.tokens)
        pair["system"] = _lines(mine.alignments, theirs.tokens, of_system)
        pair["gold"] = _lines(theirs.alignments, theirs.tokens, of_gold)
        pair["scores"] = [(measure, number(each[measure])) for measure in PENALTIES]
    return scores.notes, {measure: number(scores.datasets[name][measure]) for measure in PENALTIES}


def _shown(tokens: Tokens) -> list[list[str]]:
    return [[to_displayable(token) for token in side] for side in tokens]


def compared(
    system: Sequence[ChunkAlignment], gold: Sequence[ChunkAlignment], tokens: Tokens
) -> tuple[list[str], list[str]]:
    """Say of each alignment of a sentence pair how it compares with the other side's.

    Parameters
    ----------
    system, gold : sequence of ChunkAlignment
    tokens : (sequence of str, sequence of str)
        Of the gold standard's sentences; punctuation does not count.

    Returns
    -------
    of_system : list of str
        ``right``, ``wrong type``, ``wrong score`` (if the type is right), or ``spurious``
        where the gold standard does not align these two chunks; "" where nothing that
        counts is aligned.
    of_gold : list of str
        The same, but ``missed`` where the system does not align these two chunks.

    Examples
    --------
    >>> one = ChunkAlignment((1,), (1,), ("EQUI",), 5.0)
    >>> compared([one], [one._replace(types=("SIMI",))], (["a"], ["b"]))
    (['wrong type'], ['wrong type'])
    """
    mine = [_counted(each, tokens) for each in system]
    theirs = [_counted(each, tokens) for each in gold]
    by_place = dict(zip(mine, system, strict=True)), dict(zip(theirs, gold, strict=True))
    return (
        [_verdict(each, by_place[1], at, SPURIOUS) for each, at in zip(system, mine, strict=True)],
        [_verdict(each, by_place[0], at, MISSED) for each, at in zip(gold, theirs, strict=True)],
    )


def _counted(each: ChunkAlignment, tokens: Tokens) -> tuple[tuple[int, ...], ...]:
    return tuple(
        tuple(place for place in places if words[place - 1] not in NOT_COUNTED)
        for places, words in zip(each.sides, tokens, strict=True)
    )


def _verdict(
    each: ChunkAlignment,
    others: Mapping[tuple[tuple[int, ...], ...], ChunkAlignment],
    place: tuple[tuple[int, ...], ...],
    alone: str,
) -> str:
    other = others.get(place)
    if not all(place):
        return ""
    if other is None:
        return alone
    if {*each.types} != {*other.types}:
        return WRONG_TYPE
    return RIGHT if (each.score or 0) == (other.score or 0) else WRONG_SCORE


def _lines(
    alignments: Sequence[ChunkAlignment],
    tokens: Tokens,
    verdicts: Sequence[str] = (),
) -> list[dict[str, Any]]:
    """Return alignments as plain values, in the order of the left sentence."""
    verdicts = verdicts or [""] * len(alignments)
    return [
        {
            "left": each.left,
            "right": each.right,
            "text": [
                to_displayable(" ".join(words[place - 1] for place in places))
                for places, words in zip(each.sides, tokens, strict=True)
            ],
            "type": each.types[0],
            "types": "_".join(each.types),
            "score": "NIL" if each.score is None else f"{each.score:g}",
            "verdict": verdict,
        }
        for each, verdict in sorted(
            zip(alignments, verdicts, strict=True), key=lambda both: _position(both[0])
        )
    ]


def _position(each: ChunkAlignment) -> tuple[bool, tuple[int, ...], tuple[int, ...]]:
    return not each.left, each.left, each.right


def align(left: str, right: str, **parameters: Any) -> AlignedPair:
    """Chunk and align two sentences by the baseline.

    Parameters
    ----------
    left, right : str
        Sentences as they are written: punctuation need not be parted from words.
    **parameters
        Of `stsbaselines.baselines.chunk_aligner.ChunkAligner`.

    Returns
    -------
    AlignedPair

    Raises
    ------
    InputError
        If a sentence is empty.

    Examples
    --------
    >>> pair = align("A man plays a guitar.", "The man plays guitar.")
    >>> [(each.left, each.right, each.types[0]) for each in pair.alignments]
    [((1, 2), (1, 2), 'EQUI'), ((3,), (3,), 'EQUI'), ((4, 5), (4,), 'EQUI')]
    """
    one, other = (" ".join(_tokenized(sentence)) for sentence in (left, right))
    if not (one and other):
        raise InputError("a sentence must have at least one word.")
    [alignments] = create("chunk-aligner", **parameters).predict([(one, other)])
    return AlignedPair(one, other, alignments)


def _tokenized(sentence: str) -> list[str]:
    """Return the tokens of a sentence, with the quotation marks that it has."""
    tokens = treebank_tokens(" ".join(sentence.split()))
    return ['"' if token in ("``", "''") and '"' in sentence else token for token in tokens]


def as_rows(pair: AlignedPair) -> list[dict[str, Any]]:
    """Return the alignments of a pair as plain values, in the order of the left sentence.

    Examples
    --------
    >>> rows = as_rows(align("A man plays a guitar.", "The man plays guitar."))
    >>> rows[2]["text"], rows[2]["types"], rows[2]["score"]
    (['a guitar', 'guitar'], 'EQUI', '5')
    """
    return _lines(pair.alignments, pair.tokens)
