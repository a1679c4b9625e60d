"""Reports of a comparison as files."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from stsbaselines.errors import InputError
from stsbaselines.reports.comparison import FILES, report
from tests.reports.samples import SHOWN, comparison


@pytest.fixture
def written(tmp_path: Path) -> Path:
    files = report(comparison(), tmp_path / "new" / "report")
    assert [path.name for path in files] == [*FILES]
    assert {path.name for path in (tmp_path / "new" / "report").iterdir()} == {*FILES}
    return tmp_path / "new" / "report"


def test_markdown_and_latex_escape(written: Path) -> None:
    text = (written / "comparison.md").read_text("utf-8")
    assert "\\<b\\>\\&\\_%\\$\\#\\{\\}\\~^\\\\ \\|\\`\\*\\[x\\]" in text
    rows = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} <= set(range(3, 12))
    latex = (written / "comparison.tex").read_text("ascii")
    assert r"\ensuremath{<}b\ensuremath{>}\&\_\%\$\#\{\}\textasciitilde{}" in latex
    assert "plain [U+4E2D]" in latex
    for row in re.findall(r"^.*\\\\$", latex, re.M):
        assert row.startswith("{}")
    tables = re.findall(r"\\begin{tabular}{(.*?)}(.*?)\\end{tabular}", latex, re.S)
    assert len(tables) == 6
    for columns, content in tables:
        rows = re.findall(r"^(.*)\\\\$", content, re.M)
        assert rows
        assert {len(re.findall(r"(?<!\\)&", row)) + 1 for row in rows} == {len(columns)}


def test_json_has_everything_unrounded(written: Path) -> None:
    found = json.loads((written / "comparison.json").read_text("utf-8"))
    assert found["measured"][1]["value"] == 0.62
    assert found["measured"][2]["value"] is None
    assert found["measured"][0]["system"] == SHOWN.replace("\ufffd", "\x01")
    assert found["tests"][-1]["statistic"] is None  # infinite
    assert len(found["errors"]) == 2


def test_the_same_comparison_gives_the_same_bytes(tmp_path: Path) -> None:
    one, other = (report(comparison(), tmp_path / name) for name in ("one", "other"))
    for path, again in zip(one, other, strict=True):
        assert path.read_bytes() == again.read_bytes()


def test_a_folder_that_cannot_be_created(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="a folder that can be made"):
        report(comparison(), tmp_path / "file")
