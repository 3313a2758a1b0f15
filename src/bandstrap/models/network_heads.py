"""Bootstrapped heads on one network: replicas that share all but their last layer."""

from dataclasses import dataclass, field

import numpy as np

from bandstrap.models.base import Learner, Model
from bandstrap.models.network_checks import check_count, check_positive
from bandstrap.models.network_shared import SharedLearner, SharedNetwork
from bandstrap.models.votes import mixed_shares
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem
from bandstrap.resampling import Resampling


@dataclass(frozen=True)
class NetworkHeads(Model):
    """A shared network with several outputs for each arm, each a replica that weighs by itself.

    Each head weighs each reward once, by a draw of its own, and keeps that weight for good; a
    decision asks one head, picked at random, for each arm. Fresh weights on a small batch hardly
    move a network; heads stay apart by as much as their weights make them. The heads' weights
    for a reward are drawn together: `Multinomial` deals as many copies as there are heads. An
    approximation of the bootstrap by a fixed number of replicas. Their last layers start `spread`
    times as wide as Glorot's, so that heads disagree where there are no data yet: with narrow
    starts they agree too soon and arms are given up untried.
    """

    network: SharedNetwork = field(default_factory=SharedNetwork)
    heads: int = 10
    spread: float = 3.0

    def __post_init__(self) -> None:
        check_count("heads", self.heads)
        check_positive("spread", self.spread)

    def learner(self, problem: Problem, resampling: Resampling, prior: ExamplePrior) -> Learner:
        return HeadsLearner(self, problem, resampling, prior)


class HeadsLearner(SharedLearner):
    def __init__(
        self, model: NetworkHeads, problem: Problem, resampling: Resampling, prior: ExamplePrior
    ) -> None:
        super().__init__(model.network, problem, resampling, prior)
        self.heads = model.heads
        self.spread = model.spread
        self.known = 0  # rows that have their draws
        self.targets = np.zeros((64, model.heads), dtype=np.float32)
        self.weights = np.zeros((64, model.heads), dtype=np.float32)

    def keep(self, kept: np.ndarray) -> None:
        super().keep(kept)
        dealt = kept[: self.known]
        n = int(dealt.sum())
        self.targets[:n] = self.targets[: self.known][dealt]
        self.weights[:n] = self.weights[: self.known][dealt]
        self.known = n

    def _drawn(
        self, picks: np.ndarray, rewards: np.ndarray, rng: np.random.Generator
    ) -> tuple[np.ndarray, np.ndarray]:
        self._catch_up(rng)
        rows = np.minimum(picks, self.known - 1)
        targets, weights = self.targets[rows], self.weights[rows]
        for pseudo in np.flatnonzero(picks >= self.known):  # weighed afresh
            targets[pseudo], weights[pseudo] = self._deal(rewards[pseudo], rng)
        return targets, weights

    def _catch_up(self, rng: np.random.Generator) -> None:
        rows = self.replay.rows
        while rows.count > len(self.targets):
            self.targets = np.concatenate([self.targets, np.zeros_like(self.targets)])
            self.weights = np.concatenate([self.weights, np.zeros_like(self.weights)])
        for row in range(self.known, rows.count):
            self.targets[row], self.weights[row] = self._deal(rows.rewards[row], rng)
        self.known = rows.count

    def _deal(self, reward: float, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        return self.resampling.perturb(np.full(self.heads, reward), rng)

    @property
    def _drawn_by_steps(self) -> bool:
        return False  # but by the heads that are asked

    def _shares(self, outputs: np.ndarray, allowed: np.ndarray) -> np.ndarray:
        return mixed_shares(outputs, allowed)

    def _chosen(self, outputs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        arms = outputs.shape[1]
        return outputs[rng.integers(self.heads, size=arms), np.arange(arms)]  # type: ignore[no-any-return]
