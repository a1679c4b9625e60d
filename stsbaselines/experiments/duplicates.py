"""Notes on pairs that occur several times: within training data, or in training and test data."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from stsbaselines.data.catalogue import DataSet, Task
from stsbaselines.tasks.base import family_of

SHOWN = 3


class _Repeat(NamedTuple):
    """A pair that occurred before, by their lines."""

    line: int
    first: int
    is_swapped: bool
    has_other_gold: bool

    def __str__(self) -> str:
        return f"{self.line} = {self.first}"


def note_on_repeats(
    name: str, pairs: Sequence[Any], labels: Iterable[Any], lines: Sequence[int]
) -> Iterator[str]:
    """Yield a note if pairs of a data set repeat others, perhaps swapped or with another gold."""
    repeats = list(_repeats(pairs, labels, lines))
    swapped = [each for each in repeats if each.is_swapped]
    conflicting = [each for each in repeats if each.has_other_gold]
    if repeats:
        found = f"lines that repeat the pair of an earlier one: {_listed(repeats, len(pairs))}"
        found += f"; with the sentences swapped: {_listed(swapped)}" if swapped else ""
        found += f"; with another gold standard: {_listed(conflicting)}" if conflicting else ""
        yield f"{name}: {found}"


def _repeats(
    pairs: Sequence[Any], labels: Iterable[Any], lines: Sequence[int]
) -> Iterator[_Repeat]:
    seen: dict[Any, tuple[Any, Any, int]] = {}
    for pair, label, line in zip(pairs, labels, lines, strict=True):
        sides = _sides(pair)
        first_sides, first_label, first = seen.setdefault(_key(pair), (sides, label, line))
        if first != line:
            is_swapped = sides != first_sides
            is_other = not np.array_equal(label, first_label)
            # The alignments of swapped sentences differ without a conflict.
            is_comparable = not (is_swapped and isinstance(label, tuple))
            yield _Repeat(line, first, is_swapped, is_other and is_comparable)


def note_on_shared(
    task: Task,
    dataset: DataSet,
    files: Mapping[str, Path],
    training: Sequence[Any],
    sets: Sequence[str],
) -> Iterator[str]:
    """Yield a note if pairs of a test set are in the training data, whose data sets are `sets`."""
    known: dict[Any, str] = {}
    for pair, name in zip(training, sets, strict=True):
        known.setdefault(_key(pair), name)
    inputs = list(family_of(task).read_inputs(files, task, dataset)) if known else []
    shared = [(line, known.get(_key(pair))) for line, pair in enumerate(inputs, 1)]
    shared = [(line, name) for line, name in shared if name is not None]
    if shared:
        lines, names = [line for line, _ in shared], dict.fromkeys(name for _, name in shared)
        yield (
            f"{task.task}/{dataset.name}: lines whose pair is in the training data too:"
            f" {_listed(lines, len(inputs))}, from {', '.join(map(str, names))}"
        )


def _sides(pair: Any) -> tuple[Any, Any]:
    left, right = (getattr(side, "text", side) for side in pair)
    return left, right


def _key(pair: Any) -> tuple[Any, ...]:
    return tuple(sorted(_sides(pair)))


def _listed(items: Iterable[Any], total: int | None = None) -> str:
    """Return how many items there are, perhaps of how many, and the first ones."""
    shown = list(map(str, items))
    count = f"{len(shown):,}" if total is None else f"{len(shown):,} of {total:,}"
    return f"{count} ({', '.join(shown[:SHOWN])}{', ...' if len(shown) > SHOWN else ''})"
