"""Sentences of the papers about their tables, and which of them hold."""

from __future__ import annotations

import itertools

import pytest

from stsbaselines.errors import InputError
from stsbaselines.evaluation.table_significance import table_significance
from stsbaselines.reference.published import table
from stsbaselines.scoring.significance import fisher_test


@pytest.mark.parametrize(
    ("name", "column", "pairs", "tails", "first"),
    [
        ("sts2012", "ALL", None, 1, [5]),
        ("sts2012", "ALL", None, 2, [5]),
        ("sts2012", "ALLnrm", None, 1, [6]),
        ("sts2012", "Mean", None, 2, [6]),
        ("sts2013-core", None, None, 1, [3, 7, 14]),
        ("sts2013-core", None, None, 2, [3, 9, 18]),
        ("sts2013-typed", None, None, 1, [3, 5, 5]),
        ("sts2013-typed", None, 2250, 1, [2, 5, 5]),
        ("sts2013-typed", None, 6000, 1, [2, 3, 5]),
        ("sts2015-english", None, None, 1, [10]),
        ("sts2015-english", None, None, 2, [13]),
        ("sts2015-english", "answers-forums", None, 1, [21]),
        ("sts2015-english", "answers-students", None, 1, [9]),
        ("sts2015-english", "belief", None, 1, [23]),
        ("sts2015-english", "headlines", None, 1, [14]),
        ("sts2015-english", "images", None, 1, [16]),
        ("pit2015", "pearson", None, 1, [3]),
    ],
)
def test_the_first_position_that_differs(
    name: str, column: str | None, pairs: int | None, tails: int, first: list[int]
) -> None:
    found = table_significance(table(name), column, pairs, tails)
    assert [each.differs_from for each in found.runs[: len(first)]] == first
    for each in found.runs:  # p falls with the position
        below = found.p[each.position - 1][each.position :]
        assert list(below) == sorted(below, reverse=True)


@pytest.mark.parametrize(
    ("name", "column", "pairs", "run", "p", "before"),
    [
        ("sts2012", "ALLnrm", None, 1, 0.0023, None),
        ("sts2012", "Mean", None, 1, 0.0218, None),
        ("sts2013-core", "Mean", None, 1, 0.0218, 0.089),
        ("sts2013-core", "Mean", None, 2, 0.0441, 0.081),
        ("sts2013-core", "Mean", None, 3, 0.0491, 0.070),
        ("sts2013-typed", "Mean", 2250, 1, 0.0168, None),
        ("sts2013-typed", "Mean", None, 1, None, 0.110),
        ("sts2015-english", "Mean", None, 1, 0.0415, 0.068),
        ("pit2015", "pearson", None, 1, 0.0475, None),
    ],
)
def test_p_there_and_at_the_position_before(
    name: str, column: str, pairs: int | None, run: int, p: float | None, before: float | None
) -> None:
    found = table_significance(table(name), column, pairs).runs[run - 1]
    assert p is None or found.p == pytest.approx(p, abs=5e-5)
    assert before is None or found.p_before == pytest.approx(before, abs=5e-4)


@pytest.mark.parametrize(("pairs", "fits"), [(2101, 0), (2102, 1), (2614, 1), (2615, 0)])
def test_the_pairs_that_fit_the_sentences_on_typed_similarity(pairs: int, fits: bool) -> None:
    best, second, third, *_ = table_significance(table("sts2013-typed"), None, pairs).runs
    assert best.p is not None
    positions = [each.differs_from for each in (best, second, third)]
    assert (best.p < 0.02 and positions == [2, 5, 5]) == fits


def test_which_neighbours_of_2013_differ() -> None:
    p = table_significance(table("sts2013-core")).p
    differ = {place + 1: p[place][place + 1] for place in range(len(p) - 1)}
    differ = {place: each for place, each in differ.items() if each < 0.05}
    assert [*differ] == [84, 85]
    assert differ[84] == pytest.approx(0.0007, abs=5e-5)


def test_the_best_ten_of_2015_do_not_differ_among_each_other_without_the_best() -> None:
    p = table_significance(table("sts2015-english")).p
    assert min(p[a][b] for a, b in itertools.combinations(range(1, 10), 2)) >= 0.165


@pytest.mark.parametrize(
    ("column", "equal", "named"),
    [
        ("wikipedia", [11, 14], []),  # the paper: all 21 pairs of teams differ
        ("newswire", [5, 5], [("ExBThemis", "RTM"), ("MiniExperts", "Yamraj")]),  # all but these
    ],
)
def test_the_sentences_on_spanish_do_not_hold(
    column: str, equal: list[int], named: list[tuple[str, str]]
) -> None:
    spanish = table("sts2015-spanish")
    best: dict[str, str] = {}
    for each in table_significance(spanish).runs:
        best.setdefault(each.run.split("-")[0], each.run)
    assert len(best) == 7
    for tails, expected in zip((1, 2), equal, strict=True):
        found = table_significance(spanish, column, None, tails)
        places = {each.run: each.position - 1 for each in found.runs}
        p = {
            (one, other): found.p[places[best[one]]][places[best[other]]]
            for one, other in itertools.combinations(sorted(best), 2)
        }
        assert sum(each >= 0.05 for each in p.values()) == expected
        assert all(p[each] < 0.05 for each in named)


def test_annotators_of_pit_differ_from_all_runs() -> None:
    rows = {name: row for row in table("pit2015").rows for name in row.flags if name == "human"}
    human = float(rows["human"].values["pearson"])
    best = float(table_significance(table("pit2015"), "pearson").runs[0].value)
    assert fisher_test(human, 972, best, 972).p < 2e-6


@pytest.mark.parametrize(
    ("name", "column", "pairs", "tails", "message"),
    [
        ("sts2012", "ALLw", None, 1, "no column of numbers"),
        ("sts2012", "ALL_rank", None, 1, "no column of numbers"),
        ("sts2012-weighted", "ALLw", None, 1, "pass --n"),
        ("ists2016-overall-goldchunks", None, 1000, 1, "no test is defined"),
        ("pit2015", None, None, 1, "no test is defined for F1"),
        ("rows-simcse", None, 1000, 1, "no test is defined"),
        ("sts2014", None, None, 1, "only 3 of the 38 runs"),
        ("sts2015-english", None, 3, 1, "at least 4"),
        ("sts2015-english", None, None, 3, "tails 1 or 2"),
    ],
)
def test_what_cannot_be_tested_is_refused(
    name: str, column: str | None, pairs: int | None, tails: int, message: str
) -> None:
    with pytest.raises(InputError, match=message):
        table_significance(table(name), column, pairs, tails)


def test_runs_without_a_number_are_noted() -> None:
    found = table_significance(table("sts2013-core"))
    assert found.notes[0].startswith("2 runs have no position")
    assert found.to_dict()["p"][0][2] == found.runs[0].p
    assert found.to_frame()["differs_from"][0] == 3
    assert "sts2013-core, Mean" in repr(found)
    assert "one-tailed" in found._repr_html_()
