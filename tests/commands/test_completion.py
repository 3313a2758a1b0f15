"""Names complete in the shell: installed and asked as a shell does."""

import os
import shutil
import subprocess
import sys

import pytest

from bandstrap.commands import names as completion
from bandstrap.commands.names import known
from bandstrap.policies import POLICIES

# What a shell has after the completion was installed in it, for words that are half typed.
ASK = """
bandstrap --install-completion > /dev/null
source "$HOME/.bashrc"
COMP_WORDS=({words})
COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1))
$(complete -p bandstrap | sed 's/.*-F \\([^ ]*\\).*/\\1/') bandstrap
echo "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A user's home with `bandstrap` on the path and names in its cache."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    known()
    program = tmp_path / "bin" / "bandstrap"
    program.parent.mkdir()
    heavy = "print('slow') if 'numba' in sys.modules else None"
    program.write_text(
        f"#!{sys.executable}\nimport sys, atexit; sys.argv[0] = 'bandstrap'\n"
        f"atexit.register(lambda: {heavy})\nfrom bandstrap.cli import main; main()\n"
    )
    program.chmod(0o755)
    path = os.pathsep.join([str(program.parent), os.environ["PATH"]])
    return os.environ | {"HOME": str(tmp_path), "PATH": path}


@pytest.mark.skipif(shutil.which("bash") is None, reason="asks bash")
@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("bandstrap reproduce figure1-", "figure1-k5 figure1-k2"),
        ("bandstrap reproduce theorem1 --policies ts,wb-a", "ts,wb-additive"),
    ],
)
def test_names_complete_in_bash(home, words, offered):
    command = ["bash", "-c", ASK.format(words=words)]
    done = subprocess.run(command, env=home, capture_output=True, text=True)
    assert (done.stdout, done.stderr) == (f"{offered}\n", "")


def test_policies_complete_after_a_comma():
    assert completion.complete_policies("")[: len(POLICIES)] == list(POLICIES)
    assert completion.complete_policies("npb,np") == [
        f"npb,{name}" for name in completion.complete_policies("np") if name != "npb"
    ]
    assert "wb,eg-lin" in completion.complete_policies("wb,eg")
    assert completion.complete_policies("wb,nonsense") == []


def test_data_sets_complete():
    assert completion.complete_datasets("d") == ["digits", "dna"]
    assert completion.complete_datasets("dna,d") == ["dna,digits"]


def test_engines_complete():
    assert completion.complete_engine("d") == ["dask"]
