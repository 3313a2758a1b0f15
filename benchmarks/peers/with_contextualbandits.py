"""contextualbandits: linear Thompson sampling and UCB in batches, and a bootstrap by refitting."""

from typing import Any

import numpy as np
from player import Method, Player, Task


class Linear(Player):
    """A policy that learns from batches without looking back."""

    def __init__(self, task: Task, name: str, **options: Any) -> None:
        from contextualbandits import online

        super().__init__(task)
        make = getattr(online, name)
        self.policy: Any = make(task.n_arms, random_state=task.seed + 1, njobs=1, **options)

    def choose(self, prepared: np.ndarray) -> np.ndarray:
        return np.asarray(self.policy.predict(prepared))

    def learn(self, prepared: np.ndarray, arms: np.ndarray, rewards: np.ndarray) -> None:
        self.policy.partial_fit(prepared, arms, rewards)


class Bootstrapped(Player):
    """Ten replicas of a logistic regression, refit to the whole history."""

    def __init__(self, task: Task) -> None:
        from contextualbandits.online import BootstrappedTS
        from sklearn.linear_model import LogisticRegression

        super().__init__(task)
        base = LogisticRegression(solver="lbfgs", max_iter=15, warm_start=True)
        self.policy: Any = BootstrappedTS(
            base,
            task.n_arms,
            nsamples=10,
            njobs_arms=1,
            njobs_samples=1,
            random_state=task.seed + 1,
        )
        self.past: tuple[np.ndarray, ...] | None = None

    def choose(self, prepared: np.ndarray) -> np.ndarray:
        return np.asarray(self.policy.predict(prepared))

    def learn(self, prepared: np.ndarray, arms: np.ndarray, rewards: np.ndarray) -> None:
        new = (prepared, arms, rewards)
        pairs = zip(self.past, new, strict=True) if self.past else None
        self.past = tuple(map(np.concatenate, pairs)) if pairs else new
        self.policy.fit(*self.past)


# The narrower widths earn more on CovType; both are shown.
METHODS = {
    "LinTS": Method(lambda task: Linear(task, "LinTS", sample_from="ci"), 100, 1000),
    "LinTS v²=0.01": Method(
        lambda task: Linear(task, "LinTS", sample_from="ci", v_sq=0.01), 100, 1000
    ),
    "LinUCB": Method(lambda task: Linear(task, "LinUCB"), 100, 1000),
    "LinUCB α=0.1": Method(lambda task: Linear(task, "LinUCB", alpha=0.1), 100, 1000),
    "BootstrappedTS": Method(Bootstrapped, 1000),
}
