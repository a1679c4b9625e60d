"""Weighted matrix factorisation by alternating least squares, exact and batched.

A sparse matrix X (documents x words) is approximated by Q P', where a cell that is not stored
is a zero of small weight w. The least squares solution for a document with the words d,

    q = (A + c P_d' P_d)^-1 P_d' x_d   with   A = w P'P + lambda I   and   c = 1 - w,

is a system with as many unknowns as there are components. Only P_d differs between documents.
With A = L L' and F = P L'^-1, the push-through identity turns it
into a system with as many unknowns as the document has words,

    q = L'^-1 F_d' (I + c F_d F_d')^-1 x_d,

and documents with the same number of words are solved together. Rows with more words than
components keep the first form, q = L'^-1 (I + c F_d' F_d)^-1 F_d' x_d.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed, effective_n_jobs
from scipy import linalg, sparse
from threadpoolctl import threadpool_limits

Array = npt.NDArray[Any]
Batches = Iterator[tuple[int, Array]]
MEGABYTE = 1 << 20


class RowSolver:
    """Solves for the factors of rows, given those of the columns, one row each."""

    def __init__(
        self,
        factors: Array,
        missing_weight: float,
        regularization: float,
        working_memory: float = 2,
    ) -> None:
        kind = factors.dtype.type
        self.working_memory = working_memory
        self.stored = kind(1 - missing_weight)
        common = kind(missing_weight) * (factors.T @ factors)
        common[np.diag_indices_from(common)] += kind(regularization)
        identity = np.eye(len(common), dtype=factors.dtype)
        lower = linalg.cholesky(common, lower=True)
        self.inverse = linalg.solve_triangular(lower, identity, lower=True)
        self.scaled = factors @ self.inverse.T

    def solve(self, matrix: sparse.csr_matrix, n_jobs: int = 1) -> Array:
        """Return the best factors of rows, of shape (n_rows, n_components), in `n_jobs` threads.

        No cell may be stored twice. Rows without a stored cell get 0.
        """
        found = np.zeros((matrix.shape[0], self.scaled.shape[1]), dtype=self.scaled.dtype)
        batches = iter(list(self._batches(np.diff(matrix.indptr))))
        threads = effective_n_jobs(n_jobs)
        with threadpool_limits(1 if threads > 1 else None, user_api="blas"):
            Parallel(n_jobs=threads, prefer="threads")(
                delayed(self._solve_batches)(found, matrix, batches) for _ in range(threads)
            )
        return found

    def _solve_batches(self, found: Array, matrix: sparse.csr_matrix, batches: Batches) -> None:
        """Solve the batches that no other thread has taken from the iterator yet."""
        for length, rows in batches:
            if length > self.scaled.shape[1]:
                found[rows[0]] = self._solve_long(matrix, rows[0]) @ self.inverse
            else:
                found[rows] = self._solve_short(matrix, length, rows) @ self.inverse

    def _batches(self, lengths: Array) -> Iterator[tuple[int, Array]]:
        """Yield a number of stored cells with rows that have that many, largest first."""
        components = self.scaled.shape[1]
        for length in reversed(np.unique(lengths[lengths > 0]).tolist()):
            rows = np.flatnonzero(lengths == length)
            size = 1
            if length <= components:
                size = self._fitting(length * components + 2 * length * length)
            for first in range(0, len(rows), size):
                yield length, rows[first : first + size]

    def _fitting(self, numbers: int) -> int:
        """Return how many times so many numbers fit into the working memory, at least 1."""
        return max(1, int(self.working_memory * MEGABYTE / (numbers * self.scaled.itemsize)))

    def _solve_short(self, matrix: sparse.csr_matrix, length: int, rows: Array) -> Array:
        """Solve for rows that all have `length` cells, at most as many as components."""
        cells = matrix.indptr[rows][:, None] + np.arange(length)
        values = matrix.data[cells].astype(self.scaled.dtype, copy=False)
        mine = self.scaled.take(matrix.indices[cells], axis=0)
        systems = mine @ (self.stored * mine).transpose(0, 2, 1)
        diagonal = np.arange(length)
        systems[:, diagonal, diagonal] += 1
        inner = np.linalg.solve(systems, values[:, :, None])
        return np.asarray((inner.transpose(0, 2, 1) @ mine)[:, 0])

    def _solve_long(self, matrix: sparse.csr_matrix, row: int) -> Array:
        """Solve for a row with more cells than components, adding up blocks of its cells."""
        start, end = matrix.indptr[row], matrix.indptr[row + 1]
        components = self.scaled.shape[1]
        system = np.eye(components, dtype=self.scaled.dtype)
        right = np.zeros(components, dtype=self.scaled.dtype)
        size = self._fitting(components)
        for first in range(start, end, size):
            cells = slice(first, min(first + size, end))
            block = self.scaled.take(matrix.indices[cells], axis=0)
            system += self.stored * (block.T @ block)
            right += matrix.data[cells].astype(self.scaled.dtype, copy=False) @ block
        return np.asarray(linalg.cho_solve(linalg.cho_factor(system), right))


def objective(
    of_words: sparse.csr_matrix, documents: Array, words: Array, regularization: float
) -> float:
    """Return the weighted squared error of all cells, plus the regularization.

    `words` must be the exact solution for `documents`: only then the sum over the cells that are
    not stored cancels out.
    """
    fitted = ((of_words @ documents) * words).sum(dtype=np.float64)
    strength = regularization * np.square(documents).sum(dtype=np.float64)
    return float(np.square(of_words.data).sum() - fitted + strength)
