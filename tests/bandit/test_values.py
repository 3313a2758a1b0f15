"""Numbers, names and settings of the wrong kind: each is refused in one sentence of our own."""

from enum import Enum

import numpy as np
import pytest

from bandstrap import (
    UCB1,
    Bandit,
    BetaThompson,
    Bootstrap,
    Every,
    Expiry,
    Growth,
    HalfLife,
    InvalidInput,
    Propensity,
    Support,
    UnknownName,
    Window,
)


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda: Propensity(draws=2.5), "draws = 2.5: give a whole number"),
        (lambda: Propensity(draws=float("nan")), "draws = nan"),
        (lambda: Propensity(draws="x"), "draws = 'x'"),
        (lambda: Propensity(floor="x"), "floor = 'x'"),
        (lambda: Window("x"), "rewards = 'x'"),
        (lambda: HalfLife("x"), "rewards = 'x'"),
        (lambda: Expiry(seconds="x"), "seconds = 'x'"),
        (lambda: Expiry(decisions="x"), "decisions = 'x'"),
        (lambda: Expiry(seconds=1, reward="x"), "reward = 'x'"),
        (lambda: Every("x"), "n = 'x'"),
        (lambda: Every(2.5), "n = 2.5"),
        (lambda: Growth("x"), "share = 'x'"),
        (lambda: Support.categories("ab"), "values = 'ab'"),
        (lambda: Support.categories(3), "values = 3"),
        (lambda: Support.interval("a", "b"), r"support = \('a', 'b'\)"),
        (lambda: Support.interval(0, 10**400), "support = "),
        (lambda: Bandit.load("nowhere", trusted=Bootstrap), r"trusted = .*\[MyPolicy\]"),
        (lambda: Bandit.load("nowhere", trusted=["x"]), "trusted = 'x'"),
    ],
)
def test_settings(wrong, told):
    with pytest.raises(InvalidInput, match=told):
        wrong()


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (lambda b: b.rank(k=2.5), "k = 2.5: give a whole number"),
        (lambda b: b.rank(k="2"), "k = '2': give a whole number"),
        (lambda b: b.decide(allowed=3.5), "allowed = 3.5: give a list"),
        (lambda b: b.decide(allowed="a"), r"allowed = 'a': give a list of names, such as \['a'"),
        (lambda b: b.decide(allowed=np.array("a")), "allowed = .*: give a list"),
        (lambda b: b.decide(allowed=[False, True]), "not a flag for each arm"),
        (lambda b: b.decide(allowed=np.array([False, True])), "not a flag for each arm"),
        (lambda b: b.explain(0), "decision = 0: give the Decision"),
        (lambda b: b.explain(b.decide(), draws=2.5), "draws = 2.5"),
        (lambda b: b.learn(arm=0, reward=10**400), "too large for a double"),
        (lambda b: b.learn(arm=0, reward=1, weight=10**400), "too large for a double"),
        (lambda b: b.learn(arm=[0, 1], reward=[1, 1], weight=[[1], [1, 2]]), "weight = "),
        (lambda b: b.learn(arm=[0, 1], reward=1), "reward = 1: give a list of 2"),
        (lambda b: b.learn(b.decide(), 1, context=[1, 2]), "context = 'list': .*leave it out"),
        (lambda b: b.learn(arm=True, reward=1), "arm = True: name arms"),
        (lambda b: b.learn(arm=1.0, reward=1), "arm = 1.0: name arms"),
        (lambda b: b.learn(arm=0, reward=0.3, weight=3e5), "give at most 100,000 at once"),
    ],
)
def test_calls(wrong, told):
    bandit = Bandit(Bootstrap(), [0, 1], seed=1)
    with pytest.raises(InvalidInput, match=told):
        wrong(bandit)
    assert bandit.rewards_learnt == 0


def test_rewards_may_come_one_by_one():
    bandit = Bandit(Bootstrap(), ["a", "b"], seed=1)
    bandit.learn(arm=["a", "b"], reward=iter([1, 0]))
    assert bandit.rewards_learnt == 2


class Text(str, Enum):  # noqa: UP042 - its str() is not its value, as that of a StrEnum is
    RED = "red"
    BLUE = "blue"


class Number(int, Enum):
    ONE = 1
    TWO = 2


@pytest.mark.parametrize("kind", [Text, Number])
def test_an_enum_names_arms_by_its_values(kind):
    first, second = kind
    bandit = Bandit(Bootstrap(), list(kind), seed=1)
    assert bandit.arms == (first.value, second.value)
    assert {type(arm) for arm in bandit.arms} <= {str, int}
    bandit.learn(arm=first, reward=1)
    bandit.learn(arm=[first, second], reward=[1, 0])
    assert bandit.decide(allowed=[second]).arm == second.value
    bandit.remove_arm(first)
    assert bandit.arms == (second.value,)


@pytest.mark.parametrize(
    ("arms", "name", "told"),
    [
        (["1", "2"], 1, "unknown arm 1: did you mean '1'?"),
        ([1, 2], "1", "unknown arm '1': did you mean 1?"),
    ],
)
def test_an_arm_of_another_type_is_told_apart(arms, name, told):
    with pytest.raises(UnknownName) as error:
        Bandit(Bootstrap(), arms).learn(arm=name, reward=1)
    assert str(error.value) == told


@pytest.mark.parametrize(
    ("policy", "rewards"),
    [(BetaThompson(), None), (BetaThompson(), Support.binary()), (UCB1(), None)],
    ids=repr,
)
def test_a_large_weight_is_one_step(policy, rewards):
    """It would take minutes reward by reward."""
    bandit = Bandit(policy, ["a", "b"], rewards=rewards, seed=1)
    bandit.learn(arm="a", reward=1, weight=1e9)
    assert bandit.decide(allowed=["a"]).scores["a"] == pytest.approx(1, abs=1e-3)


def test_a_whole_weight_rounds_each_of_its_rewards():
    """Of 900 rewards of 0.3 about 270 count as ones, never all or none."""
    policy, shares = BetaThompson(), []
    for seed in range(20):
        bandit = Bandit(policy, ["a"], seed=seed)
        bandit.learn(arm="a", reward=0.3, weight=900)
        zeros, ones = bandit.memory(None).state.history.arrays.counts[0, 0] - 1
        assert zeros + ones == 900
        assert ones == round(ones)
        shares.append(ones / 900)
    assert np.mean(shares) == pytest.approx(0.3, abs=5 * np.sqrt(0.21 / 900 / 20))
    assert np.std(shares) < 3 * np.sqrt(0.21 / 900)
