"""Reading configurations, and what is wrong in a faulty one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from stsbaselines.errors import InputError
from stsbaselines.experiments.config import BaselineConfig, ExperimentConfig, read_config


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "task: sts2013\nbaseline: []\n",
            "line 2: found key 'baseline', did you mean 'baselines'?",
        ),
        (
            "task: sts2013\nbaselines:\n  - baseline: random\n    seed: 3\n",
            "line 4: found key 'baselines.0.seed', did you mean 'seeds'?",
        ),
        ("task: sts2013\nbaselines:\n  - {}\n", "line 3: found no key 'baselines.0.baseline'"),
        ("task: sts2013\nbaselines: []\n", "line 2: found baselines: "),
        ("task: 7\nbaselines:\n  - baseline: random\n", "line 1: found task: '7'"),
        (
            "task: t\nbaselines:\n  - baseline: random\n    explained: {Mean: {reason: why}}\n",
            "expected a published run beside what is explained",
        ),
        (
            "task: t\nbaselines:\n  - baseline: random\n    seeds: 99\n"
            "    published: {table: a, run: b}\n"
            "    explained: {all: {reason: why, within_interval: true}}\n",
            "expected at least 100 seeds for within_interval",
        ),
        (
            "task: t\nbaselines:\n  - baseline: random\n    name: results.json\n",
            "line 4: found baselines.0.name",
        ),
        ("task: a\ntask: b\n", "line 2: found the key 'task' twice, expected YAML"),
        ("task: !!timestamp x\n", "expected YAML"),
        (
            "task: t\nbaselines:\n  - baseline: random\n    seeds: 2\n"
            "    parameters: {random_state: 1}\n",
            "expected either seeds or a random_state",
        ),
        (
            "task: t\nbaselines:\n  - baseline: random\n  - baseline: random\n",
            "expected baselines with different names",
        ),
        (
            "task: t\nbaselines: []\n",
            "line 2: found baselines: '[]', expected a list of at least 1",
        ),
        ("task: t\nbaselines: random\n", "expected a list"),
        ("task: t\nbaselines:\n  - random\n", "expected keys and values"),
        (
            "task: t\nbaselines:\n  - baseline: random\n    seeds: 0\n",
            "expected a number of at least 1",
        ),
        ("task: t\nbaselines:\n  - baseline: random\n    seeds: x\n", "expected a whole number"),
        ("task: [\n", "expected YAML"),
        ("- a\n", "found \"['a']\", expected keys and values"),
        ("", "found nothing, expected keys and values"),
        ("task: !!python/object/apply:os.system [echo]\n", "expected YAML"),
    ],
)
def test_a_faulty_configuration_is_explained(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "config.yaml"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_config(path)
    assert message in str(error.value)
    assert str(path) in str(error.value)


def test_other_faulty_configurations(tmp_path: Path) -> None:
    (tmp_path / "latin.yaml").write_bytes(b"task: caf\xe9\n")
    with pytest.raises(InputError, match="not UTF-8"):
        read_config(tmp_path / "latin.yaml")
    with pytest.raises(InputError, match="did you mean 'sts2013'"):
        read_config("sts213")
    with pytest.raises(InputError, match="a directory"):
        read_config(tmp_path)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"train": {"task": "a", "datasets": ["b"], "first_of": ["c"]}}, "either datasets or"),
        ({"train_for": {"OnWN": []}}, "something to train on for each data set"),
        ({"train_for": {"OnWN": {"task": "a"}}, "fit_on_inputs": True}, "only one of"),
        ({"train_for": {"OnWN": {"task": "a"}}, "model": "m"}, "a model without"),
    ],
)
def test_contradictions_in_training_are_refused(fields: dict[str, Any], message: str) -> None:
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
