"""Scoring a million STS pairs: CPU time, memory, and a plain loop with SciPy beside it.

Run it with ``make bench``. The gold scores are the official ones of 2012 to 2016, or those of the
embedded sample without them; the scores are those of token-cosine, each time changed a little.
Ours reads and checks both files, and computes all measures of one data set, or of a task that has
no other, which are its aggregates too. The loop computes two correlations, which are the measures
of a data set without confidences; these must agree, else it says so and fails.
"""

from __future__ import annotations

import itertools
import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from scipy import stats

from stsbaselines.baselines.token_cosine import TokenCosine
from stsbaselines.data.catalogue import Task, find_task
from stsbaselines.data.find import require_all
from stsbaselines.errors import MissingDataError
from stsbaselines.tasks import sts

PAIRS = 1_000_000
OFFICIAL = ("sts2012", "sts2013", "sts2014", "sts2015", "sts2016")
ROWS = 10_000
OURS, LOOP = "stsbaselines", "loop and SciPy"
CONFIDENT, WHOLE = "stsbaselines, with confidences", "stsbaselines, with confidences and aggregates"

Correlations = tuple[float | None, float | None]


def scored_pairs(names: tuple[str, ...]) -> Iterator[tuple[float, float]]:
    """Yield the gold score and the token-cosine of the scored pairs of tasks."""
    for task in map(find_task, names):
        for dataset in task.datasets:
            try:
                pairs, gold = sts.FAMILY.read_training(require_all(task, dataset), task, dataset)
            except MissingDataError:
                if dataset.restricted:
                    continue
                raise
            yield from zip(gold, TokenCosine().predict(pairs), strict=True)


def million_pairs() -> tuple[Iterator[tuple[float, float]], str]:
    """Return gold scores and scores of a million pairs, and where they come from."""
    try:
        found, origin = list(scored_pairs(OFFICIAL)), "official pairs"
    except MissingDataError:
        found, origin = list(scored_pairs(("sample-sts",))), "pairs of the sample"
    return itertools.islice(itertools.cycle(found), PAIRS), f"{len(found):,} {origin}, repeated"


def write(pairs: Iterator[tuple[float, float]], folder: Path) -> None:
    """Write a gold standard, an output and one with confidences."""
    generator = np.random.RandomState(0)
    with (
        (folder / "gold").open("w") as gold,
        (folder / "output").open("w") as output,
        (folder / "confident").open("w") as confident,
    ):
        while chunk := list(itertools.islice(pairs, ROWS)):
            gold.writelines(f"{score:g}\n" for score, _ in chunk)
            changes = generator.uniform(0, 0.01, len(chunk))
            lines = [
                f"{score + change:.10f}" for (_, score), change in zip(chunk, changes, strict=True)
            ]
            output.writelines(f"{line}\n" for line in lines)
            confidences = generator.randint(101, size=len(chunk))
            confident.writelines(
                f"{line}\t{c}\n" for line, c in zip(lines, confidences, strict=True)
            )


def tasks() -> tuple[Task, Task]:
    """Return a task whose first data set has a million pairs, and one with that set alone."""
    task = find_task("sts2013")
    dataset = task.datasets[0].model_copy(update={"pairs": PAIRS, "scored": PAIRS})
    of_several = task.model_copy(update={"datasets": [dataset, *task.datasets[1:]]})
    return of_several, task.model_copy(update={"datasets": [dataset]})


def ours(task: Task, gold: Path, output: Path) -> Correlations:
    """Read, check and score the first data set as ``stsbaselines score`` does."""
    dataset = task.datasets[0]
    read = {dataset.name: sts.FAMILY.read_output(output, task, dataset)}
    golds = {dataset.name: sts.FAMILY.read_gold(gold, task, dataset)}
    scores = sts.FAMILY.score(task, "run", golds, read)
    measures = scores.datasets[dataset.name]
    return measures.get("pearson_unweighted", measures["pearson"]), measures["spearman"]


def loop_and_scipy(gold: Path, output: Path) -> Correlations:
    """Read with float() line by line, without a check, and correlate."""
    with gold.open("rb") as stream:
        x = [float(line) for line in stream]
    with output.open("rb") as stream:
        y = [float(line) for line in stream]
    return float(stats.pearsonr(x, y).statistic), float(stats.spearmanr(x, y).statistic)


def megabytes() -> float:
    """Return the most memory that this process has had."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measured(runs: int = 3) -> tuple[dict[str, float], float, str]:
    """Return the least CPU seconds of each way, megabytes above the start of ours, the origin."""
    pairs, origin = million_pairs()
    of_several, alone = tasks()
    seconds: dict[str, float] = {}
    results: list[Correlations] = []
    memory = 0.0
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write(pairs, folder)
        gold, output, confident = (folder / each for each in ("gold", "output", "confident"))
        before = megabytes()
        ways = {
            OURS: lambda: ours(of_several, gold, output),
            CONFIDENT: lambda: ours(of_several, gold, confident),
            WHOLE: lambda: ours(alone, gold, confident),
            LOOP: lambda: loop_and_scipy(gold, output),
        }
        for way in [*ways] * runs:
            start = time.process_time()
            results.append(ways[way]())
            taken = time.process_time() - start
            seconds[way] = min(taken, seconds.get(way, taken))
            if len(results) == len(ways) - 1:
                memory = megabytes() - before
    if not np.allclose(np.array(results, dtype=float), np.array(results[-1]), rtol=0, atol=1e-9):
        sys.exit("the correlations differ")
    return seconds, memory, origin


def measure() -> dict[str, float]:
    """Return the CPU seconds of each way."""
    return measured()[0]


def main() -> None:
    """Print the table."""
    seconds, memory, origin = measured()
    print(f"{PAIRS:,} pairs: {origin}; one process, the least of 3 runs")
    for way, taken in seconds.items():
        print(
            f"{way:46} {taken:6.2f} CPU seconds {PAIRS / taken:12,.0f} pairs a CPU second"
            f" {taken / seconds[OURS]:6.2f} x our time"
        )
    print(f"memory of ours, above the start of Python and imports: {memory:.0f} MB at most")


if __name__ == "__main__":
    main()
