"""Predictor, the one interface of all baselines."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import itertools
import json
import os
import traceback
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.base import BaseEstimator

from stsbaselines.errors import Fault, InputError, suggestion
from stsbaselines.io.files import LARGEST_NUMBER, keys_once, new_folder, open_to_read, read_whole
from stsbaselines.io.frames import takes_frames
from stsbaselines.parallel import in_order
from stsbaselines.scoring.scorers import pearson_scorer
from stsbaselines.version import __version__

CHUNK_SIZE = 10_000
# Where errors in the user's code do not come from.
_OURS = (str(Path(__file__).parent), str(Path(importlib.__file__).parent), "<frozen")
# What a saved predictor may hold: of larger numbers, sums and counts are not exact or overflow.
LARGEST_COUNT = 2**53
_DESCRIPTION = "predictor.json"
_ARRAYS = "arrays.npz"
# What `predict` raises if the learned attributes of a loaded predictor do not fit together.
_DAMAGED = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)

T = TypeVar("T")
Self = TypeVar("Self", bound="Predictor")


class Predictor(BaseEstimator):  # type: ignore[misc]
    """A system that predicts a similarity for each pair of sentences.

    It is an estimator of scikit-learn: `__init__` only stores its parameters, learned
    attributes end in ``_``, `sklearn.base.clone` and `GridSearchCV` work. A subclass
    defines `name` and `predict`; `fit` if it learns; and `predicts` if it predicts something
    other than scores (``alignments`` of chunks). Its `fit` and `predict` get a list also where they
    are called with a DataFrame of two columns of sentences, or an array of shape (n_pairs, 2).

    Examples
    --------
    >>> import numpy as np
    >>> class Lengths(Predictor):
    ...     name = "lengths"
    ...     def predict(self, pairs):
    ...         return np.array([-abs(len(left) - len(right)) for left, right in pairs])
    >>> Lengths().fit([]).predict([("a cat", "a dog"), ("hi", "hello")])
    array([ 0, -3])
    """

    name: ClassVar[str]
    predicts: ClassVar[str] = "scores"
    loaded_from: Path | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        for name in ("fit", "predict", "predict_chunks"):
            if inspect.isfunction(method := vars(cls).get(name)):
                setattr(cls, name, takes_frames(method))
        # A subclass with another `predict` must not be asked in other ways of its parent.
        for name in ("predict_chunks", "score_lines"):
            if _depth(cls, "predict") < _depth(cls, name):
                setattr(cls, name, vars(Predictor)[name])

    def fit(self: Self, pairs: Sequence[Any], gold: Any = None) -> Self:
        """Learn from pairs. By default there is nothing to learn.

        Parameters
        ----------
        pairs : sequence of (str, str) of length n_pairs
            The left and the right sentence of each pair.
        gold : sequence of float of length n_pairs, optional
            The gold scores, if the baseline learns from them.
        """
        return self

    def predict(self, pairs: Sequence[Any]) -> Any:
        """Return a prediction for each pair: its similarity, unless `predicts` says otherwise.

        Parameters
        ----------
        pairs : sequence of (str, str) of length n_pairs
            The left and the right sentence of each pair.

        Returns
        -------
        ndarray of shape (n_pairs,)
            One score per pair.
        """
        raise NotImplementedError

    def score(self, pairs: Sequence[Any], gold: Any) -> float:
        """Return the Pearson correlation of the predicted scores with the gold scores.

        `GridSearchCV` and `cross_val_score` use it if they have no `scoring`.

        Parameters
        ----------
        pairs : sequence of (str, str) of length n_pairs
            The left and the right sentence of each pair.
        gold : sequence of float of length n_pairs
            The gold scores.

        Returns
        -------
        float
            NaN where it is undefined, such as for constant scores.

        Raises
        ------
        InputError
            If it predicts something other than scores.
        ValueError
            If a predicted or gold score is not a finite number.
        """
        if self.predicts != "scores":
            raise InputError(f"{self.name} predicts {self.predicts}, which have no correlation.")
        return pearson_scorer(self, pairs, gold)

    @takes_frames
    def predict_chunks(
        self, pairs: Iterable[Any], chunk_size: int = CHUNK_SIZE, n_jobs: int = 1
    ) -> Iterator[Any]:
        """Predict a stream of pairs chunk by chunk, in order, in constant memory.

        Parameters
        ----------
        pairs : iterable of (str, str)
            The left and the right sentence of each pair, read as needed.
        chunk_size : int
            Pairs per chunk.
        n_jobs : int
            Number of processes, -1 for all cores. A single chunk is predicted in this process.

        Yields
        ------
        ndarray of shape (up to chunk_size,)
        """
        done = 0
        try:
            for predictions in in_order(self._predict_chunk, chunks_of(pairs, chunk_size), n_jobs):
                yield predictions
                done += len(predictions)
        except InputError as error:
            if any(isinstance(each, Fault) and each.pair for each in error.faults):
                raise error.after(done) from error
            raise

    def is_pairwise(self) -> bool:
        """Return whether the prediction for a pair does not depend on the other pairs."""
        return type(self).predict_chunks is Predictor.predict_chunks

    def signature(self) -> str:
        """Return name, details where needed, and version, as one text."""
        return f"{self.name}|version:stsbaselines-{__version__}"

    def score_lines(self, lines: bytes) -> bytes | None:
        """Return the output for whole lines of TAB-separated pairs, if there is a faster way.

        None, the default, means that pairs are read and predicted instead, which also reports
        what is wrong with a line.
        """
        return None

    def __sklearn_is_fitted__(self) -> bool:
        return type(self).fit is Predictor.fit or any(map(_is_learned, vars(self)))

    def _predict_chunk(self, chunk: list[Any]) -> Any:
        is_ours = self.loaded_from or _is_ours(type(self))
        source = f"{type(self).__name__}.predict"
        try:
            with contextlib.nullcontext() if is_ours else user_code(source):
                predictions = self.predict(chunk)
        except _DAMAGED as error:
            if self.loaded_from is None or isinstance(error, InputError):
                raise
            found = f"content that it cannot predict with ({type(error).__name__}: {error})"
            raise InputError(
                [Fault(str(self.loaded_from), found, f"a saved {self.name}")]
            ) from error
        try:
            if isinstance(predictions, Mapping | Set):  # of keys, or without an order
                raise TypeError
            count = len(predictions)
        except TypeError:
            found = type(predictions).__name__
            raise InputError([Fault(source, found, "one prediction for each pair")]) from None
        if count != len(chunk):
            raise InputError(
                f"{type(self).__name__} gave {count} predictions"
                f" for {len(chunk)} pairs, but must give one for each."
            )
        return predictions

    def save(self, directory: str | Path) -> None:
        """Write the parameters and learned attributes to a new folder, as JSON and npz.

        It contains no pickle, so that models can be exchanged safely. Paths become text and
        tuples become lists.

        Parameters
        ----------
        directory : path
            It must not exist yet.

        Raises
        ------
        InputError
            If the folder exists already, a parameter or learned attribute is neither plain JSON
            nor an array of finite numbers, or a subclass has the name of its parent.
        """
        if not hasattr(self, "name"):
            raise InputError(f"{type(self).__name__} has no `name`, by which it could be saved.")
        for parent in type(self).__mro__[1:]:
            if getattr(parent, "name", None) == self.name:
                raise InputError(
                    f"{type(self).__name__} cannot be saved, because it has the name of"
                    f" {parent.__name__}, {self.name!r}: give it a `name` of its own."
                )
        learned = {key: value for key, value in vars(self).items() if _is_learned(key)}
        arrays: dict[str, Any] = {
            key: each for key, each in learned.items() if isinstance(each, np.ndarray)
        }
        parameters = self.get_params(deep=False)
        description = {
            "format": 1,
            "version": __version__,
            "name": self.name,
            **({} if _is_ours(type(self)) else {"class": _path_of(type(self))}),
            "parameters": {key: _plain(value) for key, value in parameters.items()},
            "attributes": {key: learned[key] for key in learned if key not in arrays},
            "arrays": _shapes(arrays),
        }
        try:
            text = json.dumps(description, indent=2)
            is_plain = json.loads(text) == description and _is_bounded(description | arrays)
        except (TypeError, ValueError):
            is_plain = False
        if not is_plain:
            raise InputError(
                f"{self.name} cannot be saved, because a parameter or learned attribute is"
                " neither plain JSON nor an array of finite numbers."
            )
        with new_folder(Path(directory)) as folder:
            (folder / _DESCRIPTION).write_text(text + "\n", encoding="utf-8")
            np.savez(folder / _ARRAYS, **arrays)

    @classmethod
    def load(cls: type[Self], directory: str | Path) -> Self:
        """Read what `save` wrote of this class; `stsbaselines.load` reads any baseline.

        Parameters
        ----------
        directory : path
            A folder that `save` wrote.

        Raises
        ------
        InputError
            If the folder does not hold a saved predictor of this class, or it holds numbers that
            are not finite, absolute values above 1e308 or integers above 2**53.
        """
        folder = Path(directory)
        description = _read_description(folder)
        name = description["name"]
        if getattr(cls, "name", None) != name:
            raise InputError([Fault(str(folder), f"a saved {name!r}", f"a {cls.__name__}")])
        predictor = with_parameters(cls, description["parameters"])
        arrays = read_arrays(folder / _ARRAYS)
        if description.get("arrays", _shapes(arrays)) != _shapes(arrays):
            found = "other arrays than were saved"
            raise InputError([Fault(str(folder / _ARRAYS), found, f"those of {_DESCRIPTION}")])
        for key, value in {**description["attributes"], **arrays}.items():
            if not _is_learned(key):
                raise InputError([Fault(str(folder), f"attribute {key!r}", "names that end in _")])
            if not _is_bounded(value):
                raise _out_of_bounds(folder, key)
            setattr(predictor, key, value)
        predictor.loaded_from = folder
        return predictor


@contextlib.contextmanager
def user_code(name: str) -> Iterator[None]:
    """Report where an error in the user's code comes from, and keep its cause."""
    try:
        yield
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        frames = traceback.extract_tb(error.__traceback__)
        theirs = [each for each in frames if not each.filename.startswith(_OURS)]
        last = (theirs or frames)[-1]
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        raise InputError(f"{name} failed in {last.filename}, line {last.lineno}: {what}") from error


def _depth(predictor: type[Predictor], name: str) -> int:
    """Return how far up among the parents of a class a name is defined."""
    return next(number for number, each in enumerate(predictor.__mro__) if name in vars(each))


def _is_ours(predictor: type[Predictor]) -> bool:
    return predictor.__module__.startswith(f"{__package__}.")


def _path_of(predictor: type[Predictor]) -> str:
    return f"{predictor.__module__}:{predictor.__qualname__}"


def _is_learned(attribute: str) -> bool:
    return attribute.endswith("_") and not attribute.startswith("_")


def _shapes(arrays: Mapping[str, Any]) -> dict[str, list[Any]]:
    return {name: [array.dtype.str, *array.shape] for name, array in arrays.items()}


def _is_bounded(value: object) -> bool:
    """Return whether an array or a value of JSON has only finite numbers, none too large."""
    if isinstance(value, np.ndarray):
        kind = value.dtype.kind
        if kind not in "fiu":
            return kind in "bSU"
        convert = float if kind == "f" else int
        return value.size == 0 or _is_bounded([convert(value.min()), convert(value.max())])
    if isinstance(value, dict):
        return all(map(_is_bounded, value.values()))
    if isinstance(value, list):
        return all(map(_is_bounded, value))
    if isinstance(value, int):
        return abs(value) <= LARGEST_COUNT
    return not isinstance(value, float) or abs(value) <= LARGEST_NUMBER


def _out_of_bounds(folder: Path, name: str) -> InputError:
    expected = "finite numbers up to 1e308 and integers up to 2**53"
    return InputError([Fault(str(folder), f"other values of {name!r}", expected)])


def _plain(value: object) -> object:
    """Return a path as text and a tuple as a list; other values as they are."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return list(value) if isinstance(value, tuple) else value


def check_sized(pairs: Sequence[Any]) -> None:
    """Raise InputError for an iterator, which could be read only once."""
    if not hasattr(pairs, "__len__"):
        raise InputError([Fault("pairs", f"a {type(pairs).__name__}", "a list of pairs")])


def check_pairs(pairs: Sequence[Any], kinds: tuple[type, ...] = (str,)) -> None:
    """Raise InputError, naming the first item that is not a pair of sentences of these `kinds`."""
    check_sized(pairs)
    for number, pair in enumerate(pairs):
        if isinstance(pair, tuple | list) and len(pair) == 2:
            left, right = pair
            if isinstance(left, kinds) and isinstance(right, kinds):
                continue
        names = " or ".join("strings" if kind is str else f"{kind.__name__}s" for kind in kinds)
        raise InputError([Fault(f"pairs[{number}]", repr(pair)[:80], f"a pair of two {names}")])


def chunks_of(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of up to `size` items."""
    if size < 1:
        raise ValueError(f"a chunk must have at least one item, not {size}")
    iterator = iter(items)
    while chunk := list(itertools.islice(iterator, size)):
        yield chunk


def read_arrays(path: Path) -> dict[str, Any]:
    """Return the arrays of an npz file by name; a pickle in it raises InputError."""
    with open_to_read(path) as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about arrays written by Python 2
        try:
            content = np.load(stream, allow_pickle=False)
            arrays = {name: content[name] for name in content.files}
        except InputError:
            raise
        except Exception:  # NumPy, zipfile and zlib raise many kinds for damaged content
            arrays = {"": None}
    if not all(isinstance(array, np.ndarray) for array in arrays.values()):
        raise InputError([Fault(str(path), "no npz of plain arrays", "saved arrays")])
    return arrays


def saved_name(directory: str | Path) -> str:
    """Return the name of the predictor that was saved to a folder, or its class outside."""
    description = _read_description(Path(directory))
    return str(description.get("class", description["name"]))


def with_parameters(predictor: type[Self], parameters: Mapping[str, Any]) -> Self:
    """Return a predictor of a class with parameters; raise InputError for an unknown one."""
    known = inspect.signature(predictor).parameters
    for parameter in parameters:
        if parameter not in known:
            hint = suggestion(parameter, known) or "."
            raise InputError(
                f"baseline {predictor.name!r} has no parameter {parameter!r}{hint}"
                f" It has: {', '.join(known) or 'none'}."
            )
    for parameter, each in known.items():
        if each.default is each.empty and parameter not in parameters:
            raise InputError(f"baseline {predictor.name!r} needs the parameter {parameter!r}.")
    with contextlib.nullcontext() if _is_ours(predictor) else user_code(predictor.__name__):
        return predictor(**parameters)


def _read_description(folder: Path) -> dict[str, Any]:
    path = folder / _DESCRIPTION
    content = read_whole(path)
    try:
        description = json.loads(content.decode("utf-8"), object_pairs_hook=keys_once)
        is_bounded = _is_bounded(description)
    except (ValueError, RecursionError):
        description, is_bounded = None, False
    fields = {"name": str, "parameters": dict, "attributes": dict}
    if isinstance(description, dict) and "class" in description:
        fields["class"] = str
    if not isinstance(description, dict) or not all(
        isinstance(description.get(key), kind) for key, kind in fields.items()
    ):
        raise InputError([Fault(str(path), "other content", "a saved predictor's description")])
    if description.get("format") != 1:
        raise InputError([Fault(str(path), f"format {description.get('format')!r}", "format 1")])
    if not is_bounded:
        raise _out_of_bounds(folder, _DESCRIPTION)
    return description
