"""Each fault with each reader and command; what is to come of it is in `faults.outcomes`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from faults import page
from faults.catalogue import COMMAND_FAULTS, INPUT_FAULTS, OUTPUT_FAULTS
from faults.cells import lines_of_refusal, outcome, outcome_of_command, outcome_of_output
from faults.commands import READING, WRITING
from faults.outcomes import (
    READ_ANYWAY,
    SAYING_THE_LINE,
    WRITTEN_ANYWAY,
    expected,
    expected_of_output,
)
from faults.processes import PROCESS_FAULTS
from faults.readers import READERS

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc and capabilities")


def outcomes(name: str, faults: Iterable[str], find: Callable[[str, str], str]) -> dict[str, str]:
    found = {}
    for fault in faults:
        try:
            found[fault] = find(name, fault)
        except Exception as error:
            raise AssertionError(f"{name}: {fault}") from error
    return found


@pytest.mark.parametrize("reader", READERS)
def test_reading(reader: str) -> None:
    wanted = {fault: expected(reader, fault) for fault in INPUT_FAULTS}
    assert outcomes(reader, INPUT_FAULTS, outcome) == wanted


def test_the_line_is_named() -> None:
    found = {reader for reader in READERS if lines_of_refusal(reader, "NUL") == {2}}
    assert found == SAYING_THE_LINE


@pytest.mark.parametrize("command", READING)
def test_commands_that_read(command: str) -> None:
    wanted = {fault: expected(command, fault) for fault in COMMAND_FAULTS}
    assert outcomes(command, COMMAND_FAULTS, outcome_of_command) == wanted


@pytest.mark.parametrize("command", WRITING)
def test_commands_that_write(command: str) -> None:
    wanted = {fault: expected_of_output(command, fault) for fault in OUTPUT_FAULTS}
    assert outcomes(command, OUTPUT_FAULTS, outcome_of_output) == wanted


@pytest.mark.parametrize("fault", PROCESS_FAULTS)
def test_processes(fault: str, tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    PROCESS_FAULTS[fault].check(tmp_path / "place")


def test_what_is_said_to_be_read_anyway_is_known() -> None:
    known = {*READERS, *READING}
    assert READ_ANYWAY.keys() <= INPUT_FAULTS.keys()
    assert all(each.harmless | each.unseen <= known for each in READ_ANYWAY.values())
    assert WRITTEN_ANYWAY.keys() <= OUTPUT_FAULTS.keys()
    assert all(names <= {*WRITING} for _, names in WRITTEN_ANYWAY.values())


def test_the_documentation_has_the_table_of_today() -> None:
    assert page.with_tables(page.PAGE.read_text(encoding="utf-8")) == page.PAGE.read_text(
        encoding="utf-8"
    )
