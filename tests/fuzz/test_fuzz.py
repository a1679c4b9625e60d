"""Each reader, given samples that were changed at random: it refuses them, or reads them right."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mutations import LARGEST, mutated
from targets import Target, check_number, refused, targets

from limits import at_most
from stsbaselines.errors import InputError

TARGETS = targets()
SECONDS_AN_INPUT = 20


@pytest.mark.parametrize("name", TARGETS)
def test_the_samples_are_read(name: str) -> None:
    for seed in TARGETS[name].seeds:
        TARGETS[name].read(seed)


@pytest.mark.parametrize("name", TARGETS)
def test_changed_samples_are_refused_or_read_right(name: str) -> None:
    @settings(
        max_examples=25,
        derandomize=True,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.sampled_from(TARGETS[name].seeds), st.randoms(use_true_random=False))
    def check(seed: bytes, random: Random) -> None:
        with at_most(SECONDS_AN_INPUT):
            refused(TARGETS[name], mutated(seed, random))

    check()


@pytest.mark.parametrize("text", [b"", b".", b"1_0", b"nan", b"1,5", b" 1", b"0x1", b"1e", b"--1"])
def test_the_second_way_of_reading_numbers_is_strict(text: bytes) -> None:
    with pytest.raises(AssertionError, match="was read as"):
        check_number(text, 1.0)


def test_a_wrong_number_and_another_error_are_findings() -> None:
    def wrong(content: bytes) -> None:
        check_number(content, 2.0)

    def broken(content: bytes) -> None:
        raise KeyError(content)

    def strict(content: bytes) -> None:
        raise InputError("no")

    check_number(b"2.0", 2.0)
    with pytest.raises(AssertionError):
        refused(Target(wrong, ()), b"2.5")
    with pytest.raises(KeyError):
        refused(Target(broken, ()), b"")
    assert refused(Target(strict, ()), b"")


def test_changes_can_be_repeated_and_are_bounded() -> None:
    sample = b"A cat\tA dog\n" * 3
    changed = [mutated(sample, Random(number)) for number in range(200)]
    assert changed == [mutated(sample, Random(number)) for number in range(200)]
    assert len(set(changed)) > 150
    assert len(mutated(b"x" * 2 * LARGEST, Random(0))) <= LARGEST


def test_without_atheris_fuzzing_says_that_it_is_left_out(tmp_path: Path) -> None:
    script = Path(__file__).with_name("run.py")
    code = f"import runpy, sys; sys.modules['atheris'] = None; sys.argv = ['run.py']; \
runpy.run_path({str(script)!r}, run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert done.stdout.startswith("LEFT OUT: fuzzing needs atheris")
