"""The journal, what was learnt of it, and who learns."""

from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.engine import Dialect

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

TAILED = ("decisions", "activations", "commands")  # what the learner reads as it grows


def upgrade() -> None:
    """Make all tables."""
    dialect = op.get_bind().dialect
    _journal(dialect)
    _learnt(dialect)
    if dialect.name == "postgresql":
        for table in TAILED:
            op.execute(f"ALTER TABLE {table} ADD xact xid8 NOT NULL DEFAULT pg_current_xact_id()")
            op.create_index(f"{table}_xact", table, ["xact", "position"])


def _journal(dialect: Dialect) -> None:
    _table(
        dialect, "decisions", _text("id", unique=True), _text("experiment"), _real("time"),
        sa.Column("deadline", sa.Double), _text("digest"), _text("record"), _text("answer"),
    )  # fmt: skip
    _table(
        dialect, "activations", _text("id", unique=True), _text("experiment"), _real("time"),
        _real("deadline"),
    )  # fmt: skip
    _table(
        dialect, "commands", _text("experiment"), _real("time"), _text("kind"), _text("payload"),
        _text("by"),
    )  # fmt: skip
    _table(
        dialect, "rewards", _text("id", unique=True), _real("time"), _real("reward"),
        _text("metrics"), sa.Column("late", sa.Integer, nullable=False),
    )  # fmt: skip
    late = sa.text("late = 1")
    op.create_index("rewards_late", "rewards", ["id"], sqlite_where=late, postgresql_where=late)
    op.create_index("decisions_of", "decisions", ["experiment", "position"])
    op.create_index("activations_of", "activations", ["experiment", "position"])
    op.create_index("commands_of", "commands", ["experiment", "position"])


def _learnt(dialect: Dialect) -> None:
    op.create_table(
        "steps", _text("experiment"), sa.Column("number", sa.BigInteger, nullable=False),
        _text("kind"), _text("payload"), sa.Column("id", sa.Text), _real("time"),
        sa.PrimaryKeyConstraint("experiment", "number"), sa.UniqueConstraint("id", "experiment"),
    )  # fmt: skip
    op.create_table(
        "snapshots", _text("experiment"), _text("policy"),
        sa.Column("number", sa.BigInteger, nullable=False),
        sa.Column("deciding", sa.Integer, nullable=False),
        sa.Column("milestone", sa.Integer, nullable=False),
        _real("time"), sa.Column("state", sa.LargeBinary, nullable=False),
        sa.Column("facts", sa.Text),
        sa.PrimaryKeyConstraint("experiment", "number", "policy"),
    )  # fmt: skip
    op.create_table("statuses", _text("experiment", primary_key=True), _text("status"))
    op.create_table(
        "leases", _text("name", primary_key=True), _text("holder"),
        sa.Column("fence", sa.BigInteger, nullable=False), _real("until"),
    )  # fmt: skip
    _table(dialect, "errors", _text("experiment"), _real("time"), _text("text"))


def _table(dialect: Dialect, name: str, *columns: sa.Column[Any]) -> None:
    """A table whose rows are numbered as they come, never twice alike."""
    if dialect.name == "postgresql":
        position = sa.Column("position", sa.BigInteger, sa.Identity(), primary_key=True)
    else:
        position = sa.Column("position", sa.Integer, primary_key=True, autoincrement=True)
    op.create_table(name, position, *columns, sqlite_autoincrement=True)


def _text(name: str, **more: Any) -> sa.Column[str]:
    return sa.Column(name, sa.Text, nullable=False, **more)


def _real(name: str) -> sa.Column[float]:
    return sa.Column(name, sa.Double, nullable=False)
