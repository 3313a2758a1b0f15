"""The client for code that awaits."""

import asyncio
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx

from bandstrap.bandit.decision import Arm
from bandstrap.service.client.protocol import Decided, Protocol, Request, Reward
from bandstrap.service.client.retry import Retry
from bandstrap.service.client.steps import Call, Pause, Reply, Send, Work
from bandstrap.service.messages import Context, Problem, RewardAnswer

__all__ = ["AsyncClient"]

T = TypeVar("T")


class AsyncClient:
    """`Client`, awaited: the same calls with the same promises. Files are written in threads.

    >>> async def shown(experiment):
    ...     async with AsyncClient("http://127.0.0.1:8000") as client:
    ...         return await client.decide(experiment, fallback="a")
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        buffer: str | Path | None = None,
        retry: Retry | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self._protocol = Protocol(url, retry or Retry(), buffer)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx.AsyncClient(
            base_url=self._protocol.url, headers=headers, transport=transport
        )
        self._taker = _Taker(self._http)

    async def decide(
        self,
        experiment: str,
        context: Context = None,
        *,
        id: str | None = None,  # noqa: A002 - as the API calls it
        allowed: list[Arm] | None = None,
        rank: int | None = None,
        deferred: bool = False,
        arm: Arm | None = None,
        propensity: float | None = None,
        fallback: Arm | None = None,
    ) -> Decided:
        """As `Client.decide`."""
        request = Request(id, context, allowed, rank, deferred, arm, propensity)
        return await self._run(self._protocol.decide(experiment, request, fallback))

    async def decide_many(
        self, experiment: str, requests: Iterable[Request], *, fallback: Arm | None = None
    ) -> list[Decided | Problem]:
        """As `Client.decide_many`."""
        return await self._run(self._protocol.decide_many(experiment, requests, fallback))

    async def reward(
        self,
        id: str,  # noqa: A002
        reward: float,
        metrics: Mapping[str, float] | None = None,
    ) -> RewardAnswer:
        """As `Client.reward`."""
        return await self._run(self._protocol.reward(Reward(id, reward, dict(metrics or {}))))

    async def reward_many(self, rewards: Iterable[Reward]) -> list[RewardAnswer | Problem]:
        """As `Client.reward_many`."""
        return await self._run(self._protocol.reward_many(rewards))

    async def activate(self, id: str) -> Decided:  # noqa: A002
        """As `Client.activate`."""
        return await self._run(self._protocol.activate(id))

    async def status(self, experiment: str) -> dict[str, Any]:
        """As `Client.status`."""
        return await self._run(self._protocol.status(experiment))

    async def flush(self) -> int:
        """As `Client.flush`."""
        return await self._run(self._protocol.flush())

    async def close(self) -> None:
        """As `Client.close`."""
        await self._run(self._protocol.flush(patient=False))
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def _run(self, call: Call[T]) -> T:
        """Take a call's steps until it ends."""
        try:
            step = next(call)
            while True:
                failed, came = None, None
                try:
                    came = await step.by(self._taker)
                except Exception as error:
                    failed = error
                step = call.send(came) if failed is None else call.throw(failed)
        except StopIteration as end:
            found: T = end.value
            return found
        finally:
            call.close()  # also if we were cancelled: it may hold the buffer


class _Taker:
    """Takes steps while others go on."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def send(self, it: Send) -> Reply:
        headers = {} if it.body is None else {"Content-Type": "application/json"}
        came = await self._http.request(
            it.method, it.path, content=it.body, headers=headers, timeout=it.timeout
        )
        return Reply(came.status_code, came.content, came.headers.get("Retry-After", ""))

    async def pause(self, it: Pause) -> None:
        await asyncio.sleep(it.seconds)

    async def work(self, it: Work) -> Any:
        return await asyncio.to_thread(it.function)
