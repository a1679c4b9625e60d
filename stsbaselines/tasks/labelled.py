"""Files with sentences and scores in columns that the catalogue names."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from stsbaselines.io.files import decoded, read_whole
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.tasks.base import SentencePair
from stsbaselines.tasks.columns import layout_of, named_columns
from stsbaselines.tasks.lines import LineError, Lines, number_of

if TYPE_CHECKING:  # slow to import
    from stsbaselines.data.catalogue import DataSet, LabelledColumns, Task


def read_labelled(
    path: Path, columns: LabelledColumns, task: Task, dataset: DataSet
) -> tuple[list[SentencePair], FloatArray]:
    """Return the pairs of a file of TAB-separated lines, and their scores."""
    content = read_whole(path)
    if isinstance(columns.sentence1, str) and isinstance(columns.sentence2, str):
        layout = layout_of(content, str(path), (columns.sentence1, columns.sentence2))
    else:
        layout = layout_of(content, str(path), (int(columns.sentence1), int(columns.sentence2)))
    if isinstance(columns.score, str):
        header = content[: layout.skip].decode("utf-8-sig", "surrogateescape")
        names = header.rstrip("\r\n").split("\t")
        score, _ = named_columns(names, (columns.score, columns.score), str(path))
    else:
        score = columns.score - 1
    width = max(layout.width, score + 1)

    def parse(line: bytes) -> tuple[SentencePair, float]:
        cells = line.split(b"\t")
        if len(cells) < width or (len(cells) > width and not layout.is_open):
            expected = f"{'at least ' * layout.is_open}{width}, separated by TABs"
            raise LineError(f"{len(cells)} columns", expected)
        pair = SentencePair(decoded(cells[layout.left]), decoded(cells[layout.right]))
        return pair, number_of(cells[score], task.gold_range, "a score")

    lines = Lines(str(path), parse, dataset.pairs, clean=lambda _, line: line.removesuffix(b"\r"))
    rows = lines.parsed(io.BytesIO(content[layout.skip :]), 1 + layout.has_header)
    found = list(rows)
    lines.check()
    return [pair for pair, _ in found], np.array([value for _, value in found])
