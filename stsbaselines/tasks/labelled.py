"""Files with sentences and scores in columns: those of the catalogue, and the user's own."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from stsbaselines.data.catalogue import (
    Column,
    DataFile,
    DataSet,
    LabelledColumns,
    Task,
    find_task,
    is_task_name,
    sha256_of,
    task_names,
)
from stsbaselines.errors import SHOWN_FAULTS, Fault, InputError, shown, unknown
from stsbaselines.io.files import decoded, read_whole
from stsbaselines.io.frames import column_among
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.tasks.base import SentencePair
from stsbaselines.tasks.columns import Columns, layout_of, named_columns
from stsbaselines.tasks.lines import Bounds, LineError, Lines, number_of
from stsbaselines.tasks.tables import (
    is_table,
    lead_of,
    names_in,
    read_table,
    table_columns,
    table_ending,
    unit_of,
)

KEYS = ("sentence1", "sentence2", "score", "split")
# Usual names, as `column_among` compares them.
SCORES = {
    "score", "label", "similarity", "relatednessscore", "gold", "goldscore", "similarityscore",
    "relatedness", "humanscore", "stsscore",
}  # fmt: skip
SPLITS = {"split", "set", "part", "partition", "subset", "semevalset"}
# Gold ranges of the usual data sets, by the name of their score column.
_RANGES = {"relatedness_score": (1.0, 5.0)}
_STS_RANGE = 0.0, 5.0

Row = tuple[SentencePair, float]


def as_task(task: str | Path | Task) -> Task:
    """Return a task by its name, by the path of a task file, or by that of a labelled file."""
    if isinstance(task, Task):
        return task
    path = Path(task)
    if is_task_name(str(task)) or not (is_path(task) or path.exists()):
        return find_task(str(task))
    if not path.is_file():
        found = "a folder" if path.is_dir() else "a pipe or device"
        expected = "the name of a task, a task file, or a file with sentences and scores"
        raise InputError([Fault(str(task), found if path.exists() else "no such file", expected)])
    return find_task(str(task)) if is_task_file(path) else read_task(path)


def is_path(task: str | Path) -> bool:
    """Return whether a text is written like a path: with a separator or an ending."""
    return isinstance(task, Path) or Path(task).suffix != "" or os.path.basename(task) != task


def is_task_file(path: str | Path) -> bool:
    """Return whether a path is that of a task file, by its ending."""
    return Path(path).suffix in (".yaml", ".yml")


def read_task(
    path: str | Path,
    columns: Mapping[str, Column] | None = None,
    split: str | None = None,
) -> Task:
    r"""Read a file of sentence pairs with gold scores as a task with one data set.

    The task can be passed wherever the name of a task is expected.

    Parameters
    ----------
    path : path
        CSV or TSV with a header, JSON lines (``.jsonl``), Parquet, or the layout of the STS
        benchmark without a header; plain, ``.gz`` or ``.zst``.
    columns : mapping of str to str or int, optional
        Names of the columns ``sentence1``, ``sentence2``, ``score`` and ``split``, where they are
        not usual ones; or their numbers from 1.
    split : str, optional
        Only the rows with this value in the column ``split`` count.

    Returns
    -------
    Task
        Its name, and that of its data set, is that of the file without its endings.

    Raises
    ------
    InputError
        If the columns are not known, or a row has no number as its score.

    Examples
    --------
    >>> from pathlib import Path
    >>> import stsbaselines
    >>> text = "text1,text2,gold\nA dog runs.,A dog ran.,4\nA cat.,The sea.,0\nHi!,Hello!,5\n"
    >>> _ = Path("pets.csv").write_text(text)
    >>> task = read_task("pets.csv")
    >>> task.datasets[0].pairs
    3
    >>> stsbaselines.score(task, [0.8, 0.1, 0.2])
    <Scores of scores on pets; pets 0.4493>
    """
    if is_task_name(str(path)) or is_task_file(path):
        expected = "a file with sentences and scores, whose columns and split can be named"
        raise InputError([Fault(str(path), "a task", expected)])
    path = Path(path)
    digest = sha256_of(read_whole(path)).split()[-1]
    found, notes = _recognised(path, columns or {}, split)
    every = list(_rows(path, found, None))
    rows = [row for row in every if row]
    if not rows:
        what = "no row" if split is None else f"no row with {shown(split)} as its {found.split}"
        raise InputError([Fault(str(path), what, "at least one pair")])
    notes += [f"{path.name}: {note}" for note in _notes_on_pairs(rows, path)]
    scores = np.array([score for _, score in rows])
    bounds = _RANGES.get(str(found.score), _STS_RANGE)
    if scores.min() < bounds[0] or scores.max() > bounds[1]:
        bounds = float(scores.min()), float(scores.max())
    name = _name_of(path)
    dataset = DataSet(
        name=name,
        files={"input": DataFile(name=path.name, sha256=digest)},
        output=f"STS.output.{name}.txt",
        pairs=len(scores),
        scored=len(scores),
        columns=found,
        rows=[] if split is None else [number for number, row in enumerate(every, 1) if row],
        file_rows=len(every),
    )
    return Task(
        task=name,
        family="sts",
        title=f"{path.name}, {split}" if split else path.name,
        language="",
        folders=[str(path.parent.absolute())],
        gold_range=bounds,
        bounded=False,
        notes=notes,
        version=sha256_of(repr(rows).encode()).split()[-1][:8],
        source=str(path),
        licence="",
        citation="",
        datasets=[dataset],
    )


def _name_of(path: Path) -> str:
    """Return the name of a file without its endings, unless a task of the package has it."""
    stem = path.stem if path.suffix in (".gz", ".zst") else path.name
    name = re.sub(r"[|+]", "-", Path(stem).stem)  # which separate the parts of signatures
    return path.name if name in task_names() else name


def _notes_on_pairs(rows: Sequence[Row], path: Path) -> Iterator[str]:
    texts = [text for pair, _ in rows for text in pair]
    quoted = sum(len(text) > 1 and text[0] == text[-1] == '"' for text in texts)
    if quoted and not is_table(path):
        what = "sentences that begin and end with a quotation mark, which is part of them"
        yield f"{what}: {quoted:,}"
    is_csv = is_table(path) and table_ending(path) == ".csv"
    if is_csv and (odd := sum(text.count('"') % 2 for text in texts)):
        yield f"sentences with an odd number of quotation marks: {odd:,}"
    if broken := sum("\n" in text for text in texts):
        yield f"sentences of several lines: {broken:,}"
    if repeated := len(rows) - len({tuple(sorted(pair)) for pair, _ in rows}):
        yield f"rows that repeat the pair of an earlier one: {repeated:,}"


def read_labelled(
    path: Path, columns: LabelledColumns, task: Task, dataset: DataSet
) -> tuple[list[SentencePair], FloatArray]:
    """Return the pairs of the file of a data set, and their scores."""
    rows = [row for row in _rows(path, columns, task.gold_range) if row]
    if len(rows) != dataset.pairs:
        expected = f"{dataset.pairs:,}, one for each pair"
        raise InputError([Fault(str(path), f"{len(rows):,} lines", expected)])
    return [pair for pair, _ in rows], np.array([score for _, score in rows])


def _rows(path: Path, columns: LabelledColumns, bounds: Bounds | None) -> Iterator[Row | None]:
    """Yield the rows of a file, None for one that does not count."""
    rows = _rows_of_table if is_table(path) else _rows_of_lines
    yield from rows(path, columns, bounds)


def _rows_of_table(
    path: Path, columns: LabelledColumns, bounds: Bounds | None
) -> Iterator[Row | None]:
    """Yield the rows of CSV, JSON lines or Parquet."""
    faults: list[Fault | str] = []
    sentences: Any = columns.sentence1, columns.sentence2
    others = [each for each in (columns.score, columns.split) if each is not None]
    for first, rows in read_table(path, sentences, others):
        for number, (left, right, score, *part) in enumerate(rows, first):
            if not columns.counts(*part or [""]):
                yield None
                continue
            try:
                yield _pair(left, right), _number(score, bounds)
            except LineError as error:
                place = f"{path}, {unit_of(path)} {number}"
                faults.append(Fault(place, error.found, error.expected))
        if len(faults) >= SHOWN_FAULTS:
            break
    if faults:
        raise InputError(faults)


def _pair(left: str, right: str) -> SentencePair:
    """Return a pair without line ends of the format; a sentence may not be missing."""
    pair = SentencePair(left.rstrip("\r\n"), right.rstrip("\r\n"))
    for place, text in zip(("first", "second"), pair, strict=True):
        if not text.strip():
            raise LineError(f"nothing as the {place} sentence", "two sentences")
    return pair


def _number(value: object, bounds: Bounds | None) -> float:
    """Return the number that a cell of a table has."""
    if value is None or isinstance(value, bool | list | dict):
        found = "nothing" if value is None else shown(str(value))
        raise LineError(found, "a score that is a number")
    return number_of(str(value).strip().encode("utf-8", "surrogateescape"), bounds, "a score")


def _rows_of_lines(
    path: Path, columns: LabelledColumns, bounds: Bounds | None
) -> Iterator[Row | None]:
    """Yield the rows of TAB-separated lines, which have no quoting."""
    content = read_whole(path)
    sentences: Any = columns.sentence1, columns.sentence2
    layout = layout_of(content, str(path), sentences)
    names = _names(content[: layout.skip])
    score = _index_of(columns.score, names, path)
    split = None if columns.split is None else _index_of(columns.split, names, path)
    width = max(layout.width, score + 1, (split or 0) + 1)

    def parse(line: bytes) -> Row | None:
        cells = line.split(b"\t")
        if len(cells) < width or (len(cells) > width and not layout.is_open):
            expected = f"{'at least ' * layout.is_open}{width}, separated by TABs"
            raise LineError(f"{len(cells)} columns", expected)
        if split is not None and not columns.counts(decoded(cells[split])):
            return None
        pair = _pair(decoded(cells[layout.left]), decoded(cells[layout.right]))
        return pair, number_of(cells[score].strip(), bounds, "a score")

    lines = Lines(str(path), parse, None, clean=lambda _, line: line.removesuffix(b"\r"))
    text = content[layout.skip :].rstrip(b"\r\n")
    yield from lines.parsed(io.BytesIO(text), 1 + layout.has_header)
    lines.check()


def _index_of(column: Column, names: Sequence[str], path: Path) -> int:
    if isinstance(column, int):
        return column - 1
    return named_columns(names, (column, column), str(path))[0]


def _names(header: bytes) -> list[str]:
    """Return the names in a header of TAB-separated lines."""
    return header.decode("utf-8-sig", "surrogateescape").rstrip("\r\n").split("\t")


def _recognised(
    path: Path, wanted: Mapping[str, Column], part: str | None
) -> tuple[LabelledColumns, list[str]]:
    """Return the columns of a labelled file, and notes about them."""
    sentences = _wanted_sentences(wanted)
    found: dict[str, Column | None] = {key: wanted.get(key) for key in ("score", "split")}
    notes: tuple[str, ...]
    if is_table(path):
        given, notes = table_columns(path, sentences)
        names = names_in(path)
        for key, column in found.items():
            if isinstance(column, int) and column > len(names):
                raise InputError([Fault(str(path), f"{len(names)} columns", f"{column}", 1)])
            if isinstance(column, int) and isinstance(given[0], str):
                found[key] = names[column - 1]
        names = names if isinstance(given[0], str) else []
    else:
        lead = lead_of(path)
        layout = layout_of(lead, str(path), sentences)
        names = _names(lead[: layout.skip]) if layout.has_header else []
        numbers = layout.left + 1, layout.right + 1
        is_named = names and not (sentences and isinstance(sentences[0], int))
        given = (names[layout.left], names[layout.right]) if is_named else numbers
        notes = layout.notes
        found["score"] = found["score"] or layout.score
    found["score"] = found["score"] or _usual(path, names, "score", SCORES)
    if "score" not in wanted and found["score"] != "score":
        notes = (*notes, f"the scores are in the column {found['score']}")
    if part is not None:
        found["split"] = found["split"] or _usual(path, names, "split", SPLITS)
    elif several := column_among(names, SPLITS):
        notes = (*notes, f"all rows count, whatever their {several[0]} is; --split picks some")
    for column in found.values():
        if isinstance(column, str) and names:
            _index_of(column, names, path)
    if len({type(each) for each in (*given, *found.values()) if each is not None}) > 1:
        expected = "names, or numbers if the file has no header, of all columns"
        raise InputError([Fault(str(path), "names and numbers of columns", expected)])
    columns = LabelledColumns(sentence1=given[0], sentence2=given[1], part=part or "", **found)
    return columns, [f"{path.name}: {note}" for note in notes]


def _wanted_sentences(wanted: Mapping[str, Column]) -> Columns | None:
    for key, column in wanted.items():
        if key not in KEYS:
            raise unknown("kind of column", key, KEYS)
        is_number = isinstance(column, int) and column > 0
        if not (is_number or (isinstance(column, str) and column)):
            raise InputError(f"the column {key} is {column!r}, but must be a name or a number.")
    if not wanted.keys() & {*KEYS[:2]}:
        return None
    if not wanted.keys() >= {*KEYS[:2]}:
        raise InputError("the columns of both sentences must be named, or of none.")
    both: Any = wanted["sentence1"], wanted["sentence2"]
    if type(both[0]) is not type(both[1]):
        raise InputError("the columns of both sentences must be names, or numbers.")
    if both[0] == both[1]:
        raise InputError(f"both sentences are in the column {both[0]}, but must be in two.")
    return both  # type: ignore[no-any-return]


def _usual(path: Path, names: Sequence[str], key: str, usual: Container[str]) -> str:
    """Return the one column whose name is usual for a kind of column."""
    found = column_among(names, usual)
    if len(found) == 1:
        return found[0]
    what = shown(", ".join(found or names), 200) if names else "no header"
    expected = f"one column of the {key}; name it by --columns {key}=NAME"
    if not names:
        expected = (
            "a header, and columns separated by TABs (by commas in a file named .csv); or give the"
            " numbers of the columns of the sentences and the score by --columns, such as 1,2,3"
        )
    raise InputError([Fault(str(path), what, expected)])
