"""The short form of `make fuzz`: no changed file of these policies does any harm."""

import os
import subprocess
import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
POLICIES = (
    "wb-interval", "npb-interval", "wb-halflife", "wb-window", "wb-expiry", "npb-forced", "ts",
    "besa", "online-bootstrap", "wb-log", "wb-log-gaussian", "npb-log-grouped",
    "wb-log-replicas", "wb-lin-additive", "glm-ucb", "ucb-glm", "gloc", "online-cover",
    "epoch-greedy", "falcon-log", "regcb-lin", "tree-heuristic", "ensemble-nn", "neural-linear",
    "wb-nn-budgeted", "wb-sklearn", "wb-names", "wb-arms", "wb-expiry-format1", "wb-names-format1",
)  # fmt: skip


def test_no_changed_file_does_any_harm(tmp_path):
    """Each is refused by an error of ours, or gives a bandit that works; see tests/fuzz."""
    paths = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    given = {"files": len(POLICIES), "policies": ",".join(POLICIES), "jobs": 1, "out": tmp_path}
    done = subprocess.run(
        [sys.executable, "-m", "fuzz", *(f"--{name}={value}" for name, value in given.items())],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stdout + done.stderr
