"""The row of the seven sets, by convention, and where printed rows come from."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import stsbaselines
from stsbaselines import create
from stsbaselines.data import find
from stsbaselines.data.catalogue import find_task
from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.evaluation import row_scores
from stsbaselines.evaluation.row_explanation import explain_row
from stsbaselines.evaluation.row_results import RowCell, RowResult, SystemRow
from stsbaselines.evaluation.systems import Vectors
from stsbaselines.reference.rows import COLUMNS
from stsbaselines.scoring import conventions, resampling
from stsbaselines.scoring.conventions import ROW_CONVENTIONS
from stsbaselines.scoring.significance import bootstrap_interval, paired_bootstrap
from tests.helpers import needs

SAMPLE = "sample-sts"
# Of token cosine, by an independent program: the columns of each convention; the last number of
# `mteb` is that of all 9,927 pairs of SICK.
EXPECTED = {
    "token-cosine": {
        "simcse": ".3324696948 .4306643765 .4412586323 .5969799736"
        " .5084177230 .4316945007 .5342496669",
        "wmean-spearman": ".4497316848 .4129348158 .5115890323 .5739324562"
        " .5085901973 .4316945007 .5342496669",
        "senteval": ".4356322140 .4027243987 .5067313909 .5870930398 .5133360365",
        "senteval-mean": ".4328748426 .3457404889 .5053851223 .5793787205 .5025319524",
        "mteb": ".5375440309",
        "averages": "46.80 0.4679620811 0.4889603363",
    },
    "split": {
        "simcse": ".3325446532 .4306904193 .4411785921 .5969799736"
        " .5084177230 .4316945007 .5342684394",
        "wmean-spearman": ".4498379421 .4129445568 .5116981484 .5739324562"
        " .5085901973 .4316945007 .5342684394",
        "senteval": ".4357168292 .4027459657 .5067234352 .5870930398 .5133360365",
        "senteval-mean": ".4329449716 .3457597108 .5053740727 .5793787205 .5025319524",
        "mteb": ".5375536934",
        "averages": "46.80 0.4679677573 0.4889951773",
    },
}


def overlap(left: list[str], right: list[str]) -> list[float]:
    pairs = zip(left, right, strict=True)
    return [len({*a.lower().split()} & {*b.lower().split()}) / 10 for a, b in pairs]


def split_cosine(left: list[str], right: list[str]) -> list[float]:
    """Return cosines of the sets of words between ASCII blanks; equal fractions are equal."""
    found = []
    for pair in zip(left, right, strict=True):
        a, b = ({*each.encode().split()} for each in pair)
        found.append(math.sqrt(len(a & b) ** 2 / (len(a) * len(b))))
    return found


@pytest.fixture
def samples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the sample stand for each of the seven sets, its second half for STS-B and SICK-R."""
    names = dict.fromkeys((*COLUMNS, row_scores.REST), SAMPLE)
    monkeypatch.setattr(row_scores, "_TASKS", names)
    parts = {"STS-B": ("journeys",), "SICK-R": ("journeys",), row_scores.REST: ("kitchen",)}
    monkeypatch.setattr(row_scores, "_DATASETS", parts)


def rows_of(found: RowResult) -> dict[str, SystemRow]:
    return {each.convention.name: each for each in found.system_rows}


def arrays_of(system: Any) -> dict[str, Any]:
    return {
        name: system(*map(list, zip(*stsbaselines.load_pairs(SAMPLE, name)[0], strict=True)))
        for name in ("kitchen", "journeys")
    }


@pytest.mark.usefixtures("samples")
def test_columns_and_averages_by_hand() -> None:
    rows = rows_of(stsbaselines.row({"overlap": overlap}, "all"))
    parts = {
        name: (scores, stsbaselines.load_pairs(SAMPLE, name)[1])
        for name, scores in arrays_of(overlap).items()
    }
    scores, gold = (np.concatenate(each) for each in zip(*parts.values(), strict=True))
    year, part = stats.spearmanr(scores, gold)[0], stats.spearmanr(*parts["journeys"])[0]
    pearson = {name: stats.pearsonr(*each)[0] for name, each in parts.items()}
    expected = dict(zip(COLUMNS, [year] * 5 + [part] * 2, strict=True))
    values = {name: each.value for name, each in rows["simcse"].columns.items()}
    assert values == pytest.approx(expected, abs=1e-12)
    assert rows["consert"].average.value == pytest.approx((5 * year + 2 * part) / 7)
    rounded = (5 * round(100 * year, 2) + 2 * round(100 * part, 2)) / 700
    assert rows["simcse"].average.value == pytest.approx(rounded, abs=1e-15)
    assert rows["simcse"].average.value != rows["consert"].average.value
    assert rows["mteb"].columns["SICK-R"].value == pytest.approx(year)
    weighted = (11 * pearson["kitchen"] + 9 * pearson["journeys"]) / 20
    assert rows["senteval"].columns["STS12"].value == pytest.approx(weighted)
    mean = (pearson["kitchen"] + pearson["journeys"]) / 2
    assert rows["senteval-mean"].columns["STS12"].value == pytest.approx(mean)
    for name in ("senteval", "senteval-mean"):
        empty = {key for key, each in rows[name].cells.items() if each.value is None}
        assert empty == {"STS-B", "SICK-R", "Avg"}
        assert "regression head" in rows[name].columns["STS-B"].reason
    assert len({each.signature for each in rows.values()}) == len(rows)


@pytest.mark.usefixtures("samples")
def test_systems_of_every_kind_have_the_same_row(tmp_path: Path) -> None:
    class Encoder:
        def __init__(self) -> None:
            self.sentences: list[str] = []

        def encode(self, sentences: list[str]) -> Any:
            self.sentences += sentences
            return [[len(each), each.count("e"), 1] for each in sentences]

    encoder = Encoder()
    (row,) = stsbaselines.row({"mine": encoder}).system_rows
    assert len(encoder.sentences) == len({*encoder.sentences})
    (tmp_path / "vectors" / SAMPLE).mkdir(parents=True)
    (tmp_path / "outputs" / SAMPLE).mkdir(parents=True)
    scores: dict[str, Any] = {}
    for each in find_task(SAMPLE).datasets:
        pairs, _ = stsbaselines.load_pairs(SAMPLE, each.name, scored=False)
        left, right = (
            np.array(encoder.encode([*side]), float) for side in zip(*pairs, strict=True)
        )
        np.savez(tmp_path / "vectors" / SAMPLE / f"{each.name}.npz", left=left, right=right)
        products = (left * right).sum(axis=1)
        norms = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
        scores[each.name] = products / norms
        lines = "".join(f"{value!r}\n" for value in scores[each.name].tolist())
        (tmp_path / "outputs" / SAMPLE / each.output).write_text(lines)
    others = stsbaselines.row(
        {
            "array": {SAMPLE: scores},
            "vectors": Vectors(tmp_path / "vectors"),
            "files": tmp_path / "outputs",
        }
    )
    for other in others.system_rows:
        values = {name: each.value for name, each in other.cells.items()}
        assert values == pytest.approx({name: each.value for name, each in row.cells.items()})


@pytest.mark.usefixtures("samples")
def test_a_missing_set_leaves_its_cell_and_the_average_empty(tmp_path: Path) -> None:
    (tmp_path / SAMPLE).mkdir()
    (tmp_path / SAMPLE / "STS.output.journeys.txt").write_text("1\n2\n3\n4\n5\n4\n3\n2\n1\n0\n")
    (row,) = stsbaselines.row(tmp_path).system_rows
    given = {name for name, each in row.cells.items() if each.value is not None}
    assert given == {"STS-B", "SICK-R"}
    assert "expected one output file for kitchen" in row.columns["STS12"].reason
    assert row.average.reason == "there is no number for STS12, STS13, STS14, STS15, STS16"
    assert "sets:STS-B(9)+SICK-R(9)|" in row.signature
    (constant,) = stsbaselines.row(lambda left, _: [1.0] * len(left)).system_rows
    assert {each.value for each in constant.cells.values()} == {None}
    assert "all scores that count are the same" in constant.columns["STS12"].reason
    (some,) = stsbaselines.row({"a": {SAMPLE: {"journeys": range(9)}}}).system_rows
    assert some.columns["STS12"].reason == f"there are no scores of {SAMPLE}, kitchen"


@pytest.mark.usefixtures("samples")
def test_sets_without_sentences_are_missing_for_code_only(monkeypatch: pytest.MonkeyPatch) -> None:
    def require_all(task: Any, dataset: Any, data_dir: Any) -> Any:
        if dataset.name == "kitchen":
            raise MissingDataError("kitchen was not found")
        return find.require_all(task, dataset, data_dir)

    arrays = {SAMPLE: arrays_of(overlap)}
    monkeypatch.setattr(row_scores, "require_all", require_all)
    code, array = stsbaselines.row({"code": overlap, "array": arrays}).system_rows
    assert code.columns["STS12"] == RowCell(None, "kitchen was not found")
    assert code.columns["STS-B"] == array.columns["STS-B"]
    assert array.average.value is not None


@pytest.mark.usefixtures("samples")
@pytest.mark.parametrize(
    ("system", "message"),
    [
        ({"other": {"kitchen": [1.0]}}, "a: there is no task of a row 'other'"),
        ([1.0, 2.0], "a: arrays must be given by task"),
        (lambda left, _: [None] * len(left), "a: <lambda>, pair 1: found None"),
        (Path("nowhere"), "a: there is no folder nowhere/sample-sts"),
    ],
)
def test_what_gives_no_number_is_refused(system: Any, message: str) -> None:
    with pytest.raises(InputError) as error:
        stsbaselines.row({"a": system})
    assert str(error.value).startswith(message)


@pytest.mark.usefixtures("samples")
def test_a_malformed_output_is_refused(tmp_path: Path) -> None:
    (tmp_path / SAMPLE).mkdir()
    for each in find_task(SAMPLE).datasets:
        (tmp_path / SAMPLE / each.output).write_text("x\n" * each.pairs)
    with pytest.raises(InputError, match="line 1: found 'x', expected a score that is a number"):
        stsbaselines.row(tmp_path)


def test_without_any_data_there_is_no_row() -> None:
    with pytest.raises(MissingDataError, match="sts2012"):
        stsbaselines.row({"overlap": overlap})
    with pytest.raises(InputError, match="did you mean 'simcse'"):
        stsbaselines.row({"overlap": overlap}, "simces")


@pytest.mark.usefixtures("samples")
def test_results_are_shown_and_exported() -> None:
    found = stsbaselines.row({"overlap": overlap})
    (row,) = found.system_rows
    plain = found.to_dict(rank=True)["systems"]["overlap"]
    assert plain["convention"] == "simcse"
    assert plain["columns"]["STS12"] == row.columns["STS12"].value
    assert plain["average"] == row.average.value
    assert plain["rank"]["rank"] == row.rank.first if row.rank else 0
    assert plain["missing"] == {}
    json.dumps(found.to_dict(rank=True))
    every = stsbaselines.row({"overlap": overlap}, "all")
    assert every.to_dict()["conventions"]["simcse"]["systems"]["overlap"]["columns"]
    assert found.to_frame().loc[0, "STS12"] == row.columns["STS12"].value
    assert f"{100 * (row.average.value or 0):.2f}" in repr(found)
    assert "overlap" in found._repr_html_()


@pytest.mark.usefixtures("samples")
def test_the_numbers_of_a_system_are_explained() -> None:
    found = stsbaselines.row({"overlap": overlap}, "all")
    rows = rows_of(found)

    def text(row: SystemRow, **changed: float) -> str:
        values = {name: 100 * (each.value or 0) for name, each in row.cells.items()} | changed
        return " ".join(f"{each:.2f}" for each in values.values())

    (origin,) = explain_row(text(rows["simcse"]), found).systems
    assert "simcse" in origin.conventions
    assert origin.off == ()
    (origin,) = explain_row(text(rows["mteb"]), found).systems
    assert (origin.conventions, origin.off) == (("mteb",), ())
    mixed = explain_row(text(rows["mteb"], STS14=12.34), found)
    assert (mixed.systems[0].conventions, mixed.systems[0].off) == (("mteb",), ("STS14",))
    assert not mixed.is_found
    number = 100 * (rows["senteval"].columns["STS12"].value or 0)
    (single,) = explain_row(f"{number:.2f}", found).systems
    assert {each.column for each in single.columns} >= {"STS12"}
    assert "senteval" in single.columns[0].conventions
    json.dumps(mixed.to_dict())


@pytest.mark.official
def test_the_rows_of_an_independent_program_come_out(official_data: Path) -> None:
    needs(official_data, *{*row_scores._TASKS.values()} - {"sts2013"}, "sick-r-train")
    found = stsbaselines.row({"token-cosine": create("token-cosine"), "split": split_cosine}, "all")
    rows = {(each.system, each.convention.name): each for each in found.system_rows}
    for system, expected in EXPECTED.items():
        for name, text in expected.items():
            if name == "averages":
                continue
            row = rows[system, name]
            values = [each.value for each in row.columns.values()]
            numbers = [float(each) for each in text.split()]
            chosen = values[-1:] if name == "mteb" else values[: len(numbers)]
            assert chosen == pytest.approx(numbers, abs=1e-9), (system, name)
        rounded, unrounded, weighted = map(float, expected["averages"].split())
        averages = {name: rows[system, name].average.value for name in ROW_CONVENTIONS}
        assert f"{100 * (averages['simcse'] or 0):.2f}" == f"{rounded:.2f}"
        assert averages["consert"] == pytest.approx(unrounded, abs=1e-9)
        assert averages["wmean-spearman"] == pytest.approx(weighted, abs=1e-9)
        assert averages["senteval"] is averages["senteval-mean"] is None
        spearman = rows[system, "consert"].columns, rows[system, "mteb"].columns
        assert [*spearman[0].items()][:6] == [*spearman[1].items()][:6]
    assert "SICK-R(9927)" in rows["split", "mteb"].signature
    assert "SICK-R(4927)" in rows["split", "simcse"].signature
    assert "STS13(1500)" in rows["split", "simcse"].signature


@pytest.mark.usefixtures("samples")
@pytest.mark.parametrize("convention", ["consert", "wmean-spearman", "senteval-mean"])
def test_intervals_and_differences_are_those_of_plain_resampling(convention: str) -> None:
    def noisy(left: list[str], right: list[str]) -> list[float]:
        return [len(a) % 5 + each for a, each in zip(left, overlap(left, right), strict=True)]

    found = stsbaselines.row(
        {"a": overlap, "b": noisy}, convention, intervals=True, base="a", resamples=150
    )
    a, b = found.system_rows
    scores = [arrays_of(overlap), arrays_of(noisy)]
    gold = {name: stsbaselines.load_pairs(SAMPLE, name)[1] for name in scores[0]}
    values: list[list[float]] = [[], []]
    drawn = {
        name: resampling.draw(len(each), 150, [0, *f"STS12/{name}".encode()])
        for name, each in gold.items()
    }
    for index in range(150):
        for system, of_system in zip(values, scores, strict=True):
            parts = {}
            for name, each in gold.items():
                times = drawn[name][index]
                parts[name] = np.repeat(of_system[name], times), np.repeat(each, times)
            value = conventions.value(ROW_CONVENTIONS[convention].column, parts)
            system.append(np.nan if value is None else value)
    for row, expected in zip((a, b), values, strict=True):
        interval = bootstrap_interval(expected)
        assert row.columns["STS12"].interval == pytest.approx(interval, abs=1e-10)
    expected_test = paired_bootstrap(*reversed(values))
    difference = b.columns["STS12"].difference
    assert difference is not None
    assert expected_test is not None
    assert difference.interval == pytest.approx(expected_test.interval, abs=1e-10)
    assert difference.value == (b.columns["STS12"].value or 0) - (a.columns["STS12"].value or 0)
    assert {each.difference for each in a.cells.values()} == {None}
    if convention == "consert":
        assert b.average.interval is not None
        assert b.average.difference is not None
    else:
        assert (b.average.interval is None) == (b.average.value is None)
    plain = found.to_dict()["systems"]["b"]
    assert plain["differences"]["STS12"]["differs"] == difference.differs
    json.dumps(plain)


@pytest.mark.usefixtures("samples")
def test_a_base_is_one_of_the_systems() -> None:
    with pytest.raises(InputError, match="there is no system 'x'"):
        stsbaselines.row({"a": overlap}, base="x")
    with pytest.raises(InputError, match="resamples is 1,"):
        stsbaselines.row({"a": overlap}, intervals=True, resamples=1)
