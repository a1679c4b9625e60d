"""Work on many items at once, with results in order."""

from __future__ import annotations

import functools
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.parallel import in_order


def pid_of(item: object) -> int:
    return os.getpid()


def folder_of(item: object) -> str:
    return os.getcwd()


def fail_at(last: int, error: Exception, item: int) -> int:
    if item == last:
        raise error
    return item


def die_at(last: int, item: int) -> int:
    if item == last:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def two_then(error: Exception) -> Iterator[int]:
    yield from (0, 1)
    raise error


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
@pytest.mark.parametrize("count", [0, 1, 2, 17])
def test_results_come_in_the_order_of_the_items(n_jobs: int, count: int) -> None:
    def times(factor: int, item: int) -> int:
        return factor * item

    assert list(in_order(functools.partial(times, 3), range(count), n_jobs)) == [
        3 * item for item in range(count)
    ]


def test_jobs_work_in_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert set(in_order(folder_of, range(3), 2)) == {str(tmp_path / name)}


@pytest.mark.parametrize(("n_jobs", "count"), [(1, 3), (2, 1), (-1, 1)])
def test_one_job_or_item_stays_in_this_process(n_jobs: int, count: int) -> None:
    assert set(in_order(pid_of, range(count), n_jobs)) == {os.getpid()}


def test_several_jobs_are_other_processes() -> None:
    assert os.getpid() not in set(in_order(pid_of, range(9), 2))


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("error", [InputError("a bad line"), MissingDataError("no data")])
def test_an_input_error_keeps_its_place(error: InputError, n_jobs: int) -> None:
    found = in_order(functools.partial(fail_at, 5, error), range(20), n_jobs)
    assert [next(found) for _ in range(5)] == list(range(5))
    with pytest.raises(type(error), match=f"^{error}$"):
        next(found)


def test_an_unforeseen_error_names_its_place_in_the_code() -> None:
    with pytest.raises(KeyError, match="word") as caught:
        list(in_order(functools.partial(fail_at, 1, KeyError("word")), range(3), 2))
    assert "in fail_at" in str(caught.value.__cause__)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("error", [InputError("a bad line"), KeyError("word")])
def test_an_error_of_the_items_comes_after_the_results_before_it(
    error: Exception, n_jobs: int
) -> None:
    found = in_order(abs, two_then(error), n_jobs)
    assert [next(found), next(found)] == [0, 1]
    with pytest.raises(type(error)):
        next(found)


def test_a_killed_worker_is_reported_and_others_can_be_started() -> None:
    with pytest.raises(InputError, match=r"^A worker process was killed, perhaps for lack of"):
        list(in_order(functools.partial(die_at, 1), range(4), 2))
    assert list(in_order(abs, range(4), 2)) == [0, 1, 2, 3]


def test_results_that_nobody_wants_are_dropped_silently() -> None:
    found = in_order(abs, range(1000), 2)
    assert next(found) == 0
    found.close()  # type: ignore[attr-defined]
    assert list(in_order(abs, range(3), 2)) == [0, 1, 2]


INTERRUPTED = """
import signal, time
from stsbaselines.parallel import in_order
signal.signal(signal.SIGINT, signal.default_int_handler)  # a background job ignores it
for number, _ in enumerate(in_order(time.sleep, [0.01] * 100_000, 2)):
    if number == 0:
        print("begins", flush=True)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_an_interrupt_of_all_processes_is_printed_once() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    ) as running:
        assert running.stdout
        running.stdout.readline()
        os.killpg(running.pid, signal.SIGINT)
        _, printed = running.communicate(timeout=60)  # ends when all have closed the pipe
    assert printed.splitlines()[-1] == b"KeyboardInterrupt", printed.decode()
    assert printed.count(b"KeyboardInterrupt") == printed.count(b"Traceback") == 1, printed.decode()


def test_a_large_array_reaches_the_workers() -> None:
    numbers = np.arange(500_000.0)
    assert (
        list(in_order(functools.partial(np.dot, numbers), [numbers] * 3, 2))
        == [np.dot(numbers, numbers)] * 3
    )
