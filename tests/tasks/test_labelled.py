"""Files with sentences and scores in columns that the catalogue names."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pytest

import stsbaselines
from stsbaselines.data.catalogue import DataSet, LabelledColumns, Task, find_task
from stsbaselines.errors import InputError
from stsbaselines.evaluation.explanation import explain
from stsbaselines.evaluation.submission import check
from stsbaselines.tasks.labelled import as_task, read_labelled, read_task
from stsbaselines.tasks.sts import FAMILY
from tests.helpers import needs

SAMPLE = find_task("sample-sts")
NUMBERS = LabelledColumns(sentence1=6, sentence2=7, score=5)
NAMES = LabelledColumns(sentence1="sentence_A", sentence2="sentence_B", score="relatedness")
BENCHMARK = (
    b'pond\tducks\t2012test\t0001\t2.500\tA duck swims.\tA "duck" dives.\n'
    b"pond\tducks\t2012test\t0002\t5\t A swan. \tA swan.\tone source\tanother\n"
)
SICK = (
    b"pair_ID\tsentence_A\tsentence_B\trelatedness\tentailment\r\n"
    b"6\tA duck swims \tA swan swims\t3.3\tNEUTRAL\r\n"
    b'9\tA pond\t"A lake\t4\tNEUTRAL\r\n'
)


def dataset_of(columns: LabelledColumns, pairs: int = 2) -> DataSet:
    files = {"input": SAMPLE.datasets[0].files["input"]}
    return DataSet(name="pond", files=files, pairs=pairs, scored=pairs, columns=columns)


def read(path: Path, content: bytes, columns: LabelledColumns, pairs: int = 2) -> Any:
    path.write_bytes(content)
    return read_labelled(path, columns, SAMPLE, dataset_of(columns, pairs))


def test_columns_by_number(tmp_path: Path) -> None:
    pairs, scores = read(tmp_path / "sts-test.csv", BENCHMARK, NUMBERS)
    assert pairs == [("A duck swims.", 'A "duck" dives.'), (" A swan. ", "A swan.")]
    assert scores.tolist() == [2.5, 5]


@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_columns_by_name(mark: bytes, tmp_path: Path) -> None:
    for content in (SICK, SICK.replace(b"\r", b""), SICK.removesuffix(b"\r\n")):
        pairs, scores = read(tmp_path / "SICK.txt", mark + content, NAMES)
        assert pairs == [("A duck swims ", "A swan swims"), ("A pond", '"A lake')]
        assert scores.tolist() == [3.3, 4]


def test_the_family_reads_both_from_the_input(tmp_path: Path) -> None:
    path, dataset = tmp_path / "SICK.txt", dataset_of(NAMES)
    path.write_bytes(SICK)
    pairs, gold, lines = FAMILY.read_training({"input": path}, SAMPLE, dataset)
    assert list(FAMILY.read_inputs({"input": path}, SAMPLE, dataset)) == pairs
    np.testing.assert_array_equal(FAMILY.read_gold(path, SAMPLE, dataset), gold)
    assert list(lines) == [1, 2]
    assert dataset.file("gold") == dataset.files["input"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (SICK.replace(b"3.3", b"5.5"), "line 2: found '5.5', expected a score from 0 to 5"),
        (SICK.replace(b"\t4\t", b"\t\t"), "line 3: found nothing, expected a score"),
        (SICK.replace(b"\t4\t", b"\t"), "line 3: found 4 columns, expected 5, separated by TABs"),
        (SICK.replace(b"relatedness", b"related"), "found no column relatedness, expected one"),
        (SICK + b"10\tA\tB\t1\tNEUTRAL\r\n", "found 3 lines, expected 2, one for each pair"),
        (SICK.replace(b"sentence_A", b"A"), "found no column sentence_A, expected one"),
    ],
)
def test_what_does_not_fit_is_named(content: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path / "SICK.txt", content, NAMES)


def test_a_short_line_without_a_header_is_named(tmp_path: Path) -> None:
    content = BENCHMARK.replace(b"\tA swan.\tone source\tanother", b"")
    with pytest.raises(InputError, match="line 2: found 6 columns, expected at least 7"):
        read(tmp_path / "sts-test.csv", content, NUMBERS)


ROWS = [
    ("A duck, wet, swims.", "A duck swims.", 4.5, "test"),
    ('She said "quack" twice.', "She quacked.", 2, "test"),
    ("The pond is calm.", "A swan sleeps.", 0, "dev"),
    ("Boats sail, slowly.", "Slowly, boats sail.", 4.8, "Test"),
]


def csv_of(names: tuple[str, ...], rows: Sequence[tuple[Any, ...]]) -> bytes:
    stream = io.StringIO()
    csv.writer(stream).writerows([names, *rows])
    return stream.getvalue().encode()


def table_of(path: Path, rows: Sequence[tuple[Any, ...]] = ROWS) -> Path:
    """Write rows as the name of the file says."""
    names = ("sentence_A", "sentence_B", "relatedness", "set")
    if path.suffix == ".jsonl":
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    elif path.suffix == ".tsv":
        lines = ["\t".join(map(str, row)) for row in (names, *rows)]
    else:  # as the STS benchmark
        lines = [
            f"pond\tducks\t2017\t{i}\t{row[2]}\t{row[0]}\t{row[1]}" for i, row in enumerate(rows)
        ]
    if path.suffix == ".parquet":
        columns = zip(*[(*row[:2], float(row[2]), row[3]) for row in rows], strict=True)
        table = pyarrow.table(dict(zip(names, map(list, columns), strict=True)))
        pyarrow.parquet.write_table(table, path)
    elif path.suffix == ".csv":
        path.write_bytes(csv_of(names, rows))
    else:
        path.write_text("\n".join(lines) + "\n")
    return path


ENDINGS = ["csv", "tsv", "jsonl", "parquet", "txt"]


@pytest.mark.parametrize("ending", ENDINGS)
def test_own_files_of_all_formats_give_the_same(ending: str, tmp_path: Path) -> None:
    path = table_of(tmp_path / f"ducks.{ending}")
    task = as_task(path)
    assert (task.task, task.dataset_names, task.gold_range) == ("ducks", ["ducks"], (0, 5))
    pairs, gold = stsbaselines.load_pairs(path)
    assert pairs == [row[:2] for row in ROWS]
    assert gold.tolist() == [row[2] for row in ROWS]
    scores = stsbaselines.score(str(path), [3, 2, 1, 4])
    assert scores.datasets["ducks"]["n"] == 4
    expected = np.corrcoef([3, 2, 1, 4], gold)[0, 1]
    assert scores.datasets["ducks"]["pearson"] == pytest.approx(expected, abs=1e-12)
    assert any("the scores are in the column" in note for note in scores.notes)


@pytest.mark.parametrize("ending", ENDINGS[:4])
def test_a_split_picks_rows(ending: str, tmp_path: Path) -> None:
    path = table_of(tmp_path / f"ducks.{ending}")
    task = read_task(path, split="test")
    assert task.datasets[0].pairs == 3
    assert stsbaselines.load_pairs(task)[1].tolist() == [4.5, 2, 4.8]
    with pytest.raises(InputError, match="found no row with 'train' as its set, expected at least"):
        read_task(path, {"split": "set"}, "train")


@pytest.mark.parametrize("ending", ["csv", "tsv"])
def test_columns_by_their_names_or_numbers(ending: str, tmp_path: Path) -> None:
    path = table_of(tmp_path / f"ducks.{ending}")
    named = {"sentence1": "sentence_B", "sentence2": "sentence_A", "score": "relatedness"}
    numbered = {"sentence1": 2, "sentence2": 1, "score": 3}
    for columns in (named, numbered):
        pairs, gold = stsbaselines.load_pairs(read_task(path, columns))
        assert pairs[0] == ("A duck swims.", "A duck, wet, swims.")
        assert gold.tolist() == [row[2] for row in ROWS]


CSV = "sentence1,sentence2,score\nA pond.,A lake.,3\nA duck.,A swan.,2\n"


@pytest.mark.parametrize(
    ("name", "content", "columns", "message"),
    [
        ("a.csv", CSV.replace("3", "three"), {}, "row 1: found 'three', expected a score that is"),
        ("a.csv", CSV.replace("3", ""), {}, "row 1: found nothing, expected a score"),
        ("a.csv", CSV.replace("3", "nan"), {}, "row 1: found 'nan', expected a score"),
        ("a.csv", CSV.replace(",3", ""), {}, "row 1: found 2 columns, not 3"),
        ("a.csv", CSV.replace("score", "x"), {}, "expected one column of the score; name it by"),
        ("a.csv", CSV, {"score": "gold"}, "found no column gold, expected one; the columns are"),
        ("a.csv", CSV, {"scores": "score"}, "there is no kind of column 'scores', did you mean"),
        ("a.csv", CSV, {"sentence1": "sentence1"}, "the columns of both sentences must be named"),
        ("a.csv", CSV, {"sentence1": 1, "sentence2": 1, "score": 3}, "but must be in two"),
        ("a.csv", CSV, {"sentence1": 1, "sentence2": "score"}, "must be names, or numbers"),
        ("a.csv", CSV, {"score": 0}, "the column score is 0, but must be a name or a number"),
        ("a.csv", CSV, {"sentence1": 1, "sentence2": 2, "score": 4}, "found 3 columns, expected 4"),
        ("a.csv", CSV.replace("\n", ",1\n").replace("score,1", "score,gold"), {},
         "found 'score, gold', expected one column of the score"),
        ("a.csv", "sentence1,sentence2,score\n", {}, "found no row"),
        ("a.tsv", CSV.replace(",", "\t").replace("2\n", "2,5\n"), {}, "line 3: found '2,5'"),
        ("a.jsonl", '{"sentence1": "a", "sentence2": "b", "score": true}\n', {}, "found 'True'"),
        ("a.jsonl", '{"sentence1": "a", "sentence2": "b", "score": null}\n', {}, "found nothing"),
        ("a.csv", CSV.replace("A lake.", " "), {}, "row 1: found nothing as the second sentence"),
        ("a.tsv", CSV.replace(",", "\t").replace("A duck.", ""), {},
         "line 3: found nothing as the first sentence, expected two sentences"),
        ("a.jsonl", '{"sentence1": "", "sentence2": "b", "score": 1}\n', {}, "nothing as the"),
        ("a.csv", CSV.replace(",", ";"), {}, "found one column .*, expected columns separated by"),
        ("a.csv", CSV.partition("\n")[2], {}, "or by numbers if this is no header"),
        ("a.txt", CSV, {}, "found no header, expected a header, and columns separated by TABs"),
        ("sample-sts", CSV, {"score": "score"}, "found a task, expected a file with sentences"),
        ("a.yaml", CSV, {"score": "score"}, "found a task, expected a file with sentences"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_an_own_file_is_named(
    name: str, content: str, columns: dict[str, str | int], message: str
) -> None:
    Path(name).write_text(content)
    with pytest.raises(InputError, match=message):
        read_task(name, columns)


def test_rows_in_doubt_are_noted() -> None:
    Path("a.csv").write_text(f'{CSV}A lake.,A pond.,4\n"One\nline.","5"" is long.",3\n')
    assert read_task("a.csv").notes == [
        "a.csv: sentences with an odd number of quotation marks: 1",
        "a.csv: sentences of several lines: 1",
        "a.csv: rows that repeat the pair of an earlier one: 1",
    ]


def test_line_ends_are_no_part_of_sentences() -> None:
    Path("a.csv").write_text(CSV.replace("A lake.", '"A lake.\r\n"'), newline="")
    assert stsbaselines.load_pairs("a.csv")[0][0] == ("A pond.", "A lake.")


@pytest.mark.parametrize(
    ("file", "name"),
    [("a.v2.csv", "a.v2"), ("A.CSV", "A"), ("a|b+c.csv", "a-b-c"), ("sts2015.csv", "sts2015.csv")],
)
def test_the_name_is_that_of_the_file(file: str, name: str) -> None:
    Path(file).write_text(CSV + "Rain.,Snow.,4\n")
    Path("scores.txt").write_text("1\n2\n3\n")
    assert as_task(file).task == name
    match, *_ = explain("0.5", file, "scores.txt").matches
    assert match.signature.startswith(f"task:{name}@")


def test_signatures_tell_the_data_of_the_user_apart(tmp_path: Path) -> None:
    files = [table_of(tmp_path / f"ducks.{ending}") for ending in ENDINGS]
    tasks = [*map(as_task, files), read_task(files[0], {"split": "set"}, "test")]
    files[0].write_bytes(files[0].read_bytes().replace(b"4.5", b"4.4"))
    assert len({task.signed_name for task in tasks[: len(ENDINGS)]}) == 1
    assert len({task.signed_name for task in (*tasks, as_task(files[0]))}) == 3


def test_scores_may_be_those_of_all_rows_or_of_the_split(tmp_path: Path) -> None:
    path = table_of(tmp_path / "ducks.csv")
    task = read_task(path, {"split": "set"}, "test")
    found = []
    for values in ([3, 2, 1, 4], [3, 2, 4]):
        Path("scores.txt").write_text("".join(f"{each}\n" for each in values))
        found += [stsbaselines.score(task, scores) for scores in ("scores.txt", values)]
    expected = np.corrcoef([3, 2, 4], [4.5, 2, 4.8])[0, 1]
    for each in found:
        assert each.datasets["ducks"]["pearson"] == pytest.approx(expected, abs=1e-12)
    assert found[0].notes[-1] == "ducks: the output is for all 4 rows, of which 3 are scored"
    with pytest.raises(InputError, match="found 2 scores, expected 3"):
        stsbaselines.score(task, [3, 2])
    Path("scores.txt").write_text("3\n2\n1\n4\n")
    with pytest.raises(InputError, match="found 4 lines, expected 3"):
        check(task, "scores.txt")


def test_a_name_is_a_task_of_the_package_before_it_is_a_file() -> None:
    Path("sample-sts").write_text(CSV)
    assert as_task("sample-sts") is find_task("sample-sts")


@pytest.mark.parametrize(
    ("task", "message"),
    [
        (
            "ducks.csv",
            r"ducks\.csv: found no such file, expected the name of a task, a task file",
        ),
        ("./ducks", "found no such file"),
        ("ducks.yaml", "no such file"),
        (".", "found a folder, expected the name of a task"),
        ("pipe", "found a pipe or device, expected the name of a task"),
        ("sample-st", "there is no task 'sample-st', did you mean 'sample-sts'.* is a task, too"),
    ],
)
def test_what_is_no_task_is_named(task: str, message: str) -> None:
    os.mkfifo("pipe")
    with pytest.raises(InputError, match=message):
        as_task(task)


def test_scores_outside_of_the_usual_range_widen_it(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(CSV.replace("3", "-30"))
    task = read_task(path)
    assert task.gold_range == (-30, 2)
    assert stsbaselines.score(task, [9.0, 8.0]).datasets["a"]["pearson"] == pytest.approx(-1)


@pytest.mark.official
@pytest.mark.parametrize(
    ("file", "official", "dataset", "values"),
    [
        ("stsbenchmark/sts-test.csv", "stsbenchmark", "test",
         (1379, 0.4294365610607551, 0.43169450072094323)),
        ("sick2014/SICK_test_annotated.txt", "sick-r", "test",
         (4927, 0.5681508232574096, 0.5342496669285155)),
        ("korsts/sts-test.tsv", "korsts", "test", None),
    ],
)  # fmt: skip
def test_official_files_as_own_ones(
    official_data: Path,
    file: str,
    official: str,
    dataset: str,
    values: tuple[int, float, float] | None,
) -> None:
    needs(official_data, official)

    def found(task: str | Task, part: str | None) -> tuple[int, float | None, float | None]:
        result = stsbaselines.compare(task, ["token-cosine"], dataset=part, resamples=100)
        [measured] = result.measured
        [spearman] = result.conventions
        return measured.pairs, measured.value, spearman.value

    ours = found(str(official_data / file), None)
    assert ours == pytest.approx(found(official, dataset), abs=1e-12)
    if values:  # of spec/conventions-expected.json
        assert ours == pytest.approx(values, abs=1e-9)


@pytest.mark.official
@pytest.mark.parametrize("ending", ENDINGS)
def test_formats_of_official_pairs_give_the_same(
    ending: str, official_data: Path, tmp_path: Path
) -> None:
    needs(official_data, "stsbenchmark")
    pairs, gold = stsbaselines.load_pairs("stsbenchmark", "test", data_dir=official_data)
    rows = [(*pair, score, "test") for pair, score in zip(pairs, gold.tolist(), strict=True)]
    result = stsbaselines.compare(table_of(tmp_path / f"a.{ending}", rows), ["token-cosine"])
    measures = {"n": 1379, "pearson": 0.4294365610607551, "spearman": 0.43169450072094323}
    assert result.scores["token-cosine"].datasets["a"] == pytest.approx(measures, abs=1e-9)
