"""An annotation: what a text says. What all annotators share; see `stsbaselines.text.annotate`."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from stsbaselines.errors import InputError
from stsbaselines.text.dates import Date, Years, find_dates, years_of

PERSON_KINDS = frozenset({"PER", "PERSON"})
LOCATION_KINDS = frozenset(
    {"LOC", "LOCATION", "GPE", "FAC", "CITY", "COUNTRY", "STATE_OR_PROVINCE"}
)
DATE_KIND = "DATE"


class Annotation(NamedTuple):
    """What a text says.

    Attributes
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


Reader = Callable[[list[str]], Iterable[Annotation]]
"""What an annotator is made of: it gets plain texts, none of them blank."""


def dates_of(expression: str, given: Years | None = None) -> list[Date]:
    """Return the date that an expression is, with years from it or given, else those in it."""
    years = years_of(expression) or given
    if years is None:
        return find_dates(expression)
    return [Date(expression, years, 0, len(expression))]


class Mention(NamedTuple):
    """A name or a date in a text: the annotator's name for its kind, and its place.

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
            for date in dates_of(words, given):
                dates.append(date._replace(start=start + date.start, end=start + date.end))
    return Annotation(tuple(tokens), tuple(verbs), tuple(persons), tuple(locations), tuple(dates))


def verbs_of(tokens: Iterable[str], tags: Iterable[str | None]) -> list[str]:
    """Return the tokens with a letter that are tagged as verbs of the Penn Treebank."""
    return [
        token
        for token, tag in zip(tokens, tags, strict=True)
        if tag is not None and tag.startswith("VB") and any(map(str.isalpha, token))
    ]


def extra_package(module: str, annotator: str) -> Any:
    """Import what an annotator needs, of a package that comes with an extra of the same name."""
    name = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(
            f"annotator {annotator!r} cannot import {name} ({one_line(error)}): "
            f"pip install 'stsbaselines[{name}]'"
        ) from None


def one_line(error: Exception) -> str:
    """Return what an error of another package says, on one line."""
    return " ".join(str(error).split()) or type(error).__name__
