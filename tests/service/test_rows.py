"""Rows in the words of each database's own driver."""

import pytest

from bandstrap.service.store.rows import NewDecision
from bandstrap.service.store.writing import put_decisions


def row(number, answer="new"):
    return NewDecision(f"{number:04d}", "news", 1.0, 2.0, "digest", "{}", answer)


@pytest.mark.parametrize("count", [1, 5, 16, 17, 100, 150])
def test_those_that_were_there_stay_and_are_told_from_the_new(store, count):
    names = [row(number).id for number in range(count)]
    before = [row(number, "old") for number in range(0, count, 3)]
    store.write_rows(lambda rows: put_decisions(rows, before, []))
    found = store.write_rows(
        lambda rows: put_decisions(rows, [row(number) for number in range(count)], names)
    )
    assert [found[name].answer for name in names] == [
        "new" if number % 3 else "old" for number in range(count)
    ]
    added = store.write_rows(lambda rows: rows.add_decisions([row(count + 1), row(0)]))
    assert added == {row(count + 1).id}


def test_what_fails_is_undone_on_the_connection_that_stays(store):
    def fail(rows):
        rows.add_decisions([row(1)])
        raise ZeroDivisionError

    store.write_rows(lambda rows: rows.add_decisions([row(0)]))
    kept = store._own
    assert store.write_rows(lambda rows: rows.add_decisions([row(2)])) == {row(2).id}
    assert store._own is kept
    with pytest.raises(ZeroDivisionError):
        store.write_rows(fail)
    names = [row(number).id for number in range(3)]
    found = store.write_rows(lambda rows: rows.decisions(names))
    assert found.keys() == {row(0).id, row(2).id}
    assert store.engine.pool.checkedout() == 1  # nothing else is held
