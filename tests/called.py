"""The command line called in this process: starting another takes seconds."""

import signal
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import pytest

from bandstrap.cli import main

NAMES = ("SIGINT", "SIGTERM", "SIGHUP")  # the last is not everywhere
ANSWERED = [getattr(signal, name) for name in NAMES if hasattr(signal, name)]


def called(*arguments):
    """Exit code, standard output and standard error of a call."""
    out, said = StringIO(), StringIO()
    answers = {number: signal.getsignal(number) for number in ANSWERED}
    try:
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(said):
            patch.setattr(sys, "argv", ["bandstrap", *map(str, arguments)])
            patch.setattr(warnings, "formatwarning", warnings.formatwarning)
            with pytest.raises(SystemExit) as stopped:
                main()
    finally:
        for number, answer in answers.items():  # which a call has changed
            signal.signal(number, answer)
    return stopped.value.code or 0, out.getvalue(), said.getvalue()


def failed(*arguments):
    """What a refused command says."""
    code, out, said = called(*arguments)
    assert (code, out) == (2, "")
    return said


def in_one_line(stderr):
    """What was said, if it is an error in one line."""
    assert stderr.startswith("error: ")
    assert len(stderr.strip().splitlines()) == 1
    return stderr
