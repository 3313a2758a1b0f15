"""What every registered policy promises, whatever it does."""

import copy

import numpy as np
import pytest

from bandstrap import (
    POLICIES,
    BetaThompson,
    BinomialBootstrap,
    Bootstrap,
    DirichletThompson,
    Exponential,
    ForcedPulls,
    GaussianNoise,
    InvalidInput,
    Multinomial,
    Problem,
    PseudoRewards,
    PseudoRewardsAt,
    Support,
)

ARMS, RUNS = 4, 50
BINARY = Support.binary()
LEARNS_AT_RANDOM = {"online-bootstrap"}  # on any support
ROUNDS_AT_RANDOM = {"ts"}  # on rewards between 0 and 1
NEEDS_CATEGORIES = {"ts-dirichlet"}
NEEDS_ENDS = {  # or pseudo-rewards, which lie at the ends
    *("wb", "npb", "npb-binomial", "wb-poisson", "wb-double", "greedy", "npts", "ts"),
    *("npb-forced", "ucb1", "kl-ucb", "online-bootstrap", "bts", "giro", "phe"),
}


def rng_of(seed):
    return np.random.default_rng(seed)


def play(policy, rounds=40, runs=RUNS, seed=0, problem=None):
    """Choices of so many rounds of a Bernoulli problem, and the state after them."""
    problem = problem or Problem(ARMS, support=BINARY)
    rng = rng_of(seed)
    means = np.linspace(0.2, 0.8, problem.n_arms)
    state, chosen = policy.start(problem, runs), []
    for _ in range(rounds):
        arms = policy.select(state, None, rng)
        rewards = (rng.random(runs) < means[arms]).astype(float)
        policy.update(state, None, arms, rewards, rng)
        chosen.append(arms)
    return np.array(chosen), state


def arrays(thing):
    """All arrays of a state by name, at any depth, without scratch space."""
    found = {}
    if isinstance(thing, np.ndarray):
        return {"": thing}
    if hasattr(thing, "_asdict"):
        items = thing._asdict().items()
    elif hasattr(thing, "__dict__"):
        items = vars(thing).items()
    else:
        return {"": np.array(thing)} if isinstance(thing, (int, float)) else {}
    for name, value in items:
        if name not in {"flat", "bracket", "open_nodes", "open_weights", "problem"}:
            found.update({f"{name}.{rest}": array for rest, array in arrays(value).items()})
    return found


def same(state, other):
    one, two = arrays(state), arrays(other)
    assert one.keys() == two.keys()
    return all(a.dtype == b.dtype and a.tobytes() == b.tobytes() for a, b in _pairs(one, two))


def _pairs(one, two):
    return [(one[name], two[name]) for name in one]


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


ONE = np.ones(RUNS)
ZERO = np.zeros(RUNS, dtype=np.int64)


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


@every_policy
def test_a_support_without_ends(name):
    policy, problem = POLICIES[name](), Problem(ARMS, support=Support.real())
    if name in NEEDS_ENDS | NEEDS_CATEGORIES:
        with pytest.raises(InvalidInput, match=r"support|prior"):
            policy.start(problem, RUNS)
    else:
        state = policy.start(problem, RUNS)
        policy.update(state, None, ZERO, -1e6 * ONE, rng_of(0))
        assert (policy.select(state, None, rng_of(0)) >= 0).all()


@every_policy
def test_an_interval_other_than_zero_to_one(name):
    policy, problem = POLICIES[name](), Problem(ARMS, support=Support.interval(-3, 5))
    if name in NEEDS_CATEGORIES | ROUNDS_AT_RANDOM:
        with pytest.raises(InvalidInput, match="support"):
            policy.start(problem, RUNS)
        return
    rng = rng_of(1)
    state, chosen = policy.start(problem, RUNS), []
    for _ in range(150):
        arms = policy.select(state, None, rng)
        policy.update(state, None, arms, -3 + 8 * rng.beta(1 + arms, 4 - arms), rng)
        chosen.append(arms)
    assert (np.array(chosen[-40:]) == ARMS - 1).mean() > (0.28 if name == "npb-forced" else 0.4)


@every_policy
@pytest.mark.parametrize("support", [BINARY, Support.interval()])
def test_a_generator_for_learning_only_where_needed(name, support):
    policy, problem = POLICIES[name](), Problem(ARMS, support=support)
    if name in NEEDS_CATEGORIES and support.values is None:
        pytest.skip("needs categories")
    state = policy.start(problem, RUNS)
    before = copy.deepcopy(state)
    if name in LEARNS_AT_RANDOM or (name in ROUNDS_AT_RANDOM and support.values is None):
        with pytest.raises(InvalidInput, match=r"rng = None.*pass a generator"):
            policy.update(state, None, ZERO, ONE)
        assert same(state, before)
    else:
        policy.update(state, None, ZERO, ONE)
        assert not same(state, before)


def test_forced_pulls_count_no_refused_update():
    policy = ForcedPulls(3, BetaThompson())
    state = policy.start(Problem(2), 1)
    with pytest.raises(InvalidInput, match="pass a generator"):
        policy.update(state, None, np.array([0]), np.array([0.5]))
    assert (state.owed == 3).all()


def test_negative_rewards_are_refused_by_a_beta_posterior():
    with pytest.raises(InvalidInput, match=r"support = \(-1\.0, 1\.0\).*\[0, 1\]"):
        BetaThompson().start(Problem(2, support=Support.interval(-1, 1)))
    state = BetaThompson().start(Problem(2))
    with pytest.raises(InvalidInput, match=r"rewards = -0\.1"):
        BetaThompson().update(state, None, np.array([0]), np.array([-0.1]), rng_of(0))


def test_rounding_gives_a_reward_s_share_of_ones():
    policy, runs = BetaThompson(), 100_000
    state = policy.start(Problem(1), runs)
    policy.update(state, None, np.zeros(runs, int), np.full(runs, 0.3), rng_of(0))
    ones = state.history.arrays.counts[:, 0, 1].sum() - runs
    assert abs(ones / runs - 0.3) < 5 * np.sqrt(0.21 / runs)


@pytest.mark.parametrize("pulls", [1, 5])
def test_forced_pulls_come_first_and_are_even(pulls):
    policy = ForcedPulls(pulls, BetaThompson())
    chosen, _ = play(policy, rounds=pulls * ARMS)
    for run in range(RUNS):
        assert (np.bincount(chosen[:, run], minlength=ARMS) == pulls).all()
    allowed = np.tile([True, False, True, False], (RUNS, 1))
    state = policy.start(Problem(ARMS, support=BINARY), RUNS)
    for _ in range(2 * pulls):
        arms = policy.select(state, None, rng_of(0), allowed)
        policy.update(state, None, arms, ONE, rng_of(0))
    assert (state.owed == pulls * ~allowed).all()
    assert allowed[0, policy.select(state, None, rng_of(1), allowed)].all()


@pytest.mark.parametrize("horizon", [2, 3, 10, 1000, 10_000, 10**6])
def test_forced_pulls_fit_into_the_horizon(horizon):
    assert 1 <= ForcedPulls.for_horizon(horizon).pulls <= horizon // 2


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
