"""The central evidence: `select` chooses each arm as often as the bootstrap in full would.

Every comparison has 100,000 or 200,000 choices of the policy and at least 100,000 of the twin, on
one fixed history, and asks for p > 10⁻⁴. `test_choice_power` shows what that would notice.
"""

from functools import cache
from itertools import product

import numpy as np
import pytest
from scipy import integrate, stats

from bandstrap import (
    BetaThompson,
    BinomialBootstrap,
    Bootstrap,
    DirichletThompson,
    DoubleOrNothing,
    Exponential,
    GaussianNoise,
    GaussianThompson,
    Multinomial,
    NoResampling,
    Poisson,
    Problem,
    PseudoRewards,
    PseudoRewardsAt,
    Support,
)
from bandstrap.kernels.history import KNOWN_LEVEL
from histories import DISTRIBUTIONS, history
from naive import (
    BinomialTwin,
    Twin,
    argmax,
    choices,
    extend,
    goodness,
    homogeneity,
    played,
    scores,
)

SCHEMES = {
    "exponential": Exponential(),
    "multinomial": Multinomial(),
    "poisson": Poisson(),
    "double": DoubleOrNothing(),
}
RUNS, TIMES = 1000, 100
MORE = 200
TWIN_DRAWS = 100_000
P = 1e-4


def agree(policy, twin, problem, arms, allowed=None, times=TIMES, seed=1):
    """Choices of policy and twin on one history have one law."""
    state = played(policy, problem, arms, RUNS)
    found = choices(policy, state, np.random.default_rng(seed), times, allowed)
    row = None if allowed is None else allowed[0]
    expected = twin.choices(arms, TWIN_DRAWS, np.random.default_rng(seed + 1), row)
    pvalue = homogeneity(found, expected)
    assert pvalue > P, (pvalue, found / found.sum(), expected / expected.sum())
    return state


def support_of(distribution):
    return Support.binary() if distribution == "bernoulli" else Support.interval()


@pytest.mark.parametrize("shape", ["tiny", "mixed"])
@pytest.mark.parametrize(
    ("scheme", "distribution"),
    [
        *product(["exponential", "multinomial", "poisson"], DISTRIBUTIONS),
        ("double", "bernoulli"),
        ("double", "beta"),
    ],
)
def test_choices_are_those_of_the_bootstrap_in_full(scheme, distribution, shape):
    arms = history(distribution, shape)
    problem = Problem(len(arms), support=support_of(distribution))
    agree(Bootstrap(SCHEMES[scheme]), Twin(scheme), problem, arms, times=MORE)


@pytest.mark.parametrize(
    ("scheme", "distribution"),
    [
        ("exponential", "truncated-normal"),
        ("exponential", "beta"),
        ("multinomial", "bernoulli"),
        ("multinomial", "beta"),
        ("poisson", "triangular"),
    ],
)
def test_choices_among_nearly_equal_arms(scheme, distribution):
    problem = Problem(4, support=support_of(distribution))
    arms = history(distribution, "equal")
    agree(Bootstrap(SCHEMES[scheme]), Twin(scheme), problem, arms)


@pytest.mark.parametrize(
    ("scheme", "distribution"),
    [("exponential", "beta"), ("exponential", "truncated-normal"), ("multinomial", "triangular")],
)
def test_choices_on_long_histories(scheme, distribution):
    arms = history(distribution, "long")
    agree(Bootstrap(SCHEMES[scheme]), Twin(scheme), Problem(4), arms)


@pytest.mark.parametrize("scheme", ["exponential", "multinomial"])
def test_repeated_rewards_among_others(scheme):
    """0/1 rewards of a problem that declares an interval go through the tree, full of repeats."""
    arms = [np.concatenate([some, np.rint(some)]) for some in history("beta", "mixed", 4)]
    agree(Bootstrap(SCHEMES[scheme]), Twin(scheme), Problem(6), arms)


@pytest.mark.parametrize("distribution", ["bernoulli", "beta"])
@pytest.mark.parametrize(
    ("scheme", "ones", "zeros"),
    [
        ("exponential", 1.0, 0.0),
        ("exponential", 0.5, 2.0),
        ("poisson", 0.5, 2.0),
    ],
)
def test_priors(scheme, ones, zeros, distribution):
    arms = [some for some in history(distribution, "mixed") if len(some)]
    policy = Bootstrap(SCHEMES[scheme], PseudoRewards(ones, zeros))
    twin = Twin(scheme, (0.0, 1.0), (zeros, ones))
    agree(policy, twin, Problem(len(arms), support=support_of(distribution)), arms)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_pseudo_rewards_inside_the_interval(scheme):
    values, counts = (0.9, 0.35, 0.5), (2.0, 1.0, 3.0)
    policy = Bootstrap(SCHEMES[scheme], PseudoRewardsAt(values, counts))
    agree(policy, Twin(scheme, values, counts), Problem(6), history("triangular", "mixed"))


@pytest.mark.parametrize("scheme", SCHEMES)
def test_pseudo_rewards_between_zeros_and_ones(scheme):
    values, counts = (0.25, 1.0), (2.0, 1.0)
    policy = Bootstrap(SCHEMES[scheme], PseudoRewardsAt(values, counts))
    problem = Problem(6, support=Support.binary())
    agree(policy, Twin(scheme, values, counts), problem, history("bernoulli", "mixed"))


@pytest.mark.parametrize("scheme", ["exponential", "multinomial"])
def test_an_interval_around_zero(scheme):
    arms = [8 * some - 3 for some in history("beta", "mixed")]
    problem = Problem(6, support=Support.interval(-3, 5))
    agree(Bootstrap(SCHEMES[scheme]), Twin(scheme, (-3.0, 5.0)), problem, arms)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_real_rewards_without_pseudo_rewards(scheme):
    rng = np.random.default_rng(5)
    arms = [100 + 3 * rng.standard_t(3, n) for n in (1, 25, 60, 30, 2)]
    policy = Bootstrap(SCHEMES[scheme], PseudoRewards(0, 0))
    problem = Problem(5, support=Support.real())
    agree(policy, Twin(scheme, (), ()), problem, arms)
    unseen = [*arms, []]
    state = played(policy, Problem(6, support=Support.real()), unseen, 50)
    assert choices(policy, state, rng, 20)[5] == 1000


@pytest.mark.parametrize("scheme", SCHEMES)
def test_real_rewards_with_pseudo_rewards_somewhere(scheme):
    rng = np.random.default_rng(6)
    arms = [1e6 * (1 + 1e-3 * rng.standard_normal(n)) for n in (25, 0, 60, 3)]
    values, counts = (9.9e5, 1.01e6), (1.0, 1.0)
    policy = Bootstrap(SCHEMES[scheme], PseudoRewardsAt(values, counts))
    agree(policy, Twin(scheme, values, counts), Problem(4, support=Support.real()), arms)


CATEGORIES = (-1.0, 0.1, 0.4, 2.0)
PEAKED = [(4, 3, 3, 1), (9, 10, 10, 3), (0, 1, 0, 0), (30, 10, 40, 9), (0, 0, 0, 0)]


@pytest.mark.parametrize("scheme", SCHEMES)
def test_categories(scheme):
    arms = [np.repeat(CATEGORIES, counts) for counts in PEAKED]
    problem = Problem(5, support=Support.categories(CATEGORIES))
    agree(Bootstrap(SCHEMES[scheme]), Twin(scheme, (-1.0, 2.0)), problem, arms)


@pytest.mark.parametrize("distribution", DISTRIBUTIONS)
@pytest.mark.parametrize("shape", ["tiny", "mixed"])
def test_the_binomial_reading_of_npb(distribution, shape):
    arms = history(distribution, shape)
    agree(BinomialBootstrap(), BinomialTwin(), Problem(len(arms)), arms)


def test_the_binomial_reading_on_another_interval():
    arms = [8 * some - 3 for some in history("triangular", "mixed")]
    policy = BinomialBootstrap(PseudoRewards(2, 1))
    twin = BinomialTwin(values=(-3.0, 5.0), counts=(1.0, 2.0))
    agree(policy, twin, Problem(6, support=Support.interval(-3, 5)), arms)


def test_both_readings_agree_on_zeros_and_ones():
    arms = history("bernoulli", "mixed")
    agree(BinomialBootstrap(), Twin("multinomial"), Problem(6, support=Support.binary()), arms)


@pytest.mark.parametrize(
    ("scheme", "distribution"),
    [
        ("exponential", "bernoulli"),
        ("exponential", "beta"),
        ("multinomial", "beta"),
        ("double", "beta"),
    ],
)
def test_allowed_arms_only(scheme, distribution):
    allowed = np.tile([True, True, False, True, False, True], (RUNS, 1))
    problem = Problem(6, support=support_of(distribution))
    arms = history(distribution, "mixed")
    state = agree(Bootstrap(SCHEMES[scheme]), Twin(scheme), problem, arms, allowed)
    masks = np.random.default_rng(0).random((RUNS, 6)) < 0.4
    masks[~masks.any(axis=1), 3] = True
    rng = np.random.default_rng(1)
    for _ in range(20):
        chosen = Bootstrap(SCHEMES[scheme]).select(state, None, rng, masks)
        assert masks[np.arange(RUNS), chosen].all()


@pytest.mark.parametrize("distribution", ["bernoulli", "triangular"])
@pytest.mark.parametrize("scheme", ["exponential", "multinomial"])
def test_what_decisions_have_learnt_does_not_outlive_new_rewards(scheme, distribution):
    """An arm that used to be ruled out at once comes close to the best, which stays as it is."""
    policy, problem = Bootstrap(SCHEMES[scheme]), Problem(3, support=support_of(distribution))
    rng, draw = np.random.default_rng(7), DISTRIBUTIONS[distribution]
    arms = [draw(mean, n, rng) for mean, n in ((0.6, 100), (0.3, 30), (0.25, 60))]
    state = agree(policy, Twin(scheme), problem, arms)
    more = [[], draw(0.67, 60, rng), []]
    extend(policy, state, more)
    found = choices(policy, state, rng, TIMES)
    both = [np.concatenate(pair) for pair in zip(arms, more, strict=True)]
    assert homogeneity(found, Twin(scheme).choices(both, TWIN_DRAWS, rng)) > P
    assert 0.02 < found[1] / found.sum() < 0.5


@pytest.mark.parametrize("distribution", ["beta", "triangular"])
@pytest.mark.parametrize("scheme", ["exponential", "multinomial", "poisson"])
def test_bounds_are_carried_over_to_each_new_reward(scheme, distribution):
    """Decisions before and after every one of a few rewards, most of them for a challenger."""
    policy, problem = Bootstrap(SCHEMES[scheme]), Problem(3)
    rng, draw = np.random.default_rng(11), DISTRIBUTIONS[distribution]
    arms = [draw(mean, n, rng) for mean, n in ((0.6, 90), (0.45, 45), (0.35, 50))]
    state = played(policy, problem, arms, RUNS)
    more = [[], draw(0.9, 4, rng), draw(0.2, 2, rng)]
    for arm, rewards in enumerate(more):
        for reward in rewards:
            policy.select(state, None, rng)
            policy.update(state, None, np.full(RUNS, arm), np.full(RUNS, reward))
    known = state.history.arrays.moments[:, 1:, KNOWN_LEVEL]
    assert np.isfinite(known).mean() > 0.3  # else there is nothing to test
    found = choices(policy, state, rng, TIMES)
    both = [np.concatenate(pair) for pair in zip(arms, more, strict=True)]
    assert homogeneity(found, Twin(scheme).choices(both, TWIN_DRAWS, rng)) > P


# Rare outcomes, which decisions settle by bounds and tilted draws.


@pytest.mark.parametrize("chance", [0.001, 0.004, 0.02])
@pytest.mark.parametrize("n", [6, 25])
@pytest.mark.parametrize("scheme", ["exponential", "multinomial"])
def test_a_draw_far_below_or_far_above_its_mean(scheme, n, chance):
    """Against one that always paid the same, an arm loses, or wins, with a small chance."""
    rng = np.random.default_rng(n)
    rewards = rng.beta(0.8, 0.8, n)
    twin, policy = Twin(scheme, (), ()), Bootstrap(SCHEMES[scheme], PseudoRewards(0, 0))
    draws = twin.draws(rewards, 400_000, rng)
    levels = np.quantile(draws, [chance, 1 - chance]) + 1e-9  # between what NPB can draw: no ties
    for level, wins in zip(levels, (False, True), strict=True):
        state = played(policy, Problem(2), [rewards, [level] * 3], RUNS)
        found = choices(policy, state, rng, MORE)
        rare = [(draws > level).sum(), (draws < level).sum()]
        assert (found[0] < found[1]) == wins
        assert homogeneity(found, rare) > P


# Ties.


@pytest.mark.parametrize("policy", [Bootstrap(Multinomial()), BinomialBootstrap()])
@pytest.mark.parametrize("support", [Support.binary(), Support.interval(), Support.interval(-2, 7)])
def test_the_first_choice_is_uniform(policy, support):
    state = policy.start(Problem(5, support=support), RUNS)
    found = choices(policy, state, np.random.default_rng(0), TIMES)
    assert goodness(found, np.full(5, 0.2)) > P


@pytest.mark.parametrize("scheme", [*SCHEMES, "none"])
@pytest.mark.parametrize("support", [Support.binary(), Support.interval()])
def test_identical_arms_are_chosen_equally_often(scheme, support):
    policy = Bootstrap(SCHEMES.get(scheme, NoResampling()))
    state = played(policy, Problem(4, support=support), [[1.0, 0.0, 1.0]] * 4, RUNS)
    found = choices(policy, state, np.random.default_rng(0), TIMES)
    assert goodness(found, np.full(4, 0.25)) > P


def test_arms_never_seen_come_first_and_equally_often():
    policy = Bootstrap(prior=PseudoRewards(0, 0))
    state = played(policy, Problem(5), [[1.0], [], [0.5] * 3, [], []], RUNS)
    found = choices(policy, state, np.random.default_rng(0), TIMES)
    assert found[[0, 2]].sum() == 0
    assert goodness(found[[1, 3, 4]], np.full(3, 1 / 3)) > P


@pytest.mark.parametrize("values", [(-1.0, 0.1), (0.1, 0.3), (0.0, 0.7), (-0.3, 0.1, 0.7)])
@pytest.mark.parametrize("rewards", [1, 4, 8])
def test_ties_that_rounding_hides_are_ties(values, rewards):
    """(0.1 + 0.1 + 0.1) / 3 is not 0.1 in floating point, yet the draws are equal."""
    policy = Bootstrap(Multinomial())
    arms = [np.repeat(values[-1], rewards)] * 3
    state = played(policy, Problem(3, support=Support.categories(values)), arms, RUNS)
    found = choices(policy, state, np.random.default_rng(0), TIMES)
    assert goodness(found, np.full(3, 1 / 3)) > P


@pytest.mark.parametrize("scheme", [*SCHEMES, "none"])
def test_ties_around_zero_are_ties(scheme):
    """Sums of -0.3, 0.1 and 0.2 are zero in one order and 10⁻¹⁷ in another."""
    policy = Bootstrap(SCHEMES.get(scheme, NoResampling()))
    orders = [[-0.3, 0.1, 0.2], [0.1, 0.2, -0.3], [0.2, -0.3, 0.1]]
    state = policy.start(Problem(3, support=Support.interval(-1, 1)), RUNS)
    for rewards in zip(*orders, strict=True):
        for arm, reward in enumerate(rewards):
            policy.update(state, None, np.full(RUNS, arm), np.full(RUNS, reward))
    found = choices(policy, state, np.random.default_rng(0), TIMES)
    assert goodness(found, np.full(3, 1 / 3)) > P


def test_ties_between_histories_of_different_lengths():
    """Means k/n over different n tie whenever the fractions are equal."""
    arms = [[1.0, 0.0, 1.0, 1.0], [1.0] * 4 + [0.0] * 3, [1.0] * 7 + [0.0] * 4, [1.0] * 2]
    for support in (Support.binary(), Support.interval()):
        agree(Bootstrap(Multinomial()), Twin("multinomial"), Problem(4, support=support), arms)


# Closed forms.


@cache
def beta_win_shares(parameters):
    """The probability of each Beta(a, b) to be the largest of them."""
    laws = [stats.beta(a, b) for a, b in parameters]

    def share(i):
        others = [law for j, law in enumerate(laws) if j != i]

        def integrand(x):
            return laws[i].pdf(x) * np.prod([law.cdf(x) for law in others])

        return integrate.quad(integrand, 0, 1, limit=400, points=[0.05, 0.3, 0.5, 0.7, 0.95])[0]

    return np.array([share(i) for i in range(len(laws))])


ONES_AND_ZEROS = [(3, 2), (30, 25), (0, 1), (400, 380)]
BETA_ARMS = [[1.0] * ones + [0.0] * zeros for ones, zeros in ONES_AND_ZEROS]


@pytest.mark.parametrize("prior", [PseudoRewards(1, 1), PseudoRewards(2, 3), PseudoRewards(0.5, 2)])
@pytest.mark.parametrize("policy", [Bootstrap, BetaThompson])
@pytest.mark.parametrize("support", [Support.binary(), Support.interval()])
def test_wb_and_ts_on_zeros_and_ones_choose_by_beta_draws(policy, prior, support):
    policy = policy(prior=prior)
    state = played(policy, Problem(4, support=support), BETA_ARMS, RUNS)
    found = choices(policy, state, np.random.default_rng(3), TIMES)
    shares = beta_win_shares(tuple((a + prior.ones, b + prior.zeros) for a, b in ONES_AND_ZEROS))
    assert abs(shares.sum() - 1) < 1e-6
    assert goodness(found, shares / shares.sum()) > P


@pytest.mark.parametrize("policy", [Bootstrap(), BetaThompson()])
def test_scores_on_zeros_and_ones_are_beta_draws(policy):
    state = played(policy, Problem(4, support=Support.binary()), BETA_ARMS, RUNS)
    drawn = scores(policy, state, np.random.default_rng(4), 50)
    for arm, (ones, zeros) in enumerate(ONES_AND_ZEROS):
        assert stats.kstest(drawn[:, arm], stats.beta(ones + 1, zeros + 1).cdf).pvalue > P


def test_ts_chooses_by_numpy_beta_draws():
    policy, rng = BetaThompson(), np.random.default_rng(8)
    arms = history("bernoulli", "mixed")
    state = played(policy, Problem(6, support=Support.binary()), arms, RUNS)
    ones = np.array([1 + some.sum() for some in arms])
    zeros = np.array([1 + (1 - some).sum() for some in arms])
    twin = rng.beta(ones, zeros, (200_000, 6)).argmax(axis=1)
    found = choices(policy, state, rng, TIMES)
    assert homogeneity(found, np.bincount(twin, minlength=6)) > P


@pytest.mark.parametrize("pseudo", [1.0, 0.5])
@pytest.mark.parametrize("name", ["wb", "ts"])
def test_wb_and_ts_on_categories_are_dirichlet(name, pseudo):
    prior = PseudoRewardsAt(CATEGORIES, (pseudo,) * 4)
    policy = Bootstrap(prior=prior) if name == "wb" else DirichletThompson(pseudo)
    arms = [np.repeat(CATEGORIES, counts) for counts in PEAKED]
    state = played(policy, Problem(5, support=Support.categories(CATEGORIES)), arms, RUNS)
    rng = np.random.default_rng(9)
    shares = [rng.dirichlet(np.array(counts) + pseudo, 200_000) for counts in PEAKED]
    twin = np.stack([some @ np.array(CATEGORIES) for some in shares], axis=1)
    drawn = scores(policy, state, rng, 50)
    for arm in range(5):
        assert stats.ks_2samp(drawn[:, arm], twin[:, arm]).pvalue > P
    found = choices(policy, state, rng, TIMES)
    assert homogeneity(found, np.bincount(twin.argmax(axis=1), minlength=5)) > P


@pytest.mark.parametrize("name", ["wb", "ts"])
@pytest.mark.parametrize("scale", [1.0, 0.2])
def test_additive_noise_is_normal(name, scale):
    rng = np.random.default_rng(10)
    arms = [rng.normal(mean, scale, n) for mean, n in ((0.3, 4), (0.1, 30), (0.0, 1))]
    noise = Bootstrap(GaussianNoise(scale), PseudoRewards(0, 0))
    policy = noise if name == "wb" else GaussianThompson(scale)
    state = played(policy, Problem(3, support=Support.real()), arms, RUNS)
    laws = [stats.norm(some.mean(), scale / np.sqrt(len(some))) for some in arms]
    drawn = scores(policy, state, rng, 100)
    for arm, law in enumerate(laws):
        assert stats.kstest(drawn[:, arm], law.cdf).pvalue > P
    twin = np.stack([law.rvs(200_000, random_state=rng) for law in laws], axis=1).argmax(axis=1)
    found = choices(policy, state, rng, TIMES)
    assert homogeneity(found, np.bincount(twin, minlength=3)) > P


# The two paths of one policy.


@pytest.mark.parametrize("distribution", ["bernoulli", "beta"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_scores_have_the_law_of_the_bootstrap_in_full(scheme, distribution):
    policy, arms = Bootstrap(SCHEMES[scheme]), history(distribution, "mixed")
    state = played(policy, Problem(6, support=support_of(distribution)), arms, RUNS)
    drawn = scores(policy, state, np.random.default_rng(11), 50).round(9)
    twin = Twin(scheme).scores(arms, 50_000, np.random.default_rng(12)).round(9)
    for arm in range(6):
        assert stats.ks_2samp(drawn[:, arm], twin[:, arm]).pvalue > P
        np.testing.assert_allclose(drawn[:, arm].std(), twin[:, arm].std(), rtol=0.02)


@pytest.mark.parametrize(
    "policy",
    [
        *(Bootstrap(scheme) for scheme in SCHEMES.values()),
        Bootstrap(Exponential(), PseudoRewards(1, 0)),
        BinomialBootstrap(),
        BetaThompson(),
    ],
    ids=repr,
)
def test_select_is_the_argmax_of_scores_in_distribution(policy):
    state = played(policy, Problem(6), history("triangular", "mixed"), RUNS)
    rng = np.random.default_rng(13)
    drawn = scores(policy, state, rng, 60)
    from_scores = np.bincount(argmax(drawn, rng), minlength=6)
    assert homogeneity(choices(policy, state, rng, TIMES), from_scores) > P


@pytest.mark.parametrize("scheme", ["exponential", "multinomial"])
def test_draws_of_one_run_do_not_depend_on_those_of_another(scheme):
    policy = Bootstrap(SCHEMES[scheme])
    state = played(policy, Problem(4), history("beta", "equal"), RUNS)
    rng = np.random.default_rng(14)
    chosen = np.array([policy.select(state, None, rng) for _ in range(100)])
    for one, other in ((chosen[:, :-1], chosen[:, 1:]), (chosen[:-1], chosen[1:])):
        pairs = np.bincount((4 * one + other).ravel(), minlength=16).reshape(4, 4)
        assert stats.chi2_contingency(pairs, correction=False).pvalue > P
