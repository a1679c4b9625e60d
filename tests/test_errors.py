"""Errors are one sentence each, without characters that a terminal acts on."""

from __future__ import annotations

import pytest

from stsbaselines.errors import Fault, InputError, nearest, shown, unknown, visible

HOSTILE = "run\x1b]0;owned\x07\x1b[2J\u202eX\x9b31m"
ESCAPED = r"run\x1b]0;owned\x07\x1b[2J\u202eX\x9b31m"


def test_a_fault_is_one_line() -> None:
    assert str(Fault("a\nb\x1b", "x", "y", 3)) == r"a\nb\x1b, line 3: found x, expected y"


def test_characters_that_a_terminal_acts_on_are_escaped() -> None:
    assert visible(HOSTILE) == ESCAPED
    assert str(InputError(f"{HOSTILE} failed")) == f"{ESCAPED} failed"
    text = "two\nlines\tand caf\u00e9, \u4e2d, \U0001f408"
    assert visible(text) == text


def test_the_first_twenty_faults_are_listed() -> None:
    faults = [Fault("a.txt", "x", "y", line) for line in range(1, 1031)]
    error = InputError(faults)
    *lines, last = str(error).splitlines()
    assert lines == [str(fault) for fault in faults[:20]]
    assert last == "... and 1,010 more faults"
    assert error.faults == tuple(faults)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,5", "'1,5'"),
        (b"caf\xe9\r", r"'caf\\xe9\r'"),
        ("a" * 40, f"'{'a' * 40}'"),
        (b"a" * 10**6, f"'{'a' * 37}...'"),
    ],
)
def test_shown_is_quoted_and_short(text: bytes | str, expected: str) -> None:
    assert shown(text) == expected


def test_the_nearest_name_is_suggested() -> None:
    assert nearest("onwn", ["headlines", "OnWN"]) == "OnWN"
    assert nearest("zzz", ["headlines", "OnWN"]) is None
    message = str(unknown("task", "sts2011", ["sts2012", "pit2015"]))
    expected = "there is no task 'sts2011', did you mean 'sts2012'? There are: sts2012, pit2015."
    assert message == expected
    assert str(unknown("task", "zzz", ["a"])) == "there is no task 'zzz'. There are: a."
