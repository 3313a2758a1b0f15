"""Killed while it writes a log; all of it: `python tests/bandit/log/killed.py`."""

import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX")


def test_what_was_answered_survives(tmp_path):
    import killed

    ledger = killed.killed(tmp_path, 12)
    assert len(ledger.arms) > 50
    assert len(ledger.rewards) > 50


def test_a_kill_within_a_line_is_expected(tmp_path):
    """The line is left out with a warning, and removed with another."""
    import killed

    ledger = killed.killed(tmp_path, 1)
    with (tmp_path / "log0").open("ab") as file:
        file.write(b'{"event":"decision","id":"x')
    assert killed.examined(ledger, tmp_path / "log0", None).log is not None
