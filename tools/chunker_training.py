"""Train a chunker on text that is annotated with parts of speech and chunks.

    python -m tools.chunker_training --data DIR [--out DIR] [--tags-from DIR]... [--licence TEXT]

Same data, settings, platform and version of python-crfsuite give the same bytes: sentences
are taken in the order of the files.
"""

from __future__ import annotations

import argparse
import hashlib
import importlib.metadata
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pycrfsuite

from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.io.files import lines_of, new_folder, open_to_read, to_json, write_text
from stsbaselines.text.chunker import (
    CARD,
    CHUNKER,
    TAGGER,
    Chunker,
    chunk_features,
    chunk_spans,
    tag_features,
)
from stsbaselines.version import __version__

LICENCE = "that of the training data"
SETTINGS = {"c1": 1.0, "c2": 0.001, "max_iterations": 100, "feature.minfreq": 2}
HYPHEN_TAG = "HYPH"
_CHUNK_LABEL = re.compile("O|[BI]-[A-Z]+")
_CONLLU_COLUMNS = 10


class Token(NamedTuple):
    """A token with its part of speech and its chunk label ("" where it has none)."""

    word: str
    tag: str
    chunk: str = ""


Sentence = list[Token]


def train_chunker(
    data: Path,
    out: Path,
    tags_from: Sequence[Path] = (),
    licence: str = LICENCE,
) -> dict[str, Any]:
    """Train a part-of-speech tagger and a chunker, test them, and write them with a model card.

    The chunker is trained on the parts of speech that the tagger finds, as it will use them.
    Returns the model card.

    Parameters
    ----------
    data : Path
        Folder with a file ``*train*.txt`` (or ``.txt.gz``) and perhaps one ``*test*.txt``:
        a word, its part of speech and its chunk label per line, as in CoNLL-2000.
    out : Path
        New folder.
    tags_from : sequence of Path
        Folders with ``*train*.conllu`` (or ``.conllu.gz``), to train the tagger on instead.
    licence : str
        For the model card.
    """
    source = _only_file(data, "train", "txt")
    tag_sources = [_only_file(folder, "train", "conllu") for folder in tags_from] or [source]
    test = _only_file(data, "test", "txt") if _files(data, "test", "txt") else None
    chunked = read_sentences(source)
    tagged = [each for file in tag_sources for each in read_sentences(file)]
    tested = read_sentences(test) if test else []
    with new_folder(out) as folder:
        _report(f"training the tagger on {len(tagged):,} sentences")
        train_model(folder / TAGGER, map(_tagging_example, with_joined_hyphens(tagged)))
        tagger = pycrfsuite.Tagger()
        tagger.open(str(folder / TAGGER))
        _report(f"training the chunker on {len(chunked):,} sentences")
        examples = (_chunking_example(each, tagger) for each in with_joined_hyphens(chunked))
        train_model(folder / CHUNKER, examples)
        card = _card(folder, list(dict.fromkeys([*tag_sources, source])), licence)
        write_card(folder, card)
        if test:
            _report(f"testing on {len(tested):,} sentences")
            card["test"] = described(test) | tested_on(Chunker(folder), tested)
            write_card(folder, card)
    return card


def _files(folder: Path, part: str, ending: str) -> list[Path]:
    return sorted([*folder.glob(f"*{part}*.{ending}"), *folder.glob(f"*{part}*.{ending}.gz")])


def _only_file(folder: Path, part: str, ending: str) -> Path:
    found = _files(folder, part, ending)
    if len(found) != 1:
        what = f"{len(found)} files ({', '.join(path.name for path in found)})" if found else "none"
        expected = f"one file named *{part}*.{ending} or *{part}*.{ending}.gz"
        raise InputError([Fault(str(folder), what, expected)])
    return found[0]


def read_sentences(path: Path) -> list[Sentence]:
    """Read annotated sentences: CoNLL-2000 columns, or CoNLL-U if the name says so."""
    parse, expected = _PARSERS["conllu" if ".conllu" in path.suffixes else "conll"]
    sentences: list[Sentence] = [[]]
    faults: list[Fault | str] = []
    with open_to_read(path) as stream:
        for number, raw in lines_of(stream, str(path)):
            try:
                line = raw.decode("utf-8").rstrip("\r\n\t ")
                token = parse(line) if line else None
            except ValueError:
                faults.append(Fault(str(path), shown(raw), expected, number))
            else:
                if token is not None:
                    sentences[-1].append(token)
                elif not line:
                    sentences.append([])
    found = [sentence for sentence in sentences if sentence]
    if not found and not faults:
        faults.append(Fault(str(path), "no sentence", "annotated sentences"))
    if faults:
        raise InputError(faults)
    return found


def _conll_token(line: str) -> Token:
    word, tag, chunk = line.split(" ")
    if not (word and tag and _CHUNK_LABEL.fullmatch(chunk)):
        raise ValueError(line)
    return Token(word, tag, chunk)


def _conllu_token(line: str) -> Token | None:
    """Return a token of a CoNLL-U line; None for a comment, a multiword or an empty token."""
    if line.startswith("#"):
        return None
    number, word, _, _, tag, *others = line.split("\t")
    if len(others) != _CONLLU_COLUMNS - 5:
        raise ValueError(line)
    if not number.isdigit():
        return None
    if not word or tag in ("", "_"):
        raise ValueError(line)
    return Token(word, tag)


_PARSERS: dict[str, tuple[Callable[[str], Token | None], str]] = {
    "conll": (_conll_token, "a word, its part of speech and its chunk label"),
    "conllu": (_conllu_token, "the 10 columns of CoNLL-U, with a part of speech in the fifth"),
}


def with_joined_hyphens(sentences: Sequence[Sentence]) -> list[Sentence]:
    """Return sentences, then copies of those with split hyphenated words, with these joined.

    Modern treebanks split words at hyphens (tag HYPH); the iSTS sentences do not. A joined
    word has the part of speech of its last part and the chunk label of its first part.
    """
    hyphenated = [
        each for each in sentences if any(_is_inner_hyphen(each, i) for i in range(len(each)))
    ]
    return [*sentences, *map(_joined, hyphenated)]


def _is_inner_hyphen(sentence: Sentence, place: int) -> bool:
    return sentence[place].tag == HYPHEN_TAG and 0 < place < len(sentence) - 1


def _joined(sentence: Sentence) -> Sentence:
    joined: Sentence = []
    for place, token in enumerate(sentence):
        if joined and (_is_inner_hyphen(sentence, place) or _is_inner_hyphen(sentence, place - 1)):
            last = joined.pop()
            token = Token(last.word + token.word, token.tag, last.chunk)
        joined.append(token)
    return joined


Example = tuple[list[list[str]], list[str]]


def _tagging_example(sentence: Sentence) -> Example:
    return tag_features(_words(sentence)), [token.tag for token in sentence]


def _chunking_example(sentence: Sentence, tagger: pycrfsuite.Tagger) -> Example:
    words = _words(sentence)
    tags = tagger.tag(tag_features(words))
    return chunk_features(words, tags), [token.chunk for token in sentence]


def _words(sentence: Sentence) -> list[str]:
    return [token.word for token in sentence]


def train_model(
    model: Path, examples: Iterable[Example], settings: Mapping[str, float] = SETTINGS
) -> None:
    """Train a conditional random field on (features, labels) of sentences, and write it."""
    trainer = pycrfsuite.Trainer(algorithm="lbfgs", params=settings, verbose=False)
    for features, labels in examples:
        trainer.append(features, labels)
    trainer.train(str(model))


def tested_on(chunker: Chunker, sentences: Sequence[Sentence]) -> dict[str, float]:
    """Return how well a chunker does on annotated sentences, with its own parts of speech.

    ``chunk_F1`` is that of CoNLL-2000: a chunk is right if its tokens and its kind are.
    """
    right = shared = found = expected = 0
    for sentence in sentences:
        words = _words(sentence)
        right += sum(map(str.__eq__, chunker.tags(words), [token.tag for token in sentence]))
        mine = set(chunk_spans(chunker.labels(words)))
        gold = set(chunk_spans([token.chunk for token in sentence]))
        shared, found, expected = shared + len(mine & gold), found + len(mine), expected + len(gold)
    return {
        "tag_accuracy": round(right / sum(map(len, sentences)), 4),
        "chunk_F1": round(2 * shared / (found + expected), 4),
    }


def _card(folder: Path, sources: Sequence[Path], licence: str) -> dict[str, Any]:
    return {
        "description": "English part-of-speech tagger and chunker (conditional random fields)",
        "stsbaselines": __version__,
        "python-crfsuite": importlib.metadata.version("python-crfsuite"),
        "training_data": [described(path) for path in sources],
        "settings": SETTINGS,
        "licence": licence,
        "files": {name: described(folder / name) for name in (TAGGER, CHUNKER)},
    }


def described(path: Path) -> dict[str, Any]:
    """Return what a model card says about a file: name, size and SHA-256."""
    content = path.read_bytes()
    return {"file": path.name, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def write_card(folder: Path, card: dict[str, Any]) -> None:
    """Write a model card into the folder of its models."""
    write_text(folder / CARD, to_json(card) + "\n")


def _report(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def main() -> None:
    """Train a chunker and print its model card."""
    parser = argparse.ArgumentParser(description="Train a part-of-speech tagger and a chunker.")
    add_folders(parser, "Has *train*.txt as in CoNLL-2000, and perhaps *test*.txt.", "chunker")
    tags_help = "Has *train*.conllu, to train the tagger on; can be repeated."
    parser.add_argument("--tags-from", type=Path, action="append", default=[], help=tags_help)
    parser.add_argument("--licence", default=LICENCE, help="For the model card.")
    options = parser.parse_args()
    try:
        card = train_chunker(options.data, options.out, options.tags_from, options.licence)
    except InputError as error:
        parser.exit(2, f"{error}\n")
    print(to_json(card))


def add_folders(parser: argparse.ArgumentParser, data: str, out: str) -> None:
    """Add the options that all trainings have: --data and --out."""
    parser.add_argument("--data", metavar="DIR", type=Path, required=True, help=data)
    parser.add_argument("--out", metavar="DIR", type=Path, default=Path(out), help="New folder.")


if __name__ == "__main__":
    main()
