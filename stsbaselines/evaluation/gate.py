"""A regression gate: a system is compared with the stored scores of an earlier version."""

from __future__ import annotations

import base64
import hashlib
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field

from stsbaselines.data.catalogue import Task
from stsbaselines.errors import Fault, InputError, unknown
from stsbaselines.evaluation.comparison import FEWEST_RESAMPLES, compare, named_systems
from stsbaselines.evaluation.explanation import chosen_convention
from stsbaselines.evaluation.outputs import Progress, no_progress
from stsbaselines.evaluation.row_scores import find_sets, scores_of_sets
from stsbaselines.io.files import to_json, write_text
from stsbaselines.io.settings import Entry, read_model
from stsbaselines.reference.rows import COLUMNS
from stsbaselines.scoring import conventions
from stsbaselines.scoring.conventions import CONVENTIONS, ROW_CONVENTIONS, Convention, Pair
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.scoring.resampling import draw
from stsbaselines.scoring.significance import Interval, paired_bootstrap
from stsbaselines.tasks.base import UNDEFINED, ScorePairs

ROW = "row"
MARGIN = 0.002
LEVEL = 0.05
RESAMPLES = 1000

Arrays = tuple[FloatArray, FloatArray]  # scores, gold scores
Parts = Mapping[str, Mapping[str, Arrays]]  # by column of a row, or one column for a task


class StoredScores(Entry):
    """The content of a stored file: scores of the scored pairs, without any text.

    `gold` has a checksum of the gold scores of each data set, and `scores` the scores in single
    precision, compressed.
    """

    format: Literal[1] = 1
    task: str
    convention: str
    system: str
    value: float
    gold: dict[str, str] = Field(min_length=1)
    scores: dict[str, str] = Field(min_length=1)


@dataclass(frozen=True)
class GateResult:
    """The result of a gate; the numbers of the stored system are None without one.

    `p` is the one-tailed probability that the system is not worse, by the paired bootstrap, and
    `interval` that of the difference.
    """

    task: str
    convention: str
    system: str
    value: float
    base: float | None = None
    difference: float | None = None
    p: float | None = None
    interval: Interval | None = None
    margin: float = MARGIN

    @property
    def is_loss(self) -> bool:
        """Whether the system is worse by more than the margin, and significantly."""
        if self.difference is None or self.p is None:
            return False
        return self.difference < -self.margin and self.p < LEVEL

    def __str__(self) -> str:
        """Return one sentence."""
        number = f"{self.system} has {self.convention} = {self.value:.4f} on {self.task}"
        if self.difference is None or self.p is None:
            return f"{number}; nothing to compare it with"
        compared = f"{number}, {self.difference:+.4f} against the stored {self.base:.4f}"
        if self.is_loss:
            return f"LOSS: {compared} (p = {self.p:.3f}, margin {self.margin:g})"
        why = f"within the margin of {self.margin:g}"
        if self.difference < -self.margin:
            why = f"not significant, p = {self.p:.3f}"
        return f"ok: {compared} ({'better' if self.difference > 0 else why})"

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return {**vars(self), "is_loss": self.is_loss}

    def rows(self) -> list[dict[str, Any]]:
        """Return `to_dict` as the only row of a table."""
        return [self.to_dict()]


def gate(
    task: str | Path | Task,
    system: Any,
    against: str | Path | None = None,
    margin: float = MARGIN,
    convention: str | None = None,
    save: str | Path | None = None,
    dataset: str | None = None,
    data_dir: str | Path | None = None,
    progress: Progress = no_progress,
    cache: str | Path | None = None,
) -> GateResult:
    """Compare a system with the stored scores of an earlier version of it.

    Parameters
    ----------
    task : str, path or Task
        As for `stsbaselines.compare`, of sentence pairs with scores; or ``row``, for the average of
        the seven sets.
    system : system or mapping of its name to it
        As for `stsbaselines.compare`.
    against : path, optional
        A file that an earlier call saved.
    margin : float
        A loss up to this, as a correlation, is accepted.
    convention : str, optional
        See `stsbaselines.compare` and `stsbaselines.row`; by default the official number of the
        task, or ``simcse`` for the row.
    save : path, optional
        Where the scores of this system are stored.
    dataset : str, optional
        Only this data set of the task.
    data_dir, progress, cache
        As for `stsbaselines.compare`.

    Returns
    -------
    GateResult
        Its `is_loss` says whether the system is worse by more than the margin, and significantly
        so by the paired bootstrap.

    Raises
    ------
    InputError
        If the stored file is of another task, convention or version of the data, or an input is
        malformed.

    Examples
    --------
    >>> first = gate("sample-sts", {"mine": "token-cosine"}, save="main.json")
    >>> again = gate("sample-sts", {"mine": "token-cosine"}, against="main.json")
    >>> again.is_loss, again.difference
    (False, 0.0)
    """
    named = named_systems(system)
    if len(named) != 1:
        raise InputError(f"{len(named)} systems, but a gate compares one with its stored scores.")
    [(name, one)] = named.items()
    if task == ROW:
        row = ROW_CONVENTIONS.get(convention or "simcse")
        if row is None:
            raise unknown("convention of a row", str(convention), ROW_CONVENTIONS)
        chosen, label, of_task = row.column, f"Avg by {row.name}", ROW
        sets = find_sets(row.whole_sick, data_dir)
        found = scores_of_sets(name, one, sets, data_dir, 1, progress, cache)
        if found.missing or row.has_head:
            raise InputError([*dict.fromkeys(found.missing.values())] or f"{row.name} has no Avg.")
        parts = _by_column(found.parts)
    else:
        found_pairs, entry = _pairs_of_task(task, name, one, dataset, data_dir, progress, cache)
        chosen, label = _convention_of(convention, entry, found_pairs, dataset)
        arrays = {key: (each.scores, each.gold) for key, each in found_pairs.items()}
        parts, of_task = {"": arrays}, entry.task
    parts = {
        column: {key: _single(*each) for key, each in some.items()}
        for column, some in parts.items()
    }
    value = _average(parts, lambda some: conventions.value(chosen, some))
    stored = StoredScores(
        task=of_task,
        convention=label,
        system=name,
        value=value,
        gold={key: _digest(each[1]) for some in parts.values() for key, each in some.items()},
        scores={key: _packed(each[0]) for some in parts.values() for key, each in some.items()},
    )
    result = GateResult(of_task, label, name, value, margin=margin)
    if against is not None:
        base = _restored(Path(against), stored, parts)
        result = _compared(result, chosen, parts, base)
    if save is not None:
        write_text(Path(save), to_json(stored.model_dump()) + "\n")
    return result


def _pairs_of_task(
    task: str | Path | Task,
    name: str,
    system: Any,
    dataset: str | None,
    data_dir: str | Path | None,
    progress: Progress,
    cache: str | Path | None,
) -> tuple[dict[str, ScorePairs], Task]:
    """Return the scored pairs of each data set, and the task."""
    options: dict[str, Any] = {"data_dir": data_dir, "progress": progress, "cache": cache}
    comparison = compare(task, {name: system}, dataset, resamples=FEWEST_RESAMPLES, **options)
    entry = comparison.task
    if entry.family != "sts":
        raise InputError(f"{entry.task} has no pairs with scores by which a gate could compare.")
    found = {
        each: comparison.score_pairs[name, each]
        for each in entry.dataset_names
        if (name, each) in comparison.score_pairs
    }
    return found, entry


def _convention_of(
    name: str | None, task: Task, found: Mapping[str, ScorePairs], dataset: str | None
) -> tuple[Convention, str]:
    """Return a convention, by default that of the official number, and how it is called."""
    if name is not None:
        return chosen_convention(name, task, found)
    if dataset is not None or not task.measures:
        return Convention("Pearson", "pearson", "mean"), f"Pearson of {'+'.join(found)}"
    if missing := [each for each in task.dataset_names if each not in found]:
        raise InputError(
            f"{task.measures[0]} needs all data sets, but has no {', '.join(missing)}."
        )
    official = next(each for each in CONVENTIONS if each.measure == task.measures[0])
    return official, task.measures[0]


def _by_column(parts: Mapping[str, Mapping[str, Pair]]) -> Parts:
    """Return the arrays by column of the row; the names of data sets begin with it."""
    columns: dict[str, dict[str, Arrays]] = {}
    for column, some in parts.items():
        own = columns.setdefault(column if column in COLUMNS else "SICK-R", {})
        for name, (scores, gold) in some.items():
            own[f"{column}/{name}"] = np.asarray(scores, float), np.asarray(gold, float)
    return columns


def _single(scores: FloatArray, gold: FloatArray) -> Arrays:
    """Return scores in single precision, as they are stored, and gold scores."""
    return scores.astype(np.float32).astype(np.float64), gold


def _average(parts: Parts, value_of: Callable[[Mapping[str, Arrays]], float | None]) -> float:
    values = [value_of(some) for some in parts.values()]
    if not all(each is not None for each in values):
        raise InputError(UNDEFINED)
    return float(np.mean([each or 0.0 for each in values]))


def _digest(gold: FloatArray) -> str:
    return hashlib.sha256(gold.astype("<f8").tobytes()).hexdigest()[:16]


def _packed(scores: FloatArray) -> str:
    """Return scores as text: their bytes of single precision, plane by plane, compressed."""
    planes = scores.astype("<f4").view(np.uint8).reshape(-1, 4).T
    return base64.b85encode(zlib.compress(planes.tobytes(), 9)).decode()


def _unpacked(text: str, count: int) -> FloatArray | None:
    """Return so many finite scores, or None if the text has something else."""
    try:
        raw = zlib.decompress(base64.b85decode(text))
    except (ValueError, zlib.error):
        return None
    if len(raw) != 4 * count:
        return None
    planes: npt.NDArray[np.uint8] = np.frombuffer(raw, np.uint8).reshape(4, count)
    scores = np.ascontiguousarray(planes.T).view("<f4").ravel().astype(np.float64)
    return scores if np.isfinite(scores).all() else None


def _restored(path: Path, ours: StoredScores, parts: Parts) -> Parts:
    """Return our scored pairs with the scores of a stored file."""
    stored = read_model(path, StoredScores)
    for kind in ("task", "convention"):
        if getattr(stored, kind) != getattr(ours, kind):
            found, expected = (f"{kind} {getattr(each, kind)}" for each in (stored, ours))
            raise InputError([Fault(str(path), found, expected)])
    if stored.gold != ours.gold or stored.scores.keys() != ours.gold.keys():
        expected = "the data that is found now"
        raise InputError([Fault(str(path), "scores of another version of the data", expected)])
    restored: dict[str, dict[str, Arrays]] = {}
    for column, some in parts.items():
        for key, (_, gold) in some.items():
            scores = _unpacked(stored.scores[key], len(gold))
            if scores is None:
                raise InputError([Fault(str(path), f"damaged scores of {key}", "stored scores")])
            restored.setdefault(column, {})[key] = scores, gold
    return restored


def _compared(result: GateResult, convention: Convention, ours: Parts, base: Parts) -> GateResult:
    sizes = {key: len(gold) for some in ours.values() for key, (_, gold) in some.items()}
    counts = {
        key: draw(size, RESAMPLES, [0, number]) for number, (key, size) in enumerate(sizes.items())
    }
    resampled = [
        np.mean(
            [conventions.resampled(convention, some, counts) for some in parts.values()],
            axis=0,
        )
        for parts in (base, ours)
    ]
    value = _average(base, lambda some: conventions.value(convention, some))
    worse = paired_bootstrap(*resampled)
    better = paired_bootstrap(*reversed(resampled))
    if worse is None or better is None:
        raise InputError(UNDEFINED)
    return GateResult(
        result.task,
        result.convention,
        result.system,
        result.value,
        base=value,
        difference=result.value - value,
        p=worse.p,
        interval=better.interval,
        margin=result.margin,
    )
