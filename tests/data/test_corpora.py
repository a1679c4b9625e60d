"""Corpora to train on, and the dictionary with and without what it takes from WordNet."""

from __future__ import annotations

import gzip
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.data import corpora
from stsbaselines.errors import InputError, MissingDataError

DICTIONARY = """00-database-info
   about

Gate \\Gate\\, n. [OE. gat.]
   1. A door in a fence; as, the {gate} of a
      field. --Author.
      [1913 Webster]

         A verse about gates.
                                 --Poet.

   2. a stream of people who go in.

   Note: they may have paid.

   Syn: turnout.
        [WordNet 1.5]

   3. (Cards) The next card.
      [PJC]

   4. Whatever opens. [WordNet sense 2] --Author. [1913
      Webster]

   5. (Naut.) A lock.

gatehouse \\gatehouse\\ n.
   1. a house at a gate.
      WordNet 1.5]

   2. A lodge.
      [Webster 1913 Suppl.]

gatekeep \\gatekeep\\ v. t.
   to keep a gate.

   Syn: guard.
        [1913 Webster + WordNet 1.5 +PJC]

Gated \\Gat"ed\\, a.
   Having gates.
"""


@pytest.fixture
def dictionary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "gcide.dict.dz"
    path.write_bytes(gzip.compress(DICTIONARY.encode()))
    monkeypatch.setattr(corpora, "DEBIAN_GCIDE", path)
    return path


@pytest.mark.usefixtures("dictionary")
def test_a_dictionary_without_what_it_takes_from_wordnet() -> None:
    assert list(corpora.sentences_of("gcide-without-wordnet")) == [
        "Gate A door in a fence; as, the gate of a field.",
        "Gate (Cards) The next card.",
        "Gate (Naut.) A lock.",
        "gatehouse A lodge.",
        "Gated Having gates.",
    ]


@pytest.mark.usefixtures("dictionary")
def test_the_whole_dictionary() -> None:
    assert list(corpora.sentences_of("gcide")) == [
        "Gate A door in a fence; as, the gate of a field.",
        "Gate a stream of people who go in. Note: they may have paid. Syn: turnout.",
        "Gate (Cards) The next card.",
        "Gate Whatever opens.",
        "Gate (Naut.) A lock.",
        "gatehouse a house at a gate. WordNet 1.5]",
        "gatehouse A lodge.",
        "gatekeep to keep a gate. Syn: guard.",
        "Gated Having gates.",
    ]


SOURCES = ["", " [1913 Webster]", " [WordNet 1.5]", " [PJC]", " [1913 Webster + WordNet 1.5]"]


@given(st.lists(st.sampled_from(SOURCES), min_size=1, max_size=8))
def test_a_source_is_that_of_all_paragraphs_since_the_last(sources: list[str]) -> None:
    paragraphs = [f"{number}.{source}" for number, source in enumerate(sources)]
    expected = []
    for number, paragraph in enumerate(paragraphs):
        mine = next((source for source in sources[number:] if source), "")
        expected.append("" if "WordNet" in mine else paragraph)
    assert list(corpora._own(paragraphs)) == expected


def test_a_damaged_dictionary(dictionary: Path) -> None:
    for content, found in [(b"damaged", "damaged content"), (gzip.compress(b"x"), "no headword")]:
        dictionary.write_bytes(content)
        with pytest.raises(InputError, match=f"found {found}, expected a dictionary"):
            list(corpora.sentences_of("gcide"))


def test_finding_corpora_does_not_load_nltk() -> None:
    code = "import sys, stsbaselines.data.corpora; sys.exit('nltk' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize("source", ["[Wordnet 1.6]", "[1913 Webster + wordnet]", "[WORDNET]"])
def test_wordnet_is_a_source_however_it_is_written(source: str) -> None:
    paragraphs = ["a paragraph", f"another one {source}", "a third one [PJC]"]
    assert list(corpora._own(paragraphs)) == ["", "", "a third one [PJC]"]


@pytest.mark.official
@pytest.mark.usefixtures("official_data")
def test_no_kept_paragraph_of_the_real_dictionary_names_wordnet_as_its_source() -> None:
    if not corpora.DEBIAN_GCIDE.is_file():
        pytest.skip("needs Debian's package dict-gcide")
    text = gzip.decompress(corpora.DEBIAN_GCIDE.read_bytes()).decode("utf-8", "replace")
    paragraphs = text.split("\n\n")
    kept = [each for each in corpora._own(paragraphs) if each]
    named = [mark for each in kept for mark in re.findall(r"\[[^\]]*\]", each)]
    assert len(named) > 100_000
    assert not any("wordnet" in mark.lower() for mark in named)
    assert any("[Wordnet" in each for each in paragraphs)


SYNSETS = (
    "  1 a line of the licence\n"
    '00001740 03 n 02 old_gate 0 wicket 0 001 ~ 00001930 n 0000 | a small gate; "he shut it"  \n'
)
ADJECTIVES = "00001740 00 a 01 ablaze(p) 0 000 | on fire  \n"


def put_corpora(folder: Path) -> Path:
    wordnet = folder / "nltk_data" / "corpora" / "wordnet"
    wordnet.mkdir(parents=True)
    for part, text in [("noun", SYNSETS), ("verb", ""), ("adj", ADJECTIVES), ("adv", "")]:
        (wordnet / f"data.{part}").write_text(text)
    with zipfile.ZipFile(folder / "nltk_data" / "corpora" / "brown.zip", "w") as archive:
        archive.writestr("brown/ca01", "\n\n\tThe/at gate/nn is/bez 1/2/cd ./.\n\n")
        archive.writestr("brown/README", "no text\n")
    return folder


def test_named_corpora(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = put_corpora(tmp_path / "data")
    monkeypatch.setattr(corpora, "BROWN_FILES", 1)
    assert list(corpora.sentences_of("wordnet", folder)) == [
        "ablaze on fire",
        'old gate wicket a small gate; "he shut it"',
    ]
    assert list(corpora.sentences_of("brown", folder)) == ["The gate is 1/2 ."]
    monkeypatch.setattr(corpora, "BROWN_FILES", 500)
    with pytest.raises(InputError, match="found 1 files, expected 500, the whole corpus"):
        list(corpora.sentences_of("brown", folder))
    (folder / "nltk_data" / "corpora" / "wordnet" / "data.adv").write_text("junk | x\n")
    with pytest.raises(InputError, match=r"data.adv, line 1: found .junk . x., expected a synset"):
        list(corpora.sentences_of("wordnet", folder))
    (folder / "nltk_data" / "corpora" / "brown.zip").write_bytes(b"damaged")
    with pytest.raises(InputError, match=r"brown.zip: found damaged content"):
        list(corpora.sentences_of("brown", folder))


def test_corpora_that_were_not_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "DEBIAN_WORDNET", tmp_path / "none")
    monkeypatch.setattr(corpora, "DEBIAN_GCIDE", tmp_path / "none")
    monkeypatch.setattr("nltk.data.path", [])
    for name in corpora.corpus_names():
        with pytest.raises(MissingDataError, match=f"The corpus {name} was not found: get it by"):
            corpora.sentences_of(name)
    with pytest.raises(InputError, match=r"no corpus 'wordnett', did you mean 'wordnet'"):
        corpora.sentences_of("wordnett")
