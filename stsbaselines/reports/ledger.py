"""Results of experiments and the ledger, as text, JSON, CSV, Markdown and LaTeX."""

from __future__ import annotations

import functools
import textwrap
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from stsbaselines.experiments.ledger import NOT_PUBLISHED, WITHOUT_SCORE, LedgerEntry
from stsbaselines.io.files import to_json
from stsbaselines.reports.tables import Format, number, render, without

if TYPE_CHECKING:
    from stsbaselines.baselines.typed_tfidf import Evidence
    from stsbaselines.experiments.run import Results

SHOWN_TERMS = 6
LONGEST_LINE = 110
MEANINGS = {
    "sts": "Similarity of sentences: Pearson's correlation with people's judgements (1 is best).",
    "pit": "Paraphrases among tweets: F1, precision and recall of the decisions, and correlation.",
    "ists": "Which chunks of two sentences correspond: F of links, of their types and scores.",
    "typed": "Similarity of items in several ways: Pearson's correlation for each.",
}


def cell_rows(cells: Iterable[LedgerEntry]) -> list[dict[str, str]]:
    """Return cells as rows of text, without the columns that would be empty."""
    rows = [
        {
            "task": cell.task,
            "baseline": cell.baseline,
            "set": cell.name,
            "ours": "-" if cell.status in WITHOUT_SCORE else number(cell.ours),
            "sd": "" if cell.deviation is None else f"{cell.deviation:.4f}",
            "95% of seeds": "{:.3f} to {:.3f}".format(*cell.interval) if cell.interval else "",
            "published": "" if cell.published is None else str(cell.published),
            "tolerance": "" if cell.tolerance is None else f"{cell.tolerance:g}",
            "status": _status(cell),
            "reason": cell.reason,
        }
        for cell in cells
    ]
    used = [key for key in (rows[0] if rows else []) if any(row[key] for row in rows)]
    return [{key: row[key] for key in used} for row in rows]


def _status(cell: LedgerEntry) -> str:
    return f"{cell.status} (accepted)" if cell.accepted else cell.status


def results_text(results: Results) -> str:
    """Return the results of an experiment as one table, with its notes below."""
    notes = [*results.notes]
    for baseline in results.baselines:
        seeds, seed = baseline.config.seeds, ""
        if seeds:
            name, seed = baseline.config.baseline, ", seed 0"
            notes.append(f"{name}: mean and standard deviation (sd) over {seeds} seeds.")
        notes.extend(_reasons(cell for cell in baseline.cells if cell.status not in WITHOUT_SCORE))
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
    """Return each reason once, with the cells that it applies to."""
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    totals: Counter[tuple[str, str]] = Counter()
    for cell in cells:
        totals[cell.task, cell.baseline] += 1
        if cell.reason:
            baselines = found.setdefault((cell.task, cell.reason), {})
            baselines.setdefault(cell.baseline, []).append(cell.name)
    lines = []
    for (task, reason), baselines in found.items():
        named = []
        for baseline, names in baselines.items():
            is_all = len(names) == totals[task, baseline] > 1
            named.append(f"{baseline} {'(all)' if is_all else ', '.join(names)}")
        lines.append(f"{task}, {'; '.join(named)}: {reason.rstrip('.')}.")
    return lines


def ledger_text(cells: Sequence[LedgerEntry], style: Format = Format.text) -> str:
    """Return the ledger; as text and Markdown, a table for each group, notes, and summaries."""
    if style is Format.json:
        return to_json([cell.to_dict() for cell in cells])
    if style not in (Format.text, Format.markdown):
        return render(cell_rows(cells), style)
    mark = "## " if style is Format.markdown else ""
    groups = {
        group: [each for each in cells if each.group == group]
        for group in sorted({cell.group for cell in cells})
    }
    notes: dict[str, int] = {}
    parts = []
    for group, mine in groups.items():
        if group:
            parts.append(f"{mark}{_title(group)}")
        parts.append(render([_short_row(cell, notes) for cell in mine], style))
    lines = [f"[{number}] {reason}" for reason, number in notes.items()]
    wrap = functools.partial(textwrap.fill, width=LONGEST_LINE, subsequent_indent="    ")
    parts += ["\n".join(map(wrap, lines))] if style is Format.text else lines
    summaries = [wrap(f"{_title(group)}: {_summary(mine)}") for group, mine in groups.items()]
    return "\n\n".join([*filter(None, parts), "\n".join(summaries)])


def _title(group: str) -> str:
    return group.replace("-", " ").capitalize() or "Official baselines"


def _short_row(cell: LedgerEntry, notes: dict[str, int]) -> dict[str, str]:
    """Return a cell with its tolerance beside the published number, and its reason as a note."""
    published = "" if cell.published is None else str(cell.published)
    status = _status(cell)
    if cell.tolerance is not None:
        published += f" ± {cell.tolerance:g}"
    if cell.reason:
        status += f" [{notes.setdefault(cell.reason, len(notes) + 1)}]"
    return {
        "task": cell.task,
        "baseline": cell.baseline,
        "set": cell.name,
        "ours": "-" if cell.status in WITHOUT_SCORE else number(cell.ours),
        "published": published,
        "status": status,
    }


def demo_text(results: Results) -> str:
    """Return what the numbers of a sample mean, and a row for each baseline."""
    names = [*dict.fromkeys(cell.name for cell in results.cells)]
    rows = [
        {"baseline": baseline.config.title}
        | {cell.name: number(cell.ours) for cell in baseline.cells if cell.name in names}
        for baseline in results.baselines
    ]
    return f"{MEANINGS[results.task.family]}\n\n{render(rows)}"


def _summary(cells: Sequence[LedgerEntry]) -> str:
    """Return how many cells have which status, in a sentence."""
    counts = Counter(map(_status, cells))
    others = counts.pop(NOT_PUBLISHED, 0)
    published = sum(counts.values())
    listed = ", ".join(f"{count} {status}" for status, count in counts.items())
    sentences = [f"{_numbers(published, 'published number')}: {listed}."] if published else []
    if others:
        sentences.append(f"{_numbers(others, 'other number')} without a published counterpart.")
    return " ".join(sentences)


def _numbers(count: int, what: str) -> str:
    return f"{count} {what}" if count == 1 else f"{count} {what}s"
