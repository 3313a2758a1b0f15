"""Online Cover against a twin that keeps all of history, and what it earns."""

import numpy as np
import pytest
from scipy.special import expit

from bandstrap import InvalidInput, OnlineCover, Problem, Support
from bandstrap.storage.packing import pack
from earning import earned_by

X = np.array([0.4, -1.1])


class Twin:
    """Every regression solved anew from all examples, every distribution by counting votes."""

    def __init__(self, n_arms, count, psi, penalty, length=1.0):
        self.n_arms, self.count, self.psi, self.penalty = n_arms, count, psi, penalty
        self.length = length
        self.rows, self.targets, self.own = [], [], [[] for _ in range(n_arms)]

    def solved(self, rows, targets):
        rows = np.array(rows)
        return np.linalg.solve(self.penalty * np.eye(rows.shape[1]) + rows.T @ rows,
                               rows.T @ np.array(targets))  # fmt: skip

    def votes(self, x):
        """(policies, arms), ties split."""
        votes = np.zeros((self.count, self.n_arms))
        for policy in range(self.count):
            worth = np.zeros(self.n_arms)
            for arm in range(self.n_arms):
                if self.rows:
                    targets = [each[policy][arm] for each in self.targets]
                    worth[arm] = x @ self.solved(self.rows, targets)
            best = [arm for arm in range(self.n_arms) if worth[arm] == max(worth)]
            votes[policy, best] = 1 / len(best)
        return votes

    def least(self):
        return min(1 / self.n_arms, 1 / np.sqrt(self.n_arms * (len(self.rows) + 1)))

    def smoothed(self, shares):
        return (1 - self.n_arms * self.least()) * shares + self.least()

    def probabilities(self, x):
        return self.smoothed(self.votes(x).sum(axis=0) / self.count)

    def learn(self, x, arm, reward):
        votes, chance = self.votes(x), self.probabilities(x)[arm]
        paid = [x @ self.solved(*zip(*own, strict=True)) if own else 0.0 for own in self.own]
        paid[arm] += (reward - paid[arm]) / chance
        targets = []
        for policy in range(self.count):
            bonus = np.zeros(self.n_arms)
            if policy > 0:
                before = votes[:policy].sum(axis=0) / policy
                bonus = self.psi * self.length * self.least() / self.smoothed(before)
            targets.append(paid + bonus)
        self.rows.append(x)
        self.targets.append(targets)
        self.own[arm].append((x, reward))


@pytest.mark.parametrize(("n_arms", "psi", "high"), [(2, 0.5, 1.0), (4, 1.0, 1.0), (3, 0.6, 5.0)])
def test_probabilities_are_those_of_a_twin_that_keeps_everything(n_arms, psi, high):
    policy = OnlineCover(count=4, psi=psi, penalty=0.6)
    problem, rng = Problem(n_arms, 2, Support.interval(0, high)), np.random.default_rng(n_arms)
    state, twin = policy.start(problem), Twin(n_arms, 4, psi, 0.6, high)
    every, apart = np.ones((1, n_arms), dtype=bool), 0
    for _ in range(60):
        x = rng.standard_normal((1, 2))
        augmented = np.append(x[0], 1.0)
        shares = policy.probabilities(state, x, every)
        np.testing.assert_allclose(shares, twin.probabilities(augmented), atol=1e-9)
        apart += (twin.votes(augmented).max(axis=0) == 1.0).sum() > 1
        arms = policy.select(state, x, rng)
        reward = high * float(rng.random() < expit(x[0, 0] * (arms[0] - 1.0) + 0.3))
        policy.update(state, x, arms, np.array([reward]))
        twin.learn(augmented, int(arms[0]), reward)
    assert apart > 5  # policies do differ


def learner_of(psi, count=6, rounds=300, n_arms=3):
    """One that has learnt arms at random: they pay 0.2, 0.5 and 0.55."""
    policy, rng = OnlineCover(count=count, psi=psi), np.random.default_rng(0)
    state = policy.start(Problem(n_arms, 2, Support.binary()))
    for _ in range(rounds):
        arms = rng.integers(n_arms, size=1)
        rewards = (rng.random(1) < np.array([0.2, 0.5, 0.55])[arms]) * 1.0
        policy.update(state, rng.standard_normal((1, 2)), arms, rewards)
    return state.learners[0]


def test_policies_agree_without_psi_and_cover_all_arms_with_much():
    every = np.ones(3, dtype=bool)
    alike = learner_of(0.0)
    np.testing.assert_allclose(alike.cover, np.repeat(alike.cover[:, :1], 6, axis=1))
    shares = alike.probabilities(X, every)
    least = 1 / np.sqrt(3 * 301)
    np.testing.assert_allclose(np.sort(shares), [least, least, 1 - 2 * least])
    # Paid psi for what nobody chooses yet, the second and third policies take the other arms.
    assert (learner_of(3.0).probabilities(X, every) > 0.14).all()


def test_of_a_few_allowed_arms_one_is_chosen():
    learner, allowed = learner_of(3.0), np.array([True, False, True])
    shares = learner.probabilities(X, allowed)
    assert shares[1] == 0.0
    assert shares.sum() == pytest.approx(1.0)
    assert shares[[0, 2]].min() >= 0.5 * np.sqrt(3 / 301) - 1e-12


def test_the_first_rounds_are_uniform():
    policy = OnlineCover()
    state, every = policy.start(Problem(4, 2)), np.ones((1, 4), dtype=bool)
    for turn in range(4):
        assert policy.probabilities(state, X[None], every) == pytest.approx(np.full(4, 0.25))
        policy.update(state, X[None], np.array([0]), np.array([1.0]))
        assert state.learners[0].rounds == turn + 1
    assert policy.probabilities(state, X[None], every).max() > 0.3


def test_what_is_kept_does_not_grow():
    small, large = learner_of(0.1, rounds=5), learner_of(0.1, rounds=200)
    sizes = [sum(array.nbytes for array in pack(each).arrays.values()) for each in (small, large)]
    assert sizes[0] == sizes[1]


def test_forgetting_brings_exploration_back():
    learner, every = learner_of(0.0), np.ones(3, dtype=bool)
    before = learner.probabilities(X, every).min()
    learner.discount(0.1)
    assert learner.probabilities(X, every).min() == pytest.approx(1 / np.sqrt(3 * 31))
    assert learner.probabilities(X, every).min() > 2 * before


@pytest.mark.parametrize(
    "make",
    [
        lambda: OnlineCover(count=0),
        lambda: OnlineCover(psi=-0.1),
        lambda: OnlineCover(penalty=0),
    ],
)
def test_bad_parameters_are_named(make):
    with pytest.raises(InvalidInput, match=r"count = 0|psi = -0\.1|penalty = 0"):
        make()


def test_it_earns_much_more_than_random_choices_do():
    policy = OnlineCover()
    assert earned_by(policy, runs=8) > 0.80  # 1,600 rewards: a standard error is about 0.01
