"""BLAS and OpenMP held to one thread: little work is slower with several, far slower where cores
are busy, and sums depend on their number to the last bit."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController, threadpool_limits

Limits = AbstractContextManager[Any]


class OneThread:
    """Entered any number of times, also from several threads as on a Dask worker: limits are set
    by the first to enter and lifted by the last to leave, since they hold for the whole process."""

    def __init__(self, limits: Callable[[], Limits]) -> None:
        self._set = limits
        self._lock = Lock()
        self._inside = 0
        self._limits: Limits | None = None

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._limits = self._set()
                self._limits.__enter__()
            self._inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0 and self._limits is not None:
                self._limits.__exit__(None, None, None)


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController().select(user_api="blas")


@cache
def _loaded() -> ThreadpoolController:
    return ThreadpoolController()


# Looks for libraries each time, which takes a millisecond: for whole batches.
ONE_THREAD = OneThread(lambda: threadpool_limits(1))
# Looks for them once, and takes microseconds: for a few products of NumPy's.
ONE_BLAS_THREAD = OneThread(lambda: _blas().limit(limits=1))
# As quick, and for OpenMP as well, in libraries that are loaded by its first use: for small fits.
ONE_THREAD_A_FIT = OneThread(lambda: _loaded().limit(limits=1))
