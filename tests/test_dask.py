"""Working on a dask cluster; the workers are processes of this machine."""

from __future__ import annotations

import contextlib
import functools
import importlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stsbaselines import parallel
from stsbaselines.baselines.token_cosine import TokenCosine
from stsbaselines.baselines.wtmf import WTMF
from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.parallel import AHEAD, in_order, workers

pytestmark = pytest.mark.extras

TESTS = Path(__file__).parent
WORDS = ["cat", "dog", "bird", "sleeps", "barks", "sings", "late", "early"]
SENTENCES = [f"the {one} {other}" for one in WORDS for other in WORDS]
PAIRS = list(zip(SENTENCES, SENTENCES[5:] + SENTENCES[:5], strict=True))
CHUNKS = [PAIRS[start : start + 4] for start in range(0, len(PAIRS), 4)]
BLOCKS = ["".join(f"{left}\t{right}\n" for left, right in chunk).encode() for chunk in CHUNKS]


class Cluster:
    """A scheduler in this process, and workers that nobody starts again when they die."""

    def __init__(self, scheduler: Any, stack: contextlib.ExitStack) -> None:
        self.scheduler = scheduler
        self.address: str = scheduler.address
        self.processes: dict[int, subprocess.Popen[bytes]] = {}
        self.stack = stack

    def fill(self, count: int, *options: str, path: Path = TESTS) -> set[int]:
        """Have so many workers, new ones with these options, and return their process numbers.

        The functions of this file are found by its path.
        """
        while len(self.running()) > count:
            self.kill(min(self.running()))
        while len(self.running()) < count:
            command = [sys.executable, "-m", "distributed.cli.dask_worker", self.address]
            process = subprocess.Popen(
                [*command, "--no-nanny", "--no-dashboard", "--nthreads", "1", *options],
                env=os.environ | {"PYTHONPATH": str(path)},
                stderr=subprocess.DEVNULL,
            )
            self.stack.callback(process.wait)
            self.stack.callback(process.kill)
            self.processes[process.pid] = process
        end = time.monotonic() + 60
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


def pid_of(item: object) -> int:
    return os.getpid()


def fail_at(last: int, error: Exception, item: int) -> int:
    if item == last:
        raise error
    return item


def killed_once(folder: Path, function: Callable[[Any], Any], item: Any) -> Any:
    """Call the function; the first process that is asked a second time is killed within."""
    worked = folder / f"worked-{os.getpid()}"
    if worked.exists():
        with contextlib.suppress(FileExistsError), (folder / "killed").open("x") as file:
            file.write(str(os.getpid()))
            file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
    result = function(item)
    worked.touch()
    return result


def small_wtmf() -> WTMF:
    model = WTMF(n_components=3, regularization=0.5, random_state=0)
    model.fit(SENTENCES)
    return model


def fold_in() -> tuple[Callable[[Any], Any], Sequence[Any]]:
    return small_wtmf().predict, CHUNKS


def score_blocks() -> tuple[Callable[[Any], Any], Sequence[Any]]:
    return TokenCosine().score_lines, BLOCKS


@pytest.mark.parametrize("work", [score_blocks, fold_in])
def test_a_worker_is_killed_and_the_result_is_the_same(
    work: Callable[[], tuple[Callable[[Any], Any], Sequence[Any]]],
    cluster: Cluster,
    tmp_path: Path,
) -> None:
    function, items = work()
    plain = [function(item) for item in items]
    pids = cluster.fill(2)
    with workers("dask", cluster.address):
        found = list(in_order(functools.partial(killed_once, tmp_path, function), items, -1))
    killed = int((tmp_path / "killed").read_text())
    assert killed in pids
    assert cluster.processes[killed].wait(10) == -signal.SIGKILL
    assert (tmp_path / f"worked-{killed}").exists()
    assert list(map(bytes, found)) == list(map(bytes, plain))


def test_work_is_done_on_the_cluster(cluster: Cluster) -> None:
    pids = cluster.fill(2)
    with workers("dask", cluster.address):
        assert set(in_order(pid_of, range(20), -1)) <= pids
        assert set(in_order(pid_of, range(20), 1)) == {os.getpid()}
        assert set(in_order(pid_of, "a", -1)) == {os.getpid()}


def test_wtmf_predicts_the_same_on_the_cluster(cluster: Cluster) -> None:
    cluster.fill(2)
    model = small_wtmf()
    plain = np.concatenate(list(model.predict_chunks(PAIRS, 4)))
    with workers("dask", cluster.address):
        found = np.concatenate(list(model.predict_chunks(PAIRS, 4, -1)))
    assert found.tobytes() == plain.tobytes()


@pytest.mark.parametrize("error", [InputError("a bad line"), MissingDataError("no data")])
def test_an_error_comes_out_as_it_is(cluster: Cluster, error: InputError) -> None:
    cluster.fill(2)
    with workers("dask", cluster.address):
        found = in_order(functools.partial(fail_at, 5, error), range(20), -1)
        assert [next(found) for _ in range(5)] == list(range(5))
        with pytest.raises(type(error), match=f"^{error}$"):
            next(found)
        assert list(in_order(abs, range(3), -1)) == [0, 1, 2]


@pytest.mark.parametrize(("n_jobs", "most"), [(-1, 3 * AHEAD), (8, 3 * AHEAD), (2, 2)])
def test_little_is_read_ahead(cluster: Cluster, n_jobs: int, most: int) -> None:
    cluster.fill(3)
    read = 0

    def items() -> Iterator[int]:
        nonlocal read
        for number in range(1, 21):
            read = number
            yield number

    with workers("dask", cluster.address):
        for taken, result in enumerate(in_order(abs, items(), n_jobs), 1):
            assert result == taken
            assert read - taken < most
    assert read == 20


def kill_this_process(item: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def test_work_that_kills_its_workers_is_given_up(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    cluster.fill(3)
    monkeypatch.setattr(cluster.scheduler, "allowed_failures", 1)
    with (
        workers("dask", cluster.address),
        pytest.raises(InputError, match="Workers of the cluster died at their work"),
    ):
        list(in_order(kill_this_process, range(2), 2))


def test_all_workers_die(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    pids = cluster.fill(1)
    monkeypatch.setattr(parallel, "PATIENCE_SECONDS", 0.5)
    with workers("dask", cluster.address):
        found = in_order(pid_of, range(20), -1)
        assert next(found) in pids
        cluster.kill(*pids)
        with pytest.raises(InputError, match=r"All workers of the cluster at .* are gone"):
            list(found)


def check_refused(cluster: Cluster, message: str) -> None:
    with pytest.raises(InputError, match=message), workers("dask", cluster.address):
        pass


def test_a_cluster_without_workers_is_refused(cluster: Cluster) -> None:
    cluster.fill(0)
    check_refused(cluster, r"^The cluster has no workers\.$")


@pytest.mark.parametrize(
    ("package", "message"),
    [
        ("__version__ = '0.0'", "has stsbaselines 0.0, but must have stsbaselines"),
        ("raise ModuleNotFoundError", "has no stsbaselines, but must have stsbaselines"),
    ],
)
def test_a_worker_with_another_version_is_refused(
    cluster: Cluster, tmp_path: Path, package: str, message: str
) -> None:
    (tmp_path / "stsbaselines").mkdir()
    (tmp_path / "stsbaselines" / "__init__.py").write_text(package)
    cluster.fill(0)
    cluster.fill(1, path=tmp_path)
    check_refused(cluster, message)
    cluster.fill(0)


def test_a_worker_with_threads_is_refused(cluster: Cluster) -> None:
    cluster.fill(0)
    cluster.fill(1, "--nthreads", "2")
    check_refused(cluster, "has 2 threads, but must have one")
    cluster.fill(0)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:1", "here", "x://127.0.0.1:1", "127.0.0.1"])
def test_an_address_where_nobody_answers_is_refused(
    address: str, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(parallel, "CONNECT_SECONDS", 0.2)
    with (
        pytest.raises(InputError, match=f"^No dask scheduler answers at '{address}'; an address"),
        workers("dask", address),
    ):
        pass
    assert capfd.readouterr() == ("", "")


def test_the_address_of_a_worker_is_refused(cluster: Cluster) -> None:
    cluster.fill(1)
    (address,) = cluster.scheduler.workers
    with (
        pytest.raises(InputError, match=f"^No dask scheduler answers at '{address}'"),
        workers("dask", address),
    ):
        pass
