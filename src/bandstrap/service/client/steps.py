"""What a call does, one step after the other, without saying who does it.

A call is a generator: it yields steps and is sent what came of them, or has the error thrown into
it. `Client` takes the steps one by one and `AsyncClient` awaits them, so that retries, buffer and
fallback are written once.
"""

from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

__all__ = ["Call", "Pause", "Reply", "Send", "Step", "Taker", "Work"]

T = TypeVar("T")


class Taker(Protocol):
    """Who takes steps: each by a method of its own, at once or to be awaited."""

    def send(self, it: "Send") -> Any:
        """The reply to a request."""

    def pause(self, it: "Pause") -> Any:
        """Wait."""

    def work(self, it: "Work") -> Any:
        """What a function returns."""


@dataclass(frozen=True)
class Send:
    """A request to be sent; it becomes a `Reply`."""

    method: str
    path: str
    body: bytes | None
    timeout: float

    def by(self, taker: Taker) -> Any:
        """Have it taken."""
        return taker.send(self)


@dataclass(frozen=True)
class Pause:
    """Some seconds to wait."""

    seconds: float

    def by(self, taker: Taker) -> Any:
        """Have it taken."""
        return taker.pause(self)


@dataclass(frozen=True)
class Work:
    """A function that may wait for the disk; it becomes what the function returns."""

    function: Callable[[], Any]

    def by(self, taker: Taker) -> Any:
        """Have it taken."""
        return taker.work(self)


@dataclass(frozen=True)
class Reply:
    """What came back over HTTP."""

    status: int
    content: bytes
    retry_after: str = ""


Step = Send | Pause | Work
Call = Generator[Step, Any, T]
