"""Reading configurations, and what is wrong in a faulty one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stsbaselines.errors import InputError
from stsbaselines.experiments.config import BaselineConfig, ExperimentConfig, read_config


def test_a_fault_is_named_with_its_line() -> None:
    Path("mine.yaml").write_text(
        "task: t\nbaselines:\n  - baseline: random\n    name: results.json\n"
    )
    with pytest.raises(InputError, match=r"^mine\.yaml, line 4: found baselines\.0\.name"):
        read_config("mine.yaml")


def test_baselines_must_have_different_names() -> None:
    random = BaselineConfig(baseline="random")
    with pytest.raises(ValueError, match="baselines with different names"):
        ExperimentConfig(task="t", baselines=[random, random])


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"train": {"task": "a", "datasets": ["b"], "first_of": ["c"]}}, "either datasets or"),
        ({"train_for": {"OnWN": []}}, "something to train on for each data set"),
        ({"train_for": {"OnWN": {"task": "a"}}, "fit_on_inputs": True}, "only one of"),
        ({"train_for": {"OnWN": {"task": "a"}}, "model": "m"}, "a model without"),
        ({"seeds": 2, "parameters": {"random_state": 1}}, "either seeds or a random_state"),
        ({"explained": {"Mean": {"reason": "why"}}}, "a published run beside what is explained"),
        ({"accepted": {"Mean": "why"}}, "a published run beside what is explained or accepted"),
        ({"explained": {"all": {"reason": "why", "tolerance": 0.1}}}, "tolerance with its source"),
        ({"explained": {"all": {"reason": "why", "source": "seeds"}}}, "with its source"),
        ({"explained": {"all": {"reason": ""}}}, "explained.all.reason"),
        (
            {
                "seeds": 99,
                "published": {"table": "a", "run": "b"},
                "explained": {"all": {"reason": "why", "within_interval": True}},
            },
            "at least 100 seeds for within_interval",
        ),
    ],
)
def test_contradictions_are_refused(fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        BaselineConfig(baseline="dkpro-string", **fields)


@pytest.mark.parametrize("name", ["../outside", "/etc", "a/b", "..", "a\n", "a\x1b[31m"])
def test_names_that_become_folders_are_no_paths(name: str) -> None:
    for field in ("name", "model"):
        with pytest.raises(ValueError, match=field):
            BaselineConfig.model_validate({"baseline": "random", field: name})
    with pytest.raises(ValueError, match="group"):
        ExperimentConfig.model_validate(
            {"task": "sts2013", "group": name, "baselines": [{"baseline": "random"}]}
        )


def test_paths_are_relative_to_the_configuration() -> None:
    for folder in ("configs", "configs/data", "data"):
        Path(folder).mkdir()
    Path("data/elsewhere.csv").touch()
    Path("configs/data/ducks").touch()
    for task, found in {
        "./data/elsewhere.csv": "configs/data/elsewhere.csv",  # and not that of this folder
        "data/ducks": "configs/data/ducks",
        "sample-sts": "sample-sts",
    }.items():
        Path("configs/mine.yaml").write_text(f"task: {task}\nbaselines: [{{baseline: random}}]\n")
        assert read_config("configs/mine.yaml").task == found
