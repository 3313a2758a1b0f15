"""The news site: readers come, decisions are stored, and what they say is learnt."""

import importlib.util
import re
import socket
import threading
import time
from urllib.request import urlopen

import pytest

from pages import ROOT

pytest.importorskip("fastapi")
pytest.importorskip("httpx")


def load():
    path = ROOT / "examples" / "serve" / "news.py"
    spec = importlib.util.spec_from_file_location("example_serve_news", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def two_free_ports():
    """One, and the next one."""
    while True:
        with socket.socket() as first, socket.socket() as second:
            first.bind(("127.0.0.1", 0))
            port = first.getsockname()[1]
            try:
                second.bind(("127.0.0.1", port + 1))
            except OSError:
                continue
            return port


def test_readers_come_and_the_site_shows_what_is_decided(capsys):
    news, port, seen = load(), two_free_ports(), []

    def visit():
        until = time.monotonic() + 60
        while time.monotonic() < until and not seen:
            try:
                with urlopen(f"http://127.0.0.1:{port + 1}/?taste=science", timeout=5) as answer:
                    front = answer.read().decode()
                link = re.search(r"/read[^']+", front)[0].replace("&amp;", "&").replace(" ", "%20")
                with urlopen(f"http://127.0.0.1:{port + 1}{link}", timeout=5) as answer:
                    assert b"thank you" in answer.read()
                with urlopen(f"http://127.0.0.1:{port}/", timeout=5) as answer:
                    rules = answer.headers["Content-Security-Policy"]
                    seen.extend([front, answer.read().decode(), rules])
            except OSError:
                time.sleep(0.05)

    visitor = threading.Thread(target=visit)
    visitor.start()
    arguments = ["--readers", "2", "--seconds", "3", "--port", str(port)]
    visits, status = news.main(arguments)
    visitor.join()
    assert visits > 10
    assert status["waiting"] > 10  # their windows are longer than this test
    assert all(title in seen[0] for title in news.ARTICLES.values())
    assert "/read?decision=" in seen[0]
    assert 'id="candidates"' in seen[1], "the dashboard"
    assert "frame-ancestors 'none'" in seen[2]
    assert f"the dashboard: http://127.0.0.1:{port}/" in capsys.readouterr().out
