"""Tables of text, and how they are written: as plain text, JSON, CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
import itertools
import re
import unicodedata
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any, NamedTuple

from tabulate import LATEX_ESCAPE_RULES, SEPARATING_LINE, tabulate

from stsbaselines.io.files import to_displayable, to_json
from stsbaselines.io.frames import with_decimals

Rows = Sequence[Mapping[str, Any]]
NONE = "\N{EN DASH}"
_NUMERIC = re.compile(r"(|\N{EN DASH}|-|undefined|\u27e6?<?\s?[-+\N{MINUS SIGN}]?\.?\d[^(]*)")
_DECIMAL = re.compile(r"-?\d*(\.\d*)?")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#&$~])")
_BOLD = re.compile(
    "\N{MATHEMATICAL LEFT WHITE SQUARE BRACKET}(.*?)\N{MATHEMATICAL RIGHT WHITE SQUARE BRACKET}"
)
_PLAIN = str.maketrans({"\N{MINUS SIGN}": "-", "\N{EN DASH}": "-", "\xa0": " "})
_LATEX = {
    "\xa0": "~",
    "|": r"\textbar{}\allowbreak{}",
    '"': "''",
    "\N{EN DASH}": "--",
    "\N{MINUS SIGN}": "$-$",
    "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "\N{DAGGER}": r"$^\dagger$",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
}
_ACCENTS = dict(
    zip("\u0300\u0301\u0302\u0303\u0308\u0327\u030c\u0306\u0304", "`'^~\"cvu=", strict=True)
)


class Format(str, Enum):
    """How a table is written."""

    text = "text"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"


_TABULATE = {Format.text: "simple", Format.markdown: "pipe", Format.latex: "latex_booktabs"}


class ReportTable(NamedTuple):
    """A table of a report, all text.

    `key` is for links. The first `heads` columns are the heads of their rows; with two, rows
    that share the first one make a group.
    """

    key: str
    title: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    heads: int = 1

    @property
    def alignments(self) -> list[str]:
        """How columns are aligned: ``left``, ``right`` or ``decimal``."""
        return [*map(_alignment, zip(*self.rows, strict=True))]

    @property
    def groups(self) -> list[list[tuple[str, ...]]]:
        """The rows by groups."""
        if self.heads == 1:
            return [[*self.rows]]
        return [[*rows] for _, rows in itertools.groupby(self.rows, lambda row: row[0])]


def render(rows: Rows, style: Format = Format.text) -> str:
    """Write rows as a table below a header of their keys."""
    if style is Format.json:
        return to_json(list(rows))
    header = [*dict.fromkeys(itertools.chain.from_iterable(rows))]
    if style is Format.csv:
        return _csv(header, rows)
    return render_cells(header, [[row.get(key, "") for key in header] for row in rows], style)


def render_cells(
    header: Sequence[str],
    rows: Sequence[Sequence[Any]],
    style: Format = Format.text,
    alignments: Sequence[str] | None = None,
) -> str:
    """Write cells below a header as text, Markdown or LaTeX."""
    return tabulate(
        rows,
        headers=header,
        tablefmt=_TABULATE[style],
        disable_numparse=True,
        colalign=alignments or [*map(_alignment, zip(*rows, strict=True))] or None,
    )


def _alignment(column: Sequence[Any]) -> str:
    """Return how a column is aligned; one of numbers may also have signs for missing values."""
    cells = [*map(str, column)]
    if not any(cells) or not all(map(_NUMERIC.fullmatch, cells)):
        return "left"
    return "decimal" if all(map(_DECIMAL.fullmatch, cells)) else "right"


def _csv(header: Sequence[str], rows: Rows) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, header, lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue().removesuffix("\n")


def number(value: float | int | None) -> str:
    """Write a score with the 5 decimals of the official scripts, and a count as it is."""
    return with_decimals(value, 5)


def without(rows: Rows, *columns: str) -> list[dict[str, Any]]:
    """Return the rows without some columns."""
    return [{key: value for key, value in row.items() if key not in columns} for row in rows]


def printable(text: str) -> str:
    """Return a text as it can be shown on one line, whatever bytes it was read from."""
    line = re.sub(r"[ \t-\r\u2028\u2029]+", " ", to_displayable(text)).strip(" ")
    return "".join("\ufffd" if unicodedata.category(each)[0] == "C" else each for each in line)


def bold(cell: str) -> str:
    """Mark a cell of a report's table, so that it is bold in Markdown and LaTeX."""
    return f"\u27e6{cell}\u27e7"


def plain_table(table: ReportTable) -> str:
    """Return a table of a report for the terminal, with its caption below."""
    rows = [[_BOLD.sub(r"\1", cell).translate(_PLAIN) for cell in row] for row in table.rows]
    text = render_cells(table.header, rows, alignments=table.alignments)
    return f"{text}\n\n{table.caption.translate(_PLAIN)}"


def markdown_table(table: ReportTable) -> str:
    """Return a table of a report as Markdown, without its caption."""
    rows = [[_BOLD.sub(r"**\1**", in_markdown(cell)) for cell in row] for row in table.rows]
    header = [in_markdown(name) for name in table.header]
    return render_cells(header, rows, Format.markdown, table.alignments)


def in_markdown(text: str) -> str:
    """Return a text for Markdown, with its marks escaped."""
    return _MARKDOWN.sub(r"\\\1", printable(text))


def latex_table(table: ReportTable, label: str) -> str:
    """Return a table of a report as a LaTeX float, with a rule between groups of rows."""
    rows: list[Any] = []
    for group in table.groups:
        rows += [SEPARATING_LINE] if rows else []
        for place, row in enumerate(group):
            head = "" if place and table.heads == 2 else row[0]
            rows.append([printable(cell) for cell in (head, *row[1:])])
    header = [printable(name) for name in table.header]
    tabular = render_cells(header, rows, Format.latex, table.alignments)
    # Without the braces, a bracket or a star would be an option of the row before.
    tabular = re.sub("(?m)^ ", "{}", _in_ascii(_BOLD.sub(r"\\textbf{\1}", tabular)))
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"\centering\footnotesize\setlength{\tabcolsep}{4pt}",
            f"\\caption{{{in_latex(table.caption)}}}",
            f"\\label{{{label}}}",
            tabular,
            r"\end{table}",
        ]
    )


def in_latex(text: str) -> str:
    """Return a text as LaTeX of ASCII characters alone.

    Accents become commands; a character that LaTeX lacks without further packages
    is named by its number.
    """
    return _in_ascii("".join(LATEX_ESCAPE_RULES.get(each, each) for each in printable(text)))


def _in_ascii(latex: str) -> str:
    return "".join(map(_ascii_character, latex))


def _ascii_character(each: str) -> str:
    if each in _LATEX:
        return _LATEX[each]
    if each.isascii():
        return each
    base, *accents = list(unicodedata.normalize("NFD", each))
    if base.isascii() and base.isalpha() and len(accents) == 1 and accents[0] in _ACCENTS:
        return f"\\{_ACCENTS[accents[0]]}{{{base}}}"
    return f"[U+{ord(each):04X}]"
