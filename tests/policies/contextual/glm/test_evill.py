"""EVILL against a general optimiser, and against fits to perturbed rewards, which it is."""

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.special import expit
from scipy.stats import kstest, norm

from bandstrap import EVILL, Bandit, FixedSpread, InvalidInput, LinThompson, Problem, Support
from bandstrap.models.features import Examples
from bandstrap.policies.contextual.glm.evill import PenalisedLoss

PENALTY = 0.5


def history(rows=40, seed=4):
    rng = np.random.default_rng(seed)
    contexts = rng.normal(size=(rows, 3))
    return contexts, (rng.random(rows) < expit(contexts[:, 0] - 0.5)).astype(float)


def loss_of(contexts, rewards, penalty=PENALTY):
    return PenalisedLoss(Examples.of(contexts, rewards), penalty)


def solved(design, rewards, penalty, term):
    """The minimiser, by an optimiser that knows nothing but the objective and its gradient."""

    def objective(theta):
        margins = design @ theta
        loss = np.logaddexp(0, margins).sum() - rewards @ margins
        value = loss + 0.5 * penalty * theta @ theta + term @ theta
        return value, design.T @ (expit(margins) - rewards) + penalty * theta + term

    start = np.zeros(design.shape[1])
    return minimize(objective, start, jac=True, method="BFGS", options={"gtol": 1e-8}).x


def test_a_linear_term_is_minimised_with_the_loss():
    contexts, rewards = history()
    design = np.column_stack([contexts, np.ones(len(rewards))])
    for seed in range(5):
        term = 3.0 * np.random.default_rng(seed).normal(size=4)
        ours = loss_of(contexts, rewards).minimised(np.zeros(4), term)
        assert ours == pytest.approx(solved(design, rewards, PENALTY, term), abs=1e-4)


def test_it_is_perturbed_history_exploration_with_gaussian_noise():
    """A term Σ noiseᵢ xᵢ is noise on rewards; only the penalty's part is not of that form."""
    contexts, rewards = history()
    design, rng = np.column_stack([contexts, np.ones(len(rewards))]), np.random.default_rng(1)
    for _ in range(5):
        noise = 0.3 * rng.normal(size=len(rewards))
        by_term = loss_of(contexts, rewards).minimised(np.zeros(4), noise @ design)
        by_rewards = solved(design, rewards - noise, PENALTY, np.zeros(4))
        assert by_term == pytest.approx(by_rewards, abs=1e-4)


def test_terms_have_the_hessian_at_the_fit_as_covariance():
    contexts, rewards = history()
    design = np.column_stack([contexts, np.ones(len(rewards))])
    learner = EVILL(scale=1.5, penalty=PENALTY).start(Problem(1, 3, Support.binary())).learners[0]
    for context, reward in zip(contexts, rewards, strict=True):
        learner.learn(context, 0, reward, None)
    fit = solved(design, rewards, PENALTY, np.zeros(4))
    expected = expit(design @ fit)
    hessian = design.T @ ((expected * (1 - expected))[:, None] * design) + PENALTY * np.eye(4)
    rng, terms = np.random.default_rng(2), []
    for _ in range(3000):
        theta = learner.draw(0, rng)
        # At the minimum the gradient of the loss is the term with the other sign.
        terms.append(-design.T @ (expit(design @ theta) - rewards) - PENALTY * theta)
    assert learner.fits[0] == pytest.approx(fit, abs=1e-4)
    whitened = np.transpose(terms).T @ np.linalg.inv(np.linalg.cholesky(1.5**2 * hessian)).T
    assert np.abs(np.cov(whitened.T) - np.eye(4)).max() < 0.12
    assert all(kstest(each, norm.cdf).pvalue > 1e-3 for each in whitened.T)
    flat = np.transpose(terms).T @ np.linalg.inv(np.linalg.cholesky(0.25 * design.T @ design)).T
    assert np.abs(np.cov(flat.T) - np.eye(4)).max() > 0.3  # PHE's, whatever the data


def test_with_linear_models_it_is_linear_thompson_sampling():
    contexts, rewards = history()
    design, rng = np.column_stack([contexts, np.ones(len(rewards))]), np.random.default_rng(3)
    learner = LinThompson(FixedSpread(1.5), PENALTY).start(Problem(1, 3)).learners[0]
    for context, reward in zip(contexts, rewards, strict=True):
        learner.learn(context, 0, reward, None)
    hessian = design.T @ design + PENALTY * np.eye(4)
    terms = 1.5 * rng.normal(size=(3000, 4)) @ np.linalg.cholesky(hessian).T
    thetas = np.linalg.solve(hessian, (design.T @ rewards)[:, None] - terms.T)
    x = np.array([0.3, -0.2, 1.0])
    law = norm(*(each[0] for each in learner._law(x)))
    assert kstest(np.append(x, 1.0) @ thetas, law.cdf).pvalue > 1e-3


def test_before_any_reward_a_draw_is_the_prior():
    learner = EVILL(scale=2.0, penalty=4.0).start(Problem(1, 1)).learners[0]
    rng = np.random.default_rng(0)
    draws = [learner.draw(0, rng) for _ in range(2000)]
    assert kstest(np.ravel(draws), norm(0, 1.0).cdf).pvalue > 1e-3  # scale / √penalty


@pytest.mark.parametrize("size", [1e8, 1e29])
def test_contexts_of_any_size_are_decided_by(size):
    bandit = Bandit(EVILL(), ["a", "b"], rewards=Support.binary(), seed=1)
    rng = np.random.default_rng(0)
    for turn in range(20):
        bandit.learn(context=size * rng.normal(size=2), arm="ab"[turn % 2], reward=turn % 3 == 0)
    assert bandit.decide(size * rng.normal(size=2)).arm in "ab"


def test_rewards_outside_zero_to_one_and_odd_parameters_are_refused():
    with pytest.raises(InvalidInput, match="rescale"):
        EVILL().start(Problem(2, 2, Support.real()))
    for given in ({"scale": 0.0}, {"penalty": -1.0}):
        with pytest.raises(InvalidInput, match=next(iter(given))):
            EVILL(**given)
