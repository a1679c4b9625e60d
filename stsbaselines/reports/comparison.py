"""Reports of a comparison: plain text, and a folder with HTML, Markdown, LaTeX and JSON."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from stsbaselines.errors import Fault, InputError
from stsbaselines.evaluation.results import ABOVE, Comparison
from stsbaselines.io import make_folder, to_json, write_text
from stsbaselines.reports.comparison_page import comparison_page
from stsbaselines.reports.comparison_tables import (
    error_tables,
    explain_errors,
    report_tables,
    signatures,
    summary,
    title_of,
)
from stsbaselines.reports.tables import (
    ReportTable,
    in_latex,
    in_markdown,
    latex_table,
    markdown_table,
    plain_table,
)
from stsbaselines.version import __version__

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
