"""Figures of ranks: systems and baselines among the published runs of a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from stsbaselines.errors import InputError
from stsbaselines.reference.ranking import (
    annotator_agreement,
    baselines_of,
    main_column,
    name_of,
    ranked_rows,
)
from stsbaselines.reports.plots import (
    AGREEMENT,
    AGREEMENT_LINE,
    FAINT,
    INK,
    RUN,
    axes_of,
    label_of,
    save,
    settings,
    style_of,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from stsbaselines.reference.published import Row, Table

_MOST_MARKED = 12


class _Mark(NamedTuple):
    """A number that is marked and labelled among the published runs."""

    name: str
    value: float
    place: float
    colour: str
    marker: str
    is_system: bool


def rank_plot(
    table: Table,
    column: str,
    marked: Mapping[str, float],
    intervals: Mapping[str, tuple[float, float]] | None = None,
) -> Figure:
    """Plot the published runs in the order of their ranks, with baselines and systems marked."""
    rows = [row for row in ranked_rows(table, column) if name_of(row)]
    if not rows:
        raise InputError(f"table {table.name} has no runs to plot by {column}.")
    values = [float(row.values[column]) for row in rows]
    ranks = [*range(1, len(rows) + 1)]
    if table.illegible_ranks and column == main_column(table):
        ranks = [int(row.values["rank"]) for row in rows]  # with gaps for the illegible runs
    end = ranks[-1] + 1
    marks = []
    for row in baselines_of(table, column):
        value = float(row.values[column])
        place = _position(values, ranks, value)
        marks.append(_Mark(name_of(row), value, place, "#ffffff", "D", False))
    for number, (name, value) in enumerate(marked.items()):
        if math.isfinite(value):
            place, style = _position(values, ranks, value), style_of(number)
            marks.append(_Mark(name, value, place, style.colour, style.marker, True))
    agreement = annotator_agreement(table, column)
    labels = len(marks) + (agreement is not None)
    decimals = max(-int(row.values[column].as_tuple().exponent) for row in rows)
    with settings():
        figure, axes = axes_of(7.2, max(3.6, 1 + 0.2 * labels), 0.6, 2.35, 0.5, 0.15)
        axes.grid(axis="y")
        axes.plot(ranks, values, "o", color=RUN, markersize=3.6, markeredgewidth=0)
        for each in marks:
            _draw_mark(axes, each, (intervals or {}).get(each.name))
        if agreement is not None:
            axes.axhline(float(agreement), **AGREEMENT_LINE)
            marks.append(_Mark(AGREEMENT, float(agreement), end, INK, "", False))
        axes.set_xlim(0, end)
        axes.locator_params(axis="x", integer=True)
        _label_marks(axes, sorted(marks, key=lambda each: -each.value), end, decimals)
        legible = "legible" if table.illegible_ranks else "published"
        axes.set_xlabel(f"{len(rows)} {legible} runs of {table.name}, best first")
        axes.set_ylabel(column)
    return figure


def _position(values: Sequence[float], ranks: Sequence[int], value: float) -> float:
    """Return the position of a number on the axis: at an equal run, else between two."""
    if value in values:
        return ranks[values.index(value)]
    better = sum(each > value for each in values)
    places = [0, *ranks, ranks[-1] + 1]
    return (places[better] + places[better + 1]) / 2


def _draw_mark(axes: Axes, each: _Mark, interval: tuple[float, float] | None) -> None:
    if interval:
        axes.plot([each.place, each.place], interval, color=each.colour, linewidth=1.6, zorder=3)
    axes.plot(
        [each.place],
        [each.value],
        each.marker,
        color=each.colour,
        markersize=7 if each.is_system else 5,
        markeredgecolor="#ffffff" if each.is_system else INK,
        markeredgewidth=0.9,
        zorder=4,
    )


def _label_marks(axes: Axes, marks: Sequence[_Mark], right: float, decimals: int) -> None:
    """Label marks in a column at the right, each at the end of a line from its mark.

    The lines cross no dots, because runs further right are worse and lie below.
    """
    low, high = axes.get_ylim()
    axes.set_ylim(low, high)
    places = _spread([each.value for each in marks], low, high, (high - low) * 0.062)
    for each, place in zip(marks, places, strict=True):
        axes.plot(
            [each.place, right, right * 1.04],
            [each.value, each.value, place],
            color=RUN,
            linewidth=0.5,
            clip_on=False,
            zorder=2,
        )
        axes.text(
            right * 1.06,
            place,
            f"{label_of(each.name)}  {each.value:.{decimals}f}",
            verticalalignment="center",
            fontsize=8.5,
            color=INK if each.is_system else FAINT,
            fontweight="bold" if each.is_system else "normal",
        )


def _spread(places: Sequence[float], low: float, high: float, gap: float) -> list[float]:
    """Move places, given from the highest, so that they are a gap apart and within bounds."""
    moved = [*places]
    for number, place in enumerate(moved):
        moved[number] = min(place, moved[number - 1] - gap if number else high)
    for number in range(len(moved) - 1, -1, -1):
        below = moved[number + 1] + gap if number + 1 < len(moved) else low
        moved[number] = max(moved[number], below)
    return moved


def plot_table(table: Table, path: Path, runs: Sequence[Row] = ()) -> None:
    """Plot a published table by its main column, with the first of some `runs` marked."""
    column = main_column(table)
    numbered = [row for row in runs if column in row.values][:_MOST_MARKED]
    marked = {name_of(row): float(row.values[column]) for row in numbered}
    save(rank_plot(table, column, marked), path)
