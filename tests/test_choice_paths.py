"""`select` and `scores` of one policy have one law, and runs are independent in it."""

import numpy as np
import pytest
from scipy import stats

from bandstrap import (
    BetaThompson,
    BinomialBootstrap,
    Bootstrap,
    Exponential,
    Problem,
    PseudoRewards,
)
from histories import SCHEMES, history, support_of
from naive import (
    RUNS,
    TIMES,
    P,
    Twin,
    argmax,
    choices,
    homogeneity,
    played,
    scores,
)


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
