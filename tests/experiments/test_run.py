"""Running configurations: outputs, scores, seeds, fallbacks, and what is missing."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from stsbaselines.data.catalogue import find_task
from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.evaluation import submission
from stsbaselines.experiments.config import (
    BaselineConfig,
    Deviation,
    ExperimentConfig,
    PublishedRun,
    Training,
    read_config,
)
from stsbaselines.experiments.run import pairs_to_process, run, run_with_fallback, validate
from stsbaselines.experiments.training import LabelledPairs
from stsbaselines.predictor import Predictor
from stsbaselines.tasks.sts import FAMILY

SAMPLE = read_config("sample-sts")


def test_a_run_writes_official_files_and_scores_them(tmp_path: Path) -> None:
    seen: list[int] = []
    results = run(SAMPLE, tmp_path, progress=seen.append)
    assert sum(seen) == pairs_to_process(SAMPLE) == 22 * 11
    folder = tmp_path / "sample-sts" / "token-cosine"
    assert sorted(path.name for path in folder.iterdir()) == [
        "STS.output.journeys.txt",
        "STS.output.kitchen.txt",
    ]
    again = submission.score("sample-sts", folder)
    assert again.datasets == results.baselines[0].runs[0].datasets
    first_line = (folder / "STS.output.kitchen.txt").read_text().splitlines()[0]
    assert first_line == "0.1178511302"  # one shared token of nine and eight: 1 / sqrt(72)


def test_results_are_shown(tmp_path: Path) -> None:
    config = SAMPLE.model_copy(update={"baselines": SAMPLE.baselines[:1]})
    results = run(config, tmp_path)
    values = [cell.ours for cell in results.cells if cell.ours is not None]
    assert repr(results) == (
        "<Results on sample-sts; token-cosine: kitchen {:.4f}, journeys {:.4f}, Mean {:.4f}>"
    ).format(*values)
    frame = results.to_frame()
    assert frame["ours"].tolist() == values
    assert frame["published"].isna().all()
    assert f"{values[0]:.4f}" in results._repr_html_()


OUTSIDE = """
import numpy as np
from stsbaselines import Predictor

class Longer(Predictor):
    name = "longer"

    def __init__(self, random_state=None):
        self.random_state = random_state

    def fit(self, pairs, gold=None):
        self.mean_ = np.mean([len(left) for left, _ in pairs])
        return self

    def predict(self, pairs):
        return np.array([max(len(left), len(right)) / self.mean_ for left, right in pairs])
"""


def test_a_baseline_from_outside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("outside_run.py").write_text(OUTSIDE, encoding="utf-8")
    for jobs in (1, 2):
        config = ExperimentConfig(
            task="sample-sts",
            baselines=[
                BaselineConfig(baseline="outside_run:Longer", fit_on_inputs=True),
                BaselineConfig(
                    baseline="outside_run:Longer", name="twice", seeds=2, fit_on_inputs=True
                ),
            ],
        )
        results = run(config, tmp_path / str(jobs), n_jobs=jobs)
        assert [each.config.title for each in results.baselines] == ["Longer", "twice"]
        assert (tmp_path / str(jobs) / "sample-sts/Longer/STS.output.kitchen.txt").is_file()
        monkeypatch.delitem(sys.modules, "outside_run")
    with pytest.raises(InputError, match="has no 'Long', did you mean 'Longer'"):
        validate(
            ExperimentConfig(
                task="sample-sts", baselines=[BaselineConfig(baseline="outside_run:Long")]
            )
        )
    monkeypatch.delitem(sys.modules, "outside_run")


def test_two_jobs_write_the_same_bytes(tmp_path: Path) -> None:
    for jobs in (1, 2):
        run(SAMPLE, tmp_path / str(jobs), n_jobs=jobs)
    for path in (tmp_path / "1").rglob("*.txt"):
        other = tmp_path / "2" / path.relative_to(tmp_path / "1")
        assert path.read_bytes() == other.read_bytes()


def test_seeds_differ_and_are_repeatable(tmp_path: Path) -> None:
    one, two = (run(SAMPLE, tmp_path / name) for name in "ab")
    assert [cell.ours for cell in one.cells] == [cell.ours for cell in two.cells]
    random = one.baselines[1]
    assert len({scores.datasets["kitchen"]["pearson"] for scores in random.runs}) == 10
    outputs = [(tmp_path / "a/sample-sts/random" / f"seed-{n}") for n in (0, 1)]
    scores = [
        FAMILY.read_output(path / each.output, find_task("sample-sts"), each).scores
        for path in outputs
        for each in find_task("sample-sts").datasets
    ]
    assert len({tuple(values[:10]) for values in scores}) == 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"baseline": "randm"}, "did you mean 'random'"),
        ({"parameters": {"heigh": 1}}, "did you mean 'high'"),
        ({"published": [PublishedRun(table="sts2012", run="random")]}, "no run in table sts2012"),
        ({"explained": {"OnWM": Deviation(reason="why")}}, "did you mean 'OnWN'"),
        ({"resources": {"low": "bounds"}}, "no resource of sts2012 'bounds'"),
        ({"train": [Training(task="sts2012", first_of=["OnWN"])]}, "must be another task"),
        ({"train": [Training(task="pit2015-train", first_of=["dev"])]}, "of the same family"),
        ({"train": [Training(task="sts2012-train", first_of=["OnWN"])]}, "no data set"),
        ({"baseline": "chunk-aligner", "seeds": None}, "predicts alignments, but sts2012 needs"),
    ],
)
def test_unknown_names_in_a_configuration_are_found_before_it_runs(
    change: dict[str, object], message: str
) -> None:
    baseline = read_config("sts2012").baselines[1].model_copy(update=change)
    with pytest.raises(InputError, match=message):
        validate(ExperimentConfig(task="sts2012", baselines=[baseline]))


def test_two_runs_of_one_baseline_have_their_own_names(tmp_path: Path) -> None:
    config = ExperimentConfig(
        task="sample-sts",
        baselines=[
            BaselineConfig(baseline="random", name="low", parameters={"high": 1}, seeds=1),
            BaselineConfig(baseline="random", name="high", parameters={"low": 4}, seeds=1),
        ],
    )
    cells = run(config, tmp_path).cells
    assert [cell.baseline for cell in cells] == ["low"] * 3 + ["high"] * 3
    assert (tmp_path / "sample-sts/low/seed-0/STS.output.kitchen.txt").is_file()
    results = json.loads((tmp_path / "sample-sts/results.json").read_text())
    assert [each["name"] for each in results["baselines"]] == ["low", "high"]


def test_a_training_task_is_not_scored(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="only to train on"):
        submission.check("pit2015-train", tmp_path)
    config = ExperimentConfig(
        task="sample-pit-train", baselines=[BaselineConfig(baseline="random")]
    )
    with pytest.raises(InputError, match="only to train on"):
        validate(config)


def test_a_baseline_whose_files_are_missing_is_reported(tmp_path: Path) -> None:
    missing = BaselineConfig(
        baseline="ngram-logreg", train=[Training(task="pit2015-train", first_of=["train", "dev"])]
    )
    config = ExperimentConfig(
        task="sample-pit", baselines=[missing, BaselineConfig(baseline="random", seeds=1)]
    )
    results = run(config, tmp_path)
    assert {cell.status for cell in results.baselines[0].cells} == {"no data"}
    assert "dev.data was looked for" in results.baselines[0].cells[0].reason
    assert results.baselines[1].runs
    with pytest.raises(InputError, match=r"dev\.data was looked for"):
        run(config.model_copy(update={"baselines": [missing]}), tmp_path)


def test_a_refused_run_leaves_the_old_results(tmp_path: Path) -> None:
    run(SAMPLE, tmp_path)
    old = (tmp_path / "sample-sts" / "results.json").read_text()
    bad = BaselineConfig(baseline="random", parameters={"low": "x"})
    with pytest.raises(InputError, match="but must be a number from"):
        run(ExperimentConfig(task="sample-sts", baselines=[bad]), tmp_path)
    assert (tmp_path / "sample-sts" / "results.json").read_text() == old


def test_a_missing_corpus_stops_one_baseline_only(tmp_path: Path) -> None:
    def no_corpus(self: Any, predictor: Predictor) -> Predictor:
        if predictor.name == "dkpro":
            raise MissingDataError("The corpus gcide is not here.")
        return predictor.fit(self.pairs, self.labels)

    config = ExperimentConfig(
        task="sample-sts",
        group="some-group",
        baselines=[
            BaselineConfig(baseline="dkpro", fit_on_inputs=True),
            BaselineConfig(baseline="token-cosine"),
        ],
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(LabelledPairs, "fit", no_corpus)
        results = run(config, tmp_path)
    dkpro, cosine = results.baselines
    assert {cell.status for cell in dkpro.cells} == {"no data"}
    assert cosine.runs
    assert "dkpro did not run. The corpus gcide is not here." in results.notes
    assert (tmp_path / "some-group/sample-sts/results.json").is_file()


# It kills itself before the Nth time that it opens, renames or removes something in its folder.
CHILD = """
import os, signal, sys
from pathlib import Path
from stsbaselines.experiments.config import ExperimentConfig
from stsbaselines.experiments.run import run

config, out, moment = sys.argv[1:]
seen = 0


def count(event, arguments):
    global seen
    if event in ("open", "os.rename", "os.remove") and str(arguments[0]).startswith(out):
        seen += 1
        if seen == int(moment):
            os.kill(os.getpid(), signal.SIGKILL)


sys.addaudithook(count)
run(ExperimentConfig.model_validate_json(config), Path(out))
print(seen)
"""


def in_child(config: ExperimentConfig, out: Path, moment: int) -> subprocess.CompletedProcess[str]:
    arguments = [config.model_dump_json(), str(out), str(moment)]
    return subprocess.run(
        [sys.executable, "-c", CHILD, *arguments], capture_output=True, text=True, check=False
    )


def outputs(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file() and path.suffix != ".tmp"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def random_scores(highest: int) -> ExperimentConfig:
    baseline = BaselineConfig(baseline="random", parameters={"high": highest}, seeds=2)
    return ExperimentConfig(task="sample-sts", baselines=[baseline])


def test_a_killed_run_leaves_each_file_old_or_new(tmp_path: Path) -> None:
    run(random_scores(1), tmp_path / "old")
    done = in_child(random_scores(2), tmp_path / "new", 0)
    old, new = outputs(tmp_path / "old"), outputs(tmp_path / "new")
    moments = int(done.stdout)
    assert all(old[name] != new[name] for name in new)
    out = tmp_path / "killed"
    shutil.copytree(tmp_path / "old", out)
    assert in_child(random_scores(2), out, moments // 2).returncode == -signal.SIGKILL
    found = outputs(out)
    assert found.keys() == old.keys()
    assert found not in (old, new)
    assert all(found[name] in (old[name], new[name]) for name in found)


def test_a_fallback_is_run_if_the_data_was_not_found(tmp_path: Path) -> None:
    config = ExperimentConfig(
        task="sts2012", fallback=["sample-typed", "sample-sts"], baselines=SAMPLE.baselines
    )
    results = run_with_fallback(config, tmp_path)
    assert results.task.task == "sample-typed"
    assert "stswiki" in results.fallback_for
    written = json.loads((tmp_path / "sample-typed/results.json").read_text())
    assert written["fallback_for"] == results.fallback_for
    with pytest.raises(MissingDataError, match="stswiki"):
        run_with_fallback(config.model_copy(update={"fallback": []}), tmp_path)
    twice = ExperimentConfig(task="sts2012", fallback=["sts2013-typed"], baselines=SAMPLE.baselines)
    with pytest.raises(InputError, match="sts2013-typed names a fallback itself"):
        validate(twice)


@pytest.mark.slow
@pytest.mark.official
def test_the_strong_systems_of_2012_are_strong(official_data: Path, tmp_path: Path) -> None:
    config = read_config("strong-sts2012")
    once = [
        each.model_copy(update={"seeds": 1}) if each.seeds else each for each in config.baselines
    ]
    results = run(config.model_copy(update={"baselines": once}), tmp_path, official_data)
    ours = {(cell.baseline, cell.name): cell.ours or 0.0 for cell in results.cells}
    for name in ("dkpro", "dkpro-dictionary-free"):
        assert ours[name, "Mean"] >= 0.67
        assert ours[name, "ALL"] >= 0.80
    for name in ("takelab-simple", "takelab-dictionary-free"):
        assert ours[name, "Mean"] >= 0.69
        assert ours[name, "ALL"] >= 0.81
        assert ours[name, "MSRvid"] >= 0.86
    assert ours["dkpro-string", "Mean"] < ours["dkpro", "Mean"]
    assert not [
        cell
        for cell in results.cells
        if cell.status == "no data" or (cell.status == "differs" and not cell.accepted)
    ]
