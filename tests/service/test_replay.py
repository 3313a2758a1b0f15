"""What was learnt follows from the journal, bit for bit, whatever happens on the way."""

import contextlib
import shutil
from itertools import count
from pathlib import Path
from tempfile import mkdtemp

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, multiple, rule
from sqlalchemy import event, func, select
from worlds import config, same

from bandstrap.service.fold import load
from bandstrap.service.learner import Learner, rebuild
from bandstrap.service.messages import DecisionRequest, RewardRequest
from bandstrap.service.service import Service
from bandstrap.service.store import open_store
from bandstrap.service.store.tables import STEPS

GIVEN = {
    "policy": "online-bootstrap",  # learns at random
    "candidates": {"sampling": "ts", "linear": "wb-lin"},
    "window": 10.0,
}
contexts = st.lists(st.sampled_from([-1.0, 0.0, 0.5]), min_size=2, max_size=2)


class Crash(BaseException):
    """The learner's process is gone."""


class World(RuleBasedStateMachine):
    """One service, learners that come and go, and a clock that everybody goes by."""

    where = None  # makes the address of a fresh store
    decisions = Bundle("decisions")

    @initialize()
    def begin(self):
        self.config, self.now, self.names = config(**GIVEN), 1000.0, count()
        self.store = open_store(self.where())
        self.service = Service(self.config, self.store, clock=lambda: self.now)
        self.learners = count()
        self.replace_learner()
        self.expected = {}  # the rewards in time
        self.known = {}  # when their windows end
        self.settled = set()

    def replace_learner(self):
        self.learner = Learner(self.config, self.store, holder=f"{next(self.learners)}")
        self.now += 100 if next(self.learners) > 1 else 0  # until the lease is over

    @rule(target=decisions, many=st.lists(contexts, min_size=1, max_size=4), later=st.booleans())
    def decide(self, many, later):
        asked = [
            DecisionRequest(id=f"{next(self.names)}", context=each, deferred=later) for each in many
        ]
        answers = self.service.decide("news", asked).result()
        for each in answers:
            self.known[each.id] = each.expires
        return multiple(*(each.id for each in answers))

    @rule(names=st.lists(decisions, min_size=1, max_size=5), value=st.sampled_from([0.0, 0.3, 1.0]))
    def reward(self, names, value):
        """In any order, again, too late, or another one than before."""
        told = [(name, RewardRequest(value)) for name in names]
        for name, answer in zip(names, self.service.reward(told).result(), strict=True):
            deadline = self.known[name]
            in_time = name not in self.settled and (deadline is None or self.now <= deadline)
            if getattr(answer, "receipt", "") == "stored":
                assert in_time
                assert name not in self.expected
                self.expected[name] = value
            elif getattr(answer, "receipt", "") == "late":
                assert not in_time

    @rule(name=decisions)
    def activate(self, name):
        self.known[name] = self.service.activate(name).result().expires

    @rule(
        kind=st.sampled_from(["add_arm", "retire_arm", "reinstate_arm", "promote", "rollback"]),
        arm=st.sampled_from("abcd"),
        candidate=st.sampled_from(["sampling", "linear", "news"]),
    )
    def command(self, kind, arm, candidate):
        payload = {"arm": arm} if "arm" in kind else {"candidate": candidate}
        self.service.command("news", kind, payload, "somebody").result()

    @rule(seconds=st.sampled_from([0.5, 4.0, 11.0]))
    def wait(self, seconds):
        self.now += seconds

    @rule()
    def learn(self):
        self.learner.tick(self.now)
        self.service.refresh()
        due = [name for name, end in self.known.items() if end is not None and end < self.now]
        self.settled |= {*due}
        self.check()

    @rule(writes=st.integers(0, 4), committed=st.booleans())
    def crash(self, writes, committed):
        """After so many transactions, before or after the last of them."""
        write, left = self.store.write, iter(range(writes))

        def failing(work):
            if next(left, None) is not None:
                return write(work)
            if committed:
                write(work)
            raise Crash

        self.learner.pupils["news"]._store = _Through(self.store, failing)
        with contextlib.suppress(Crash):
            self.learner.tick(self.now)
        self.settled |= self.steps()
        self.replace_learner()

    def steps(self):
        query = select(STEPS.c.id).where(STEPS.c.kind == "lesson")
        return {row.id for row in self.store.read(lambda connection: [*connection.execute(query)])}

    def check(self):
        state, news = self.learner.pupils["news"].state, self.config.experiments["news"]
        assert same(state, rebuild(self.store, news))
        assert same(state, load(self.store, news))
        lessons = select(func.count(), func.count(STEPS.c.id.distinct()))
        many = self.store.read(
            lambda connection: connection.execute(lessons.where(STEPS.c.kind == "lesson")).one()
        )
        assert many[0] == many[1]
        assert self.steps() == self.settled
        total = sum(self.expected.get(name, 0.0) for name in self.settled)
        learnt = state.bandits["sampling"]._tally
        assert sum(learnt.sums) == pytest.approx(total)
        assert sum(learnt.rewards) == len(self.settled)

    def teardown(self):
        if hasattr(self, "service"):
            self.now += 1000
            self.learn()
            self.service.close()
            self.store.close()


class _Through:
    """A store whose transactions go through something else."""

    def __init__(self, store, write):
        self._store, self.write = store, write

    def __getattr__(self, name):
        return getattr(self._store, name)


def played(where, examples):
    """Play the machine on stores from `where`."""
    kind = type("Played", (World,), {"where": staticmethod(where)})
    kind.TestCase.settings = settings(
        max_examples=examples, stateful_step_count=25, deadline=None, derandomize=True,
        database=None, suppress_health_check=[*HealthCheck],
        phases=[Phase.generate],  # to find the shortest example takes minutes: ask for it by hand
    )  # fmt: skip
    kind.TestCase("runTest").runTest()


@pytest.fixture
def without_syncs(monkeypatch):
    """Whether rows reach the disk is not what is tried here."""
    from bandstrap.service.store import store as module

    made = module.sqlite_engine

    def engine(*given):
        engine, notice = made(*given)
        event.listen(engine, "connect", lambda it, _: it.execute("PRAGMA synchronous = OFF"))
        return engine, notice

    monkeypatch.setattr(module, "sqlite_engine", engine)


def test_sqlite(without_syncs):
    folder, names = Path(mkdtemp()), count()
    played(lambda: folder / f"{next(names)}.sqlite", examples=8)
    shutil.rmtree(folder)


def test_postgresql(postgres):
    played(postgres.fresh, examples=5)


@pytest.mark.parametrize("kind", ["wal"])
@pytest.mark.parametrize(
    ("policy", "settles"), [("wb-nn-budgeted", True), ("wb-nn", False), (None, False)]
)
def test_networks_train_in_the_learner(store, policy, settles):
    """What learning puts off is a step of its own; what trains as it draws does so there too."""
    given = config(policy=policy, window=1.0)
    service, learner = Service(given, store), Learner(given, store)
    asked = [DecisionRequest(id=f"{i}", context=[float(i % 2), 1.0]) for i in range(30)]
    now = service.decide("news", asked).result()[-1].time
    learner.tick(now + 5)
    state = learner.pupils["news"].state
    assert not state.deciding.unsettled
    assert state.number == 31 + settles  # it was configured
    assert same(state, rebuild(store, given.experiments["news"]))
    assert same(state, load(store, given.experiments["news"]))
    service.close()
