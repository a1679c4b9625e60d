"""A run's numbers by the conventions of papers, and which of them a printed number is."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.data.catalogue import find_task
from stsbaselines.data.find import SAMPLES
from stsbaselines.errors import InputError
from stsbaselines.evaluation import submission
from stsbaselines.evaluation.explanation import Near, conventional, explain, how_rounded, signature
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import read_config
from stsbaselines.reports.text import explanation_text
from stsbaselines.scoring.conventions import CONVENTIONS, Pair, value
from stsbaselines.scoring.rounding import printed
from stsbaselines.tasks.base import ScorePairs, family_of
from tests.helpers import needs

BY_NAME = {each.name: each for each in CONVENTIONS}
A = ([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])
B = ([1.0, 2.0], [2.0, 1.0])
YEARS = [2012, 2013, 2014, 2015, 2016]


def points_of(parts: dict[str, Pair]) -> dict[str, ScorePairs]:
    return {
        name: ScorePairs(np.asarray(scores), np.asarray(gold), np.arange(1, np.size(gold) + 1))
        for name, (scores, gold) in parts.items()
    }


def write_outputs(folder: Path, **scores: list[float]) -> Path:
    """Write outputs for the samples, the last score repeated."""
    for dataset in find_task("sample-sts").datasets:
        given = scores[dataset.name]
        lines = [*given, *given[-1:] * (dataset.pairs - len(given))]
        (folder / dataset.output).write_text("".join(f"{each}\n" for each in lines))
    return folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a run of a baseline on each sample."""
    folder = tmp_path_factory.mktemp("runs")
    for name in ("sample-sts", "sample-pit", "sample-ists", "sample-typed"):
        experiment.run(read_config(name), folder)
    return folder


def test_the_signature_pins_a_number_down() -> None:
    parts = {"headlines": A, "OnWN": B, "SMT": A}
    fields = dict(
        each.split(":", 1)
        for each in signature(BY_NAME["SentEval Spearman wmean"], "sts2013", parts).split("|")
    )
    assert fields.pop("version")
    assert fields == {
        "task": "sts2013",
        "sets": "headlines(3)+OnWN(2)",
        "n": "5",
        "correlation": "spearman",
        "aggregate": "weighted mean",
    }


def test_excluded_data_sets_are_not_in_the_signature() -> None:
    without = {"FNWN": A, "OnWN": B}
    for convention in CONVENTIONS:
        signatures = {
            signature(convention, "sts2013", each) for each in (without, {**without, "SMT": A})
        }
        assert len(signatures) == (1 if convention.excluded else 2)


def test_conventions_that_are_the_same_for_a_task_are_one() -> None:
    parts: dict[str, Pair] = {"kitchen": A, "journeys": B}
    found = conventional(find_task("sample-sts"), points_of(parts))
    assert len(found) == 7
    assert found[-1][0] == "Spearman ALL = SimCSE = MTEB cosine_spearman"
    names = [name for line, _, _ in found for name in line.split(" = ")]
    assert sorted(names) == sorted(BY_NAME)
    for line, number, text in found:
        for name in line.split(" = "):
            assert value(BY_NAME[name], parts) == number
            assert signature(BY_NAME[name], "sample-sts", parts) == text


def test_a_convention_needs_all_its_data_sets() -> None:
    task = find_task("sts2013")
    parts: dict[str, Pair] = {"headlines": A, "OnWN": B, "FNWN": A}
    assert len(conventional(task, points_of({**parts, "SMT": A}))) == 7 + 6
    without_smt = conventional(task, points_of(parts))
    assert len(without_smt) == 6
    assert all("SentEval" in name or "MTEB" in name for name, _, _ in without_smt)
    assert conventional(task, points_of({"headlines": A})) == []


@pytest.mark.parametrize("task", ["sample-pit", "sample-typed", "sample-ists"])
def test_other_families_have_no_conventions(task: str) -> None:
    entry = find_task(task)
    assert conventional(entry, points_of({entry.dataset_names[0]: A})) == []


def test_data_sets_that_are_never_taken_together_have_spearman_each() -> None:
    task = find_task("sample-sts").model_copy(update={"measures": []})
    found = conventional(task, points_of({"kitchen": A, "journeys": A}))
    assert [name for name, _, _ in found] == ["Spearman kitchen", "Spearman journeys"]


@pytest.mark.parametrize(
    ("task", "run", "names"),
    [
        ("sample-sts", "token-cosine", {"kitchen", "journeys_spearman"}),
        ("sample-pit", "ngram-logreg", {"F1", "maxF1", "average_precision"}),
        ("sample-ists", "gold-chunks", {"garden_TS", "garden_precision"}),
        ("sample-typed", "typed-tfidf", {"general", "Mean"}),
    ],
)
def test_every_measure_of_a_run_is_found(task: str, run: str, names: set[str], runs: Path) -> None:
    path = runs / task / run
    scores = submission.score(task, path)
    seen = set()
    for measures in [*scores.datasets.values(), scores.aggregates]:
        for measure, number in measures.items():
            if measure == "n" or number is None:
                continue
            found = explain(f"{number:.12f}", task, path)
            assert number in [each.value for each in found.matches]
            assert found.nearest == ()
            seen |= {name for each in found.matches for name in each.name.split(" = ")}
    assert names <= seen
    assert "n" not in seen


@pytest.mark.parametrize(
    ("task", "run"), [("sample-sts", "token-cosine"), ("sample-ists", "gold-chunks")]
)
def test_official_numbers_are_marked_and_come_first(task: str, run: str, runs: Path) -> None:
    entry = find_task(task)
    cells = submission.score(task, runs / task / run).cells()
    for name in entry.cell_names:
        match = explain(f"{cells[name]:.12f}", task, runs / task / run).matches[0]
        assert match.official
        assert match.name.split(" = ")[0] == name
    everything = explain("0", task, runs / task / run).matches
    flags = [each.official for each in everything]
    assert flags == sorted(flags, reverse=True)


@pytest.mark.parametrize(
    ("number", "computed", "times", "rounding"),
    [
        ("0.7039", 0.7038483, 1, "rounded twice (first to 5 decimals)"),
        ("70.39", 0.7038483, 100, "rounded twice (first to 5 decimals)"),
        ("0.7038", 0.7038483, 1, "rounded once (not first to 5 decimals)"),
        ("70.38", 0.7038483, 100, "rounded once (not first to 5 decimals)"),
        ("0.704", 0.7038483, 1, "rounded"),
        ("70", 0.7038483, 100, "rounded"),
        ("-12.56", -0.12561, 100, "rounded"),
        ("-.1235", -0.1234483, 1, "rounded twice (first to 5 decimals)"),
    ],
)
def test_how_a_number_was_rounded(number: str, computed: float, times: int, rounding: str) -> None:
    assert how_rounded(computed, Decimal(number)) == (times, rounding)


@pytest.mark.parametrize("number", ["1.", "+1.0", "100", "1"])
def test_forms_of_numbers(number: str, tmp_path: Path) -> None:
    for dataset in find_task("sample-sts").datasets:
        gold = SAMPLES / "sample-sts" / f"STS.gs.{dataset.name}.txt"
        (tmp_path / dataset.output).write_text(gold.read_text().replace("\n\n", "\n3\n"))
    names = [each.name for each in explain(number, "sample-sts", tmp_path).matches]
    assert "kitchen" in names


@given(st.floats(-1, 1), st.integers(1, 8), st.sampled_from([1, 100]))
def test_a_number_that_was_rounded_once_or_twice_is_found(
    computed: float, decimals: int, times: int
) -> None:
    shift = 2 if times == 100 else 0
    for rounded in (
        Decimal(f"{computed:.{decimals + shift}f}"),
        printed(computed, decimals + shift),
    ):
        published = rounded.scaleb(shift)
        assert how_rounded(computed, published) is not None
        off = how_rounded(computed, published + Decimal(2).scaleb(-decimals))
        assert off is None or off[0] != times


@pytest.mark.parametrize(("number", "times"), [("-1.0", 1), ("99.9", 100)])
def test_the_nearest_are_shown_if_none_matches(number: str, times: int, runs: Path) -> None:
    found = explain(number, "sample-sts", runs / "sample-sts" / "token-cosine")
    assert found.matches == ()
    assert [near.times for near in found.nearest] == [times] * 3
    for near in found.nearest:
        assert near.off == pytest.approx(times * near.value - float(number))
    distances = [abs(each.off) for each in found.nearest]
    assert distances == sorted(distances)


def test_a_mean_weighted_by_confidence_is_no_convention(tmp_path: Path) -> None:
    task = find_task("sample-sts").model_copy(update={"confidence": "weighted"})
    for dataset in task.datasets:
        lines = [f"{i % 5}\t{10 * i + 10}\n" for i in range(dataset.pairs)]
        (tmp_path / dataset.output).write_text("".join(lines))
    aggregates = submission.score(task, tmp_path).aggregates
    (official,) = explain(f"{aggregates['Mean']:.10f}", task, tmp_path).matches
    assert (official.name, official.official) == ("Mean", True)
    assert "|measure:Mean|confidence:weighted|" in official.signature
    outputs = submission.read_outputs(task, submission.output_files(task, tmp_path, None, {}))
    points = family_of(task).score_pairs(task, submission.read_gold(task, task.datasets), outputs)
    (_, plain, _) = conventional(task, points)[1]
    (match,) = explain(f"{plain:.10f}", task, tmp_path).matches
    assert match.name == "Pearson weighted mean = SentEval Pearson wmean"
    assert not match.official
    (weighted,) = explain(f"{aggregates['ALLw']:.10f}", task, tmp_path).matches
    assert weighted.name == "ALLw"


def test_undefined_measures_match_nothing(tmp_path: Path) -> None:
    write_outputs(tmp_path, kitchen=[1], journeys=[1])
    found = explain("0.0000", "sample-sts", tmp_path)
    assert found.matches == ()
    assert found.nearest == ()
    write_outputs(tmp_path, kitchen=[1], journeys=[1, 2])
    near = explain("0.999", "sample-sts", tmp_path).nearest
    assert all("kitchen" not in each.name and "mean" not in each.name for each in near)


@pytest.mark.parametrize(
    "number", ["", "nan", "1e-1", "0,73", "0.7 ", "73.42%", "\u0660.\u0667", "."]
)
def test_what_is_no_number_is_refused(number: str, runs: Path) -> None:
    with pytest.raises(InputError, match=r"is not a number as printed in papers, such as 0\.7342"):
        explain(number, "sample-sts", runs / "sample-sts" / "token-cosine")


def test_more_digits_than_a_double_has_are_refused(runs: Path) -> None:
    path = runs / "sample-sts" / "token-cosine"
    explain("0." + "1" * 16, "sample-sts", path)
    with pytest.raises(InputError, match=r"'0\.11111111111111111' has 18 digits, but at most 17"):
        explain("0." + "1" * 17, "sample-sts", path)


def test_an_explanation_as_plain_values(runs: Path) -> None:
    path = runs / "sample-sts" / "token-cosine"
    found = explain("0.999", "sample-sts", path).to_dict()
    assert found.pop("nearest")[0].keys() == {*Near._fields}
    assert found.pop("notes") == ()
    assert found == {"number": "0.999", "task": "sample-sts", "run": path.name, "matches": []}


def test_files_with_other_names(runs: Path, tmp_path: Path) -> None:
    path = runs / "sample-sts" / "token-cosine"
    (tmp_path / "a").write_bytes((path / "STS.output.kitchen.txt").read_bytes())
    (tmp_path / "b").write_bytes((path / "STS.output.journeys.txt").read_bytes())
    mapping = {"kitchen": "a", "journeys": "b"}
    expected = explain("0", "sample-sts", path).matches
    assert explain("0", "sample-sts", tmp_path, mapping=mapping).matches == expected
    only = explain("0", "sample-sts", path / "STS.output.kitchen.txt").matches
    assert [each.name for each in only] == ["kitchen", "kitchen_spearman"]


@pytest.mark.official
@pytest.mark.parametrize("year", YEARS)
def test_the_weighted_mean_is_the_official_one(year: int, official_data: Path) -> None:
    needs(official_data, f"sts{year}", folder="system-outputs")
    folder = official_data / "system-outputs" / str(year) / "baseline-tokencos-regenerated"
    task = find_task(f"sts{year}")
    aggregates = submission.score(task.task, folder).aggregates
    outputs = submission.read_outputs(task, submission.output_files(task, folder, None, {}))
    gold = submission.read_gold(task, task.datasets)
    found = {
        name: number
        for line, number, _ in conventional(task, family_of(task).score_pairs(task, gold, outputs))
        for name in line.split(" = ")
    }
    for convention in CONVENTIONS:
        if convention.measure:
            assert found[convention.name] == aggregates[convention.measure]
    assert (found["Pearson mean"] == found["SentEval Pearson mean"]) == (year != 2013)
    (mean, *_) = explain(f"{aggregates['Mean']:.12f}", task.task, folder).matches
    assert mean.official
    assert mean.name.startswith("Mean = Pearson weighted mean")


@pytest.mark.parametrize("number", ["1.0000", "0.1234"])
def test_notes_on_the_files_are_kept(number: str, tmp_path: Path) -> None:
    gold = (SAMPLES / "sample-sts" / "STS.gs.kitchen.txt").read_text().split("\n")[:-1]
    path = tmp_path / "kitchen.txt"
    path.write_text("".join(f"{n}\t{line or 2}\n" for n, line in enumerate(gold)))
    found = explain(number, "sample-sts", path)
    assert found.notes == submission.score("sample-sts", path).notes
    assert len(found.notes) == len(found.to_dict()["notes"]) == 2
    assert explanation_text(found).endswith("\n".join(found.notes))
