"""What every registered policy promises, whatever it does."""

import copy

import numpy as np
import pytest

from bandstrap import (
    POLICIES,
    BetaThompson,
    Bootstrap,
    Exponential,
    Multinomial,
    Problem,
    PseudoRewards,
    Support,
)
from states import ARMS, BINARY, RUNS, arrays, play, rng_of, same

pytestmark = pytest.mark.filterwarnings("error")
every_policy = pytest.mark.parametrize("name", POLICIES)


@every_policy
def test_shapes(name):
    chosen, state = play(POLICIES[name]())
    assert chosen.shape == (40, RUNS)
    assert chosen.dtype.kind == "i"
    assert chosen.min() >= 0
    assert chosen.max() < ARMS
    scores = POLICIES[name]().scores(state, None, rng_of(1))
    assert scores.shape == (RUNS, ARMS)
    assert not np.isnan(scores).any()
    assert (state.runs, state.problem.n_arms) == (RUNS, ARMS)


@every_policy
def test_one_run_and_one_arm(name):
    chosen, _ = play(POLICIES[name](), runs=1)
    assert chosen.shape == (40, 1)
    chosen, _ = play(POLICIES[name](), runs=3, problem=Problem(1, support=BINARY))
    assert (chosen == 0).all()


@every_policy
def test_learns_which_arm_is_best(name):
    chosen, _ = play(POLICIES[name](), rounds=300, runs=200)
    late = (chosen[-50:] == ARMS - 1).mean()
    assert late > (0.3 if name in {"ucb1", "npb-forced"} else 0.4), late


@every_policy
def test_same_seed_same_choices_and_same_state(name):
    one, state = play(POLICIES[name](), seed=3)
    two, again = play(POLICIES[name](), seed=3)
    other, _ = play(POLICIES[name](), seed=4)
    assert (one == two).all()
    assert same(state, again)
    assert (one != other).any() or name == "npb-forced"  # which has no choice yet


@every_policy
def test_policies_are_parameters_and_states_are_the_caller_s(name):
    """Two states of one policy do not know of each other, and policies are equal by value."""
    policy = POLICIES[name]()
    assert policy == POLICIES[name]()
    assert hash(policy) == hash(POLICIES[name]())
    state = policy.start(Problem(ARMS, support=BINARY), RUNS)
    before = copy.deepcopy(state)
    play(policy)
    assert same(state, before)


@every_policy
def test_runs_are_independent(name):
    """What one run sees changes nothing in another: not its state, nor the law of its choices."""
    policy, rng = POLICIES[name](), rng_of(5)
    problem = Problem(ARMS, support=BINARY)
    state, other = policy.start(problem, 2), policy.start(problem, 2)
    for _ in range(30):
        arms = rng.integers(0, ARMS, 2)
        rewards = rng.integers(0, 2, 2).astype(float)
        policy.update(state, None, arms, rewards, rng_of(6))
        second = (arms + np.array([0, 1])) % ARMS
        policy.update(other, None, second, np.array([rewards[0], 1 - rewards[1]]), rng_of(6))
    for run, equal in ((0, True), (1, False)):
        mine = [a[run].tobytes() for a in arrays(state).values() if a.ndim and len(a) == 2]
        theirs = [a[run].tobytes() for a in arrays(other).values() if a.ndim and len(a) == 2]
        assert mine
        assert (mine == theirs) is equal


@every_policy
def test_choices_of_runs_are_uncorrelated(name):
    chosen, _ = play(POLICIES[name](), rounds=60, runs=400, seed=7)
    good = (chosen == ARMS - 1).astype(float).mean(axis=0)
    if good.std() > 0:
        assert abs(np.corrcoef(good[1:], good[:-1])[0, 1]) < 4.5 / np.sqrt(400)


@every_policy
def test_only_allowed_arms(name):
    policy = POLICIES[name]()
    for rounds in (0, 1, 60):
        _, state = play(policy, rounds=rounds)
        masks = rng_of(8).random((RUNS, ARMS)) < 0.5
        masks[~masks.any(axis=1), 1] = True
        for given in (masks, masks.tolist()):
            chosen = policy.select(state, None, rng_of(9), given)
            assert masks[np.arange(RUNS), chosen].all()
        only = np.tile([False, True, False, False], (RUNS, 1))
        assert (policy.select(state, None, rng_of(9), only) == 1).all()


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
