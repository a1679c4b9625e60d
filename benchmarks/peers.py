"""What the package costs beside its peers, in one run, on the same pairs.

Run it with ``make bench``. The pairs are those of the official test sets of 2012 to 2016 if they
are here, or else of the embedded sample, repeated with changed words. Each way of scoring runs in
a process of its own, from file to file; its scores must be those of the loop over sets, unless its
measure is another one. It writes all numbers to ``performance.json``, a plot to
``performance.svg``, and the tables into ``performance.md``.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import platform
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import page
from others import PARTS
from ways import WAYS

from stsbaselines.data.catalogue import find_task
from stsbaselines.data.find import locate, require
from stsbaselines.tasks.sts import read_pairs

HERE = Path(__file__).parent
TASKS = ("sts2012", "sts2013", "sts2014", "sts2015", "sts2016")
SIZES = "10000,100000,1000000"
RUNS = ((10.0, 5), (60.0, 2), (float("inf"), 1))
"""Up to how many seconds a way may take to run so often."""
LARGEST = 10_000_000
TOLERANCE = 1e-9
PACKAGES = (
    "numba", "numpy", "joblib", "scipy", "scikit-learn", "polars", "duckdb", "rapidfuzz",
    "textdistance", "gensim", "nltk",
)  # fmt: skip
OPTIONS = {
    "stsbaselines": ("--set", "kernel=python"),
    "stsbaselines, fast": ("--set", "kernel=numba"),
    "stsbaselines, 2 jobs": ("--set", "kernel=python", "--jobs", "2"),
    "stsbaselines, fast, 2 jobs": ("--set", "kernel=numba", "--jobs", "2"),
}
FLOOR, LOOP = "read and write only", "loop over sets"
ORDER = (FLOOR, LOOP, *OPTIONS, *(each for each in WAYS if each not in (FLOOR, LOOP)))

Row = dict[str, Any]


def sentences() -> tuple[list[tuple[list[str], list[str]]], str]:
    """Return the words of the official pairs that are here, or else of the sample."""
    found = []
    for task in map(find_task, TASKS):
        for dataset in task.datasets:
            if locate(task, dataset, "input").status == "ok":
                found += list(read_pairs(require(task, dataset, "input")))
    origin = "official test pairs of 2012 to 2016"
    if not found:
        sample = find_task("sample-sts")
        files = [require(sample, each, "input") for each in sample.datasets]
        found = [pair for file in files for pair in read_pairs(file)]
        origin = "pairs of the embedded sample"
    words = [(left.split(" "), right.split(" ")) for left, right in found]
    return words, f"{len(words):,} {origin}"


def lines(pairs: Sequence[tuple[list[str], list[str]]], count: int) -> Iterator[bytes]:
    """Yield pairs with changed words; every other pair shares the new word."""
    generator = random.Random(0)
    for (left, right), number in zip(itertools.cycle(pairs), range(count), strict=False):
        word = f"w{generator.randrange(100_000)}"
        changed = [list(left), list(right)]
        changed[0][generator.randrange(len(left))] = word
        changed[1][generator.randrange(len(right))] = word if number % 2 else f"v{number}"
        yield "\t".join(" ".join(side) for side in changed).encode() + b"\n"


def command(way: str, source: Path, out: Path) -> list[str]:
    """Return the command that scores a file in some way."""
    if way in OPTIONS:
        ours = ["-m", "stsbaselines", "predict", "token-cosine", str(source), "-o", str(out)]
        return [sys.executable, *ours, *OPTIONS[way]]
    return [sys.executable, str(HERE / "ways.py"), way, str(source), str(out)]


def measured(arguments: Sequence[str], capture: Path) -> Row:
    """Run a command by ``measure.py``; what it prints itself is left in a file."""
    with capture.open("wb") as stream:
        script = [sys.executable, str(HERE / "measure.py"), *arguments]
        done = subprocess.run(script, stdout=stream, stderr=subprocess.PIPE, check=False)
    if done.returncode:
        sys.exit(done.stderr.decode())
    found: Row = json.loads(done.stderr.splitlines()[-1])
    return found


def best(runs: Sequence[Row]) -> Row:
    """Return the least of each number of several runs."""
    return {name: min(each[name] for each in runs) for name in runs[0]}


def most_runs(seconds: float) -> int:
    """Return how often to run a way that takes so long."""
    return next(runs for limit, runs in RUNS if seconds < limit)


def scores_of(out: Path) -> Any:
    """Return the scores in an output."""
    return np.array(out.read_bytes().split(), dtype=np.float64)


def token_cosine(source: Path, count: int, folder: Path) -> Iterator[Row]:
    """Yield a row for each way, which run in turn; slow ones run once."""
    runs: dict[str, list[Row]] = {way: [] for way in ORDER}
    for turn in range(RUNS[0][1]):
        for way in ORDER:
            if not turn or turn < most_runs(runs[way][0]["wall"]):
                arguments = command(way, source, folder / way)
                runs[way].append(measured(arguments, folder / "printed"))
                print(f"{count:,} pairs, {way}: {runs[way][-1]}", file=sys.stderr, flush=True)
    wanted = scores_of(folder / LOOP)
    for way in ORDER:
        cosine = way not in WAYS or WAYS[way].is_cosine
        if cosine and not np.allclose(scores_of(folder / way), wanted, rtol=0, atol=TOLERANCE):
            sys.exit(f"the scores of {way} differ from those of the {LOOP}")
        row = {"way": way, "pairs": count, "same_scores": cosine, "runs": len(runs[way])}
        yield row | best(runs[way])
        (folder / way).unlink()


def steps(source: Path, folder: Path) -> dict[str, dict[str, float]]:
    """Return the CPU seconds of the steps of token-cosine, with the start of the command."""
    script = [sys.executable, str(HERE / "steps.py"), str(source)]
    found: dict[str, dict[str, float]] = json.loads(subprocess.check_output(script))
    one = folder / "one.tsv"
    one.write_text("A cat\tA dog\n")
    for kernel, way in zip(found, OPTIONS, strict=False):
        arguments = command(way, one, folder / "one.out")
        starts = [measured(arguments, folder / "printed") for _ in range(RUNS[0][1])]
        found[kernel] = {"starting, with imports": best(starts)["cpu"], **found[kernel]}
    return found


def others() -> Iterator[Row]:
    """Yield the rows of the other parts of the package."""
    for part in PARTS:
        done = subprocess.check_output([sys.executable, str(HERE / "others.py"), part])
        yield from json.loads(done.splitlines()[-1])


def memory(
    pairs: Sequence[tuple[list[str], list[str]]], largest: int, folder: Path
) -> Iterator[Row]:
    """Yield what our ways and the loop take at a tenth and at all of many pairs, run once."""
    for count in (largest // 10, largest):
        source = written(pairs, count, folder)
        for way in (LOOP, *OPTIONS):
            found = measured(command(way, source, folder / "out"), folder / "printed")
            yield {"way": way, "pairs": count, **found}
        source.unlink()


def written(pairs: Sequence[tuple[list[str], list[str]]], count: int, folder: Path) -> Path:
    """Write a file of some pairs."""
    source = folder / f"{count}.tsv"
    with source.open("wb") as stream:
        stream.writelines(lines(pairs, count))
    return source


def machine() -> dict[str, Any]:
    """Return what the numbers depend on."""
    models = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    return {
        "processor": models[0] if models else platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "versions": {name: version(name) for name in ("stsbaselines", *PACKAGES)},
    }


def main() -> None:
    """Measure, write the numbers, the plot and the tables, and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", default=SIZES, metavar="N,...", help=f"default: {SIZES}")
    parser.add_argument("--out", type=Path, default=Path("docs"))
    parser.add_argument(
        "--largest", type=int, default=LARGEST, metavar="N",
        help=f"pairs for the memory and for two jobs, 0 for none; default: {LARGEST}",
    )  # fmt: skip
    options = parser.parse_args()
    pairs, origin = sentences()
    results: dict[str, Any] = {"machine": machine(), "origin": origin, "token_cosine": []}
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for count in sorted(int(each) for each in options.pairs.split(",")):
            source = written(pairs, count, folder)
            results["bytes_per_pair"] = source.stat().st_size / count
            if not results["token_cosine"]:  # the kernel is compiled once
                measured(command("stsbaselines, fast", source, folder / "out"), folder / "printed")
            results["token_cosine"] += token_cosine(source, count, folder)
        results["steps"] = {"pairs": count, **steps(source, folder)}
        results["others"] = [*others()]
        results["memory"] = [*memory(pairs, options.largest, folder)] if options.largest else []
    (options.out / "performance.json").write_text(json.dumps(results, indent=1) + "\n")
    page.write(options.out)
    print("\n\n".join(page.parts(results).values()))


if __name__ == "__main__":
    main()
