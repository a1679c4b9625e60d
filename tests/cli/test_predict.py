"""The command that scores sentence pairs, through the real entry point."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

from stsbaselines.data.find import SAMPLES
from tests.helpers import COMMAND, run_command


def test_predict_checks_a_file_before_it_prints(tmp_path: Path) -> None:
    path = tmp_path / "pairs.tsv"
    path.write_bytes(b"a\tb\n" * 20_000 + b"no tab\n\n")
    for out in ([], ["-o", str(tmp_path / "scores.txt")]):
        done = run_command(["predict", "token-cosine", str(path), *out])
        assert done.returncode == 2
        assert done.stdout == ""
        assert done.stderr.splitlines() == [
            f"{path}, line 20001: found 'no tab', expected two sentences separated by a TAB",
            f"{path}, line 20002: found a blank line, expected two sentences separated by a TAB",
        ]
    assert [each.name for each in tmp_path.iterdir() if each.is_file()] == ["pairs.tsv"]


def test_a_device_is_written_to_not_replaced() -> None:
    pairs = SAMPLES / "sample-sts" / "STS.input.journeys.txt"
    assert run_command(["predict", "random", str(pairs), "-o", "/dev/null"]).returncode == 0
    assert Path("/dev/null").is_char_device()


def test_standard_output_is_appended_to_not_replaced(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_text("old\n")
    with log.open("a") as stream:
        command = [str(COMMAND), "predict", "token-cosine", "-o", "/dev/stdout"]
        subprocess.run(command, input=b"a\ta\n", stdout=stream, check=True)
    assert log.read_text() == "old\n1.0000000000\n"


def test_a_pipe_is_read_once_and_a_folder_does_not_hide_a_baseline(tmp_path: Path) -> None:
    Path("token-cosine").mkdir()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["bash", "-c", f"printf 'a\\ta\\n' > {pipe}"]):
        assert run_command(["predict", "token-cosine", str(pipe)]).stdout == "1.0000000000\n"


def test_a_terminated_run_leaves_nothing_behind(tmp_path: Path) -> None:
    out = tmp_path / "out" / "scores.txt"
    out.parent.mkdir()
    command = [str(COMMAND), "predict", "token-cosine", "-", "-o", str(out)]
    with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
        assert process.stdin
        process.stdin.write(b"a\ta\n" * 50_000)
        process.stdin.flush()
        deadline = time.monotonic() + 30
        while not list(out.parent.iterdir()) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert [each.suffix for each in out.parent.iterdir()] == [".tmp"]
        process.terminate()
    assert process.returncode == 143
    assert list(out.parent.iterdir()) == []
