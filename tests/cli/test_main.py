"""The command line, through its real entry point."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from stsbaselines.data.find import SAMPLES
from stsbaselines.version import __version__
from tests.helpers import COMMAND, run_command

GOOD = b"".join(b"%.1f\n" % (n / 4) for n in range(12))
MALFORMED = {
    "blank line": GOOD.replace(b"1.0\n", b"\n"),
    "NaN": GOOD.replace(b"1.0", b"NaN"),
    "infinity": GOOD.replace(b"1.0", b"inf"),
    "decimal comma": GOOD.replace(b"1.0", b"1,0"),
    "text": b"score\n" + GOOD,
    "too few lines": GOOD[4:],
    "too many lines": GOOD + b"1\n",
    "byte order mark": b"\xef\xbb\xbf" + GOOD,
    "CRLF": GOOD.replace(b"\n", b"\r\n"),
    "extra columns": GOOD.replace(b"\n", b"\t50\tx\n"),
    "empty": b"",
    "binary": bytes(range(256)) * 4,
    "UTF-16": GOOD.decode().encode("utf-16"),
}


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        *(("check", fault) for fault in [*MALFORMED, "missing", "directory", "unreadable"]),
        ("score", "decimal comma"),
        ("score", "missing"),
        ("compare", "too few lines"),
        ("compare", "unreadable"),
    ],
)
def test_malformed_output_gives_no_number(command: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "STS.output.kitchen.txt"
    if fault == "directory":
        path.mkdir()
    elif fault == "unreadable":
        path.symlink_to(path)
    elif fault != "missing":
        path.write_bytes(MALFORMED[fault])
    done = run_command([command, "sample-sts", str(path), "--dataset", "kitchen"])
    assert done.returncode == 2
    assert done.stdout == ""
    assert str(tmp_path) in done.stderr
    assert "expected" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_good_file_passes(tmp_path: Path) -> None:
    path = tmp_path / "STS.output.kitchen.txt"
    path.write_bytes(GOOD)
    done = run_command(["check", "sample-sts", str(path)])
    assert (done.returncode, done.stdout) == (0, f"kitchen: {path} is well-formed\n")
    scores = json.loads(run_command(["score", "sample-sts", str(path), "--json"]).stdout)
    assert scores["task"] == "sample-sts"
    assert scores["run"] == path.name
    assert scores["datasets"]["kitchen"]["n"] == 11
    assert scores["aggregates"] == {}
    assert scores["signature"].startswith("task:sample-sts|sets:kitchen(11)|")


def test_a_constant_output_is_undefined(tmp_path: Path) -> None:
    path = tmp_path / "STS.output.kitchen.txt"
    path.write_bytes(b"2.5\n" * 12)
    done = run_command(["score", "sample-sts", str(path)])
    assert done.returncode == 0
    assert "undefined" in done.stdout
    done = run_command(["score", "sample-sts", str(path), "--json"])
    assert json.loads(done.stdout)["datasets"]["kitchen"]["pearson"] is None


def test_demo_needs_nothing() -> None:
    done = run_command(["demo"])
    assert done.returncode == 0
    assert re.search(r"token-cosine +kitchen +0\.44846\n", done.stdout)
    assert list(Path.cwd().iterdir()) == []


def test_run_writes_results(tmp_path: Path) -> None:
    done = run_command(["run", "sample-sts", "--out", str(tmp_path / "out"), "--jobs", "2"])
    assert done.returncode == 0, done.stderr
    results = json.loads((tmp_path / "out/sample-sts/results.json").read_text())
    assert results["baselines"][0]["runs"][0]["datasets"]["kitchen"]["n"] == 11
    assert "Mean" in {cell["name"] for cell in results["baselines"][0]["cells"]}


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        (["run", "sts2013"], "make demo"),
        (["run", "sts213"], "did you mean 'sts2013'"),
        (["run", "sample-sts", "--jobs", "0"], "--jobs is 0"),
        (["run", "sample-sts", "--jobs", "100000"], "--jobs is 100000"),
        (["score", "sts2013", ".", "--map", "SMT=a", "--map", "SMT=b"], "two files for SMT"),
        (["predict", "random", "--set", "name=1"], "no parameter 'name'"),
        (["predict", ""], "no baseline ''"),
        (["predict", "random", "--set", "low=9"], "low must be below high"),
        (["run", "sample-sts", "--out", "/dev/null/x"], "expected a folder that can be made"),
        (["run", "sts2013", "--data-dir", "nowhere"], "nowhere: found no such directory"),
        (["score", "sts2013", "."], "one output file for headlines"),
        (["score", "sts2013", ".", "--map", "x"], "must be NAME=FILE"),
        (["score", "sts2013", ".", "--map", "x=y"], "no data set of sts2013 'x'"),
        (["score", "sts2013", ".", "--dataset", "onwn"], "did you mean 'OnWN'"),
        (["check", "sts2012", ".", "--dataset", "OnWN"], "STS.output.surprise.OnWN.txt"),
        (["tables", "sts2031"], "did you mean"),
        (["tables", "--format", "markdwon"], "did you mean 'markdown'"),
        (["tables", "sts2015-english", "--format", "html"], "no format 'html'"),
        (["tables", "ists2016", "--format", "csv"], "name one of them"),
        (["tables", "sts2012", "--unsupervised"], "no run that is marked unsupervised"),
        (["tables", "sts2015", "--team", "nobody"], "no run with 'nobody' in its name"),
        (["tables", "ists2016", "--plot", "x.svg"], "name one of them"),
        (["tables", "pit2015", "--plot", "x.gif"], ".svg, .png or .pdf"),
        (["explain-number", "0,5", "--task", "sts2015", "."], "no number as papers print it"),
        (["explain-number", "0.5", "--task", "sts2051", "."], "no task 'sts2051'"),
        (["compare", "sts2015", "."], "one output file for headlines"),
        (["compare", "sts2015", "--predictor", "token-cosine"], "make demo"),
        (["predict", "token-cosin"], "did you mean 'token-cosine'"),
        (["predict", "random", "--set", "seed=1"], "no parameter 'seed'"),
        (["predict", "random", "--set", "seed"], "must be NAME=VALUE"),
        (["predict", "random", "--set", "high=[1"], "must be numbers"),
        (["predict", "random", "--set", "random_state=-1"], "random_state is -1"),
        (["predict", "token-cosine", "missing.tsv"], "missing.tsv: found nothing there"),
        (["data", "path", "sts2015"], "make demo"),
        (["data", "path", "sample-sts", "kitchn"], "did you mean 'kitchen'"),
        (["data", "verify", "sts2015"], "make demo"),
        (["reproduce"], "make demo"),
        (["nonsense"], "No such command"),
    ],
)
def test_mistakes_are_explained(arguments: list[str], part: str) -> None:
    done = run_command(arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert part in done.stderr
    assert "Traceback" not in done.stderr


def test_predict_streams_from_standard_input() -> None:
    text = "a cat\ta dog\nyes\tyes\n"
    done = run_command(["predict", "token-cosine"], input=text)
    assert (done.returncode, done.stdout) == (0, "0.5000000000\n1.0000000000\n")
    assert run_command(["predict", "token-cosine", "-"], input=text).stdout == done.stdout


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


def test_predict_writes_a_file_whole(tmp_path: Path) -> None:
    out = tmp_path / "scores.txt"
    out.write_text("old")
    pairs = SAMPLES / "sample-sts" / "STS.input.journeys.txt"
    done = run_command(
        ["predict", "random", str(pairs), "-o", str(out), "--set", "random_state=1", "--jobs", "2"]
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert len(out.read_text().splitlines()) == 10
    again = run_command(["predict", "random", str(pairs), "--set", "random_state=1"])
    assert again.stdout == out.read_text()
    assert run_command(["predict", "random", str(pairs), "-o", str(tmp_path)]).returncode == 2
    for place in ("/", "loop"):
        Path("loop").unlink(missing_ok=True)
        Path("loop").symlink_to("loop")
        done = run_command(["predict", "random", str(pairs), "-o", place])
        assert (done.returncode, "Traceback" in done.stderr) == (2, False)
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


def test_names_that_are_not_utf_8_are_escaped() -> None:
    name = os.fsencode(Path.cwd()) + b"/\xff.txt"
    Path(os.fsdecode(name)).write_bytes(GOOD)
    command = [os.fsencode(COMMAND), b"score", b"sample-sts", name, b"--dataset", b"kitchen"]
    done = subprocess.run([*command, b"--json"], capture_output=True, check=True)
    assert json.loads(done.stdout)["run"] == "\udcff.txt"


def test_predict_takes_a_saved_predictor(tmp_path: Path) -> None:
    from stsbaselines import create

    create("random", high=1.0, random_state=3).save(tmp_path / "saved")
    pairs = str(SAMPLES / "sample-sts" / "STS.input.journeys.txt")
    saved = run_command(["predict", str(tmp_path / "saved"), pairs])
    named = run_command(
        ["predict", "random", pairs, "--set", "high=1.0", "--set", "random_state=3"]
    )
    assert saved.stdout == named.stdout != ""


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


def test_numbers_are_explained() -> None:
    run_command(["run", "sample-sts", "--out", "out"])
    arguments = ["--task", "sample-sts", "out/sample-sts/token-cosine"]
    done = run_command(["explain-number", "40.00", *arguments])
    assert done.returncode == 0
    assert "Mean = Pearson weighted mean" in done.stdout
    found = json.loads(run_command(["explain-number", "0.4485", *arguments, "--json"]).stdout)
    assert [each["name"] for each in found["matches"]] == ["kitchen"]
    done = run_command(["explain-number", "-0.9", *arguments])
    assert done.returncode == 1
    assert "by no convention. The nearest are:" in done.stdout


def test_data_commands_on_the_sample() -> None:
    listed = run_command(["data", "list", "sample-sts"]).stdout
    assert "kitchen" in listed
    assert " ok " in listed
    entries = json.loads(run_command(["data", "list", "sts2013", "--format", "json"]).stdout)
    assert entries[3]["data set"] == "SMT"
    assert entries[3]["here"] == "missing"
    paths = run_command(["data", "path", "sample-sts", "kitchen"]).stdout.splitlines()
    assert [Path(path).name for path in paths] == ["STS.input.kitchen.txt", "STS.gs.kitchen.txt"]
    verified = run_command(["data", "verify"])
    assert verified.returncode == 0
    assert "sample-sts: 4 of 4 files are right" in verified.stdout


def test_a_wrong_file_is_named_with_its_checksums() -> None:
    Path("data/sts2014-es").mkdir(parents=True)
    Path("data/sts2014-es/STS.gs.news.txt").write_text("1\n")
    done = run_command(["data", "verify"])
    assert done.returncode == 2
    assert "data/sts2014-es/STS.gs.news.txt: found sha256 4355a46b19d3" in done.stderr
    assert "expected sha256 c2b323651c27" in done.stderr


@pytest.mark.parametrize(
    "arguments", [[], ["data"], ["run"], ["score"], ["predict"], ["reproduce"]]
)
def test_help(arguments: list[str]) -> None:
    done = run_command([*arguments, "--help"], env={**os.environ, "COLUMNS": "200"})
    assert done.returncode == 0
    assert "Usage" in done.stdout


def test_version_and_module() -> None:
    assert run_command(["--version"]).stdout == f"stsbaselines {__version__}\n"
    module = [sys.executable, "-m", "stsbaselines", "--version"]
    assert subprocess.run(module, capture_output=True, text=True, check=True).stdout == (
        f"stsbaselines {__version__}\n"
    )


HOSTILE = "run\x1b]0;owned\x07\x1b[2J\u202eX\x9b31m"
ESCAPED = r"run\x1b]0;owned\x07\x1b[2J\u202eX\x9b31m"


def test_what_a_terminal_acts_on_is_escaped_in_results(tmp_path: Path) -> None:
    folder = tmp_path / HOSTILE
    folder.mkdir()
    for name, count in {"kitchen": 12, "journeys": 10}.items():
        scores = "".join(f"{number % 6}\n" for number in range(count))
        (folder / f"STS.output.{name}.txt").write_text(scores)
    plain = run_command(["score", "sample-sts", str(folder)])
    assert plain.stdout.startswith(f"{ESCAPED} on sample-sts\n")
    as_json = run_command(["score", "sample-sts", str(folder), "--json"])
    assert "\x9b" not in as_json.stdout
    assert json.loads(as_json.stdout)["run"] == HOSTILE
    assert ESCAPED in run_command(["check", "sample-sts", str(folder)]).stdout


def test_a_value_that_is_nested_deeply_is_refused() -> None:
    done = run_command(["predict", "random", "--set", "random_state=" + "[" * 100_000], input="")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_no_code_of_the_current_folder_runs_unless_it_is_asked_for() -> None:
    for module in ("joblib", "numba", "nltk", "pandas", "yaml", "scipy", "mine"):
        Path(f"{module}.py").write_text("open('attacked', 'w').close()\n")
    done = run_command(["compare", "sample-typed", "--predictor", "typed-tfidf"])
    assert done.returncode == 0, done.stderr
    done = run_command(["compare", "sample-sts", "--predictor", "mine"])
    assert done.returncode == 2
    assert "MODULE:OBJECT" in done.stderr
    assert not Path("attacked").exists()
