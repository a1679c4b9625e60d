"""Dates in English text: years, decades, centuries, ranges of them, and what is before or after.

Rules, in two steps: a text is read as tokens (a month with its days, a decade, "or later"), and
tokens as dates by a small grammar:

    dates = ["between" | "from"] date {("-" | "to" | "and" | "or") date}
    date  = ["before" | "after" | "early" | "circa"] unit ["BC" | "or later" | "?"]
    unit  = year | month year | day month year | decade | century | period

Several dates give the years from the first to the last. What a date lacks it has from its
neighbour: "1712-5", "11th-14th century", "May - June 1871", "340-290 BC".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

EARLIEST, LATEST = -9999, 2999  # years
PLAUSIBLE = range(1000, 2030)  # years that need no other sign of a date
_LONGEST_RANGE = 4  # dates of one range, so that the search is linear whatever the text
_LONGEST_AFFIX = 5  # tokens before or after the unit of a date, for the same reason

# Chinese dynasties and reigns, Japanese and Korean periods.
_PERIODS = {
    "shang": (-1600, -1046),
    "zhou": (-1046, -256),
    "western zhou": (-1046, -771),
    "eastern zhou": (-770, -256),
    "qin": (-221, -206),
    "han": (-206, 220),
    "western han": (-206, 9),
    "eastern han": (25, 220),
    "western jin": (265, 316),
    "eastern jin": (317, 420),
    "northern wei": (386, 534),
    "sui": (581, 618),
    "tang": (618, 907),
    "liao": (907, 1125),
    "song": (960, 1279),
    "northern song": (960, 1127),
    "southern song": (1127, 1279),
    "yuan": (1271, 1368),
    "ming": (1368, 1644),
    "qing": (1644, 1911),
    "xuande": (1426, 1435),
    "chenghua": (1465, 1487),
    "jiajing": (1522, 1566),
    "wanli": (1573, 1620),
    "kangxi": (1662, 1722),
    "yongzheng": (1723, 1735),
    "qianlong": (1736, 1795),
    "jiaqing": (1796, 1820),
    "daoguang": (1821, 1850),
    "guangxu": (1875, 1908),
    "nara": (710, 794),
    "heian": (794, 1185),
    "kamakura": (1185, 1333),
    "muromachi": (1336, 1573),
    "momoyama": (1573, 1603),
    "edo": (1603, 1868),
    "meiji": (1868, 1912),
    "taisho": (1912, 1926),
    "showa": (1926, 1989),
    "goryeo": (918, 1392),
    "joseon": (1392, 1910),
}
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first"
)
# Parts of a century: their first and last year, from 1 to 100.
_PARTS = {
    **dict.fromkeys(["early", "beginning"], (1, 33)),
    **dict.fromkeys(["mid", "middle"], (34, 66)),
    **dict.fromkeys(["late", "later", "end"], (67, 100)),
    **dict.fromkeys(["first half", "1st half"], (1, 50)),
    **dict.fromkeys(["second half", "2nd half", "last half", "latter half"], (51, 100)),
    **dict.fromkeys(["first quarter", "1st quarter"], (1, 25)),
    **dict.fromkeys(["second quarter", "2nd quarter"], (26, 50)),
    **dict.fromkeys(["third quarter", "3rd quarter"], (51, 75)),
    **dict.fromkeys(["fourth quarter", "4th quarter", "last quarter"], (76, 100)),
}
_MONTHS = (
    "january february march april may june july august september october november december "
    "jan feb mar apr jun jul aug sep sept oct nov dec "
    "spring summer autumn fall winter easter christmas"
)
_LABELS = "no nos nr p pp page pages vol vols fig figs room"  # of numbers that are no years
_SUFFIXES = {
    "or_later": ["or later", "or after", "and later", "and after", "onward", "onwards"],
    "or_earlier": ["or earlier", "or before", "and earlier", "and before"],
}
_PHRASES = {
    "not_before": ["since", "no earlier than", "not earlier than", "not before"],
    "not_after": ["until", "till", "no later than", "not later than", "not after"],
    "before": ["before", "prior to", "pre"],
    "after": ["after", "post"],
    "between": ["between", "from"],
    "now": ["present", "now", "today"],
    "join": ["to", "and", "or", "through"],
    "about": ["circa", "about", "around", "approximately", "approx"],
    "perhaps": ["probably", "possibly", "perhaps", "likely"],
}
_ABBREVIATIONS = "AD CE A B C BC BCE bc bce c ca Ca"


def _any_of(names: Iterable[str]) -> str:
    """Return a pattern of the names, longest first."""
    longest_first = sorted(names, key=len, reverse=True)
    return "(?:" + "|".join(name.replace(" ", _SPACE) for name in longest_first) + ")"


def _first_words() -> frozenset[str]:
    """Return the words that tokens begin with, as they are written."""
    words = " ".join([_ORDINALS, _MONTHS, _LABELS]).split()
    names = chain(words, _PERIODS, _PARTS, *_SUFFIXES.values(), *_PHRASES.values())
    firsts = {re.split(r"\W", name)[0] for name in names}
    cases = (str.lower, str.capitalize, str.upper)
    return frozenset(_ABBREVIATIONS.split()).union(case(word) for word in firsts for case in cases)


# Every repetition is bounded or followed by what it cannot match: the search stays linear.
_BLANK = "[\\s\u00a0\u2009\u202f]"
_MAYBE_SPACE, _SPACE = _BLANK + "{0,3}", _BLANK + "{1,3}"
_DASH = "[-\u2010-\u2015]"
_DIGITS = r"\d[\d.,]{0,20}"
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?(?!\w)"
_DAYS = rf"{_DAY}(?:{_MAYBE_SPACE}(?:{_DASH}|/|&|and\b|to\b){_MAYBE_SPACE}{_DAY})?"
_MONTH = rf"{_any_of(_MONTHS.split())}(?![a-z_])\.?"
_ORDINAL = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|{_any_of(_ORDINALS.split())})(?!\w)"
_PART = _any_of(_PARTS)
_STREET = r"(?:Street|Road|Rd|Avenue|Ave|Drive|Lane|Boulevard|Blvd)"
_MEASURE = (
    r"(?:(?-i:[mck]?m)|ft|feet|foot|inch(?:es)?|yards?|acres?|miles?|"
    r"(?:kilo|centi|milli)?met(?:er|re)s?|[km]g|lbs?|oz|tons?|tonnes?|hours?|hrs|years?|people|"
    r"persons|men|women|soldiers|copies|pounds|dollars|guineas|francs|euros?|percent|per cent)\b|%"
)

# The kinds of tokens, of which the first that fits is taken. Other words are no tokens.
_TOKENS = {
    "no_date": (
        rf"[#№£$€¥]{_MAYBE_SPACE}{_DIGITS}"
        rf"|{_any_of(_LABELS.split())}{_MAYBE_SPACE}\.?{_MAYBE_SPACE}{_DIGITS}"
        rf"|{_DIGITS}{_MAYBE_SPACE}(?:[x\u00d7]{_MAYBE_SPACE}\d|{_MEASURE})"
        rf"|\d{{1,6}}(?-i:(?:{_SPACE}[A-Z][\w.']{{0,30}}){{1,3}}{_SPACE}{_STREET}\b)"
    ),
    "numeric": (
        r"\d{1,2}[/.-]\d{1,2}[/.-]\d{4}(?![\w/-]|\.\d)|\d{1,2}/\d{4}(?![\w/-]|\.\d)"
        r"|\d{4}[-/]\d\d[-/]\d\d(?![\w/-]|\.\d)"
    ),
    "month": (
        rf"(?:{_DAYS}{_MAYBE_SPACE}(?:of{_SPACE})?)?{_MONTH}(?:{_MAYBE_SPACE}{_DAYS})?"
        rf"(?:{_MAYBE_SPACE},|{_SPACE}of\b)?"
    ),
    "part": (
        rf"{_PART}(?:-?{_MAYBE_SPACE}(?:{_DASH}|to|or|and){_MAYBE_SPACE}{_PART})?(?!\w)"
        rf"(?:{_SPACE}(?:of|in)\b)?(?:{_SPACE}the\b)?-?"
    ),
    "century": rf"{_ORDINAL}{_MAYBE_SPACE}-?(?:centur(?:y|ies)|cent\.?|c\.?)(?!\w)",
    "ordinal": _ORDINAL,
    "decade": r"\d{1,3}0['\u2019]?s(?!\w)",
    "period": rf"{_any_of(_PERIODS)}{_SPACE}(?:dynasty|period|era|reign)\b",
    "era": r"(?-i:AD|CE|A\.D\.|C\.E\.|B\.C\.E\.|B\.C\.)(?!\w)|bce?\b",
    **{
        kind: rf"{_any_of(phrases)}(?!\w|{_SPACE}(?:c\.?{_MAYBE_SPACE})?\d)"
        for kind, phrases in _SUFFIXES.items()
    },
    **{
        kind: rf"{_any_of(phrases)}(?!\w)(?:{_SPACE}the\b)?-?" for kind, phrases in _PHRASES.items()
    },
    "circa": r"ca?\.|(?-i:[cC]a|c)\b,?|c(?=\d)|\?",
    "dash": rf"{_DASH}+|/",
    "ampersand": "&",
    "number": r"\d{1,4}(?:(?!\w|[.:]\d|,\d{1,3}(?!\d))|(?=(?-i:AD|BCE?|CE)\b))",
    "other_number": r"[a-z_]*\d(?:\w|[.,:](?=\d))*",
}
_TOKEN = re.compile(
    "|".join(f"(?P<{kind}>{pattern})" for kind, pattern in _TOKENS.items()),
    re.ASCII | re.IGNORECASE,
)
_WORD = re.compile(rf"\w+|{_DASH}+|[/&?#№£$€¥]")
_FIRST_WORDS = _first_words()
_PREFIXES = {"about", "perhaps", "circa", "part", "era"}
_PREFIXES |= {"before", "after", "not_before", "not_after"}
_UNITS = {"numeric", "month", "century", "ordinal", "decade", "period", "number"}
_NUMBERS = {"numeric", "decade", "number", "other_number", "no_date"}
_JOINS = {"dash", "join", "ampersand", "not_after"}


class Years(NamedTuple):
    """Years from a first to a last one.

    Attributes
    ----------
    start, end : int or None
        Both inclusive, negative before Christ; None if open.

    Examples
    --------
    >>> Years(1612, 1615).end
    1615
    """

    start: int | None
    end: int | None


class Date(NamedTuple):
    """A date that a text names.

    Attributes
    ----------
    text : str
        As written.
    years : Years
        What it means.
    start, end : int
        Where it stands: ``text[start:end]`` of the text.

    Examples
    --------
    >>> find_dates("Painted in May 1871.")[0].text
    'May 1871'
    """

    text: str
    years: Years
    start: int
    end: int


class _Token(NamedTuple):
    kind: str
    text: str
    start: int
    end: int
    gap: str  # what stands between the token before and this one, but for blanks


class _Item(NamedTuple):
    """One date of a range."""

    unit: str  # year, decade, century, period; if a neighbour must complete it, month, ordinal
    number: int = 0
    digits: int = 0  # as written, of a year or decade
    name: str = ""  # of a period
    part: str = ""
    era: str = ""
    bound: str = ""


class _Found(NamedTuple):
    years: Years | None  # None if this makes no sense, but is used up nonetheless
    items: list[_Item]
    end: int  # place of the token after it


def years_of(expression: str) -> Years | None:
    """Return the years that a date expression means, such as a date field of a catalogue.

    Parameters
    ----------
    expression : str
        Of several dates between commas, semicolons or brackets the first one counts.

    Returns
    -------
    Years or None
        None if the expression is no date, or makes no sense. "Circa" does not widen a date.

    Examples
    --------
    >>> years_of("c.1612-15")
    Years(start=1612, end=1615)
    >>> years_of("late 14th century")
    Years(start=1367, end=1400)
    >>> years_of("1733 or earlier")
    Years(start=None, end=1733)
    >>> years_of("undated") is None
    True
    """
    tokens = _tokens(expression)
    for place, token in enumerate(tokens):
        found = _date(tokens, place)
        if found and found.years and _ends_well(tokens, found.end):
            return found.years
        if found or token.kind in _NUMBERS | {"dash"}:
            return None
    return None


def find_dates(text: str) -> list[Date]:
    """Return the dates that a text names, from left to right.

    A year without a month, a century or an era near it is a number from 1000 to 2029 that is
    no measure, no amount of money and no part of a street address or a catalogue number.

    Parameters
    ----------
    text : str
        Running text.

    Returns
    -------
    list of Date
        They do not overlap. `years_of` gives the same years for the text of each.

    Examples
    --------
    >>> [date.text for date in find_dates("Built in 1712-15; rebuilt c. 1890 for $1500.")]
    ['1712-15', 'c. 1890']
    """
    tokens, dates, place = _tokens(text), [], 0
    while place < len(tokens):
        first, token = place, tokens[place]
        found = _date(tokens, first)
        place = found.end if found else first + 1
        if found and found.years and _is_plausible(found.items):
            end = _end_of(text, tokens[place - 1], token)
            if _stands_alone(text, token.start) and not _is_broken_off(tokens, first, place):
                dates.append(Date(text[token.start : end], found.years, token.start, end))
    return dates


def _tokens(text: str) -> list[_Token]:
    """Return the tokens of a text, and one for its end."""
    tokens, end = [], 0
    for match in _matches(text):
        start = match.start()
        gap = text[end:start].strip()
        end = match.end()
        tokens.append(_Token(match.lastgroup or "", match[0], start, end, gap))
    tokens.append(_Token("end", "", len(text), len(text), text[end:].strip()))
    return tokens


def _matches(text: str) -> Iterator[re.Match[str]]:
    """Yield the tokens of a text; most words are passed over quickly."""
    end = 0
    for word in _WORD.finditer(text):
        if word.end() <= end or (word[0].isalpha() and word[0] not in _FIRST_WORDS):
            continue
        place = max(end, word.start())
        while place < word.end() and (match := _TOKEN.match(text, place)):
            yield match
            place = end = match.end()


def _date(tokens: Sequence[_Token], place: int) -> _Found | None:
    """Return the dates that begin at a token, None if none do."""
    kind = tokens[place].kind
    if kind == "between":
        found = _range(tokens, place + 1) if not tokens[place + 1].gap else None
        return found if found and len(found.items) > 1 else None
    if kind not in _UNITS and kind not in _PREFIXES:
        return None
    found = _range(tokens, place)
    if found and found.items[-1].unit == "period" and tokens[found.end].gap in {"", ",", "("}:
        written = _range(tokens, found.end)
        if written and written.years:
            return written._replace(items=found.items + written.items)
    return found


def _range(tokens: Sequence[_Token], place: int) -> _Found | None:
    """Return the dates that begin at a token, read as one range."""
    items: list[_Item] = []
    ends: list[int] = []
    dashes: list[bool] = []
    found = _item(tokens, place)
    while found and len(items) < _LONGEST_RANGE:
        item, place = found
        items.append(item)
        ends.append(place)
        join = tokens[place]
        if join.kind not in _JOINS or join.gap:
            break
        dashes.append(join.kind == "dash")
        after = tokens[place + 1]
        if _is_open(join, after, item):
            items[-1] = item._replace(bound="or_later")
            ends[-1] = place + 1 + (after.kind == "now")
            break
        found = None if after.gap or _is_count(tokens, place) else _item(tokens, place + 1)
    for size in range(len(items), 0, -1):
        complete = _completed(items[:size])
        years = _years_of_range(complete)
        if years or (size > 1 and dashes[size - 2] and items[size - 1].unit == "year"):
            return _Found(years, complete, ends[size - 1])
    if items and items[0].unit not in {"month", "ordinal"}:
        return _Found(None, items[:1], ends[0])
    return None


def _is_open(join: _Token, after: _Token, item: _Item) -> bool:
    """Return whether a range has no end: "1977-present", "(born 1961-)"."""
    if after.kind == "now":
        return not after.gap
    dangling = after.gap[:1] in {")", "]"} or (after.kind == "end" and not after.gap)
    return join.kind == "dash" and dangling and item.unit == "year" and item.digits == 4


def _is_count(tokens: Sequence[_Token], place: int) -> bool:
    """Return whether a word and a short number follow that counts something: "and 12 others"."""
    join, number = tokens[place : place + 2]
    if join.kind == "dash" or number.kind != "number" or len(number.text) > 2:
        return False
    return tokens[place + 2].gap[:1].isalpha()


def _item(tokens: Sequence[_Token], place: int) -> tuple[_Item, int] | None:
    """Return the date that begins at a token, without its neighbours, and the place after it."""
    affixes = {"part": "", "era": "", "bound": ""}
    last = place + _LONGEST_AFFIX
    while place < last and _is_prefix(tokens, place):
        affixes.update(_affix(tokens[place]))
        place += 1
    if tokens[place].kind not in _UNITS:
        return None
    item, place = _unit(tokens, place)
    last = place + _LONGEST_AFFIX
    while place < last and not tokens[place].gap and _is_suffix(tokens[place]):
        affixes.update(_affix(tokens[place]))
        place += 1
    return _Item(item.unit, item.number, item.digits, item.name, **affixes), place


def _is_prefix(tokens: Sequence[_Token], place: int) -> bool:
    token = tokens[place]
    if token.kind not in _PREFIXES:
        return False
    following = tokens[place + 1]
    return not following.gap and (token.text != "?" or following.start == token.end)


def _is_suffix(token: _Token) -> bool:
    return token.kind in {"era", *_SUFFIXES} or token.text == "?"


def _affix(token: _Token) -> dict[str, str]:
    """Return what a token says of the unit that it stands before or after."""
    if token.kind in {"about", "perhaps", "circa"}:
        return {}
    if token.kind == "part":
        return {"part": token.text}
    if token.kind == "era":
        return {"era": "BC" if token.text[0] in "Bb" else "AD"}
    return {"bound": token.kind}


def _unit(tokens: Sequence[_Token], place: int) -> tuple[_Item, int]:
    """Return a date without what stands before or after its unit, and the place after it."""
    kind, text = tokens[place].kind, tokens[place].text
    following = tokens[place + 1]
    if kind == "month" and following.kind == "number" and not following.gap:
        return _Item("year", int(following.text), len(following.text)), place + 2
    if kind == "month":
        return _Item(kind), place + 1
    if kind == "period":
        return _Item(kind, name=" ".join(text.lower().split()[:-1])), place + 1
    if kind in {"century", "ordinal"}:
        return _Item(kind, _ordinal(text)), place + 1
    if kind == "numeric":
        return _Item("year", _year_of_day(text), 4), place + 1
    digits = re.findall(r"\d+", text)[0]
    return _Item("year" if kind == "number" else kind, int(digits), len(digits)), place + 1


def _ordinal(text: str) -> int:
    """Return the number of "14th century" or "fourteenth century"."""
    if text[0].isdigit():
        return int(re.findall(r"\d+", text)[0])
    words = re.findall(_any_of(_ORDINALS.split()), text.lower())
    return _ORDINALS.split().index(words[0]) + 1


def _year_of_day(text: str) -> int:
    """Return the year of "27/4/1925", "9/1925" or "1925-04-27"; 0 if there is no such day."""
    *rest, year = sorted(re.findall(r"\d+", text), key=len)
    month_and_day = sorted(map(int, rest))
    return int(year) if 1 <= month_and_day[0] <= 12 and month_and_day[-1] <= 31 else 0


def _completed(items: Sequence[_Item]) -> list[_Item]:
    """Return the dates of a range with what they have from their neighbours."""
    complete: list[_Item] = []
    for item in reversed(items):
        complete.append(_with_next(item, complete[-1]) if complete else item)
    complete.reverse()
    for place in range(1, len(complete)):
        complete[place] = _with_previous(complete[place], complete[place - 1])
    return complete


def _with_next(item: _Item, following: _Item) -> _Item:
    """Complete "11th" by "14th century", "May" by "June 1871", "340" by "290 BC"."""
    if following.era == "BC" and not item.era:
        item = item._replace(era="BC")
    if following.unit == "century" and (item.unit == "ordinal" or 0 < item.digits < 3):
        return item._replace(unit="century")
    if following.unit == "year" and item.unit == "month":
        return item._replace(unit="year", number=following.number, digits=following.digits)
    return item


def _with_previous(item: _Item, previous: _Item) -> _Item:
    """Complete "5" by "1712" and "60s" by "1840s"; "07" after "1925" is a month."""
    is_short = item.digits < 3 <= previous.digits and "BC" not in {item.era, previous.era}
    if item.unit not in {"year", "decade"} or not is_short:
        return item
    size = 10**item.digits
    number = previous.number // size * size + item.number
    is_month = item.unit == "year" and item.digits == 2 and 1 <= item.number <= 12
    if number < previous.number and is_month:
        number = previous.number
    return item._replace(number=number, digits=previous.digits)


def _years_of_range(items: Sequence[_Item]) -> Years | None:
    """Return the years from the first date to the last, None if they make no sense."""
    spans = [_span(item) for item in items]
    if not all(EARLIEST <= start <= end <= LATEST for start, end in spans):
        return None
    if all(0 < item.digits < 3 and not item.era for item in items):
        return None
    start, end = spans[0][0], spans[-1][1]
    bounded = [item for item in items if item.bound]
    if len(bounded) == 1 and (items[0].bound or items[-1].bound in _SUFFIXES):
        return _bounded(start, end, bounded[0].bound) if start <= end else None
    years = Years(
        _bounded(*spans[0], items[0].bound).start, _bounded(*spans[-1], items[-1].bound).end
    )
    if years.start is None or years.end is None:
        return years if years != Years(None, None) else None
    return years if years.start <= years.end else None


def _bounded(start: int, end: int, bound: str) -> Years:
    """Return years, or those before or after them."""
    bounds = {
        "before": Years(None, start),
        "not_after": Years(None, end),
        "or_earlier": Years(None, end),
        "after": Years(end, None),
        "not_before": Years(start, None),
        "or_later": Years(start, None),
    }
    return bounds.get(bound, Years(start, end))


def _span(item: _Item) -> tuple[int, int]:
    """Return first and last year of a date by itself, the last before the first if none."""
    number, before_christ = item.number, item.era == "BC"
    if item.unit == "period":
        return _PERIODS[item.name]
    if number == 0 or item.unit not in {"year", "decade", "century"}:
        return 0, -1
    first, last = _part(item.part)
    if item.unit == "century":
        start = -100 * number if before_christ else 100 * (number - 1) + 1
        return start + first - 1, start + last - 1
    if item.unit == "year":
        return (-number, -number) if before_christ else (number, number)
    if before_christ:
        return -number - 9, -number
    if item.part and number % 100 == 0:  # "early 1900s": of the century
        return number + (first if first > 1 else 0), number + min(last, 99)
    return number - (1 - first) // 10, number - (-last // 10) - 1  # the same share of ten years


def _part(text: str) -> tuple[int, int]:
    """Return first and last year of a part of a century, from 1 to 100: "mid- to late"."""
    names = [" ".join(name.lower().split()) for name in re.findall(_PART, text, re.I)]
    return (_PARTS[names[0]][0], _PARTS[names[-1]][1]) if names else (1, 100)


def _is_plausible(items: Sequence[_Item]) -> bool:
    """Return whether these must be dates, wherever they stand."""
    is_clear = any(item.era or item.unit in {"century", "period"} for item in items)
    return is_clear or all(item.number in PLAUSIBLE for item in items)


def _ends_well(tokens: Sequence[_Token], place: int) -> bool:
    """Return whether the first date of an expression is complete where it ends."""
    following = tokens[place]
    if following.kind in _JOINS and not following.gap:
        following = tokens[place + 1]
    return bool(following.gap) or following.kind not in _NUMBERS


def _is_broken_off(tokens: Sequence[_Token], first: int, place: int) -> bool:
    """Return whether a second number does not fit: "1850-9999", "between 1500 and 1600 mm"."""
    is_range = tokens[place].kind == "dash" or (first > 0 and tokens[first - 1].kind == "between")
    return is_range and not _ends_well(tokens, place)


def _stands_alone(text: str, start: int) -> bool:
    """Return whether a date is not what follows the hyphen of a catalogue number."""
    before = text[max(0, start - 2) : start]
    return not re.fullmatch(rf"\w[-/]|\d{_DASH}", before)


def _end_of(text: str, last: _Token, first: _Token) -> int:
    """Return where a date ends: past the bracket of a period, before a question mark."""
    written = text[first.start : last.end]
    if "(" in written and text[last.end : last.end + 1] == ")":
        return last.end + 1
    return first.start + len(written.rstrip("? \u00a0"))
