"""The HTML page of a comparison, with figures; it needs no other file."""

from __future__ import annotations

import math
from html import escape
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from stsbaselines.evaluation.results import Comparison
from stsbaselines.reports import plots
from stsbaselines.reports.comparison_tables import (
    error_tables,
    explain_errors,
    main_number,
    report_tables,
    signatures,
    summary,
    title_of,
)
from stsbaselines.reports.rank_plot import rank_plot
from stsbaselines.reports.tables import printable
from stsbaselines.version import __version__


class Picture(NamedTuple):
    """A figure of the page."""

    svg: str
    caption: str


def comparison_page(comparison: Comparison) -> str:
    """Return a comparison as one page of HTML."""
    environment = Environment(
        loader=PackageLoader("stsbaselines.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_displayed,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("comparison.html").render(
        title=title_of(comparison),
        subtitle=comparison.task.title,
        summary=summary(comparison),
        citation="" if comparison.task.is_sample else comparison.task.citation,
        tables={each.key: each for each in report_tables(comparison)},
        colours={
            system: plots.style_of(index).colour for index, system in enumerate(comparison.systems)
        },
        rank=_rank_picture(comparison),
        bars=_bars_picture(comparison),
        scatters=_scatters(comparison),
        is_alignment=not comparison.score_pairs,
        errors=list(error_tables(comparison)),
        error_unit=explain_errors(comparison),
        notes=comparison.notes,
        signatures=signatures(comparison),
        version=__version__,
    )


def _displayed(value: Any) -> Any:
    """Return what a template writes: text as it can be shown, and markup as it is."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _picture(svg: str, label: str, caption: str) -> Picture:
    opening = f'<svg role="img" aria-label="{escape(printable(label))}" '
    return Picture(svg.replace("<svg ", opening, 1), caption)


def _rank_picture(comparison: Comparison) -> Picture | None:
    name = main_number(comparison)
    results = [each for each in comparison.measured if each.name == name]
    rank = next((each.rank for each in results if each.rank), None)
    if rank is None:
        return None
    # Undefined numbers are not drawn, but keep their place in the order of colours.
    marked = {each.system: math.nan if each.value is None else each.value for each in results}
    intervals = {each.system: each.interval for each in results if each.interval}
    figure = rank_plot(rank.table, rank.column, marked, intervals)
    ranks = "; ".join(f"{each.system} has rank {each.rank}" for each in results if each.rank)
    caption = (
        f"{name} of the systems (coloured, with 95 % intervals) among the published runs (grey)"
        f" of {rank.table.title}. Diamonds are the baselines."
    )
    return _picture(plots.to_svg(figure, "rank"), f"{name}: {ranks}.", caption)


def _bars_picture(comparison: Comparison) -> Picture | None:
    if all(each.value is None for each in comparison.measured):
        return None
    has_agreement = any(each.annotator_agreement is not None for each in comparison.measured)
    agreement = " Dashed marks are the annotators' agreement." if has_agreement else ""
    return _picture(
        plots.to_svg(plots.bars(comparison.measured), "bars"),
        "Bars of the official numbers; the table of all numbers has the same.",
        f"Official numbers with 95 % confidence intervals.{agreement}",
    )


def _scatters(comparison: Comparison) -> dict[str, list[Picture]]:
    """Return the scatter plots of each system."""
    found: dict[str, list[Picture]] = {}
    for number, ((system, name), score_pairs) in enumerate(comparison.score_pairs.items()):
        if not len(score_pairs.scores):
            continue
        figure = plots.scatter(score_pairs, name, plots.style_of(comparison.systems.index(system)))
        label = f"{system}, {name}: predicted against gold scores. {figure.texts[1].get_text()}."
        svg = plots.to_svg(figure, f"scatter{number}")
        found.setdefault(system, []).append(_picture(svg, label, name))
    return found
