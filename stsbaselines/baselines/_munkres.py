"""The assignment problem by the algorithm of Munkres, in the order of the package munkres 1.0.7.

Several assignments can be optimal, and the published rows need the one that the organisers'
program found. Therefore this follows the same formulation: it takes the last uncovered zero of the
first row that has one. `scipy.optimize.linear_sum_assignment` and later versions of the package
find other assignments.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Matrix = npt.NDArray[np.int64]


def assignment(costs: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Return (row, column) pairs that use each row and column once and cost least.

    Costs are padded with zeros to a square; pairs of the padding are left out.
    """
    rows, columns = len(costs), max(map(len, costs), default=0)
    if not columns:
        return []
    matrix = np.zeros((max(rows, columns),) * 2, dtype=np.int64)
    matrix[:rows, :columns] = costs
    starred = _starred_zeros(matrix - matrix.min(axis=1, keepdims=True))
    return [(i, j) for i, j in enumerate(starred) if i < rows and j < columns]


def _starred_zeros(costs: Matrix) -> list[int]:
    """Return the column of each row's starred zero, once every row has one."""
    size = len(costs)
    star_of_row = [-1] * size
    for i, j in np.argwhere(costs == 0).tolist():
        if star_of_row[i] < 0 and j not in star_of_row:
            star_of_row[i] = j
    while -1 in star_of_row:
        _augment(costs, star_of_row)
    return star_of_row


def _augment(costs: Matrix, star_of_row: list[int]) -> None:
    """Prime zeros until a path of primes and stars gives one more star."""
    size = len(costs)
    prime_of_row = [-1] * size
    free_rows = np.ones(size, dtype=np.bool_)
    free_columns = np.array([j not in star_of_row for j in range(size)])
    while True:
        row, column = _uncovered_zero(costs, free_rows, free_columns)
        prime_of_row[row] = column
        if star_of_row[row] < 0:
            break
        free_rows[row], free_columns[star_of_row[row]] = False, True
    while column in star_of_row:
        above = star_of_row.index(column)
        star_of_row[row] = column
        star_of_row[above] = -1
        row, column = above, prime_of_row[above]
    star_of_row[row] = column


def _uncovered_zero(
    costs: Matrix, free_rows: npt.NDArray[np.bool_], free_columns: npt.NDArray[np.bool_]
) -> tuple[int, int]:
    """Find the uncovered zero to prime; where there is none, shift the costs to make one."""
    while True:
        zeros = np.argwhere((costs == 0) & free_rows[:, None] & free_columns)
        if len(zeros):
            row = int(zeros[0, 0])
            return row, int(zeros[zeros[:, 0] == row][-1, 1])
        least = costs[np.ix_(free_rows, free_columns)].min()
        costs[~free_rows] += least
        costs[:, free_columns] -= least
