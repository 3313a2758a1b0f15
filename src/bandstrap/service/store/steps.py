"""Steps, in the order in which they were learnt, and snapshots of what was learnt."""

import json
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any, NamedTuple

import msgspec
from sqlalchemy import Connection, bindparam, delete, func, insert, literal_column, select

from bandstrap.service.store.store import Store
from bandstrap.service.store.tables import DECISIONS, ERRORS, REWARDS, SNAPSHOTS, STATUSES, STEPS
from bandstrap.service.store.writing import placeholders, records_of

ENCODER = msgspec.json.Encoder()
SOME = 1000  # steps that are read at once
NEWEST = 3  # snapshots that stay
MILESTONE = 10_000  # steps between two snapshots that stay longer
MILESTONES = 5  # of those, to go back to if newer ones turn out to be damaged
ERRORS_KEPT = 50
ALIKE = 64  # records that stay decoded: without contexts, those of one version are few
APPEND = "INSERT INTO steps (experiment, number, kind, payload, id, time)"


class Step(NamedTuple):
    """One thing that was learnt or done."""

    number: int
    kind: str
    payload: dict[str, Any]
    id: str | None
    time: float
    record: dict[str, Any] | None = None  # of the decision that a lesson is of


class Snapshot(NamedTuple):
    """What a policy had learnt after a step."""

    number: int
    policy: str
    deciding: bool
    state: bytes
    facts: dict[str, Any] | None


def append_steps(connection: Connection, experiment: str, steps: Sequence[Step]) -> None:
    rows = [
        (experiment, it.number, it.kind, ENCODER.encode(it.payload).decode(), it.id, it.time)
        for it in steps
    ]
    if rows:  # while others wait: what SQLAlchemy does for a row takes longer than the row
        places = placeholders(connection, len(rows[0]))
        connection.exec_driver_sql(f"{APPEND} VALUES ({places})", rows)


def read_steps(
    store: Store, experiment: str, after: int = 0, upto: int | None = None
) -> Iterator[Step]:
    """Steps in order, lessons with what is stored of their decisions."""
    while True:
        some = store.read(partial(_some_steps, experiment=experiment, after=after))
        for each in some:
            if upto is not None and each.number > upto:
                return
            yield each
        if len(some) < SOME:
            return
        after = some[-1].number


def last_number(connection: Connection, experiment: str) -> int:
    query = select(func.coalesce(func.max(STEPS.c.number), 0))
    number: int = connection.execute(query.where(STEPS.c.experiment == experiment)).scalar_one()
    return number


def with_records(connection: Connection, steps: Sequence[Step]) -> list[Step]:
    """Lessons with what is stored of their decisions."""
    ids = [each.id for each in steps if each.kind == "lesson" and each.id is not None]
    told = records_of(connection, ids)
    return [_with_record(each, *told[each.id]) if each.id in told else each for each in steps]


def _with_record(step: Step, time: float, record: str) -> Step:
    number, kind, payload, name, at, _ = step
    return Step(number, kind, payload, name, at, {**_decoded(record), "time": time})


@lru_cache(ALIKE)
def _decoded(record: str) -> dict[str, Any]:
    """A record, which nobody changes."""
    told: dict[str, Any] = msgspec.json.decode(record)
    return told


def _some_steps(connection: Connection, experiment: str, after: int) -> list[Step]:
    columns = (STEPS.c.number, STEPS.c.kind, STEPS.c.payload, STEPS.c.id, STEPS.c.time)
    query = select(*columns).where(STEPS.c.experiment == experiment, STEPS.c.number > after)
    rows = connection.execute(query.order_by(STEPS.c.number).limit(SOME))
    steps = [
        Step(row.number, row.kind, msgspec.json.decode(row.payload), row.id, row.time)
        for row in rows
    ]
    return with_records(connection, steps)


def put_snapshots(
    connection: Connection, experiment: str, snapshots: Sequence[Snapshot], now: float
) -> None:
    """Keep snapshots of one step, and forget older ones but some."""
    number = snapshots[0].number
    own = SNAPSHOTS.c.experiment == experiment
    numbers = select(SNAPSHOTS.c.number, SNAPSHOTS.c.milestone).where(own).distinct()
    known = {row.number: row.milestone for row in connection.execute(numbers)}
    if number in known:
        return
    last = max((each for each, stays in known.items() if stays), default=0)
    stays = int(number // MILESTONE > last // MILESTONE)
    connection.execute(
        insert(SNAPSHOTS),
        [
            {
                "experiment": experiment, "policy": each.policy, "number": each.number,
                "deciding": int(each.deciding), "milestone": stays, "time": now,
                "state": each.state,
                "facts": None if each.facts is None else json.dumps(each.facts),
            }
            for each in snapshots
        ],
    )  # fmt: skip
    oldest = sorted([*known, number])[-NEWEST:][0]
    kept = sorted(each for each, stays in {**known, number: stays}.items() if stays)[-MILESTONES:]
    gone = (SNAPSHOTS.c.number.not_in(kept), SNAPSHOTS.c.number < oldest)
    connection.execute(delete(SNAPSHOTS).where(own, *gone))


def newest_snapshots(connection: Connection, experiment: str) -> list[Snapshot]:
    """All of the newest step that has any."""
    own = SNAPSHOTS.c.experiment == experiment
    newest = select(func.max(SNAPSHOTS.c.number)).where(own).scalar_subquery()
    rows = connection.execute(select(SNAPSHOTS).where(own, SNAPSHOTS.c.number == newest))
    return [_snapshot(row) for row in rows]


def deciding_snapshot(connection: Connection, experiment: str, after: int) -> Snapshot | None:
    """The newest of the deciding policy, if it is newer; without what judging needs."""
    query = (
        select(SNAPSHOTS.c.number, SNAPSHOTS.c.policy, SNAPSHOTS.c.state)
        .where(SNAPSHOTS.c.experiment == experiment, SNAPSHOTS.c.number > after)
        .where(SNAPSHOTS.c.deciding == 1)
        .order_by(SNAPSHOTS.c.number.desc())
        .limit(1)
    )
    row = connection.execute(query).one_or_none()
    return None if row is None else Snapshot(row.number, row.policy, True, row.state, None)


def _snapshot(row: Any) -> Snapshot:
    facts = None if row.facts is None else json.loads(row.facts)
    return Snapshot(row.number, row.policy, bool(row.deciding), row.state, facts)


def put_status(connection: Connection, experiment: str, status: Mapping[str, Any]) -> None:
    connection.execute(delete(STATUSES).where(STATUSES.c.experiment == experiment))
    told = json.dumps(status, allow_nan=False)
    connection.execute(insert(STATUSES), {"experiment": experiment, "status": told})


def status_of(connection: Connection, experiment: str) -> dict[str, Any] | None:
    query = select(STATUSES.c.status).where(STATUSES.c.experiment == experiment)
    found = connection.execute(query).scalar()
    told: dict[str, Any] | None = None if found is None else json.loads(found)
    return told


def put_error(connection: Connection, experiment: str, now: float, what: str) -> None:
    """Remember an error for the page, and forget the oldest."""
    row = {"experiment": experiment, "time": now, "text": what[:500]}
    connection.execute(insert(ERRORS), row)
    own = ERRORS.c.experiment == experiment
    kept = select(ERRORS.c.position).where(own).order_by(ERRORS.c.position.desc())
    oldest = kept.offset(ERRORS_KEPT - 1).limit(1).scalar_subquery()
    connection.execute(delete(ERRORS).where(own, ERRORS.c.position < oldest))


def errors_of(connection: Connection, experiment: str) -> list[dict[str, Any]]:
    query = select(ERRORS.c.time, ERRORS.c.text).where(ERRORS.c.experiment == experiment)
    return [{**row._mapping} for row in connection.execute(query.order_by(ERRORS.c.position))]


def late_rewards(connection: Connection, experiment: str) -> int:
    late: int = connection.execute(_LATE, {"experiment": experiment}).scalar_one()
    return late


# There is an index of late rewards, which are few. That 1 is written out lets it be used; a join
# would begin with all decisions of the experiment.
_LATE = (
    select(func.count())
    .select_from(REWARDS)
    .where(
        REWARDS.c.late == literal_column("1"),
        select(DECISIONS.c.id)
        .where(DECISIONS.c.id == REWARDS.c.id, DECISIONS.c.experiment == bindparam("experiment"))
        .exists(),
    )
)
