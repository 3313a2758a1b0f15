"""Where batches are played: on this machine, on a Dask cluster or on a Ray one, through joblib."""

import os
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib import import_module
from types import ModuleType
from typing import Any

from joblib import Parallel, parallel_config
from joblib._parallel_backends import ParallelBackendBase

from bandstrap.errors import InvalidInput, UnknownName

CERTIFICATES = ", ".join(
    f"DASK_DISTRIBUTED__COMM__TLS__{each}" for each in ("CA_FILE", "CLIENT__CERT", "CLIENT__KEY")
)
WAIT = 30  # seconds for a cluster to answer, and for its first worker to appear
RETRIES = 3  # of a batch whose worker was lost; as many as Dask's


class Engine(ABC):
    """Opens the joblib pool in which batches are played; results come as they finish."""

    @abstractmethod
    def pool(self, batches: int) -> AbstractContextManager[Parallel]:
        """A pool for this many batches, open as long as the context."""


@dataclass(frozen=True)
class Local(Engine):
    """Processes of this machine; with one worker, this process."""

    workers: int = 1

    def __post_init__(self) -> None:
        if self.workers < 1:
            raise InvalidInput("workers", self.workers, "give at least one worker")

    @contextmanager
    def pool(self, batches: int) -> Iterator[Parallel]:
        with warnings.catch_warnings():
            # A worker whose memory has grown, as with data, is replaced after its batch.
            warnings.filterwarnings("ignore", "A worker stopped", UserWarning)
            yield _parallel(min(self.workers, max(batches, 1)))


@dataclass(frozen=True)
class Dask(Engine):
    """The workers of a Dask scheduler. What a lost worker was playing is played by another.

    >>> Dask("tcp://10.0.0.1:8786")
    Dask(address='tcp://10.0.0.1:8786')
    """

    address: str

    def __post_init__(self) -> None:
        _check_address(self.address, "the scheduler's, as in tcp://10.0.0.1:8786")

    @contextmanager
    def pool(self, batches: int) -> Iterator[Parallel]:
        distributed = _imported("distributed", "dask")
        _check_encryption(distributed, self.address)
        try:
            client = distributed.Client(self.address, set_as_default=False, timeout=WAIT)
        except (OSError, ValueError) as error:
            raise _unreachable("Dask scheduler", self.address) from error
        backend = {"client": client, "wait_for_workers_timeout": WAIT}
        with client, _absent_named(self.address), parallel_config(backend="dask", **backend):
            yield _parallel(-1)


class RayTasks(ParallelBackendBase):  # type: ignore[misc]
    """A joblib backend: each call is a Ray task of one core, retried when its worker dies.

    Ray's own backend is a pool of actors that cannot return results as they finish, and it patches
    a class of joblib for the whole process.
    """

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
            raise error.cause from None  # the error itself, as from a local process
        except self._ray.exceptions.RaySystemError as error:
            if "No module named" in str(error):
                raise ModuleNotFoundError(str(error).splitlines()[0]) from None
            raise

    def abort_everything(self, ensure_ready: bool = True) -> None:
        for reference in list(self._waiting):
            self._ray.cancel(reference, force=True)


@dataclass(frozen=True)
class Ray(Engine):
    """A Ray cluster; `auto` finds one on this machine. What a lost worker was playing is retried.

    >>> Ray("auto")
    Ray(address='auto')
    """

    address: str

    def __post_init__(self) -> None:
        _check_address(self.address, "the head's, as in 10.0.0.1:6379, or auto")

    @contextmanager
    def pool(self, batches: int) -> Iterator[Parallel]:
        ray = _imported("ray", "ray")
        ours = not ray.is_initialized()
        try:
            if ours:
                ray.init(self.address, log_to_driver=False, logging_level="error")
        except (OSError, ValueError, RuntimeError) as error:
            raise _unreachable("Ray cluster", self.address) from error
        try:
            with _absent_named(self.address), parallel_config(backend=RayTasks(ray)):
                yield _parallel(-1)
        finally:
            if ours:
                ray.shutdown()


ENGINES: dict[str, Callable[[str], Engine]] = {"dask": Dask, "ray": Ray}


def engine_named(name: str, address: str | None, workers: int) -> Engine:
    """The engine that the command line asks for; 0 workers are one per core.

    >>> engine_named("local", None, 2)
    Local(workers=2)
    """
    if name == "local":
        if address is not None:
            raise InvalidInput("--address", address, "give it with --engine dask or ray")
        return Local(workers or os.cpu_count() or 1)
    if name not in ENGINES:
        raise UnknownName("engine", name, ["local", *ENGINES])
    if workers:
        raise InvalidInput("--workers", workers, "leave it out: a cluster brings its own")
    return ENGINES[name](address or "")


def _parallel(jobs: int) -> Parallel:
    return Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)


def _check_address(address: str, example: str) -> None:
    if not address.strip():
        raise InvalidInput("--address", address, f"give {example}")


def _check_encryption(distributed: ModuleType, address: str) -> None:
    """Checked before Dask's client does, which fails without a reason and then hangs."""
    try:
        given = distributed.Security().get_connection_args("client")
    except (OSError, ValueError) as error:
        remedy = f"the files that {CERTIFICATES} name cannot be read: {error}"
        raise InvalidInput("--address", address, remedy) from error
    encrypted = address.startswith(("tls://", "wss://"))
    if encrypted and given["ssl_context"] is None:
        raise InvalidInput("--address", address, f"it needs certificates: set {CERTIFICATES}")
    if given["require_encryption"] and not encrypted:
        raise InvalidInput("--address", address, "encryption is required here: give tls://…")


def _imported(module: str, extra: str) -> ModuleType:
    try:
        return import_module(module)
    except ImportError as error:
        remedy = f'{extra} is not installed: pip install "bandstrap[{extra}]"'
        raise InvalidInput("--engine", extra, remedy) from error


@contextmanager
def _absent_named(address: str) -> Iterator[None]:
    """Say where a module is missing: on a worker, or the batch could not have been sent."""
    try:
        yield
    except ModuleNotFoundError as error:
        remedy = f"a worker there says {error}: install the same packages on each of them"
        raise InvalidInput("--address", address, remedy) from error


def _unreachable(what: str, address: str) -> InvalidInput:
    remedy = f"no {what} answers there: start it, correct this, or set its token or certificates"
    return InvalidInput("--address", address, remedy)


def _called(func: Callable[[], Any]) -> Any:
    return func()
