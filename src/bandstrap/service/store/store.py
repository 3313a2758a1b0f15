"""Transactions, on either kind of database, that are all or nothing."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine, PoolProxiedConnection
from sqlalchemy.exc import (
    DataError,
    DBAPIError,
    IntegrityError,
    ProgrammingError,
    SQLAlchemyError,
)

from bandstrap.errors import BandstrapError, OutputError
from bandstrap.service.store.migrating import migrate
from bandstrap.service.store.postgres import place, postgres_engine
from bandstrap.service.store.postgres_rows import PostgresRows
from bandstrap.service.store.rows import Rows
from bandstrap.service.store.sqlite import begin, checkpoint, sqlite_engine
from bandstrap.service.store.sqlite_rows import SqliteRows

T = TypeVar("T")

POSTGRES = ("postgresql://", "postgres://", "postgresql+psycopg://")
TRIES = 4
OUR_FAULT = (IntegrityError, DataError, ProgrammingError)  # another try would not help
COMMITTING = "while committing"  # nobody knows whether it has happened: it must not happen again
GOING_DOWN = "57P"  # of PostgreSQL: a server that ends, perhaps after it has committed
IN_THE_WAY = ("40001", "40P01")  # of PostgreSQL: transactions of which one has to try again


class Unavailable(BandstrapError):  # noqa: N818 - reads better
    """The database does not take or give anything now: a full disk, a server that is away.

    >>> print(Unavailable("the disk is full"))
    the disk is full
    """

    unsure = False  # whether it may have happened all the same


class Store:
    """The database of a service.

    >>> from sqlalchemy import text
    >>> from tempfile import mkdtemp
    >>> store = open_store(mkdtemp() + "/store.sqlite")
    >>> store.read(lambda connection: connection.execute(text("SELECT 1 + 1")).scalar())
    2
    >>> store.close()
    """

    def __init__(self, engine: Engine, where: str, notice: str = "") -> None:
        self.engine, self.where, self.notice = engine, where, notice
        self.is_postgres = engine.dialect.name == "postgresql"
        self._own: PoolProxiedConnection | None = None  # of `write_rows`, between two calls
        self._one_by_one = Lock()

    def write(self, work: Callable[[Connection], T]) -> T:
        """Do something in a transaction that is on the disk when this returns.

        What stood in the way of others, or found that the server had gone in the meantime, is
        tried again: until it is committed nothing has happened.
        """
        return self._tried(lambda: self._write_once(work))

    def write_rows(self, work: Callable[[Rows], T]) -> T:
        """As `write`, by the statements of the hot path, one call after the other."""
        return self._tried(lambda: self._rows_once(work))

    def read(self, work: Callable[[Connection], T]) -> T:
        """Look something up."""
        return self._tried(lambda: self._read_once(work))

    def close(self) -> None:
        with self._one_by_one:
            if self._own is not None:
                self._own.close()
                self._own = None
        self.engine.dispose()

    def tidy(self) -> None:
        """Do what would otherwise keep somebody waiting for a commit."""
        if not self.is_postgres:
            with suppress(Unavailable):  # then whoever commits does it, as ever
                self.read(checkpoint)

    def migrate(self) -> None:
        """Make the tables, or bring them up to date."""
        self.write(lambda connection: migrate(connection, self.where))

    def _tried(self, once: Callable[[], T]) -> T:
        for left in reversed(range(TRIES)):
            try:
                return once()
            except OUR_FAULT:
                raise
            except DBAPIError as error:
                if not left or not _may_try_again(error):
                    raise self._unavailable(error) from error
            except (SQLAlchemyError, OSError, self._error) as error:
                raise self._unavailable(error) from error
        raise AssertionError  # the last try returns or raises

    def _write_once(self, work: Callable[[Connection], T]) -> T:
        options = {} if self.is_postgres else {"writes": True}
        with self.engine.connect().execution_options(**options) as connection:
            with connection.begin() as transaction:
                result = work(connection)
                with _not_again():
                    transaction.commit()
            return result

    def _rows_once(self, work: Callable[[Rows], T]) -> T:
        """On a connection that stays out of the pool as long as all goes well."""
        with self._one_by_one:
            pooled, self._own = self._own or self.engine.raw_connection(), None
            try:
                try:
                    result = work(self._begun(pooled.dbapi_connection))
                except self._error as error:
                    raise self._as_ours(pooled, error) from error
                with _not_again():
                    try:
                        pooled.commit()
                    except self._error as error:
                        raise self._as_ours(pooled, error) from error
                self._own = pooled
                return result
            finally:
                if self._own is None:
                    pooled.close()  # which rolls back what was not committed

    def _begun(self, connection: Any) -> Rows:
        if self.is_postgres:
            return PostgresRows(connection)
        begin(connection, self.engine.dialect.loaded_dbapi)
        return SqliteRows(connection)

    def _as_ours(self, pooled: PoolProxiedConnection, error: Exception) -> BaseException:
        """An error of the driver as SQLAlchemy would raise it, for one way to judge them all."""
        dialect = self.engine.dialect
        gone = dialect.is_disconnect(error, pooled.dbapi_connection, None)  # type: ignore[arg-type]
        if gone:
            pooled.invalidate(error)
            self.engine.dispose()  # the others are as old
        made: BaseException = DBAPIError.instance(
            None, None, error, self._error, hide_parameters=True, connection_invalidated=gone,
            dialect=dialect,
        )  # fmt: skip
        return made

    def _read_once(self, work: Callable[[Connection], T]) -> T:
        with self.engine.connect() as connection:
            return work(connection)

    @property
    def _error(self) -> Any:
        """What the driver itself raises: in `BEGIN`, SQLAlchemy is not there to translate."""
        return self.engine.dialect.loaded_dbapi.Error

    def _unavailable(self, error: BaseException) -> Unavailable:
        cause = getattr(error, "orig", None) or error
        made = Unavailable(f"the store cannot be used now ({_said(cause)})")
        if self.is_postgres and COMMITTING in getattr(error, "__notes__", ()):
            state = getattr(cause, "sqlstate", None)
            made.unsure = state is None or state.startswith(GOING_DOWN)
        return made


def open_store(where: str | Path, journal: str | None = None, unsafe: bool = False) -> Store:
    """The store at a path or at postgresql://…, made or brought up to date if need be.

    `journal` of SQLite: "wal" or "truncate"; by default what is safe here. `unsafe` takes a server
    that acknowledges what it may lose.
    """
    text = str(where)
    if text.startswith(POSTGRES):
        try:
            engine = postgres_engine(text, unsafe)
        except SQLAlchemyError as error:
            said = str(getattr(error, "orig", None) or "it is no address").strip().splitlines()[0]
            problem, remedy = f"cannot be used ({said})", "check the address and the server"
            raise OutputError("the store", problem, remedy) from error
        store = Store(engine, place(engine.url))
    else:
        if text == ":memory:":
            raise OutputError(text, "is no file, so nothing would stay", "give a path")
        engine, notice = sqlite_engine(Path(text), journal)
        store = Store(engine, text, notice)
    try:
        store.migrate()
    except Unavailable as error:
        store.close()
        raise OutputError(text.rpartition("@")[2], f"cannot be used ({error})",
                          "check the path and the disk") from error  # fmt: skip
    except BaseException:
        store.close()
        raise
    return store


@contextmanager
def _not_again() -> Iterator[None]:
    try:
        yield
    except DBAPIError as error:
        error.add_note(COMMITTING)
        raise


def _said(cause: Any) -> str:
    """What the database says, without the address that a driver adds where there is no answer."""
    diagnosed = getattr(cause, "diag", None)
    if diagnosed is not None:  # psycopg's
        return diagnosed.message_primary or "its server does not answer"
    lines = str(cause).strip().splitlines()
    return lines[0] if lines else type(cause).__name__


def _may_try_again(error: DBAPIError) -> bool:
    if getattr(error.orig, "sqlstate", None) in IN_THE_WAY:
        return True
    return error.connection_invalidated and COMMITTING not in getattr(error, "__notes__", ())
