"""The pages about the service: their configuration is valid, all settings are there, and what a
new user types works as the page says."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
import tomllib
from dataclasses import fields

import pytest

from pages import ROOT, commands

pytest.importorskip("fastapi")
pytest.importorskip("msgspec")

from bandstrap.service.config import Experiment, ServiceConfig, config_from, read_config

PAGE = (ROOT / "docs" / "serve.md").read_text(encoding="utf-8")
TOML = re.findall(r"^```toml\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
LONGEST = 60.0  # seconds to wait for anything


def test_the_configuration_on_the_page_is_valid():
    assert TOML
    for text in TOML:
        config_from(tomllib.loads(text))
    read_config(ROOT / "examples" / "serve" / "app.toml")


@pytest.mark.parametrize("kind", [ServiceConfig, Experiment])
def test_every_setting_is_in_a_table(kind):
    named = {
        name for row in re.findall(r"^\|(.*?)\|", PAGE, re.M) for name in re.findall("`(.*?)`", row)
    }
    apart = {"name", "experiments", "keys"}  # the titles of tables
    assert {each.name for each in fields(kind)} - apart <= named


def test_defaults_are_those_of_the_code():
    """As far as a table gives them as they are written in TOML."""
    found = {
        each.name: each.default for kind in (ServiceConfig, Experiment) for each in fields(kind)
    }
    rows = re.findall(r"^\| `(\w+)` \| `([\d.\[\]\"\w]+)` \|", PAGE, re.M)
    checked = 0
    for name, text in rows:
        told = tomllib.loads(f"told = {text}")["told"]
        if isinstance(told, int | float):
            assert found[name] == told, name
            checked += 1
    assert checked >= 6


@pytest.fixture
def server(tmp_path):
    """What the page starts, on a port that is free."""
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        port = opened.getsockname()[1]
    (tmp_path / "app.toml").write_text(TOML[0].replace('"20s"', '"2s"'), encoding="utf-8")
    asked = [sys.executable, "-m", "bandstrap", "serve", "app.toml", "--port", str(port)]
    running = subprocess.Popen(asked, cwd=tmp_path, env={**os.environ}, stdout=subprocess.DEVNULL)
    try:
        yield port
    finally:
        running.terminate()
        running.wait(LONGEST)


def typed(line, port):
    """What a line of the page prints, once the server is there."""
    until = time.monotonic() + LONGEST
    while True:
        done = subprocess.run(
            line.replace(":8000", f":{port}") + " -s --noproxy '*'",
            shell=True, capture_output=True, text=True, check=False,
        )  # fmt: skip
        if done.returncode == 0 or time.monotonic() > until:
            return json.loads(done.stdout)
        time.sleep(0.1)


@pytest.mark.skipif(not shutil.which("curl"), reason="curl is not installed")
def test_three_lines_decide_reward_and_learn(server):
    decide, reward, look = (each for each in commands("docs/serve.md") if each.startswith("curl"))
    assert typed(decide, server)["arm"] in ("moon landing", "cup final", "budget")
    assert typed(reward, server)["receipt"] == "stored"
    until = time.monotonic() + LONGEST
    status = typed(look, server)
    while status["decisions"] - status["waiting"] < 1 and time.monotonic() < until:
        time.sleep(0.1)
        status = typed(look, server)
    assert (status["decisions"], status["waiting"], status["rewards"]) == (1, 0, 1)
