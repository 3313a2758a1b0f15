"""Before there is a bar, a terminal shows what goes on; where there is none, nothing is shown."""

import io
import sys

from bandstrap.commands.terminal import waiting


class Terminal(io.StringIO):
    def isatty(self):
        return True


def shown(monkeypatch, to):
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", to)
    with waiting("reading table.csv"):
        pass
    return to.getvalue()


def test_a_terminal_is_told_what_goes_on(monkeypatch):
    assert "reading table.csv" in shown(monkeypatch, Terminal())
    assert shown(monkeypatch, io.StringIO()) == ""
