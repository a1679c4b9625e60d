"""Predicting files and streams block by block."""

from __future__ import annotations

import gzip
import io
import itertools
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stsbaselines import baselines
from stsbaselines.baselines import _takelab_features, create, takelab_simple
from stsbaselines.baselines._token_cosine_lines import LineScorer
from stsbaselines.baselines.token_cosine import TokenCosine
from stsbaselines.data.catalogue import find_task
from stsbaselines.data.find import SAMPLES
from stsbaselines.errors import InputError, LostWorkersError
from stsbaselines.evaluation import prediction
from stsbaselines.evaluation.prediction import blocks_of, predict_file, size_of, unread_blocks_of
from stsbaselines.tasks import sts
from stsbaselines.tasks.columns import Columns, layout_of, pairs_of
from tests.baselines.test_registry import PARAMETERS
from tests.baselines.test_takelab import TinyWordNet
from tests.helpers import COMMAND, CORPUS, run_command
from tests.tasks.test_tables import FORMATS

LINES = b"a cat\ta dog\n a\tb a\nx\t\n\t\n"
WORDS = b"".join(b"a cat %d\ta dog %d\n" % (n % 7, n % 5) for n in range(50))
ENDS = st.sampled_from([b"", b"\n"])
TEXT = st.lists(
    st.lists(
        st.sampled_from([b"a", b"b", b" ", b"\xa0", b"\xc3\xa9", b"\r", b"\x0b", b"\xff"])
    ).map(b"".join),
    min_size=2,
    max_size=3,
).map(b"\t".join)


def output_of(name: str, content: bytes, source: str = "pairs.tsv", **options: Any) -> bytes:
    """Predict a file of this content."""
    Path(source).write_bytes(content)
    system = create(name, **({"random_state": 1} if name == "random" else {}))
    predict_file(system, Path(source), Path("out.txt"), **options)
    return Path("out.txt").read_bytes()


CHECKED = st.lists(
    TEXT | st.sampled_from([b"a", b"", b"a\t\0", b"\r", b"\xef\xbb\xbfa\tb"]), max_size=8
).map(b"\n".join)


def message_of(work: Callable[[], Any]) -> str:
    try:
        work()
    except InputError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("name", ["pairs.tsv", "pairs.tsv.gz"])
@given(CHECKED, ENDS, st.integers(1, 20))
@example(b"a\tb\nc\td", b"\n", 1)
@example(b"a\tb\nc\na\tb\nd", b"\n", 1)
@example(b"\xef\xbb\xbfa\tb", b"\n", 5)
def test_a_file_is_refused_as_by_the_reader_of_pairs(
    name: str, content: bytes, end: bytes, size: int
) -> None:
    content += end
    source = Path(name)
    source.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prediction, "BLOCK_SIZE", size)
        predicted = message_of(lambda: predict_file(TokenCosine(), source, Path("out.txt")))
        printed = message_of(lambda: predict_file(TokenCosine(), source, None))

    def read() -> None:
        layout = layout_of(content, name)
        stream = io.BytesIO(content[layout.skip :])
        assert list(pairs_of(stream, name, layout, 1 + layout.has_header))

    assert printed == predicted == message_of(read)


def test_a_bad_line_is_reported_rather_than_damage_after_it() -> None:
    Path("pairs.tsv.gz").write_bytes(gzip.compress(b"a\tb\na\t\0\n" + WORDS)[:-9])
    with pytest.raises(InputError, match="line 2: found a NUL byte"):
        predict_file(TokenCosine(), Path("pairs.tsv.gz"), None)


@given(st.binary(max_size=40), st.integers(1, 50))
def test_blocks_are_whole_lines(content: bytes, size: int) -> None:
    blocks = list(blocks_of(io.BytesIO(content), size=size))
    contents = [block.content for block in blocks if isinstance(block.content, bytes)]
    assert b"".join(contents) == content
    offset = 0
    for block, part in zip(blocks, contents, strict=True):
        assert (block.offset, block.size) == (offset, len(part))
        assert block.first == 1 + content[:offset].count(b"\n")
        offset += len(part)
    assert all(part.endswith(b"\n") for part in contents[:-1])


@given(st.binary(min_size=1, max_size=40), st.integers(1, 20))
def test_blocks_are_the_same_if_they_are_not_read(content: bytes, size: int) -> None:
    unread = list(unread_blocks_of(io.BytesIO(content), size))
    blocks = blocks_of(io.BytesIO(content), size=size)
    assert unread == [each._replace(first=min(each.first, 2), content=None) for each in blocks]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_bytes_of_a_mark_at_the_beginning_of_a_block_are_text(
    n_jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prediction, "BLOCK_SIZE", 5)
    assert output_of("random", b"a long sentence\tanother one\n\xef\xbb\xbfe\tf\n", n_jobs=n_jobs)


@pytest.mark.parametrize("name", ["token-cosine", "chunk-aligner", "random"])
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("size", [7, 200])
def test_blocks_of_any_size_and_jobs_give_the_same(
    name: str, n_jobs: int, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = output_of(name, LINES * 3)
    monkeypatch.setattr(prediction, "BLOCK_SIZE", size)
    assert output_of(name, LINES * 3, n_jobs=n_jobs) == whole


KINDS = ["tsv", "tsv.gz", "tsv.zst", "csv", "jsonl", "parquet"]


def in_format(ending: str, lines: bytes = WORDS) -> bytes:
    """Return the content of a file with these pairs."""
    if ending == "tsv.gz":
        return gzip.compress(lines)
    if ending == "tsv.zst":
        return bytes(pa.compress(lines, codec="zstd", asbytes=True))
    pairs = list(sts.pairs_of(io.BytesIO(lines), "here"))
    return lines if ending == "tsv" else FORMATS[ending](pairs)


SENTENCES = [
    ("A man plays an old guitar.", "A man plays."),
    ("The dog barks", "It is late"),
    ("\u201cOld\u201d houses, 12 of them", 'The "old" house'),
    ("x", ""),
    ("A\u2028cat\x85 sat", "A cat\x0b sat\x1c"),
]
OFFICIAL = [("news", "file", "2015", f"{n:04}", "2.500", *pair) for n, pair in enumerate(SENTENCES)]
HEADER = [("id", "sentence_A", "sentence_B"), *((f"p{n}", *p) for n, p in enumerate(SENTENCES))]


def in_lines(rows: Sequence[Sequence[str]], end: str = "\n") -> bytes:
    return "".join("\t".join(row) + end for row in rows).encode()


PACKED = {ending: in_format(ending, in_lines(SENTENCES)) for ending in KINDS}
SAME_PAIRS = {
    **{f"same.{ending}": content for ending, content in PACKED.items()},
    "crlf.txt": in_lines(SENTENCES, "\r\n"),
    "crlf.txt.gz": gzip.compress(in_lines(SENTENCES, "\r\n")),
    "no-end.txt": in_lines(SENTENCES, "\r\n").removesuffix(b"\n"),
    "mark.txt": b"\xef\xbb\xbf" + in_lines(SENTENCES),
    "mark-crlf.txt": b"\xef\xbb\xbf" + in_lines(SENTENCES, "\r\n"),
    "benchmark.csv": in_lines(OFFICIAL),
    "benchmark.csv.gz": gzip.compress(in_lines(OFFICIAL, "\r\n")),
    "benchmark-crlf.tsv": in_lines(OFFICIAL, "\r\n"),
    "header.tsv": in_lines(HEADER),
    "header-crlf.txt": b"\xef\xbb\xbf" + in_lines(HEADER, "\r\n"),
    "returns.txt": in_lines([[f"{left}\r", right] for left, right in SENTENCES]),
    "returns.jsonl": PACKED["jsonl"].replace(b'"}', b'\\r\\n"}'),
    "crlf.jsonl": PACKED["jsonl"].replace(b"\n", b"\r\n"),
}


@pytest.mark.parametrize(
    "name", [name for name in baselines.names() if baselines.find(name).predicts != "typed scores"]
)
def test_every_baseline_gives_the_same_for_all_forms_of_the_pairs(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Line ends, marks, headers and formats are no part of the sentences."""
    for module in (_takelab_features, takelab_simple):
        monkeypatch.setattr(module, "find_wordnet", lambda data_dir=None: Path("wordnet"))
    monkeypatch.setattr(_takelab_features, "load_wordnet", lambda folder: TinyWordNet())
    Path("corpus.txt").write_text("\n".join(CORPUS))
    parameters = {**PARAMETERS, "takelab-simple": {"corpora": ["corpus.txt"], "n_components": 3}}
    task = find_task("sample-sts")
    folder = SAMPLES / "sample-sts"
    files = {"input": folder / "STS.input.journeys.txt", "gold": folder / "STS.gs.journeys.txt"}
    pairs, gold, _ = sts.FAMILY.read_training(files, task, task.dataset("journeys"))
    labels = gold > 3 if name == "ngram-logreg" else gold
    system = create(name, **parameters.get(name, {})).fit(pairs, labels)
    found = {}
    for size, (file, content) in itertools.product((1 << 19, 1), SAME_PAIRS.items()):
        monkeypatch.setattr(prediction, "BLOCK_SIZE", size)
        Path(file).write_bytes(content)
        assert predict_file(system, Path(file), Path("out.txt")) == len(SENTENCES)
        found[file, size] = Path("out.txt").read_bytes()
    expected = found["same.tsv", 1 << 19]
    assert [each for each in found if found[each] != expected] == []


@pytest.mark.parametrize("system", [TokenCosine(), LineScorer()])
def test_what_scores_lines_stands_for_its_predictor(system: Any) -> None:
    Path("pairs.jsonl").write_bytes(FORMATS["jsonl"]([("a cat", "a dog")]))
    assert predict_file(system, Path("pairs.jsonl"), Path("out.txt")) == 1
    assert Path("out.txt").read_bytes() == b"0.5000000000\n"


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "pairs.tsv: found an empty file"),
        (b"\xff\xfea\tb\n", "pairs.tsv, line 1: found a byte order mark"),
        (b"a\tb\tc\n", r"pairs.tsv, line 1: found 3 columns \('a', 'b', 'c'\), expected two"),
        (b"a\tb\na\tb\tc\n", "pairs.tsv, line 2: found 3 columns, expected two sentences"),
        (b"sentence1\tsentence2\n", "pairs.tsv: found a header only"),
        (b"sentence1\tsentence2\n\n", "pairs.tsv, line 2: found a blank line"),
        (b"a\tb\n\nc\td\n", "pairs.tsv, line 2: found a blank line"),
        (b"a\tb\nc\td\0\n", "pairs.tsv, line 2: found a NUL byte"),
        (b"a\tb\n" + b"x" * (1 << 20) + b"\ty\n", "pairs.tsv, line 2: found over 1 MiB"),
    ],
)
def test_faults_have_their_lines(
    content: bytes, message: str, n_jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prediction, "BLOCK_SIZE", 1)
    with pytest.raises(InputError, match=message):
        output_of("token-cosine", content, n_jobs=n_jobs)


@pytest.mark.parametrize(
    ("name", "jobs"), [("token-cosine", 1), ("token-cosine", 2), ("random", 1)]
)
def test_all_faults_of_a_file_are_named(
    name: str, jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prediction, "BLOCK_SIZE", 20)
    content = b"a\tb\n" * 30 + b"no\n" + b"a\tb\n" * 30 + b"none\n"
    with pytest.raises(InputError) as caught:
        output_of(name, content, n_jobs=jobs)
    assert "line 31: found 'no'" in str(caught.value)
    assert "line 62: found 'none'" in str(caught.value)
    assert not Path("out.txt").exists()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_table_with_a_fault_gives_no_output(n_jobs: int) -> None:
    with pytest.raises(InputError, match=r"pairs\.csv, row 2: found 1 columns, not 2"):
        output_of("token-cosine", b"sentence1,sentence2\na,b\nc\n", "pairs.csv", n_jobs=n_jobs)
    assert not Path("out.txt").exists()


@pytest.mark.parametrize("ending", [*KINDS, "standard input"])
@pytest.mark.parametrize(
    ("name", "n_jobs"), [("token-cosine", 1), ("token-cosine", 2), ("chunk-aligner", 1), ("lsa", 1)]
)
@pytest.mark.parametrize("is_last", [False, True])
def test_a_file_that_changes_while_it_is_read_is_refused(
    ending: str, name: str, n_jobs: int, is_last: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It changes while the first block is scored, or after the last one was."""
    system = create(name) if name != "lsa" else create(name, n_components=2).fit(CORPUS)
    path = Path(f"pairs.{ending}")
    path.write_bytes(in_format("tsv" if ending == "standard input" else ending))
    read = prediction._results

    def change() -> None:
        os.utime(path, (0, 0))

    def results(*arguments: Any) -> Iterator[Any]:
        change()
        yield from read(*arguments)

    if is_last:
        wrapped = prediction._blocks

        def blocks(*arguments: Any) -> Iterator[Any]:
            yield from wrapped(*arguments)
            change()

        monkeypatch.setattr(prediction, "_blocks", blocks)
    else:
        monkeypatch.setattr(prediction, "_results", results)
    source = None if ending == "standard input" else path
    with path.open() as stream:
        monkeypatch.setattr("sys.stdin", stream)
        with pytest.raises(InputError, match="was changed while it was read"):
            predict_file(system, source, Path("out.txt"), n_jobs)
    assert not Path("out.txt").exists()


def test_a_change_that_damages_a_file_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    path = Path("pairs.tsv.gz")
    path.write_bytes(in_format("tsv.gz"))
    monkeypatch.setattr(prediction, "_check_file", lambda given: path.write_bytes(b"damaged"))
    with pytest.raises(InputError, match="was changed while it was read"):
        predict_file(TokenCosine(), path, None)


def test_lost_workers_are_reported_without_reading_the_file_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def lost(*_: object) -> Iterator[object]:
        raise LostWorkersError("A worker process was killed.")
        yield

    monkeypatch.setattr(prediction, "in_order", lost)
    with pytest.raises(LostWorkersError, match="was killed"):
        output_of("token-cosine", b"no pair\n", n_jobs=2)


def test_progress_is_told_in_bytes_and_pairs() -> None:
    told: list[tuple[int, int]] = []
    output_of("token-cosine", WORDS, advance=lambda *each: told.append(each))
    assert tuple(map(sum, zip(*told, strict=True))) == (len(WORDS), 50)
    assert size_of(Path("pairs.tsv")) == len(WORDS)
    assert size_of(Path("pairs.tsv.gz")) is size_of(None) is None


def test_what_makes_no_sense_is_refused() -> None:
    Path("pairs.tsv").write_bytes(WORDS)
    for system, source, out, columns, message in (
        ("chunk-aligner", "pairs.tsv", "x.jsonl", None, "found alignments as .jsonl, expected"),
        ("typed-tfidf", "pairs.tsv", "x", None, "not something for two sentences per line"),
        ("token-cosine", "pairs.tsv", "x", ("a", "b"), "found no column a"),
    ):
        with pytest.raises(InputError, match=message):
            predict_file(create(system), Path(source), Path(out), 1, columns)


def test_a_pipe_gives_large_blocks_if_more_is_available() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"a\tb\n" * 10_000)
    with os.fdopen(reading, "rb", buffering=0) as raw, io.BufferedReader(raw, 4096) as stream:
        blocks = blocks_of(stream)
        first = next(blocks)
        os.close(writing)
        assert first.content == b"a\tb\n" * 10_000
        assert list(blocks) == []


@pytest.mark.parametrize("size", [1, 1 << 19])
@pytest.mark.parametrize(
    ("wanted", "content"),
    [
        (None, b"\xef\xbb\xbfid\ttext1\ttext2\n" + b"7\ta cat\ta dog\r\n" * 3),
        (("l", "r"), b"r\tx\tl\n" + b"a dog\t7\ta cat\n" * 3),
        ((2, 3), b"no\tl\tr\n" + b"7\ta cat\ta dog\n" * 3),
    ],
)
def test_columns_of_standard_input_are_found(
    size: int, wanted: Columns | None, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prediction, "BLOCK_SIZE", size)
    notes: list[str] = []

    def predict(content: bytes) -> None:
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content)))
        predict_file(TokenCosine(), None, Path("out.txt"), columns=wanted, note=notes.append)

    predict(content)
    assert Path("out.txt").read_bytes() == b"0.5000000000\n" * 3
    assert len(notes) == (3 if content.startswith(b"\xef") else int(wanted == (2, 3)))
    assert all(each.startswith("standard input: ") for each in notes)
    with pytest.raises(InputError, match=r"standard input, line 5: found a blank line"):
        predict(content + b"\n" + content)


def test_quoted_sentences_are_counted_over_all_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    notes: list[str] = []
    for jobs in (1, 2):
        monkeypatch.setattr(prediction, "BLOCK_SIZE", 5)
        Path("pairs.tsv").write_bytes(b'"a"\tb\r\n' * 30 + b'"a" b\t"c"\n')
        predict_file(TokenCosine(), Path("pairs.tsv"), Path("out.txt"), jobs, note=notes.append)
    what = "sentences that begin and end with a quotation mark, which is part of them: 31"
    removed = "carriage returns that were removed from ends of lines: 30"
    assert notes == [f"pairs.tsv: {removed}", f"pairs.tsv: {what}"] * 2


# The command


def test_the_columns_of_a_pipe_do_not_depend_on_what_arrives_first() -> None:
    lines = [b"%d\tA man sings.\tA dog barks.\n" % number for number in range(3)]
    with subprocess.Popen(
        [str(COMMAND), "predict", "token-cosine"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        assert process.stdin
        for line in lines:
            process.stdin.write(line)
            process.stdin.flush()
            time.sleep(0.2)  # so that they can arrive one by one
        out, err = process.communicate(timeout=60)
    assert out == b"0.3333333333\n" * 3
    assert b"columns 2 and 3, after a running number" in err


def test_a_pipe_is_not_waited_for_if_its_first_line_is_clear() -> None:
    command = [str(COMMAND), "predict", "token-cosine"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        stop = threading.Timer(60, process.kill)
        stop.start()
        assert process.stdin
        assert process.stdout
        for _ in range(2):
            process.stdin.write(b"A man sings.\tA man sings.\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"1.0000000000\n"
        process.stdin.close()
        stop.cancel()


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("sentence1=a,sentence2=b", ""),
        ("1,2", ""),
        ("2,2", "--columns is '2,2', but must be"),
        ("a,b", "--columns is 'a,b', but must be sentence1=NAME,sentence2=NAME or numbers"),
        ("sentence1=a,sentence2=a", "--columns is 'sentence1=a,sentence2=a', but must be"),
        ("sentence1=a,sentence1=b", "--columns is 'sentence1=a,sentence1=b', but must be"),
    ],
)
def test_columns_are_named_by_an_option(option: str, message: str) -> None:
    Path("pairs.tsv").write_text("a\tb\tc\na cat\ta dog\t5\n")
    done = run_command(["predict", "token-cosine", "pairs.tsv", "--columns", option])
    assert message in done.stderr
    assert (done.returncode, done.stdout) == ((2, "") if message else (0, "0.5000000000\n"))


def test_a_redirected_input_is_not_written_over() -> None:
    Path("pairs.tsv").write_bytes(WORDS)
    for name in ([], ["-"]):
        command = [str(COMMAND), "predict", "token-cosine", *name, "-o", "pairs.tsv"]
        with Path("pairs.tsv").open("rb") as stream:
            done = subprocess.run(command, stdin=stream, capture_output=True, timeout=60)
        assert done.returncode == 2
        assert done.stderr == b"pairs.tsv is the input; name another file for the output.\n"
        assert Path("pairs.tsv").read_bytes() == WORDS


def test_lines_of_standard_input_before_a_fault_are_scored() -> None:
    done = run_command(["predict", "token-cosine", "--jobs", "2"], input="a\tb\n" * 500_000 + "c\n")
    assert done.returncode == 2
    assert done.stdout.count("\n") >= 262_144
    assert done.stderr.startswith("standard input, line 500001: found 'c', expected two sentences")


def test_a_baseline_of_the_current_folder_predicts_in_several_processes() -> None:
    Path("outside_predict.py").write_text(
        "from stsbaselines.baselines.token_cosine import TokenCosine\n"
        "class Mine(TokenCosine):\n"
        "    name = 'mine'\n"
        "    def predict(self, pairs):\n"
        "        return super().predict(pairs) / 2\n",
        encoding="utf-8",
    )
    lines = [f"the cat {number}\tthe dog {number}\n" for number in range(200_000)]
    Path("pairs.tsv").write_text("".join(lines), encoding="utf-8")
    arguments = ["outside_predict:Mine", "pairs.tsv", "-o", "halved.txt", "--jobs", "2"]
    assert run_command(["predict", *arguments]).returncode == 0
    predict_file(TokenCosine(), Path("pairs.tsv"), Path("ours.txt"))
    ours, halved = np.loadtxt("ours.txt"), np.loadtxt("halved.txt")
    assert np.abs(ours - 2 * halved).max() < 1e-9
