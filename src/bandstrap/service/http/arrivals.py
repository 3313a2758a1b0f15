"""What the service's threads will answer, awaited."""

import asyncio
from collections import deque
from functools import partial
from typing import Any, TypeVar

from bandstrap.service.store.promise import Awaited

T = TypeVar("T")


class Arrivals:
    """Wakes a loop once for all answers of a commit.

    `asyncio.wrap_future` writes to the loop's pipe for each of them, which takes as long as much of
    what is done with a request.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._come: deque[asyncio.Future[None]] = deque()
        self._told = False  # whether the loop is going to look

    async def result(self, answer: Awaited[T]) -> T:
        """The result or error."""
        if not answer.done():
            waiting = self._loop.create_future()
            answer.add_done_callback(partial(self._arrived, waiting))
            await waiting
        return answer.result()

    def _arrived(self, waiting: "asyncio.Future[Any]", answer: Any) -> None:
        """In the thread that completes it. What is put in before the loop looks is found by it."""
        self._come.append(waiting)
        if not self._told:
            self._told = True
            self._loop.call_soon_threadsafe(self._look)

    def _look(self) -> None:
        self._told = False
        while self._come:
            waiting = self._come.popleft()
            if not waiting.done():  # its request may have been given up
                waiting.set_result(None)
