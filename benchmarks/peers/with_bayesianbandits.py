"""bayesianbandits: Thompson sampling with a Bayesian linear regression for each arm."""

from typing import Any

import numpy as np
from player import Method, Player, Task, with_constant


class NormalThompson(Player):
    def __init__(self, task: Task, noise: float = 1.0) -> None:
        from bayesianbandits import Arm, ContextualAgent, NormalRegressor, ThompsonSampling

        super().__init__(task)
        learners = [NormalRegressor(alpha=1.0, beta=1 / noise**2) for _ in range(task.n_arms)]
        arms = [Arm(arm, learner=learner) for arm, learner in enumerate(learners)]
        self.agent: Any = ContextualAgent(arms, ThompsonSampling(), random_seed=task.seed)

    def prepare(self, contexts: np.ndarray) -> np.ndarray:
        return with_constant(super().prepare(contexts))

    def choose(self, prepared: np.ndarray) -> np.ndarray:
        return np.array(self.agent.pull(prepared))

    def learn(self, prepared: np.ndarray, arms: np.ndarray, rewards: np.ndarray) -> None:
        for arm in np.unique(arms).tolist():
            rows = arms == arm
            self.agent.select_for_update(arm).update(prepared[rows], rewards[rows])


# Less noise than rewards have earns more on CovType; both are shown.
METHODS = {
    "normal TS": Method(NormalThompson, 100, 1000),
    "normal TS σ=0.1": Method(lambda task: NormalThompson(task, 0.1), 100, 1000),
}
