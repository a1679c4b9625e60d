"""Work on many items at once, in order: in processes of this machine, or on a dask cluster."""

from __future__ import annotations

import contextlib
import functools
import importlib
import itertools
import logging
import os
import pkgutil
import queue
import signal
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextvars import ContextVar
from typing import Any, NamedTuple, TypeVar

from stsbaselines.errors import InputError, LostWorkersError, shown, unknown
from stsbaselines.version import __version__

BACKENDS = ("processes", "dask")
AHEAD = 4
"""Items that are read for each worker, at most, before the result of the first is taken."""

CONNECT_SECONDS = 5.0
PATIENCE_SECONDS = 60.0
"""How long a cluster may be without workers, or without its scheduler."""

_GIVEN = 2  # items to a worker, so that it has one when it has done the other
_WATCH_SECONDS = 0.5
_LOST = "A worker process was killed, perhaps for lack of memory; fewer jobs need less."

T = TypeVar("T")
R = TypeVar("R")


class _Pending(NamedTuple):
    """A result that is to come: whether it is here, and what waits for it."""

    is_here: Callable[[], bool]
    take: Callable[[], Any]


_Submit = Callable[[Any], _Pending]
"""What gives an item to the workers."""

_cluster: ContextVar[Any] = ContextVar("_cluster", default=None)
_received: Any = None


def in_order(function: Callable[[T], R], items: Iterable[T], n_jobs: int = 1) -> Iterator[R]:
    """Yield `function` of each item, in order, reading only a few items ahead.

    Parameters
    ----------
    function : callable
        Sent to each worker once, so it may hold a large model.
    items : iterable
        Read in this process and thread, at most `AHEAD` for each worker before they are taken.
    n_jobs : int
        Processes, -1 for all cores; within ``workers("dask", ...)``, workers of the cluster, -1
        for all. With 1, or for a single item, nothing leaves this process.

    Yields
    ------
    object

    Raises
    ------
    InputError
        If a worker process was killed, or the cluster has no workers any more.

    Examples
    --------
    >>> list(in_order(len, ["a", "bcd"]))
    [1, 3]
    """
    items = iter(items)
    first = list(itertools.islice(items, 0 if n_jobs == 1 else 2))
    items = itertools.chain(first, items)
    if len(first) < 2:
        yield from map(function, items)
        return
    client = _cluster.get()
    if client is not None:
        pool = _on(client, function, n_jobs)
    elif _has_one_thread():
        pool = _forks(function, n_jobs if n_jobs > 0 else len(os.sched_getaffinity(0)))
    else:
        pool = _processes(function, n_jobs)
    waiting: deque[_Pending] = deque()
    with pool as (submit, most):
        for item in items:
            waiting.append(submit(item))
            while waiting and (len(waiting) >= most or waiting[0].is_here()):
                yield waiting.popleft().take()
        while waiting:
            yield waiting.popleft().take()


def is_elsewhere() -> bool:
    """Tell whether `in_order` sends its items to other machines, which have other files."""
    return _cluster.get() is not None


@contextlib.contextmanager
def workers(backend: str = "processes", scheduler: str | None = None) -> Iterator[None]:
    """Within the block, let `in_order` work in processes or on a dask cluster.

    Parameters
    ----------
    backend : 'processes' or 'dask'
    scheduler : str, optional
        Address of the cluster's scheduler, such as ``tcp://10.0.0.1:8786``; only for dask.

    Raises
    ------
    InputError
        If the back end or the cluster cannot be used.

    Examples
    --------
    >>> with workers("processes"):
    ...     list(in_order(len, ["a", "bcd"]))
    [1, 3]
    """
    if backend not in BACKENDS:
        raise unknown("back end", backend, BACKENDS)
    if backend == "processes":
        if scheduler is not None:
            raise InputError("A scheduler is only for the back end dask.")
        yield
        return
    if not scheduler:
        raise InputError(
            "The back end dask needs the address of a scheduler, such as tcp://10.0.0.1:8786."
        )
    with _connected(scheduler) as client:
        _check_workers(client)
        token = _cluster.set(client)
        try:
            yield
        finally:
            _cluster.reset(token)


def _has_one_thread() -> bool:
    """Tell whether this process can be forked safely: no other thread holds a lock."""
    try:
        return len(os.listdir("/proc/self/task")) == 1
    except OSError:  # not Linux
        return False


@contextlib.contextmanager
def _forks(function: Callable[[Any], Any], count: int) -> Iterator[tuple[_Submit, int]]:
    """Work in forks of this process, which begin at once, while others import all anew."""
    import multiprocessing

    fork = multiprocessing.get_context("fork")
    pipes: list[Any] = []
    processes = []
    for _ in range(count):
        ours, theirs = fork.Pipe()
        pipes.append(ours)
        process = fork.Process(target=_serve, args=(function, theirs, pipes), daemon=True)
        with _interrupts_held():
            process.start()
        processes.append(process)
        theirs.close()
    try:
        yield _Exchange(pipes).submit, AHEAD * count
    finally:
        for pipe, process in zip(pipes, processes, strict=True):
            process.kill()  # before the pipe is closed, to which it may be writing
            process.join()
            pipe.close()


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let processes that are started never see Ctrl-C, and this one a bit later."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class _Exchange:
    """Gives items to whichever worker is free; each worker has a pipe of its own.

    What a worker that is killed has been given is lost, which is said in its turn.
    """

    def __init__(self, pipes: Sequence[Any]) -> None:
        self._numbers = itertools.count()
        self._waiting: deque[tuple[int, Any]] = deque()
        self._given: dict[Any, deque[int]] = {pipe: deque() for pipe in pipes}
        self._answers: dict[int, bytes | None] = {}

    def submit(self, item: Any) -> _Pending:
        from multiprocessing.reduction import ForkingPickler

        number = next(self._numbers)
        self._waiting.append((number, ForkingPickler.dumps(item)))
        self._exchange(timeout=0)
        return _Pending(
            functools.partial(self._answers.__contains__, number),
            functools.partial(self._take, number),
        )

    def _take(self, number: int) -> Any:
        from multiprocessing.reduction import ForkingPickler

        while number not in self._answers:
            self._exchange()
        answer = self._answers.pop(number)
        if answer is None:
            raise LostWorkersError(_LOST)
        result, error, where = ForkingPickler.loads(answer)
        if error is not None:
            raise error from (None if isinstance(error, InputError) else RuntimeError(where))
        return result

    def _exchange(self, timeout: float | None = None) -> None:
        """Take answers, waiting for one, and give workers items, so that none runs out of them."""
        from multiprocessing.connection import wait

        for pipe in wait([pipe for pipe, given in self._given.items() if given], timeout):
            self._receive(pipe)
        while self._waiting and self._given:
            pipe = min(self._given, key=lambda each: len(self._given[each]))
            if len(self._given[pipe]) == _GIVEN:
                return
            number, content = self._waiting.popleft()
            self._given[pipe].append(number)
            with contextlib.suppress(OSError):  # which the next reading finds, too
                pipe.send_bytes(content)
        self._lose(number for number, _ in self._waiting)
        self._waiting.clear()

    def _receive(self, pipe: Any) -> None:
        try:
            answer = pipe.recv_bytes()
        except (EOFError, OSError):  # OSError alone: an end in the midst of a message
            self._lose(self._given.pop(pipe))
        else:
            self._answers[self._given[pipe].popleft()] = answer

    def _lose(self, numbers: Iterable[int]) -> None:
        self._answers.update(dict.fromkeys(numbers))


def _serve(function: Callable[[Any], Any], pipe: Any, pipes_of_parent: Sequence[Any]) -> None:
    """Answer the items that come by a pipe, until its other end is closed, or its process dead."""
    for each in pipes_of_parent:
        each.close()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # which the parent gets, too
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    items: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_receive_items, args=(pipe, items), daemon=True).start()
    while True:
        pipe.send_bytes(_outcome(function, items.get()))


def _outcome(function: Callable[[Any], Any], item: Any) -> Any:
    """Return the result of an item or, to be raised in the parent, an error and where it was."""
    from multiprocessing.reduction import ForkingPickler

    try:
        return ForkingPickler.dumps((function(item), None, ""))
    except (Exception, SystemExit) as error:
        where = traceback.format_exc()
        with contextlib.suppress(Exception):  # one that cannot be sent as it is
            sent = ForkingPickler.dumps((None, error, where))
            ForkingPickler.loads(sent)
            return sent
    return ForkingPickler.dumps((None, RuntimeError(where), where))


def _receive_items(pipe: Any, items: queue.SimpleQueue[Any]) -> None:
    """Take items as they come, so that the parent never waits for a worker that waits for it.

    Where that fails, at the end of the pipe or for lack of memory, the process is at its end.
    """
    try:
        while True:
            items.put(pipe.recv())
    finally:
        os._exit(1)


@contextlib.contextmanager
def _processes(function: Callable[[Any], Any], n_jobs: int) -> Iterator[tuple[_Submit, int]]:
    from multiprocessing import resource_tracker

    from joblib import cpu_count, effective_n_jobs
    from joblib.externals.loky.process_executor import ProcessPoolExecutor, TerminatedWorkerError
    from joblib.parallel import ParallelBackendBase

    count = effective_n_jobs(n_jobs)
    threads = str(max(1, cpu_count() // count))
    names = ParallelBackendBase.MAX_NUM_THREADS_VARS
    pool = ProcessPoolExecutor(
        count,
        initializer=_receive,
        initargs=(function, os.getpid()),
        env={name: os.environ.get(name, threads) for name in names},
    )

    if os.name == "posix":
        resource_tracker.ensure_running()  # else its start would end `_interrupts_held`
    newest: deque[Any] = deque(maxlen=1)

    def submit(item: Any) -> _Pending:
        with _interrupts_held():  # since this starts the processes
            newest.append(pool.submit(_call_received, item))
        return _Pending(newest[0].done, newest[0].result)

    finished = False
    try:
        yield submit, _GIVEN * count
        finished = True
    except TerminatedWorkerError:
        raise LostWorkersError(_LOST) from None
    finally:
        if not finished:
            _wait_until_passed_on(newest)
        pool.shutdown(wait=True, kill_workers=not finished)


def _wait_until_passed_on(futures: Iterable[Any]) -> None:
    """Wait until the work is in loky's queue; its thread fails if workers are killed before."""
    for _ in range(1000):
        if all(future.running() or future.done() for future in futures):
            return
        time.sleep(0.001)


def _receive(function: Callable[[Any], Any], parent: int) -> None:
    """Keep the function that this worker process is for, and end when its parent has ended."""
    global _received
    _received = function
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # which the parent gets, too
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_WATCH_SECONDS)
    os._exit(1)


def _call_received(item: Any) -> Any:
    return _received(item)


@contextlib.contextmanager
def _on(client: Any, function: Callable[[Any], Any], n_jobs: int) -> Iterator[tuple[_Submit, int]]:
    cloudpickle, distributed = map(importlib.import_module, ("cloudpickle", "distributed"))
    count = len(client.nthreads())
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
        # A task, not scattered data: it is done again if the worker that has its result dies.
        there = client.submit(cloudpickle.loads, cloudpickle.dumps(function), pure=False)
    pending: set[Any] = set()

    def submit(item: Any) -> _Pending:
        # Pickled here, since dask would look for its own tasks within an item.
        content = cloudpickle.dumps(item)
        future = client.submit(_call, there, content, pure=False)
        pending.add(future)
        return _Pending(future.done, functools.partial(take, future))

    def take(future: Any) -> Any:
        result = _result(client, future)
        pending.remove(future)
        return result

    try:
        yield submit, n_jobs if 0 < n_jobs < count else _GIVEN * count
    except distributed.scheduler.KilledWorker:
        raise LostWorkersError(
            "Workers of the cluster died at their work, perhaps for lack of memory."
        ) from None
    except CancelledError:
        raise _lost(client) from None
    finally:
        if client.status == "running":
            client.cancel(list(pending))


def _call(function: Callable[[Any], Any], item: bytes) -> Any:
    return function(importlib.import_module("cloudpickle").loads(item))


def _result(client: Any, future: Any) -> Any:
    """Wait for a result, but not longer than `PATIENCE_SECONDS` for a cluster without workers."""
    timeout = importlib.import_module("distributed").TimeoutError
    last = time.monotonic()
    while True:
        try:
            return future.result(timeout=1)
        except timeout:
            if future.status == "error":
                return future.result()
        if _works(client):
            last = time.monotonic()
        elif time.monotonic() - last > PATIENCE_SECONDS:
            raise _lost(client)


def _works(client: Any) -> bool:
    try:
        return client.status == "running" and bool(client.nthreads())
    except OSError:
        return False


def _lost(client: Any) -> LostWorkersError:
    address = client.scheduler.address if client.scheduler else "the scheduler"
    return LostWorkersError(
        f"All workers of the cluster at {address} are gone, or the cluster itself."
    )


@contextlib.contextmanager
def _connected(scheduler: str) -> Iterator[Any]:
    try:
        distributed: Any = importlib.import_module("distributed")
    except ModuleNotFoundError:
        raise InputError(
            "The back end dask needs one more package: pip install 'stsbaselines[dask]'"
        ) from None
    import asyncio

    with distributed.utils.silence_logging_cmgr(logging.CRITICAL):  # they are tracebacks
        with ThreadPoolExecutor(1) as thread:  # since this one may have a running event loop
            if not thread.submit(asyncio.run, _is_scheduler(distributed, scheduler)).result():
                raise InputError(
                    f"No dask scheduler answers at {shown(scheduler)}; an address is, for example,"
                    " tcp://10.0.0.1:8786."
                )
        with distributed.Client(scheduler, timeout=CONNECT_SECONDS, set_as_default=False) as client:
            yield client


async def _is_scheduler(distributed: Any, address: str) -> bool:
    import asyncio

    security = distributed.Security().get_connection_args("client")
    server = distributed.rpc(address, timeout=CONNECT_SECONDS, connection_args=security)
    try:
        async with server:
            found = await asyncio.wait_for(server.identity(), 2 * CONNECT_SECONDS)
            return bool(found["type"] == "Scheduler")
    except Exception:  # the answer of another kind of server may be anything
        return False


def _check_workers(client: Any) -> None:
    threads = client.nthreads()
    if not threads:
        raise InputError("The cluster has no workers.")
    versions = client.run(pkgutil.resolve_name, "stsbaselines:__version__", on_error="return")
    for address, version in versions.items():
        if version != __version__:
            version = f"stsbaselines {version}" if isinstance(version, str) else "no stsbaselines"
            raise InputError(
                f"The worker {address} has {version}, but must have stsbaselines {__version__}."
            )
    for address, count in threads.items():
        if count != 1:
            raise InputError(
                f"The worker {address} has {count} threads, but must have one: start more workers"
                " by `dask worker --nworkers N --nthreads 1`."
            )
