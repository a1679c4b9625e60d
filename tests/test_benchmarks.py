import json
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stsbaselines.baselines.token_cosine import TokenCosine

BENCHMARKS = Path(__file__).parent.parent / "benchmarks"
WAYS = runpy.run_path(str(BENCHMARKS / "ways.py"))["WAYS"]
PEERS = [name for name, way in WAYS.items() if way.package]
PAIRS = [
    ("A cat sat on the mat", "A dog sat on the mat"),
    (" A cat  sat ", " The cat sat"),
    ('"A cat', 'A "cat'),
    ("caf\u00e9\u00a0au lait", "caf\u00e9 au lait"),
    *((f"the word {n} is a word", f"the number {n % 3} is {n % 5}") for n in range(16)),
]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "pairs.tsv"
    path.write_text("".join(f"{left}\t{right}\n" for left, right in PAIRS), encoding="utf-8")
    return path


def scores_of(way: str, source: Path) -> list[float]:
    out = source.with_suffix(".out")
    WAYS[way].run(source, out)
    return [float(line) for line in out.read_bytes().splitlines()]


def test_the_loop_is_token_cosine(source: Path) -> None:
    wanted = TokenCosine().predict(PAIRS)
    np.testing.assert_allclose(scores_of("loop over sets", source), wanted, rtol=0, atol=1e-10)


def test_the_floor_writes_a_line_for_each_pair(source: Path) -> None:
    assert scores_of("read and write only", source) == [0.0] * len(PAIRS)


@pytest.mark.extras
@pytest.mark.parametrize("way", PEERS)
def test_a_peer_scores_all_pairs(way: str, source: Path) -> None:
    scores, wanted = (scores_of(each, source) for each in (way, "loop over sets"))
    assert len(scores) == len(PAIRS)
    assert np.allclose(scores, wanted, rtol=0, atol=1e-9) == WAYS[way].is_cosine


def test_what_a_command_costs() -> None:
    script = (
        "import subprocess, sys; subprocess.run([sys.executable, '-c', 'x = bytearray(10**8)'])"
    )
    command = [sys.executable, str(BENCHMARKS / "measure.py"), sys.executable, "-c", script]
    found = json.loads(subprocess.run(command, capture_output=True, check=True).stderr)
    assert found["peak"] > 100
    assert 0 <= found["first_cpu"] <= found["cpu"] + 0.02
    assert found["wall"] > 0


def test_a_command_that_fails_ends_the_measurement() -> None:
    command = [sys.executable, str(BENCHMARKS / "measure.py"), sys.executable, "-c", "1 / 0"]
    done = subprocess.run(command, capture_output=True, check=False, text=True)
    assert done.returncode == 1
    assert "ZeroDivisionError" in done.stderr


@pytest.fixture
def results() -> dict[str, Any]:
    ways = runpy.run_path(str(BENCHMARKS / "page.py"))
    names = [ways[each] for each in ("FLOOR", "LOOP", "OURS", "FAST", "OURS_2", "FAST_2")]
    seconds = dict(zip([*names, "polars"], (0.5, 3.0, 3.0, 0.5, 3.5, 0.8, 2.0), strict=True))
    rows = [
        {"way": way, "pairs": pairs, "same_scores": True, "runs": 1, "peak": 50.0}
        | dict.fromkeys(("wall", "cpu", "first_cpu"), taken * pairs / 1e6)
        for pairs in (10_000, 1_000_000)
        for way, taken in seconds.items()
    ]
    memory = [
        {"way": way, "pairs": pairs, "cpu": taken, "wall": taken, "peak": peak}
        for pairs, peak in ((10**6, 50.0), (10**7, 100.0))
        for way, taken in seconds.items()
    ]
    other = {"what": "bootstrap", "way": "ours", "unit": "resamples", "count": 10, "seconds": 2.0}
    return {
        "machine": {"processor": "P", "cores": 2, "python": "3.10.0", "versions": {"numpy": "2"}},
        "origin": "10 pairs",
        "bytes_per_pair": 100.0,
        "token_cosine": rows,
        "steps": {"pairs": 1_000_000, "python": {"start": 1.0}, "numba": {"start": 0.2}},
        "others": [other],
        "memory": memory,
    }


def test_the_page_says_what_was_missed(results: dict[str, Any], tmp_path: Path) -> None:
    begin, end = "<!-- begin goals -->", "<!-- end goals -->"
    (tmp_path / "performance.json").write_text(json.dumps(results))
    (tmp_path / "performance.md").write_text(f"Before\n{begin}\nold\n{end}\nAfter\n")
    command = [sys.executable, str(BENCHMARKS / "page.py"), str(tmp_path)]
    subprocess.run(command, check=True)
    page = (tmp_path / "performance.md").read_text()
    drawn = (tmp_path / "performance.svg").read_bytes()
    lines = [" ".join(line.split()) for line in page.splitlines()]
    assert lines[:2] == ["Before", begin]
    assert lines[-2:] == [end, "After"]
    assert "old" not in page
    two_jobs = "2 jobs, x the time of one job by the clock, 10,000,000 pairs"
    for line in (
        "| default path, x the loop per core, 1,000,000 pairs | at least 1.0 | 1.00 | yes |",
        "| fast path, x the loop per core, 10,000,000 pairs | at least 6.0 | 6.00 | yes |",
        f"| {two_jobs} | at most 0.62 | 1.17 | **no** |",
        "| memory at 10,000,000 pairs: stsbaselines | at most 300 MB | 100 MB | yes |",
        "| the same, x that at 1,000,000 pairs | at most 1.05 | 2.00 | **no** |",
    ):
        assert line in lines
    subprocess.run(command, check=True)
    assert (tmp_path / "performance.md").read_text() == page
    assert (tmp_path / "performance.svg").read_bytes() == drawn


def test_the_plan_follows_from_the_rates(results: dict[str, Any]) -> None:
    plan = runpy.run_path(str(BENCHMARKS / "page.py"))["plan"](results)
    lines = [" ".join(line.split()) for line in plan.splitlines()]
    assert "| core hours, default path | 0.8 |" in lines
    assert "| input on disk, unpacked | 100 GB |" in lines
    assert "| one core, fast path | 2,000,000 | 0.14 | 6.0 | 1.0 |" in lines
