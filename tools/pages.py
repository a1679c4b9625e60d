"""Make the generated parts of the documentation: the table of the ledger, the picture of the rank.

`make pages` does so from `results/ledger.json`, which `make reproduce` writes, and from the first
Python block of README.md, which needs the official data of 2015. Continuous integration does it
after `make reproduce`, and fails if a page changes.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from tabulate import tabulate

from stsbaselines.reference.published import table
from stsbaselines.reports.plots import save
from stsbaselines.reports.rank_plot import rank_plot

ROOT = Path(__file__).resolve().parents[1]
STATUSES = (
    "exact",
    "close",
    "trained",
    "differs (accepted)",
    "differs",
    "illegible",
    "not reproducible",
    "no data",
)
Entry = dict[str, Any]


def main() -> None:
    """Write the parts."""
    entries = json.loads((ROOT / "results" / "ledger.json").read_text(encoding="utf-8"))
    fill_in(ROOT / "docs" / "ledger.md", "counts", counts(entries))
    draw_rank(ROOT / "docs" / "rank.svg")


def counts(entries: list[Entry]) -> str:
    """Return a table in Markdown: how many entries of a baseline have which status."""
    found: dict[tuple[str, str, str], Counter[str]] = {}
    for each in entries:
        status = each["status"] + " (accepted)" * each["accepted"]
        if status in STATUSES:
            key = each["group"], each["task"], each["baseline"]
            found.setdefault(key, Counter())[status] += 1
    official = sum((of for (group, _, _), of in found.items() if not group), Counter[str]())
    strong = sum((of for (group, _, _), of in found.items() if group), Counter[str]())
    in_order = sorted(found.items(), key=lambda item: item[0][:2])
    rows = {(task, baseline): of for (_, task, baseline), of in in_order}
    rows["**official baselines**", ""] = official
    rows["**strong systems**", ""] = strong
    used = [status for status in STATUSES if official[status] + strong[status]]
    cells = [
        [task, baseline, of.total(), *(of[status] or "" for status in used)]
        for (task, baseline), of in rows.items()
    ]
    headers = ["task", "baseline", "entries", *used]
    align = ["left", "left", *("right" for _ in headers[2:])]
    return tabulate(cells, headers, tablefmt="pipe", disable_numparse=True, colalign=align)


def fill_in(page: Path, name: str, part: str) -> None:
    """Put a part between its two marks on a page."""
    begin, end = f"<!-- begin {name} -->", f"<!-- end {name} -->"
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    after = rest.partition(end)[2]
    page.write_text(f"{before}{begin}\n\n{part}\n\n{end}{after}", encoding="utf-8")


def draw_rank(path: Path) -> None:
    """Draw the rank of the system of README's quick start."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    [start, *_] = re.findall(r"^```python\n(.*?)^```", readme, re.MULTILINE | re.DOTALL)
    names: dict[str, Any] = {}
    exec(start, names)
    [mean] = [each for each in names["found"].measured if each.name == "Mean"]
    save(rank_plot(table("sts2015-english"), "Mean", {mean.system: mean.value}), path)


if __name__ == "__main__":
    main()
