"""Several models learn, and the one that predicts best decides."""

import numpy as np
import pytest

from bandstrap import Auto, InvalidInput, Problem, Support
from bandstrap.policies.contextual.auto import ERROR, _boundary


def play(policy, support, rounds, pays, seed=0):
    """The arms chosen in contexts (rounds, 2), the learner, and what was earned."""
    rng = np.random.default_rng(seed)
    state = policy.start(Problem(2, 2, support))
    low, high = support.low, support.high
    arms, earned = [], 0
    for x in rng.standard_normal((rounds, 1, 2)):
        arm = policy.select(state, x, rng)
        paid = pays(x[0], int(arm[0]))
        policy.update(state, x, arm, np.array([high if paid else low]), rng)
        arms.append(int(arm[0]))
        earned += paid
    return arms, state.learners[0], earned / rounds


def by_sign(x, arm):
    return (x[0] > 0) == arm


def by_product(x, arm):
    """What no linear model can tell."""
    return (x[0] * x[1] > 0) == arm


def test_a_network_takes_over_where_lines_do_not_do():
    """A linear model earns a half; found .91."""
    _, learner, earned = play(Auto(), Support.binary(), 800, by_product)
    assert learner.leader >= 2
    assert earned > 0.8


def test_where_lines_do_the_decider_is_cheap_for_long():
    _, learner, earned = play(Auto(budget=100.0), Support.binary(), 300, by_sign)
    assert len(learner.learners) == 2
    assert earned > 0.85


def test_rewards_of_any_range_lead_to_the_same_choices():
    plain, _, _ = play(Auto(), Support.interval(), 60, by_sign)
    scaled, learner, _ = play(Auto(), Support.interval(-30.0, 10.0), 60, by_sign)
    assert plain == scaled
    scores = learner.margins(np.array([1.0, 0.0]), np.random.default_rng(0))
    assert -30 <= scores[0] < scores[1] <= 10


def test_the_budget_says_who_takes_part():
    def learners(budget, n_features):
        state = Auto(budget).start(Problem(10, n_features))
        return len(state.learners[0].learners)

    assert [learners(budget, 20) for budget in (0.1, 100.0, 600.0, 2000.0)] == [1, 2, 3, 4]
    assert learners(2000.0, 700) == 3  # a logistic model by replicas, and both networks


@pytest.mark.parametrize("budget", [0.0, -1.0, float("nan")])
def test_a_budget_is_positive(budget):
    with pytest.raises(InvalidInput, match="budget"):
        Auto(budget)


def test_rewards_must_have_ends():
    with pytest.raises(InvalidInput, match="support"):
        Auto().start(Problem(2, 2, Support.real()))


def test_a_model_that_predicts_no_better_rarely_takes_over():
    """Looked at after each of 2,000 rewards: the share that ever crosses, of 2,000 games."""
    gains = np.random.default_rng(1).standard_normal((2000, 2000))
    sums, squares = gains.cumsum(axis=1), (gains**2).cumsum(axis=1)
    crossed = (sums > _boundary(squares, ERROR)).any(axis=1).mean()
    assert crossed < ERROR  # one side, and a finite number of looks
    better = gains + 0.3
    found = better.cumsum(axis=1) > _boundary((better**2).cumsum(axis=1), ERROR)
    assert np.median(found.argmax(axis=1)) < 250
