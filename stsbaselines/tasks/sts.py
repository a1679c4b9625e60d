r"""Semantic Textual Similarity of sentence pairs, 2012 to 2016: files and scorer.

Bytes in, bytes out: only ``\n`` ends a line and only TAB separates columns; there is no
quoting, no comment (in input files), no cleaning. Bytes that are not UTF-8 become
surrogate escapes (PEP 383), so that encoding a sentence gives back its bytes.
"""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
import numpy.typing as npt

from stsbaselines.errors import SHOWN_FAULTS, Fault, InputError, shown
from stsbaselines.io import lines_of, open_to_read
from stsbaselines.scoring import correlation, resampling
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.scoring.paraphrase import BoolArray
from stsbaselines.scoring.resampling import IntArray
from stsbaselines.tasks.base import (
    LineError,
    Measures,
    ScorePairs,
    Scores,
    SentencePair,
    checked_scores,
    number_of,
    parse_numbers,
    plain_numbers,
    signature,
)
from stsbaselines.version import __version__

if TYPE_CHECKING:  # slow to import
    from stsbaselines.data.catalogue import DataSet, Task

PREDICTIONS = "scores"
_OUTPUT_NAME = re.compile(r"STS(?:2016)?\.output\.(?:surprise\.)?(.+)\.txt")
HIGHEST_CONFIDENCE = 100.0


@dataclass(frozen=True)
class SystemOutput:
    """A system's scores for the pairs of one data set.

    Attributes
    ----------
    scores : ndarray of shape (n_pairs,)
    confidences : ndarray of shape (n_pairs,) or None
        None if no line has one; a line without one among others has 0, as in 2013.
    notes : tuple of str
        What is unusual about the file, yet does not keep it from being scored.
    """

    scores: FloatArray
    confidences: FloatArray | None = None
    notes: tuple[str, ...] = ()


def read_pairs(path: Path) -> Iterator[SentencePair]:
    """Yield the sentence pairs of an input file: its first two TAB-separated columns.

    Parameters
    ----------
    path : Path

    Raises
    ------
    InputError
        At the first line without two columns; the next ones (20 in all) are named too.
    """
    with open_to_read(path) as stream:
        yield from pairs_of(stream, str(path))


def read_inputs(files: Mapping[str, Path], task: Task, dataset: DataSet) -> Iterator[SentencePair]:
    """Yield the sentence pairs of a data set; see `read_pairs`."""
    return read_pairs(files["input"])


def pairs_of(stream: BinaryIO, name: str, start: int = 1) -> Iterator[SentencePair]:
    r"""Yield the sentence pairs of a stream of bytes, whose first line is `start`.

    See `read_pairs`.

    Examples
    --------
    >>> import io
    >>> list(pairs_of(io.BytesIO(b'# 1\t"two\tsource\n'), "example"))
    [SentencePair(left='# 1', right='"two')]
    """
    faults: list[Fault | str] = []
    for number, line in lines_of(stream, name, start):
        columns = line.split(b"\t", 2)
        if len(columns) < 2:
            found = shown(line) if line.strip() else "a blank line"
            faults.append(Fault(name, found, "two sentences separated by a TAB", number))
        elif not faults:
            yield SentencePair(
                columns[0].decode("utf-8", "surrogateescape"),
                columns[1].decode("utf-8", "surrogateescape"),
            )
        if len(faults) == SHOWN_FAULTS:
            break
    if faults:
        raise InputError(faults)


def read_training(
    files: Mapping[str, Path], task: Task, dataset: DataSet
) -> tuple[list[SentencePair], FloatArray]:
    """Read the scored pairs of a data set, to train on.

    Parameters
    ----------
    files : mapping of str to Path
        ``input`` and ``gold``.
    task, dataset : Task, DataSet

    Returns
    -------
    pairs : list of (str, str)
    gold : ndarray of float of shape (n_pairs,)

    Raises
    ------
    InputError
        For a line that does not fit, or if there are more or fewer pairs than scores.
    """
    gold = read_gold(files["gold"], task, dataset)
    pairs = list(read_pairs(files["input"]))
    if len(pairs) != len(gold):
        expected = f"{len(gold)}, one for each score"
        raise InputError([Fault(str(files["input"]), f"{len(pairs)} lines", expected)])
    scored = ~np.isnan(gold)
    return list(itertools.compress(pairs, scored)), gold[scored]


def read_gold(path: Path, task: Task, dataset: DataSet) -> FloatArray:
    """Read a gold standard: one number a line, an exactly empty line for a pair not scored.

    Parameters
    ----------
    path : Path
    task, dataset : Task, DataSet
        Give the range of the scores and the number of pairs.

    Returns
    -------
    ndarray of shape (n_pairs,)
        NaN for a pair that is not scored.

    Raises
    ------
    InputError
        With every line that does not fit.
    """

    def parse(line: bytes) -> float:
        return math.nan if line == b"" else number_of(line, task.gold_range, "a score")

    def parse_block(block: bytes) -> FloatArray | None:
        table = plain_numbers(block, blank=b"nan")
        if table is None or table.shape[1] > 1 or _are_outside(table, *task.gold_range).any():
            return None
        return table[:, 0]

    return parse_numbers(path, parse, parse_block, dataset.pairs)


def read_output(path: Path, task: Task, dataset: DataSet, strict: bool = False) -> SystemOutput:
    """Read a system output: ``score`` or ``score TAB confidence`` a line.

    Parameters
    ----------
    path : Path
    task, dataset : Task, DataSet
        Give the range of the scores and the number of pairs.
    strict : bool
        The rules for submissions (`correct-output.pl` of 2013): scores within the
        task's range, confidences within 0-100, no comments. Without it these are
        noted, since the official scorers accept them.

    Raises
    ------
    InputError
        With every line that does not fit.
    """
    comments: list[bytes] = []

    def skip(line: bytes) -> bool:
        if strict or not task.comments or not line.startswith(b"#"):
            return False
        comments.append(line)
        return True

    def parse(line: bytes) -> tuple[float, float]:
        return _score_and_confidence(line, bounds)

    def parse_block(block: bytes) -> FloatArray | None:
        return _scores_and_confidences(block, bounds)

    bounds = task.gold_range if strict else None
    table = parse_numbers(path, parse, parse_block, dataset.pairs, skip)
    scores, confidences = table[:, 0], table[:, 1]
    notes = [
        *_range_notes("score", scores, *task.gold_range),
        *_range_notes("confidence", confidences, 0, HIGHEST_CONFIDENCE),
    ]
    if comments:
        notes.append(f"lines skipped since they begin with #: {len(comments)}")
    without = int(np.isnan(confidences).sum())
    if without == len(confidences):
        return SystemOutput(scores, None, tuple(notes))
    if without:
        notes.append(f"lines without a confidence, which weigh 0 beside those with one: {without}")
    return SystemOutput(scores, np.nan_to_num(confidences, nan=0.0), tuple(notes))


def _score_and_confidence(line: bytes, bounds: tuple[float, float] | None) -> tuple[float, float]:
    """Parse a line of a system output; NaN where there is no confidence."""
    columns = line.split(b"\t")
    if len(columns) > 2:
        expected = "a score, or score TAB confidence"
        raise LineError(f"{len(columns)} TAB-separated columns", expected)
    score = number_of(columns[0], bounds, "a score")
    if len(columns) == 1:
        return score, math.nan
    return score, number_of(columns[1], _range_of_confidences(bounds), "a confidence")


def _range_of_confidences(bounds: tuple[float, float] | None) -> tuple[float, float]:
    return 0.0, HIGHEST_CONFIDENCE if bounds else math.inf


def _scores_and_confidences(block: bytes, bounds: tuple[float, float] | None) -> FloatArray | None:
    """Parse whole lines of a system output; None if `_score_and_confidence` may refuse one."""
    table = plain_numbers(block)
    if table is None or table.shape[1] > 2:
        return None
    if bounds and _are_outside(table[:, 0], *bounds).any():
        return None
    if _are_outside(table[:, 1:], *_range_of_confidences(bounds)).any():
        return None
    if table.shape[1] == 1:
        return np.column_stack([table, np.full(len(table), math.nan)])
    return table


def _are_outside(values: FloatArray, low: float, high: float) -> BoolArray:
    return np.asarray((values < low) | (values > high))


def _range_notes(what: str, values: FloatArray, low: float, high: float) -> list[str]:
    outside = int(np.sum(_are_outside(values, low, high)))
    if not outside:
        return []
    return [
        f"lines with a {what} outside {low:g}-{high:g}, which the official scorer accepts"
        f" and a submission must not have: {outside}"
    ]


def format_predictions(
    predictions: npt.ArrayLike, pairs: Sequence[Any] = (), start: int = 1
) -> bytes:
    r"""Return the lines of a system output, 10 decimals as `00-baseline.pl` prints them.

    Parameters
    ----------
    predictions : array-like of shape (n_pairs,)
    pairs, start
        Not used: a line says nothing but what was predicted.

    Raises
    ------
    InputError
        For a prediction that is not a finite number, or not one number a pair.

    Examples
    --------
    >>> format_predictions([0.5, 1 / 3])
    b'0.5000000000\n0.3333333333\n'
    """
    return b"".join(b"%.10f\n" % value for value in checked_scores(predictions))


def label_of_output(file_name: str) -> str | None:
    """Return the data set that the name of an output file claims to be for, if any.

    Parameters
    ----------
    file_name : str

    Returns
    -------
    str or None

    Examples
    --------
    >>> label_of_output("STS.output.surprise.OnWN.txt"), label_of_output("readme.txt")
    ('OnWN', None)
    """
    match = _OUTPUT_NAME.fullmatch(file_name)
    return match[1] if match else None


def score(
    task: Task, run: str, gold: Mapping[str, FloatArray], outputs: Mapping[str, SystemOutput]
) -> Scores:
    """Score a run as the task's organisers did, with the other common measures beside.

    Parameters
    ----------
    task : Task
    run : str
        What to call the run.
    gold : mapping of str to ndarray of shape (n_pairs,)
        By data set; NaN for pairs that are not scored.
    outputs : mapping of str to SystemOutput
        By data set. Aggregates are given only if all data sets of the task are here.

    Returns
    -------
    Scores
        ``pearson`` is the measure of the task's official scorer: weighted by confidence
        where that scorer did so. With confidences, ``pearson_unweighted`` and
        ``pearson_weighted`` are given as well. Aggregates: ``Mean`` is weighted by
        scored pairs, ``plain_mean`` is not; ``ALL``, ``ALLnrm`` and ``ALLw``
        (confidence-weighted) are those of 2012, tables 1 and 2.
    """
    notes: list[str] = []
    parts = _parts(task, gold, outputs, notes)
    complete = len(parts) == len(task.datasets)
    return Scores(
        task=task.task,
        run=run,
        datasets={part.name: part.measures() for part in parts},
        aggregates=_aggregates(task, parts) if complete else {},
        main="pearson",
        signature=_signature(task, parts, complete),
        notes=tuple(notes),
    )


def countable(gold: FloatArray) -> BoolArray:
    """Tell which lines of a gold standard are scored.

    Examples
    --------
    >>> countable(np.array([4.0, np.nan])).tolist()
    [True, False]
    """
    return ~np.isnan(gold)


def score_pairs(
    task: Task, gold: Mapping[str, FloatArray], outputs: Mapping[str, SystemOutput]
) -> dict[str, ScorePairs]:
    """Return what is correlated: by data set and, if all are here, for ``ALL``.

    The lines of ``ALL`` are numbered through. See `Family.score_pairs`.
    """
    parts = _parts(task, gold, outputs, [])
    found = {
        part.name: ScorePairs(
            part.scores,
            part.gold,
            np.flatnonzero(countable(gold[part.name])) + 1,
            part.pearson_weights,
        )
        for part in parts
    }
    if len(parts) == len(task.datasets):
        scores = np.concatenate([part.scores for part in parts])
        joined = np.concatenate([part.gold for part in parts])
        found["ALL"] = ScorePairs(scores, joined, np.arange(1, len(joined) + 1))
    return found


def resampled(
    task: Task,
    gold: Mapping[str, FloatArray],
    outputs: Mapping[str, SystemOutput],
    counts: Mapping[str, IntArray],
) -> dict[str, FloatArray]:
    """Return the official correlations on resamples within each data set; see `Family.resampled`.

    That is, by data set and, if all are here, ``Mean`` (weighted as in `score`), ``ALL`` and
    ``ALLnrm``, which is fitted to each resample.
    """
    parts = _parts(task, gold, outputs, [])
    drawn = [counts[part.name][:, countable(gold[part.name])] for part in parts]
    found = {
        part.name: resampling.pearson(part.scores, part.gold, each, part.pearson_weights)
        for part, each in zip(parts, drawn, strict=True)
    }
    if len(parts) == len(task.datasets):
        scores, golds = [part.scores for part in parts], [part.gold for part in parts]
        pairs = [len(values) for values in golds]
        found["Mean"] = np.average([*found.values()], axis=0, weights=pairs)
        found["ALL"] = resampling.pearson(
            np.concatenate(scores), np.concatenate(golds), np.concatenate(drawn, axis=1)
        )
        found["ALLnrm"] = resampling.pearson_all_normalized(scores, golds, drawn)
    return found


def _parts(
    task: Task,
    gold: Mapping[str, FloatArray],
    outputs: Mapping[str, SystemOutput],
    notes: list[str],
) -> list[_Part]:
    return [
        _Part.of(name, gold[name], outputs[name], task, notes)
        for name in task.dataset_names
        if name in outputs
    ]


@dataclass(frozen=True)
class _Part:
    """The scored pairs of one data set."""

    name: str
    scores: FloatArray
    gold: FloatArray
    confidences: FloatArray | None
    confidence: str

    @classmethod
    def of(
        cls, name: str, gold: FloatArray, output: SystemOutput, task: Task, notes: list[str]
    ) -> _Part:
        scored = countable(gold)
        notes.extend(f"{name}: {note}" for note in output.notes)
        confidences, how = output.confidences, "none"
        if confidences is not None:
            confidences, how = confidences[scored], task.confidence
            if how == "ignored":
                notes.append(f"{name}: confidences ignored, as {task.task}'s official scorer does")
            if not confidences.any():
                confidences = np.full(len(confidences), HIGHEST_CONFIDENCE)
                how = "equal" if how == "weighted" else how
                notes.append(
                    f"{name}: all confidences are 0, so all pairs weigh the same in weighted"
                    " correlations, as the organisers of 2013 decided"
                )
        part = cls(name, output.scores[scored], gold[scored], confidences, how)
        if part.pearson is None:
            notes.append(
                f"{name}: the correlation is undefined, for the scores that count are all the same"
            )
        return part

    @property
    def pearson_weights(self) -> FloatArray | None:
        """The weights of the official correlation; None if it has none, or all are equal."""
        return self.confidences if self.confidence == "weighted" else None

    @functools.cached_property
    def pearson(self) -> float | None:
        return correlation.pearson(self.scores, self.gold, self.pearson_weights)

    @functools.cached_property
    def spearman(self) -> float | None:
        return correlation.spearman(self.scores, self.gold)

    @property
    def weights(self) -> FloatArray:
        if self.confidences is None:
            return np.full(len(self.gold), HIGHEST_CONFIDENCE)
        return self.confidences

    def measures(self) -> Measures:
        measures: Measures = {
            "pearson": self.pearson,
            "spearman": self.spearman,
            "n": len(self.gold),
        }
        if self.confidences is not None:
            measures["pearson_unweighted"] = correlation.pearson(self.scores, self.gold)
            measures["pearson_weighted"] = correlation.pearson(
                self.scores, self.gold, self.confidences
            )
        return measures


def _aggregates(task: Task, parts: list[_Part]) -> dict[str, float | None]:
    scores, gold = [part.scores for part in parts], [part.gold for part in parts]
    pairs = [len(values) for values in gold]
    pearsons = [part.pearson for part in parts]
    aggregates = {
        "Mean": correlation.mean(pearsons, pairs),
        "ALL": correlation.pearson_all(scores, gold),
        "ALLnrm": correlation.pearson_all_normalized(scores, gold),
        "plain_mean": correlation.mean(pearsons),
        "spearman_Mean": correlation.mean([part.spearman for part in parts], pairs),
        "spearman_ALL": correlation.spearman(np.concatenate(scores), np.concatenate(gold)),
    }
    if any(part.confidences is not None for part in parts):
        aggregates["ALLw"] = correlation.pearson_all(scores, gold, [part.weights for part in parts])
    official = {name: aggregates[name] for name in task.measures}
    return official | aggregates


def _signature(task: Task, parts: list[_Part], complete: bool) -> str:
    return signature(
        [
            ("task", task.task),
            ("sets", "+".join(f"{part.name}({len(part.gold)})" for part in parts)),
            ("n", sum(len(part.gold) for part in parts)),
            ("correlation", "pearson"),
            ("aggregate", "+".join(task.measures) if complete else "none"),
            ("mean", "weighted by scored pairs"),
            ("confidence", "+".join(sorted({part.confidence for part in parts}))),
            ("version", __version__),
        ]
    )
