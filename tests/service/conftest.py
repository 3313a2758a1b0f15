"""Stores of each kind, fresh for each test."""

import postgres_server
import pytest

from bandstrap.service.store import open_store
from bandstrap.service.store.sqlite import SAFE, driver

KINDS = ("wal", "truncate", "postgres")


@pytest.fixture(scope="session")
def postgres():
    """A server for the session, where PostgreSQL is installed."""
    if postgres_server.programs() is None:
        pytest.skip("PostgreSQL is not installed: scripts/postgres installs it, as root")
    server = postgres_server.Server()
    yield server
    server.stop()


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


@pytest.fixture
def opened(kind, tmp_path, request):
    """Opens the test's store, as often as one likes, and closes all of them at the end."""
    journal, stores = None if kind == "postgres" else kind, []
    if kind == "postgres":
        where = request.getfixturevalue("postgres").fresh()
    elif kind == "wal" and driver().sqlite_version_info < SAFE:
        pytest.skip("this SQLite has no safe write-ahead log: pip install pysqlite3")
    else:
        where = tmp_path / "store.sqlite"

    def open_one():
        stores.append(open_store(where, journal))
        return stores[-1]

    open_one.where = str(where)
    yield open_one
    for store in stores:
        store.close()


@pytest.fixture
def store(opened):
    return opened()
