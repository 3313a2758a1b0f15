"""A store in one SQLite file, for all processes of one machine."""

from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from random import uniform
from time import monotonic, sleep
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event

from bandstrap.errors import OutputError

SAFE = (3, 51, 3)  # before, the write-ahead log may lose what several processes write
PATIENCE = 10.0  # seconds to wait for other processes
PAUSE = (0.0005, 0.002)  # seconds between two tries to write
STATEMENTS = 256  # that stay prepared
LOG_PAGES = 10_000  # of the write-ahead log, before whoever commits has to empty it
BASE, BUSY = 0xFF, 5  # of SQLite's codes of errors; the rest says more
WAL, TRUNCATE = "wal", "truncate"


def sqlite_engine(path: Path, journal: str | None = None) -> tuple[Engine, str]:
    """An engine, and a notice if the journal is not the faster one.

    `journal`: WAL or TRUNCATE; None for what the SQLite that is found can do safely.
    """
    module = driver(journal)
    is_safe = module.sqlite_version_info >= SAFE
    mode = journal or (WAL if is_safe else TRUNCATE)
    if mode == WAL and not is_safe:
        remedy = "install pysqlite3, or leave the journal to us"
        problem = f"cannot have a write-ahead log: SQLite {module.sqlite_version} may lose rows"
        raise OutputError(path, problem, remedy)
    engine = create_engine(
        "sqlite://",
        creator=_connector(module, path, mode),
        module=module,
        pool_size=8,
        max_overflow=32,
        poolclass=_pool(),
        pool_use_lifo=True,  # what a connection has read stays in its memory: use the same one
        hide_parameters=True,  # contexts and rewards would get into logs
    )
    event.listen(engine, "begin", _begin)
    notice = (
        f"SQLite {module.sqlite_version} is older than {'.'.join(map(str, SAFE))}: its write-ahead "
        "log may lose rows, so a rollback journal is used, which is slower (pip install pysqlite3)"
    )
    return engine, "" if mode == WAL or journal is not None else notice


def driver(journal: str | None = None) -> Any:
    """Python's own SQLite, or `pysqlite3` where only that is new enough."""
    own: Any = import_module("sqlite3")
    if journal == TRUNCATE or own.sqlite_version_info >= SAFE:
        return own
    try:
        other: Any = import_module("pysqlite3.dbapi2")
    except ImportError:
        return own
    return other if other.sqlite_version_info >= SAFE else own


def _pool() -> Any:
    from sqlalchemy.pool import QueuePool

    return QueuePool


def _connector(module: Any, path: Path, mode: str) -> Callable[[], Any]:
    def connect() -> Any:
        connection = module.connect(
            path, timeout=PATIENCE, isolation_level=None, check_same_thread=False,
            cached_statements=STATEMENTS,
        )  # fmt: skip
        run = connection.execute
        try:
            run("PRAGMA synchronous = FULL")
            run(f"PRAGMA wal_autocheckpoint = {LOG_PAGES}")
            found = run(f"PRAGMA journal_mode = {mode}").fetchone()[0]
            if found != mode:
                problem = f"has the journal mode {found} and not {mode}"
                raise OutputError(path, problem, "let all processes use one version of SQLite")
        except BaseException:
            connection.close()
            raise
        return connection

    return connect


def _begin(connection: Connection) -> None:
    if not connection.get_execution_options().get("writes"):
        connection.exec_driver_sql("BEGIN")
        return
    begin(connection.connection, connection.dialect.loaded_dbapi)


def begin(connection: Any, module: Any) -> None:
    """Begin to write, on a connection of the driver's, as soon as no other process writes.

    SQLite itself would wait longer and longer between two tries, and starve some processes.
    """
    run, until = connection.execute, monotonic() + PATIENCE
    run("PRAGMA busy_timeout = 0")
    try:
        while True:
            try:
                run("BEGIN IMMEDIATE")
                break
            except module.OperationalError as error:
                if not _is_busy(error) or monotonic() > until:
                    raise
                sleep(uniform(*PAUSE))
    finally:
        run(f"PRAGMA busy_timeout = {int(1000 * PATIENCE)}")


def checkpoint(connection: Connection) -> None:
    """Move what is in the write-ahead log to the file, as far as nobody has to wait for it."""
    run: Any = connection.connection.execute  # not in a transaction
    run("PRAGMA wal_checkpoint(PASSIVE)")


def _is_busy(error: Any) -> bool:
    code = getattr(error, "sqlite_errorcode", None)  # which pysqlite3 may not have
    return "locked" in str(error) if code is None else code & BASE == BUSY
