"""Reduced forms of killed_servers.py and skipping.py."""

import pytest
from killed_servers import syncs, tried
from skipping import skipped


@pytest.mark.parametrize("kind", ["truncate", "postgres"])
def test_nothing_that_was_answered_is_lost(kind, request):
    if kind == "postgres":
        request.getfixturevalue("postgres")  # where there is one
    lost, _ = tried(kind, rounds=1, processes=2, clients=4, seconds=0.5, durable=False)
    assert not lost


def test_nothing_that_the_command_answered_is_lost():
    """`bandstrap serve`: its workers and its learner are killed at once."""
    lost, _ = tried("http", rounds=2, processes=2, clients=4, seconds=0.3)
    assert not lost


def test_every_decision_is_synced():
    found = syncs("wal", asked=10)
    if found is None:
        pytest.skip("strace is missing")
    assert found >= 1


def test_the_learner_skips_no_row(postgres):
    missing, twice, control = skipped(postgres, rows=2000, writers=2)
    assert (missing, twice) == (0, 0)
    assert control > 0
