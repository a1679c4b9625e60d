"""The measures of interpretable STS, computed by hand."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stsbaselines.scoring import alignment
from stsbaselines.scoring.alignment import (
    PENALTIES,
    SECOND_VERSION,
    Agreement,
    Alignment,
    Link,
    agreement,
    lenient_type_overlap,
    links_of,
)
from stsbaselines.tasks.alignment_file import MAIN_TYPES

LEFT = ["a", "cat", "sat", "on", "the", "mat", "."]
RIGHT = ["the", "cat", "was", "on", "a", "rug", "."]
GOLD: list[Alignment] = [
    ((1, 2), (1, 2), ("EQUI",), 5.0),
    ((3,), (3,), ("SIMI", "FACT"), 3.0),
    ((4, 5, 6), (4, 5, 6), ("SPE1",), 4.0),
    ((7,), (7,), ("EQUI",), 5.0),
]
# Weights of the gold standard's links: 4 links of 1/2, 1 of 1, 9 of 1/3; the full stop has none.


def measured(system: Sequence[Alignment], gold: Sequence[Alignment] = GOLD) -> list[float | None]:
    pairs = [(links_of(system, LEFT, RIGHT), links_of(gold, LEFT, RIGHT))]
    return [agreement(pairs, penalties).f for penalties in PENALTIES.values()]


def changed(place: int, *lines: Alignment) -> list[Alignment]:
    return [*GOLD[:place], *lines, *GOLD[place + 1 :]]


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        pytest.param(GOLD, [1, 1, 1, 1], id="the gold standard itself"),
        pytest.param(
            changed(0, ((1, 2), (1, 2), ("SIMI",), 5.0)),
            [1, 4 / 6, 1, 4 / 6],
            id="another type",
        ),
        pytest.param(
            changed(1, ((3,), (3,), ("SIMI",), 3.0)),
            [1, (5 + 1 / 2) / 6, 1, (5 + 1 / 2) / 6],
            id="FACT left out",
        ),
        pytest.param(
            changed(1, ((3,), (3,), ("simi", "Fact"), 3.0)), [1, 1, 1, 1], id="types in any case"
        ),
        pytest.param(
            changed(2, ((4, 5, 6), (4, 5, 6), ("SPE1",), 2.0)),
            [1, 1, (3 + 3 * 3 / 5) / 6, (3 + 3 * 3 / 5) / 6],
            id="another score",
        ),
        pytest.param(
            changed(1, ((3,), (3,), ("SIMI", "FACT"), None)),
            [1, 1, (5 + 2 / 5) / 6, (5 + 2 / 5) / 6],
            id="NIL counts as 0",
        ),
        pytest.param(
            changed(0, ((1, 2), (), ("NOALI",), None)),
            [2 * 1 * (4 / 6) / (1 + 4 / 6)] * 4,
            id="a chunk not aligned: precision 1, recall 4/6",
        ),
        pytest.param(
            # 1-1 and 2-2 weigh 1 each in the system, 1/2 each in the gold standard.
            changed(0, ((1,), (1,), ("EQUI",), 5.0), ((2,), (2,), ("EQUI",), 5.0)),
            [2 * 1 * (5 / 6) / (1 + 5 / 6)] * 4,
            id="a chunk split in two: precision 1, recall 5/6",
        ),
        pytest.param(
            # 9 links of 1/3; 5 of them are in the gold standard: 4 of 1/2 and 1 of 1.
            [((1, 2, 3), (1, 2, 3), ("EQUI",), 5.0), GOLD[2]],
            [
                2 * p * 1 / (p + 1) if (p := (5 / 3 + 3) / 6) else 0,
                2 * p * r / (p + r) if (p := (4 / 3 + 3) / 6) and (r := 5 / 6) else 0,
                2 * p * r / (p + r) if (p := (4 / 3 + 1 / 5 + 3) / 6) and (r := 5.6 / 6) else 0,
                2 * p * r / (p + r) if (p := (4 / 3 + 3) / 6) and (r := 5 / 6) else 0,
            ],
            id="two chunks merged",
        ),
        pytest.param(
            [
                ((1, 2), (4, 5, 6), ("EQUI",), 5.0),
                GOLD[1],
                ((4, 5, 6), (1, 2), ("SPE1",), 4.0),
            ],
            # 6 links of 1/3 twice: together 1 + 2 + 2 = 5.
            [2 * p * r / (p + r) if (p := 1 / 5) and (r := 1 / 6) else 0] * 4,
            id="partners swapped",
        ),
        pytest.param(
            changed(2, ((4, 5, 6, 7), (4, 5, 6, 7), ("SPE1",), 4.0))[:3],
            [1, 1, 1, 1],
            id="punctuation within a chunk does not count",
        ),
        pytest.param([*GOLD, GOLD[0]], [1, 1, 1, 1], id="a repeated line counts once"),
        pytest.param(
            [((1, 2), (1, 2), ("OPPO",), 0.0), *GOLD], [1, 1, 1, 1], id="of repeated links the last"
        ),
        pytest.param(
            [*GOLD, ((1, 2), (1, 2), ("OPPO",), 5.0)],
            [1, 4 / 6, 1, 4 / 6],
            id="of repeated links the last one, also if wrong",
        ),
        pytest.param([((3,), (1,), ("EQUI",), 5.0)], [0, 0, 0, 0], id="nothing shared"),
        pytest.param([((1,), (), ("NOALI",), None)], [0, 0, 0, 0], id="no link at all"),
    ],
)
def test_perturbed_copies_by_hand(system: list[Alignment], expected: list[float]) -> None:
    assert measured(system) == pytest.approx(expected)


@pytest.mark.parametrize("token", [".", ",", ":", "'", "`", "?", ";", '"', "-"])
def test_punctuation_has_no_links(token: str) -> None:
    lines: list[Alignment] = [((1, 2), (1, 2), ("EQUI",), 5.0)]
    assert links_of(lines, ["cat", token], [token, "cat"]).keys() == {(1, 2)}


@pytest.mark.parametrize("token", ["!", "(", "--", "``", "''", "...", "a."])
def test_other_tokens_have_links(token: str) -> None:
    lines: list[Alignment] = [((1,), (1,), ("EQUI",), 5.0)]
    assert links_of(lines, [token], [token]).keys() == {(1, 1)}


def test_scores_are_pooled_over_pairs() -> None:
    one = links_of([((1,), (1,), ("EQUI",), 5.0)], "a", "b")
    two = links_of([((i,), (i,), ("EQUI",), 5.0) for i in (1, 2, 3)], "abc", "def")
    assert agreement([(one, one), ({}, two)]) == Agreement(precision=1.0, recall=0.25)
    assert agreement([({}, {})]).f is None
    assert agreement([]) == Agreement(None, None)


@pytest.mark.parametrize(
    ("system", "gold", "expected"),
    [
        (("EQUI", 5), ("SPE1", 4), 1),
        (("SIMI", 4), ("EQUI", 5), 1),
        (("EQUI", 5), ("SIMI", 3), 0),
        (("EQUI", 5), ("REL", 4), 0),
        (("SIMI", 2), ("REL", 1), 1),
        (("SIMI", 2), ("REL", 3), 0),
        (("SIMI", 2), ("SIMI", 2), 1),
        (("SIMI_FACT", 2), ("SPE2_FACT", 2), 1),
        (("SIMI_FACT", 2), ("SPE2", 2), 1 / 2),
        (("OPPO", 2), ("SIMI", 2), 0),
    ],
)
def test_special_cases_of_the_second_version(
    system: tuple[str, float], gold: tuple[str, float], expected: float
) -> None:
    links = [Link(frozenset(types.split("_")), score, 1.0) for types, score in (system, gold)]
    assert lenient_type_overlap(*links) == expected
    pairs = [({(1, 1): links[0]}, {(1, 1): links[1]})]
    nearness = 1 - abs(system[1] - gold[1]) / 5
    assert agreement(pairs, SECOND_VERSION).f == pytest.approx(expected * nearness)


def test_precision_recall_and_confusion_by_type() -> None:
    system = links_of(changed(0, ((1, 2), (1, 2), ("SIMI",), 5.0))[:2], LEFT, RIGHT)
    pairs = [(system, links_of(GOLD, LEFT, RIGHT))]
    found = alignment.by_type(pairs, [*MAIN_TYPES, "FACT"])
    assert found["SIMI"].precision == pytest.approx(1 / 3)
    assert found["SIMI"].recall == 1
    assert found["EQUI"] == Agreement(precision=None, recall=0.0)
    assert found["FACT"] == Agreement(1.0, 1.0)
    assert found["REL"].f is None
    table = alignment.confusion(pairs, MAIN_TYPES)
    assert table["EQUI"]["SIMI"] == pytest.approx(2)
    assert table["SIMI"]["SIMI"] == pytest.approx(1)
    assert table["SPE1"]["not aligned"] == pytest.approx(3)
    assert sum(sum(row.values()) for row in table.values()) == pytest.approx(6)
    spurious = alignment.confusion([(pairs[0][1], {})], MAIN_TYPES)
    assert spurious["not aligned"]["SPE1"] == pytest.approx(3)


SIDES = st.lists(st.integers(1, 7), max_size=4, unique=True).map(tuple)
LINES = st.tuples(
    SIDES,
    SIDES,
    st.sampled_from(MAIN_TYPES).map(lambda name: (name,)),
    st.integers(0, 5).map(float),
)


@given(st.lists(LINES), st.lists(LINES))
def test_measures_are_symmetric_and_bounded(system: list[Alignment], gold: list[Alignment]) -> None:
    there, back = measured(system, gold), measured(gold, system)
    assert there == pytest.approx(back)
    for value in there:
        assert value is None or -1e-9 <= value <= 1 + 1e-9
    if there[0] is not None:
        f, typed, scored, both = (value or 0 for value in there)
        assert both <= min(typed, scored) + 1e-9
        assert max(typed, scored) <= f + 1e-9
    itself = measured(gold, gold)
    assert itself == [None] * 4 or itself == pytest.approx([1] * 4)


@given(st.lists(LINES))
def test_weights_of_a_token_sum_to_one_at_most(lines: list[Alignment]) -> None:
    links = links_of(lines, LEFT, RIGHT)
    for token in {place for place, _ in links}:
        weights = [link.weight for (place, _), link in links.items() if place == token]
        assert sum(weights) <= 1 + 1e-9
