"""Reading, checking and scoring the files of interpretable STS."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.baselines.chunk_aligner import ChunkAligner
from stsbaselines.data.catalogue import find_task
from stsbaselines.data.find import SAMPLES, require
from stsbaselines.errors import InputError
from stsbaselines.evaluation import submission
from stsbaselines.tasks import alignment_file, ists
from stsbaselines.tasks.alignment_file import (
    AlignedPair,
    AlignmentFile,
    ChunkAlignment,
    read_alignments,
)
from stsbaselines.tasks.ists import FAMILY, ChunkedSentence, chunked_sentence

SAMPLE = find_task("sample-ists")
GARDEN = SAMPLE.dataset("garden")
GOLD = SAMPLES / "sample-ists" / "STSint.testinput.garden.wa"

BLOCK = """<sentence id="1" status="">
// A man waits
// He waits here
<source>
1 A :
</source>
<translation>
1 He :
</translation>
<alignment>
1 2 <==> 1 // SIMI // 3 // A man <==> He
3 <==> 2 // EQUI // 5 // waits <==> waits
0 <==> 3 // NOALI // NIL // -not aligned- <==> here
</alignment>
</sentence>
"""


def read(
    folder: Path, text: str | bytes, count: int | None = 1, strict: bool = True, **rules: bool
) -> AlignmentFile:
    path = folder / "run.wa"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_alignments(path, count, strict, **rules)


def test_a_block_is_read(tmp_path: Path) -> None:
    [pair] = read(tmp_path, BLOCK).pairs
    assert pair.left == "A man waits"
    assert pair.alignments == (
        ChunkAlignment((1, 2), (1,), ("SIMI",), 3.0),
        ChunkAlignment((3,), (2,), ("EQUI",), 5.0),
        ChunkAlignment((), (3,), ("NOALI",), None),
    )


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.replace("\n", " \n"),
        lambda text: text.replace("\n</", "\n\n</"),
        lambda text: re.sub("<source>.*</translation>\n", "", text, flags=re.DOTALL),
        lambda text: re.sub(" // [^/]*$", "", text, flags=re.MULTILINE),
        lambda text: text.replace("1 A :", "&amp ; broken </x>"),
        lambda text: text.replace("A man waits", "A  man  waits"),
        lambda text: text.rstrip("\n"),
    ],
)
def test_what_does_not_matter(tmp_path: Path, change: Callable[[str], str]) -> None:
    assert read(tmp_path, change(BLOCK)).pairs == read(tmp_path, BLOCK).pairs


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id="1"', 'id=""', 'line 1: .* expected the start of a pair, <sentence id="1"'),
        ('id="1"', f'id="{"1" * 5000}"', "line 1: .* expected the start of a pair"),
        ('id="1"', 'id="2"', "line 1: found sentence 2, expected sentence 1"),
        ('id="1"', 'id="01"', "line 1: .* expected the start of a pair"),
        ("1 2 <==> 1 //", "01 2 <==> 1 //", "line 11: found '01', expected token numbers, such as"),
        ("1 2 <==> 1 //", "1 2 <==> 1 01 //", "line 11: found '01', expected token numbers"),
        (
            "1 2 <==> 1 //",
            "1\u00a02 <==> 1 //",
            r"line 11: found '1\\xa02', expected token",
        ),
        ("SIMI //", "SIMI\u00a0 //", r"line 11: found 'SIMI\\xa0', expected types out of"),
        ("// 3 //", "// 3\u2003//", r"line 11: found '3\\u2003', expected a score"),
        ("1 2 <==> 1 //", " <==> 1 //", "line 11: found nothing on the left side, expected token"),
        ("1 2 <==> 1 //", "1 2 <==> //", "line 11: .*found nothing on the right side, expect"),
        ("1 2 <==> 1 //", "1 b <==> 1 //", r"line 11: found 'b', expected .* \(sentence 1\)"),
        ("1 2 <==> 1 //", "1 ² <==> 1 //", r"line 11: found '\\xb2', expected token numbers"),
        ("1 2 <==> 1 //", "0 <==> 0 //", "line 11: .*expected token numbers on at least one side"),
        ("1 2 <==> 1 //", "0 2 <==> 1 //", "found '0 2', expected numbers from 1 to 3, as many as"),
        ("1 2 <==> 1 //", "1 9 <==> 1 //", "line 11: found '1 9', expected numbers from 1 to 3"),
        ("1 2 <==> 1 //", "1 2 <==> " + 5000 * "9" + " //", "line 11: .*expected numbers from 1"),
        ("<==> 1 // S", "== 1 // S", "line 11: .* expected 1 2 <==> 3 // EQUI // 5 // comment"),
        ("// 3 //", "// 6 //", "line 11: found '6', expected a score out of 0, 1, 2, 3, 4, 5 and"),
        ("// 3 //", "// NIL //", "line 11: found NIL, expected a score from 0 to 5"),
        ("SIMI", "SIM", "line 11: found 'SIM', expected types out of EQUI, OPPO"),
        ("SIMI", "simi", "line 11: found 'simi', expected SIMI"),
        ("SIMI", "SIMI_EQUI", "line 11: .* expected exactly one main type"),
        ("SIMI", "FACT", "line 11: .* expected exactly one main type"),
        ("SIMI", "SIMI_FACT_FACT", "line 11: found 'SIMI_FACT_FACT', expected SIMI_FACT "),
        ("// He waits here\n", "", "found <source>, expected two lines with the sentences"),
        ("// He waits here", "He waits here", "line 3: .*expected // and a sentence, or <source>"),
        ("</alignment>\n", "", "found '</sentence>', expected 1 2 <==> 3"),
        ("</sentence>\n", "", "the end of the file in sentence 1, expected </sentence>"),
        ("<alignment>\n", "", "line 10: .*expected // and a sentence, or <source>, or <alignment>"),
        ("</sentence>\n", "rest\n", "line 15: found 'rest', expected </sentence>"),
        ("</sentence>", "</sentence>\nmore", "line 16: found 'more', expected the start of a pair"),
    ],
)
def test_every_fault_is_named(tmp_path: Path, old: str, new: str, message: str) -> None:
    assert BLOCK.count(old) == 1
    with pytest.raises(InputError, match=message):
        read(tmp_path, BLOCK.replace(old, new))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('id="1"', "id='1'"),
        ("<alignment>\n", ""),
        ("// A man waits\n", ""),
        ("// A man waits\n", "A man waits\n"),
        ("</sentence>\n", "</sentence>\nmore\nof it\n"),
    ],
)
def test_one_fault_is_one_sentence(tmp_path: Path, old: str, new: str) -> None:
    second = BLOCK.replace('id="1"', 'id="2"')
    with pytest.raises(InputError) as caught:
        read(tmp_path, BLOCK.replace(old, new) + second, 2)
    assert len(caught.value.faults) == 1


def test_several_faults_are_all_named(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        read(tmp_path, BLOCK.replace("SIMI", "SIM").replace("// 5 //", "// 7 //"))
    assert len(caught.value.faults) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "an empty file"),
        (b"\n\n", "found no sentence pair"),
        (BLOCK[:-60].encode(), "the end of the file in sentence 1"),
        (BLOCK.encode() * 2, "line 16: found sentence 1 again, expected each sentence once"),
        (re.sub(rb"(?m)^\d.*==.*\n", b"", BLOCK.encode()), "found no alignments"),
        (bytes(range(1, 256)) * 20, "expected the start of a pair"),
    ],
)
def test_what_is_no_alignment_file(tmp_path: Path, text: bytes, message: str) -> None:
    with pytest.raises(InputError, match=message):
        read(tmp_path, text, strict=False)


@pytest.mark.parametrize(
    ("old", "new", "note"),
    [
        ("SIMI", "simi", "types that are not in upper case: 1"),
        ("// 3 //", "// NIL //", "NIL as the score of aligned chunks, which counts as 0: 1"),
        ("// 3 //", "// 3.0 //", "scores that are not single digits: 1"),
        ("1 2 <==> 1 //", "1 2 2 <==> 1 //", "repeated tokens, which count once: 1"),
        ("SIMI // 3 // A", "SIMI//3//A", "other characters between columns than ' // ': 1"),
    ],
)
def test_what_the_official_scorer_accepts_is_noted(
    tmp_path: Path, old: str, new: str, note: str
) -> None:
    found = read(tmp_path, BLOCK.replace(old, new), strict=False)
    assert found.notes == (note,)
    score = None if "NIL" in note else 3.0
    assert found.pairs[0].alignments[0] == ChunkAlignment((1, 2), (1,), ("SIMI",), score)
    with pytest.raises(InputError, match="line 11: found"):
        read(tmp_path, BLOCK.replace(old, new))


def test_a_sentence_pair_needs_no_status_to_be_scored(tmp_path: Path) -> None:
    text = BLOCK.replace(' status=""', "")
    found = read(tmp_path, text, strict=False)
    assert found.pairs == read(tmp_path, BLOCK).pairs
    assert found.notes == ("sentence pairs without a status: 1",)
    with pytest.raises(InputError, match=r'line 1: found .*, expected <sentence id="1" status="">'):
        read(tmp_path, text)


def test_a_repeated_optional_type_and_a_decimal_score_count(tmp_path: Path) -> None:
    text = BLOCK.replace("SIMI // 3 ", "FACT_SIMI_FACT // 3.5 ")
    found = read(tmp_path, text, strict=False)
    assert found.pairs[0].alignments[0] == ChunkAlignment((1, 2), (1,), ("SIMI", "FACT"), 3.5)
    assert len(found.notes) == 2


@given(st.permutations(range(1, 11)))
def test_sentence_pairs_may_be_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, order: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("order")
    blocks = re.split("(?m)^(?=<sentence )", GOLD.read_text())[1:]
    text = "".join(blocks[number - 1] for number in order)
    found = read(folder, text, 10, strict=False)
    assert found.pairs == read_alignments(GOLD, 10).pairs
    if order == sorted(order):
        assert found.notes == ()
        return
    assert found.notes == ("sentence pairs in another order: 10",)
    with pytest.raises(InputError, match=r"found sentence \d+, expected sentence \d+$"):
        read(folder, text, 10)


@pytest.mark.parametrize(
    ("order", "message"),
    [
        ([1, 2, 2], "found sentence 2 again, expected each sentence once"),
        ([3, 1], "found 2 sentence pairs, without sentence 2, expected 3"),
        ([1, 4, 2], "found sentence 4, expected a sentence from 1 to 3"),
    ],
)
def test_each_sentence_pair_is_there_once(tmp_path: Path, order: list[int], message: str) -> None:
    text = "".join(BLOCK.replace('id="1"', f'id="{number}"') for number in order)
    with pytest.raises(InputError, match=message):
        read(tmp_path, text, 3, strict=False)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("3 <==> 2", "0 <==> 2", "expected a chunk of consecutive tokens"),
        ("3 <==> 2", "3 <==> 1", "found right token 1 again, expected each token aligned once"),
    ],
)
def test_rules_of_2015(tmp_path: Path, old: str, new: str, message: str) -> None:
    text = BLOCK.replace(old, new)
    if "consecutive" in message:
        text = text.replace("1 2 <==> 1", "1 3 <==> 1")
    assert read(tmp_path, text).notes == ()
    with pytest.raises(InputError, match=message):
        read(tmp_path, text, one_to_one=True)
    assert len(read(tmp_path, text, strict=False, one_to_one=True).notes) == 1


WORDS = st.text(st.characters(codec="utf-8", exclude_characters=" \n\r\0"), min_size=1, max_size=5)

TYPES = st.tuples(
    st.sampled_from(alignment_file.MAIN_TYPES[:6]),
    st.lists(st.sampled_from(alignment_file.ADDITIONAL_TYPES), unique=True),
).map(lambda both: (both[0], *both[1]))


@st.composite
def aligned_pairs(draw: st.DrawFn) -> AlignedPair:
    sides = [draw(st.lists(WORDS, min_size=1, max_size=6)) for _ in range(2)]
    numbers = [
        st.lists(st.integers(1, len(side)), min_size=1, unique=True).map(lambda n: tuple(sorted(n)))
        for side in sides
    ]
    scores = st.integers(0, 5).map(float)
    lines = draw(
        st.lists(st.builds(ChunkAlignment, numbers[0], numbers[1], TYPES, scores), min_size=1)
    )
    return AlignedPair(" ".join(sides[0]), " ".join(sides[1]), tuple(lines))


@given(st.lists(aligned_pairs(), min_size=1, max_size=3))
def test_writing_and_reading_gives_the_same(
    tmp_path_factory: pytest.TempPathFactory, pairs: list[AlignedPair]
) -> None:
    sentences = [(pair.left, pair.right) for pair in pairs]
    written = FAMILY.format_predictions([pair.alignments for pair in pairs], sentences)
    assert read(tmp_path_factory.mktemp("file"), written, len(pairs)).pairs == tuple(pairs)


@pytest.mark.parametrize(
    ("prediction", "message"),
    [
        ([1.5], "the system predicted '1.5', not a ChunkAlignment"),
        ([ChunkAlignment((4,), (1,), ("EQUI",), 5.0)], "predicted '4', not numbers from 1 to 3"),
        ([ChunkAlignment((), (), ("EQUI",), 5.0)], "not token numbers on at least one side"),
        ([ChunkAlignment((1,), (1,), (), 5.0)], "predicted '', not types out of EQUI"),
        ([ChunkAlignment((1,), (1,), ("simi",), 5.0)], "predicted 'simi', not SIMI"),
        ([ChunkAlignment((1,), (1,), ("SIMI",), None)], "predicted NIL, not a score from 0"),
        ([ChunkAlignment((1,), (1,), ("SIMI",), 3.7)], "predicted '3.7', not a score out of"),
    ],
)
def test_predictions_that_cannot_be_written(prediction: list[ChunkAlignment], message: str) -> None:
    with pytest.raises(InputError, match=message):
        FAMILY.format_predictions([prediction], [("a b c", "a")])


@pytest.mark.parametrize(
    ("line", "chunks"),
    [
        ("[ The gate ] [ is not ] [ closed ] ", [["The", "gate"], ["is", "not"], ["closed"]]),
        ("[ the gate ] [is not ] [ closed ]", [["the", "gate"], ["is", "not"], ["closed"]]),
        ("[ in [ the old shed ] [ it rains ]", [["the", "old", "shed"], ["it", "rains"]]),
        ("[ it ] rains  [ in May ]", [["it"], ["in", "May"]]),
        ("[ a &amp ; b ]", [["a", "&amp", ";", "b"]]),
    ],
)
def test_chunk_lines_with_the_faults_of_the_released_files(
    line: str, chunks: list[list[str]]
) -> None:
    assert [list(chunk) for chunk in chunked_sentence(line).chunks] == chunks


@pytest.mark.parametrize(
    ("sentences", "chunks", "message"),
    [
        ("a cat\n", "a cat\n", "line 1: .*expected at least one chunk"),
        ("a cat\n", "[ a dog ]\n", "line 1: .*expected the words of 'a cat'"),
        ("a cat\na dog\n", "[ a cat ]\n", "found 1 lines, expected 2"),
        ("a cat sat\n", "[ acat ] [ sat ]\n", "line 1: .*expected the words of 'a cat sat'"),
    ],
)
def test_chunk_files_that_do_not_fit(
    tmp_path: Path, sentences: str, chunks: str, message: str
) -> None:
    (tmp_path / "1").write_bytes(sentences.encode())
    (tmp_path / "2").write_bytes(chunks.encode())
    with pytest.raises(InputError, match=message):
        ists.read_chunks(tmp_path / "1", tmp_path / "2")


def test_training_pairs_come_with_their_alignments() -> None:
    files = {role: require(SAMPLE, GARDEN, role) for role in GARDEN.files}
    pairs, gold, _ = FAMILY.read_training(files, SAMPLE, GARDEN)
    assert pairs == list(FAMILY.read_inputs(files, SAMPLE, GARDEN))
    assert pairs[0].left.chunks == (
        ("The", "old", "gardener"),
        ("waters",),
        ("the", "red", "roses"),
        (".",),
    )
    assert gold[0][0] == ChunkAlignment((1, 2, 3), (1, 2), ("SPE1",), 4.0)


def test_chunks_can_be_read_from_alignments_that_cover_each_token_once(tmp_path: Path) -> None:
    one = GARDEN.model_copy(update={"pairs": 1})
    path = tmp_path / "gold.wa"
    path.write_text(BLOCK)
    [pair] = FAMILY.read_inputs({"gold": path}, SAMPLE, one)
    assert pair.left == ChunkedSentence(
        "A man waits", ("A", "man", "waits"), (("A", "man"), ("waits",))
    )
    assert pair.right.chunks == (("He",), ("waits",), ("here",))
    for old, new in [
        ("0 <==> 3", "0 <==> 2 3"),
        ("0 <==> 3", "2 <==> 3"),
        ("0 <==> 3", "0 <==> 2"),
    ]:
        path.write_text(BLOCK.replace(old, new))
        with pytest.raises(
            InputError, match=r"gold.wa: found tokens of sentence 1 in no chunk or in"
        ):
            list(FAMILY.read_inputs({"gold": path}, SAMPLE, one))


def run_sample(folder: Path) -> Path:
    """Write the baseline's output for the sample."""
    files = {role: require(SAMPLE, GARDEN, role) for role in GARDEN.files}
    pairs = list(FAMILY.read_inputs(files, SAMPLE, GARDEN))
    path = folder / GARDEN.output
    path.write_bytes(FAMILY.format_predictions([*ChunkAligner().predict(pairs)], pairs))
    return path


def test_an_output_of_other_sentences_is_not_scored(tmp_path: Path) -> None:
    path = run_sample(tmp_path)
    text = path.read_text()
    sentences = re.findall("(?m)^// .*$", text)
    swapped = itertools.chain.from_iterable(zip(sentences[1::2], sentences[::2], strict=True))
    path.write_text(re.sub("(?m)^// .*$", lambda _: next(swapped), text))
    with pytest.raises(InputError, match="expected numbers from 1 to"):
        submission.score("sample-ists", path)
    path.write_text(re.sub("(?m)^// .*$", lambda match: match[0] + " x", text))
    with pytest.raises(InputError, match=r"the sentences of another data set\?"):
        submission.score("sample-ists", path)
    path.write_text(text.replace("// Two children", "// 2 children", 1))
    scores = submission.score("sample-ists", path)
    assert "which the official scorer ignores: 1" in scores.notes[0]


def test_an_output_in_another_encoding_is_not_scored(tmp_path: Path) -> None:
    path = run_sample(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"// Two children", b"// Tw\xf6 children", 1))
    with pytest.raises(InputError, match="bytes in sentence 2 that are not UTF-8"):
        submission.score("sample-ists", path)


def test_tokens_that_the_gold_standard_does_not_have(tmp_path: Path) -> None:
    path = run_sample(tmp_path)
    text = path.read_text().replace("// The old gardener", "// x The old gardener", 1)
    path.write_text(text.replace("1 2 3 <==>", "1 2 3 9 <==>", 1))
    with pytest.raises(InputError, match="token 9 in sentence 1, expected at most 8"):
        submission.score("sample-ists", path)


def test_the_gold_standard_scores_1_and_details_are_printed(
    tmp_path: Path, command_output: Callable[..., str]
) -> None:
    scores = submission.score("sample-ists", GOLD)
    measures = scores.datasets["garden"]
    assert [measures[name] for name in ("F", "T", "S", "TS")] == [1, 1, 1, 1]
    assert [pair["F"] for pair in scores.details["garden"]["pairs"]] == [1] * 8 + [None, 1]
    path = run_sample(tmp_path)
    text = command_output("score", "sample-ists", str(path), "--details")
    assert "garden: links by type" in text
    assert "garden: types of the gold standard (rows) against the system's" in text
    assert "links by type" not in command_output("score", "sample-ists", str(path))


def test_links_of_chunks_that_are_labelled_as_not_aligned_are_scored(tmp_path: Path) -> None:
    path = run_sample(tmp_path)
    text = path.read_text().replace("// EQUI // 5", "// NOALI // NIL", 1)
    path.write_text(text.replace("// EQUI // 5", "// ALIC // 2", 1))
    scores = submission.score("sample-ists", path)
    rows = {row["gold standard"]: row for row in scores.details["garden"]["confusion"]}
    assert rows["SPE1"]["NOALI"] > 0
    assert rows["SPE1"]["ALIC"] > 0


def test_details_by_hand(tmp_path: Path) -> None:
    # Of the sample's links labelled OPPO: "plant" with "pull" and "out", 1/2 each, and
    # "Only fools" with "Experts", 1/2 each; the baseline has none of them.
    details = submission.score("sample-ists", run_sample(tmp_path)).details["garden"]
    types = {row["type"]: row for row in details["types"]}
    assert (types["OPPO"]["precision"], types["OPPO"]["recall"]) == (None, 0)
    rows = {row["gold standard"]: row for row in details["confusion"]}
    assert rows["OPPO"] == {
        **dict.fromkeys(rows["OPPO"], 0.0),
        "gold standard": "OPPO",
        "not aligned": pytest.approx(2),
    }


@pytest.mark.parametrize("types", ["\u017fPE1", "EQU\u0131"])
def test_only_ascii_letters_have_other_cases(types: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="types out of EQUI"):
        read(tmp_path, BLOCK.replace("SIMI", types), strict=False)


def test_chunks_aligned_again_are_noted(tmp_path: Path) -> None:
    text = BLOCK.replace("SIMI //", "OPPO // 2 // x\n1 2 <==> 1 // SIMI //")
    notes = read(tmp_path, text, strict=False).notes
    assert notes == ("chunks aligned again, of which the last line counts: 1",)
