"""The hot statements in SQLite."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from typing import Any

from bandstrap.service.store.rows import (
    NewDecision,
    Rewarded,
    StoredDecision,
    StoredReward,
    names,
)

MOST = 64  # rows in one statement
ANY = 16  # up to so many rows each number has a statement; above, powers of two: few to prepare

DECISIONS = f"INSERT INTO decisions ({names(NewDecision)}) VALUES {{}} ON CONFLICT (id) DO NOTHING"
REWARDS = f"INSERT INTO rewards ({names(StoredReward)}) VALUES {{}}"
STORED = f"SELECT id, {names(StoredDecision)} FROM decisions WHERE id IN ({{}})"
# One statement: nobody else writes until the transaction ends.
REWARDED = """
SELECT it.id, it.experiment, coalesce(it.deadline, activations.deadline),
    rewards.time, rewards.reward, rewards.metrics, rewards.late,
    EXISTS (SELECT 1 FROM steps WHERE steps.id = it.id)
FROM decisions AS it
LEFT JOIN rewards ON rewards.id = it.id
LEFT JOIN activations ON it.deadline IS NULL AND activations.id = it.id
WHERE it.id IN ({})
"""


class SqliteRows:
    """A transaction that has begun, on a connection of the driver's."""

    def __init__(self, connection: Any) -> None:
        self._run = connection.execute

    def add_decisions(self, rows: Sequence[NewDecision]) -> set[str]:
        """As almost always all are new, no row is asked for: with each, other threads come first.

        Where some were there, those are new that say what was to be stored.
        """
        if sum(self._each(DECISIONS, rows)) == len(rows):
            return {each.id for each in rows}
        found = self.decisions([each.id for each in rows])
        return {each.id for each in rows if found[each.id] == (each.digest, each.answer)}

    def decisions(self, ids: Sequence[str]) -> dict[str, StoredDecision]:
        return {row[0]: StoredDecision(*row[1:]) for row in self._among(STORED, ids)}

    def rewarded(self, ids: Sequence[str]) -> dict[str, Rewarded]:
        return {row[0]: Rewarded(*row) for row in self._among(REWARDED, ids)}

    def add_rewards(self, rows: Sequence[StoredReward]) -> None:
        for _ in self._each(REWARDS, rows):
            pass

    def _each(self, query: str, rows: Sequence[Any]) -> Iterator[int]:
        """How many rows each statement has stored."""
        for some in _pieces(rows):
            width = len(some[0])
            yield self._run(_filled(query, width, len(some)), [*chain(*some)]).rowcount

    def _among(self, query: str, ids: Sequence[str]) -> Iterator[Any]:
        for some in _pieces(ids):
            yield from self._run(_filled(query, 0, len(some)), some).fetchall()


def _pieces(rows: Sequence[Any]) -> Iterator[Sequence[Any]]:
    """Rows in few pieces, of few sizes."""
    at, left = 0, len(rows)
    while left:
        size = left if left <= ANY else min(MOST, 1 << left.bit_length() - 1)
        yield rows[at : at + size]
        at, left = at + size, left - size


@cache
def _filled(query: str, width: int, count: int) -> str:
    """With places for `count` rows, or for single values if the width is 0."""
    one = f"({', '.join('?' * width)})" if width else "?"
    return query.format(", ".join([one] * count))
