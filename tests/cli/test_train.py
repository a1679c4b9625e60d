"""The commands that train, through the real entry point."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers import command_refusal, run_command


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--on", "sample-sts/kitchn", "-o", "m"], "did you mean 'kitchen'"),
        (["--on", "sts2013/SMT", "--on", "sample-sts", "-o", "m"], "STS.input.SMT.txt"),
        (["--on", "sample-sts/kitchen"], "name a folder by -o"),
        (["--on", "sts2012-train"], "sts2012-train was not found"),
        (["--on", "sample-sts", "-o", "m", "--set", "sources=1"], "no parameter 'sources'"),
    ],
)
def test_faulty_training_from_the_command_line(arguments: list[str], message: str) -> None:
    assert message in command_refusal("train", "dkpro-string", *arguments)
    assert not Path("m").exists()


@pytest.mark.official
def test_a_data_set_that_is_excluded_from_training_is_reported(
    official_data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = tmp_path / "mine"
    (data / "sts2013-test").mkdir(parents=True)
    for path in (official_data / "sts2013-test").iterdir():
        if path.name != "STS.input.SMT.txt":
            (data / "sts2013-test" / path.name).symlink_to(path)
    options = ["-o", "m", "--set", 'features=["words"]', "--data-dir", str(data)]
    monkeypatch.setenv("STSBASELINES_DATA", str(data))
    done = run_command(["train", "dkpro-string", "--on", "sts2013", *options])
    assert done.stdout.splitlines() == [
        "sts2013/headlines: 750 pairs",
        "sts2013/OnWN: 561 pairs",
        "sts2013/FNWN: 189 pairs",
        "sts2013/SMT: left out, because it was not found",
        "wrote m",
    ], done.stderr
