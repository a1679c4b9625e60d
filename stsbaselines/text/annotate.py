"""What a text says: its words, verbs, persons, places and dates, by one of several annotators.

==================  ======================================================================
``builtin``         the taggers and rules of this package; needs nothing else
``corenlp``         a CoreNLP server at http://localhost:9000; ``corenlp:URL``: at another
``stanza``          Stanza, its models in its own folder; ``stanza:FOLDER``: in another
``spacy:MODEL``     spaCy, with a model that is installed or in a folder
==================  ======================================================================

Texts of over 10,000 characters are read in parts of whole sentences.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple, Protocol

from stsbaselines.errors import InputError, unknown
from stsbaselines.text.chunker import load_chunker
from stsbaselines.text.dates import Date, Years, find_dates, years_of
from stsbaselines.text.names import creator_names, load_names_tagger
from stsbaselines.text.words import treebank_tokens

KNOWN_NAMES = ("builtin", "corenlp", "corenlp:URL", "stanza", "stanza:FOLDER", "spacy:MODEL")
PERSON_KINDS = frozenset({"PER", "PERSON"})
LOCATION_KINDS = frozenset(
    {"LOC", "LOCATION", "GPE", "FAC", "CITY", "COUNTRY", "STATE_OR_PROVINCE"}
)
DATE_KIND = "DATE"
LONGEST_PART = 10_000
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


class Annotation(NamedTuple):
    """What a text says.

    Parameters
    ----------
    tokens : tuple of str
        Its words and punctuation marks, as the annotator parts them.
    verbs : tuple of str
        The verbs as written, in order: tags ``VB``, ``VBD``, ...; not modal verbs.
    persons, locations : tuple of str
        Names as written, in order, repeated ones as often as they occur.
    dates : tuple of Date
        Dates of which the years are known, in order, with their places in the text.
    """

    tokens: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    persons: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()
    dates: tuple[Date, ...] = ()


class Annotator(Protocol):
    """Anything that finds out what texts say.

    Attributes
    ----------
    name : str
        As `annotator_named` takes it.
    """

    @property
    def name(self) -> str:
        """The name by which `annotator_named` returns it."""

    def annotate(self, texts: Sequence[str], field: str = "") -> list[Annotation]:
        """Return what each text says.

        Parameters
        ----------
        texts : sequence of str
            Any texts, also empty ones. Control characters count as blanks, and bytes that
            were not UTF-8 (surrogate escapes) as Latin-1 letters.
        field : str
            What the texts are. All names of a ``creator`` are persons, and no others are
            looked for; a ``date`` is one date if it can be read as one.

        Returns
        -------
        list of Annotation
            One a text, in order.
        """


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
        If there is none of that name, or what it needs is not installed.

    Examples
    --------
    >>> [said] = annotator_named("builtin").annotate(["She painted the bridge in 1905."])
    >>> said.verbs, [date.text for date in said.dates]
    (('painted',), ['1905'])
    """
    kind, colon, place = name.partition(":")
    if name == "builtin":
        return _Annotator(name, _annotate_by_rules)
    if kind == "corenlp" and bool(colon) == bool(place):
        from stsbaselines.text import _corenlp

        return _Annotator(name, _corenlp.reader(place or _corenlp.DEFAULT_URL))
    if kind == "stanza" and bool(colon) == bool(place):
        from stsbaselines.text import _stanza

        return _Annotator(name, _stanza.reader(place or None))
    if kind == "spacy" and place:
        from stsbaselines.text import _spacy

        return _Annotator(name, _spacy.reader(place))
    raise unknown("annotator", name, KNOWN_NAMES)


Reader = Callable[[list[str]], Iterable[Annotation]]
"""What an annotator is made of: it gets parts of texts, none blank, all plain and short."""


@dataclass(frozen=True)
class _Annotator:
    """What all annotators do alike, around a reader."""

    name: str
    read: Reader

    def annotate(self, texts: Sequence[str], field: str = "") -> list[Annotation]:
        plain = [plain_text(text) for text in texts]
        parts = [list(text_parts(text)) for text in plain]
        distinct = list(dict.fromkeys(part for _, part in chain.from_iterable(parts)))
        said = dict(zip(distinct, self.read(distinct), strict=True)) if distinct else {}
        return [
            _by_field(_joined([(start, said[part]) for start, part in mine]), text, field)
            for text, mine in zip(plain, parts, strict=True)
        ]


def _joined(parts: Sequence[tuple[int, Annotation]]) -> Annotation:
    """Return what a text says of which the parts, each with its start, say this."""
    return Annotation(
        tokens=tuple(token for _, said in parts for token in said.tokens),
        verbs=tuple(verb for _, said in parts for verb in said.verbs),
        persons=tuple(person for _, said in parts for person in said.persons),
        locations=tuple(location for _, said in parts for location in said.locations),
        dates=tuple(_moved(date, start) for start, said in parts for date in said.dates),
    )


def _moved(date: Date, start: int) -> Date:
    return date._replace(start=date.start + start, end=date.end + start)


def _by_field(said: Annotation, text: str, field: str) -> Annotation:
    """Return what the text of a field says, by the rules that all annotators share."""
    if field == "creator":
        return said._replace(persons=tuple(creator_names(text)))
    if field == "date":
        return said._replace(dates=tuple(_dates_of(text)))
    return said


def _dates_of(expression: str, given: Years | None = None) -> list[Date]:
    """Return the date that an expression is, with years from it or given, else those in it."""
    years = years_of(expression) or given
    if years is None:
        return find_dates(expression)
    return [Date(expression, years, 0, len(expression))]


class Mention(NamedTuple):
    """A name or a date in a text.

    Parameters
    ----------
    kind : str
        The annotator's name for what it is, as ``PERSON``, ``GPE`` or ``DATE``.
    start, end : int
        Where it is in the text.
    years : Years or None
        Of a date, the years that the annotator gives, if it gives any.
    """

    kind: str
    start: int
    end: int
    years: Years | None = None


def annotation_of(
    text: str, tokens: Iterable[str], verbs: Iterable[str], mentions: Iterable[Mention]
) -> Annotation:
    """Return what a text says in which names and dates are marked.

    The years of a date are those of `years_of`, else those that the annotator gives, else
    those of the dates that `find_dates` finds in it.

    Examples
    --------
    >>> said = annotation_of("Ann, 1905", [], [], [Mention("DATE", 5, 9), Mention("PER", 0, 3)])
    >>> said.persons, [(date.text, date.start) for date in said.dates]
    (('Ann',), [('1905', 5)])
    """
    persons: list[str] = []
    locations: list[str] = []
    dates: list[Date] = []
    for kind, start, end, given in sorted(mentions, key=lambda mention: mention[1:3]):
        words = text[start:end]
        if kind in PERSON_KINDS:
            persons.append(words)
        elif kind in LOCATION_KINDS:
            locations.append(words)
        elif kind == DATE_KIND:
            dates += [_moved(date, start) for date in _dates_of(words, given)]
    return Annotation(tuple(tokens), tuple(verbs), tuple(persons), tuple(locations), tuple(dates))


def verbs_of(tokens: Iterable[str], tags: Iterable[str | None]) -> list[str]:
    """Return the tokens with a letter that are tagged as verbs of the Penn Treebank.

    Examples
    --------
    >>> verbs_of(["``", "I", "can", "swim"], ["VB", "PRP", "MD", "VB"])
    ['swim']
    """
    return [
        token
        for token, tag in zip(tokens, tags, strict=True)
        if tag is not None and tag.startswith("VB") and any(map(str.isalpha, token))
    ]


def extra_package(name: str) -> Any:
    """Import a package that comes with an extra of the same name.

    Raises
    ------
    InputError
        If it cannot be imported; it says how to install it.
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError(
            f"annotator {name!r} cannot import {name} ({one_line(error)}): "
            f"pip install 'stsbaselines[{name}]'"
        ) from None


def one_line(error: Exception) -> str:
    r"""Return what an error of another package says, on one line.

    Examples
    --------
    >>> one_line(ValueError("no such\n  file"))
    'no such file'
    """
    return " ".join(str(error).split()) or type(error).__name__


def plain_text(text: str) -> str:
    r"""Return a text of the same length without control characters and surrogates.

    Unlike by `stsbaselines.files.readable`, each byte that was not UTF-8 is read as Latin-1
    by itself, so that all else stays in its place.

    Examples
    --------
    >>> plain_text("caf\udce9\tParis")
    'café Paris'
    """
    return _CONTROL.sub(" ", _SURROGATE.sub(_letter, text))


def _letter(surrogate: re.Match[str]) -> str:
    byte = ord(surrogate[0]) - 0xDC00
    return chr(byte) if 0x80 <= byte <= 0xFF else "\ufffd"


def text_parts(text: str, longest: int = LONGEST_PART) -> Iterator[tuple[int, str]]:
    """Yield the parts of a text that are not blank, each with its start.

    A part is as many whole sentences as fit; a longer sentence is cut before the word that
    does not fit, and a longer word anywhere.

    Examples
    --------
    >>> list(text_parts("It rains. They all walk on. Why?", longest=18))
    [(0, 'It rains. '), (10, 'They all walk on. '), (28, 'Why?')]
    """
    return _filled(text, _part_ends(text, longest))


def text_sentences(text: str) -> Iterator[tuple[int, str]]:
    """Yield the sentences of a text that are not blank, each with its start.

    A sentence ends with ``.``, ``!`` or ``?`` and closing quotes or brackets, before blanks
    and a capital letter or a digit; not with the full stop of a single letter or of a common
    abbreviation.

    Examples
    --------
    >>> list(text_sentences("Built by J. Smith c. 1905. It burnt down."))
    [(0, 'Built by J. Smith c. 1905. '), (27, 'It burnt down.')]
    """
    return _filled(text, [*_sentence_ends(text), len(text)])


def _filled(text: str, ends: Iterable[int]) -> Iterator[tuple[int, str]]:
    start = 0
    for end in ends:
        if text[start:end].strip():
            yield start, text[start:end]
        start = end


def _sentence_ends(text: str) -> Iterator[int]:
    for end in _SENTENCE_END.finditer(text):
        word = end["word"] or ""
        if end["mark"] != "." or not (len(word) == 1 or word.lower() in _ABBREVIATIONS):
            yield end.end()


def _part_ends(text: str, longest: int) -> Iterator[int]:
    start = fitting = 0
    for end in [*_sentence_ends(text), len(text)]:
        if end - start > longest and fitting > start:
            yield fitting
            start = fitting
        while end - start > longest:
            blank = text.rfind(" ", start, start + longest)
            start = start + longest if blank < start else blank + 1
            yield start
        fitting = end
    yield len(text)


def _annotate_by_rules(texts: list[str]) -> Iterator[Annotation]:
    return map(_annotate_one, texts)


def _annotate_one(text: str) -> Annotation:
    chunker, names_tagger = load_chunker(), load_names_tagger()
    tokens: list[str] = []
    verbs: list[str] = []
    mentions: list[Mention] = []
    for start, sentence in text_sentences(text):
        words = treebank_tokens(sentence)
        places = token_places(sentence, words)
        tokens += words
        verbs += verbs_of(words, chunker.tags(words))
        mentions += [
            Mention(name.kind, start + places[name.start][0], start + places[name.end - 1][1])
            for name in names_tagger.names(words)
        ]
    return annotation_of(text, tokens, verbs, mentions)._replace(dates=tuple(find_dates(text)))


def token_places(text: str, tokens: Sequence[str]) -> list[tuple[int, int]]:
    """Return where the tokens of `treebank_tokens` are in their text.

    Examples
    --------
    >>> token_places('a "b"', ["a", "``", "b", "''"])
    [(0, 1), (2, 3), (3, 4), (4, 5)]
    """
    places, end = [], 0
    for token in tokens:
        start = end
        while text[start].isspace():
            start += 1
        is_quote = text[start] == '"' != token[0]
        end = start + (1 if is_quote else len(token))
        places.append((start, end))
    return places
