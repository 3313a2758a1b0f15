"""Whatever happens in whatever order: no reward goes astray, and a log gives all of it back."""

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, precondition, rule

from bandstrap import Bandit, Bootstrap, Expiry, InvalidInput, LinThompson, Support, UnknownName
from states import everything

LONG = 6  # decisions until one expires


class Life(RuleBasedStateMachine):
    """A bandit with a log, and plain dicts of what became of each decision."""

    decisions = Bundle("decisions")
    policy, context = Bootstrap(), None

    def __init__(self):
        super().__init__()
        self.folder = TemporaryDirectory()
        self.log, self.file = Path(self.folder.name) / "log", Path(self.folder.name) / "b"
        expiry = Expiry(decisions=LONG, reward=0.0)
        self.bandit = Bandit(
            self.policy, ["a", "b"], seed=1, rewards=Support.binary(), expiry=expiry, log=self.log
        )
        self.ids = set()  # all that were ever issued
        self.waiting = {}  # id: (number, arm)
        self.made = self.learnt = 0
        self.known = set()  # ids that this bandit, or the one it goes on from, has issued
        self.saved = None

    def teardown(self):
        self.folder.cleanup()

    @rule(target=decisions)
    def decide(self):
        self.expire()
        decision = self.bandit.decide(self.context)
        assert decision.id not in self.ids
        self.ids.add(decision.id)
        self.known.add(decision.id)
        self.waiting[decision.id] = self.made, decision.arm
        self.made += 1
        return decision

    def expire(self):
        """What the model expires: 0 is learnt, if the arm is still there."""
        for name, (number, arm) in [*self.waiting.items()]:
            if self.made - number > LONG:
                del self.waiting[name]
                self.learnt += arm in self.bandit.arms

    @rule(decision=decisions, reward=st.sampled_from([0.0, 1.0]), by_id=st.booleans())
    def learn(self, decision, reward, by_id):
        """In time, twice, late, or of a decision that went down with its bandit."""
        given, waiting = decision.id if by_id else decision, self.waiting.get(decision.id)
        if decision.id not in self.known:
            with pytest.raises(InvalidInput, match="this bandit made no such decision"):
                self.bandit.learn(given, reward)
        elif waiting is None:
            with pytest.raises(InvalidInput, match="has its reward already, or has expired"):
                self.bandit.learn(given, reward)
        elif waiting[1] not in self.bandit.arms:
            with pytest.raises(UnknownName):
                self.bandit.learn(given, reward)
        else:
            rewards, total = self.counts(waiting[1])
            self.bandit.learn(given, reward)
            assert self.counts(waiting[1]) == (rewards + 1, total + reward)
            del self.waiting[decision.id]
            self.learnt += 1

    def counts(self, arm):
        place = self.bandit.arms.index(arm)
        return self.bandit._tally.rewards[place], self.bandit._tally.sums[place]

    @rule(decision=decisions)
    def drop(self, decision):
        if self.waiting.pop(decision.id, None):
            self.bandit.drop(decision)

    @rule()
    def expire_now(self):
        before = len(self.waiting)
        self.expire()
        assert self.bandit.expire() == before - len(self.waiting)

    @rule(name=st.sampled_from("abcd"))
    def add_or_remove(self, name):
        if name not in self.bandit.arms:
            self.bandit.add_arm(name)
        elif self.is_spare():
            self.bandit.remove_arm(name)

    @rule(name=st.sampled_from("abcd"))
    def retire_or_reinstate(self, name):
        if name in self.bandit._arms.retired:
            self.bandit.reinstate_arm(name)
        elif name in self.bandit.arms and self.is_spare():
            self.bandit.retire_arm(name)
            assert name not in self.bandit.rank(self.context)

    def is_spare(self):
        return len(self.bandit.arms) - len(self.bandit._arms.retired) > 1

    @rule()
    def save(self):
        self.bandit.save(self.file)
        self.saved = {**self.waiting}, self.made, self.learnt, {*self.known}

    @precondition(lambda self: self.saved)
    @rule()
    def load(self):
        """Without the log: what came after the save is gone, and is not taken for another's."""
        self.bandit = Bandit.load(self.file, log=self.log)
        waiting, self.made, self.learnt, known = self.saved
        self.waiting, self.known = {**waiting}, {*known}

    @precondition(lambda self: self.log.stat().st_size)
    @rule(from_file=st.booleans(), cut=st.integers(0, 100))
    def kill_and_rebuild(self, from_file, cut):
        """A line that nobody was told of may be cut off."""
        self.bandit.rank(self.context)  # whatever came last is in the log
        before, ids = everything(self.bandit), [*self.bandit._pending.waiting]
        with open(self.log, "ab") as file:
            file.write((b'{"event":"decision","id":"' + b"x" * cut)[: max(cut - 20, 0)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.bandit = Bandit.rebuild(self.log, self.file if from_file and self.saved else None)
            assert everything(self.bandit) == before
            assert [*self.bandit._pending.waiting] == ids
            self.bandit.rank(self.context)  # removes what was cut off

    @invariant()
    def it_knows_what_the_model_knows(self):
        assert {*self.bandit._pending.waiting} == {*self.waiting}
        assert (self.bandit.rewards_learnt, self.bandit._pending.made) == (self.learnt, self.made)


class LifeWithContexts(Life):
    """The same, by a model that learns contexts; a bandit begins at the first one."""

    policy, context = LinThompson(), {"age": 0.5, "new": True}


QUICK = settings(
    max_examples=30, stateful_step_count=40, deadline=None, derandomize=True,
    suppress_health_check=[HealthCheck.too_slow],
)  # fmt: skip
Life.TestCase.settings = QUICK
LifeWithContexts.TestCase.settings = settings(QUICK, max_examples=12)
TestLife, TestLifeWithContexts = Life.TestCase, LifeWithContexts.TestCase
