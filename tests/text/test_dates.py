"""Dates in text: what an expression means, and where dates stand in prose."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.text.dates import LATEST, PLAUSIBLE, Date, Years, find_dates, years_of

MISSES = ["Ming dynasty"]  # of the expressions of date-expressions.tsv

# First and last year, and the expressions that mean them, separated by "|".
MEANINGS = {
    # years, also with others behind them, and qualified
    (1712, 1712): "1712|1712, reissued 1790|1712 (drawn); 1790 (cut)|1712,1790",
    (607, 607): "607",
    (1612, 1612): "c.1612|ca. 1612|circa 1612|around 1612|c\u00a01612|?1612|1612?|[1612]"
    "|engraved 1612",
    # ranges
    (1712, 1715): "1712-1715|1712\u201315|1712-5|1712-c.1715|1712 or 15|1712 or 1715"
    "|between 1712 and 1715|from 1712 to 1715",
    (1712, 1713): "1712/13",
    (1961, None): "1961-|1961-present|1961 to the present",
    # bounds
    (None, 1712): "before 1712|pre-1712|before 1712-1715|no later than 1712|until 1712"
    "|1712 or earlier|1712 or before",
    (1712, None): "after 1712|not before 1712|since 1712|1712 or later|1712 onwards"
    "|1712-1715 or later|1712 and after 1715",
    (1715, None): "after 1712-1715",
    (None, 1715): "1712-1715 or earlier",
    # decades
    (1730, 1739): "1730s|1730's",
    (1730, 1733): "early 1730s",
    (1734, 1736): "mid-1730s",
    (1737, 1739): "late 1730s",
    (1730, 1734): "first half of the 1730s",
    (1730, 1749): "1730s-40s|1730-1740s",
    (1737, 1743): "late 1730s or early 1740s",
    (1800, 1833): "early 1800s",
    (1834, 1866): "mid-1800s",
    (1867, 1899): "late 1800s",
    (-479, -470): "470s BC",
    # centuries
    (1301, 1400): "14th century|fourteenth-century|14th C",
    (2001, 2100): "twenty-first century",
    (1301, 1333): "early 14th century",
    (1334, 1366): "middle of the 14th century",
    (1367, 1400): "end of the 14th century",
    (1351, 1400): "latter half of the 14th century",
    (1351, 1375): "third quarter of the 14th century",
    (1101, 1400): "12th-14th century|12th and 14th centuries|12-14th century",
    (1167, 1333): "late 12th or early 14th century",
    # eras
    (98, 98): "AD 98|98AD",
    (98, 117): "98-117 CE",
    (-340, -340): "340 B.C.",
    (-40, 14): "40 BC-14 AD",
    (-300, -201): "3rd century BCE",
    (-300, -268): "early 3rd century BCE",
    (-400, -201): "4th-3rd century BC",
    # beside a period
    (960, 1127): "Song dynasty (960-1127)|Song Dynasty, 960-1127, 11th century",
    (-340, -290): "340-290 BC|Bronze Age (340-290 BC)",
    # days and months
    (1925, 1925): "27/4/1925|4/1925|1925-04-27|1925-04|April 27, 1925|27th of April 1925"
    "|27 - 29 April,1925",
    (1871, 1871): "May - June 1871|May1871|winter of 1871",
    (1870, 1871): "December 1870 - January 1871",
    # no dates, and what makes no sense
    (None, None): "|undated|Edo period|May and June|30s|0|3000|12345|10000 BC|-1712|1715-1712"
    "|1990s-10s|14th-12th century|\u00a31,712|1712 feet|1712 Elm Tree Road|room 1712",
}


@pytest.mark.parametrize(
    ("expression", "years"),
    [(each, years) for years, texts in MEANINGS.items() for each in texts.split("|")],
)
def test_what_an_expression_means(expression: str, years: tuple[int | None, int | None]) -> None:
    assert (years_of(expression) or (None, None)) == years


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Born on 27 April 1925 or April 28, 1926.", ["27 April 1925 or April 28, 1926"]),
        ("He came in June 1871 (not 1872).", ["June 1871", "1872"]),
        ("Begun in 1712, it was done by 1715.", ["1712", "1715"]),
        ("the church (1712-15), now lost", ["1712-15"]),
        ("Made between 1712 and 1715 in Rome", ["1712 and 1715"]),
        ("a tower from 1712", ["1712"]),
        ("first in 1990 and 1950", ["1990", "1950"]),
        ("It dates from the late 14th century, perhaps.", ["late 14th century"]),
        ("from the 12th to the 14th century", ["12th to the 14th century"]),
        ("the 1730s and 40s", ["1730s and 40s"]),
        ("in c. 1612 or so", ["c. 1612"]),
        ("Was it 1612? Yes.", ["1612"]),
        ("Oh? 1612 it was.", ["1612"]),
        ("not before 1612", ["not before 1612"]),
        ("in 340 BC and AD 98", ["340 BC and AD 98"]),
        ("a bowl, Ming dynasty (1400-1450).", ["1400-1450"]),
        ("Ada (1961-) and others", ["1961-"]),
        ("In 1961 - a good year", ["1961"]),
        ("in 1910 and 12 students", ["1910"]),
        ("\u00a9 1999", ["1999"]),
        ("1850-1840", []),
        ("call 555-1712 or 212-555-1712", []),
        ("12 Elm Road, 1712 Elm Road", []),
        ("1200 mm by 1500 mm, 1200 x 1500, 1712 kg", []),
        ("for $1712 or \u00a31,712 or 1712 francs", []),
        ("No. 1712, F1712, B.12-1712, 1712.4, 1712b", []),
        ("at 12:1712, in 300 pieces, with 925 silver, about 50", []),
        ("the year 2075", []),
        ("in May and on the second day", []),
    ],
)
def test_dates_in_prose(text: str, found: list[str]) -> None:
    assert [date.text for date in find_dates(text)] == found


def test_a_found_date_says_what_it_means_and_where_it_stands() -> None:
    assert find_dates("Carved c. 1612-15.") == [Date("c. 1612-15", Years(1612, 1615), 7, 17)]


WORDS = (  # of which dates and much else can be made
    "1 12 63 300 1712 1715 2999 12345 30s 1730s 1st 14th fourteenth century BC AD c. circa ? - / "
    "\u2013 ( ) [ ] , . : and or to from between before after until since later May June 27 the "
    "of early mid late half first second Ming dynasty period Song present no. mm $ 27/4/1925 Road"
)
PROSE = st.lists(st.sampled_from(WORDS.split())).flatmap(
    lambda words: st.sampled_from([" ", ""]).map(lambda blank: blank.join(words))
)


@given(st.text() | PROSE)
def test_any_text_gives_dates_in_order_that_mean_what_their_text_means(text: str) -> None:
    dates = find_dates(text)
    ends = [0, *(date.end for date in dates)]
    for date, end_before in zip(dates, ends, strict=False):
        assert end_before <= date.start < date.end
        assert text[date.start : date.end] == date.text
        assert years_of(date.text) == date.years


@given(st.text() | PROSE)
def test_years_are_in_order_and_within_limits(text: str) -> None:
    years = years_of(text)
    known = [year for year in years or () if year is not None]
    assert known == sorted(known)
    assert all(-9999 <= year <= LATEST for year in known)
    assert years is None or known


@given(st.sampled_from(PLAUSIBLE))
def test_a_plausible_year_is_itself(year: int) -> None:
    assert years_of(str(year)) == (year, year)
    assert [date.text for date in find_dates(f"In {year} it rained.")] == [str(year)]


@pytest.mark.parametrize("piece", ["1", "c. ", "1900-", "May - ", "19th-", "early ", "?", "a1 "])
def test_a_hostile_text_is_read(piece: str) -> None:
    text = piece * 20_000
    assert all(date.text in text for date in find_dates(text))
    assert years_of(text) is None or piece == "1900-"


@pytest.mark.official
def test_the_expressions_of_catalogues(official_data: Path) -> None:
    path = official_data / "taggers" / "date-expressions.tsv"
    with path.open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))
    misses = []
    for row in rows:
        gold = tuple(int(row[key]) if row[key] else None for key in ("start_year", "end_year"))
        if (years_of(row["expression"]) or (None, None)) != gold:
            misses.append(row["expression"])
    assert misses == MISSES
