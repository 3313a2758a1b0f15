"""What a person sees while rounds are played, and that nobody else sees anything."""

import re

import pytest

from bandstrap.simulation import progress
from bandstrap.simulation.progress import Bar


@pytest.fixture
def shown(monkeypatch, capsys):
    """The lines a terminal shows, in order, without what only colours and moves."""
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("COLUMNS", "100")

    def read():
        out, said = capsys.readouterr()
        assert not out
        lines = re.split(r"[\r\n]+", re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", said))
        return [line.strip() for line in lines if line.strip()]

    return read


def refreshed(bar, shown):
    bar._progress.refresh()
    return shown()[-1]


def test_a_bar_tells_what_goes_on(monkeypatch, shown):
    with Bar("figure1") as bar:
        assert refreshed(bar, shown).startswith("figure1 computing")
        bar.add(1000)
        assert refreshed(bar, shown).startswith("figure1 starting ━")
        monkeypatch.setattr(progress, "PATIENCE", -1.0)
        assert refreshed(bar, shown).startswith("figure1 starting (compiles at first use) ━")
        bar.done(200)
        bar.done(200)
        line = refreshed(bar, shown)
        assert re.match(r"figure1 ━.* 40% [\d,.]+ rounds/s \d:\d\d:\d\d$", line), line
        bar.done(600)
        assert refreshed(bar, shown).startswith("figure1 finishing")
    assert re.match(r"figure1 ━.*100% [\d,.]+ rounds/s \d:\d\d:\d\d$", shown()[-1])


def test_what_has_no_rounds_is_done_at_the_end(shown):
    with Bar("theorem1"):
        pass
    assert re.match("theorem1 ━.*100%", shown()[-1])


def test_an_interrupted_bar_stays_where_it_was(shown):
    def played():
        with Bar("figure1") as bar:
            bar.add(10)
            bar.done(5)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        played()
    assert " 50%" in shown()[-1]


def test_nothing_is_shown_where_there_is_no_terminal(capsys):
    with Bar("figure1") as bar:
        bar.add(10)
        bar.done(5)
        bar.done(5)
    assert capsys.readouterr() == ("", "")
