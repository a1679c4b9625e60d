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

from stsbaselines.errors import visible
from stsbaselines.evaluation.results import (
    BASELINE,
    BOOTSTRAP,
    BOOTSTRAP_INTERVAL,
    FISHER,
    SYSTEM,
    WILLIAMS,
)
from stsbaselines.experiments.ledger import NOT_PUBLISHED
from stsbaselines.io import to_json
from stsbaselines.reference.ranking import name_of

if TYPE_CHECKING:
    from stsbaselines.baselines.typed_tfidf import Evidence
    from stsbaselines.evaluation.explanation import NumberOrigin
    from stsbaselines.evaluation.results import Comparison, MeasureResult, SignificanceTest
    from stsbaselines.experiments.ledger import LedgerEntry
    from stsbaselines.experiments.run import Results
    from stsbaselines.reference.published import Table
    from stsbaselines.tasks.base import Scores

Rows = Sequence[Mapping[str, Any]]
UNDEFINED = "undefined"
SHOWN_TERMS = 6
LEAST_P = 0.0001
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


def cell_rows(cells: Iterable[LedgerEntry]) -> list[dict[str, str]]:
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
    first = [results.fallback_for, "", "Shown instead:", ""] if results.fallback_for else []
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


def _reasons(cells: Iterable[LedgerEntry]) -> list[str]:
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
        As `stsbaselines.reports.alignments.as_rows` gives them.
    """
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


def _printed(rows: Rows) -> list[dict[str, str]]:
    return [
        {key: each if isinstance(each, str) else number(each) for key, each in row.items()}
        for row in rows
    ]


def comparison_text(comparison: Comparison) -> str:
    """Return where systems stand as tables, with the notes and the signatures below.

    What differs significantly has a star.
    """
    title = f"{', '.join(comparison.systems)} on {comparison.task.task}"
    parts = [title, "", render(standing_rows(comparison)), "", *_legend(comparison)]
    for rows, note in (
        (baseline_rows(comparison), "Differences to the published baselines; stars as above."),
        (_printed_differences(comparison), DEPENDENT),
    ):
        parts += ["", render(rows), "", note] if rows else []
    if comparison.conventions:
        parts += ["", "By the conventions that papers use:", "", *_conventions(comparison)]
    signatures = dict.fromkeys(each.signature for each in comparison.scores.values())
    return "\n".join([*parts, "", *comparison.notes, *signatures])


DEPENDENT = (
    "Systems on the same pairs depend on each other: quote Williams' test (of Pearson's"
    " correlation) or else the paired bootstrap; Fisher's z is for comparison with the papers."
)


def _legend(comparison: Comparison) -> list[str]:
    """Say what a star means, and what a rank that is a range does."""
    places = [each.place for each in comparison.measured if each.place]
    if not places:
        is_known = any(each.value is not None for each in comparison.measured)
        return [f"No published ranking of {comparison.task.task} is at hand."] if is_known else []
    methods = {each.method for each in comparison.tests if each.relation != SYSTEM}
    how = {
        FISHER: "Fisher's z, one-tailed, p < .05",
        BOOTSTRAP_INTERVAL: "its number lies outside of the interval, for numbers that are no"
        " correlations",
    }
    named = "; ".join(text for method, text in how.items() if method in methods)
    lines = [f"* differs significantly from that run ({named})."]
    if any(each.first != each.last for each in places):
        lines.append(
            "A rank is a range where cells of our copy of the table are illegible; the runs above"
            " and below are the nearest legible ones."
        )
    return lines


def standing_rows(comparison: Comparison) -> list[dict[str, str]]:
    """Return each official number of each system, with its interval, rank and neighbours."""
    tests = {
        (each.system, each.name, each.other): each
        for each in comparison.tests
        if each.relation != SYSTEM
    }
    rows = [_standing_row(each, tests) for each in comparison.measured]
    columns = dict.fromkeys(key for row in rows for key in row)
    used = [key for key in columns if any(row.get(key) for row in rows)]
    return [{key: row.get(key, "") for key in used} for row in rows]


def _standing_row(
    each: MeasureResult, tests: Mapping[tuple[str, str, str], SignificanceTest]
) -> dict[str, str]:
    row = {
        "system": each.system,
        "number": each.name,
        "value": number(each.value),
        "95% interval": f"{each.interval.low:.3f} to {each.interval.high:.3f}"
        if each.interval
        else "",
        "rank": str(each.place or ""),
    }
    for side in ("above", "below"):
        other = getattr(each.place, side) if each.place else None
        row[side] = ""
        if each.place is not None and other is not None:
            star = _star(tests.get((each.system, each.name, name_of(other))))
            row[side] = f"{name_of(other)} {other.values[each.place.column]}{star}"
    row["agreement"] = "" if each.annotator_agreement is None else str(each.annotator_agreement)
    return row


def baseline_rows(comparison: Comparison) -> list[dict[str, str]]:
    """Return by how much each official number is above each published baseline."""
    rows: dict[tuple[str, str], dict[str, str]] = {}
    for test in comparison.tests:
        if test.relation == BASELINE:
            start = {"system": test.system, "number": test.name}
            row = rows.setdefault((test.system, test.name), start)
            row[test.other] = f"{_difference(test.difference, 4)}{_star(test)}"
    columns = dict.fromkeys(key for row in rows.values() for key in row)
    return [{key: row.get(key, "") for key in columns} for row in rows.values()]


def _difference(value: float, decimals: int) -> str:
    """Write a difference with its sign, but zero without one."""
    return f"{round(value, decimals):+.{decimals}f}" if round(value, decimals) else "0"


def _star(test: SignificanceTest | None) -> str:
    return "*" if test is not None and test.differs else ""


def _p(p: float | None) -> str:
    if p is None:
        return ""
    return f"{p:.4f}" if p >= LEAST_P else f"<{LEAST_P:.4f}"


def _printed_differences(comparison: Comparison) -> list[dict[str, str]]:
    return [
        {
            **row,
            "difference": _difference(row["difference"], 5),
            **{test: _p(row[test]) for test in (WILLIAMS, BOOTSTRAP, FISHER)},
        }
        for row in difference_rows(comparison)
    ]


def difference_rows(comparison: Comparison) -> list[dict[str, Any]]:
    """Return a row for each official number of each two systems, with the p of all tests."""
    rows: dict[tuple[str, str, str], dict[str, Any]] = {}
    for each in comparison.tests:
        if each.relation != SYSTEM:
            continue
        row = rows.setdefault(
            (each.system, each.other, each.name),
            {
                "number": each.name,
                "systems": f"{each.system} - {each.other}",
                "difference": each.difference,
                WILLIAMS: None,
                BOOTSTRAP: None,
                FISHER: None,
                "differs": "",
            },
        )
        row[each.method] = each.p
        if each.quote:
            row["differs"] = f"{'yes' if each.differs else 'no'} ({each.method})"
    return list(rows.values())


def _conventions(comparison: Comparison) -> list[str]:
    """Return the table of conventions, and below it what all of their signatures begin with."""
    rows = convention_rows(comparison)
    fields = [row["signature"].split("|") for row in rows]
    common = [each[0] for each in zip(*fields, strict=False)]
    count = next((i for i, each in enumerate(zip(*fields, strict=False)) if len({*each}) > 1), 0)
    for row, each in zip(rows, fields, strict=True):
        row["signature"] = "|".join(["...", *each[count:]] if count else each)
    begin = [f"... {'|'.join(common[:count])}"] if count else []
    return [render(rows), "", *begin]


def convention_rows(comparison: Comparison) -> list[dict[str, str]]:
    """Return a row for each convention, with the number of each system."""
    rows: dict[str, dict[str, str]] = {}
    signatures: dict[str, dict[str, None]] = {}
    for each in comparison.conventions:
        row = rows.setdefault(each.name, {"convention": each.name})
        row[each.system] = number(each.value)
        signatures.setdefault(each.name, {})[each.signature] = None
        row["signature"] = " or ".join(signatures[each.name])
    columns = ["convention", *comparison.systems, "signature"]
    return [{key: row.get(key, "") for key in columns} for row in rows.values()]


def _decimals(text: str) -> int:
    return len(text.partition(".")[2])


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
        return "\n".join(
            [f"{found.run} on {found.task} gives {found.number} as:", "", render(rows)]
        )
    near = [
        {
            "measure or convention": each.name,
            "value": f"{each.value:.7f}",
            "off by": f"{each.off:+.{_decimals(found.number) + 1}f}"
            + (" (times 100)" if each.times != 1 else ""),
            "signature": each.signature,
        }
        for each in found.nearest
    ]
    first = f"{found.run} on {found.task} gives {found.number} by no convention. The nearest are:"
    return "\n".join([first, "", render(near)])


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


def ledger_text(cells: Sequence[LedgerEntry], style: Format = Format.text) -> str:
    """Return the ledger: a table for each group; as text and Markdown with summaries."""
    if style is Format.json:
        return to_json([cell.to_dict() for cell in cells])
    if style not in (Format.text, Format.markdown):
        return render(cell_rows(cells), style)
    groups = [(group, [each for each in cells if each.group == group]) for group in _groups(cells)]
    mark = "## " if style is Format.markdown else ""
    return "\n\n".join(
        (f"{mark}{group.replace('-', ' ').capitalize()}\n\n" if group else "")
        + _group_text(mine, style)
        for group, mine in groups
    )


def _groups(cells: Iterable[LedgerEntry]) -> list[str]:
    """Return the groups of cells; first that of the official baselines."""
    return sorted({cell.group for cell in cells})


def _group_text(cells: Sequence[LedgerEntry], style: Format) -> str:
    rows = cell_rows(cells)
    if style is Format.text:
        return "\n".join([render(without(rows, "reason")), "", *_reasons(cells), _summary(cells)])
    return f"{render(rows, style)}\n\n{_summary(cells)}"


def _summary(cells: Sequence[LedgerEntry]) -> str:
    """Return how many cells have which status, in a sentence."""
    counts = Counter(cell.status for cell in cells)
    others = counts.pop(NOT_PUBLISHED, 0)
    listed = ", ".join(f"{count} {status}" for status, count in counts.items())
    besides = f" Besides, {others} of systems that no paper has a row for." if others else ""
    return f"{len(cells) - others} published cells: {listed}.{besides}"
