"""All readers of official files: any content is read, or refused with the file and the line."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stsbaselines.data.catalogue import DataSet, Task, find_task
from stsbaselines.data.find import SAMPLES
from stsbaselines.errors import Fault, InputError
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.tasks import ists, pit, records, sts, typed
from stsbaselines.tasks.alignment_file import read_alignments
from stsbaselines.tasks.base import family_of
from stsbaselines.tasks.labelled import read_task

STS, PIT, TYPED = map(find_task, ("sample-sts", "sample-pit", "sample-typed"))
PAIRS = 2


def dataset_of(task: Task) -> DataSet:
    return task.datasets[0].model_copy(update={"pairs": PAIRS, "scored": PAIRS})


def gold_of(task: Task) -> Callable[[Path], Any]:
    return lambda path: family_of(task).read_gold(path, task, dataset_of(task))


def output_of(task: Task) -> Callable[[Path], Any]:
    return lambda path: family_of(task).read_output(path, task, dataset_of(task))


def labelled(path: Path) -> FloatArray:
    """Return the scores of a file of the user, which are finite, and whose pairs have sentences."""
    task = read_task(path)
    pairs, scores, _ = family_of(task).read_training({"input": path}, task, task.datasets[0])
    assert all(side.strip() for pair in pairs for side in pair)
    assert len(pairs) == task.datasets[0].pairs > 0
    assert isinstance(scores, np.ndarray)
    assert np.isfinite(scores).all()
    return scores


READERS: dict[str, tuple[str, Callable[[Path], Any]]] = {
    "STS pairs": ("input.txt", lambda path: list(sts.read_pairs(path))),
    "STS gold": ("gold.txt", gold_of(STS)),
    "STS output": ("output.txt", output_of(STS)),
    "PIT data": ("test.data", lambda path: list(pit.read_data(path))),
    "PIT gold": ("test.label", gold_of(PIT)),
    "PIT output": ("PIT2015_TEAM_01_run.output", output_of(PIT)),
    "alignments": ("run.wa", read_alignments),
    "chunks": ("chunks.txt", lambda path: ists.read_chunks(path, path)),
    "typed items": ("input.txt", typed.read_items),
    "typed output": ("output.txt", output_of(TYPED)),
    "catalogue": ("things.jsonl", lambda path: list(records.read_catalogue(path))),
    "own CSV": ("a.csv", labelled),
    "own TSV": ("a.tsv", labelled),
    "own JSON lines": ("a.jsonl", labelled),
    "own Parquet": ("a.parquet", labelled),
    "record in text": ("1a_1_2.txt", records.read_record),
    "record in JSON": ("1a_1_2.json", records.read_record),
    "record in XML": ("1a_1_2.xml", records.read_record),
}
URL = b"http://www.europeana.eu/portal/record/09405u/7A.html"
PIECES = [
    *(b"\t", b"\n", b"\r\n", b" ", b"\0", b"\xff", b"\xef\xbb\xbf", b"1", b"-2.5", b"nan"),
    *(b"# x", b"true", b"false", b"----", b"(3, 2)", b"[ a ]", b"[", b"0.5000\ttrue", b"a\tb\n"),
    *(b'<sentence id="1" status="">\n', b"// a b\n", b"<alignment>\n", b"</alignment>\n"),
    *(b"1 <==> 1 // EQUI // 5 // a\n", b"</sentence>\n", URL, b"dcTitle:", b"0\t" * 7, b"x" * 70),
    *(b"<record>", b"</record>", b"<dcTitle>", b"</dcTitle>", b"&lt;", b"<!DOCTYPE x>", b"<!--"),
    *(b'{"success": true, "object": ', b'{"proxies": [', b'{"dcDate": {"def": ["1905"]}}', b"]}}"),
    *(b"index\tprediction\n", b"label score\n", b"0\t1\n1\t2\n2\t3\n", b"1 0.5\n", b"\t1\t\n"),
    *(b'{"title": "A mill"}', b"NaN", b"1e999", b"[" * 2000),
    *(
        b"s1,s2,score\n",
        b"s1\ts2\tgold\n",
        b'a,"b, ""c""",2\n',
        b"a\tb\t3\n",
        b'"',
        b",",
        b"a,b,4\n",
    ),
    *(b'{"s1": "a", "s2": "b", "gold": 1}\n', b"g\tf\t2012\t1\t2.5\ta b\tc\n", b"PAR1"),
]
contents = st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join) | st.binary(max_size=200)


def arrays_in(found: Any) -> list[np.ndarray[Any, Any]]:
    values = [found] if isinstance(found, np.ndarray) else [*vars(found).values()]
    return [each for each in values if isinstance(each, np.ndarray)]


@pytest.mark.parametrize("name", READERS)
@settings(max_examples=60)
@given(content=contents)
def test_any_content_is_read_or_refused_with_file_and_line(
    tmp_path_factory: pytest.TempPathFactory, name: str, content: bytes
) -> None:
    file_name, read = READERS[name]
    path = tmp_path_factory.mktemp("any") / file_name
    path.write_bytes(content)
    try:
        found = read(path)
    except InputError as error:
        last_line = content.count(b"\n") + content.count(b"\r") + 1  # XML has both line ends
        for fault in error.faults:
            assert isinstance(fault, Fault)
            assert fault.path.startswith(str(path))
            assert fault.line is None or 1 <= fault.line <= last_line
        return
    if name.endswith(("gold", "output")):
        for array in arrays_in(found):
            assert len(array) == PAIRS
            assert name == "STS gold" or np.isfinite(array.astype(float)).all()


@given(st.data())
def test_a_damaged_alignment_file_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    raw = (SAMPLES / "sample-ists" / "STSint.testinput.garden.wa").read_bytes()
    start = data.draw(st.integers(0, len(raw)))
    end = data.draw(st.integers(start, min(len(raw), start + 60)))
    path = tmp_path_factory.mktemp("damaged") / "run.wa"
    path.write_bytes(raw[:start] + data.draw(st.binary(max_size=20)) + raw[end:])
    with contextlib.suppress(InputError):
        assert len(read_alignments(path, 10).pairs) == 10
