"""WordNet: base forms, path similarity and intrinsic information content, on a tiny WordNet."""

from __future__ import annotations

import itertools
import math
import tempfile
import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stsbaselines.data import corpora
from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.text.wordnet import WordNet, load_wordnet

Synset = tuple[str, str, str]

# Words, the first words of the synsets above ("@i" in front: it is an instance), and a gloss.
NOUNS: list[Synset] = [
    ("thing", "", "whatever there is"),
    ("being", "thing", "something that lives"),
    ("beast", "being", "a being on four legs"),
    ("dog hound", "beast", "it barks at strangers"),
    ("cat Tom", "beast", "it sleeps a lot"),
    ("puppy pet", "dog", "a young dog"),
    ("Rex", "@i:dog", "the dog next door"),
    ("man", "being", "a grown being on two legs"),
    ("men", "thing", "all hands"),
    ("place", "thing", "somewhere to be"),
    ("house home", "place", "a place with a roof"),
    ("pet", "thing place", "something dear"),
]
VERBS: list[Synset] = [
    ("go move", "", "be here, then there"),
    ("run", "go", "go on fast legs"),
    ("sprint", "run", "run as fast as one can"),
    ("sit", "", "stay on a chair"),
    ("dog chase", "go", "go after somebody"),
    ("be", "", "exist"),
    ("hold", "keep", "not let go"),
    ("keep", "hold", "not give away"),
]
ADJECTIVES: list[Synset] = [
    ("big large", "", "of some size"),
    ("late(a)", "", "dead"),
    ("red ruby cherry coral wine scarlet crimson rose brick blood", "", "ten in hexadecimal"),
]
ADVERBS: list[Synset] = [("fast", "", "in no time"), ("late", "", "not in time")]
EXCEPTIONS = {
    "noun": "men man\nmice mouse\nwolves\n",
    "verb": "ran run\nrunning run\nsitting sit\nwas be\n",
}


def put_wordnet(
    folder: Path,
    nouns: Sequence[Synset] = NOUNS,
    verbs: Sequence[Synset] = VERBS,
    adjectives: Sequence[Synset] = ADJECTIVES,
    adverbs: Sequence[Synset] = ADVERBS,
) -> Path:
    """Write a WordNet as Princeton does: one synset per line, named by its offset in the file."""
    parts = {"noun": nouns, "verb": verbs, "adj": adjectives, "adv": adverbs}
    folder.mkdir(parents=True, exist_ok=True)
    for name, synsets in parts.items():
        (folder / f"data.{name}").write_text(data_file(name, synsets))
        (folder / f"{name}.exc").write_text(EXCEPTIONS.get(name, ""))
    return folder


def data_file(name: str, synsets: Sequence[Synset]) -> str:
    letter = {"noun": "n", "verb": "v", "adj": "s", "adv": "r"}[name]
    header = "  1 a line of the licence | of this file\n"
    offsets: dict[str, int] = {}
    for _ in range(2):  # The first round finds the offsets, the second writes them.
        text = header
        for words, above, gloss in synsets:
            names = words.split()
            offsets[names[0]] = len(text) if names[0] not in offsets else offsets[names[0]]
            pointers = ["~ 00000000 n 0000"]
            for each in above.split():
                symbol, _, target = each.rpartition(":")
                offset = offsets.get(target, 0)
                pointers.append(f"{symbol or '@'} {offset:08} {letter} 0000")
            members = " ".join(f"{word} 0" for word in names)
            frames = "02 + 02 00 + 08 01 " if name == "verb" else ""
            text += (
                f"{len(text):08} 03 {letter} {len(names):02x} {members} {len(pointers):03} "
                f"{' '.join(pointers)} {frames}| {gloss}  \n"
            )
    return text


@pytest.fixture(scope="module")
def wordnet(tmp_path_factory: pytest.TempPathFactory) -> WordNet:
    return load_wordnet(put_wordnet(tmp_path_factory.mktemp("wordnet")))


@pytest.mark.parametrize(
    ("word", "tag", "expected"),
    [
        ("dogs", "NNS", "dog"),
        ("Dogs", "NNPS", "dog"),
        ("dogged", "VBD", "dogged"),
        ("chasing", "VBG", "chase"),
        ("goes", "VBZ", "go"),
        ("was", "VBD", "be"),
        ("ran", "VBD", "run"),
        ("ran", "NN", "ran"),
        ("larger", "JJR", "large"),
        ("biggest", "JJS", "biggest"),
        ("later", "JJR", "late"),
        ("fast", "RB", "fast"),
        ("faster", "RBR", "faster"),
        ("up", "RP", "up"),
        ("Dogs", "DT", "dogs"),
        ("puppies", None, "puppy"),
        ("chased", None, "chase"),
        ("houses", None, "house"),
        ("men", "NNS", "men"),
        ("mice", "NNS", "mice"),
        ("wolves", "NNS", "wolves"),
        ("tom", "NN", "tom"),
        ("", None, ""),
    ],
)
def test_base_forms(wordnet: WordNet, word: str, tag: str | None, expected: str) -> None:
    assert wordnet.lemma(word, tag) == expected


@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [
        ("dog", "hound", 0),
        ("Dogs", "dog", 0),
        ("dog", "cat", 2),
        ("puppy", "tom", 3),
        ("rex", "puppy", 2),
        ("dog", "man", 3),
        ("cat", "house", 5),
        ("pet", "place", 1),  # the pet that is dear, not the puppy
        ("pet", "dog", 1),  # the puppy
        ("run", "sprint", 1),
        ("run", "chase", 2),
        ("dog", "sprint", 3),  # as a verb
        ("sit", "be", 2),  # the root above all verbs
        ("run", "sit", 3),
        ("sprint", "sit", 4),
        ("hold", "keep", 1),
        ("keep", "sit", 3),
        ("men", "being", 1),  # the base form is tried too: the man
        ("big", "large", 0),
        ("red", "blood", 0),
        ("late", "late", 0),
    ],
)
def test_path_similarity(wordnet: WordNet, one: str, other: str, steps: int) -> None:
    assert wordnet.path_similarity(one, other) == 1 / (1 + steps)


@pytest.mark.parametrize(
    ("one", "other"),
    [("dog", "zebra"), ("zebra", "zebra"), ("cat", "sit"), ("big", "late"), ("", "")],
)
def test_words_without_a_path(wordnet: WordNet, one: str, other: str) -> None:
    assert wordnet.path_similarity(one, other) == 0.0


@pytest.mark.parametrize(
    ("one", "other", "pos", "below", "all_synsets"),
    [
        ("dog", "cat", "n", 5, 12),  # beast, dog, cat, puppy, Rex
        ("dogs", "man", "n", 7, 12),  # being: the five, the man, and being itself
        ("puppy", "rex", "n", 3, 12),  # dog
        ("rex", "rex", "n", 1, 12),
        ("house", "home", "n", 1, 12),
        ("pet", "house", "n", 3, 12),  # place, house, and the pet that is dear
        ("cat", "house", "n", 12, 12),  # thing
        ("sprint", "chase", "v", 4, 8),  # go, run, sprint, dog
        ("ran", "runs", "v", 2, 8),
        ("hold", "keep", "v", 2, 8),  # a circle: each is above the other
        ("sit", "run", "v", 8, 8),  # nothing in common
        ("dog", "zebra", "n", 12, 12),
        ("dog", "cat", "v", 8, 8),
    ],
)
def test_intrinsic_information_content(
    wordnet: WordNet, one: str, other: str, pos: str, below: int, all_synsets: int
) -> None:
    expected = 1 - math.log(below) / math.log(all_synsets)
    assert wordnet.resnik(one, other, pos) == pytest.approx(expected, abs=1e-12)


def test_other_parts_of_speech_have_no_taxonomy(wordnet: WordNet) -> None:
    with pytest.raises(InputError, match=r"no taxonomy of the part of speech 'a'.* n, v\."):
        wordnet.resnik("big", "large", "a")


@st.composite
def taxonomies(draw: st.DrawFn) -> list[Synset]:
    """Return synsets, any of which may be above any other, with words in several of them."""
    names = [f"synset{number}" for number in range(draw(st.integers(1, 7)))]
    above = st.lists(st.sampled_from(names), unique=True, max_size=2).map(" ".join)
    more = st.sampled_from(["", " one", " other", " one other"])
    return [(name + draw(more), draw(above), "a gloss") for name in names]


def steps_by_definition(synsets: Sequence[Synset], rooted: bool) -> dict[tuple[str, str], float]:
    """Return the steps up from each synset to each, by trying all ways (Floyd and Warshall)."""
    names = [words.split()[0] for words, *_ in synsets]
    steps = {(one, other): math.inf for one in names for other in names}
    for words, above, _ in synsets:
        steps |= {(words.split()[0], target): 1 for target in above.split()}
    steps |= {(name, name): 0 for name in names}
    for middle, one, other in itertools.product(names, names, names):
        steps[one, other] = min(steps[one, other], steps[one, middle] + steps[middle, other])
    if rooted:
        for name in names:
            highest = max(steps[name, other] for other in names if steps[name, other] < math.inf)
            steps[name, "root"] = highest + 1
    return steps


@settings(max_examples=50)
@given(taxonomies(), st.sampled_from(["noun", "verb"]))
def test_any_taxonomy_agrees_with_the_definitions(synsets: list[Synset], part: str) -> None:
    nouns, verbs = (synsets, []) if part == "noun" else ([], synsets)
    with tempfile.TemporaryDirectory() as folder:
        wordnet = WordNet(put_wordnet(Path(folder), nouns, verbs))
    steps = steps_by_definition(synsets, rooted=part == "verb")
    names = [words.split()[0] for words, *_ in synsets]
    below = {name: sum(steps[each, name] < math.inf for each in names) for name in names}
    senses = {
        word: [words.split()[0] for words, *_ in synsets if word in words.split()]
        for word in (*names, "one", "other")
    }
    for one, other in itertools.product(senses, senses):
        pairs = list(itertools.product(senses[one], senses[other]))
        lengths = [
            steps[here, above] + steps.get((there, above), math.inf)
            for here, there in pairs
            for start, above in steps
            if start == here
        ]
        shortest = min(lengths, default=math.inf)
        assert wordnet.path_similarity(one, other) == 1 / (1 + shortest)
        common = [
            below[above]
            for here, there in pairs
            for above in names
            if steps[here, above] + steps[there, above] < math.inf
        ]
        total = len(names)
        content = 1 - math.log(min(common, default=total)) / math.log(total) if total > 1 else 0
        assert wordnet.resnik(one, other, part[0]) == pytest.approx(content, abs=1e-12)


words = st.sampled_from(sorted({word for names, *_ in NOUNS + VERBS for word in names.split()}))
endings = st.sampled_from(["", "s", "es", "ed", "ing", "er", "est", "ses", "men"])
inflected = st.builds(str.__add__, words, endings)


@given(inflected | st.text(), st.sampled_from([None, "NN", "VBD", "JJ", "RB", "IN"]))
def test_a_base_form_is_its_own(wordnet: WordNet, text: str, tag: str | None) -> None:
    lemma = wordnet.lemma(text, tag)
    assert wordnet.lemma(lemma, tag) == lemma


def test_a_wordnet_is_read_once(tmp_path: Path) -> None:
    folder = put_wordnet(tmp_path)
    wordnet = load_wordnet(str(folder))
    assert load_wordnet(folder / ".." / folder.name) is wordnet


def packed(folder: Path, archive: Path, files: Sequence[str]) -> Path:
    with zipfile.ZipFile(archive, "w") as opened:
        for name in files:
            opened.write(folder / name, f"{archive.stem}/{name}")
    return archive


def test_a_zip_archive(tmp_path: Path, wordnet: WordNet) -> None:
    folder = put_wordnet(tmp_path / "plain")
    names = sorted(path.name for path in folder.iterdir())
    read = load_wordnet(packed(folder, tmp_path / "wordnet.zip", names))
    for one, other in itertools.product(["dog", "men", "run", "big", "rex"], repeat=2):
        assert read.path_similarity(one, other) == wordnet.path_similarity(one, other)
    names.remove("verb.exc")
    with pytest.raises(InputError, match=r"part.zip: found no verb.exc, expected the files"):
        load_wordnet(packed(folder, tmp_path / "part.zip", names))
    content = (tmp_path / "wordnet.zip").read_bytes().replace(b"wordnet/", b"damaged/")
    (tmp_path / "damaged.zip").write_bytes(content.replace(b"whatever", b"WHATEVER"))
    with pytest.raises(InputError, match=r"damaged.zip: found damaged content"):
        load_wordnet(tmp_path / "damaged.zip")


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("junk", r"line 2: found 'junk', expected a synset"),
        ("00000001 03 n 01 gate 0 000", r"line 2: found '00000001 .*', expected a synset"),
        ("00000001 03 n xx gate 0 000 | a gate", r"line 2: found"),
        ("offset 03 n 01 gate 0 000 | a gate", r"line 2: found"),
        ("00000001 03 n 01 gate 0 many | a gate", r"line 2: found"),
        ("00000001 03 n 02 gate 0 000 | a gate", r"line 2: found"),
        ("00000001 03 n 01 gate 0 002 ~ 00000002 n 0000 | a gate", r"line 2: found"),
        ("00000001 03 n 01 gate 0 001 @ | a gate", r"line 2: found"),
        ("00000001 03 n 01 gate 0 001 @ 00000007 n 0000 | x", r"found a hypernym 00000007 that"),
    ],
)
def test_damaged_files(tmp_path: Path, line: str, found: str) -> None:
    folder = put_wordnet(tmp_path / "wordnet")
    (folder / "data.noun").write_text(f"  1 licence\n{line}\n")
    with pytest.raises(InputError, match=r"data.noun.*" + found):
        load_wordnet(folder)


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"data.noun: found nothing there, expected a file"):
        load_wordnet(tmp_path)
    folder = put_wordnet(tmp_path)
    (folder / "adj.exc").unlink()
    with pytest.raises(InputError, match=r"adj.exc: found nothing there, expected a file"):
        load_wordnet(folder)


def test_where_wordnet_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(corpora, "DEBIAN_WORDNET", tmp_path / "debian")
    monkeypatch.setattr("nltk.data.path", [str(tmp_path / "nltk")])
    with pytest.raises(MissingDataError, match=r"wordnet was not found: get it by .*wordnet-base"):
        corpora.find_wordnet()
    debian = put_wordnet(tmp_path / "debian")
    assert corpora.find_wordnet() == debian
    (tmp_path / "nltk" / "corpora").mkdir(parents=True)
    names = sorted(path.name for path in debian.iterdir())
    archive = packed(debian, tmp_path / "nltk" / "corpora" / "wordnet.zip", names)
    assert corpora.find_wordnet() == archive
    assert len(list(corpora.sentences_of("wordnet"))) == 25
    own = put_wordnet(tmp_path / "data" / "nltk_data" / "corpora" / "wordnet")
    assert corpora.find_wordnet(tmp_path / "data") == own


@pytest.fixture
def real(official_data: Path) -> WordNet:
    return load_wordnet(corpora.find_wordnet(official_data))


@pytest.mark.official
@pytest.mark.parametrize(
    ("one", "other", "steps"),
    [
        ("dog", "cat", 4),
        ("car", "automobile", 0),
        ("slap", "hit", 3),
        ("buy", "sell", 2),
        ("men", "woman", 2),
        ("eat", "sleep", 4),
        ("restrain", "inhibit", 1),
        ("think", "banana", 16),
        ("paris", "london", 2),
        ("said", "announced", 1),
    ],
)
def test_paths_as_the_reader_of_nltk_finds_them(
    real: WordNet, one: str, other: str, steps: int
) -> None:
    assert real.path_similarity(one, other) == 1 / (1 + steps)


@pytest.mark.official
@pytest.mark.parametrize(
    ("word", "tag", "expected"),
    [
        ("corpora", "NNS", "corpus"),
        ("went", "VBD", "go"),
        ("children", "NNS", "child"),
        ("leaves", "NNS", "leaf"),
        ("leaves", "VBZ", "leave"),
        ("axes", "NNS", "ax"),
        ("lying", "VBG", "lie"),
        ("happiest", "JJS", "happy"),
        ("better", "JJR", "better"),
    ],
)
def test_base_forms_as_the_reader_of_nltk_finds_them(
    real: WordNet, word: str, tag: str, expected: str
) -> None:
    assert real.lemma(word, tag) == expected


@pytest.mark.official
def test_information_content_of_the_real_taxonomies(real: WordNet) -> None:
    found = [real.resnik("dog", "cat", "n"), real.resnik("buy", "sell", "v")]
    assert found == pytest.approx([0.5799, 0.4198], abs=5e-5)
    assert real.resnik("king", "queen", "n") == 1.0
    assert real.resnik("think", "banana", "n") == 0.0
