r"""Alignment files (``.wa``) of interpretable STS.

They look like XML, but are read line by line: no entity is decoded, and only ``\n`` ends a
line. Bytes that are not UTF-8 (the headlines of 2015 have some) become surrogate escapes
(PEP 383), so that writing gives back the same bytes.
"""

from __future__ import annotations

import functools
import io
import itertools
import re
import string
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple

from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.io.files import decoded, lines_of, open_to_read, whole_lines
from stsbaselines.scoring.alignment import HIGHEST_SCORE
from stsbaselines.tasks.lines import BLOCK_SIZE, LineError

MAIN_TYPES = ("EQUI", "OPPO", "SPE1", "SPE2", "SIMI", "REL", "NOALI", "ALIC")
ADDITIONAL_TYPES = ("FACT", "POL")
UNALIGNED_TYPES = ("NOALI", "ALIC")
NOT_ALIGNED = "-not aligned-"
_SIDES = ("left", "right")
_SECTIONS = ("source", "translation", "alignment")
_BEGINNINGS = {f"<{section}>" for section in _SECTIONS}
_HEADER = re.compile(r'<sentence id="([1-9][0-9]{0,8})"( status="[^"]*")?>')
_SCORES = {"0", "1", "2", "3", "4", "5", "NIL"}
_NUMBER = re.compile(r"\+?([0-9]+(\.[0-9]*)?|\.[0-9]+)")
_TOKEN = re.compile("[1-9][0-9]*")
_BLANKS = " \t"
_UPPER = str.maketrans(string.ascii_lowercase, string.ascii_uppercase)
_LONGEST_NUMBER = 9
_MOST_FAULTS = 1000
_FIRST = '<sentence id="1" status="">'
_USUAL = "1 2 <==> 3 // EQUI // 5 // comment"
_SCORE = "a score out of 0, 1, 2, 3, 4, 5 and NIL"


class ChunkAlignment(NamedTuple):
    """A line of an alignment: two chunks that are aligned, or one chunk that is not.

    Attributes
    ----------
    left, right : tuple of int
        Token numbers from 1; empty if the other chunk is not aligned.
    types : tuple of str
        One of `MAIN_TYPES`, then up to two of `ADDITIONAL_TYPES`.
    score : float or None
        Similarity from 0 to 5; None is NIL.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    types: tuple[str, ...]
    score: float | None

    @property
    def sides(self) -> tuple[tuple[int, ...], tuple[int, ...]]:
        """Both chunks."""
        return self.left, self.right

    @property
    def is_aligned(self) -> bool:
        """Whether it aligns two chunks."""
        return bool(self.left and self.right)


class AlignedPair(NamedTuple):
    """A sentence pair of an alignment file: both sentences and the alignments between them."""

    left: str
    right: str
    alignments: tuple[ChunkAlignment, ...]

    @property
    def tokens(self) -> tuple[list[str], list[str]]:
        """Tokens of both sentences."""
        return tokens_of(self.left), tokens_of(self.right)


@dataclass(frozen=True)
class AlignmentFile:
    """The sentence pairs of an alignment file, and notes about what is unusual in it."""

    path: str
    pairs: tuple[AlignedPair, ...]
    notes: tuple[str, ...] = ()


def tokens_of(text: str) -> list[str]:
    """Return the tokens of a sentence, which are separated by blanks."""
    return [token for token in text.rstrip("\r\n").split(" ") if token]


def read_alignments(
    path: Path, count: int | None = None, strict: bool = False, one_to_one: bool = False
) -> AlignmentFile:
    """Read an alignment file.

    Parameters
    ----------
    path : Path
        The file, plain or ``.gz``.
    count : int, optional
        Number of sentence pairs, which must be numbered from 1.
    strict : bool
        The rules for submissions (`wellformed`), and sentence pairs in their order. Without it,
        departures that leave no doubt about the meaning are noted, because the official scorer
        accepts them.
    one_to_one : bool
        The rules of 2015 as well: chunks of consecutive tokens, each aligned once.

    Raises
    ------
    InputError
        With every line that does not fit; also for a file that is cut off, has other
        sentence pairs than 1 to `count`, or no alignment at all.

    Examples
    --------
    >>> from stsbaselines.data.find import SAMPLES
    >>> pairs = read_alignments(SAMPLES / "sample-ists" / "STSint.testinput.garden.wa").pairs
    >>> pairs[0].alignments[0]
    ChunkAlignment(left=(1, 2, 3), right=(1, 2), types=('SPE1',), score=4.0)
    """
    with open_to_read(path) as stream:
        return alignments_of(stream, str(path), count, strict, one_to_one)


def alignments_of(
    stream: BinaryIO,
    name: str,
    count: int | None = None,
    strict: bool = False,
    one_to_one: bool = False,
) -> AlignmentFile:
    """Read the alignment file that a stream has, called `name` in errors."""
    reader = _Reader(name, count, strict, one_to_one)
    start = 1
    for block in whole_lines(stream, BLOCK_SIZE):
        if start == 1 and not strict and block.startswith(BOM_UTF8):
            reader.unusual["a byte order mark"] = 1
            block = block.removeprefix(BOM_UTF8)
        if not reader.is_lost or b"<sentence" in block:
            for number, line in lines_of(io.BytesIO(block), name, start):
                reader.feed(number, decoded(line))
        start += block.count(b"\n")
        if len(reader.faults) > _MOST_FAULTS:
            break
    return reader.finished()


@dataclass
class _Block:
    """The sentence pair that is being read.

    `section` is the current part of its block, "lost" after a line that fits nowhere, so that one
    fault is not reported many times.
    """

    number: int
    section: str = "sentences"
    sentences: list[str] = field(default_factory=list)
    alignments: list[ChunkAlignment] = field(default_factory=list)
    lengths: tuple[int, ...] = ()
    seen: tuple[set[int], set[int]] = field(default_factory=lambda: (set(), set()))


class _Reader:
    """The state of reading an alignment file: the open block, and what was found so far."""

    def __init__(self, path: str, count: int | None, strict: bool, one_to_one: bool) -> None:
        self.path = path
        self.count = count
        self.strict = strict
        self.one_to_one = one_to_one
        self.carriage_returns = 0
        self.faults: list[Fault | str] = []
        self.unusual: Counter[str] = Counter()
        self.pairs: dict[int, AlignedPair] = {}
        self.block: _Block | None = None
        self.is_lost = False
        self.last_id = 0
        self.line_number = 0

    def feed(self, number: int, line: str) -> None:
        """Take the next line of the file."""
        self.line_number = number
        self.carriage_returns += line.endswith("\r")
        before = self.block
        try:
            self._take(line)
        except LineError as error:
            place = f" (sentence {before.number})" if before else ""
            self.faults.append(Fault(self.path, error.found, error.expected + place, number))
            if self.block and self.block.section == "sentences":
                self.block.section = "lost"

    def finished(self) -> AlignmentFile:
        """Return what was read, at the end of the file."""
        if len(self.faults) > _MOST_FAULTS:
            found = f"over {_MOST_FAULTS:,} faults"
            self.faults.insert(0, Fault(self.path, found, "an alignment file"))
        elif self.block is not None:
            found = f"the end of the file in sentence {self.block.number}"
            self.faults.append(Fault(self.path, found, "</sentence>", self.line_number))
        elif not self.pairs and not self.faults:
            self.faults.append(Fault(self.path, "no sentence pair", _FIRST))
        elif not self.faults:
            self._check_numbers()
        if self.strict and self.carriage_returns:
            found = f"{self.carriage_returns} lines that end in a carriage return"
            self.faults.append(Fault(self.path, found, "lines that end in a newline alone"))
        alignments = (each for pair in self.pairs.values() for each in pair.alignments)
        if not self.faults and not any(each.is_aligned for each in alignments):
            self.faults.append(Fault(self.path, "no alignments", "at least one"))
        if self.faults:
            raise InputError(self.faults)
        if [*self.pairs] != sorted(self.pairs):
            self.unusual["sentence pairs in another order"] = len(self.pairs)
        if self.carriage_returns:
            self.unusual["lines that end in a carriage return"] = self.carriage_returns
        pairs = tuple(self.pairs[number] for number in sorted(self.pairs))
        notes = tuple(f"{what}: {lines}" for what, lines in self.unusual.items())
        return AlignmentFile(self.path, pairs, notes)

    def _check_numbers(self) -> None:
        count = self.count or max(self.pairs)
        if len(self.pairs) != count:
            missing = next(number for number in range(1, count + 1) if number not in self.pairs)
            found = f"{len(self.pairs)} sentence pairs, without sentence {missing}"
            self.faults.append(Fault(self.path, found, str(count), self.line_number))

    def _take(self, line: str) -> None:
        bare = line.strip()
        block = self.block
        if block is None or bare.startswith("<sentence"):
            self._open(bare)
        elif block.section == "lost" and bare != "</sentence>":
            return
        elif block.section in _SECTIONS:
            if bare == f"</{block.section}>":
                block.section = "end" if block.section == "alignment" else "sentences"
            elif block.section == "alignment" and bare:
                self._align(block, bare)
        elif bare == "</sentence>":
            self._close(block)
        elif block.section == "sentences":
            _begin(block, line)
        elif bare:
            raise LineError(shown(line), "</sentence>")

    def _open(self, bare: str) -> None:
        header = _HEADER.fullmatch(bare)
        if not bare or (self.is_lost and header is None):
            return
        before, self.block, self.is_lost = self.block, None, header is None
        if header is None:
            self.last_id += bare.startswith("<sentence")
            raise LineError(shown(bare), f"the start of a pair, {_FIRST}")
        self.block = _Block(int(header[1]))
        following, self.last_id = self.last_id + 1, self.block.number
        if before is not None:
            raise LineError(shown(bare), f"</sentence> of sentence {before.number} before it")
        number = self.block.number
        if self.strict and number != following:
            raise LineError(f"sentence {number}", f"sentence {following}")
        if number in self.pairs:
            raise LineError(f"sentence {number} again", "each sentence once")
        if not 1 <= number <= (self.count or number):
            raise LineError(f"sentence {number}", f"a sentence from 1 to {self.count}")
        if not header[2]:  # the official scorer overlooks such a line
            self._depart("sentence pairs without a status", shown(bare), _FIRST)

    def _align(self, block: _Block, line: str) -> None:
        found, departures = parse_alignment(line, block.lengths)
        if self.one_to_one:
            departures += _departures_of_2015(found, block.seen)
        is_aligned = found.is_aligned and not (self.strict or self.one_to_one)
        if is_aligned and any(each.sides == found.sides for each in block.alignments):
            self.unusual["chunks aligned again, of which the last line counts"] += 1
        block.alignments.append(found)
        for departure in departures:
            self._depart(*departure)

    def _depart(self, what: str, found: str, expected: str) -> None:
        """Note what a submission must not have, or refuse it."""
        if self.strict:
            raise LineError(found, expected)
        self.unusual[what] += 1

    def _close(self, block: _Block) -> None:
        self.block = None
        left, right, *_ = [*block.sentences, "", ""]
        self.pairs[block.number] = AlignedPair(left, right, tuple(block.alignments))
        if block.section not in ("end", "lost"):
            raise LineError("</sentence>", f"</alignment> of sentence {block.number} before it")


def _begin(block: _Block, line: str) -> None:
    """Take a line before the alignments: a sentence, or the start of a section."""
    bare = line.strip()
    if (line.startswith("// ") or bare == "//") and len(block.sentences) < 2:
        block.sentences.append(" ".join(tokens_of(line[2:])))
    elif bare in _BEGINNINGS:
        if len(block.sentences) < 2:
            raise LineError(bare, "two lines with the sentences, // A cat sat, before it")
        block.section = bare[1:-1]
        block.lengths = tuple(len(tokens_of(sentence)) for sentence in block.sentences)
    elif bare:
        raise LineError(shown(line), "// and a sentence, or <source>, or <alignment>")


Departure = tuple[str, str, str]


def parse_alignment(line: str, lengths: Sequence[int]) -> tuple[ChunkAlignment, list[Departure]]:
    """Parse a line of an alignment, or raise `LineError`.

    Also returns what the line has that a submission must not have but the scorer accepts: what,
    found, expected. `lengths` are the numbers of tokens of the left and of the right sentence.
    """
    cells = line.split("//", 3)[:3]
    columns = [cell.strip(_BLANKS) for cell in cells]
    sides = columns[0].partition("<==>")[::2]
    if "<==>" not in columns[0] or len(columns) < 3:
        raise LineError(shown(line), _USUAL)
    left, right = map(_token_numbers, sides, _SIDES, lengths)
    if not (left or right):
        raise LineError(shown(columns[0]), "token numbers on at least one side")
    _, types, score = columns
    if score != "NIL" and not (_NUMBER.fullmatch(score) and 0 <= float(score) <= HIGHEST_SCORE):
        raise LineError(shown(score), _SCORE)
    found = ChunkAlignment(left, right, _types(types), None if score == "NIL" else float(score))
    departures = []
    usual = [cell.strip(_BLANKS) for cell in line.removesuffix(" //").split(" // ", 3)[:3]]
    if columns != usual or "\t" in "".join(cells):
        departures.append(("other characters between columns than ' // '", shown(line), _USUAL))
    numbers = [*itertools.chain(*map(_tokens, sides))]
    if len(numbers) > sum(max(len(side), 1) for side in found.sides):
        what = "repeated tokens, which count once"
        departures.append((what, shown(columns[0]), "each token once"))
    if types != (usual_types := types.translate(_UPPER)):
        departures.append(("types that are not in upper case", shown(types), usual_types))
    if types.count("_") >= len(found.types):
        once = "_".join(found.types)
        departures.append(("repeated types, which count once", shown(types), once))
    if score not in _SCORES:
        departures.append(("scores that are not single digits", shown(score), _SCORE))
    if found.score is None and found.types[0] not in UNALIGNED_TYPES:
        what = "NIL as the score of aligned chunks, which counts as 0"
        departures.append((what, "NIL", "a score from 0 to 5"))
    return found, departures


def _tokens(text: str) -> list[str]:
    """Return what blanks and TABs separate; other white space is text for the official scorer."""
    return tokens_of(text.replace("\t", " "))


def _token_numbers(text: str, side: str, length: int) -> tuple[int, ...]:
    numbers = _tokens(text)
    wrong = [each for each in numbers if each != "0" and not _TOKEN.fullmatch(each)]
    if wrong or not numbers:
        found = shown(wrong[0]) if wrong else f"nothing on the {side} side"
        raise LineError(found, "token numbers, such as 7, or 0 for not aligned")
    if numbers == ["0"]:
        return ()
    if any(len(each) > _LONGEST_NUMBER or not 1 <= int(each) <= length for each in numbers):
        expected = f"numbers from 1 to {length}, as many as the {side} sentence has tokens"
        raise LineError(shown(text.strip()), expected)
    return tuple(sorted(set(map(int, numbers))))


@functools.lru_cache(1024)
def _types(text: str) -> tuple[str, ...]:
    names = text.translate(_UPPER).split("_")
    main = [name for name in names if name in MAIN_TYPES]
    others = [name for name in names if name not in MAIN_TYPES]
    if any(name not in ADDITIONAL_TYPES for name in others):
        known = ", ".join([*MAIN_TYPES, *ADDITIONAL_TYPES])
        raise LineError(shown(text), f"types out of {known}, joined with _")
    if len(main) != 1 or len(others) > len(ADDITIONAL_TYPES):
        raise LineError(shown(text), "exactly one main type, and FACT or POL at most once each")
    return (*main, *dict.fromkeys(others))


def _departures_of_2015(
    found: ChunkAlignment, seen: tuple[set[int], set[int]]
) -> Iterator[Departure]:
    """Yield in what an alignment is not one-to-one; add its tokens to those seen."""
    for tokens, taken, name in zip(found.sides, seen, _SIDES, strict=True):
        if tokens and tokens[-1] - tokens[0] >= len(tokens):
            what = "chunks that are not consecutive"
            yield what, f"the tokens {tokens}", "a chunk of consecutive tokens"
        for token in sorted(taken.intersection(tokens))[:1]:
            yield "repeated alignments", f"{name} token {token} again", "each token aligned once"
        taken.update(tokens)


def format_block(number: int, left: str, right: str, alignments: Iterable[ChunkAlignment]) -> str:
    """Return the block of a sentence pair; see `format_alignment`."""
    sides = tokens_of(left), tokens_of(right)
    lines = [f'<sentence id="{number}" status="">', *(f"// {' '.join(each)}" for each in sides)]
    for section, tokens in zip(_SECTIONS, sides, strict=False):
        lines += [f"<{section}>"]
        lines += [f"{place} {token} : " for place, token in enumerate(tokens, 1)]
        lines += [f"</{section}>"]
    lines += ["<alignment>", *(format_alignment(each, *sides) for each in alignments)]
    if any("\n" in line for line in lines):
        raise InputError(f"sentence pair {number} has a line break in it.")
    return "\n".join([*lines, "</alignment>", "</sentence>", "", "", ""])


def format_alignment(each: ChunkAlignment, left: Sequence[str], right: Sequence[str]) -> str:
    """Return the line of an alignment of two sentences, given as tokens."""
    try:
        numbers = [" ".join(map(str, side)) or "0" for side in each.sides]
        score = "NIL" if each.score is None else f"{each.score:g}"
        line = f"{numbers[0]} <==> {numbers[1]} // {'_'.join(each.types)} // {score}"
        parsed, departures = parse_alignment(line, [len(left), len(right)])
        for _, found, expected in departures:
            raise LineError(found, expected)
    except (AttributeError, TypeError, ValueError):
        found = shown(repr(each))
        raise InputError(f"the system predicted {found}, not a ChunkAlignment.") from None
    except LineError as error:
        raise InputError(f"the system predicted {error.found}, not {error.expected}.") from None
    words = [
        " ".join(tokens[number - 1] for number in side) or NOT_ALIGNED
        for tokens, side in zip((left, right), parsed.sides, strict=True)
    ]
    return f"{line} // {words[0]} <==> {words[1]}"
