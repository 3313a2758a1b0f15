"""What every named policy promises: the rules of `bandstrap.testing`, and what its entry says."""

import copy

import numpy as np
import pytest

from bandstrap import (
    POLICIES,
    Bandit,
    BetaThompson,
    Bootstrap,
    EigenExamples,
    Exponential,
    HalfLife,
    InvalidInput,
    Multinomial,
    Problem,
    PseudoRewards,
    Support,
)
from bandstrap.policies.contextual.entries import SCHEDULE
from bandstrap.policies.entry import (
    BOUNDED,
    CATEGORIES,
    CHANGE_ARMS,
    FORGET,
    TAKE_FRACTIONS,
    UNIT,
)
from bandstrap.policies.registry import CONTEXTUAL, REGISTRY
from bandstrap.testing import check_policy
from states import ARMS, BINARY, ONE, RUNS, ZERO, play, rng_of, same

pytestmark = pytest.mark.filterwarnings("error")
every_policy = pytest.mark.parametrize("name", POLICIES)


@every_policy
def test_the_rules_hold(name):
    check_policy(POLICIES[name](), draws=120)


@pytest.mark.parametrize("name", CONTEXTUAL)
def test_the_rules_hold_with_contexts(name):
    entry = REGISTRY[name]
    check_policy(
        entry.make(EigenExamples(np.eye(2))),
        Problem(3, 2, BINARY),
        draws=20,
        rounds=700 if entry.variant == SCHEDULE else 60,  # some explore for hundreds of rounds
        deciding_trains=entry.learns_at_random,
    )


@every_policy
def test_it_learns_which_of_four_arms_is_best(name):
    chosen, _ = play(POLICIES[name](), rounds=600, runs=30)
    assert (chosen[-50:] == ARMS - 1).mean() > 0.4


@every_policy
def test_policies_are_equal_by_value(name):
    assert POLICIES[name]() == POLICIES[name]()
    assert hash(POLICIES[name]()) == hash(POLICIES[name]())


@every_policy
def test_another_seed_gives_other_choices(name):
    one, _ = play(POLICIES[name](), rounds=150, seed=3)
    other, _ = play(POLICIES[name](), rounds=150, seed=4)
    assert (one != other).any()


@every_policy
def test_probabilities_are_known_where_the_entry_says_so(name):
    policy = POLICIES[name]()
    _, state = play(policy, rounds=150, runs=1)
    known = policy.probabilities(state, None, np.ones((1, ARMS), dtype=bool)) is not None
    assert known == REGISTRY[name].exact_probabilities  # with contexts: test_changing_learners


@every_policy
def test_rewards_without_ends(name):
    policy, problem = POLICIES[name](), Problem(ARMS, support=Support.real())
    if REGISTRY[name].rewards in (BOUNDED, UNIT, CATEGORIES):
        with pytest.raises(InvalidInput, match=r"support|prior"):
            policy.start(problem, RUNS)
    else:
        state = policy.start(problem, RUNS)
        policy.update(state, None, ZERO, -1e6 * ONE, rng_of(0))
        assert (policy.select(state, None, rng_of(0)) >= 0).all()


@every_policy
def test_an_interval_other_than_zero_to_one(name):
    policy, problem = POLICIES[name](), Problem(ARMS, support=Support.interval(-3, 5))
    if REGISTRY[name].rewards in (UNIT, CATEGORIES):
        with pytest.raises(InvalidInput, match="support"):
            policy.start(problem, RUNS)
        return
    rng = rng_of(1)
    state, chosen = policy.start(problem, RUNS), []
    for _ in range(300):
        arms = policy.select(state, None, rng)
        policy.update(state, None, arms, -3 + 8 * rng.beta(1 + arms, 4 - arms), rng)
        chosen.append(arms)
    assert (np.array(chosen[-40:]) == ARMS - 1).mean() > 0.4


@every_policy
def test_learning_needs_a_generator_where_the_entry_says_so(name):
    entry, policy = REGISTRY[name], POLICIES[name]()
    support = BINARY if entry.rewards == CATEGORIES else Support.interval()
    state = policy.start(Problem(ARMS, support=support), RUNS)
    before = copy.deepcopy(state)
    if entry.learns_at_random:
        with pytest.raises(InvalidInput, match=r"rng = None.*pass a generator"):
            policy.update(state, None, ZERO, ONE)
    else:
        policy.update(state, None, ZERO, ONE)
    assert same(state, before) == entry.learns_at_random


@every_policy
def test_arms_change_unless_the_entry_says_otherwise(name):
    bandit = Bandit(POLICIES[name](), ["a", "b"], rewards=BINARY)
    bandit.learn(arm=["a", "b"], reward=[1, 0])
    if CHANGE_ARMS in REGISTRY[name].cannot:
        with pytest.raises(InvalidInput, match="cannot change its arms"):
            bandit.add_arm("c")
    else:
        bandit.add_arm("c")
        bandit.learn(arm="c", reward=1)
        assert bandit.decide(allowed=["c"]).arm == "c"


@every_policy
@pytest.mark.parametrize("support", [Support.interval(), BINARY], ids=["interval", "binary"])
def test_it_forgets_by_age_and_takes_weights_unless_the_entry_says_otherwise(name, support):
    entry = REGISTRY[name]
    if entry.rewards == CATEGORIES:
        support = BINARY
    if FORGET in entry.cannot:
        with pytest.raises(ValueError, match=r"forget by Window\(\)"):
            Bandit(POLICIES[name](), ["a", "b"], forgetting=HalfLife(20))
    if TAKE_FRACTIONS in entry.cannot:
        bandit = Bandit(POLICIES[name](), ["a", "b"])
        with pytest.raises(ValueError, match=r"0\.5.*whole weights only"):
            bandit.learn(arm="a", reward=0.5, weight=0.5)
    if entry.cannot:
        return
    bandit = Bandit(
        POLICIES[name](), ["old", "new"], rewards=support, forgetting=HalfLife(20), seed=1
    )
    bandit.learn(arm=["old"] * 60, reward=[1.0] * 60, weight=0.75)
    bandit.learn(arm=["new"] * 200, reward=[1.0] * 200, weight=0.75)
    bandit.learn(arm=["old"] * 60, reward=[0.0] * 60, weight=1.25)
    bandit.learn(arm=["new"] * 30, reward=[1.0] * 30)
    chosen = [bandit.decide().arm for _ in range(40)]
    assert chosen.count("new") > chosen.count("old")


def test_rounding_gives_a_reward_s_share_of_ones():
    policy, runs = BetaThompson(), 100_000
    state = policy.start(Problem(1), runs)
    policy.update(state, None, np.zeros(runs, int), np.full(runs, 0.3), rng_of(0))
    ones = state.history.arrays.counts[:, 0, 1].sum() - runs
    assert abs(ones / runs - 0.3) < 5 * np.sqrt(0.21 / runs)


@pytest.mark.parametrize("scheme", [Exponential(), Multinomial()])
def test_the_largest_rewards_do_not_stop_a_decision(scheme):
    policy = Bootstrap(scheme, PseudoRewards(0, 0))
    state = policy.start(Problem(2, support=Support.real()), 3)
    for reward in (1e150, -1e150, 1.0, 1e-320, -1e-320) * 30:
        for arm in range(2):
            policy.update(state, None, np.full(3, arm), np.full(3, reward))
    chosen = [policy.select(state, None, rng_of(seed)) for seed in range(50)]
    assert set(np.concatenate(chosen)) == {0, 1}


@pytest.mark.parametrize("layout", ["row", "fortran", "read-only"])
def test_masks_of_any_layout_reach_kernels_in_one(layout, monkeypatch):
    """Another layout would compile the choice again: half a minute for one decision."""
    reached = []

    def spy(self, state, contexts, rng, allowed):
        reached.append(allowed)
        return np.zeros(state.runs, dtype=np.int64)

    monkeypatch.setattr(Bootstrap, "_select", spy)
    mask = np.ones((RUNS, ARMS), dtype=bool)
    masks = {"row": mask[0], "fortran": np.asfortranarray(mask), "read-only": mask.copy()}
    masks["read-only"].flags.writeable = False
    state = Bootstrap().start(Problem(ARMS), RUNS)
    Bootstrap().select(state, None, rng_of(0), masks[layout])
    assert reached[0].flags.c_contiguous
    assert reached[0].flags.writeable
