"""The tagger and the chunker: tokens a second.

Run it with ``make bench``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from stsbaselines.data.catalogue import find_task
from stsbaselines.data.find import require
from stsbaselines.errors import MissingDataError
from stsbaselines.tasks.alignment_file import read_alignments
from stsbaselines.text import chunker

TOKENS = 100_000


def sentences() -> tuple[list[list[str]], str]:
    """Return at least 100,000 tokens of official sentences or of the embedded sample."""
    for name in ("ists2016-train", "sample-ists"):
        task = find_task(name)
        try:
            files = [require(task, each, "gold") for each in task.datasets]
        except MissingDataError:
            continue
        found = [
            tokens
            for file in files
            for pair in read_alignments(file).pairs
            for tokens in pair.tokens
        ]
        return found * (1 + TOKENS // sum(map(len, found))), name
    raise SystemExit("no sentences")


def rate(label: Callable[[Sequence[str]], object], tokenized: list[list[str]]) -> float:
    """Return how many tokens a second are labelled."""
    start = time.perf_counter()
    for tokens in tokenized:
        label(tokens)
    return sum(map(len, tokenized)) / (time.perf_counter() - start)


def main() -> None:
    """Print the rates."""
    tokenized, origin = sentences()
    model = chunker.load_chunker()
    print(f"{sum(map(len, tokenized)):,} tokens of {origin}, one process")
    for name, label in (("tagger", model.tags), ("tagger and chunker", model.labels)):
        print(f"{name:20} {rate(label, tokenized):10,.0f} tokens a second")


if __name__ == "__main__":
    main()
