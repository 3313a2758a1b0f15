"""Who learns: one process at a time, and never one that has been replaced."""

from typing import NamedTuple

from sqlalchemy import Connection, select, update

from bandstrap.errors import BandstrapError
from bandstrap.service.store.store import Store
from bandstrap.service.store.tables import LEASES
from bandstrap.service.store.writing import unless_there


class LeaseLost(BandstrapError):  # noqa: N818 - reads better
    """Another process holds the lease by now.

    >>> print(LeaseLost("somebody else learns"))
    somebody else learns
    """


class Lease(NamedTuple):
    """Held until a time; the fence grows with every holder."""

    name: str
    holder: str
    fence: int
    until: float


def take(store: Store, name: str, holder: str, now: float, seconds: float) -> Lease | None:
    """Take a lease, or hold it longer; None while another process has it."""
    return store.write(lambda connection: _taken(connection, name, holder, now, now + seconds))


def give_up(store: Store, lease: Lease) -> None:
    """Let the next one begin at once."""
    mine = (LEASES.c.name == lease.name) & (LEASES.c.fence == lease.fence)
    store.write(
        lambda connection: connection.execute(
            update(LEASES).where(mine, LEASES.c.holder == lease.holder).values(until=0.0)
        )
    )


def check(connection: Connection, lease: Lease) -> None:
    """Refuse the transaction of a holder that has been replaced, and keep others waiting."""
    query = select(LEASES.c.fence).where(LEASES.c.name == lease.name).with_for_update()
    if connection.execute(query).scalar() != lease.fence:
        raise LeaseLost(f"{lease.name} is held by another process")


def _taken(
    connection: Connection, name: str, holder: str, now: float, until: float
) -> Lease | None:
    blank = {"name": name, "holder": "", "fence": 0, "until": 0.0}
    connection.execute(unless_there(connection, LEASES, "name"), blank)
    found = connection.execute(select(LEASES).where(LEASES.c.name == name).with_for_update()).one()
    if found.holder != holder and found.until > now:
        return None
    fence = found.fence if found.holder == holder else found.fence + 1
    lease = Lease(name, holder, fence, until)
    connection.execute(update(LEASES).where(LEASES.c.name == name).values(**lease._asdict()))
    return lease
