"""Predicting a file or stream of sentence pairs block by block, in constant memory.

A block of lines goes as bytes from the input to where it is scored, and its scores come back as
bytes, so that other processes read, score and format, and this one only writes.
"""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import os
import select
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, cast

from stsbaselines import baselines
from stsbaselines.baselines._token_cosine_lines import LineScorer
from stsbaselines.errors import Fault, InputError, LostWorkersError
from stsbaselines.evaluation.cluster import connected, in_order_on
from stsbaselines.evaluation.trained_models import ready
from stsbaselines.io.files import LONGEST_LINE, whole_lines
from stsbaselines.parallel import current_folder_on_path, in_order
from stsbaselines.tasks.base import Family, SentencePair, family_named
from stsbaselines.tasks.columns import (
    Columns,
    Layout,
    has_layout,
    is_enough,
    layout_of,
    pairs_of,
    tidied,
)
from stsbaselines.tasks.tables import (
    is_table,
    lead_of,
    open_unpacked,
    read_table,
    table_columns,
    table_ending,
    writing_scores,
)

if TYPE_CHECKING:  # slow to import
    from stsbaselines.predictor import Predictor

    System = Predictor | LineScorer

BLOCK_SIZE = 1 << 19
_BLOCKS_OF_WORKERS = 4  # times larger: handing over a block costs a millisecond
_FAMILIES = {"scores": "sts", "alignments": "ists"}

Advance = Callable[[int, int], None]
Note = Callable[[str], Any]


class Block(NamedTuple):
    """Some whole lines of an input, or rows of a table, and the number of the first pair.

    The content is None if it is read where it is scored; then, `first` only says if it is 1.
    """

    offset: int
    size: int
    first: int
    content: bytes | list[SentencePair] | None


class Result(NamedTuple):
    """The output for a block, with the numbers of bytes and pairs that it is for.

    Counts are those of lines that end in a carriage return, and of sentences in quotation marks.
    """

    size: int
    pairs: int
    lines: bytes
    carriage_returns: int = 0
    quoted: int = 0


class Input(NamedTuple):
    """A file (None for standard input), its version, and where the sentences are.

    They are in columns of a table, or in lines of a layout.
    """

    source: Path | None
    version: tuple[int, ...]
    columns: Columns | None = None
    layout: Layout = Layout()

    @property
    def name(self) -> str:
        """Name of the input in messages."""
        return str(self.source or "standard input")

    def line_of(self, block: Block) -> int:
        """Return the number of the first line of a block that was read."""
        return block.first + self.layout.has_header


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


def no_note(text: str) -> None:
    """Drop a note."""


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
    columns: Columns | None = None,
    scheduler: str | None = None,
    advance: Advance = no_advance,
    note: Note = no_note,
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
    with _opened(source, columns, note) as (given, stream):
        if out is None:
            _check_file(given)
        pairs = returns = quoted = 0
        cluster = contextlib.nullcontext() if scheduler is None else connected(scheduler)
        is_ours = type(system).__module__.startswith("stsbaselines.")
        path = contextlib.nullcontext() if is_ours else current_folder_on_path()
        with path, cluster as client, writing_scores(out) as write:
            for result in _results(system, given, stream, n_jobs, client):
                write(result.lines)
                advance(result.size, result.pairs)
                pairs += result.pairs
                returns += result.carriage_returns
                quoted += result.quoted
            if not pairs:
                raise InputError([Fault(given.name, "a header only", "at least one pair")])
    if returns:
        note(f"{given.name}: carriage returns that were removed from ends of lines: {returns:,}")
    if quoted:
        what = "sentences that begin and end with a quotation mark, which is part of them"
        note(f"{given.name}: {what}: {quoted:,}")
    return pairs


def size_of(source: Path | None) -> int | None:
    """Return the number of bytes by which `predict_file` advances, if it is known."""
    if source is None or not source.is_file():
        return None
    is_plain = source.suffix not in (".gz", ".zst") and not table_ending(source)
    return source.stat().st_size if is_plain else None


def _version(source: Path | None) -> tuple[int, ...]:
    """Return what changes when a file is written or replaced; nothing of a pipe or device."""
    try:
        status = os.fstat(sys.stdin.fileno()) if source is None else source.stat()
    except (OSError, ValueError):
        return ()
    if not stat.S_ISREG(status.st_mode):
        return ()
    times = status.st_mtime_ns, status.st_ctime_ns
    return status.st_dev, status.st_ino, status.st_size, *times


def _check_unchanged(given: Input) -> None:
    if _version(given.source) != given.version:
        raise InputError(f"{given.name} was changed while it was read: start again.")


# Reading blocks


@contextlib.contextmanager
def _opened(
    source: Path | None, columns: Columns | None, note: Note
) -> Iterator[tuple[Input, Iterator[Block] | None]]:
    """Find out where the sentences of an input are; yield also the blocks, if read only once."""
    version = _version(source)
    notes: tuple[str, ...] = ()
    with contextlib.ExitStack() as stack:
        blocks = None
        if source and is_table(source):
            found, notes = table_columns(source, columns)
            given = Input(source, version, found)
        else:
            given = Input(source, version)
            if source and source.is_file():
                lead = lead_of(source)
            else:
                stream = stack.enter_context(open_unpacked(source)) if source else sys.stdin.buffer
                blocks = blocks_of(stream)
                first = []
                lead = b""
                for block in blocks:
                    first.append(block)
                    lead += cast(bytes, block.content)
                    if is_enough(lead, columns):
                        break
                blocks = itertools.chain(first, blocks)
            layout = layout_of(lead, given.name, columns)
            given, notes = given._replace(layout=layout), layout.notes
        for text in notes:
            note(f"{given.name}: {text}")
        yield given, blocks


def _results(
    system: System, given: Input, stream: Iterator[Block] | None, n_jobs: int, client: Any
) -> Iterator[Result]:
    """Yield the output for an input; of a file with faults, report all of them."""
    function = functools.partial(scored, system, given)
    size = BLOCK_SIZE if n_jobs == 1 else _BLOCKS_OF_WORKERS * BLOCK_SIZE
    is_read_later = client is None and system.predicts == "scores"
    blocks = _blocks(given, stream, size if is_read_later else None)
    try:
        if not system.is_pairwise():
            results = _predicted_together(system, given, blocks, n_jobs)
        elif client is not None and n_jobs != 1:
            results = in_order_on(client, function, blocks, n_jobs)
        else:
            results = in_order(function, blocks, n_jobs)
        for result in results:
            _check_unchanged(given)
            yield result
        _check_unchanged(given)
    except LostWorkersError:
        raise
    except InputError:
        _check_unchanged(given)
        if not given.columns:
            _check_file(given)
        raise


def _blocks(given: Input, stream: Iterator[Block] | None, unread: int | None) -> Iterator[Block]:
    """Yield the blocks of an input; those of plain files are of `unread` bytes, and read later.

    To number alignments, one must know how many pairs are before a block.
    """
    if stream:
        yield from _after_header(stream, given.layout)
    elif given.columns:
        for first, rows in read_table(cast(Path, given.source), given.columns):
            pairs = [SentencePair(*(text.rstrip("\r\n") for text in row)) for row in rows]
            yield Block(0, 0, first, pairs)
    else:
        with open_unpacked(cast(Path, given.source)) as file:
            if unread and size_of(given.source):
                yield from unread_blocks_of(file, unread, given.layout.skip)
            else:
                yield from _after_header(blocks_of(file), given.layout)


def _after_header(blocks: Iterable[Block], layout: Layout) -> Iterator[Block]:
    """Yield blocks as if the bytes that the layout skips were not there."""
    for block in blocks:
        if block.offset:
            yield block._replace(first=block.first - layout.has_header)
        else:
            yield block._replace(content=cast(bytes, block.content)[layout.skip :])


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


def unread_blocks_of(stream: BinaryIO, size: int, start: int = 0) -> Iterator[Block]:
    """Yield the blocks that `blocks_of` yields from `start`, without reading all of them."""
    offset, length = start, stream.seek(0, io.SEEK_END)
    while offset < length:
        last = stream.seek(offset + size - 1)
        end = last + len(stream.readline(LONGEST_LINE + 2)) if last < length else length
        yield Block(offset, end - offset, 1 + (offset > start), None)
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
    layout = given.layout
    with contextlib.suppress(InputError), open_unpacked(source) as stream:
        blocks = _after_header(blocks_of(stream), layout)
        if all(has_layout(cast(bytes, block.content), layout) for block in blocks):
            return
    with open_unpacked(source) as stream:
        stream.read(layout.skip)
        for _ in pairs_of(stream, str(source), layout, 1 + layout.has_header):
            pass


# Scoring blocks


def scored(system: System, given: Input, block: Block) -> Result:
    """Return the output for a block."""
    block, counts = _tidied(given, block, isinstance(system, LineScorer))
    if isinstance(block.content, bytes) and block.content:
        lines = system.score_lines(block.content)
        if lines is not None:
            return Result(block.size, lines.count(b"\n"), lines, *counts)
    if isinstance(system, LineScorer):
        system = baselines.create(system.name, kernel=system.kernel)
    family = family_named(_FAMILIES[system.predicts])
    chunks = list(output_lines(family, system, _pairs_of(given, block), 1, start=block.first))
    lines = b"".join(each for _, each in chunks)
    return Result(block.size, sum(count for count, _ in chunks), lines, *counts)


def _tidied(
    given: Input, block: Block, is_counted_later: bool = False
) -> tuple[Block, tuple[int, int]]:
    """Return a block with lines of two sentences; count carriage returns and quoted sentences."""
    block = _read(given, block)
    if not isinstance(block.content, bytes) or not block.content:
        return block, (0, 0)
    line = given.line_of(block)
    lines, *counts = tidied(block.content, given.name, given.layout, line, is_counted_later)
    return block._replace(content=lines), (counts[0], counts[1])


def _read(given: Input, block: Block) -> Block:
    if block.content is not None or given.source is None:
        return block
    with open_unpacked(given.source) as stream:
        stream.seek(block.offset)
        content = stream.read(block.size)
    _check_unchanged(given)
    return block._replace(content=content)


def _pairs_of(given: Input, block: Block) -> Iterable[SentencePair]:
    if isinstance(block.content, list):
        return block.content
    stream = io.BytesIO(block.content or b"")
    return pairs_of(stream, given.name, start=given.line_of(block))


def _predicted_together(
    system: System, given: Input, blocks: Iterable[Block], n_jobs: int
) -> Iterator[Result]:
    """Yield an output chunk by chunk, by a predictor that must see all pairs in order."""
    size, counts = 0, [0, 0]

    def pairs() -> Iterator[SentencePair]:
        nonlocal size
        for block in blocks:
            tidy, (returns, quoted) = _tidied(given, block)
            yield from _pairs_of(given, tidy)
            size += block.size
            counts[0] += returns
            counts[1] += quoted

    family = family_named(_FAMILIES[system.predicts])
    for count, lines in output_lines(family, cast("Predictor", system), pairs(), n_jobs):
        yield Result(size, count, lines, *counts)
        size, counts[:] = 0, [0, 0]
