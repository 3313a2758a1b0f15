"""A buffer that somebody has damaged: what is sound arrives, the rest is put aside."""

import json
import os

import pytest
from misbehaving import Server

from bandstrap.errors import BandstrapError, OutputError
from bandstrap.service.client import Client, Retry
from bandstrap.service.client import buffer as buffers
from bandstrap.service.client.buffer import Buffer

QUICK = Retry(budget=0.6, timeout=0.5, first=0.01, most=0.02)
DAMAGED = [
    b"[" * 100_000,
    b'{"id":"a","reward":NaN}',
    b'{"id":"a","reward":1e999}',
    b'{"id":"a","reward":true}',
    b'{"id":"a","reward":1' + b"0" * 400 + b"}",
    b'{"id":5,"reward":1}',
    b'{"id":"a","reward":1,"metrics":{"x":-Infinity}}',
    b'{"id":"a","reward":1,"metrics":[1]}',
    b'{"id":"a","reward":1,"time":NaN}',
]


@pytest.mark.parametrize("line", DAMAGED, ids=lambda line: line[:40].decode())
def test_a_damaged_line_is_put_aside(tmp_path, line):
    path = tmp_path / "rewards"
    path.write_bytes(b'{"id":"before","reward":1.0}\n' + line + b'\n{"id":"after","reward":1.0}\n')
    with Server() as server, Client(server.url, buffer=path, retry=QUICK) as client:
        assert client.flush() == 0
        assert [*server.stored] == ["before", "after"]
    [refused] = (tmp_path / "rewards.refused").read_bytes().splitlines()
    assert json.loads(refused)["damaged"].startswith(line[:20].decode())


def test_a_line_that_is_too_long_is_cut_and_put_aside(tmp_path, monkeypatch):
    monkeypatch.setattr(buffers, "LONGEST", 50)
    path = tmp_path / "rewards"
    buffer = Buffer(path)
    path.write_bytes(b"x" * 1000 + b'\n{"id":"after","reward":1.0}\n' + b"y" * 200)
    batch = buffer.first(10, 10_000)
    assert [line.get("damaged", "")[:50] for line in batch.lines] == ["x" * 50, ""]
    assert batch.ends == [1001, 1029]
    assert buffer.waiting() == 2
    with pytest.raises(OutputError, match="takes lines of up to 50"):
        buffer.append([{"id": "a" * 60, "reward": 1.0}])


@pytest.mark.parametrize("sent", ["-5", "3", "1000", "x", "9" * 100, ""])
def test_a_damaged_position_sends_all_again(tmp_path, sent):
    buffer = Buffer(tmp_path / "rewards")
    buffer.append([{"id": "a", "reward": 1.0}, {"id": "b", "reward": 1.0}])
    (tmp_path / "rewards.sent").write_text(sent)
    assert [line["id"] for line in buffer.first(10, 1000).lines] == ["a", "b"]
    buffer.done(buffer.first(1, 1000).ends[0])
    assert [line["id"] for line in buffer.first(10, 1000).lines] == ["b"]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
@pytest.mark.parametrize("name", ["rewards", "rewards.sent", "rewards.lock", "rewards.refused"])
def test_a_pipe_is_refused_at_once(tmp_path, name):
    os.mkfifo(tmp_path / name)
    with pytest.raises(BandstrapError, match="not a regular file"):
        used(tmp_path / "rewards")


@pytest.mark.skipif(os.name == "nt", reason="links need rights")
@pytest.mark.parametrize("name", ["sent", "lock", "refused", "sending"])
def test_links_beside_the_buffer_are_not_followed(tmp_path, name):
    other = tmp_path / "other"
    other.write_text("5")
    (tmp_path / f"rewards.{name}").symlink_to(other)
    with pytest.raises(BandstrapError):
        used(tmp_path / "rewards")
    assert other.read_text() == "5"


def used(path):
    """All that a client does with a buffer."""
    buffer = Buffer(path)
    buffer.append([{"id": "a", "reward": 1.0}] * 2)
    with buffer.sending():
        batch = buffer.first(1, 1000)
        buffer.refuse(batch.lines)
        buffer.done(batch.ends[0])
