"""A run's examples of all arms, and a fixed number of them at a time."""

import numpy as np

from bandstrap.models.features import Rows, as_numbers
from bandstrap.models.network_scale import RunningScale
from bandstrap.priors import ExamplePrior
from bandstrap.problem import Problem


class Replay:
    """Rewards of all arms in the order they came, and pseudo-examples, each once for every arm.

    `touched` counts the examples handed out so far.
    """

    def __init__(self, problem: Problem, prior: ExamplePrior) -> None:
        self.n_arms = problem.n_arms
        self.pseudo = prior.start(problem)
        self.scale = RunningScale(problem.n_features)
        self.rows = Rows(problem.n_features)
        self.arms = np.zeros(64, dtype=np.int64)
        self.pulls = np.zeros(problem.n_arms, dtype=np.int64)
        self.new = 0  # rows never handed out
        self.touched = 0

    @property
    def count(self) -> int:
        """All examples, pseudo-examples included."""
        return self.rows.count + self.pseudo.count * self.n_arms

    def add(self, context: np.ndarray, arm: int, reward: float) -> None:
        self.pseudo.see(context)
        self.scale.see(context)
        if self.rows.count == self.arms.size:
            self.arms = np.concatenate([self.arms, np.zeros_like(self.arms)])
        self.arms[self.rows.count] = arm
        self.rows.add(context, reward)
        self.pulls[arm] += 1
        self.new += 1

    def pick(self, size: int, rng: np.random.Generator) -> np.ndarray:
        """Positions of the newest rows, then of random examples; pseudo-examples come last."""
        picks = rng.integers(0, self.count, size)
        newest = min(self.new, size)
        picks[:newest] = np.arange(self.rows.count - newest, self.rows.count)
        self.new = 0
        self.touched += size
        return picks

    def examples(self, picks: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Scaled contexts, arms and rewards of the examples at `picks`."""
        beyond = picks - self.rows.count
        if (beyond < 0).all():
            return self.scale(self.rows.contexts[picks]), self.arms[picks], self.rows.rewards[picks]
        pseudo = beyond >= 0
        which, arm = np.divmod(beyond[pseudo], self.n_arms)
        contexts = np.empty((len(picks), self.rows.n_features))
        contexts[pseudo] = self.pseudo.contexts[which]
        contexts[~pseudo] = as_numbers(self.rows.contexts[picks[~pseudo]])
        arms, rewards = np.empty(len(picks), dtype=np.int64), np.empty(len(picks))
        arms[pseudo], rewards[pseudo] = arm, self.pseudo.rewards[which]
        arms[~pseudo] = self.arms[picks[~pseudo]]
        rewards[~pseudo] = self.rows.rewards[picks[~pseudo]]
        return self.scale(contexts), arms, rewards
