"""Reading the weights of the organisers' PIT-2015 classifier without executing anything.

The organisers released the pickle of an NLTK `MaxentClassifier`. Unpickling can run any
code, so every class and function that the pickle names is replaced by an inert stub. A plain table
of the weights (TSV) is read too.
"""

from __future__ import annotations

import io
import math
import pickle  # nosec B403  # used with stubs only
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.io.files import read_whole

TABLE_HEADER = ("index", "feature", "value", "label", "weight_base2")
ALWAYS_ON = "*always-on*"
_PYTHON_UNPICKLER: Any = pickle._Unpickler  # the C one allocates what a damaged file claims
LogOdds = tuple[npt.NDArray[np.int_], npt.NDArray[np.float64], npt.NDArray[np.float64], float]


class Weight(NamedTuple):
    number: int
    feature: str
    value: float
    label: str
    base2: float


def read_weights(path: Path, feature_names: Sequence[str]) -> LogOdds:
    """Return number of the feature, value and log-odds of each weight, and the intercept."""
    content = read_whole(path)
    is_table = content.startswith(b"index\t")
    weights = _from_table(path, content) if is_table else _from_pickle(path, content)
    problem = _problem(weights, {*feature_names, ALWAYS_ON})
    if problem:
        raise InputError([Fault(str(path), problem, "all weights of the n-gram features")])
    odds: dict[tuple[str, float], float] = {}
    for weight in weights:
        key = weight.feature, weight.value
        signed = weight.base2 if weight.label == "true" else -weight.base2
        odds[key] = odds.get(key, 0.0) + math.log(2) * signed
    intercept = odds.pop((ALWAYS_ON, 1.0))
    numbers = np.array([feature_names.index(name) for name, _ in odds], dtype=int)
    return numbers, np.array([value for _, value in odds]), np.array([*odds.values()]), intercept


def _problem(weights: Sequence[Weight], known: set[str]) -> str:
    """Return what is wrong with the weights as a whole, or ""."""
    unknown = sorted({weight.feature for weight in weights} - known)
    if unknown:
        return f"the feature {shown(unknown[0])}"
    if sorted(weight.number for weight in weights) != list(range(len(weights))):
        return f"indices that are not 0 to {len(weights) - 1}, each once"
    if len({weight[1:4] for weight in weights}) < len(weights):
        return "two weights for the same feature, value and label"
    if not all(math.isfinite(number) for weight in weights for number in weight[2::2]):
        return "a value or weight that is not finite"
    always_on = sorted(weight[2:4] for weight in weights if weight.feature == ALWAYS_ON)
    if always_on != [(1.0, "false"), (1.0, "true")]:
        return f"no {ALWAYS_ON} weight of 1.0 for each label"
    return ""


def _weight(number: Any, feature: Any, value: Any, label: Any, base2: Any) -> Weight:
    if label not in ("true", "false"):
        raise ValueError("a label that is neither true nor false")
    if not isinstance(feature, str):
        raise ValueError("a feature that has no name")
    return Weight(int(number), feature, float(value), label, float(base2))


def _from_table(path: Path, content: bytes) -> list[Weight]:
    header, *lines = content.decode("utf-8", "replace").split("\n")
    expected = " TAB ".join(TABLE_HEADER)
    faults: list[Fault | str] = []
    if header != "\t".join(TABLE_HEADER):
        faults.append(Fault(str(path), shown(header), expected, 1))
    if not lines or lines.pop():
        faults.append(Fault(str(path), "no newline at its end", "a whole file"))
    weights = []
    for number, line in enumerate(lines, 2):
        try:
            weights.append(_weight(*line.split("\t")))
        except (TypeError, ValueError):
            faults.append(Fault(str(path), shown(line), expected, number))
    if faults:
        raise InputError(faults)
    return weights


class _Stub:
    """Stands for an object of a pickle: keeps its arguments and its state, and does nothing."""

    arguments: tuple[Any, ...]
    state: Any

    def __new__(cls, *arguments: Any) -> _Stub:
        stub = super().__new__(cls)
        stub.arguments, stub.state = arguments, None
        return stub

    def __setstate__(self, state: Any) -> None:
        self.state = state


def _reconstructed(kind: Any, *_: Any) -> Any:
    """Return an object of a stub, as `copyreg._reconstructor` does in old pickles."""
    return kind()


class _StubUnpickler(_PYTHON_UNPICKLER):  # type: ignore[misc]
    """An unpickler that knows no class and no function."""

    def find_class(self, module: str, name: str) -> Any:
        if name == "_reconstructor":
            return _reconstructed
        return type(name, (_Stub,), {"__module__": module})


def _from_pickle(path: Path, content: bytes) -> list[Weight]:
    try:
        classifier = _StubUnpickler(io.BytesIO(content), encoding="latin-1").load()  # nosec B301
        return _from_classifier(classifier)
    except Exception as error:  # damaged pickles raise errors of many kinds
        found = f"other content ({str(error) or type(error).__name__})"
        expected = "a table of weights, or the MaxentClassifier that the organisers released"
        raise InputError([Fault(str(path), shown(found, 100), expected)]) from None


def _from_classifier(classifier: Any) -> list[Weight]:
    if type(classifier).__name__ != "MaxentClassifier":
        raise ValueError("another object")
    if classifier.state["_logarithmic"] is not True:
        raise ValueError("a classifier whose weights are not logarithmic")
    encoding = classifier.state["_encoding"].state
    values = _numbers(classifier.state["_weights"])
    named = [(*key, index) for key, index in encoding["_mapping"].items()]
    named += [(ALWAYS_ON, 1.0, label, index) for label, index in encoding["_alwayson"].items()]
    if sorted(index for *_, index in named) != list(range(len(values))):
        raise ValueError(f"{len(values)} weights for {len(named)} features")
    return [
        _weight(index, feature, value, label, values[index])
        for feature, value, label, index in named
    ]


def _numbers(array: _Stub) -> list[float]:
    """Return the numbers of a pickled NumPy vector of 8-byte floats."""
    _, _, dtype, _, raw = array.state
    if dtype.arguments[0] != "f8":
        raise ValueError("not a vector of 8-byte floats")
    if isinstance(raw, _Stub):  # bytes of Python 3 in an old protocol
        raw = raw.arguments[0]
    data = raw.encode("latin-1") if isinstance(raw, str) else raw
    values: list[float] = np.frombuffer(data, dtype=f"{dtype.state[1]}f8").tolist()
    return values
