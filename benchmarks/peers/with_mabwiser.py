"""MABWiser: LinUCB."""

from typing import Any

import numpy as np
from player import Method, Player, Task, with_constant


class LinUCB(Player):
    def __init__(self, task: Task, alpha: float = 1.0) -> None:
        from mabwiser.mab import MAB, LearningPolicy

        super().__init__(task)
        policy = LearningPolicy.LinUCB(alpha)
        self.mab: Any = MAB(list(range(task.n_arms)), policy, seed=task.seed)
        self.started = False

    def prepare(self, contexts: np.ndarray) -> np.ndarray:
        return with_constant(super().prepare(contexts))

    def choose(self, prepared: np.ndarray) -> np.ndarray:
        if not self.started:  # it cannot choose before it has learnt
            return self.rng.integers(self.task.n_arms, size=len(prepared))
        return np.atleast_1d(self.mab.predict(prepared))

    def learn(self, prepared: np.ndarray, arms: np.ndarray, rewards: np.ndarray) -> None:
        learn = self.mab.partial_fit if self.started else self.mab.fit
        learn(arms, rewards, prepared)
        self.started = True


# The narrower width earns more on CovType; both are shown.
METHODS = {
    "LinUCB": Method(LinUCB, 100, 1000),
    "LinUCB α=0.1": Method(lambda task: LinUCB(task, 0.1), 100, 1000),
}
