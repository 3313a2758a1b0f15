"""The endpoint of the page, as a reader would copy it: two workers, and a process that learns."""

import json
import os
import re
import socket
import subprocess
import sys
import time
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

import pytest

from pages import ROOT

PAGE = (ROOT / "docs" / "howto" / "endpoint.md").read_text(encoding="utf-8")
LONGEST = 120.0  # seconds until everything has started


def free_port():
    with socket.socket() as opened:
        opened.bind(("127.0.0.1", 0))
        return opened.getsockname()[1]


class Server:
    """Calls as any client would make them, each on a connection of its own."""

    def __init__(self, port):
        self.base = f"http://127.0.0.1:{port}"

    def call(self, path, body=None, **query):
        data = None if body is None else json.dumps(body).encode()
        url = f"{self.base}{path}?{urlencode(query)}"
        method = "GET" if path == "/stats" else "POST"
        request = Request(url, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urlopen(request, timeout=60) as answer:
                return answer.status, json.load(answer)
        except HTTPError as error:
            with error:
                return error.code, json.load(error)

    def wait(self):
        until = time.monotonic() + LONGEST
        while time.monotonic() < until:
            try:
                return self.call("/stats")
            except (URLError, ConnectionError):
                time.sleep(0.1)
        raise AssertionError("it has not started")


@pytest.fixture
def server(tmp_path):
    pytest.importorskip("fastapi")
    pytest.importorskip("uvicorn")
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
    (tmp_path / "endpoint.py").write_text(code, encoding="utf-8")
    port, environment = free_port(), {**os.environ, "STORE": str(tmp_path / "offers.sqlite")}
    commands = (
        ["endpoint.py", "learn"],
        ["-m", "uvicorn", "endpoint:app", "--workers", "2", "--port", str(port)],
    )
    started = [
        subprocess.Popen([sys.executable, *each], cwd=tmp_path, env=environment)
        for each in commands
    ]
    try:
        server = Server(port)
        server.wait()
        yield server
    finally:
        for each in started:
            each.terminate()
        for each in started:
            each.wait()


def test_the_page_shows_the_example():
    program = (ROOT / "examples" / "endpoint.py").read_text(encoding="utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```$", PAGE, flags=re.DOTALL | re.MULTILINE)
    assert code == program.partition('"""\n\n')[2]


def test_two_workers_share_decisions_and_what_is_learnt(server):
    ids, workers = [], set()
    until = time.monotonic() + LONGEST
    while len(ids) < 60 or (len(workers) < 2 and time.monotonic() < until):
        code, told = server.call("/decide", {"age": len(ids) % 7 / 7, "one": 1.0})
        assert code == 200
        ids.append(told["id"])
        code, answer = server.call(f"/reward/{told['id']}", reward=float(told["arm"] == "red"))
        assert (code, answer) == (200, {"receipt": "kept"})
        workers.add(server.call("/stats")[1]["process"])
    assert len(set(ids)) == len(ids)
    assert len(workers) == 2
    # Every message again, to whichever worker.
    for name in ids[:20]:
        assert server.call(f"/reward/{name}", reward=1.0) == (200, {"receipt": "duplicate"})
    assert server.call("/reward/nobody", reward=1.0)[0] == 404
    assert server.call(f"/reward/{ids[0]}", reward=0.5)[0] == 422
    assert server.call("/decide", {"age": 1.0})[0] == 422
    stats = server.call("/stats")[1]
    counts = {name: stats[name] for name in ("decisions", "waiting", "rewarded")}
    assert counts == {"decisions": len(ids), "waiting": 0, "rewarded": len(ids)}
    seen = {}
    while len(seen) < 2 or min(seen.values()) < 2:  # both decide with what was learnt
        assert time.monotonic() < until + LONGEST
        server.call("/decide", {"age": 0.5, "one": 1.0})
        stats = server.call("/stats")[1]
        seen[stats["process"]] = stats["version"]
