"""The tagger of names: its rules, the shipped model, creators."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.errors import InputError
from stsbaselines.text import chunker, names
from stsbaselines.text.names import Name, NamesTagger, creator_names, load_names_tagger
from tests.helpers import at_most

MEGABYTE = 1_000_000


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
        ("Mr. John Smith lived in London .", [("PER", "John Smith"), ("LOC", "London")]),
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


# Names, and the texts in the field of the creator that give them, separated by "|".
CREATORS = {
    ("Joan Miro",): "Joan Miro, Spanish, 1893-1983 [Create]",
    ("John Smith",): "Smith, John (1968 - )|Smith, John, c. 1850-1912|SMITH; John"
    "|Sir John Smith, Bt|John Smith, Earl of Nowhere|after John Smith"
    "|attributed to Smith, John|Probably school of John Smith",
    ("John Smith III",): "JOHN SMITH III",
    ("Kate O'Brien",): "O'BRIEN, Kate",
    ("Jane Doe",): "Doe, Jane, photographer|Doe, Jane (photographer [attributed])|Doe, Jane, Dame"
    "|Jane Doe, London|Jane Doe, born 1950|The Hon. Jane Doe OBE|Jane Doe; Jane Doe"
    "|Doe, Jane (b. (c. (1850))) [Painter [and] (etcher)]",
    ("J. Doe",): "Painter: Doe, J.",
    ("Ludwig van der Doe",): "Doe, Ludwig van der|van der Doe, Ludwig",
    ("Jane Marsh Doe",): "Marsh Doe, Jane",
    ("Jane d'Arc the elder",): "Jane d'Arc the elder",
    ('Charles "Chip" Doe',): 'Charles "Chip" Doe',
    ("Mary Potter",): "Potter, Mary|Mary Potter",
    ("John von Smith",): "Baron John von Smith",
    ("Toby Smith",): "Toby Smith",
    ("John Smith", "Mary Jones"): "John Smith and Mary Jones",
    ("J. Smith", "M. Jones"): "Smith, J.; Jones, M.",
    ("John Smith", "Mary Jones", "Jane Doe"): "John Smith, Mary Jones & Jane Doe",
    (): "| ; , & |Prof.|Spanish, 1893-1983 [Create]|Smith and Jones|Smith, Jones and Doe"
    "|John W. & C. Smith|Smith & Sons|The Doe Manufacturing Co.|French School"
    "|The Doe Museum, London, UK|Unknown|unknown French, Paris|Anonymous|[not known]|not known"
    "|various artists|London|the family|caf\udce9 Smith",
}


@pytest.mark.parametrize(
    ("creator", "expected"),
    [(each, found) for found, texts in CREATORS.items() for each in texts.split("|")],
)
def test_creators(creator: str, expected: tuple[str, ...]) -> None:
    assert tuple(creator_names(creator)) == expected


@given(st.text(st.sampled_from("aB ,;&.()[]-1\udce9é'\":"), max_size=40) | st.text(max_size=40))
def test_creators_of_anything_are_words(creator: str) -> None:
    for name in creator_names(creator):
        assert name == " ".join(name.split()) != ""
        assert not set(name) & set(",;&()[]")


def test_damaged_lists_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "model"
    shutil.copytree(names.SHIPPED, folder)
    (folder / "places.txt").write_bytes(b"Leeds\n")
    with pytest.raises(InputError, match=r"places.txt: .* as its model card says"):
        NamesTagger(folder)


@pytest.mark.parametrize(
    "text", ["(" * 100_000 + ")" * 100_000, "(a [b " * 50_000 + "])" * 50_000, "A, " * 50_000]
)
def test_no_creator_makes_a_search_hang(text: str) -> None:
    with at_most(60):
        creator_names(text)
