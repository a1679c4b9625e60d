"""Alignments as an HTML page, or as rows of plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from stsbaselines.evaluation.alignment import (
    MISSED,
    SPURIOUS,
    WRONG_SCORE,
    WRONG_TYPE,
    InspectedPair,
    InspectedRun,
    Tokens,
)
from stsbaselines.io.files import to_displayable
from stsbaselines.reports.tables import number
from stsbaselines.tasks.alignment_file import ADDITIONAL_TYPES, MAIN_TYPES, ChunkAlignment


def alignment_page(run: InspectedRun) -> str:
    """Return a page of HTML that shows the alignments of a run; it needs no other file."""
    environment = Environment(
        loader=PackageLoader("stsbaselines.reports"), autoescape=True, undefined=StrictUndefined
    )
    return environment.get_template("alignments.html").render(
        title=to_displayable(run.title),
        pairs=[_pair(place, each) for place, each in enumerate(run.pairs, 1)],
        measures={name: number(value) for name, value in run.measures.items()},
        notes=run.notes,
        types=MAIN_TYPES,
        choices=(*MAIN_TYPES, *ADDITIONAL_TYPES),
        errors=(WRONG_TYPE, WRONG_SCORE, SPURIOUS, MISSED) if run.measures else (),
    )


def _pair(place: int, pair: InspectedPair) -> dict[str, Any]:
    tokens = (pair.gold or pair.system).tokens
    of_system, of_gold = pair.verdicts
    values: dict[str, Any] = {
        "number": place,
        "tokens": [[to_displayable(token) for token in side] for side in tokens],
        "system": as_rows(pair.system.alignments, tokens, of_system),
    }
    if pair.gold and pair.measures:
        values["gold"] = as_rows(pair.gold.alignments, tokens, of_gold)
        values["scores"] = [(name, number(value)) for name, value in pair.measures.items()]
    return values


def as_rows(
    alignments: Sequence[ChunkAlignment], tokens: Tokens, verdicts: Sequence[str] = ()
) -> list[dict[str, Any]]:
    """Return alignments as plain values, in the order of the left sentence."""
    compared = zip(alignments, verdicts or [""] * len(alignments), strict=True)
    return [
        {
            "left": each.left,
            "right": each.right,
            "text": [
                to_displayable(" ".join(words[place - 1] for place in places))
                for places, words in zip(each.sides, tokens, strict=True)
            ],
            "type": each.types[0],
            "types": "_".join(each.types),
            "score": "NIL" if each.score is None else f"{each.score:g}",
            "verdict": verdict,
        }
        for each, verdict in sorted(
            compared, key=lambda both: (not both[0].left, both[0].left, both[0].right)
        )
    ]
