"""Reading the weights of the organisers' PIT-2015 classifier without executing anything.

The organisers released the pickle of an NLTK `MaxentClassifier`. Unpickling can run any
code, so the reader here keeps what a pickle says as plain data: a call is noted and not
made, a mapping is a list of its items. A plain table of the weights (TSV) is read as well.
"""

from __future__ import annotations

import io
import math
import pickle  # nosec B403  # its parser alone: all that would run code is replaced
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.io import open_to_read

TABLE_HEADER = ("index", "feature", "value", "label", "weight_base2")
ALWAYS_ON = "*always-on*"
LARGEST_FILE = 16 << 20
LARGEST = 1e100
_PYTHON_UNPICKLER: Any = pickle._Unpickler
LogOdds = tuple[npt.NDArray[np.int_], npt.NDArray[np.float64], npt.NDArray[np.float64], float]


class Weight(NamedTuple):
    """A weight of the classifier: for a label, if a feature has a value."""

    number: int
    feature: str
    value: float
    label: str
    base2: float


def read_weights(path: Path, feature_names: Sequence[str]) -> LogOdds:
    """Read the official weights, from the table of them or from the released pickle.

    Parameters
    ----------
    path : Path
    feature_names : sequence of str

    Returns
    -------
    feature, value, weight : ndarray of shape (n_weights,)
        Number of the feature, its value, and the natural logarithm of the odds.
    intercept : float

    Raises
    ------
    InputError
        If the file is neither, or not complete.
    """
    with open_to_read(path) as stream:
        content = stream.read(LARGEST_FILE + 1)
    if len(content) > LARGEST_FILE:
        raise InputError([Fault(str(path), "over 16 MiB", "the weights of a classifier")])
    is_table = content.startswith(b"index\t")
    weights = _of_table(path, content) if is_table else _of_pickle(path, content)
    problem = _problem(weights, {*feature_names, ALWAYS_ON})
    if problem:
        raise InputError([Fault(str(path), problem, "all weights of the n-gram features")])
    return _log_odds(weights, feature_names)


def _problem(weights: Sequence[Weight], known: set[str]) -> str:
    """Return what is wrong with the weights as a whole, or ""."""
    unknown = sorted({weight.feature for weight in weights} - known)
    if unknown:
        return f"the feature {shown(unknown[0])}"
    if sorted(weight.number for weight in weights) != list(range(len(weights))):
        return f"indices that are not 0 to {len(weights) - 1}, each once"
    if len({weight[1:4] for weight in weights}) < len(weights):
        return "two weights for the same feature, value and label"
    if not all(abs(number) < LARGEST for weight in weights for number in weight[2::2]):
        return "a value or weight that is not finite, or beyond all bounds"
    always_on = sorted(weight[2:4] for weight in weights if weight.feature == ALWAYS_ON)
    if always_on != [(1.0, "false"), (1.0, "true")]:
        return f"no {ALWAYS_ON} weight of 1.0 for each label"
    return ""


def _log_odds(weights: Sequence[Weight], feature_names: Sequence[str]) -> LogOdds:
    odds: dict[tuple[str, float], float] = {}
    for weight in weights:
        key = weight.feature, weight.value
        signed = weight.base2 if weight.label == "true" else -weight.base2
        odds[key] = odds.get(key, 0.0) + math.log(2) * signed
    intercept = odds.pop((ALWAYS_ON, 1.0))
    numbers = np.array([feature_names.index(name) for name, _ in odds], dtype=int)
    return numbers, np.array([value for _, value in odds]), np.array([*odds.values()]), intercept


def _label(text: object) -> str:
    if text not in ("true", "false"):
        raise ValueError("a label that is neither true nor false")
    return str(text)


def _of_table(path: Path, content: bytes) -> list[Weight]:
    header, *lines = content.decode("utf-8", "replace").split("\n")
    faults: list[Fault | str] = []
    if header != "\t".join(TABLE_HEADER):
        faults.append(Fault(str(path), shown(header), " TAB ".join(TABLE_HEADER), 1))
    if lines.pop() if lines else True:
        faults.append(Fault(str(path), "no newline at its end", "a whole file"))
    weights = []
    for number, line in enumerate(lines, 2):
        try:
            if "_" in line or "\r" in line:  # which Python's own numbers may have
                raise ValueError(line)
            index, feature, value, label, base2 = line.split("\t")
            weights.append(Weight(int(index), feature, float(value), _label(label), float(base2)))
        except ValueError:
            faults.append(Fault(str(path), shown(line), " TAB ".join(TABLE_HEADER), number))
    if faults:
        raise InputError(faults)
    return weights


@dataclass
class _Object:
    """What a pickle says of an object: what to call on what, and its state."""

    kind: tuple[str, str]
    arguments: tuple[Any, ...] = ()
    state: Any = None


class _Items(list[tuple[Any, Any]]):
    """The items of a mapping, in the order of the pickle."""

    def __setitem__(self, key: Any, value: Any) -> None:
        self.append((key, value))

    def named(self, name: str) -> Any:
        return next(value for key, value in self if key == name)


def _called(kind: Any, arguments: Any) -> _Object:
    name = kind.kind if isinstance(kind, _Object) else None
    if name is None or not isinstance(arguments, tuple):
        raise pickle.UnpicklingError("a call of what is no name")
    if name[1] in ("_reconstructor", "__newobj__") and arguments:
        return _called(arguments[0], arguments[1:])
    return _Object(name, arguments)


class _PlainUnpickler(_PYTHON_UNPICKLER):  # type: ignore[misc]
    """Python's unpickler, without calls, classes, hashing, and all that is not needed."""

    def find_class(self, module: str, name: str) -> _Object:
        return _Object((module, name))

    def load_reduce(self) -> None:
        arguments = self.stack.pop()
        self.stack[-1] = _called(self.stack[-1], arguments)

    def load_obj(self) -> None:
        kind, *arguments = self.pop_mark()
        self.append(_called(kind, tuple(arguments)))

    def load_inst(self) -> None:
        module, name = (self.readline()[:-1].decode("ascii") for _ in range(2))
        self.append(_called(self.find_class(module, name), tuple(self.pop_mark())))

    def load_build(self) -> None:
        state = self.stack.pop()
        if not isinstance(self.stack[-1], _Object):
            raise pickle.UnpicklingError("a state of what is no object")
        self.stack[-1].state = state

    def load_empty_dictionary(self) -> None:
        self.append(_Items())

    def load_dict(self) -> None:
        items = self.pop_mark()
        self.append(_Items(zip(items[::2], items[1::2], strict=True)))

    dispatch = {
        code: load
        for code, load in _PYTHON_UNPICKLER.dispatch.items()
        if bytes([code])
        not in (
            pickle.PERSID
            + pickle.BINPERSID
            + pickle.EXT1
            + pickle.EXT2
            + pickle.EXT4
            + pickle.EMPTY_SET
            + pickle.ADDITEMS
            + pickle.FROZENSET
            + pickle.NEWOBJ_EX
            + pickle.BYTEARRAY8
            + pickle.NEXT_BUFFER
            + pickle.READONLY_BUFFER
        )
    } | {
        pickle.REDUCE[0]: load_reduce,
        pickle.NEWOBJ[0]: load_reduce,
        pickle.OBJ[0]: load_obj,
        pickle.INST[0]: load_inst,
        pickle.BUILD[0]: load_build,
        pickle.EMPTY_DICT[0]: load_empty_dictionary,
        pickle.DICT[0]: load_dict,
    }


_DAMAGED = (
    pickle.UnpicklingError,
    ValueError,
    LookupError,
    AttributeError,
    TypeError,
    EOFError,
    StopIteration,
    MemoryError,
    OverflowError,
    RecursionError,
    struct.error,
)


def _of_pickle(path: Path, content: bytes) -> list[Weight]:
    expected = "a table of weights, or the pickled MaxentClassifier that the organisers released"
    try:
        classifier = _PlainUnpickler(io.BytesIO(content), encoding="latin-1").load()
        if classifier.kind != ("nltk.classify.maxent", "MaxentClassifier"):
            raise ValueError("another object")
        return _of_classifier(classifier)
    except _DAMAGED as error:
        found = f"other content ({str(error) or type(error).__name__})"
        raise InputError([Fault(str(path), shown(found, 100), expected)]) from None


def _of_classifier(classifier: _Object) -> list[Weight]:
    encoding = classifier.state.named("_encoding").state
    if classifier.state.named("_logarithmic") is not True:
        raise ValueError("a classifier whose weights are not logarithmic")
    values = _floats(classifier.state.named("_weights"))
    named = [(*key, index) for key, index in encoding.named("_mapping")]
    named += [(ALWAYS_ON, 1.0, label, index) for label, index in encoding.named("_alwayson")]
    if len(named) != len(values):
        raise ValueError(f"{len(values)} weights for {len(named)} features")
    return [
        Weight(_natural(index), _name(feature), float(value), _label(label), values[index])
        for feature, value, label, index in named
    ]


def _natural(index: object) -> int:
    if type(index) is not int or index < 0:
        raise ValueError("an index that is no natural number")
    return index


def _name(feature: object) -> str:
    if not isinstance(feature, str):
        raise ValueError("a feature that has no name")
    return feature


def _floats(array: _Object) -> list[float]:
    """Return the numbers of a pickled NumPy vector of 8-byte floats."""
    _, shape, dtype, _, raw = array.state
    if dtype.arguments[0] != "f8" or len(shape) != 1:
        raise ValueError("no vector of 8-byte floats")
    if isinstance(raw, _Object):  # bytes of Python 3 in an old protocol
        raw = raw.arguments[0]
    data = raw.encode("latin-1") if isinstance(raw, str) else raw
    values = np.frombuffer(data, dtype=">f8" if dtype.state[1] == ">" else "<f8")
    if len(values) != shape[0]:
        raise ValueError("a vector of another length")
    return [float(value) for value in values]
