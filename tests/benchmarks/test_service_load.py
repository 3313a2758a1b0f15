"""The benchmark of the service, for seconds instead of minutes."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("uvicorn")
SCRIPT = Path(__file__).parents[2] / "benchmarks" / "service.py"


def test_a_steady_load_is_answered_and_memory_looked_at(tmp_path):
    """Every request that is not answered by 200 ends it."""
    told = ["--rate", "60", "--seconds", "2", "--every", "0.5", "--clients", "4", "--out", tmp_path]
    subprocess.run([sys.executable, SCRIPT, *told], check=True, capture_output=True, timeout=120)
    page = json.loads((tmp_path / "service-steady.json").read_text())
    assert "requests in 2 s, all answered" in page["note"]
    assert 110 < int(page["note"].split()[0]) < 130
    assert {row["process"] for row in page["rows"]} == {"parent", "child 1", "child 2"}
    assert all(0 < row["first MB"] < 1000 for row in page["rows"])
