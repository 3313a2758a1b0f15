"""The online bootstrap: replicas that each see every reward with a weight of their own."""

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng, Weights
from bandstrap.errors import InvalidInput
from bandstrap.kernels.lazy.history import MOST_REWARDS
from bandstrap.laws import discrete_probabilities
from bandstrap.policies.base import Policy, Probabilities, needed
from bandstrap.policies.state import State
from bandstrap.priors import Prior, PseudoRewards
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped
from bandstrap.resampling import DoubleOrNothing, Resampling
from bandstrap.storage.schema import ArrayOf, Schema
from bandstrap.validation import LARGEST, require_whole

MOST = 2**27  # numbers in each of two arrays: two gigabytes


class ReplicaState(State):
    """The total weight and the weighted mean of every replica of every arm."""

    schema = Schema(
        weight=ArrayOf(np.float64, "runs", "arms", "replicas", low=0.0, high=MOST_REWARDS),
        mean=ArrayOf(np.float64, "runs", "arms", "replicas", low=-LARGEST, high=LARGEST),
    )
    whole_weights = False

    def __init__(self, problem: Problem, runs: int, replicas: int, prior: Prior) -> None:
        super().__init__(problem, runs)
        values, counts = prior.atoms(problem.support)
        weight = float(sum(counts))
        mean = float(np.dot(values, counts)) / weight if weight > 0 else 0.0
        self.weight = np.full((runs, problem.n_arms, replicas), weight)
        self.mean = np.full((runs, problem.n_arms, replicas), mean)

    def remap_arms(self, fresh: "ReplicaState", before: ArmMap) -> None:
        self.weight = remapped(self.weight, fresh.weight, before, axis=1)
        self.mean = remapped(self.mean, fresh.mean, before, axis=1)

    def discount(self, fresh: "ReplicaState", factor: float) -> None:
        own = factor * (self.weight - fresh.weight)
        total = self.weight * self.mean - fresh.weight * fresh.mean
        weight = own + fresh.weight
        total = factor * total + fresh.weight * fresh.mean
        self.mean = np.divide(total, weight, out=self.mean.copy(), where=weight > 0)
        self.weight = weight

    def observe(self, arms: Array, rewards: Array, weights: Array) -> None:
        """One reward per run, with its weight in each replica, (runs, replicas)."""
        at = np.arange(self.runs), arms
        weight = self.weight[at] + weights
        share = weights / np.where(weight > 0, weight, 1.0)
        self.weight[at] = weight
        self.mean[at] += share * (rewards[:, None] - self.mean[at])


@dataclass(frozen=True)
class OnlineBootstrap(Policy[ReplicaState]):
    """Act on one of each arm's replicas, picked at random (Eckles and Kaptein, 2014).

    A reward enters each replica with a random weight, drawn when it comes and never again, so a
    decision costs the same at any time and `update` needs a generator. Pseudo-rewards enter with
    their counts. A replica that nothing has entered yet counts as infinitely good.

    >>> from bandstrap import Bandit
    >>> bandit = Bandit(OnlineBootstrap(replicas=20), ["a", "b"], seed=1)
    >>> bandit.learn(arm=["a", "b"] * 30, reward=[0.9, 0.1] * 30)
    >>> bandit.decide().arm
    'a'
    """

    context_free: ClassVar[bool] = True
    former_fields: ClassVar[dict[str, str]] = {"replicates": "replicas"}

    replicas: int = 100
    resampling: Resampling = field(default_factory=DoubleOrNothing)
    prior: Prior = field(default_factory=PseudoRewards)

    def __post_init__(self) -> None:
        require_whole(1, replicas=self.replicas)
        if not self.resampling.independent:
            remedy = (
                "a reward must be weighed when it comes, whatever else comes; use "
                "DoubleOrNothing(), Poisson(), Exponential() or another scheme with `independent`"
            )
            raise InvalidInput("resampling", self.resampling, remedy)

    def _start(self, problem: Problem, runs: int) -> ReplicaState:
        if runs * problem.n_arms * self.replicas > MOST:
            remedy = f"for {problem.n_arms:,} arms give at most {MOST // runs // problem.n_arms:,}"
            raise InvalidInput("replicas", self.replicas, remedy)
        return ReplicaState(problem, runs, self.replicas, self.prior)

    def _scores(self, state: ReplicaState, contexts: Contexts, rng: Rng) -> Array:
        picks = rng.integers(self.replicas, size=(state.runs, state.problem.n_arms, 1))
        weight = np.take_along_axis(state.weight, picks, axis=2)
        mean = np.take_along_axis(state.mean, picks, axis=2)
        return np.where(weight > 0, mean, np.inf)[:, :, 0]

    def _probabilities(
        self, state: ReplicaState, contexts: Contexts, allowed: Array
    ) -> Probabilities:
        scores = np.where(state.weight[0] > 0, state.mean[0], np.inf)
        return partial(_mixture, scores, allowed[0], state.problem.support.scale)

    def _update(
        self,
        state: ReplicaState,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
        weights: Weights = None,
    ) -> None:
        # A last axis of one: each replica weighs this one reward by itself.
        shape = (state.runs, self.replicas, 1)
        drawn = self.resampling.weights(shape, needed(rng, self))[..., 0]
        state.observe(arms, rewards, drawn if weights is None else weights[:, None] * drawn)


def _mixture(scores: Array, allowed: Array, scale: float) -> Array:
    """When a replica is picked for each arm by itself; `scores` are (arms, replicas)."""
    masses = np.full(scores.shape[1], 1.0 / scores.shape[1])
    return discrete_probabilities([(np.sort(own), masses) for own in scores], allowed, scale)
