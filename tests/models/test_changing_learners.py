"""Learners whose arms come and go, whose examples have weights, and which forget."""

from dataclasses import dataclass

import numpy as np
import pytest
from scipy.stats import ks_2samp

from bandstrap import Problem, Support
from bandstrap.models import Learner
from bandstrap.models.base import draw_scores, learn_reward
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.policies.registry import CONTEXTUAL, REGISTRY, SCHEDULES
from bandstrap.priors import EigenExamples

NAMES = sorted(set(CONTEXTUAL) - set(SCHEDULES))  # the schedules' learner is that of eg-log
# What these have learnt depends on what was drawn on the way: no twin has learnt the same.
WANDERING = {name for name in NAMES if REGISTRY[name].learns_at_random}
# What these learn of one arm depends on the others, and their scores on all rewards so far.
GAPS = {name for name in NAMES if REGISTRY[name].variant == "gaps"}
# By what they are, or by a prior that learns from all arms.
COUPLED = {"online-cover", "wb-log-adaptive", "wb-log-gaussian-adaptive", "auto"} | GAPS
DRAWS = 120
DECISIONS = 600
PRIOR = EigenExamples(np.diag([1.0, 0.5, 0.25]))
MEANS = (0.1, 0.7, 0.5, 0.9)
CONTEXT = np.array([0.5, -0.2, 0.3])


def problem_of(n_arms):
    return Problem(n_arms, n_features=3, support=Support.binary())


def examples(arms=(0, 1, 2, 3), each=10, seed=3):
    """(context, arm, reward) of some arms, in turn; arms differ in their means and directions."""
    rng = np.random.default_rng(seed)
    told = []
    for arm in tuple(range(4)) * each:
        x = rng.standard_normal(3)
        reward = float(rng.random() < np.clip(MEANS[arm] + 0.2 * x[arm % 3], 0, 1))
        if arm in arms:
            told.append((x, arms.index(arm), reward))
    return told


def learner_of(name, n_arms):
    return CONTEXTUAL[name](PRIOR).start(problem_of(n_arms)).learners[0]


def taught(name, n_arms, told, weight=1.0):
    learner, rng = learner_of(name, n_arms), np.random.default_rng(5)
    for x, arm, reward in told:
        if weight == 1.0:
            learner.learn(x, arm, reward, rng)
        else:
            learn_reward(learner, x, arm, reward, rng, weight)
        if name in WANDERING:
            draw_scores(learner, x, rng)  # networks are taught when they are asked
    return learner


def draws(learner, seed=0, times=DRAWS):
    rng = np.random.default_rng(seed)
    return np.array([draw_scores(learner, CONTEXT, rng) for _ in range(times)])


def alike(first, second, least=1e-4):
    """Whether draws (n, arms) may have one law; where they do not vary, whether they are equal."""
    for one, other in zip(first.T, second.T, strict=True):
        if not np.isfinite(one).all() or one.std() < 1e-9:
            if not np.allclose(one, other, rtol=1e-3, atol=1e-3):
                return False
        elif ks_2samp(one.round(9), other.round(9)).pvalue < least:
            return False
    return True


@pytest.mark.parametrize("name", NAMES)
def test_arms_come_and_go(name):
    learner = taught(name, 4, examples())
    earlier = draws(learner, times=40)
    learner.remap_arms(learner_of(name, 3), [3, 0, None])
    assert draw_scores(learner, CONTEXT, np.random.default_rng(0)).shape == (3,)
    if name in WANDERING | COUPLED:
        later = draws(learner, times=40)
        far = 0.4 if name == "ts-langevin-nn" else 0.15  # it moves as far by itself
        assert np.allclose(later[:, :2].mean(axis=0), earlier[:, [3, 0]].mean(axis=0), atol=far)
    else:
        twin = taught(name, 3, examples(arms=(3, 0)))
        assert alike(draws(learner), draws(twin, seed=1))


@pytest.mark.parametrize("name", NAMES)
def test_a_new_arm_is_as_new_and_learns(name):
    learner, rng = taught(name, 4, examples()), np.random.default_rng(1)
    learner.remap_arms(learner_of(name, 4), [0, 1, None, 3])
    learner.remap_arms(learner_of(name, 4), [3, None, 2, 0])  # one new before it was looked at
    fresh = draws(learner_of(name, 4), times=40)
    new = draws(learner, times=40)
    if name not in WANDERING | COUPLED:
        # UCB's and Thompson's widths may grow with all rewards: fresh ones have seen none.
        wide = name in ("ucb-lin", "ts-lin", "glm-ucb")
        assert wide or alike(new[:, 1:3], fresh[:, 1:3])
    assert np.isinf(new[:, 1:3]).all() == np.isinf(fresh[:, 1:3]).all()
    for _ in range(25):
        x = CONTEXT + 0.3 * rng.standard_normal(3)
        learner.learn(x, 1, 1.0, rng)
        learner.learn(x, 2, 0.0, rng)
        draw_scores(learner, x, rng)
    after = draws(learner, times=40).mean(axis=0)
    assert np.isfinite(after).all()
    assert after[1] > after[2] + (0.05 if name in WANDERING else 0.2)


# Scores of these are random in ways that only draws can tell.
UNKNOWN = {name for name in CONTEXTUAL if not REGISTRY[name].exact_probabilities}


@pytest.mark.parametrize("name", sorted(set(CONTEXTUAL) - UNKNOWN))
def test_choices_follow_the_probabilities(name):
    policy, rng = CONTEXTUAL[name](PRIOR), np.random.default_rng(0)
    state, context = policy.start(problem_of(4)), CONTEXT[None]
    for x, arm, reward in examples():
        policy.update(state, x[None], np.array([arm]), np.array([reward]), rng)
        policy.scores(state, x[None], rng)
    for _ in range(5):  # what is owed is learnt
        policy.scores(state, context, rng)
    for allowed in (np.ones((1, 4), dtype=bool), np.array([[True, True, False, True]])):
        shares = policy.probabilities(state, context, allowed)
        assert shares.sum() == pytest.approx(1.0)
        assert (shares[~allowed[0]] == 0).all()
        chosen = [policy.select(state, context, rng, allowed)[0] for _ in range(DECISIONS)]
        counts = np.bincount(chosen, minlength=4)
        assert (np.abs(counts / DECISIONS - shares) < 5 * np.sqrt(0.25 / DECISIONS)).all()
        assert (counts[shares == 0] == 0).all()


@pytest.mark.parametrize("name", sorted(set(NAMES) - UNKNOWN - {"eg-nn-budgeted", "ensemble-log"}))
def test_probabilities_of_arms_alike_are_alike(name):
    policy, rng = CONTEXTUAL[name](PRIOR), np.random.default_rng(0)
    state, allowed = policy.start(problem_of(3)), np.ones((1, 3), dtype=bool)
    policy.scores(state, CONTEXT[None], rng)
    shares = policy.probabilities(state, CONTEXT[None], allowed)
    if name not in WANDERING:
        assert shares == pytest.approx(np.full(3, 1 / 3), abs=1e-9)


@pytest.mark.parametrize("name", sorted(UNKNOWN))
def test_what_only_draws_can_tell_is_not_told(name):
    learner = taught(name, 4, examples(each=2))
    assert learner.probabilities(CONTEXT, np.ones(4, dtype=bool)) is None


@pytest.mark.parametrize("name", sorted(set(NAMES) - WANDERING))
def test_a_whole_weight_counts_as_so_many_examples(name):
    told = examples(each=5)
    twice = [example for example in told for _ in range(2)]
    assert alike(draws(taught(name, 4, told, 2.0)), draws(taught(name, 4, twice), seed=1))


# Solved, or sums: then halves lead to the same fit. The spread of a resampled draw is not the
# same, as two halves have weights of their own.
SOLVED = {
    "ucb-lin", "ucb-lin-fixed", "ucb-glm", "ts-lin", "ts-lin-fixed", "eg-lin", "eg-log",
    "wb-lin-additive", "epoch-greedy",
}  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_halves_of_a_weight_count_as_the_whole(name):
    told = examples(each=6)
    whole = draws(taught(name, 4, told), times=80)
    halves = draws(taught(name, 4, [e for e in told for _ in range(2)], 0.5), seed=1, times=80)
    if name in SOLVED:
        assert alike(whole, halves)
    # GLOC's fit is to predictions, and that of the second half knows the first.
    far = 0.35 if name in WANDERING or "paper" in name or name == "gloc" else 0.1
    apart = np.abs(whole.mean(axis=0) - halves.mean(axis=0))
    assert (apart < far + 0.5 * whole.std(axis=0)).all()


@pytest.mark.parametrize("name", NAMES)
def test_what_is_wholly_discounted_is_forgotten(name):
    learner, fresh = taught(name, 4, examples()), learner_of(name, 4)
    learner.discount(0.0)
    after, start = draws(learner, times=80), draws(fresh, seed=1, times=80)
    if name not in WANDERING:
        assert alike(after, start)
    elif np.isfinite(start).all():
        assert np.allclose(after.mean(axis=0), start.mean(axis=0), atol=0.35)
    assert np.isinf(after).all() == np.isinf(start).all()
    rng = np.random.default_rng(0)
    for x, arm, reward in examples(each=5):
        learner.learn(x, arm, reward, rng)
        draw_scores(learner, x, rng)
    assert np.isfinite(draws(learner, times=5)).all()


# Without a prior beside rewards, all of them count alike however little.
BARE = {"npb-tree", "giro-lin", "giro-log", "phe-lin", "phe-log"}


@pytest.mark.parametrize("name", sorted(set(NAMES) - WANDERING - BARE))
def test_what_is_discounted_counts_less(name):
    learner = taught(name, 4, examples())
    learner.discount(0.05)
    twin = taught(name, 4, examples(), 0.05)
    # Curvatures of online logistic models stay where they were found, as do online predictions.
    if name in ("glm-ucb", "gloc", "ts-laplace", "squarecb-log", "regcb-log"):
        assert np.allclose(draws(learner).mean(axis=0), draws(twin, 1).mean(axis=0), atol=0.3)
    else:
        assert alike(draws(learner), draws(twin, seed=1))
    if name not in ("ts-lin", "wb-lin-additive"):  # so wide that 120 draws say little
        assert not alike(draws(learner, seed=2), draws(taught(name, 4, examples()), seed=3))


@pytest.mark.parametrize("name", ["ts-lin", "ts-lin-fixed", "wb-lin-additive"])
def test_sums_are_discounted_exactly(name):
    everything = np.ones(4, dtype=bool)
    learner, full = taught(name, 4, examples()), taught(name, 4, examples())
    learner.discount(0.3)
    twin = taught(name, 4, examples(), 0.3).probabilities(CONTEXT, everything)
    assert learner.probabilities(CONTEXT, everything) == pytest.approx(twin, abs=1e-6)
    assert np.abs(full.probabilities(CONTEXT, everything) - twin).max() > 1e-3


def test_forgotten_rows_are_dropped():
    for name in ("wb-log", "wb-nn-heads", "ensemble-log", "wb-nn-budgeted", "wb-log-paper"):
        learner, rng = learner_of(name, 2), np.random.default_rng(0)
        for i in range(60):
            learner.learn(rng.standard_normal(3), i % 2, float(i % 3 == 0), rng)
            draw_scores(learner, CONTEXT, rng)
            learner.discount(0.5)
        if name == "wb-log":
            counts = [arm.examples.rows.count for arm in learner.all.arms]
        elif name == "wb-nn-heads":
            counts = [learner.replay.rows.count]
        else:
            counts = [rows.count for rows in learner.rows]
        assert max(counts) <= 14  # 2⁻¹⁴ < 10⁻⁴
        assert np.isfinite(draws(learner, times=3)).all()


class Recorder(Learner):
    """Records the weights that it is given."""

    def __init__(self):
        self.weights = []

    def learn(self, context, arm, reward, rng, weight=1.0):
        self.weights.append(weight)

    def margins(self, contexts, rng):
        return np.zeros(2)


class Whole(Recorder):
    repeats = False


@dataclass(frozen=True)
class Recording(LearnerPolicy):
    kind: type[Learner]

    def _learner(self, problem):
        return self.kind()


@pytest.mark.parametrize(
    ("kind", "weight", "learnt"),
    [(Recorder, 3.0, [1.0, 1.0, 1.0]), (Recorder, 2.5, [2.5]), (Whole, 3.0, [3.0])],
)
def test_a_whole_weight_is_learnt_as_so_many_rewards_by_learners_that_repeat(kind, weight, learnt):
    policy = Recording(kind)
    state = policy.start(Problem(2, 1))
    policy.update(state, np.ones((1, 1)), np.array([0]), np.ones(1), None, np.array([weight]))
    policy.update(state, np.ones((1, 1)), np.array([0]), np.ones(1))
    assert state.learners[0].weights == [*learnt, 1.0]
