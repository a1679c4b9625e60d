"""The published rows of the seven sets: what they are, ranks, and explaining numbers."""

from __future__ import annotations

import random
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.errors import InputError
from stsbaselines.reference.published import Row, table, tables_of
from stsbaselines.reference.rows import (
    AVERAGE,
    COLUMNS,
    ROWS,
    SECONDARY,
    numbers_of,
    published_with,
    rank_among,
    ranking_by,
    under_other_conventions,
)

GLOVE = "55.14 70.66 59.73 68.25 63.66 58.02 53.76 61.32"


def values_of(row: Row) -> dict[str, Decimal]:
    return {name.removesuffix(" head"): value for name, value in row.values.items()}


def text_of(values: dict[str, Decimal]) -> str:
    """Return a row with two decimals; some lists drop final zeros."""
    both = (*COLUMNS, AVERAGE)
    return " ".join(f"{values[name]:.2f}" if name in values else "-" for name in both)


def test_all_published_rows_are_here_and_marked() -> None:
    rows = [row for each in tables_of(ROWS) for row in each.rows]
    assert len(rows) == 272
    assert all(values_of(row).keys() >= {*COLUMNS} for row in rows)
    lists = [row for row in rows if "compiled" in row.text["source"]]
    assert len(lists) == 107
    assert all(SECONDARY in row.flags for row in lists)


def test_averages_fit_except_where_a_row_says_that_they_do_not() -> None:
    whole = [row for each in tables_of(ROWS) for row in each.rows if AVERAGE in values_of(row)]
    assert len(whole) == 216
    for row in whole:
        fit = numbers_of(text_of(values_of(row))).average_fit()
        assert fit is not None
        assert (fit.fits == "no") == ("avg-differs" in row.flags), row
    assert sum("avg-differs" in row.flags for row in whole) == 14


def test_values_of_heads_have_columns_of_their_own() -> None:
    [row] = [row for row in table("rows-senteval").rows if row.text["run"] == "InferSent"]
    assert not {"STS-B", "SICK-R", AVERAGE} & row.values.keys()
    assert str(row.values["SICK-R head"]) == "88.35"


@pytest.mark.parametrize(
    ("numbers", "run", "convention"),
    [
        (GLOVE, "Avg. GloVe embeddings", "simcse"),
        (GLOVE.replace(" ", " & "), "Avg. GloVe embeddings", "simcse"),
        ("0.5514 .7066 .5973 .6825 .6366 .5802 .5376 .6132", "Avg. GloVe embeddings", "simcse"),
        ("55.1 70.7 59.7 68.3 63.7 58.0 53.8 61.3", "Avg. GloVe embeddings", "simcse"),
        (
            "68.40 82.41 74.38 80.91 78.56 76.85 72.23 76.25",
            "SimCSE-BERT-base (unsupervised)",
            "simcse",
        ),
        (
            "59.54 64.69 64.66 72.92 71.84 58.56 65.44",
            "BERT-base-flow (NLI)",
            "wmean-spearman",
        ),
        (
            "52.22 49.60 54.60 56.26 51.41 64.79 79.92 58.40",
            "Avg. GloVe",
            "SentEval with trained heads",
        ),
    ],
)
def test_a_published_row_is_named(numbers: str, run: str, convention: str) -> None:
    found = published_with(numbers_of(numbers))
    assert [each.run for each in found] == [run]
    assert convention in found[0].conventions
    assert found[0].off == {}


def test_a_column_with_a_changed_digit_is_named() -> None:
    """Of one row after another, a digit of each column is changed."""
    draw = random.Random(22)
    rows = [(of, row) for of in tables_of(ROWS) for row in of.rows]
    for of, row in draw.sample(rows, 20):
        values = values_of(row)
        for name, value in values.items():
            text = f"{value:.2f}"
            place = draw.choice([index for index, each in enumerate(text) if each.isdigit()])
            digit = draw.choice([each for each in "0123456789" if each != text[place]])
            changed = values | {name: Decimal(f"{text[:place]}{digit}{text[place + 1 :]}")}
            [found] = published_with(numbers_of(text_of(changed)))
            assert [*found.off] == [name], (of.name, row, changed)
            assert Decimal(found.off[name]) == value


def test_a_single_number_is_found_in_its_column() -> None:
    found = published_with(numbers_of("76.85"))
    assert {each.conventions[0]: each.columns for each in found} == {
        "simcse": ("STS-B",),
        "wmean-spearman": ("STS-B",),
    }


def test_whether_an_average_fits() -> None:
    def fits(average: str) -> str | None:
        fit = numbers_of(f"1.01 1.01 1.01 1.01 1.01 1.01 1.02 {average}").average_fit()
        return fit and fit.fits

    assert [fits(each) for each in ("1.01", "1.02", "1.03", "-")] == [
        "rounded",
        "unrounded",
        "no",
        None,
    ]


@pytest.mark.parametrize("text", ["", "1 2 3", "1 2 3 4 5 6 x", "- - - - - - -", "55,14"])
def test_what_is_no_row_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=r"^the row: found .*, expected "):
        numbers_of(text)


@given(st.text(alphabet="0123456789.-+& |e\n\u0663") | st.text())
def test_any_text_is_a_row_or_refused(text: str) -> None:
    try:
        numbers = numbers_of(text)
    except InputError:
        return
    assert len(numbers.values) <= 8
    published_with(numbers)
    numbers.average_fit()


def test_rows_rank_once_by_their_average() -> None:
    of = ranking_by("simcse")
    assert of is not None
    assert len(of.rows) == len({tuple(row.values[each] for each in COLUMNS) for row in of.rows})
    assert of == ranking_by("consert")
    glove = next(row for row in of.rows if row.text["run"] == "Avg. GloVe embeddings")
    assert SECONDARY not in glove.flags
    assert glove.text["source"].count("; ") >= 3
    found = rank_among("simcse", 61.32)
    assert found is not None
    assert found.equal == (glove,)
    best = max(of.rows, key=lambda row: row.values[AVERAGE])
    first = rank_among("simcse", float(best.values[AVERAGE]) + 0.006)
    assert (str(first), first and first.below) == (f"1 of {len(of.rows)}", best)
    assert rank_among("senteval", 50.0) is None


def test_rows_without_an_average_rank_by_the_mean_of_their_columns() -> None:
    of = ranking_by("wmean-spearman")
    assert of is not None
    row = next(row for row in of.rows if row.text["run"] == "BERT-base")
    assert str(row.values[AVERAGE]) == "56.17"
    assert row.flags == {"avg-computed"}


def test_rows_under_other_conventions_are_listed() -> None:
    found = under_other_conventions("consert")
    assert found.keys() == {"mteb", "mteb-pearson", "senteval", "wmean-spearman"}
    assert "BERT-base-flow (NLI)" in found["wmean-spearman"]
