"""States whose arms come and go, whose rewards have weights, and which forget."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

from bandstrap import (
    BESA,
    BetaThompson,
    Bootstrap,
    Exponential,
    GaussianThompson,
    InvalidInput,
    Problem,
    PseudoRewards,
    Support,
)
from bandstrap.policies import POLICIES
from bandstrap.policies.base import discount
from bandstrap.policies.entry import CATEGORIES, CHANGE_ARMS
from bandstrap.policies.registry import REGISTRY
from bandstrap.seeding import kernel_stream

DRAWS = 700
SUPPORTS = {"binary": Support.binary(), "interval": Support.interval()}


def told(policy, problem, rewards, weights=None):
    """A state that has learnt each arm's rewards."""
    state, rng = policy.start(problem), np.random.default_rng(5)
    for arm, some in enumerate(rewards):
        for i, reward in enumerate(some):
            weight = None if weights is None else np.array([weights[arm][i]])
            policy.update(state, None, np.array([arm]), np.array([reward]), rng, weight)
    return state


def learns_at_random(policy, problem):
    """Whether it does for these rewards, and so needs a generator."""
    try:
        policy.update(policy.start(problem), None, np.array([0]), np.array([1.0]))
    except InvalidInput:
        return True
    return False


def tallied(choose, n_arms):
    counts = np.zeros(n_arms)
    for _ in range(DRAWS):
        counts[choose()] += 1
    return counts


def alike(first, second):
    """Whether counts may come from one distribution; 1e-4 of equal ones would fail."""
    seen = (first + second) > 0
    if seen.sum() == 1:
        return True
    return chi2_contingency(np.array([first, second])[:, seen]).pvalue > 1e-4


def choices(policy, state, allowed=None, seed=0):
    rng = np.random.default_rng(seed)
    return tallied(lambda: policy.select(state, None, rng, allowed)[0], state.problem.n_arms)


def some_rewards(support, seed=1):
    rng = np.random.default_rng(seed)
    means, counts = (0.5, 0.6, 0.4, 0.55), (40, 35, 38, 45)
    if support.values is not None:
        return [(rng.random(n) < mean).astype(float) for mean, n in zip(means, counts, strict=True)]
    return [rng.beta(2 * mean, 2 - 2 * mean, n) for mean, n in zip(means, counts, strict=True)]


CASES = [
    (name, support)
    for name in POLICIES
    for support in SUPPORTS
    if (REGISTRY[name].rewards, support) != (CATEGORIES, "interval")
]


CHANGING = [case for case in CASES if CHANGE_ARMS not in REGISTRY[case[0]].cannot]  # POLICIES


@pytest.mark.parametrize(("name", "support"), CHANGING)
def test_arms_come_and_go(name, support):
    policy, rewards = POLICIES[name](), some_rewards(SUPPORTS[support])
    state = told(policy, Problem(4, support=SUPPORTS[support]), rewards)
    fewer = Problem(3, support=SUPPORTS[support])
    if learns_at_random(policy, fewer):  # then no twin has learnt the same
        before = choices(policy, state, np.array([[True, False, False, True]]))
        policy.remap_arms(state, fewer, [3, 0, None])
        after = choices(policy, state, np.array([[True, True, False]]), seed=1)
        assert alike(before[[3, 0]], after[:2])
        return
    policy.remap_arms(state, fewer, [3, 0, None])
    twin = told(policy, fewer, [rewards[3], rewards[0], []])
    assert state.problem.n_arms == 3
    assert alike(choices(policy, state), choices(policy, twin, seed=1))
    learnt = (np.array([2]), np.array([1.0]), np.random.default_rng(0))
    policy.update(state, None, *learnt)
    policy.update(twin, None, *learnt)
    assert alike(choices(policy, state), choices(policy, twin, seed=1))


@pytest.mark.parametrize(("name", "support"), CASES)
def test_decisions_choices_and_probabilities_agree(name, support):
    policy = POLICIES[name]()
    state = told(policy, Problem(4, support=SUPPORTS[support]), some_rewards(SUPPORTS[support]))
    for allowed in (np.ones((1, 4), dtype=bool), np.array([[True, False, True, True]])):
        selected = choices(policy, state, allowed)
        rng = np.random.default_rng(2)
        draw = policy.decide(state, None, rng, allowed)
        assert draw.scores[draw.arm] == draw.scores[allowed[0]].max()
        voted = state.sampler(policy, None, allowed).choices(kernel_stream(rng), DRAWS)
        assert alike(selected, voted)
        assert voted.sum() == DRAWS
        decided = tallied(lambda: policy.decide(state, None, rng, allowed).arm, 4)  # noqa: B023
        assert alike(selected, decided)
        shares = policy.probabilities(state, None, allowed)
        if shares is not None:
            assert shares.sum() == pytest.approx(1.0)
            assert (np.abs(selected / DRAWS - shares) < 5 * np.sqrt(0.25 / DRAWS)).all()
            assert (selected[shares == 0] == 0).all()


@pytest.mark.parametrize("name", POLICIES)
def test_the_scores_of_a_choice_are_highest_at_its_arm(name):
    policy, rng = POLICIES[name](), np.random.default_rng(0)
    support = SUPPORTS["binary"]
    state = told(policy, Problem(4, support=support), some_rewards(support))
    for _ in range(50):
        draw = policy.decide(state, None, rng, None)
        assert draw.scores[draw.arm] == draw.scores.max()


@pytest.mark.parametrize("name", POLICIES)
def test_a_whole_weight_counts_as_so_many_rewards(name):
    policy, problem = POLICIES[name](), Problem(4, support=Support.binary())
    rewards = some_rewards(problem.support)
    weights = [np.where(np.arange(len(some)) % 3 == 0, 2.0, 1.0) for some in rewards]
    twin = [np.repeat(some, w.astype(int)) for some, w in zip(rewards, weights, strict=True)]
    weighed, repeated = told(policy, problem, rewards, weights), told(policy, problem, twin)
    assert alike(choices(policy, weighed), choices(policy, repeated, seed=1))


@pytest.mark.parametrize(
    "policy", [Bootstrap(Exponential()), BetaThompson(), GaussianThompson(0.5)], ids=repr
)
def test_halves_of_a_weight_count_as_the_whole(policy):
    problem = Problem(4, support=Support.binary())
    rewards = some_rewards(problem.support)
    halves = [np.repeat(some, 2) for some in rewards]
    state = told(policy, problem, halves, [np.full(len(some), 0.5) for some in halves])
    assert alike(choices(policy, state), choices(policy, told(policy, problem, rewards), seed=1))


@pytest.mark.parametrize("factor", [0.0, 0.5])
@pytest.mark.parametrize(
    "name", ["wb", "wb-poisson", "ts", "ts-gaussian", "online-bootstrap", "npts", "ucb1"]
)
def test_what_is_discounted_counts_less_and_the_prior_does_not(name, factor):
    policy, problem = POLICIES[name](), Problem(2, support=Support.binary())
    rewards = [np.array([1.0, 0.0] * 30), np.array([1.0] * 36 + [0.0] * 24)]
    state = told(policy, problem, rewards)
    discount(policy, state, factor)
    kept = [
        [1.0, 0.0] * round(15 * 2 * factor),
        [1.0] * round(36 * factor) + [0.0] * round(24 * factor),
    ]
    twin = told(policy, problem, kept)
    if name == "online-bootstrap":  # weights drawn once: only the mean of many states is alike
        weight = state.weight.mean() - 2.0
        assert weight == pytest.approx(60 * factor, abs=4)
        return
    assert alike(choices(policy, state), choices(policy, twin, seed=1))


def test_what_cannot_be_discounted_or_weighed_says_so():
    problem = Problem(2)
    state = told(BESA(), problem, [[0.3], [0.4]])
    with pytest.raises(InvalidInput, match="Window"):
        discount(BESA(), state, 0.5)
    with pytest.raises(InvalidInput, match="whole weights"):
        BESA().update(state, None, np.array([0]), np.array([0.3]), None, np.array([0.5]))
    with pytest.raises(InvalidInput, match="positive"):
        Bootstrap().update(state, None, np.array([0]), np.array([0.3]), None, np.array([-1.0]))
    with pytest.raises(InvalidInput, match="from 0 to 1"):
        discount(Bootstrap(prior=PseudoRewards()), state, 1.5)
