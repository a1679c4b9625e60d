"""Predicting a stream of sentence pairs block by block; a block is some whole lines.

A block goes as bytes from the input to where it is scored, and its scores come back as bytes, so
that other processes read, score, format and pack, and this one only passes on.
"""

from __future__ import annotations

import contextlib
import functools
import io
import itertools
import os
import select
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from pickle import PicklingError  # nosec B403  # an exception alone
from typing import Any, BinaryIO, NamedTuple, cast

from stsbaselines.errors import Fault, InputError, LostWorkersError
from stsbaselines.evaluation import formats
from stsbaselines.evaluation.formats import Kind
from stsbaselines.evaluation.trained_models import ready
from stsbaselines.io import (
    LONGEST_LINE,
    atomic_write,
    checksum,
    has_bom,
    is_device,
    is_without_newlines,
    number_of_lines,
    open_to_read,
    plain_rows,
    put_in_place,
    target_of,
    translate_os_errors,
    unreadable,
    whole_lines,
)
from stsbaselines.journal import Journal, open_journal, versions
from stsbaselines.parallel import in_order, is_elsewhere
from stsbaselines.predictor import Predictor
from stsbaselines.tasks.base import Family, SentencePair, family_named

BLOCK_SIZE = 1 << 19
CHECKPOINT_SECONDS = 1.0
_FAMILIES = {"scores": "sts", "alignments": "ists"}

Advance = Callable[[int, int], None]


class Place(NamedTuple):
    """A place in an input.

    Attributes
    ----------
    offset : int
        Bytes before it, unpacked; rows of Parquet.
    pairs : int
        Pairs before it.
    """

    offset: int = 0
    pairs: int = 0


BEGINNING = Place()


class Block(NamedTuple):
    """Some whole lines of an input, or rows of Parquet.

    Attributes
    ----------
    offset, end : int
        Of its first byte or row, and after its last one.
    first : int
        Number of its first pair; 1 if its content is read elsewhere.
    content : bytes, list of SentencePair or None
        None if it is to be read where it is scored.
    """

    offset: int
    end: int
    first: int
    content: bytes | list[SentencePair] | None


class Work(NamedTuple):
    """What is to be done with each block.

    Attributes
    ----------
    predictor : Predictor
    source : Path or None
        The input; None for standard input.
    kind : Kind
        Of the input.
    out : Path or None
        Whose ending says how scores are written; None for lines.
    version : tuple of int
        Of the input, see `_version`.
    """

    predictor: Predictor
    source: Path | None
    kind: Kind
    out: Path | None
    version: tuple[int, ...]

    @property
    def name(self) -> str:
        """What to call the input in errors."""
        return str(self.source or "standard input")


def no_advance(done: int, pairs: int) -> None:
    """Show no progress."""


def blocks_of(
    stream: BinaryIO, start: Place = BEGINNING, size: int | None = None
) -> Iterator[Block]:
    r"""Yield what a stream has after a place in blocks of about `size` bytes; one at least.

    Of a pipe, a block is what is there, so that it is not waited for more.

    Examples
    --------
    >>> blocks = blocks_of(io.BytesIO(b"a\tb\nc\td\ne\tf"), size=1)
    >>> [(each.first, each.content) for each in blocks]
    [(1, b'a\tb\n'), (2, b'c\td\n'), (3, b'e\tf')]
    """
    offset, first = start.offset, start.pairs + 1
    if offset:
        stream.seek(offset)
    read = None if stream.seekable() else functools.partial(_read_what_is_there, stream)
    for content in whole_lines(stream, size or BLOCK_SIZE, read):
        if content or not offset:
            end = offset + len(content)
            yield Block(offset, end, first, content)
            offset, first = end, first + number_of_lines(content)


def _read_what_is_there(stream: BinaryIO, size: int) -> bytes:
    """Read up to `size` bytes of a pipe, waiting for the first of them only."""
    pipe = cast(io.BufferedReader, stream)
    content = piece = pipe.read1(size)
    with contextlib.suppress(OSError, ValueError):  # no file that can be asked whether it waits
        while piece and len(content) < size and select.select([pipe], [], [], 0)[0]:
            content += (piece := pipe.read1(size - len(content)))
    return content


def unread_blocks_of(stream: BinaryIO, offset: int, size: int | None = None) -> Iterator[Block]:
    r"""Yield the blocks that `blocks_of` yields after a place, without reading all of them.

    Examples
    --------
    >>> blocks = unread_blocks_of(io.BytesIO(b"a\tb\nc\td\ne\tf"), 0, size=1)
    >>> [(each.offset, each.end) for each in blocks]
    [(0, 4), (4, 8), (8, 11)]
    """
    try:
        length = stream.seek(0, io.SEEK_END)
    except OSError as error:
        raise unreadable(stream.name, error) from None
    while offset < length or not offset:
        last = stream.seek(offset + (size or BLOCK_SIZE) - 1)
        end = (
            min(last + len(stream.readline(LONGEST_LINE + 2)), length) if last < length else length
        )
        yield Block(offset, end, 1, None)
        if not length:
            return
        offset = end


def no_check(predictions: Any, lines: bytes) -> None:
    """Accept everything."""


def output_lines(
    family: Family,
    predictor: Predictor,
    pairs: Iterable[Any],
    n_jobs: int,
    check: Callable[[Any, bytes], None] = no_check,
    start: int = 1,
) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of an output chunk by chunk, with the number of pairs that they are for.

    `check` is called with the predictions and the lines of each chunk. The first pair has the
    number `start`.
    """
    pairs, kept = itertools.tee(pairs)
    for predictions in predictor.predict_chunks(pairs, n_jobs=n_jobs):
        count = len(predictions)
        chunk = list(itertools.islice(kept, count))
        lines = family.format_predictions(predictions, chunk, start)
        check(predictions, lines)
        yield count, lines
        start += count


def predict_file(
    predictor: Predictor,
    source: Path | None,
    out: Path | None,
    n_jobs: int = 1,
    resume: bool = False,
    advance: Advance = no_advance,
) -> int:
    """Predict the sentence pairs of a file or of standard input, block by block.

    Parameters
    ----------
    predictor : Predictor
    source : Path or None
        Its ending says what it is. None for lines on standard input. A regular file is checked
        before any score is printed.
    out : Path or None
        Likewise; it appears when all is done, or not at all. None for standard output.
    n_jobs : int
        Processes; -1 for all cores.
    resume : bool
        Whether what is done is kept as ``OUT.part``, also if the run is killed, and an earlier run
        of that kind is gone on with. It takes a file, and a predictor whose prediction of a pair
        does not depend on other pairs.
    advance : callable
        Called after each block with the numbers of bytes (rows of Parquet) and of pairs.

    Returns
    -------
    int
        The number of pairs.

    Raises
    ------
    InputError
        For a line that is no pair, or what cannot be resumed.
    """
    predictor = ready(predictor)
    if predictor.predicts not in _FAMILIES:
        raise InputError(
            f"{predictor.name} predicts {predictor.predicts}, not something for two sentences a"
            " line: run it by a configuration."
        )
    formats.check(source, out, predictor.predicts)
    work = Work(predictor, source, formats.kind_of(source), out, _version(source))
    if resume:
        return _resumed(work, n_jobs, advance)
    if source is not None and out is None and source.is_file():
        _check_from(work, source, BEGINNING)
    done = BEGINNING
    with _sink(out) as write:
        for end, lines in _outputs(work, done, n_jobs):
            write(lines)
            advance(end.offset - done.offset, end.pairs - done.pairs)
            done = end
    return done.pairs


def size_of(source: Path | None) -> int | None:
    """Return the size of an input in the unit in which `predict_file` advances, if it is known."""
    if source is None or not source.is_file() or formats.is_packed(source):
        return None
    is_parquet = formats.kind_of(source) is Kind.parquet
    return formats.rows_in_parquet(source) if is_parquet else source.stat().st_size


@contextlib.contextmanager
def _sink(out: Path | None) -> Iterator[Callable[[bytes], Any]]:
    """Open an output, and give a function that writes encoded lines to it."""
    if out is None:
        yield _print
        return
    with atomic_write(out) as stream:
        if formats.kind_of(out) is Kind.parquet:
            with formats.writing_parquet(stream) as write:
                yield write
        else:
            yield stream.write


def _print(lines: bytes) -> None:
    sys.stdout.buffer.write(lines)
    sys.stdout.buffer.flush()


def _outputs(work: Work, start: Place, n_jobs: int) -> Iterator[tuple[Place, bytes]]:
    """Yield the output for what an input has after a place, with the place that it goes to."""
    end = start
    try:
        if work.predictor.is_pairwise():
            blocks = _blocks(work, start)
            for offset, pairs, lines in in_order(functools.partial(scored, work), blocks, n_jobs):
                end = Place(offset, end.pairs + pairs)
                yield end, lines
        else:
            yield from _predicted_together(work, n_jobs)
    except LostWorkersError:
        raise
    except InputError:
        if work.source is not None and work.source.is_file():
            _check_from(work, work.source, end)
        raise


def _blocks(work: Work, start: Place) -> Iterator[Block]:
    """Yield the blocks of an input after a place; of a plain file, scorers read them themselves.

    But on other machines they cannot, and to number alignments they must be told where they are.
    """
    if work.source is None:
        yield from blocks_of(sys.stdin.buffer)
    elif work.kind is Kind.parquet:
        row = start.pairs
        for pairs in formats.rows_of_parquet(work.source, row):
            yield Block(row, row + len(pairs), row + 1, pairs)
            row += len(pairs)
    else:
        is_plain = work.source.is_file() and not formats.is_packed(work.source)
        is_unread = is_plain and work.predictor.predicts == "scores" and not is_elsewhere()
        with open_to_read(work.source) as stream:
            if is_unread:
                yield from unread_blocks_of(stream, start.offset)
            else:
                yield from blocks_of(stream, start)


def _predicted_together(work: Work, n_jobs: int) -> Iterator[tuple[Place, bytes]]:
    """Yield an output chunk by chunk, by a predictor that must see all pairs in order."""
    offset = done = 0

    def pairs() -> Iterator[SentencePair]:
        nonlocal offset
        for block in _blocks(work, BEGINNING):
            yield from _pairs_of(work, _read(work, block))
            offset = block.end

    family = family_named(_FAMILIES[work.predictor.predicts])
    for count, lines in output_lines(family, work.predictor, pairs(), n_jobs):
        done += count
        yield Place(offset, done), formats.encoded(lines, work.out)


def _check_from(work: Work, source: Path, place: Place) -> None:
    """Say all that is wrong with an input after a place."""
    if work.kind is Kind.parquet:
        for _ in formats.rows_of_parquet(source, place.pairs):
            pass
        return
    doubtful: Place | None = place
    if work.kind is Kind.lines:
        with open_to_read(source) as stream:
            doubtful = _first_doubtful(stream, place)
    if doubtful is None:
        return
    with open_to_read(source) as stream:
        stream.seek(doubtful.offset)
        for _ in _reader(work.kind)(stream, work.name, doubtful.pairs + 1):
            pass


def _first_doubtful(stream: BinaryIO, place: Place) -> Place | None:
    """Return where the first block after a place begins that the reader might refuse, if any."""
    try:
        for block in blocks_of(stream, place):
            rows = None if _is_odd(block) else plain_rows(cast(bytes, block.content))
            if rows is None or not all(b"\t" in row for row in rows):
                return place
            place = Place(block.end, place.pairs + len(rows))
    except InputError:  # damage, perhaps after a line that is wrong
        return place
    return None


def _is_odd(block: Block) -> bool:
    """Tell whether the first bytes of a file say that it has no plain lines."""
    content = cast(bytes, block.content)
    return not block.offset and (has_bom(content) or is_without_newlines(content))


def scored(work: Work, block: Block) -> tuple[int, int, bytes]:
    """Return where a block ends, how many pairs it has, and its part of the output."""
    block = _read(work, block)
    content = block.content or b""
    pairs = number_of_lines(content) if isinstance(content, bytes) else len(content)
    return block.end, pairs, formats.encoded(_score_lines(work, block), work.out)


def _read(work: Work, block: Block) -> Block:
    if block.content is not None or work.source is None:
        return block
    with open_to_read(work.source) as stream:
        stream.seek(block.offset)
        content = stream.read(block.end - block.offset)
    if _version(work.source) != work.version:
        raise InputError(f"{work.source} was changed while it was read: begin anew.")
    return block._replace(content=content)


def _version(source: Path | None) -> tuple[int, ...]:
    """Return what changes when a file is written or replaced."""
    if source is None or not source.is_file():
        return ()
    status = source.stat()
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _score_lines(work: Work, block: Block) -> bytes:
    predictor, content = work.predictor, block.content
    if isinstance(content, bytes) and work.kind is Kind.lines:
        lines = predictor.score_lines(content) if content and not _is_odd(block) else None
        if lines is not None:
            return lines
    family = family_named(_FAMILIES[predictor.predicts])
    chunks = output_lines(family, predictor, _pairs_of(work, block), 1, start=block.first)
    return b"".join(lines for _, lines in chunks)


def _pairs_of(work: Work, block: Block) -> Iterable[SentencePair]:
    if isinstance(block.content, bytes):
        stream = io.BytesIO(block.content)
        return _reader(work.kind)(stream, work.name, block.first)
    return block.content or ()


def _reader(kind: Kind) -> Callable[[BinaryIO, str, int], Iterator[SentencePair]]:
    if kind is Kind.json_lines:
        return formats.pairs_of_json_lines
    from stsbaselines.tasks.sts import pairs_of  # slow to import

    return pairs_of


def _resumed(work: Work, n_jobs: int, advance: Advance) -> int:
    """Write an output by way of ``OUT.part``, which a killed run leaves, and its journal."""
    source, out = work.source, work.out
    if source is None or out is None:
        raise InputError("--resume needs an input file and an output file.")
    target = target_of(out)
    for path in (source, out):
        if is_device(path):
            expected = "a regular file, as --resume needs"
            raise InputError([Fault(str(path), "a pipe or a device", expected)])
    open_to_read(source).close()
    if not work.predictor.is_pairwise():
        raise InputError(
            f"{work.predictor.name} cannot be resumed: what it predicts for a pair depends on"
            " others."
        )
    part, path = (target.with_name(f"{target.name}.{end}") for end in ("part", "part.jsonl"))
    if os.path.lexists(part) and not path.exists():
        raise InputError(f"{part} is there, but not {path.name}: rename or delete it.")
    run = _identity(work, source)
    remedy = f"delete it and {part.name} to begin anew"
    with open_journal(path, run, remedy=remedy) as journal:
        last = journal.entries[-1] if journal.entries else {}
        if not (last.get("is_whole") and target.exists() and not part.exists()):
            last = _append_to_part(work, part, journal, n_jobs, advance)
            if _identity(work, source) != run:
                raise InputError(
                    f"{source} was changed while it was read: delete {part} and {path.name} to"
                    " begin anew."
                )
            with translate_os_errors(out, part):
                _put_in_place(part, target)
        journal.remove()
    return int(last["pairs"])


def _identity(work: Work, source: Path) -> dict[str, Any]:
    """Return what must be the same for a run to be gone on with."""
    import joblib  # slow to import

    try:
        state_of_predictor = joblib.hash(work.predictor)
    except PicklingError:
        kind = type(work.predictor).__name__
        raise InputError(
            f"{work.predictor.name} cannot be resumed: its class {kind} is none of a module."
        ) from None
    state = source.stat()
    return {
        "input": [str(source.resolve()), state.st_size, state.st_mtime_ns],
        "predictor": [work.predictor.signature(), state_of_predictor],
        **versions(),
        **{name: checksum(path) for name, path in work.predictor.files_read().items()},
    }


def _append_to_part(
    work: Work, part: Path, journal: Journal, n_jobs: int, advance: Advance
) -> dict[str, Any]:
    """Write what is missing of a part, and return the last entry of its journal."""
    done, length = _last_place(part, journal)
    advance(*done)
    with translate_os_errors(part), part.open("r+b" if part.exists() else "xb") as stream:
        stream.truncate(length)
        stream.seek(length)
        noted = time.monotonic()
        for end, lines in _outputs(work, done, n_jobs):
            length += stream.write(lines)
            advance(end.offset - done.offset, end.pairs - done.pairs)
            done = end
            if time.monotonic() - noted >= CHECKPOINT_SECONDS:
                _note(journal, stream, done, length)
                noted = time.monotonic()
        return _note(journal, stream, done, length, is_whole=True)


def _last_place(part: Path, journal: Journal) -> tuple[Place, int]:
    """Return up to where an input is done, and how long its output is."""
    if not journal.entries:
        return BEGINNING, 0
    last = journal.entries[-1]
    if not all(type(last.get(key)) is int for key in ("offset", "pairs", "length")):
        raise InputError(f"{journal.path.name} is damaged: delete it and {part} to begin anew.")
    length = part.stat().st_size if part.exists() else -1
    if length < last["length"]:
        raise InputError(
            f"{part} is shorter than {journal.path.name} says: delete both to begin anew."
        )
    return Place(last["offset"], last["pairs"]), last["length"]


def _note(
    journal: Journal, part: BinaryIO, place: Place, length: int, is_whole: bool = False
) -> dict[str, Any]:
    """Put down in the journal what is on the disk."""
    part.flush()
    os.fsync(part.fileno())
    entry = {**place._asdict(), "length": length, "is_whole": is_whole}
    journal.append(entry)
    return entry


def _put_in_place(part: Path, target: Path) -> None:
    if formats.kind_of(target) is not Kind.parquet:
        put_in_place(part, target)
        return
    with _sink(target) as write, open_to_read(part) as stream:
        while lines := stream.readlines(BLOCK_SIZE):
            write(b"".join(lines))
    part.unlink()
