"""A network's outputs for each arm, and how they weigh rewards."""

from abc import ABC, abstractmethod
from typing import Protocol

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.choice import mixed_replica_probabilities, replica_probabilities
from bandstrap.models.base import Learner
from bandstrap.models.features import perturbed
from bandstrap.models.network.layers import MOST_HEADS, NARROWEST, WIDEST
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import ArrayOf, Fixed, Grows, Of, Real, Schema, Whole, require

LARGEST = 1e30  # a reward with noise, or a weight


class Draws(ABC):
    """The weights of one history's rewards for every head."""

    known: int = 0  # rows with draws
    schema = Schema(resampling=Fixed(Of(Resampling)))

    def __init__(self, resampling: Resampling) -> None:
        self.resampling = resampling

    @abstractmethod
    def of(self, picks: Array, rows: Array, rewards: Array, rng: Rng) -> tuple[Array, Array]:
        """Rewards and weights of the examples at `picks`, (examples, heads).

        `rows` are the rewards of history, `rewards` those of the examples; positions beyond
        history are pseudo-examples.
        """

    def keep(self, kept: Array) -> None:  # noqa: B027 - for draws that are kept
        """Keep only the rows marked in `kept`."""


class Heads(ABC):
    """How many outputs an arm has, how they weigh rewards, and which of them decides."""

    schema = Schema(
        resampling=Fixed(Of(Resampling)),
        count=Fixed(Whole(1, MOST_HEADS)),
        spread=Fixed(Real(NARROWEST, WIDEST)),
    )

    def __init__(self, resampling: Resampling, count: int, spread: float) -> None:
        self.resampling = resampling
        self.count = count
        self.spread = spread  # of their first weights, in Glorot's

    @property
    def resampled(self) -> bool:
        """Whether each draw takes a step of its own, which makes it random."""
        return False

    @property
    def anchored(self) -> bool:
        """Whether outputs are drawn back to where they started, as a prior of theirs would."""
        return False

    @abstractmethod
    def draws(self) -> Draws:
        """Draws for an empty history."""

    @abstractmethod
    def chosen(self, outputs: Array, rng: Rng) -> Array:
        """The output that decides for each arm, (arms,), of (heads, arms)."""

    @abstractmethod
    def probabilities(self, outputs: Array, allowed: Array) -> Array:
        """The probability of each arm to have the highest of the chosen outputs."""


class Headed(Protocol):
    """A network that can have other heads than its one."""

    def headed(self, problem: Problem, prior: ExamplePrior, heads: Heads) -> Learner:
        """A learner with these heads."""


class OneHead(Heads):
    """One output for an arm, and fresh weights in every step."""

    def __init__(self, resampling: Resampling) -> None:
        super().__init__(resampling, count=1, spread=1.0)

    @property
    def resampled(self) -> bool:
        return self.resampling.random

    def draws(self) -> Draws:
        return FreshDraws(self.resampling)

    def chosen(self, outputs: Array, rng: Rng) -> Array:
        chosen: Array = outputs[0]
        return chosen

    def probabilities(self, outputs: Array, allowed: Array) -> Array:
        return replica_probabilities(outputs, allowed)


class ManyHeads(Heads):
    """Several outputs for an arm, picked at random; each weighs each reward once, for good."""

    @property
    def anchored(self) -> bool:
        return True

    def draws(self) -> Draws:
        return KeptDraws(self.resampling, self.count)

    def chosen(self, outputs: Array, rng: Rng) -> Array:
        arms = outputs.shape[1]
        chosen: Array = outputs[rng.integers(self.count, size=arms), np.arange(arms)]
        return chosen

    def probabilities(self, outputs: Array, allowed: Array) -> Array:
        return mixed_replica_probabilities(outputs, allowed)


class FreshDraws(Draws):
    def of(self, picks: Array, rows: Array, rewards: Array, rng: Rng) -> tuple[Array, Array]:
        rewards, weights = perturbed(self.resampling, rewards, rng)
        return rewards[:, None], weights[:, None]


class KeptDraws(Draws):
    """The heads' weights for a reward are drawn together, when it is first used."""

    schema = Schema(
        heads=Fixed(Whole(1, MOST_HEADS)),
        known=Whole(),
        targets=ArrayOf(np.float32, Grows("room"), "heads", low=-LARGEST, high=LARGEST),
        weights=ArrayOf(np.float32, Grows("room"), "heads", low=0.0, high=LARGEST),
    )

    def verify_saved(self) -> None:
        room, heads = self.targets.shape
        require(heads == self.heads, "draws are of other heads")
        require(room > 0, "draws have no room")  # it doubles
        require(self.known <= room, "known is beyond the draws")

    def __init__(self, resampling: Resampling, heads: int) -> None:
        super().__init__(resampling)
        self.heads, self.known = heads, 0
        self.targets = np.zeros((64, heads), dtype=np.float32)
        self.weights = np.zeros((64, heads), dtype=np.float32)

    def of(self, picks: Array, rows: Array, rewards: Array, rng: Rng) -> tuple[Array, Array]:
        self._catch_up(rows, rng)
        own = np.minimum(picks, self.known - 1)
        targets, weights = self.targets[own], self.weights[own]
        pseudo = (picks >= self.known).nonzero()[0]  # weighted afresh, all at once
        if pseudo.size > 0:
            dealt = self.resampling.perturb(rewards[pseudo].repeat(self.heads), rng)
            targets[pseudo], weights[pseudo] = (each.reshape(-1, self.heads) for each in dealt)
        return targets, weights

    def keep(self, kept: Array) -> None:
        dealt = kept[: self.known]
        n = int(dealt.sum())
        self.targets[:n] = self.targets[: self.known][dealt]
        self.weights[:n] = self.weights[: self.known][dealt]
        self.known = n

    def _catch_up(self, rows: Array, rng: Rng) -> None:
        while rows.size > len(self.targets):
            self.targets = np.concatenate([self.targets, np.zeros_like(self.targets)])
            self.weights = np.concatenate([self.weights, np.zeros_like(self.weights)])
        for row in range(self.known, rows.size):
            reward = np.full(self.heads, rows[row])
            self.targets[row], self.weights[row] = self.resampling.perturb(reward, rng)
        self.known = rows.size
