"""Statistics of the data sets of a task."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from stsbaselines.data.catalogue import DataSet, Task
from stsbaselines.data.find import require_all
from stsbaselines.evaluation.outputs import available
from stsbaselines.io.frames import to_frame, to_html
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.tasks.base import family_of, text_of
from stsbaselines.tasks.labelled import as_task
from stsbaselines.tasks.typed import TYPES

if TYPE_CHECKING:
    import pandas

Statistics = dict[str, Any]


@dataclass(frozen=True, eq=False, repr=False)
class Description:
    """The statistics of each data set of a task, by name; see `describe`."""

    task: Task
    datasets: Mapping[str, Statistics]
    gold: Mapping[str, FloatArray]  # of the scored pairs
    lengths: Mapping[str, FloatArray]  # tokens of each sentence of the scored pairs
    notes: tuple[str, ...] = ()

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each data set, without what has several values."""
        return [
            {"set": name}
            | {key: each for key, each in found.items() if not isinstance(each, dict | list)}
            for name, found in self.datasets.items()
        ]

    def to_frame(self) -> pandas.DataFrame:
        """Return `rows` as a pandas DataFrame; pandas must be installed."""
        return to_frame(self.rows())

    def _repr_html_(self) -> str:
        return to_html(self.task.title, self.rows(), notes=self.notes)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {
            "task": self.task.task,
            "datasets": {**self.datasets},
            "notes": list(self.notes),
        }


def describe(
    task: str | Path | Task, dataset: str | None = None, data_dir: str | Path | None = None
) -> Description:
    """Count what is in the data sets of a task.

    Parameters
    ----------
    task : str, path or Task
        As for `stsbaselines.score`.
    dataset : str, optional
        Only this data set.
    data_dir : path, optional
        Where the data is searched first.

    Returns
    -------
    Description
        For each data set: lines and scored pairs, distinct pairs and sentences of the scored ones,
        tokens as the official program of 2012 to 2015 splits them, and the mean ratio of the
        lengths of both sentences (shorter / longer). Of gold scores: mean, standard deviation (of
        the population), how many are zero, how many lie in each unit (the last one is closed), and
        how many are nearest to each grade (halves go up). Of typed similarity, the scores of each
        type; of tweets, paraphrases, other pairs and debatable ones; of interpretable STS, chunks,
        and labels of aligned chunks.

    Raises
    ------
    InputError
        If there is no such task or data set, or its files were not found.

    Examples
    --------
    >>> found = describe("sample-sts", "kitchen").datasets["kitchen"]
    >>> found["lines"], found["scored"], found["units"]
    (12, 11, [1, 1, 2, 1, 6])
    """
    entry = as_task(task)
    wanted = entry.datasets if dataset is None else [entry.dataset(dataset)]
    found, notes = available(entry, wanted, data_dir)
    statistics, gold, lengths = {}, {}, {}
    for each in found or wanted:
        of_set = _of_dataset(entry, each, data_dir)
        statistics[each.name], gold[each.name], lengths[each.name] = of_set
    return Description(entry, statistics, gold, lengths, (*entry.notes, *notes))


def _of_dataset(
    task: Task, dataset: DataSet, data_dir: str | Path | None
) -> tuple[Statistics, FloatArray, FloatArray]:
    files = require_all(task, dataset, data_dir)
    family = family_of(task)
    pairs, gold, _ = family.read_training(files, task, dataset)
    texts = [(text_of(left), text_of(right)) for left, right in pairs]
    found: Statistics = {"lines": dataset.pairs, "scored": len(pairs), **_of_sentences(texts)}
    if task.family == "ists":
        return found | _of_alignments(pairs, gold), np.empty(0), _lengths(texts)
    values = np.asarray(gold, dtype=np.float64)
    if task.family == "pit":
        if dataset.pairs > len(pairs):  # debatable ones have sentences, too
            inputs = family.read_inputs(files, task, dataset)
            texts = [(text_of(left), text_of(right)) for left, right in inputs]
            found |= _of_sentences(texts)
        found |= {"paraphrases": int(values.sum()), "others": int((1 - values).sum())}
        found["debatable"] = dataset.pairs - len(pairs)
    elif task.family == "typed":
        found["types"] = {
            name: _of_scores(column, task.gold_range)
            for name, column in zip(TYPES, values.T, strict=True)
        }
    else:
        found |= _of_scores(values, task.gold_range)
    return found, values, _lengths(texts)


def _of_sentences(pairs: Sequence[tuple[str, str]]) -> Statistics:
    lengths = _lengths(pairs)
    shorter, longer = lengths.min(axis=1), lengths.max(axis=1)
    ratios = np.divide(shorter, longer, out=np.ones(len(pairs)), where=longer > 0)
    return {
        "distinct_pairs": len({*pairs}),
        "distinct_sentences": len({text for pair in pairs for text in pair}),
        "tokens": int(lengths.sum()),
        "tokens_per_sentence": float(lengths.mean()),
        "longest_left": int(lengths[:, 0].max()),
        "longest_right": int(lengths[:, 1].max()),
        "length_ratio": float(ratios.mean()),
    }


def _lengths(pairs: Sequence[tuple[str, str]]) -> FloatArray:
    return np.array([[_tokens(text) for text in pair] for pair in pairs], dtype=np.float64)


def _tokens(text: str) -> int:
    """Return how many tokens ASCII white space separates; one is empty if it begins the text."""
    raw = text.encode("utf-8", "surrogateescape")
    found = raw.split()
    return len(found) + bool(found and raw[:1].isspace())


def _of_scores(gold: FloatArray, bounds: tuple[float, float]) -> Statistics:
    low, high = int(np.floor(bounds[0])), int(np.ceil(bounds[1]))
    units = np.clip(np.floor(gold).astype(int), low, max(high - 1, low))
    grades = Counter(np.floor(gold + 0.5).astype(int).tolist())
    return {
        "mean": float(gold.mean()),
        "sd": float(gold.std()),
        "zeros": int((gold == 0).sum()),
        "units": [int((units == unit).sum()) for unit in range(low, max(high, low + 1))],
        "grades": {str(grade): grades[grade] for grade in range(low, high + 1)},
    }


def _of_alignments(pairs: Sequence[Any], gold: Iterable[Iterable[Any]]) -> Statistics:
    lines = [each for alignments in gold for each in alignments]
    aligned = [each for each in lines if each.is_aligned]
    labels = Counter(each.types[0] for each in aligned)
    return {
        "chunks_left": sum(len(left.chunks) for left, _ in pairs),
        "chunks_right": sum(len(right.chunks) for _, right in pairs),
        "alignments": len(lines),
        "aligned": len(aligned),
        "labels": dict(labels.most_common()),
        "scores": {
            label: dict(sorted(Counter(f"{each.score:g}" for each in some).items()))
            for label in labels
            for some in [[each for each in aligned if each.types[0] == label]]
        },
    }
