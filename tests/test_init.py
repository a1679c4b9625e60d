"""The public names of the package."""

from __future__ import annotations

import subprocess
import sys

import pytest

import stsbaselines


def test_all_public_names_are_listed_and_found() -> None:
    assert sorted(dir(stsbaselines)) == sorted(stsbaselines.__all__)
    for name in stsbaselines.__all__:
        assert getattr(stsbaselines, name) is not None
    assert stsbaselines.create("random").name == "random"


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'crate'"):
        stsbaselines.crate  # noqa: B018


def test_public_names_are_loaded_when_they_are_used() -> None:
    code = "import sys, stsbaselines; stsbaselines.InputError; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if name.startswith("stsbaselines")}
    assert loaded == {"stsbaselines", "stsbaselines.errors", "stsbaselines.version"}
