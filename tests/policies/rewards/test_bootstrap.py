"""The central evidence: `select` chooses each arm as often as the bootstrap in full would.

Every comparison has at least 100,000 choices of the policy and as many of the twin (half of them
where histories are long), on one fixed history, and asks for p > 10⁻⁴. The last
tests show what that would notice.
"""

from itertools import product

import numpy as np
import pytest
from scipy import stats

from bandstrap import (
    BetaThompson,
    BinomialBootstrap,
    Bootstrap,
    Exponential,
    Multinomial,
    NoResampling,
    Problem,
    PseudoRewards,
    PseudoRewardsAt,
    Support,
)
from bandstrap.kernels import argmax as argmax_kernel
from bandstrap.kernels.lazy import choose, direct
from bandstrap.kernels.lazy.history import KNOWN_LEVEL
from histories import CATEGORIES, DISTRIBUTIONS, PEAKED, SCHEMES, history, support_of
from naive import (
    RUNS,
    TIMES,
    TWIN_DRAWS,
    BinomialTwin,
    DroppedPseudoReward,
    FirstOfTies,
    OneTooMany,
    P,
    Twin,
    agree,
    argmax,
    choices,
    extend,
    goodness,
    homogeneity,
    played,
    scores,
)


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
    agree(Bootstrap(SCHEMES[scheme]), Twin(scheme), problem, arms)


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
    agree(Bootstrap(SCHEMES[scheme]), Twin(scheme), Problem(4), arms, draws=TWIN_DRAWS // 2)


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
        found = choices(policy, state, rng, TIMES)
        rare = [(draws > level).sum(), (draws < level).sum()]
        assert (found[0] < found[1]) == wins
        assert homogeneity(found, rare) > P


# Ties: arms whose draws are equal are chosen equally often, whatever rounding does to them.


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


# `select` and `scores` have one law, and runs are independent in it.


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


# The comparisons above notice errors of the same sizes: each deliberate one is rejected, p < 10⁻⁶.
# A right twin passes on the same history, so that what is noticed is the error and nothing else.


NOTICED, PASSED = 1e-6, 1e-4


def compared(scheme, wrong, arms):
    """The p-values of the comparisons with the right twin and with the wrong one."""
    policy, rng = Bootstrap(SCHEMES[scheme]), np.random.default_rng(1)
    state = played(policy, Problem(len(arms)), arms, RUNS)
    found = choices(policy, state, rng, TIMES)
    twins = (Twin(scheme), wrong)
    return [homogeneity(found, twin.choices(arms, TWIN_DRAWS, rng)) for twin in twins]


@pytest.mark.parametrize("shape", ["tiny", "mixed"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_dropped_pseudo_reward(scheme, shape):
    right, wrong = compared(scheme, DroppedPseudoReward(scheme), history("beta", shape))
    assert right > PASSED
    assert wrong < NOTICED


@pytest.mark.parametrize("distribution", ["truncated-normal", "beta", "triangular"])
def test_one_too_many(distribution):
    """The rewards of an arm together weigh Gamma(n + 1) where it should be Gamma(n)."""
    arms = history(distribution, "tiny")
    right, wrong = compared("exponential", OneTooMany("exponential"), arms)
    assert right > PASSED
    assert wrong < NOTICED


@pytest.mark.parametrize(
    ("scheme", "arms"),
    [
        ("multinomial", [[1.0, 0.0, 1.0]] * 4),
        ("multinomial", [[], [], [1.0]]),
        ("double", [[1.0], [0.0, 1.0], [1.0, 1.0]]),
    ],
)
def test_ties_broken_by_index(scheme, arms):
    right, wrong = compared(scheme, FirstOfTies(scheme), arms)
    assert right > PASSED
    assert wrong < NOTICED


def test_another_scheme():
    """Poisson weights for multinomial ones: the same mean and nearly the same variance."""
    right, wrong = compared("multinomial", Twin("poisson"), history("beta", "tiny"))
    assert right > PASSED
    assert wrong < NOTICED


def test_what_the_twin_shares_with_the_library_is_nothing():
    """The twin must not call what it is compared with."""
    import naive

    kernels = {id(module) for module in (argmax_kernel, choose, direct)}
    assert not kernels & {id(value) for value in vars(naive).values()}
    assert "bandstrap" not in {str(getattr(v, "__module__", "")) for v in vars(naive).values()}
