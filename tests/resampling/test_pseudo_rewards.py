"""Rewards that bring pseudo-rewards: Giro and PHE against histories that are written out."""

import numpy as np
import pytest
from scipy.stats import ks_2samp

from bandstrap import (
    Bandit,
    Bootstrap,
    CoinFlips,
    ContextualBootstrap,
    DecisionTree,
    EigenExamples,
    GaussianLimit,
    Giro,
    GiroMultinomial,
    Grouped,
    InvalidInput,
    LinearRegression,
    LogisticRegression,
    Multinomial,
    NoExamples,
    OnlineBootstrap,
    PerturbedHistory,
    Problem,
    PseudoRewards,
    Replicas,
    Support,
)
from bandstrap.models.base import draw_scores
from bandstrap.testing import check_resampling

MODELS = (LinearRegression(tolerance=1e-10), LogisticRegression(tolerance=1e-8))
SCHEMES = (GiroMultinomial, CoinFlips)
by_type = pytest.mark.parametrize("model", MODELS, ids=lambda each: type(each).__name__)
CONTEXT = np.array([0.4, -0.7])
DRAWS = 500


def history(rows=12, seed=3):
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(rows, 2))
    return contexts, (rng.random(rows) < 0.5 + 0.3 * np.tanh(contexts[:, 0])).astype(float)


def taught(scheme, model):
    policy = ContextualBootstrap(scheme, model, NoExamples())
    learner = policy.start(Problem(1, 2, Support.binary())).learners[0]
    for context, reward in zip(*history(), strict=True):
        learner.learn(context, 0, reward, None)
    return learner


def draws(learner, seed=0):
    rng = np.random.default_rng(seed)
    return np.array([draw_scores(learner, CONTEXT, rng)[0] for _ in range(DRAWS)])


def naive(scheme, model, seed=1):
    """Fits to the history with all pseudo-rewards, drawn from as the papers say."""
    rng, found = np.random.default_rng(seed), []
    contexts, rewards = history()
    n, a = len(rewards), scheme.a
    for _ in range(DRAWS):
        if isinstance(scheme, GiroMultinomial):
            augmented = np.tile(contexts, (1 + 2 * a, 1))
            targets = np.concatenate([rewards, np.zeros(a * n), np.ones(a * n)])
            picked = rng.integers(targets.size, size=targets.size)
            augmented, targets = augmented[picked], targets[picked]
        else:
            augmented = np.tile(contexts, (1 + a, 1))
            targets = np.concatenate([rewards, rng.integers(0, 2, a * n)])
        fit = model.fit(augmented, targets, np.ones(targets.size), None, rng)
        found.append(model.predict(fit, CONTEXT[None])[0])
    return np.array(found)


@by_type
@pytest.mark.parametrize("scheme", [GiroMultinomial(), GiroMultinomial(a=2), CoinFlips(a=3)])
def test_draws_are_those_of_the_history_written_out(scheme, model):
    ours = draws(taught(scheme, model))
    assert ks_2samp(ours, naive(scheme, model)).pvalue > 1e-3
    # Neither none nor many more pseudo-rewards pass for as many.
    for other in (Multinomial(), type(scheme)(a=10 * scheme.a)):
        assert ks_2samp(draws(taught(other, model), seed=2), ours).pvalue < 1e-4


@by_type
def test_examples_in_one_context_are_one_example_to_a_fit(model):
    rng = np.random.default_rng(0)
    contexts, rewards = history()
    counts = rng.integers(1, 4, size=(3, len(rewards))).astype(float)  # of rewards, zeros, ones
    all_rewards = np.stack([rewards, np.zeros(len(rewards)), np.ones(len(rewards))])
    apart = model.fit(np.tile(contexts, (3, 1)), all_rewards.ravel(), counts.ravel(), None, rng)
    weights = counts.sum(axis=0)
    merged = model.fit(contexts, (counts * all_rewards).sum(axis=0) / weights, weights, None, rng)
    # The penalty is per example: as small as it is, its share differs.
    assert np.abs(apart - merged).max() < 1e-2 * np.abs(apart).max()
    free = type(model)(penalty=1e-12, tolerance=model.tolerance)
    apart = free.fit(np.tile(contexts, (3, 1)), all_rewards.ravel(), counts.ravel(), None, rng)
    merged = free.fit(contexts, (counts * all_rewards).sum(axis=0) / weights, weights, None, rng)
    assert np.abs(apart - merged).max() < 1e-3 * np.abs(apart).max()


@pytest.mark.parametrize("a", [1, 4])
def test_linear_phe_has_the_mean_and_covariance_of_its_flips(a):
    contexts, rewards = history()
    learner = taught(CoinFlips(a), LinearRegression(penalty=1e-9, tolerance=1e-12))
    rng, thetas = np.random.default_rng(5), []
    for _ in range(3000):
        learner.margins(CONTEXT, rng)
        thetas.append(learner.arms[0].draw.theta.copy())
    design = np.column_stack([contexts, np.ones(len(rewards))])
    inverse = np.linalg.inv(design.T @ design)
    mean = inverse @ design.T @ (rewards + a / 2) / (1 + a)
    covariance = a / 4 / (1 + a) ** 2 * inverse
    spread = np.sqrt(np.diag(covariance))
    assert (np.abs(np.mean(thetas, axis=0) - mean) < 4.5 * spread / np.sqrt(3000)).all()
    scaled = np.cov(np.transpose(thetas)) / np.outer(spread, spread)
    assert np.abs(scaled - covariance / np.outer(spread, spread)).max() < 0.12


@pytest.mark.parametrize(
    ("scheme", "policy"), [(GiroMultinomial(2), Giro(2.0)), (CoinFlips(2), PerturbedHistory(2.0))]
)
@pytest.mark.parametrize("support", [Support.binary(), Support.interval()], ids=["0/1", "interval"])
def test_without_contexts_they_are_the_policies_of_those_names(scheme, policy, support):
    rng, found = np.random.default_rng(2), []
    rewards = (rng.random(20) < 0.4) * (1.0 if support.values else 0.7)
    for one in (Bootstrap(scheme, PseudoRewards(0, 0)), policy):
        state = one.start(Problem(1, support=support), 2000)
        for reward in rewards:
            arms = np.zeros(2000, dtype=int)
            one.update(state, None, arms, np.full(2000, reward), rng)
        found.append(one.scores(state, None, rng)[:, 0].round(9))
    assert ks_2samp(*found).pvalue > 1e-3
    assert ks_2samp(found[0], found[1] + 0.03).pvalue < 1e-4


@pytest.mark.parametrize("kind", SCHEMES)
def test_pseudo_rewards_lie_where_rewards_end(kind):
    policy = ContextualBootstrap(kind(), LinearRegression(), NoExamples())
    for support in (Support.interval(-1, 2), Support.real()):
        with pytest.raises(InvalidInput, match="pseudo-rewards lie where rewards end"):
            policy.start(Problem(2, 3, support))
        with pytest.raises(InvalidInput, match="pseudo-rewards lie where rewards end"):
            Bootstrap(kind(), PseudoRewards(0, 0)).start(Problem(2, support=support))
        with pytest.raises(InvalidInput, match="pseudo-rewards lie where rewards end"):
            Bandit(policy, ["a", "b"], rewards=support)
    wide = kind(low=-1.0, high=2.0)
    check_resampling(wide)
    rewards, _ = wide.perturb(np.full(500, 0.5), np.random.default_rng(0))
    assert rewards.min() == -1.0 or kind is CoinFlips
    assert abs(rewards.mean() - 0.5) < 0.15
    assert rewards.std() > 0.3


@pytest.mark.parametrize("kind", SCHEMES)
@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"a": 0}, "a = 0: give a whole number"),
        ({"a": 1.5}, "a = 1.5"),
        ({"low": 1.0}, "give more than low"),
        ({"high": np.inf}, "high = inf"),
    ],
)
def test_parameters_that_make_no_sense_are_refused(kind, given, message):
    with pytest.raises(InvalidInput, match=message):
        kind(**given)


@pytest.mark.parametrize("kind", SCHEMES)
def test_models_that_draw_weights_alone_refuse_them(kind):
    problem = Problem(2, 3, Support.binary())
    for model in (Grouped(LogisticRegression()), GaussianLimit(LogisticRegression()), Replicas()):
        with pytest.raises(InvalidInput, match=r"resampling|weigh"):
            ContextualBootstrap(kind(), model, EigenExamples()).start(problem)
    with pytest.raises(InvalidInput, match="weighed when it comes"):
        OnlineBootstrap(resampling=kind())
    from sklearn.linear_model import LogisticRegression as Classifier

    from bandstrap import from_sklearn

    with pytest.raises(InvalidInput, match="a classifier takes no noise, no pseudo-rewards"):
        ContextualBootstrap(kind(), from_sklearn(Classifier()), EigenExamples()).start(problem)


def test_any_model_that_is_refit_takes_them():
    for kind in SCHEMES:
        policy = ContextualBootstrap(kind(), DecisionTree(), NoExamples())
        state, rng = policy.start(Problem(2, 2, Support.binary())), np.random.default_rng(0)
        for turn in range(20):
            arms = policy.select(state, CONTEXT[None], rng)
            policy.update(state, CONTEXT[None], arms, np.array([float(turn % 2)]), rng)
        assert np.unique(policy.scores(state, CONTEXT[None], rng)).size == 2


def test_a_choice_is_the_best_of_draws_that_are_all_solved():
    """Draws are far from the fits, where bounds on contenders were not tried."""
    rng = np.random.default_rng(0)
    policy = ContextualBootstrap(CoinFlips(a=9), LogisticRegression(), NoExamples())
    learner = policy.start(Problem(3, 40, Support.binary())).learners[0]
    for turn in range(3000):
        context = rng.normal(size=40)
        reward = float(rng.random() < 1 / (1 + np.exp(-context[turn % 3])))
        learner.learn(context, turn % 3, reward, None)
    everything = np.ones(3, dtype=bool)
    for seed in range(10):
        context = rng.normal(size=40)
        margins = learner.margins(context, np.random.default_rng(seed))
        chosen = learner.best(context, np.random.default_rng(seed), everything)
        assert chosen == margins.argmax()
