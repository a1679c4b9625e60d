"""Reading, checking and scoring the files of the STS tasks."""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.data.catalogue import DataSet, Task, find_task
from stsbaselines.errors import InputError
from stsbaselines.io.files import LONGEST_LINE
from stsbaselines.tasks import lines, sts
from stsbaselines.tasks.base import Scores
from stsbaselines.tasks.sts import FAMILY
from stsbaselines.version import __version__

SAMPLE = find_task("sample-sts")


def dataset_of(pairs: int) -> DataSet:
    return SAMPLE.datasets[0].model_copy(update={"pairs": pairs})


def task_with(**rules: object) -> Task:
    return SAMPLE.model_copy(update=rules)


def written(folder: Path, content: bytes) -> Path:
    path = folder / "STS.output.kitchen.txt"
    path.write_bytes(content)
    return path


def test_sentences_are_taken_as_they_are() -> None:
    raw = b' lead\ttrail \n#x\t"q\n\x12\x91\tno\xc2\xa0break\r\na\tb\tsource\tmore\n\t\n'
    pairs = list(sts.pairs_of(io.BytesIO(raw), "x"))
    assert [tuple(pair) for pair in pairs] == [
        (" lead", "trail "),
        ("#x", '"q'),
        ("\x12\udc91", "no\u00a0break\r"),
        ("a", "b"),
        ("", ""),
    ]


line_bytes = st.binary(max_size=30).map(
    lambda raw: raw.replace(b"\n", b"").replace(b"\t", b" ").replace(b"\0", b"")
)


@given(st.lists(st.tuples(line_bytes, line_bytes), min_size=1))
def test_bytes_in_bytes_out(pairs: list[tuple[bytes, bytes]]) -> None:
    raw = b"".join(left + b"\t" + right + b"\n" for left, right in pairs)
    if raw.startswith((b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")):
        return
    found = sts.pairs_of(io.BytesIO(raw), "x")
    assert [tuple(s.encode("utf-8", "surrogateescape") for s in pair) for pair in found] == pairs


numbers = st.sampled_from(
    [b"0", b"2.5", b"5", b"+1.", b".5", b"1e0", b"4.99E+0", b"0\t100", b"1\t0.5"]
)
not_numbers = [b"", b" ", b"text", b"1,5", b"nan", b"NaN", b"inf", b"-inf", b"1e999", b"--1", b"1e"]
not_plain = [b"1_0", b"0x1", b".", b"\xd9\xa1", b"1\0", b"1\x0b", b"1\r2"]
not_columns = [b"1\t2\t3", b"1\tnan", b"-1\t-1", b"1,2"]
not_strict = [b" 1", b"1 ", b"1\t", b"\t1", b"1 100", b"\xef\xbb\xbf1", b"1\r"]
faulty = st.sampled_from([*not_numbers, *not_plain, *not_columns])


@given(st.lists(numbers, min_size=1, max_size=8), st.data())
def test_one_faulty_line_among_good_ones_is_named(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("output")
    path = written(folder, b"\n".join(lines) + b"\n")
    good = FAMILY.read_output(path, SAMPLE, dataset_of(len(lines)))
    assert np.isfinite(good.scores).all()
    position = data.draw(st.integers(0, len(lines)))
    lines.insert(position, b"")
    for strict in (False, True):
        lines[position] = data.draw(faulty | st.sampled_from(not_strict) if strict else faulty)
        path = written(folder, b"\n".join(lines) + b"\n")
        with pytest.raises(InputError) as error:
            FAMILY.read_output(path, SAMPLE, dataset_of(len(lines)), strict)
        message = str(error.value)
        assert f"line {position + 1}: " in message or "carriage return" in message


def test_all_faults_are_listed_up_to_twenty(tmp_path: Path) -> None:
    path = written(tmp_path, b"1\nx\n" * 30)
    with pytest.raises(InputError) as error:
        FAMILY.read_output(path, SAMPLE, dataset_of(59))
    lines = str(error.value).splitlines()
    assert len(lines) == 21
    assert lines[:2] == [
        f"{path}: found 60 lines, expected 59, one for each pair",
        f"{path}, line 2: found 'x', expected a score that is a number",
    ]
    assert lines[-1] == "... and 10 more faults"


def test_range_is_a_note_when_scoring_and_a_fault_when_checking(tmp_path: Path) -> None:
    path = written(tmp_path, b"5.1\t200\n-0.1\t50\n3\t100\n")
    output = FAMILY.read_output(path, SAMPLE, dataset_of(3))
    accepted = "which the official scorer accepts and a submission must not have"
    assert output.notes == (
        f"lines with a score outside 0-5, {accepted}: 2",
        f"lines with a confidence outside 0-100, {accepted}: 1",
    )
    with pytest.raises(InputError) as error:
        FAMILY.read_output(path, SAMPLE, dataset_of(3), strict=True)
    assert [str(fault).split(": ")[-1] for fault in error.value.faults] == [
        "found '5.1', expected a score from 0 to 5",
        "found '-0.1', expected a score from 0 to 5",
    ]


def test_comments_are_skipped_since_2013_and_refused_in_submissions(tmp_path: Path) -> None:
    path = written(tmp_path, b"# made by us\n1\n2\n")
    output = FAMILY.read_output(path, SAMPLE, dataset_of(2))
    assert list(output.scores) == [1, 2]
    assert output.notes == ("lines skipped because they begin with #: 1",)
    for task, strict in [(SAMPLE, True), (task_with(comments=False), False)]:
        with pytest.raises(InputError, match="line 1: found '# made by us'"):
            FAMILY.read_output(path, task, dataset_of(2), strict)


def test_a_line_without_confidence_among_others_weighs_nothing(tmp_path: Path) -> None:
    output = FAMILY.read_output(written(tmp_path, b"1\t50\n2\n"), SAMPLE, dataset_of(2))
    assert output.confidences is not None
    assert list(output.confidences) == [50, 0]
    assert output.notes == ("lines without a confidence, which weigh 0 beside those with one: 1",)
    assert (
        FAMILY.read_output(written(tmp_path, b"1\n2\n"), SAMPLE, dataset_of(2)).confidences is None
    )


def test_gold_has_numbers_in_range_and_empty_lines(tmp_path: Path) -> None:
    gold = FAMILY.read_gold(written(tmp_path, b"0\n\n5\n2.4\n"), SAMPLE, dataset_of(4))
    assert [None if math.isnan(value) else value for value in gold] == [0, None, 5, 2.4]
    for content, message in [(b"5.5\n", "'5.5'"), (b" \n", "a blank"), (b"1\n1\n", "2 lines")]:
        with pytest.raises(InputError, match=message):
            FAMILY.read_gold(written(tmp_path, content), SAMPLE, dataset_of(1))
    with pytest.raises(InputError, match="from 0 to 4"):
        FAMILY.read_gold(written(tmp_path, b"5\n"), task_with(gold_range=(0, 4)), dataset_of(1))


def outcome(read: Callable[[], object]) -> object:
    """Return the bytes of what was read, and its notes; or the faults."""
    try:
        found = read()
    except InputError as error:
        return [str(fault) for fault in error.faults]
    if isinstance(found, sts.StsOutput):
        confidences = None if found.confidences is None else found.confidences.tobytes()
        return found.scores.tobytes(), confidences, found.notes
    assert isinstance(found, np.ndarray)
    return found.shape, found.tobytes()


def outcomes(path: Path, pairs: int) -> list[object]:
    dataset = dataset_of(pairs)
    return [
        outcome(lambda: FAMILY.read_gold(path, SAMPLE, dataset)),
        *(
            outcome(lambda: FAMILY.read_output(path, task, dataset, strict))  # noqa: B023
            for task in (SAMPLE, task_with(comments=False))
            for strict in (False, True)
        ),
    ]


not_usual = [b"-1", b"6", b"1\t101", b"1\t-1", b"# comment", b"#", b"\t", b"\r", b"1\t2\r"]
not_short = [b"-0", b"-0.0\t0", b"1e-400", b"9" * 400, b"0." + b"3" * 40, b"1\x0b"]
odd = st.sampled_from([*not_numbers, *not_plain, *not_columns, *not_strict, *not_usual, *not_short])
decimals = st.floats(0, 5).map(lambda value: repr(value).encode())
written_lines = st.one_of(
    st.lists(numbers),
    st.lists(decimals),
    st.lists(st.tuples(decimals, numbers).map(b"\t".join)),
    st.lists(st.one_of(st.just(b""), decimals)),
    st.lists(st.one_of(numbers, odd)),
    st.lists(st.text("0123456789.+-eE_\t\r #naif\u0661").map(str.encode)),
)


@given(written_lines, st.sampled_from([b"", b"\n"]), st.integers(-1, 1), st.integers(1, 40))
def test_lines_parsed_at_once_are_what_they_are_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, rows: list[bytes], end: bytes, more: int, size: int
) -> None:
    path = written(tmp_path_factory.mktemp("numbers"), b"\n".join(rows) + end)
    pairs = max(1, len(rows) + more)
    with mock.patch.object(lines, "plain_rows", return_value=None):
        one_by_one = outcomes(path, pairs)
    assert outcomes(path, pairs) == one_by_one
    with mock.patch.object(lines, "BLOCK_SIZE", size):
        assert outcomes(path, pairs) == one_by_one


def test_plain_lines_are_parsed_at_once(tmp_path: Path) -> None:
    refuse = mock.Mock(side_effect=AssertionError)
    with mock.patch.object(sts, "number_of", refuse):
        path = written(tmp_path, b"1.5\n\n2\n" * 20_000)
        gold = FAMILY.read_gold(path, SAMPLE, dataset_of(60_000))
        path = written(tmp_path, b"1.5\t100\n-.25\t0\n" * 20_000)
        output = FAMILY.read_output(path, SAMPLE, dataset_of(40_000))
    assert np.nansum(gold) == 70_000
    assert output.confidences is not None
    assert (output.scores.sum(), output.confidences.sum()) == (25_000, 2_000_000)


def test_a_long_line_of_digits_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, b"1\n" + b"0" * (LONGEST_LINE + 1) + b"\n")
    with pytest.raises(InputError, match="line 2: found over 1 MiB"):
        FAMILY.read_gold(path, SAMPLE, dataset_of(2))


def scored(
    kitchen: sts.StsOutput, journeys: sts.StsOutput | None = None, **rules: object
) -> Scores:
    gold = {
        "kitchen": np.array([1.0, 2.0, math.nan, 4.0]),
        "journeys": np.array([0.0, 3.0, 1.0]),
    }
    outputs = {"kitchen": kitchen}
    if journeys:
        outputs["journeys"] = journeys
    return FAMILY.score(task_with(**rules), "run", gold, outputs)


def output(scores: list[float], confidences: list[float] | None = None) -> sts.StsOutput:
    array = None if confidences is None else np.array(confidences)
    return sts.StsOutput(np.array(scores), array)


OTHER = output([1, 2, 2])


def test_pairs_without_gold_do_not_count() -> None:
    one, two = (scored(output([1, 2, value, 4])) for value in (0.0, 5.0))
    assert one.datasets == two.datasets
    assert one.datasets["kitchen"]["n"] == 3
    assert one.datasets["kitchen"]["pearson"] == pytest.approx(1)


def test_aggregates_need_all_data_sets() -> None:
    assert scored(output([1, 2, 3, 4])).aggregates == {}
    both = scored(output([1, 3, 3, 4]), OTHER)
    kitchen, journeys = (both.datasets[name]["pearson"] for name in ("kitchen", "journeys"))
    assert kitchen is not None
    assert journeys is not None
    assert both.aggregates["Mean"] == pytest.approx((kitchen + journeys) / 2)
    assert both.cells()["kitchen"] == kitchen
    assert both.cells()["kitchen_n"] == 3


@pytest.mark.parametrize(
    ("rule", "confidences", "official", "signature"),
    [
        ("weighted", None, "pearson", "none"),
        ("weighted", [100, 50, 9, 10], "pearson_weighted", "weighted"),
        ("ignored", [100, 50, 9, 10], "pearson_unweighted", "ignored"),
        ("weighted", [0, 0, 0, 0], "pearson_unweighted", "equal"),
        ("ignored", [0, 0, 0, 0], "pearson_unweighted", "ignored"),
    ],
)
def test_confidences_count_by_the_rule_of_the_year(
    rule: str, confidences: list[float] | None, official: str, signature: str
) -> None:
    scores = scored(output([1, 3, 3, 4], confidences), confidence=rule)
    measures = scores.datasets["kitchen"]
    assert measures["pearson"] == measures[official]
    assert f"|confidence:{signature}|" in scores.signature
    if confidences == [0, 0, 0, 0]:
        assert any("all confidences are 0" in note for note in scores.notes)
    notes = [note for note in scores.notes if "which weigh the official correlation" in note]
    assert len(notes) == (signature == "weighted")
    if signature == "weighted":
        assert measures["pearson"] != measures["pearson_unweighted"]


def test_constant_scores_are_undefined_and_said_to_be() -> None:
    scores = scored(output([2, 2, 5, 2]), OTHER)
    assert scores.datasets["kitchen"]["pearson"] is None
    assert scores.aggregates["Mean"] is None
    assert scores.aggregates["ALL"] is not None
    assert "kitchen: the correlation is undefined" in scores.notes[0]


def test_the_signature_pins_down_the_score() -> None:
    assert (
        scored(output([1, 3, 3, 4]), OTHER).signature
        == (
            "task:sample-sts|sets:kitchen(3)+journeys(3)|n:6|correlation:pearson|aggregate:Mean"
            "|mean:weighted by scored pairs|confidence:none|version:"
        )
        + __version__
    )


def test_sets_without_confidences_weigh_as_fully_confident_ones() -> None:
    journeys = [1.0, 2.0, 2.0]
    mixed = scored(output([1, 3, 3, 4], [100, 100, 100, 100]), output(journeys))
    assert mixed.aggregates["ALLw"] == pytest.approx(mixed.aggregates["ALL"])
    lower = scored(output([1, 3, 3, 4], [1, 1, 1, 1]), output(journeys))
    assert lower.aggregates["ALLw"] != pytest.approx(mixed.aggregates["ALLw"])


def test_a_gold_standard_may_have_lines_for_the_scored_pairs_alone(tmp_path: Path) -> None:
    (tmp_path / "gold.txt").write_bytes(b"4\n1.5\n")
    some = SAMPLE.datasets[0].model_copy(update={"pairs": 4, "scored": 2, "gold_lines": [3, 1]})
    gold = FAMILY.read_gold(tmp_path / "gold.txt", SAMPLE, some)
    np.testing.assert_array_equal(gold, [1.5, math.nan, 4, math.nan])
    path = written(tmp_path, b"1\n5\n3\n0\n")
    output = FAMILY.read_output(path, SAMPLE, some)
    scores = FAMILY.score(SAMPLE, "x", {"kitchen": gold}, {"kitchen": output})
    assert scores.datasets["kitchen"]["n"] == 2
    assert scores.datasets["kitchen"]["pearson"] == pytest.approx(1)


def test_data_sets_that_are_never_taken_together_have_no_aggregates() -> None:
    task = task_with(measures=[])
    gold = {each.name: np.arange(float(each.pairs)) for each in task.datasets}
    outputs = {name: sts.StsOutput(values**2) for name, values in gold.items()}
    scores = FAMILY.score(task, "x", gold, outputs)
    assert (scores.aggregates, task.cell_names) == ({}, ["kitchen", "journeys"])
    assert FAMILY.score_pairs(task, gold, outputs).keys() == gold.keys()
