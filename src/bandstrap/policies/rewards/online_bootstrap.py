"""The online bootstrap: replicates that each see every reward with a weight of their own."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.errors import InvalidInput
from bandstrap.kernels.lazy.history import MOST_REWARDS
from bandstrap.policies.base import Policy, needed
from bandstrap.policies.state import State
from bandstrap.priors import Prior, PseudoRewards
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped
from bandstrap.resampling import DoubleOrNothing, Resampling
from bandstrap.storage.schema import ArrayOf, Schema
from bandstrap.validation import LARGEST, require_whole

MOST = 2**27  # numbers in each of two arrays: two gigabytes


class ReplicateState(State):
    """The total weight and the weighted mean of every replicate of every arm."""

    schema = Schema(
        weight=ArrayOf(np.float64, "runs", "arms", "replicates", low=0.0, high=MOST_REWARDS),
        mean=ArrayOf(np.float64, "runs", "arms", "replicates", low=-LARGEST, high=LARGEST),
    )

    def __init__(self, problem: Problem, runs: int, replicates: int, prior: Prior) -> None:
        super().__init__(problem, runs)
        values, counts = prior.atoms(problem.support)
        weight = float(sum(counts))
        mean = float(np.dot(values, counts)) / weight if weight > 0 else 0.0
        shape = runs, problem.n_arms, replicates
        self.weight = np.full(shape, weight)
        self.mean = np.full(shape, mean)

    def remap_arms(self, fresh: "ReplicateState", before: ArmMap) -> None:
        self.weight = remapped(self.weight, fresh.weight, before, axis=1)
        self.mean = remapped(self.mean, fresh.mean, before, axis=1)

    def discount(self, fresh: "ReplicateState", factor: float) -> None:
        own = factor * (self.weight - fresh.weight)
        total = self.weight * self.mean - fresh.weight * fresh.mean
        weight = own + fresh.weight
        total = factor * total + fresh.weight * fresh.mean
        self.mean = np.divide(total, weight, out=self.mean.copy(), where=weight > 0)
        self.weight = weight

    def check_reward(self, reward: float, weight: float) -> None:
        """None is refused."""

    def take(self, arms: Array, rewards: Array, fresh: Array) -> None:
        """One reward per run, with its weight in each replicate, (runs, replicates)."""
        at = np.arange(self.runs), arms
        weight = self.weight[at] + fresh
        share = fresh / np.where(weight > 0, weight, 1.0)
        self.weight[at] = weight
        self.mean[at] += share * (rewards[:, None] - self.mean[at])


@dataclass(frozen=True)
class OnlineBootstrap(Policy[ReplicateState]):
    """Act on one of each arm's replicates, picked at random (Eckles and Kaptein, 2014).

    A reward enters each replicate with a random weight, drawn when it comes and never again, so a
    decision costs the same at any time and `update` needs a generator. Pseudo-rewards enter with
    their counts. A replicate that nothing has entered yet counts as infinitely good.
    """

    context_free: ClassVar[bool] = True

    replicates: int = 100
    resampling: Resampling = field(default_factory=DoubleOrNothing)
    prior: Prior = field(default_factory=PseudoRewards)

    def __post_init__(self) -> None:
        require_whole(1, replicates=self.replicates)
        if not self.resampling.independent:
            raise InvalidInput(
                "resampling",
                self.resampling,
                "a reward must be weighed when it comes, whatever else comes; use "
                "DoubleOrNothing(), Poisson(), Exponential() or another scheme with `independent`",
            )

    def _start(self, problem: Problem, runs: int) -> ReplicateState:
        if runs * problem.n_arms * self.replicates > MOST:
            remedy = f"for {problem.n_arms:,} arms give at most {MOST // runs // problem.n_arms:,}"
            raise InvalidInput("replicates", self.replicates, remedy)
        return ReplicateState(problem, runs, self.replicates, self.prior)

    def _scores(self, state: ReplicateState, contexts: Contexts, rng: Rng) -> Array:
        picks = rng.integers(self.replicates, size=(state.runs, state.problem.n_arms, 1))
        weight = np.take_along_axis(state.weight, picks, axis=2)
        mean = np.take_along_axis(state.mean, picks, axis=2)
        return np.where(weight > 0, mean, np.inf)[:, :, 0]

    def _update(
        self,
        state: ReplicateState,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
    ) -> None:
        state.take(arms, rewards, self._weights(state, rng))

    def _update_weighted(
        self,
        state: ReplicateState,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
        weights: Array,
    ) -> None:
        if (weights == np.rint(weights)).all():  # so many rewards, each weighed by itself
            super()._update_weighted(state, contexts, arms, rewards, rng, weights)
        else:
            state.take(arms, rewards, weights[:, None] * self._weights(state, rng))

    def _weights(self, state: ReplicateState, rng: Rng | None) -> Array:
        # A last axis of one: each replicate weighs this one reward by itself.
        shape = (state.runs, self.replicates, 1)
        return self.resampling.weights(shape, needed(rng, self))[..., 0]
