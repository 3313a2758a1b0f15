"""The client for ordinary code."""

import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

import httpx

from bandstrap.bandit.decision import Arm
from bandstrap.service.client.protocol import Decided, Protocol, Request, Reward
from bandstrap.service.client.retry import Retry
from bandstrap.service.client.steps import Call, Pause, Reply, Send, Work
from bandstrap.service.messages import Context, Problem, RewardAnswer

__all__ = ["Client"]

T = TypeVar("T")


class Client:
    """Asks a service for decisions and tells it rewards; safe from several threads.

    Every decision has an id that is made here, so that a call may be repeated without harm. Calls
    are repeated for `retry.budget` seconds; then they fail with `ServiceAway`, unless there is
    something to fall back on: an arm (`fallback`), or a file for rewards (`buffer`).

    >>> client = Client("http://127.0.0.1:8000", buffer=None)
    >>> client.close()
    """

    def __init__(
        self,
        url: str,
        *,
        key: str | None = None,
        buffer: str | Path | None = None,
        retry: Retry | None = None,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        self._protocol = Protocol(url, retry or Retry(), buffer)
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._http = httpx.Client(base_url=self._protocol.url, headers=headers, transport=transport)
        self._taker = _Taker(self._http)

    def decide(
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
        """One decision. With a `fallback`, that arm if nobody answers, not `stored`."""
        request = Request(id, context, allowed, rank, deferred, arm, propensity)
        return self._run(self._protocol.decide(experiment, request, fallback))

    def decide_many(
        self, experiment: str, requests: Iterable[Request], *, fallback: Arm | None = None
    ) -> list[Decided | Problem]:
        """Several decisions in one request; each has an answer or a problem of its own."""
        return self._run(self._protocol.decide_many(experiment, requests, fallback))

    def reward(
        self,
        id: str,  # noqa: A002
        reward: float,
        metrics: Mapping[str, float] | None = None,
    ) -> RewardAnswer:
        """A decision's reward. Its receipt is "stored", "repeated", "late" (stored, not learnt),
        "buffered" (on this disk) or "unstored" (of a fallback: it goes nowhere)."""
        return self._run(self._protocol.reward(Reward(id, reward, dict(metrics or {}))))

    def reward_many(self, rewards: Iterable[Reward]) -> list[RewardAnswer | Problem]:
        """Several rewards; each has a receipt or a problem of its own."""
        return self._run(self._protocol.reward_many(rewards))

    def activate(self, id: str) -> Decided:  # noqa: A002
        """A deferred decision was shown: its window begins."""
        return self._run(self._protocol.activate(id))

    def status(self, experiment: str) -> dict[str, Any]:
        """What the page shows of an experiment."""
        return self._run(self._protocol.status(experiment))

    def flush(self) -> int:
        """Send the rewards in the buffer; how many are left there."""
        return self._run(self._protocol.flush())

    def close(self) -> None:
        """Send the rewards in the buffer, if there is somebody to take them, and hang up."""
        self._run(self._protocol.flush(patient=False))
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _run(self, call: Call[T]) -> T:
        """Take a call's steps until it ends."""
        try:
            step = next(call)
            while True:
                failed, came = None, None
                try:
                    came = step.by(self._taker)
                except Exception as error:
                    failed = error
                step = call.send(came) if failed is None else call.throw(failed)
        except StopIteration as end:
            found: T = end.value
            return found
        finally:
            call.close()  # also if we were interrupted: it may hold the buffer


class _Taker:
    """Takes steps one by one."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http

    def send(self, it: Send) -> Reply:
        headers = {} if it.body is None else {"Content-Type": "application/json"}
        came = self._http.request(
            it.method, it.path, content=it.body, headers=headers, timeout=it.timeout
        )
        return Reply(came.status_code, came.content, came.headers.get("Retry-After", ""))

    def pause(self, it: Pause) -> None:
        time.sleep(it.seconds)

    def work(self, it: Work) -> Any:
        return it.function()
