"""The regression gate: what is a loss, what is stored, and its exit statuses."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import stsbaselines
from stsbaselines.errors import InputError
from stsbaselines.evaluation import gate as gating
from tests.helpers import needs, run_command

N = 400


@pytest.fixture
def task() -> Path:
    """Write a labelled file of many pairs."""
    rows = [f"The {number}. duck,A duck {number},{number % 6}" for number in range(N)]
    path = Path("ducks.csv")
    path.write_text("\n".join(["sentence1,sentence2,score", *rows]) + "\n")
    return path


def scores(noise: float, seed: int = 0) -> Any:
    generator = np.random.default_rng(seed)
    return np.arange(N) % 6 + noise * generator.normal(size=N)


def test_the_same_scores_are_no_loss(task: Path) -> None:
    first = stsbaselines.gate(task, {"mine": scores(1)}, save="main.json")
    assert (first.base, first.is_loss) == (None, False)
    again = stsbaselines.gate(task, {"mine": scores(1)}, "main.json")
    assert (again.difference, again.is_loss) == (0, False)
    assert again.value == pytest.approx(
        stsbaselines.score(task, scores(1)).datasets["ducks"]["pearson"], abs=1e-6
    )


@pytest.mark.parametrize(
    ("noise", "margin", "is_loss"), [(1.002, 0.002, False), (2, 0.002, True), (2, 0.5, False)]
)
def test_a_loss_is_beyond_margin_and_noise(
    noise: float, margin: float, is_loss: bool, task: Path
) -> None:
    stsbaselines.gate(task, {"mine": scores(1)}, save="main.json")
    found = stsbaselines.gate(task, {"mine": scores(noise)}, "main.json", margin)
    assert found.is_loss == is_loss
    assert str(found).startswith("LOSS: mine has" if is_loss else "ok: mine has")
    assert found.interval is not None
    assert found.interval.low <= (found.difference or 0) <= found.interval.high
    better = stsbaselines.gate(task, {"mine": scores(0.5)}, "main.json")
    assert "(better)" in str(better)


def test_noise_beyond_the_margin_is_no_loss(task: Path) -> None:
    losses = []
    for seed in range(100):
        stsbaselines.gate(task, {"mine": scores(1, seed)}, save="main.json")
        found = stsbaselines.gate(task, {"mine": scores(1, 1000 + seed)}, "main.json", 0)
        losses.append(found.is_loss)
    assert np.mean(losses) <= 0.1  # 0.05, and noise


def test_stored_files_of_something_else_are_refused(task: Path) -> None:
    stsbaselines.gate(task, {"mine": scores(1)}, save="main.json")

    def refusal(match: str, task: Any, system: Any, convention: str | None = None) -> None:
        with pytest.raises(InputError, match=match):
            stsbaselines.gate(task, system, "main.json", convention=convention)

    mine = {"mine": scores(1)}
    message = "found convention Pearson of ducks, expected convention Spearman ducks"
    refusal(message, task, mine, "spearman ducks")
    refusal("found task ducks, expected task sample-sts", "sample-sts", "token-cosine")
    refusal("2 systems, but a gate compares one", task, {**mine, "b": scores(2)})
    stored = json.loads(Path("main.json").read_text())
    for damaged in ("", "x", stored["scores"]["ducks"][:-9]):
        Path("main.json").write_text(json.dumps({**stored, "scores": {"ducks": damaged}}))
        refusal("found damaged scores of ducks, expected stored scores", task, mine)
    task.write_text(task.read_text().replace(",5\n", ",4\n", 1))
    refusal("found scores of another version of the data, expected the data that is", task, mine)
    with pytest.raises(InputError, match="typed has no pairs with scores"):
        stsbaselines.gate("sample-typed", {"mine": np.ones((6, 8))})


def test_scores_are_packed_without_loss() -> None:
    values = np.random.default_rng(0).random(1000).astype(np.float32).astype(np.float64)
    text = gating._packed(values)
    assert len(text) < 5 * 1000
    np.testing.assert_array_equal(gating._unpacked(text, 1000), values)
    assert gating._unpacked(text, 999) is None


def test_exit_statuses_and_files_of_the_command(task: Path) -> None:
    for name, noise in (("good", 1.0), ("bad", 2.0)):
        lines = "".join(f"{value:.6f}\n" for value in scores(noise))
        Path(f"{name}.txt").write_text(lines)
    environment = dict(os.environ, GITHUB_STEP_SUMMARY="summary.md")

    def status(*arguments: str) -> int:
        done = run_command(["gate", "ducks.csv", *arguments], env=environment)
        assert len((done.stdout + done.stderr).splitlines()) == 1
        return done.returncode

    assert status("mine=good.txt", "--save", "main.json") == 0
    assert status("mine=good.txt", "--against", "main.json", "--junit", "good.xml") == 0
    assert status("mine=bad.txt", "--against", "main.json", "--junit", "bad.xml") == 1
    assert status("mine=bad.txt", "--against", "missing.json") == 2
    failures = {name: ElementTree.parse(f"{name}.xml").getroot() for name in ("good", "bad")}
    assert [each.get("failures") for each in failures.values()] == ["0", "1"]
    assert Path("summary.md").read_text().count("\n- ") == 2


@pytest.mark.official
def test_the_stored_row_is_small(official_data: Path) -> None:
    tasks = [f"sts{year}" for year in range(2012, 2017)]
    needs(official_data, *tasks, "stsbenchmark", "sick-r")

    def mine(lefts: list[str], rights: list[str]) -> list[float]:
        return [len(a) / (len(a) + len(b) + 0.1) for a, b in zip(lefts, rights, strict=True)]

    options: dict[str, Any] = {"data_dir": official_data}
    first = stsbaselines.gate("row", {"mine": mine}, save="row.json", **options)
    assert Path("row.json").stat().st_size < 100_000
    found = stsbaselines.row({"mine": mine}, "consert", **options)
    assert first.value == pytest.approx(found.system_rows[0].average.value, abs=1e-5)
    assert not stsbaselines.gate("row", {"mine": mine}, "row.json", **options).is_loss
