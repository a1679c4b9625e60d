"""Systems given as code or vectors: predictors, functions and encoders, and how to name them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from stsbaselines.baselines import create, load, names
from stsbaselines.baselines._outside import import_object
from stsbaselines.errors import Fault, InputError, shown, unknown
from stsbaselines.evaluation.encoders import (
    CrossEncoder,
    EncoderCosine,
    PairFunction,
    cosines,
    load_encoder,
    matrix,
)
from stsbaselines.evaluation.submission import run_name
from stsbaselines.predictor import Predictor, read_arrays
from stsbaselines.scoring.correlation import FloatArray

SIDES = ("left", "right")


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
        left, right = (matrix(arrays[side], pairs, f"{path}, {side}") for side in SIDES)
        if left.shape != right.shape:
            found = f"left of shape {left.shape} and right of shape {right.shape}"
            raise InputError([Fault(str(path), found, "the same shape")])
        return cosines(left, right)


def as_predictor(system: Any) -> Predictor:
    """Return the user's system as a Predictor.

    Parameters
    ----------
    system : Predictor, object with `encode` or `predict`, or callable
        A Predictor is returned as it is. A sentence embedder has
        ``encode(list of str) -> array of shape (n, d)``, and a cross-encoder
        ``predict(list of pairs) -> array of shape (n,)``. Another callable takes two lists of
        sentences and returns one score per pair. A class is called without arguments first.

    Returns
    -------
    Predictor
        The system itself, or one that calls it and checks what it returns.

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
    if callable(getattr(system, "predict", None)):
        return CrossEncoder(system)
    if callable(system):
        return PairFunction(system)
    expected = "a Predictor, an object with encode, or a function of two lists of sentences"
    raise InputError([Fault("the system", shown(repr(system)), expected)])


def from_arguments(
    paths: Sequence[str],
    predictor_names: Sequence[str],
    encoder_names: Sequence[str],
    folders: Sequence[str],
    encode_args: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """Return the systems that arguments of the command line name, each perhaps as ``NAME=...``.

    `paths` are output files or folders of them, `predictor_names` as for `predictor_named`,
    `encoder_names` as ``module:object`` or models of sentence-transformers, to whose `encode` the
    `encode_args` are passed, and `folders` as for `Vectors`.
    """
    systems: dict[str, Any] = {}
    kinds: list[tuple[Sequence[str], Callable[[str], Any], Callable[[str], str]]] = [
        (paths, Path, run_name),
        (predictor_names, predictor_named, _name_of_code),
        (encoder_names, lambda text: _encoder_named(text, encode_args), _name_of_code),
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


def _encoder_named(text: str, encode_args: Mapping[str, Any] | None) -> Predictor:
    if ":" not in text or Path(text).is_dir():
        return EncoderCosine(load_encoder(text), encode_args)
    predictor = as_predictor(import_object(text))
    if not isinstance(predictor, EncoderCosine):
        raise InputError([Fault(text, type(predictor).__name__, "an object with encode")])
    return EncoderCosine(predictor.encoder, encode_args)
