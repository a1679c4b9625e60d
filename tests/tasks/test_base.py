"""What all task families have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stsbaselines.baselines import create
from stsbaselines.data.catalogue import find_task, task_names
from stsbaselines.errors import InputError
from stsbaselines.tasks.base import Family, checked_scores, family_named, family_of


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
        ([[1.0], [2.0]], (), r"scores of shape \(2, 1\), not one per pair"),
        (1.0, (), r"scores of shape \(\), not one per pair"),
        ([1.0] * 8, (8,), r"scores of shape \(8,\), not 8 per pair"),
        ([[1.0] * 7], (8,), r"scores of shape \(1, 7\), not 8 per pair"),
        ([1.0, np.nan], (), "predicted NaN or infinity"),
        ([[np.inf] * 8], (8,), "predicted NaN or infinity"),
    ],
)
def test_predictions_that_are_no_scores(
    predictions: Any, columns: tuple[int, ...], message: str
) -> None:
    with pytest.raises(InputError, match=message):
        checked_scores(predictions, *columns)
