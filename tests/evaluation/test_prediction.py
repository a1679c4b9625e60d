"""Predicting files and streams block by block."""

from __future__ import annotations

import functools
import gzip
import io
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from stsbaselines import journal
from stsbaselines.baselines import create
from stsbaselines.baselines.token_cosine import Kernel, TokenCosine
from stsbaselines.errors import InputError, LostWorkersError
from stsbaselines.evaluation import formats
from stsbaselines.evaluation import prediction as streaming
from stsbaselines.evaluation.formats import Kind
from stsbaselines.evaluation.prediction import (
    Place,
    Work,
    blocks_of,
    predict_file,
    scored,
    unread_blocks_of,
)
from stsbaselines.io import has_bom, is_without_newlines
from stsbaselines.parallel import in_order
from stsbaselines.predictor import Predictor
from stsbaselines.tasks import sts
from tests.helpers import COMMAND, run_command

LINES = b"a cat\ta dog\n a\tb a\tthird\nx\t\n\t\n"
ENDS = st.sampled_from([b"", b"\n"])
TEXT = st.lists(
    st.lists(
        st.sampled_from([b"a", b"b", b" ", b"\xa0", b"\xc3\xa9", b"\r", b"\x0b", b"\xff"])
    ).map(b"".join),
    min_size=2,
    max_size=3,
).map(b"\t".join)
WORDS = b"".join(b"a cat %d\ta dog %d\n" % (n % 7, n % 5) for n in range(50))


def by_pairs(predictor: Predictor, content: bytes) -> bytes:
    """Predict as the interface says, pair by pair."""
    pairs = list(sts.pairs_of(io.BytesIO(content), "here"))
    return sts.FAMILY.format_predictions(predictor.predict(pairs))


def by_blocks(predictor: Predictor, content: bytes, size: int, n_jobs: int = 1) -> bytes:
    """Predict block by block."""
    work = Work(predictor, Path("here"), Kind.lines, None, ())
    blocks = blocks_of(io.BytesIO(content), size=size)
    found = in_order(functools.partial(scored, work), blocks, n_jobs)
    return b"".join(lines for _, _, lines in found)


@pytest.mark.parametrize("change", ["replaced", "written to"])
def test_a_file_that_changes_while_it_is_read_is_refused(
    change: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "BLOCK_SIZE", 100)
    source, other = tmp_path / "pairs.tsv", tmp_path / "other.tsv"
    source.write_bytes(WORDS)
    other.write_bytes(WORDS.replace(b"cat", b"cow"))

    def advance(done: int, pairs: int) -> None:
        if change == "replaced" and other.exists():
            other.replace(source)
        elif change == "written to":
            os.utime(source, (0, 0))

    with pytest.raises(InputError, match=r"pairs\.tsv was changed while it was read"):
        predict_file(TokenCosine(), source, tmp_path / "out.txt", advance=advance)
    assert not (tmp_path / "out.txt").exists()


@given(st.lists(TEXT, min_size=1), ENDS)
@example([b" a\t a"], b"")
def test_lines_of_bytes_score_as_their_pairs(rows: list[bytes], end: bytes) -> None:
    content = b"\n".join(rows) + end
    assume(not is_without_newlines(content))
    assert TokenCosine().score_lines(content) == by_pairs(TokenCosine(), content)


@given(st.binary(max_size=60))
def test_unusual_lines_are_left_to_the_reader_of_pairs(content: bytes) -> None:
    found = TokenCosine().score_lines(content)
    try:
        expected: bytes | None = by_pairs(TokenCosine(), content)
    except InputError:
        expected = None
    if expected is None:
        unusual = not content or has_bom(content) or is_without_newlines(content)
        assert found is None or unusual
    else:
        assert found == expected


CHECKED = st.lists(
    TEXT | st.sampled_from([b"a", b"", b"a\t\0", b"\r", b"\xef\xbb\xbfa\tb"]), max_size=8
).map(b"\n".join)


@pytest.mark.parametrize("name", ["pairs.tsv", "pairs.tsv.gz"])
@given(CHECKED, ENDS, st.integers(1, 20))
@example(b"a\tb\nc\td", b"\n", 1)
@example(b"a\tb\nc\na\tb\nd", b"\n", 1)
@example(b"\xef\xbb\xbfa\tb", b"\n", 5)
def test_a_check_by_blocks_says_what_the_reader_says(
    name: str, content: bytes, end: bytes, size: int
) -> None:
    def said(work: Callable[[], Any]) -> str:
        try:
            work()
        except InputError as error:
            return str(error)
        return ""

    content += end
    source = Path(name)
    source.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    work = Work(TokenCosine(), source, Kind.lines, None, ())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streaming, "BLOCK_SIZE", size)
        found = said(lambda: streaming._check_from(work, source, Place()))
        place = streaming._first_doubtful(io.BytesIO(content), Place())
    assert found == said(lambda: list(sts.pairs_of(io.BytesIO(content), name)))
    assert not (found and place is None)


def test_plain_blocks_are_not_read_line_by_line() -> None:
    assert streaming._first_doubtful(io.BytesIO(WORDS), Place()) is None


def test_of_a_wrong_line_and_damage_after_it_the_line_is_said() -> None:
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
        assert (block.offset, block.end) == (offset, offset + len(part))
        assert block.first == 1 + content[:offset].count(b"\n")
        offset += len(part)
    assert all(part.endswith(b"\n") for part in contents[:-1])


@given(st.binary(min_size=1, max_size=40), st.integers(1, 20), st.data())
def test_blocks_go_on_from_the_end_of_any(content: bytes, size: int, data: st.DataObject) -> None:
    blocks = list(blocks_of(io.BytesIO(content), size=size))
    number = data.draw(st.integers(0, len(blocks) - 1))
    place = Place(blocks[number].end, content[: blocks[number].end].count(b"\n"))
    assert list(blocks_of(io.BytesIO(content), place, size)) == blocks[number + 1 :]
    unread = list(unread_blocks_of(io.BytesIO(content), place.offset, size))
    assert unread == [each._replace(first=1, content=None) for each in blocks[number + 1 :]]


@given(st.binary(max_size=40), st.integers(1, 20))
def test_blocks_are_the_same_if_they_are_not_read(content: bytes, size: int) -> None:
    blocks = blocks_of(io.BytesIO(content), size=size)
    unread = list(unread_blocks_of(io.BytesIO(content), 0, size))
    assert unread == [each._replace(first=1, content=None) for each in blocks]


@pytest.mark.parametrize("name", ["token-cosine", "chunk-aligner"])
@pytest.mark.parametrize("ending", ["tsv", "tsv.gz", "jsonl"])
def test_files_in_two_processes_give_the_same(name: str, ending: str) -> None:
    source = Path(f"pairs.{ending}")
    content = WORDS
    if ending == "jsonl":
        rows = [line.split("\t") for line in WORDS.decode().splitlines()]
        objects = [dict(zip(("sentence1", "sentence2"), row, strict=True)) for row in rows]
        content = "".join(json.dumps(each) + "\n" for each in objects).encode()
    source.write_bytes(formats.packed(content, source))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streaming, "BLOCK_SIZE", 200)
        counts = [predict_file(create(name), source, Path(f"out-{jobs}"), jobs) for jobs in (1, 2)]
    assert counts == [50, 50]
    assert Path("out-1").read_bytes() == Path("out-2").read_bytes()


@pytest.mark.parametrize("name", ["token-cosine", "chunk-aligner"])
@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("size", [1, 7, 10_000])
def test_blocks_of_any_size_give_the_same(name: str, n_jobs: int, size: int) -> None:
    predictor = create(name).fit([])
    content = LINES * (3 if n_jobs == 2 else 1)
    assert by_blocks(predictor, content, size, n_jobs) == by_blocks(predictor, content, 10_000)


@pytest.mark.parametrize("size", [1, 10_000])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "here: found an empty file"),
        (b"\xef\xbb\xbfa\tb\n", "here, line 1: found a byte order mark"),
        (b"a\tb\n\nc\td\n", "here, line 2: found a blank line"),
        (b"a\tb\nc\td\0\n", "here, line 2: found a NUL byte"),
        (b"a\tb\n" + b"x" * (1 << 20) + b"\ty\n", "here, line 2: found over 1 MiB"),
    ],
)
def test_faults_have_their_lines(content: bytes, message: str, size: int) -> None:
    with pytest.raises(InputError, match=message):
        by_blocks(TokenCosine(), content, size)


@pytest.mark.parametrize(
    ("name", "jobs"), [("token-cosine", 1), ("token-cosine", 2), ("random", 1)]
)
def test_all_faults_of_a_file_are_named(name: str, jobs: int) -> None:
    path = Path("pairs.txt")
    path.write_bytes(b"a\tb\n" * 300_000 + b"no\n" + b"a\tb\n" * 300_000 + b"none\n")
    with pytest.raises(InputError) as caught:
        predict_file(create(name), path, Path("out.txt"), jobs)
    assert "line 300001: found 'no'" in str(caught.value)
    assert "line 600002: found 'none'" in str(caught.value)
    assert not Path("out.txt").exists()


def test_a_pipe_is_not_waited_for() -> None:
    command = [str(COMMAND), "predict", "token-cosine"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        stop = threading.Timer(60, process.kill)
        stop.start()
        assert process.stdin
        assert process.stdout
        for _ in range(2):
            process.stdin.write(b"a\ta\n")
            process.stdin.flush()
            assert process.stdout.readline() == b"1.0000000000\n"
        process.stdin.close()
        stop.cancel()


def test_what_was_written_is_said_with_rate_and_signature() -> None:
    Path("pairs.tsv").write_bytes(WORDS)
    done = run_command(["predict", "token-cosine", "pairs.tsv", "-o", "out.txt"])
    assert done.stderr.startswith("wrote out.txt: 50 pairs, ")
    assert "; token-cosine|" in done.stderr


def outputs(out: Path) -> list[str]:
    """Return the names of the files beside an output that are of it."""
    return sorted(each.name for each in out.parent.iterdir() if each.name.startswith(out.name))


class StopError(Exception):
    """Stands for the end of a process."""


@settings(max_examples=30)
@given(
    calls=st.integers(0, 80),
    junk=st.binary(max_size=30),
    torn=st.booleans(),
    size=st.sampled_from([60, 9999]),
    ending=st.sampled_from(["txt", "jsonl", "txt.gz"]),
)
def test_a_run_that_ended_anywhere_is_gone_on_with(
    tmp_path_factory: pytest.TempPathFactory,
    calls: int,
    junk: bytes,
    torn: bool,
    size: int,
    ending: str,
) -> None:
    folder = tmp_path_factory.mktemp("resumed")
    source, out = folder / "pairs.tsv", folder / f"out.{ending}"
    source.write_bytes(WORDS)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streaming, "BLOCK_SIZE", size)
        patch.setattr(streaming, "CHECKPOINT_SECONDS", 0.0)
        predict_file(TokenCosine(), source, folder / f"whole.{ending}")
        left = iter(range(calls))

        def stop_then(done: int, pairs: int) -> None:
            if next(left, None) is None:
                raise StopError

        try:
            predict_file(TokenCosine(), source, out, resume=True, advance=stop_then)
        except StopError:
            part, journal = (folder / f"out.{ending}.{each}" for each in ("part", "part.jsonl"))
            with part.open("ab") as stream:
                stream.write(junk)
            if torn:
                with journal.open("ab") as stream:
                    stream.write(b'{"offset": 1')
        seen: list[int] = []
        pairs = predict_file(
            TokenCosine(), source, out, resume=True, advance=lambda done, _: seen.append(done)
        )
    assert out.read_bytes() == (folder / f"whole.{ending}").read_bytes()
    assert outputs(out) == [out.name]
    assert (pairs, sum(seen)) == (50, len(WORDS))


@pytest.mark.parametrize("ending", ["txt", "txt.gz"])
def test_a_run_can_be_killed_at_any_moment(ending: str) -> None:
    source, part = Path("pairs.tsv"), Path(f"out.{ending}.part")
    source.write_bytes(WORDS * 1_500)
    out = Path(f"out.{ending}")
    code = (
        "import time; from stsbaselines import streaming; from stsbaselines.cli.main import main;"
        "streaming.CHECKPOINT_SECONDS = 0; streaming.BLOCK_SIZE = 10_000;"
        "scored = streaming.scored;"
        "streaming.scored = lambda *each: (time.sleep({}), scored(*each))[1]; main()"
    )
    command = ["predict", "token-cosine", "pairs.tsv", "-o", str(out), "--resume"]
    sizes = [0]
    for _ in range(3):
        with subprocess.Popen([sys.executable, "-c", code.format(0.02), *command]) as process:
            while process.poll() is None and size_of_file(part) <= sizes[-1] + 500:
                time.sleep(0.002)
            process.kill()
        assert process.returncode == -signal.SIGKILL
        sizes.append(size_of_file(part))
    assert sizes == sorted(set(sizes))
    assert subprocess.run([sys.executable, "-c", code.format(0), *command]).returncode == 0
    command = [*command[:4], f"other.{ending}"]
    assert subprocess.run([sys.executable, "-c", code.format(0), *command]).returncode == 0
    assert out.read_bytes() == Path(f"other.{ending}").read_bytes()
    assert outputs(out) == [out.name]


def size_of_file(path: Path) -> int:
    """Return the size of a file that may not be there."""
    return path.stat().st_size if path.exists() else 0


@pytest.fixture
def interrupted() -> Iterator[tuple[Path, Path]]:
    """Return an input and an output of which a part is done."""
    source, out = Path("pairs.tsv"), Path("out.txt")
    source.write_bytes(WORDS)

    def stop(done: int, pairs: int) -> None:
        if done:
            raise StopError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streaming, "BLOCK_SIZE", 100)
        with pytest.raises(StopError):
            predict_file(TokenCosine(), source, out, resume=True, advance=stop)
        yield source, out


def test_an_input_that_changed_is_not_gone_on_with(interrupted: tuple[Path, Path]) -> None:
    source, out = interrupted
    source.write_bytes(WORDS + b"a\tb\n")
    before = Path("out.txt.part").read_bytes()
    with pytest.raises(
        InputError, match=r"another input: delete it and out\.txt\.part to begin anew"
    ):
        predict_file(TokenCosine(), source, out, resume=True)
    assert Path("out.txt.part").read_bytes() == before


class Scaled(TokenCosine):
    """A predictor that reads a file."""

    files = ("scale",)

    def __init__(self, scale: str = "scale.txt", kernel: Kernel = "auto") -> None:
        super().__init__(kernel)
        self.scale = scale


def test_a_predictor_of_a_function_cannot_be_resumed() -> None:
    class Local(TokenCosine):
        pass

    Path("pairs.tsv").write_bytes(WORDS)
    with pytest.raises(InputError, match="token-cosine cannot be resumed: its class Local"):
        predict_file(Local(), Path("pairs.tsv"), Path("out.txt"), resume=True)


def test_a_file_that_the_predictor_reads_must_be_the_same() -> None:
    source, out = Path("pairs.tsv"), Path("out.txt")
    source.write_bytes(WORDS)

    def stop(done: int, pairs: int) -> None:
        raise StopError

    for content in ("2", "3"):
        Path("scale.txt").write_text(content)
        expected: type[Exception] = StopError if content == "2" else InputError
        with pytest.raises(expected):
            predict_file(Scaled(), source, out, resume=True, advance=stop)
    with pytest.raises(InputError, match=r"another file scale\.txt: delete it"):
        predict_file(Scaled(), source, out, resume=True)


def test_a_file_is_not_read_again_if_workers_are_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    def lost(*_: object) -> Iterator[object]:
        raise LostWorkersError("A worker process was killed.")
        yield

    monkeypatch.setattr(streaming, "in_order", lost)
    Path("pairs.tsv").write_bytes(b"no pair\n")
    with pytest.raises(LostWorkersError, match="was killed"):
        predict_file(TokenCosine(), Path("pairs.tsv"), Path("out.txt"))


def test_a_pipe_gives_large_blocks_if_more_is_there() -> None:
    reading, writing = os.pipe()
    os.write(writing, b"a\tb\n" * 10_000)
    with os.fdopen(reading, "rb", buffering=0) as raw, io.BufferedReader(raw, 4096) as stream:
        blocks = blocks_of(stream)
        first = next(blocks)
        os.close(writing)
        assert first.content == b"a\tb\n" * 10_000
        assert list(blocks) == []


def test_another_predictor_does_not_go_on(interrupted: tuple[Path, Path]) -> None:
    with pytest.raises(InputError, match="is of a run with another predictor: delete it"):
        predict_file(create("chunk-aligner"), *interrupted, resume=True)


def test_a_part_that_was_cut_is_not_gone_on_with(interrupted: tuple[Path, Path]) -> None:
    with Path("out.txt.part.jsonl").open("ab") as stream:
        stream.write(b'{"offset": 100, "pairs": 6, "length": 78, "is_whole": false}\n')
    Path("out.txt.part").write_bytes(b"0.5\n")
    with pytest.raises(InputError, match="is shorter than"):
        predict_file(TokenCosine(), *interrupted, resume=True)


def test_a_journal_with_other_entries_is_refused(interrupted: tuple[Path, Path]) -> None:
    with Path("out.txt.part.jsonl").open("ab") as stream:
        stream.write(b'{"offset": "x"}\n')
    with pytest.raises(InputError, match="is damaged: delete it"):
        predict_file(TokenCosine(), *interrupted, resume=True)


@pytest.mark.parametrize("ending", ["part", "part.jsonl"])
def test_files_of_somebody_else_are_not_touched(ending: str) -> None:
    source, theirs = Path("pairs.tsv"), Path(f"out.txt.{ending}")
    source.write_bytes(WORDS)
    theirs.write_bytes(b"mine\tyours\n")
    for path in (source, theirs):
        with pytest.raises(InputError, match="rename"):
            predict_file(TokenCosine(), path, Path("out.txt"), resume=True)
    assert theirs.read_bytes() == b"mine\tyours\n"


def test_links_and_modes_are_kept() -> None:
    Path("pairs.tsv").write_bytes(WORDS)
    Path("real.txt").write_bytes(b"")
    Path("real.txt").chmod(0o640)
    Path("out.txt").symlink_to("real.txt")
    predict_file(TokenCosine(), Path("pairs.tsv"), Path("out.txt"), resume=True)
    assert Path("out.txt").is_symlink()
    assert Path("real.txt").read_bytes() == by_pairs(TokenCosine(), WORDS)
    assert Path("real.txt").stat().st_mode & 0o777 == 0o640


def test_two_runs_do_not_write_the_same_output(
    interrupted: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def again(done: int, pairs: int) -> None:
        predict_file(TokenCosine(), *interrupted, resume=True)

    monkeypatch.setattr(journal, "_PATIENCE_SECONDS", 0.1)
    with pytest.raises(InputError, match="another process does this run"):
        predict_file(TokenCosine(), *interrupted, resume=True, advance=again)


def test_a_fault_is_said_and_what_is_done_kept() -> None:
    source, out = Path("pairs.tsv"), Path("out.txt")
    source.write_bytes(WORDS + b"no pair\n")
    with pytest.raises(InputError, match="line 51: found 'no pair'"):
        predict_file(TokenCosine(), source, out, resume=True)
    assert outputs(out) == ["out.txt.part", "out.txt.part.jsonl"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["random", "pairs.tsv", "-o", "out.txt"], "random cannot be resumed"),
        (["token-cosine", "pairs.tsv"], "needs an input file and an output file"),
        (["token-cosine", "-o", "out.txt"], "needs an input file and an output file"),
        (["token-cosine", "pairs.tsv", "-o", os.devnull], "found a pipe or a device"),
        (["token-cosine", "pipe", "-o", "out.txt"], "found a pipe or a device"),
        (["token-cosine", "missing.tsv", "-o", "out.txt"], "missing.tsv: found nothing there"),
        (["token-cosine", "pairs.tsv", "-o", "."], ".: found a directory"),
        (["token-cosine", "pairs.tsv", "-o", "loop"], "loop: found a link to itself"),
        (["token-cosine", "pairs.tsv", "-o", "out.txt", "--jobs", "0"], "--jobs is 0"),
        (["token-cosine", "pairs.tsv", "-o", "no/out.txt"], "no/out.txt.part.jsonl: found No such"),
    ],
)
def test_what_cannot_be_resumed_is_refused(arguments: list[str], message: str) -> None:
    Path("pairs.tsv").write_bytes(WORDS)
    Path("loop").symlink_to("loop")
    os.mkfifo("pipe")
    done = run_command(["predict", *arguments, "--resume"], input="a\tb\n")
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr


def test_aligning_chunks_is_gone_on_with_too() -> None:
    source, out = Path("pairs.tsv"), Path("out.wa")
    source.write_bytes(WORDS)
    predictor = create("chunk-aligner")
    predict_file(predictor, source, Path("whole.wa"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streaming, "BLOCK_SIZE", 100)
        patch.setattr(streaming, "CHECKPOINT_SECONDS", 0.0)
        left = iter(range(4))

        def stop_then(done: int, pairs: int) -> None:
            if next(left, None) is None:
                raise StopError

        with pytest.raises(StopError):
            predict_file(predictor, source, out, resume=True, advance=stop_then)
        assert Path("out.wa.part").stat().st_size > 0
        predict_file(predictor, source, out, resume=True)
    assert out.read_bytes() == Path("whole.wa").read_bytes()


def test_a_redirected_input_is_not_written_over() -> None:
    Path("pairs.tsv").write_bytes(WORDS)
    for name in ([], ["-"]):
        command = [str(COMMAND), "predict", "token-cosine", *name, "-o", "pairs.tsv"]
        with Path("pairs.tsv").open("rb") as stream:
            done = subprocess.run(command, stdin=stream, capture_output=True, timeout=60)
        assert done.returncode == 2
        assert done.stderr == b"pairs.tsv is the input; name another file for the output.\n"
        assert Path("pairs.tsv").read_bytes() == WORDS
