"""Ranks among the published runs: those that the papers print are found."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.errors import InputError
from stsbaselines.reference.published import Row, Table, table, table_names, tables_of
from stsbaselines.reference.ranking import (
    annotator_agreement,
    main_column,
    name_of,
    rank_of,
    ranked_rows,
    ranking_of,
    select_from,
)

RANKED = {
    "sts2012": ["ALL", "ALLnrm", "Mean"],
    "sts2013-core": ["Mean"],
    "sts2013-typed": ["Mean"],
    "sts2015-english": ["Mean"],
    "sts2015-spanish": ["Mean"],
    "sts2016": ["Mean"],
    "sts2016-es-en": ["Mean"],
    "pit2015": ["F1", "pearson"],
    "ists2015-goldchunks": ["headlines_TS", "images_TS"],
    "ists2015-syschunks": ["headlines_TS", "images_TS"],
    "ists2016-answer-students-goldchunks": ["TS"],
    "ists2016-answer-students-syschunks": ["TS"],
    "ists2016-headlines-goldchunks": ["TS"],
    "ists2016-headlines-syschunks": ["TS"],
    "ists2016-images-goldchunks": ["TS"],
    "ists2016-images-syschunks": ["TS"],
    "ists2016-overall-goldchunks": ["Mean_TS"],
    "ists2016-overall-syschunks": ["Mean_TS"],
}
COLUMNS = [(name, column) for name, columns in RANKED.items() for column in columns]
MISPRINT = ("pit2015", "F1", "HASSY 02_traindev")


def printed_ranks(of: Table, column: str) -> Iterator[tuple[Row, int]]:
    own = (f"{column}_rank", f"{column.split('_')[0]}_rank", "rank")
    rank = next(each for each in own if each in of.columns)
    for row in of.rows:
        if rank in row.values and column in row.values:
            yield row, int(row.values[rank])


@pytest.mark.parametrize(("name", "column"), COLUMNS)
def test_every_printed_rank_is_found(name: str, column: str) -> None:
    """Equal numbers to which a paper gives successive ranks get the first of them."""
    of = table(name)
    ranks = list(printed_ranks(of, column))
    assert ranks
    for row, rank in ranks:
        found = rank_of(of, column, float(row.values[column]))
        if (name, column, name_of(row)) == MISPRINT:
            assert (found.first, rank) == (26, 25), "rank 25 is printed twice, for .561 and .551"
            continue
        ties = [each for row_, each in ranks if row_.values[column] == row.values[column]]
        assert (found.first, found.last) == (min(ties), min(ties)), name_of(row)


def test_all_tables_with_ranks_are_checked() -> None:
    whole = [each for each in map(table, table_names()) if not each.partial]
    with_ranks = {each.name for each in whole if any("rank" in c for c in each.columns)}
    assert with_ranks == set(RANKED)


@given(st.sampled_from(COLUMNS), st.floats(-1, 1))
def test_a_rank_lies_between_its_neighbours(of: tuple[str, str], value: float) -> None:
    name, column = of
    found = rank_of(table(name), column, value)
    assert 1 <= found.first <= found.last <= found.runs + 1
    if found.above is not None:
        assert float(found.above.values[column]) > value - 0.0005
    if found.below is not None:
        assert float(found.below.values[column]) < value + 0.0005
    higher = rank_of(table(name), column, min(1.0, value + 0.01))
    assert higher.first <= found.first


def test_a_number_above_all_is_first_and_one_below_all_is_last() -> None:
    of = table("sts2015-english")
    best, last = rank_of(of, "Mean", 0.9), rank_of(of, "Mean", 0.0)
    assert (str(best), best.above) == ("1 of 74", None)
    assert (str(last), last.below) == ("below all 74", None)


def test_a_rank_between_illegible_cells_is_a_range() -> None:
    of = table("sts2013-core")
    assert str(rank_of(of, "Mean", 0.5430)) == "15-16 of 90"
    above_all = rank_of(of, "OnWN", 0.99)
    legible = len(ranked_rows(of, "OnWN"))
    assert (above_all.first, above_all.last) == (1, 1 + 90 - legible)
    assert legible < 90


def test_a_run_without_its_aggregate_is_counted() -> None:
    """The paper of 2016 prints one set only of the last of its 113 runs."""
    of = table("sts2016")
    assert str(rank_of(of, "Mean", 0.51334)) == "100 of 113"
    assert str(rank_of(of, "Mean", 0.0)) == "113-114 of 113"
    assert str(rank_of(of, "postediting", 0.82615)) == "42 of 113"
    assert str(rank_of(of, "headlines", 0.99)) == "1-2 of 113"


def test_reference_systems_are_not_counted_but_are_baselines() -> None:
    found = rank_of(table("sts2015-english"), "Mean", 0.6964)
    assert found.first == 42
    assert [name_of(row) for row in found.baselines] == ["Baseline-tokencos", "Baseline-TakeLab"]


@pytest.mark.parametrize(
    ("task", "cell", "chunks", "expected"),
    [
        ("sts2012", "OnWN", "", ("sts2012", "OnWN")),
        ("sts2015-es", "Mean", "", ("sts2015-spanish", "Mean")),
        ("pit2015", "maxF1", "", ("pit2015", "maxF1")),
        ("ists2015", "images_F", "system", ("ists2015-syschunks", "images_F")),
        ("ists2016", "answers-students_S", "gold", ("ists2016-answer-students-goldchunks", "S")),
        ("ists2016", "Mean_TS", "system", ("ists2016-overall-syschunks", "Mean_TS")),
        ("ists2016", "Mean_TS", "", None),
        ("sts2012", "ALLnrm", "", ("sts2012", "ALLnrm")),
        ("sts2014", "Mean", "", None),
        ("sts2016", "Mean", "", ("sts2016", "Mean")),
        ("sts2016-es-en", "multisource", "", ("sts2016-es-en", "multisource")),
        ("sts2017", "Mean", "", None),
        ("stsbenchmark", "test", "", ("stsbenchmark", "test")),
        ("sample-sts", "Mean", "", None),
    ],
)
def test_the_ranking_of_a_number(
    task: str, cell: str, chunks: str, expected: tuple[str, str] | None
) -> None:
    found = ranking_of(task, cell, chunks)
    assert (found and (found[0].name, found[1])) == expected


@pytest.mark.parametrize(
    ("name", "column", "expected"),
    [
        ("sts2013-core", "SMT", "0.658"),
        ("sts2015-english", "Mean", None),
        ("pit2015", "pearson", "0.735"),
        ("ists2015-goldchunks", "images_F", None),
    ],
)
def test_the_agreement_of_the_annotators(name: str, column: str, expected: str | None) -> None:
    found = annotator_agreement(table(name), column)
    assert (str(found) if found else None) == expected


def test_the_main_column_is_the_one_that_ranks() -> None:
    assert main_column(table("sts2012")) == "ALL"
    assert main_column(table("ists2015-goldchunks")) == "headlines_TS"


@pytest.mark.parametrize("name", table_names())
def test_the_main_column_has_numbers(name: str) -> None:
    assert any(main_column(table(name)) in row.values for row in table(name).rows)


def test_rows_are_selected_in_any_combination() -> None:
    tables = tables_of("pit2015")
    [found] = select_from(tables, team="mathling", unsupervised=True, top=1)
    assert [name_of(row) for row in found.rows] == ["MATHLING 02_twimash"]
    assert select_from(tables) == tables


def test_selecting_nothing_is_an_error() -> None:
    with pytest.raises(InputError, match="no run that is marked unsupervised in sts2012, "):
        select_from(tables_of("sts2012"), unsupervised=True)
    with pytest.raises(InputError, match="no run with 'xyz' in the name of the run or team in "):
        select_from(tables_of("pit2015"), team="xyz")
