"""Resuming a run of a configuration that was killed: the same bytes, and nothing done twice."""

from __future__ import annotations

import importlib.metadata
import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from stsbaselines.baselines.ngram_logreg import NgramLogisticRegression
from stsbaselines.baselines.wtmf import WTMF
from stsbaselines.data.catalogue import find_task
from stsbaselines.data.find import require_all
from stsbaselines.errors import InputError
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import BaselineConfig, ExperimentConfig, read_config
from stsbaselines.experiments.run import JOURNAL, KEPT_SEEDS
from stsbaselines.experiments.training import BaselineSetup, files_read
from stsbaselines.io import checksum

SEEDS = KEPT_SEEDS + 2
UNITS = SEEDS + 1
STS = ExperimentConfig(
    task="sample-sts",
    baselines=[
        BaselineConfig(baseline="token-cosine"),
        BaselineConfig(baseline="random", seeds=SEEDS),
    ],
)
TRAINED = read_config("sample-pit").baselines[1]
PIT = ExperimentConfig(
    task="sample-pit",
    group="some-group",
    baselines=[
        BaselineConfig(baseline="random", parameters={"high": 1}, seeds=SEEDS),
        TRAINED,
    ],
)
CONFIGS = {"sts": STS, "pit": PIT}

# It kills itself before the Nth time that it opens, renames or removes something in its folder.
CHILD = """
import os, signal, sys
from pathlib import Path
from stsbaselines.experiments import run as experiment
from stsbaselines.experiments.config import ExperimentConfig

config, out, moment, resume = sys.argv[1:]
seen = 0


def count(event, arguments):
    global seen
    if event in ("open", "os.rename", "os.remove") and str(arguments[0]).startswith(out):
        seen += 1
        if seen == int(moment):
            os.kill(os.getpid(), signal.SIGKILL)


sys.addaudithook(count)
experiment.run(ExperimentConfig.model_validate_json(config), Path(out), resume=bool(resume))
print(seen)
"""


def in_child(
    config: ExperimentConfig, out: Path, moment: int, resume: bool = False
) -> subprocess.CompletedProcess[str]:
    arguments = [config.model_dump_json(), str(out), str(moment), "yes" if resume else ""]
    return subprocess.run(
        [sys.executable, "-c", CHILD, *arguments], capture_output=True, text=True, check=False
    )


def tree(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def journal_of(config: ExperimentConfig, out: Path) -> Path:
    return out / config.group / config.task / JOURNAL


def finished_in(config: ExperimentConfig, out: Path) -> int:
    """Return how many units the journal says are finished."""
    path = journal_of(config, out)
    return max(0, path.read_bytes().count(b"\n") - 1) if path.exists() else 0


class Calls:
    """Counts the trainings, and the predictions of data sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.fit = self.predict = 0
        self._count(monkeypatch, NgramLogisticRegression, "fit", "fit")
        self._count(monkeypatch, experiment, "output_lines", "predict")

    def _count(self, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, kind: str) -> None:
        original = getattr(owner, name)

        def counted(*arguments: Any, **named: Any) -> Any:
            setattr(self, kind, getattr(self, kind) + 1)
            return original(*arguments, **named)

        monkeypatch.setattr(owner, name, counted)

    def take(self) -> tuple[int, int]:
        """Return how often was trained and predicted since the last time."""
        found = self.fit, self.predict
        self.fit = self.predict = 0
        return found


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Calls:
    return Calls(monkeypatch)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, int]]:
    """Return by configuration the folder of a whole run, and how often it touched files."""
    found = {}
    for name, config in CONFIGS.items():
        out = tmp_path_factory.mktemp(name)
        done = in_child(config, out, 0)
        assert done.returncode == 0, done.stderr
        found[name] = out, int(done.stdout)
    return found


@pytest.mark.parametrize("name", CONFIGS)
@pytest.mark.parametrize("part", [0.2, 0.6, 1])
def test_a_killed_run_goes_on_to_the_same_bytes(
    name: str, part: float, undisturbed: dict[str, tuple[Path, int]], tmp_path: Path, calls: Calls
) -> None:
    config, (whole, moments), out = CONFIGS[name], undisturbed[name], tmp_path / "out"
    killed = in_child(config, out, int(part * (moments - 1)))
    assert killed.returncode == -signal.SIGKILL
    assert tree(out) != tree(whole)
    finished = finished_in(config, out)
    assert 0 < finished <= UNITS
    experiment.run(config, out, resume=True)
    units_of_two_sets = (UNITS - finished) * len(find_task(config.task).datasets)
    assert calls.take()[1] == units_of_two_sets
    assert tree(out) == tree(whole)


def test_a_run_that_is_killed_again_and_again_gets_done(
    undisturbed: dict[str, tuple[Path, int]], tmp_path: Path
) -> None:
    whole, moments = undisturbed["sts"]
    out = tmp_path / "out"
    progress = []
    for _ in range(3):
        assert in_child(STS, out, moments // 3, resume=True).returncode == -signal.SIGKILL
        progress.append(finished_in(STS, out))
    assert 0 < progress[0] < progress[-1]
    experiment.run(STS, out, resume=True)
    assert tree(out) == tree(whole)


def test_nothing_is_finished_before_the_first_unit_is(tmp_path: Path) -> None:
    out = tmp_path / "out"
    assert in_child(STS, out, 1).returncode == -signal.SIGKILL
    assert finished_in(STS, out) == 0
    assert experiment.run(STS, out, resume=True).baselines[0].runs


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(part=st.floats(0, 1))
def test_a_journal_may_end_anywhere(
    part: float, undisturbed: dict[str, tuple[Path, int]], tmp_path: Path
) -> None:
    whole, out = undisturbed["sts"][0], tmp_path / "out"
    shutil.rmtree(out, ignore_errors=True)
    shutil.copytree(whole, out)
    journal = journal_of(STS, out)
    content = journal.read_bytes()
    journal.write_bytes(content[: int(part * len(content))])
    (journal.parent / "results.json").unlink()
    results = experiment.run(STS, out, resume=True)
    assert tree(out) == tree(whole)
    assert [len(each.runs) for each in results.baselines] == [1, SEEDS]


@pytest.mark.parametrize("baseline", ["token-cosine", "random/seed-9"])
@pytest.mark.parametrize("damage", ["empty", "another number", "gone"])
def test_a_unit_with_another_output_file_is_done_again(
    baseline: str,
    damage: str,
    undisturbed: dict[str, tuple[Path, int]],
    tmp_path: Path,
    calls: Calls,
) -> None:
    whole, out = undisturbed["sts"][0], tmp_path / "out"
    shutil.copytree(whole, out)
    path = out / "sample-sts" / baseline / "STS.output.journeys.txt"
    if damage == "gone":
        path.unlink()
    else:
        content = path.read_bytes()
        path.write_bytes(b"" if damage == "empty" else b"0.5" + content[3:])
        assert path.read_bytes() != content
    experiment.run(STS, out, resume=True)
    assert calls.take()[1] == 2
    expected, found = tree(whole), tree(out)
    name = str(journal_of(STS, out).relative_to(out))
    lines = expected.pop(name).splitlines()
    again = found.pop(name).splitlines()
    assert again[: len(lines)] == lines
    assert set(again[len(lines) :]) < set(lines)
    assert found == expected


@pytest.mark.parametrize(
    "line",
    [
        {},
        {"baseline": "token-cosine", "folder": "", "files": 3},
        {"baseline": "random", "folder": "seed-11", "scores": {"task": "sample-sts"}},
        {"baseline": "random", "folder": "seed-99", "scores": None},
        {"baseline": "../..", "folder": "/etc", "files": {"passwd": "x"}},
    ],
)
def test_other_lines_of_a_journal_do_not_count(
    line: dict[str, Any], undisturbed: dict[str, tuple[Path, int]], tmp_path: Path, calls: Calls
) -> None:
    whole, out = undisturbed["sts"][0], tmp_path / "out"
    shutil.copytree(whole, out)
    journal = journal_of(STS, out)
    first = journal.read_bytes().splitlines(keepends=True)[0]
    journal.write_bytes(first + json.dumps(line).encode() + b"\n")
    experiment.run(STS, out, resume=True)
    assert calls.take()[1] == 2 * UNITS
    assert {**tree(out), JOURNAL: b""} == {**tree(whole), JOURNAL: b""} | {
        str(journal.relative_to(out)): journal.read_bytes()
    }


@pytest.mark.parametrize("name", CONFIGS)
def test_a_finished_run_is_not_done_again_unless_without_resume(
    name: str, tmp_path: Path, calls: Calls
) -> None:
    config = CONFIGS[name]
    one = experiment.run(config, tmp_path, resume=True)
    once, files = calls.take(), tree(tmp_path)
    assert once[1] > 0
    two = experiment.run(config, tmp_path, resume=True)
    assert calls.take() == (0, 0)
    assert two == one
    assert experiment.run(config, tmp_path) == one
    assert calls.take() == once
    assert tree(tmp_path) == files


def test_only_what_is_not_finished_is_trained(tmp_path: Path, calls: Calls) -> None:
    experiment.run(PIT, tmp_path)
    once = calls.take()
    assert once == (1, UNITS)
    journal = journal_of(PIT, tmp_path)
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join(lines[:-3]))  # without the last two seeds and the trained one
    experiment.run(PIT, tmp_path, resume=True)
    assert calls.take() == (1, 3)
    assert journal.read_bytes() == b"".join(lines)


def test_what_is_skipped_is_counted_at_once_and_first(tmp_path: Path) -> None:
    experiment.run(PIT, tmp_path)
    journal = journal_of(PIT, tmp_path)
    lines = journal.read_bytes().splitlines(keepends=True)
    total = experiment.pairs_to_process(PIT)
    for kept, calls_expected in [(len(lines), 1), (len(lines) - 1, 3), (1, SEEDS + 2)]:
        journal.write_bytes(b"".join(lines[:kept]))
        seen: list[int] = []
        experiment.run(PIT, tmp_path, progress=seen.append, resume=True)
        assert (sum(seen), len(seen)) == (total, calls_expected)


def test_a_baseline_that_says_why_is_done_again(tmp_path: Path) -> None:
    config = read_config("sample-typed")
    one = experiment.run(config, tmp_path)
    files = tree(tmp_path)
    seen: list[int] = []
    two = experiment.run(config, tmp_path, progress=seen.append, resume=True)
    assert two == one
    assert one.baselines[0].evidence
    assert sum(seen) == experiment.pairs_to_process(config)
    assert tree(tmp_path) == files


def test_what_runs_instead_is_resumed_too(tmp_path: Path, calls: Calls) -> None:
    (tmp_path / "sts.yaml").write_text(json.dumps(STS.model_dump(mode="json")))
    config = ExperimentConfig(
        task="sts2012", fallback=[str(tmp_path / "sts.yaml")], baselines=STS.baselines
    )
    out = tmp_path / "out"
    one = experiment.run_with_fallback(config, out)
    files = tree(out)
    assert calls.take()[1] == 2 * UNITS
    assert experiment.run_with_fallback(config, out, resume=True) == one
    assert calls.take()[1] == 0
    assert tree(out) == files


@pytest.fixture
def with_model(tmp_path: Path) -> ExperimentConfig:
    """Return a configuration of a trained model, which is in the folder ``data``."""
    save_model(tmp_path / "data", "a cat sat\na dog ran\n")
    return ExperimentConfig(
        task="sample-sts", baselines=[BaselineConfig(baseline="wtmf", model="mine")]
    )


def save_model(data: Path, sentences: str) -> None:
    shutil.rmtree(data, ignore_errors=True)
    model = WTMF(n_components=2, regularization=0.01, random_state=0)
    model.fit(sentences.splitlines()).save(make(data / "models") / "mine")


def make(folder: Path) -> Path:
    folder.mkdir(parents=True)
    return folder


def test_another_model_is_refused(with_model: ExperimentConfig, tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    experiment.run(with_model, out, data)
    files = tree(out)
    experiment.run(with_model, out, data, resume=True)
    save_model(data, "a cat sat\na cat ran\n")
    with pytest.raises(InputError, match="is of a run with another model mine: without --resume"):
        experiment.run(with_model, out, data, resume=True)
    assert tree(out) == files
    experiment.run(with_model, out, data)
    assert tree(out) != files


def test_another_configuration_is_refused(tmp_path: Path) -> None:
    experiment.run(STS, tmp_path)
    files = tree(tmp_path)
    fewer = ExperimentConfig(task="sample-sts", baselines=STS.baselines[:1])
    with pytest.raises(InputError) as error:
        experiment.run(fewer, tmp_path, resume=True)
    assert str(error.value) == (
        f"{journal_of(STS, tmp_path)} is of a run with another configuration:"
        " without --resume the run begins anew."
    )
    assert tree(tmp_path) == files


@pytest.mark.parametrize("name", ["stsbaselines", "numpy", "scipy", "scikit-learn"])
def test_another_version_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    experiment.run(STS, tmp_path)
    if name == "stsbaselines":
        monkeypatch.setattr("stsbaselines.journal.__version__", "0.0.0")
    else:
        version = importlib.metadata.version
        monkeypatch.setattr(
            importlib.metadata, "version", lambda each: "0" if each == name else version(each)
        )
    with pytest.raises(InputError, match=f"of a run with another version of {name}: without"):
        experiment.run(STS, tmp_path, resume=True)


def test_other_data_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    experiment.run(STS, tmp_path / "out")

    def changed(task: Any, dataset: Any, data_dir: Any = None) -> dict[str, Path]:
        files = require_all(task, dataset, data_dir)
        copy = tmp_path / files["input"].name
        copy.write_bytes(files["input"].read_bytes().replace(b"a", b"e"))
        return {**files, "input": copy}

    monkeypatch.setattr(experiment, "require_all", changed)
    with pytest.raises(InputError, match="another input of kitchen and input of journeys"):
        experiment.run(STS, tmp_path / "out", resume=True)


@pytest.mark.parametrize("resume", [False, True])
def test_two_runs_at_once_are_refused(resume: bool, tmp_path: Path) -> None:
    pytest.importorskip("fcntl")
    refused = []

    def second(_: int) -> None:
        with pytest.raises(InputError, match="another process") as error:
            experiment.run(STS, tmp_path, resume=resume)
        refused.append(error)

    experiment.run(STS, tmp_path, progress=second)
    assert len(refused) == 2 * UNITS
    assert finished_in(STS, tmp_path) == UNITS


def test_a_file_that_is_no_journal_is_refused(tmp_path: Path) -> None:
    journal = make(tmp_path / "sample-sts") / JOURNAL
    journal.write_text("my notes\n")
    with pytest.raises(InputError, match="is no journal of a run"):
        experiment.run(STS, tmp_path, resume=True)
    assert journal.read_text() == "my notes\n"


def test_files_that_a_baseline_reads(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("a cat sat\n")
    named = BaselineConfig(baseline="chunk-aligner", parameters={"chunker": str(tmp_path)})
    assert files_read(named, BaselineSetup({}), None) == {f"file {tmp_path}": tmp_path}
    dkpro = BaselineConfig(baseline="dkpro", parameters={"corpora": [str(corpus), "brown"]})
    found = files_read(dkpro, BaselineSetup({}), None)
    assert found.pop(f"file {corpus}") == corpus
    assert set(found) <= {"corpus brown", "corpus gcide", "corpus wordnet"}
    assert files_read(dkpro, BaselineSetup({}, can_run=False), None) == {}


def test_a_run_knows_what_it_is_trained_on(tmp_path: Path) -> None:
    experiment.run(PIT, tmp_path)
    first = json.loads(journal_of(PIT, tmp_path).read_text().splitlines()[0])
    names = [name for name in first["run"] if " of sample-pit-train/train" in name]
    assert names == ["input of sample-pit-train/train"]


@pytest.mark.parametrize("change", ["content", "name", "more"])
def test_the_checksum_of_a_folder_says_what_is_in_it(change: str, tmp_path: Path) -> None:
    file = make(tmp_path / "some" / "folder") / "file.txt"
    file.write_text("one")
    before = checksum(tmp_path / "some")
    if change == "content":
        file.write_text("two")
    elif change == "name":
        file.rename(file.with_name("other.txt"))
    else:
        file.with_name("other.txt").write_text("")
    assert checksum(tmp_path / "some") != before


def test_only_its_own_unfinished_files_are_removed(tmp_path: Path) -> None:
    experiment.run(STS, tmp_path)
    output = next((tmp_path / "sample-sts" / "token-cosine").glob("*.txt"))
    unfinished = output.with_name(f".{output.name}.{'0a' * 8}.tmp")
    theirs = output.with_name(".draft.tmp")
    for path in (unfinished, theirs):
        path.write_text("mine")
    experiment.run(STS, tmp_path)
    assert (unfinished.exists(), theirs.exists()) == (False, True)


def test_a_name_that_is_a_folder_here_is_no_file_that_is_read() -> None:
    (make(Path("python")) / "x").symlink_to("nowhere")
    named = BaselineConfig(baseline="token-cosine", parameters={"kernel": "python"})
    assert files_read(named, BaselineSetup({}), None) == {}
    assert checksum(Path("python")) != checksum(make(Path("empty")))
