"""SWITCH: doubly robust where ratios are small, the model alone where they are large."""

from dataclasses import dataclass
from math import inf, isnan

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.estimators.doubly_robust import DoublyRobust

__all__ = ["SwitchDR"]


@dataclass(frozen=True)
class SwitchDR(DoublyRobust):
    """Corrects the model only where w ≤ tau (Wang, Agarwal, Dudík, 2017): DR at tau = ∞, DM at 0.

    >>> from bandstrap.evaluation.sample import Sample
    >>> half = np.full(2, 0.5)
    >>> sample = Sample(np.ones(2), np.array([2.0, 60.0]), half, fitted=half, baseline=half)
    >>> float(SwitchDR(tau=10).of(sample))
    0.75
    """

    tau: float = inf

    name = "switch"
    assumes = "The model of rewards is right where ratios are large; propensities are elsewhere."

    def __post_init__(self) -> None:
        if isnan(self.tau) or self.tau < 0:
            raise InvalidInput("tau", self.tau, "give a number, 0 or more")

    def shrunk(self, ratios: Array) -> Array:
        return np.where(ratios <= self.tau, ratios, 0.0)
