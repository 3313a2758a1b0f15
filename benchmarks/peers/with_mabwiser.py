"""MABWiser: LinUCB."""

from typing import Any

import numpy as np
from player import Method, Player, Task, with_constant


class LinUCB(Player):
    def __init__(self, task: Task) -> None:
        from mabwiser.mab import MAB, LearningPolicy

        super().__init__(task)
        self.mab: Any = MAB(list(range(task.n_arms)), LearningPolicy.LinUCB(), seed=task.seed)
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


METHODS = {"LinUCB": Method(LinUCB, batch=100, wide_batch=1000)}
