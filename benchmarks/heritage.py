"""How well people, time and location similarity recover hidden fields of real museum records.

Run it with ``make bench-heritage``: it needs ``heritage-cc0`` in a data directory. Pairs of records
that share a creator, a period or a place are told from pairs that do not, by what the records
still say after those fields are hidden: title, medium, provenance, credit, which may repeat them.
AUC is the probability that a related pair scores higher, beside that of the same credit line;
"found" is the share of records in which the annotator found a name, date or place at all.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from sklearn.metrics import roc_auc_score
from tabulate import tabulate

from stsbaselines.baselines.typed_tfidf import TypedTfidf
from stsbaselines.data.find import directories
from stsbaselines.errors import InputError
from stsbaselines.tasks.records import Record
from stsbaselines.tasks.typed import TYPES
from stsbaselines.text.dates import years_of

FILES = ("tate-artworks.jsonl.gz", "cmoa-things.jsonl.gz", "cmoa-teenie-20000.jsonl.gz")
PERIOD = 10
TOWNS = ("cities, towns, villages (non-UK)", "UK cities, towns and villages")

Row = dict[str, Any]


class Relation(NamedTuple):
    """What related pairs share, and the similarity that should see it."""

    name: str
    type: str
    shared: Callable[[Row], str | None]


def rows_of(folder: Path) -> Iterator[Row]:
    """Yield the catalogue entries of all files."""
    for name in FILES:
        with gzip.open(folder / name, "rt", encoding="utf-8") as stream:
            yield from map(json.loads, stream)


def record_of(row: Row) -> Record:
    """Return what is left of an entry: no creator, no date, no subjects, no birthplace."""
    notes = [row.get(field, "") for field in ("medium", "provenance", "group", "credit")]
    return Record(
        title=(row.get("title", ""),),
        description=tuple(" ".join(note.split()) for note in notes if note),
    )


def creator(row: Row) -> str | None:
    """Return the only creator."""
    creators = row.get("creator", [])
    return creators[0] if len(creators) == 1 else None


def period(row: Row) -> str | None:
    """Return the decade of the first year."""
    years = years_of(row.get("date", ""))
    return str(years.start // PERIOD) if years and years.start is not None else None


def place(row: Row) -> str | None:
    """Return the first town that is shown."""
    levels = [subject.split(" > ") for subject in row.get("subjects", [])]
    towns = [each[-1] for each in levels if len(each) > 2 and each[1] in TOWNS]
    return towns[0] if towns else None


def subject(row: Row) -> str | None:
    """Return the first subject that is no place."""
    subjects = row.get("subjects", [])
    return next((each for each in subjects if not each.startswith("places")), None)


RELATIONS = (
    Relation("same creator", "people_involved", creator),
    Relation("same decade", "time", period),
    Relation("same town", "location", place),
    Relation("same subject", "general", subject),
)


def pairs_of(
    rows: list[Row], relation: Relation, count: int
) -> tuple[list[list[Row]], list[list[Row]]]:
    """Return related and unrelated pairs, the latter of one collection; drawn with a fixed seed."""
    generator = random.Random(0)
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        value = relation.shared(row)
        if value is not None:
            groups[value].append(row)
    several = [name for name in sorted(groups) if len(groups[name]) > 1]
    related = [generator.sample(groups[generator.choice(several)], 2) for _ in range(count)]
    unrelated: list[list[Row]] = []
    while len(unrelated) < count:
        pair = [generator.choice(groups[name]) for name in generator.sample(several, 2)]
        if museum(pair[0]) == museum(pair[1]):
            unrelated.append(pair)
    return related, unrelated


def museum(row: Row) -> str:
    """Return which of the collections an entry is of."""
    return str(row["id"]).split("/")[0].split(":")[0] + str("teenie" in row["id"])


def measured(annotator: str, rows: list[Row], count: int) -> Iterator[dict[str, str]]:
    """Yield a row for each relation."""
    model = TypedTfidf(annotator=annotator).fit_background(map(record_of, rows))
    for relation in RELATIONS:
        drawn = [*itertools.chain(*pairs_of(rows, relation, count))]
        pairs = [(record_of(left), record_of(right)) for left, right in drawn]
        credit = [left.get("credit") == right.get("credit") for left, right in drawn]
        column = TYPES.index(relation.type)
        start = time.perf_counter()
        scores = model.predict(pairs)[:, column]
        seconds = time.perf_counter() - start
        truth = [1] * count + [0] * count
        same = model.predict([(left, left) for left, _ in pairs])[:, column]
        yield {
            "annotator": annotator,
            "pairs": f"{relation.name} or not",
            "similarity": relation.type,
            "found": f"{(same > 0).mean():.2f}",
            "AUC": f"{roc_auc_score(truth, scores):.3f}",
            "AUC of the credit line": f"{roc_auc_score(truth, credit):.3f}",
            "records a minute": f"{60 * 4 * count / seconds:,.0f}",
        }


def main() -> None:
    """Print a table for the annotators that are named and here."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("annotators", nargs="*", default=["builtin"])
    parser.add_argument("--data-dir", type=Path)
    parser.add_argument("--pairs", type=int, default=500)
    options = parser.parse_args()
    places = [each / "heritage-cc0" for each in directories(options.data_dir)]
    folder = next((each for each in places if each.is_dir()), None)
    if folder is None:
        raise SystemExit("heritage-cc0 is in none of the data directories")
    rows = list(rows_of(folder))
    table: list[dict[str, str]] = []
    for annotator in options.annotators:
        try:
            table += measured(annotator, rows, options.pairs)
        except InputError as error:
            print(f"{annotator}: {error}")
    print(tabulate(table, headers="keys", tablefmt="pipe", disable_numparse=True))


if __name__ == "__main__":
    main()
