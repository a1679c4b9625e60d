"""Dates in English text: years, decades, centuries, ranges of them, and what is before or after.

A pattern finds one date, or two with a dash or a word between them. What a date of a range lacks
is taken from its neighbour: "1712-5", "11th-14th century", "340-290 BC".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

LATEST = 2999
PLAUSIBLE = range(1000, 2030)  # years that need no other sign of a date
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first"
)
_PARTS_OF_CENTURY = {
    (1, 33): ["early"],
    (34, 66): ["mid", "middle"],
    (67, 100): ["late", "end"],
    (1, 50): ["first half", "1st half"],
    (51, 100): ["second half", "2nd half", "last half", "latter half"],
    (1, 25): ["first quarter", "1st quarter"],
    (26, 50): ["second quarter", "2nd quarter"],
    (51, 75): ["third quarter", "3rd quarter"],
    (76, 100): ["fourth quarter", "4th quarter", "last quarter"],
}
_PARTS = {name: years for years, names in _PARTS_OF_CENTURY.items() for name in names}


def _any_of(names: Iterable[str]) -> str:
    return "(?:" + "|".join(sorted(names, key=len, reverse=True)).replace(" ", r"\s") + ")"


# Every repetition is bounded, so that the time is linear whatever the text.
_DASH = "[-\u2010-\u2015/]"
_ABOUT = r"(?:(?:c|ca|circa|about|around|probably)\b\.?,?\s{0,2}|c(?=\d)|\?)?"
_BOUND = (
    r"(?P<before>before|pre)|(?P<until>until|no\slater\sthan)"
    r"|(?P<after>after|post)|(?P<since>since|no\searlier\sthan|not\sbefore)"
)
_PREFIX = rf"(?:(?:{_BOUND})[\s-]{{1,2}}(?:the\s)?)?{_ABOUT}"
_PART = rf"(?:(?P<part>{_any_of(_PARTS)})[\s-]{{1,2}}(?:of\s)?(?:the\s)?)?"
_CENTURY = (
    rf"(?:(?P<ordinal>\d{{1,2}})(?:st|nd|rd|th)|(?P<word>{_any_of(_ORDINALS.split())}))"
    r"(?P<century>[\s-]{1,2}(?:century|centuries|c))?\b"
)
_DECADE = r"(?P<decade>\d{1,3}0)['\u2019]?s\b"
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_MONTH = (
    rf"(?:{_DAY}\s{{1,2}}(?:of\s)?)?"
    r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|spring|summer|autumn|winter)[a-z]{0,6}"
    rf"\.?,?\s{{0,2}}(?:{_DAY}(?:{_DASH}{_DAY})?,?\s{{1,2}})?"
)
_MEASURE = r"\s?(?:[x\u00d7%]|(?:[cmk]?m|ft|feet|foot|inch(?:es)?|miles|acres|k?g|lbs?|francs)\b)"
_STREET = r"(?:\s(?-i:[A-Z])\w{1,20}){1,3}\s(?:street|road|avenue|drive|lane)\b"
_YEAR = (
    rf"(?:(?:\d{{1,2}}/){{1,2}}|{_MONTH})?(?P<ad>(?-i:AD)\s)?(?P<year>\d{{1,4}})(?:-\d\d-\d\d)?"
    rf"(?:(?!\w|[.:]\d|,\d{{1,3}}\b|{_MEASURE}|{_STREET})|(?=(?-i:AD|BC|CE)))"
)
_ERA = r"(?:\s{0,2}(?P<era>(?-i:AD|CE|BCE?)\b|(?-i:B\.C\.)))?"
_SUFFIX = (
    rf"(?:(?P<later>\s(?:or|and)\s(?:later|after)\b|\sonwards?\b|{_DASH}(?=$|[)\]])"
    rf"|\s?(?:to\s(?:the\s)?|{_DASH})\s?present\b)|(?P<earlier>\s(?:or|and)\s(?:earlier|before)\b))?"
)
_DATE = f"{_PART}(?:{_CENTURY}|{_DECADE}|{_YEAR}){_ERA}{_SUFFIX}"
_START = (  # not within a number, an amount of money or a catalogue number
    r"(?<![\w\u00a3$\u20ac#/-])(?<!\d[.:\u2013])(?!(?<=\d,)\d{3}\b)(?<!\bno\.\s)(?<!\broom\s)(?<!\bx\s)"
)
_JOIN = rf"\??\s?(?P<join>{_DASH}|to|and|or|until)\s?(?:the\s)?"
_FIRST = re.compile(_START + _PREFIX + _DATE, re.IGNORECASE)
_SECOND = re.compile(_JOIN + _ABOUT + _DATE, re.IGNORECASE)


class Years(NamedTuple):
    """The first and the last year, negative before Christ, None if open."""

    start: int | None
    end: int | None


class Date(NamedTuple):
    """A date as written, its years, and where it starts and ends in the text."""

    text: str
    years: Years
    start: int
    end: int


class _Unit(NamedTuple):
    """One date as written."""

    kind: str  # year, decade, century; ordinal if the next date says whether it is a century
    number: int
    digits: int  # of a year or decade
    part: str
    era: str


def years_of(expression: str) -> Years | None:
    """Return the years of a date expression, such as the date field of a catalogue."""
    first = next(_dates(expression, range(100, LATEST + 1)), None)
    return first.years if first else None


def find_dates(text: str) -> list[Date]:
    """Return the dates that a text names, from left to right, without overlap.

    A year without an era is a number from 1000 to 2029 that is not a measure, an amount of
    money or a part of a longer number.
    """
    return list(_dates(text, PLAUSIBLE))


def _dates(text: str, plausible: range) -> Iterator[Date]:
    place = 0
    while first := _FIRST.search(text, place):
        start, place = first.span()
        last, units = first, [_unit(first)]
        second = None if first["later"] or first["earlier"] else _SECOND.match(text, place)
        if second and (both := _completed(units[0], _unit(second), second["join"].lower())):
            last, units, place = second, both, second.end()
        years = _years(units)
        is_clear = any(unit.era or unit.kind == "century" for unit in units)
        if years and (is_clear or all(unit.number in plausible for unit in units)):
            yield Date(text[start:place], _bounded(years, first, last), start, place)


def _unit(match: re.Match[str]) -> _Unit:
    part = " ".join((match["part"] or "").lower().split())
    era = match["ad"] or match["era"] or ""
    if match["ordinal"] or match["word"]:
        word = match["word"]
        number = _ORDINALS.split().index(word.lower()) + 1 if word else int(match["ordinal"])
        return _Unit("century" if match["century"] else "ordinal", number, 0, part, era)
    kind = "decade" if match["decade"] else "year"
    return _Unit(kind, int(match[kind]), len(match[kind]), part, era)


def _completed(first: _Unit, second: _Unit, join: str) -> list[_Unit] | None:
    """Complete each date of a range from the other; return None if it is no range."""
    first = first._replace(era=first.era or second.era)
    if second.kind == "century" and (first.kind == "ordinal" or 0 < first.digits < 3):
        first = first._replace(kind="century", digits=0)
    is_short = second.digits < 3 <= first.digits and second.kind in {"year", "decade"}
    if is_short and not second.era:
        if second.kind == "year" and join in {"and", "to"}:  # "in 1910 and 12 others"
            return None
        size = 10**second.digits
        number = first.number // size * size + second.number
        is_month = second.kind == "year" and second.digits == 2 and 1 <= second.number <= 12
        if number < first.number and is_month:  # "1925-04"
            number = first.number
        second = second._replace(number=number, digits=first.digits)
    both = [first, second]
    is_dash = not join.isalpha() and (first.digits > 2 or first.era)  # "1715-1712" is no date
    return both if is_dash or _years(both) else None


def _years(units: list[_Unit]) -> tuple[int, int] | None:
    """Return the first and the last year of one date or two; None if they make no sense."""
    spans = [_span(unit) for unit in units]
    start, end = spans[0][0], spans[-1][1]
    makes_sense = all(first <= last for first, last in spans) and start <= end <= LATEST
    return (start, end) if makes_sense else None


def _span(unit: _Unit) -> tuple[int, int]:
    """Return the first and the last year of one date; (0, -1) if it is none by itself."""
    kind, number, digits, part, era = unit
    before_christ = era[:1] == "B"
    if number == 0 or kind == "ordinal" or (digits in {1, 2} and not era):
        return 0, -1
    first, last = _PARTS.get(part, (1, 100))
    if kind == "century":
        start = -100 * number if before_christ else 100 * (number - 1) + 1
        return start + first - 1, start + last - 1
    if kind == "year":
        return (-number, -number) if before_christ else (number, number)
    if before_christ:
        return -number - 9, -number
    if part and number % 100 == 0:  # "early 1900s": of the century
        return number + (first if first > 1 else 0), number + min(last, 99)
    return number - (1 - first) // 10, number - (-last // 10) - 1  # the same share of ten years


def _bounded(years: tuple[int, int], first: re.Match[str], last: re.Match[str]) -> Years:
    """Return years, or those before or after them."""
    start, end = years
    if first["before"]:
        return Years(None, start)
    if first["after"]:
        return Years(end, None)
    if first["until"] or last["earlier"]:
        return Years(None, end)
    if first["since"] or last["later"]:
        return Years(start, None)
    return Years(start, end)
