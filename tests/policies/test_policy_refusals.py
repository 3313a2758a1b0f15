"""What policies refuse, by name and value, and that nothing changes when they do."""

import copy

import numpy as np
import pytest

from bandstrap import (
    POLICIES,
    BetaThompson,
    BinomialBootstrap,
    Bootstrap,
    DirichletThompson,
    ForcedPulls,
    GaussianNoise,
    InvalidInput,
    Multinomial,
    Problem,
    PseudoRewards,
    PseudoRewardsAt,
    Support,
)
from states import ARMS, BINARY, ONE, RUNS, ZERO, play, rng_of, same

pytestmark = pytest.mark.filterwarnings("error")
every_policy = pytest.mark.parametrize("name", POLICIES)


@every_policy
def test_no_allowed_arm(name):
    policy = POLICIES[name]()
    _, state = play(policy, rounds=5)
    masks = np.ones((RUNS, ARMS), dtype=bool)
    masks[7] = False
    with pytest.raises(InvalidInput, match=r"allowed = 'run 7: no arm'.*at least one"):
        policy.select(state, None, rng_of(0), masks)


@every_policy
@pytest.mark.parametrize("shape", [(ARMS + 1,), (RUNS,), (RUNS, ARMS + 1), (1, ARMS), ()])
def test_allowed_of_the_wrong_shape(name, shape):
    policy = POLICIES[name]()
    state = policy.start(Problem(ARMS, support=BINARY), RUNS)
    with pytest.raises(InvalidInput, match=r"allowed = \("):
        policy.select(state, None, rng_of(0), np.ones(shape, dtype=bool))


def one_bad(array, value):
    bad = array.astype(np.result_type(array, type(value)))
    bad[RUNS // 2] = value
    return bad


BAD_UPDATES = {
    "too few arms": (ZERO[1:], ONE, "arms"),
    "too many rewards": (ZERO, np.ones(RUNS + 1), "rewards"),
    "a column": (ZERO, np.ones((RUNS, 1)), "rewards"),
    "arm past the last": (one_bad(ZERO, ARMS), ONE, f"arms = {ARMS}"),
    "arm below zero": (one_bad(ZERO, -1), ONE, "arms = -1"),
    "no number": (ZERO, one_bad(ONE, np.nan), "rewards = nan"),
    "infinite": (ZERO, one_bad(ONE, np.inf), "rewards = inf"),
    "minus infinite": (ZERO, one_bad(ONE, -np.inf), "rewards = -inf"),
    "above the support": (ZERO, one_bad(ONE, 1.5), r"rewards = 1\.5"),
    "negative": (ZERO, one_bad(ONE, -0.25), r"rewards = -0\.25"),
}


@every_policy
@pytest.mark.parametrize("what", BAD_UPDATES)
def test_a_bad_update_names_its_parameter_and_changes_nothing(name, what):
    policy = POLICIES[name]()
    _, state = play(policy, rounds=10)
    before = copy.deepcopy(state)
    arms, rewards, message = BAD_UPDATES[what]
    with pytest.raises(InvalidInput, match=message):
        policy.update(state, None, arms, rewards, rng_of(0))
    assert same(state, before)


@every_policy
def test_a_reward_between_the_declared_values_changes_nothing(name):
    policy = POLICIES[name]()
    _, state = play(policy, rounds=10)
    before = copy.deepcopy(state)
    with pytest.raises(InvalidInput, match=r"rewards = 0\.5"):
        policy.update(state, None, ZERO, one_bad(ONE, 0.5), rng_of(0))
    assert same(state, before)


@every_policy
@pytest.mark.parametrize("runs", [0, -1])
def test_no_runs(name, runs):
    with pytest.raises(InvalidInput, match="runs"):
        POLICIES[name]().start(Problem(ARMS, support=BINARY), runs)


def test_negative_rewards_are_refused_by_a_beta_posterior():
    with pytest.raises(InvalidInput, match=r"support = \(-1\.0, 1\.0\).*\[0, 1\]"):
        BetaThompson().start(Problem(2, support=Support.interval(-1, 1)))
    state = BetaThompson().start(Problem(2))
    with pytest.raises(InvalidInput, match=r"rewards = -0\.1"):
        BetaThompson().update(state, None, np.array([0]), np.array([-0.1]), rng_of(0))


@pytest.mark.parametrize(
    ("make", "parameter"),
    [
        (lambda: Problem(0), "n_arms = 0"),
        (lambda: Problem(-2), "n_arms = -2"),
        (lambda: Problem(2, -1), "n_features = -1"),
        (lambda: Support.interval(1, 1), "support"),
        (lambda: Support.interval(0, np.inf), "support"),
        (lambda: Support.interval(np.nan, 1), "support"),
        (lambda: Support.categories((1.0,)), "values"),
        (lambda: Support.categories((1.0, np.nan)), "values"),
        (lambda: PseudoRewards(-1, 1), "ones = -1"),
        (lambda: PseudoRewards(1, np.inf), "zeros = inf"),
        (lambda: PseudoRewardsAt((0.0, 0.0), (1.0, 1.0)), "values"),
        (lambda: PseudoRewardsAt((0.0,), (1.0, 1.0)), "values"),
        (lambda: PseudoRewardsAt((np.nan,), (1.0,)), "values"),
        (lambda: PseudoRewardsAt((0.0,), (-1.0,)), "counts"),
        (lambda: GaussianNoise(0), "scale = 0"),
        (lambda: GaussianNoise(np.nan), "scale = nan"),
        (lambda: ForcedPulls(-1), "pulls = -1"),
        (lambda: ForcedPulls.for_horizon(1), "horizon = 1"),
        (lambda: Bootstrap(Multinomial(), PseudoRewards(0.5, 1)).start(Problem(2)), "prior"),
        (lambda: BinomialBootstrap(PseudoRewards(0.5, 1)).start(Problem(2)), "prior"),
        (lambda: BinomialBootstrap(PseudoRewards(0, 0)).start(Problem(2)), "prior"),
        (lambda: BetaThompson(PseudoRewards(0, 1)).start(Problem(2)), "prior"),
        (lambda: DirichletThompson().start(Problem(2)), "support"),
        (lambda: DirichletThompson(0).start(Problem(2, support=BINARY)), "pseudo_count"),
        (lambda: Bootstrap().start(Problem(2, support=Support.real())), "prior"),
    ],
)
def test_bad_parameters_are_named(make, parameter):
    with pytest.raises(InvalidInput, match=parameter):
        make()
