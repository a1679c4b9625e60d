"""Reports of a comparison: plain text, and a folder with HTML, Markdown, LaTeX and JSON."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined

from stsbaselines.errors import Fault, InputError
from stsbaselines.evaluation.results import ABOVE, Comparison
from stsbaselines.io.files import make_folder, to_json, write_text
from stsbaselines.reports import plots
from stsbaselines.reports.comparison_tables import (
    error_tables,
    explain_errors,
    main_results,
    report_tables,
    signatures,
    summary,
    title_of,
)
from stsbaselines.reports.rank_plot import rank_plot
from stsbaselines.reports.tables import (
    ReportTable,
    in_latex,
    in_markdown,
    latex_table,
    markdown_table,
    plain_table,
    printable,
)
from stsbaselines.version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FILES = ("index.html", "comparison.md", "comparison.tex", "comparison.json")


def report(comparison: Comparison, folder: str | Path) -> list[Path]:
    r"""Write a comparison as ``index.html``, ``comparison.md``, ``.tex`` and ``.json``.

    Parameters
    ----------
    comparison : Comparison
        See `stsbaselines.compare`.
    folder : path
        Created if it does not exist; files of these names are replaced.

    Returns
    -------
    list of Path
        The files, in the order above.

    Raises
    ------
    InputError
        If the folder cannot be written to.

    Examples
    --------
    >>> import tempfile
    >>> from stsbaselines import compare
    >>> def same(left, right):
    ...     return [len({*a.split()} & {*b.split()}) for a, b in zip(left, right)]
    >>> found = compare("sample-sts", {"same": same})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in report(found, folder)]
    ['index.html', 'comparison.md', 'comparison.tex', 'comparison.json']
    """
    target = Path(folder)
    with folder_for(target):
        as_json = to_json(comparison.to_dict()) + "\n"
        texts = (comparison_page(comparison), markdown(comparison), latex(comparison), as_json)
        for name, text in zip(FILES, texts, strict=True):
            write_text(target / name, text)
    return [target / name for name in FILES]


@contextlib.contextmanager
def folder_for(folder: Path) -> Iterator[None]:
    """Create the folder of a report in advance, and remove it if it stays empty."""
    is_new = not os.path.lexists(folder)
    make_folder(folder)
    for name in FILES:
        if (folder / name).is_dir():
            raise InputError([Fault(str(folder / name), "a directory", "a file or nothing")])
    try:
        yield
    finally:
        if is_new:
            with contextlib.suppress(OSError):  # it is not empty
                folder.rmdir()


def comparison_text(comparison: Comparison) -> str:
    """Return a comparison for the terminal: tables, notes and signatures."""
    parts = [title_of(comparison)]
    parts += [plain_table(each) for each in report_tables(comparison) if each.key != "overview"]
    lines = [f"{names}: {signature}" for signature, names in signatures(comparison).items()]
    return "\n\n".join([*parts, "\n".join([*comparison.notes, *lines])])


def markdown(comparison: Comparison) -> str:
    """Return a comparison as Markdown."""
    parts = [f"# {in_markdown(title_of(comparison))}", in_markdown(comparison.task.title)]
    parts += [in_markdown(f"{system} {sentence}") for system, sentence in summary(comparison)]
    for each in report_tables(comparison):
        parts += [f"## {each.title}", markdown_table(each), in_markdown(each.caption)]
    errors = [*error_tables(comparison)]
    parts += ["## Largest errors", explain_errors(comparison)] if errors else []
    for each in errors:
        parts += [f"### {in_markdown(each.title)}", markdown_table(each)]
    if comparison.notes:
        parts += ["## Notes", "\n".join(f"- {in_markdown(each)}" for each in comparison.notes)]
    lines = [
        f"- {in_markdown(f'{names}: {signature}')}"
        for signature, names in signatures(comparison).items()
    ]
    parts += ["## Signatures", "\n".join(lines), f"Made by stsbaselines {__version__}."]
    return "\n\n".join(parts) + "\n"


def latex(comparison: Comparison) -> str:
    r"""Return the tables of a comparison as LaTeX, which needs only the package booktabs."""
    title = ascii(title_of(comparison))[1:-1]
    parts = [f"% {title}, by stsbaselines {__version__}", "% \\usepackage{booktabs}"]
    for each in report_tables(comparison):
        for part in _narrow(each):
            parts.append(latex_table(part, f"tab:{comparison.task.task}-{part.key}"))
    lines = [
        f"\\noindent {in_latex(names)}: \\texttt{{{in_latex(signature)}}}\\par"
        for signature, names in signatures(comparison).items()
    ]
    return "\n\n".join([*parts, "\n".join([r"{\footnotesize\raggedright", *lines, "}"])]) + "\n"


def _narrow(table: ReportTable) -> list[ReportTable]:
    """Split a table that names neighbours into two that fit on a page."""
    if table.key != "numbers" or ABOVE not in table.header:
        return [table]
    start = table.header.index(ABOVE)
    lines = (table.header, *table.rows)
    numbers = [(*line[:start], *line[start + 2 :]) for line in lines]
    neighbours = [(*line[: table.heads], *line[start : start + 2]) for line in lines]
    return [
        table._replace(header=numbers[0], rows=tuple(numbers[1:])),
        table._replace(
            key="neighbours",
            caption="The nearest published runs above and below.",
            header=neighbours[0],
            rows=tuple(neighbours[1:]),
        ),
    ]


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
            system: plots.style_of(place).colour for place, system in enumerate(comparison.systems)
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


def _picture(figure: Figure, name: str, label: str, caption: str) -> Picture:
    opening = f'<svg role="img" aria-label="{escape(printable(label))}" '
    return Picture(plots.to_svg(figure, name).replace("<svg ", opening, 1), caption)


def _rank_picture(comparison: Comparison) -> Picture | None:
    results = main_results(comparison)
    rank = next((each.rank for each in results if each.rank), None)
    if rank is None:
        return None
    name = results[0].name
    # Undefined numbers are not drawn, but keep their place in the order of colours.
    marked = {each.system: math.nan if each.value is None else each.value for each in results}
    intervals = {each.system: each.interval for each in results if each.interval}
    figure = rank_plot(rank.table, rank.column, marked, intervals)
    ranks = "; ".join(f"{each.system} has rank {each.rank}" for each in results if each.rank)
    caption = (
        f"{name} of the systems (coloured, with 95 % intervals) among the published runs (grey)"
        f" of {rank.table.title}. Diamonds are the baselines."
    )
    return _picture(figure, "rank", f"{name}: {ranks}.", caption)


def _bars_picture(comparison: Comparison) -> Picture | None:
    if all(each.value is None for each in comparison.measured):
        return None
    has_agreement = any(each.annotator_agreement is not None for each in comparison.measured)
    agreement = " Dashed marks are the annotators' agreement." if has_agreement else ""
    return _picture(
        plots.bars(comparison.measured),
        "bars",
        "Bars of the official numbers; the table of all numbers has the same.",
        f"Official numbers with 95 % confidence intervals.{agreement}",
    )


def _scatters(comparison: Comparison) -> dict[str, list[Picture]]:
    """Return the scatter plots of each system."""
    found: dict[str, list[Picture]] = {}
    for number, ((system, name), score_pairs) in enumerate(comparison.score_pairs.items()):
        if not len(score_pairs.scores):
            continue
        figure = plots.scatter(score_pairs, name, comparison.systems.index(system))
        label = f"{system}, {name}: predicted against gold scores. {figure.texts[1].get_text()}."
        picture = _picture(figure, f"scatter{number}", label, name)
        found.setdefault(system, []).append(picture)
    return found
