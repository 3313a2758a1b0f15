"""What `from bandstrap import *` brings, and that asking for less loads less."""

import subprocess
import sys

import pytest

import bandstrap


def test_a_star_brings_every_public_name():
    names = {}
    exec("from bandstrap import *", names)
    assert set(dir(bandstrap)) <= set(names)
    assert names["Bandit"] is bandstrap.Bandit
    assert "import_module" not in names


def test_importing_the_package_loads_no_compiler():
    code = "import sys, bandstrap; print('numba' in sys.modules, '__all__' in vars(bandstrap))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


CLASSES = [name for name in bandstrap.__all__ if isinstance(getattr(bandstrap, name), type)]


@pytest.mark.parametrize("name", CLASSES)
def test_every_public_class_has_an_example(name):
    """Which runs, as all examples in docstrings do."""
    kind = getattr(bandstrap, name)
    assert issubclass(kind, BaseException) or ">>> " in (kind.__doc__ or "")
