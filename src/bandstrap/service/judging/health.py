"""How well decisions can be weighted."""

from collections.abc import Mapping
from math import sqrt
from typing import Any

__all__ = ["Health"]


class Health:
    """The smallest propensity, the effective sample size and the mean weight.

    A weight is divided by how many arms were allowed: right propensities make its mean 1.

    >>> health = Health()
    >>> health.add(0.5, 2.0, arms=2)
    >>> health.told()["mean_weight"], health.told()["effective"]
    (1.0, 1.0)
    """

    def __init__(self) -> None:
        self.decisions = 0
        self.smallest: float | None = None
        self._weights = self._squares = 0.0
        self._even = self._even_squares = 0.0  # of weights over the number of arms

    def add(self, propensity: float | None, weight: float, arms: int) -> None:
        """Take in how probable a decision among so many arms was."""
        chance, even = 1 / weight if propensity is None else propensity, weight / arms
        self.smallest = chance if self.smallest is None else min(self.smallest, chance)
        self.decisions += 1
        self._weights += weight
        self._squares += weight * weight
        self._even += even
        self._even_squares += even * even

    def told(self) -> dict[str, Any]:
        if not self.decisions:
            return dict.fromkeys(("smallest", "effective", "mean_weight", "mean_weight_error"))
        mean = self._even / self.decisions
        spread = max(self._even_squares / self.decisions - mean * mean, 0.0)
        return {
            "smallest": self.smallest,
            "effective": self._weights**2 / self._squares,
            "mean_weight": mean,
            "mean_weight_error": sqrt(spread / self.decisions),
        }

    def to_dict(self) -> dict[str, Any]:
        sums = [self._weights, self._squares, self._even, self._even_squares]
        return {"decisions": self.decisions, "smallest": self.smallest, "sums": sums}

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "Health":
        made = cls()
        made.decisions, made.smallest = kept["decisions"], kept["smallest"]
        made._weights, made._squares, made._even, made._even_squares = kept["sums"]
        return made
