"""WordNet: base forms of words, and how similar two words are in its taxonomies.

The files are read as Princeton publishes them (``data.noun``, ``noun.exc`` and so on), from any
folder. Two words are as similar as their two most similar senses of one part of speech.
"""

# ruff: noqa: B019 - a WordNet is loaded once and kept, so the caches of its methods may keep it

from __future__ import annotations

import functools
import itertools
import math
import os
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from stsbaselines.errors import Fault, InputError, shown, unknown
from stsbaselines.io.files import is_without_newlines, open_zip, read_whole

FILES = {"n": "noun", "v": "verb", "a": "adj", "r": "adv"}
_PARTS = {"NN": "n", "VB": "v", "JJ": "a", "RB": "r"}
_HYPERNYMS = ("@", "@i")
_ROOT_OF_VERBS = 0
_WORDS_KEPT = 1 << 14
_PAIRS_KEPT = 1 << 18

Synsets = tuple[int, ...]


class Synset(NamedTuple):
    """One line of a data file: its offset in the file, words, offsets of hypernyms, and gloss."""

    offset: int
    words: list[str]
    hypernyms: Synsets
    gloss: str


class WordNet:
    """The words, senses and taxonomies of one WordNet. `load_wordnet` makes it.

    Parameters
    ----------
    folder : Path
        The folder with its files, or a zip archive of that folder.
    """

    def __init__(self, folder: Path) -> None:
        from nltk.corpus.reader.wordnet import WordNetCorpusReader  # slow to import

        self._endings = WordNetCorpusReader.MORPHOLOGICAL_SUBSTITUTIONS
        self._senses: dict[str, dict[str, Synsets]] = {}
        self._hypernyms: dict[str, dict[int, Synsets]] = {}
        self._exceptions: dict[str, dict[str, list[str]]] = {}
        for number, (part, name) in enumerate(FILES.items(), 1):
            self._senses[part], self._hypernyms[part] = _taxonomy(folder, name, number)
            self._exceptions[part] = _exceptions(folder, name)

    @functools.lru_cache(_WORDS_KEPT)
    def lemma(self, word: str, tag: str | None = None) -> str:
        """Return the base form of a word, in lower case.

        It is the first that WordNet has: of the word itself and its listed exceptions, or
        else of the word and what remains of it without an ending of its part of speech.

        Parameters
        ----------
        word : str
            It is returned in lower case if WordNet has none of its forms.
        tag : str, optional
            Tag of the word in the Penn Treebank. A noun, verb, adjective or adverb is looked
            up as such; a word with another tag is returned in lower case. Without a tag,
            the word is looked up as each of the four, in that order.
        """
        word = word.lower()
        if tag is None:
            parts: Iterable[str] = FILES
        else:
            parts = [_PARTS[tag[:2]]] if tag[:2] in _PARTS else []
        return next((form for part in parts for form in self._forms(word, part)), word)

    @functools.lru_cache(_PAIRS_KEPT)
    def path_similarity(self, one: str, other: str) -> float:
        """Return 1 / (1 + length of the shortest path of hypernyms between two words).

        All senses of all parts of speech are tried, also those of the words' base forms. Verbs
        that share no hypernym meet in a root above the highest verbs. Adjectives and
        adverbs have no hypernyms.

        Words that share a synset have 1.0; without a path, or for an unknown word, it is 0.0.
        """
        mine, theirs = self._distances(one), self._distances(other)
        lengths = [mine[above] + theirs[above] for above in mine.keys() & theirs.keys()]
        return 1.0 / (1 + min(lengths)) if lengths else 0.0

    @functools.lru_cache(_PAIRS_KEPT)
    def resnik(self, one: str, other: str, pos: str) -> float:
        """Return the information content of the best concept that two words have in common.

        The content is intrinsic (Seco et al. 2004): 1 - log(h + 1) / log(n) for a synset
        above h of all n synsets of its part of speech, hence 0 for the root of all nouns
        and 1 for a synset with none below it.

        Parameters
        ----------
        one, other : str
            All their senses are tried, also those of their base forms.
        pos : {'n', 'v'}
            Whether to look the words up as nouns or as verbs.

        Returns
        -------
        float
            From 0 to 1; 0.0 if the words have no concept in common, or one is unknown.
        """
        if pos not in ("n", "v"):
            raise unknown("taxonomy of the part of speech", pos, ("n", "v"))
        mine, theirs = self._subsumers(one, pos), self._subsumers(other, pos)
        return max([mine[above] for above in mine.keys() & theirs.keys()], default=0.0)

    def _forms(self, word: str, part: str) -> Iterator[str]:
        """Yield the forms of a word in lower case that WordNet has."""
        forms = self._exceptions[part].get(word)
        if forms is None:
            endings = self._endings[part]
            forms = [word.removesuffix(old) + new for old, new in endings if word.endswith(old)]
        senses = self._senses[part]
        return (form for form in (word, *forms) if form in senses)

    def _synsets(self, word: str, part: str) -> set[int]:
        senses = self._senses[part]
        forms = self._forms(word.lower(), part)
        return set(itertools.chain.from_iterable(senses[form] for form in forms))

    @functools.lru_cache(_WORDS_KEPT)
    def _distances(self, word: str) -> dict[int, int]:
        """Return the steps from the nearest sense of a word up to all synsets above one."""
        nearest: dict[int, int] = {}
        for part, hypernyms in self._hypernyms.items():
            for synset in self._synsets(word, part):
                steps = _steps_up(synset, hypernyms)
                if part == "v":
                    steps[_ROOT_OF_VERBS] = max(steps.values()) + 1
                for above, count in steps.items():
                    nearest[above] = min(count, nearest.get(above, count))
        return nearest

    @functools.cache
    def _information(self, part: str) -> dict[int, float]:
        """Return the intrinsic information content of all synsets of a part of speech."""
        hypernyms = self._hypernyms[part]
        below = Counter(
            itertools.chain.from_iterable(_steps_up(each, hypernyms) for each in hypernyms)
        )
        total = len(hypernyms)
        return {
            synset: 0.0 if count == total else 1 - math.log(count) / math.log(total)
            for synset, count in below.items()
        }

    @functools.lru_cache(_WORDS_KEPT)
    def _subsumers(self, word: str, part: str) -> dict[int, float]:
        """Return the information content of a word's synsets and all above them."""
        hypernyms, information = self._hypernyms[part], self._information(part)
        synsets = self._synsets(word, part)
        return {
            above: information[above] for each in synsets for above in _steps_up(each, hypernyms)
        }


def load_wordnet(folder: str | Path) -> WordNet:
    r"""Return the WordNet in a folder, which is read only once.

    Parameters
    ----------
    folder : path
        The folder with ``data.noun``, ``noun.exc`` and so on, or a zip archive of it.
        `stsbaselines.data.corpora.find_wordnet` finds it.

    Raises
    ------
    InputError
        If a file is missing or damaged.

    Examples
    --------
    >>> import tempfile
    >>> lines = [
    ...     "00000000 03 n 01 animal 0 000 | it lives and moves",
    ...     "00000051 05 n 02 dog 0 hound 0 001 @ 00000000 n 0000 | it barks",
    ...     "00000115 05 n 01 cat 0 001 @ 00000000 n 0000 | it purrs",
    ... ]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("noun", "verb", "adj", "adv"):
    ...         text = "\n".join(lines) if name == "noun" else ""
    ...         _ = Path(folder, f"data.{name}").write_text(text)
    ...         _ = Path(folder, f"{name}.exc").write_text("")
    ...     wordnet = load_wordnet(folder)
    >>> wordnet.lemma("Hounds", "NNS")
    'hound'
    >>> wordnet.path_similarity("dog", "cat")
    0.3333333333333333
    >>> wordnet.resnik("dog", "hound", "n")
    1.0
    """
    return _load(Path(os.path.realpath(folder)))


_load = functools.cache(WordNet)


def _content(folder: Path, name: str) -> bytes:
    """Return the content of a file in a folder, or in a zip archive of a folder."""
    if folder.suffix != ".zip":
        return read_whole(folder / name)
    try:
        with open_zip(folder) as archive:
            return archive.read(f"{folder.stem}/{name}")
    except KeyError:
        raise InputError([Fault(str(folder), f"no {name}", "the files of WordNet")]) from None


def _exceptions(folder: Path, part: str) -> dict[str, list[str]]:
    lines = _content(folder, f"{part}.exc").decode("utf-8", "replace").splitlines()
    rows = (line.split() for line in lines if line.strip())
    return {word: forms for word, *forms in rows}


def read_synsets(folder: Path, part: str) -> Iterator[Synset]:
    """Yield the synsets of the data file of a part of speech (noun, verb, adj, adv), in order."""
    source = folder / f"data.{part}"
    content = _content(folder, source.name)
    if is_without_newlines(content) or (part == "noun" and not content):
        raise InputError([Fault(str(source), "no lines", "the whole file")])
    for row, line in enumerate(content.decode("utf-8", "replace").split("\n"), 1):
        if not line or line.startswith(" "):
            continue
        try:
            fields, gloss = line.split(" | ", 1)
            columns = fields.split(" ")
            start = 4 + 2 * int(columns[3], 16)
            end = start + 1 + 4 * int(columns[start])
            pointers = range(start + 1, end, 4)
            above = tuple(int(columns[at + 1]) for at in pointers if columns[at] in _HYPERNYMS)
            words = [word.partition("(")[0] for word in columns[4:start:2]]
            synset = Synset(int(columns[0]), words, above, gloss.strip())
        except (ValueError, IndexError):
            raise InputError([Fault(str(source), shown(line), "a synset", row)]) from None
        yield synset


def _taxonomy(
    folder: Path, part: str, number: int
) -> tuple[dict[str, Synsets], dict[int, Synsets]]:
    """Return the synsets of each word, and the hypernyms of each synset, of a data file.

    A synset is named by its offset in the file, after the number of the file.
    """
    senses: dict[str, list[int]] = {}
    hypernyms: dict[int, Synsets] = {}
    first = number * 10**8
    for synset in read_synsets(folder, part):
        hypernyms[first + synset.offset] = tuple(first + above for above in synset.hypernyms)
        for word in synset.words:
            senses.setdefault(word.lower(), []).append(first + synset.offset)
    for above in itertools.chain.from_iterable(hypernyms.values()):
        if above not in hypernyms:
            found = f"a hypernym {above - first:08} that is no synset"
            raise InputError([Fault(str(folder / f"data.{part}"), found, "the whole file")])
    return {word: tuple(synsets) for word, synsets in senses.items()}, hypernyms


def _steps_up(synset: int, hypernyms: dict[int, Synsets]) -> dict[int, int]:
    """Return the least steps from a synset up to itself and all synsets above it."""
    steps = {synset: 0}
    queue = deque([synset])
    while queue:
        below = queue.popleft()
        for above in hypernyms[below]:
            if above not in steps:
                steps[above] = steps[below] + 1
                queue.append(above)
    return steps
