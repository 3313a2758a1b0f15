"""More draws like the one that has decided, to count what they choose."""

from typing import Any

import numpy as np

from bandstrap.arrays import Array, Contexts
from bandstrap.seeding import streamed


class DecisionSampler:
    """Draws of a state of one run, by random numbers from a `stream`, four words of 64 bits."""

    def __init__(self, policy: Any, state: Any, contexts: Contexts, allowed: Array) -> None:
        self._policy, self._state = policy, state
        self._contexts, self._allowed = contexts, allowed

    def waits(self, stream: Array, arm: int, limits: Array) -> int:
        """How many draws it takes until `arm` wins: a geometric number.

        One for each limit, which it is where the arm has not won before; the sum is returned.
        """
        rng, total = streamed(stream), 0
        for limit in limits.tolist():
            total += next((n for n in range(1, limit) if self._arm(rng) == arm), limit)
        return total

    def choices(self, stream: Array, draws: int) -> Array:
        """How many of `draws` draws each arm wins, (arms,)."""
        rng = streamed(stream)
        arms = np.array([self._arm(rng) for _ in range(draws)], dtype=np.int64)
        return np.bincount(arms, minlength=self._allowed.shape[1])

    def _arm(self, rng: Any) -> int:
        return int(self._policy._select(self._state, self._contexts, rng, self._allowed)[0])
