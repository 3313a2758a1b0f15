"""Saves that are killed, come at once or run out of space: the old file or the new one."""

import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="POSIX")


def test_a_bandit_survives_the_crash_of_its_saver(tmp_path):
    import crashes

    assert crashes.kills(tmp_path / "b", 15, crashes.write, crashes.read, longest=0.1) > 0


def test_two_savers_do_not_mix(tmp_path):
    import crashes

    assert crashes.two_threads(tmp_path / "b", 25) > 0


def test_a_full_disk_leaves_the_old_file(tmp_path):
    import crashes

    assert crashes.full_disk(tmp_path / "b", 5) == 5
