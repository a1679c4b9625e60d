"""Text for the terminal."""

from __future__ import annotations

from stsbaselines.evaluation.alignment import align
from stsbaselines.reports.alignments import as_rows
from stsbaselines.reports.text import alignments_text
from tests.helpers import run_command


def test_colours_are_for_terminals() -> None:
    arguments = ["align", "A man sings.", "A man sings."]
    coloured = run_command(arguments, env={"FORCE_COLOR": "1", "TERM": "xterm-256color"})
    assert "\x1b[32mEQUI 5" in coloured.stdout


def test_control_characters_are_escaped() -> None:
    pair = align("a \x1b[31mcat", "a cat")
    rows = as_rows(pair.alignments, pair.tokens)
    assert "\x1b" not in alignments_text(rows).plain
