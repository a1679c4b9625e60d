import json
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from stsbaselines.baselines.token_cosine import TokenCosine
from stsbaselines.experiments.run import validate
from tests.helpers import ROOT

BENCHMARKS = ROOT / "benchmarks"
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


def test_the_page_is_filled_in_from_the_results(tmp_path: Path) -> None:
    results = json.loads((ROOT / "docs" / "performance.json").read_text())
    for row in results["memory"]:
        row["peak"] = 1000.0
    (tmp_path / "performance.json").write_text(json.dumps(results))
    parts = [f"<!-- begin {name} -->\nold\n<!-- end {name} -->\n" for name in ("goals", "billion")]
    (tmp_path / "performance.md").write_text(f"Before\n{parts[0]}{parts[1]}After\n")
    command = [sys.executable, str(BENCHMARKS / "page.py"), str(tmp_path)]
    subprocess.run(command, check=True)
    page, drawn = (
        (tmp_path / f"performance.{ending}").read_text(encoding="utf-8") for ending in ("md", "svg")
    )
    lines = [" ".join(line.split()) for line in page.splitlines()]
    assert (lines[0], lines[-1]) == ("Before", "After")
    assert "old" not in lines
    goal = "| memory at 10,000,000 pairs: stsbaselines | at most 300 MB |"
    [memory] = [line for line in lines if line.startswith(goal)]
    assert memory.endswith("| **no** |")
    assert any(line.startswith("| core hours, default path |") for line in lines)
    subprocess.run(command, check=True)
    assert (tmp_path / "performance.md").read_text(encoding="utf-8") == page
    assert (tmp_path / "performance.svg").read_text(encoding="utf-8") == drawn


SPREAD = runpy.run_path(str(BENCHMARKS / "spread.py"))


@pytest.mark.parametrize("name", SPREAD["TABLES"])
def test_the_variants_whose_spread_is_measured_are_valid(name: str) -> None:
    for table in SPREAD["TABLES"][name]:
        config = SPREAD["varied"](*table)
        validate(config)
        assert [each.title for each in config.baselines] == list(table[-1])
        assert all(each.published for each in config.baselines)
