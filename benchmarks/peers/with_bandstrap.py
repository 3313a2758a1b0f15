"""This library's policies, by the names that figures use; all learn after every round.

Contexts' covariance is not given to them, as peers are not told it either.
"""

from collections.abc import Callable

import numpy as np
from player import Method, Player, Task

NAMES = (
    "auto",
    "wb-log-gaussian",
    "wb-log-gaussian-adaptive",
    "eg-log",
    "wb-log-replicas",
    "ts-laplace",
    "ts-lin-fixed",
    "ucb-lin-fixed",
    "wb-lin-additive",
    "regcb-log",
    "squarecb-log",
    "squarecb-nn",
    "falcon-log",
    "neural-linear",
    "ensemble-nn",
    "wb-nn-heads",
    "wb-nn-budgeted",
    "eg-nn-shared",
    "tree-heuristic",
)


class Bandstrap(Player):
    def __init__(self, task: Task, name: str) -> None:
        from bandstrap.policies.registry import CONTEXTUAL
        from bandstrap.priors import EigenExamples
        from bandstrap.problem import Problem, Support

        super().__init__(task)
        self.policy = CONTEXTUAL[name](EigenExamples())
        self.state = self.policy.start(Problem(task.n_arms, task.n_features, Support.binary()))

    def prepare(self, contexts: np.ndarray) -> np.ndarray:
        return contexts  # bytes stay bytes

    def choose(self, prepared: np.ndarray) -> np.ndarray:
        return self.policy.select(self.state, prepared, self.rng)

    def learn(self, prepared: np.ndarray, arms: np.ndarray, rewards: np.ndarray) -> None:
        self.policy.update(self.state, prepared, arms, rewards, self.rng)


def _maker(name: str) -> Callable[[Task], Player]:
    return lambda task: Bandstrap(task, name)


METHODS = {name: Method(_maker(name)) for name in NAMES}
