"""The published rows of the seven sets: ranks among them, and which of them has some numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, NamedTuple

from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.reference.published import Row, Table, table, tables_of
from stsbaselines.reference.ranking import Rank, rank_of

ROWS = "rows"
COLUMNS = ("STS12", "STS13", "STS14", "STS15", "STS16", "STS-B", "SICK-R")
AVERAGE = "Avg"
DECIMALS = 2
SECONDARY, COMPUTED = "secondary", "avg-computed"
_HEAD = " head"  # after the name of a column from a trained regression head
_CONVENTIONS = {
    "rows-simcse": ("simcse", "consert"),
    "rows-wmean-spearman": ("wmean-spearman",),
    "rows-mteb": ("mteb",),
    "rows-senteval": ("SentEval with trained heads",),
}
_NUMBER = re.compile(r"[+-]?(\d{1,3}(\.\d{0,15})?|\.\d{1,15})", re.ASCII)
_MOST_OFF = 2


def conventions_of(name: str) -> tuple[str, ...]:
    """Return the conventions of `row` whose columns a table has, or else what it is called."""
    return _CONVENTIONS.get(name, (name.removeprefix(f"{ROWS}-"),))


def ranking_by(convention: str) -> Table | None:
    """Return the distinct published rows of a convention, to rank by Avg; None if there are none.

    Of rows with the same seven numbers, the first one that is not secondary counts, and all
    sources are named. If a row has no Avg, it is the mean of its columns.
    """
    name = next((name for name, known in _CONVENTIONS.items() if convention in known), None)
    if name is None:
        return None
    of = table(name)
    same: dict[tuple[Decimal, ...], list[Row]] = {}
    for row in sorted(of.rows, key=lambda row: SECONDARY in row.flags):
        same.setdefault(tuple(row.values[column] for column in COLUMNS), []).append(row)
    return replace(of, rows=tuple(_joined(rows) for rows in same.values()))


def _joined(rows: Sequence[Row]) -> Row:
    first = rows[0]
    sources = "; ".join(dict.fromkeys(row.text["source"] for row in rows))
    averages = [row.values[AVERAGE] for row in rows if AVERAGE in row.values]
    mean = sum(first.values[column] for column in COLUMNS) / Decimal(len(COLUMNS))
    average = averages[0] if averages else mean.quantize(Decimal(1).scaleb(-DECIMALS))
    return Row(
        text={**first.text, "source": sources},
        flags=first.flags if averages else first.flags | {COMPUTED},
        values={**first.values, AVERAGE: average},
    )


def rank_among(convention: str, average: float) -> Rank | None:
    """Return the rank of an average among the distinct published rows of a convention.

    Parameters
    ----------
    convention : str
        Such as ``simcse``; see `stsbaselines.row`.
    average : float
        Times 100.

    Examples
    --------
    >>> str(rank_among("simcse", 76.25))
    '99 of 149'
    """
    of = ranking_by(convention)
    return rank_of(of, AVERAGE, average, DECIMALS) if of else None


def under_other_conventions(convention: str) -> dict[str, list[str]]:
    """Return the names of the published rows that are known under other conventions, by these."""
    return {
        each.name.removeprefix(f"{ROWS}-"): [*dict.fromkeys(row.text["run"] for row in each.rows)]
        for each in tables_of(ROWS)
        if convention not in conventions_of(each.name)
    }


class PublishedMatch(NamedTuple):
    """A published row that has some numbers; `off` are its own ones in the other columns."""

    run: str
    sources: tuple[str, ...]
    conventions: tuple[str, ...]
    secondary: bool
    columns: tuple[str, ...]
    off: dict[str, str]


class AverageFit(NamedTuple):
    """Whether a printed average is the mean of the printed columns.

    `fits` is ``rounded`` if it is the mean of the columns as they are printed, ``unrounded`` if it
    can only be that of columns before rounding, and else ``no``.
    """

    mean: float
    fits: str


@dataclass(frozen=True)
class NumbersOfRow:
    """Numbers of a row as printed, by column and times 100; a single one is in any column."""

    values: Mapping[str, Decimal]

    def average_fit(self) -> AverageFit | None:
        """Return whether the average fits; None if it or a column is missing."""
        columns = [self.values[name] for name in COLUMNS if name in self.values]
        average = self.values.get(AVERAGE)
        if average is None or len(columns) < len(COLUMNS):
            return None
        mean = sum(columns) / Decimal(len(columns))
        off, half = abs(mean - average), _unit(average) / 2
        rounding = sum(map(_unit, columns), Decimal()) / len(columns) / 2
        fits = "rounded" if off <= half else "unrounded" if off <= half + rounding else "no"
        return AverageFit(float(mean), fits)

    def to_dict(self) -> dict[str, str]:
        """Return the numbers as text."""
        return {name: str(value) for name, value in self.values.items()}


def numbers_of(text: str) -> NumbersOfRow:
    """Parse the seven numbers of a row, perhaps with their average, or a single number.

    Blanks, ``&`` or ``|`` separate them; ``-`` is an empty cell. Numbers of which none is above 1
    are not yet times 100.

    Raises
    ------
    InputError
        If a number is malformed, or there are others than 1, 7 or 8.
    """
    cells = [each for each in re.split(r"[\s&|\\]+", text) if each]
    wrong = [each for each in cells if each != "-" and not _NUMBER.fullmatch(each)]
    if wrong:
        raise InputError([Fault("the row", shown(wrong[0]), "a number such as 55.14, or -")])
    names = [""] if len(cells) == 1 else [*COLUMNS, AVERAGE][: len(cells)]
    if len(cells) not in (1, len(COLUMNS), len(COLUMNS) + 1):
        expected = f"1, or the {len(COLUMNS)} of {', '.join(COLUMNS)}, perhaps with {AVERAGE}"
        raise InputError([Fault("the row", f"{len(cells)} numbers", expected)])
    values = {name: Decimal(each) for name, each in zip(names, cells, strict=True) if each != "-"}
    if not values:
        raise InputError([Fault("the row", "no number", "at least one")])
    if all(abs(each) <= 1 for each in values.values()):
        values = {name: each.scaleb(2) for name, each in values.items()}
    return NumbersOfRow(values)


def published_with(numbers: NumbersOfRow) -> tuple[PublishedMatch, ...]:
    """Return the published rows that have all the numbers, or else those with most of them.

    The latter have other numbers in one or two columns, and the same ones in more than twice as
    many; only those with the fewest other numbers are returned.
    """
    found = [*_matches(numbers)]
    fewest = min((len(each.off) for each in found), default=0)
    return tuple(each for each in found if len(each.off) == fewest)


def _matches(numbers: NumbersOfRow) -> Iterator[PublishedMatch]:
    for of in tables_of(ROWS):
        same: dict[tuple[Any, ...], PublishedMatch] = {}
        for row in sorted(of.rows, key=lambda row: SECONDARY in row.flags):
            columns, off = _compared(numbers, row)
            if not columns or len(off) > _MOST_OFF or len(columns) <= 2 * len(off):
                continue
            sources: tuple[str, ...] = (row.text["source"],)
            key = tuple(value for name, value in row.values.items() if name != AVERAGE), *off
            if key in same:
                sources = tuple(dict.fromkeys([*same[key].sources, *sources]))
                same[key] = same[key]._replace(sources=sources)
            else:
                known = conventions_of(of.name)
                is_secondary = SECONDARY in row.flags
                same[key] = PublishedMatch(
                    row.text["run"], sources, known, is_secondary, columns, off
                )
        yield from same.values()


def _compared(numbers: NumbersOfRow, row: Row) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the columns in which a row has the numbers, and its other numbers by column."""
    theirs = {name.removesuffix(_HEAD): value for name, value in row.values.items()}
    single = numbers.values.get("")
    if single is not None:
        return tuple(name for name, value in theirs.items() if agree(single, value)), {}
    both = {name: theirs[name] for name in numbers.values if name in theirs}
    equal = {name for name, value in both.items() if agree(numbers.values[name], value)}
    off = {name: str(value) for name, value in both.items() if name not in equal}
    return tuple(name for name in both if name in equal), off


def agree(number: Decimal, other: Decimal | float) -> bool:
    """Return whether a value has the printed digits of a number."""
    value = other if isinstance(other, Decimal) else Decimal(repr(other))
    return value == number or (
        _unit(value) < _unit(number) and abs(value - number) <= _unit(number) / 2
    )


def _unit(number: Decimal) -> Decimal:
    """Return 1 in the last decimal of a number."""
    return Decimal(1).scaleb(int(number.as_tuple().exponent))
