"""Thompson sampling for Gaussian rewards with a flat prior."""

from dataclasses import dataclass
from functools import partial

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.choice import normal_probabilities
from bandstrap.policies.base import Probabilities
from bandstrap.policies.rewards.means import MeanPolicy, MeanState
from bandstrap.validation import LARGEST, require_up_to


@dataclass(frozen=True)
class GaussianThompson(MeanPolicy):
    """Draw each arm's mean from N(mean, scale²/n), the posterior under a flat prior.

    An arm never pulled is tried first.

    >>> from bandstrap import Bandit, Support
    >>> bandit = Bandit(GaussianThompson(scale=2.0), ["a", "b"], seed=1, rewards=Support.real())
    >>> bandit.learn(arm=["a", "b"], reward=[100.0, -100.0])
    >>> bandit.decide().arm
    'a'
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        require_up_to(LARGEST, scale=self.scale)

    def _scores(self, state: MeanState, contexts: Contexts, rng: Rng) -> Array:
        noise = self.scale * rng.standard_normal(state.count.shape)
        spread = noise / np.sqrt(np.maximum(state.count, 1.0))
        return np.where(state.count > 0, state.mean + spread, np.inf)

    def _probabilities(self, state: MeanState, contexts: Contexts, allowed: Array) -> Probabilities:
        count = state.count[0]
        means = np.where(count > 0, state.mean[0], np.inf)
        return partial(
            normal_probabilities, means, self.scale / np.sqrt(np.maximum(count, 1.0)), allowed[0]
        )
