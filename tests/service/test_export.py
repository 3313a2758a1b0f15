"""The journal as a log: what was stored when the export began, without holes."""

import pytest
from sqlalchemy import insert, text

from bandstrap.service import export
from bandstrap.service.export import records
from bandstrap.service.store.rows import NewDecision
from bandstrap.service.store.tables import DECISIONS


def put(connection, name):
    row = NewDecision(name, "news", 0.0, 1.0, "", '{"version": 0}', "{}")
    connection.execute(insert(DECISIONS), row._asdict())


@pytest.mark.parametrize("kind", ["wal", "postgres"])
def test_what_comes_meanwhile_is_in_the_next_export(store, monkeypatch):
    monkeypatch.setattr(export, "SOME", 1)
    for name in "abc":
        store.write(lambda connection, name=name: put(connection, name))
    reading = records(store, "news")
    found = [next(reading)["id"]]
    store.write(lambda connection: put(connection, "d"))
    found += [each["id"] for each in reading]
    assert found == ["a", "b", "c"]
    assert [each["id"] for each in records(store, "news")] == ["a", "b", "c", "d"]


@pytest.mark.parametrize("kind", ["postgres"])
def test_a_late_transaction_leaves_no_hole(store, monkeypatch):
    """One with a lower position commits after one with a higher position, and before another."""
    monkeypatch.setattr(export, "SOME", 1)
    with store.engine.connect() as late:
        put(late, "late")
        store.write(lambda connection: put(connection, "a"))
        store.write(lambda connection: put(connection, "b"))
        reading = records(store, "news")
        found = [next(reading)["id"]]
        late.commit()
        store.write(lambda connection: put(connection, "c"))
        found += [each["id"] for each in reading]
    assert found == ["a", "b"]
    assert [each["id"] for each in records(store, "news")] == ["late", "a", "b", "c"]
    with store.engine.begin() as connection:  # as a table that another server has written
        connection.execute(text("UPDATE decisions SET xact = '99999999'"))
    assert len([*records(store, "news")]) == 4
