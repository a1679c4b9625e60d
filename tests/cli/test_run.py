"""The commands that run configurations, through the real entry point."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

from stsbaselines.cli.main import app
from stsbaselines.data.catalogue import find_task
from stsbaselines.experiments.config import ExperimentConfig
from stsbaselines.experiments.ledger import LedgerEntry, cells_of
from stsbaselines.tasks.base import Scores
from tests.helpers import command_refusal, run_command


def test_demo_needs_nothing() -> None:
    done = run_command(["demo"])
    assert done.returncode == 0
    assert re.search(r"token-cosine +0\.44846 ", done.stdout)
    names = ("token-cosine", "ngram-logreg", "gold-chunks", "typed-tfidf", "Score your own system")
    places = [done.stdout.index(name) for name in names]
    assert places == sorted(places)
    assert len(done.stdout.splitlines()) <= 40
    assert list(Path.cwd().iterdir()) == []


def test_run_takes_several_configurations_and_refuses_a_faulty_one_first(
    command_output: Callable[..., str],
) -> None:
    text = command_output("run", "sample-sts", "sample-pit")
    assert text.index("token-cosine") < text.index("ngram-logreg")
    Path("mine.yaml").write_text("task: sample-sts\nbaselines:\n  - baseline: randm\n")
    refused = command_refusal("run", "sample-sts", "mine.yaml", "--out", "other")
    assert refused.startswith("mine.yaml: there is no baseline 'randm', did you mean 'random'?")
    assert not Path("other").exists()


def test_reproduce_without_data_is_refused() -> None:
    assert "make demo" in command_refusal("reproduce", "strong-sts2013", "--out", "ledger")
    assert not Path("ledger/ledger.json").exists()


@pytest.mark.parametrize(("accepted", "status"), [({}, 1), ({"headlines": "why"}, 0)])
def test_reproduce_fails_for_what_differs_and_is_not_accepted(
    accepted: dict[str, str], status: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def ledger(configs: list[ExperimentConfig], *_: object) -> list[LedgerEntry]:
        task, [baseline] = find_task("sts2013"), configs[0].baselines
        runs = Scores(
            task="sts2013",
            run="token-cosine",
            main="pearson",
            datasets={name: {"pearson": 0.5, "n": 1} for name in ("headlines", "OnWN")},
            aggregates={},
            signature="",
        )
        changed = baseline.model_copy(update={"accepted": {"OnWN": "why", **accepted}})
        return list(cells_of(task, changed, [runs]))

    monkeypatch.setattr("stsbaselines.experiments.reproduce.ledger", ledger)
    Path("mine.yaml").write_text(
        "task: sts2013\n"
        "baselines:\n"
        "  - baseline: token-cosine\n"
        "    published: {table: sts2013-core, run: baseline-tokencos}\n"
    )
    done = CliRunner().invoke(app, ["reproduce", "mine.yaml"])
    assert done.exit_code == status, done.output
    assert re.search(r"OnWN +0.50000 +0.2828 +differs \(accepted\) \[1\]\n", done.output)


@pytest.mark.official
def test_reproduce_writes_the_ledger(
    official_data: Path, command_output: Callable[..., str]
) -> None:
    text = command_output("reproduce", "sts2015-es", "--out", "ledger")
    assert text.removeprefix(Path("ledger/ledger.txt").read_text()) == ""
    assert "exact" in Path("ledger/ledger.md").read_text()
    entries = json.loads(Path("ledger/ledger.json").read_text())
    assert {each["status"] for each in entries} == {"exact"}
    assert len(entries) == 3
