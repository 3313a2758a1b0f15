"""The short form of `make fuzz`: no changed file of any policy does any harm."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]


def test_no_changed_file_does_any_harm(tmp_path):
    """Each is refused by an error of ours, or gives a bandit that works; see tests/fuzz."""
    paths = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, "-m", "fuzz", "--files", "240", "--jobs", "1", "--out", str(tmp_path)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
