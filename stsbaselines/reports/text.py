"""Scores, explanations, alignments and published tables as text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from rich.text import Text

from stsbaselines.errors import visible
from stsbaselines.reports.tables import Format, Rows, number, render

if TYPE_CHECKING:
    from stsbaselines.evaluation.description import Description
    from stsbaselines.evaluation.explanation import NumberOrigin
    from stsbaselines.evaluation.table_significance import TableSignificance
    from stsbaselines.reference.published import Table
    from stsbaselines.tasks.base import Scores

_COLOURS = {"EQUI": "green", "ALIC": "yellow"}
LEAST_P = 0.0001
_DETAILS = {
    "types": "links by type",
    "confusion": "types of the gold standard (rows) against the system's, by weight of links",
}


def scores_text(scores: Scores, details: bool = False) -> str:
    """Return the scores of a run as tables, with its notes and signature below.

    With `details`, the tables for error analysis are added, if the task has some.
    """
    rows = [
        {"set": name, **{key: number(value) for key, value in values.items()}}
        for name, values in scores.datasets.items()
    ]
    parts = [f"{scores.run} on {scores.task}", "", render(rows)]
    if scores.aggregates:
        totals = [{"aggregate": k, "value": number(v)} for k, v in scores.aggregates.items()]
        parts += ["", render(totals)]
    for name, tables in scores.details.items() if details else ():
        for table, title in _DETAILS.items():
            cells = [
                {key: each if isinstance(each, str) else number(each) for key, each in row.items()}
                for row in tables[table]
            ]
            parts += ["", f"{name}: {title}", "", render(cells)]
    return "\n".join([*parts, "", *scores.notes, scores.signature])


def explanation_text(found: NumberOrigin) -> str:
    """Return under which measures and conventions a run gives a number, or what is nearest."""
    rows = [
        {
            "measure or convention": each.name,
            "official": "yes" if each.official else "",
            "value": f"{each.value:.7f}",
            "rounded": each.rounding + (", times 100" if each.times != 1 else ""),
            "signature": each.signature,
        }
        for each in found.matches
    ]
    if rows:
        first, table = f"{found.run} on {found.task} gives {found.number} as:", render(rows)
        return "\n".join([first, "", table, *found.notes])
    decimals = len(found.number.partition(".")[2]) + 1
    near = [
        {
            "measure or convention": each.name,
            "value": f"{each.value:.7f}",
            "off by": f"{each.off:+.{decimals}f}" + (" (times 100)" if each.times != 1 else ""),
            "signature": each.signature,
        }
        for each in found.nearest
    ]
    first = f"{found.run} on {found.task} gives {found.number} by no convention. The nearest are:"
    return "\n".join([first, "", render(near), *found.notes])


def alignments_text(rows: Rows) -> Text:
    """Return the alignments of `stsbaselines.reports.alignments.as_rows`, one per line."""
    text = Text()
    sides = [[f"[ {visible(words)} ]" if words else "-" for words in row["text"]] for row in rows]
    widths = [max(map(len, column)) for column in zip(*sides, strict=True)]
    for row, columns in zip(rows, sides, strict=True):
        for words, width in zip(columns, widths, strict=True):
            text.append(f"{words:<{width}}  ")
        label = f"{row['types']} {row['score']}"
        text.append(label, style=_COLOURS.get(row["type"], "bright_black"))
        text.append("\n")
    text.rstrip()
    return text if rows else Text("no chunks")


def tables_text(tables: Iterable[Table], style: Format = Format.text) -> str:
    """Return published tables, each below its title and above its note."""
    parts = []
    for table in tables:
        mark = {Format.markdown: "### ", Format.latex: "% "}.get(style, "")
        note_mark = "% " if style is Format.latex else ""
        parts.append(f"{mark}{table.name}: {table.title}\n\n{render(table.cells(), style)}")
        if note := table.summary()["note"]:
            parts.append(f"{note_mark}{note}")
    return "\n\n".join(parts)


def description_text(description: Description) -> str:
    """Return the statistics of data sets as a table with a column for each, and notes."""
    rows: list[dict[str, str]] = []
    for name, found in description.datasets.items():
        for key, value in _flat(found):
            row = next((each for each in rows if each["statistic"] == key), None)
            if row is None:
                row = {"statistic": key}
                rows.append(row)
            row[name] = f"{value:.3f}" if isinstance(value, float) else str(value)
    return "\n\n".join([description.task.title, render(rows), *description.notes])


def _flat(found: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the statistics of a data set; those of a type or label below its name."""
    for key, value in found.items():
        if isinstance(value, dict):
            for name, each in value.items():
                inner = _flat(each) if isinstance(each, dict) else [("", each)]
                yield from ((f"{key} {name} {below}".rstrip(), what) for below, what in inner)
        elif isinstance(value, list):
            yield key, " ".join(map(str, value))
        else:
            yield key.replace("_", " "), value


def differences_text(found: TableSignificance, style: Format = Format.text) -> str:
    """Return which runs of a published table differ, below their title; only rows as CSV."""

    def p(value: float | None) -> str:
        if value is None:
            return ""
        return f"{value:.4f}" if value >= LEAST_P else f"<{LEAST_P:.4f}"

    rows = [
        {
            "position": str(each.position),
            "run": each.run,
            found.column: str(each.value),
            "differs from": "" if each.differs_from is None else str(each.differs_from),
            "p": p(each.p),
            "p before": p(each.p_before),
        }
        for each in found.runs
    ]
    if style is Format.csv:
        return render(rows, style)
    mark = {Format.markdown: "### ", Format.latex: "% "}.get(style, "")
    notes = [f"{'% ' * (style is Format.latex)}{note}" for note in found.notes]
    return "\n\n".join([f"{mark}{found.title}", render(rows, style), *notes])
