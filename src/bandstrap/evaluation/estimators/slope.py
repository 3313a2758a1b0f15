"""SLOPE: a tuning parameter chosen by intervals that must have a value in common."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.estimators.base import Estimator
from bandstrap.evaluation.sample import Sample

__all__ = ["Tuned", "slope"]

QUANTILE = 1.96  # of the intervals that must meet, before they are doubled


@dataclass(frozen=True)
class Tuned(Estimator):
    """An estimator with the parameter of `grid` that SLOPE chooses (Su, Srinath, Krishnamurthy,
    2020).

    Candidates are ordered from the widest to the narrowest. A narrower one is accepted as long as
    its interval meets those of all wider ones: where they part, bias has shown.

    >>> from bandstrap.evaluation.estimators.switch import SwitchDR
    >>> Tuned(SwitchDR, (1.0, 10.0)).candidates()
    (SwitchDR(tau=1.0), SwitchDR(tau=10.0))
    """

    kind: Callable[[float], Estimator]
    grid: tuple[float, ...]
    name: str = field(init=False)
    assumes: str = field(init=False)
    needs_model: bool = field(init=False)
    needs_propensities: bool = field(init=False)

    def __post_init__(self) -> None:
        if not self.grid:
            raise InvalidInput("grid", self.grid, "give at least one value to choose from")
        first = self.kind(self.grid[0])
        for said in ("name", "assumes", "needs_model", "needs_propensities"):
            object.__setattr__(self, said, getattr(first, said))

    def candidates(self) -> tuple[Estimator, ...]:
        return tuple(self.kind(value) for value in self.grid)

    def choose(self, values: Array, errors: Array) -> int:
        return slope(values, errors)

    def columns(self, sample: Sample) -> Array:
        return np.concatenate([each.columns(sample) for each in self.candidates()], axis=1)

    def combine(self, means: Array) -> Array:
        raise InvalidInput("tuning", self.grid, "means cannot choose it: use estimates of Moments")


def slope(values: Array, errors: Array) -> int:
    """The place of the narrowest estimate whose doubled interval meets those of all wider ones.

    >>> slope(np.array([0.5, 0.52, 0.9]), np.array([0.1, 0.05, 0.001]))
    1
    """
    order = np.argsort(-errors, kind="stable")
    half = 2 * QUANTILE * errors[order]
    low = np.maximum.accumulate(values[order] - half)
    high = np.minimum.accumulate(values[order] + half)
    together = int(np.sum(low <= high))  # once they part, they stay apart
    return int(order[max(together, 1) - 1])
