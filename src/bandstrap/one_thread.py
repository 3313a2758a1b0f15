"""BLAS and OpenMP limited to one thread: small work is slower with several, much slower on busy
cores, and sums depend on the number of threads to the last bit."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController, threadpool_limits

Limits = AbstractContextManager[Any]


class OneThread:
    """A limit that can be nested, also from several threads as on a Dask worker: the first to enter
    sets it and the last to leave lifts it, since it holds for the whole process."""

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


_loaded = cache(ThreadpoolController)
_blas = cache(lambda: ThreadpoolController().select(user_api="blas"))

# Searches for libraries each time, which takes a millisecond: for whole batches.
ONE_THREAD = OneThread(lambda: threadpool_limits(1))
# Searches once, then takes microseconds: for a few NumPy products.
ONE_BLAS_THREAD = OneThread(lambda: _blas().limit(limits=1))
# As quick, and for OpenMP too, in libraries loaded before its first use: for small fits.
ONE_THREAD_A_FIT = OneThread(lambda: _loaded().limit(limits=1))
