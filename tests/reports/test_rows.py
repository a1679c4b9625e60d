"""Rows of the seven sets as tables."""

from __future__ import annotations

import re

import pytest

from stsbaselines.evaluation.row_explanation import explain_row
from stsbaselines.evaluation.row_results import Difference, RowCell, RowResult, SystemRow
from stsbaselines.reference.rows import COLUMNS
from stsbaselines.reports.rows import origin_text, row_text
from stsbaselines.reports.tables import Format
from stsbaselines.scoring.conventions import ROW_CONVENTIONS
from stsbaselines.scoring.significance import Interval


def row_of(system: str, value: float, difference: Difference | None = None) -> SystemRow:
    cell = RowCell(value, interval=Interval(-0.0123, value + 0.02), difference=difference)
    columns = dict.fromkeys(COLUMNS, cell) | {"STS14": RowCell(None, "there is no folder x_y")}
    average = RowCell(0.6132)
    return SystemRow(system, ROW_CONVENTIONS["simcse"], columns, average, "task:row|n:1")


FOUND = RowResult(
    (
        row_of("base", 0.5),
        row_of("a_b & 50 %", 0.61, Difference(0.11, Interval(0.01, 0.2))),
        row_of("worse", 0.45, Difference(-0.05, Interval(-0.09, -0.01))),
        row_of("same", 0.51, Difference(0.01, Interval(-0.01, 0.02))),
    ),
    ("simcse: a note",),
    "base",
)


@pytest.mark.parametrize(
    ("style", "better", "worse"),
    [
        (Format.text, "a_b & 50 % 61.00† 61.00† - ", "worse 45.00† 45.00† - "),
        (
            Format.markdown,
            "| a\\_b \\& 50 % | **61.00**† | **61.00**† | \N{EN DASH}",
            "| worse | 45.00† |",
        ),
        (Format.latex, r"{}a\_b \& 50 \% & \textbf{61.00}$^\dagger$ &", r"& 45.00$^\dagger$ &"),
    ],
)
def test_what_differs_from_the_base_is_marked(style: Format, better: str, worse: str) -> None:
    text = re.sub(" +", " ", row_text(FOUND, style))
    assert better in text
    assert worse in text
    assert not re.search(r"51\.00[*}]*[†$]", text)
    assert not re.search(r"50\.00[*}]*[†$]", text)
    assert "\u27e6" not in text
    assert text.isascii() or style is not Format.latex


def test_intervals_reasons_and_notes_stand_below() -> None:
    lines = [re.sub(" +", " ", line) for line in row_text(FOUND).splitlines()]
    assert "95 % interval -1.2-63.0 -1.2-63.0 - -1.2-63.0" in "\n".join(lines)
    assert "base has no STS14, and so no Avg: there is no folder x_y" in lines
    assert lines.count("task:row|n:1") == 1
    assert lines[-1] == "simcse: a note"


def test_csv_has_unrounded_values() -> None:
    header, first = row_text(FOUND, Format.csv).splitlines()[:2]
    assert header.startswith("system,convention,STS12,STS13")
    assert "STS12 low,STS12 high" in header
    assert first.startswith("base,simcse,0.5,0.5,,0.5,")


def test_ranks_name_the_neighbours_and_their_sources() -> None:
    text = row_text(FOUND, rank=True)
    assert re.search(r"base +61\.32 +\d+ of 149 +equal +Avg\. GloVe embeddings +61\.32 ", text)
    assert "Reimers & Gurevych 2019" in text
    assert "not ranked, because they are known under mteb (table rows-mteb): " in text


def test_an_origin_names_what_is_off() -> None:
    text = origin_text(explain_row("55.14 70.66 59.73 68.25 63.66 58.02 53.86 61.32", FOUND))
    assert "Off: SICK-R." in text
    assert "Avg 61.32 is not the mean of the columns, which is 61.331." in text
    assert "same gives 1 of 8 of the numbers under simcse." in text
    none = origin_text(explain_row("1 2 3 4 5 6 7", FOUND))
    assert none.startswith("No published row has these numbers, or most of them.")
    assert "worse gives none of these numbers under any convention." in none
