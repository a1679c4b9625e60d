"""Figures: gold against predicted scores, and bars with intervals.

Colours are those of Okabe and Ito, which colour-blind readers can tell apart; markers and
hatches tell systems apart without colour.
"""

from __future__ import annotations

import contextlib
import io
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stsbaselines.errors import InputError
from stsbaselines.io.files import write_bytes
from stsbaselines.reports.tables import printable
from stsbaselines.scoring.correlation import FloatArray, pearson

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from stsbaselines.evaluation.description import Description
    from stsbaselines.evaluation.results import MeasureResult
    from stsbaselines.tasks.base import ScorePairs

INK, FAINT, GRID, RUN = "#1f2328", "#59636e", "#e3e6ea", "#8c959f"
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = ("o", "s", "^", "D", "v", "P")
_HATCHES = ("", "///", "\\\\\\", "xxx", "---")
AGREEMENT = "annotators' agreement"
_LONGEST_LABEL = 26
_LARGEST_DRAWN = 1e12
_DENSE = 100
AGREEMENT_LINE: dict[str, Any] = {"color": INK, "linewidth": 1.4, "linestyle": (0, (3, 1.5))}
_SETTINGS: dict[Any, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.labelsize": 9,
    "axes.linewidth": 0.6,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "font.size": 9,
    "grid.color": GRID,
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.7,
    "pdf.fonttype": 42,
    "svg.hashsalt": "stsbaselines",
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": FAINT,
    "xtick.labelcolor": INK,
    "xtick.labelsize": 8,
    "ytick.color": FAINT,
    "ytick.labelcolor": INK,
    "ytick.labelsize": 8,
}


class Style(NamedTuple):
    """How a system is drawn in all figures."""

    colour: str
    marker: str
    hatch: str


def style_of(place: int) -> Style:
    """Return the style of the system at a place, from 0."""
    kinds = (_COLOURS, _MARKERS, _HATCHES)
    return Style(*(each[place % len(each)] for each in kinds))


def label_of(text: str) -> str:
    """Return a text as a label, shortened if it is long."""
    line = printable(text)
    return line if len(line) <= _LONGEST_LABEL else f"{line[: _LONGEST_LABEL - 1]}…"


@contextlib.contextmanager
def settings(changed: Mapping[Any, Any] | None = None) -> Iterator[None]:
    """Draw with our own settings, not with those of the user's configuration or program."""
    import matplotlib  # slow to import

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r"(?s)Glyph .* missing")  # the reader has them
        matplotlib.rcdefaults()
        matplotlib.rcParams.update({**_SETTINGS, **(changed or {})})
        yield


def axes_of(
    width: float, height: float, left: float, right: float, bottom: float, top: float
) -> tuple[Figure, Axes]:
    """Return a figure with axes; all sizes and margins are in inches."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    inner = (width - left - right) / width, (height - bottom - top) / height
    return figure, figure.add_axes((left / width, bottom / height, *inner))


def scatter(score_pairs: ScorePairs, title: str, place: int = 0) -> Figure:
    """Plot predicted against gold scores, with the (weighted) regression line and r."""
    style = style_of(place)
    scores, label = _drawable(score_pairs.scores)
    r = pearson(score_pairs.scores, score_pairs.gold, score_pairs.weights)
    is_dense = len(scores) > _DENSE
    with settings():
        figure, axes = axes_of(2.7, 2.75, 0.6, 0.1, 0.45, 0.46)
        axes.grid()
        axes.plot(
            score_pairs.gold,
            scores,
            style.marker,
            color=style.colour,
            alpha=0.4 if is_dense else 0.8,
            markersize=3.4 if is_dense else 4.5,
            markeredgewidth=0,
            rasterized=is_dense,
        )
        if r is not None:
            weights = None if score_pairs.weights is None else np.sqrt(score_pairs.weights)
            slope, intercept = np.polyfit(score_pairs.gold, scores, 1, w=weights)
            ends = np.array([score_pairs.gold.min(), score_pairs.gold.max()])
            axes.plot(ends, slope * ends + intercept, color=INK, linewidth=1.3)
        axes.set_xlabel("gold", fontsize=8, labelpad=2)
        axes.set_ylabel(label, fontsize=8, labelpad=2)
        left = 0.6 / 2.7
        correlation = "undefined" if r is None else f"{r:.3f}".replace("-", "\u2212")
        figure.text(left, 2.6 / 2.75, label_of(title), fontsize=9, fontweight="bold")
        figure.text(left, 2.42 / 2.75, f"r = {correlation}, n = {len(scores)}", fontsize=8)
    return figure


def histograms(description: Description) -> Figure:
    """Draw the gold scores and the lengths of the sentences of each data set."""
    from matplotlib.figure import Figure

    kinds = {"gold score": description.gold, "tokens per sentence": description.lengths}
    names = [*description.datasets]
    with settings():
        figure = Figure(figsize=(6.4, 1.5 * len(names) + 0.4), layout="constrained")
        for row, name in enumerate(names):
            for column, (label, values) in enumerate(kinds.items()):
                axes = figure.add_subplot(len(names), 2, 2 * row + column + 1)
                axes.hist(values[name].ravel(), bins=20, color=_COLOURS[0])
                axes.set_title(label_of(name), loc="left", fontsize=9)
                axes.set_xlabel(label if row == len(names) - 1 else "")
                axes.set_ylabel("" if column else "pairs")
    return figure


def _drawable(scores: FloatArray) -> tuple[FloatArray, str]:
    """Return scores that axes can show, and their label; huge or tiny ones are rescaled."""
    largest = float(np.abs(scores).max(initial=0))
    if not largest or 1 / _LARGEST_DRAWN < largest < _LARGEST_DRAWN:
        return scores, "predicted"
    return scores / largest, f"predicted / {largest:.3g}"


def bars(measured: Sequence[MeasureResult]) -> Figure:
    """Plot numbers as bars grouped by name, with their intervals and the annotators' agreement."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    systems = [*dict.fromkeys(each.system for each in measured)]
    names = [*dict.fromkeys(each.name for each in measured)]
    agreements = {
        each.name: float(each.annotator_agreement)
        for each in measured
        if each.annotator_agreement is not None
    }
    thick = min(0.8 / len(systems), 0.4)
    inches = max(0.16 * len(systems), 0.2) / 0.8
    left = 0.25 + 0.075 * min(max(map(len, names)), _LONGEST_LABEL)
    columns = max(1, min(4, 80 // (6 + max(len(label_of(each)) for each in [*systems, AGREEMENT]))))
    legend = 0.2 * (len(systems) // columns + 1) + 0.1
    handles: list[Any] = []
    with settings():
        height = inches * len(names) + 0.5 + legend
        figure, axes = axes_of(7.2, height, left, 0.2, 0.4, legend)
        axes.grid(axis="x")
        for number, system in enumerate(systems):
            offset = (number - (len(systems) - 1) / 2) * thick
            results = {
                names.index(each.name) + offset: each for each in measured if each.system == system
            }
            style = style_of(number)
            _draw_bars(axes, results, thick, style)
            handles.append(
                Patch(
                    facecolor=style.colour,
                    hatch=style.hatch,
                    edgecolor="#ffffff",
                    label=label_of(system),
                )
            )
        for name, agreement in agreements.items():
            place = names.index(name)
            axes.plot([agreement, agreement], [place - 0.44, place + 0.44], **AGREEMENT_LINE)
        if agreements:
            handles.append(Line2D([], [], label=AGREEMENT, **AGREEMENT_LINE))
        axes.axvline(0, color=FAINT, linewidth=0.6)
        axes.set_yticks(range(len(names)), [label_of(name) for name in names])
        axes.tick_params(axis="y", length=0, labelsize=9)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.margins(x=0.02)
        figure.legend(
            handles=handles,
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
    axes: Axes, results: Mapping[float, MeasureResult], thick: float, style: Style
) -> None:
    """Draw the results of a system, given by their places on the axis."""
    values = {place: each.value for place, each in results.items() if each.value is not None}
    axes.barh(
        [*values],
        [*values.values()],
        height=thick * 0.92,
        color=style.colour,
        hatch=style.hatch,
        edgecolor="#ffffff",
        linewidth=0,
    )
    for place in values:
        if interval := results[place].interval:
            axes.plot(interval, [place, place], color="#ffffff", linewidth=2.4, alpha=0.7)
            axes.plot(interval, [place, place], "|-", color=INK, linewidth=1, markersize=4)


def to_svg(figure: Figure, name: str = "figure") -> str:
    """Return a figure as an element of a page; ids begin with `name`, so that they are unique.

    The same figure gives the same text; its labels are text in the fonts of the page.
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
    with settings(changed):
        figure.savefig(stream, format=format, dpi=200, metadata=dates.get(format))
    return stream.getvalue()


def save(figure: Figure, path: Path) -> None:
    """Write a figure to a file: ``.svg``, ``.png`` or ``.pdf``."""
    if path.suffix.lower() not in (".svg", ".png", ".pdf"):
        raise InputError(f"{path} is not the name of a plot, which ends in .svg, .png or .pdf.")
    write_bytes(path, _drawn(figure, path.suffix[1:].lower()))
