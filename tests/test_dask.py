"""Working on a dask cluster; the workers are processes of this machine."""

from __future__ import annotations

import contextlib
import importlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from stsbaselines.baselines.token_cosine import TokenCosine
from stsbaselines.baselines.wtmf import WTMF
from stsbaselines.errors import InputError
from stsbaselines.evaluation import cluster as cluster_module
from stsbaselines.evaluation import prediction
from stsbaselines.evaluation.prediction import predict_file
from stsbaselines.predictor import Predictor

pytestmark = pytest.mark.extras

TESTS = Path(__file__).parent
WORDS = ["cat", "dog", "bird", "sleeps", "barks", "sings", "late", "early"]
SENTENCES = [f"the {one} {other}" for one in WORDS for other in WORDS]
PAIRS = list(zip(SENTENCES, SENTENCES[5:] + SENTENCES[:5], strict=True))
LINES = "".join(f"{left}\t{right}\n" for left, right in PAIRS)


class Cluster:
    """A scheduler in this process, and workers that nobody starts again when they die."""

    def __init__(self, scheduler: Any, stack: contextlib.ExitStack) -> None:
        self.scheduler = scheduler
        self.address: str = scheduler.address
        self.processes: dict[int, subprocess.Popen[bytes]] = {}
        self.stack = stack

    def fill(self, count: int, *options: str, path: Path = TESTS) -> set[int]:
        """Have so many workers, new ones with these options; return their process numbers.

        The functions of this file are found by its path.
        """
        while len(self.running()) > count:
            self.kill(min(self.running()))
        while len(self.running()) < count:
            command = [sys.executable, "-m", "distributed.cli.dask_worker", self.address]
            process = subprocess.Popen(
                [*command, "--no-nanny", "--no-dashboard", "--nthreads", "1", *options],
                env=os.environ
                | {"PYTHONPATH": os.pathsep.join([str(path), os.environ.get("PYTHONPATH", "")])},
                stderr=subprocess.DEVNULL,
            )
            self.stack.callback(process.wait)
            self.stack.callback(process.kill)
            self.processes[process.pid] = process
        end = time.monotonic() + 120
        while len(self.scheduler.workers) != count:
            assert time.monotonic() < end, "the workers do not come"
            time.sleep(0.01)
        return self.running()

    def running(self) -> set[int]:
        return {pid for pid, process in self.processes.items() if process.poll() is None}

    def kill(self, pid: int) -> None:
        self.processes[pid].kill()
        assert self.processes[pid].wait() == -signal.SIGKILL


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    distributed = importlib.import_module("distributed")
    options = {"processes": True, "dashboard_address": ":0", "silence_logs": 50}
    with contextlib.ExitStack() as stack:
        local = stack.enter_context(distributed.LocalCluster(n_workers=0, **options))
        yield Cluster(local.scheduler, stack)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prediction, "BLOCK_SIZE", 100)
    Path("pairs.tsv").write_text(LINES)


class Tells(TokenCosine):
    """Notes in a folder which processes score."""

    def __init__(self, folder: str) -> None:
        super().__init__("python")
        self.folder = folder

    def score_lines(self, lines: bytes) -> bytes | None:
        Path(self.folder, str(os.getpid())).touch()
        return super().score_lines(lines)


class KilledOnce(Tells):
    """The first process that is asked a second time is killed within."""

    def score_lines(self, lines: bytes) -> bytes | None:
        if Path(self.folder, str(os.getpid())).exists():
            with contextlib.suppress(FileExistsError), Path(self.folder, "killed").open("x"):
                os.kill(os.getpid(), signal.SIGKILL)
        return super().score_lines(lines)


class Kills(Tells):
    """Kills each process that it scores in."""

    def score_lines(self, lines: bytes) -> bytes | None:
        os.kill(os.getpid(), signal.SIGKILL)
        return None


def small_wtmf() -> WTMF:
    model = WTMF(n_components=3, regularization=0.5, random_state=0)
    model.fit(SENTENCES)
    return model


def output_of(system: Predictor, scheduler: str | None = None, n_jobs: int = -1) -> bytes:
    jobs = n_jobs if scheduler else 1
    predict_file(system, Path("pairs.tsv"), Path("out.txt"), jobs, scheduler=scheduler)
    return Path("out.txt").read_bytes()


@pytest.mark.parametrize("system", [TokenCosine(), small_wtmf()])
def test_a_cluster_gives_the_same(system: Predictor, cluster: Cluster) -> None:
    cluster.fill(2)
    assert output_of(system, cluster.address) == output_of(system)


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
def test_work_is_done_on_the_cluster(cluster: Cluster, tmp_path: Path, n_jobs: int) -> None:
    folder = tmp_path / "told"
    folder.mkdir()
    pids = cluster.fill(2)
    output_of(Tells(str(folder)), cluster.address, n_jobs)
    told = {int(each.name) for each in folder.iterdir()}
    assert told == {os.getpid()} if n_jobs == 1 else told <= pids


def test_a_worker_is_killed_and_the_result_is_the_same(cluster: Cluster, tmp_path: Path) -> None:
    folder = tmp_path / "told"
    folder.mkdir()
    pids = cluster.fill(2)
    assert output_of(KilledOnce(str(folder)), cluster.address) == output_of(TokenCosine())
    assert (folder / "killed").exists()
    assert len(cluster.running() & pids) == 1


def test_a_block_that_kills_its_workers_is_given_up(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.fill(3)
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 1)
    with pytest.raises(InputError, match="Workers of the cluster were killed"):
        output_of(Kills(str(tmp_path)), cluster.address, 2)
    assert not Path("out.txt").exists()


def test_a_fault_is_the_same_on_a_cluster(cluster: Cluster) -> None:
    cluster.fill(2)
    Path("pairs.tsv").write_text(LINES + "no pair\n")
    with pytest.raises(InputError, match=r"^pairs\.tsv, line 65: found 'no pair', expected two"):
        output_of(TokenCosine(), cluster.address)


def check_refused(address: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        output_of(TokenCosine(), address)
    assert not Path("out.txt").exists()


def test_a_cluster_without_workers_is_refused(cluster: Cluster) -> None:
    cluster.fill(0)
    check_refused(cluster.address, r"^The cluster has no workers\.$")


@pytest.mark.parametrize(
    ("package", "message"),
    [
        ("__version__ = '0.0'", "and stsbaselines 0.0, but must have one thread and stsbaselines"),
        ("raise ModuleNotFoundError", "and stsbaselines none, but must have"),
    ],
)
def test_a_worker_with_another_version_is_refused(
    cluster: Cluster, tmp_path: Path, package: str, message: str
) -> None:
    (tmp_path / "stsbaselines").mkdir()
    (tmp_path / "stsbaselines" / "__init__.py").write_text(package)
    cluster.fill(0)
    cluster.fill(1, path=tmp_path)
    check_refused(cluster.address, message)
    cluster.fill(0)


def test_a_worker_with_threads_is_refused(cluster: Cluster) -> None:
    cluster.fill(0)
    cluster.fill(1, "--nthreads", "2")
    check_refused(cluster.address, "has 2 threads and stsbaselines .*, but must have one thread")
    cluster.fill(0)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "here", "x://127.0.0.1:1", ""])
def test_an_address_where_nobody_answers_is_refused(
    address: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 0.2)
    check_refused(address, f"^No dask scheduler answers at '{address}'; an address is, for")
    assert capfd.readouterr() == ("", "")


def test_the_address_of_a_worker_is_refused(cluster: Cluster) -> None:
    cluster.fill(1)
    (address,) = cluster.scheduler.workers
    check_refused(address, f"^No dask scheduler answers at '{address}'")


def test_dask_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    check_refused("tcp://127.0.0.1:8786", r"pip install 'stsbaselines\[dask\]'")
