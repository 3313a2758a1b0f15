"""Threads, processes and learners that get in each other's way, and disks that are full."""

import json
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from askers import asked, one_answer_each
from sqlalchemy import func, select
from worlds import config, decide, reward, same

from bandstrap.service import learner as learning_module
from bandstrap.service.learner import Learner, rebuild
from bandstrap.service.messages import DecisionRequest, RewardRequest
from bandstrap.service.service import Service
from bandstrap.service.store.leases import LeaseLost, check, take
from bandstrap.service.store.tables import DECISIONS, SNAPSHOTS, STEPS


def count(store, table, *where):
    query = select(func.count()).select_from(table).where(*where)
    return store.read(lambda connection: connection.execute(query).scalar_one())


@pytest.mark.parametrize("kind", ["wal", "postgres"])
def test_threads_and_processes_have_one_answer(opened, kind):
    store = opened()
    told = asked(opened.where, kind, threads=16, processes=2, ids=8)
    one_answer_each(store, told, ids=8)


def test_a_reward_and_the_learner_see_each_other(opened):
    """Whoever is first: a reward is learnt, or it is told that it is late."""
    store, moment = opened(), [0.0]
    service = Service(config(window=10.0), store, clock=lambda: moment[0])
    learner = Learner(service.config, opened())
    names = [f"{i}" for i in range(60)]
    service.decide("news", [DecisionRequest(id=name) for name in names]).result()
    learner.tick(1.0)
    moment[0] = 5.0  # in time, by the clock of the process that takes rewards
    learning = threading.Thread(target=lambda: [learner.tick(11.0) for _ in range(3)])
    receipts = {}
    learning.start()
    for name in names:
        receipts[name] = reward(service, name).receipt
    learning.join()
    query = select(STEPS.c.id, STEPS.c.payload).where(STEPS.c.kind == "lesson")
    lessons = store.read(lambda connection: [*connection.execute(query)])
    assert len(lessons) == 60
    for row in lessons:
        learnt = json.loads(row.payload)["given"]
        assert receipts[row.id] == ("stored" if learnt else "late")
    service.close()


@pytest.mark.parametrize("kind", ["wal", "postgres"])
def test_a_reward_that_comes_after_the_others_were_read_is_learnt(opened, monkeypatch):
    service, read, asked_for = Service(config(window=10.0), opened(), clock=lambda: 0.0), [], []
    learner, rewards_of = Learner(service.config, opened()), learning_module.rewards_of

    def reading(connection, names):
        found = rewards_of(connection, names)
        asked_for.append([*names])
        if len(asked_for) == 1:
            read.append(reward(service, "2").receipt)
        return found

    monkeypatch.setattr(learning_module, "rewards_of", reading)
    for name in ("1", "2", "3"):
        decide(service, name)
    reward(service, "1")
    learner.tick(1.0)
    learner.tick(11.0)
    assert (read, asked_for) == (["stored"], [["1", "2", "3"], ["2", "3"]])
    query = select(STEPS.c.id, STEPS.c.payload).where(STEPS.c.kind == "lesson")
    lessons = opened().read(lambda connection: [*connection.execute(query)])
    assert {row.id: json.loads(row.payload)["given"] for row in lessons} == {
        "1": True, "2": True, "3": False
    }  # fmt: skip
    service.close()


@pytest.mark.parametrize("kind", ["wal", "postgres"])
def test_what_another_learner_settles_after_it_was_read_is_learnt_once(opened, monkeypatch):
    service, taken = Service(config(window=1.0), opened(), clock=lambda: 0.0), []
    one, two = (Learner(service.config, opened(), holder=name) for name in ("one", "two"))
    settled_among = learning_module.settled_among

    def reading(connection, names):
        found = settled_among(connection, names)
        if names == ["1"] and not taken:
            taken.append(None)  # it has slept here until its lease was over
            taken.append(two.tick(60.0))
        return found

    decide(service, "1")
    one.tick(0.0)
    monkeypatch.setattr(learning_module, "settled_among", reading)
    assert one.tick(2.0) == 0
    assert taken == [None, 1]
    assert count(opened(), STEPS, STEPS.c.kind == "lesson") == 1
    service.close()


def test_a_learner_that_was_replaced_writes_nothing(opened):
    store = opened()
    service = Service(config(window=1.0), store)
    one, two = (Learner(service.config, store, holder=name) for name in ("one", "two"))
    now = decide(service, "1").time
    assert one.tick(now) == 1
    assert two.tick(now) == 0  # the lease is the other's
    assert two.tick(now + 60) == 1  # it is over: the decision is learnt
    decide(service, "2")
    one.pupils["news"]._lease = one.pupils["news"]._lease._replace(until=1e12)  # it has slept
    assert one.tick(now + 120) == 0
    assert count(store, STEPS) == 2
    assert two.tick(now + 61) == 1
    two.tick(now + 1000)
    assert same(two.pupils["news"].state, rebuild(store, service.config.experiments["news"]))
    service.close()


def test_fences(store):
    first = take(store, "x", "one", 0.0, 10.0)
    assert take(store, "x", "two", 9.5, 10.0) is None
    second = take(store, "x", "two", 10.5, 10.0)
    assert (first.fence, second.fence) == (1, 2)
    store.write(lambda connection: check(connection, second))
    with pytest.raises(LeaseLost):
        store.write(lambda connection: check(connection, first))


@pytest.mark.parametrize("kind", ["wal", "truncate"])
def test_a_full_disk_is_told_and_got_over(store, monkeypatch):
    given = config()
    service = Service(given, store)
    context = {f"{i}": "long" * 20 for i in range(50)}
    decide(service, "before", context=context)
    full, begun = [True], store._begun

    def limited(connection):
        run = connection.execute
        pages = run("PRAGMA page_count").fetchone()[0] if full[0] else 1_000_000_000
        run(f"PRAGMA max_page_count = {pages}")
        return begun(connection)

    monkeypatch.setattr(store, "_begun", limited)
    answers = [decide(service, f"{i}", context=context) for i in range(5)]
    assert {each.status for each in answers} == {503}
    assert "full" in answers[0].detail
    assert service.ready()[0] is False
    assert count(store, DECISIONS) == 1
    full[0] = False
    assert decide(service, "3", context=context).repeated is False
    assert service.ready()[0]
    assert reward(service, "before").receipt == "stored"
    assert count(store, DECISIONS) == 2
    service.close()


def test_a_server_that_is_away_is_told_and_got_over(postgres):
    import postgres_server

    from bandstrap.service.store import open_store

    server = postgres_server.Server()
    store = open_store(server.fresh())
    service = Service(config(), store)
    assert decide(service, "1").arm
    server.kill()
    assert decide(service, "2").status == 503
    assert reward(service, "1").status == 503
    server.start()
    assert decide(service, "2").repeated is False
    assert reward(service, "1").receipt == "stored"
    service.close()
    store.close()
    server.stop()


@pytest.mark.parametrize("kind", ["wal"])
def test_one_that_cannot_be_stored_harms_no_other(store, monkeypatch):
    service = Service(config(), store)
    from bandstrap.service.store import writer

    put = writer.put_decisions

    def failing(connection, decisions, asked):
        if any(each.id == "bad" for each in decisions):
            raise RuntimeError("a fault of ours")
        return put(connection, decisions, asked)

    monkeypatch.setattr(writer, "put_decisions", failing)
    asked = [service.decide("news", [DecisionRequest(id=name)]) for name in ("a", "bad", "b")]
    assert [each.exception() is None for each in asked] == [True, False, True]
    service.close()


@pytest.mark.parametrize("kind", ["wal"])
def test_few_snapshots_stay(store, monkeypatch):
    from bandstrap.service.store import steps

    monkeypatch.setattr(steps, "MILESTONE", 10)
    service, now = Service(config(window=0.5), store), None
    learner = Learner(service.config, store)
    for i in range(35):
        now = decide(service, f"{i}").time + 2 * i
        learner.tick(now + 1)
    query = select(SNAPSHOTS.c.number).order_by(SNAPSHOTS.c.number)
    numbers = store.read(lambda connection: [row.number for row in connection.execute(query)])
    assert numbers[-1] == 36
    assert numbers[:-3] == [10, 20, 30]
    assert len(numbers) <= 6
    service.close()


@pytest.mark.parametrize("kind", ["wal"])
def test_quick_clicks_do_not_bias(store):
    """Clicks come at once, and where there is none nothing comes: half of decisions are clicked."""
    rng, moment = np.random.default_rng(5), [0.0]
    service = Service(config(policy="ts", arms=["a"], window=100.0), store, clock=lambda: moment[0])
    learner = Learner(service.config, store)
    arrived = service.config.experiments["news"].bandit()  # learns what comes, as it comes
    n, clicked = 400, rng.random(400) < 0.3
    for start in range(0, n, 40):
        moment[0] = float(start)
        names = [f"{i}" for i in range(start, start + 40)]
        service.decide("news", [DecisionRequest(id=name) for name in names]).result()
        clicks = [name for name in names if clicked[int(name)]]
        service.reward([(name, RewardRequest(1.0)) for name in clicks]).result()
        for _ in clicks:
            arrived.learn(arm="a", reward=1.0)
        learner.tick(float(start) + 30)
    learner.tick(float(n) + 200)
    found = learner.pupils["news"].state.deciding.stats().arms[0]
    error = np.sqrt(0.3 * 0.7 / n)
    assert found.rewards == n
    assert abs(found.mean - 0.3) < 3 * error
    assert arrived.stats().arms[0].mean - 0.3 > 3 * error
    service.close()


@pytest.mark.parametrize("kind", ["wal"])
def test_calls_from_many_threads(store):
    service = Service(config(), store)
    with ThreadPoolExecutor(16) as pool:
        answers = [*pool.map(lambda i: decide(service, f"{i}"), range(200))]
    assert [each.id for each in answers] == [f"{i}" for i in range(200)]
    assert count(store, DECISIONS) == 200
    service.close()
