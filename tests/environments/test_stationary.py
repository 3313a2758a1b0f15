"""Rewards have the means that regret is counted in, and lie where their support says."""

import numpy as np
import pytest
from scipy import stats

from bandstrap import InvalidInput
from bandstrap.environments import (
    ENVIRONMENTS,
    Bernoulli,
    Beta,
    Categorical,
    Gaussian,
    Triangular,
    TruncatedNormal,
    TwoArm,
)

RUNS = 200_000
MEANS = (0.0, 0.03, 0.3, 0.5, 0.97, 1.0)
PROBABILITIES = ((0.2, 0.5, 0.3), (1.0, 0.0, 0.0), (0.1, 0.0, 0.9))
FIXED = [
    Bernoulli(means=MEANS),
    Beta(means=MEANS),
    Triangular(means=MEANS),
    Triangular(means=MEANS, full_span=True),
    TruncatedNormal(means=MEANS),
    TruncatedNormal(means=MEANS, scale=0.3),
    TruncatedNormal(means=MEANS, scale=5.0),
    Gaussian(means=(-3.0, 0.0, 2.5), scale=2.0),
    Categorical(probabilities=PROBABILITIES),
    Categorical(values=(2.0, -1.0, 0.5), probabilities=PROBABILITIES),
    TwoArm(),
]


def rewards_of(environment, arm, seed=0):
    rng = np.random.default_rng(seed)
    arms = environment.start(RUNS, rng)
    return environment.pull(arms, np.full(RUNS, arm), rng), arms.means[:, arm]


@pytest.mark.parametrize("environment", FIXED, ids=repr)
def test_rewards_have_their_means_and_lie_in_their_support(environment):
    """Within five standard errors, for every arm."""
    for arm in range(environment.n_arms):
        rewards, means = rewards_of(environment, arm)
        assert (means == means[0]).all()
        error = rewards.std() / np.sqrt(RUNS)
        assert abs(rewards.mean() - means[0]) <= 5 * error + 1e-12, (arm, means[0])
        support = environment.support
        assert support.low <= rewards.min()
        assert rewards.max() <= support.high
        if support.values is not None:
            assert np.isin(rewards, support.values).all()


@pytest.mark.parametrize("name", ["bernoulli", "truncated-normal", "beta", "triangular"])
def test_means_of_figure_1_are_uniform_and_their_own_in_every_run(name):
    environment = ENVIRONMENTS[name](4)
    arms = environment.start(50_000, np.random.default_rng(1))
    assert arms.means.shape == (50_000, 4)
    for arm in range(4):
        assert stats.kstest(arms.means[:, arm], "uniform").pvalue > 1e-4
    assert abs(np.corrcoef(arms.means.T) - np.eye(4)).max() < 5 / np.sqrt(50_000)
    rng = np.random.default_rng(2)
    rewards = environment.pull(arms, np.full(50_000, 2), rng)
    away = rewards - arms.means[:, 2]
    assert abs(away.mean()) < 5 * away.std() / np.sqrt(50_000)
    assert np.polyfit(arms.means[:, 2], rewards, 1)[0] == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize(
    ("environment", "law"),
    [
        (Beta(means=(0.3,)), stats.beta(0.3, 0.7)),
        (Triangular(means=(0.2,)), stats.triang(0.5, 0, 0.4)),
        (Triangular(means=(0.2,), full_span=True), stats.triang(0.2)),
        (TruncatedNormal(means=(0.1,), scale=0.3), stats.truncnorm(-1 / 3, 3, 0.1, 0.3)),
        (TruncatedNormal(means=(0.7,)), stats.norm(0.7, 1e-4)),
        (Gaussian(means=(0.5,), scale=3.0), stats.norm(0.5, 3.0)),
    ],
    ids=lambda given: type(given).__name__,
)
def test_rewards_have_their_law(environment, law):
    rewards, _ = rewards_of(environment, 0)
    assert stats.kstest(rewards, law.cdf).pvalue > 1e-4


@pytest.mark.parametrize("scale", [1e-4, 0.01, 0.3, 5.0, 100.0])
@pytest.mark.parametrize("mean", [0.0, 1e-5, 0.5, 1.0])
def test_means_after_truncation_are_scipy_s(mean, scale):
    found = TruncatedNormal(means=(mean,), scale=scale).start(1, np.random.default_rng(0)).means
    law = stats.truncnorm(-mean / scale, (1 - mean) / scale, mean, scale)
    np.testing.assert_allclose(found[0, 0], law.mean(), rtol=1e-6)


def test_categorical_arms_are_drawn_from_a_flat_dirichlet():
    arms = Categorical(3, values=(0.0, 0.5, 1.0)).start(50_000, np.random.default_rng(3))
    np.testing.assert_allclose(arms.parameters.sum(axis=-1), 1.0)
    assert stats.kstest(arms.parameters[:, 1, 2], stats.beta(1, 2).cdf).pvalue > 1e-4
    np.testing.assert_allclose(arms.means, arms.parameters @ [0.0, 0.5, 1.0])


def test_the_two_arms_of_theorem_1():
    environment = TwoArm()
    assert environment.problem.n_arms == 2
    first, means = rewards_of(environment, 0)
    assert set(first) == {0.0, 1.0}
    assert means[0] == 0.5
    second, means = rewards_of(environment, 1)
    assert set(second) == {0.25}
    assert means[0] == 0.25


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_every_environment_tells_its_problem(name):
    environment = ENVIRONMENTS[name]()
    problem = environment.problem
    assert problem.n_arms == environment.n_arms
    assert problem.support == environment.support
    rng = np.random.default_rng(0)
    arms = environment.start(30, rng)
    chosen = rng.integers(0, problem.n_arms, 30)
    assert environment.pull(arms, chosen, rng).shape == (30,)
    again = environment.start(30, np.random.default_rng(0))
    assert (arms.means == again.means).all()


@pytest.mark.parametrize("kind", [Bernoulli, Beta, Triangular, TruncatedNormal])
def test_given_means_say_how_many_arms_there_are(kind):
    environment = kind(means=(0.1, 0.2, 0.7))
    assert environment.n_arms == 3
    arms = environment.start(5, np.random.default_rng(0))
    np.testing.assert_allclose(arms.means, np.tile([0.1, 0.2, 0.7], (5, 1)), atol=1e-12)


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (lambda: Bernoulli(0), "n_arms = 0"),
        (lambda: Bernoulli(means=()), "means"),
        (lambda: Bernoulli(means=(0.5, np.nan)), "means"),
        (lambda: Gaussian(means=(np.inf,)), "means"),
        (lambda: Bernoulli(means=(0.5, 1.5)).start(1, np.random.default_rng(0)), "means"),
        (lambda: Beta(means=(-0.1,)).start(1, np.random.default_rng(0)), "means"),
        (lambda: Gaussian(scale=0), "scale = 0"),
        (lambda: Gaussian(scale=np.nan), "scale = nan"),
        (lambda: TruncatedNormal(scale=-1), "scale = -1"),
        (lambda: TruncatedNormal(scale=np.inf), "scale = inf"),
        (lambda: Categorical(means=(0.5,)), "means"),
        (lambda: Categorical(probabilities=((0.5, 0.5),)), "probabilities"),
        (lambda: Categorical(probabilities=((0.5, 0.5, 0.5),)), "probabilities"),
        (lambda: Categorical(probabilities=((1.5, -0.5, 0.0),)), "probabilities"),
        (lambda: Categorical(values=(1.0,)).support, "values"),
        (lambda: TwoArm(3), "means"),
    ],
)
def test_bad_parameters_are_named(make, parameter):
    with pytest.raises(InvalidInput, match=parameter):
        make()
