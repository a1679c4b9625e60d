"""Fuzz the readers of the package with atheris: ``python tests/fuzz/run.py --seconds 600``.

All targets share the time. What is found is kept below ``fuzz-findings``, in the folder of its
target, and is tried again by ``python tests/fuzz/run.py --again FILE``.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import importlib.util
import io
import os
import re
import sys
import tempfile
import time
from pathlib import Path
from random import Random
from typing import Any

FINDINGS = Path("fuzz-findings")
SECONDS_AN_INPUT = 10
MIB = 2048
_INPUTS = re.compile(r"number_of_executed_units: (\d+)")


def main() -> int:
    """Fuzz; return 1 if something was found, 2 if there is no such target."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help="by default all")
    parser.add_argument("--seconds", type=int, default=600, help="for all targets together")
    parser.add_argument("--again", type=Path, metavar="FILE", help="only try what was found")
    options = parser.parse_args()
    if options.again:
        known = importlib.import_module("targets").targets()
        if not options.again.is_file() or options.again.resolve().parent.name not in known:
            print(f"{options.again} is no file in a folder with the name of a target")
            return 2
        is_refused = importlib.import_module("targets").refused(
            known[options.again.resolve().parent.name], options.again.read_bytes()
        )
        print("refused" if is_refused else "accepted")
        return 0
    if importlib.util.find_spec("atheris") is None:
        version = ".".join(map(str, sys.version_info[:2]))
        print(f"LEFT OUT: fuzzing needs atheris, which is not installed for Python {version}")
        return 0
    return fuzz_all(options.targets, options.seconds)


def fuzz_all(names: list[str], seconds: int) -> int:
    """Fuzz each target in a process of its own, which has what was imported here."""
    atheris = importlib.import_module("atheris")
    with (
        contextlib.redirect_stderr(io.StringIO()),  # the names of all modules
        atheris.instrument_imports(include=["stsbaselines"]),
    ):
        known = importlib.import_module("targets").targets()
    if unknown := set(names) - set(known):
        print(f"there is no target {', '.join(unknown)}; there are {', '.join(known)}")
        return 2
    chosen = names or list(known)
    each = max(1, seconds // len(chosen))
    inputs, found, start = 0, 0, time.monotonic()
    for name in chosen:
        tried, said = _fuzzed(atheris, name, known[name], each)
        inputs += tried
        found += bool(said)
        print(
            f"{name}: {tried:,} inputs{f', FOUND:{os.linesep}{said}' if said else ''}", flush=True
        )
    minutes = (time.monotonic() - start) / 60
    print(
        f"{len(chosen)} targets, {inputs:,} inputs, {minutes:.1f} minutes, {found} found something"
    )
    return 1 if found else 0


def _fuzzed(atheris: Any, name: str, target: Any, seconds: int) -> tuple[int, str]:
    """Fuzz a target; return how many inputs were tried, and what was said of one that failed."""
    folder = FINDINGS / name
    folder.mkdir(parents=True, exist_ok=True)
    with (
        tempfile.TemporaryDirectory() as seeds,
        tempfile.TemporaryDirectory() as files,
        tempfile.TemporaryFile("w+b") as log,
    ):
        for number, seed in enumerate(target.seeds):
            Path(seeds, str(number)).write_bytes(seed)
        child = os.fork()
        if child == 0:
            os.dup2(log.fileno(), 1)
            os.dup2(log.fileno(), 2)
            tempfile.tempdir = files
            _run(
                atheris,
                target,
                [seeds, f"-max_total_time={seconds}", f"-artifact_prefix={folder}/"],
            )
        _, status = os.waitpid(child, 0)
        log.seek(0)
        said = log.read().decode("utf-8", "backslashreplace")
    if not any(folder.iterdir()):
        folder.rmdir()
    tried = _INPUTS.search(said)
    failed = os.waitstatus_to_exitcode(status) != 0 or not tried or tried[1] == "0"
    return int(tried[1]) if tried else 0, said[-4000:] if failed else ""


def _run(atheris: Any, target: Any, options: list[str]) -> None:
    """Fuzz in this process, and end it."""
    refused = importlib.import_module("targets").refused
    mutated = importlib.import_module("mutations").mutated

    def mutate(content: bytes, most: int, seed: int) -> bytes:
        random = Random(seed)
        if random.random() < 0.5:
            return bytes(mutated(content, random)[:most])
        return bytes(atheris.Mutate(content, most))

    limits = [f"-timeout={SECONDS_AN_INPUT}", f"-rss_limit_mb={MIB}", "-max_len=65536"]
    arguments = [sys.argv[0], *options, *limits, "-print_final_stats=1", "-verbosity=0"]
    atheris.Setup(
        arguments, lambda content: refused(target, content) and None, custom_mutator=mutate
    )
    atheris.Fuzz()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())
