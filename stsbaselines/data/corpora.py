"""Corpora to train sentence models on, one sentence or definition at a time.

Guo and Diab (2012) trained on the definitions of WordNet and Wiktionary and on the Brown corpus;
GCIDE, a free dictionary, replaces Wiktionary. None of them comes with this package.
"""

from __future__ import annotations

import gzip
import io
import os
import re
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from stsbaselines.data.find import directories
from stsbaselines.errors import Fault, InputError, MissingDataError, shown, suggestion
from stsbaselines.io.files import entries_of, lines_of, open_to_read, open_zip, read_whole
from stsbaselines.text.wordnet import FILES, read_synsets

DEBIAN_WORDNET = Path("/usr/share/wordnet")
DEBIAN_GCIDE = Path("/usr/share/dictd/gcide.dict.dz")
BROWN_FILES = 500
_BROWN_FILE = re.compile(r"c[a-r]\d\d")
_HEADWORD = re.compile(r"([^\\]+) \\")
_BRACKETS = re.compile(r"\[[^\]]*\]|[{}]")
_SENSE = re.compile(r"(?:^|\s)(?:\d+\.|\([a-z]\))\s")
_SOURCE = re.compile(r"(?i:wordnet)|\[[^\[\]]*(?:Webster|PJC|Century|AS\]|RDH\])")
_GRAMMAR = re.compile(
    r"(?:[^\\]*\\[^\\]*\\)+,? ?(?:\([^)]*\),? ?)?"
    r"(?:(?:n|a|adv|v|t|i|pl|p|prep|conj|interj)\.[,;]? ?)*"
)
_HOW_TO_GET = {
    "wordnet": "nltk.download('wordnet') in Python, or Debian's package wordnet-base",
    "brown": "nltk.download('brown') in Python",
    "gcide": "Debian's package dict-gcide",
    "gcide-without-wordnet": "Debian's package dict-gcide",
}

Lines = Iterator[str]


def corpus_names() -> list[str]:
    """Return the names of the known corpora."""
    return sorted(_HOW_TO_GET)


def sentences_of(corpus: str | Path, data_dir: str | Path | None = None) -> Iterator[str]:
    """Return an iterator over the sentences of a corpus.

    Parameters
    ----------
    corpus : str or Path
        One of `corpus_names`, or the path of a text file with one sentence per line.
    data_dir : path, optional
        Its folder ``nltk_data`` is searched first; then those of ``$STSBASELINES_DATA``,
        ``./data`` and the user's cache, and where NLTK looks.

    Returns
    -------
    iterator of str
        ``wordnet``: the words of a synset, its definition and examples; ``brown``: a
        sentence; ``gcide``: a headword and one of its definitions; ``gcide-without-wordnet``:
        the same without what GCIDE marks as taken from WordNet, in whole or in part.

    Raises
    ------
    MissingDataError
        If the corpus was not found; the message says how to get it.
    InputError
        If there is no such corpus or file, or it is damaged.
    """
    name = str(corpus)
    if name == "wordnet":
        return _wordnet(find_wordnet(data_dir))
    if name == "brown":
        return _brown(_required(name, _nltk_place(name, data_dir)))
    if name in ("gcide", "gcide-without-wordnet"):
        place = _required(name, DEBIAN_GCIDE if DEBIAN_GCIDE.is_file() else None)
        return _gcide(place, without_wordnet=name != "gcide")
    path = Path(corpus)
    if not os.path.lexists(path):
        hint = suggestion(name, corpus_names())
        expected = f"a text file, or one of {', '.join(corpus_names())}"
        raise InputError(f"there is no corpus {name!r}{hint or '.'} Expected {expected}.")
    return _lines_of_file(path)


class CorpusState(NamedTuple):
    """A corpus as it is now, a key for caches: name or absolute path, time of change, bytes."""

    name: str
    modified: int = 0
    size: int = 0


def state_of(corpus: str | Path) -> CorpusState:
    """Return the state of a corpus; that of a file changes as soon as it is rewritten."""
    name = str(corpus)
    if name in _HOW_TO_GET:
        return CorpusState(name)
    try:
        path = Path(name).resolve(strict=True)
        status = path.stat()
    except (OSError, ValueError, RuntimeError):
        return CorpusState(name)
    return CorpusState(str(path), status.st_mtime_ns, status.st_size)


def _lines_of_file(path: Path) -> Lines:
    with open_to_read(path) as stream:
        for _, line in lines_of(stream, str(path)):
            yield line.rstrip(b"\r").decode("utf-8", "replace")


def find_wordnet(data_dir: str | Path | None = None) -> Path:
    """Return where the files of WordNet are: a folder, or a zip archive of one.

    `data_dir` is searched as by `sentences_of`; Debian's folder comes last.
    """
    debian = DEBIAN_WORDNET if DEBIAN_WORDNET.is_dir() else None
    return _required("wordnet", _nltk_place("wordnet", data_dir) or debian)


def _wordnet(place: Path) -> Lines:
    for part in sorted(FILES.values()):
        for synset in read_synsets(place, part):
            yield f"{' '.join(synset.words).replace('_', ' ')} {synset.gloss}"


def _brown(place: Path) -> Lines:
    """Yield the sentences of the Brown corpus, without the tags of their words."""
    files = 0
    for name, content in _files_of_brown(place):
        files += 1
        for number, line in lines_of(io.BytesIO(content), name):
            words = [token.rpartition("/")[0] for token in line.decode("utf-8", "replace").split()]
            if not all(words):
                expected = "words, each with / and its tag"
                raise InputError([Fault(name, shown(line), expected, number)])
            if words:
                yield " ".join(words)
    if files != BROWN_FILES:
        expected = f"{BROWN_FILES}, the whole corpus"
        raise InputError([Fault(str(place), f"{files} files", expected)])


def _files_of_brown(place: Path) -> Iterator[tuple[str, bytes]]:
    """Yield names and contents of the files in a folder or in a zip archive of one."""
    if place.is_dir():
        for file in entries_of(place):
            if _BROWN_FILE.fullmatch(file.name):
                yield str(file), read_whole(file)
        return
    with open_zip(place) as archive:
        for name in sorted(archive.namelist()):
            if _BROWN_FILE.fullmatch(Path(name).name):
                yield f"{place}/{name}", archive.read(name)


def _gcide(place: Path, without_wordnet: bool) -> Lines:
    """Yield the definitions of a dictionary in the format of dictd, each with its headword."""
    try:
        text = gzip.decompress(read_whole(place)).decode("utf-8", "replace")
    except (OSError, EOFError, zlib.error):
        raise InputError([Fault(str(place), "damaged content", "a dictionary")]) from None
    if not _HEADWORD.search(text):
        raise InputError([Fault(str(place), "no headword", "a dictionary")])
    for entry in re.split(r"\n(?=\S)", text):
        head = _HEADWORD.match(entry)
        if head is None:
            continue
        paragraphs: Iterable[str] = entry.split("\n\n")
        first, *others = _own(paragraphs) if without_wordnet else paragraphs
        kept = [_GRAMMAR.sub("", _plain(first), count=1)]
        kept += [_plain(each) for each in others if each and not each.startswith(" " * 9)]
        for definition in _SENSE.split(" ".join(kept)):
            if definition.strip():
                yield f"{head[1]} {definition.strip()}"


def _own(paragraphs: Iterable[str]) -> Lines:
    """Yield the paragraphs of an entry, with "" for those that are taken from WordNet.

    A source in brackets, such as ``[WordNet 1.5]``, follows the paragraphs that come from it.
    """
    block: list[str] = []
    for paragraph in paragraphs:
        block.append(paragraph)
        if _SOURCE.search(paragraph):
            yield from [""] * len(block) if "wordnet" in paragraph.lower() else block
            block.clear()
    yield from block


def _plain(paragraph: str) -> str:
    text = _BRACKETS.sub("", " ".join(paragraph.split()))
    return text.partition(" --")[0].strip()


def _nltk_place(name: str, data_dir: str | Path | None) -> Path | None:
    """Return where a corpus of NLTK's collection is: a folder, or a zip archive of one."""
    import nltk.data

    own = [directory / "nltk_data" for directory in directories(data_dir)]
    for folder in [*own, *map(Path, nltk.data.path)]:
        place = folder / "corpora" / name
        packed = place.with_suffix(".zip")
        if place.is_dir():
            return place
        if packed.is_file():
            return packed
    return None


def _required(name: str, place: Path | None) -> Path:
    if place is None:
        raise MissingDataError(f"The corpus {name} was not found: get it by {_HOW_TO_GET[name]}.")
    return place
