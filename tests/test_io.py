"""Files are written whole or not at all; imports run downwards only."""

from __future__ import annotations

import ast
import os
import stat
from pathlib import Path

import pytest

import stsbaselines
from stsbaselines.errors import InputError
from stsbaselines.io import atomic_write, write_text

PACKAGE = Path(stsbaselines.__file__).parent
LAYERS = [
    {"errors"},
    {"files", "writing", "estimator", "parallel"},
    {"yamlmodel", "scoring", "text", "journal"},
    {"data", "reference"},
    {"tasks"},
    {"predictor"},
    {"baselines", "models", "formats"},
    {"config", "submission", "systems", "streaming", "exports", "importing"},
    {"training"},
    {"cells", "preparation"},
    {"experiment"},
    {"comparison", "comparison_report", "explanation", "plots", "report", "show"},
    {"standing"},
    {"console"},
    {"cli", "cli_data", "cli_train"},
]


def test_a_failing_writer_leaves_the_old_file(tmp_path: Path) -> None:
    path = tmp_path / "scores.txt"
    path.write_text("old")

    def fail() -> None:
        with atomic_write(path) as stream:
            stream.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert path.read_text() == "old"
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["scores.txt"]
    write_text(path, "new")
    assert path.read_text() == "new"


def test_a_written_file_has_usual_permissions_and_links_stay(tmp_path: Path) -> None:
    link = tmp_path / "link.txt"
    link.symlink_to("target.txt")
    old = os.umask(0o022)
    try:
        write_text(link, "text")
    finally:
        os.umask(old)
    assert link.is_symlink()
    assert stat.S_IMODE((tmp_path / "target.txt").stat().st_mode) == 0o644


def test_an_existing_file_keeps_its_permissions(tmp_path: Path) -> None:
    path = tmp_path / "secret.txt"
    path.touch(mode=0o600)
    write_text(path, "text")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_full_disk_is_reported() -> None:
    with (
        pytest.raises(InputError, match="/dev/full: found No space left"),
        atomic_write(Path("/dev/full")) as stream,
    ):
        stream.write(b"x" * 100_000)


def test_an_error_of_the_caller_is_not_taken_for_one_of_the_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError), atomic_write(tmp_path / "out.txt"):
        (tmp_path / "missing.bin").read_bytes()


def imported(path: Path) -> set[str]:
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom) and node.module == "stsbaselines":
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("stsbaselines."):
            names.add(str(node.module).split(".")[1])
    return names - {"__version__"}


def test_imports_run_downwards_only() -> None:
    level = {name: height for height, layer in enumerate(LAYERS) for name in layer}
    for path in PACKAGE.rglob("*.py"):
        name = path.relative_to(PACKAGE).with_suffix("").parts[0]
        if name in ("__init__", "__main__"):
            continue
        assert name in level, f"{path} is in no layer"
        for other in imported(path):
            assert level[other] <= level[name], f"{path} imports {other}"
