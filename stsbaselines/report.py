"""Results as text, JSON, CSV, Markdown and LaTeX."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

from rich.text import Text
from tabulate import tabulate

from stsbaselines.comparison import NOT_PUBLISHED
from stsbaselines.files import to_json

if TYPE_CHECKING:
    from stsbaselines.baselines.typed_tfidf import Evidence
    from stsbaselines.comparison import Cell
    from stsbaselines.experiment import Results
    from stsbaselines.reference import Table
    from stsbaselines.tasks.family import Scores

Rows = Sequence[Mapping[str, Any]]
UNDEFINED = "undefined"
SHOWN_TERMS = 6
_COLOURS = {"EQUI": "green", "ALIC": "yellow"}


class Format(str, Enum):
    """How a table is written."""

    text = "text"
    json = "json"
    csv = "csv"
    markdown = "markdown"
    latex = "latex"


_TABULATE = {Format.text: "simple", Format.markdown: "pipe", Format.latex: "latex_booktabs"}


def render(rows: Rows, style: Format = Format.text) -> str:
    """Write rows of one kind as a table.

    Parameters
    ----------
    rows : sequence of mapping
        The keys of the first one are the header.
    style : Format

    Examples
    --------
    >>> print(render([{"run": "a", "Mean": "0.5870"}]))
    run      Mean
    -----  ------
    a      0.5870
    """
    if style is Format.json:
        return to_json(list(rows))
    if style is Format.csv:
        return _csv(rows)
    header = list(rows[0]) if rows else []
    numeric = {key for key in header if _is_numeric([row.get(key, "") for row in rows])}
    return tabulate(
        [[row.get(key, "") for key in header] for row in rows],
        headers=header,
        tablefmt=_TABULATE[style],
        disable_numparse=True,
        colalign=["decimal" if key in numeric else "left" for key in header] or None,
    )


def _is_numeric(column: list[Any]) -> bool:
    """Tell whether a column has numbers, and no other text than the signs for none."""
    filled = [value for value in column if value not in ("", "-", UNDEFINED)]
    return bool(filled) and all(map(_is_number, filled))


def _is_number(value: object) -> bool:
    text = str(value).lstrip("-")
    return text.replace(".", "", 1).isdigit()


def _csv(rows: Rows) -> str:
    stream = io.StringIO()
    writer = csv.DictWriter(stream, list(rows[0]) if rows else [], lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return stream.getvalue().removesuffix("\n")


def number(value: float | int | None) -> str:
    """Write a score with the 5 decimals of the official scripts, and a count as it is.

    Examples
    --------
    >>> number(0.5), number(750), number(None)
    ('0.50000', '750', 'undefined')
    """
    if value is None:
        return UNDEFINED
    return str(value) if isinstance(value, int) else f"{value:.5f}"


def cell_rows(cells: Iterable[Cell]) -> list[dict[str, str]]:
    """Return cells as rows of printed text; columns that would be empty are left out."""
    rows = [
        {
            "task": cell.task,
            "baseline": cell.baseline,
            "set": cell.name,
            "ours": "-" if cell.status == "no data" else number(cell.ours),
            "sd": "" if cell.deviation is None else f"{cell.deviation:.4f}",
            "95% of seeds": _range(cell.interval),
            "published": "" if cell.published is None else str(cell.published),
            "status": cell.status,
            "reason": cell.reason,
        }
        for cell in cells
    ]
    used = [key for key in (rows[0] if rows else []) if any(row[key] for row in rows)]
    return [{key: row[key] for key in used} for row in rows]


def _range(interval: tuple[float, float] | None) -> str:
    return "{:.3f} to {:.3f}".format(*interval) if interval else ""


def without(rows: Rows, *columns: str) -> list[dict[str, Any]]:
    """Return the rows without some columns."""
    return [{key: value for key, value in row.items() if key not in columns} for row in rows]


def results_text(results: Results) -> str:
    """Return what an experiment gave as one table, with its notes below."""
    notes = [*results.notes]
    for baseline in results.baselines:
        if baseline.config.seeds:
            notes.append(
                f"{baseline.config.baseline}: mean and standard deviation (sd) over"
                f" {baseline.config.seeds} seeds."
            )
        notes.extend(_reasons(cell for cell in baseline.cells if cell.status != "no data"))
        seed = ", seed 0" if baseline.config.seeds else ""
        of = f"{baseline.config.title}{seed}: "
        notes.extend(f"{of}{note}" for scores in baseline.runs[:1] for note in scores.notes)
    rows = without(cell_rows(results.cells), "task", "reason")
    first = [results.instead_of, "", "Shown instead:", ""] if results.instead_of else []
    tables = [results.task.title, "", render(rows), ""]
    for baseline in results.baselines:
        if baseline.evidence:
            tables += [render(_evidence_rows(baseline.evidence)), ""]
    return "\n".join([*first, *tables, *notes]).rstrip()


def _evidence_rows(pairs: Sequence[Sequence[Evidence]]) -> list[dict[str, str]]:
    """Return a row for each type of each pair, with its score and what matched."""
    return [
        {
            "pair": str(number),
            "type": each.type,
            "score": f"{each.score:.4f}",
            "matched": ", ".join(each.matched[:SHOWN_TERMS])
            + (f", ... ({len(each.matched)} in all)" if len(each.matched) > SHOWN_TERMS else ""),
        }
        for number, pair in enumerate(pairs, 1)
        for each in pair
    ]


def _reasons(cells: Iterable[Cell]) -> list[str]:
    """Return the reasons of cells, each once, with the cells that it is for."""
    places: dict[tuple[str, str], dict[str, list[str]]] = {}
    every: Counter[tuple[str, str]] = Counter()
    for cell in cells:
        every[cell.task, cell.baseline] += 1
        if cell.reason:
            baselines = places.setdefault((cell.task, cell.reason), {})
            baselines.setdefault(cell.baseline, []).append(cell.name)
    return [
        f"{task}, {'; '.join(_named(*each, every[task, each[0]]) for each in baselines.items())}:"
        f" {reason.rstrip('.')}."
        for (task, reason), baselines in places.items()
    ]


def _named(baseline: str, cells: list[str], every: int) -> str:
    return f"{baseline} {'(all)' if len(cells) == every > 1 else ', '.join(cells)}"


_DETAILS = {
    "types": "links by type",
    "confusion": "types of the gold standard (rows) against the system's, by weight of links",
}


def scores_text(scores: Scores, details: bool = False) -> str:
    """Return the scores of a run as tables, with its notes and signature below.

    Parameters
    ----------
    scores : Scores
    details : bool
        Whether to add the tables for error analysis, if the task has some.
    """
    columns = dict.fromkeys(key for values in scores.datasets.values() for key in values)
    rows = [
        {"set": name, **{key: number(values[key]) if key in values else "" for key in columns}}
        for name, values in scores.datasets.items()
    ]
    parts = [f"{scores.run} on {scores.task}", "", render(rows)]
    if scores.aggregates:
        totals = [{"aggregate": k, "value": number(v)} for k, v in scores.aggregates.items()]
        parts += ["", render(totals)]
    for name, tables in scores.details.items() if details else ():
        for table, title in _DETAILS.items():
            parts += ["", f"{name}: {title}", "", render(_printed(tables[table]))]
    return "\n".join([*parts, "", *scores.notes, scores.signature])


def alignments_text(rows: Rows) -> Text:
    """Return the alignments of a pair, a line each, with colours for the terminal.

    Parameters
    ----------
    rows : sequence of mapping
        As `stsbaselines.show.as_rows` gives them.
    """
    text = Text()
    sides = [[f"[ {words} ]" if words else "-" for words in row["text"]] for row in rows]
    widths = [max(map(len, column)) for column in zip(*sides, strict=True)]
    for row, columns in zip(rows, sides, strict=True):
        for words, width in zip(columns, widths, strict=True):
            text.append(f"{words:<{width}}  ")
        label = f"{row['types']} {row['score']}"
        text.append(label, style=_COLOURS.get(row["type"], "bright_black"))
        text.append("\n")
    text.rstrip()
    return text if rows else Text("no chunks")


def _printed(rows: Rows) -> list[dict[str, str]]:
    return [
        {key: each if isinstance(each, str) else number(each) for key, each in row.items()}
        for row in rows
    ]


def tables_text(tables: Iterable[Table], style: Format = Format.text) -> str:
    """Return published tables, each below its title and above its note."""
    parts = []
    for table in tables:
        mark = {Format.markdown: "### ", Format.latex: "% "}.get(style, "")
        note_mark = "% " if style is Format.latex else ""
        parts.append(f"{mark}{table.name}: {table.title}\n\n{render(table.cells(), style)}")
        if table.note:
            parts.append(f"{note_mark}{table.note}")
    return "\n\n".join(parts)


def ledger_text(cells: Sequence[Cell], style: Format = Format.text) -> str:
    """Return the ledger as a table; as text and Markdown with a summary."""
    if style is Format.json:
        return to_json([cell.to_dict() for cell in cells])
    rows = cell_rows(cells)
    if style is Format.text:
        table = render(without(rows, "reason"))
        return "\n".join([table, "", *_reasons(cells), _summary(cells)])
    table = render(rows, style)
    return f"{table}\n\n{_summary(cells)}" if style is Format.markdown else table


def _summary(cells: Sequence[Cell]) -> str:
    """Return how many cells have which status, in a sentence."""
    counts = Counter(cell.status for cell in cells)
    others = counts.pop(NOT_PUBLISHED, 0)
    listed = ", ".join(f"{count} {status}" for status, count in counts.items())
    besides = f" Besides, {others} of trained models that no paper has a row for." if others else ""
    return f"{len(cells) - others} published cells: {listed}.{besides}"
