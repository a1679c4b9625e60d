"""Figures: ranks among published runs, gold against predicted scores, and bars with intervals.

Colours are those of Okabe and Ito, which colour-blind readers can tell apart; markers and
hatches tell systems apart without colour.
"""

from __future__ import annotations

import contextlib
import io
import math
import re
import unicodedata
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stsbaselines.errors import InputError
from stsbaselines.io import to_displayable, write_bytes
from stsbaselines.scoring.correlation import FloatArray, pearson

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from stsbaselines.evaluation.results import MeasureResult
    from stsbaselines.reference.published import Row, Table
    from stsbaselines.tasks.base import ScorePairs

SUFFIXES = (".svg", ".png", ".pdf")
_INK, _FAINT, _GRID, _RUN = "#1f2328", "#59636e", "#e3e6ea", "#8c959f"
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P")
_HATCHES = ("", "///", "\\\\\\", "xxx", "---")
_AGREEMENT = "annotators' agreement"
_LONGEST_LABEL = 26
_LARGEST_DRAWN = 1e12
_MOST_MARKED = 12
_DENSE = 100
_CEILING: dict[str, Any] = {"color": _INK, "linewidth": 1.4, "linestyle": (0, (3, 1.5))}
_SETTINGS: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": _FAINT,
    "axes.labelcolor": _INK,
    "axes.labelsize": 9,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 9,
    "grid.color": _GRID,
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.7,
    "pdf.fonttype": 42,
    "svg.hashsalt": "stsbaselines",
    "text.color": _INK,
    "text.parse_math": False,
    "xtick.color": _FAINT,
    "xtick.labelcolor": _INK,
    "xtick.labelsize": 8,
    "ytick.color": _FAINT,
    "ytick.labelcolor": _INK,
    "ytick.labelsize": 8,
}


class Style(NamedTuple):
    """How a system is drawn in all figures."""

    colour: str
    marker: str
    hatch: str


class _Mark(NamedTuple):
    """A number that is marked and labelled among the published runs."""

    name: str
    value: float
    place: float
    colour: str
    marker: str
    is_system: bool


def style_of(place: int) -> Style:
    """Return the style of the system at a place, from 0.

    Examples
    --------
    >>> style_of(0)
    Style(colour='#0072B2', marker='o', hatch='')
    """
    kinds = (_COLOURS, _MARKERS, _HATCHES)
    return Style(*(each[place % len(each)] for each in kinds))


def printable(text: str) -> str:
    r"""Return a text as it can be shown on one line, whatever bytes it was read from.

    Examples
    --------
    >>> printable("one\n two\x01")
    'one two\ufffd'
    """
    line = re.sub(r"[ \t-\r\u2028\u2029]+", " ", to_displayable(text)).strip(" ")
    return "".join("\ufffd" if unicodedata.category(each)[0] == "C" else each for each in line)


def _label(text: str) -> str:
    line = printable(text)
    return line if len(line) <= _LONGEST_LABEL else f"{line[: _LONGEST_LABEL - 1]}…"


@contextlib.contextmanager
def _settings(changed: Mapping[Any, Any] | None = None) -> Iterator[None]:
    """Draw by our own settings, not by those of the user's configuration or program."""
    import matplotlib  # slow to import

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"(?s)Glyph .* missing")  # the reader has them
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({**_SETTINGS, **(changed or {})})
        yield


def _axes(
    width: float, height: float, left: float, right: float, bottom: float, top: float
) -> tuple[Figure, Axes]:
    """Return a figure with axes; all sizes and margins are in inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    inner = (width - left - right) / width, (height - bottom - top) / height
    return figure, figure.add_axes((left / width, bottom / height, *inner))


def rank_plot(
    table: Table,
    column: str,
    marked: Mapping[str, float],
    intervals: Mapping[str, tuple[float, float]] | None = None,
) -> Figure:
    """Plot the published runs in the order of their ranks, with baselines and systems marked.

    Parameters
    ----------
    table : Table
    column : str
        See `stsbaselines.reference.ranking.main_column`.
    marked : mapping of str to float
        Systems and their numbers; one that is NaN is not drawn.
    intervals : mapping of str to (float, float), optional
        Intervals of confidence of systems.

    Returns
    -------
    Figure

    Raises
    ------
    InputError
        If the table has no run with a number in that column.

    Examples
    --------
    >>> from stsbaselines.reference.published import table
    >>> figure = rank_plot(table("sts2015-english"), "Mean", {"ours": 0.7})
    >>> figure.axes[0].get_ylabel()
    'Mean'
    """
    from stsbaselines.reference.ranking import annotator_agreement, name_of, ranked_rows

    rows = [row for row in ranked_rows(table, column) if name_of(row)]
    if not rows:
        raise InputError(f"table {table.name} has no runs to plot by {column}.")
    values = [float(row.values[column]) for row in rows]
    ranks = _ranks(table, column, rows)
    marks = [*_baseline_marks(table, column, values, ranks), *_system_marks(marked, values, ranks)]
    agreement = annotator_agreement(table, column)
    labels = len(marks) + (agreement is not None)
    decimals = max(-int(row.values[column].as_tuple().exponent) for row in rows)
    with _settings():
        figure, axes = _axes(7.2, max(3.6, 1 + 0.2 * labels), 0.6, 2.35, 0.5, 0.15)
        axes.grid(axis="y")
        axes.plot(ranks, values, "o", color=_RUN, markersize=3.6, markeredgewidth=0)
        for each in marks:
            _draw_mark(axes, each, (intervals or {}).get(each.name))
        if agreement is not None:
            axes.axhline(float(agreement), **_CEILING)
            marks.append(_Mark(_AGREEMENT, float(agreement), ranks[-1] + 1, _INK, "", False))
        axes.set_xlim(0, ranks[-1] + 1)
        axes.locator_params(axis="x", integer=True)
        _label_marks(axes, sorted(marks, key=lambda each: -each.value), ranks[-1] + 1, decimals)
        legible = "legible" if table.illegible_ranks else "published"
        axes.set_xlabel(f"{len(rows)} {legible} runs of {table.name}, best first")
        axes.set_ylabel(column)
    return figure


def _ranks(table: Table, column: str, rows: Sequence[Row]) -> list[int]:
    """Return where on the axis runs are: with gaps where runs of a ranking are illegible."""
    from stsbaselines.reference.ranking import main_column

    if table.illegible_ranks and column == main_column(table):
        return [int(row.values["rank"]) for row in rows]
    return [*range(1, len(rows) + 1)]


def _baseline_marks(
    table: Table, column: str, values: Sequence[float], ranks: Sequence[int]
) -> Iterator[_Mark]:
    from stsbaselines.reference.ranking import baselines_of, name_of

    for row in baselines_of(table, column):
        value = float(row.values[column])
        yield _Mark(name_of(row), value, _place(value, values, ranks), "#ffffff", "D", False)


def _system_marks(
    marked: Mapping[str, float], values: Sequence[float], ranks: Sequence[int]
) -> Iterator[_Mark]:
    for number, (name, value) in enumerate(marked.items()):
        style = style_of(number)
        if math.isfinite(value):
            yield _Mark(name, value, _place(value, values, ranks), style.colour, style.marker, True)


def _place(value: float, values: Sequence[float], ranks: Sequence[int]) -> float:
    """Return where on the axis of ranks a number is: on an equal run, else between two."""
    if value in values:
        return ranks[values.index(value)]
    better = sum(each > value for each in values)
    return ([0, *ranks][better] + [*ranks, ranks[-1] + 1][better]) / 2


def _draw_mark(axes: Axes, each: _Mark, interval: tuple[float, float] | None) -> None:
    if interval:
        axes.plot([each.place, each.place], interval, color=each.colour, linewidth=1.6, zorder=3)
    axes.plot(
        [each.place],
        [each.value],
        each.marker,
        color=each.colour,
        markersize=7 if each.is_system else 5,
        markeredgecolor="#ffffff" if each.is_system else _INK,
        markeredgewidth=0.9,
        zorder=4,
    )


def _label_marks(axes: Axes, marks: Sequence[_Mark], right: float, decimals: int) -> None:
    """Label numbers in a column at the right, each at the end of a line from its mark.

    Runs on the right are worse, so that they lie below the line.
    """
    low, high = axes.get_ylim()
    axes.set_ylim(low, high)
    places = _spread([each.value for each in marks], low, high, (high - low) * 0.062)
    for each, place in zip(marks, places, strict=True):
        axes.plot(
            [each.place, right, right * 1.04],
            [each.value, each.value, place],
            color=_RUN,
            linewidth=0.5,
            clip_on=False,
            zorder=2,
        )
        axes.text(
            right * 1.06,
            place,
            f"{_label(each.name)}  {each.value:.{decimals}f}",
            verticalalignment="center",
            fontsize=8.5,
            color=_INK if each.is_system else _FAINT,
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


def scatter(score_pairs: ScorePairs, title: str, style: Style | None = None) -> Figure:
    """Plot predicted against gold scores, with the line of their regression and r.

    Parameters
    ----------
    score_pairs : ScorePairs
        With weights, the line and r are weighted.
    title : str
    style : Style, optional

    Returns
    -------
    Figure

    Examples
    --------
    >>> from stsbaselines.tasks.base import ScorePairs
    >>> pairs = ScorePairs(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 5.0]), np.arange(1, 4))
    >>> scatter(pairs, "kitchen").texts[1].get_text()
    'r = 0.961, n = 3'
    """
    drawn = style or style_of(0)
    scores, label = _drawable(score_pairs.scores, "predicted")
    r = pearson(score_pairs.scores, score_pairs.gold, score_pairs.weights)
    is_dense = len(scores) > _DENSE
    with _settings():
        figure, axes = _axes(2.7, 2.75, 0.6, 0.1, 0.45, 0.46)
        axes.grid()
        axes.plot(
            score_pairs.gold,
            scores,
            drawn.marker,
            color=drawn.colour,
            alpha=0.4 if is_dense else 0.8,
            markersize=3.4 if is_dense else 4.5,
            markeredgewidth=0,
            rasterized=is_dense,
        )
        if r is not None:
            ends = np.array([score_pairs.gold.min(), score_pairs.gold.max()])
            axes.plot(ends, _regression(scores, score_pairs, ends), color=_INK, linewidth=1.3)
        axes.set_xlabel("gold", fontsize=8, labelpad=2)
        axes.set_ylabel(label, fontsize=8, labelpad=2)
        left, correlation = 0.6 / 2.7, "undefined" if r is None else f"{r:.3f}"
        figure.text(left, 2.6 / 2.75, _label(title), fontsize=9, fontweight="bold")
        figure.text(
            left,
            2.42 / 2.75,
            f"r = {correlation}, n = {len(scores)}".replace("-", "\u2212"),
            fontsize=8,
        )
    return figure


def _drawable(scores: FloatArray, label: str) -> tuple[FloatArray, str]:
    """Return scores that axes can show: huge or minute ones as shares of the largest."""
    largest = float(np.abs(scores).max(initial=0))
    if not largest or 1 / _LARGEST_DRAWN < largest < _LARGEST_DRAWN:
        return scores, label
    return scores / largest, f"{label} / {largest:.3g}"


def _regression(scores: FloatArray, score_pairs: ScorePairs, at: FloatArray) -> FloatArray:
    weights = np.ones_like(scores) if score_pairs.weights is None else score_pairs.weights
    gold, mean = np.average(score_pairs.gold, weights=weights), np.average(scores, weights=weights)
    away = score_pairs.gold - gold
    slope = (weights * away * (scores - mean)).sum() / (weights * away**2).sum()
    return np.asarray(mean + slope * (at - gold))


def bars(measured: Sequence[MeasureResult]) -> Figure:
    """Plot numbers as bars, with their intervals and the annotators' agreement.

    Parameters
    ----------
    measured : sequence of MeasureResult
        Bars of the same name make a group; an undefined number has none.

    Returns
    -------
    Figure

    Examples
    --------
    >>> from stsbaselines.evaluation.results import MeasureResult
    >>> figure = bars([MeasureResult("a", "kitchen", 0.7, 12), MeasureResult("a", "Mean", 0.6, 24)])
    >>> [label.get_text() for label in figure.axes[0].get_yticklabels()]
    ['kitchen', 'Mean']
    """
    systems = [*dict.fromkeys(each.system for each in measured)]
    names = [*dict.fromkeys(each.name for each in measured)]
    thick = min(0.8 / len(systems), 0.4)
    inches = max(0.16 * len(systems), 0.2) / 0.8
    left = 0.25 + 0.075 * min(max(map(len, names)), _LONGEST_LABEL)
    columns = max(1, min(4, 80 // (6 + max(len(_label(each)) for each in [*systems, _AGREEMENT]))))
    legend = 0.2 * (len(systems) // columns + 1) + 0.1
    with _settings():
        height = inches * len(names) + 0.5 + legend
        figure, axes = _axes(7.2, height, left, 0.2, 0.4, legend)
        axes.grid(axis="x")
        for number, system in enumerate(systems):
            mine = [each for each in measured if each.system == system]
            offset = (number - (len(systems) - 1) / 2) * thick
            _draw_bars(axes, mine, names, offset, thick, number)
        _draw_ceilings(axes, measured, names)
        axes.axvline(0, color=_FAINT, linewidth=0.6)
        axes.set_yticks(range(len(names)), [_label(name) for name in names])
        axes.tick_params(axis="y", length=0, labelsize=9)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.margins(x=0.02)
        figure.legend(
            handles=_legend(
                systems, any(each.annotator_agreement is not None for each in measured)
            ),
            loc="upper left",
            bbox_to_anchor=(left / 7.2, 1),
            ncols=columns,
            frameon=False,
            fontsize=8.5,
            borderaxespad=0.2,
            columnspacing=1.5,
        )
    return figure


def _draw_bars(
    axes: Axes,
    measured: Sequence[MeasureResult],
    names: Sequence[str],
    offset: float,
    thick: float,
    number: int,
) -> None:
    style = style_of(number)
    defined = [(each, each.value) for each in measured if each.value is not None]
    axes.barh(
        [names.index(each.name) + offset for each, _ in defined],
        [value for _, value in defined],
        height=thick * 0.92,
        color=style.colour,
        hatch=style.hatch,
        edgecolor="#ffffff",
        linewidth=0,
    )
    for each, _ in defined:
        if each.interval:
            place = names.index(each.name) + offset
            axes.plot(each.interval, [place, place], color="#ffffff", linewidth=2.4, alpha=0.7)
            axes.plot(each.interval, [place, place], "|-", color=_INK, linewidth=1, markersize=4)


def _draw_ceilings(axes: Axes, measured: Sequence[MeasureResult], names: Sequence[str]) -> None:
    ceilings = {
        each.name: float(each.annotator_agreement)
        for each in measured
        if each.annotator_agreement is not None
    }
    for name, agreement in ceilings.items():
        place = names.index(name)
        axes.plot(
            [agreement, agreement],
            [place - 0.44, place + 0.44],
            **_CEILING,
        )


def _legend(systems: Sequence[str], with_ceiling: bool) -> list[Any]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = []
    for number, system in enumerate(systems):
        style, label = style_of(number), _label(system)
        handles.append(
            Patch(facecolor=style.colour, hatch=style.hatch, edgecolor="#ffffff", label=label)
        )
    annotator_agreement = Line2D([], [], label=_AGREEMENT, **_CEILING)
    return [*handles, annotator_agreement] if with_ceiling else handles


def to_svg(figure: Figure, name: str = "figure") -> str:
    """Return a figure as an element of a page.

    Parameters
    ----------
    figure : Figure
    name : str
        What its ids begin with, so that they are unique in a page.

    Returns
    -------
    str
        The same one for the same figure; its text is text, in the fonts of the page.

    Examples
    --------
    >>> from stsbaselines.evaluation.results import MeasureResult
    >>> to_svg(bars([MeasureResult("ours", "Mean", 0.6, 24)]))[:5]
    '<svg '
    """
    text = _drawn(figure, "svg", {"svg.fonttype": "none"}).decode("utf-8")
    svg = re.sub(r"(?s)<metadata>.*?</metadata>\s*|<!--.*?-->\s*", "", text[text.index("<svg ") :])
    used = set(re.findall(r"""(?:href="|url\()#([^")]+)""", svg))
    svg = re.sub(
        r' id="([^"]+)"',
        lambda match: f' id="{name}-{match[1]}"' if match[1] in used else "",
        svg,
    )
    return re.sub(r'(href="|url\()#', rf"\1#{name}-", svg).strip()


def _drawn(figure: Figure, format: str, changed: Mapping[Any, Any] | None = None) -> bytes:
    dates = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}
    stream = io.BytesIO()
    with _settings(changed):
        figure.savefig(stream, format=format, dpi=200, metadata=dates.get(format))
    return stream.getvalue()


def save(figure: Figure, path: Path) -> None:
    """Write a figure to a file, whole or not at all.

    Parameters
    ----------
    figure : Figure
    path : Path
        ``.svg``, ``.png`` or ``.pdf``.

    Raises
    ------
    InputError
        For another suffix, or if it cannot be written.
    """
    _check_suffix(path)
    write_bytes(path, _drawn(figure, path.suffix[1:].lower()))


def _check_suffix(path: Path) -> None:
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{path} is no name of a plot, which ends in .svg, .png or .pdf.")


def plot_table(table: Table, path: Path, runs: Sequence[Row] = ()) -> None:
    """Write the plot of a published table by its main column.

    Parameters
    ----------
    table : Table
    runs : sequence of Row
        Rows of it to mark; of many, the first ones.
    path : Path
        See `save`.

    Raises
    ------
    InputError
        If the table has no runs, or for another suffix.
    """
    from stsbaselines.reference.ranking import main_column, name_of

    _check_suffix(path)
    column = main_column(table)
    numbered = [row for row in runs if column in row.values][:_MOST_MARKED]
    marked = {name_of(row): float(row.values[column]) for row in numbered}
    save(rank_plot(table, column, marked), path)
