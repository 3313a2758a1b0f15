"""BLAS held to one thread while any batch is played in this process."""

from threading import Lock
from types import TracebackType
from typing import Any

from threadpoolctl import threadpool_limits


class OneThread:
    """Entered any number of times, also from several threads as on a Dask worker: limits are set
    by the first to enter and lifted by the last to leave, since they hold for the whole process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._inside = 0
        self._limits: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._limits = threadpool_limits(1)
            self._inside += 1

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                self._limits.restore_original_limits()


ONE_THREAD = OneThread()
