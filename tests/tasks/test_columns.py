"""Where the sentences of a file are: recognised, or refused."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from itertools import chain

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stsbaselines.errors import InputError
from stsbaselines.tasks.columns import (
    PLAIN,
    Columns,
    Layout,
    has_layout,
    layout_of,
    named_columns,
    pairs_of,
    tidied,
)

PAIRS = [("A boy runs home.", "The boy runs."), ("Rain falls.", "It is late."), ("One", "2 cats")]
Row = Sequence[str]
TAGGED = "The/O/DT/B-NP/O boy/O/NN/I-NP/O"
SITE = "Some Network: http://example.org/questions/1 Author: Ada"
# Names, and the rows of the usual files: of the number of a pair and its sentences.
LAYOUTS: dict[str, tuple[list[str], Callable[[int, str, str], Row]]] = {
    "plain": ([], lambda n, a, b: (a, b)),
    "header": (["sentence1", "sentence2"], lambda n, a, b: (a, b)),
    "header, score": (["Sentence 1", "Sentence 2", "Score"], lambda n, a, b: (a, b, "3")),
    "header, id": (["id", "text_a", "text_b", "gold"], lambda n, a, b: (f"x{n}", a, b, "3")),
    "swapped header": (["label", "s2", "s1"], lambda n, a, b: ("1", b, a)),
    "another language": (["Satz_1", "Satz_2"], lambda n, a, b: (a, b)),
    "swapped, another language": (["Frase2", "Frase1"], lambda n, a, b: (b, a)),
    "premise": (["premise", "hypothesis", "label"], lambda n, a, b: (a, b, "neutral")),
    "questions": (
        ["id", "qid1", "qid2", "question1", "question2", "is_duplicate"],
        lambda n, a, b: (str(n), "11", "12", a, b, "0"),
    ),
    "paraphrase corpus": (
        ["Quality", "#1 ID", "#2 ID", "#1 String", "#2 String"],
        lambda n, a, b: ("1", "702876", "702977", a, b),
    ),
    "SICK": (
        ["pair_ID", "sentence_A", "sentence_B", "relatedness_score", "sentence_A_original"],
        lambda n, a, b: (str(3 * n), a, b, "4.5", b),
    ),
    "STS-B with a header": (
        ["index", "genre", "year", "source1", "source2", "sentence1", "sentence2", "score"],
        lambda n, a, b: (str(n), "news", "2015", "x", "y", a, b, "0.5"),
    ),
    "STS-B": ([], lambda n, a, b: ("news", "file", "2015test", f"{n:04}", "4.50", a, b)),
    "STS-B with sources": (
        [],
        lambda n, a, b: ("news", "file", "2015", f"{n:04}", "4.50", a, b, SITE, SITE)[
            : 7 + n % 2 * 2
        ],
    ),
    "companion": ([], lambda n, a, b: ("file", "2013", f"{n:04}", "4.50", a, b)),
    "PIT, training": ([], lambda n, a, b: ("17", "topic", a, b, "(3, 2)", TAGGED, TAGGED)),
    "PIT, test": ([], lambda n, a, b: ("17", "topic", a, b, "4", TAGGED, TAGGED)),
    "STS-2016": ([], lambda n, a, b: (a, b, SITE, SITE)),
    "numbered from 0": ([], lambda n, a, b: (str(n), a, b)),
    "numbered from 1": ([], lambda n, a, b: (str(n + 1), a, b)),
}


def content_of(layout: str, pairs: Sequence[Row] = PAIRS, end: str = "\n") -> bytes:
    names, row_of = LAYOUTS[layout]
    rows = [*[names] * bool(names), *(row_of(n, *pair) for n, pair in enumerate(pairs))]
    return "".join("\t".join(row) + end for row in rows).encode("utf-8", "surrogateescape")


def read(content: bytes, wanted: Columns | None = None) -> tuple[Layout, list[tuple[str, str]]]:
    layout = layout_of(content, "x", wanted)
    stream = io.BytesIO(content[layout.skip :])
    found = pairs_of(stream, "x", layout, 1 + layout.has_header)
    return layout, [(left, right) for left, right in found]


def refusal(content: bytes, wanted: Columns | None = None) -> str:
    with pytest.raises(InputError) as error:
        read(content, wanted)
    return str(error.value)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_usual_files_are_recognised(name: str, mark: bytes, end: str) -> None:
    layout, found = read(mark + content_of(name, end=end))
    assert found == PAIRS
    assert len(layout.notes) == (name != "plain") + bool(mark)
    assert layout.has_header is bool(LAYOUTS[name][0])


cells = st.text(st.sampled_from('ab1. "\r\u2028\udcff'), max_size=6).map(lambda text: f"w{text}w")


@pytest.mark.parametrize("name", LAYOUTS)
@given(pairs=st.lists(st.tuples(cells, cells), min_size=1, max_size=5))
@example(pairs=[("a", "b")])
def test_a_layout_changes_no_sentence(name: str, pairs: list[tuple[str, str]]) -> None:
    try:
        _, found = read(content_of(name, pairs))
    except InputError as error:
        assert "numbers or codes" in str(error)  # noqa: PT017 - words with digits may be refused
        return
    assert found == pairs


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_header_in_the_middle_is_a_fault(name: str) -> None:
    content = content_of(name)
    if header := layout_of(content, "x").header:
        number = content.count(b"\n") + 1
        found = refusal(content + header + b"\r\n" + content.splitlines(True)[-1])
        assert f"x, line {number}: found the header again" in found


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_line_with_another_number_of_columns_is_a_fault(name: str) -> None:
    content = content_of(name)
    number = content.count(b"\n") + 1
    assert f"x, line {number}: found 'one'" in refusal(content + b"one\n" + content_of("plain"))
    width = layout_of(content, "x").width
    too_many = "\t".join(["w"] * (width + 4)).encode() + b"\n"
    if not layout_of(content, "x").is_open:
        assert f"x, line {number}: found {width + 4} columns" in refusal(content + too_many)


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([("A boy runs.", "A boy.", "4.5"), ("It rains.", "Rain.", "2")], "3 columns ('A boy run"),
        ([("4.5", "A boy runs.", "A boy."), ("2", "It rains.", "Rain.")], "3 columns ('4.5', 'A"),
        ([("a7", "A boy runs.", "A boy."), ("a8", "It rains.", "Rain.")], "3 columns ('a7', 'A"),
        ([("id", "uno", "dos"), ("0", "A boy.", "A girl.")], "3 columns ('id', 'uno', 'dos')"),
        ([("0", "A boy runs."), ("1", "It rains.")], "numbers or codes, such as '0', beside"),
        ([("A boy runs.", "4.5"), ("It rains.", "2")], "numbers or codes, such as '4.5', beside"),
        ([("MSR-1", "A boy runs."), ("MSR-2", "It rains.")], "numbers or codes, such as 'MSR-1'"),
        ([("id", "sentence"), ("0", "A boy runs."), ("1", "It rains.")], "numbers or codes"),
        ([("0", "0.75"), ("1", "0.5")], "numbers or codes, such as '0'"),
        ([("q1", "q2"), ("17", "18"), ("20", "31")], "numbers or codes, such as '17'"),
        ([("q1", "q2"), ("q17", "A boy."), ("q20", "A cat.")], "numbers or codes, such as 'q17'"),
        ([("0", "A boy runs.", "1"), ("1", "It rains.", "2")], "numbers or codes, such as '1'"),
        ([("A boy.", "A girl.", "from a book", "from a film")], "4 columns ('A boy.', 'A girl.'"),
        ([("news", "f", "2015", "1", "4.5", "3", "A boy.")], "7 columns ('news', 'f', '2015'"),
        ([("A boy.", "A girl.", "")], "3 columns ('A boy.', 'A girl.', '')"),
        ([('"sentence1"', '"sentence2"'), ('"A boy."', '"A girl."')], "a header in quotation"),
        ([("text1", "text2", "question1", "question2"), ("a", "b", "c", "d")], "4 columns ('text"),
    ],
)
def test_what_is_in_doubt_is_refused_with_the_columns(rows: list[Row], found: str) -> None:
    said = refusal("".join("\t".join(row) + "\n" for row in rows).encode())
    number = 2 if rows[0] == ("q1", "q2") else 1
    assert said.startswith(f"x, line {number}: found {found}")
    assert "--columns" in said or "CSV" in said


@pytest.mark.parametrize(
    ("wanted", "layout", "found"),
    [
        ((1, 2), "plain", PAIRS),
        ((2, 1), "plain", [(b, a) for a, b in PAIRS]),
        ((6, 7), "STS-B with sources", PAIRS),
        ((3, 2), "swapped header", PAIRS),
        ((3, 4), "PIT, test", PAIRS),
        (("text_a", "text_b"), "header, id", PAIRS),
        (("sentence_A_original", "sentence_B"), "SICK", [(b, b) for _, b in PAIRS]),
    ],
)
def test_columns_can_be_named(wanted: Columns, layout: str, found: list[tuple[str, str]]) -> None:
    assert read(content_of(layout), wanted)[1] == found


def test_a_header_is_no_pair_if_columns_have_numbers() -> None:
    layout, found = read(b"left\tright\tpoints\nA boy.\tA girl.\t4\n", (1, 2))
    assert found == [("A boy.", "A girl.")]
    assert layout.notes == ("the first line is a header",)
    assert read(b"One boy.\tA girl.\n5\tfive\n", (1, 2))[1] == [
        ("One boy.", "A girl."),
        ("5", "five"),
    ]


@pytest.mark.parametrize(
    ("wanted", "message"),
    [
        ((1, 3), "x, line 1: found 2 columns, expected at least 3"),
        (("a", "c"), "x: found no column c, expected one; the columns are 'a, b'"),
    ],
)
def test_named_columns_must_be_there(wanted: Columns, message: str) -> None:
    assert refusal(b"a\tb\nc\td\n", wanted) == message


def test_numbers_are_no_names() -> None:
    with pytest.raises(InputError, match="found --columns with numbers, expected names of"):
        named_columns(["a", "b"], (1, 2), "x")


def test_a_first_line_of_single_words_is_noted() -> None:
    lines = b"utterance\tanswer\nA boy runs.\tA girl runs.\nIt rains.\tThe rain falls.\n"
    for content, wanted in (
        (lines, None),
        (lines, (1, 2)),
        (lines.replace(b"\n", b"\tx y\n"), (1, 2)),
    ):
        layout, found = read(content, wanted)
        assert len(found) == 3
        assert layout.notes[0].startswith(
            "the first line, 'utterance, answer', counts as a pair; if it"
        )
        assert read(content.partition(b"\n")[2], wanted)[0].notes == ()


@pytest.mark.parametrize(
    "first",
    [
        "Satz 1\tSatz 2",
        "texte 1\ttexte 2",
        "English sentence\tSpanish sentence",
        "MT output\tReference",
        "Input.sentence1\tInput.sentence2",
        "sentence1.text\tsentence2.text",
        "utt-1\tutt-2",
        "hyp.\tref.",
        "#1\t#2",
        "0\t1",
        "Unnamed: 0\tUnnamed: 1",
    ],
)
@pytest.mark.parametrize(
    "rest", ["A boy runs.\tA girl runs.\n" * 3, "A boy runs.\tIt rains now.\n"]
)
@pytest.mark.parametrize("wanted", [None, (1, 2)])
def test_a_first_line_like_a_header_is_noted(first: str, rest: str, wanted: Columns | None) -> None:
    (note,) = read(f"{first}\n{rest}".encode(), wanted)[0].notes
    assert "counts as a pair; if it is a header" in note


@pytest.mark.parametrize("first", ["Go home.\tLeave now!", "Two boys run fast\tTwo girls run fast"])
def test_a_first_pair_of_sentences_is_not_noted(first: str) -> None:
    assert read(f"{first}\nA boy runs home.\tA girl runs.\n".encode())[0].notes == ()


@pytest.mark.parametrize("word", ["news", "entailment", "en"])
@pytest.mark.parametrize("column", [1, 2])
def test_a_column_of_single_words_is_noted(word: str, column: int) -> None:
    pair = [word, "A boy runs."] if column == 1 else ["A boy runs.", word]
    notes = read(("\t".join(pair) + "\n").encode() * 3)[0].notes
    assert notes == (f"the column {column} has single words only, beside longer texts",)


blocks = st.lists(
    st.sampled_from([b"a", b"b\r", b'"q"', b"\t", b"\t", b"\n", b"\n", b"\r\n", b"\r", b"\0"])
).map(b"".join)


@given(blocks, st.sampled_from([PLAIN, Layout(1, 2, 3), Layout(0, 1, 2, is_open=True)]))
@example(b"a\nb\tc\td\n", PLAIN)
@example(b"a\tb\tc\n\r", PLAIN)
@example(b"a\tb\tc\td\n\r", PLAIN)
@example(b"a\tb\r\tc", Layout(0, 1, 2, is_open=True))
def test_tidy_lines_have_the_same_pairs(lines: bytes, layout: Layout) -> None:
    """Blocks are read in two ways, which find the same pairs and the same faults."""

    def pairs() -> list[tuple[str, str]]:
        return [(a, b) for a, b in pairs_of(io.BytesIO(lines), "x", layout, 5)]

    def in_blocks() -> list[tuple[str, str]]:
        tidy = tidied(lines, "x", layout, 5)
        found = [(a, b) for a, b in pairs_of(io.BytesIO(tidy.lines), "x", start=5)]
        quoted = [each for each in chain(*found) if each[1:] and each[0] == each[-1] == '"']
        assert tidy.quoted == len(quoted)
        assert tidy.carriage_returns == sum(
            line.endswith(b"\r") for line in lines.removesuffix(b"\n").split(b"\n")
        ) + lines.count(b"\r\t")
        return found

    results = []
    for work in (pairs, in_blocks):
        try:
            results.append((work(), ""))
        except InputError as error:
            results.append(([], str(error)))
    assert results[0] == results[1]
    assert not has_layout(lines, layout) or not results[0][1]
