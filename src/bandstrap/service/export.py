"""The journal as a decision log, for `bandstrap evaluate` and whoever reads JSON lines."""

import json
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from sqlalchemy import Connection, func, select, text

from bandstrap.service.store import Store
from bandstrap.service.store.rows import StoredReward
from bandstrap.service.store.tables import DECISIONS, STEPS
from bandstrap.service.store.writing import rewards_of

__all__ = ["records"]

SOME = 1000  # decisions that are read at once
SNAPSHOT = text("SELECT CAST(pg_current_snapshot() AS text)")
# Also rows of transactions that another server has numbered, before the table was restored here.
THERE = text(
    "(pg_visible_in_snapshot(decisions.xact, CAST(:snapshot AS pg_snapshot))"
    " OR decisions.xact >= pg_snapshot_xmax(CAST(:snapshot AS pg_snapshot)))"
)


class Extent(NamedTuple):
    """What was there when an export began."""

    last: int  # position
    snapshot: str | None  # of transactions, on PostgreSQL


def records(store: Store, experiment: str) -> Iterator[dict[str, Any]]:
    """Decisions in order, each followed by what became of it, as a log of a bandit has them.

    Only those that were stored when it began: on PostgreSQL one with a lower position may appear
    later, and reading on from the last position would leave a hole.

    Its reward if one came in time, whether or not it is learnt yet; or, once its window is over,
    the default reward, or that it was dropped.
    """
    after, number = 0, 0
    extent = store.read(lambda connection: _extent(connection, store.is_postgres))
    while True:
        rows = store.read(partial(_some, experiment=experiment, after=after, extent=extent))
        for row, told in rows:
            yield _decision(row, number)
            number += 1
            if told is not None:
                yield told
        if len(rows) < SOME:
            return
        after = rows[-1][0].position


def _extent(connection: Connection, is_postgres: bool) -> Extent:
    # In this order: a row that came in between has a position above the last, or is not visible.
    last = connection.execute(select(func.coalesce(func.max(DECISIONS.c.position), 0))).scalar_one()
    return Extent(last, connection.execute(SNAPSHOT).scalar_one() if is_postgres else None)


def _some(
    connection: Connection, experiment: str, after: int, extent: Extent
) -> list[tuple[Any, Any]]:
    """Decisions, each with its outcome."""
    settled = (STEPS.c.id == DECISIONS.c.id) & (STEPS.c.experiment == DECISIONS.c.experiment)
    query = (
        select(
            DECISIONS.c.position, DECISIONS.c.id, DECISIONS.c.time, DECISIONS.c.record,
            STEPS.c.payload, STEPS.c.time.label("settled"),
        )
        .join_from(DECISIONS, STEPS, settled, isouter=True)
        .where(DECISIONS.c.experiment == experiment)
        .where(DECISIONS.c.position > after, DECISIONS.c.position <= extent.last)
        .order_by(DECISIONS.c.position)
        .limit(SOME)
    )  # fmt: skip
    if extent.snapshot is not None:
        query = query.where(THERE.bindparams(snapshot=extent.snapshot))
    rows = connection.execute(query).all()
    rewards = rewards_of(connection, [row.id for row in rows])
    return [(row, _outcome(row, rewards.get(row.id))) for row in rows]


def _outcome(row: Any, reward: StoredReward | None) -> dict[str, Any] | None:
    if row.payload is None:
        if reward is None or reward.late:
            return None
        return _rewarded("reward", row.id, reward.time, reward.reward)
    learnt = json.loads(row.payload)
    if learnt["reward"] is None:
        return {"event": "drop", "id": row.id, "time": row.settled}
    event = "reward" if learnt["given"] else "expiry"
    return _rewarded(event, row.id, learnt["at"] or row.settled, learnt["reward"])


def _rewarded(event: str, name: str, time: float, reward: float) -> dict[str, Any]:
    return {"event": event, "id": name, "time": time, "reward": reward, "weight": 1.0}


def _decision(row: Any, number: int) -> dict[str, Any]:
    told = json.loads(row.record)
    own = {"id": row.id, "number": number, "time": row.time, "learnt": told["version"]}
    return {"event": "decision", **told, **own}
