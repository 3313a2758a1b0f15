"""The command itself: two workers and a learner on SQLite, from the first decision to SIGTERM."""

import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import httpx
import pytest
from typer.testing import CliRunner

from bandstrap.cli import app

APP = """
[service]
port = 0
workers = 2
reload = 0.2
publish = 0.2

[experiments.news]
arms = ["a", "b"]
policy = "ts"
window = "3s"
"""


@contextmanager
def started(folder: Path, text: str = APP) -> "Iterator[tuple[subprocess.Popen[str], list[str]]]":
    """The command, and what it says before it serves."""
    (folder / "app.toml").write_text(text)
    command = [sys.executable, "-m", "bandstrap", "serve", "app.toml", "--log", "json"]
    paths = os.pathsep.join(filter(None, sys.path))
    with open(folder / "log.txt", "w") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            env={**os.environ, "PYTHONPATH": paths},
        )
        assert process.stdout is not None
        try:
            said = []
            for line in process.stdout:
                said.append(line.rstrip())
                if "curl" in line and line.rstrip().endswith("/v1/experiments/news"):
                    break
            yield process, said
        finally:
            if process.poll() is None:
                process.kill()
            process.wait()
            process.stdout.close()


def test_it_decides_learns_and_ends(tmp_path: Path) -> None:
    with started(tmp_path) as (process, said):
        text = "\n".join(said)
        url = re.findall(r"http://127\.0\.0\.1:\d+", text)[0]
        assert "2 deciding" in text
        assert "experiment news: 2 arms, ts, online" in text
        ids = [f"visit-{n}" for n in range(10)]
        with httpx.Client(base_url=url) as client:
            for each in ids:
                told = client.post("/v1/experiments/news/decisions", json={"id": each})
                assert told.json()["arm"] in ("a", "b")
                assert client.put(f"/v1/decisions/{each}/reward", json={"reward": 1}).is_success
            again = client.post("/v1/experiments/news/decisions", json={"id": ids[0]}).json()
            assert again["repeated"]
            wrong = {"id": ids[0], "allowed": ["a"]}
            assert client.post("/v1/experiments/news/decisions", json=wrong).status_code == 409
            assert client.put("/v1/decisions/visit-0/reward", json={"reward": 0}).status_code == 409
            _wait(lambda: client.get("/v1/experiments/news").json()["version"] >= len(ids))
            _wait(lambda: _decided(client)["version"] >= len(ids))  # by what was learnt
            lines = client.get("/v1/experiments/news/export").text.splitlines()
            events = [json.loads(line)["event"] for line in lines]
            assert events[:20].count("reward") == 10
        begun = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.wait(timeout=20) == 0
        assert time.monotonic() - begun < 5
    log = (tmp_path / "log.txt").read_text()
    assert "Traceback" not in log
    assert json.loads(log.splitlines()[0])["route"] == "/v1/experiments/{experiment}/decisions"
    store = ["--store", str(tmp_path / "bandstrap.sqlite")]
    asked = ["serve", str(tmp_path / "app.toml"), "--verify", "news", "--json", *store]
    told = CliRunner().invoke(app, asked)
    assert told.exit_code == 0, told.output
    found = json.loads(told.stdout)
    assert found["same"]
    assert found["steps"] >= len(ids)


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl")
def test_the_three_lines_work_as_they_are_printed(tmp_path: Path) -> None:
    key = "a key for the test"
    digest = sha256(key.encode()).hexdigest()
    locked = f'[keys.web]\nsha256 = "{digest}"\nroles = ["decide", "reward", "read"]\n'
    with started(tmp_path, APP.replace("3s", "1h") + locked) as (_, said):
        lines = [line.strip() for line in said if line.strip().startswith("curl")]
        found = [
            json.loads(
                subprocess.run(
                    ["curl", "--silent", *shlex.split(line.replace("$KEY", key))[1:]],
                    check=True,
                    capture_output=True,
                ).stdout
            )
            for line in lines
        ]
    assert found[0]["id"] == found[1]["id"] == "visit-1"
    assert found[1]["receipt"] == "stored"
    assert found[2]["experiment"] == "news"
    assert key not in (tmp_path / "log.txt").read_text()


def test_configurations_are_checked_and_keys_made(tmp_path: Path) -> None:
    path = tmp_path / "app.toml"
    path.write_text(APP)
    told = CliRunner().invoke(app, ["serve", str(path), "--check", "--json"])
    assert json.loads(told.stdout)["experiments"] == ["news"]
    made = json.loads(CliRunner().invoke(app, ["serve", "--new-key", "--json"]).stdout)
    assert sha256(made["key"].encode()).hexdigest() in made["toml"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--host", "0.0.0.0"], "--new-key"),
        (["--log", "loud"], "known are"),
        (["--no-learner", "--learner-only"], "leave it out"),
        (["--verify", "nothing"], "nothing"),
        (["--port", "99999"], "65535"),
    ],
)
def test_what_cannot_be_served_is_refused(tmp_path: Path, options: list[str], said: str) -> None:
    path = tmp_path / "app.toml"
    path.write_text(APP)
    store = ["--store", str(tmp_path / "store.sqlite")]
    told = CliRunner().invoke(app, ["serve", str(path), *store, *options])
    assert told.exit_code != 0
    assert said in str(told.exception)


def _decided(client: httpx.Client) -> dict[str, int]:
    found: dict[str, int] = client.post("/v1/experiments/news/decisions", json={}).json()
    return found


def _wait(true: Callable[[], bool]) -> None:
    until = time.monotonic() + 40
    while not true():
        assert time.monotonic() < until
        time.sleep(0.1)
