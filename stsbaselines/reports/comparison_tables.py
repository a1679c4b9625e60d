"""The content of a report of a comparison: a summary in sentences, and tables of text."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from stsbaselines.evaluation.results import (
    ABOVE,
    BASELINE,
    BELOW,
    BOOTSTRAP,
    FISHER,
    PERMUTATION,
    SYSTEM,
    WILLIAMS,
    Comparison,
    MeasureResult,
    SignificanceTest,
)
from stsbaselines.reference.published import Row
from stsbaselines.reference.ranking import Rank, name_of, ranked_rows
from stsbaselines.reports.tables import NONE, ReportTable, number
from stsbaselines.scoring.significance import Interval

BEST_RUN, AGREEMENT = "best run", "agreement"
_TESTS = (WILLIAMS, BOOTSTRAP, PERMUTATION, FISHER)


def title_of(comparison: Comparison) -> str:
    """Return the title of a report."""
    return f"{_listed(comparison.systems)} on {comparison.task.task}"


def summary(comparison: Comparison) -> list[tuple[str, str]]:
    """Return for each system a sentence on its official number; last, for "", how they compare."""
    results = main_results(comparison)
    sentences = [(each.system, _result_sentence(comparison, each)) for each in results]
    verdicts = [
        _verdict(each)
        for each in comparison.tests
        if each.quote and each.relation == SYSTEM
        if each.name in (results[0].name, comparison.convention)
    ]
    return [*sentences, ("", " ".join(verdicts))] if verdicts else sentences


def main_results(comparison: Comparison) -> list[MeasureResult]:
    """Return the results for the official number or, if it was not scored, for the first one."""
    measured = comparison.measured
    official = [each for each in measured if each.name == comparison.official]
    return official or [each for each in measured if each.name == measured[0].name]


def _result_sentence(comparison: Comparison, each: MeasureResult) -> str:
    if each.value is None:
        return f"has no {each.name}: it is undefined."
    text = f"reaches {each.name} = {_value(each.value)}"
    if each.interval:
        text += f" (95\xa0% interval {_interval(each.interval)})"
    text += f" on {each.pairs} pairs"
    if each.rank is None:
        return f"{text}; no published ranking of it is available."
    is_last = each.rank.first > each.rank.runs
    text += f", below all {each.rank.runs} published runs" if is_last else f": rank {each.rank}"
    sides = (("above", each.rank.above), ("below", each.rank.below))
    near = [f"{_published(row, each.rank)} {side}" for side, row in sides if row]
    text += f", with {' and '.join(near)}." if near else "."
    others: dict[bool, list[str]] = {True: [], False: []}
    for test in comparison.tests:
        if (test.system, test.name) == (each.system, each.name) and test.relation != SYSTEM:
            other = f"{test.other} ({_signed(test.difference)}{_with_p(test)})"
            others[test.differs].append(other)
    if others[True]:
        text += f" It differs significantly from {_listed(others[True])}."
    if others[False]:
        text += f" It does not differ significantly from {_listed(others[False])}."
    return text


def _with_p(test: SignificanceTest) -> str:
    return "" if test.p is None else f", p\xa0{_p(test.p)}"


def _verdict(test: SignificanceTest) -> str:
    systems = [test.system, test.other]
    how = f"({test.method}{_with_p(test)})"
    if not test.differs:
        return f"{' and '.join(systems)} do not differ significantly {how}."
    better, worse = reversed(systems) if test.difference < 0 else systems
    return f"{better} is significantly better than {worse} {how}."


def _listed(words: Sequence[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def _published(row: Row, rank: Rank) -> str:
    return f"{name_of(row)} ({_minus(str(row.values[rank.column]))})"


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


def _bare_p(p: float | None) -> str:
    return NONE if p is None else _p(p).removeprefix("=\xa0")


def report_tables(comparison: Comparison) -> list[ReportTable]:
    """Return the tables of a report, without empty ones."""
    makers = (_overview, _numbers, _against_published, _between_systems, _conventions)
    tables = [make(comparison) for make in makers]
    return [each for each in tables if each.rows]


def _overview(comparison: Comparison) -> ReportTable:
    """Return a row for each number, with the systems beside the published references."""
    values = {(each.system, each.name): _value(each.value) for each in comparison.measured}
    names = [*dict.fromkeys(each.name for each in comparison.measured)]
    references: dict[str, dict[str, str]] = {}
    for name in names:
        each = next(each for each in comparison.measured if each.name == name)
        if each.rank:
            column = each.rank.column
            for row in each.rank.baselines:
                value = _minus(str(row.values[column]))
                references.setdefault(name_of(row), {})[name] = value
            for row in ranked_rows(each.rank.table, column)[:1]:
                references.setdefault(BEST_RUN, {})[name] = str(row.values[column])
        if each.annotator_agreement is not None:
            references.setdefault(AGREEMENT, {})[name] = str(each.annotator_agreement)
    columns = sorted(references, key=lambda key: (key == AGREEMENT, key == BEST_RUN))
    rows = []
    for name in names:
        ours = [values.get((system, name), NONE) for system in comparison.systems]
        rows.append((name, *ours, *(references[key].get(name, NONE) for key in columns)))
    is_published = any(key != AGREEMENT for key in columns)
    besides = " beside the published baselines and the best run of each row" if is_published else ""
    return ReportTable(
        "overview",
        "Overview",
        f"Official numbers of the systems{besides}.",
        ("number", *comparison.systems, *columns),
        tuple(rows),
    )


def _numbers(comparison: Comparison) -> ReportTable:
    is_ranked = any(each.rank for each in comparison.measured)
    has_agreement = any(each.annotator_agreement is not None for each in comparison.measured)
    header = ["system", "number", "value", "95 % interval", "pairs"]
    header += ["rank", ABOVE, BELOW] if is_ranked else []
    header += [AGREEMENT] if has_agreement else []
    rows = []
    for each in comparison.measured:
        row = [each.system, each.name, _value(each.value)]
        row += [_interval(each.interval) if each.interval else NONE, str(each.pairs)]
        if is_ranked:
            row += [str(each.rank or NONE), _side(each.rank, ABOVE), _side(each.rank, BELOW)]
        if has_agreement:
            row.append(NONE if each.annotator_agreement is None else str(each.annotator_agreement))
        rows.append(tuple(row))
    caption = "All official numbers with 95\xa0% confidence intervals"
    caption += " and ranks among the published runs." if is_ranked else "."
    if any(each.rank and each.rank.first != each.rank.last for each in comparison.measured):
        caption += (
            " A rank is a range where cells of our copy of the table are illegible; the runs above"
            " and below are the nearest legible ones."
        )
    if not is_ranked and any(each.value is not None for each in comparison.measured):
        caption += f" No published ranking of {comparison.task.task} is available."
    if has_agreement:
        caption += " The last column is the annotators' agreement."
    return ReportTable("numbers", "All numbers", caption, tuple(header), tuple(rows), heads=2)


def _side(rank: Rank | None, relation: str) -> str:
    if rank is None:
        return NONE
    row = rank.above if relation == ABOVE else rank.below
    return _published(row, rank) if row else NONE


def _against_published(comparison: Comparison) -> ReportTable:
    """Return a row for each number of each system, with its differences to published runs."""
    tests = [each for each in comparison.tests if each.relation != SYSTEM]
    tests.sort(key=lambda each: (BASELINE, ABOVE, BELOW).index(each.relation))
    columns = [*dict.fromkeys(map(_reference, tests))]
    cells = {(each.system, each.name, _reference(each)): _difference(each) for each in tests}
    rows = [
        (each.system, each.name, *(cells.get((each.system, each.name, key), "") for key in columns))
        for each in comparison.measured
    ]
    methods = sorted({each.method for each in tests})
    return ReportTable(
        "published",
        "Against published runs",
        f"Differences to the baselines and to the nearest published runs, by {_listed(methods)}."
        " The p value (one-tailed) is in parentheses; a star marks a significant difference. Runs"
        " whose outputs are not available are tested as if they were on other pairs, as in the task"
        " papers; if a nearest run is a baseline, see the column of that baseline.",
        ("system", "number", *columns),
        tuple(row for row in rows if any(row[2:])),
        heads=2,
    )


def _reference(test: SignificanceTest) -> str:
    return test.other if test.relation == BASELINE else test.relation


def _difference(test: SignificanceTest) -> str:
    star = "*" if test.differs else ""
    p = "" if test.p is None else f" ({_bare_p(test.p)})"
    return f"{_signed(test.difference)}{star}{p}"


def _between_systems(comparison: Comparison) -> ReportTable:
    """Return a row for each number of each two systems, with the p values of all tests."""
    found: dict[tuple[str, str, str], dict[str, SignificanceTest]] = {}
    for each in comparison.tests:
        if each.relation == SYSTEM:
            found.setdefault((each.system, each.other, each.name), {})[each.method] = each
    rows = []
    methods = [each for each in _TESTS if each != PERMUTATION or comparison.convention]
    for (system, other, name), tests in found.items():
        ps = [_bare_p(tests[method].p) if method in tests else NONE for method in methods]
        difference = next(iter(tests.values())).difference
        quoted = [each for each in tests.values() if each.quote]
        verdicts = [f"{'yes' if each.differs else 'no'} ({each.method})" for each in quoted]
        rows.append((f"{system} - {other}", name, _signed(difference), *ps, "".join(verdicts)))
    return ReportTable(
        "systems",
        "Between the systems",
        "Differences between the systems, with p by each test (two-tailed, except for Fisher's z);"
        " the last column names the test to quote. Systems on the same pairs depend on each other:"
        " quote Williams' test (for Pearson's correlation) or else the paired bootstrap; Fisher's"
        " z is for comparison with the papers.",
        ("systems", "number", "difference", *methods, "differs"),
        tuple(rows),
        heads=2,
    )


def _conventions(comparison: Comparison) -> ReportTable:
    names = dict.fromkeys(each.name for each in comparison.conventions)
    values = {
        (each.system, each.name): _value(each.value)
        + (f" ({_interval(each.interval)})" if each.interval else "")
        for each in comparison.conventions
    }
    interval = " In parentheses: the 95\xa0% interval, by the bootstrap."
    rows = [
        (name, *(values.get((system, name), NONE) for system in comparison.systems))
        for name in names
    ]
    return ReportTable(
        "conventions",
        "Conventions",
        "The score by each convention of papers. Scores in different rows are not comparable."
        + interval * any(each.interval for each in comparison.conventions),
        ("convention", *comparison.systems),
        tuple(rows),
    )


def signatures(comparison: Comparison) -> dict[str, str]:
    """Return the names of the numbers of each signature, by signature."""
    found: dict[str, list[str]] = {}
    for each in comparison.conventions:
        found.setdefault(each.signature, []).append(each.name)
    for system, scores in comparison.scores.items():
        if scores.signature not in found:
            found[scores.signature] = [f"official numbers of {system}"]
    return {signature: ", ".join(dict.fromkeys(names)) for signature, names in found.items()}


def error_tables(comparison: Comparison) -> Iterator[ReportTable]:
    """Yield a table of the largest errors of each system."""
    for place, system in enumerate(comparison.systems, 1):
        errors = [each for each in comparison.errors if each.system == system]
        if not errors:
            continue
        is_several = len({each.measure for each in errors}) > 1
        has_sentences = any(each.sentences for each in errors)
        measure = ["measure"] if is_several else []
        texts = ["first sentence", "second sentence"] if has_sentences else []
        rows = []
        for each in errors:
            row = [f"{each.dataset} {each.pair}", *([each.measure] if is_several else [])]
            row += [f"{each.predicted:.3g}", f"{each.gold:.3g}", f"{each.off:.2f}"]
            row += each.sentences or ["", ""] if has_sentences else []
            rows.append(tuple(map(_minus, row)))
        without = "" if has_sentences else " The sentences were not found."
        yield ReportTable(
            f"errors-{place}",
            system,
            f"The pairs for which {system} is farthest from the gold standard.{without}",
            ("pair", *measure, "predicted", "gold", "off", *texts),
            tuple(rows),
        )


def explain_errors(comparison: Comparison) -> str:
    """Return what the errors are measured in."""
    if comparison.task.family == "ists":
        return "The error of an alignment is 1 - TS."
    return (
        "Errors are in units of the gold standard, after the scores of the data set were fitted"
        " to it by a line."
    )
