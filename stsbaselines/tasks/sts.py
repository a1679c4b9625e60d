r"""Semantic Textual Similarity of sentence pairs, 2012 to 2016: files and scorer.

Bytes in, bytes out: only ``\n`` ends a line and only TAB separates columns; there is no
quoting, no comment (in input files), no cleaning. Bytes that are not UTF-8 become
surrogate escapes (PEP 383), so that encoding a sentence gives back its bytes.
"""

from __future__ import annotations

import contextlib
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
from stsbaselines.io.files import decoded, lines_of, open_to_read
from stsbaselines.scoring import correlation, resampling
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.scoring.paraphrase import BoolArray
from stsbaselines.scoring.resampling import Counts
from stsbaselines.tasks.base import (
    FINER_DIFFERENCES,
    NEARLY_CONSTANT,
    UNDEFINED,
    Family,
    Files,
    Measures,
    ScorePairs,
    Scores,
    SentencePair,
    checked_scores,
    signature,
)
from stsbaselines.tasks.labelled import read_labelled
from stsbaselines.tasks.lines import LineError, number_of, parse_numbers
from stsbaselines.tasks.output_lines import (
    Form,
    check_columns,
    hints_of,
    read_output_lines,
)

if TYPE_CHECKING:  # slow to import
    from stsbaselines.data.catalogue import DataSet, Task

HIGHEST_CONFIDENCE = 100.0
COLUMNS = (
    ("score", "scores", "prediction", "predictions", "similarity", "relatedness_score"),
    ("confidence", "confidences"),
)


@dataclass(frozen=True)
class StsOutput:
    """A system's scores, and notes about what is unusual in its file.

    `scores` has NaN for pairs without a score. `confidences` is None if no line has one; a line
    without one among others has 0, as in 2013.
    """

    scores: FloatArray
    confidences: FloatArray | None = None
    notes: tuple[str, ...] = ()


def read_pairs(path: Path) -> Iterator[SentencePair]:
    """Yield the sentence pairs of an input file: its first two TAB-separated columns."""
    with open_to_read(path) as stream:
        yield from pairs_of(stream, str(path))


def pairs_of(stream: BinaryIO, name: str, start: int = 1) -> Iterator[SentencePair]:
    """Yield the pairs of a stream; in errors, it is called `name` and begins with line `start`."""
    faults: list[Fault | str] = []
    for number, line in lines_of(stream, name, start):
        columns = line.split(b"\t", 2)
        if len(columns) < 2:
            found = shown(line) if line.strip() else "a blank line"
            faults.append(Fault(name, found, "two sentences separated by a TAB", number))
        elif not faults:
            yield SentencePair(decoded(columns[0]), decoded(columns[1]))
        if len(faults) == SHOWN_FAULTS:
            break
    if faults:
        raise InputError(faults)


Golds = Mapping[str, FloatArray]
Outputs = Mapping[str, StsOutput]


class StsFamily(Family):
    """Sentence pairs with one score each."""

    predicts = "scores"
    output_name = re.compile(r"STS(?:2016)?\.output\.(?:surprise\.)?(.+)\.txt")

    def read_inputs(self, files: Files, task: Task, dataset: DataSet) -> Iterator[SentencePair]:
        if dataset.columns:
            return iter(read_labelled(files["input"], dataset.columns, task, dataset)[0])
        return read_pairs(files["input"])

    def read_training(
        self, files: Files, task: Task, dataset: DataSet
    ) -> tuple[list[SentencePair], FloatArray, list[int]]:
        if dataset.columns:
            labelled = read_labelled(files["input"], dataset.columns, task, dataset)
            return *labelled, list(range(1, dataset.pairs + 1))
        gold = self.read_gold(files["gold"], task, dataset)
        pairs = list(read_pairs(files["input"]))
        if len(pairs) != len(gold):
            expected = f"{len(gold)}, one for each score"
            raise InputError([Fault(str(files["input"]), f"{len(pairs)} lines", expected)])
        scored = self.countable(gold)
        lines = (np.flatnonzero(scored) + 1).tolist()
        return list(itertools.compress(pairs, scored)), gold[scored], lines

    def read_gold(self, path: Path, task: Task, dataset: DataSet) -> FloatArray:
        """Read one number per line; an exactly empty line, for a pair not scored, gives NaN."""
        if dataset.columns:
            return read_labelled(path, dataset.columns, task, dataset)[1]

        def parse(line: bytes) -> list[float]:
            return [math.nan if line == b"" else number_of(line, task.gold_range, "a score")]

        count = len(dataset.gold_lines) or dataset.pairs
        found = parse_numbers(path, parse, [task.gold_range], count, b"nan")[:, 0]
        if not dataset.gold_lines:
            return found
        gold = np.full(dataset.pairs, math.nan)
        gold[np.array(dataset.gold_lines) - 1] = found
        return gold

    def read_output(
        self, path: Path, task: Task, dataset: DataSet, strict: bool = False
    ) -> StsOutput:
        """Read a score per line, optionally followed by a TAB and a confidence.

        The rules of `correct-output.pl` of 2013: scores within the task's range, confidences
        within 0-100, no comments. Without them, pairs that the gold standard does not score may
        have no score, which is NaN then; and of one part of a file, an output may be for all rows.
        """
        try:
            return self._output(path, task, dataset, strict)
        except InputError:
            if not strict and dataset.rows:
                with contextlib.suppress(InputError):
                    return self._output_of_part(path, task, dataset)
            raise

    def _output_of_part(self, path: Path, task: Task, dataset: DataSet) -> StsOutput:
        """Read the output for all rows of the file of which a data set is one part."""
        count = dataset.file_rows
        whole = dataset.model_copy(update={"pairs": count, "scored": count})
        output, chosen = self._output(path, task, whole, False), np.array(dataset.rows) - 1
        confidences = None if output.confidences is None else output.confidences[chosen]
        note = f"the output is for all {count:,} rows, of which {len(chosen):,} are scored"
        return StsOutput(output.scores[chosen], confidences, (note, *output.notes))

    def _output(self, path: Path, task: Task, dataset: DataSet, strict: bool) -> StsOutput:
        score_bounds = task.gold_range if strict and task.bounded else None
        confidence_bounds = 0.0, HIGHEST_CONFIDENCE if strict else math.inf
        may_be_blank = not strict and dataset.scored < dataset.pairs

        def parse(line: bytes) -> tuple[float, float]:
            if may_be_blank and not line:
                return math.nan, math.nan
            columns = line.split(b"\t")
            if len(columns) > 2:
                expected = "a score, or score TAB confidence"
                raise LineError(f"{len(columns)} TAB-separated columns", expected)
            score = number_of(columns[0], score_bounds, "a score")
            if len(columns) == 1:
                return score, math.nan
            return score, number_of(columns[1], confidence_bounds, "a confidence")

        bounds = [score_bounds, confidence_bounds]
        if strict:
            hints = hints_of(dataset)
            rows = parse_numbers(path, parse, bounds, dataset.pairs, hints=hints)
            return _as_output(*rows.T)
        form = Form(COLUMNS, 1, task.gold_range[1], task.comments, partial=True)
        found = read_output_lines(path, parse, dataset, form, bounds)
        check_columns(path, found, task.gold_range[1])
        scores, confidences = found.rows.T
        notes = [
            *found.notes,
            *(_range_notes("score", scores, *task.gold_range) if task.bounded else ()),
            *_range_notes("confidence", confidences, 0, HIGHEST_CONFIDENCE),
        ]
        output = _as_output(scores, confidences, notes)
        return output if found.pairs is None else _spread(output, found.pairs, dataset.pairs)

    def format_predictions(
        self, predictions: npt.ArrayLike, pairs: Sequence[Any] = (), start: int = 1
    ) -> bytes:
        """Return a score per line, with 10 decimals as `00-baseline.pl` prints them."""
        return b"".join(b"%.10f\n" % value for value in checked_scores(predictions).tolist())

    def output_of(self, predictions: npt.ArrayLike, pairs: Sequence[Any], task: Task) -> StsOutput:
        return StsOutput(checked_scores(predictions, pairs=pairs))

    def score(self, task: Task, run: str, gold: Golds, outputs: Outputs) -> Scores:
        """Score a run as the task's organisers did, with other common measures beside it.

        ``pearson`` is weighted by confidence where the official scorer did so. With confidences,
        ``pearson_unweighted`` and ``pearson_weighted`` are given as well. Aggregates, of all data
        sets only: ``Mean`` is weighted by scored pairs, ``plain_mean`` is not; ``ALL``, ``ALLnrm``
        and ``ALLw`` (weighted by confidence) are those of 2012, tables 1 and 2.
        """
        parts = _parts(task, gold, outputs)
        complete = _is_complete(task, parts)
        datasets: dict[str, Measures] = {}
        notes: list[str] = []
        for part in parts:
            datasets[part.name] = part.measures()
            about_digits = _notes_on_digits(part.scores)
            notes += [f"{part.name}: {note}" for note in (*part.notes, *about_digits)]
            if datasets[part.name]["pearson"] is None:
                notes.append(f"{part.name}: {UNDEFINED}")
        return Scores(
            task=task.task,
            run=run,
            datasets=datasets,
            aggregates=_aggregates(task, parts, datasets) if complete else {},
            main="pearson",
            signature=signature(
                task.signed_name,
                [f"{part.name}({len(part.gold)})" for part in parts],
                n=sum(len(part.gold) for part in parts),
                correlation="pearson",
                aggregate="+".join(task.measures) if complete else "none",
                mean="weighted by scored pairs",
                confidence="+".join(sorted({part.confidence for part in parts})),
            ),
            notes=tuple(notes),
        )

    def countable(self, gold: FloatArray) -> BoolArray:
        return ~np.isnan(gold)

    def score_pairs(self, task: Task, gold: Golds, outputs: Outputs) -> dict[str, ScorePairs]:
        """Return the pairs of each data set and, of all data sets, of ``ALL``."""
        parts = _parts(task, gold, outputs)
        found = {
            part.name: ScorePairs(part.scores, part.gold, part.lines, part.pearson_weights)
            for part in parts
        }
        if _is_complete(task, parts):
            scores = np.concatenate([part.scores for part in parts])
            joined = np.concatenate([part.gold for part in parts])
            found["ALL"] = ScorePairs(scores, joined, np.arange(1, len(joined) + 1))
        return found

    def resampled(
        self, task: Task, gold: Golds, outputs: Outputs, counts: Counts
    ) -> dict[str, FloatArray]:
        """Return the correlations of each data set and, of all, ``Mean``, ``ALL``, ``ALLnrm``.

        Pairs are resampled within each data set, and ``ALLnrm`` is fitted to each resample.
        """
        parts = _parts(task, gold, outputs)
        drawn = [counts[part.name][:, part.lines - 1] for part in parts]
        found = {
            part.name: resampling.pearson(part.scores, part.gold, each, part.pearson_weights)
            for part, each in zip(parts, drawn, strict=True)
        }
        if _is_complete(task, parts):
            scores, golds = [part.scores for part in parts], [part.gold for part in parts]
            pairs = [len(values) for values in golds]
            found["Mean"] = np.average([*found.values()], axis=0, weights=pairs)
            found["ALL"] = resampling.pearson(
                np.concatenate(scores), np.concatenate(golds), np.concatenate(drawn, axis=1)
            )
            found["ALLnrm"] = resampling.pearson_all_normalized(scores, golds, drawn)
        return found


FAMILY = StsFamily()


def _as_output(scores: FloatArray, confidences: FloatArray, notes: Sequence[str] = ()) -> StsOutput:
    """Return an output from the columns of its lines, of which blank ones have NaN."""
    has_score, has_confidence = ~np.isnan(scores), ~np.isnan(confidences)
    notes = [*notes]
    if not has_score.all():
        notes.append(f"lines without a score: {(~has_score).sum()}")
    if not has_confidence.any():
        return StsOutput(scores, None, tuple(notes))
    if without := int((has_score & ~has_confidence).sum()):
        what = "lines without a confidence, which weigh 0 beside those with one"
        notes.append(f"{what}: {without}")
    return StsOutput(scores, np.nan_to_num(confidences, nan=0.0), tuple(notes))


def _spread(output: StsOutput, pairs: npt.NDArray[np.int64], n_pairs: int) -> StsOutput:
    """Return an output of some pairs, given their numbers, as one of all pairs."""
    scores, confidences = np.full(n_pairs, math.nan), output.confidences
    scores[pairs - 1] = output.scores
    if confidences is not None:
        confidences = np.zeros(n_pairs)
        confidences[pairs - 1] = output.confidences
    return StsOutput(scores, confidences, output.notes)


def _range_notes(what: str, values: FloatArray, low: float, high: float) -> Iterator[str]:
    outside = int(np.sum((values < low) | (values > high)))
    if outside:
        yield (
            f"lines with a {what} outside {low:g}-{high:g}, which the official scorer accepts"
            f" and a submission must not have: {outside}"
        )


def _notes_on_digits(scores: FloatArray) -> Iterator[str]:
    if correlation.is_nearly_constant(scores):
        yield NEARLY_CONSTANT
    if correlation.has_finer_differences(scores):
        yield FINER_DIFFERENCES


@dataclass(frozen=True)
class _Part:
    """The scored pairs of one data set, and how their confidences are used."""

    name: str
    scores: FloatArray
    gold: FloatArray
    lines: npt.NDArray[np.int64]
    confidences: FloatArray | None
    confidence: str
    notes: tuple[str, ...]

    @property
    def pearson_weights(self) -> FloatArray | None:
        """The weights of the official correlation; None if it has none, or all are equal."""
        return self.confidences if self.confidence == "weighted" else None

    def measures(self) -> Measures:
        measures: Measures = {
            "pearson": correlation.pearson(self.scores, self.gold, self.pearson_weights),
            "spearman": correlation.spearman(self.scores, self.gold),
            "n": len(self.gold),
        }
        if self.confidences is not None:
            measures["pearson_unweighted"] = correlation.pearson(self.scores, self.gold)
            measures["pearson_weighted"] = correlation.pearson(
                self.scores, self.gold, self.confidences
            )
        return measures


def _parts(task: Task, gold: Golds, outputs: Outputs) -> list[_Part]:
    """Return the scored pairs of each data set that has an output."""
    return [
        _part_of(name, gold[name], outputs[name], task)
        for name in task.dataset_names
        if name in outputs
    ]


def _is_complete(task: Task, parts: Sequence[_Part]) -> bool:
    """Return whether all data sets of a task have an output, and are taken together."""
    return bool(task.measures) and len(parts) == len(task.datasets)


def _check_scored(name: str, gold: FloatArray, output: StsOutput, scored: BoolArray) -> None:
    """Raise InputError if scored pairs have no score, or a column is the gold standard."""
    found = ""
    if len(missing := np.flatnonzero(scored & np.isnan(output.scores))):
        found = f"no score for {len(missing)} scored pairs, such as pair {missing[0] + 1}"
    elif output.confidences is not None and len({*output.confidences[scored].tolist()}) > 1:
        columns = output.scores, output.confidences
        if any(_are_rounded(each[scored], gold[scored]) for each in columns):
            found = "the gold standard in one of two columns"
    if found:
        expected = "a score for each scored pair, perhaps with a confidence"
        raise InputError([Fault(f"the output for {name}", found, expected)])


def _are_rounded(values: FloatArray, gold: FloatArray) -> bool:
    """Return whether values are those of a gold standard, perhaps with fewer decimals."""
    decimals = next((n for n in range(6) if np.array_equal(np.round(values, n), values)), 6)
    return bool(np.allclose(values, gold, rtol=0, atol=0.5 * 10.0**-decimals + 1e-9))


def _part_of(name: str, gold: FloatArray, output: StsOutput, task: Task) -> _Part:
    scored = FAMILY.countable(gold)
    _check_scored(name, gold, output, scored)
    notes = [*output.notes]
    confidences, how = output.confidences, "none"
    if confidences is not None:
        confidences, how = confidences[scored], task.confidence
        if how == "weighted" and confidences.any():
            what = "the second column is taken as confidences"
            notes.append(f"{what}, which weigh the official correlation")
        if how == "ignored":
            notes.append(f"confidences ignored, as {task.task}'s official scorer does")
        if not confidences.any():
            confidences = np.full(len(confidences), HIGHEST_CONFIDENCE)
            how = "equal" if how == "weighted" else how
            notes.append(
                "all confidences are 0, so all pairs weigh the same in weighted correlations, as"
                " the organisers of 2013 decided"
            )
    lines = np.flatnonzero(scored) + 1
    return _Part(name, output.scores[scored], gold[scored], lines, confidences, how, tuple(notes))


def _aggregates(
    task: Task, parts: list[_Part], datasets: Mapping[str, Measures]
) -> dict[str, float | None]:
    scores, gold = [part.scores for part in parts], [part.gold for part in parts]
    pairs = [len(values) for values in gold]
    pearsons = [measures["pearson"] for measures in datasets.values()]
    spearmans = [measures["spearman"] for measures in datasets.values()]
    aggregates = {
        "Mean": correlation.mean(pearsons, pairs),
        "ALL": correlation.pearson_all(scores, gold),
        "ALLnrm": correlation.pearson_all_normalized(scores, gold),
        "plain_mean": correlation.mean(pearsons),
        "spearman_Mean": correlation.mean(spearmans, pairs),
        "spearman_ALL": correlation.spearman(np.concatenate(scores), np.concatenate(gold)),
    }
    if any(part.confidences is not None for part in parts):
        weights = [
            np.full(len(part.gold), HIGHEST_CONFIDENCE)
            if part.confidences is None
            else part.confidences
            for part in parts
        ]
        aggregates["ALLw"] = correlation.pearson_all(scores, gold, weights)
    official = {name: aggregates[name] for name in task.measures}
    return official | aggregates
