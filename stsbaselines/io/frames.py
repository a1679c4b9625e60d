"""DataFrames and arrays: pairs of sentences in them, and results as a DataFrame or HTML."""

from __future__ import annotations

import functools
import html
import inspect
import re
from collections import Counter
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from stsbaselines.errors import Fault, InputError, shown, visible

if TYPE_CHECKING:
    import pandas

Rows = Sequence[Mapping[str, Any]]
T = TypeVar("T")

# Names of columns, in lower case and without punctuation: a stem with a mark before or after it,
# or a pair of words.
_STEMS = (
    "sentence", "sent", "text", "txt", "question", "string", "str", "phrase", "premise", "snippet",
    "utterance", "tweet", "title", "headline", "caption", "document", "doc", "segment", "word",
    "query", "s", "q", "t",
)  # fmt: skip
MARKS = (
    ("1", "2"),
    ("0", "1"),
    ("a", "b"),
    ("one", "two"),
    ("first", "second"),
    ("left", "right"),
)
_PAIRS = [
    ("premise", "hypothesis"),
    ("text", "hypothesis"),
    ("source", "target"),
    ("src", "tgt"),
    ("source", "translation"),
    ("original", "paraphrase"),
    ("sentence", "paraphrase"),
    ("reference", "candidate"),
    ("query", "document"),
    ("query", "passage"),
    ("left", "right"),
    ("question", "answer"),
    ("question", "sentence"),
    ("anchor", "positive"),
]
_SIDES = [
    *_PAIRS,
    *(
        (form.format(stem, left), form.format(stem, right))
        for stem in _STEMS
        for left, right in MARKS
        if len(stem) > 1 or left.isdigit()
        for form in ("{0}{1}", "{1}{0}")
    ),
]


def sentences_among(names: Sequence[str]) -> tuple[int, int] | None:
    """Return which columns have the usual names of two sentences; None if no, or several, pairs do.

    Examples
    --------
    >>> sentences_among(["pair_ID", "sentence_A", "sentence_B", "relatedness_score"])
    (1, 2)
    """
    plain = [*map(_plain, names)]
    counts = Counter(plain)
    found = {
        (plain.index(left), plain.index(right))
        for left, right in _SIDES
        if counts[left] == counts[right] == 1
    }
    return found.pop() if len(found) == 1 else None


def column_among(names: Sequence[str], usual: Container[str]) -> list[str]:
    """Return the names of columns that are usual names, apart from case and punctuation."""
    return [name for name in names if _plain(name) in usual]


def _plain(name: str) -> str:
    return re.sub(r"[\W_]", "", name).lower()


def as_pairs(pairs: Any) -> Any:
    """Return the pairs of a DataFrame or an array as a list, and anything else as it is.

    The sentences of a DataFrame are in the two columns with usual names, or in its only two.
    """
    if hasattr(pairs, "tolist") and hasattr(pairs, "ndim"):
        rows = pairs.tolist()
        return [tuple(row) for row in rows] if pairs.ndim == 2 else rows
    if not hasattr(pairs, "columns") or not hasattr(pairs, "__getitem__"):
        return pairs
    names = [*pairs.columns]
    found = sentences_among([*map(str, names)])
    if found is None and len({*names}) == len(names) == 2:
        found = 0, 1
    if found is None:
        what = f"the columns {shown(', '.join(map(str, names)), 200)}"
        expected = "two with usual names, such as sentence1 and sentence2, or no other columns"
        raise InputError([Fault("the DataFrame of pairs", what, expected)])
    left, right = (pairs[names[number]] for number in found)
    return list(zip(left, right, strict=True))


def takes_frames(method: Callable[..., T]) -> Callable[..., T]:
    """Let a method take pairs as a DataFrame or an array, too; see `as_pairs`."""
    first = [*inspect.signature(method).parameters, "", ""][1]

    @functools.wraps(method)
    def taking_frames(self: Any, *arguments: Any, **named: Any) -> T:
        if arguments:
            arguments = as_pairs(arguments[0]), *arguments[1:]
        elif first in named:
            named[first] = as_pairs(named[first])
        return method(self, *arguments, **named)

    return taking_frames


def to_frame(rows: Rows) -> pandas.DataFrame:
    """Return rows as a pandas DataFrame; InputError is raised if pandas is not installed."""
    try:
        import pandas
    except ImportError:
        raise InputError(
            "pandas is not installed (pip install 'stsbaselines[pandas]'); `to_dict()` works"
            " without it."
        ) from None
    return pandas.DataFrame([*rows])


def to_html(title: str, *tables: Rows, notes: Iterable[str] = ()) -> str:
    """Return tables below a title as HTML, with numbers of 4 decimals, and notes."""
    from tabulate import tabulate  # slow to import

    parts = [f"<p><b>{_escaped(title)}</b></p>"]
    for rows in filter(None, tables):
        cells = [[_cell(value) for value in row.values()] for row in rows]
        parts.append(tabulate(cells, [*rows[0]], tablefmt="html", disable_numparse=True))
    return "\n".join([*parts, *(f"<p>{_escaped(note)}</p>" for note in notes)])


def with_decimals(value: float | int | None, decimals: int = 4) -> str:
    """Return a score with so many decimals, a count as it is, or ``undefined``."""
    if value is None:
        return "undefined"
    return str(value) if isinstance(value, int) else f"{value:.{decimals}f}"


def _cell(value: object) -> str:
    if isinstance(value, float):
        return with_decimals(value)
    return "" if value is None else visible(str(value))


def _escaped(text: str) -> str:
    return html.escape(visible(text))
