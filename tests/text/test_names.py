"""The tagger of names: its rules, the model that is shipped, training another, creators."""

from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.errors import InputError
from stsbaselines.text import chunker, names
from stsbaselines.text.names import Name, NamesTagger, creator_names, load_names_tagger
from tests.helpers import at_most, tarred
from tools import names_training

MEGABYTE = 1_000_000
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


def test_the_shipped_model_is_small_and_described() -> None:
    sizes = {path.name: path.stat().st_size for path in names.SHIPPED.iterdir()}
    tagger = (chunker.SHIPPED / chunker.TAGGER).stat().st_size
    assert tagger + sum(sizes.values()) < 3 * MEGABYTE
    card = load_names_tagger().card
    described = {name: entry["bytes"] for name, entry in card["files"].items()}
    assert described == {name: sizes[name] for name in (names.MODEL, *names.GAZETTEERS)}
    assert set(sizes) == {*described, chunker.CARD, "LICENSE.md"}
    assert card["licence"] == "CC BY-SA 4.0"
    assert card["test"]["wikigold"]["all"] >= 0.6


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        (
            "Mr. John Smith lived in London with Mary Jones .",
            [("PER", "John Smith"), ("LOC", "London"), ("PER", "Mary Jones")],
        ),
        ("A portrait of Sir William Turner RA", [("PER", "William Turner")]),
        ("A view of Aachen Cathedral from the north", [("LOC", "Aachen Cathedral")]),
        ("She worked for the University of Leeds .", [("ORG", "University of Leeds")]),
        ("The train from Paris to Rome", [("LOC", "Paris"), ("LOC", "Rome")]),
        ("Paris , France", [("LOC", "Paris"), ("LOC", "France")]),
        ("Smith , John", [("PER", "Smith , John")]),
        ("the old man was sitting on a bench", []),
        ("", []),
    ],
)
def test_names_of_a_sentence(sentence: str, expected: list[tuple[str, str]]) -> None:
    tokens = sentence.split()
    assert spelled(tokens, load_names_tagger().names(tokens)) == expected


load_names_tagger()


@given(
    st.lists(
        st.one_of(
            st.text(min_size=1, max_size=8),
            st.sampled_from(["Mr.", "John", "Smith", ",", "RA", "London", "Town", "Hall", "of"]),
        ),
        max_size=12,
    )
)
def test_names_in_anything_are_in_order_and_apart(tokens: list[str]) -> None:
    found = load_names_tagger().names(tokens)
    places = [place for name in found for place in range(name.start, name.end)]
    assert places == sorted(set(places))
    assert set(places) <= set(range(len(tokens)))
    assert all(name.start < name.end and name.kind in ("PER", "LOC", "ORG") for name in found)


@pytest.mark.parametrize(
    ("text", "found", "expected"),
    [
        ("Smith , Doe", [(0, 3, "LOC")], [("LOC", "Smith"), ("LOC", "Doe")]),
        ("Smith , J. , Doe", [(0, 5, "PER")], [("PER", "Smith"), ("PER", "J."), ("PER", "Doe")]),
        ("by Smith , John", [(1, 4, "PER")], [("PER", "Smith"), ("PER", "John")]),
        ("Smith , John", [(0, 3, "PER")], [("PER", "Smith , John")]),
        ("Doe ; Roe", [(0, 3, "ORG")], [("ORG", "Doe"), ("ORG", "Roe")]),
        ("THE REV. Dr. Doe", [(1, 4, "PER")], [("PER", "Doe")]),
        ("Jane Doe , Ph.D. FRS .", [(0, 5, "PER")], [("PER", "Jane Doe")]),
        ("Jane Doe , FRS", [(0, 4, "PER")], [("PER", "Jane Doe")]),
        ("Master of Doe", [(0, 3, "PER")], [("PER", "Master of Doe")]),
        ("Major", [(0, 1, "PER")], [("PER", "Major")]),
        ("Dr. Doe School", [(0, 3, "ORG")], [("ORG", "Dr. Doe School")]),
        ("Leeds church", [(0, 1, "LOC")], [("LOC", "Leeds")]),
        ("Leeds Parish Church", [(0, 1, "LOC")], [("LOC", "Leeds Parish Church")]),
        ("Leeds A B C Church", [(0, 1, "LOC")], [("LOC", "Leeds")]),
        ("Doe Street", [(0, 1, "PER")], [("LOC", "Doe Street")]),
        ("Doe Studio", [(0, 2, "PER")], [("LOC", "Doe Studio")]),
        ("Jane Hall", [(0, 2, "PER")], [("PER", "Jane Hall")]),
        ("Palmer", [(0, 1, "PER")], [("PER", "Palmer")]),
        ("Acme House", [(0, 1, "ORG")], [("ORG", "Acme")]),
        ("Leeds Doe Hall", [(0, 1, "LOC"), (1, 2, "PER")], [("LOC", "Leeds"), ("LOC", "Doe Hall")]),
        ("- 1843", [(0, 2, "ORG")], []),
    ],
)
def test_rules(
    text: str, found: list[tuple[int, int, str]], expected: list[tuple[str, str]]
) -> None:
    tokens = text.split()
    assert spelled(tokens, names.corrected(tokens, [Name(*each) for each in found])) == expected


@pytest.mark.parametrize(
    ("creator", "expected"),
    [
        ("Joan Miro, Spanish, 1893-1983 [Create]", ["Joan Miro"]),
        ("Spanish, 1893-1983 [Create]", []),
        ("Smith, John (1968 - )", ["John Smith"]),
        ("Smith, John, c. 1850-1912", ["John Smith"]),
        ("SMITH; John", ["John Smith"]),
        ("JOHN SMITH III", ["John Smith III"]),
        ("O'BRIEN, Kate", ["Kate O'Brien"]),
        ("Doe, Jane, photographer", ["Jane Doe"]),
        ("Doe, Jane (photographer [attributed])", ["Jane Doe"]),
        ("Doe, Jane, Dame", ["Jane Doe"]),
        ("Painter: Doe, J.", ["J. Doe"]),
        ("Doe, Ludwig van der", ["Ludwig van der Doe"]),
        ("van der Doe, Ludwig", ["Ludwig van der Doe"]),
        ("Marsh Doe, Jane", ["Jane Marsh Doe"]),
        ("Jane Doe, London", ["Jane Doe"]),
        ("Jane Doe, born 1950", ["Jane Doe"]),
        ("Jane d'Arc the elder", ["Jane d'Arc the elder"]),
        ('Charles "Chip" Doe', ['Charles "Chip" Doe']),
        ("Potter, Mary", ["Mary Potter"]),
        ("Mary Potter", ["Mary Potter"]),
        ("Sir John Smith, Bt", ["John Smith"]),
        ("The Hon. Jane Doe OBE", ["Jane Doe"]),
        ("Baron John von Smith", ["John von Smith"]),
        ("John Smith, Earl of Nowhere", ["John Smith"]),
        ("Prof.", []),
        ("after John Smith", ["John Smith"]),
        ("attributed to Smith, John", ["John Smith"]),
        ("Probably school of John Smith", ["John Smith"]),
        ("Toby Smith", ["Toby Smith"]),
        ("John Smith and Mary Jones", ["John Smith", "Mary Jones"]),
        ("Smith, J.; Jones, M.", ["J. Smith", "M. Jones"]),
        ("John Smith, Mary Jones & Jane Doe", ["John Smith", "Mary Jones", "Jane Doe"]),
        ("Jane Doe; Jane Doe", ["Jane Doe"]),
        ("Smith and Jones", []),
        ("Smith, Jones and Doe", []),
        ("John W. & C. Smith", []),
        ("Smith & Sons", []),
        ("The Doe Manufacturing Co.", []),
        ("French School", []),
        ("The Doe Museum, London, UK", []),
        ("Unknown", []),
        ("unknown French, Paris", []),
        ("Anonymous", []),
        ("[not known]", []),
        ("not known", []),
        ("various artists", []),
        ("London", []),
        ("the family", []),
        ("caf\udce9 Smith", []),
        ("(" * 2000 + ")" * 2000, []),
        ("", []),
        (" ; , & ", []),
    ],
)
def test_creators(creator: str, expected: list[str]) -> None:
    assert creator_names(creator) == expected


@given(st.text(st.sampled_from("aB ,;&.()[]-1\udce9é'\":"), max_size=40) | st.text(max_size=40))
def test_creators_of_anything_are_words(creator: str) -> None:
    for name in creator_names(creator):
        assert name == " ".join(name.split()) != ""
        assert not set(name) & set(",;&()[]")


def test_training_is_repeatable_and_its_model_can_be_loaded(data: Path, tmp_path: Path) -> None:
    lines: list[str] = []
    card = names_training.train_names(data, tmp_path / "one", lines.append)
    names_training.train_names(data, tmp_path / "two")
    assert lines[0].startswith("training on 1,")
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
        ("btc/a.conll", b"", "an empty file"),
        ("gum-ccby/gum-ccby-dev.conllu.gz", gzip.compress(b"1\tJane\n"), "10 columns of CoNLL-U"),
        ("gum-ccby/gum-ccby-dev.conllu.gz", b"no gzip", "damaged content"),
        ("litbank/litbank-coref-tsv.tar.gz", b"no gzip", "expected a tar.gz archive"),
        ("litbank/litbank-coref-tsv.tar.gz", gzip.compress(b"no tar"), "a tar.gz archive"),
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


def test_a_file_that_is_missing(data: Path, tmp_path: Path) -> None:
    (data / "btc" / "g.conll").unlink()
    with pytest.raises(InputError, match=r"g\.conll: found nothing there, expected a file"):
        names_training.train_names(data, tmp_path / "out")


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        (names.MODEL, b"lCRF damaged", "sha256 .* as its model card says"),
        ("places.txt", b"Leeds\n", "places.txt: .* as its model card says"),
        (chunker.CARD, b"[]", "expected the model card of a tagger of names"),
        (chunker.CARD, b'{"files": {}}', "sha256 None"),
    ],
)
def test_damaged_models_are_refused(
    tmp_path: Path, file: str, content: bytes, message: str
) -> None:
    folder = tmp_path / "model"
    shutil.copytree(names.SHIPPED, folder)
    (folder / file).write_bytes(content)
    with pytest.raises(InputError, match=message):
        NamesTagger(folder)


@pytest.mark.official
def test_the_shipped_tagger_on_the_held_out_part_of_wikigold(official_data: Path) -> None:
    file = official_data / "taggers" / "wikigold" / "wikigold.conll.txt"
    if not file.exists():
        pytest.skip("needs taggers/wikigold")
    tagger = load_names_tagger()
    scores = names_training.tested_on(tagger, names_training.wikigold_held_out(file))
    assert scores == tagger.card["test"]["wikigold"]
    assert scores["all"] is not None
    assert scores["all"] >= 0.6


@pytest.mark.parametrize(
    "text", ["(" * 100_000 + ")" * 100_000, "(a [b " * 50_000 + "])" * 50_000, "A, " * 50_000]
)
def test_no_creator_makes_a_search_hang(text: str) -> None:
    with at_most(60):
        creator_names(text)


def test_brackets_in_brackets_are_dropped() -> None:
    creator = "Doe, Jane (b. (c. (1850))) [Painter [and] (etcher)]"
    assert creator_names(creator) == ["Jane Doe"]
