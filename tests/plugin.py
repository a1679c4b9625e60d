"""Fixtures for all tests, and the examples of README.md and docs/, which run as tests."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from sybil import Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser

from stsbaselines.cli.main import app
from stsbaselines.data.find import ENVIRONMENT
from tests import examples
from tests.helpers import OFFICIAL_DATA, ROOT

# A test must not fail because the machine is busy.
settings.register_profile("stsbaselines", deadline=None)
settings.load_profile("stsbaselines")


@pytest.fixture
def official_data() -> Path:
    """Return the directory with the official data; skip the test if there is none.

    Continuous integration has the data, and fails if a test was skipped.
    """
    if OFFICIAL_DATA is None:
        pytest.skip(f"needs the official data; name its place by ${ENVIRONMENT}")
    return OFFICIAL_DATA


@pytest.fixture
def command_output(capsys: pytest.CaptureFixture[str]) -> Callable[..., str]:
    """Return a function that runs a command in this process, and returns what it prints."""

    def run(*arguments: str) -> str:
        app(arguments, standalone_mode=False)
        return capsys.readouterr().out

    return run


@pytest.fixture(autouse=True)
def _isolated(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Run each test in an empty directory with an empty cache and, unless official, no data."""
    if "official_data" not in request.fixturenames:
        monkeypatch.delenv(ENVIRONMENT, raising=False)
    elif OFFICIAL_DATA:
        monkeypatch.setenv(ENVIRONMENT, str(OFFICIAL_DATA))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "work").mkdir()
    monkeypatch.chdir(tmp_path / "work")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out tests that take minutes or need extras, unless ``-m`` asks for them."""
    markers = [each for each in ("slow", "extras") if each not in config.option.markexpr]
    left_out = [item for item in items if any(map(item.get_closest_marker, markers))]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes that are no text by their length.

    A gzip member holds the time, and all processes of a run must agree on the names of tests.
    """
    return f"{argname}-{len(val)}" if isinstance(val, bytes) and not val.isascii() else None


def _prepare(namespace: dict[str, Any]) -> None:
    namespace["temporary"] = tempfile.TemporaryDirectory()
    namespace["folder"] = namespace["temporary"].name
    namespace["no_data"] = OFFICIAL_DATA is None
    namespace["previous"] = Path.cwd()
    namespace["environment"] = os.environ.copy()
    if OFFICIAL_DATA:
        os.environ[ENVIRONMENT] = str(OFFICIAL_DATA)
    os.environ["XDG_CACHE_HOME"] = str(Path(namespace["folder"]) / "cache")
    os.chdir(namespace["folder"])


def _clean(namespace: dict[str, Any]) -> None:
    os.environ.clear()
    os.environ.update(namespace["environment"])
    os.chdir(namespace["previous"])
    namespace["temporary"].cleanup()


EXAMPLES = Sybil(
    parsers=[
        PythonCodeBlockParser(),
        CodeBlockParser(language="console", evaluator=examples.run_console),
        CodeBlockParser(language="sh", evaluator=examples.check_commands),
        CodeBlockParser(language="yaml", evaluator=examples.check_configuration),
        CodeBlockParser(language="json", evaluator=examples.check_json),
        SkipParser(),
    ],
    path=str(ROOT),
    patterns=["*.md"],
    setup=_prepare,
    teardown=_clean,
)
pytest_collect_file = EXAMPLES.pytest()
