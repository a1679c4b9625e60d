"""Predictor, the one interface of all baselines."""

from __future__ import annotations

import itertools
import json
import os
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from tokenize import TokenError
from typing import Any, ClassVar, TypeVar

from stsbaselines.errors import Fault, InputError
from stsbaselines.estimator import Estimator, is_learned, unknown_parameter
from stsbaselines.io import ZIP_ERRORS, new_folder, open_to_read, read_whole
from stsbaselines.parallel import in_order
from stsbaselines.version import __version__

CHUNK_SIZE = 10_000
_DESCRIPTION = "predictor.json"
_ARRAYS = "arrays.npz"

_NOT_AN_NPZ = (
    *ZIP_ERRORS,
    AttributeError,
    LookupError,
    MemoryError,
    SyntaxError,
    TokenError,
    TypeError,
)

T = TypeVar("T")
Self = TypeVar("Self", bound="Predictor")


class Predictor(Estimator):
    """A system that gives each pair of sentences a similarity.

    Conventions of scikit-learn hold: `__init__` only stores its parameters, learned
    attributes end in ``_``, `sklearn.base.clone` and `GridSearchCV` work. A subclass
    defines `name` and `predict`, `fit` if it learns, `predicts` if that is something
    else than scores (``alignments`` of chunks), and `files` if parameters are paths of what it
    reads: their names.

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
    files: ClassVar[tuple[str, ...]] = ()

    def fit(self: Self, pairs: Sequence[Any], gold: Any = None) -> Self:
        """Learn from pairs; here, do nothing, as a baseline without training needs.

        Parameters
        ----------
        pairs : sequence of (str, str) of length n_pairs
        gold : sequence of float of length n_pairs, optional
        """
        return self

    def predict(self, pairs: Sequence[Any]) -> Any:
        """Return a prediction for each pair: its similarity, unless `predicts` says otherwise.

        Parameters
        ----------
        pairs : sequence of (str, str) of length n_pairs

        Returns
        -------
        ndarray of shape (n_pairs,)
        """
        raise NotImplementedError

    def predict_chunks(
        self, pairs: Iterable[Any], chunk_size: int = CHUNK_SIZE, n_jobs: int = 1
    ) -> Iterator[Any]:
        """Predict a stream of pairs chunk by chunk, in order, in constant memory.

        Parameters
        ----------
        pairs : iterable of (str, str)
        chunk_size : int
            Pairs a chunk.
        n_jobs : int
            Processes, -1 for all cores; or workers of a cluster, see `stsbaselines.parallel`. A
            single chunk is predicted in this process.

        Yields
        ------
        ndarray of shape (up to chunk_size,)
        """
        yield from in_order(self._predict_chunk, chunks_of(pairs, chunk_size), n_jobs)

    def files_read(self) -> dict[str, Path]:
        """Return the files and folders that its parameters name, by what to call them."""
        values = [getattr(self, name) for name in self.files]
        each = [one for value in values for one in (value if isinstance(value, list) else [value])]
        paths = [Path(one) for one in each if isinstance(one, str | os.PathLike)]
        return {f"file {path}": path for path in paths if path.exists()}

    def is_pairwise(self) -> bool:
        """Tell whether what is predicted for a pair does not depend on the pairs around it."""
        return type(self).predict_chunks is Predictor.predict_chunks

    def signature(self) -> str:
        """Return what predictions are made by, as a text: name, perhaps details, and version."""
        return f"{self.name}|version:stsbaselines-{__version__}"

    def score_lines(self, lines: bytes) -> bytes | None:
        """Score whole lines of two TAB-separated sentences at once, if there is a faster way.

        Parameters
        ----------
        lines : bytes

        Returns
        -------
        bytes or None
            The lines of the output; None, as here, to read and predict pairs instead, which also
            says what is wrong with a line.
        """
        return None

    def _predict_chunk(self, chunk: list[Any]) -> Any:
        predictions = self.predict(chunk)
        if len(predictions) != len(chunk):
            raise InputError(
                f"{type(self).__name__} gave {len(predictions)} predictions"
                f" for {len(chunk)} pairs, but must give one for each."
            )
        return predictions

    def __sklearn_is_fitted__(self) -> bool:
        return type(self).fit is Predictor.fit or super().__sklearn_is_fitted__()

    def save(self, directory: str | Path) -> None:
        """Write the parameters and learned attributes to a new folder, as JSON and npz.

        There is no pickle in it, so that models can be exchanged safely. Of parameters,
        paths become text and tuples lists.

        Parameters
        ----------
        directory : path
            It must not be there yet.

        Raises
        ------
        InputError
            If the folder is there already, or a parameter or learned attribute is
            neither plain JSON nor a numeric array.
        """
        import numpy as np  # slow to import

        target = Path(directory)
        if not hasattr(self, "name"):
            raise InputError(f"{type(self).__name__} has no `name`, by which it could be saved.")
        learned = {key: value for key, value in vars(self).items() if is_learned(key)}
        arrays = {key: value for key, value in learned.items() if _is_plain_array(value)}
        text = _as_json(
            {
                "format": 1,
                "version": __version__,
                "name": self.name,
                "parameters": {
                    key: _plain(value) for key, value in self.get_params(deep=False).items()
                },
                "attributes": {key: learned[key] for key in learned if key not in arrays},
            }
        )
        with new_folder(target) as folder:
            (folder / _DESCRIPTION).write_text(text + "\n", encoding="utf-8")
            np.savez(folder / _ARRAYS, **arrays)

    @classmethod
    def load(cls: type[Self], directory: str | Path) -> Self:
        """Read what `save` wrote of this class; `stsbaselines.load` reads any baseline.

        Parameters
        ----------
        directory : path

        Raises
        ------
        InputError
            If the folder does not hold a saved predictor of this class.
        """
        folder = Path(directory)
        description = _read_description(folder / _DESCRIPTION)
        name = description["name"]
        if getattr(cls, "name", None) != name:
            raise InputError([Fault(str(folder), f"a saved {name!r}", f"a {cls.__name__}")])
        predictor = with_parameters(cls, description["parameters"])
        for key, value in [*description["attributes"].items(), *read_arrays(folder / _ARRAYS)]:
            if not is_learned(key):
                raise InputError([Fault(str(folder), f"attribute {key!r}", "names that end in _")])
            setattr(predictor, key, value)
        try:
            predictor._check_loaded()
        except InputError as error:
            raise InputError([Fault(str(folder), str(error), f"a saved {name}")]) from None
        return predictor

    def _check_loaded(self) -> None:
        """Refuse learned attributes that do not belong together; a baseline may override it."""


def _is_plain_array(value: object) -> bool:
    import numpy as np  # slow to import

    return isinstance(value, np.ndarray) and not value.dtype.hasobject


def _plain(value: object) -> object:
    """Return a path as text and a tuple as a list; other values as they are."""
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    return list(value) if isinstance(value, tuple) else value


def _as_json(description: dict[str, Any]) -> str:
    try:
        text = json.dumps(description, indent=2, allow_nan=False)
        changed = json.loads(text) != description
    except (TypeError, ValueError):
        changed = True
    if changed:
        name = description["name"]
        raise InputError(
            f"{name} cannot be saved, since a parameter or learned attribute of it is neither"
            " plain JSON nor a numeric array."
        )
    return text


def check_pairs(pairs: Sequence[Any], kinds: tuple[type, ...] = (str,)) -> None:
    """Refuse what is no sequence of pairs of sentences.

    Parameters
    ----------
    pairs : sequence of (str, str)
    kinds : tuple of type
        What a sentence may be.

    Raises
    ------
    InputError
        Naming the first pair that is none.

    Examples
    --------
    >>> check_pairs([("a cat", "a dog"), "ab"])
    Traceback (most recent call last):
    stsbaselines.errors.InputError: pairs[1]: found 'ab', expected a pair of two strings
    """
    for number, pair in enumerate(pairs):
        if isinstance(pair, tuple | list) and len(pair) == 2:
            left, right = pair
            if isinstance(left, kinds) and isinstance(right, kinds):
                continue
        names = " or ".join("strings" if kind is str else f"{kind.__name__}s" for kind in kinds)
        raise InputError([Fault(f"pairs[{number}]", repr(pair)[:80], f"a pair of two {names}")])


def chunks_of(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield lists of up to `size` items.

    Examples
    --------
    >>> list(chunks_of("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    if size < 1:
        raise ValueError(f"a chunk must have at least one item, not {size}")
    iterator = iter(items)
    while chunk := list(itertools.islice(iterator, size)):
        yield chunk


def read_arrays(path: Path) -> list[tuple[str, Any]]:
    """Read the named arrays of an npz file, without pickle.

    Raises
    ------
    InputError
        If it is none.
    """
    import numpy as np  # slow to import

    with open_to_read(path) as stream, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what Python 2 wrote
        try:
            arrays = np.load(stream, allow_pickle=False)
            found = [(key, arrays[key]) for key in arrays.files]
            if all(isinstance(value, np.ndarray) for _, value in found):
                return found
        except InputError:
            raise
        except _NOT_AN_NPZ:
            pass
    raise InputError([Fault(str(path), "no npz of plain arrays", "saved arrays")])


def saved_name(directory: str | Path) -> str:
    """Return the name of the predictor that was saved to a folder."""
    return str(_read_description(Path(directory) / _DESCRIPTION)["name"])


def with_parameters(predictor: type[Self], parameters: Mapping[str, Any]) -> Self:
    """Return an object of a class, or refuse a parameter that it does not have."""
    known = predictor().get_params(deep=False)
    for parameter in parameters:
        if parameter not in known:
            raise unknown_parameter(f"baseline {predictor.name!r}", parameter, known)
    return predictor(**parameters)


def _refuse_constant(text: str) -> None:
    raise ValueError(text)


def _read_description(path: Path) -> Mapping[str, Any]:
    content = read_whole(path)
    try:
        description = json.loads(content.decode("utf-8"), parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        description = None
    fields = {"name": str, "parameters": dict, "attributes": dict}
    if not isinstance(description, dict) or not all(
        isinstance(description.get(key), kind) for key, kind in fields.items()
    ):
        raise InputError([Fault(str(path), "other content", "a saved predictor's description")])
    if description.get("format") != 1:
        raise InputError([Fault(str(path), f"format {description.get('format')!r}", "format 1")])
    return description
