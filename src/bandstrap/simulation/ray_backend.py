"""A joblib backend of Ray tasks.

Ray's own backend for joblib is a pool of actors that cannot give results as they come, and that
changes a class of joblib's for the whole process; tasks can, and Ray plays lost ones again.
"""

from collections.abc import Callable
from concurrent.futures import Future
from types import ModuleType
from typing import Any

from joblib._parallel_backends import ParallelBackendBase

RETRIES = 3  # times that a batch is played again after its worker was lost; as many as Dask's


class RayTasks(ParallelBackendBase):  # type: ignore[misc]
    """Each call is one task of one core, retried when its worker dies."""

    supports_retrieve_callback = True
    default_n_jobs = -1

    def __init__(self, ray: ModuleType) -> None:
        super().__init__(nesting_level=0)
        self._ray = ray
        self._task = ray.remote(num_cpus=1, max_retries=RETRIES)(_called)
        self._waiting: set[Any] = set()

    def effective_n_jobs(self, n_jobs: int) -> int:
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, func: Callable[[], Any], callback: Callable[[Any], None]) -> "Future[Any]":
        reference = self._task.remote(func)
        self._waiting.add(reference)
        future: Future[Any] = reference.future()
        future.add_done_callback(lambda _: self._waiting.discard(reference))
        future.add_done_callback(callback)
        return future

    def retrieve_result_callback(self, out: "Future[Any]") -> Any:
        try:
            return out.result()
        except self._ray.exceptions.RayTaskError as error:
            raise error.cause from None  # the error itself, as from a process of our own
        except self._ray.exceptions.RaySystemError as error:
            if "No module named" in str(error):
                raise ModuleNotFoundError(str(error).splitlines()[0]) from None
            raise

    def abort_everything(self, ensure_ready: bool = True) -> None:
        for reference in list(self._waiting):
            self._ray.cancel(reference, force=True)


def _called(func: Callable[[], Any]) -> Any:
    return func()
