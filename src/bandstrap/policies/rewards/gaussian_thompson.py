"""Thompson sampling for Gaussian rewards with a flat prior."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.errors import InvalidInput
from bandstrap.kernels.lazy.history import MOST_REWARDS
from bandstrap.policies.base import Policy
from bandstrap.policies.state import State
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped
from bandstrap.storage.schema import ArrayOf, Schema
from bandstrap.validation import LARGEST, is_finite


class MeanState(State):
    """How often each arm was pulled and what it paid on average."""

    schema = Schema(
        count=ArrayOf(np.float64, "runs", "arms", low=0.0, high=MOST_REWARDS),
        mean=ArrayOf(np.float64, "runs", "arms", low=-LARGEST, high=LARGEST),
        _rows=ArrayOf(np.int64, "runs", fixed=True),
    )

    def __init__(self, problem: Problem, runs: int) -> None:
        super().__init__(problem, runs)
        self.count = np.zeros((runs, problem.n_arms))
        self.mean = np.zeros((runs, problem.n_arms))
        self._rows = np.arange(runs)

    @property
    def divisible(self) -> bool:
        return True

    def observe(self, arms: Array, rewards: Array) -> None:
        at = self._rows, arms
        self.count[at] += 1.0
        self.mean[at] += (rewards - self.mean[at]) / self.count[at]

    def weigh_in(self, arms: Array, rewards: Array, weights: Array) -> None:
        at = self._rows, arms
        self.count[at] += weights
        self.mean[at] += weights * (rewards - self.mean[at]) / self.count[at]

    def remap_arms(self, fresh: "MeanState", before: ArmMap) -> None:
        self.count = remapped(self.count, fresh.count, before, axis=1)
        self.mean = remapped(self.mean, fresh.mean, before, axis=1)

    def discount(self, fresh: "MeanState", factor: float) -> None:
        self.count *= factor


@dataclass(frozen=True)
class GaussianThompson(Policy[MeanState]):
    """Draw each arm's mean from N(mean, scale²/n), the posterior under a flat prior.

    An arm never pulled is tried first.
    """

    context_free: ClassVar[bool] = True

    scale: float = 1.0

    def __post_init__(self) -> None:
        if not (is_finite(self.scale) and 0 < self.scale <= LARGEST):
            raise InvalidInput("scale", self.scale, "give a positive standard deviation")

    def _start(self, problem: Problem, runs: int) -> MeanState:
        return MeanState(problem, runs)

    def _scores(self, state: MeanState, contexts: Contexts, rng: Rng) -> Array:
        noise = self.scale * rng.standard_normal(state.count.shape)
        spread = noise / np.sqrt(np.maximum(state.count, 1.0))
        return np.where(state.count > 0, state.mean + spread, np.inf)

    def _update(
        self, state: MeanState, contexts: Contexts, arms: Array, rewards: Array, rng: Rng | None
    ) -> None:
        state.observe(arms, rewards)
