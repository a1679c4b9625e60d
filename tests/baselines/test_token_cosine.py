"""The fast ways of token-cosine give the bytes that reading, predicting and formatting give."""

from __future__ import annotations

import io
import itertools
import math
import pickle
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from importlib import metadata
from pathlib import Path
from types import ModuleType
from typing import Any

import llvmlite.binding as llvm
import numba
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from stsbaselines.baselines import _token_cosine_fast, _token_cosine_kernel, token_cosine
from stsbaselines.baselines.token_cosine import Kernel, TokenCosine, tokens
from stsbaselines.data.catalogue import find_task, task_names
from stsbaselines.data.find import locate_all
from stsbaselines.errors import InputError
from stsbaselines.io import LONGEST_LINE, is_without_newlines
from stsbaselines.tasks import sts
from stsbaselines.tasks.base import family_named

KERNELS: tuple[Kernel, ...] = ("python", "numba")
LAST = b"the last\tline\n"  # which the numba kernel leaves to Python, as it looks ahead
BEYOND = _token_cosine_fast.CHUNK
MOST_TYPES = int(_token_cosine_kernel._MOST_TYPES)
U = np.uint64


def expected(lines: bytes) -> bytes | None:
    """Read, predict and format; None for what the reader refuses, or may refuse: nothing."""
    if not lines:
        return None
    try:
        pairs = list(sts.pairs_of(io.BytesIO(lines), "lines", start=2))
    except InputError:
        return None
    scores = TokenCosine().predict(pairs)
    return family_named("sts").format_predictions(scores, pairs, 1)


def by_numba(lines: bytes) -> tuple[bytes | None, list[bytes]]:
    """Return the output of the kernel, and what it left to Python."""
    left = list[bytes]()

    def in_python(rest: bytes) -> bytes | None:
        left.append(rest)
        return token_cosine._score_lines(rest)

    return _token_cosine_fast.score_lines(lines, in_python), left


def check(lines: bytes) -> None:
    """Compare all ways; to the kernel, the lines are also given with others after them.

    A file without newlines but with carriage returns is refused before.
    """
    for each in itertools.filterfalse(is_without_newlines, (lines, lines + LAST)):
        assert token_cosine._score_lines(each) == expected(each)
        assert by_numba(each)[0] == expected(each)


WHITE_SPACE = st.sampled_from([b" ", b"  ", b" ", b"\r", b"\v", b"\f", b" \f\v\r "])
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


@given(st.lists(st.sampled_from([*b"ab\t\t\n\n \r\v\f\x00\x1c\x85\xa0\xff"])).map(bytes))
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


@given(st.binary())
def test_any_bytes_at_all(lines: bytes) -> None:
    check(lines)


@given(st.lists(st.integers(0, 3000), min_size=1, max_size=30), st.integers(1, 12))
def test_rows_anywhere_in_what_is_looked_at_together(lengths: list[int], width: int) -> None:
    tokens = itertools.cycle(b"%0*d" % (width, number) for number in range(97))
    rows = [b" ".join(itertools.islice(tokens, length // (width + 1))) for length in lengths]
    check(b"".join(row + b"\t000 1 2 0001\n" for row in rows))


@pytest.mark.parametrize("size", [BEYOND - 5, BEYOND - 4, BEYOND - 3, BEYOND, 3 * BEYOND])
@pytest.mark.parametrize("row", [b"%b\tb\n", b"b\t%b\n", b"a\tb\t%b\n"])
def test_long_rows(row: bytes, size: int) -> None:
    for filler in (b"a", b"a ", b"\t" if row.startswith(b"a") else b"\r"):
        check(b"a b\tb\n" + row % (filler * (size // len(filler))) + b"a\ta b\n")


@pytest.mark.parametrize("size", [LONGEST_LINE, LONGEST_LINE + 1])
@pytest.mark.parametrize("end", [b"", b"\n", b"\n" + LAST])
def test_the_longest_line(size: int, end: bytes) -> None:
    line = b"a\tb ".ljust(size - len(end[:1]), b"c") + end
    assert (expected(line) is None) == (size > LONGEST_LINE)
    for found in (token_cosine._score_lines(line), by_numba(line)[0]):
        assert found in (None, expected(line))  # None: the reader decides


@pytest.mark.parametrize("left", [1, MOST_TYPES - 1, MOST_TYPES, MOST_TYPES + 1, 2000])
@pytest.mark.parametrize("right", [1, MOST_TYPES, MOST_TYPES + 1])
def test_many_types(left: int, right: int) -> None:
    sides = [b" ".join(b"%d" % number for number in range(n)) for n in (left, right)]
    row = b"\t".join(sides) + b"\n"
    check(row)
    check((b"a\ta\n" + row) * 3)
    is_left = max(left, right) > MOST_TYPES
    assert len(by_numba(row + LAST)[1]) == 1 + is_left


def key_of(token: bytes) -> int:
    data = np.frombuffer(token + b" " * 9, dtype=np.uint8)
    return int(_token_cosine_kernel._key(data, U(0), U(len(token))))


def with_key(starts: Iterable[bytes], key_for: Callable[[bytes], int]) -> tuple[bytes, bytes]:
    """Return one of `starts`, and a token that begins with it and has the key for it."""
    for start in starts:
        key = key_for(start)
        end = (key_of(start + b"\xff" * 8) ^ key ^ (2**64 - 1)).to_bytes(8, "little")
        for token in (start + end, start + end[:7] + bytes([end[7] ^ 0x80])):
            if key_of(token) == key and token.split() == [token] and b"\0" not in token:
                return start, token
    raise ValueError("there is none")


@pytest.mark.parametrize("token", [b"1234567\xc9", b"caf\xc3\xa9_\xc3\xa9"])
def test_tokens_whose_keys_meet(token: bytes) -> None:
    _, other = with_key(map(b"%03d-1234".__mod__, range(1000)), lambda _: key_of(token))
    _, third = with_key(map(b"%03d=1234".__mod__, range(1000)), lambda _: key_of(token))
    assert len({token, other, third}) == 3
    assert key_of(token) == key_of(other) == key_of(third)
    check(b"%b %b\t%b\n" % (other, token, other))
    check(b"%b\t%b\n" % (token, other))
    check(b"%b %b\t%b %b\n" % (token, other, other, third))
    check(b"%b\t%b %b %b\n" % (other, token, other, token))
    for end in (b"a", b"abcdefgh"):
        check(b"%b%b %b%b\t%b%b\n" % (other, end, third, end, third, end))


def test_a_token_whose_key_meets_that_of_a_longer_one_that_begins_with_it() -> None:
    token, longer = with_key(map(b"%016d".__mod__, range(1000)), key_of)
    assert longer.startswith(token)
    assert key_of(token) == key_of(longer)
    check(b"%b\t%b\n" % (longer, token))
    check(b"%b %b\t%b\n" % (longer, token, longer))


def test_the_key_of_a_short_token_is_the_token() -> None:
    assert key_of(b"\x01cat\xff") == int.from_bytes(b"\x01cat\xff", "little")
    assert key_of(b"1234567\x7f") == int.from_bytes(b"1234567\x7f", "little")


def test_where_the_last_digit_is_in_doubt_python_rounds() -> None:
    shared, left, right = 28, 52, 233  # 2543773267.500009, and 1e-5 is the limit
    sides = (range(left), range(left - shared, left - shared + right))
    doubtful = b"\t".join(b" ".join(map(b"%d".__mod__, side)) for side in sides) + b"\n"
    check(doubtful * 3 + b"a\ta b\n")
    assert by_numba(doubtful + LAST)[1] == [doubtful, LAST]


def test_every_number_of_types() -> None:
    records = np.zeros(_token_cosine_fast.RECORD, dtype=np.uint8)
    left_out = 0
    for left, right in itertools.combinations_with_replacement(range(1, 41), 2):
        for shared in range(left + 1):
            numbers = U(shared), U(left), U(right)
            is_written = _token_cosine_kernel._write(records, U(0), *numbers)
            left_out += not is_written
            assert records.tobytes() == token_cosine._RECORDS[left, right, right - shared]
    assert left_out == 0


def test_records_are_not_kept_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token_cosine, "_MOST_RECORDS", 3)
    records = token_cosine._Records()
    for number in range(1, 9):
        assert records[number, number, 0] == b"1.0000000000\n"
        assert 1 <= len(records) <= 3


def test_the_kernel_looks_at_no_byte_after_the_lines() -> None:
    assert by_numba(b"a\tb\n" * 10)[1] == [b"a\tb\na\tb\n"]


def test_ordinary_rows_are_scored_by_the_kernel() -> None:
    lines = b"A cat\tsat \x01 down\r\n caf\xc3\xa9\tA  somewhat_longer_token\tand more\n" * 2000
    output, left = by_numba(lines + LAST)
    assert output == expected(lines + LAST)
    assert left == [LAST]


@pytest.mark.parametrize("kernel", ["auto", *KERNELS])
@pytest.mark.parametrize("times", [1, 20_000])
def test_kernels_agree(kernel: Kernel, times: int) -> None:
    lines = b"A cat sat\tA cat ran\n Yes\tyes\n" * times
    predictor = pickle.loads(pickle.dumps(TokenCosine(kernel)))
    assert predictor.score_lines(lines) == b"0.6666666667\n0.0000000000\n" * times


def no_version(name: str) -> str:
    raise metadata.PackageNotFoundError(name)


@pytest.fixture(params=["missing", "broken"])
def without_numba(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Iterator[str]:
    broken = ModuleType("numba")
    broken.__spec__ = numba.__spec__
    monkeypatch.setitem(sys.modules, "numba", broken if request.param == "broken" else None)
    monkeypatch.delitem(sys.modules, _token_cosine_kernel.__name__)
    monkeypatch.delattr("stsbaselines.baselines._token_cosine_kernel")
    if request.param == "missing":
        monkeypatch.setattr(metadata, "version", no_version)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    _token_cosine_fast.kernel.cache_clear()
    token_cosine._numba_kernel.cache_clear()
    yield request.param
    token_cosine._numba_kernel.cache_clear()
    _token_cosine_fast.kernel.cache_clear()


def test_without_numba(without_numba: str) -> None:
    lines = b"a\ta\n" * 100_000
    assert TokenCosine().score_lines(lines) == b"1.0000000000\n" * 100_000
    assert TokenCosine().signature().startswith("token-cosine|kernel:python|version:")
    reason = "No package metadata" if without_numba == "missing" else "cannot import name"
    chosen = TokenCosine("numba")
    for call in (lambda: chosen.score_lines(b"a\ta\n"), chosen.signature):
        with pytest.raises(InputError, match=rf"({reason}).*pip install 'stsbaselines\[fast\]'"):
            call()


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
def test_an_unknown_kernel(call: Any) -> None:
    with pytest.raises(InputError, match="no kernel 'nmba', did you mean 'numba'"):
        call(TokenCosine("nmba"))  # type: ignore[arg-type]


def test_only_a_kernel_that_was_chosen_is_shown() -> None:
    assert repr(TokenCosine()) == "TokenCosine()"
    assert repr(TokenCosine(kernel="python")) == "TokenCosine(kernel='python')"


SCRIPT = """
import sys
from stsbaselines.baselines.token_cosine import TokenCosine
assert TokenCosine().score_lines(b"a\\ta\\n") == b"1.0000000000\\n"
assert TokenCosine().signature()
assert "numba" not in sys.modules
"""


def test_numba_is_not_imported_for_little() -> None:
    subprocess.run([sys.executable, "-c", SCRIPT], check=True)


SLOW = """
import sys
from stsbaselines.baselines.token_cosine import TokenCosine
assert TokenCosine("numba").score_lines(b"a\\ta\\n") == b"1.0000000000\\n"
print(sys.modules.keys() & {"numba", "numpy"})
"""


def test_numba_is_imported_to_compile_and_not_again(tmp_path: Path) -> None:
    for imported in (2, 0):
        printed = subprocess.check_output(
            [sys.executable, "-c", SLOW], env={"XDG_CACHE_HOME": str(tmp_path)}
        )
        assert len(eval(printed)) == imported


RAISING = """
import numba, numpy, sys
from stsbaselines.baselines.token_cosine import TokenCosine
TokenCosine("numba").score_lines(b"a\\ta\\n")
@numba.vectorize([numba.float64(numba.float64)])
def refuse(value):
    if value > 1:
        raise ValueError("too much")
    return value
try:
    refuse(numpy.array([2.0]))
except ValueError as error:
    print(error)
"""


def test_errors_of_others_who_use_numba_come_out_as_before() -> None:
    assert subprocess.check_output([sys.executable, "-c", RAISING]) == b"too much\n"


@pytest.fixture
def scored_anew(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[], int]]:
    """Give what loads or compiles the kernel again, scores with it, and returns how it got it."""
    compiled = 0

    def counted(machine: Any) -> bytes:
        nonlocal compiled
        compiled += 1
        return _compiled(machine)

    def scored() -> int:
        nonlocal compiled
        compiled = 0
        _token_cosine_fast.kernel.cache_clear()
        assert TokenCosine("numba").score_lines(b"a b\ta\n" * 10) == b"0.7071067812\n" * 10
        return compiled

    _compiled = _token_cosine_fast._compiled
    monkeypatch.setattr(_token_cosine_fast, "_compiled", counted)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    yield scored
    _token_cosine_fast.kernel.cache_clear()


def test_a_cache_that_cannot_be_written(scored_anew: Callable[[], int], tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file, no folder")
    assert scored_anew() == 1
    assert scored_anew() == 1


@pytest.mark.parametrize("damage", ["empty", "text", "half", "a bit"])
def test_a_damaged_cache(damage: str, scored_anew: Callable[[], int], tmp_path: Path) -> None:
    assert scored_anew() == 1
    (file,) = (tmp_path / "cache").rglob("*.o")
    whole = file.read_bytes()
    contents = {
        "empty": b"",
        "text": b"damaged",
        "half": whole[: len(whole) // 2],
        "a bit": whole[:-1] + bytes([whole[-1] ^ 1]),
    }
    file.write_bytes(contents[damage])
    assert scored_anew() == 1
    assert scored_anew() == 0


@pytest.mark.parametrize("what", ["numba", "processor", "source"])
def test_the_machine_code_of_another_version_or_processor_is_not_loaded(
    what: str, scored_anew: Callable[[], int], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert scored_anew() == 1
    if what == "numba":
        monkeypatch.setattr(metadata, "version", lambda name: "0")
    elif what == "source":  # which has the size of its tables
        changed_source = tmp_path / "_token_cosine_fast.py"
        changed_source.write_bytes(Path(_token_cosine_fast.__file__).read_bytes() + b"\n")
        monkeypatch.setattr(_token_cosine_fast, "__file__", str(changed_source))
    else:
        features = llvm.get_host_cpu_features()
        changed = type(features)({**features, next(filter(features.get, features)): False})
        monkeypatch.setattr(llvm, "get_host_cpu_features", lambda: changed)
    assert scored_anew() == 1


STS = [name for name in task_names() if find_task(name).family == "sts"]


@pytest.mark.official
@pytest.mark.parametrize("name", [name for name in STS if not name.startswith("sample-")])
def test_official_pairs(name: str, official_data: Path) -> None:
    located = locate_all(find_task(name), official_data)
    files = [each.path for each in located if each.role == "input" and each.path]
    assert files
    for path in files:
        check(path.read_bytes())


def tokens_of_perl(sentence: bytes) -> set[bytes]:
    """``split /\\s+/``: runs of white space part; trailing empty fields go, a leading one stays."""
    fields = re.split(rb"[ \t\n\r\f\v]+", sentence)
    while fields and not fields[-1]:
        fields.pop()
    return set(fields)


@given(st.binary(max_size=40) | st.text(" \ta.\u00a0\x1cB", max_size=20).map(str.encode))
def test_tokens_are_those_of_perl(raw: bytes) -> None:
    assert tokens(raw.decode("utf-8", "surrogateescape")) == tokens_of_perl(raw)


@pytest.mark.parametrize(
    ("left", "right", "expected"),
    [
        ("a b c", "a b d", 2 / 3),
        ("a a a", "a", 1.0),
        (" a", "a", 1 / math.sqrt(2)),
        (" a", " b", 0.5),
        ("A", "a", 0.0),
        ("dog.", "dog", 0.0),
        ("", "", 0.0),
        ("   ", "   ", 0.0),
        ("a\u00a0b", "a b", 0.0),
        ("caf\u00e9", "cafe\u0301", 0.0),
    ],
)
def test_token_cosine_by_hand(left: str, right: str, expected: float) -> None:
    assert TokenCosine().predict([(left, right)]) == pytest.approx([expected])


@given(st.lists(st.tuples(st.text(), st.text())))
def test_token_cosine_is_symmetric_and_in_range(pairs: list[tuple[str, str]]) -> None:
    pairs = [
        tuple(side.encode("utf-8", "replace").decode() for side in pair)  # type: ignore[misc]
        for pair in pairs
    ]
    scores = TokenCosine().predict(pairs)
    assert ((scores >= 0) & (scores <= 1 + 1e-12)).all()
    assert (scores == TokenCosine().predict([(right, left) for left, right in pairs])).all()
