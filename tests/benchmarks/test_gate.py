"""The reduced form of `benchmarks/gate.py`: figures in the right order."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_gate_finds_lifts_and_no_others(tmp_path):
    command = [sys.executable, ROOT / "benchmarks" / "gate.py", "--out", tmp_path, "--quick"]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    gates = json.loads((tmp_path / "gate.json").read_text())["rows"]
    found = {row["world"]: row["promoted"] for row in gates}
    assert found["null"] == found["null, late"] == 0
    assert found["lift"] == found["lift, contexts"] == 1
    ratios = json.loads((tmp_path / "gate-ratio.json").read_text())["rows"]
    alarms = [row["alarms"] for row in ratios]
    assert max(alarms[:6]) <= 0.05
    assert min(alarms[6:12]) >= 0.8
