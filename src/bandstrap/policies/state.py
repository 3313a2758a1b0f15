"""What every policy's state has."""

from collections.abc import Callable
from typing import Any

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.errors import InvalidInput
from bandstrap.history.compiled import Compiled
from bandstrap.policies.decision_sampler import DecisionSampler
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap
from bandstrap.storage.schema import ArrayOf, Fixed, Of, Schema, Whole

MOST = 100_000  # a larger weight would take seconds where it is repeated


class State:
    """What a policy has learnt in each of `runs` independent runs; policies add their arrays.

    `fresh` in the methods is a state of the same policy that has learnt nothing.

    >>> state = State(Problem(n_arms=3), runs=2)
    >>> state.runs, state.problem.n_arms
    (2, 3)
    """

    schema = Schema(
        problem=Fixed(Of(Problem)),
        runs=Fixed(Whole(1)),
        values=ArrayOf(np.float64, "values", fixed=True),
    )

    # Whether a reward of whole weight w is learnt by w updates, not by one with `weights`.
    repeats_weights: bool = True
    whole_weights: bool = True  # fractions are refused

    def __init__(self, problem: Problem, runs: int) -> None:
        self.problem = problem
        self.runs = runs
        self.values = np.array(problem.support.values or ())

    @property
    def compiled(self) -> Compiled | None:
        """What plays whole runs in kernels, for a policy that is `in_kernels`."""
        return None

    def sampler(self, policy: Any, contexts: Contexts, allowed: Array) -> DecisionSampler:
        """More draws of the policy, for a state of one run; there may be a faster way."""
        return DecisionSampler(policy, self, contexts, allowed)

    def recall(self, policy: Any) -> "Callable[[], State] | None":
        """What makes a state of one run again that the policy draws from as it does now.

        None if that would take more than a little memory and time.
        """
        return None

    @property
    def unsettled(self) -> bool:
        """Whether learning has put something off."""
        return False

    def settle(self, rng: Rng) -> None:
        """Do now what learning has put off to later draws, as after learning a whole table."""

    def remap_arms(self, fresh: Any, before: ArmMap) -> None:
        """Go on with the arms that `fresh` has."""
        raise InvalidInput("arms", list(before), f"{type(self).__name__} cannot change its arms")

    def discount(self, fresh: Any, factor: float) -> None:
        """Let everything learnt, but not the prior, count only `factor` as much."""
        remedy = f"{type(self).__name__} cannot discount; forget by Window()"
        raise InvalidInput("factor", factor, remedy)

    def check_contexts(self, contexts: Array) -> None:
        """Refuse contexts, one for each run, that cannot be decided by or learnt."""

    def check_reward(self, reward: float, weight: float) -> None:
        """Refuse a reward or a weight that cannot be learnt."""
        if self.repeats_weights and weight > MOST:
            remedy = f"this policy learns it reward by reward: give at most {MOST:,} at once"
            raise InvalidInput("weight", weight, remedy)
        if self.whole_weights and weight != round(weight):
            raise InvalidInput("weights", weight, f"{type(self).__name__} takes whole weights only")
