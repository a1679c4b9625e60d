"""The numbers by the conventions of papers."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import stats

from stsbaselines.scoring.conventions import CONVENTIONS, resampled, value
from stsbaselines.scoring.resampling import draw

BY_NAME = {each.name: each for each in CONVENTIONS}
A = ([1.0, 2.0, 3.0], [1.0, 2.0, 4.0])
B = ([1.0, 2.0], [2.0, 1.0])
PEARSON_OF_A = 3 / np.sqrt(2 * 14 / 3)
PEARSON_OF_ALL = 3 / np.sqrt(2.8 * 6)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Pearson mean", (PEARSON_OF_A - 1) / 2),
        ("Pearson weighted mean", (3 * PEARSON_OF_A - 2) / 5),
        ("Pearson ALL", PEARSON_OF_ALL),
        ("Pearson ALLnrm", np.sqrt(1 - (14 / 3 - 4.5) / 6)),  # the share that the lines leave
        ("Spearman mean", 0.0),
        ("Spearman weighted mean", 0.2),
        ("Spearman ALL", 5 / 9),
    ],
)
def test_values_by_hand(name: str, expected: float) -> None:
    assert value(BY_NAME[name], {"a": A, "b": B}) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", [each.name for each in CONVENTIONS if each.excluded])
def test_without_smt(name: str) -> None:
    convention = BY_NAME[name]
    with_smt = {"FNWN": A, "SMT": ([9.0, 2.0, 1.0], [0.0, 1.0, 2.0]), "OnWN": B}
    without = {"FNWN": A, "OnWN": B}
    assert value(convention, with_smt) == value(convention, without) is not None
    assert value(convention, {"SMT": A}) is None


def test_what_is_undefined_is_none_and_what_is_wrong_an_error() -> None:
    constant = {"a": A, "b": ([1.0, 1.0], [2.0, 1.0])}
    assert value(BY_NAME["Pearson mean"], constant) is None
    assert value(BY_NAME["Pearson ALLnrm"], constant) is None
    assert value(BY_NAME["Pearson ALL"], constant) is not None
    with pytest.raises(ValueError, match="b: scores and gold have different lengths"):
        value(BY_NAME["Spearman ALL"], {"a": A, "b": ([1.0], [2.0, 1.0])})
    with pytest.raises(ValueError, match="NaN"):
        value(BY_NAME["Pearson mean"], {"a": ([1.0, np.nan], [1.0, 2.0])})


@given(st.lists(st.tuples(st.integers(0, 50), st.integers(0, 50)), min_size=3, max_size=30))
def test_of_one_data_set_all_aggregates_are_equal(pairs: list[tuple[int, int]]) -> None:
    scores, gold = map(list, zip(*pairs, strict=True))
    assume(len(set(scores)) > 1 and len(set(gold)) > 1)
    expected = {
        "pearson": stats.pearsonr(scores, gold).statistic,
        "spearman": stats.spearmanr(scores, gold).statistic,
    }
    for convention in CONVENTIONS:
        if convention.aggregate != "ALLnrm":  # which is the same but for the sign
            found = value(convention, {"set": (scores, gold)})
            assert found == pytest.approx(expected[convention.correlation], abs=1e-9)
    normalized = value(BY_NAME["Pearson ALLnrm"], {"set": (scores, gold)})
    if abs(expected["pearson"]) > 1e-6:
        assert normalized == pytest.approx(abs(expected["pearson"]), abs=1e-6)


@pytest.mark.parametrize("name", [each.name for each in CONVENTIONS])
def test_the_resampled_number_is_that_of_the_repeated_pairs(name: str) -> None:
    convention = next(each for each in CONVENTIONS if each.name == name)
    generator = np.random.default_rng(0)
    parts, counts = {}, {}
    for key, size in (("a", 30), ("b", 12), ("SMT", 20)):
        gold = generator.integers(0, 6, size).astype(float)
        parts[key] = gold + generator.normal(size=size), gold
        counts[key] = draw(size, 5)
    found = resampled(convention, parts, counts)
    for row, number in enumerate(found):
        repeated = {
            key: (np.repeat(scores, counts[key][row]), np.repeat(gold, counts[key][row]))
            for key, (scores, gold) in parts.items()
        }
        assert number == pytest.approx(value(convention, repeated), abs=1e-10)
