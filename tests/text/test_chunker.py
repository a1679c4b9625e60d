"""The tagger and chunker: features, the model that is shipped, and training another."""

from __future__ import annotations

import gzip
import hashlib
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.errors import InputError
from stsbaselines.text import chunker
from stsbaselines.text.chunker import Chunker, load_chunker
from tests.helpers import run_command
from tools import chunker_training
from tools.chunker_training import Token, read_sentences

MEGABYTE = 1_000_000
TRAINING = """The DT B-NP
old JJ I-NP
man NN I-NP
sings VBZ B-VP
in IN B-PP
the DT B-NP
rain NN I-NP
. . O

Birds NNS B-NP
fly VBP B-VP
. . O

"""
CONLLU = "# text = A well-kept garden.\n" + "\n".join(
    "\t".join([number, word, "_", "_", tag, *"_____"])
    for number, word, tag in [
        ("1", "A", "DT"),
        ("2-3", "wellkept", "_"),
        ("2", "well", "RB"),
        ("3", "-", "HYPH"),
        ("4", "kept", "VBN"),
        ("4.1", "very", "RB"),
        ("5", "garden", "NN"),
        ("6", ".", "."),
    ]
)


NOTHING = hashlib.sha256(b"").hexdigest()
CARD_OF_NOTHING = json.dumps({"files": {chunker.TAGGER: {"sha256": NOTHING}}}).encode()


def put(folder: Path, name: str = "train.txt", content: str = TRAINING * 5) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(content)
    return folder


def test_the_shipped_models_are_small_and_described() -> None:
    sizes = {path.name: path.stat().st_size for path in chunker.SHIPPED.iterdir()}
    assert sum(sizes.values()) < 3 * MEGABYTE
    card = load_chunker().card
    assert {name: entry["bytes"] for name, entry in card["files"].items()} == {
        name: size for name, size in sizes.items() if name.endswith(".crfsuite")
    }
    assert card["licence"] == "CC BY-SA 4.0"
    assert card["test"]["chunk_F1"] > 0.9
    assert not any("conll" in each["file"].split(".")[0] for each in card["training_data"])


def test_chunks_of_a_sentence() -> None:
    tokens = ["The", "young", "woman", "has", "been", "waiting", "for", "an", "old", "bus", "."]
    spans = load_chunker().chunks(tokens)
    assert [tokens[start:end] for start, end in spans] == [
        ["The", "young", "woman"],
        ["has", "been", "waiting"],
        ["for"],
        ["an", "old", "bus"],
    ]
    assert (load_chunker().chunks([]), load_chunker().tags([])) == ([], [])


load_chunker()


@given(st.lists(st.text(min_size=1, max_size=8), max_size=12))
def test_chunks_of_anything_are_in_order_and_apart(tokens: list[str]) -> None:
    assert len(load_chunker().tags(tokens)) == len(tokens)
    places = [place for start, end in load_chunker().chunks(tokens) for place in range(start, end)]
    assert places == sorted(set(places))
    assert set(places) <= set(range(len(tokens)))


@pytest.mark.parametrize(
    ("labels", "spans"),
    [
        ("", []),
        ("O O", []),
        ("B-NP B-NP", [((0, 1), "NP"), ((1, 2), "NP")]),
        ("I-NP I-NP O", [((0, 2), "NP")]),
        ("B-NP I-VP I-VP", [((0, 1), "NP"), ((1, 3), "VP")]),
        ("O I-NP O I-NP", [((1, 2), "NP"), ((3, 4), "NP")]),
    ],
)
def test_labels_spell_chunks(labels: str, spans: list[tuple[tuple[int, int], str]]) -> None:
    assert list(chunker.chunk_spans(labels.split())) == spans


def test_training_from_the_command_line(tmp_path: Path) -> None:
    data = put(put(tmp_path / "data"), "test.txt", TRAINING)
    out = tmp_path / "mine"
    done = run_command(["train", "chunker", "--data", str(data), "--out", str(out)])
    assert done.returncode == 0, done.stderr
    assert "training the tagger on 10 sentences" in done.stderr
    card = json.loads(done.stdout)
    assert card == json.loads((out / chunker.CARD).read_text())
    assert card["test"]["chunk_F1"] == card["test"]["tag_accuracy"] == 1
    assert Chunker(out).tags(["Birds", "fly", "."]) == ["NNS", "VBP", "."]
    align = ["align", "The old man sings.", "Birds sing.", "--set", f"chunker={out}"]
    assert "[ The old man ]" in run_command(align).stdout
    again = run_command(["train", "chunker", "--data", str(data), "--out", str(out)])
    assert again.returncode == 2
    assert "found something there, expected a new folder" in again.stderr


def test_same_data_gives_the_same_bytes(tmp_path: Path) -> None:
    data = put(tmp_path / "data")
    for name in ("one", "two"):
        chunker_training.train_chunker(data, tmp_path / name)
    for file in (chunker.TAGGER, chunker.CHUNKER, chunker.CARD):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_the_tagger_can_have_data_of_its_own(tmp_path: Path) -> None:
    tagged = tmp_path / "tagged"
    tagged.mkdir()
    (tagged / "x-train.conllu.gz").write_bytes(gzip.compress(CONLLU.encode()))
    card = chunker_training.train_chunker(put(tmp_path / "data"), tmp_path / "out", [tagged])
    assert [each["file"] for each in card["training_data"]] == ["x-train.conllu.gz", "train.txt"]
    assert "test" not in card


def test_treebank_lines_without_a_token_are_left_out_and_hyphens_joined(tmp_path: Path) -> None:
    (tmp_path / "train.conllu").write_text(CONLLU)
    [sentence] = read_sentences(tmp_path / "train.conllu")
    assert [token.word for token in sentence] == ["A", "well", "-", "kept", "garden", "."]
    both = chunker_training.with_joined_hyphens([sentence])
    assert both[0] == sentence
    assert both[1][1] == Token("well-kept", "VBN")
    dash = [Token("-", "HYPH"), Token("x", "NN")]
    assert chunker_training.with_joined_hyphens([dash]) == [dash]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("train.txt", "The DT\n", "line 1: found 'The DT', expected a word, its part of speech"),
        ("train.txt", "The DT NP\n", "line 1: found 'The DT NP'"),
        ("train.txt", " DT B-NP\n", "line 1: found ' DT B-NP'"),
        ("train.txt", "", "an empty file"),
        ("train.txt", "\n\n", "no sentence"),
        ("train.txt", "a\0b\n", "NUL byte"),
        ("valid.txt", TRAINING, r"found none, expected one file named \*train\*.txt"),
        ("train.txt.gz", "no gzip", "damaged content"),
    ],
)
def test_training_data_that_does_not_fit(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    data = put(tmp_path / "data", name, content)
    with pytest.raises(InputError, match=message):
        chunker_training.train_chunker(data, tmp_path / "out")
    assert [path.name for path in tmp_path.iterdir() if path.name not in ("cache", "work")] == [
        "data"
    ]


def test_two_test_files_are_one_too_many(tmp_path: Path) -> None:
    data = put(put(put(tmp_path / "data"), "test.txt"), "test2.txt")
    with pytest.raises(InputError, match=r"2 files .test.txt, test2.txt., expected one file named"):
        chunker_training.train_chunker(data, tmp_path / "out")


def test_bytes_that_are_not_utf8_are_no_training_data(tmp_path: Path) -> None:
    (tmp_path / "train.txt").write_bytes(b"caf\xe9 NN B-NP\n")
    with pytest.raises(InputError, match=r"line 1: .* expected a word, its part of speech"):
        read_sentences(tmp_path / "train.txt")


def test_without_any_chunk_there_is_no_f1() -> None:
    scores = chunker_training.tested_on(load_chunker(), [[Token(".", ".", "O")]])
    assert scores == {"tag_accuracy": 1, "chunk_F1": None}


def test_treebank_lines_that_do_not_fit(tmp_path: Path) -> None:
    (tmp_path / "train.conllu").write_text(CONLLU.replace("DT", "_"))
    with pytest.raises(InputError, match="with a part of speech in the fifth"):
        read_sentences(tmp_path / "train.conllu")
    (tmp_path / "train.conllu").write_text("1\tA\t_\n")
    with pytest.raises(InputError, match=r"line 1: .* the 10 columns of CoNLL-U"):
        read_sentences(tmp_path / "train.conllu")


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        (chunker.TAGGER, b"lCRF damaged", "sha256 .* as its model card says"),
        (chunker.CARD, CARD_OF_NOTHING, "sha256 .* as its model card says"),
        (chunker.CARD, b"[]", "expected the model card of a chunker"),
        (chunker.CARD, b"\xff", "expected the model card of a chunker"),
        (chunker.CARD, b'{"files": {}}', "sha256 None"),
        (chunker.CARD, b'{"files": []}', "expected the model card of a chunker"),
    ],
)
def test_damaged_models_are_refused(
    tmp_path: Path, file: str, content: bytes, message: str
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(chunker.SHIPPED, folder)
    (folder / file).write_bytes(content)
    if content is CARD_OF_NOTHING:
        (folder / chunker.TAGGER).write_bytes(b"")
    with pytest.raises(InputError, match=message):
        Chunker(folder)


@pytest.mark.official
def test_the_shipped_chunker_on_the_test_set_of_conll_2000(official_data: Path) -> None:
    test = read_sentences(official_data / "conll2000" / "test.txt")
    scores = chunker_training.tested_on(load_chunker(), test)
    assert scores == {"tag_accuracy": 0.9248, "chunk_F1": 0.8871}


@pytest.mark.official
@pytest.mark.slow
def test_a_chunker_trained_on_conll_2000(official_data: Path, tmp_path: Path) -> None:
    data, out = official_data / "conll2000", tmp_path / "conll"
    card = chunker_training.train_chunker(data, out)
    assert card["test"]["chunk_F1"] >= 0.92
    assert sum(each["bytes"] for each in card["files"].values()) < 3 * MEGABYTE
