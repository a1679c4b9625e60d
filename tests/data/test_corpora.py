"""The dictionary as a corpus, with and without what it takes from WordNet."""

from __future__ import annotations

import gzip
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.data import corpora
from stsbaselines.errors import InputError

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


@pytest.mark.parametrize("name", ["gcide", "gcide-without-wordnet"])
def test_a_damaged_dictionary(name: str, dictionary: Path) -> None:
    dictionary.write_bytes(b"damaged")
    with pytest.raises(InputError, match="found damaged content, expected a dictionary"):
        list(corpora.sentences_of(name))


def test_finding_corpora_does_not_load_nltk() -> None:
    code = "import sys, stsbaselines.data.corpora; sys.exit('nltk' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.official
@pytest.mark.usefixtures("official_data")
def test_the_real_dictionary_without_wordnet() -> None:
    if not corpora.DEBIAN_GCIDE.is_file():
        pytest.skip("needs Debian's package dict-gcide")
    whole = Counter(corpora.sentences_of("gcide"))
    without = Counter(corpora.sentences_of("gcide-without-wordnet"))
    assert not any("WordNet" in definition for definition in without)
    gone, shortened = whole - without, without - whole
    assert gone.total() == 10_669
    assert shortened.total() == 108  # what is left of definitions that are of WordNet in part
