"""What HTTP needs of the service behind it."""

from collections.abc import Iterator, Mapping
from concurrent.futures import Future
from typing import Any, Protocol

from bandstrap.service.messages import (
    DecisionAnswer,
    DecisionRequest,
    Problem,
    RewardAnswer,
    RewardRequest,
)


class Offered(Protocol):
    """One process of the service; every future is done once its commit is."""

    def decide(
        self, experiment: str, requests: list[DecisionRequest]
    ) -> "Future[list[DecisionAnswer | Problem]]": ...

    def reward(
        self, rewards: list[tuple[str, RewardRequest]]
    ) -> "Future[list[RewardAnswer | Problem]]": ...

    def activate(self, id: str) -> "Future[DecisionAnswer | Problem]": ...  # noqa: A002

    def command(
        self, experiment: str, kind: str, payload: Mapping[str, Any], by: str
    ) -> "Future[dict[str, Any] | Problem]": ...

    def status(self, experiment: str) -> dict[str, Any]: ...

    def experiments(self) -> list[str]: ...

    def ready(self) -> tuple[bool, str]: ...

    def export(self, experiment: str) -> Iterator[str]: ...

    def close(self) -> None: ...
