"""How well decisions can be weighted."""

from collections.abc import Mapping
from math import sqrt
from typing import Any

from bandstrap.service.forms import COUNT, WEIGHED, Fields, check
from bandstrap.storage.schema import ListOf, Maybe, require

__all__ = ["Health"]

FORM = Fields(decisions=COUNT, smallest=Maybe(WEIGHED), sums=ListOf(WEIGHED, 4))


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
        check(FORM, kept)
        known = kept["smallest"] is not None and kept["sums"][1] > 0
        require(known or not kept["decisions"], "decisions without weights")
        made = cls()
        made.decisions, made.smallest = kept["decisions"], kept["smallest"]
        made._weights, made._squares, made._even, made._even_squares = kept["sums"]
        return made
