"""What the command line refuses, and how it says so."""

import subprocess
import sys

import pytest

import bandstrap.commands.compare
import bandstrap.commands.reproduce
import bandstrap.comparison.table
from called import called, failed, in_one_line

SMALL = ("--quick", "--runs", "20", "--horizon", "200")


def test_a_refusal_in_a_process_of_its_own(tmp_path):
    command = [sys.executable, "-m", "bandstrap", "reproduce", "figre1", "--out", "out"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "did you mean 'figure1'" in in_one_line(done.stderr)


def test_a_traceback_is_shown_on_demand():
    said = failed("--debug", "reproduce", "figre1")
    assert "Traceback" in said
    assert said.splitlines()[-1].startswith("error: unknown experiment")


def test_an_unexpected_error_is_one_line_too(monkeypatch):
    def fails(*given):
        raise RuntimeError("first\nsecond")

    monkeypatch.setattr(bandstrap.commands.reproduce, "reproduce", fails)
    code, out, said = called("reproduce", "figure1", "--out", "my results")
    assert (code, out) == (1, "")
    assert said.startswith("unexpected error: RuntimeError: first second")
    assert said.endswith("bandstrap --debug reproduce figure1 --out 'my results'\n")
    assert len(said.splitlines()) == 1
    monkeypatch.setattr(bandstrap.commands.compare, "compare", fails)
    monkeypatch.setattr(bandstrap.comparison.table, "prepare", lambda *given: None)
    code, _, said = called("compare", "t.csv", "--label", "y", "--policy=mine:Mine")
    assert code == 1
    assert "your own code" in said
    code, _, said = called("--debug", "reproduce", "figure1")
    assert code == 1
    assert "Traceback" in said


def test_names_nearly_right_get_the_nearest(tmp_path):
    said = in_one_line(failed("reproduce", "figre1", "--out", tmp_path / "out"))
    assert "experiment 'figre1'" in said
    assert "'figure1'" in said
    said = in_one_line(failed("reproduce", "figure1", "--policies", "wb,np", "--out", tmp_path))
    assert "policy 'np'" in said
    assert "'npb'" in said
    assert not list(tmp_path.iterdir())


def test_sizes_that_nobody_knows_or_that_contradict(tmp_path):
    said = in_one_line(failed("reproduce", "figure1", "--size", "shrt", "--out", tmp_path))
    assert "unknown size 'shrt': did you mean 'short'" in said
    both = ("--quick", "--size", "short")
    said = in_one_line(failed("reproduce", "figure1", *both, "--out", tmp_path))
    assert "--size = 'short'" in said
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("option", ["--runs", "--arms", "--horizon"])
def test_sizes_of_zero(tmp_path, option):
    said = in_one_line(failed("reproduce", "figure1", option, "0", "--out", tmp_path / "out"))
    assert f"{option} = 0" in said
    assert "at least 1" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("option", ["--workers", "--seed"])
def test_numbers_below_zero(tmp_path, option):
    said = in_one_line(failed("reproduce", "figure1", *SMALL, option, "-1", "--out", tmp_path))
    assert f"{option.strip('-')} = -1" in said


@pytest.mark.parametrize(
    "arguments", [("reproduce", "--runs", "many"), ("reproduce", "--nonsense"), ("reprodce",)]
)
def test_what_typer_refuses(arguments):
    said = failed(*arguments)
    assert arguments[-1] in said or "'--runs'" in said


def test_out_is_a_file(tmp_path):
    file = tmp_path / "out"
    file.write_text("mine")
    said = in_one_line(failed("reproduce", "theorem1", *SMALL, "--out", file))
    assert str(file) in said
    assert "choose another --out" in said
    assert file.read_text() == "mine"


@pytest.mark.parametrize(
    ("option", "value", "wanted"),
    [
        ("--rounds", "0", "--rounds = 0"),
        ("--engine", "foo", "unknown engine 'foo'"),
        ("--policies", "nosuch", "unknown policy 'nosuch'"),
        ("--models", "nosuch", "unknown model 'nosuch'"),
        ("--policy", "mine", "module:Class"),
    ],
)
def test_options_are_refused_before_rows_are_read(tmp_path, monkeypatch, option, value, wanted):
    def fails(*given):
        raise AssertionError("rows were read")

    monkeypatch.setattr("bandstrap.tables.source.sampled", fails)
    (tmp_path / "t.csv").write_text("x,y\n0.5,a\n0.1,b\n")
    for command in (
        ("compare", tmp_path / "t.csv", "--label", "y"),
        ("benchmark", "--folder", tmp_path),
    ):
        said = in_one_line(failed(*command, option, value, "--out", tmp_path / "out"))
        assert wanted in said


@pytest.mark.parametrize("option", [("--rounds", "0"), ("--engine", "foo")])
@pytest.mark.parametrize("command", [("compare", "t.csv", "--label", "y"), ("benchmark",)])
def test_plain_mistakes_do_not_wait_for_the_compiler(tmp_path, command, option):
    code = (
        f"import sys; sys.argv = {['bandstrap', *command, *option]}\n"
        "import atexit; atexit.register(lambda: print('numba' in sys.modules))\n"
        "from bandstrap.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path
    )
    assert (done.returncode, done.stdout) == (2, "False\n"), done.stderr
