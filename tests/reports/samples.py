"""What the tests of reports share: a comparison with hostile names, and a browser."""

from __future__ import annotations

import shutil
import subprocess
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

from stsbaselines.data.catalogue import find_task
from stsbaselines.evaluation.results import (
    BASELINE,
    BOOTSTRAP,
    FISHER,
    SYSTEM,
    WILLIAMS,
    Comparison,
    ConventionResult,
    LargeError,
    MeasureResult,
    SignificanceTest,
)
from stsbaselines.reference.published import table
from stsbaselines.reference.ranking import rank_of
from stsbaselines.scoring.significance import Interval
from stsbaselines.tasks.base import ScorePairs, Scores

HOSTILE = "<b>&_%$#{}~^\\ |`*[x]</script> \udce9\x01"
SHOWN = "<b>&_%$#{}~^\\ |`*[x]</script> é\ufffd"
BROWSER = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")
PLAIN = "plain \u4e2d"


def in_browser(page: Path) -> str:
    """Return the content of a page after its scripts ran in Chromium."""
    if BROWSER is None:
        pytest.skip("needs Chromium")
    done = subprocess.run(
        [BROWSER, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=2000",
         f"--user-data-dir={page.parent / 'profile'}", "--dump-dom", page.as_uri()],
        capture_output=True, text=True, timeout=120, check=True,
    )  # fmt: skip
    return done.stdout


def score_pairs(seed: int = 0) -> ScorePairs:
    generator = np.random.RandomState(seed)
    gold = generator.randint(0, 6, size=40).astype(float)
    return ScorePairs(gold + generator.randn(40), gold, np.arange(1, 41))


def measured(system: str, name: str, value: float | None) -> MeasureResult:
    of = table("sts2015-english")
    if value is None:
        return MeasureResult(system, name, None, 750)
    interval = Interval(value - 0.05, value + 0.05)
    agreement = Decimal("0.888") if name == "images" else None
    return MeasureResult(system, name, value, 750, interval, rank_of(of, name, value), agreement)


def comparison(names: tuple[str, str] = (HOSTILE, PLAIN)) -> Comparison:
    one, other = names
    scores = {
        name: Scores("sts2015", name, {}, {"Mean": 0.62}, "pearson", f"task:sts2015|n:{place}")
        for place, name in enumerate(names)
    }
    tests = (
        SignificanceTest(
            one, "Baseline-tokencos", BASELINE, "Mean", FISHER, 0.0329, 1.9, 0.0287, True
        ),
        SignificanceTest(one, other, SYSTEM, "Mean", FISHER, 0.32, 2.5, 0.0062, True),
        SignificanceTest(one, other, SYSTEM, "Mean", BOOTSTRAP, 0.32, None, 0.012, True, True),
        SignificanceTest(one, other, SYSTEM, "images", WILLIAMS, 0.1, np.inf, 0.0, True, True),
    )
    return Comparison(
        task=find_task("sts2015"),
        systems=names,
        scores=scores,
        measured=(
            measured(one, "images", 0.8),
            measured(one, "Mean", 0.62),
            measured(other, "images", None),
            measured(other, "Mean", 0.3),
        ),
        tests=tests,
        conventions=(
            ConventionResult(one, "official Mean", 0.62, "task:sts2015|n:0"),
            ConventionResult(other, "official Mean", 0.3, "task:sts2015|n:1"),
        ),
        score_pairs={(one, "images"): score_pairs(), (other, "images"): score_pairs(1)},
        errors=(
            LargeError(one, "images", 7, "score", -1.5, 4.0, 3.21, (HOSTILE, "A cat sleeps.")),
            LargeError(other, "images", 9, "score", 0.5, 0.0, 2.0, None),
        ),
        notes=(f"{one}: a note",),
    )
