"""Contexts near 0: what is too small to be squared is refused in words, the rest is computed."""

import numpy as np
import pytest

from bandstrap import Bandit, ContextualBootstrap, Exponential, LogisticRegression, Support
from bandstrap.errors import InvalidInput
from bandstrap.kernels.checks import LARGEST, SMALLEST
from bandstrap.policies.registry import CONTEXTUAL, SCHEDULES
from bandstrap.priors import EigenExamples
from bandstrap.problem import Problem

NAMES = [name for name in CONTEXTUAL if name not in SCHEDULES]
TINY = ([5e-324, 0.0, 0.0], [1e-310, 1.0, 1.0], [0.0, -1e-160, 0.0], [1.0, 1.0, 1e-200])
KNOWN = EigenExamples(np.eye(3))


def bandit(policy, seed=0):
    return Bandit(policy, arms=["a", "b"], rewards=Support.binary(), seed=seed)


@pytest.mark.parametrize("name", NAMES)
def test_policies_refuse_what_they_cannot_square(name):
    policy, rng = CONTEXTUAL[name](KNOWN), np.random.default_rng(0)
    state = policy.start(Problem(2, 3, Support.binary()))
    for tiny in TINY:
        context = np.array([tiny])
        value = next(each for each in tiny if 0 < abs(each) < 1e-100)
        for ask in (
            lambda context: policy.scores(state, context, rng),
            lambda context: policy.select(state, context, rng),
            lambda context: policy.update(state, context, np.zeros(1, int), np.ones(1), rng),
        ):
            with pytest.raises(InvalidInput, match="scale this column, or give 0") as refused:
                ask(context)
            assert f"{value!r}: feature {tiny.index(value)}" in str(refused.value)


@pytest.mark.parametrize("prior", [KNOWN, EigenExamples()], ids=["known", "estimated"])
@pytest.mark.parametrize("name", NAMES)
def test_the_smallest_that_are_taken_are_computed_with(name, prior):
    chance = np.random.default_rng(0)
    one = bandit(CONTEXTUAL[name](prior))
    for round_ in range(10):
        # Columns of the smallest numbers, of a spread as small as can be, and of usual ones.
        nearly = np.nextafter(SMALLEST, 1.0) if round_ % 2 else SMALLEST
        decision = one.decide(np.array([SMALLEST * chance.choice([1, -2, 0]), nearly, 1.0]))
        assert np.isfinite([*decision.scores.values()]).all() or round_ < 3  # tried first
        assert 0 < decision.propensity <= 1
        if decision.method == "exact":
            assert sum(decision.propensities.values()) == pytest.approx(1.0)
        one.learn(decision, float(chance.random() < 0.5))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_single_precision_is_taken_whole(dtype):
    policy, rng = CONTEXTUAL["wb-log"](KNOWN), np.random.default_rng(0)
    state = policy.start(Problem(2, 3, Support.binary()))
    smallest = np.full((1, 3), np.finfo(np.float32).smallest_subnormal, dtype)
    assert np.isfinite(policy.scores(state, smallest, rng)).all()


def test_the_column_is_named_and_the_bandit_stays_as_it_was():
    policy = ContextualBootstrap(Exponential(), LogisticRegression(), EigenExamples())
    ours, twin = bandit(policy), bandit(policy)
    usual = {"age": 0.3, "income": -1.2}
    for each in (ours, twin):
        each.learn(each.decide(usual), 1.0)
    for value in (5e-324, -1e-310, 1e-150):
        with pytest.raises(InvalidInput, match="column 'income' is not 0 but nearer to it"):
            ours.decide({"age": 1.0, "income": value})
        with pytest.raises(InvalidInput, match="column 'income' is not 0 but nearer to it"):
            ours.learn(arm="a", reward=1.0, context={"age": 1.0, "income": value})
    with pytest.raises(InvalidInput, match=r"1e\+200: column 'age' is beyond 1e\+30"):
        ours.decide({"age": 1e200, "income": 0.0})
    for _ in range(5):
        first, second = ours.decide(usual), twin.decide(usual)
        assert (first.arm, first.scores) == (second.arm, second.scores)
        ours.learn(first, 0.0)
        twin.learn(second, 0.0)


def test_a_first_context_that_is_refused_is_forgotten():
    policy = ContextualBootstrap(Exponential(), LogisticRegression(), EigenExamples())
    one = bandit(policy)
    with pytest.raises(InvalidInput, match="scale this column"):
        one.decide({"age": 5e-324})
    assert one.decide({"other": 1.0, "more": 2.0}).arm in ("a", "b")


def test_large_and_small_in_one_row():
    one = bandit(CONTEXTUAL["ts-lin"](KNOWN))
    decision = one.decide([LARGEST, SMALLEST, 0.0])
    assert sum(decision.propensities.values()) == pytest.approx(1.0)
