"""An answer that will come: as a `Future` has it, without a lock of its own."""

import logging
from collections.abc import Callable
from threading import Event, Lock
from typing import Any, Generic, Protocol, TypeVar

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")

LOG = logging.getLogger(__name__)
_ONE_BY_ONE = Lock()  # held for no longer than it takes to say who was first


class Awaited(Protocol[T_co]):
    """What callers need of a future."""

    def done(self) -> bool: ...

    def result(self, timeout: float | None = None) -> T_co: ...

    def add_done_callback(self, fn: Callable[[Any], object], /) -> None: ...


class Promise(Generic[T]):
    """What somebody waits for; found out when it is asked for, in the thread that asks.

    So whoever keeps it does not hold up all others with it.

    >>> promise = Promise[int]()
    >>> promise.keep(lambda: 1 + 1), promise.keep(lambda: 3), promise.result()
    (True, False, 2)
    """

    __slots__ = ("_callbacks", "_find", "_is_kept")

    def __init__(self) -> None:
        self._find: Callable[[], T] | None = None
        self._is_kept = False
        self._callbacks: list[Callable[[Any], object]] = []

    def keep(self, find: Callable[[], T]) -> bool:
        """Say how the answer is found, unless somebody has: whether nobody had."""
        with _ONE_BY_ONE:
            if self._find is not None:
                return False
            self._find = find
        self._is_kept = True
        self._call()
        return True

    def done(self) -> bool:
        return self._is_kept

    def result(self, timeout: float | None = None) -> T:
        """The answer, or the error that finding it ends with."""
        if not self._is_kept:
            kept = Event()
            self.add_done_callback(lambda _: kept.set())
            if not kept.wait(timeout):
                raise TimeoutError
        assert self._find is not None  # it is kept
        return self._find()

    def exception(self, timeout: float | None = None) -> BaseException | None:
        """The error that finding the answer ends with, if it does."""
        try:
            self.result(timeout)
        except Exception as error:
            return error
        return None

    def add_done_callback(self, fn: Callable[[Any], object], /) -> None:
        """Called once, at once or in the thread that keeps the promise."""
        self._callbacks.append(fn)
        if self._is_kept:
            self._call()

    def _call(self) -> None:
        """Two threads may be here: each callback is taken by one of them."""
        while self._callbacks:
            try:
                callback = self._callbacks.pop()
            except IndexError:
                return
            try:
                callback(self)
            except Exception:  # whoever keeps promises has others to keep
                LOG.exception("an answer could not be handed over")
