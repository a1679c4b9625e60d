"""The aligner and the scorer of interpretable STS: sentence pairs a second.

Run it with ``make bench``. The pairs are the official test data of 2015 and 2016, or the embedded
sample without them, repeated. They are aligned by their gold standard chunks; the alignments are
written, read back, and scored with all measures and details, by the rules of 2015, which check and
measure most. There is no peer: the official programs are Perl and Java scripts on whole files.
"""

from __future__ import annotations

import itertools
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from stsbaselines.baselines.chunk_aligner import ChunkAligner
from stsbaselines.data.catalogue import DataSet, Task, find_task
from stsbaselines.data.find import require_all
from stsbaselines.errors import MissingDataError
from stsbaselines.tasks import ists
from stsbaselines.tasks.alignment_file import AlignedPair, AlignmentFile
from stsbaselines.tasks.ists import ChunkedPair

PAIRS = 5_000
OFFICIAL = ("ists2015", "ists2016")
STEPS = ("align", "write", "read", "score")
RAW = "tag, chunk and align"

Pairs = list[tuple[ChunkedPair, AlignedPair]]


def pairs_of(names: tuple[str, ...]) -> Pairs:
    """Return the sentence pairs of tasks with their chunks, and with their alignments."""
    pairs: Pairs = []
    for task in map(find_task, names):
        for dataset in task.datasets:
            files = require_all(task, dataset)
            gold = ists.FAMILY.read_gold(files["gold"], task, dataset).pairs
            pairs += zip(ists.FAMILY.read_inputs(files, task, dataset), gold, strict=True)
    return pairs


def repeated_pairs() -> tuple[Pairs, str]:
    """Return as many pairs as are measured, and where they come from."""
    try:
        found, origin = pairs_of(OFFICIAL), "official pairs"
    except MissingDataError:
        found, origin = pairs_of(("sample-ists",)), "pairs of the sample"
    pairs = list(itertools.islice(itertools.cycle(found), PAIRS))
    return pairs, f"{len(found):,} {origin}, repeated"


def task_of_all() -> tuple[Task, DataSet]:
    """Return a task that has one data set of as many pairs."""
    task = find_task("ists2015")
    dataset = task.datasets[0].model_copy(update={"pairs": PAIRS, "scored": PAIRS})
    return task.model_copy(update={"datasets": [dataset]}), dataset


def steps(pairs: Pairs, path: Path) -> dict[str, float]:
    """Return the CPU seconds of each step, once."""
    task, dataset = task_of_all()
    chunked = [each for each, _ in pairs]
    gold = AlignmentFile("gold", tuple(each for _, each in pairs))
    seconds: dict[str, float] = {}

    def timed(step: str, function: Callable[..., Any], *arguments: Any) -> Any:
        start = time.process_time()
        found = function(*arguments)
        seconds[step] = time.process_time() - start
        return found

    predictions = timed("align", ChunkAligner().predict, chunked)
    path.write_bytes(timed("write", ists.FAMILY.format_predictions, predictions, chunked))
    output = timed("read", ists.FAMILY.read_output, path, task, dataset)
    timed("score", ists.FAMILY.score, task, "run", {dataset.name: gold}, {dataset.name: output})
    timed(RAW, ChunkAligner(chunks="system").predict, chunked)
    return seconds


def measured(runs: int = 3) -> tuple[dict[str, float], str]:
    """Return the least CPU seconds of each step, and where the pairs come from."""
    pairs, origin = repeated_pairs()
    with tempfile.TemporaryDirectory() as folder:
        found = [steps(pairs, Path(folder, "run.wa")) for _ in range(runs)]
    return {step: min(each[step] for each in found) for step in found[0]}, origin


def measure() -> dict[str, float]:
    """Return the CPU seconds of the aligner and the scorer, by given chunks and from raw text."""
    seconds = measured()[0]
    scored = sum(seconds[step] for step in STEPS[1:])
    return {"given chunks": seconds["align"] + scored, "raw sentences": seconds[RAW] + scored}


def main() -> None:
    """Print the rates."""
    seconds, origin = measured()
    print(f"{PAIRS:,} pairs: {origin}; one process, the least of 3 runs")
    whole = sum(seconds[step] for step in STEPS)
    rows = {
        **seconds,
        "all four steps": whole,
        "from raw sentences": whole - seconds["align"] + seconds[RAW],
    }
    for name, taken in rows.items():
        print(f"{name:20} {taken:6.2f} CPU seconds {PAIRS / taken:10,.0f} pairs a CPU second")
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"memory of the whole process: {peak:.0f} MB at most; no peer")


if __name__ == "__main__":
    main()
