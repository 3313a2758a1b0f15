"""The examples of all arms that replicas of a torch module learn, with weights by replica."""

from copy import deepcopy
from typing import NamedTuple

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.models.features import Examples, RunningScale, as_numbers
from bandstrap.priors import ExamplePrior, PseudoExamples
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import ArrayOf, Fixed, Grows, Maybe, Of, Schema, Whole, require

HEAVIEST = 1e30  # a weight of an example


class Minibatch(NamedTuple):
    contexts: Array  # (n, features), scaled
    arms: Array  # (n,)
    rewards: Array  # (n,)
    weights: Array  # (n, replicas)


class TorchExamples:
    """Rewards in the order they came, and pseudo-examples, each once for every arm."""

    schema = Schema(
        pseudo=Of(PseudoExamples),
        scale=Maybe(Of(RunningScale)),
        memory=Fixed(Maybe(Whole(1))),
        rows=Of(Examples),
        arms=ArrayOf(np.int64, Grows("room"), low=0),
        weights=ArrayOf(np.float64, Grows("room"), "replicas", low=0.0, high=HEAVIEST),
        pseudo_weights=ArrayOf(np.float64, "arms", Grows(), "replicas", low=0.0, high=HEAVIEST),
        pulls=ArrayOf(np.int64, "arms", low=0),
    )

    def verify_saved(self) -> None:
        rows, width = self.rows, self.rows.n_features
        require(rows.count <= self.arms.size, "rows have no arms")
        require((self.arms[: rows.count] < self.pulls.size).all(), "a row is of no arm")
        scaled = self.scale is None or self.scale.mean.size == width
        require(scaled, "the scale is of another width")
        require(self.pseudo.contexts.shape[1] == width, "pseudo-examples are of another width")

    def __init__(
        self, problem: Problem, prior: ExamplePrior, replicas: int, memory: int | None, scaled: bool
    ) -> None:
        self.pseudo = prior.start(problem)
        self.scale = RunningScale(problem.n_features) if scaled else None
        self.memory = memory
        self.rows = Examples(problem.n_features)
        self.arms = np.zeros(0, dtype=np.int64)
        self.weights = np.zeros((0, replicas))
        self.pseudo_weights = np.zeros((problem.n_arms, 0, replicas))
        self.pulls = np.zeros(problem.n_arms, dtype=np.int64)

    @property
    def tried(self) -> Array:
        """Which arms there are examples of."""
        tried: Array = (self.pulls > 0) | (self.pseudo.count > 0)
        return tried

    def add(self, context: Array, arm: int, reward: float, weights: Array) -> None:
        """One more example, which can be taken back until `settle`."""
        if self.scale is not None:
            self.scale.see(context)  # refuses what is too large
        self.rows.add(context, reward)
        if self.rows.count > self.arms.size:
            self.arms, self.weights = _longer(self.arms), _longer(self.weights)
        self.arms[self.rows.count - 1] = arm
        self.weights[self.rows.count - 1] = weights
        self.pulls[arm] += 1

    def mark(self) -> tuple[RunningScale | None, Array]:
        """The state that adding an example changes for all others."""
        return deepcopy(self.scale), self.pseudo_weights

    def take_back(self, arm: int, mark: tuple[RunningScale | None, Array]) -> None:
        self.scale, self.pseudo_weights = mark
        self.rows.count -= 1
        self.pulls[arm] -= 1

    def settle(self, context: Array, reward: float) -> None:
        """Keep the newest example, and drop old ones beyond `memory`."""
        self.pseudo.see(context, reward)
        if self.memory is not None and self.rows.count >= 2 * self.memory:
            self._keep(np.arange(self.rows.count - self.memory, self.rows.count))

    def weigh_pseudo_examples(self, resampling: Resampling, rng: Rng) -> None:
        """Draw weights for pseudo-examples if their number has changed."""
        arms, count, replicas = self.pseudo_weights.shape
        if count != self.pseudo.count:
            drawn = resampling.weights((arms, replicas, self.pseudo.count), rng)
            self.pseudo_weights = drawn.transpose(0, 2, 1).copy()

    def batch(self, size: int, rng: Rng) -> Minibatch:
        """The newest example, and others with equal probability, with replacement."""
        n_arms, n_pseudo, _ = self.pseudo_weights.shape
        kept = self.rows.count if self.memory is None else min(self.rows.count, self.memory)
        picks = rng.integers(kept + n_arms * n_pseudo, size=size)
        picks[0] = kept - 1
        real = picks < kept
        arm, which = np.divmod(picks[~real] - kept, n_pseudo or 1)
        at = picks[real] + (self.rows.count - kept)
        parts = (
            (as_numbers(self.rows.contexts[at]), self.pseudo.contexts[which]),
            (self.arms[at], arm),
            (self.rows.rewards[at], self.pseudo.rewards[which]),
            (self.weights[at], self.pseudo_weights[arm, which]),
        )
        contexts, *rest = (np.concatenate(pair) for pair in parts)
        return Minibatch(self.scaled(contexts), *rest)

    def scaled(self, contexts: Array) -> Array:
        """Contexts as modules take them."""
        return as_numbers(contexts) if self.scale is None else self.scale(contexts)

    def discount(self, factor: float) -> None:
        self.weights *= factor

    def remap_arms(self, before: ArmMap, fresh_weights: Array) -> None:
        """Go on with other arms; new ones have `fresh_weights` of pseudo-examples."""
        places = {earlier: place for place, earlier in enumerate(before) if earlier is not None}
        old = self.arms[: self.rows.count]
        self._keep(np.flatnonzero(np.isin(old, list(places))))
        self.arms = np.array([places[int(arm)] for arm in self.arms], dtype=np.int64)
        self.pseudo_weights = remapped(self.pseudo_weights, fresh_weights, before)
        pulls = [0 if earlier is None else self.pulls[earlier] for earlier in before]
        self.pulls = np.array(pulls, dtype=np.int64)

    def _keep(self, places: Array) -> None:
        self.rows = Examples.of(self.rows.contexts[places], self.rows.rewards[places])
        self.arms, self.weights = self.arms[places], self.weights[places]


def _longer(array: Array) -> Array:
    more = np.zeros((max(64, len(array)), *array.shape[1:]), array.dtype)
    return np.concatenate([array, more])
