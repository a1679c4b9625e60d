"""The command for the published tables, through the real entry point."""

from __future__ import annotations

import json
from pathlib import Path

from tests.helpers import run_command


def test_tables_in_every_format() -> None:
    overview = run_command(["tables"]).stdout
    assert "sts2013-core" in overview
    assert "0.3639" in run_command(["tables", "sts2013"]).stdout
    rows = json.loads(run_command(["tables", "sts2015", "--format", "json"]).stdout)[0]["rows"]
    assert rows[0]["Mean"] == "0.5871"
    csv = run_command(["tables", "sts2012", "--format", "csv"]).stdout.splitlines()
    assert len(csv) == 90
    assert csv[1].startswith("00-baseline/task6-baseline,baseline,0.3110,87,")
    assert r"\toprule" in run_command(["tables", "sts2015-es", "--format", "latex"]).stdout
    assert "0.3639 |" in run_command(["tables", "sts2013-core", "--format", "markdown"]).stdout


def test_tables_are_selected_and_plotted() -> None:
    def runs(*arguments: str) -> list[str]:
        done = run_command(["tables", *arguments, "--format", "json"])
        return [row["run"] for table in json.loads(done.stdout) for row in table["rows"]]

    assert runs("sts2015", "--top", "2") == ["DLS@CU-S1", "ExBThemis-themisexp"]
    assert runs("sts2015", "--team", "sopalip", "--top", "1") == ["SopaLipnIimas-RF"]
    assert runs("pit2015", "--unsupervised", "--top", "1") == ["02_ormf"]
    assert "sts2015-spanish" in run_command(["tables", "--team", "sopalip"]).stdout
    for name in ("plot.svg", "plot.png", "plot.pdf"):
        assert run_command(["tables", "pit2015", "--plot", name]).returncode == 0
    starts = {path.suffix: path.read_bytes()[:4] for path in Path().glob("plot.*")}
    assert starts == {".svg": b"<?xm", ".png": b"\x89PNG", ".pdf": b"%PDF"}
