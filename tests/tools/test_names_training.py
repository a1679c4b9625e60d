"""Training the tagger of names: the corpora that it reads, and that it is repeatable."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from stsbaselines.errors import InputError
from stsbaselines.text import chunker, names
from stsbaselines.text.names import Name, NamesTagger, load_names_tagger
from tests.helpers import needs, tarred
from tools import names_training

COLUMNS = """Jane B-PER
Doe I-PER
lives O
in O
Leeds B-LOC
. O

The O
Acme B-ORG
Company I-ORG
is O
old O
. O
"""
WIKIGOLD = "\n-DOCSTART- O\n\n".join([COLUMNS] * 10)
TABS = COLUMNS.replace(" ", "\t")
NUMBERED = "# text = Jane Doe\n1\tJane\tB-PER\t-\tx\n2\tDoe\tI-PER\t-\tx\n3\tsang\tO\t-\tx\n"
GUM = "# newpar\n" + "\n".join(
    "\t".join([str(number), word, "_", "_", tag, *"_____"[:4], entity])
    for number, (word, tag, entity) in enumerate(
        [
            ("the", "DT", "Entity=(1-person-new-nnnnn-cf1-2,3-coref"),
            ("Jane", "NNP", "X=y"),
            ("Doe", "NNP", "_"),
            ("of", "IN", "_"),
            ("Acme", "NNP", "SpaceAfter=No|Entity=(2-organization-new-nnnnn-cf1-1-coref)1)"),
            ("met", "VBD", "_"),
            ("a", "DT", "Entity=(3-person-new-nnnnn-cf1-2-coref"),
            ("nurse", "NN", "Entity=3)"),
            ("in", "IN", "_"),
            ("Leeds", "NNP", "Entity=(4-place-new-nnnnn-cf1-1-coref-Leeds(5-time-new-n-n-1-x)4)"),
        ],
        start=1,
    )
)
LITBANK = {
    "tsv/book.txt": b"Old Jane Doe slept .\nThe city of Leeds , a town , slept .\n",
    "tsv/book.ann": "\n".join(
        "\t".join(columns.split("|"))
        for columns in [
            "MENTION|T1|0|0|0|2|Old Jane Doe|PER|PROP",
            "MENTION|T2|1|0|1|6|The city of Leeds , a town|GPE|PROP",
            "MENTION|T3|1|5|1|6|a town|GPE|NOM",
            "COREF|T1|Jane_Doe-1",
        ]
    ).encode(),
}

CONTENTS = {
    "wikigold": WIKIGOLD.encode(),
    "uner-ewt": NUMBERED.encode(),
    "gum-ccby": gzip.compress(GUM.encode(), mtime=0),
    "litbank": tarred(*LITBANK.items()),
}
LISTS = dict(zip(names.GAZETTEERS, ("Jane\nJohn\n", "Doe\n", "Leeds\n", "Welsh\n"), strict=True))


@pytest.fixture
def data(tmp_path: Path) -> Path:
    folder = tmp_path / "data"
    parts = [*names_training.TRAINING, *names_training.TESTS.values()]
    files = {
        file: CONTENTS.get(file.split("/")[0], TABS.encode())
        for part in parts
        for file in part.files
    }
    for name, text in LISTS.items():
        files[f"{names_training.GAZETTEER_FOLDER}/{name}"] = text.encode()
    for file, content in files.items():
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_bytes(content)
    return folder


def spelled(tokens: list[str], found: list[Name]) -> list[tuple[str, str]]:
    return [(name.kind, " ".join(tokens[name.start : name.end])) for name in found]


def test_training_is_repeatable_and_its_model_can_be_loaded(data: Path, tmp_path: Path) -> None:
    card = names_training.train_names(data, tmp_path / "one")
    names_training.train_names(data, tmp_path / "two")
    for file in (names.MODEL, chunker.CARD, *names.GAZETTEERS):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()
    assert card == json.loads((tmp_path / "one" / chunker.CARD).read_text())
    assert card["test"]["wikigold"] == {"PER": 1, "LOC": 1, "ORG": 1, "all": 1}
    assert card["test"]["uner-ewt"] == {"PER": 1, "LOC": None, "ORG": None, "all": 1}
    files = [each["file"] for each in card["training_data"]]
    assert "crossner/music/train.txt" in files
    assert f"{names_training.GAZETTEER_FOLDER}/places.txt" in files
    tokens = ["Jane", "Doe", "lives", "in", "Leeds", "."]
    assert spelled(tokens, NamesTagger(tmp_path / "one").names(tokens)) == [
        ("PER", "Jane Doe"),
        ("LOC", "Leeds"),
    ]


def test_every_fifth_document_of_wikigold_is_held_out(tmp_path: Path) -> None:
    file = tmp_path / "wikigold.conll.txt"
    file.write_text(
        "-DOCSTART- O\n\n".join(f"Jane{place} I-PER\n\n" for place in range(1, 8)), encoding="utf-8"
    )
    held_out = names_training.wikigold_held_out(file)
    assert [sentence.words for sentence in held_out] == [["Jane5"]]
    assert len(names_training.wikigold_training(file)) == 6


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ("Jane B-PER\nJohn B-PER", [("PER", "Jane"), ("PER", "John")]),
        ("Jane I-PER\nDoe I-PER", [("PER", "Jane Doe")]),
        ("Jane B-writer\nDoe I-writer\nLeeds B-location", [("PER", "Jane Doe"), ("LOC", "Leeds")]),
        ("Song B-creative-work\nAcme B-corporation,B-group", [("ORG", "Acme")]),
        ("@jane B-PER\n B-PER\nJane B-PER", [("PER", "Jane")]),
    ],
)
def test_columns(tmp_path: Path, lines: str, expected: list[tuple[str, str]]) -> None:
    (tmp_path / "x").write_text(lines.replace(" ", "\t"), encoding="utf-8")
    [sentence] = names_training.read_columns(tmp_path / "x")
    assert spelled(sentence.words, sentence.names) == expected


def test_names_of_gum_and_litbank_are_the_named_parts_of_mentions(data: Path) -> None:
    [sentence] = names_training.read_gum(data / "gum-ccby" / "gum-ccby-train.conllu.gz")
    expected = [("PER", "Jane Doe"), ("ORG", "Acme"), ("LOC", "Leeds")]
    assert spelled(sentence.words, sentence.names) == expected
    found = names_training.read_litbank(data / "litbank" / "litbank-coref-tsv.tar.gz")
    spelled_out = [spelled(each.words, each.names) for each in found]
    assert spelled_out == [[("PER", "Old Jane Doe")], [("LOC", "Leeds")]]


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("wikigold/wikigold.conll.txt", b"Jane\n", "line 1: found 'Jane', expected a word and its"),
        ("wnut17/wnut17train.conll", b"Jane\tPER\n", "expected a word and its label"),
        ("wnut17/wnut17train.conll", b"caf\xe9\tO\n", "line 1: .* expected UTF-8 text"),
        ("gum-ccby/gum-ccby-dev.conllu.gz", gzip.compress(b"1\tJane\n"), "10 columns of CoNLL-U"),
        ("litbank/litbank-coref-tsv.tar.gz", b"no gzip", "expected a tar.gz archive"),
        ("litbank/litbank-coref-tsv.tar.gz", tarred(("a.txt", b"Jane")), "a.ann beside it"),
        (
            "litbank/litbank-coref-tsv.tar.gz",
            tarred(("a.txt", b"Jane"), ("a.ann", b"MENTION\tT1\t0\t0\t0\t7\tJane\tPER\tPROP")),
            "a.ann, line 1: .* expected the columns of a mention in one sentence",
        ),
        (
            "litbank/litbank-coref-tsv.tar.gz",
            tarred(("a.txt", b"Jane"), ("a.ann", b"MENTION\tT1\t-1\t0\t-1\t0\tJane\tPER\tPROP")),
            "a.ann, line 1: .* expected the columns of a mention in one sentence",
        ),
    ],
)
def test_training_data_that_does_not_fit(
    data: Path, tmp_path: Path, file: str, content: bytes, message: str
) -> None:
    (data / file).write_bytes(content)
    with pytest.raises(InputError, match=message):
        names_training.train_names(data, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.official
def test_the_shipped_tagger_on_the_held_out_part_of_wikigold(official_data: Path) -> None:
    file = official_data / "taggers" / "wikigold" / "wikigold.conll.txt"
    needs(official_data, folder="taggers/wikigold")
    tagger = load_names_tagger()
    scores = names_training.tested_on(tagger, names_training.wikigold_held_out(file))
    assert scores == tagger.card["test"]["wikigold"]
    assert scores["all"] is not None
    assert scores["all"] >= 0.6
