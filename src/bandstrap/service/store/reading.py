"""What the learner reads as it grows: nothing twice, and nothing skipped."""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Connection, Row, Table, Text, cast, func, literal, select, text

from bandstrap.service.store.store import Store
from bandstrap.service.store.tables import ACTIVATIONS, COMMANDS, DECISIONS, STEPS

HORIZON = text("SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint)")
BETWEEN = text("xact >= CAST(:low AS xid8) AND xact < CAST(:high AS xid8)")


class Tail:
    """The rows of an experiment in a table: all that wait, then those that come.

    On PostgreSQL numbers are given before transactions commit, so that a lower one may appear
    after a higher one. So it reads by transactions: those that are older than every running one.
    (A transaction of somebody else that stays open for long delays it, and loses nothing.)
    On SQLite one transaction writes at a time, and positions grow as rows appear.
    """

    def __init__(self, store: Store, experiment: str, table: Table, columns: Sequence[str]) -> None:
        self._store, self._experiment, self._table = store, experiment, table
        self._columns = [table.c[name] for name in columns]
        self._until: int | None = None

    def read(self) -> list[Row[Any]]:
        """What is new since the last call; at the first call, what has led to no step."""
        way = self._by_transactions if self._store.is_postgres else self._by_positions
        found, until = self._store.read(way)
        self._until = until  # only now: what failed is read again
        return found

    def _by_transactions(self, connection: Connection) -> tuple[list[Row[Any]], int]:
        horizon: int = connection.execute(HORIZON).scalar_one()
        before = self._until
        if before is None:
            # Whatever its transaction: a table that was restored has those of another server.
            return [*connection.execute(self._unsettled())], horizon
        if before == horizon:
            return [], horizon
        query = self._query().where(BETWEEN).order_by(text("xact"), self._table.c.position)
        found = connection.execute(query, {"low": str(before), "high": str(horizon)})
        return [*found], horizon

    def _by_positions(self, connection: Connection) -> tuple[list[Row[Any]], int]:
        after = self._until
        if after is None:
            newest = select(func.coalesce(func.max(self._table.c.position), 0))
            last: int = connection.execute(newest).scalar_one()
            return [*connection.execute(self._unsettled())], last
        query = self._query().where(self._table.c.position > after)
        found = [*connection.execute(query.order_by(self._table.c.position))]
        return found, found[-1].position if found else after

    def _query(self) -> Any:
        columns = (self._table.c.position, *self._columns)
        return select(*columns).where(self._table.c.experiment == self._experiment)

    def _unsettled(self) -> Any:
        name = step_of(self._table)
        done = (STEPS.c.id == name) & (STEPS.c.experiment == self._table.c.experiment)
        query = self._query().outerjoin_from(self._table, STEPS, done)
        return query.where(STEPS.c.id.is_(None)).order_by(self._table.c.position)


def step_of(table: Table) -> Any:
    """The id of the step that a row leads to."""
    if table is COMMANDS:
        return command_step(table.c.position)
    return table.c.id


def command_step(position: Any) -> Any:
    """The id of the step that a command leads to; no decision has a blank in its id."""
    if isinstance(position, int):
        return f"command {position}"
    return literal("command ") + cast(position, Text)


def tails(store: Store, experiment: str) -> tuple[Tail, Tail, Tail]:
    """Decisions, activations and commands."""
    return (
        Tail(store, experiment, DECISIONS, ("id", "deadline")),
        Tail(store, experiment, ACTIVATIONS, ("id", "deadline")),
        Tail(store, experiment, COMMANDS, ("kind", "payload", "by", "time")),
    )
