"""WTMF: seconds an iteration and peak memory, beside its peers, on the same matrices.

Run it with ``make bench-wtmf``; it takes about half an hour. The matrices are of WordNet and Brown,
every n-th sentence. Each measurement is a process of its own, one after another.
"""

from __future__ import annotations

import argparse
import itertools
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from tabulate import tabulate

from stsbaselines.baselines._factorization import RowSolver
from stsbaselines.data.corpora import sentences_of
from stsbaselines.text.stems import count_matrix

COMPONENTS, MISSING, REGULARIZATION = 100, 0.01, 20.0
ITERATIONS = 3
CONVERGED = 20
THREADS = 2
SIZES = (8_000, 40_000, 175_000)
SAMPLED_ROWS = 4_000

Factors = tuple[Any, Any]
Matrix = sparse.csr_matrix


def ours(dtype: str) -> Callable[[Matrix, int], Factors]:
    """Return our solver in a precision."""

    def train(matrix: Matrix, iterations: int) -> Factors:
        of_words = matrix.T.tocsr()
        words = np.random.RandomState(0).standard_normal((matrix.shape[1], COMPONENTS))
        words = words.astype(dtype)
        for _ in range(iterations):
            documents = RowSolver(words, MISSING, REGULARIZATION).solve(matrix, THREADS)
            words = RowSolver(documents, MISSING, REGULARIZATION).solve(of_words, THREADS)
        return documents, words

    return train


def solve_row_by_row(matrix: Matrix, factors: Any, rows: Any) -> Any:
    """Solve a K x K system for each row, as the textbook has it."""
    common = MISSING * factors.T @ factors + REGULARIZATION * np.eye(factors.shape[1])
    found = np.zeros((matrix.shape[0], factors.shape[1]))
    for row in rows:
        cells = slice(matrix.indptr[row], matrix.indptr[row + 1])
        mine = factors[matrix.indices[cells]]
        system = common + (1 - MISSING) * mine.T @ mine
        found[row] = np.linalg.solve(system, mine.T @ matrix.data[cells])
    return found


def seconds_row_by_row(matrix: Matrix) -> tuple[float, bool]:
    """Return seconds of an iteration, extrapolated from a sample of the rows if they are many."""
    generator, seconds = np.random.RandomState(0), 0.0
    factors = generator.standard_normal((matrix.shape[1], COMPONENTS))
    for each in (matrix, matrix.T.tocsr()):
        rows = np.arange(each.shape[0])
        sample = generator.permutation(rows)[:SAMPLED_ROWS]
        start = time.perf_counter()
        solve_row_by_row(each, factors, sample)
        seconds += (time.perf_counter() - start) * len(rows) / len(sample)
        factors = generator.standard_normal((each.shape[0], COMPONENTS))
    return seconds, max(matrix.shape) > SAMPLED_ROWS


def cmfrec(use_cg: bool) -> Callable[[Matrix, int], Factors]:
    """Return cmfrec's solver, which has the same objective divided by the missing weight."""

    def train(matrix: Matrix, iterations: int) -> Factors:
        from cmfrec import CMF

        model = CMF(
            k=COMPONENTS, lambda_=REGULARIZATION / MISSING, method="als", use_cg=use_cg,
            NA_as_zero=True, niter=iterations, nthreads=THREADS, user_bias=False,
            item_bias=False, center=False, finalize_chol=False, verbose=False,
            precompute_for_predictions=False, random_state=1,
        )  # fmt: skip
        cells = matrix.tocoo()
        weights = sparse.coo_matrix((np.full(cells.nnz, 1 / MISSING), (cells.row, cells.col)))
        weights.resize(matrix.shape)
        model.fit(cells, W=weights)
        return model.A_, model.B_

    return train


def implicit(use_cg: bool) -> Callable[[Matrix, int], Factors]:
    """Return implicit's solver; its targets are 0 and 1 only, so its objective is another."""

    def train(matrix: Matrix, iterations: int) -> Factors:
        from implicit.als import AlternatingLeastSquares

        model = AlternatingLeastSquares(
            factors=COMPONENTS, regularization=REGULARIZATION, iterations=iterations,
            use_cg=use_cg, use_gpu=False, num_threads=THREADS, random_state=0,
        )  # fmt: skip
        model.fit(matrix, show_progress=False)
        return model.user_factors, model.item_factors

    return train


METHODS: dict[str, Callable[[Matrix, int], Factors]] = {
    "stsbaselines, float64": ours("float64"),
    "stsbaselines, float32": ours("float32"),
    "implicit, Cholesky": implicit(False),
    "implicit, CG (approximate)": implicit(True),
    "cmfrec, exact": cmfrec(False),
    "cmfrec, CG (approximate)": cmfrec(True),
}
ROW_BY_ROW = "row by row, float64"


def measure(method: str, path: Path) -> dict[str, Any]:
    """Measure one method on one matrix."""
    matrix = sparse.csr_matrix(sparse.load_npz(path))
    found: dict[str, Any] = {"sampled": False, "objective": None}
    if method == ROW_BY_ROW:
        found["seconds"], found["sampled"] = seconds_row_by_row(matrix)
    else:
        train = METHODS[method]
        one, more = (timed(train, matrix, iterations) for iterations in (1, 1 + ITERATIONS))
        found["seconds"] = (more - one) / ITERATIONS
        if matrix.shape[0] <= min(SIZES) and not method.startswith("implicit"):
            factors = train(matrix, CONVERGED)
            found["objective"] = objective(matrix, *factors)
    found["megabytes"] = peak_megabytes()
    return found


def objective(matrix: Matrix, documents: Any, words: Any) -> float:
    """Return the objective of WTMF for any factors."""
    cells = matrix.tocoo()
    fitted = np.einsum("ij,ij->i", documents[cells.row], words[cells.col], dtype=np.float64)
    stored = ((fitted - cells.data) ** 2 - MISSING * fitted**2).sum()
    missing = MISSING * ((documents.T @ documents) * (words.T @ words)).sum()
    strength = REGULARIZATION * ((documents**2).sum() + (words**2).sum())
    return float(stored + missing + strength)


def timed(train: Callable[[Matrix, int], Factors], matrix: Matrix, iterations: int) -> float:
    """Return how many seconds a training takes."""
    start = time.perf_counter()
    train(matrix, iterations)
    return time.perf_counter() - start


def peak_megabytes() -> float:
    """Return the most memory that this process had (not its parent, as getrusage may say)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def matrices(folder: Path) -> list[tuple[int, Path]]:
    """Write the matrices, and return how many sentences each has."""
    sentences = list(itertools.chain(sentences_of("wordnet"), sentences_of("brown")))
    paths = []
    for size in SIZES:
        chosen = sentences[:: max(1, len(sentences) // size)][:size]
        vocabulary, counts = count_matrix(chosen)
        path = folder / f"{size}.npz"
        sparse.save_npz(path, vocabulary.weighted(counts))
        paths.append((len(chosen), path))
    return paths


def plot(rows: list[dict[str, Any]], path: Path) -> None:
    """Draw the cost against the size of the corpus."""
    from matplotlib import pyplot

    figure, axes = pyplot.subplots(figsize=(7, 4.5))
    for method in dict.fromkeys(row["method"] for row in rows):
        mine = [row for row in rows if row["method"] == method]
        style = "-" if method.startswith("stsbaselines") else "--"
        axes.plot([r["sentences"] for r in mine], [r["seconds"] for r in mine], style, marker="o",
                  label=method)  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="sentences", ylabel="seconds an iteration")
    axes.grid(visible=True, which="both", alpha=0.3)
    axes.legend(fontsize="small")
    figure.tight_layout()
    figure.savefig(path)


def main() -> None:
    """Measure all methods, and print and write a table and a plot."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("docs"))
    parser.add_argument("--measure", nargs=2, metavar=("METHOD", "FILE"))
    options = parser.parse_args()
    if options.measure:
        print(json.dumps(measure(options.measure[0], Path(options.measure[1]))))
        return
    rows = []
    with tempfile.TemporaryDirectory() as temporary:
        for sentences, path in matrices(Path(temporary)):
            for method in [*METHODS, ROW_BY_ROW]:
                command = [sys.executable, __file__, "--measure", method, str(path)]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                found = json.loads(done.stdout.splitlines()[-1])
                rows.append({"sentences": sentences, "method": method, **found})
                print(rows[-1], flush=True)
    first = {
        row["sentences"]: row["seconds"] for row in rows if row["method"] == next(iter(METHODS))
    }
    table = [
        {
            "sentences": f"{row['sentences']:,}",
            "method": row["method"],
            "s/iteration": f"{row['seconds']:.2f}" + (" (a)" if row["sampled"] else ""),
            "x ours": f"{row['seconds'] / first[row['sentences']]:.1f}",
            "peak MB": f"{row['megabytes']:.0f}",
            "objective": f"{row['objective']:.0f}" if row["objective"] else "",
        }
        for row in rows
    ]
    text = tabulate(table, headers="keys", tablefmt="pipe", disable_numparse=True)
    (options.out / "wtmf-benchmark.md").write_text(HEAD + text + TAIL)
    plot(rows, options.out / "wtmf-benchmark.svg")
    print(text)


HEAD = f"""# Benchmark of WTMF

{COMPONENTS} components, on every n-th sentence of WordNet and Brown, {THREADS} threads, one process
for each measurement; seconds are the mean of {ITERATIONS} iterations after the first. Made by
`make bench-wtmf`. Ours without the objective, which `fit` computes after each iteration.

![Seconds an iteration against the number of sentences](wtmf-benchmark.svg)

"""
TAIL = f"""

(a) Extrapolated from {SAMPLED_ROWS:,} rows of either side; one core for the loop, two for BLAS.

"Objective" is that of WTMF after {CONVERGED} iterations from a random start of each program.
implicit fits 0 and 1 only, so that its objective is another one; the conjugate gradient (CG)
methods do not solve the least squares problems exactly.
"""


if __name__ == "__main__":
    main()
