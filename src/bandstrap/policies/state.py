"""What every policy's state has."""

from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap
from bandstrap.storage.schema import ArrayOf, Fixed, Of, Schema, Whole


class State:
    """What a policy has learnt in each of `runs` independent runs; policies add their arrays.

    `fresh` in the methods is a state of the same policy that has learnt nothing.
    """

    schema = Schema(
        problem=Fixed(Of(Problem)),
        runs=Fixed(Whole(1)),
        values=ArrayOf(np.float64, "values", fixed=True),
    )

    def __init__(self, problem: Problem, runs: int) -> None:
        self.problem = problem
        self.runs = runs
        self.values = np.array(problem.support.values or ())

    @property
    def divisible(self) -> bool:
        """Whether a reward of any weight is one step, of the same law as so many rewards."""
        return False

    def remap_arms(self, fresh: Any, before: ArmMap) -> None:
        """Go on with the arms that `fresh` has."""
        raise InvalidInput("arms", list(before), f"{type(self).__name__} cannot change its arms")

    def discount(self, fresh: Any, factor: float) -> None:
        """Let everything learnt, but not the prior, count only `factor` as much."""
        raise InvalidInput(
            "factor", factor, f"{type(self).__name__} cannot discount; forget by Window()"
        )

    def check_contexts(self, contexts: Array) -> None:
        """Refuse contexts, one for each run, by which one could not decide or learn."""

    def check_reward(self, reward: float, weight: float) -> None:
        """Refuse a reward or a weight that cannot be learnt."""
        if weight != round(weight) and type(self).weigh_in is State.weigh_in:
            self.weigh_in(np.zeros(0), np.zeros(0), np.array([weight]))

    def weigh_in(self, arms: Array, rewards: Array, weights: Array) -> None:
        """One reward per run that counts as `weights` of them."""
        raise InvalidInput(
            "weights", weights.tolist(), f"{type(self).__name__} takes whole weights only"
        )
