"""Where the time of token-cosine goes: ``python benchmarks/steps.py SOURCE`` prints JSON.

Each of these functions does one step more than the one before on the blocks of a file, as
`TokenCosine.score_lines` does; what a step costs is the difference. The whole method and the kernel
of the extra ``fast`` are measured on the same blocks.
"""

from __future__ import annotations

import itertools
import json
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from stsbaselines.baselines.token_cosine import TokenCosine
from stsbaselines.evaluation.prediction import blocks_of

RUNS = 3


def lines(block: bytes) -> None:
    """Cut a block into lines."""
    for _ in block.split(b"\n"):
        pass


def sentences(block: bytes) -> None:
    """Cut lines into sentences."""
    for row in block.split(b"\n")[:-1]:
        columns = row.split(b"\t", 2)
        columns[0], columns[1]


def words(block: bytes) -> None:
    """Cut sentences into words."""
    for row in block.split(b"\n")[:-1]:
        columns = row.split(b"\t", 2)
        columns[0].split(), columns[1].split()


def sets(block: bytes) -> None:
    """Make sets of the words."""
    for row in block.split(b"\n")[:-1]:
        columns = row.split(b"\t", 2)
        set(columns[0].split()), set(columns[1].split())


def intersections(block: bytes) -> None:
    """Count the words, and those that are shared."""
    for row in block.split(b"\n")[:-1]:
        columns = row.split(b"\t", 2)
        left, right = set(columns[0].split()), set(columns[1].split())
        len(left & right), len(left), len(right)


STEPS: dict[str, Callable[[bytes], object]] = {
    "cutting into lines": lines,
    "cutting lines into sentences": sentences,
    "cutting sentences into words": words,
    "making sets": sets,
    "intersecting sets": intersections,
}
REST = "odd lines, and the line of each score from a table"


def cpu_seconds(blocks: Sequence[bytes], step: Callable[[bytes], object]) -> float:
    """Return the least CPU time of several runs over all blocks."""
    times = []
    for _ in range(RUNS):
        start = time.process_time()
        for block in blocks:
            step(block)
        times.append(time.process_time() - start)
    return min(times)


def contents(source: Path) -> Iterator[bytes]:
    """Yield the blocks of a file."""
    with source.open("rb") as stream:
        for block in blocks_of(stream):
            if isinstance(block.content, bytes):
                yield block.content


def reading(source: Path) -> float:
    """Return the CPU time of reading a file block by block."""
    start = time.process_time()
    for _ in contents(source):
        pass
    return time.process_time() - start


def atomic_write(scores: Sequence[bytes | None], out: Path) -> float:
    """Return the CPU time of writing the scores of the blocks."""
    start = time.process_time()
    with out.open("wb") as stream:
        for each in scores:
            stream.write(each or b"")
    return time.process_time() - start


def main(source: Path) -> None:
    """Print the CPU seconds of each step of the default path, and of those of the fast one."""
    read, blocks = reading(source), list(contents(source))
    python, numba = (TokenCosine(kernel=each).score_lines for each in ("python", "numba"))
    written = atomic_write([numba(each) for each in blocks], source.with_suffix(".steps"))
    done = [0.0] + [cpu_seconds(blocks, each) for each in (*STEPS.values(), python)]
    names = [*STEPS, REST]
    differences = (max(0.0, more - less) for less, more in itertools.pairwise(done))
    steps = dict(zip(names, differences, strict=True))
    around = {"reading": read, "writing": written}
    fast = {"the kernel": cpu_seconds(blocks, numba)}
    print(json.dumps({"python": steps | around, "numba": fast | around}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
