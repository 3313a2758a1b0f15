"""What the hot path asks of a transaction: each of it for many rows in one statement."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol


class NewDecision(NamedTuple):
    """A decision to be stored."""

    id: str
    experiment: str
    time: float
    deadline: float | None
    digest: str
    record: str
    answer: str


class StoredDecision(NamedTuple):
    """What is stored of a decision, by whoever came first."""

    digest: str
    answer: str


class StoredReward(NamedTuple):
    """A reward as it is stored."""

    id: str
    time: float
    reward: float
    metrics: str
    late: int


class Rewarded(NamedTuple):
    """A decision that nobody else settles or rewards until the transaction ends."""

    id: str
    experiment: str
    deadline: float | None  # None while it is deferred
    time: float | None  # of its reward; None if it has none
    reward: float | None
    metrics: str | None
    late: int | None
    settled: bool

    @property
    def stored(self) -> StoredReward | None:
        """Its reward, if it has one."""
        _, _, _, time, reward, metrics, late, _ = self
        if time is None or reward is None or metrics is None or late is None:
            return None
        return StoredReward(self.id, time, reward, metrics, late)


class Rows(Protocol):
    """A transaction in the words of the database's own driver.

    SQLAlchemy makes and looks after connections, and says all the rest. Here what it does for a
    statement would take longer than the statement.
    """

    def add_decisions(self, rows: Sequence[NewDecision]) -> set[str]:
        """Store those that are new; their ids. `rows` are in the order of their ids."""

    def decisions(self, ids: Sequence[str]) -> dict[str, StoredDecision]:
        """What is stored under ids."""

    def rewarded(self, ids: Sequence[str]) -> dict[str, Rewarded]:
        """Decisions to be rewarded, held until the transaction ends."""

    def add_rewards(self, rows: Sequence[StoredReward]) -> None:
        """Store rewards of decisions that have none."""


def names(row: type[Any]) -> str:
    """The columns that hold the fields of a row.

    >>> names(StoredReward)
    'id, time, reward, metrics, late'
    """
    return ", ".join(row._fields)
