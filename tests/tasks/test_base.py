"""What all task families have in common, and their measures on resamples."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from stsbaselines.baselines import create
from stsbaselines.data.catalogue import Task, find_task, task_names
from stsbaselines.errors import InputError
from stsbaselines.evaluation.submission import output_files, read_gold, read_outputs
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import read_config
from stsbaselines.scoring import correlation
from stsbaselines.scoring.resampling import draw
from stsbaselines.tasks import pit, sts, typed
from stsbaselines.tasks.alignment_file import AlignmentFile
from stsbaselines.tasks.base import (
    FINER_DIFFERENCES,
    NEARLY_CONSTANT,
    Family,
    Measures,
    Scores,
    checked_scores,
    family_named,
    family_of,
)
from tests.helpers import needs

Counts = npt.NDArray[np.int64]
Values = npt.NDArray[np.float64]


@pytest.mark.parametrize("name", task_names())
def test_every_task_has_a_family_that_knows_its_output_files(name: str) -> None:
    task = find_task(name)
    family = family_of(task)
    assert isinstance(family, Family)
    for dataset in task.datasets:
        if dataset.output:
            assert family.label_of_output(dataset.output) == dataset.name


@pytest.mark.parametrize(
    ("family", "name", "label"),
    [
        ("sts", "STS.output.surprise.OnWN.txt", "OnWN"),
        ("sts", "STS2016.output.plagiarism.txt", "plagiarism"),
        ("sts", "readme.txt", None),
        ("pit", "PIT2015_TEAM_01_run.output", "test"),
        ("pit", "readme.txt", None),
        ("ists", "STSint.output.images.wa", "images"),
        ("ists", "images.wa", None),
        ("typed", "STS.output.europeana.txt", "europeana"),
        ("typed", "STS.input.europeana.txt", None),
    ],
)
def test_the_name_of_an_output_file_names_its_data_set(
    family: str, name: str, label: str | None
) -> None:
    assert family_named(family).label_of_output(name) == label


@pytest.mark.parametrize(
    ("family", "baseline"),
    [
        ("sts", "token-cosine"),
        ("pit", "ngram-logreg"),
        ("ists", "chunk-aligner"),
        ("typed", "typed-tfidf"),
    ],
)
def test_a_baseline_predicts_what_its_family_scores(family: str, baseline: str) -> None:
    assert create(baseline).predicts == family_named(family).predicts


@pytest.mark.parametrize(
    ("predictions", "columns", "message"),
    [
        ([[1.0], [2.0]], (), "an array of shape (2, 1), expected a finite number per pair"),
        (1.0, (), "an array of shape (), expected a finite number per pair"),
        (None, (), "NoneType that is not an array of numbers"),
        ({1.0, 2.0}, (), "set that is not an array of numbers"),
        ((each for each in [1.0]), (), "generator that is not an array of numbers"),
        (np.array([1.0, 2.0], object), (), "an array of Python objects"),
        ([1.0] * 8, (8,), "an array of shape (8,), expected 8 finite numbers per pair"),
        ([[1.0] * 7], (8,), "an array of shape (1, 7), expected 8 finite numbers per pair"),
    ],
)
def test_predictions_that_are_no_scores(
    predictions: Any, columns: tuple[int, ...], message: str
) -> None:
    with pytest.raises(InputError) as error:
        checked_scores(predictions, *columns)
    assert f"the system's scores: found {message}" in str(error.value)


class Tensor(list[float]):
    """A list that gives no array, like a tensor of a GPU."""

    def __array__(self, *_: object, **__: object) -> Any:
        raise RuntimeError


ODD_SCORES = [
    (None, "None"),
    (math.nan, "nan"),
    (-math.inf, "-inf"),
    ("0.5", "'0.5'"),
    (b"1", "b'1'"),
    (1j, "1j"),
    ([1.0], "[1.0]"),
    (10**400, "1000000"),
    (Decimal(1), "Decimal('1')"),
    (np.float64(math.nan), "nan"),
    (np.str_("x"), "'x'"),
    (Tensor([1.0]), "[1.0]"),
]


def as_objects(values: list[Any]) -> Any:
    array = np.empty(len(values), dtype=object)
    for index, value in enumerate(values):
        array[index] = value
    return array


@pytest.mark.parametrize("family", ["sts", "pit", "typed"])
@pytest.mark.parametrize(("odd", "shown"), ODD_SCORES)
@pytest.mark.parametrize("kind", [list, tuple, as_objects])
def test_what_is_no_score_names_its_pair(family: str, odd: Any, shown: str, kind: Any) -> None:
    pairs: list[Any] = [("a cat", f"{number} dogs") for number in range(4)]
    row = [1.0] * 7
    good: Any = [*row, 1.0] if family == "typed" else 1.0
    scores = kind([good, good, [*row, odd] if family == "typed" else odd, good])
    with pytest.raises(InputError) as error:
        family_named(family).output_of(scores, pairs, find_task("sample-sts"))
    assert "the system's scores, pair 3: found " in str(error.value)
    assert " for 'a cat' and '2 dogs', expected " in str(error.value)
    assert family == "typed" or f"found {shown}" in str(error.value)


def test_a_masked_score_is_no_score() -> None:
    masked = np.ma.masked_array([1, 2, 3], mask=[False, True, False])
    with pytest.raises(InputError, match="pair 2: found None"):
        checked_scores(masked, pairs=[("a", "b")] * 3)


@pytest.mark.parametrize(
    ("name", "columns"), [("sample-sts", ()), ("sample-pit", ()), ("sample-typed", (8,))]
)
def test_scores_that_differ_by_rounding_errors_alone_are_noted(
    name: str, columns: tuple[int, ...]
) -> None:
    task = find_task(name)
    family, dataset = family_of(task), task.datasets[0]
    scores = np.full((dataset.pairs, *columns), 0.3)
    scores[0] = np.nextafter(0.3, 1)
    output = {dataset.name: family.output_of(scores, [], task)}
    notes = family.score(task, "mine", read_gold(task, [dataset]), output).notes
    assert any(NEARLY_CONSTANT in note for note in notes)
    scores[0] = 0.31
    output = {dataset.name: family.output_of(scores, [], task)}
    notes = family.score(task, "mine", read_gold(task, [dataset]), output).notes
    assert not any(NEARLY_CONSTANT in note for note in notes)


@pytest.mark.parametrize("name", ["sample-sts", "sample-pit"])
def test_scores_that_differ_beyond_the_digits_of_ranks_are_noted(name: str) -> None:
    task = find_task(name)
    family, dataset = family_of(task), task.datasets[0]
    gold = read_gold(task, [dataset])

    def notes(scores: Values) -> tuple[str, ...]:
        output = {dataset.name: family.output_of(scores, [], task)}
        return family.score(task, "mine", gold, output).notes

    saturated = 1 / (1 + np.exp(-np.arange(dataset.pairs) - 27.0))
    noisy = np.linspace(0.1, 0.9, dataset.pairs) // 0.2 + np.spacing(np.arange(dataset.pairs) + 1.0)
    assert f"{dataset.name}: {FINER_DIFFERENCES}" in notes(saturated)
    assert f"{dataset.name}: {FINER_DIFFERENCES}" not in notes(noisy)


def agree_with_cells(task: Task, gold: dict[str, Any], outputs: dict[str, Any]) -> None:
    """Compare the measures on all pairs, each drawn once, with the scorer's."""
    family = family_of(task)
    cells = family.score(task, "system", gold, outputs).cells()
    each_once = {
        name: np.ones((2, len(family.countable(values))), dtype=np.int64)
        for name, values in gold.items()
    }
    found = family.resampled(task, gold, outputs, each_once)
    complete = len(outputs) == len(task.datasets)
    assert {name for name in task.cell_names if complete and name in cells} <= found.keys()
    for name, values in found.items():
        value = cells[name]
        expected = np.full(2, np.nan if value is None else value)
        np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12, equal_nan=True)
    points = family.score_pairs(task, gold, outputs)
    assert points.keys() <= found.keys()
    for name, each in points.items():
        value = correlation.pearson(each.scores, each.gold, each.weights)
        assert value == pytest.approx(cells[name], abs=1e-12), name
        assert len(each.lines) == len(each.scores) == len(each.gold)


@pytest.mark.parametrize(
    ("name", "baseline"),
    [
        ("sample-sts", "token-cosine"),
        ("sample-sts", "random/seed-0"),
        ("sample-pit", "ngram-logreg"),
        ("sample-ists", "gold-chunks"),
        ("sample-typed", "typed-tfidf"),
    ],
)
def test_each_pair_drawn_once_gives_the_scores_of_the_samples(
    name: str, baseline: str, tmp_path: Path
) -> None:
    task = find_task(name)
    experiment.run(read_config(name), tmp_path)
    files = output_files(task, tmp_path / name / baseline, None, {})
    agree_with_cells(task, read_gold(task, task.datasets), read_outputs(task, files))


@pytest.mark.parametrize(
    "confidences", [None, [0.0] * 12, [5.0] * 6 + [100.0] * 6], ids=["none", "zero", "unequal"]
)
def test_confidences_weigh_where_the_official_correlation_is_weighted(
    confidences: list[float] | None,
) -> None:
    task = find_task("sample-sts").model_copy(update={"confidence": "weighted"})
    generator = np.random.RandomState(0)
    gold = {each.name: generator.rand(each.pairs) for each in task.datasets}
    gold["kitchen"][3] = np.nan
    outputs = {
        name: sts.StsOutput(
            generator.rand(len(values)),
            None if confidences is None else np.array(confidences)[: len(values)],
        )
        for name, values in gold.items()
    }
    agree_with_cells(task, gold, outputs)
    points = sts.FAMILY.score_pairs(task, gold, outputs)
    is_weighted = bool(np.any(confidences or [0]))
    assert (points["kitchen"].weights is not None) == is_weighted
    assert points["ALL"].weights is None
    assert points["kitchen"].lines.tolist() == [1, 2, 3, *range(5, 13)]
    assert points["ALL"].lines.tolist() == [*range(1, 22)]


def test_lines_that_are_not_scored_do_not_count_when_drawn() -> None:
    task = find_task("sample-sts")
    generator = np.random.RandomState(0)
    gold = {each.name: generator.rand(each.pairs) for each in task.datasets}
    outputs = {k: sts.StsOutput(generator.rand(len(values))) for k, values in gold.items()}
    gold["kitchen"][:4] = np.nan
    counts = {name: draw(len(values), 20) for name, values in gold.items()}
    one = sts.FAMILY.resampled(task, gold, outputs, counts)
    counts["kitchen"][:, :4] = 7
    other = sts.FAMILY.resampled(task, gold, outputs, counts)
    np.testing.assert_array_equal([*one.values()], [*other.values()])
    assert sts.FAMILY.countable(gold["kitchen"]).tolist() == [False] * 4 + [True] * 8


def test_one_data_set_has_no_aggregates() -> None:
    task = find_task("sample-sts")
    values = np.random.RandomState(0).rand(12)
    gold, outputs = {"kitchen": values}, {"kitchen": sts.StsOutput(values**2)}
    assert sts.FAMILY.score_pairs(task, gold, outputs).keys() == {"kitchen"}
    assert sts.FAMILY.resampled(task, gold, outputs, {"kitchen": draw(12, 5)}).keys() == {"kitchen"}


def test_without_a_similarity_run_only_the_labels_are_measured() -> None:
    task = find_task("sample-pit")
    labels = np.array([True, False, True, False])
    gold = {"test": pit.Gold(labels, np.array([False, False, False, True]), np.arange(4) / 5)}
    outputs = {"test": pit.PitOutput(labels, np.zeros(4))}
    agree_with_cells(task, gold, outputs)
    assert pit.FAMILY.score_pairs(task, gold, outputs) == {}
    counts = {"test": np.array([[1, 1, 1, 1], [0, 4, 0, 0]])}
    found = pit.FAMILY.resampled(task, gold, outputs, counts)
    assert found["F1"].tolist() == [1.0, 0.0]
    assert np.isnan(found["maxF1"]).all()


OFFICIAL = {
    "sts2012": "2012/baseline-tokencos-regenerated",
    "sts2013": "2013/baseline-tokencos-regenerated",
    "sts2015-es": "2015-es/baseline-tokencos-regenerated",
    "pit2015": "pit2015/PIT2015_BASELINE_02_LG.output",
}


@pytest.mark.official
@pytest.mark.parametrize("name", OFFICIAL)
def test_each_pair_drawn_once_gives_the_scores_of_official_outputs(
    name: str, official_data: Path
) -> None:
    needs(official_data, name, folder="system-outputs")
    task = find_task(name)
    path = official_data / "system-outputs" / OFFICIAL[name]
    outputs = read_outputs(task, output_files(task, path, None, {}))
    agree_with_cells(task, read_gold(task, task.datasets, official_data), outputs)


@pytest.mark.official
@pytest.mark.parametrize("name", ["ists2015", "ists2016", "sts2013-typed"])
def test_each_pair_drawn_once_gives_the_scores_of_damaged_gold(
    name: str, official_data: Path
) -> None:
    needs(official_data, name)
    task = find_task(name)
    gold = read_gold(task, task.datasets, official_data)
    agree_with_cells(task, gold, {key: damaged(values) for key, values in gold.items()})


def damaged(gold: Any) -> Any:
    """Drop the alignments of every third sentence pair, or add noise to the scores."""
    if not isinstance(gold, AlignmentFile):
        return typed.TypedOutput(gold + np.random.RandomState(0).rand(*gold.shape))
    pairs = [
        pair if number % 3 else pair._replace(alignments=())
        for number, pair in enumerate(gold.pairs)
    ]
    return replace(gold, pairs=tuple(pairs))


def test_scores_are_shown_with_four_decimals() -> None:
    measures: Measures = {"pearson": 0.123456, "spearman": None, "n": 3}
    scores = Scores("mine", "<run>", {"one": measures}, {"Mean": 0.98765}, "pearson", "task:mine")
    assert repr(scores) == "<Scores of <run> on mine; one 0.1235, Mean 0.9877>"
    frame = scores.to_frame()
    assert frame["name"].tolist() == ["one", "one", "one", "Mean"]
    assert frame["value"].tolist()[0] == 0.123456
    shown = scores._repr_html_()
    for text in ("&lt;run&gt;", "0.1235", "undefined", "0.9877", "task:mine"):
        assert text in shown
