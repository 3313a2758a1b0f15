"""What processes that decide put into the journal: in a transaction of the caller's."""

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, Table, insert
from sqlalchemy.dialects import postgresql, sqlite

from bandstrap.service.store.rows import NewDecision, Rows, StoredDecision, StoredReward
from bandstrap.service.store.tables import ACTIVATIONS, COMMANDS, DECISIONS, REWARDS, STEPS

SOME = 5000  # ids in one query

# Why a reward is refused, given its experiment; None if it is not.
Check = Callable[[str, float], str | None]


class NewReward(NamedTuple):
    """A reward to be stored."""

    id: str
    time: float
    reward: float
    metrics: str


class Receipt(NamedTuple):
    """What became of a reward: stored, late, repeated, conflict, unknown or refused."""

    kind: str
    time: float = 0.0
    why: str = ""


class NewActivation(NamedTuple):
    """A deferred decision whose window begins."""

    id: str
    time: float
    window: Callable[[str], float]  # of an experiment


class Activated(NamedTuple):
    """A decision as it was stored, and from when on its reward will be late."""

    answer: str
    deadline: float
    repeated: bool


class NewCommand(NamedTuple):
    """What a person wants to be done."""

    experiment: str
    time: float
    kind: str
    payload: str
    by: str


def put_decisions(
    rows: Rows, decisions: Sequence[NewDecision], asked: Iterable[str]
) -> dict[str, StoredDecision]:
    """Store those that are new, and tell what is stored by now under the ids that are `asked`."""
    # In order of their ids: two transactions with the same ones wait, and do not deadlock.
    first = {each.id: each for each in reversed(decisions)}
    ordered = [first[name] for name in sorted(first)]
    added = rows.add_decisions(ordered) if ordered else set()
    stored = {each.id: StoredDecision(each.digest, each.answer) for each in ordered
              if each.id in added}  # fmt: skip
    earlier = sorted({name for name in asked if name not in added})
    return stored | rows.decisions(earlier) if earlier else stored


def put_rewards(rows: Rows, rewards: Sequence[NewReward], check: Check) -> list[Receipt]:
    """Store rewards of decisions that there are."""
    if not rewards:
        return []
    known = rows.rewarded(sorted({each.id for each in rewards}))
    new: dict[str, StoredReward] = {}
    receipts = []
    for each in rewards:
        decision = known.get(each.id)
        if decision is None:
            receipts.append(Receipt("unknown"))
            continue
        stored = new.get(each.id) or decision.stored
        if stored is not None:
            receipts.append(_again(each, stored))
            continue
        why = check(decision.experiment, each.reward)
        if why is not None:
            receipts.append(Receipt("refused", why=why))
            continue
        deadline = decision.deadline
        is_late = decision.settled or (deadline is not None and each.time > deadline)
        new[each.id] = StoredReward(*each, int(is_late))
        receipts.append(Receipt("late" if is_late else "stored", each.time))
    if new:
        rows.add_rewards([*new.values()])
    return receipts


def lock_decisions(connection: Connection, ids: Iterable[str]) -> dict[str, Row[Any]]:
    """Decisions, which nobody else settles, rewards or activates until the transaction ends."""
    columns = (DECISIONS.c.id, DECISIONS.c.experiment, DECISIONS.c.deadline)
    return {row.id: row for row in _by_ids(connection, columns, ids, lock=True)}


def put_activations(
    connection: Connection, asked: Sequence[NewActivation], known: dict[str, Row[Any]]
) -> list[Activated | None]:
    """Begin the windows of decisions that are locked; None of those that there are not."""
    if not asked:
        return []
    ids = [each.id for each in asked if each.id in known]
    columns = (DECISIONS.c.id, DECISIONS.c.answer)
    answers = {row.id: row.answer for row in _by_ids(connection, columns, ids)}
    deadlines = {row.id: row.deadline for row in activations_of(connection, ids)}
    new: list[dict[str, Any]] = []
    results: list[Activated | None] = []
    for each in asked:
        decision = known.get(each.id)
        if decision is None:
            results.append(None)
            continue
        deadline = _deadline(decision, deadlines)
        repeated = deadline is not None
        if deadline is None:
            deadline = each.time + each.window(decision.experiment)
            deadlines[each.id] = deadline
            row = {"id": each.id, "experiment": decision.experiment, "time": each.time}
            new.append({**row, "deadline": deadline})
        results.append(Activated(answers[each.id], deadline, repeated))
    if new:
        connection.execute(insert(ACTIVATIONS), new)
    return results


def put_commands(connection: Connection, commands: Iterable[NewCommand]) -> list[int]:
    """Store commands for the learner; their positions."""
    query = insert(COMMANDS).returning(COMMANDS.c.position)
    return [connection.execute(query, each._asdict()).scalar_one() for each in commands]


def rewards_of(connection: Connection, ids: Iterable[str]) -> dict[str, StoredReward]:
    columns = (
        REWARDS.c.id, REWARDS.c.time, REWARDS.c.reward, REWARDS.c.metrics, REWARDS.c.late
    )  # fmt: skip
    found = _by_ids(connection, columns, ids)
    return {row[0]: StoredReward._make(row) for row in found}


def activations_of(connection: Connection, ids: Iterable[str]) -> list[Row[Any]]:
    return _by_ids(connection, (ACTIVATIONS.c.id, ACTIVATIONS.c.deadline), ids)


def settled_among(connection: Connection, ids: Iterable[str]) -> set[str]:
    return {row.id for row in _by_ids(connection, (STEPS.c.id,), ids)}


def records_of(connection: Connection, ids: Iterable[str]) -> dict[str, tuple[float, str]]:
    """The time of each decision, and its record."""
    columns = (DECISIONS.c.id, DECISIONS.c.time, DECISIONS.c.record)
    return {row.id: (row.time, row.record) for row in _by_ids(connection, columns, ids)}


def _deadline(decision: Row[Any], activated: dict[str, float]) -> float | None:
    found: float | None = decision.deadline
    return activated.get(decision.id) if found is None else found


def _again(told: NewReward, stored: StoredReward) -> Receipt:
    same = stored.reward == told.reward and stored.metrics == told.metrics
    return Receipt("repeated" if same else "conflict", stored.time)


def _by_ids(
    connection: Connection, columns: Sequence[Any], ids: Iterable[str], lock: bool = False
) -> list[Row[Any]]:
    """As text: what SQLAlchemy makes of many ids takes longer than finding them."""
    wanted, key = sorted(set(ids)), columns[0].name
    query = f"SELECT {', '.join(each.name for each in columns)} FROM {columns[0].table.name}"
    end = f" ORDER BY {key} FOR UPDATE" if lock and connection.dialect.name != "sqlite" else ""
    found: list[Row[Any]] = []
    for i in range(0, len(wanted), SOME):
        some = tuple(wanted[i : i + SOME])
        where = f" WHERE {key} IN ({placeholders(connection, len(some))})"
        found += connection.exec_driver_sql(query + where + end, some).all()
    return found


def placeholders(connection: Connection, count: int) -> str:
    """Places of values in a statement of the driver's own."""
    return ", ".join(["?" if connection.dialect.name == "sqlite" else "%s"] * count)


def unless_there(connection: Connection, table: Table, key: str) -> Any:
    """An insertion that leaves out rows whose key is there."""
    return _unless_there(connection.dialect.name, table, key)


@cache
def _unless_there(dialect: str, table: Table, key: str) -> Any:
    own: Any = postgresql if dialect == "postgresql" else sqlite
    return own.insert(table).on_conflict_do_nothing(index_elements=[key])
