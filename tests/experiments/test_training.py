"""What a baseline is fitted on: labelled pairs, one model per data set, seeds."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stsbaselines.data.catalogue import find_task
from stsbaselines.errors import InputError
from stsbaselines.evaluation.outputs import no_progress
from stsbaselines.experiments.config import BaselineConfig, ExperimentConfig, Training
from stsbaselines.experiments.run import validate
from stsbaselines.experiments.training import (
    DEFAULT,
    BaselineSetup,
    LabelledPairs,
    fitted,
    read_labelled,
)
from stsbaselines.predictor import Predictor

KITCHEN, JOURNEYS = find_task("sample-sts").datasets
PAIRS = [("a cat", "a cat"), ("a cat", "a dog"), ("one", "two")]


def on(**which: list[str]) -> Training:
    return Training.model_validate({"task": "sample-sts", **which})


@pytest.mark.parametrize(
    ("sources", "counts", "source"),
    [
        ([on()], {"kitchen": 11, "journeys": 9}, "sample-sts (20"),
        ([on(datasets=["journeys"])], {"journeys": 9}, "sample-sts, journeys (9"),
        ([on(first_of=["kitchen", "journeys"])], {"kitchen": 11}, "sample-sts, kitchen (11"),
        (
            [on(datasets=["journeys"]), on(datasets=["kitchen"])],
            {"kitchen": 11, "journeys": 9},
            "sample-sts, journeys (9 labelled pairs) and sample-sts, kitchen (11",
        ),
    ],
)
def test_labelled_pairs_are_joined(
    sources: list[Training], counts: dict[str, int], source: str
) -> None:
    found = read_labelled(sources)
    assert {name: found.sets.count(f"sample-sts/{name}") for name in counts} == counts
    assert len(found.pairs) == len(found.labels) == len(found.sets) == sum(counts.values())
    assert found.source == f"{source} labelled pairs)"
    assert np.isfinite(found.labels).all()


def test_labels_that_are_no_array_are_joined_too() -> None:
    found = read_labelled([Training(task="sample-ists")])
    assert isinstance(found.labels, list)
    assert len(found.labels) == len(found.pairs) == 10


class Told(Predictor):
    """Remembers what it was told."""

    name = "told"

    def fit(self, pairs: Any, gold: Any = None, sets: Any = None) -> Any:
        self.told_ = list(zip(pairs, gold, sets, strict=True))
        return self


class Mean(Predictor):
    """Predicts the mean of the scores that it was trained on."""

    name = "mean"

    def fit(self, pairs: Any, gold: Any = None) -> Any:
        self.mean_ = sum(gold) / len(gold)
        return self


def test_a_baseline_is_told_the_data_sets_if_it_asks() -> None:
    given = LabelledPairs(PAIRS[:2], [5.0, 2.0], ["a", "b"])
    told: Any = given.fit(Told())
    assert told.told_ == [(PAIRS[0], 5.0, "a"), (PAIRS[1], 2.0, "b")]
    mean: Any = given.fit(Mean())
    assert mean.mean_ == 3.5


def test_each_data_set_has_the_model_of_its_training(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stsbaselines.experiments.training.create", lambda name, **_: Mean())
    given = {
        "journeys": LabelledPairs(PAIRS, [1.0, 1.0, 1.0]),
        DEFAULT: LabelledPairs(PAIRS, [4.0, 4.0, 4.0]),
    }
    baseline = BaselineConfig(baseline="mean", train_for={"journeys": [Training(task="x")]})
    seen: list[int] = []
    runs = list(fitted(baseline, BaselineSetup({}, given=given), [KITCHEN, JOURNEYS], seen.append))
    [(folder, models)] = runs
    assert folder == ""
    assert {name: model.mean_ for name, model in models.items()} == {
        "kitchen": 4.0,
        "journeys": 1.0,
    }
    assert seen == [3, 3]


def test_seeds_of_a_trained_baseline_are_numbers() -> None:
    seen = []

    class Seeded(Mean):
        name = "seeded"

        def __init__(self, random_state: Any = None) -> None:
            self.random_state = random_state
            seen.append(random_state)

    baseline = BaselineConfig(baseline="seeded", seeds=3, train=[Training(task="sample-sts")])
    prepared = BaselineSetup({}, given={DEFAULT: LabelledPairs(PAIRS, [1.0, 2.0, 3.0])})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "stsbaselines.experiments.training.create", lambda name, **each: Seeded(**each)
        )
        folders = [folder for folder, _ in fitted(baseline, prepared, [KITCHEN], no_progress)]
    assert folders == ["seed-0", "seed-1", "seed-2"]
    assert seen == [0, 1, 2]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"train_for": {"OnWM": [Training(task="sts2012-train")]}}, "did you mean 'OnWN'"),
        ({"train_for": {"OnWN": [Training(task="sts2012-train")]}}, "no training for MSRpar, M"),
        ({"train": [Training(task="sts2012-train", datasets=["MSRpa"])]}, "did you mean 'MSRpar'"),
        ({"train": [Training(task="sts2013"), Training(task="sts2012")]}, "must be another task"),
        ({"train": []}, "dkpro-string must be trained: name its training data by `train`"),
        ({"train": [Training(task="sts2014-es")]}, "from 0 to 4, those of sts2012 from 0 to 5"),
        ({"train": [Training(task="sts2013"), Training(task="sts2013")]}, "named twice"),
        ({"baseline": "token-cosine", "train": [Training(task="sts2013")]}, "does not learn"),
        ({"baseline": "dkpro-string", "seeds": 2}, "no parameter 'random_state'"),
    ],
)
def test_faulty_training_is_found_before_it_runs(change: dict[str, Any], message: str) -> None:
    baseline = BaselineConfig(baseline="dkpro-string").model_copy(update=change)
    with pytest.raises(InputError, match=message):
        validate(ExperimentConfig(task="sts2012", baselines=[baseline]))
