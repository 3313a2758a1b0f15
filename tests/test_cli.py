"""The command line, as its users meet it: exit codes, what is printed where, files."""

import os
import subprocess
import sys
import time

import pytest

from bandstrap.version import __version__
from called import called


def test_help_is_instant_and_loads_no_compiler():
    code = (
        "import sys; sys.argv = ['bandstrap', '--help']\n"
        "import atexit; heavy = ('numba', 'numpy', 'scipy', 'pyarrow', 'matplotlib')\n"
        "atexit.register(lambda: print('loaded', [m for m in heavy if m in sys.modules]))\n"
        "from bandstrap.cli import main; main()"
    )
    times = []
    for _ in range(2):  # the first call may have to compile Python files
        started = time.perf_counter()
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
        times.append(time.perf_counter() - started)
    assert done.returncode == 0
    assert "reproduce" in done.stdout
    assert "loaded []" in done.stdout
    assert min(times) < 2.0


@pytest.mark.parametrize("command", ["reproduce", "compare", "benchmark", "log", "list"])
def test_every_command_has_help_with_an_example(command):
    code, out, _ = called(command, "--help")
    assert code == 0
    assert f"Example: bandstrap {command}" in out
    assert "130 interrupted" in out


def test_version():
    assert called("--version") == (0, f"bandstrap {__version__}\n", "")


def test_signs_that_an_encoding_lacks_end_nothing(tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n" + "0.1,a\n0.9,b\n0.2,a\n0.7,b\n" * 10)
    words = ["t.csv", "--label", "y", "--policies", "eg-lin,ts-laplace", "--rounds", "40"]
    words += ["--workers", "1"]
    done = subprocess.run(
        [sys.executable, "-m", "bandstrap", "compare", *words, "--runs", "2", "--out", "out"],
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "cp1252"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "µs per decision" in done.stdout.decode("cp1252")
