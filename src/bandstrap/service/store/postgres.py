"""A store in PostgreSQL, for processes of many machines."""

from sqlalchemy import Engine, create_engine, make_url, text

from bandstrap.errors import InvalidInput, OutputError

OLDEST = 13  # has pg_current_xact_id
DRIVER = "postgresql+psycopg"
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
        raise InvalidInput("store", found.render_as_string(), remedy) from error
    engine = create_engine(
        found,
        isolation_level="READ COMMITTED",
        connect_args={"connect_timeout": 5, "keepalives_idle": 10, "keepalives_count": 3},
        pool_size=8,
        max_overflow=32,
    )
    with engine.connect() as connection:
        version, synchronous = connection.execute(text(ASKED)).one()
    where = found.render_as_string()  # without the password
    if int(version) < 10_000 * OLDEST:
        raise OutputError(where, f"is PostgreSQL {version}", f"use {OLDEST} or later")
    if synchronous not in SYNCHRONOUS and not unsafe:
        problem = f"has synchronous_commit = {synchronous}: it acknowledges what it may lose"
        raise OutputError(where, problem, "set it to on")
    return engine
