"""What a text says: its words, verbs, persons, places and dates, by one of several annotators.

==================  ======================================================================
``builtin``         the taggers and rules of this package; needs nothing else
``corenlp``         a CoreNLP server at http://localhost:9000; ``corenlp:URL``: another one
``stanza``          Stanza with its models in its own folder; ``stanza:FOLDER``: in another
``spacy:MODEL``     spaCy, with a model that is installed or in a folder
==================  ======================================================================
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from stsbaselines.errors import unknown
from stsbaselines.text._external import DEFAULT_URL, corenlp_reader, spacy_reader, stanza_reader
from stsbaselines.text.annotation import Annotation, Mention, Reader, annotation_of, dates_of
from stsbaselines.text.chunker import load_chunker
from stsbaselines.text.dates import find_dates
from stsbaselines.text.names import creator_names, load_names_tagger
from stsbaselines.text.words import treebank_tokens

KNOWN_NAMES = ("builtin", "corenlp", "corenlp:URL", "stanza", "stanza:FOLDER", "spacy:MODEL")
_NAME = re.compile("builtin|(corenlp|stanza)(:.+)?|spacy:.+", re.DOTALL)
_CONTROL = re.compile("[\0-\x1f\x7f-\x9f]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SENTENCE_END = re.compile(
    "(?P<word>\\b\\w{1,6})?(?P<mark>[.!?])[\"'\u201d\u2019)\\]]*"
    "\\s+(?=[\"'\u201c\u2018(\\[]?[^\\W_a-z])"
)
_ABBREVIATIONS = frozenset(
    [
        *("mr", "mrs", "ms", "dr", "prof", "rev", "hon", "capt", "col", "gen", "lt", "sgt"),
        *("st", "mt", "ft", "jr", "sr", "no", "nos", "vol", "fig", "pl", "ca", "cf", "vs"),
        *("jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec"),
    ]
)


@dataclass(frozen=True)
class Annotator:
    """Finds words, verbs, names and dates in texts. `annotator_named` makes it.

    Parameters
    ----------
    name : str
        The name by which `annotator_named` returns it.
    read : callable
        Returns the annotations of distinct texts that are not blank.
    """

    name: str
    read: Reader

    def annotate(self, texts: Sequence[str], field: str = "") -> list[Annotation]:
        """Return what each text says.

        Parameters
        ----------
        texts : sequence of str
            Control characters count as blanks, and bytes that were not UTF-8 (surrogate
            escapes) as Latin-1 letters.
        field : str
            What the texts are. All names of a ``creator`` are persons, found by rules that all
            annotators share; a ``date`` is one date if it can be read as one.

        Returns
        -------
        list of Annotation
            One per text, in order.
        """
        plain = [plain_text(text) for text in texts]
        distinct = list(dict.fromkeys(text for text in plain if text.strip()))
        found = dict(zip(distinct, self.read(distinct), strict=True))
        return [_by_field(found.get(text, Annotation()), text, field) for text in plain]


def _by_field(annotation: Annotation, text: str, field: str) -> Annotation:
    if field == "creator":
        return annotation._replace(persons=tuple(creator_names(text)))
    if field == "date":
        return annotation._replace(dates=tuple(dates_of(text)))
    return annotation


def annotator_named(name: str) -> Annotator:
    """Return the annotator of a name.

    Parameters
    ----------
    name : str
        ``builtin``, ``corenlp``, ``corenlp:URL``, ``stanza``, ``stanza:FOLDER`` or
        ``spacy:MODEL``.

    Raises
    ------
    InputError
        If there is no annotator of that name, or its package or model is not installed.

    Examples
    --------
    >>> [found] = annotator_named("builtin").annotate(["She painted the bridge in 1905."])
    >>> found.verbs, [date.text for date in found.dates]
    (('painted',), ['1905'])
    """
    check_name(name)
    kind, _, place = name.partition(":")
    if kind == "corenlp":
        return Annotator(name, corenlp_reader(place or DEFAULT_URL))
    if kind == "stanza":
        return Annotator(name, stanza_reader(place or None))
    if kind == "spacy":
        return Annotator(name, spacy_reader(place))
    return Annotator(name, lambda texts: map(_annotate_by_rules, texts))


def check_name(name: str) -> None:
    """Raise InputError if there is no annotator of that name; loads nothing."""
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        raise unknown("annotator", name, KNOWN_NAMES)


def plain_text(text: str) -> str:
    """Return a text of the same length without control characters and surrogates.

    Each byte that was not UTF-8 is read as one Latin-1 letter, so that all else keeps its place.
    """
    return _CONTROL.sub(" ", _SURROGATE.sub(_letter, text))


def _letter(surrogate: re.Match[str]) -> str:
    byte = ord(surrogate[0]) - 0xDC00
    return chr(byte) if 0x80 <= byte <= 0xFF else "\ufffd"


def text_sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a text that are not blank, each with its start.

    A sentence ends with ``.``, ``!`` or ``?`` and closing quotes or brackets, before blanks
    and a capital letter or a digit; not with the full stop of a single letter or of a common
    abbreviation.
    """
    start = 0
    for end in [*_sentence_ends(text), len(text)]:
        if text[start:end].strip():
            yield start, text[start:end]
        start = end


def _sentence_ends(text: str) -> Iterator[int]:
    for end in _SENTENCE_END.finditer(text):
        word = end["word"] or ""
        if end["mark"] != "." or not (len(word) == 1 or word.lower() in _ABBREVIATIONS):
            yield end.end()


def _annotate_by_rules(text: str) -> Annotation:
    chunker, names_tagger = load_chunker(), load_names_tagger()
    tokens: list[str] = []
    tags: list[str] = []
    mentions: list[Mention] = []
    for start, sentence in text_sentences(text):
        words = treebank_tokens(sentence)
        places = token_places(sentence, words)
        tokens += words
        tags += chunker.tags(words)
        mentions += [
            Mention(name.kind, start + places[name.start][0], start + places[name.end - 1][1])
            for name in names_tagger.names(words)
        ]
    return annotation_of(text, tokens, tags, mentions)._replace(dates=tuple(find_dates(text)))


def token_places(text: str, tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Return where the tokens of `treebank_tokens` are in their text."""
    places, end = [], 0
    for token in tokens:
        start = end
        while text[start].isspace():
            start += 1
        is_quote = text[start] == '"' != token[0]
        end = start + (1 if is_quote else len(token))
        places.append((start, end))
    return places
