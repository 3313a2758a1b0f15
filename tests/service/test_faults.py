"""What must not happen when something else goes wrong, and what nobody else may see."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import msgspec
import pytest
from sqlalchemy import make_url, text, update
from sqlalchemy.exc import DBAPIError
from worlds import config, decide, reward, same

from bandstrap.bandit.bandit import Bandit
from bandstrap.service import learner as learning
from bandstrap.service.http.answers import Refused
from bandstrap.service.http.cold import Cold
from bandstrap.service.http.metrics import Metrics
from bandstrap.service.learner import Learner, rebuild
from bandstrap.service.messages import DecisionRequest, RewardRequest
from bandstrap.service.service import Service, _former_digest
from bandstrap.service.store import steps as steps_module
from bandstrap.service.store import writer as writing_thread
from bandstrap.service.store.postgres import place
from bandstrap.service.store.steps import Snapshot, late_rewards, put_snapshots
from bandstrap.service.store.store import COMMITTING
from bandstrap.service.store.tables import DECISIONS
from bandstrap.service.store.writer import Job, Writer

wal = pytest.mark.parametrize("kind", ["wal"])


def test_many_rows_are_stored_in_pieces(store):
    service, names = Service(config(), store), [f"{i}" for i in range(131)]
    asked = [DecisionRequest(id=name) for name in names]
    first = service.decide("news", asked).result()
    again = service.decide("news", [*asked, DecisionRequest(id="new")]).result()
    assert [msgspec.structs.replace(each, repeated=False) for each in again[:-1]] == first
    assert [each.repeated for each in again] == [True] * 131 + [False]
    told = [(name, RewardRequest(1.0)) for name in ["nobody", *names, "0"]]
    found = service.reward(told).result()
    assert found[0].status == 404
    assert [each.receipt for each in found[1:]] == ["stored"] * 131 + ["repeated"]
    assert {each.receipt for each in service.reward(told[1:]).result()} == {"repeated"}
    service.close()


@wal
def test_decisions_of_earlier_versions_are_recognised(store):
    service, context = Service(config(), store), {"b": 1.0, "a": "x"}
    request = DecisionRequest(id="1", context={**context})
    first = decide(service, "1", context=context)
    former = update(DECISIONS).values(digest=_former_digest("news", request))
    store.write(lambda connection: connection.execute(former))
    again = decide(service, "1", context=dict(reversed(context.items())))
    assert again == msgspec.structs.replace(first, repeated=True)
    assert decide(service, "1").status == 409
    service.close()


@wal
def test_deep_contexts_are_refused(store):
    service, deep = Service(config(), store), {}
    for _ in range(5000):
        deep = {"a": deep}
    assert decide(service, "1", context=deep).status == 422
    assert decide(service, "1").arm
    assert decide(service, "1", context=deep).status == 409
    service.close()


@wal
def test_draws_do_not_follow_from_ids_alone(store):
    """Else whoever chooses the ids could choose the arms."""
    names = [f"{i}" for i in range(60)]
    known = [config().experiments["news"].bandit().decide(key=name).arm for name in names]
    found = []
    for seed in (0, 1):
        service = Service(config(seed=seed), store)
        decider = service._deciders["news"]
        found.append([decider.decide(DecisionRequest(id=it), it, 0.0).answer.arm for it in names])
        service.close()
    assert len({*map(tuple, [known, *found])}) == 3


def test_nothing_private_is_in_errors(store):
    secret, query = "a context", text("SELECT nothing FROM nowhere WHERE y = :z")
    with store.engine.connect() as connection, pytest.raises(DBAPIError) as caught:
        connection.execute(query, {"z": secret})
    assert secret not in str(caught.value)
    shown = place(make_url("postgresql://user:word@db:5433/app?sslpassword=word"))
    assert shown == "postgresql://db:5433/app"


@wal
def test_whoever_has_no_key_learns_no_reasons(store):
    service = Service(config(), store)
    service._writer.trouble = "secret/path is full"
    with pytest.raises(Refused) as caught:
        asyncio.run(Cold(service, Metrics()).ready(None))
    assert "secret" not in caught.value.detail
    service.close()


class Stuck:
    """A store that keeps its first group until it is let go."""

    def __init__(self):
        self.go, self.came = threading.Event(), threading.Event()

    def write_rows(self, work):
        self.came.set()
        self.go.wait()
        return work(None)


def test_those_who_wait_too_long_are_answered():
    store = Stuck()
    writer = Writer(store, lambda *_: None)
    job = lambda: Job(finish=lambda found: found, fail=lambda error: error)  # noqa: E731
    first = writer.put(job())
    store.came.wait()
    second = writer.put(job())
    writer.hurry(60.0)
    assert not first.done()
    writer.hurry(0.0)
    assert (first.result().unsure, second.result().unsure) == (True, False)
    assert writer.trouble
    store.go.set()
    assert writer.put(job()).result() == {}
    assert not writer.trouble
    writer.close()


class Counting:
    """A store that counts groups, and keeps none."""

    def __init__(self):
        self.groups = 0

    def write_rows(self, work):
        self.groups += 1
        return work(None)


def test_it_waits_for_those_who_come_back_and_no_longer(monkeypatch):
    monkeypatch.setattr(writing_thread, "LONGEST_WAIT", 60.0)
    store = Counting()
    writer = Writer(store, lambda *_: None)
    writer._callers, writer._took = 3, 60.0
    job = lambda: Job(finish=lambda found: found, fail=lambda error: error)  # noqa: E731
    promises = [writer.put(job()) for _ in range(3)]
    assert [each.result(20) for each in promises] == [{}] * 3
    assert store.groups == 1
    writer.close()


def test_a_decision_that_cannot_be_made_fails_alone():
    def broken():
        raise ZeroDivisionError

    writer = Writer(Counting(), lambda *_: None)
    job = lambda prepare: Job(  # noqa: E731
        finish=lambda found: found, fail=lambda error: error, prepare=prepare
    )
    bad, good = [writer.put(job(prepare)) for prepare in (broken, lambda: ([], []))]
    assert type(bad.exception(20)) is ZeroDivisionError
    assert good.result(20) == {}
    assert not writer.trouble
    writer.close()


def test_one_decision_is_made_by_the_thread_that_stores_and_many_by_their_caller(
    opened, monkeypatch
):
    service, made = Service(config(), opened()), []
    prepared = service._prepared
    monkeypatch.setattr(
        service,
        "_prepared",
        lambda *told: made.append(threading.current_thread().name) or prepared(*told),
    )
    decide(service, "1")
    service.decide("news", [DecisionRequest(id="2"), DecisionRequest(id="3")]).result()
    assert made == ["writer", *[threading.current_thread().name] * 2]
    service.close()


@pytest.mark.parametrize("kind", ["postgres"])
def test_a_commit_without_an_answer_is_not_said_to_be_undone(store):
    import psycopg

    error = DBAPIError(None, None, psycopg.OperationalError("server closed the connection"))
    assert not store._unavailable(error).unsure
    error.add_note(COMMITTING)
    found = store._unavailable(error)
    assert found.unsure
    assert "does not answer" in str(found)
    limits = store.read(lambda it: it.execute(text("SHOW lock_timeout")).scalar())
    assert limits == "10s"


@wal
def test_a_lesson_that_fails_unexpectedly_stops_nothing(store, monkeypatch):
    service, learn = Service(config(window=1.0), store), Bandit.learn

    def failing(bandit, *given, **told):
        if told.get("reward") == 0.25:
            raise ZeroDivisionError("a model's own fault")
        return learn(bandit, *given, **told)

    monkeypatch.setattr(Bandit, "learn", failing)
    for name, value in (("1", 0.5), ("2", 0.25), ("3", 1.0)):
        now = decide(service, name).time
        reward(service, name, value)
    learner = Learner(service.config, store)
    learner.tick(now + 5)
    state = learner.pupils["news"].state
    assert (state.number, state.deciding.rewards_learnt) == (4, 2)
    assert same(state, rebuild(store, service.config.experiments["news"]))
    learner.tick(now + 9)
    assert "ZeroDivisionError" in service.status("news")["errors"][0]["text"]
    service.close()


@wal
def test_what_cannot_be_complained_of_stops_nothing(store, monkeypatch):
    learner = Learner(config(), store)

    def failing(*_):
        raise ValueError("no text of a database's")

    monkeypatch.setattr(learning, "put_error", failing)
    learner.pupils["news"].complain("\0")


@wal
def test_old_milestones_go(store, monkeypatch):
    monkeypatch.setattr(steps_module, "MILESTONE", 10)
    for number in range(1, 200, 3):
        snapshot = Snapshot(number, "news", True, b"", None)
        store.write(lambda it, some=snapshot: put_snapshots(it, "news", [some], 0.0))
    query = text("SELECT count(*) FROM snapshots")
    assert store.read(lambda it: it.execute(query).scalar()) <= 8


@wal
def test_late_rewards_are_counted_without_a_look_at_all_decisions(store):
    service = Service(config(window=1.0), store, clock=lambda: 1000.0)
    for name in ("in time", "late", "later"):
        decide(service, name.replace(" ", "-"))
    reward(service, "in-time")
    service._clock = lambda: 2000.0
    assert {reward(service, name).receipt for name in ("late", "later")} == {"late"}
    assert store.read(lambda it: late_rewards(it, "news")) == 2
    assert store.read(lambda it: late_rewards(it, "another")) == 0
    query = steps_module._LATE.compile(store.engine)
    asked = text(f"EXPLAIN QUERY PLAN {query}".replace("?", ":it"))
    plan = store.read(lambda it: [row[-1] for row in it.execute(asked, {"it": "news"})])
    assert "rewards_late" in plan[0], plan
    service.close()


@wal
def test_decisions_alike_are_kept_as_if_each_were_the_first(store):
    service = Service(config(), store)
    decider, names = service._deciders["news"], [f"{i}" for i in range(30)]
    for request in ({}, {"deferred": True}, {"allowed": ["a", "c"]}):
        for name in names:
            asked = DecisionRequest(id=name, **request)
            warm = decider.decide(asked, name, 5.0)
            decider.current = decider.current._replace(laws={})
            assert decider.decide(asked, name, 5.0) == warm
            assert (warm.answer.expires is None) == asked.deferred
            for other in names[:3]:  # for the next to be alike
                decider.decide(DecisionRequest(id=other, allowed=asked.allowed), other, 4.0)
    service.close()


@wal
def test_an_idle_learner_counts_seldom(store, monkeypatch):
    learner, calls, count = Learner(config(), store), [], learning.late_rewards
    monkeypatch.setattr(learning, "late_rewards", lambda *it: calls.append(1) or count(*it))
    learner.pupils["news"]._config = replace(learner.pupils["news"]._config, publish=1.0)
    for tenth in range(30):
        learner.tick(1000.0 + tenth / 10)
    assert len(calls) <= 4


@wal
def test_one_that_asks_alone_does_not_wait(store):
    """Only where several ask at once, a commit waits for those who come back."""
    service = Service(config(), store)
    decide(service, "1")
    assert service._writer._callers == 1
    with ThreadPoolExecutor(8) as pool:
        assert all(each.arm for each in pool.map(lambda i: decide(service, f"t{i}"), range(40)))
    service.close()
