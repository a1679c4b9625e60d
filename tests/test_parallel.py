"""Working on many items at once, in order."""

from __future__ import annotations

import functools
import itertools
import operator
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from stsbaselines import parallel
from stsbaselines.baselines.token_cosine import TokenCosine
from stsbaselines.errors import InputError, MissingDataError
from stsbaselines.parallel import AHEAD, in_order, workers

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")


@pytest.fixture(autouse=True, params=["forks", "other processes"])
def ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setattr(parallel, "_has_one_thread", lambda: request.param == "forks")
    return str(request.param)


FORKS = pytest.mark.parametrize("ways", ["forks"], indirect=True)


class Reads:
    """Numbers up to 20; `read` are those that were asked for."""

    def __init__(self) -> None:
        self.read = 0
        self.threads: set[int] = set()

    def __iter__(self) -> Iterator[int]:
        for self.read in range(1, 21):
            self.threads.add(threading.get_ident())
            yield self.read


class CountedPickle:
    """A function that counts how often it leaves this process."""

    def __init__(self) -> None:
        self.pickled = 0

    def __call__(self, item: int) -> int:
        return os.getpid()

    def __getstate__(self) -> dict[str, Any]:
        self.pickled += 1
        return {"pickled": self.pickled}


def reversed_bytes(item: bytes) -> bytes:
    return item[::-1]


def pid_of(item: int) -> int:
    return os.getpid()


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def fail_at(last: int, error: Exception, item: int) -> int:
    if item == last:
        raise error
    return os.getpid()


def die_at(last: int, item: int) -> int:
    if item == last:
        os.kill(os.getpid(), signal.SIGKILL)
    return item


def wait_at_first(last: int, done: Path, item: int) -> bool:
    """Let the first item wait for the last one, for a while at most."""
    end = time.monotonic() + 20
    while item == 0 and not done.exists() and time.monotonic() < end:
        time.sleep(0.01)
    if item == last:
        done.touch()
    return done.exists() or item != 0


@pytest.mark.parametrize("n_jobs", [1, 2, -1])
@pytest.mark.parametrize("count", [0, 1, 2, 3, 17])
def test_results_come_in_the_order_of_the_items(n_jobs: int, count: int) -> None:
    factor = 3  # of a function that is no module's
    found = in_order(lambda item: factor * item, range(count), n_jobs)
    assert list(found) == [3 * item for item in range(count)]


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_little_is_read_ahead_and_in_this_thread(n_jobs: int, ways: str) -> None:
    items, ahead = Reads(), AHEAD if ways == "forks" else 2
    found = in_order(abs, items, n_jobs)
    assert items.read == 0
    for taken, result in enumerate(found, 1):
        assert result == taken
        assert items.read - taken < (1 if n_jobs == 1 else ahead * n_jobs)
    assert items.read == 20
    assert items.threads == {threading.get_ident()}


def test_a_worker_that_is_slow_does_not_hold_up_another(ways: str, tmp_path: Path) -> None:
    last = 2 * AHEAD - 2 if ways == "forks" else 3  # the first worker's, if they took turns
    function = functools.partial(wait_at_first, last, tmp_path / "done")
    assert all(in_order(function, range(last + 1), 2))


@pytest.mark.parametrize(("n_jobs", "count"), [(1, 3), (2, 1), (-1, 1)])
def test_one_job_or_item_stays_in_this_process(n_jobs: int, count: int) -> None:
    assert set(in_order(pid_of, range(count), n_jobs)) == {os.getpid()}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere processes are not forked")
@pytest.mark.parametrize("threads", ["none", "another"])
def test_a_process_with_one_thread_is_forked_without_imports(threads: str) -> None:
    code = (
        "import sys, threading; from stsbaselines.parallel import in_order;"
        f" threads = {threads!r};"
        " other = threading.Timer(60, print);"
        " other.daemon = True;"
        " other.start() if threads == 'another' else None;"
        " print(list(in_order(len, ['a', 'bc'], 2)), 'joblib' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    is_joblib = b"False" if threads == "none" else b"True"
    assert done.stdout == b"[1, 2] %b\n" % is_joblib, done.stderr


def test_the_function_goes_to_each_process_once() -> None:
    function = CountedPickle()
    pids = set(in_order(function, range(20), 2))
    assert function.pickled == (0 if parallel._has_one_thread() else 2)
    assert os.getpid() not in pids


@pytest.mark.parametrize("error", [InputError("a bad line"), MissingDataError("no data")])
def test_an_error_comes_out_as_it_is(error: InputError) -> None:
    function = functools.partial(fail_at, 5, error)
    found = in_order(function, range(20), 2)
    pids = {next(found) for _ in range(5)}
    with pytest.raises(type(error), match=f"^{error}$"):
        next(found)
    assert not any(map(is_running, pids))


def test_an_error_of_the_items_comes_out_as_it_is() -> None:
    def items() -> Iterator[int]:
        yield from range(9)
        raise InputError("a bad line")

    found = in_order(pid_of, items(), 2)
    pids: list[int] = []
    with pytest.raises(InputError, match=r"^a bad line$"):
        pids.extend(found)
    assert pids
    assert not any(map(is_running, pids))


@pytest.mark.parametrize("leave", [lambda found: found.close(), list])
def test_workers_stop_at_the_end_and_when_it_comes_early(
    leave: Callable[[Iterator[int]], object],
) -> None:
    found = in_order(pid_of, range(20), 2)
    pid = next(found)
    assert is_running(pid)
    leave(found)
    assert not is_running(pid)


def test_a_killed_worker_is_said_in_a_sentence_and_can_be_used_again(ways: str) -> None:
    found: list[int] = []
    with pytest.raises(InputError, match="A worker process was killed, perhaps for lack of"):
        found.extend(in_order(functools.partial(die_at, 7), range(20), 2))
    if ways == "forks":
        assert found == list(range(7))
    assert found == list(range(len(found)))
    assert list(in_order(abs, range(3), 2)) == [0, 1, 2]


def fail_slowly_or_die(item: int) -> int:
    if item == 0:
        time.sleep(0.3)
        raise InputError("line 1 is bad")
    return die_at(3, item)


@FORKS
def test_what_is_wrong_first_is_said_first() -> None:
    with pytest.raises(InputError, match="line 1 is bad"):
        list(in_order(fail_slowly_or_die, range(20), 2))


class Unwelcome:
    """An item that cannot be made again, as for lack of memory."""

    def __reduce__(self) -> tuple[Any, ...]:
        return operator.truediv, (1, 0)


@FORKS
def test_an_item_that_a_worker_cannot_take_ends_it() -> None:
    with pytest.raises(InputError, match="A worker process was killed, perhaps for lack of"):
        list(in_order(type, [1, 2, Unwelcome(), 4], 2))


def test_a_result_that_is_here_is_not_kept_until_more_is_read() -> None:
    items = Reads()
    found = in_order(abs, slowly(itertools.islice(items, 4)), 2)
    assert next(found) == 1
    assert items.read <= 3
    assert list(found) == [2, 3, 4]


def slowly(items: Iterable[int]) -> Iterator[int]:
    """Yield items, from the third on after a second, as they may come by a pipe."""
    for number, item in enumerate(items):
        time.sleep(number >= 2)
        yield item


def test_a_process_that_is_ended_while_it_answers_prints_nothing() -> None:
    code = (
        "from stsbaselines.parallel import in_order\n"
        "for _ in range(30):\n"
        "    found = in_order(bytes, [1_000_000] * 9, 2)\n"
        "    next(found)\n"
        "    found.close()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, timeout=60)
    assert done.stderr == b""


def die_amid_a_result(item: int) -> bytes:
    if item == 1:
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGKILL)).start()
        return bytes(5_000_000)
    time.sleep(0.6)
    return b""


def test_a_worker_that_is_killed_amid_a_result_is_said() -> None:
    with pytest.raises(InputError, match="A worker process was killed, perhaps for lack of"):
        list(in_order(die_amid_a_result, range(4), 2))


def test_two_at_once() -> None:
    one, two = (in_order(abs, range(-9, 0), 2) for _ in range(2))
    assert (next(one), next(two)) == (9, 9)
    assert list(one) == list(two) == [8, 7, 6, 5, 4, 3, 2, 1]


class TwoArgumentsError(Exception):
    def __init__(self, what: str, why: str) -> None:
        super().__init__(f"{what}: {why}")


def pickles_not(item: int) -> Any:
    return threading.Lock()


def fail_in_two_arguments(item: int) -> None:
    raise TwoArgumentsError("this", "that")


@pytest.mark.parametrize(
    ("function", "said"), [(fail_in_two_arguments, "this: that"), (pickles_not, "pickle")]
)
def test_what_cannot_be_sent_is_said_in_words(function: Callable[[int], Any], said: str) -> None:
    _, error, where = pickle.loads(parallel._outcome(function, 1))
    assert isinstance(error, RuntimeError | TypeError)
    assert said in where


def test_large_items_and_results_pass() -> None:
    items = [bytes([number]) * 3_000_000 for number in range(9)]
    assert list(in_order(reversed_bytes, items, 2)) == items


def test_an_unforeseen_error_comes_out_with_where_it_was() -> None:
    found = in_order(functools.partial(fail_at, 1, KeyError("word")), range(3), 2)
    with pytest.raises(KeyError, match="word") as caught:
        list(found)
    assert "in fail_at" in str(caught.value.__cause__)


INTERRUPTED = """
import sys, time
from stsbaselines import parallel
parallel._has_one_thread = lambda: sys.argv[1] == "forks"
print("begins", flush=True)
for _ in parallel.in_order(lambda item: time.sleep(0.01), range(10_000), 2):
    pass
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("seconds", [0.0, 0.1, 0.3, 1.0])
def test_a_signal_to_all_processes_ends_them(number: int, seconds: float, ways: str) -> None:
    script = [sys.executable, "-c", INTERRUPTED, ways]
    with subprocess.Popen(
        script, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    ) as running:
        assert running.stdout
        running.stdout.readline()
        time.sleep(seconds)
        os.killpg(running.pid, number)
        _, printed = running.communicate(timeout=60)  # ends when all have closed the pipe
    assert printed.count(b"KeyboardInterrupt") == (number == signal.SIGINT), printed.decode()
    assert printed.count(b"Traceback") <= (number == signal.SIGINT), printed.decode()


def test_a_baseline_predicts_the_same_in_processes() -> None:
    pairs = [("a cat sat", f"a {word}") for word in ["cat", "dog", "cat sat"] * 9]
    one, two = (
        np.concatenate(list(TokenCosine().predict_chunks(iter(pairs), 5, n_jobs)))
        for n_jobs in (1, 2)
    )
    assert one.tobytes() == two.tobytes()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("das", None), "there is no back end 'das', did you mean 'dask'?"),
        (("processes", "tcp://127.0.0.1:8786"), "A scheduler is only for the back end dask."),
        (
            ("dask", None),
            "The back end dask needs the address of a scheduler, such as tcp://10.0.0.1:8786.",
        ),
        (
            ("dask", ""),
            "The back end dask needs the address of a scheduler, such as tcp://10.0.0.1:8786.",
        ),
    ],
)
def test_a_back_end_that_cannot_be_used_is_refused(
    arguments: tuple[str, str | None], message: str
) -> None:
    with pytest.raises(InputError) as caught, workers(*arguments):
        pass
    assert str(caught.value).startswith(message)


def test_dask_needs_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(InputError, match=r"pip install 'stsbaselines\[dask\]'"),
        workers("dask", "tcp://127.0.0.1:8786"),
    ):
        pass


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM])
def test_workers_end_with_the_process_that_started_them(number: signal.Signals) -> None:
    code = (
        "import os, time; from stsbaselines.parallel import in_order\n"
        "def work(item): print(os.getpid(), flush=True); time.sleep(60)\n"
        "list(in_order(work, [1, 2, 3], 2))"
    )
    command = [sys.executable, "-c", code]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout
        process.stdout.readline()
        process.send_signal(number)
        process.communicate(timeout=30)  # waits until no process has the pipe any more
