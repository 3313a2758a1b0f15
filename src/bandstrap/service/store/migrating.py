"""A store as this version of bandstrap needs it: made from nothing, or brought up to date."""

from pathlib import Path
from typing import Any

from sqlalchemy import Connection, inspect, text

from bandstrap.errors import OutputError
from bandstrap.service.store.postgres import UNLIMITED

NEWEST = "0001"  # of migrations/versions
LOCK = 0x62616E64  # any number; on PostgreSQL one process migrates, the others wait


def migrate(connection: Connection, where: object) -> None:
    """In the caller's transaction, so that all of it is there or nothing."""
    if connection.dialect.name == "postgresql":
        connection.execute(text(UNLIMITED))  # of long tables it takes long
        connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
    found = _version(connection)
    if found != NEWEST:
        _upgrade(connection, where, found)


def _version(connection: Connection) -> str | None:
    names = inspect(connection).get_table_names()
    if "alembic_version" in names:
        version: str | None = connection.execute(
            text("SELECT version_num FROM alembic_version")
        ).scalar()
        return version
    if "decisions" in names:  # of somebody else, or of a DecisionStore
        return "of another kind"
    return None


def _upgrade(connection: Connection, where: object, found: str | None) -> None:
    from alembic import command  # only where it is needed: importing it takes long
    from alembic.config import Config
    from alembic.script import ScriptDirectory

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    known: set[Any] = {
        each.revision for each in ScriptDirectory.from_config(config).walk_revisions()
    }
    if found is not None and found not in known:
        remedy = "upgrade bandstrap, or give another store"
        raise OutputError(where, f"has tables of version {found}, not of ours", remedy)
    command.upgrade(config, "head")
