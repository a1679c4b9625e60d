"""Files with sentences and scores in columns: those of the catalogue, and the user's own."""

from __future__ import annotations

import io
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
    outside_tasks,
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
    unit_of,
)

KEYS = ("sentence1", "sentence2", "score", "split")
# Usual names, as `column_among` compares them.
SCORES = {
    "score", "label", "similarity", "relatednessscore", "gold", "goldscore", "similarityscore",
    "relatedness", "humanscore", "stsscore",
}  # fmt: skip
SPLITS = {"split", "part", "partition", "subset", "semevalset"}
# Gold ranges of the usual data sets, by the name of their score column.
_RANGES = {"relatedness_score": (1.0, 5.0)}
_STS_RANGE = 0.0, 5.0

Row = tuple[SentencePair, float]


def as_task(task: str | Path | Task) -> Task:
    """Return a task by its name, by the path of a task file, or by that of a labelled file."""
    if isinstance(task, Task):
        return task
    path = Path(task)
    is_name = str(task) in task_names() or str(task) in outside_tasks()
    if is_name or path.suffix in (".yaml", ".yml") or not path.is_file():
        if not is_name and (path.suffix or len(path.parts) > 1) and not path.is_file():
            expected = "the name of a task, a task file, or a file with sentences and scores"
            raise InputError([Fault(str(task), "no such file", expected)])
        return find_task(str(task))
    return read_task(path)


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
    path = Path(path)
    digest = sha256_of(read_whole(path)).split()[-1]
    found, notes = _recognised(path, columns or {}, split)
    rows = list(_rows(path, found, None))
    scores = np.array([score for _, score in rows])
    quoted = sum(len(text) > 1 and text[0] == text[-1] == '"' for pair, _ in rows for text in pair)
    if quoted and not is_table(path):
        what = "sentences that begin and end with a quotation mark, which is part of them"
        notes.append(f"{path.name}: {what}: {quoted:,}")
    if not len(scores):
        what = "no row" if split is None else f"no row with {shown(split)} as its {found.split}"
        raise InputError([Fault(str(path), what, "at least one pair")])
    bounds = _RANGES.get(str(found.score), _STS_RANGE)
    if scores.min() < bounds[0] or scores.max() > bounds[1]:
        bounds = float(scores.min()), float(scores.max())
    name = path.name.split(".")[0] or path.name
    name = path.name if name in task_names() else name
    dataset = DataSet(
        name=name,
        files={"input": DataFile(name=path.name, sha256=digest)},
        output=f"STS.output.{name}.txt",
        pairs=len(scores),
        scored=len(scores),
        columns=found,
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
        source=str(path),
        licence="",
        citation="",
        datasets=[dataset],
    )


def read_labelled(
    path: Path, columns: LabelledColumns, task: Task, dataset: DataSet
) -> tuple[list[SentencePair], FloatArray]:
    """Return the pairs of the file of a data set, and their scores."""
    rows = list(_rows(path, columns, task.gold_range))
    if len(rows) != dataset.pairs:
        expected = f"{dataset.pairs:,}, one for each pair"
        raise InputError([Fault(str(path), f"{len(rows):,} lines", expected)])
    return [pair for pair, _ in rows], np.array([score for _, score in rows])


def _rows(path: Path, columns: LabelledColumns, bounds: Bounds | None) -> Iterator[Row]:
    rows = _rows_of_table if is_table(path) else _rows_of_lines
    yield from rows(path, columns, bounds)


def _rows_of_table(path: Path, columns: LabelledColumns, bounds: Bounds | None) -> Iterator[Row]:
    """Yield the rows of CSV, JSON lines or Parquet."""
    faults: list[Fault | str] = []
    sentences: Any = columns.sentence1, columns.sentence2
    others = [each for each in (columns.score, columns.split) if each is not None]
    for first, rows in read_table(path, sentences, others):
        for number, (left, right, score, *part) in enumerate(rows, first):
            if not columns.counts(*part or [""]):
                continue
            try:
                yield SentencePair(left, right), _number(score, bounds)
            except LineError as error:
                place = f"{path}, {unit_of(path)} {number}"
                faults.append(Fault(place, error.found, error.expected))
        if len(faults) >= SHOWN_FAULTS:
            break
    if faults:
        raise InputError(faults)


def _number(value: object, bounds: Bounds | None) -> float:
    """Return the number that a cell of a table has."""
    if value is None or isinstance(value, bool | list | dict):
        found = "nothing" if value is None else shown(str(value))
        raise LineError(found, "a score that is a number")
    return number_of(str(value).strip().encode("utf-8", "surrogateescape"), bounds, "a score")


def _rows_of_lines(path: Path, columns: LabelledColumns, bounds: Bounds | None) -> Iterator[Row]:
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
        pair = SentencePair(decoded(cells[layout.left]), decoded(cells[layout.right]))
        return pair, number_of(cells[score], bounds, "a score")

    lines = Lines(str(path), parse, None, clean=lambda _, line: line.removesuffix(b"\r"))
    text = content[layout.skip :].rstrip(b"\r\n")
    yield from filter(None, lines.parsed(io.BytesIO(text), 1 + layout.has_header))
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
    for key in wanted:
        if key not in KEYS:
            raise unknown("kind of column", key, KEYS)
    if not wanted.keys() & {*KEYS[:2]}:
        return None
    if not wanted.keys() >= {*KEYS[:2]}:
        raise InputError("the columns of both sentences must be named, or of none.")
    both: Any = wanted["sentence1"], wanted["sentence2"]
    if both[0] == both[1]:
        raise InputError(f"both sentences are in the column {both[0]}, but must be in two.")
    return both  # type: ignore[no-any-return]


def _usual(path: Path, names: Sequence[str], key: str, usual: Container[str]) -> str:
    """Return the one column whose name is usual for a kind of column."""
    found = column_among(names, usual)
    if len(found) == 1:
        return found[0]
    what = ", ".join(found or names) or "no header"
    expected = f"one column of the {key}; name it by --columns {key}=NAME"
    raise InputError([Fault(str(path), f"{shown(what, 200)}", expected)])
