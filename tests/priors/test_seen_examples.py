import numpy as np
import pytest
from scipy import stats
from sklearn.linear_model import LogisticRegression

from bandstrap import (
    ContextualBootstrap,
    Exponential,
    GaussianExamples,
    InvalidInput,
    Multinomial,
    NoExamples,
    Problem,
    SeenExamples,
    Support,
    from_sklearn,
)
from bandstrap import LogisticRegression as Native

PROBLEM = Problem(n_arms=2, n_features=1, support=Support.interval(-1, 3))


def test_each_context_seen_is_equally_likely_to_be_kept():
    kept = np.zeros(12)
    for seed in range(800):
        pseudo = SeenExamples(pairs=3, seed=seed).start(PROBLEM)
        for i in range(12):
            pseudo.see(np.array([float(i)]), 0.0)
        contexts = pseudo.contexts[:, 0].astype(int)
        assert (contexts[::2] == contexts[1::2]).all()
        assert len(set(contexts)) == 3
        assert pseudo.rewards.tolist() == [-1.0, 3.0] * 3
        kept[contexts[::2]] += 1
    assert stats.chisquare(kept).pvalue > 1e-4


def test_changes_are_counted_and_leave_earlier_examples_as_they_were():
    pseudo = SeenExamples(pairs=2).start(PROBLEM)
    assert (pseudo.count, pseudo.version) == (0, 0)
    before, changes = pseudo.contexts, 0
    for i in range(50):
        copy = before.copy()
        pseudo.see(np.array([float(i)]), 0.0)
        changes += pseudo.contexts is not before
        assert (before == copy).all()
        before = pseudo.contexts
        assert pseudo.version == changes
        assert pseudo.count == min(2 * (i + 1), 4)
    assert 4 < changes < 20  # 2 + 2 Σ 1/n = 8


def test_rewards_must_have_ends():
    with pytest.raises(InvalidInput, match="support"):
        SeenExamples().start(Problem(2, 1, Support.real()))
    with pytest.raises(InvalidInput, match="seed"):
        SeenExamples(seed=-1)


def pulls_after_a_bad_start(model, resampling, prior):
    """How often an arm that pays 0.9 is pulled in 60 rounds if its first reward was 0."""
    problem = Problem(n_arms=2, n_features=1, support=Support.binary())
    policy = ContextualBootstrap(resampling, model, prior)
    state, rng = policy.start(problem), np.random.default_rng(0)
    for arm, reward in ((0, 0.0), (1, 0.0), (1, 1.0)):
        x = rng.standard_normal((1, 1))
        policy.update(state, x, np.array([arm]), np.array([reward]), rng)
    pulls = 0
    for x in rng.standard_normal((60, 1, 1)):
        arms = policy.select(state, x, rng)
        reward = rng.random() < (0.9, 0.5)[int(arms[0])]
        policy.update(state, x, arms, np.array([float(reward)]), rng)
        pulls += int(arms[0] == 0)
    return pulls


@pytest.mark.parametrize("resampling", [Exponential(), Multinomial()])
def test_an_arm_with_a_bad_start_is_not_given_up(resampling):
    model = from_sklearn(LogisticRegression(), replicas=4)
    assert pulls_after_a_bad_start(model, resampling, NoExamples()) == 0
    assert pulls_after_a_bad_start(model, resampling, SeenExamples()) > 20


def test_our_own_models_take_them_too():
    for prior in (SeenExamples(), GaussianExamples()):
        assert pulls_after_a_bad_start(Native(), Exponential(), prior) > 20
