"""What a command costs: ``python benchmarks/measure.py COMMAND...`` measures it, on Linux.

It prints JSON as the last line of standard error: seconds of the clock (``wall``), CPU seconds of
all its processes (``cpu``) and of the first one alone (``first_cpu``), and the most memory that it
had, in megabytes (``peak``). Of several processes, memory is the sum of theirs, looked at five
times a second, in which a page that they share counts once. This script imports little and runs in
a process of its own, since a process is charged with the memory of the one that starts it.
"""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Sequence
from typing import NamedTuple

INTERVAL = 0.2


def measure(command: Sequence[str]) -> dict[str, float]:
    """Run a command, which must succeed."""
    sums = [0]
    ended = threading.Event()
    start = time.perf_counter()
    process = os.posix_spawn(command[0], list(command), os.environ)
    watcher = threading.Thread(target=_watch, args=(process, sums, ended))
    watcher.start()
    os.waitid(os.P_PID, process, os.WEXITED | os.WNOWAIT)
    wall = time.perf_counter() - start
    first_cpu = _state(process).ticks / os.sysconf("SC_CLK_TCK")
    ended.set()
    watcher.join()
    _, status, used = os.wait4(process, 0)
    if status:
        sys.exit(f"this command failed: {' '.join(command)}")
    return {
        "wall": wall,
        "cpu": used.ru_utime + used.ru_stime,
        "first_cpu": first_cpu,
        "peak": max(used.ru_maxrss * 1024, *sums) / 1e6,
    }


def _watch(process: int, sums: list[int], ended: threading.Event) -> None:
    """Append the memory of a process and all that it started, from time to time."""
    while not ended.wait(INTERVAL):
        family = {process}
        for each in sorted(int(name) for name in os.listdir("/proc") if name.isdigit()):
            if each > process and _state(each).parent in family:
                family.add(each)
        sums.append(sum(map(_memory, family)))


class State(NamedTuple):
    """The parent of a process, and its ticks of CPU time."""

    parent: int
    ticks: int


def _state(process: int) -> State:
    try:
        with open(f"/proc/{process}/stat", "rb") as stream:
            fields = stream.read().rpartition(b")")[2].split()
    except OSError:
        return State(0, 0)
    return State(int(fields[1]), int(fields[11]) + int(fields[12]))


def _memory(process: int) -> int:
    """Return the bytes of a process; its part of those that it shares (Pss)."""
    try:
        with open(f"/proc/{process}/smaps_rollup", "rb") as stream:
            return next(1024 * int(line.split()[1]) for line in stream if line.startswith(b"Pss:"))
    except (OSError, StopIteration):  # it has ended
        return 0


if __name__ == "__main__":
    print(json.dumps(measure(sys.argv[1:])), file=sys.stderr)
