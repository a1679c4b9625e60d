"""The tables of ``docs/reliability.md``: ``make reliability`` writes them anew."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path

from tabulate import tabulate

from faults.catalogue import COMMAND_FAULTS, INPUT_FAULTS, OUTPUT_FAULTS
from faults.commands import COMMANDS, READING, WRITING
from faults.outcomes import READ_ANYWAY, WRITTEN_ANYWAY, ReadAnyway
from faults.processes import PROCESS_FAULTS
from faults.readers import READERS

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"
_PART = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def with_tables(text: str) -> str:
    """Return the page with the tables of today."""
    tables = {
        "counts": counts(),
        "inputs": inputs(),
        "outputs": outputs(),
        "processes": processes(),
        "readers": listed(READERS),
        "commands": listed(f"`{each.arguments}`" for each in COMMANDS.values()),
    }
    return _PART.sub(lambda match: f"{match[1]}\n{tables[match[2]]}\n\n{match[3]}", text)


def _table(rows: list[list[object]], *headers: str) -> str:
    return tabulate(rows, headers, tablefmt="github", disable_numparse=True)


def counts() -> str:
    """Return how many cells there are, and what comes of them."""
    rows: list[list[object]] = []
    for what, names, faults in (
        ("readers", list(READERS), list(INPUT_FAULTS)),
        ("commands that read", READING, COMMAND_FAULTS),
    ):
        anyway = [READ_ANYWAY.get(fault, ReadAnyway("")) for fault in faults]
        harmless = sum(len(each.harmless.intersection(names)) for each in anyway)
        unseen = sum(len(each.unseen.intersection(names)) for each in anyway)
        rows.append(_counted(what, names, faults, harmless, unseen))
    written = sum(len(names) for _, names in WRITTEN_ANYWAY.values())
    rows.append(_counted("commands that write", WRITING, OUTPUT_FAULTS, written, 0))
    return _table(rows, "", "what", "faults", "cells", "refused", "harmless", "cannot be known")


def _counted(
    what: str, names: Collection[str], faults: Collection[str], harmless: int, unseen: int
) -> list[object]:
    cells = len(names) * len(faults)
    refused = cells - harmless - unseen
    return [len(names), what, len(faults), cells, refused, harmless, unseen]


def inputs() -> str:
    """Return what comes of each fault of an input."""
    rows: list[list[object]] = []
    for fault, about in INPUT_FAULTS.items():
        names = [*READERS, *(READING if fault in COMMAND_FAULTS else [])]
        anyway = READ_ANYWAY.get(fault, ReadAnyway(""))
        refused = len(names) - len(anyway.harmless.union(anyway.unseen).intersection(names))
        harmless = _some(anyway.harmless.intersection(names), names)
        rows.append(
            [fault, about.about, refused, harmless, _some(anyway.unseen, names), anyway.why]
        )
    return _table(rows, "fault", "what it is", "refused by", "harmless for", "not seen by", "why")


def _some(chosen: Collection[str], names: Collection[str]) -> str:
    if len(chosen) > len(names) // 2:
        others = [name for name in names if name not in chosen]
        return f"all but {'; '.join(others)}" if others else "all"
    return "; ".join(name for name in names if name in chosen)


def outputs() -> str:
    """Return what comes of each fault of a place to write to."""
    rows: list[list[object]] = []
    for fault, about in OUTPUT_FAULTS.items():
        why, names = WRITTEN_ANYWAY.get(fault, ("", set()))
        refused = len(WRITING) - len(names)
        rows.append([fault, about.about, refused, _some(names, WRITING), why])
    return _table(rows, "fault", "what it is", "refused by", "harmless for", "why")


def processes() -> str:
    """Return what comes of what happens to a process."""
    rows = [[name, each.about, each.outcome] for name, each in PROCESS_FAULTS.items()]
    return _table(list(map(list, rows)), "fault", "what it is", "what happens")


def listed(names: Iterable[str]) -> str:
    """Return a list of names."""
    return "\n".join(f"- {name}" for name in names)


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
