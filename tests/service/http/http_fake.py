"""A service without a store: answers at once, as the real one would."""

from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from typing import Any

import msgspec

from bandstrap.errors import OutputError
from bandstrap.service.config import ServiceConfig, config_from
from bandstrap.service.messages import (
    DecisionAnswer,
    DecisionRequest,
    Problem,
    RewardAnswer,
    RewardRequest,
)

TABLES: dict[str, Any] = {"experiments": {"news": {"arms": ["a", 2], "policy": "ts"}}}


def configured(**service: Any) -> ServiceConfig:
    keys = service.pop("keys", {})
    return config_from({**TABLES, "service": service, "keys": keys})


UNKNOWN = Problem(404, "Not Found", "there is no such experiment")


class Fake:
    """One experiment, "news", in a dictionary."""

    def __init__(self) -> None:
        self.decisions: dict[str, tuple[DecisionRequest, DecisionAnswer]] = {}
        self.rewards: dict[str, RewardRequest] = {}
        self.commands: list[tuple[str, str, Mapping[str, Any], str]] = []
        self.away = False
        self.odd = False
        self.closed = False
        self.held: list[Future[Any]] | None = None  # to be completed by the test

    def decide(self, experiment: str, requests: list[DecisionRequest]) -> "Future[Any]":
        return self._done(lambda: [self._decide(experiment, it) for it in requests])

    def reward(self, rewards: list[tuple[str, RewardRequest]]) -> "Future[Any]":
        return self._done(lambda: [self._reward(*it) for it in rewards])

    def activate(self, id: str) -> "Future[Any]":  # noqa: A002
        found = self.decisions.get(id)
        missing = Problem(404, "Not Found", "there is no such decision")
        return self._done(lambda: missing if found is None else found[1])

    def command(
        self, experiment: str, kind: str, payload: Mapping[str, Any], by: str
    ) -> "Future[Any]":
        self.commands.append((experiment, kind, payload, by))
        return self._done(lambda: {"position": len(self.commands), "kind": kind})

    def status(self, experiment: str) -> dict[str, Any]:
        if self.away:
            raise OutputError("store", "is away", "start it")
        if self.odd:
            raise ZeroDivisionError("sec" + "ret")  # traces show lines as they are written
        arms = [{"name": "a", "mean": float("nan")}, {"name": 2, "mean": float("inf")}]
        return {"experiment": experiment, "version": 3, "waiting": 0, "time": 5.0, "arms": arms}

    def experiments(self) -> list[str]:
        return ["news"]

    def ready(self) -> tuple[bool, str]:
        return not self.away, "the store is away" if self.away else ""

    def export(self, experiment: str) -> Iterator[str]:
        for name in ["away"] if self.away else self.decisions:
            if name == "away":  # as one that reads when it is asked for the first line
                raise OutputError("store", "is away", "start it")
            yield f'{{"id": "{name}"}}\n'

    def close(self) -> None:
        self.closed = True

    def _decide(self, experiment: str, it: DecisionRequest) -> Any:
        if experiment != "news":
            return UNKNOWN
        if it.allowed == []:
            return Problem(422, "Unprocessable", "allow at least one arm")
        name = it.id or f"made-{len(self.decisions)}"
        if name in self.decisions:
            before, answer = self.decisions[name]
            if before != it:
                return Problem(409, "Conflict", "this id has another body")
            return msgspec.structs.replace(answer, repeated=True)
        answer = DecisionAnswer(name, experiment, "a", 0.5, 2.0, "exact", "online", 3, 1.0, 2.0)
        self.decisions[name] = it, answer
        return answer

    def _reward(self, name: str, it: RewardRequest) -> Any:
        if name not in self.decisions:
            return Problem(404, "Not Found", "there is no such decision")
        before = self.rewards.setdefault(name, it)
        if before is it:
            return RewardAnswer(name, "stored", 1.0)
        if before != it:
            return Problem(409, "Conflict", "it has another reward")
        return RewardAnswer(name, "repeated", 1.0)

    def _done(self, work: Any) -> "Future[Any]":
        future: Future[Any] = Future()
        if self.away:
            future.set_exception(OutputError("store", "is away", "start it"))
        elif self.held is not None:
            self.held.append(future)
        else:
            future.set_result(work())
        return future
