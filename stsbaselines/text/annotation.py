"""What a text says, and what all annotators of `stsbaselines.text.annotate` share."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from stsbaselines.errors import InputError
from stsbaselines.text.dates import Date, Years, find_dates, years_of
from stsbaselines.text.words import has_letter

PERSON_KINDS = frozenset({"PER", "PERSON"})
LOCATION_KINDS = frozenset(
    {"LOC", "LOCATION", "GPE", "FAC", "CITY", "COUNTRY", "STATE_OR_PROVINCE"}
)
DATE_KIND = "DATE"


class Annotation(NamedTuple):
    """What a text says, with words and names as written, in order."""

    tokens: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()  # not modal verbs
    persons: tuple[str, ...] = ()
    locations: tuple[str, ...] = ()
    dates: tuple[Date, ...] = ()  # whose years are known


Reader = Callable[[list[str]], Iterable[Annotation]]
"""Annotates plain texts that are not blank."""


def dates_of(expression: str, given: Years | None = None) -> list[Date]:
    """Return an expression as one date, with years from it or given, else the dates in it."""
    years = years_of(expression) or given
    if years is None:
        return find_dates(expression)
    return [Date(expression, years, 0, len(expression))]


class Mention(NamedTuple):
    """A name or a date in a text; `years` are those that the annotator gives for a date."""

    kind: str
    start: int
    end: int
    years: Years | None = None


def annotation_of(
    text: str, tokens: Iterable[str], verbs: Iterable[str], mentions: Iterable[Mention]
) -> Annotation:
    """Return the annotation of a text in which names and dates are marked."""
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
        if tag is not None and tag.startswith("VB") and has_letter(token)
    ]


def extra_package(module: str, annotator: str) -> Any:
    """Import a module that an annotator needs; the extra is called like its package."""
    name = module.partition(".")[0]
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise InputError(
            f"annotator {annotator!r} cannot import {name} ({one_line(error)}): "
            f"pip install 'stsbaselines[{name}]'"
        ) from None


def one_line(error: Exception) -> str:
    """Return the message of an error of another package on one line."""
    return " ".join(str(error).split()) or type(error).__name__
