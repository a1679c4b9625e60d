"""One module per baseline, and the registry that finds them by name.

A baseline is a module of this package with one class that derives from `Predictor` and whose `name`
is the module's name with dashes: nothing else registers it. Classes outside the package are named
``module:Class``, or registered by the entry points of their packages.
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stsbaselines.errors import unknown

if TYPE_CHECKING:  # slow to import, and `predict token-cosine` does without it
    from importlib.metadata import EntryPoint

    from stsbaselines.predictor import Predictor


GROUP = "stsbaselines.baselines"  # of entry points


def names() -> list[str]:
    """Return the names of all baselines: of this package, and of entry points of others.

    Examples
    --------
    >>> "token-cosine" in names()
    True
    """
    return sorted({*_own_names(), *_entry_points()})


def _entry_points() -> dict[str, EntryPoint]:
    from importlib.metadata import entry_points  # slow to import

    return {each.name: each for each in entry_points(group=GROUP)}


def _own_names() -> list[str]:
    modules = pkgutil.iter_modules(__path__)
    found = [module.name for module in modules if not module.name.startswith("_")]
    return [name.replace("_", "-") for name in found]


def find(name: str) -> type[Predictor]:
    """Return the class of the baseline `name`.

    Parameters
    ----------
    name : str
        One of `names`, or ``module:Class`` in the current folder or an installed package.

    Raises
    ------
    InputError
        If there is none of that name, or it does not derive from `Predictor`.

    Examples
    --------
    >>> find("token-cosine").__name__
    'TokenCosine'
    """
    from stsbaselines.predictor import Predictor

    if name not in _own_names():
        return _outside_class(name)
    module = importlib.import_module(f"stsbaselines.baselines.{name.replace('-', '_')}")
    for value in vars(module).values():
        is_predictor = isinstance(value, type) and issubclass(value, Predictor)
        if is_predictor and getattr(value, "name", None) == name:
            return value  # type: ignore[no-any-return]
    raise TypeError(f"{module.__name__} defines no Predictor named {name!r}")


def _outside_class(name: str) -> type[Predictor]:
    from stsbaselines.baselines import _outside

    if ":" in name:
        return _outside.class_named(name)
    found = _entry_points().get(name)
    if found is None:
        raise unknown("baseline", name, names())
    return _outside.class_of(found)


def create(name: str, /, **parameters: Any) -> Predictor:
    """Return the baseline `name` with these parameters.

    Parameters
    ----------
    name : str
        See `find`.
    **parameters
        Passed to its class.

    Raises
    ------
    InputError
        If there is no such baseline or parameter.

    Examples
    --------
    >>> create("random", random_state=7)
    RandomScores(random_state=7)
    """
    from stsbaselines.predictor import with_parameters

    return with_parameters(find(name), parameters)


def load(directory: str | Path) -> Predictor:
    """Read what the `Predictor.save` of a baseline wrote.

    The class of a baseline outside this package must be one that Python can import.

    Parameters
    ----------
    directory : path
        A folder that `Predictor.save` wrote.

    Raises
    ------
    InputError
        If the folder does not hold a saved baseline, or its class cannot be imported.
    """
    from stsbaselines.predictor import saved_name

    name = saved_name(directory)
    if ":" not in name:
        return find(name).load(directory)
    from stsbaselines.baselines._outside import saved_class

    return saved_class(name, directory).load(directory)
