"""Systems by code: functions, encoders, vectors and predictors as outputs that can be scored."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import numpy as np

from stsbaselines import baselines
from stsbaselines.data.catalogue import DataSet, Task
from stsbaselines.data.find import locate, require_all
from stsbaselines.errors import Fault, InputError, shown, suggestion, unknown
from stsbaselines.evaluation.prediction import no_check, output_lines
from stsbaselines.evaluation.submission import run_name
from stsbaselines.evaluation.trained_models import ready
from stsbaselines.io import atomic_write, to_displayable
from stsbaselines.predictor import Predictor, check_pairs, read_arrays
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.tasks.base import family_of

SIDES = ("left", "right")
_OURS = (str(Path(__file__).parent.parent), str(Path(importlib.__file__).parent), "<frozen")
_ROUNDING = 1e-12
_MOST_LOST = 1e-3
Progress = Callable[[int], None]
Lines = Iterable[tuple[int, bytes]]


def no_progress(pairs: int) -> None:
    """Show no progress."""


class EncoderCosine(Predictor):
    """Cosine of the vectors that an encoder gives two sentences; 0 if one is all zeros.

    Each distinct sentence of a chunk is encoded once, in one call. Bytes of a file that are
    not UTF-8 are read as Latin-1, since tokenizers want proper text.

    Parameters
    ----------
    encoder : object
        Its ``encode(sentences)`` takes a list of str, and returns an array of shape
        (n_sentences, d).

    Examples
    --------
    >>> class Letters:
    ...     def encode(self, sentences):
    ...         return [[text.count(letter) for letter in "abc"] for text in sentences]
    >>> EncoderCosine(Letters()).predict([("ab", "ba"), ("ab", "b"), ("xy", "ab")]).round(4)
    array([1.    , 0.7071, 0.    ])
    """

    name: ClassVar[str] = "encoder-cosine"

    def __init__(self, encoder: Any) -> None:
        self.encoder = encoder

    def predict(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Return the cosine of each pair, as an array of shape (n_pairs,).

        Raises
        ------
        InputError
            If the encoder fails, or does not return one vector of finite numbers a sentence.
        """
        lefts, rights = _sides(pairs)
        places = {text: place for place, text in enumerate(dict.fromkeys([*lefts, *rights]))}
        if not places:
            return np.zeros(0)
        source = f"{type(self.encoder).__name__}.encode"
        with _user_code(source):
            encoded = self.encoder.encode([*places])
        vectors = _matrix(encoded, len(places), source)
        units = _units(vectors)
        left, right = (units[[places[text] for text in side]] for side in (lefts, rights))
        return _dots(left, right)


class PairFunction(Predictor):
    """A function on two lists of sentences that returns one score a pair.

    Bytes of a file that are not UTF-8 are read as Latin-1, as `EncoderCosine` does.

    Parameters
    ----------
    function : callable
        Takes the left sentences and the right sentences, as lists of str.

    Examples
    --------
    >>> def same_length(lefts, rights):
    ...     return [len(left) == len(right) for left, right in zip(lefts, rights)]
    >>> PairFunction(same_length).predict([("a cat", "a dog"), ("hi", "hello")])
    array([1., 0.])
    """

    name: ClassVar[str] = "pair-function"

    def __init__(self, function: Any) -> None:
        self.function = function

    def predict(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Return the score of each pair, as an array of shape (n_pairs,).

        Raises
        ------
        InputError
            If the function fails, or does not return one finite number a pair.
        """
        lefts, rights = _sides(pairs)
        if not lefts:
            return np.zeros(0)
        source = getattr(self.function, "__name__", type(self.function).__name__)
        expected = f"an array of shape ({len(lefts)},): one finite number a pair"
        with _user_code(source):
            found = self.function(lefts, rights)
        scores = _numbers(found, source, expected)
        if scores.shape != (len(lefts),):
            raise InputError([Fault(source, f"an array of shape {scores.shape}", expected)])
        return scores


@contextlib.contextmanager
def _user_code(name: str) -> Iterator[None]:
    """Say where an error in the code of the user comes from; its cause is kept."""
    try:
        yield
    except InputError:
        raise
    except (Exception, SystemExit) as error:
        frames = traceback.extract_tb(error.__traceback__)
        theirs = [each for each in frames if not each.filename.startswith(_OURS)]
        place = (theirs or frames)[-1]
        what = f"{type(error).__name__}: {error}".rstrip(": ")
        raise InputError(
            f"{name} failed in {place.filename}, line {place.lineno}: {what}"
        ) from error


@dataclass(frozen=True)
class Vectors:
    """Precomputed vectors as a system: their cosines are its scores.

    Attributes
    ----------
    folder : Path
        See `vectors_of`.
    """

    folder: Path


def as_predictor(system: Any) -> Predictor:
    """Return what the user has as a Predictor.

    Parameters
    ----------
    system : Predictor, object with `encode`, or callable
        A Predictor is returned as it is. A sentence embedder has
        ``encode(list of str) -> array of shape (n, d)``. Another callable takes two lists of
        sentences and returns one score a pair. A class is called without arguments first.

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
        system = _made(system)
    if isinstance(system, Predictor):
        return system
    if callable(getattr(system, "encode", None)) and not isinstance(system, str):
        return EncoderCosine(system)
    if callable(system):
        return PairFunction(system)
    expected = "a Predictor, an object with encode, or a function on two lists of sentences"
    raise InputError([Fault("the system", shown(repr(system)), expected)])


def _made(system: type) -> Any:
    try:
        inspect.signature(system).bind()
    except TypeError as error:
        raise InputError(
            f"{system.__name__} cannot be called without arguments ({error}): give an object of"
            " that class."
        ) from None
    except ValueError:  # some built-in classes do not tell their arguments
        pass
    return system()


def import_object(name: str) -> Any:
    """Import ``module:object``, from the current folder or what is installed.

    Parameters
    ----------
    name : str
        The object may have dots: ``package.module:Class.attribute``.

    Raises
    ------
    InputError
        If the name has no colon, there is no such module or object, or the module fails, as when
        a package that it needs is not there.

    Examples
    --------
    >>> import_object("math:sqrt")(9)
    3.0
    """
    module, colon, attributes = name.partition(":")
    if not (module and colon and attributes) or module.startswith("."):
        raise InputError([Fault("a system by code", repr(name), "MODULE:OBJECT")])
    if module.endswith(".py"):
        meant = name.replace(".py:", ":", 1)
        raise InputError([Fault("a system by code", repr(name), f"a module's name, as in {meant}")])
    found = _imported(module)
    place = f"the module {module} ({getattr(found, '__file__', None) or 'built in'})"
    for attribute in attributes.split("."):
        if not hasattr(found, attribute):
            hint = suggestion(attribute, dir(found)) or "."
            raise InputError(f"{place} has no {attribute!r}{hint}")
        found = getattr(found, attribute)
        place = f"{attribute!r} of {module}"
    return found


def _imported(module: str) -> ModuleType:
    try:
        with _current_folder_on_path() as here, _user_code(module):
            return importlib.import_module(module)
    except InputError as error:
        cause = error.__cause__
        if not isinstance(cause, ModuleNotFoundError):
            raise
        if not f"{module}.".startswith(f"{cause.name}."):
            raise
        raise InputError(
            f"there is no module {module!r}, neither in the current folder ({here}) nor installed:"
            f" {cause}."
        ) from None


@contextlib.contextmanager
def _current_folder_on_path() -> Iterator[str]:
    """Let modules of the current folder be imported, also by processes that start meanwhile."""
    here = os.getcwd()
    sys.path.insert(0, here)
    try:
        yield here
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(here)


def _is_ours(predictor: Predictor) -> bool:
    """Tell whether a predictor is a baseline: it needs no module of the current folder."""
    return type(predictor).__module__.startswith("stsbaselines.baselines.")


def from_arguments(
    paths: Sequence[str],
    predictor_names: Sequence[str],
    encoder_names: Sequence[str],
    folders: Sequence[str | Path],
) -> dict[str, Any]:
    """Return the systems that arguments of the command line name.

    Each argument may begin with ``NAME=``, which is what the system is called then.

    Parameters
    ----------
    paths : sequence of str
        Output files, or folders of them.
    predictor_names : sequence of str
        See `predictor_named`.
    encoder_names : sequence of str
        ``module:object``, the object with `encode`.
    folders : sequence of path
        See `vectors_of`.

    Returns
    -------
    dict of str to Path, Predictor or Vectors

    Raises
    ------
    InputError
        If there is no such system, or if two have the same name.

    Examples
    --------
    >>> [*from_arguments(["runs/best", "old=runs/2015"], ["token-cosine"], [], ["vectors"])]
    ['best', 'old', 'token-cosine', 'vectors']
    """
    systems: dict[str, Any] = {}
    kinds: list[tuple[Sequence[str | Path], Callable[[str], Any], Callable[[str], str]]] = [
        (paths, Path, _last_part),
        (predictor_names, predictor_named, _code_name),
        (encoder_names, _encoder_named, str),
        (folders, lambda text: Vectors(Path(text)), _last_part),
    ]
    for arguments, make, default in kinds:
        for argument in arguments:
            name, text = _labelled(str(argument))
            if not text:
                raise InputError("the name of a system is empty.")
            name = name or default(text)
            if name in systems:
                raise InputError(
                    f"two systems are called {name!r}: say NAME={text} to give one another name."
                )
            try:
                systems[name] = make(text)
            except InputError as error:
                raise InputError([f"{argument}: {fault}" for fault in error.faults]) from error
    return systems


def _labelled(argument: str) -> tuple[str, str]:
    """Split NAME=ARGUMENT, unless all of it is the name of something that is there."""
    name, equals, text = argument.partition("=")
    if not (name and equals and text) or Path(argument).exists():
        return "", argument
    return name, text


def _last_part(text: str) -> str:
    return run_name(Path(text))


def _code_name(text: str) -> str:
    return text if ":" in text or text in baselines.names() else _last_part(text)


def predictor_named(text: str) -> Predictor:
    """Return the predictor that a text names.

    Parameters
    ----------
    text : str
        A baseline (a random one with seed 0, of one that must be trained its default model), a
        folder that `Predictor.save` wrote, or ``module:object`` for what `as_predictor` takes.

    Raises
    ------
    InputError
        If there is none.

    Examples
    --------
    >>> predictor_named("token-cosine")
    TokenCosine()
    """
    if text in baselines.names():
        system = baselines.create(text)
        if system.__sklearn_is_fitted__() and "random_state" in system.get_params():
            system.set_params(random_state=np.random.RandomState(0))
        return system
    if Path(text).is_dir():
        return baselines.load(text)
    if ":" in text:
        return as_predictor(import_object(text))
    raise unknown("baseline, saved folder or MODULE:OBJECT", text, baselines.names())


def _encoder_named(text: str) -> Predictor:
    predictor = as_predictor(import_object(text))
    if not isinstance(predictor, EncoderCosine):
        raise InputError([Fault(text, type(predictor).__name__, "an object with encode")])
    return predictor


def vectors_of(
    folder: str | Path, task: Task, datasets: Sequence[DataSet]
) -> dict[str, FloatArray]:
    """Return the cosine of each pair of precomputed vectors.

    Parameters
    ----------
    folder : path
        A file ``NAME.npz`` for each data set, with the arrays ``left`` and ``right`` of shape
        (n_pairs, d). It is read without pickle.
    task : Task
    datasets : sequence of DataSet

    Returns
    -------
    dict of str to ndarray of shape (n_pairs,)
        By data set. One that may not be redistributed is left out if it has no file.

    Raises
    ------
    InputError
        With the faults of all files.
    """
    check_kind("a folder of vectors", "scores", task)
    place = Path(folder)
    if not place.is_dir():
        what = f"a folder with a file such as {datasets[0].name}.npz for each data set"
        raise InputError([Fault(str(place), "no such folder", what)])
    scores: dict[str, FloatArray] = {}
    faults: list[Fault | str] = []
    for dataset in datasets:
        path = place / f"{dataset.name}.npz"
        if dataset.restricted and not path.exists():
            continue
        try:
            scores[dataset.name] = _cosines_of_file(path, dataset.pairs)
        except InputError as error:
            faults.extend(error.faults)
    if faults:
        raise InputError(faults)
    return scores


def _cosines_of_file(path: Path, pairs: int) -> FloatArray:
    arrays = dict(read_arrays(path))
    if not arrays.keys() >= {*SIDES}:
        found = f"arrays named {', '.join(arrays) or 'nothing'}"
        raise InputError([Fault(str(path), found, "arrays named left and right")])
    left, right = (_matrix(arrays[side], pairs, f"{path}, {side}") for side in SIDES)
    if left.shape != right.shape:
        found = f"left of shape {left.shape} and right of shape {right.shape}"
        raise InputError([Fault(str(path), found, "the same shape")])
    return _dots(_units(left), _units(right))


def outputs_of(
    system: Any,
    task: Task,
    datasets: Sequence[DataSet],
    data_dir: str | Path | None = None,
    n_jobs: int = 1,
    progress: Progress = no_progress,
    plain: bool = False,
) -> tuple[dict[str, Any], list[str]]:
    """Return the outputs of a system, as they are read from the files that it would send in.

    Parameters
    ----------
    system : Vectors, or what `as_predictor` takes
    task : Task
    datasets : sequence of DataSet
        Of that task.
    data_dir : path, optional
        Where the data is looked for first.
    n_jobs : int
        Processes.
    progress : callable
        Called with the number of pairs after each chunk.
    plain : bool
        Whether to give it the sentences without their gold standard chunks.

    Returns
    -------
    outputs : dict of str to output
        By data set, as the `read_output` of the task's family returns them.
    notes : list of str
        One on each data set that was left out, since it may not be redistributed and is
        not here.

    Raises
    ------
    InputError
        If data is missing, or the system's predictions do not fit.

    Examples
    --------
    >>> from stsbaselines.data.catalogue import find_task
    >>> task = find_task("sample-sts")
    >>> def overlap(lefts, rights):
    ...     pairs = zip(lefts, rights)
    ...     return [len(set(left.split()) & set(right.split())) for left, right in pairs]
    >>> outputs, notes = outputs_of(overlap, task, task.datasets)
    >>> outputs["kitchen"].scores[:3]
    array([1., 4., 4.])
    """
    task.check_is_scored()
    if isinstance(system, Vectors):
        modules: contextlib.AbstractContextManager[Any] = contextlib.nullcontext()
        lines, notes = _lines_of_vectors(system, task, datasets)
    else:
        predictor = as_predictor(system)
        modules = contextlib.nullcontext() if _is_ours(predictor) else _current_folder_on_path()
        lines, notes = _lines_of_predictor(predictor, task, datasets, data_dir, n_jobs, plain)
    with modules:
        outputs = {
            name: _read_back(each, task, task.dataset(name), progress)
            for name, each in lines.items()
        }
    return outputs, notes


def _lines_of_vectors(
    system: Vectors, task: Task, datasets: Sequence[DataSet]
) -> tuple[dict[str, Lines], list[str]]:
    family = family_of(task)
    found = vectors_of(system.folder, task, datasets)
    lines: dict[str, Lines] = {}
    for name, scores in found.items():
        text = family.format_predictions(scores, (), 1)
        _check_scale(scores, text)
        lines[name] = [(len(scores), text)]
    absent = [each for each in datasets if each.name not in found]
    return lines, [_left_out(each, f"{each.name}.npz") for each in absent]


def _lines_of_predictor(
    predictor: Predictor,
    task: Task,
    datasets: Sequence[DataSet],
    data_dir: str | Path | None,
    n_jobs: int,
    plain: bool,
) -> tuple[dict[str, Lines], list[str]]:
    check_kind(getattr(predictor, "name", type(predictor).__name__), predictor.predicts, task)
    family = family_of(task)
    here, notes = available(task, datasets, data_dir)
    inputs = {each.name: require_all(task, each, data_dir) for each in here or datasets}
    predictor = ready(predictor, data_dir)
    notes += _seen_in_training(predictor, task, here)
    lines: dict[str, Lines] = {}
    for dataset in here:
        pairs = family.read_inputs(inputs[dataset.name], task, dataset)
        if plain:
            pairs = ((left.text, right.text) for left, right in pairs)
        check = _check_scale if predictor.predicts == "scores" else no_check
        lines[dataset.name] = output_lines(family, predictor, pairs, n_jobs, check)
    return lines, notes


def _seen_in_training(
    predictor: Predictor, task: Task, datasets: Iterable[DataSet]
) -> Iterator[str]:
    """Yield a note on each data set that a predictor says it was trained on."""
    known = vars(predictor).get("trained_on_")
    for dataset in datasets:
        if isinstance(known, dict) and f"{task.task}/{dataset.name}" in known:
            yield (
                f"{predictor.name} was trained on {task.task}/{dataset.name}: what it scores there"
                " is no test result."
            )


def check_kind(name: str, predicts: str, task: Task) -> None:
    """Refuse what predicts something else than a task needs.

    Parameters
    ----------
    name : str
        What to call it.
    predicts : str
        See `Predictor.predicts`.
    task : Task

    Raises
    ------
    InputError
    """
    wanted = family_of(task).predicts
    if predicts != wanted:
        raise InputError(f"{name} predicts {predicts}, but {task.task} needs {wanted}.")


def available(
    task: Task, datasets: Iterable[DataSet], data_dir: str | Path | None
) -> tuple[list[DataSet], list[str]]:
    """Return the data sets to run, and a note on each restricted one that is not here."""
    here, notes = [], []
    for dataset in datasets:
        if dataset.restricted and locate(task, dataset, "input", data_dir).status == "missing":
            notes.append(_left_out(dataset, dataset.files["input"].name))
        else:
            here.append(dataset)
    return here, notes


def _left_out(dataset: DataSet, file: str) -> str:
    return (
        f"{dataset.name} was left out, and with it what needs all data sets:"
        f" {file} is not here ({dataset.licence})."
    )


def _check_scale(predictions: Any, lines: bytes) -> None:
    """Refuse scores so near each other that an output file does not tell them apart."""
    scores = np.asarray(predictions, dtype=np.float64)
    written = [float(line.split(b"\t")[-1]) for line in lines.splitlines()]
    spread = float(np.ptp(scores)) if scores.size else 0.0
    is_constant = spread <= _ROUNDING * float(np.abs(scores).max(initial=0.0))
    if not is_constant and np.abs(scores - written).max() > _MOST_LOST * spread:
        raise InputError(
            f"the scores lie within {spread:.3g} of each other, too near for the decimals of an"
            " output file: multiply them by a constant."
        )


def _read_back(lines: Lines, task: Task, dataset: DataSet, progress: Progress) -> Any:
    """Write an output and read it, as the organisers scored what was sent to them."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / dataset.output
        with atomic_write(path) as stream:
            for count, chunk in lines:
                stream.write(chunk)
                progress(count)
        return family_of(task).read_output(path, task, dataset)


def _sides(pairs: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """Return the left and the right sentences, as text that can be encoded as UTF-8."""
    check_pairs(pairs)
    return [to_displayable(left) for left, _ in pairs], [
        to_displayable(right) for _, right in pairs
    ]


def _matrix(values: Any, rows: int, source: str) -> FloatArray:
    expected = f"an array of shape ({rows}, d): a vector of finite numbers for each sentence"
    vectors = _numbers(values, source, expected)
    if vectors.ndim != 2 or len(vectors) != rows or not vectors.shape[1]:
        raise InputError([Fault(source, f"an array of shape {vectors.shape}", expected)])
    return vectors


def _numbers(values: Any, source: str, expected: str) -> FloatArray:
    """Return what a user's code gave as an array of finite numbers."""
    kind = f"{type(values).__name__} that is no array of numbers"
    if np.ma.is_masked(values):
        raise InputError([Fault(source, "a masked array", expected)])
    try:
        array = np.asarray(values)
    except (TypeError, ValueError) as error:
        raise InputError([Fault(source, f"{kind} ({error})", expected)]) from None
    if array.dtype.kind not in "biuf":
        raise InputError([Fault(source, kind, expected)])
    with np.errstate(over="ignore"):
        numbers = array.astype(np.float64)
    if not np.isfinite(numbers).all():
        raise InputError([Fault(source, "NaN or infinity", expected)])
    return numbers


def _units(vectors: FloatArray) -> FloatArray:
    """Scale vectors to length 1, first by their largest number so that no square overflows."""
    scaled = vectors / _or_one(np.abs(vectors).max(axis=1, keepdims=True))
    return scaled / _or_one(np.linalg.norm(scaled, axis=1, keepdims=True))


def _or_one(values: FloatArray) -> FloatArray:
    return np.where(values > 0, values, 1.0)


def _dots(left: FloatArray, right: FloatArray) -> FloatArray:
    products: FloatArray = np.einsum("ij,ij->i", left, right)
    return products
