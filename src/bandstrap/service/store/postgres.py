"""A store in PostgreSQL, for processes of many machines."""

from typing import Any

from sqlalchemy import URL, Engine, create_engine, event, make_url, text

from bandstrap.errors import InvalidInput, OutputError

OLDEST = 13  # has pg_current_xact_id
DRIVER = "postgresql+psycopg"
# Seconds, and at last milliseconds, after which a server that has gone is given up.
NETWORK = {
    "connect_timeout": 5, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3,
    "tcp_user_timeout": 15_000,
}  # fmt: skip
LIMITS = {"statement_timeout": "60s", "lock_timeout": "10s"}  # of one that is there, but stuck
UNLIMITED = "; ".join(f"SET LOCAL {name} = 0" for name in LIMITS)
ASKED = "SELECT current_setting('server_version_num'), current_setting('synchronous_commit')"
SYNCHRONOUS = ("on", "local", "remote_write", "remote_apply")


def postgres_engine(url: str, unsafe: bool = False) -> Engine:
    """An engine; a server that would acknowledge what is not on its disk is refused.

    `unsafe` lets it, to show what is then lost.
    """
    found = make_url(url).set(drivername=DRIVER)
    try:
        import psycopg  # noqa: F401 - to say what is missing
    except ImportError as error:
        remedy = "pip install 'bandstrap[postgres]'"
        raise InvalidInput("store", place(found), remedy) from error
    engine = create_engine(
        found,
        isolation_level="READ COMMITTED",
        connect_args=NETWORK,
        pool_size=8,
        max_overflow=32,
        hide_parameters=True,  # contexts and rewards would get into logs
    )
    event.listen(engine, "connect", _limit)
    with engine.connect() as connection:
        version, synchronous = connection.execute(text(ASKED)).one()
    where = place(found)
    if int(version) < 10_000 * OLDEST:
        raise OutputError(where, f"is PostgreSQL {version}", f"use {OLDEST} or later")
    if synchronous not in SYNCHRONOUS and not unsafe:
        problem = f"has synchronous_commit = {synchronous}: it acknowledges what it may lose"
        raise OutputError(where, problem, "set it to on")
    return engine


def place(url: URL) -> str:
    """Where a store is, without anything that could be a secret.

    >>> place(make_url("postgresql://me:word@db/app?sslpassword=word"))
    'postgresql://db/app'
    """
    port = "" if url.port is None else f":{url.port}"
    return f"postgresql://{url.host or ''}{port}/{url.database or ''}"


def _limit(connection: Any, record: object) -> None:
    for name, value in LIMITS.items():
        connection.execute(f"SET {name} = '{value}'")
    connection.commit()
