"""The random baseline: a uniform random score for each pair.

STS 2012, section 5: ten such runs reach a mean ALLnrm of .5891, because ALLnrm fits a
line on the gold of each data set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np

from stsbaselines.predictor import CHUNK_SIZE, Predictor, chunks_of
from stsbaselines.scoring.correlation import FloatArray


class RandomScores(Predictor):
    """Uniform random scores.

    Parameters
    ----------
    low, high : float
        The scores lie in [low, high).
    random_state : int, numpy.random.Generator or None
        With an int, each call of `predict` gives the same scores; with a Generator,
        successive calls go on drawing from it; with None, no two calls agree.

    Examples
    --------
    >>> RandomScores(random_state=1).predict([("a", "b"), ("c", "d")]).round(3)
    array([2.559, 4.752])
    """

    name: ClassVar[str] = "random"

    def __init__(
        self,
        low: float = 0.0,
        high: float = 5.0,
        random_state: int | np.random.Generator | None = None,
    ) -> None:
        self.low = low
        self.high = high
        self.random_state = random_state

    def predict(self, pairs: Sequence[Any]) -> FloatArray:
        """Return a random score for each pair, as an array of shape (n_pairs,)."""
        generator = np.random.default_rng(self.random_state)
        return generator.uniform(self.low, self.high, len(pairs))

    def predict_chunks(
        self, pairs: Iterable[Any], chunk_size: int = CHUNK_SIZE, n_jobs: int = 1
    ) -> Iterator[FloatArray]:
        """Yield the scores that `predict` gives for all pairs at once, chunk by chunk.

        One generator draws them in order, so `n_jobs` makes no difference.
        """
        generator = np.random.default_rng(self.random_state)
        for chunk in chunks_of(pairs, chunk_size):
            yield generator.uniform(self.low, self.high, len(chunk))
