"""Every command on a page exists, with the options that it is given."""

import re
import shlex
from itertools import pairwise, takewhile

import pytest
import typer

from bandstrap.cli import app
from pages import ROOT, commands, pages

COMMANDS = [
    pytest.param(line, id=f"{page}-{i}")
    for page in pages()
    for i, line in enumerate(commands(page))
]


def check(line):
    words = shlex.split(line)
    while "=" in words[0]:  # settings before the command
        words = words[1:]
    name, *rest = words
    KNOWN[name](rest)


def bandstrap(rest):
    """Parsed as the command line does, without running anything."""
    group = typer.main.get_command(app)
    options = list(takewhile(lambda word: word.startswith("-"), rest))
    assert set(options) <= {"--debug", "--help"}
    if options == rest:
        return
    name, *left = rest[len(options) :]
    assert name in group.commands
    try:
        group.commands[name].make_context(name, left)
    except Exception as error:  # by a class of click's, or of the copy that Typer carries
        raise AssertionError(f"bandstrap {name}: {error}") from error


def make(rest):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)
    assert set(rest) <= set(targets)


def python(rest):
    if rest[0] == "-m":
        assert rest[1] in {"venv", "build", "pytest", "bandstrap.warmup"}
        return
    source = (ROOT / rest[0]).read_text()
    for option in (word for word in rest if word.startswith("--")):
        assert f'"{option.partition("=")[0]}"' in source


def pip(rest):
    assert rest[0] == "install"
    for extra in re.findall(r"\[(.*?)\]", " ".join(rest)):
        for name in extra.split(","):
            assert f"\n{name} = [" in (ROOT / "pyproject.toml").read_text()


def of_others(rest):
    """A command of Dask's, Ray's or OpenSSL's: theirs to check."""
    assert rest[0] in {"scheduler", "worker", "start", "get-auth-token", "req", "x509"}


def uvicorn(rest):
    """The program and its folder are there; options are uvicorn's to check."""
    (folder,) = (after for word, after in pairwise(rest) if word == "--app-dir")
    (app_,) = (word for word in rest if re.fullmatch(r"\w+:\w+", word))
    program, name = app_.split(":")
    assert f"{name}" in (ROOT / folder / f"{program}.py").read_text()


def settings(rest):
    assert all(re.fullmatch(r"RAY_[A-Z_]+=[\w./$]+", word) for word in rest)


def into_a_file(rest):
    text, arrow, _ = rest
    assert (text.partition("=")[0], arrow) == ("subjectAltName", ">")


def curl(rest):
    """What it asks for is a path of the service."""
    (address,) = (word for word in rest if word.startswith("http://127.0.0.1:8000/"))
    path = address.removeprefix("http://127.0.0.1:8000")
    routes = (
        r"/v1/experiments",
        r"/v1/experiments/\w+(/decisions|/export)?",
        r"/v1/decisions/[\w-]+/(reward|activate)",
    )
    assert any(re.fullmatch(each, path) for each in routes)


KNOWN = {
    "bandstrap": bandstrap,
    "make": make,
    "python": python,
    "pip": pip,
    "uvicorn": uvicorn,
    "dask": of_others,
    "ray": of_others,
    "openssl": of_others,
    "export": settings,
    "echo": into_a_file,
    "curl": curl,
}


@pytest.mark.parametrize("line", COMMANDS)
def test_command_exists(line):
    check(line)


@pytest.mark.parametrize(
    "line",
    [
        "bandstrap reproduce --quik",
        "bandstrap reprodduce",
        "make benhc",
        "python benchmarks/decisions.py --arm 3",
        "python benchmarks/decision.py",
        "pip install 'bandstrap[torhc]'",
        "rm -rf results",
        "curl http://127.0.0.1:8000/v1/experiment/news",
    ],
)
def test_wrong_commands_are_found(line):
    with pytest.raises((AssertionError, OSError, KeyError)):
        check(line)
