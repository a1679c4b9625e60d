"""Work on many items in several processes of this machine, with results in order."""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any, TypeVar

from stsbaselines.errors import InputError, LostWorkersError

T = TypeVar("T")
R = TypeVar("R")


def in_order(function: Callable[[T], R], items: Iterable[T], n_jobs: int = 1) -> Iterator[R]:
    """Yield `function` of each item, in order, computed in several processes.

    With one job, or for a single item, nothing leaves this process.
    """
    items = iter(items)
    first = list(itertools.islice(items, 0 if n_jobs == 1 else 2))
    items = itertools.chain(first, items)
    if len(first) < 2:
        yield from map(function, items)
        return
    import joblib  # slow to import
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    folder = os.getcwd()
    faults: list[Exception] = []
    is_stopped = False

    def calls() -> Iterator[Any]:
        try:
            for item in items:
                if is_stopped:
                    return
                yield joblib.delayed(_result_or_error)(function, item, folder)
        except Exception as error:  # joblib, which reads ahead, would hang
            faults.append(error)

    with joblib.Parallel(n_jobs, return_as="generator", batch_size=1) as parallel:
        with _interrupts_held():
            list(parallel([joblib.delayed(int)()]))  # starts the workers
        results = parallel(calls())
        try:
            for result in results:
                if isinstance(result, InputError):
                    raise result
                yield result
        except TerminatedWorkerError:
            raise LostWorkersError(
                "A worker process was killed, perhaps for lack of memory; fewer jobs need less."
            ) from None
        finally:
            is_stopped = True
            with contextlib.suppress(Exception):
                list(results)  # joblib prints errors if it is stopped while workers work
    if faults:
        raise faults[0]


@contextlib.contextmanager
def current_folder_on_path() -> Iterator[None]:
    """Let modules of the current folder be imported, also by processes that start meanwhile."""
    folder = os.getcwd()
    sys.path.insert(0, folder)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            sys.path.remove(folder)


def _result_or_error(function: Callable[[T], R], item: T, folder: str) -> R | InputError:
    """Call a function in a folder; an InputError is returned, and keeps its place among results."""
    os.chdir(folder)  # a worker that is used again may have started in another one
    try:
        return function(item)
    except InputError as error:
        return error


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Start processes that ignore Ctrl-C, which would make them print tracebacks."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # starting it later would unblock the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
