"""Rows of the seven sets, their ranks, and where their numbers come from, as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from stsbaselines.evaluation.row_explanation import RowOrigin, SystemOrigin
from stsbaselines.evaluation.row_results import (
    PERCENT,
    RowCell,
    RowResult,
    SystemRow,
    printed,
)
from stsbaselines.reference.published import Row
from stsbaselines.reference.rows import (
    AVERAGE,
    COMPUTED,
    DECIMALS,
    SECONDARY,
    PublishedMatch,
    under_other_conventions,
)
from stsbaselines.reports.tables import (
    NONE,
    Format,
    ReportTable,
    bold,
    in_latex,
    in_markdown,
    latex_table,
    markdown_table,
    plain_table,
    printable,
    render,
)

_MOST_LISTED = 30
_FITS = {
    "rounded": "is the mean of the columns as printed",
    "unrounded": "can only be the mean of the columns before they were rounded",
    "no": "is not the mean of the columns",
}


def row_text(found: RowResult, style: Format = Format.text, rank: bool = False) -> str:
    """Return the rows of each convention as a table, with reasons, signatures and notes below.

    With `rank`, also the ranks among the published rows. CSV has the unrounded values only.
    """
    if style is Format.csv:
        return render(found.rows(), style)
    parts = ["% \\usepackage{booktabs}"] if style is Format.latex else []
    for name, rows in found.by_convention().items():
        parts.append(_written(_values(name, rows, found.base, style), style))
        lines = [*dict.fromkeys(line for row in rows for line in _reasons(row))]
        ranks = _ranks(name, rows)
        if rank and ranks.rows:
            parts.append(_written(ranks, style))
            lines += [*_unranked(name)]
        lines += dict.fromkeys(row.signature for row in rows)
        parts.append(_lines(lines, style))
    parts += [_lines(found.notes, style)] if found.notes else []
    return "\n\n".join(parts)


def _written(table: ReportTable, style: Format) -> str:
    if style is Format.latex:
        return latex_table(table, f"tab:row-{table.key}")
    if style is Format.markdown:
        return f"{markdown_table(table)}\n\n{in_markdown(table.caption)}"
    return plain_table(table)


def _lines(lines: Sequence[str], style: Format) -> str:
    if style is Format.latex:
        return "\n".join(f"\\noindent {in_latex(line)}\\par" for line in lines)
    if style is Format.markdown:
        return "\n".join(f"- {in_markdown(line)}" for line in lines)
    return "\n".join(map(printable, lines))


def _values(convention: str, rows: Sequence[SystemRow], base: str, style: Format) -> ReportTable:
    """Return a row for each system and, if there are intervals, another one for these."""
    cells = []
    has_intervals = any(each.interval for row in rows for each in row.cells.values())
    for row in rows:
        cells.append((row.system, *(_value(name, row, rows) for name in row.cells)))
        if has_intervals:
            cells.append(("95 % interval", *map(_interval, row.cells.values())))
    caption = f"Correlations times {PERCENT} under the convention {convention}."
    if base:
        caption += f" A dagger marks what differs significantly from {base} (paired bootstrap, 5 %)"
        caption += (
            "."
            if style is Format.text
            else ("; the highest number of a column is bold if it is significantly higher.")
        )
    return ReportTable(convention, convention, caption, ("system", *rows[0].cells), tuple(cells))


def _value(name: str, row: SystemRow, rows: Sequence[SystemRow]) -> str:
    cell = row.cells[name]
    text, difference = printed(cell.value) or NONE, cell.difference
    if difference is None or not difference.differs:
        return text
    values = [each.cells[name].value for each in rows]
    is_best = cell.value == max(value for value in values if value is not None)
    return f"{bold(text) if is_best else text}\N{DAGGER}"


def _interval(cell: RowCell) -> str:
    if cell.interval is None:
        return NONE
    bounds = (f"{PERCENT * each:.1f}".replace("-", "\N{MINUS SIGN}") for each in cell.interval)
    return "\N{EN DASH}".join(bounds)


def _reasons(row: SystemRow) -> Iterator[str]:
    """Yield why cells are empty; columns with the same reason are joined."""
    columns: dict[str, list[str]] = {}
    for name, each in row.columns.items():
        if each.reason:
            columns.setdefault(each.reason, []).append(name)
    for reason, names in columns.items():
        yield f"{row.system} has no {' and '.join(names)}, and so no {AVERAGE}: {reason}"


def _ranks(convention: str, rows: Sequence[SystemRow]) -> ReportTable:
    """Return a row for each system and each published row next to it."""
    cells = []
    for row in rows:
        rank = row.rank
        if rank is None:
            continue
        near = [("above", rank.above), *(("equal", each) for each in rank.equal)]
        for side, other in (*near, ("below", rank.below)):
            if other is not None:
                head = row.system, printed(row.average.value), str(rank)
                cells.append((*head, side, *_published(other)))
    return ReportTable(
        f"{convention}-rank",
        "Rank",
        f"Rank by {AVERAGE} among the distinct published rows of the convention {convention}.",
        ("system", AVERAGE, "rank", "published", "row", f"its {AVERAGE}", "source"),
        tuple(cells),
    )


def _published(row: Row) -> tuple[str, str, str]:
    source = row.text["source"]
    if SECONDARY in row.flags:
        source += " (secondary)"
    if COMPUTED in row.flags:
        source += f" (prints no {AVERAGE}: the mean of its columns)"
    return row.text["run"], f"{row.values[AVERAGE]:.{DECIMALS}f}", source


def _unranked(convention: str) -> Iterator[str]:
    for name, runs in under_other_conventions(convention).items():
        listed = "; ".join(runs) if len(runs) <= _MOST_LISTED else f"{len(runs)} systems"
        yield f"not ranked, because they are known under {name} (table rows-{name}): {listed}"


def origin_text(found: RowOrigin) -> str:
    """Return which published rows and systems have the numbers of a row."""
    parts = [_published_text(found)]
    if found.average:
        average = f"{AVERAGE} {found.numbers.values[AVERAGE]} {_FITS[found.average.fits]}"
        parts.append(f"{average}, which is {found.average.mean:.3f}.")
    parts += [_system_text(each, found) for each in found.systems]
    return "\n\n".join(parts)


def _published_text(found: RowOrigin) -> str:
    if not found.published:
        return "No published row has these numbers, or most of them."
    rows = [
        {
            "published row": each.run,
            "convention": ", ".join(each.conventions),
            "same": ", ".join(each.columns) if "" in found.numbers.values else len(each.columns),
            "other there": ", ".join(f"{name} {value}" for name, value in each.off.items()),
            "source": "; ".join(each.sources) + (" (secondary)" if each.secondary else ""),
        }
        for each in found.published
    ]
    is_whole = not found.published[0].off
    has = "have these numbers" if is_whole else "have most of these numbers, but not all"
    text = f"Published rows that {has}:\n\n{render(rows)}"
    return text if is_whole else f"{text}\n\n{_odd(found.published)}"


def _odd(published: Sequence[PublishedMatch]) -> str:
    columns = dict.fromkeys(name for each in published for name in each.off)
    return f"Off: {', '.join(columns)}."


def _system_text(each: SystemOrigin, found: RowOrigin) -> str:
    if not each.conventions:
        return f"{each.system} gives none of these numbers under any convention."
    rows, given = [], found.numbers.values
    for column in each.columns:
        value = column.value
        rows.append(
            {
                "column": column.column,
                "number": str(
                    found.numbers.values.get("", found.numbers.values.get(column.column))
                ),
                f"{each.system} gives it under": ", ".join(column.conventions) or NONE,
                each.conventions[0]: NONE if value is None else f"{value:.3f}",
            }
        )
    best = " and ".join(each.conventions)
    if "" in given:
        return f"{each.system} gives this number as:\n\n{render(rows)}"
    whole = "all" if not each.off else f"{len(each.columns) - len(each.off)} of {len(each.columns)}"
    off = f" Off: {', '.join(each.off)}." if each.off else ""
    return f"{each.system} gives {whole} of the numbers under {best}.{off}\n\n{render(rows)}"
