"""Systems by code that are no Predictors: sentence embedders, cross-encoders and functions.

What they compute can be kept in a folder, so that it is computed once.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from stsbaselines.errors import Fault, InputError, shown
from stsbaselines.io.files import atomic_write, entries_of, make_folder, to_displayable
from stsbaselines.predictor import (
    CHUNK_SIZE,
    Predictor,
    check_pairs,
    chunks_of,
    read_arrays,
    user_code,
)
from stsbaselines.scoring.correlation import FloatArray
from stsbaselines.tasks.base import checked_scores, finite_numbers, first_wrong

SENTENCES_PER_CALL = 1024
PAIRS_PER_CALL = 100  # if results are kept: a failure loses those of the call

Compute = Callable[[Sequence[Any]], FloatArray]
Advance = Callable[[float], None]


def no_advance(share: float) -> None:
    """Show no progress."""


class ResultCache:
    """Vectors of sentences, or scores of pairs, that are kept in a folder between runs.

    `about` says what computed them; results of something else are in another subfolder. Each call
    adds a file, so that an interrupted run keeps what it has computed.
    """

    def __init__(self, folder: Path, about: Mapping[str, Any]) -> None:
        text = json.dumps(about, sort_keys=True, default=str)
        self.folder = folder / hashlib.sha256(text.encode()).hexdigest()[:16]
        make_folder(self.folder)
        self.known: dict[bytes, FloatArray] = {}
        for path in entries_of(self.folder):
            if path.suffix == ".npz":
                self._read(path)
        with atomic_write(self.folder / "about.json") as stream:
            stream.write(f"{text}\n".encode())

    def _read(self, path: Path) -> None:
        arrays = read_arrays(path)
        digests, values = arrays.get("digests"), arrays.get("values")
        if digests is None or values is None or len(digests) != len(values):
            expected = "results of an earlier run; remove the file to compute them again"
            raise InputError([Fault(str(path), "other arrays", expected)])
        self.known |= zip(map(bytes, digests), values.astype(np.float64), strict=True)

    def add(self, items: Sequence[Any], values: FloatArray) -> None:
        """Keep the results for items."""
        digests = [_digest(item) for item in items]
        single = values.astype(np.float32)
        kept = single if np.array_equal(single, values) else values
        content = io.BytesIO()
        np.savez(content, digests=np.array([[*each] for each in digests], np.uint8), values=kept)
        name = hashlib.sha256(b"".join(digests)).hexdigest()[:32]
        with atomic_write(self.folder / f"{name}.npz") as stream:
            stream.write(content.getvalue())
        self.known |= zip(digests, values, strict=True)


def _digest(item: str | tuple[str, str]) -> bytes:
    return hashlib.sha256(json.dumps(item).encode()).digest()


def _computed(
    items: Iterable[Any],
    compute: Compute,
    per_call: int,
    cache: ResultCache | None,
    advance: Advance,
) -> dict[Any, FloatArray]:
    """Return the result for each distinct item; what the cache lacks is computed."""
    distinct = [*dict.fromkeys(items)]
    known = cache.known if cache else {}
    found = {each: known[_digest(each)] for each in distinct if known and _digest(each) in known}
    missing = [each for each in distinct if each not in found]
    advance(len(found) / max(len(distinct), 1))
    for part in chunks_of(missing, per_call):
        values = compute(part)
        if cache:
            cache.add(part, values)
        found |= zip(part, values, strict=True)
        advance(len(part) / len(distinct))
    return found


class EncoderCosine(Predictor):
    """Cosine of the vectors of an encoder; 0 if a vector is all zeros.

    Each distinct sentence is encoded once. Bytes of a file that are not UTF-8 are read as Latin-1,
    because tokenizers need valid text.

    Parameters
    ----------
    encoder : object with ``encode(list of str) -> array of shape (n, d)``
    encode_args : dict, optional
        Further arguments of `encode`, such as ``{"prompt": "query: "}``.
    """

    name: ClassVar[str] = "encoder-cosine"

    def __init__(self, encoder: Any, encode_args: Mapping[str, Any] | None = None) -> None:
        self.encoder = encoder
        self.encode_args = encode_args

    def predict(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Return the cosine of each pair, as an array of shape (n_pairs,)."""
        return self.scores_of(pairs)

    def scores_of(
        self,
        pairs: Sequence[tuple[str, str]],
        cache: Path | None = None,
        advance: Advance = no_advance,
    ) -> FloatArray:
        """Predict with vectors that are kept in a folder; `advance` gets the share just done."""
        lefts, rights = _sides(pairs)
        kept = self._cache(cache) if cache else None
        found = _computed([*lefts, *rights], self._encode, SENTENCES_PER_CALL, kept, advance)
        if len({np.shape(vector) for vector in found.values()}) > 1:
            raise InputError([Fault(self._source, "vectors of several lengths", "of one length")])
        parts = [
            cosines(*(np.array([found[text] for text in side]) for side in zip(*part, strict=True)))
            for part in chunks_of(zip(lefts, rights, strict=True), SENTENCES_PER_CALL)
        ]
        return np.concatenate([np.zeros(0), *parts])

    @property
    def _source(self) -> str:
        return f"{type(self.encoder).__name__}.encode"

    def _encode(self, sentences: Sequence[str]) -> FloatArray:
        with user_code(self._source):
            encoded = _from_tensors(self.encoder.encode([*sentences], **(self.encode_args or {})))
        return matrix(encoded, sentences, self._source)

    def _cache(self, folder: Path) -> ResultCache:
        arguments = dict(self.encode_args or {})
        return ResultCache(folder, {**identity_of(self.encoder), "arguments": arguments})


class PairFunction(Predictor):
    """A function of two lists of sentences that returns one score per pair.

    Bytes of a file that are not UTF-8 are read as Latin-1, as in `EncoderCosine`.
    """

    name: ClassVar[str] = "pair-function"

    def __init__(self, function: Any) -> None:
        self.function = function

    def predict(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        """Return the score of each pair, as an array of shape (n_pairs,)."""
        sides = _sides(pairs)
        return self._scores([*zip(*sides, strict=True)]) if pairs else np.zeros(0)

    def scores_of(
        self,
        pairs: Sequence[tuple[str, str]],
        cache: Path | None = None,
        advance: Advance = no_advance,
    ) -> FloatArray:
        """Predict with scores that are kept in a folder; `advance` gets the share just done."""
        if cache is None:
            parts = []
            for part in chunks_of(pairs, CHUNK_SIZE):
                parts.append(self.predict(part))
                advance(len(part) / len(pairs))
            return np.concatenate([np.zeros(0), *parts])
        both = [*zip(*_sides(pairs), strict=True)]
        kept = ResultCache(cache, identity_of(self.function))
        found = _computed(both, self._scores, PAIRS_PER_CALL, kept, advance)
        return np.array([found[pair] for pair in both])

    @property
    def _source(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)

    def _call(self, pairs: Sequence[tuple[str, str]]) -> Any:
        lefts, rights = zip(*pairs, strict=True)
        return self.function([*lefts], [*rights])

    def _scores(self, pairs: Sequence[tuple[str, str]]) -> FloatArray:
        with user_code(self._source):
            found = _from_tensors(self._call(pairs))
        scores = checked_scores(found, pairs=pairs, source=self._source)
        if len(scores) != len(pairs):
            expected = f"an array of shape ({len(pairs)},): one finite number per pair"
            raise InputError([Fault(self._source, f"an array of shape {scores.shape}", expected)])
        return scores


class CrossEncoder(PairFunction):
    """An object with ``predict(list of pairs)`` that returns one score per pair."""

    name: ClassVar[str] = "cross-encoder"

    @property
    def _source(self) -> str:
        return f"{type(self.function).__name__}.predict"

    def _call(self, pairs: Sequence[tuple[str, str]]) -> Any:
        return self.function.predict([*pairs])


def load_encoder(name: str) -> Any:
    """Return a model of sentence-transformers by its name or folder."""
    try:
        from sentence_transformers import SentenceTransformer
    except ImportError:
        raise InputError(
            f"{name} is no MODULE:OBJECT, and models of sentence-transformers need one more"
            " package: pip install 'stsbaselines[models]'"
        ) from None
    try:
        return SentenceTransformer(name)
    except Exception as error:  # each of its parts raises others
        why = f"{error}".strip().partition("\n")[0] or type(error).__name__
        raise InputError(f"sentence-transformers cannot load {name}: {why}") from error


def identity_of(system: Any) -> dict[str, str]:
    """Return what tells the results of a system from those of others.

    That is its attribute `cache_key`; models of sentence-transformers are told by their weights.
    """
    kind = f"{type(system).__module__}.{type(system).__qualname__}"
    if isinstance(key := getattr(system, "cache_key", None), str):
        return {"kind": kind, "key": key, "name": getattr(system, "__qualname__", "")}
    if kind.startswith("sentence_transformers."):
        digest = hashlib.sha256()
        for name, tensor in sorted(system.state_dict().items()):
            values = tensor.detach().cpu().contiguous().flatten()
            digest.update(f"{name} {values.dtype} {tuple(tensor.shape)}".encode())
            digest.update(values.view(values.new_zeros(0).byte().dtype).numpy().tobytes())
        settings = {name: getattr(system, name, "") for name in ("prompts", "default_prompt_name")}
        about = f"{system} {settings} {getattr(system, 'tokenizer', '')}"
        return {"kind": kind, "weights": digest.hexdigest(), "model": about}
    raise InputError(
        f"the results of {kind} cannot be kept, because nothing tells them from those of another"
        " version: give it an attribute cache_key, a text that changes with its results."
    )


def _from_tensors(values: Any) -> Any:
    """Return tensors, also those of a GPU or of half precision, as arrays."""
    if isinstance(values, list) and values and hasattr(values[0], "detach"):
        return [_from_tensors(each) for each in values]
    return values.detach().cpu().double().numpy() if hasattr(values, "detach") else values


def _sides(pairs: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    check_pairs(pairs)
    lefts = [to_displayable(left) for left, _ in pairs]
    return lefts, [to_displayable(right) for _, right in pairs]


def matrix(values: Any, sentences: Sequence[str] | int, source: str) -> FloatArray:
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


def cosines(left: FloatArray, right: FloatArray) -> FloatArray:
    """Return the cosine of each row of two matrices; 0 if one is all zeros."""
    products: FloatArray = np.einsum("ij,ij->i", _units(left), _units(right))
    return products


def _units(vectors: FloatArray) -> FloatArray:
    """Scale vectors to length 1, first by their largest number so that no square overflows."""
    largest = np.abs(vectors).max(axis=1, keepdims=True)
    scaled = vectors / np.where(largest > 0, largest, 1)
    lengths: FloatArray = np.linalg.norm(scaled, axis=1, keepdims=True)
    return scaled / np.maximum(lengths, 1)
