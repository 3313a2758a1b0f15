"""Killed while it writes a log; all of it: `python tests/bandit/log/killed.py`."""

import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX")


def test_what_was_answered_survives(tmp_path):
    import killed

    ledger = killed.killed(tmp_path, 12)
    assert len(ledger.arms) > 50
    assert len(ledger.rewards) > 50
