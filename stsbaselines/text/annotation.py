"""What a text says, and what all annotators of `stsbaselines.text.annotate` share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from stsbaselines.text.dates import Date, Years, find_dates, years_of
from stsbaselines.text.words import has_letter

_PERSONS = {"PER", "PERSON"}
_LOCATIONS = {"LOC", "LOCATION", "GPE", "FAC", "CITY", "COUNTRY", "STATE_OR_PROVINCE"}


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
    text: str, tokens: Sequence[str], tags: Sequence[str | None], mentions: Iterable[Mention]
) -> Annotation:
    """Return what a text says, by its tokens with their Penn Treebank tags, and its names."""
    verbs = [
        token
        for token, tag in zip(tokens, tags, strict=True)
        if tag is not None and tag.startswith("VB") and has_letter(token)
    ]
    persons: list[str] = []
    locations: list[str] = []
    dates: list[Date] = []
    for kind, start, end, given in sorted(mentions, key=lambda mention: mention[1:3]):
        words = text[start:end]
        if kind in _PERSONS:
            persons.append(words)
        elif kind in _LOCATIONS:
            locations.append(words)
        elif kind == "DATE":
            for date in dates_of(words, given):
                dates.append(date._replace(start=start + date.start, end=start + date.end))
    return Annotation(tuple(tokens), tuple(verbs), tuple(persons), tuple(locations), tuple(dates))
