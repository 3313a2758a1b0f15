"""Probabilities to be the highest draw: against quadrature of another kind, sums and draws."""

from itertools import product

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import beta, binom

from bandstrap import POLICIES, Problem, Support
from bandstrap.laws import beta_probabilities, binomial_law, discrete_probabilities
from bandstrap.policies.base import discount
from bandstrap.seeding import kernel_stream

BETAS = {
    "alike": ([1, 1, 1], [1, 1, 1]),
    "wide and narrow": ([1, 500, 3], [1, 400, 8]),
    "below 1": ([0.1, 5, 1], [0.3, 2, 1]),
    "far apart": ([1, 1], [200, 3000]),
    "long": ([1e6, 1e6 + 500, 2], [1e6, 1e6, 2]),
    "seldom": ([1, 30, 80, 200], [9, 90, 100, 200]),
}


def by_quantiles(a, b, arm):
    """∫ Π F(F⁻¹(u)) du, by adaptive quadrature."""
    laws = [beta(*both) for both in zip(a, b, strict=True)]
    own, others = laws[arm], laws[:arm] + laws[arm + 1 :]
    cuts = sorted({float(own.cdf(law.ppf(q))) for law in laws for q in (0.001, 0.5, 0.999)})
    inside = [cut for cut in cuts if 0 < cut < 1]
    below = lambda u: np.prod([law.cdf(own.ppf(u)) for law in others])  # noqa: E731
    return quad(below, 0, 1, points=inside, limit=500, epsabs=1e-9)[0]


@pytest.mark.filterwarnings("ignore::scipy.integrate.IntegrationWarning")
@pytest.mark.parametrize("name", BETAS)
def test_beta_draws(name):
    a, b = (np.array(each, dtype=float) for each in BETAS[name])
    found = beta_probabilities(a, b, np.ones(a.size, dtype=bool))
    assert found.sum() == pytest.approx(1.0, abs=1e-12)
    for arm in range(a.size):
        assert found[arm] == pytest.approx(by_quantiles(a, b, arm), abs=1e-6)
    draws = np.random.default_rng(0).beta(a, b, (200_000, a.size)).argmax(axis=1)
    shares = np.bincount(draws, minlength=a.size) / draws.size
    assert (np.abs(shares - found) < 5 * np.sqrt(found / draws.size) + 1e-9).all()


def test_arms_that_are_not_allowed_do_not_count():
    a, b = np.array([3.0, 90.0, 2.0]), np.array([4.0, 2.0, 5.0])
    some = np.array([True, False, True])
    found = beta_probabilities(a, b, some)
    assert found[1] == 0
    assert found[[0, 2]] == pytest.approx(beta_probabilities(a[[0, 2]], b[[0, 2]], some[:2] | True))


def test_certain_arms_share():
    ones, zeros = np.array([0, 3, 1, 5.0]), np.array([2, 0, 1, 0.0])
    everyone = np.ones(4, dtype=bool)
    assert beta_probabilities(ones, zeros, everyone).tolist() == [0, 0.5, 0, 0.5]
    assert beta_probabilities(ones, zeros, np.array([1, 0, 1, 0], bool)).tolist() == [0, 0, 1, 0]
    assert beta_probabilities(0 * ones, 1 + zeros, everyone).tolist() == [0.25] * 4
    unseen = beta_probabilities(np.array([0.0, 3.0]), np.array([0.0, 0.0]), everyone[:2])
    assert unseen.tolist() == [1.0, 0.0]


def summed(laws):
    """Over all combinations of values."""
    found = np.zeros(len(laws))
    for picks in product(*(range(values.size) for values, _ in laws)):
        drawn = np.array([law[0][pick] for law, pick in zip(laws, picks, strict=True)])
        mass = np.prod([law[1][pick] for law, pick in zip(laws, picks, strict=True)])
        best = np.isclose(drawn, drawn.max(), rtol=0, atol=1e-12)
        found += mass * best / best.sum()
    return found


@pytest.mark.parametrize("counts", [[(4, 1), (6, 3), (4, 2)], [(3, 3), (5, 0), (2, 1), (6, 2)]])
def test_binomial_draws_that_tie(counts):
    laws = [binomial_law(n, k / n, 0.0, 1 / n) for n, k in counts]
    for (n, k), (values, masses) in zip(counts, laws, strict=True):
        assert masses == pytest.approx(binom(n, k / n).pmf(np.rint(values * n)), abs=1e-12)
    everyone = np.ones(len(laws), dtype=bool)
    assert discrete_probabilities(laws, everyone, 1.0) == pytest.approx(summed(laws), abs=1e-12)
    some = everyone.copy()
    some[1] = False
    left = summed([law for arm, law in enumerate(laws) if arm != 1])
    assert np.delete(discrete_probabilities(laws, some, 1.0), 1) == pytest.approx(left, abs=1e-12)


def test_long_binomials_lose_nothing_in_their_tails():
    values, masses = binomial_law(1_000_000, 0.3, 0.0, 1e-6)
    assert values.size < 10_000
    assert values @ masses == pytest.approx(0.3, abs=1e-12)
    assert np.sqrt((values - 0.3) ** 2 @ masses) == pytest.approx(np.sqrt(0.21 / 1e6), rel=1e-9)


KNOWING = [
    "wb", "npb", "npb-binomial", "wb-additive", "greedy", "npts", "ts", "ts-dirichlet",
    "ts-gaussian", "online-bootstrap", "giro", "phe", "reboot",
]  # fmt: skip
KERNELS = {"wb", "npb", "npb-binomial", "npts", "ts", "ts-dirichlet"}
REWARDS = [[0, 1, 0, 0, 1, 0], [1, 1, 0, 0, 1, 0, 0, 1, 1], [0, 1], [1, 0, 0, 1]]


@pytest.mark.parametrize("name", KNOWING)
def test_policies_know_how_often_arms_win(name):
    """Enough draws to notice 0.02 of an arm, with kernels 0.007."""
    policy, rng = POLICIES[name](), np.random.default_rng(5)
    state = policy.start(Problem(4, support=Support.binary()))
    for arm, rewards in enumerate(REWARDS):
        for reward in rewards:
            policy.update(state, None, np.array([arm]), np.array([float(reward)]), rng)
    draws = 100_000 if name in KERNELS else 10_000
    for allowed in (np.ones((1, 4), dtype=bool), np.array([[True, False, True, True]])):
        known = policy.probabilities(state, None, allowed)
        votes = state.sampler(policy, None, allowed).choices(kernel_stream(rng), draws)
        assert known.sum() == pytest.approx(1.0)
        doubt = np.sqrt(known * (1 - known) / draws)
        assert (np.abs(votes / draws - known) <= 4.5 * doubt + 1e-9).all()


@pytest.mark.parametrize(("last", "knows"), [(1.0, True), (0.5, False), (1 - 1e-6, False)])
@pytest.mark.parametrize("name", ["wb", "npb"])
def test_rewards_of_two_values_are_recognised_where_others_may_come(name, last, knows):
    policy, twin = POLICIES[name](), POLICIES[name]()
    state, counts = policy.start(Problem(2)), twin.start(Problem(2, support=Support.binary()))
    for i in range(300):
        pulled, reward = np.array([i % 2]), np.array([float(i % 7 < 3 + i % 2)])
        policy.update(state, None, pulled, reward)
        twin.update(counts, None, pulled, reward)
    policy.update(state, None, np.array([0]), np.array([last]))
    twin.update(counts, None, np.array([0]), np.array([1.0]))
    found = policy.probabilities(state, None, None)
    assert (found is not None) == knows
    if knows:
        assert found == pytest.approx(twin.probabilities(counts, None, None), abs=1e-9)


def test_counts_beyond_quadrature_are_left_to_draws():
    policy = POLICIES["wb"]()
    state = policy.start(Problem(2, support=Support.binary()))
    assert policy.probabilities(state, None, None) is not None
    tiny = np.array([0.01])
    discount(policy, state, 0.0)
    state.history.arrays.moments[0, 0, 0] = 1.0
    policy.update(state, None, np.array([0]), np.array([1.0]), None, tiny)
    state.history.arrays.counts[0, 0] = [0.01, 1.0]
    state.history.arrays.moments[0, 0, :3] = [1.01, 1 / 1.01, 0.01 / 1.01]
    assert policy.probabilities(state, None, None) is None
