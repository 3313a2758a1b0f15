"""The client against a server that refuses, is away, hangs up after the commit, and says no."""

import asyncio
import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from misbehaving import DROP, REFUSE, TWICE, Server

from bandstrap.errors import InvalidInput, ServiceAway, ServiceError, ServiceRefused
from bandstrap.service.client import AsyncClient, Client, Request, Retry, Reward
from bandstrap.service.messages import Problem

QUICK = Retry(budget=0.6, timeout=0.5, first=0.01, most=0.02)
PATIENT = Retry(budget=60.0, timeout=30.0, first=0.01, most=0.02)  # whatever else runs here
BRIEF = Retry(budget=0.05, timeout=0.05, first=0.01, most=0.02)


@pytest.fixture
def server():
    with Server() as server:
        yield server


class Awaited:
    """An `AsyncClient` called as the other one is."""

    def __init__(self, *given, **named):
        self._loop = asyncio.new_event_loop()
        self._client = AsyncClient(*given, **named)

    def __getattr__(self, name):
        call = getattr(self._client, name)
        return lambda *given, **named: self._loop.run_until_complete(call(*given, **named))

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()


@pytest.fixture(params=[Client, Awaited])
def kind(request):
    return request.param


def test_a_decision_and_its_reward(kind, server):
    with kind(server.url, key="secret") as client:
        decision = client.decide("news", {"age": 3.0, "tall": True}, allowed=["a"], rank=1)
        assert (decision.arm, decision.propensity, decision.stored) == ("a", 0.5, True)
        assert client.reward(decision.id, 1.0, {"errors": 0.0}).receipt == "stored"
        assert client.activate(decision.id).expires == 99.0
        assert client.status("news") == {"experiment": "news"}
    (_, path, asked), (method, where, told), *_ = server.asked
    assert path == "/v1/experiments/news/decisions"
    sent = {"id": decision.id, "context": {"age": 3.0, "tall": True}, "allowed": ["a"], "rank": 1}
    assert asked == sent
    assert (method, where) == ("PUT", f"/v1/decisions/{decision.id}/reward")
    assert told == {"reward": 1.0, "metrics": {"errors": 0.0}}
    assert {each["Authorization"] for each in server.headers} == {"Bearer secret"}


@pytest.mark.parametrize("mood", [REFUSE, DROP, TWICE, 429, 502, 503, 504])
def test_asking_again_has_the_same_id_and_makes_one_decision(kind, server, mood):
    server.moods = [mood, mood]
    with kind(server.url, retry=PATIENT) as client:
        decision = client.decide("news", id="mine")
        assert client.reward("mine", 0.0).receipt == "stored"
    assert decision.stored
    assert [*server.decisions] == ["mine"]
    assert server.stored == {"mine": 0.0}
    asked = [body for _, path, body in server.asked if path.endswith("/decisions")]
    assert all(body == asked[0] for body in asked)


def test_a_no_is_not_asked_again(kind, server):
    with kind(server.url, retry=PATIENT) as client:
        client.reward("x", 1.0)
        with pytest.raises(ServiceRefused, match="409 Conflict: it has another reward") as caught:
            client.reward("x", 0.0)
        assert caught.value.status == 409
        server.moods = [500]
        with pytest.raises(ServiceAway, match="500"):
            client.decide("news")
    assert len(server.asked) == 3


def test_nobody_is_there(kind):
    with Server() as gone:
        pass
    with kind(gone.url, retry=BRIEF) as client:
        with pytest.raises(ServiceAway, match="does not answer"):
            client.decide("news")
        with pytest.raises(ServiceAway):
            client.reward("x", 1.0)
        assert issubclass(ServiceAway, ServiceError)


def test_the_budget_is_kept(server):
    server.moods = [503] * 1000
    with Client(server.url, retry=QUICK) as client, pytest.raises(ServiceAway, match="attempts"):
        client.decide("news")
    assert 3 <= len(server.asked) < 400


def test_a_fallback_is_never_said_to_be_stored(kind, server):
    server.moods = [DROP] * 100  # each is stored, and no answer arrives
    with kind(server.url, retry=BRIEF) as client:
        decision = client.decide("news", id="mine", fallback="b")
        assert (decision.arm, decision.stored, decision.method) == ("b", False, "fallback")
        assert server.decisions["mine"]["arm"] == "a"
        assert decision.id != "mine", "its reward would be credited to the arm that was stored"
        assert client.reward(decision.id, 1.0).receipt == "unstored"
        with pytest.raises(InvalidInput, match="fallback"):
            client.activate(decision.id)
        count = len(server.asked)
        assert not client.decide("news", fallback="b").stored, "and who is away is left alone"
        assert len(server.asked) == count
    assert server.stored == {}


def test_many_at_once_each_with_its_answer(kind, server):
    server.known = {"x", "y"}
    with kind(server.url, retry=PATIENT) as client:
        bad = Request(context={"bad": 1.0})
        found = client.decide_many("news", [Request(id="d"), bad, Request(context={"x": 1.0})])
        assert [type(each) is Problem for each in found] == [False, True, False]
        assert found[0].id == "d"
        given = [Reward("x", 1.0), Reward("nobody", 1.0), Reward("unstored-z", 0.0)]
        answers = client.reward_many(given)
        assert [getattr(each, "receipt", each) for each in answers] == [
            "stored",
            Problem(404, "Not Found", "no such decision"),
            "unstored",
        ]
        many = client.decide_many("news", [Request() for _ in range(1001)])
        assert len({each.id for each in many}) == 1001


@pytest.mark.parametrize(
    ("reward", "metrics"),
    [(float("nan"), {}), (float("inf"), {}), ("1", {}), (1.0, {"m": float("nan")}), (True, {})],
)
def test_what_is_no_reward_is_refused_here(tmp_path, reward, metrics):
    with Client("http://127.0.0.1:9", buffer=tmp_path / "b", retry=BRIEF) as client:
        with pytest.raises(InvalidInput, match="finite"):
            client.reward("x", reward, metrics)
        with pytest.raises(InvalidInput, match="ASCII"):
            client.reward("two words", 1.0)
        assert client.flush() == 0


def test_contexts_are_what_json_can_hold(server):
    with Client(server.url) as client:
        client.decide("news", np.array([1.0, 2.5]))
        assert server.asked[-1][2]["context"] == [1.0, 2.5]
        client.decide("news", {"age": np.float32(2.0), "one": np.int64(1)})
        assert server.asked[-1][2]["context"] == {"age": 2.0, "one": 1}
        with pytest.raises(InvalidInput, match="JSON"):
            client.decide("news", {"age": float("nan")})
    with pytest.raises(InvalidInput, match="http"):
        Client("localhost:8000")


def test_an_answer_that_is_none(kind, server):
    server.act = lambda path, body: (200, ["hello"])
    with kind(server.url) as client:
        with pytest.raises(ServiceError, match="no answer"):
            client.decide("news")
        with pytest.raises(ServiceError, match="no answer"):
            client.reward_many([Reward("x", 1.0)])


def test_rewards_wait_on_disk_and_arrive_in_order(kind, tmp_path):
    server, path = Server(), tmp_path / "rewards"
    with kind(server.url, buffer=path, retry=BRIEF) as client:
        receipts = [client.reward(f"r{k}", float(k % 2)).receipt for k in range(5)]
        receipts += [each.receipt for each in client.reward_many([Reward("r5", 1.0)])]
        assert receipts == ["buffered"] * 6
        assert len(path.read_text().splitlines()) == 6, "on disk before anybody is told"
        assert client.flush() == 6
        with server:
            assert client.flush() == 0
            assert [*server.stored] == [f"r{k}" for k in range(6)]
            assert client.reward("r6", 1.0).receipt == "stored"
            assert path.read_bytes() == b""


def test_a_later_call_sends_what_waits_before_its_own(tmp_path):
    server, path = Server(), tmp_path / "rewards"
    with Client(server.url, buffer=path, retry=BRIEF) as client:
        client.reward("early", 1.0)
    with server, Client(server.url, buffer=path, retry=PATIENT) as client:
        assert client.reward("later", 0.0).receipt == "stored"
        assert [*server.stored] == ["early", "later"]


def test_close_sends_what_waits(tmp_path):
    server, path = Server(), tmp_path / "rewards"
    with Client(server.url, buffer=path, retry=BRIEF) as client:
        client.reward("x", 1.0)
    with server:
        Client(server.url, buffer=path, retry=PATIENT).close()
        assert server.stored == {"x": 1.0}


def test_what_the_server_will_never_take_is_put_aside(tmp_path):
    server, path = Server(), tmp_path / "rewards"
    with Client(server.url, buffer=path, retry=BRIEF) as client:
        for name in ("a", "nobody", "b"):
            client.reward(name, 1.0)
    server.known = {"a", "b"}
    with server, Client(server.url, buffer=path, retry=PATIENT) as client:
        assert client.flush() == 0
        assert [*server.stored] == ["a", "b"]
    (line,) = (tmp_path / "rewards.refused").read_text().splitlines()
    told = json.loads(line)
    assert (told["id"], told["reward"], told["status"]) == ("nobody", 1.0, 404)


@pytest.mark.parametrize("moods", [[DROP], [503], [401], [403], [500]])
def test_nothing_leaves_the_buffer_without_an_answer_about_it(tmp_path, moods):
    server, path = Server(), tmp_path / "rewards"
    with Client(server.url, buffer=path, retry=BRIEF) as client:
        client.reward_many([Reward(f"r{k}", 1.0) for k in range(4)])
        server.moods = [*moods]
        with server:
            client._run(client._protocol.flush(patient=False))
            assert len(path.read_text().splitlines()) == 4
            assert client.flush() == 0
            assert len(server.stored) == 4
    assert not (tmp_path / "rewards.refused").exists()


def test_a_request_that_is_refused_whole_is_sent_in_parts(tmp_path):
    server, path = Server(), tmp_path / "rewards"
    act = server.act

    def fussy(where, body):
        if any(each["id"] == "bad" for each in body.get("rewards", ())):
            return 422, {"status": 422, "title": "Unprocessable", "detail": "a bad one"}
        return act(where, body)

    server.act = fussy
    with Client(server.url, buffer=path, retry=BRIEF) as client:
        client.reward_many([Reward(name, 1.0) for name in ("a", "b", "bad", "c")])
        with server:
            assert client.flush() == 0
    assert [*server.stored] == ["a", "b", "c"]
    assert json.loads((tmp_path / "rewards.refused").read_text())["id"] == "bad"


def test_a_cut_last_line_is_skipped_and_written_over(tmp_path):
    server, path = Server(), tmp_path / "rewards"
    with Client(server.url, buffer=path, retry=BRIEF) as client:
        client.reward("whole", 1.0)
        with open(path, "ab") as file:
            file.write(b'{"id":"cut","rew')  # whoever wrote it was killed before telling anybody
        client.reward("after", 1.0)
        with server:
            assert client.flush() == 0
    assert [*server.stored] == ["whole", "after"]


def test_a_damaged_line_is_put_aside_and_the_others_go_on(tmp_path):
    server, path = Server(), tmp_path / "rewards"
    with Client(server.url, buffer=path, retry=BRIEF) as client:
        client.reward("before", 1.0)
        with open(path, "ab") as file:
            file.write(b"\x00\xff what is this\n")
        client.reward("after", 1.0)
        with server:
            assert client.flush() == 0
    assert [*server.stored] == ["before", "after"]
    assert "what is this" in (tmp_path / "rewards.refused").read_text()


def test_sent_is_remembered_between_batches(tmp_path, monkeypatch):
    from bandstrap.service.client import protocol

    monkeypatch.setattr(protocol, "BATCH", 2)
    server, path = Server(), tmp_path / "rewards"
    with Client(server.url, buffer=path, retry=BRIEF) as client:
        client.reward_many([Reward(f"r{k}", 1.0) for k in range(5)])
        with server:
            server.act_well = server.act
            calls = []
            server.act = lambda *given: (
                calls.append(1) or (server.act_well(*given) if len(calls) < 3 else (503, {}))
            )
            client._run(client._protocol.flush(patient=False))
            assert client._protocol.buffer.waiting() == 1
            client.reward("r5", 1.0)
            server.act = server.act_well
            server.asked.clear()
            assert client.flush() == 0
    sent = [each["id"] for _, _, body in server.asked for each in body["rewards"]]
    assert sent == ["r4", "r5"]
    assert len(server.stored) == 6


WRITER = """
import sys
from bandstrap.service.client import Client, Retry
quick = Retry(budget=0.02, timeout=0.02)
with Client(sys.argv[1], buffer=sys.argv[2], retry=quick) as client:
    for k in range(40):
        print(client.reward(f"{sys.argv[3]}-{k}", 1.0).receipt, flush=True)
"""


def test_threads_and_processes_share_a_buffer(tmp_path):
    """Two processes and four threads write while the server comes and goes: none is lost."""
    server, path = Server(), tmp_path / "rewards"
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, server.url, str(path), name],
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            stdout=subprocess.PIPE,
            text=True,
        )
        for name in ("p", "q")
    ]
    with Client(server.url, buffer=path, retry=BRIEF) as client, ThreadPoolExecutor(4) as pool:
        first = [pool.submit(client.reward, f"t-{k}", 1.0) for k in range(40)]
        with server:
            server.moods = [DROP, 503, REFUSE] * 10
            second = [pool.submit(client.reward, f"u-{k}", 1.0) for k in range(40)]
            receipts = [each.result().receipt for each in (*first, *second)]
            said = [writer.communicate(timeout=60)[0].split() for writer in writers]
            assert [each.returncode for each in writers] == [0, 0]
            server.moods = []
            while client.flush():
                pass
    assert len(receipts) == 80
    assert [len(each) for each in said] == [40, 40]
    assert {*receipts, *said[0], *said[1]} <= {"stored", "buffered"}
    names = {f"{name}-{k}" for name in "pqtu" for k in range(40)}
    assert {*server.stored} == names
