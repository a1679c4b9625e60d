"""Files with sentences and scores in columns that the catalogue names."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stsbaselines.data.catalogue import DataSet, LabelledColumns, find_task
from stsbaselines.errors import InputError
from stsbaselines.tasks.labelled import read_labelled
from stsbaselines.tasks.sts import FAMILY

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
