"""The fast ways of token-cosine give the bytes that reading, predicting and formatting give."""

from __future__ import annotations

import io
import itertools
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from types import ModuleType
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stsbaselines.baselines import _token_cosine_kernel as compiled
from stsbaselines.baselines import _token_cosine_lines as in_lines
from stsbaselines.baselines._token_cosine_lines import Kernel, LineScorer
from stsbaselines.baselines.token_cosine import TokenCosine, tokens
from stsbaselines.errors import InputError
from stsbaselines.io.files import LONGEST_LINE, is_without_newlines
from stsbaselines.tasks import columns
from stsbaselines.tasks.base import family_named

KERNELS: tuple[Kernel, ...] = ("python", "numba")
MOST_TYPES = compiled.MOST_TYPES


def expected(lines: bytes) -> bytes | None:
    """Read, predict and format; None for lines that the reader refuses, or may refuse: nothing."""
    if not lines:
        return None
    try:
        pairs = list(columns.pairs_of(io.BytesIO(lines), "lines"))
    except InputError:
        return None
    return family_named("sts").format_predictions(TokenCosine().predict(pairs), pairs, 1)


def by_numba(lines: bytes) -> tuple[bytes | None, list[bytes]]:
    """Return the output of the kernel, and the lines that it left to Python."""
    left = list[bytes]()

    def in_python(rest: bytes) -> bytes | None:
        left.append(rest)
        return in_lines._score_lines(rest)

    return compiled.score_lines(lines, in_python), left


def check(lines: bytes) -> None:
    """Compare all ways, also with a plain row after the lines."""
    for each in itertools.filterfalse(is_without_newlines, (lines, lines + b"the last\tline\n")):
        wanted = expected(each)
        assert in_lines._score_lines(each) == wanted
        assert by_numba(each)[0] == wanted


WHITE_SPACE = st.sampled_from([b" ", b"  ", b"\r", b"\v", b"\f", b" \f\v\r "])
STEMS = [b"a", b"b", b"\xff", b"\x01", b"\x1c", b"\x85", b"caf\xc3\xa9", b"\xc2\xa0", b"abcdefg"]
TOKENS = st.one_of(
    st.sampled_from(STEMS),
    st.builds(bytes.__mul__, st.sampled_from(STEMS), st.integers(1, 30)),
    st.builds(bytes.__add__, st.sampled_from(STEMS), st.sampled_from(STEMS)),
)
SENTENCES = st.lists(st.one_of(TOKENS, WHITE_SPACE, TOKENS.map(b" ".__add__)), max_size=12).map(
    b"".join
)
ROWS = st.lists(SENTENCES, min_size=2, max_size=4).map(b"\t".join)


@given(st.lists(ROWS, min_size=1, max_size=10))
def test_any_sentences(rows: list[bytes]) -> None:
    check(b"\n".join(rows) + b"\n")


@given(
    st.binary() | st.lists(st.sampled_from([*b"ab\t\t\n\n \r\v\f\x00\x1c\x85\xa0\xff"])).map(bytes)
)
@example(b"")
@example(b"\n")
@example(b"\t")
@example(b"a\tb\n\n")
@example(b"a\tb\n\na\tb")
@example(b"a\tb\nc\r\n")
@example(b"a\tb\tthird \x00\n")
@example(b"a\t\tb\n \t a\n\ta\n \t \n")
def test_any_bytes(lines: bytes) -> None:
    check(lines)


@pytest.mark.parametrize("row", [b"%b\tb\n", b"b\t%b\n", b"a\tb\t%b\n"])
@pytest.mark.parametrize("filler", [b"a", b"a ", b"\r", b"\xe2\x82\xac"])
def test_long_rows(row: bytes, filler: bytes) -> None:
    check(b"a b\tb\n" + row % (filler * 20_000) + b"a\ta b\n")


@pytest.mark.parametrize("size", [LONGEST_LINE, LONGEST_LINE + 1])
@pytest.mark.parametrize("end", [b"", b"\n"])
def test_a_line_of_the_greatest_length_is_scored_rightly_or_left_to_the_reader(
    size: int, end: bytes
) -> None:
    line = b"a\tb ".ljust(size - len(end), b"c") + end
    for kernel in KERNELS:
        assert TokenCosine(kernel).score_lines(line) in (None, expected(line))


@pytest.mark.parametrize("left", [1, MOST_TYPES, MOST_TYPES + 1, 2000])
@pytest.mark.parametrize("right", [1, MOST_TYPES, MOST_TYPES + 1])
def test_rows_with_many_types_are_left_to_python(left: int, right: int) -> None:
    sides = [b" ".join(b"%d" % number for number in range(n)) for n in (left, right)]
    row = b"\t".join(sides) + b"\n"
    check((b"a\ta\n" + row) * 3)
    assert by_numba(b"a\ta\n" + row)[1] == ([row] if max(left, right) > MOST_TYPES else [])


def key_of(token: bytes) -> int:
    data = np.frombuffer(token + b"\n" * 8, np.uint8)
    return int(compiled._key(data, np.uint64(0), np.uint64(len(token))))


def with_key(key: int) -> bytes:
    """Return a token of 16 bytes that has the key."""
    mix = int(compiled._MIX)
    for number in range(10_000):
        first = b"%08d" % number
        last = int.from_bytes(first, "little") * mix % 2**64 ^ key
        for other in (last, last ^ 1 << 63):
            token = first + other.to_bytes(8, "little")
            if token.split() == [token] and b"\0" not in token:
                return token
    raise ValueError("there is none")


def test_tokens_whose_keys_meet() -> None:
    token, *others = b"1234567\xc9", b"12345678x12345678", b"12345678y12345678"
    others.append(with_key(key_of(token)))
    assert key_of(others[0]) == key_of(others[1])
    assert key_of(others[2]) == key_of(token) >= 2**63
    for one, two in itertools.permutations([token, *others], 2):
        check(b"%b %b\t%b\n" % (one, two, one))
        check(b"%b\t%b\n" % (one, two))
        check(b"%b\t%b %b %b\n" % (one, two, one, two))


def test_the_key_of_a_short_token_is_the_token() -> None:
    for token in (b"\x01cat\xff", b"1234567\x7f", b"a"):
        assert key_of(token) == int.from_bytes(token, "little")


def test_where_the_last_digit_is_in_doubt_python_rounds() -> None:
    shared, left, right = 28, 52, 233  # 2543773267.500009, and 1e-5 is the limit
    sides = (range(left), range(left - shared, left - shared + right))
    doubtful = b"\t".join(b" ".join(map(b"%d".__mod__, side)) for side in sides) + b"\n"
    check(doubtful * 3 + b"a\ta b\n")
    assert by_numba(doubtful + b"a\ta b\n")[1] == [doubtful]


def test_every_number_of_types() -> None:
    records = np.zeros(compiled.RECORD, np.uint8)
    for left, right in itertools.combinations_with_replacement(range(1, 41), 2):
        for shared in range(left + 1):
            assert compiled._write(records, 0, shared, left, right)
            assert records.tobytes() == in_lines._record(left, right, shared)


def test_ordinary_rows_are_scored_by_the_kernel() -> None:
    lines = b"A cat\tsat \x01 down\r\n caf\xc3\xa9\tA  somewhat_longer_token\n" * 2000
    assert by_numba(lines) == (expected(lines), [])


@pytest.mark.parametrize("kernel", ["auto", *KERNELS])
def test_kernels_agree(kernel: Kernel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(in_lines, "_WORTH_NUMBA", 40)
    lines = b"A cat sat\tA cat ran\n Yes\tyes\n"
    for system in (TokenCosine(kernel), LineScorer(kernel)):
        predictor = pickle.loads(pickle.dumps(system))
        for _ in range(3):
            assert predictor.score_lines(lines) == b"0.6666666667\n0.0000000000\n"


def no_version(name: str) -> str:
    raise metadata.PackageNotFoundError(name)


@pytest.fixture(params=["missing", "broken", "disabled"])
def without_numba(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    broken = ModuleType("numba")
    broken.__spec__ = numba.__spec__
    if request.param == "disabled":
        monkeypatch.setenv("NUMBA_DISABLE_JIT", "1")
        monkeypatch.setattr(numba.config, "DISABLE_JIT", 1)
    else:
        monkeypatch.setitem(sys.modules, "numba", broken if request.param == "broken" else None)
    monkeypatch.delitem(sys.modules, compiled.__name__)
    monkeypatch.delattr("stsbaselines.baselines._token_cosine_kernel")
    monkeypatch.setattr(in_lines, "_WORTH_NUMBA", 0)
    if request.param == "missing":
        monkeypatch.setattr(metadata, "version", no_version)
    in_lines._numba_kernel.cache_clear()
    yield request.param
    in_lines._numba_kernel.cache_clear()


def test_without_numba(without_numba: str) -> None:
    assert TokenCosine().score_lines(b"a\ta\n") == b"1.0000000000\n"
    assert TokenCosine().signature().startswith("token-cosine|kernel:python|version:")
    chosen = TokenCosine("numba")
    disabled = r"numba.*NUMBA_DISABLE_JIT is set"
    why = disabled if without_numba == "disabled" else r"numba.*pip install 'stsbaselines\[fast\]'"
    for call in (lambda: chosen.score_lines(b"a\ta\n"), chosen.signature):
        with pytest.raises(InputError, match=why):
            call()


def test_numba_has_its_linear_algebra_after_the_kernel_was_used() -> None:
    code = """
import sys, numba, numpy
from stsbaselines.baselines._token_cosine_lines import LineScorer
LineScorer("numba").score_lines(b"a\\ta\\n")
assert "scipy.linalg" not in sys.modules
print(numba.njit(lambda matrix: matrix @ matrix)(numpy.full((2, 2), 2.0)).tolist())
"""
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "[[8.0, 8.0], [8.0, 8.0]]\n"


def test_the_signature_names_the_kernel() -> None:
    for kernel in ("auto", "numba"):
        signature = TokenCosine(kernel).signature()
        assert signature.startswith(f"token-cosine|kernel:numba-{numba.__version__}|version:stsb")


@pytest.mark.parametrize(
    "call",
    [
        lambda predictor: predictor.predict([("a", "b")]),
        lambda predictor: predictor.score_lines(b"a\tb\n"),
        lambda predictor: predictor.signature(),
    ],
)
@pytest.mark.parametrize("kernel", ["nmba", ["numba"], None])
def test_an_unknown_kernel_is_refused(call: Any, kernel: Any) -> None:
    with pytest.raises(InputError, match=r"no kernel .* There are: auto, python, numba"):
        call(TokenCosine(kernel))


def tokens_of_perl(sentence: bytes) -> set[bytes]:
    r"""``split /\s+/``: runs of white space part; trailing empty fields go, a leading one stays."""
    fields = re.split(rb"[ \t\n\r\f\v]+", sentence)
    while fields and not fields[-1]:
        fields.pop()
    return set(fields)


@given(SENTENCES)
def test_tokens_are_those_of_perl(sentence: bytes) -> None:
    assert tokens(sentence.decode("utf-8", "surrogateescape")) == tokens_of_perl(sentence)


def test_treebank_tokens_are_lower_cased_and_without_punctuation_marks() -> None:
    treebank = TokenCosine(tokenizer="treebank")
    assert treebank.predict([("A duck's pond.", "a duck 's POND .")]) == pytest.approx(1)
    assert treebank.score_lines(b"A pond\tA lake\n") is None
    assert treebank.signature().startswith("token-cosine|tokenizer:treebank|version:")
    with pytest.raises(InputError, match="did you mean 'treebank'"):
        TokenCosine(tokenizer="treebanks").predict([("a", "b")])  # type: ignore[arg-type]
