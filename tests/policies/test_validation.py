"""What policies are given is checked, whatever its layout, and errors say where the fault is."""

import numpy as np
import pytest

from bandstrap.errors import InvalidInput
from bandstrap.policies import UCB1, LinUCB
from bandstrap.problem import Problem, Support

WITH_CONTEXTS = Problem(3, 4, Support.binary())
RNG = np.random.default_rng(0)


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf], ids=["nan", "inf", "minus-inf"])
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16], ids=["32", "64", "16"])
def test_the_first_number_that_is_none_is_named(dtype, value) -> None:
    state = LinUCB().start(WITH_CONTEXTS, 2)
    contexts = np.ones((2, 4), dtype=dtype)
    contexts[1, 2] = contexts[1, 3] = value
    for layout in (contexts, np.asfortranarray(contexts), np.repeat(contexts, 2, axis=0)[::2]):
        with pytest.raises(InvalidInput) as error:
            LinUCB().select(state, layout, RNG)
        told = f"contexts = {float(value)!r}: feature 2 of run 1 is not a finite number"
        assert str(error.value).startswith(told)
        with pytest.raises(InvalidInput, match="feature 2 of run 1"):
            LinUCB().update(state, layout, np.zeros(2, dtype=np.int64), np.zeros(2))


def test_contexts_of_any_type_and_layout_are_taken() -> None:
    state = LinUCB().start(WITH_CONTEXTS, 2)
    largest = np.full((2, 4), 9e29, dtype=np.float32)
    frozen = np.ones((2, 4))
    frozen.flags.writeable = False
    for contexts in (largest, frozen, np.ones((2, 4), dtype=np.uint8), [[1, 2, 3, 4]] * 2):
        assert LinUCB().select(state, contexts, RNG).shape == (2,)


@pytest.mark.parametrize(
    ("arms", "rewards", "told"),
    [
        ([0], [0.0, 0.0], r"arms = \(1,\): give one for each run: \(2,\)"),
        ([0, 1], [0.0], r"rewards = \(1,\): give one for each run: \(2,\)"),
        ([0, 3], [0.0, 7.0], "arms = 3: arms are 0 to 2"),
        ([0, -1], [0.0, 0.0], "arms = -1: arms are 0 to 2"),
        ([0, 1], [0.0, 7.0], r"rewards = 7.0: the problem declares rewards in \[0, 1\]; declare"),
        ([0, 1], [np.nan, 0.0], "rewards = nan: the problem declares"),
        ([0, 1], [1.0, 0.5], r"rewards = 0.5: declared values are \(0.0, 1.0\)"),
    ],
)
def test_a_fault_in_an_update_is_named(arms, rewards, told) -> None:
    problem = Problem(3, support=Support.binary())
    state = UCB1().start(problem, 2)
    with pytest.raises(InvalidInput, match=told):
        UCB1().update(state, None, np.array(arms), np.array(rewards))


def test_rewards_without_declared_values_need_only_be_in_the_interval() -> None:
    state = UCB1().start(Problem(3, support=Support.interval(0, 2)), 1)
    UCB1().update(state, None, np.array([1]), np.array([1.7]))
