"""The layout of the package: imports run downwards only, never in a circle; modules stay short."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import stsbaselines

PACKAGE = Path(stsbaselines.__file__).parent
MOST_LINES = 450
# Folders and modules of the package, lowest floor first; those of one floor are independent.
FLOORS = [
    {"scoring", "errors", "version"},
    {"io", "parallel"},
    {"text"},
    {"data", "reference", "predictor"},
    {"tasks"},
    {"baselines"},
    {"evaluation"},
    {"experiments"},
    {"reports"},
    {"__init__"},
    {"cli"},
    {"__main__"},
]


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)


def room_of(module: str) -> str:
    return module.split(".")[1]


FILES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}
FLOOR_OF = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}


def names_imported(path: Path) -> Iterator[str]:
    """Yield what a module imports anywhere, also in functions and for type checking."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert not node.level, f"{path} has a relative import"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def module_of(name: str) -> str | None:
    """Return the module of the package that an imported name is, or is in."""
    while name:
        for module in (name, f"{name}.__init__"):
            if module in FILES:
                return module
        name = name.rpartition(".")[0]
    return None


IMPORTS = {
    module: {found for name in names_imported(path) if (found := module_of(name))}
    for module, path in FILES.items()
}


def test_every_module_has_a_floor() -> None:
    assert {room_of(module) for module in FILES} == FLOOR_OF.keys()


def test_imports_run_downwards() -> None:
    wrong = [
        f"{module} imports {other}"
        for module, others in IMPORTS.items()
        for other in others
        if room_of(module) != room_of(other)
        and FLOOR_OF.get(room_of(module), 0) <= FLOOR_OF.get(room_of(other), 0)
    ]
    assert wrong == []


def test_modules_do_not_import_the_init_of_their_room() -> None:
    wrong = [
        module
        for module, others in IMPORTS.items()
        if f"stsbaselines.{room_of(module)}.__init__" in others - {module}
    ]
    assert wrong == []


def test_no_imports_in_a_circle() -> None:
    try:
        TopologicalSorter(IMPORTS).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_modules_are_not_too_long() -> None:
    lines = {module: path.read_bytes().count(b"\n") for module, path in FILES.items()}
    assert {module: count for module, count in lines.items() if count > MOST_LINES} == {}
