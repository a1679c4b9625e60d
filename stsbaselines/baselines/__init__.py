"""One module per baseline, and the registry that finds them by name.

A baseline is a module of this package with one class that derives from `Predictor` and whose `name`
is the module's name with dashes: nothing else registers it.
"""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stsbaselines.errors import unknown

if TYPE_CHECKING:  # slow to import, and `predict token-cosine` does without it
    from stsbaselines.predictor import Predictor


def names() -> list[str]:
    """Return the names of all baselines.

    Examples
    --------
    >>> "token-cosine" in names()
    True
    """
    modules = pkgutil.iter_modules(__path__)
    found = [module.name for module in modules if not module.name.startswith("_")]
    return sorted(name.replace("_", "-") for name in found)


def find(name: str) -> type[Predictor]:
    """Return the class of the baseline `name`.

    Raises
    ------
    InputError
        If there is none of that name.

    Examples
    --------
    >>> find("token-cosine").__name__
    'TokenCosine'
    """
    from stsbaselines.predictor import Predictor

    if name not in names():
        raise unknown("baseline", name, names())
    module = importlib.import_module(f"stsbaselines.baselines.{name.replace('-', '_')}")
    for value in vars(module).values():
        is_predictor = isinstance(value, type) and issubclass(value, Predictor)
        if is_predictor and getattr(value, "name", None) == name:
            return value  # type: ignore[no-any-return]
    raise TypeError(f"{module.__name__} defines no Predictor named {name!r}")


def create(name: str, /, **parameters: Any) -> Predictor:
    """Return the baseline `name` with these parameters.

    Parameters
    ----------
    name : str
        See `names`.
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

    Parameters
    ----------
    directory : path

    Raises
    ------
    InputError
        If the folder does not hold a saved baseline.
    """
    from stsbaselines.predictor import saved_name

    return find(saved_name(directory)).load(directory)
