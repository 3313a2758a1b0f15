"""Names of columns, classes and files that a terminal would obey, on the way through a command."""

import json
import re

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bandstrap import Bootstrap, simulate
from bandstrap.environments import Bernoulli
from bandstrap.printable import OBEYED
from called import called, failed, in_one_line

TITLE = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e"  # renames and clears a terminal, turns its writing
MARKUP = "[red]</script><script>alert(1)</script>[link=file:x]"
NAME = f"{TITLE}\r\b\n{MARKUP}"
CLASSES = (f"left {NAME}", "right 'quoted\\")
COMMANDS = ("compare", "--rounds", "30", "--runs", "2", "--workers", "1")


@pytest.fixture
def table(tmp_path):
    """A table all of whose names are hostile, in a file whose name is."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal(60)
    columns = {
        f"x {NAME}": x,
        f"words {NAME}": np.where(x > 0, NAME, "low"),
        f"dropped {NAME}": np.ones(60),
        f"nested {NAME}": [{NAME: 1}] * 60,
        f"y {NAME}": np.where(x > 0, *CLASSES),
    }
    path = tmp_path / f"{TITLE}{MARKUP.replace('/', '')}.parquet"
    pq.write_table(pa.table(columns), path)
    return path


def test_a_comparison_prints_nothing_that_is_obeyed(table, tmp_path):
    options = ("--label", f"y {NAME}", "--policies", "eg-lin,wb-log", "--out", tmp_path / "out")
    code, out, said = called(*COMMANDS, table, *options)
    assert (code, said) == (0, "")
    assert not OBEYED.search(out.replace("\n", ""))
    lines = out.splitlines()
    odd = {"x": 1, "words": 1}  # they give the label away
    for column in ("x", "words", "dropped", "nested", "y"):
        named = sum(line.startswith(rf"  {column} \x1b]0;owned\x07") for line in lines)
        assert named == 1 + odd.get(column, 0)
    assert "[red]" in lines[0]  # as it is written, not as a colour
    assert any("│ always left" in line for line in lines)


def test_nor_does_it_in_colours(table, tmp_path, monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    options = ("--label", f"y {NAME}", "--policies", "eg-lin,wb-log", "--out", tmp_path / "out")
    code, out, said = called(*COMMANDS, table, *options)
    assert code == 0
    assert "\x1b[1m" in out  # colours of ours
    for part in ("\x1b]", "\x07", "\x1b[2J", "\x9b", "\u202e", "\b"):
        assert part not in out + said, repr(part)
    assert "\x1b[31m" not in out  # [red] is no markup


def test_the_lines_of_python_mean_the_same_names(table, tmp_path):
    out = tmp_path / f"out {TITLE}"
    options = ("--label", f"y {NAME}", "--policies", "eg-lin,wb-log", "--out", out)
    code, text, _ = called(*COMMANDS, table, *options, "--json")
    assert code == 0
    assert text.isascii()
    found = json.loads(text)
    assert not OBEYED.search(found["code"].replace("\n", ""))
    scope = {}
    exec(compile(found["code"], "snippet", "exec"), scope)
    assert set(scope["bandit"].arms) == set(CLASSES)
    assert set(scope["encode"].example) == {f"x {NAME}", f"words {NAME}"}


def test_the_report_shows_names_and_runs_none(table, tmp_path):
    options = ("--label", f"y {NAME}", "--policies", "eg-lin,wb-log", "--out", tmp_path / "out")
    assert called(*COMMANDS, table, *options)[0] == 0
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    ours, data = re.match(r"(.*)<script type=\"application/json\" id=\"data\">(.*?)</script>",
                          page, re.DOTALL).groups()  # fmt: skip
    assert "<script" not in ours
    assert "&lt;script&gt;alert(1)" in ours
    assert not OBEYED.search(ours.replace("\n", ""))
    assert not OBEYED.search(str(json.loads(data)))


@pytest.mark.parametrize(
    "words",
    [
        ("compare", f"{TITLE}.csv", "--label", "y"),
        ("compare", "t.csv", "--label", "y", "--policies", NAME),
        ("compare", "t.csv", "--label", NAME),
        ("compare", "t.csv", "--rewards", f'"{NAME}",b'),
        ("compare", "t.csv", "--label", "y", "--policy", f"json:{TITLE}"),
        ("benchmark", "--folder", f"{TITLE}"),
        ("benchmark", "--datasets", f"iris,{TITLE}"),
        ("reproduce", NAME),
    ],
    ids=lambda words: words[1][:9] + words[-2],
)
def test_errors_are_one_line_that_can_be_printed(tmp_path, monkeypatch, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("x,y\n" + "1,a\n2,b\n" * 20)
    said = in_one_line(failed(*words))
    assert not OBEYED.search(said.rstrip("\n"))
    assert r"\x1b]0;owned" in said


@pytest.mark.parametrize("words", [("list", TITLE), (f"--{TITLE}",), (TITLE,)])
def test_words_that_are_no_commands(words):
    code, out, said = called(*words)
    assert (code, out) == (2, "")
    assert not OBEYED.search(said.replace("\n", ""))
    assert "owned" in said


def test_a_bar_of_a_simulation(monkeypatch, capsys):
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    simulate(Bootstrap(), Bernoulli(2), horizon=50, runs=5, progress=True, name=NAME)
    said = capsys.readouterr().err
    assert r"\x1b]0;owned" in said
    for part in ("\x1b]", "\x07", "\x1b[2J", "\x9b", "\u202e", "\b"):
        assert part not in said, repr(part)


def test_a_folder_of_such_tables(table, tmp_path):
    (tmp_path / f"one class {TITLE}.csv").write_text("x,y\n1,a\n2,a\n")
    options = ("--folder", tmp_path, "--policies", "eg-lin,wb-log", "--out", tmp_path / "out")
    code, out, said = called("benchmark", *COMMANDS[1:], *options)
    assert (code, said) == (0, "")
    assert not OBEYED.search(out.replace("\n", ""))
    assert "skipped" in out
