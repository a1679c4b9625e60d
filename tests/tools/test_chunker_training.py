"""Training a chunker: what it reads, that it is repeatable, and that its model can be used."""

from __future__ import annotations

import gzip
import json
import sys
from pathlib import Path

import pytest

from stsbaselines.errors import InputError
from stsbaselines.text import chunker
from stsbaselines.text.chunker import Chunker, load_chunker
from tests.helpers import run_command
from tools import chunker_training
from tools.chunker_training import Token, read_sentences

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


def put(folder: Path, name: str = "train.txt", content: str = TRAINING * 5) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(content, "latin-1")
    return folder


def test_training_from_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    data = put(put(tmp_path / "data"), "test.txt", TRAINING)
    out = tmp_path / "mine"
    command = ["chunker_training", "--data", str(data), "--out", str(out)]
    monkeypatch.setattr(sys, "argv", command)
    chunker_training.main()
    printed = capsys.readouterr()
    assert "training the tagger on 10 sentences" in printed.err
    card = json.loads(printed.out)
    assert card == json.loads((out / chunker.CARD).read_text())
    assert card["test"]["chunk_F1"] == card["test"]["tag_accuracy"] == 1
    assert Chunker(out).tags(["Birds", "fly", "."]) == ["NNS", "VBP", "."]
    align = ["align", "The old man sings.", "Birds sing.", "--set", f"chunker={out}"]
    assert "[ The old man ]" in run_command(align).stdout
    with pytest.raises(SystemExit) as again:
        chunker_training.main()
    assert again.value.code == 2
    assert "found something there, expected a new folder" in capsys.readouterr().err


def test_same_data_gives_the_same_bytes(tmp_path: Path) -> None:
    data = put(tmp_path / "data")
    for name in ("one", "two"):
        chunker_training.train_chunker(data, tmp_path / name)
    for file in (chunker.TAGGER, chunker.CHUNKER, chunker.CARD):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_the_tagger_can_have_other_data(tmp_path: Path) -> None:
    tagged = tmp_path / "tagged"
    tagged.mkdir()
    (tagged / "x-train.conllu.gz").write_bytes(gzip.compress(CONLLU.encode()))
    card = chunker_training.train_chunker(put(tmp_path / "data"), tmp_path / "out", [tagged])
    assert [each["file"] for each in card["training_data"]] == ["x-train.conllu.gz", "train.txt"]
    assert "test" not in card


def test_treebank_lines_without_a_token_are_skipped_and_hyphens_joined(tmp_path: Path) -> None:
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
        ("train.txt", "caf\xe9 NN B-NP\n", r"line 1: .* expected a word, its part of speech"),
        ("train.txt", "\n\n", "no sentence"),
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
    assert not (tmp_path / "out").exists()


def test_two_test_files_are_one_too_many(tmp_path: Path) -> None:
    data = put(put(put(tmp_path / "data"), "test.txt"), "test2.txt")
    with pytest.raises(InputError, match=r"2 files .test.txt, test2.txt., expected one file named"):
        chunker_training.train_chunker(data, tmp_path / "out")


def test_treebank_lines_that_do_not_fit(tmp_path: Path) -> None:
    (tmp_path / "train.conllu").write_text(CONLLU.replace("DT", "_"))
    with pytest.raises(InputError, match="with a part of speech in the fifth"):
        read_sentences(tmp_path / "train.conllu")
    (tmp_path / "train.conllu").write_text("1\tA\t_\n")
    with pytest.raises(InputError, match=r"line 1: .* the 10 columns of CoNLL-U"):
        read_sentences(tmp_path / "train.conllu")


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
    assert sum(each["bytes"] for each in card["files"].values()) < 3_000_000
