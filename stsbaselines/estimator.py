"""Estimators by the conventions of scikit-learn, without importing it.

``import sklearn.base`` took 0.8 s where we measured it, and 1.0 s with pandas; all else that the
command line needs to score a pair took 0.35 s. So `Estimator` does what scikit-learn's
``BaseEstimator`` does, and scikit-learn takes it for an estimator: `sklearn.base.clone`,
`GridSearchCV` and pipelines work.
"""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Iterable
from typing import Any, TypeVar

from stsbaselines.errors import InputError, suggestion

Self = TypeVar("Self", bound="Estimator")


class Estimator:
    """An object with parameters, which its `__init__` only stores under their names.

    What it learns is in attributes whose names end in ``_``; it is fitted if it has one.

    Examples
    --------
    >>> class Constant(Estimator):
    ...     def __init__(self, value=0.0, name=None):
    ...         self.value, self.name = value, name
    >>> Constant().set_params(value=1.5)
    Constant(value=1.5)
    >>> Constant("two").get_params()
    {'name': None, 'value': 'two'}
    """

    @classmethod
    def _defaults(cls) -> dict[str, Any]:
        """Return the parameters of `__init__` by name, sorted, with their defaults.

        Raises
        ------
        RuntimeError
            If it takes any number of arguments without names, as of scikit-learn's estimators.
        """
        if cls.__init__ is object.__init__:
            return {}
        _, *parameters = inspect.signature(cls.__init__).parameters.values()
        if any(each.kind is each.VAR_POSITIONAL for each in parameters):
            raise RuntimeError(
                f"{cls.__name__} must name its parameters in the signature of `__init__`."
            )
        named = {each.name: each for each in parameters if each.kind is not each.VAR_KEYWORD}
        return {name: named[name].default for name in sorted(named)}

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """Return the parameters.

        Parameters
        ----------
        deep : bool
            Whether to return the parameters of parameters that are estimators, too, as
            ``name__parameter``.

        Returns
        -------
        dict of str to any
        """
        found = {}
        for name in self._defaults():
            found[name] = value = getattr(self, name)
            if deep and hasattr(value, "get_params") and not isinstance(value, type):
                found.update({f"{name}__{key}": each for key, each in value.get_params().items()})
        return found

    def set_params(self: Self, **parameters: Any) -> Self:
        """Set parameters; those of an estimator that is a parameter as ``name__parameter``.

        Raises
        ------
        InputError
            If there is no such parameter.
        """
        known = self._defaults()
        nested: dict[str, dict[str, Any]] = defaultdict(dict)
        for key, value in parameters.items():
            name, separator, inner = key.partition("__")
            if name not in known:
                raise unknown_parameter(type(self).__name__, name, known)
            if separator:
                nested[name][inner] = value
            else:
                setattr(self, name, value)
        for name, inner_parameters in nested.items():
            getattr(self, name).set_params(**inner_parameters)
        return self

    def __repr__(self) -> str:
        defaults = self._defaults()
        changed = (
            f"{name}={value!r}"
            for name, value in self.get_params(deep=False).items()
            if repr(value) != repr(defaults[name])
        )
        return f"{type(self).__name__}({', '.join(changed)})"

    def __getstate__(self) -> dict[str, Any]:
        return vars(self).copy()

    def __sklearn_is_fitted__(self) -> bool:
        return any(map(is_learned, vars(self)))

    def __sklearn_tags__(self) -> Any:
        """Return what scikit-learn asks of an estimator since version 1.6."""
        from sklearn.utils import Tags, TargetTags  # slow to import, and only needed there

        return Tags(estimator_type=None, target_tags=TargetTags(required=False))


def is_learned(attribute: str) -> bool:
    """Tell whether the name of an attribute is one for what an estimator learns.

    Examples
    --------
    >>> is_learned("weights_"), is_learned("weights"), is_learned("__init__")
    (True, False, False)
    """
    return attribute.endswith("_") and not attribute.startswith("_")


def check_is_fitted(estimator: Estimator) -> None:
    """Refuse an estimator that was not fitted, as scikit-learn's function of that name does.

    Parameters
    ----------
    estimator : Estimator

    Raises
    ------
    sklearn.exceptions.NotFittedError
    """
    if not estimator.__sklearn_is_fitted__():
        from sklearn.exceptions import NotFittedError  # slow to import, and only needed here

        raise NotFittedError(
            f"This {type(estimator).__name__} instance is not fitted yet. Call 'fit' with"
            " appropriate arguments before using this estimator."
        )


def unknown_parameter(owner: str, name: str, known: Iterable[str]) -> InputError:
    """Return the error for a parameter that an estimator does not have.

    Examples
    --------
    >>> print(unknown_parameter("RandomScores", "hi", ["low", "high"]))
    RandomScores has no parameter 'hi', did you mean 'high'? It has: low, high.
    """
    names = list(known)
    hint = suggestion(name, names) or "."
    listed = ", ".join(names) or "none"
    return InputError(f"{owner} has no parameter {name!r}{hint} It has: {listed}.")
