"""The hot statements in PostgreSQL."""

from collections.abc import Sequence
from typing import Any

from bandstrap.service.store.rows import (
    NewDecision,
    Rewarded,
    StoredDecision,
    StoredReward,
    names,
)

DECISIONS = f"""
INSERT INTO decisions ({names(NewDecision)})
SELECT * FROM unnest(%s::text[], %s::text[], %s::float8[], %s::float8[], %s::text[], %s::text[],
    %s::text[])
ON CONFLICT (id) DO NOTHING RETURNING id
"""
REWARDS = f"""
INSERT INTO rewards ({names(StoredReward)})
SELECT * FROM unnest(%s::text[], %s::float8[], %s::float8[], %s::text[], %s::int[])
"""
STORED = f"SELECT id, {names(StoredDecision)} FROM decisions WHERE id = ANY(%s::text[])"
# In the order of ids: two transactions with the same ones wait, and do not deadlock.
LOCKED = "SELECT 1 FROM decisions WHERE id = ANY(%s::text[]) ORDER BY id FOR UPDATE"
# A statement of its own: it sees what was stored by whoever held the lock before.
REWARDED = """
SELECT it.id, it.experiment, coalesce(it.deadline, activations.deadline),
    rewards.time, rewards.reward, rewards.metrics, rewards.late,
    EXISTS (SELECT 1 FROM steps WHERE steps.id = it.id)
FROM decisions AS it
LEFT JOIN rewards ON rewards.id = it.id
LEFT JOIN activations ON it.deadline IS NULL AND activations.id = it.id
WHERE it.id = ANY(%s::text[])
"""


class PostgresRows:
    """A transaction that begins with its first statement, on a connection of the driver's."""

    def __init__(self, connection: Any) -> None:
        self._run = connection.execute

    def add_decisions(self, rows: Sequence[NewDecision]) -> set[str]:
        columns = [[*each] for each in zip(*rows, strict=True)]
        return {name for (name,) in self._run(DECISIONS, columns).fetchall()}

    def decisions(self, ids: Sequence[str]) -> dict[str, StoredDecision]:
        found = self._run(STORED, ([*ids],)).fetchall()
        return {row[0]: StoredDecision(*row[1:]) for row in found}

    def rewarded(self, ids: Sequence[str]) -> dict[str, Rewarded]:
        self._run(LOCKED, ([*ids],))
        return {row[0]: Rewarded(*row) for row in self._run(REWARDED, ([*ids],)).fetchall()}

    def add_rewards(self, rows: Sequence[StoredReward]) -> None:
        self._run(REWARDS, [[*each] for each in zip(*rows, strict=True)])
