"""A server of processes: limits on what clients may do to it, and how it ends."""

import os
import re
import signal
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from http_asking import DECISIONS
from http_served import Served, children, served

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")

JSON = b"content-type: application/json\r\n"
POST = b"POST " + DECISIONS.encode() + b" HTTP/1.1\r\nhost: localhost\r\n" + JSON


@pytest.fixture(scope="module")
def server() -> Iterator[Served]:
    with served(timeout=1.0, most_bytes=100_000, connections=30) as it:
        httpx.get(f"http://127.0.0.1:{it.port}/health").raise_for_status()
        it.workers[:] = children(it.process.pid)
        yield it


def _connected(server: Served) -> socket.socket:
    return socket.create_connection(("127.0.0.1", server.port), timeout=10)


def _answer(connection: socket.socket) -> bytes:
    """All that comes until the other side ends it."""
    parts = []
    try:
        while part := connection.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def _peak(pid: int) -> int:
    found = re.search(r"VmHWM:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    assert found is not None
    return int(found[1]) * 1024


def test_a_length_that_is_too_large_is_refused_before_the_body_comes(server: Served) -> None:
    with _connected(server) as it:
        it.sendall(POST + b"content-length: 1000000000\r\n\r\n")
        assert it.recv(65536).startswith(b"HTTP/1.1 413 ")


def test_a_chunked_body_is_refused_when_it_has_become_too_large(server: Served) -> None:
    before = _peak(server.workers[0])
    chunk = b"10000\r\n" + b" " * 65536 + b"\r\n"
    with _connected(server) as it:
        it.sendall(POST + b"transfer-encoding: chunked\r\n\r\n")
        for _ in range(int(os.environ.get("BANDSTRAP_BODY", "100000000")) // len(chunk)):
            it.sendall(chunk)
        it.sendall(b"0\r\n\r\n")
        assert it.recv(65536).startswith(b"HTTP/1.1 413 ")
        # The rest was read and thrown away, so that the client could see the answer.
        it.sendall(POST + b"content-length: 2\r\n\r\n{}")
        assert it.recv(65536).startswith(b"HTTP/1.1 200 ")
    assert _peak(server.workers[0]) - before < 20e6


SLOW = {
    "silent": b"",
    "in its first line": b"POST /v1",
    "in its headers": POST + b"x-slow: ",
    "in its body": POST + b"content-length: 100\r\n\r\n{",
    "in a chunk": POST + b"transfer-encoding: chunked\r\n\r\n5\r\n{",
    "that listens to no answer": POST + b"content-length: 200000\r\n\r\n{",
}


def test_slow_clients_are_cut_off(server: Served) -> None:
    started = time.monotonic()
    waiting = {name: _connected(server) for name in SLOW}
    for name, connection in waiting.items():
        connection.sendall(SLOW[name])
    found = {name: _answer(connection)[:12] for name, connection in waiting.items()}
    for connection in waiting.values():
        connection.close()
    assert 0.9 < time.monotonic() - started < 4
    slow = dict.fromkeys(SLOW, b"HTTP/1.1 408")
    assert found == {**slow, "that listens to no answer": b"HTTP/1.1 413"}


def test_a_client_that_drips_is_cut_off_too(server: Served) -> None:
    started = time.monotonic()
    with _connected(server) as it, suppress(OSError):
        it.sendall(POST)
        while time.monotonic() - started < 8:
            it.sendall(b"x: y\r\n")
            time.sleep(0.1)
    assert time.monotonic() - started < 4


def test_headers_have_a_limit(server: Served) -> None:
    with _connected(server) as it:
        it.sendall(b"GET /health HTTP/1.1\r\nx: " + b"y" * 100_000)
        assert it.recv(65536).startswith(b"HTTP/1.1 431 ")


def test_what_is_not_http_is_refused(server: Served) -> None:
    with _connected(server) as it:
        it.sendall(b"\x16\x03\x01 hello\r\n\r\n")
        assert _answer(it).startswith(b"HTTP/1.1 400 ")


def test_connections_have_a_limit(server: Served) -> None:
    many = [_connected(server) for _ in range(31)]
    assert many[-1].recv(65536).startswith(b"HTTP/1.1 503 ")
    for each in many:
        each.close()
    time.sleep(0.2)
    assert httpx.get(f"http://127.0.0.1:{server.port}/health").status_code == 200


def test_counters_of_all_workers_add_up_and_a_dead_one_is_started_again() -> None:
    with served(workers=2) as server:
        url = f"http://127.0.0.1:{server.port}"
        for _ in range(20):
            httpx.post(url + DECISIONS, json={}).raise_for_status()
        text = httpx.get(url + "/metrics").text
        assert 'bandstrap_decisions_total{experiment="news"} 20.0' in text
        before = children(server.process.pid)
        assert len(before) == 2
        os.kill(before[0], signal.SIGKILL)
        deadline = time.monotonic() + 10
        while len(set(children(server.process.pid)) - set(before)) < 1:
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert httpx.post(url + DECISIONS, json={}).status_code == 200
        held = _connected(server)  # an idle connection holds nobody up
        started = time.monotonic()
        server.process.send_signal(signal.SIGTERM)
        _, said = server.process.communicate(timeout=20)
        assert time.monotonic() - started < 3
        assert server.process.returncode == 0
        held.close()
        assert "worker 1 ended with -9 and is started again" in said
        assert "Traceback" not in said


def test_workers_end_with_a_parent_that_is_killed() -> None:
    with served(workers=2) as server:
        httpx.get(f"http://127.0.0.1:{server.port}/health").raise_for_status()
        workers = children(server.process.pid)
        server.process.kill()
        deadline = time.monotonic() + 5
        while any(Path(f"/proc/{pid}/stat").exists() for pid in workers):
            assert time.monotonic() < deadline
            time.sleep(0.05)
