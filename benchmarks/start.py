"""How long the start takes: ``python benchmarks/start.py`` prints it, beside a Python without us.

Each line is the median of several runs of a process of its own, in seconds, and as a multiple of
``python -c pass`` in the same rounds.
"""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Sequence

ROUNDS = 15
PAIR = b"A cat sat\tA cat ran\n"
WAYS = {
    "python -c pass": ["-c", "pass"],
    "import stsbaselines": ["-c", "import stsbaselines"],
    "import numpy": ["-c", "import numpy"],
    "stsbaselines --version": ["-m", "stsbaselines", "--version"],
    "stsbaselines --help": ["-m", "stsbaselines", "--help"],
    "stsbaselines predict token-cosine": ["-m", "stsbaselines", "predict", "token-cosine"],
}


def seconds(arguments: Sequence[str]) -> float:
    """Run Python with these arguments, and a sentence pair on its standard input."""
    start = time.perf_counter()
    command = [sys.executable, *arguments]
    subprocess.run(command, input=PAIR, stdout=subprocess.DEVNULL, check=True)
    return time.perf_counter() - start


def main() -> None:
    """Measure all ways in turns, so that a busy moment falls on all of them."""
    rounds = [{name: seconds(each) for name, each in WAYS.items()} for _ in range(ROUNDS + 1)]
    medians = {name: statistics.median(each[name] for each in rounds[1:]) for name in WAYS}
    bare = medians["python -c pass"]
    for name, median in medians.items():
        print(f"{name:34} {median:6.3f} s  {median / bare:5.1f} times")


if __name__ == "__main__":
    main()
