"""Configurations, running them, the ledger, and the published tables."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path

import pytest

from stsbaselines import io as files
from stsbaselines.data.catalogue import find_task
from stsbaselines.data.find import SAMPLES
from stsbaselines.errors import InputError
from stsbaselines.evaluation import submission
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import (
    BaselineConfig,
    Deviation,
    ExperimentConfig,
    PublishedRun,
    Training,
    config_names,
    read_config,
)
from stsbaselines.experiments.ledger import LedgerEntry, cells_of, judged, published_row
from stsbaselines.reference import published as reference
from stsbaselines.reports import text as report
from stsbaselines.tasks import sts

SAMPLE = read_config("sample-sts")


@pytest.mark.parametrize("name", config_names())
def test_configurations_fit_catalogue_and_tables(name: str) -> None:
    config = read_config(name)
    task = find_task(config.task)
    for baseline in config.baselines:
        cells = {*task.cell_names}
        assert set(baseline.explained) <= {*cells, "all"}
        published = published_row(task, baseline)
        assert {column for column in published if not column.endswith("rank")} <= cells
    assert len(config.baselines) == len({baseline.title for baseline in config.baselines})


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


def test_a_run_writes_official_files_and_scores_them(tmp_path: Path) -> None:
    seen: list[int] = []
    results = experiment.run(SAMPLE, tmp_path, progress=seen.append)
    assert sum(seen) == experiment.pairs_to_process(SAMPLE) == 22 * 11
    folder = tmp_path / "sample-sts" / "token-cosine"
    assert sorted(path.name for path in folder.iterdir()) == [
        "STS.output.journeys.txt",
        "STS.output.kitchen.txt",
    ]
    again = submission.score("sample-sts", folder)
    assert again.datasets == results.baselines[0].runs[0].datasets
    first_line = (folder / "STS.output.kitchen.txt").read_text().splitlines()[0]
    assert first_line == "0.1178511302"  # one shared token of nine and eight: 1 / sqrt(72)


def test_two_jobs_write_the_same_bytes(tmp_path: Path) -> None:
    for jobs in (1, 2):
        experiment.run(SAMPLE, tmp_path / str(jobs), n_jobs=jobs)
    for path in (tmp_path / "1").rglob("*.txt"):
        other = tmp_path / "2" / path.relative_to(tmp_path / "1")
        assert path.read_bytes() == other.read_bytes()


def test_seeds_differ_and_are_repeatable(tmp_path: Path) -> None:
    one, two = (experiment.run(SAMPLE, tmp_path / name) for name in "ab")
    assert [cell.ours for cell in one.cells] == [cell.ours for cell in two.cells]
    random = one.baselines[1]
    assert len({scores.datasets["kitchen"]["pearson"] for scores in random.runs}) == 10
    outputs = [(tmp_path / "a/sample-sts/random" / f"seed-{n}") for n in (0, 1)]
    scores = [
        sts.read_output(path / f"STS.output.{name}.txt", find_task("sample-sts"), dataset).scores
        for path in outputs
        for name, dataset in [(d.name, d) for d in find_task("sample-sts").datasets]
    ]
    assert len({tuple(values[:10]) for values in scores}) == 4


@pytest.mark.parametrize(
    ("ours", "printed", "explanation", "status"),
    [
        (0.70385, "0.7039", None, "exact"),
        (0.70384, "0.7039", None, "differs"),
        (0.70384, "0.7039", Deviation(reason="why"), "not reproducible"),
        (0.70384, "0.7039", Deviation(reason="why", tolerance=0.01), "close"),
        (0.6, "0.7039", Deviation(reason="why", tolerance=0.01), "differs"),
        (0.7039, "0.7039", Deviation(reason="why", tolerance=0.01), "exact"),
        (None, "0.7039", None, "differs"),
        (None, "0.0000", None, "differs"),
        (None, "0.7039", Deviation(reason="why", tolerance=9), "not reproducible"),
        (0.7, None, Deviation(reason="illegible"), "illegible"),
        (0.7, None, None, ""),
    ],
)
def test_the_status_of_a_cell(
    ours: float | None,
    printed: str | None,
    explanation: Deviation | None,
    status: str,
) -> None:
    cell = LedgerEntry("task", "baseline", "set", ours, Decimal(printed) if printed else None)
    assert judged(cell, explanation).status == status


def test_the_ledger_lists_published_cells_only(tmp_path: Path) -> None:
    assert experiment.with_published_rows(SAMPLE) is None
    mean_only = PublishedRun(table="sts2013-core", run="UMCC_DLSI-1")
    claimed = BaselineConfig(
        baseline="token-cosine",
        name="ours",
        published=[mean_only],
        explained={"kitchen": Deviation(reason="illegible")},
    )
    config = ExperimentConfig(
        task="sample-sts", baselines=[claimed, BaselineConfig(baseline="random", seeds=2)]
    )
    reduced = experiment.with_published_rows(config)
    assert reduced is not None
    with pytest.raises(InputError, match="table sts2013-core is of sts2013, not of sample-sts"):
        experiment.ledger([reduced], tmp_path)


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
        (
            {"baseline": "chunk-aligner", "seeds": None},
            "'chunk-aligner' predicts alignments, but sts2012 needs scores",
        ),
    ],
)
def test_unknown_names_in_a_configuration_are_found_before_it_runs(
    change: dict[str, object], message: str
) -> None:
    baseline = read_config("sts2012").baselines[1].model_copy(update=change)
    with pytest.raises(InputError, match=message):
        experiment.validate(ExperimentConfig(task="sts2012", baselines=[baseline]))


def test_two_runs_of_one_baseline_have_their_own_names(tmp_path: Path) -> None:
    config = ExperimentConfig(
        task="sample-sts",
        baselines=[
            BaselineConfig(baseline="random", name="low", parameters={"high": 1}, seeds=1),
            BaselineConfig(baseline="random", name="high", parameters={"low": 4}, seeds=1),
        ],
    )
    cells = experiment.run(config, tmp_path).cells
    assert [cell.baseline for cell in cells] == ["low"] * 3 + ["high"] * 3
    assert (tmp_path / "sample-sts/low/seed-0/STS.output.kitchen.txt").is_file()
    results = json.loads((tmp_path / "sample-sts/results.json").read_text())
    assert [each["name"] for each in results["baselines"]] == ["low", "high"]


def test_the_ledger_without_data_says_so(tmp_path: Path) -> None:
    cells = experiment.ledger([read_config("sts2012")], tmp_path)
    assert {cell.status for cell in cells} == {"no data"}
    assert len(cells) == 9
    assert all("stswiki" in cell.reason for cell in cells)
    assert json.loads(report.ledger_text(cells, report.Format.json))[0]["published"] == "0.4334"
    assert "9 published cells: 9 no data." in report.ledger_text(cells, report.Format.markdown)


def test_a_training_task_is_not_scored(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="only to train on"):
        submission.check("pit2015-train", tmp_path)
    config = ExperimentConfig(
        task="sample-pit-train", baselines=[BaselineConfig(baseline="random")]
    )
    with pytest.raises(InputError, match="only to train on"):
        experiment.validate(config)


def test_a_baseline_whose_files_are_missing_is_left_out_and_said_to_be(tmp_path: Path) -> None:
    missing = BaselineConfig(
        baseline="ngram-logreg", train=[Training(task="pit2015-train", first_of=["train", "dev"])]
    )
    config = ExperimentConfig(
        task="sample-pit", baselines=[missing, BaselineConfig(baseline="random", seeds=1)]
    )
    results = experiment.run(config, tmp_path)
    assert {cell.status for cell in results.baselines[0].cells} == {"no data"}
    assert "dev.data was looked for" in results.baselines[0].cells[0].reason
    assert results.baselines[1].runs
    with pytest.raises(InputError, match=r"dev\.data was looked for"):
        experiment.run(config.model_copy(update={"baselines": [missing]}), tmp_path)


def test_a_trained_baseline_says_on_what(tmp_path: Path) -> None:
    trained = read_config("sample-pit").baselines[1]
    explained = {"all": Deviation(reason="other data")}
    published = PublishedRun(table="pit2015", run="WTMF")
    claimed = trained.model_copy(update={"published": published, "explained": explained})
    cells = list(
        cells_of(
            find_task("sample-pit"),
            claimed,
            list(experiment.run(read_config("sample-pit"), tmp_path).baselines[1].runs),
            reference.published("pit2015", "WTMF"),
            trained_on="trained on nothing",
        )
    )
    assert {cell.status for cell in cells} == {"trained"}
    assert cells[0].reason == "trained on nothing; other data"
    strict = {"all": Deviation(reason="other data", tolerance=1e-9)}
    narrow = claimed.model_copy(update={"explained": strict})
    runs = list(experiment.run(read_config("sample-pit"), tmp_path).baselines[1].runs)
    row = reference.published("pit2015", "WTMF")
    again = cells_of(find_task("sample-pit"), narrow, runs, row, "", "trained on it")
    assert {cell.status for cell in again} == {"differs"}


def test_a_refused_run_leaves_the_old_results(tmp_path: Path) -> None:
    experiment.run(SAMPLE, tmp_path)
    old = (tmp_path / "sample-sts" / "results.json").read_text()
    bad = BaselineConfig(baseline="random", parameters={"low": "x"})
    with pytest.raises(InputError, match="must be numbers"):
        experiment.run(ExperimentConfig(task="sample-sts", baselines=[bad]), tmp_path)
    assert (tmp_path / "sample-sts" / "results.json").read_text() == old


def test_a_fault_is_no_missing_data(tmp_path: Path) -> None:
    config = read_config("sts2015-es")
    folder = tmp_path / "mine" / "sts2015-es"
    folder.mkdir(parents=True)
    for dataset in find_task("sts2015-es").datasets:
        for file in dataset.files.values():
            (folder / file.name).write_text("1\n")
    with pytest.raises(InputError, match="expected sha256"):
        experiment.ledger([config], tmp_path / "out", tmp_path / "mine")


def copies(folder: Path, **names: str) -> Path:
    for name, file_name in names.items():
        lines = (SAMPLES / "sample-sts" / f"STS.gs.{name}.txt").read_text()
        (folder / file_name).write_text(lines.replace("\n\n", "\n3\n"))
    return folder


def test_a_misnamed_file_is_pointed_out_and_can_be_mapped(tmp_path: Path) -> None:
    copies(tmp_path, kitchen="STS.output.kitchens.txt", journeys="STS.output.journeys.txt")
    (tmp_path / "readme.txt").write_text("not an output")
    with pytest.raises(InputError) as error:
        submission.score("sample-sts", tmp_path)
    assert "STS.output.kitchens.txt is for no data set" in str(error.value)
    assert "--map kitchen=STS.output.kitchens.txt" in str(error.value)
    mapping = {"kitchen": "STS.output.kitchens.txt"}
    assert submission.score("sample-sts", tmp_path, mapping=mapping).aggregates["Mean"] is not None
    assert set(submission.check("sample-sts", tmp_path, mapping=mapping)) == {"kitchen", "journeys"}
    one = submission.score("sample-sts", tmp_path, dataset="journeys")
    assert list(one.datasets) == ["journeys"]


def test_two_files_for_one_set_are_refused(tmp_path: Path) -> None:
    copies(tmp_path, journeys="STS.output.journeys.txt", kitchen="STS.output.kitchen.txt")
    copies(tmp_path, kitchen="STS.output.surprise.kitchen.txt")
    with pytest.raises(InputError, match="found 2 files"):
        submission.score("sample-sts", tmp_path)


def test_a_single_file_needs_a_telling_name_or_the_option(tmp_path: Path) -> None:
    copies(tmp_path, kitchen="mine.txt")
    with pytest.raises(InputError, match="--dataset with one of kitchen, journeys"):
        submission.score("sample-sts", tmp_path / "mine.txt")
    scores = submission.score("sample-sts", tmp_path / "mine.txt", dataset="kitchen")
    assert scores.datasets["kitchen"]["pearson"] == pytest.approx(1)
    assert scores.aggregates == {}
    copies(tmp_path, kitchen="STS.output.kitchens.txt")
    with pytest.raises(InputError, match="did you mean 'kitchen'"):
        submission.score("sample-sts", tmp_path / "STS.output.kitchens.txt")
    twice = dict.fromkeys(("kitchen", "journeys"), "x")
    with pytest.raises(InputError, match="a file of its own"):
        submission.score("sample-sts", tmp_path, mapping=twice)
    with pytest.raises(InputError, match="a file of its own"):
        submission.score("sample-sts", tmp_path, dataset="kitchen", mapping={"journeys": "x"})
    with pytest.raises(InputError, match="a folder, whose files --map names"):
        submission.score("sample-sts", tmp_path / "mine.txt", mapping={"kitchen": "x"})


def test_every_table_is_readable() -> None:
    for name in reference.table_names():
        table = reference.table(name)
        assert table.title
        assert table.rows
        cells = table.cells()
        assert all(tuple(row) == table.columns for row in cells)


def test_tables_keep_printed_digits() -> None:
    assert str(reference.published("sts2012", "00-baseline/task6-baseline")["ALL"]) == "0.3110"
    row = reference.table("sts2013-core").row("DKPro")
    assert row.flags == {"reference-system"}
    assert "Mean" not in row.values
    with pytest.raises(InputError, match="did you mean 'DKPro'"):
        reference.table("sts2013-core").row("DKpro")
    with pytest.raises(InputError, match="2 runs that are named 'UBC-RUN1'"):
        reference.table("sts2015-english").row("UBC-RUN1")
    with pytest.raises(InputError, match="no run in table agreement"):
        reference.table("agreement").row("x")
    with pytest.raises(InputError, match="no published table or task"):
        reference.tables_of("sts1999")


@pytest.mark.parametrize(
    ("style", "expected"),
    [
        (report.Format.json, '[\n  {\n    "run": "a_b",\n    "Mean": "0.5870"\n  }\n]'),
        (report.Format.csv, "run,Mean\na_b,0.5870"),
        (report.Format.markdown, "| run   |   Mean |\n|:------|-------:|\n| a_b   | 0.5870 |"),
    ],
)
def test_formats(style: report.Format, expected: str) -> None:
    assert report.render([{"run": "a_b", "Mean": "0.5870"}], style) == expected


def test_latex_is_escaped() -> None:
    text = report.render([{"run": "a_b & c", "Mean": "0.5870"}], report.Format.latex)
    assert r"a\_b \& c" in text
    assert r"\toprule" in text


def test_nan_never_becomes_json() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        files.to_json({"pearson": float("nan")})
