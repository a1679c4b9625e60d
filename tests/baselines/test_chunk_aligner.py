"""The chunk aligner of interpretable STS, and the assignment it makes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linear_sum_assignment

from stsbaselines.baselines import create
from stsbaselines.baselines._munkres import assignment
from stsbaselines.baselines.chunk_aligner import ChunkAligner, spans_of
from stsbaselines.errors import InputError
from stsbaselines.tasks import alignment_file, ists
from stsbaselines.tasks.ists import ChunkedSentence, chunked_sentence


@pytest.mark.parametrize(
    ("line", "spans"),
    [
        ("[ A cat ] [ sat ]", [(0, 1), (2,)]),
        ("[ A cat , ] [ - ] [ sat . ]", [(0, 1), (), (4,)]),
        ("[ A cat ] and [ a dog ]", [(0, 1), (2, 3, 4)]),
        ("[ A cat ] and then [ a dog ]", [(0, 1), (2, 3, 4, 5)]),
        ("[ U.S. ships ] [ sail ]", [(0, 1), (2,)]),
        ("[ a ] [is b ] [ c ]", [(0,), (1, 2), (3,)]),
    ],
)
def test_the_walk_along_the_tokens(line: str, spans: list[tuple[int, ...]]) -> None:
    assert spans_of(chunked_sentence(line)) == spans


def aligned(left: str, right: str, **parameters: bool) -> list[tuple[str, str, str]]:
    pair = chunked_sentence(left), chunked_sentence(right)
    [found] = ChunkAligner(**parameters).predict([pair])  # type: ignore[arg-type]
    lines = (
        alignment_file.format_alignment(each, pair[0].tokens, pair[1].tokens) for each in found
    )
    return [(parts[0], parts[1], parts[2]) for parts in (line.split(" // ", 3) for line in lines)]


def test_the_baseline_aligns_chunks_by_shared_tokens() -> None:
    assert aligned("[ A cat ] [ sat , ] [ down ]", "[ a cat ] [ sat . ]") == [
        ("1 2 <==> 1 2", "EQUI", "5"),
        ("3 <==> 3", "EQUI", "5"),
        ("5 <==> 0", "NOALI", "NIL"),
    ]


def test_lower_casing_is_what_the_papers_describe_but_not_the_default() -> None:
    assert ("1 <==> 1", "EQUI", "5") not in aligned("[ Cats ]", "[ cats ]")
    assert aligned("[ Cats ]", "[ cats ]", lowercase=True) == [("1 <==> 1", "EQUI", "5")]


def test_chunks_that_lost_their_partner() -> None:
    chunks = "[ the cat ] [ the dog ] [ it ]", "[ the cat ]"
    assert aligned(*chunks, alic=True)[1:] == [
        ("3 4 <==> 0", "ALIC", "NIL"),
        ("5 <==> 0", "NOALI", "NIL"),
    ]
    assert {kind for _, kind, _ in aligned(*chunks)[1:]} == {"NOALI"}


def test_a_pair_that_shares_nothing_may_be_assigned() -> None:
    # The optimal total leaves the and-chunks to each other, although they share nothing.
    found = aligned("[ a b c ] [ a d ]", "[ a b c ] [ b e ]")
    assert found == [("1 2 3 <==> 1 2 3", "EQUI", "5"), ("4 5 <==> 4 5", "EQUI", "5")]


@given(
    st.integers(1, 6).flatmap(
        lambda columns: st.lists(
            st.lists(st.integers(90, 100), min_size=columns, max_size=columns),
            min_size=1,
            max_size=6,
        )
    )
)
def test_assignments_are_optimal(costs: list[list[int]]) -> None:
    found = assignment(costs)
    assert len(found) == min(len(costs), len(costs[0]))
    assert len({row for row, _ in found}) == len({column for _, column in found}) == len(found)
    best = np.array(costs)[linear_sum_assignment(costs)].sum()
    assert sum(costs[row][column] for row, column in found) == best


def test_ties_are_broken_as_the_classic_program_did() -> None:
    # What version 1.0.7 of the Python package munkres gives.
    assert assignment([[99, 99, 99], [99, 99, 98], [99, 98, 98]]) == [(0, 0), (1, 2), (2, 1)]
    assert assignment([[98, 99, 99], [98, 99, 99]]) == [(0, 0), (1, 2)]
    ties = [[99, 98, 99, 99], [98, 98, 99, 99], [99, 98, 98, 99]]
    assert assignment(ties) == [(0, 1), (1, 0), (2, 2)]
    assert assignment([]) == []


@pytest.mark.parametrize(
    ("parameters", "pair", "message"),
    [
        ({"chunks": "gold"}, ("a", "b"), "chunks is 'gold', but must be given or system"),
        ({}, ("a", 1), "expected a pair of two strings or ChunkedSentences"),
        ({}, "ab", "expected a pair of two strings or ChunkedSentences"),
        ({"chunker": "nowhere"}, ("a", "b"), "nowhere"),
        ({"chunker": 3}, ("a", "b"), "chunker is 3, but must be a path"),
        ({"lowercase": "no"}, ("a", "b"), "lowercase is 'no', but must be true or false"),
        ({"alic": 1}, ("a", "b"), "alic is 1, but must be true or false"),
    ],
)
def test_the_baseline_refuses(parameters: dict[str, object], pair: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        create("chunk-aligner", **parameters).predict([pair])


def test_system_chunks_replace_given_ones() -> None:
    sentence = ChunkedSentence("The man sat", ("The", "man", "sat"), (("The",), ("man", "sat")))
    given_chunks, system = (
        create("chunk-aligner", chunks=chunks).predict([(sentence, sentence)])[0]
        for chunks in ("given", "system")
    )
    assert [each.left for each in given_chunks] == [(1,), (2, 3)]
    assert [each.left for each in system] == [(1, 2), (3,)]


def test_sentences_with_bytes_that_are_not_utf8() -> None:
    text = b"Caf\xe9 [ opens ] today".decode("utf-8", "surrogateescape")
    pairs = [(text, text)]
    predictions = create("chunk-aligner").predict(pairs)
    assert b"// Caf\xe9 [ opens ]" in ists.FAMILY.format_predictions(predictions, pairs)
