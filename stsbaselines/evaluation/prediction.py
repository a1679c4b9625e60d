"""Predicting a file or stream of sentence pairs block by block, in constant memory.

A block of lines goes as bytes from the input to where it is scored, and its scores come back as
bytes, so that other processes read, score and format, and this one only writes.
"""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import select
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from stsbaselines import baselines
from stsbaselines.baselines._token_cosine_lines import LineScorer
from stsbaselines.errors import Fault, InputError, LostWorkersError
from stsbaselines.evaluation.cluster import connected, in_order_on
from stsbaselines.evaluation.tables import (
    open_unpacked,
    read_table,
    table_ending,
    writing_scores,
)
from stsbaselines.evaluation.trained_models import ready
from stsbaselines.io import (
    LONGEST_LINE,
    has_bom,
    is_without_newlines,
    plain_rows,
    whole_lines,
)
from stsbaselines.parallel import in_order
from stsbaselines.tasks.base import Family, SentencePair, family_named

if TYPE_CHECKING:  # slow to import
    from stsbaselines.predictor import Predictor

    System = Predictor | LineScorer

BLOCK_SIZE = 1 << 19
_BLOCKS_OF_WORKERS = 8  # times larger: handing over a block costs a millisecond
COLUMNS = ("sentence1", "sentence2")
_FAMILIES = {"scores": "sts", "alignments": "ists"}

Advance = Callable[[int, int], None]


class Block(NamedTuple):
    """Some whole lines of an input, or rows of a table, and the number of the first pair.

    The content is None if it is read where it is scored; then, `first` does not count.
    """

    offset: int
    size: int
    first: int
    content: bytes | list[SentencePair] | None


class Result(NamedTuple):
    """The output for a block, with the numbers of bytes and pairs that it is for."""

    size: int
    pairs: int
    lines: bytes


class Input(NamedTuple):
    """A file (None for standard input), its version, and the columns of a table."""

    source: Path | None
    version: tuple[int, ...]
    columns: tuple[str, ...]


def system_of(baseline: str, parameters: Mapping[str, Any]) -> System:
    """Return a baseline by its name, or a saved predictor by its folder.

    For token-cosine, it is the line scorer, which needs no slow imports.
    """
    if baseline == LineScorer.name and parameters.keys() <= {"kernel"}:
        return LineScorer(**parameters)
    if baseline and baseline not in baselines.names() and Path(baseline).is_dir():
        if parameters:
            raise InputError(f"{baseline} is a saved predictor, so its parameters cannot be set.")
        return baselines.load(baseline)
    return baselines.create(baseline, **parameters)


def no_advance(done: int, pairs: int) -> None:
    """Show no progress."""


def output_lines(
    family: Family,
    predictor: Predictor,
    pairs: Iterable[Any],
    n_jobs: int,
    start: int = 1,
) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of an output chunk by chunk, with the number of pairs that they are for.

    The first pair has the number `start`.
    """
    pairs, kept = itertools.tee(pairs)
    for predictions in predictor.predict_chunks(pairs, n_jobs=n_jobs):
        count = len(predictions)
        chunk = list(itertools.islice(kept, count))
        yield count, family.format_predictions(predictions, chunk, start)
        start += count


def predict_file(
    system: System,
    source: Path | None,
    out: Path | None,
    n_jobs: int = 1,
    columns: tuple[str, str] | None = None,
    scheduler: str | None = None,
    advance: Advance = no_advance,
) -> int:
    """Predict the sentence pairs of a file or of standard input, block by block."""
    if not isinstance(system, LineScorer):
        system = ready(system)
    if system.predicts not in _FAMILIES:
        raise InputError(
            f"{system.name} predicts {system.predicts}, not something for two sentences per line:"
            " run it by a configuration."
        )
    if table_ending(out) and system.predicts != "scores":
        found = f"{system.predicts} as {table_ending(out)}"
        raise InputError([Fault(str(out), found, "lines of text")])
    if columns is None and table_ending(source):
        columns = COLUMNS
    if columns and source is None:
        raise InputError("Columns are those of a file, but standard input has lines of sentences.")
    given = Input(source, _version(source), columns or ())
    if out is None:
        _check_file(given)
    done = 0
    cluster = contextlib.nullcontext() if scheduler is None else connected(scheduler)
    with cluster as client, writing_scores(out) as write:
        for result in _results(system, given, n_jobs, client):
            write(result.lines)
            advance(result.size, result.pairs)
            done += result.pairs
    return done


def size_of(source: Path | None) -> int | None:
    """Return the number of bytes by which `predict_file` advances, if it is known."""
    if source is None or not source.is_file():
        return None
    is_plain = source.suffix not in (".gz", ".zst") and not table_ending(source)
    return source.stat().st_size if is_plain else None


def _version(source: Path | None) -> tuple[int, ...]:
    """Return what changes when a file is written or replaced."""
    if source is None or not source.is_file():
        return ()
    status = source.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


# Reading blocks


def _results(system: System, given: Input, n_jobs: int, client: Any) -> Iterator[Result]:
    """Yield the output for an input; of a file with faults, report all of them."""
    function = functools.partial(scored, system, given)
    workers_read = client is None and n_jobs != 1 and system.predicts == "scores"
    blocks = _blocks(given, workers_read)
    try:
        if not system.is_pairwise():
            yield from _predicted_together(system, given, blocks, n_jobs)
        elif client is not None and n_jobs != 1:
            yield from in_order_on(client, function, blocks, n_jobs)
        else:
            yield from in_order(function, blocks, n_jobs)
    except LostWorkersError:
        raise
    except InputError:
        if not given.columns:
            _check_file(given)
        raise


def _blocks(given: Input, workers_read: bool) -> Iterator[Block]:
    """Yield the blocks of an input; those of plain files are left to workers that can read them.

    To number alignments, workers must be told how many pairs are before a block.
    """
    if given.source is None:
        yield from blocks_of(sys.stdin.buffer)
    elif given.columns:
        for first, rows in read_table(given.source, given.columns):
            yield Block(0, 0, first, list(itertools.starmap(SentencePair, rows)))
    else:
        with open_unpacked(given.source) as stream:
            if workers_read and size_of(given.source):
                yield from unread_blocks_of(stream)
            else:
                yield from blocks_of(stream)


def blocks_of(stream: BinaryIO, size: int | None = None) -> Iterator[Block]:
    """Yield a stream in blocks of about `size` bytes, at least one.

    Of a pipe, a block is what is available, so that a reader of the output need not wait.
    """
    offset, first = 0, 1
    read = None if stream.seekable() else functools.partial(_read_available, stream)
    for content in whole_lines(stream, size or BLOCK_SIZE, read):
        yield Block(offset, len(content), first, content)
        offset, first = offset + len(content), first + content.count(b"\n")


def _read_available(stream: BinaryIO, size: int) -> bytes:
    """Read up to `size` bytes of a pipe, waiting for the first of them only."""
    pipe = cast(io.BufferedReader, stream)
    content = piece = pipe.read1(size)
    with contextlib.suppress(OSError, ValueError):  # select does not take every kind of file
        while piece and len(content) < size and select.select([pipe], [], [], 0)[0]:
            content += (piece := pipe.read1(size - len(content)))
    return content


def unread_blocks_of(stream: BinaryIO, size: int | None = None) -> Iterator[Block]:
    """Yield the blocks that `blocks_of` yields, without reading all of them."""
    offset, length = 0, stream.seek(0, io.SEEK_END)
    while offset < length:
        last = stream.seek(offset + (size or _BLOCKS_OF_WORKERS * BLOCK_SIZE) - 1)
        end = last + len(stream.readline(LONGEST_LINE + 2)) if last < length else length
        yield Block(offset, end - offset, 1, None)
        offset = end


def _check_file(given: Input) -> None:
    """Report all faults of a file; blocks of lines that are clearly right are read fast."""
    source = given.source
    if source is None or not source.is_file():
        return
    if given.columns:
        for _ in read_table(source, given.columns):
            pass
        return
    with contextlib.suppress(InputError), open_unpacked(source) as stream:
        if all(map(_is_right, blocks_of(stream))):
            return
    from stsbaselines.tasks.sts import pairs_of  # slow to import

    with open_unpacked(source) as stream:
        for _ in pairs_of(stream, str(source)):
            pass


def _is_right(block: Block) -> bool:
    rows = None if _is_odd(block) else plain_rows(cast(bytes, block.content))
    return rows is not None and all(b"\t" in row for row in rows)


def _is_odd(block: Block) -> bool:
    """Return whether the first bytes of a file say that it has no plain lines."""
    content = cast(bytes, block.content)
    return not block.offset and (has_bom(content) or is_without_newlines(content))


# Scoring blocks


def scored(system: System, given: Input, block: Block) -> Result:
    """Return the output for a block."""
    block = _read(given, block)
    if isinstance(block.content, bytes) and block.content and not _is_odd(block):
        lines = system.score_lines(block.content)
        if lines is not None:
            return Result(block.size, lines.count(b"\n"), lines)
    if isinstance(system, LineScorer):
        system = baselines.create(system.name, kernel=system.kernel)
    family = family_named(_FAMILIES[system.predicts])
    chunks = list(output_lines(family, system, _pairs_of(given, block), 1, start=block.first))
    return Result(
        block.size, sum(count for count, _ in chunks), b"".join(each for _, each in chunks)
    )


def _read(given: Input, block: Block) -> Block:
    if block.content is not None or given.source is None:
        return block
    with open_unpacked(given.source) as stream:
        stream.seek(block.offset)
        content = stream.read(block.size)
    if _version(given.source) != given.version:
        raise InputError(f"{given.source} was changed while it was read: start again.")
    return block._replace(content=content)


def _pairs_of(given: Input, block: Block) -> Iterable[SentencePair]:
    if isinstance(block.content, list):
        return block.content
    from stsbaselines.tasks.sts import pairs_of  # slow to import

    name = str(given.source or "standard input")
    return pairs_of(io.BytesIO(block.content or b""), name, block.first)


def _predicted_together(
    system: System, given: Input, blocks: Iterable[Block], n_jobs: int
) -> Iterator[Result]:
    """Yield an output chunk by chunk, by a predictor that must see all pairs in order."""
    size = 0

    def pairs() -> Iterator[SentencePair]:
        nonlocal size
        for block in blocks:
            yield from _pairs_of(given, _read(given, block))
            size += block.size

    family = family_named(_FAMILIES[system.predicts])
    for count, lines in output_lines(family, cast("Predictor", system), pairs(), n_jobs):
        yield Result(size, count, lines)
        size = 0
