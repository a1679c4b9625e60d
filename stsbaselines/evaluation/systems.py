"""Systems given as code or vectors: predictors, functions and encoders, and how to name them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from stsbaselines.baselines import create, load, names
from stsbaselines.baselines._outside import import_object
from stsbaselines.errors import Fault, InputError, shown, unknown
from stsbaselines.evaluation.submission import run_name
from stsbaselines.io.files import to_displayable
from stsbaselines.predictor import Predictor, check_pairs, read_arrays, user_code
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.tasks.base import checked_scores, finite_numbers, first_wrong

SIDES = ("left", "right")


class EncoderCosine(Predictor):
    """Cosine of the vectors of an encoder; 0 if a vector is all zeros.

    Each distinct sentence of a chunk is encoded once, in one call. Bytes of a file that are
    not UTF-8 are read as Latin-1, because tokenizers need valid text.
    """

    name: ClassVar[str] = "encoder-cosine"

    def __init__(self, encoder: Any) -> None:
        self.encoder = encoder

    def predict(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Return the cosine of each pair, as an array of shape (n_pairs,)."""
        lefts, rights = _sides(pairs)
        rows = {text: row for row, text in enumerate(dict.fromkeys([*lefts, *rights]))}
        if not rows:
            return np.zeros(0)
        source = f"{type(self.encoder).__name__}.encode"
        with user_code(source):
            encoded = self.encoder.encode([*rows])
        vectors = _matrix(encoded, [*rows], source)
        left, right = (vectors[[rows[text] for text in side]] for side in (lefts, rights))
        return _cosines(left, right)


class PairFunction(Predictor):
    """A function of two lists of sentences that returns one score per pair.

    Bytes of a file that are not UTF-8 are read as Latin-1, as in `EncoderCosine`.
    """

    name: ClassVar[str] = "pair-function"

    def __init__(self, function: Any) -> None:
        self.function = function

    def predict(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Return the score of each pair, as an array of shape (n_pairs,)."""
        lefts, rights = _sides(pairs)
        if not lefts:
            return np.zeros(0)
        source = getattr(self.function, "__name__", type(self.function).__name__)
        with user_code(source):
            found = self.function(lefts, rights)
        scores = checked_scores(found, pairs=pairs, source=source)
        if len(scores) != len(pairs):
            expected = f"an array of shape ({len(pairs)},): one finite number per pair"
            raise InputError([Fault(source, f"an array of shape {scores.shape}", expected)])
        return scores


@dataclass(frozen=True)
class Vectors:
    """Precomputed vectors as a system: their cosines are its scores.

    The folder contains a file ``NAME.npz`` for each data set, with the arrays ``left`` and
    ``right`` of shape (n_pairs, d).
    """

    folder: Path

    def cosines(self, name: str, pairs: int) -> FloatArray:
        """Return the cosine of each pair of a data set."""
        path = self.folder / f"{name}.npz"
        arrays = read_arrays(path)
        if not arrays.keys() >= {*SIDES}:
            found = f"arrays named {', '.join(arrays) or 'nothing'}"
            raise InputError([Fault(str(path), found, "arrays named left and right")])
        left, right = (_matrix(arrays[side], pairs, f"{path}, {side}") for side in SIDES)
        if left.shape != right.shape:
            found = f"left of shape {left.shape} and right of shape {right.shape}"
            raise InputError([Fault(str(path), found, "the same shape")])
        return _cosines(left, right)


def as_predictor(system: Any) -> Predictor:
    """Return the user's system as a Predictor.

    Parameters
    ----------
    system : Predictor, object with `encode`, or callable
        A Predictor is returned as it is. A sentence embedder has
        ``encode(list of str) -> array of shape (n, d)``. Another callable takes two lists of
        sentences and returns one score per pair. A class is called without arguments first.

    Returns
    -------
    Predictor

    Raises
    ------
    InputError
        If it is none of these.

    Examples
    --------
    >>> as_predictor(lambda lefts, rights: [len(left) for left in lefts]).predict([("a", "b")])
    array([1.])
    """
    if isinstance(system, type):
        try:
            system = system()
        except TypeError as error:
            raise InputError(
                f"{system.__name__} cannot be called without arguments ({error}): pass an object"
                " of that class."
            ) from None
    if isinstance(system, Predictor):
        return system
    if callable(getattr(system, "encode", None)) and not isinstance(system, str):
        return EncoderCosine(system)
    if callable(system):
        return PairFunction(system)
    expected = "a Predictor, an object with encode, or a function of two lists of sentences"
    raise InputError([Fault("the system", shown(repr(system)), expected)])


def from_arguments(
    paths: Sequence[str],
    predictor_names: Sequence[str],
    encoder_names: Sequence[str],
    folders: Sequence[str],
) -> dict[str, Any]:
    """Return the systems that arguments of the command line name, each perhaps as ``NAME=...``.

    `paths` are output files or folders of them, `predictor_names` as for `predictor_named`,
    `encoder_names` as ``module:object``, and `folders` as for `Vectors`.
    """
    systems: dict[str, Any] = {}
    kinds: list[tuple[Sequence[str], Callable[[str], Any], Callable[[str], str]]] = [
        (paths, Path, run_name),
        (predictor_names, predictor_named, _name_of_code),
        (encoder_names, _encoder_named, str),
        (folders, lambda text: Vectors(Path(text)), run_name),
    ]
    for arguments, make, default_name in kinds:
        for argument in arguments:
            name, text = _labelled(argument)
            if not text:
                raise InputError("the name of a system is empty.")
            name = name or default_name(text)
            if name in systems:
                raise InputError(
                    f"two systems are called {name!r}: pass NAME={text} to rename one."
                )
            try:
                systems[name] = make(text)
            except InputError as error:
                raise InputError([f"{argument}: {fault}" for fault in error.faults]) from error
    return systems


def _labelled(argument: str) -> tuple[str, str]:
    """Split NAME=ARGUMENT, unless the whole argument is an existing path."""
    name, equals, text = argument.partition("=")
    if not (name and equals and text) or Path(argument).exists():
        return "", argument
    return name, text


def _name_of_code(text: str) -> str:
    return text if ":" in text or text in names() else run_name(text)


def predictor_named(text: str) -> Predictor:
    """Return the predictor that a text names: a baseline, a saved folder or ``module:object``.

    A random baseline has seed 0, and one that must be trained becomes its default model later.
    """
    if text in names():
        system = create(text)
        if system.__sklearn_is_fitted__() and "random_state" in system.get_params():
            system.set_params(random_state=np.random.RandomState(0))
        return system
    if Path(text).is_dir():
        return load(text)
    if ":" in text:
        return as_predictor(import_object(text))
    raise unknown("baseline, saved folder or MODULE:OBJECT", text, names())


def _encoder_named(text: str) -> Predictor:
    predictor = as_predictor(import_object(text))
    if not isinstance(predictor, EncoderCosine):
        raise InputError([Fault(text, type(predictor).__name__, "an object with encode")])
    return predictor


def _sides(pairs: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    check_pairs(pairs)
    lefts = [to_displayable(left) for left, _ in pairs]
    return lefts, [to_displayable(right) for _, right in pairs]


def _matrix(values: Any, sentences: Sequence[str] | int, source: str) -> FloatArray:
    """Return a vector for each sentence, or for so many; in errors they come from `source`."""
    rows = sentences if isinstance(sentences, int) else len(sentences)
    expected = f"an array of shape ({rows}, d): a vector of finite numbers for each sentence"
    vectors = finite_numbers(values)
    if vectors is None:
        found = f"{type(values).__name__} that is not an array of numbers"
        for index, row in enumerate(values if isinstance(values, Iterable) else ()):
            if finite_numbers(row) is None:
                text = "" if isinstance(sentences, int) else f" of {shown(sentences[index])}"
                odd = first_wrong(row, ()) or (0, shown(repr(row))[1:-1])
                found = f"{odd[1]} in vector {index + 1}{text}"
                break
        raise InputError([Fault(source, found, expected)])
    if vectors.ndim != 2 or len(vectors) != rows or not vectors.shape[1]:
        raise InputError([Fault(source, f"an array of shape {vectors.shape}", expected)])
    return vectors


def _cosines(left: FloatArray, right: FloatArray) -> FloatArray:
    products: FloatArray = np.einsum("ij,ij->i", _units(left), _units(right))
    return products


def _units(vectors: FloatArray) -> FloatArray:
    """Scale vectors to length 1, first by their largest number so that no square overflows."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    scaled = vectors / np.where(largest > 0, largest, 1)
    lengths: FloatArray = np.linalg.norm(scaled, axis=1, keepdims=True)
    return scaled / np.maximum(lengths, 1)
