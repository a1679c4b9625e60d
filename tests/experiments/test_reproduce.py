"""The ledger: all published numbers beside ours."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stsbaselines.data.catalogue import find_task
from stsbaselines.errors import InputError
from stsbaselines.experiments.config import read_config
from stsbaselines.experiments.reproduce import ledger, ledger_configs
from stsbaselines.reports.ledger import ledger_text
from stsbaselines.reports.tables import Format


def test_the_ledger_has_the_baselines_that_belong_into_it() -> None:
    official, pit = ledger_configs(["sts2013", "pit2015"])
    assert [each.title for each in official.baselines] == ["token-cosine", "wtmf", "lsa", "lda"]
    assert len(pit.baselines) == len(read_config("pit2015").baselines)
    with pytest.raises(InputError, match="sample-sts: no baseline has a published row"):
        ledger_configs(["sample-sts"])
    with pytest.raises(InputError, match="did you mean"):
        ledger_configs(["sts2012", "sts201"])


def test_slow_configurations_are_in_the_ledger_only_by_name() -> None:
    every = [config for config in ledger_configs() if config.slow]
    assert every == []
    [named] = ledger_configs(["strong-sts2012-grid"])
    assert named.slow


def test_the_ledger_without_data_says_so(tmp_path: Path) -> None:
    cells = ledger([read_config("sts2012")], tmp_path)
    assert {cell.status for cell in cells} == {"no data"}
    assert len(cells) == 9
    assert all("stswiki" in cell.reason for cell in cells)
    assert json.loads(ledger_text(cells, Format.json))[0]["published"] == "0.4334"
    assert "9 published numbers: 9 no data." in ledger_text(cells, Format.markdown)


def test_a_fault_is_no_missing_data(tmp_path: Path) -> None:
    config = read_config("sts2015-es")
    folder = tmp_path / "mine" / "sts2015-es"
    folder.mkdir(parents=True)
    for dataset in find_task("sts2015-es").datasets:
        for file in dataset.files.values():
            (folder / file.name).write_text("1\n")
    with pytest.raises(InputError, match="expected sha256"):
        ledger([config], tmp_path / "out", tmp_path / "mine")
