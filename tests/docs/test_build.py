"""The pages are put together without a warning, and the reference holds every public name."""

import os
import subprocess
import sys

import pytest

import bandstrap
from pages import ROOT

pytest.importorskip("sphinx")
pytest.importorskip("myst_parser")
pytest.importorskip("sphinx_copybutton")


def test_docs_build_without_warnings(tmp_path):
    """Everything but the writing of HTML: that costs as much again and adds no warning."""
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "dummy"]
    done = subprocess.run(
        [*command, str(ROOT / "docs"), str(tmp_path)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    reference = "".join(path.read_text() for path in (ROOT / "docs" / "api").glob("*.md"))
    apart = ["LinearEstimator", "LogisticEstimator", "Dask", "Ray", "Session"]
    names = [*dir(bandstrap), *apart]
    missing = [name for name in names if f":: {name}\n" not in reference + "\n"]
    assert missing == ["__version__"]
