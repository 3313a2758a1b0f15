"""A decision's own draw: the law of its scores and of its choice, and how much it opens."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency, ks_2samp

from bandstrap import Bootstrap, Exponential, Multinomial, Poisson, Problem, PseudoRewards
from bandstrap.policies import Policy

ALL = np.ones((1, 4), dtype=bool)
DRAWS = 2000


def long_history(policy: Policy, size: int = 2000):
    """Arms whose draws overlap, with as many rewards as no decision would walk."""
    state, rng = policy.start(Problem(4)), np.random.default_rng(0)
    for arm, (mean, n) in enumerate(zip((0.5, 0.51, 0.45, 0.52), (3, 4, 0.05, 1), strict=True)):
        for reward in rng.beta(2 * mean, 2 - 2 * mean, int(n * size)):
            policy.update(state, None, np.array([arm]), np.array([reward]))
    return state


@pytest.mark.parametrize("scheme", [Exponential(), Multinomial(), Poisson()], ids=repr)
def test_scores_and_choices_have_the_law_of_full_draws(scheme):
    policy, rng = Bootstrap(scheme), np.random.default_rng(1)
    state = long_history(policy, 600)
    decided = [policy.decide(state, None, rng, ALL) for _ in range(DRAWS)]
    full = np.array([policy.scores(state, None, rng)[0] for _ in range(DRAWS)])
    chosen = np.bincount([draw.arm for draw in decided], minlength=4)
    counts = np.array([chosen, np.bincount(full.argmax(axis=1), minlength=4)])
    assert chi2_contingency(counts[:, counts.sum(axis=0) > 0]).pvalue > 1e-4
    scores = np.array([draw.scores for draw in decided])
    for arm in range(4):
        assert ks_2samp(scores[:, arm], full[:, arm]).pvalue > 1e-4
        assert scores[:, arm].std() == pytest.approx(full[:, arm].std(), rel=0.1)
    assert all(draw.scores[draw.arm] == draw.scores.max() for draw in decided)


def test_arms_that_are_not_allowed_are_scored_and_not_chosen():
    policy, rng = Bootstrap(), np.random.default_rng(1)
    state = long_history(policy, 100)
    for _ in range(200):
        draw = policy.decide(state, None, rng, np.array([[True, False, True, False]]))
        assert draw.arm in (0, 2)
        assert draw.scores[draw.arm] == draw.scores[[0, 2]].max()
        assert 0 < draw.scores.min() < draw.scores.max() < 1


def test_arms_never_seen_come_first_and_evenly():
    policy, rng = Bootstrap(prior=PseudoRewards(0, 0)), np.random.default_rng(1)
    state = policy.start(Problem(4))
    for reward in (0.2, 0.9):
        policy.update(state, None, np.array([1]), np.array([reward]))
    draws = [policy.decide(state, None, rng, ALL) for _ in range(900)]
    counts = np.bincount([draw.arm for draw in draws], minlength=4)
    assert counts[1] == 0
    assert (np.abs(counts[[0, 2, 3]] - 300) < 5 * np.sqrt(200)).all()
    assert np.isinf(draws[0].scores[[0, 2, 3]]).all()


def test_few_nodes_are_opened_however_long_the_history():
    """A draw of full precision would open sixteen times as many."""
    policy = Bootstrap()
    opened = [opened_by_decisions(policy, long_history(policy, size)) for size in (500, 8000)]
    assert opened[1] < 2 * opened[0]


def opened_by_decisions(policy, state):
    rng, most = np.random.default_rng(3), []
    for _ in range(50):
        policy.decide(state, None, rng, np.array([[True, False, False, False]]))
        most.append(int((state.history.arrays.open_weights[0, :, 0] > 0).sum()))
    return np.mean(most)
