"""UCB1: optimism by Hoeffding's inequality."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.policies.rewards.means import MeanPolicy, MeanState
from bandstrap.policies.validation import bounded_width
from bandstrap.validation import LARGEST, require_number


@dataclass(frozen=True)
class UCB1(MeanPolicy):
    """mean + width √(scale log t / n) (Auer, Cesa-Bianchi and Fischer, 2002).

    t is the number of pulls so far, n that of the arm; `width` is the length of the support.
    An arm never pulled is tried first.

    >>> from bandstrap import Bandit
    >>> bandit = Bandit(UCB1(), ["a", "b"], seed=1)
    >>> bandit.learn(arm=["a", "a", "b"], reward=[0.5, 0.5, 0.5])
    >>> bandit.decide().arm
    'b'
    """

    needs_bounds: ClassVar[bool] = True
    draws: ClassVar[bool] = False

    scale: float = 2.0

    def __post_init__(self) -> None:
        require_number(0, LARGEST, scale=self.scale)

    def _scores(self, state: MeanState, contexts: Contexts, rng: Rng) -> Array:
        width = bounded_width(state.problem.support, self)
        t = max(state.count[0].sum(), 1.0)
        bonus = width * np.sqrt(self.scale * np.log(t) / np.maximum(state.count, 1.0))
        return np.where(state.count > 0, state.mean + bonus, np.inf)
