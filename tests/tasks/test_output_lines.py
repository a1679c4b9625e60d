"""Outputs are read as leniently as the organisers' programs read them, and checked strictly."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.data.catalogue import DataSet, find_task
from stsbaselines.data.find import SAMPLES
from stsbaselines.errors import InputError
from stsbaselines.evaluation import submission
from stsbaselines.tasks.base import family_of
from stsbaselines.tasks.typed import TYPES
from tests.helpers import at_most

TASKS = ["sample-sts", "sample-pit", "sample-ists", "sample-typed"]
LINES = TASKS[:2] + TASKS[3:]
HEADERS = {
    "sample-sts": [["prediction"], ["score", "confidence"]],
    "sample-pit": [["label", "score"]],
    "sample-typed": [
        [*TYPES],
        ["General", "author", "People involved", "time", "LOCATION", "event", *TYPES[6:]],
    ],
}
MARK = b"\xef\xbb\xbf"


def dataset_of(name: str) -> DataSet:
    return find_task(name).datasets[0]


def clean(name: str, confidences: bool = True) -> bytes:
    """Return a well-formed output for the first data set of a task."""
    if name == "sample-ists":
        return (SAMPLES / name / "STSint.testinput.garden.wa").read_bytes()
    pairs = dataset_of(name).pairs
    random = np.random.RandomState(7)
    scores = random.rand(pairs, 8) if name == "sample-typed" else random.rand(pairs)
    content = family_of(find_task(name)).format_predictions(scores)
    if name == "sample-sts" and confidences:
        lines = enumerate(content.splitlines(), 40)
        return b"".join(b"%s\t%d\n" % (line, confidence) for confidence, line in lines)
    return content


def written(folder: Path, name: str, content: bytes) -> Path:
    path = folder / ("PIT2015_TEAM_01_run.output" if "pit" in name else dataset_of(name).output)
    path.write_bytes(content)
    return path


def read(path: Path, name: str, strict: bool = False, **changes: Any) -> Any:
    dataset = dataset_of(name).model_copy(update=changes)
    return family_of(find_task(name)).read_output(path, find_task(name), dataset, strict)


def refusal(path: Path, name: str, **options: Any) -> str:
    with pytest.raises(InputError) as error:
        read(path, name, **options)
    return str(error.value)


def score(name: str, path: Path) -> tuple[Any, Any, tuple[str, ...]]:
    scores = submission.score(name, path, dataset_of(name).name)
    return scores.datasets, scores.details, scores.notes


def each_line(change: Callable[[bytes], bytes]) -> Callable[[bytes], bytes]:
    return lambda content: b"".join(change(line) + b"\n" for line in content.splitlines())


CHANGES: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "CRLF": (each_line(lambda line: line + b"\r"), "end in a carriage return"),
    "byte order mark": (lambda content: MARK + content, "a byte order mark"),
    "both": (each_line(lambda line: line + b"\r"), "a byte order mark"),
    "blanks around": (
        each_line(lambda line: b" " + line.replace(b"\t", b" \t  ") + b" "),
        "blanks or several TABs",
    ),
    "TABs around": (
        each_line(lambda line: b"\t" + line.replace(b"\t", b"\t\t") + b"\t"),
        "blanks or several TABs",
    ),
    "blanks between": (each_line(lambda line: line.replace(b"\t", b"  ")), "blanks or several"),
    "blank lines at the end": (lambda content: content + b"\n \n\r\n", "blank lines at the end"),
}
CHANGES["both"] = (lambda content: MARK + CHANGES["CRLF"][0](content), "a byte order mark")
# In alignments, blanks do not matter to the checker either.
OF_ALIGNMENTS: dict[str, tuple[Callable[[bytes], bytes], str]] = {
    "TABs around": (lambda raw: raw.replace(b" // ", b"\t//\t"), "other characters between"),
    "no blanks": (lambda raw: raw.replace(b" // EQUI // ", b"//EQUI//"), "other characters"),
    "TABs between tokens": (lambda raw: raw.replace(b" <==>", b"\t<==>"), "other characters"),
}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, kind) for name in LINES for kind in CHANGES),
        *(("sample-ists", kind) for kind in ("CRLF", "byte order mark", "both", *OF_ALIGNMENTS)),
    ],
)
def test_what_leaves_no_doubt_is_scored_like_the_clean_file_and_not_submitted(
    name: str, kind: str, tmp_path: Path
) -> None:
    of_kind = OF_ALIGNMENTS if "ists" in name and kind in OF_ALIGNMENTS else CHANGES
    change, note = of_kind[kind]
    path = written(tmp_path, name, clean(name))
    datasets, details, before = score(name, path)
    read(path, name, strict=True)
    written(tmp_path, name, change(clean(name)))
    assert change(clean(name)) != clean(name)
    assert score(name, path)[:2] == (datasets, details)
    [added] = [each for each in score(name, path)[2] if note in each and each not in before]
    assert added.startswith(dataset_of(name).name)
    refusal(path, name, strict=True)


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("start", [0, 1, None])
@pytest.mark.parametrize("separator", ["\t", " "])
def test_an_index_and_a_header_are_recognised(
    name: str, start: int | None, separator: str, tmp_path: Path
) -> None:
    for names in HEADERS[name]:
        lines = clean(name, len(names) == 2).decode().splitlines()
        path = written(tmp_path, name, clean(name, len(names) == 2))
        wanted = score(name, path)[0]
        rows = [line.split("\t") for line in lines]
        if start is not None:
            rows = [[str(number), *row] for number, row in enumerate(rows, start)]
        header = names if start is None else ["index", *names]
        for table in ([header, *rows], [names, *rows], rows):
            if separator == " " and any(" " in each for row in table for each in row):
                continue
            content = "\n".join(separator.join(row) for row in table) + "\n"
            written(tmp_path, name, content.encode())
            found, _, notes = score(name, path)
            assert found == wanted
            is_clean = content.encode() == clean(name, len(names) == 2)
            assert is_clean != any("must not have" in note for note in notes)
            if start is not None:
                assert any("index" in note for note in notes)
                assert refusal(path, name, strict=True)


@pytest.mark.parametrize("name", LINES)
@given(data=st.data())
def test_columns_under_a_header_are_taken_by_their_names(
    tmp_path_factory: pytest.TempPathFactory, name: str, data: st.DataObject
) -> None:
    names = [*HEADERS[name][-1], "id"]
    order = data.draw(st.permutations(range(len(names))))
    path = written(tmp_path_factory.mktemp("order"), name, clean(name))
    wanted = score(name, path)[0]
    rows = [line.split("\t") for line in clean(name).decode().splitlines()]
    table = [names, *([*row, str(number)] for number, row in enumerate(rows))]
    content = "\n".join("\t".join(row[place] for place in order) for row in table)
    written(path.parent, name, content.encode())
    assert score(name, path)[0] == wanted


@pytest.mark.parametrize("name", LINES)
@pytest.mark.parametrize("where", [0, 3, -1])
@pytest.mark.parametrize("wrong", ["7.5", "x", "", "99", "2"])
def test_an_index_with_another_number_is_refused(
    name: str, where: int, wrong: str, tmp_path: Path
) -> None:
    lines = [line.decode().split("\t") for line in clean(name, confidences=False).splitlines()]
    lines = [[str(number), *line] for number, line in enumerate(lines)]
    lines[where][0] = wrong
    for header in ([], [["index", *HEADERS[name][0]]]):
        content = "\n".join("\t".join(row) for row in [*header, *lines]) + "\n"
        path = written(tmp_path, name, content.encode())
        assert str(path) in refusal(path, name)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("".join(f"{n}\n" for n in range(12)), "0, 1, 2, ... in the only column"),
        ("".join(f"{n}\n" for n in range(1, 13)), "1, 2, 3, ... in the only column"),
        ("".join(f"{n}\t.{n}\n" for n in (3, 1, 2, 5, 4, 9, 8, 7, 6, 0, 11, 10)), "whole number"),
        ("".join(f"{n}\t.{n}\n" for n in (0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12)), "whole number"),
        (
            "".join(f"{n}\t.{n}\n" for n in range(20, 32)),
            "12 lines, expected 11, one for each scored pair, because the index is not 0, 1, 2",
        ),
        ("".join(f".{n}\t{n}\n" for n in range(12)), "running numbers in the second column"),
        ("".join(f".{n}\t{n * 5 % 12}\n" for n in range(12)), "running numbers in the second"),
        ("".join(f".{n}\t{n * 5 % 12 + 1}\n" for n in range(12)), "running numbers in the second"),
        ("".join(f"{n}\t-.{n}\n" for n in (3, 1, 2, *range(4, 13))), "expected a confidence"),
        ("score\tgold\n" + "1\t2\n" * 12, r"line 1: found the columns 'score', 'gold', expected"),
        ("score\tscore\n" + "1\t2\n" * 12, "line 1: found the columns 'score', 'score', exp"),
        ("index\tconfidence\n" + "1\t2\n" * 12, "line 1: found the columns 'index', 'confid"),
        ("index\tscore\n" + "1\t2\t3\n" * 12, "found"),
        ("\t50\n" + "3\t50\n2\t60\n" * 5 + "2\n", "line 1: found an empty column before"),
        ("1\r2\n" * 12, "found '1.r2'"),
    ],
)
def test_columns_in_doubt_are_refused(content: str, message: str, tmp_path: Path) -> None:
    path = written(tmp_path, "sample-sts", content.encode())
    with pytest.raises(InputError, match=message):
        read(path, "sample-sts")


@pytest.mark.parametrize("start", [0, 1])
def test_a_short_index_may_be_scores_and_is_refused_without_a_header(
    start: int, tmp_path: Path
) -> None:
    rows = "".join(f"{n}\t.{9 - n}\n" for n in range(start, start + 4))
    path = written(tmp_path, "sample-sts", rows.encode())
    assert "an index, or scores with confidences" in refusal(path, "sample-sts", pairs=4)
    written(tmp_path, "sample-sts", f"index\tprediction\n{rows}".encode())
    wanted = [(9 - n) / 10 for n in range(start, start + 4)]
    assert read(path, "sample-sts", pairs=4).scores.tolist() == wanted
    written(tmp_path, "sample-sts", b"0\n1\n2\n3\n")  # scores from 0 to 5
    assert read(path, "sample-sts", pairs=4).scores.tolist() == [0, 1, 2, 3]


def kitchen(scored_only: Callable[[int, str], str]) -> bytes:
    """Return an output for the sample with other lines for the pairs that are not scored."""
    gold = (SAMPLES / "sample-sts" / "STS.gs.kitchen.txt").read_text().splitlines()
    return "".join(scored_only(n, line) for n, line in enumerate(gold, 1)).encode()


def test_the_pairs_that_are_scored_can_be_named(tmp_path: Path) -> None:
    path = written(tmp_path, "sample-sts", kitchen(lambda n, line: f"{line or 2.5}\n"))
    wanted = score("sample-sts", path)[0]
    for rows in (
        kitchen(lambda n, line: f"{n}\t{line}\n" if line else ""),
        b"pair\tscore\n" + kitchen(lambda n, line: f"{n}\t{line}\n" if line else ""),
    ):
        written(tmp_path, "sample-sts", rows)
        found, _, notes = score("sample-sts", path)
        assert found == wanted
        assert "kitchen: the index names the pairs that have a score: 11" in notes
    written(tmp_path, "sample-sts", kitchen(lambda n, line: f"{line}\n"))
    found, _, notes = score("sample-sts", path)
    assert found == wanted
    assert "kitchen: lines without a score: 1" in notes
    from_0 = kitchen(lambda n, line: f"{n - 1}\t{line}\n" if line else "")
    other = kitchen(lambda n, line: f"{line}\n" if n > 1 else "\n")
    for content, message in [
        (from_0, "11 of the 12 pairs are scored"),
        (other, "no score for 1 scored pairs, such as pair 1"),
        (b"\n" * 12, "no score for 11 scored pairs"),
    ]:
        written(tmp_path, "sample-sts", content)
        with pytest.raises(InputError, match=message):
            score("sample-sts", path)


def test_a_column_with_the_gold_standard_is_refused(tmp_path: Path) -> None:
    for content in (
        kitchen(lambda n, gold: f"{gold or 2}\t{n % 5}.5\n"),
        kitchen(lambda n, gold: f"{n % 5}.5\t{gold or 2}\n"),
        kitchen(lambda n, gold: f"{float(gold or 2):.0f}\t{n % 5}.5\n"),
        kitchen(lambda n, gold: f"{n % 5}.5\t{float(gold or 2):.1f}\n"),
    ):
        path = written(tmp_path, "sample-sts", content)
        with pytest.raises(InputError, match="found the gold standard in one of two columns"):
            score("sample-sts", path)
    path = written(tmp_path, "sample-sts", kitchen(lambda _, gold: f"{gold or 2}\t100\n"))
    assert score("sample-sts", path)[0]["kitchen"]["pearson"] == pytest.approx(1)


@pytest.mark.parametrize("strict", [False, True])
def test_a_line_for_each_scored_pair_only_is_explained(strict: bool, tmp_path: Path) -> None:
    for name in ("sample-sts", "sample-pit"):
        lines = clean(name, confidences=False).splitlines(keepends=True)
        scored = dataset_of(name).scored
        path = written(tmp_path, name, b"".join(lines[:scored]))
        found = f"{scored} of the {len(lines)} pairs are scored: give all {len(lines)}"
        assert found in refusal(path, name, strict=strict)


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("line", [b"x y", b"", b"1\t2\t3\t4", b"1 x <==> 2 // z", b"0\t1"])
def test_many_bad_lines_are_refused_soon(
    name: str, line: bytes, strict: bool, tmp_path: Path
) -> None:
    head = clean(name)
    if name == "sample-ists":
        head = head[: head.index(b"</alignment>")]
    path = written(tmp_path, name, head + b"a\n" + (line + b"\n") * 1_000_000)
    with at_most(60):
        assert str(path) in refusal(path, name, strict=strict)
