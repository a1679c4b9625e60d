"""Baselines from outside the package: by ``module:Class``, or as entry points of a package."""

from __future__ import annotations

import importlib
import os
import sys
from importlib.metadata import EntryPoint
from pathlib import Path
from types import ModuleType
from typing import Any

from stsbaselines.errors import Fault, InputError, shown, suggestion
from stsbaselines.parallel import current_folder_on_path
from stsbaselines.predictor import Predictor, user_code


def class_named(path: str) -> type[Predictor]:
    """Return the baseline ``module:Class``."""
    return _checked(path, import_object(path))


def class_of(entry_point: EntryPoint) -> type[Predictor]:
    """Return the baseline that is an entry point of an installed package."""
    with user_code(f"the entry point {entry_point.name}"):
        found = entry_point.load()
    return _checked(entry_point.value, found)


def saved_class(path: str, folder: str | Path) -> type[Predictor]:
    """Return the class of a saved baseline.

    The current folder is searched only if Python does, because the folder may be a stranger's.
    """
    try:
        return _checked(path, object_at(path))
    except InputError as error:
        raise InputError(
            f"{folder} holds a saved {path}, which Python cannot import; add the folder of its"
            f" module to PYTHONPATH, or call `load` of the class: {error}"
        ) from error


def _checked(path: str, found: Any) -> type[Predictor]:
    if not (isinstance(found, type) and issubclass(found, Predictor) and hasattr(found, "name")):
        expected = "a class that derives from Predictor, with a `name`"
        raise InputError([Fault(path, shown(repr(found)), expected)])
    return found


def import_object(name: str) -> Any:
    """Import ``module:object`` from the current folder or an installed package."""
    with current_folder_on_path():
        return object_at(name)


def object_at(name: str) -> Any:
    """Import ``module:object``, as Python finds it."""
    module, colon, attributes = name.partition(":")
    if not (module and colon and attributes) or module.startswith("."):
        raise InputError([Fault("a system by code", repr(name), "MODULE:OBJECT")])
    if module.endswith(".py"):
        meant = name.replace(".py:", ":", 1)
        raise InputError([Fault("a system by code", repr(name), f"a module's name, as in {meant}")])
    found = _import(module)
    parent = f"the module {module} ({getattr(found, '__file__', None) or 'built in'})"
    for attribute in attributes.split("."):
        if not hasattr(found, attribute):
            hint = suggestion(attribute, dir(found)) or "."
            raise InputError(f"{parent} has no {attribute!r}{hint}")
        found = getattr(found, attribute)
        parent = f"{attribute!r} of {module}"
    return found


def _import(module: str) -> ModuleType:
    try:
        with user_code(module):
            return importlib.import_module(module)
    except InputError as error:
        cause = error.__cause__
        if isinstance(cause, ModuleNotFoundError) and f"{module}.".startswith(f"{cause.name}."):
            folder = os.getcwd()
            places = f"neither in the current folder ({folder}) nor " if folder in sys.path else ""
            raise InputError(
                f"there is no module {module!r}, {places or 'which must be '}installed: {cause}."
            ) from None
        raise
