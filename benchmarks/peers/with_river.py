"""River: LinUCB with a Bayesian linear regression for each arm."""

from typing import Any

import numpy as np
from player import Method, Player, Task, with_constant


class LinUCB(Player):
    def __init__(self, task: Task) -> None:
        from river.bandit import LinUCBDisjoint

        super().__init__(task)
        self.policy: Any = LinUCBDisjoint(seed=task.seed)
        self.arms = list(range(task.n_arms))

    def prepare(self, contexts: np.ndarray) -> list[dict[int, float]]:
        features = with_constant(super().prepare(contexts))
        return [dict(enumerate(row)) for row in features.tolist()]

    def choose(self, prepared: list[dict[int, float]]) -> np.ndarray:
        return np.array([self.policy.pull(self.arms, context=row) for row in prepared])

    def learn(
        self, prepared: list[dict[int, float]], arms: np.ndarray, rewards: np.ndarray
    ) -> None:
        for row, arm, reward in zip(prepared, arms.tolist(), rewards.tolist(), strict=True):
            self.policy.update(arm, row, reward)


METHODS = {"LinUCB": Method(LinUCB)}
