"""The random baseline: a uniform random score for each pair.

Its ALLnrm is high (STS 2012, section 4.5), because ALLnrm fits a line to the gold scores of each
data set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state

from stsbaselines.baselines._parameters import check_numbers, check_parameter, check_seed
from stsbaselines.predictor import CHUNK_SIZE, Predictor, check_sized, chunks_of
from stsbaselines.scoring.correlation import FloatArray

LARGEST = 1e300


class RandomScores(Predictor):
    """Uniform random scores.

    Parameters
    ----------
    low, high : float
        The scores are in [low, high).
    random_state : int, numpy.random.RandomState or None
        With an int, each call of `predict` gives the same scores; with a RandomState,
        successive calls continue to draw from it; with None, every call differs.

    Examples
    --------
    >>> RandomScores(random_state=1).predict([("a", "b"), ("c", "d")]).round(3)
    array([2.085, 3.602])
    """

    name: ClassVar[str] = "random"

    def __init__(
        self,
        low: float = 0.0,
        high: float = 5.0,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.low = low
        self.high = high
        self.random_state = random_state

    def predict(self, pairs: Sequence[Any]) -> FloatArray:
        """Return a random score for each pair, as an array of shape (n_pairs,)."""
        check_sized(pairs)
        return np.asarray(self._generator().uniform(self.low, self.high, len(pairs)))

    def predict_chunks(
        self, pairs: Iterable[Any], chunk_size: int = CHUNK_SIZE, n_jobs: int = 1
    ) -> Iterator[FloatArray]:
        """Yield the scores that `predict` gives for all pairs at once, chunk by chunk.

        One generator draws them in order, so `n_jobs` makes no difference.
        """
        generator = self._generator()
        for chunk in chunks_of(pairs, chunk_size):
            yield np.asarray(generator.uniform(self.low, self.high, len(chunk)))

    def _generator(self) -> np.random.RandomState:
        check_numbers(self, low=(-LARGEST, LARGEST), high=(-LARGEST, LARGEST))
        check_parameter(self, "low", self.low < self.high, f"below high, {self.high!r}")
        check_seed(self)
        generator: np.random.RandomState = check_random_state(self.random_state)
        return generator
