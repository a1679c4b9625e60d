"""What must come out on the official data."""

from __future__ import annotations

import json
import shutil
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from conftest import run_command
from stsbaselines import experiment, reference, submission
from stsbaselines.config import config_names, read_config
from stsbaselines.data import find
from stsbaselines.data.catalogue import Task, find_task, task_names
from stsbaselines.scoring import correlation
from stsbaselines.scoring.rounding import agrees
from stsbaselines.tasks import sts

pytestmark = pytest.mark.official

TASKS = [
    name
    for name in task_names()
    if not name.startswith("sample-") and find_task(name).family == "sts"
]
EXPERIMENTS = [name for name in config_names() if not name.startswith("sample-")]
STS = [name for name in EXPERIMENTS if find_task(read_config(name).task).family == "sts"]


def needs(official_data: Path, *tasks: str, folder: str = "") -> None:
    """Skip the test if a task, or a folder of further material, is not here."""
    located = [each for name in tasks for each in find.locate_all(find_task(name), official_data)]
    if any(each.status == "missing" for each in located):
        pytest.skip(f"needs the official data of {', '.join(tasks)}")
    if not (official_data / folder).exists():
        pytest.skip(f"needs {folder}")


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, experiment.Results]:
    return {}


def run(
    name: str, results: dict[str, experiment.Results], data: Path, out: Path
) -> experiment.Results:
    if name not in results:
        results[name] = experiment.run(read_config(name), out, data)
    return results[name]


@pytest.mark.parametrize("name", STS)
def test_every_published_cell_comes_out(
    name: str, results: dict[str, experiment.Results], official_data: Path, tmp_path: Path
) -> None:
    needs(official_data, name)
    cells = run(name, results, official_data, tmp_path).cells
    statuses = {(cell.baseline, cell.name): cell.status for cell in cells}
    published = [cell for cell in cells if cell.baseline == "token-cosine" and cell.published]
    assert len(published) >= 3
    for cell in published:
        assert statuses[cell.baseline, cell.name] == "exact", cell
    assert statuses.get(("random", "ALLnrm"), "close") == "close"


@pytest.mark.parametrize(("name", "value"), [("FNWN", "0.2146"), ("SMT", "0.2861")])
def test_the_illegible_cells_of_2013(
    name: str,
    value: str,
    results: dict[str, experiment.Results],
    official_data: Path,
    tmp_path: Path,
) -> None:
    needs(official_data, "sts2013")
    cells = {
        cell.name: cell
        for cell in run("sts2013", results, official_data, tmp_path).baselines[0].cells
    }
    assert cells[name].status == "illegible"
    assert agrees(cells[name].ours, Decimal(value))


@pytest.mark.parametrize("name", STS)
def test_outputs_equal_those_of_the_official_program(
    name: str, official_data: Path, tmp_path: Path
) -> None:
    needs(official_data, name, folder="system-outputs")
    config = read_config(name)
    single = config.model_copy(update={"baselines": config.baselines[:1]})
    experiment.run(single, tmp_path, official_data)
    year = name.removeprefix("sts")
    expected = official_data / "system-outputs" / year / "baseline-tokencos-regenerated"
    files = sorted(path.name for path in expected.iterdir())
    assert files == sorted(path.name for path in (tmp_path / name / "token-cosine").iterdir())
    for file in files:
        written = (tmp_path / name / "token-cosine" / file).read_bytes()
        assert written == (expected / file).read_bytes(), file


@pytest.mark.parametrize("system", ["MLP", "SVM"])
def test_submissions_of_2015_get_their_printed_row(system: str, official_data: Path) -> None:
    needs(official_data, "sts2015", folder="system-outputs")
    folder = official_data / "system-outputs" / "2015" / f"SopaLipnIimas-{system}"
    refused = run_command(["score", "sts2015", str(folder)])
    assert refused.returncode == 2
    assert "--map answers-forums=STS.output.answers-forum.txt" in refused.stderr
    mapped = ["--map", "answers-forums=STS.output.answers-forum.txt", "--json"]
    scores = json.loads(run_command(["score", "sts2015", str(folder), *mapped]).stdout)
    row = reference.published("sts2015-english", f"SopaLipnIimas-{system}")
    for name, measures in scores["datasets"].items():
        assert agrees(measures["pearson"], row[name]), name
    assert agrees(scores["aggregates"]["Mean"], row["Mean"])
    checked = run_command(["check", "sts2015", str(folder), *mapped[:2]])
    assert checked.returncode == 2
    assert "expected a score from 0 to 5" in checked.stderr


@pytest.mark.parametrize("name", TASKS)
def test_the_catalogue_describes_the_official_files(name: str, official_data: Path) -> None:
    needs(official_data, name)
    task = find_task(name)
    assert {each.status for each in find.locate_all(task, official_data)} == {"ok"}
    gold = submission.read_gold(task, task.datasets, official_data)
    for dataset in task.datasets:
        pairs = sts.read_pairs(find.require(task, dataset, "input", official_data))
        assert sum(1 for _ in pairs) == dataset.pairs == len(gold[dataset.name])
        assert np.isfinite(gold[dataset.name]).sum() == dataset.scored


def test_checksums_are_those_of_the_collection(official_data: Path) -> None:
    needs(official_data, folder="SHA256SUMS")
    lines = (official_data / "SHA256SUMS").read_text().splitlines()
    listed = {name: sha256 for sha256, name in (line.split("  ", 1) for line in lines)}
    for task in map(find_task, TASKS):
        for dataset in task.datasets:
            for file in dataset.files.values():
                assert listed[f"{task.folders[0]}/{file.name}"] == file.sha256


def without_restricted(task: Task, official_data: Path, target: Path) -> None:
    for dataset in task.datasets:
        for role in dataset.files:
            if not (dataset.restricted and role == "input"):
                found = find.require(task, dataset, role, official_data)
                target.mkdir(exist_ok=True, parents=True)
                shutil.copy(found, target)


def test_2013_runs_without_the_restricted_sentences(
    official_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs(official_data, "sts2013")
    without_restricted(find_task("sts2013"), official_data, tmp_path / "mine" / "test-gs")
    monkeypatch.delenv(find.ENVIRONMENT, raising=False)
    results = experiment.run(read_config("sts2013"), tmp_path / "out", tmp_path / "mine")
    statuses = {cell.name: cell.status for cell in results.baselines[0].cells}
    assert statuses["headlines"] == "exact"
    assert statuses["SMT"] == statuses["Mean"] == "no data"
    assert "LDC" in next(cell.reason for cell in results.cells if cell.name == "Mean")
    assert "SMT was left out" in results.notes[0]


def test_a_changed_official_file_is_refused(
    official_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs(official_data, "sts2015-es")
    monkeypatch.delenv(find.ENVIRONMENT, raising=False)
    folder = tmp_path / "mine" / "sts2015-es"
    shutil.copytree(official_data / "sts2015-es", folder)
    path = folder / "STS.input.wikipedia.txt"
    path.chmod(0o644)
    path.write_bytes(path.read_bytes().removesuffix(b"\n") + b" \n")
    done = run_command(["run", "sts2015-es", "--data-dir", str(tmp_path / "mine")])
    assert done.returncode == 2
    assert f"{path}: found sha256 " in done.stderr
    assert done.stdout == ""


def test_the_random_baseline_of_2012_over_a_thousand_seeds(official_data: Path) -> None:
    needs(official_data, "sts2012")
    task = find_task("sts2012")
    gold = list(submission.read_gold(task, task.datasets, official_data).values())
    values = []
    for seed in range(1000):
        generator = np.random.RandomState(seed)
        scores = [generator.uniform(0, 5, len(each)) for each in gold]
        values.append(correlation.pearson_all_normalized(scores, gold))
    mean, deviation = np.mean(np.array(values)), np.std(np.array(values))
    assert (round(float(mean), 4), round(float(deviation), 4)) == (0.5878, 0.0006)


def test_the_ledger_from_the_command_line(official_data: Path, tmp_path: Path) -> None:
    needs(official_data, *EXPERIMENTS)
    done = run_command(["reproduce", "--out", str(tmp_path), "--format", "json"])
    assert done.returncode == 0, done.stderr
    cells = json.loads(done.stdout)
    assert cells == json.loads((tmp_path / "ledger.json").read_text())
    assert {cell["status"] for cell in cells} == {"exact", "close", "illegible"}
    printed = [cell for cell in cells if cell["status"] != "illegible"]
    assert len(printed) == sum(
        not column.endswith("rank")
        for name in EXPERIMENTS
        for baseline in read_config(name).baselines
        if baseline.published
        for column in reference.published(baseline.published.table, baseline.published.run)
    )
    assert "33 exact, 1 close, 2 illegible" in (tmp_path / "ledger.md").read_text()
    assert "33 exact, 1 close, 2 illegible" in (tmp_path / "ledger.txt").read_text()


@pytest.mark.parametrize("name", STS)
def test_official_inputs_are_read_byte_for_byte(name: str, official_data: Path) -> None:
    needs(official_data, name)
    task = find_task(read_config(name).task)
    for dataset in task.datasets:
        path = find.require(task, dataset, "input", official_data)
        columns = [line.split(b"\t")[:2] for line in path.read_bytes().split(b"\n")[:-1]]
        read = [
            [side.encode("utf-8", "surrogateescape") for side in pair]
            for pair in sts.read_pairs(path)
        ]
        assert read == columns
