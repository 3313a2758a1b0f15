"""bayesianbandits: Thompson sampling with a Bayesian linear regression for each arm."""

from typing import Any

import numpy as np
from player import Method, Player, Task, with_constant


class NormalThompson(Player):
    def __init__(self, task: Task) -> None:
        from bayesianbandits import Arm, ContextualAgent, NormalRegressor, ThompsonSampling

        super().__init__(task)
        arms = [Arm(arm, learner=NormalRegressor(1.0, 1.0)) for arm in range(task.n_arms)]
        self.agent: Any = ContextualAgent(arms, ThompsonSampling(), random_seed=task.seed)

    def prepare(self, contexts: np.ndarray) -> np.ndarray:
        return with_constant(super().prepare(contexts))

    def choose(self, prepared: np.ndarray) -> np.ndarray:
        return np.array(self.agent.pull(prepared))

    def learn(self, prepared: np.ndarray, arms: np.ndarray, rewards: np.ndarray) -> None:
        for arm in np.unique(arms).tolist():
            rows = arms == arm
            self.agent.select_for_update(arm).update(prepared[rows], rewards[rows])


METHODS = {"normal TS": Method(NormalThompson, batch=100, wide_batch=1000)}
