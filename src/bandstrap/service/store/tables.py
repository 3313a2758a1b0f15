"""The tables of the journal, as queries name them; `migrations` makes them."""

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)

METADATA = MetaData()

# On PostgreSQL the first three have a column more, `xact`: the transaction that wrote the row.
DECISIONS = Table(
    "decisions",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("id", Text),
    Column("experiment", Text),
    Column("time", Double),
    Column("deadline", Double),  # NULL while it is deferred
    Column("digest", Text),
    Column("record", Text),
    Column("answer", Text),
)
ACTIVATIONS = Table(
    "activations",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("id", Text),
    Column("experiment", Text),
    Column("time", Double),
    Column("deadline", Double),
)
COMMANDS = Table(
    "commands",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("experiment", Text),
    Column("time", Double),
    Column("kind", Text),
    Column("payload", Text),
    Column("by", Text),
)
REWARDS = Table(
    "rewards",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("id", Text),
    Column("time", Double),
    Column("reward", Double),
    Column("metrics", Text),
    Column("late", Integer),
)
STEPS = Table(
    "steps",
    METADATA,
    Column("experiment", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True),
    Column("kind", Text),
    Column("payload", Text),
    Column("id", Text),
    Column("time", Double),
)
SNAPSHOTS = Table(
    "snapshots",
    METADATA,
    Column("experiment", Text, primary_key=True),
    Column("policy", Text, primary_key=True),
    Column("number", BigInteger, primary_key=True),
    Column("deciding", Integer),
    Column("milestone", Integer),  # whether it stays
    Column("time", Double),
    Column("state", LargeBinary),
    Column("facts", Text),  # of the deciding policy's alone
)
STATUSES = Table(
    "statuses",
    METADATA,
    Column("experiment", Text, primary_key=True),
    Column("status", Text),
)
LEASES = Table(
    "leases",
    METADATA,
    Column("name", Text, primary_key=True),
    Column("holder", Text),
    Column("fence", BigInteger),
    Column("until", Double),
)
ERRORS = Table(
    "errors",
    METADATA,
    Column("position", BigInteger, primary_key=True),
    Column("experiment", Text),
    Column("time", Double),
    Column("text", Text),
)
