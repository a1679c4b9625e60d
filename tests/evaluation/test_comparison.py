"""Comparing systems with the published runs, and with each other."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stsbaselines
from stsbaselines import create, load_pairs
from stsbaselines.data.catalogue import find_task
from stsbaselines.errors import InputError
from stsbaselines.evaluation.comparison import compare
from stsbaselines.evaluation.results import BOOTSTRAP, FISHER, SYSTEM, WILLIAMS, Comparison
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import read_config
from stsbaselines.reference.published import table
from stsbaselines.reference.ranking import name_of
from stsbaselines.reports.comparison import comparison_text
from stsbaselines.scoring.significance import fisher_interval, fisher_test
from tests.helpers import command_refusal, run_command

OUTPUTS = "system-outputs"
TOKENCOS = "baseline-tokencos-regenerated"


def overlap(left: list[str], right: list[str]) -> list[float]:
    pairs = zip(left, right, strict=True)
    return [len({*a.lower().split()} & {*b.lower().split()}) / 10 for a, b in pairs]


def length(left: list[str], right: list[str]) -> list[float]:
    return [float(min(len(a), len(b))) for a, b in zip(left, right, strict=True)]


def constant(left: list[str], right: list[str]) -> list[float]:
    return [1.0] * len(left)


def rank_in(found: Comparison, system: str, name: str) -> str:
    [measured] = [each for each in found.measured if (each.system, each.name) == (system, name)]
    return str(measured.rank)


def test_the_only_data_set_of_a_task_has_its_own_row_and_test() -> None:
    whole = find_task("sample-sts")
    task = whole.model_copy(update={"datasets": whole.datasets[:1]})
    found = compare(task, {"overlap": overlap, "length": length})
    assert {each.name for each in found.measured} == {"kitchen", "Mean"}
    assert WILLIAMS in {each.method for each in found.tests if each.name == "kitchen"}


@pytest.mark.official
@pytest.mark.parametrize(
    ("task", "folder", "table_name", "run", "cells"),
    [
        ("sts2012", f"2012/{TOKENCOS}", "sts2012", "00-baseline/task6-baseline",
         {"ALL": "ALL_rank", "ALLnrm": "ALLnrm_rank", "Mean": "Mean_rank"}),
        ("sts2013", f"2013/{TOKENCOS}", "sts2013-core", "baseline-tokencos", {"Mean": "rank"}),
        ("sts2015", f"2015/{TOKENCOS}", "sts2015-english", "Baseline-tokencos", {"Mean": "rank"}),
        ("sts2015", "2015/SopaLipnIimas-MLP", "sts2015-english", "SopaLipnIimas-MLP",
         {"Mean": "rank"}),
        ("sts2015", "2015/SopaLipnIimas-SVM", "sts2015-english", "SopaLipnIimas-SVM",
         {"Mean": "rank"}),
    ],
)  # fmt: skip
def test_outputs_land_on_the_printed_ranks(
    official_data: Path, task: str, folder: str, table_name: str, run: str, cells: dict[str, str]
) -> None:
    mapping = {"answers-forums": "STS.output.answers-forum.txt"} if "Sopa" in folder else {}
    found = compare(
        task, {"ours": official_data / OUTPUTS / folder}, mapping=mapping, resamples=100
    )
    printed = table(table_name).row(run)
    for name, column in cells.items():
        [ours] = [each for each in found.measured if each.name == name]
        assert ours.rank is not None
        assert ours.rank.first == ours.rank.last == printed.values[column]
        assert run in [name_of(row) for row in ours.rank.equal]
    assert found.rank == {"ours": printed.values[cells[found.official]]}


@pytest.mark.official
def test_the_baseline_of_pit_lands_on_its_ranks(official_data: Path) -> None:
    output = official_data / OUTPUTS / "pit2015" / "PIT2015_BASELINE_02_LG.output"
    found = compare("pit2015", {"ours": output}, resamples=100)
    row = next(row for row in table("pit2015").rows if name_of(row) == "BASELINE logistic reg.")
    assert rank_in(found, "ours", "F1") == f"{row.values['F1_rank']} of 38"
    assert rank_in(found, "ours", "pearson") == f"{row.values['pearson_rank']} of 28"
    [f1] = [each for each in found.measured if each.name == "F1"]
    assert f1.interval is not None
    assert f1.value is not None
    assert f1.interval.low < f1.value < f1.interval.high
    assert {each.method for each in found.tests if each.name == "pearson"} == {FISHER}


@pytest.mark.official
@pytest.mark.parametrize("dataset", ["headlines", "images"])
def test_the_baseline_of_interpretable_sts_lands_on_its_ranks(
    official_data: Path, dataset: str
) -> None:
    aligner = stsbaselines.create("chunk-aligner")
    found = compare("ists2015", {"ours": aligner}, chunks="gold", resamples=100)
    [row] = [each for each in table("ists2015-goldchunks").rows if "baseline" in each.flags]
    rank = row.values[f"{dataset}_rank"]
    assert rank_in(found, "ours", f"{dataset}_TS").startswith(f"{rank} of ")
    [ours] = [each for each in found.measured if each.name == f"{dataset}_TS"]
    assert ours.interval is not None
    assert ours.interval.low < (ours.value or 0) < ours.interval.high


@pytest.mark.official
def test_published_numbers_are_tested_by_fishers_z(official_data: Path) -> None:
    folder = official_data / OUTPUTS / "2015" / TOKENCOS
    found = compare("sts2015", [folder], resamples=100)
    [takelab] = [
        each for each in found.tests if (each.name, each.other) == ("Mean", "Baseline-TakeLab")
    ]
    theirs = float(table("sts2015-english").row("Baseline-TakeLab").values["Mean"])
    [mean] = [each for each in found.measured if each.name == "Mean"]
    assert mean.value is not None
    assert takelab.difference == pytest.approx(mean.value - theirs)
    assert takelab.p == pytest.approx(fisher_test(theirs, 3000, mean.value, 3000).p)
    assert takelab.differs
    assert mean.interval == fisher_interval(mean.value, 3000)


def test_systems_are_tested_against_each_other() -> None:
    found = compare("sample-sts", {"overlap": overlap, "length": length, "same": overlap})
    pairs = {(each.system, each.other) for each in found.tests}
    assert pairs == {("overlap", "length"), ("overlap", "same"), ("length", "same")}
    kitchen = [each for each in found.tests if each.name == "kitchen" and each.other == "length"]
    assert [each.method for each in kitchen if each.quote] == [WILLIAMS]
    assert {each.method for each in kitchen} == {FISHER, BOOTSTRAP, WILLIAMS}
    mean = [each for each in found.tests if each.name == "Mean" and each.other == "length"]
    assert [each.method for each in mean if each.quote] == [BOOTSTRAP]
    same = [each for each in found.tests if each.other == "same" and each.system == "overlap"]
    assert same
    assert not any(each.differs or each.difference for each in same)
    assert all(each.relation == SYSTEM for each in found.tests)


@pytest.mark.parametrize(("factor", "summand"), [(5, 0), (100 / 7, 0), (0.3, 2), (5, -0.1)])
def test_a_system_does_not_differ_from_itself_on_another_scale(
    factor: float, summand: float
) -> None:
    def scaled(left: list[str], right: list[str]) -> list[float]:
        return [each * factor + summand for each in cosine(left, right)]

    def cosine(left: list[str], right: list[str]) -> list[float]:
        pairs = list(zip(left, right, strict=True))
        return list(map(float, stsbaselines.create("token-cosine").predict(pairs)))

    found = compare("sample-sts", {"cosine": cosine, "scaled": scaled})
    assert len(found.tests) == 8
    assert not any(each.differs for each in found.tests)


def test_a_data_set_alone_has_the_same_tests() -> None:
    systems = {"overlap": overlap, "length": length}
    whole = compare("sample-sts", systems).tests
    alone = compare("sample-sts", systems, dataset="journeys").tests
    assert alone == tuple(each for each in whole if each.name == "journeys")


def test_pairs_of_weight_zero_do_not_count() -> None:
    task = find_task("sample-sts").model_copy(update={"confidence": "weighted"})
    pairs = task.dataset("kitchen").pairs
    lines = [f"{line % 5}\t{100 if line < 8 else 0}\n" for line in range(pairs)]
    Path("STS.output.kitchen.txt").write_text("".join(lines))
    found = compare(task, ["STS.output.kitchen.txt"], dataset="kitchen", resamples=100)
    [kitchen] = found.measured
    assert 0 < kitchen.pairs <= 8


@pytest.mark.parametrize("task", ["sample-sts", "sample-pit"])
def test_the_order_of_systems_does_not_change_a_test(task: str) -> None:
    one = compare(task, {"a": overlap, "b": length}, resamples=200)
    other = compare(task, {"b": length, "a": overlap}, resamples=200)
    assert [(each.name, each.method) for each in one.tests] == [
        (each.name, each.method) for each in other.tests
    ]
    for mine, theirs in zip(one.tests, other.tests, strict=True):
        assert mine.difference == -theirs.difference
        assert (mine.p, mine.differs) == (theirs.p, theirs.differs)


def test_results_are_the_same_again_and_follow_the_seed() -> None:
    def run(seed: int) -> dict[str, Any]:
        return compare("sample-pit", {"overlap": overlap}, random_state=seed).to_dict()

    assert run(1) == run(1)
    assert run(1)["measured"] != run(2)["measured"]


def test_the_largest_errors_have_their_sentences() -> None:
    found = compare("sample-sts", {"length": length}, resamples=100)
    assert [each.off for each in found.errors] == sorted(
        (each.off for each in found.errors), reverse=True
    )
    first = found.errors[0]
    assert first.sentences is not None
    assert first.predicted == length([first.sentences[0]], [first.sentences[1]])[0]


def test_alignments_are_compared_too() -> None:
    aligner = stsbaselines.create("chunk-aligner")
    found = compare("sample-ists", {"one": aligner, "other": aligner}, resamples=100)
    assert {each.name for each in found.measured} == {f"garden_{m}" for m in ("F", "T", "S", "TS")}
    assert found.errors[0].off == 1 - found.errors[0].predicted
    assert {each.method for each in found.tests} == {BOOTSTRAP}


def test_arrays_and_names_are_systems() -> None:
    pairs = {name: load_pairs("sample-sts", name)[0] for name in ("kitchen", "journeys")}
    scores = {name: create("token-cosine").predict(each) for name, each in pairs.items()}
    systems = {"mine": scores, "base": "token-cosine"}
    found = compare("sample-sts", systems, resamples=100)
    assert found.systems == ("mine", "base")
    values = [each.value for each in found.measured]
    assert values[:3] == values[3:]
    kitchen = compare("sample-sts", {"mine": scores["kitchen"].tolist()}, resamples=100)
    assert [(each.name, each.value) for each in kitchen.measured] == [("kitchen", values[0])]
    assert kitchen.notes == ("mine: the scores are taken as those of kitchen, by their number",)
    alone = compare("sample-sts", scores["kitchen"], dataset="kitchen", resamples=100)
    assert alone.systems == ("scores",)
    with pytest.raises(InputError, match="mine: the scores of kitchen, pair 1: found nan"):
        compare("sample-sts", {"mine": {"kitchen": [float("nan")] * 12}})


def test_a_file_with_the_name_of_a_baseline_is_an_output() -> None:
    values = [number * 5 % 12 / 4 for number in range(12)]
    Path("random").write_text("".join(f"{each}\n" for each in values), encoding="utf-8")
    found = compare("sample-sts", "random", dataset="kitchen", resamples=100)
    other = compare("sample-sts", values, dataset="kitchen", resamples=100)
    assert found.scores["random"].datasets == other.scores["scores"].datasets


def test_a_frame_has_the_rows() -> None:
    found = compare("sample-sts", [overlap], resamples=100)
    frame = found.to_frame()
    assert list(frame["name"]) == ["kitchen", "journeys", "Mean"]
    assert frame["system"].unique().tolist() == ["overlap"]


def test_without_pandas_a_frame_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError, match="pandas is not installed"):
        compare("sample-sts", [overlap], resamples=100).to_frame()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"task": "sample-sts", "systems": []}, "no system to compare"),
        ({"task": "sample-sts", "systems": [overlap, overlap]}, "two systems are called 'overlap'"),
        ({"task": "sample-sts", "systems": [overlap], "resamples": 99}, "must be from 100 to"),
        ({"task": "sample-sts", "systems": [overlap], "random_state": 1.5}, "the seed is 1.5"),
        ({"task": "sample-sts", "systems": {"a\nb": overlap}}, "expected printable text"),
        ({"task": "sample-sts", "systems": [overlap], "chunks": "gold"}, "has no chunks"),
        ({"task": "ists2016", "systems": [overlap]}, "pass --chunks gold or --chunks system"),
        ({"task": "ists2016", "systems": [overlap], "chunks": "golden"}, "did you mean 'gold'"),
        ({"task": "sample-sts", "systems": [None]}, "encode"),
        ({"task": "sample-sts", "systems": [3, 4]}, "found 2 scores, which fit no data set"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        compare(**arguments)


def test_constant_scores_are_undefined_and_have_no_rank() -> None:
    found = compare("sample-sts", {"constant": constant, "overlap": overlap}, resamples=100)
    mine = [each for each in found.measured if each.system == "constant"]
    assert all(each.value is None and each.interval is None for each in mine)
    assert not found.tests
    assert "undefined" in comparison_text(found)
    json.dumps(found.to_dict(), allow_nan=False)


def test_the_command_prints_and_reports(command_output: Callable[..., str]) -> None:
    Path("mine.py").write_text(
        "def count(left, right):\n    return [len({*a} & {*b}) for a, b in zip(left, right)]\n"
    )
    arguments = ["compare", "sample-sts", "--predictor", "token-cosine"]
    done = run_command([*arguments, "--predictor", "mine:count", "--report", "report"])
    assert done.returncode == 0, done.stderr
    assert "token-cosine - mine:count" in done.stdout
    assert {each.name for each in Path("report").iterdir()} == {
        "index.html",
        "comparison.md",
        "comparison.tex",
        "comparison.json",
    }
    assert json.loads(command_output(*arguments, "--json"))["official"] == "Mean"


@pytest.mark.official
def test_a_baseline_gets_no_gold_chunks_if_it_is_to_find_its_own(official_data: Path) -> None:
    given = compare("ists2016", {"ours": create("chunk-aligner")}, chunks="gold", resamples=100)
    found = compare("ists2016", {"ours": create("chunk-aligner")}, chunks="system", resamples=100)
    own = create("chunk-aligner", chunks="system")
    same = compare("ists2016", {"ours": own}, chunks="system", resamples=100)
    assert [each.value for each in found.measured] == [each.value for each in same.measured]
    pairs = zip(given.measured, found.measured, strict=True)
    assert all((one.value or 0) > (other.value or 0) for one, other in pairs)
    with pytest.raises(InputError, match="ours finds chunks itself"):
        compare("ists2016", {"ours": own}, chunks="gold")


def test_a_mapping_is_for_the_folders_that_have_its_files(tmp_path: Path) -> None:
    experiment.run(read_config("sample-sts"), tmp_path)
    usual = tmp_path / "sample-sts" / "token-cosine"
    other = tmp_path / "other"
    shutil.copytree(usual, other)
    (other / "STS.output.kitchen.txt").rename(other / "mine.txt")
    systems = {"usual": usual, "other": other}
    found = compare("sample-sts", systems, mapping={"kitchen": "mine.txt"}, resamples=100)
    assert [each.value for each in found.measured[:3]] == [
        each.value for each in found.measured[3:]
    ]
    with pytest.raises(InputError, match=r"--map kitchen=yours\.txt: no compared folder has"):
        compare("sample-sts", systems, mapping={"kitchen": "yours.txt"})


def test_a_comparison_is_shown_in_a_line() -> None:
    found = compare("sample-sts", {"overlap": overlap}, resamples=100)
    mean = found.scores["overlap"].aggregates["Mean"]
    assert repr(found) == f"<Comparison on sample-sts; overlap: Mean {mean:.4f}>"
    assert f"<td>{mean:.4f}</td>" in found._repr_html_().replace(" </td>", "</td>")


def test_a_report_that_cannot_be_written_is_refused_before_anything_else() -> None:
    Path("report/comparison.tex").mkdir(parents=True)
    arguments = ["compare", "sample-sts", "--predictor", "token-cosine", "--report"]
    for place, message in [("report", "found a directory"), ("", "--report is empty")]:
        assert message in command_refusal(*arguments, place)
    assert [path.name for path in Path("report").iterdir()] == ["comparison.tex"]


def test_the_last_part_is_official_if_parts_are_never_taken_together() -> None:
    task = find_task("sample-sts").model_copy(update={"measures": []})
    found = compare(task, [overlap])
    assert [each.name for each in found.measured] == ["kitchen", "journeys"]
    assert found.official == "journeys"
    assert compare(task, [overlap], dataset="kitchen").official == "kitchen"


@pytest.mark.parametrize(
    ("convention", "quoted"),
    [("SimCSE", BOOTSTRAP), ("Pearson ALL", WILLIAMS), ("pearson allnrm", BOOTSTRAP)],
)
def test_the_number_by_a_convention_is_tested(convention: str, quoted: str) -> None:
    found = compare("sample-sts", {"overlap": overlap, "length": length}, convention=convention)
    tests = [each for each in found.tests if each.name == found.convention]
    assert [each.method for each in tests if each.quote] == [quoted]
    chosen = [each for each in found.conventions if each.name == found.convention]
    assert [each for each in found.conventions if each.interval] == chosen
    values = [each.value or 0.0 for each in chosen]
    for value, each in zip(values, chosen, strict=True):
        assert each.interval is not None
        assert each.interval.low <= value <= each.interval.high
    difference = values[0] - values[1]
    assert all(each.difference == pytest.approx(difference) for each in tests)
    with pytest.raises(InputError, match="there is no convention 'x'"):
        compare("sample-sts", [overlap], convention="x")


def test_conventions_that_disagree_are_noted() -> None:
    task = find_task("sample-sts")
    gold = {name: load_pairs("sample-sts", name)[1] for name in task.dataset_names}
    shifted = {name: scores + 9 * (name == "kitchen") for name, scores in gold.items()}
    noisy = {name: scores + 0.5 * (np.arange(len(scores)) % 2) for name, scores in gold.items()}
    found = compare("sample-sts", {"shifted": shifted, "noisy": noisy})
    (note,) = [each for each in found.notes if each.startswith("conventions disagree")]
    assert "shifted is better than noisy by" in note
    assert "but worse by" in note
