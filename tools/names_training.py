"""Train a tagger of names on freely licensed corpora.

    python -m tools.names_training --data DIR [--out DIR]

Same data, settings, platform and version of python-crfsuite give the same bytes: sentences
are taken in the order of the table of corpora and of their files, and random draws have a fixed
seed.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import io
import random
import re
import sys
import tarfile
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.io.files import lines_of, new_folder, open_to_read, read_whole, to_json
from stsbaselines.text.chunker import chunk_spans
from stsbaselines.text.names import (
    GAZETTEERS,
    MODEL,
    ORGANISATION,
    PARTICLES,
    PERSON,
    PLACE,
    Gazetteers,
    Name,
    NamesTagger,
    name_features,
    read_gazetteers,
)
from stsbaselines.version import __version__
from tools.chunker_training import Example, add_folders, described, train_model, write_card

SETTINGS = {"c1": 1.6, "c2": 0.01, "max_iterations": 100, "feature.minfreq": 2}
LICENCE = "CC BY-SA 4.0"
GAZETTEER_FOLDER = "gazetteer-cc0"
TURNED_NAMES = 1500
HELD_OUT = 5
SEED = 2013
KINDS = {
    **dict.fromkeys(("PER", "person", "writer", "politician", "musicalartist"), PERSON),
    **dict.fromkeys(("scientist", "researcher"), PERSON),
    **dict.fromkeys(("LOC", "location", "country", "place", "GPE", "FAC"), PLACE),
    **dict.fromkeys(("ORG", "organisation", "organization", "corporation", "group"), ORGANISATION),
    **dict.fromkeys(("politicalparty", "university", "band"), ORGANISATION),
}
_LABEL = re.compile("O|[BI]-[A-Za-z-]+")
_HANDLE = "@"
_NEW_DOCUMENT = ["-DOCSTART-"]
_MENTION = re.compile(r"\((\d{1,9})-(\w+)-[^()]*?-(\d{1,9})[\d,]*-[^()]*(\))?|(\d{1,9})\)")
_PERSONS = ("PER", "person")
_INNER = PARTICLES.union(("&", ".", "'s", "-"))
_NOT_FIRST = ("the", "a", "an", "my", "his", "her", "our")
_CONLLU_COLUMNS, _LITBANK_COLUMNS = 10, 9


class NamedSentence(NamedTuple):
    """A sentence with its names, which are in order and do not overlap."""

    words: list[str]
    names: list[Name]


def train_names(data: Path, out: Path) -> dict[str, Any]:
    """Train a tagger of names, test it, and write it with its gazetteers and a model card.

    `data` has the files of `TRAINING` and `TESTS`, and the gazetteers; `out` is a new folder.
    Returns the model card.
    """
    lists = read_gazetteers(data / GAZETTEER_FOLDER)
    training = [*_sentences(data, TRAINING), *turned_names(lists)]
    tests = {name: list(_sentences(data, [part])) for name, part in TESTS.items()}
    with new_folder(out) as folder:
        for name in GAZETTEERS:
            (folder / name).write_bytes(read_whole(data / GAZETTEER_FOLDER / name))
        print(f"training on {len(training):,} sentences", file=sys.stderr, flush=True)
        train_model(folder / MODEL, (_example(each, lists) for each in training), SETTINGS)
        card = _card(data, folder)
        write_card(folder, card)
        tagger = NamesTagger(folder)
        for name, sentences in tests.items():
            card["test"][name] = tested_on(tagger, sentences)
        write_card(folder, card)
    return card


def _card(data: Path, folder: Path) -> dict[str, Any]:
    files = [file for part in TRAINING for file in part.files]
    files += [f"{GAZETTEER_FOLDER}/{name}" for name in GAZETTEERS]
    return {
        "description": "English tagger of names: PER, LOC, ORG (conditional random field)",
        "stsbaselines": __version__,
        "python-crfsuite": importlib.metadata.version("python-crfsuite"),
        "training_data": [described(data / file) | {"file": file} for file in files],
        "held_out": "every fifth document of wikigold/wikigold.conll.txt",
        "settings": SETTINGS,
        "licence": LICENCE,
        "files": {name: described(folder / name) for name in (MODEL, *GAZETTEERS)},
        "test": {},
    }


def _example(sentence: NamedSentence, gazetteers: Gazetteers) -> Example:
    labels = ["O"] * len(sentence.words)
    for start, end, kind in sentence.names:
        labels[start:end] = [f"B-{kind}", *[f"I-{kind}"] * (end - start - 1)]
    return name_features(sentence.words, gazetteers), labels


def tested_on(tagger: NamesTagger, sentences: Sequence[NamedSentence]) -> dict[str, float | None]:
    """Return the F1 of each kind of name and of all: a name is right if its tokens and kind are.

    None if there is no name of that kind, neither found nor expected.
    """
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for sentence in sentences:
        found = tagger.names(sentence.words)
        total.update(name.kind for name in (*found, *sentence.names))
        right.update(name.kind for name in set(found).intersection(sentence.names))
    right["all"], total["all"] = right.total(), total.total()
    kinds = (PERSON, PLACE, ORGANISATION, "all")
    return {
        kind: round(2 * right[kind] / total[kind], 4) if total[kind] else None for kind in kinds
    }


def turned_names(gazetteers: Gazetteers) -> list[NamedSentence]:
    """Return sentences "Surname , Forename", as in catalogues, drawn from gazetteers."""
    surnames, forenames = sorted(gazetteers.surnames), sorted(gazetteers.first_names)
    draw = random.Random(SEED)
    sentences = []
    for _ in range(TURNED_NAMES if surnames and forenames else 0):
        surname, forename = draw.choice(surnames), draw.choice(forenames)
        words = [*surname.split(), ",", *forename.split()]
        sentences.append(NamedSentence(words, [Name(0, len(words), PERSON)]))
    return sentences


def _blocks(path: Path) -> Iterator[list[tuple[int, str]]]:
    """Yield the lines between blank lines, with their numbers."""
    with open_to_read(path) as stream:
        block: list[tuple[int, str]] = []
        for number, raw in lines_of(stream, str(path)):
            try:
                line = raw.decode("utf-8").rstrip("\r")
            except UnicodeDecodeError:
                raise InputError([Fault(str(path), shown(raw), "UTF-8 text", number)]) from None
            if line.strip():
                block.append((number, line))
            elif block:
                yield block
                block = []
        if block:
            yield block


def _unfit(path: Path | str, line: str, expected: str, number: int) -> InputError:
    return InputError([Fault(str(path), shown(line), expected, number)])


def read_columns(path: Path, separator: str = "\t") -> list[NamedSentence]:
    """Read one word and its label per line: IOB1 or IOB2, of two labels the first.

    A blank token is skipped; a handle of Twitter ("@...") is not a name.
    """
    return [_sentence(path, block, separator, 0) for block in _blocks(path)]


def read_numbered_columns(path: Path) -> list[NamedSentence]:
    """Read the columns of Universal NER: number, word, label, and two more; comments by "#"."""
    return [
        _sentence(path, [each for each in block if not each[1].startswith("#")], "\t", 1)
        for block in _blocks(path)
    ]


def _sentence(
    path: Path, rows: Sequence[tuple[int, str]], separator: str, first: int
) -> NamedSentence:
    words, labels = [], []
    for number, line in rows:
        columns = line.split(separator)
        label = columns[first + 1].split(",")[0] if len(columns) > first + 1 else ""
        if not _LABEL.fullmatch(label):
            raise _unfit(path, line, "a word and its label (O, B-kind or I-kind)", number)
        if columns[first].strip():
            words.append(columns[first])
            labels.append(label)
    names = [
        Name(start, end, KINDS[kind])
        for (start, end), kind in chunk_spans(labels)
        if kind in KINDS and not words[start].startswith(_HANDLE)
    ]
    return NamedSentence(words, names)


def read_wikigold(path: Path) -> list[list[NamedSentence]]:
    """Read the documents of wikigold, which begin with ``-DOCSTART-``."""
    documents: list[list[NamedSentence]] = [[]]
    for sentence in read_columns(path, " "):
        if sentence.words == _NEW_DOCUMENT:
            documents.append([])
        else:
            documents[-1].append(sentence)
    return [document for document in documents if document]


def wikigold_training(path: Path) -> list[NamedSentence]:
    """Read wikigold without every fifth document."""
    documents = enumerate(read_wikigold(path), start=1)
    return [each for number, document in documents if number % HELD_OUT for each in document]


def wikigold_held_out(path: Path) -> list[NamedSentence]:
    """Read every fifth document of wikigold."""
    return [each for document in read_wikigold(path)[HELD_OUT - 1 :: HELD_OUT] for each in document]


def read_gum(path: Path) -> list[NamedSentence]:
    """Read the named mentions of GUM: those whose head is a proper noun (NNP, NNPS)."""
    return [_gum_sentence(path, block) for block in _blocks(path)]


def _gum_sentence(path: Path, block: Sequence[tuple[int, str]]) -> NamedSentence:
    words: list[str] = []
    tags: list[str] = []
    opened: dict[str, list[tuple[int, str, int]]] = {}
    mentions: list[tuple[Name, int]] = []
    for number, line in block:
        columns = line.split("\t")
        if line.startswith("#") or not columns[0].isdigit():
            continue
        if len(columns) != _CONLLU_COLUMNS:
            raise _unfit(path, line, "the 10 columns of CoNLL-U", number)
        place = len(words)
        words.append(columns[1])
        tags.append(columns[4])
        entity = dict(each.partition("=")[::2] for each in columns[9].split("|")).get("Entity", "")
        for begun, kind, head, ends, ended in _MENTION.findall(entity):
            if begun:
                opened.setdefault(begun, []).append((place, kind, place + int(head) - 1))
            if (ended or ends) and opened.get(ended or begun):
                start, of, mid = opened[ended or begun].pop()
                mentions.append((Name(start, place + 1, of), mid))
    proper = [name for name, head in mentions if head < len(tags) and tags[head][:3] == "NNP"]
    return NamedSentence(words, _outermost(words, proper))


def _outermost(words: Sequence[str], mentions: Iterable[Name]) -> list[Name]:
    """Return the named parts of mentions, the outer of those that overlap."""
    parts = [
        _named_part(words, mention)._replace(kind=KINDS[mention.kind])
        for mention in mentions
        if mention.kind in KINDS
    ]
    names: list[Name] = []
    for part in sorted(set(parts), key=lambda name: (name.start, -name.end, name.kind)):
        if part.start < part.end and (not names or part.start >= names[-1].end):
            names.append(part)
    return names


def _named_part(words: Sequence[str], mention: Name) -> Name:
    """Return a mention from its first capitalised word to the last that follows it.

    Of "Jane Doe of the Daily News" that is the person's name, of "President of France" nothing.
    """
    start = mention.start
    while start < mention.end and not _begins_name(words[start]):
        start += 1
    end = start
    while end < mention.end and (words[end][:1].isupper() or words[end] in _INNER):
        end += 1
    if mention.kind in _PERSONS and "of" in words[start:end]:
        end = words.index("of", start)
        end = end if end > start + 1 else start
    while end > start and words[end - 1] in _INNER:
        end -= 1
    return Name(start, end, mention.kind)


def _begins_name(word: str) -> bool:
    return word[:1].isupper() and word.lower() not in _NOT_FIRST


def read_litbank(path: Path) -> list[NamedSentence]:
    """Read the proper names of LitBank from its archive of ``.txt`` and ``.ann`` files."""
    members = _members(path)
    sentences = []
    for name in sorted(each for each in members if each.endswith(".txt")):
        annotation = name.removesuffix(".txt") + ".ann"
        if annotation not in members:
            raise InputError([Fault(str(path), name, f"{annotation} beside it")])
        sentences += _litbank_document(annotation, members[name], members[annotation])
    return sentences


def _members(path: Path) -> dict[str, bytes]:
    """Return the files of an archive, by name."""
    members: dict[str, bytes] = {}
    try:
        with (
            open_to_read(path, decompress=False) as stream,
            tarfile.open(fileobj=stream) as archive,
        ):
            for member in archive:
                if file := archive.extractfile(member):
                    members[member.name] = file.read()
    except (tarfile.TarError, OSError, EOFError, zlib.error):
        raise InputError([Fault(str(path), "damaged content", "a tar.gz archive")]) from None
    return members


def _litbank_document(name: str, text: bytes, annotation: bytes) -> list[NamedSentence]:
    sentences = [line.split() for line in text.decode("utf-8", "replace").splitlines()]
    mentions: dict[int, list[Name]] = {}
    for number, raw in lines_of(io.BytesIO(annotation), name):
        line = raw.decode("utf-8", "replace")
        columns = line.split("\t")
        if columns[0] != "MENTION":
            continue
        try:
            first, start, last, end = map(int, columns[2:6])
            kind, sort = columns[7:_LITBANK_COLUMNS]
            fits = 0 <= first == last and 0 <= start <= end < len(sentences[first])
        except (ValueError, IndexError):
            fits = False
        if not fits:
            raise _unfit(name, line, "the columns of a mention in one sentence", number)
        if sort == "PROP":
            mentions.setdefault(first, []).append(Name(start, end + 1, kind))
    return [
        NamedSentence(words, _outermost(words, mentions.get(place, [])))
        for place, words in enumerate(sentences)
        if words
    ]


class Part(NamedTuple):
    """Files that one reader reads, and how often their sentences are taken."""

    read: Callable[[Path], list[NamedSentence]]
    files: tuple[str, ...]
    copies: int = 1


TRAINING = (
    Part(wikigold_training, ("wikigold/wikigold.conll.txt",), copies=2),
    Part(read_columns, ("wnut17/wnut17train.conll", "wnut17/emerging.dev.conll")),
    Part(read_columns, tuple(f"btc/{section}.conll" for section in "abefg")),
    Part(read_numbered_columns, ("uner-ewt/en_ewt-ud-dev.iob2",)),
    Part(read_gum, ("gum-ccby/gum-ccby-train.conllu.gz", "gum-ccby/gum-ccby-dev.conllu.gz")),
    Part(read_litbank, ("litbank/litbank-coref-tsv.tar.gz",)),
    Part(
        read_columns,
        tuple(
            f"crossner/{field}/{part}.txt"
            for field in ("literature", "music", "politics", "science")
            for part in ("train", "dev", "test")
        ),
    ),
)
TESTS = {
    "wikigold": Part(wikigold_held_out, ("wikigold/wikigold.conll.txt",)),
    "wnut17": Part(read_columns, ("wnut17/emerging.test.annotated",)),
    "btc": Part(read_columns, ("btc/h.conll",)),
    "uner-ewt": Part(read_numbered_columns, ("uner-ewt/en_ewt-ud-test.iob2",)),
    "gum-ccby": Part(read_gum, ("gum-ccby/gum-ccby-test.conllu.gz",)),
}


def _sentences(data: Path, parts: Iterable[Part]) -> Iterator[NamedSentence]:
    for part in parts:
        for file in part.files:
            for _ in range(part.copies):
                yield from (each for each in part.read(data / file) if each.words)


def main() -> None:
    """Train a tagger of names and print its model card."""
    parser = argparse.ArgumentParser(description="Train a tagger of names.")
    add_folders(parser, "Has wikigold/, wnut17/ and the other corpora.", "names")
    options = parser.parse_args()
    try:
        card = train_names(options.data, options.out)
    except InputError as error:
        parser.exit(2, f"{error}\n")
    print(to_json(card))


if __name__ == "__main__":
    main()
