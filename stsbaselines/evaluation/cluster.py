"""Working on a dask cluster."""

from __future__ import annotations

import contextlib
import importlib
import logging
import pkgutil
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from typing import Any, TypeVar

from stsbaselines.errors import InputError, LostWorkersError, shown
from stsbaselines.version import __version__

CONNECT_SECONDS = 5.0

T = TypeVar("T")
R = TypeVar("R")


@contextlib.contextmanager
def connected(scheduler: str) -> Iterator[Any]:
    """Yield a client of the dask cluster at an address."""
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise InputError(
            "--scheduler needs one more package: pip install 'stsbaselines[dask]'"
        ) from None
    with contextlib.ExitStack() as stack:
        stack.enter_context(distributed.utils.silence_logging_cmgr(logging.CRITICAL))  # tracebacks
        try:
            client = stack.enter_context(distributed.Client(scheduler, timeout=CONNECT_SECONDS))
        except Exception:  # the answer of another kind of server may be anything
            raise InputError(
                f"No dask scheduler answers at {shown(scheduler)}; an address is, for example,"
                " tcp://10.0.0.1:8786."
            ) from None
        _check_workers(client)
        try:
            yield client
        except distributed.scheduler.KilledWorker:
            raise LostWorkersError(
                "Workers of the cluster were killed, perhaps for lack of memory."
            ) from None
        except (CancelledError, distributed.comm.CommClosedError):
            raise LostWorkersError(f"The cluster at {scheduler} has ended.") from None


def in_order_on(
    client: Any, function: Callable[[T], R], items: Iterable[T], n_jobs: int
) -> Iterator[R]:
    """Yield `function` of each item in order, computed on a cluster.

    joblib's backend for dask is not used: it waits forever for work that dask has given up.
    """
    cloudpickle = importlib.import_module("cloudpickle")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
        # A task, not scattered data: it is repeated if the worker that has its result dies.
        sent = client.submit(cloudpickle.loads, cloudpickle.dumps(function), pure=False)
    most = n_jobs if n_jobs > 0 else 2 * len(client.nthreads())
    waiting: deque[Any] = deque()
    for item in items:
        if len(waiting) == most:
            yield waiting.popleft().result()
        # Pickled here, because dask would look for its own tasks within an item.
        waiting.append(client.submit(_call, sent, cloudpickle.dumps(item), pure=False))
    while waiting:
        yield waiting.popleft().result()


def _call(function: Callable[[Any], R], item: bytes) -> R:
    return function(importlib.import_module("cloudpickle").loads(item))


def _check_workers(client: Any) -> None:
    """Refuse a cluster whose workers may give other results."""
    versions = client.run(pkgutil.resolve_name, "stsbaselines:__version__", on_error="return")
    if not versions:
        raise InputError("The cluster has no workers.")
    for address, threads in client.nthreads().items():
        found = versions.get(address)
        if found != __version__ or threads != 1:
            found = found if isinstance(found, str) else "none"
            raise InputError(
                f"The worker {address} has {threads} threads and stsbaselines {found}, but must"
                f" have one thread and stsbaselines {__version__}: start it by"
                " `dask worker --nthreads 1`."
            )
