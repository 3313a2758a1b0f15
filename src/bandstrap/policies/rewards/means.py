"""What policies share that need no more of an arm's rewards than their count and mean."""

from functools import partial
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng, Weights
from bandstrap.choice import best_probabilities
from bandstrap.kernels.lazy.history import MOST_REWARDS
from bandstrap.policies.base import Policy, Probabilities
from bandstrap.policies.state import State
from bandstrap.policies.validation import bounded_width
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped
from bandstrap.storage.schema import ArrayOf, Schema
from bandstrap.validation import LARGEST

UNUSED = np.random.default_rng(0)  # for scores that draw nothing: a new one takes longer than they


class MeanState(State):
    """How often each arm was pulled and what it paid on average."""

    schema = Schema(
        count=ArrayOf(np.float64, "runs", "arms", low=0.0, high=MOST_REWARDS),
        mean=ArrayOf(np.float64, "runs", "arms", low=-LARGEST, high=LARGEST),
        _rows=ArrayOf(np.int64, "runs", fixed=True),
    )
    repeats_weights = whole_weights = False

    def __init__(self, problem: Problem, runs: int) -> None:
        super().__init__(problem, runs)
        self.count = np.zeros((runs, problem.n_arms))
        self.mean = np.zeros((runs, problem.n_arms))
        self._rows = np.arange(runs)

    def observe(self, arms: Array, rewards: Array, weights: Weights = None) -> None:
        """One reward per run."""
        at = self._rows, arms
        gaps = rewards - self.mean[at]
        self.count[at] += 1.0 if weights is None else weights
        self.mean[at] += (gaps if weights is None else weights * gaps) / self.count[at]

    def remap_arms(self, fresh: "MeanState", before: ArmMap) -> None:
        self.count = remapped(self.count, fresh.count, before, axis=1)
        self.mean = remapped(self.mean, fresh.mean, before, axis=1)

    def discount(self, fresh: "MeanState", factor: float) -> None:
        self.count *= factor


class MeanPolicy(Policy[MeanState]):
    """A policy that writes `_scores` of counts and means."""

    context_free: ClassVar[bool] = True
    needs_bounds: ClassVar[bool] = False  # refuses rewards that are not in an interval
    draws: ClassVar[bool] = True  # scores are random; if not, probabilities follow from them

    def _start(self, problem: Problem, runs: int) -> MeanState:
        if self.needs_bounds:
            bounded_width(problem.support, self)
        return MeanState(problem, runs)

    def _probabilities(self, state: MeanState, contexts: Contexts, allowed: Array) -> Probabilities:
        if self.draws:
            return None
        scores = self._scores(state, contexts, UNUSED)
        return partial(best_probabilities, scores[0], allowed[0], state.problem.support.scale)

    def _update(
        self,
        state: MeanState,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
        weights: Weights = None,
    ) -> None:
        state.observe(arms, rewards, weights)
