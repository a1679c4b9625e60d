"""Reports of a comparison: HTML with figures, Markdown, LaTeX and JSON."""

from __future__ import annotations

import contextlib
import itertools
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Any, NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined
from tabulate import tabulate

from stsbaselines.errors import Fault, InputError
from stsbaselines.evaluation.results import (
    ABOVE,
    BASELINE,
    BELOW,
    SYSTEM,
    Comparison,
    MeasureResult,
    SignificanceTest,
)
from stsbaselines.io import exists, make_folder, to_json, write_text
from stsbaselines.reference.published import Row
from stsbaselines.reference.ranking import Rank, name_of, ranked_rows
from stsbaselines.reports import plots
from stsbaselines.reports.plots import printable
from stsbaselines.reports.text import DEPENDENT, difference_rows, number
from stsbaselines.scoring.significance import Interval
from stsbaselines.version import __version__

FILES = ("index.html", "comparison.md", "comparison.tex", "comparison.json")
NONE = "\N{EN DASH}"
_NUMERIC = re.compile(r"(\N{EN DASH}|undefined|<?\s?[-+\N{MINUS SIGN}]?\.?\d[^(]*)")
_MARKDOWN = re.compile(r"([\\`*_{}\[\]<>|#&$~])")
_LATEX = {
    **{each: f"\\{each}" for each in "&%$#_{}"},
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "\xa0": "~",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}\allowbreak{}",
    '"': "''",
    "\N{EN DASH}": "--",
    "\N{MINUS SIGN}": "$-$",
    "\N{HORIZONTAL ELLIPSIS}": r"\ldots{}",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
}
_ACCENTS = dict(
    zip("\u0300\u0301\u0302\u0303\u0308\u0327\u030c\u0306\u0304", "`'^~\"cvu=", strict=True)
)


class Sheet(NamedTuple):
    """A table of a report, all text.

    Attributes
    ----------
    key : str
        Short name, for links to it.
    title, caption : str
    header : tuple of str
    rows : tuple of tuple of str
    heads : int
        So many of the first columns are the heads of their rows; of two, the first one is
        written once for rows that follow each other.
    """

    key: str
    title: str
    caption: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    heads: int = 1

    @property
    def numeric(self) -> list[bool]:
        """Which columns are numbers, to be aligned at the right."""
        columns = zip(*self.rows, strict=True)
        return [any(each) and all(map(_is_numeric, each)) for each in columns]

    @property
    def groups(self) -> list[list[tuple[str, ...]]]:
        """Rows, those that share the first head together."""
        if self.heads == 1:
            return [[*self.rows]]
        return [[*rows] for _, rows in itertools.groupby(self.rows, lambda row: row[0])]


def _is_numeric(cell: str) -> bool:
    return not cell or bool(_NUMERIC.fullmatch(cell))


def report(comparison: Comparison, folder: str | Path) -> list[Path]:
    r"""Write a comparison as ``index.html``, ``comparison.md``, ``.tex`` and ``.json``.

    Parameters
    ----------
    comparison : Comparison
    folder : path
        Made if it is not there; files of these names are replaced.

    Returns
    -------
    list of Path

    Raises
    ------
    InputError
        If the folder cannot be written to.

    Examples
    --------
    >>> import tempfile
    >>> from stsbaselines.data.catalogue import find_task
    >>> from stsbaselines.tasks.base import Scores
    >>> scores = Scores("sample-sts", "ours", {}, {"Mean": 0.5}, "pearson", "task:sample-sts")
    >>> measured = (MeasureResult("ours", "Mean", 0.5, 24),)
    >>> found = Comparison(find_task("sample-sts"), ("ours",), {"ours": scores}, measured, ())
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in report(found, folder)]
    ['index.html', 'comparison.md', 'comparison.tex', 'comparison.json']
    """
    target = Path(folder)
    with folder_for(target):
        as_json = to_json(comparison.to_dict()) + "\n"
        texts = (html(comparison), markdown(comparison), latex(comparison), as_json)
        for name, text in zip(FILES, texts, strict=True):
            write_text(target / name, text)
    return [target / name for name in FILES]


@contextlib.contextmanager
def folder_for(folder: Path) -> Iterator[None]:
    """Make the folder of a report before there is one, and remove it if there is none after all.

    Parameters
    ----------
    folder : Path

    Raises
    ------
    InputError
        If it cannot be made, or a folder is in the place of a file.
    """
    is_new = not exists(folder)
    make_folder(folder)
    for name in FILES:
        if (folder / name).is_dir():
            raise InputError([Fault(str(folder / name), "a directory", "a file or nothing")])
    try:
        yield
    finally:
        if is_new:
            with contextlib.suppress(OSError):  # it is not empty
                folder.rmdir()


# What is said, in words and tables


def summary(comparison: Comparison) -> list[tuple[str, str]]:
    """Say in sentences where each system stands by the official number, and what differs.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    list of (str, str)
        A system and what is said of it; at last "" and how the systems compare.
    """
    name = _main(comparison)
    of_name = [each for each in comparison.measured if each.name == name]
    said = [(each.system, _standing(comparison, each)) for each in of_name]
    quoted = [
        each
        for each in comparison.tests
        if each.quote and each.relation == SYSTEM and each.name == name
    ]
    return [*said, ("", " ".join(map(_verdict, quoted)))] if quoted else said


def _main(comparison: Comparison) -> str:
    """Return the official number or, if it was not scored, the first one that was."""
    names = [each.name for each in comparison.measured]
    return comparison.official if comparison.official in names else names[0] if names else ""


def _standing(comparison: Comparison, each: MeasureResult) -> str:
    if each.value is None:
        return f"has no {each.name}: it is undefined."
    text = f"reaches {each.name} = {_value(each.value)}"
    if each.interval:
        text += f" (95\xa0% interval {_interval(each.interval)})"
    text += f" on {each.pairs} pairs"
    if each.place is None:
        return f"{text}; there is no published ranking of it."
    is_last = each.place.first > each.place.runs
    text += f", below all {each.place.runs} published runs" if is_last else f": rank {each.place}"
    sides = (("above", each.place.above), ("below", each.place.below))
    near = [f"{_published(row, each.place)} {side}" for side, row in sides if row]
    text += f", with {' and '.join(near)}." if near else "."
    tests = [
        test
        for test in comparison.tests
        if (test.system, test.name) == (each.system, each.name) and test.relation != SYSTEM
    ]
    for differs, verb in (
        (True, "differs significantly from"),
        (False, "does not differ significantly from"),
    ):
        others = [_tested(test) for test in tests if test.differs is differs]
        text += f" It {verb} {_listed(others)}." if others else ""
    return text


def _tested(test: SignificanceTest) -> str:
    return f"{test.other} ({_signed(test.difference)}{_with_p(test)})"


def _with_p(test: SignificanceTest) -> str:
    return "" if test.p is None else f", p\xa0{_p(test.p)}"


def _verdict(test: SignificanceTest) -> str:
    better, worse = (test.system, test.other)
    if test.difference < 0:
        better, worse = worse, better
    how = f"({test.method}{_with_p(test)})"
    if test.differs:
        return f"{better} is significantly better than {worse} {how}."
    return f"{test.system} and {test.other} do not differ significantly {how}."


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def _published(row: Row, place: Rank) -> str:
    return f"{name_of(row)} ({_minus(str(row.values[place.column]))})"


def _value(value: float | None) -> str:
    return _minus(number(value))


def _interval(interval: Interval) -> str:
    return f"{_minus(f'{interval.low:.3f}')} to {_minus(f'{interval.high:.3f}')}"


def _signed(value: float) -> str:
    text = f"{value:+.4f}"
    return "0.0000" if float(text) == 0 else _minus(text)


def _minus(cell: str) -> str:
    return re.sub(r"^-(?=\d)", "\N{MINUS SIGN}", cell)


def _p(p: float) -> str:
    """Write a p value, with the sign before it."""
    return "<\xa0.001" if p < 0.001 else f"=\xa0{p:.3f}".replace("\xa00.", "\xa0.")


def _bare_p(p: float) -> str:
    return _p(p).removeprefix("=\xa0")


def sheets(comparison: Comparison) -> list[Sheet]:
    """Return the tables of a report; those that would be empty are left out."""
    found = [
        _overview(comparison),
        _numbers(comparison),
        _against_published(comparison),
        _between_systems(comparison),
        _conventions(comparison),
    ]
    return [each for each in found if each.rows]


def _overview(comparison: Comparison) -> Sheet:
    """Return a row for each number, with the systems beside the published references."""
    cells = {(each.system, each.name): each for each in comparison.measured}
    names = [*dict.fromkeys(each.name for each in comparison.measured)]
    first = {
        name: next(each for each in comparison.measured if each.name == name) for name in names
    }
    columns: dict[str, dict[str, str]] = {}
    for name, each in first.items():
        for row in each.place.baselines if each.place else ():
            columns.setdefault(name_of(row), {})[name] = _minus(str(row.values[_column(each)]))
        if each.place and (ranked := ranked_rows(each.place.table, each.place.column)):
            columns.setdefault("best run", {})[name] = str(ranked[0].values[each.place.column])
        if each.annotator_agreement is not None:
            columns.setdefault("agreement", {})[name] = str(each.annotator_agreement)
    order = sorted(columns, key=lambda key: (key == "agreement", key == "best run"))
    rows = []
    for name in names:
        ours = [cells.get((system, name)) for system in comparison.systems]
        values = [_value(each.value) if each else NONE for each in ours]
        rows.append((name, *values, *(columns[key].get(name, NONE) for key in order)))
    is_published = any(key != "agreement" for key in order)
    besides = " beside the published baselines and the best run of each row" if is_published else ""
    return Sheet(
        "overview",
        "Overview",
        f"Official numbers of the systems{besides}.",
        ("number", *comparison.systems, *order),
        tuple(rows),
    )


def _column(each: MeasureResult) -> str:
    return each.place.column if each.place else ""


def _numbers(comparison: Comparison) -> Sheet:
    has_place = any(each.place for each in comparison.measured)
    has_ceiling = any(each.annotator_agreement is not None for each in comparison.measured)
    header = ["system", "number", "value", "95 % interval", "pairs"]
    header += ["rank", "next above", "next below"] if has_place else []
    header += ["agreement"] if has_ceiling else []
    rows = []
    for each in comparison.measured:
        row = [each.system, each.name, _value(each.value)]
        row += [_interval(each.interval) if each.interval else NONE, str(each.pairs)]
        if has_place:
            row += [str(each.place or NONE), _side(each.place, ABOVE), _side(each.place, BELOW)]
        if has_ceiling:
            row.append(NONE if each.annotator_agreement is None else str(each.annotator_agreement))
        rows.append(tuple(row))
    ranks = " and ranks among the published runs" if has_place else ""
    caption = f"All official numbers with 95\xa0% intervals of confidence{ranks}."
    caption += " The annotators' agreement is the annotator_agreement." if has_ceiling else ""
    return Sheet("numbers", "All numbers", caption, tuple(header), tuple(rows), heads=2)


def _side(place: Rank | None, relation: str) -> str:
    if place is None:
        return NONE
    row = place.above if relation == ABOVE else place.below
    return _published(row, place) if row else NONE


def _against_published(comparison: Comparison) -> Sheet:
    """Return a row for each number of each system, with its differences to published runs."""
    tests = [each for each in comparison.tests if each.relation != SYSTEM]
    columns = [*dict.fromkeys((each.relation, _reference(each)) for each in tests)]
    columns.sort(key=lambda each: (BASELINE, ABOVE, BELOW).index(each[0]))
    cells = {
        (each.system, each.name, (each.relation, _reference(each))): _difference(each)
        for each in tests
    }
    rows = [
        (each.system, each.name, *(cells.get((each.system, each.name, key), "") for key in columns))
        for each in comparison.measured
    ]
    methods = sorted({each.method for each in tests})
    return Sheet(
        "published",
        "Against published runs",
        f"Differences to the baselines and to the nearest published runs, by {_and(methods)}."
        " In parentheses is p (one-tailed); a star marks what differs significantly. Runs whose"
        " outputs are not at hand are tested as if they were on other pairs, as the task papers"
        " do; a nearest run that is a baseline stands in the column of that baseline.",
        ("system", "number", *(label for _, label in columns)),
        tuple(row for row in rows if any(row[2:])),
        heads=2,
    )


def _reference(test: SignificanceTest) -> str:
    return test.other if test.relation == BASELINE else test.relation


def _difference(test: SignificanceTest) -> str:
    star = "*" if test.differs else ""
    p = "" if test.p is None else f" ({_bare_p(test.p)})"
    return f"{_signed(test.difference)}{star}{p}"


def _and(words: Sequence[str]) -> str:
    return _listed(words) if words else ""


_HEADS = ("systems", "number")


def _between_systems(comparison: Comparison) -> Sheet:
    rows = difference_rows(comparison)
    header = ("systems", "number", *(key for key in rows[0] if key not in _HEADS)) if rows else ()
    return Sheet(
        "systems",
        "Between the systems",
        "Differences between the systems, with p (one-tailed) by each test; the last column"
        f" names the test to quote. {DEPENDENT}",
        header,
        tuple(tuple(_test_cell(key, row[key]) for key in header) for row in rows),
        heads=2,
    )


def _test_cell(key: str, cell: Any) -> str:
    if cell is None:
        return NONE
    if isinstance(cell, str):
        return cell
    return _signed(cell) if key == "difference" else _bare_p(cell)


def _conventions(comparison: Comparison) -> Sheet:
    names = dict.fromkeys(each.name for each in comparison.conventions)
    cells = {(each.name, each.system): _value(each.value) for each in comparison.conventions}
    rows = [
        (name, *(cells.get((name, system), NONE) for system in comparison.systems))
        for name in names
    ]
    return Sheet(
        "conventions",
        "Conventions",
        "The number of a year by the conventions that papers use. Numbers of different rows"
        " cannot be compared.",
        ("convention", *comparison.systems),
        tuple(rows),
    )


def signatures(comparison: Comparison) -> dict[str, str]:
    """Return what each signature is of, by signature."""
    found: dict[str, list[str]] = {}
    for each in comparison.conventions:
        found.setdefault(each.signature, []).append(each.name)
    for system, scores in comparison.scores.items():
        if scores.signature not in found:
            found[scores.signature] = [f"official numbers of {system}"]
    return {signature: ", ".join(dict.fromkeys(names)) for signature, names in found.items()}


def _errors(comparison: Comparison) -> Iterator[Sheet]:
    """Yield a table of the largest errors of each system."""
    for place, system in enumerate(comparison.systems, 1):
        mine = [each for each in comparison.errors if each.system == system]
        is_several = len({each.measure for each in mine}) > 1
        has_sentences = any(each.sentences for each in mine)
        rows = []
        for each in mine:
            row = [f"{each.dataset} {each.pair}", *([each.measure] if is_several else [])]
            row += [f"{value:.3g}" for value in (each.predicted, each.gold)] + [f"{each.off:.2f}"]
            row += each.sentences or ["", ""] if has_sentences else []
            rows.append(tuple(_minus(cell) for cell in row))
        measure = ["measure"] if is_several else []
        texts = ["first sentence", "second sentence"] if has_sentences else []
        header = ("pair", *measure, "predicted", "gold", "off", *texts)
        if rows:
            without = "" if has_sentences else " The sentences are not at hand."
            yield Sheet(
                f"errors-{place}",
                system,
                f"The pairs that {system} scored farthest from the gold standard.{without}",
                header,
                tuple(rows),
            )


# How it is written


def markdown(comparison: Comparison) -> str:
    """Return a comparison as Markdown."""
    title, subtitle = _titles(comparison)
    parts = [f"# {_in_markdown(title)}", _in_markdown(subtitle)]
    parts += [_in_markdown(f"{system} {said}") for system, said in summary(comparison)]
    for each in sheets(comparison):
        parts += [f"## {each.title}", _markdown_table(each), _in_markdown(each.caption)]
    errors = [*_errors(comparison)]
    parts += ["## Largest errors", _off(comparison)] if errors else []
    for each in errors:
        parts += [f"### {_in_markdown(each.title)}", _markdown_table(each)]
    if comparison.notes:
        parts += ["## Notes", "\n".join(f"- {_in_markdown(each)}" for each in comparison.notes)]
    found = signatures(comparison).items()
    parts += ["## Signatures"]
    parts.append("\n".join(f"- {_in_markdown(f'{name}: {each}')}" for each, name in found))
    return "\n\n".join([*parts, f"Made by stsbaselines {__version__}."]) + "\n"


def _off(comparison: Comparison) -> str:
    if comparison.task.family == "ists":
        return "An alignment is off by 1 - TS."
    return (
        "How far off a score is, in units of the gold standard, after the scores of the data set"
        " were fitted to it by a line."
    )


def _titles(comparison: Comparison) -> tuple[str, str]:
    return f"{_listed(comparison.systems)} on {comparison.task.task}", comparison.task.title


def _in_markdown(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", printable(text))


def _markdown_table(sheet: Sheet) -> str:
    return tabulate(
        [[_in_markdown(cell) for cell in row] for row in sheet.rows],
        headers=[_in_markdown(name) for name in sheet.header],
        tablefmt="pipe",
        disable_numparse=True,
        colalign=["right" if each else "left" for each in sheet.numeric],
    )


def latex(comparison: Comparison) -> str:
    r"""Return the tables of a comparison as LaTeX, which needs only the package booktabs."""
    title = ascii(_titles(comparison)[0])[1:-1]
    parts = [f"% {title}, by stsbaselines {__version__}", "% \\usepackage{booktabs}"]
    narrow = [part for each in sheets(comparison) for part in _narrow(each)]
    parts += [_latex_table(each, comparison.task.task) for each in narrow]
    lines = [
        f"\\noindent {in_latex(name)}: \\texttt{{{in_latex(each)}}}\\par"
        for each, name in signatures(comparison).items()
    ]
    return "\n\n".join([*parts, "\n".join([r"{\footnotesize\raggedright", *lines, "}"])]) + "\n"


def _narrow(sheet: Sheet) -> list[Sheet]:
    """Return a table that names neighbours as two, each of which fits on a page."""
    if sheet.key != "numbers" or ABOVE not in sheet.header:
        return [sheet]
    start = sheet.header.index(ABOVE)
    stop = start + 2

    def cut(cells: tuple[str, ...]) -> tuple[str, ...]:
        return (*cells[:start], *cells[stop:])

    def neighbours(cells: tuple[str, ...]) -> tuple[str, ...]:
        return (*cells[: sheet.heads], *cells[start:stop])

    return [
        sheet._replace(header=cut(sheet.header), rows=tuple(map(cut, sheet.rows))),
        sheet._replace(
            key="neighbours",
            caption="The nearest published runs above and below.",
            header=neighbours(sheet.header),
            rows=tuple(map(neighbours, sheet.rows)),
        ),
    ]


def _latex_table(sheet: Sheet, task: str) -> str:
    columns = "".join("r" if each else "l" for each in sheet.numeric)
    groups = ["\n".join(map(_latex_row, _heads_once(sheet, rows))) for rows in sheet.groups]
    return "\n".join(
        [
            r"\begin{table}[htbp]",
            r"\centering\footnotesize\setlength{\tabcolsep}{4pt}",
            f"\\caption{{{in_latex(sheet.caption)}}}",
            f"\\label{{tab:{task}-{sheet.key}}}",
            f"\\begin{{tabular}}{{{columns}}}",
            r"\toprule",
            _latex_row(sheet.header),
            r"\midrule",
            "\n\\addlinespace\n".join(groups),
            r"\bottomrule",
            r"\end{tabular}",
            r"\end{table}",
        ]
    )


def _heads_once(sheet: Sheet, rows: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
    if sheet.heads == 1:
        return [*rows]
    return [row if not place else ("", *row[1:]) for place, row in enumerate(rows)]


def _latex_row(cells: Iterable[str]) -> str:
    """Return a row; its {} keeps a bracket or a star from being taken for an option."""
    return f"{{}}{' & '.join(map(in_latex, cells))} \\\\"


def in_latex(text: str) -> str:
    r"""Return a text as LaTeX of ASCII characters alone.

    Accents become commands; a character that LaTeX lacks without further packages
    is named by its number.

    Examples
    --------
    >>> print(in_latex("50 % café_1 中"))
    50 \% caf\'{e}\_1 [U+4E2D]
    """
    return "".join(map(_latex_character, printable(text)))


def _latex_character(each: str) -> str:
    if each in _LATEX:
        return _LATEX[each]
    if each.isascii():
        return each
    base, *accents = list(unicodedata.normalize("NFD", each))
    if base.isascii() and base.isalpha() and len(accents) == 1 and accents[0] in _ACCENTS:
        return f"\\{_ACCENTS[accents[0]]}{{{base}}}"
    return f"[U+{ord(each):04X}]"


class Picture(NamedTuple):
    """A figure of a page.

    Attributes
    ----------
    svg : str
    caption : str
    """

    svg: str
    caption: str


def html(comparison: Comparison) -> str:
    """Return a comparison as one page of HTML, which needs no other file."""
    environment = Environment(
        loader=PackageLoader("stsbaselines.reports"),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_finalized,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    title, subtitle = _titles(comparison)
    styles = [plots.style_of(place) for place in range(len(comparison.systems))]
    return environment.get_template("comparison.html").render(
        title=title,
        subtitle=subtitle,
        summary=summary(comparison),
        citation="" if comparison.task.is_sample else comparison.task.citation,
        sheets={each.key: each for each in sheets(comparison)},
        colours={
            system: style.colour for system, style in zip(comparison.systems, styles, strict=True)
        },
        rank=_rank_picture(comparison),
        bars=_bars_picture(comparison),
        scatters=_scatters(comparison),
        is_alignment=not comparison.score_pairs,
        errors=list(_errors(comparison)),
        off=_off(comparison),
        notes=comparison.notes,
        signatures=signatures(comparison),
        version=__version__,
    )


def _finalized(value: Any) -> Any:
    """Return what a template writes: text as it can be shown, and markup as it is."""
    return printable(value) if isinstance(value, str) and not hasattr(value, "__html__") else value


def _picture(svg: str, label: str, caption: str) -> Picture:
    opening = f'<svg role="img" aria-label="{escape(printable(label))}" '
    return Picture(svg.replace("<svg ", opening, 1), caption)


def _rank_picture(comparison: Comparison) -> Picture | None:
    name = _main(comparison)
    found = [each for each in comparison.measured if each.name == name]
    place = next((each.place for each in found if each.place), None)
    if place is None:
        return None
    # Every system is there, so that each has its colour; an undefined number is not drawn.
    marked = {each.system: math.nan if each.value is None else each.value for each in found}
    intervals = {each.system: each.interval for each in found if each.interval}
    figure = plots.rank_plot(place.table, place.column, marked, intervals)
    said = "; ".join(f"{each.system} has rank {each.place}" for each in found if each.place)
    caption = (
        f"{name} of the systems (coloured, with 95 % intervals) among the published runs (grey)"
        f" of {place.table.title}. Diamonds are the baselines."
    )
    return _picture(plots.to_svg(figure, "rank"), f"{name}: {said}.", caption)


def _bars_picture(comparison: Comparison) -> Picture | None:
    if not any(each.value is not None for each in comparison.measured):
        return None
    has_ceiling = any(each.annotator_agreement is not None for each in comparison.measured)
    annotator_agreement = " Dashed marks are the annotators' agreement." if has_ceiling else ""
    return _picture(
        plots.to_svg(plots.bars(comparison.measured), "bars"),
        "Bars of the official numbers; the table of all numbers has the same.",
        f"Official numbers with 95 % intervals of confidence.{annotator_agreement}",
    )


def _scatters(comparison: Comparison) -> dict[str, list[Picture]]:
    """Return the scatter plots of each system."""
    found: dict[str, list[Picture]] = {}
    for (system, name), score_pairs in comparison.score_pairs.items():
        if not len(score_pairs.scores):
            continue
        figure = plots.scatter(score_pairs, name, plots.style_of(comparison.systems.index(system)))
        key = f"scatter{sum(map(len, found.values()))}"
        label = f"{system}, {name}: predicted against gold scores. {figure.texts[1].get_text()}."
        found.setdefault(system, []).append(_picture(plots.to_svg(figure, key), label, name))
    return found
