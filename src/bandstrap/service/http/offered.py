"""What HTTP needs of the service behind it."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from bandstrap.service.messages import (
    DecisionAnswer,
    DecisionRequest,
    Problem,
    RewardAnswer,
    RewardRequest,
)
from bandstrap.service.store.promise import Awaited


class Offered(Protocol):
    """One process of the service; every answer is there once its commit is."""

    def decide(
        self, experiment: str, requests: list[DecisionRequest]
    ) -> Awaited[list[DecisionAnswer | Problem]]: ...

    def reward(
        self, rewards: list[tuple[str, RewardRequest]]
    ) -> Awaited[list[RewardAnswer | Problem]]: ...

    def activate(self, id: str) -> Awaited[DecisionAnswer | Problem]: ...  # noqa: A002

    def command(
        self, experiment: str, kind: str, payload: Mapping[str, Any], by: str
    ) -> Awaited[dict[str, Any] | Problem]: ...

    def status(self, experiment: str) -> dict[str, Any]: ...

    def experiments(self) -> list[str]: ...

    def ready(self) -> tuple[bool, str]: ...

    def export(self, experiment: str) -> Iterator[str]: ...

    def close(self) -> None: ...
