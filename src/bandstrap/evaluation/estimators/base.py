"""The protocol of estimators: a smooth function of means over decisions."""

from abc import ABC, abstractmethod

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.sample import Sample

__all__ = ["Estimator", "model_of", "quotient", "quotient_gradient"]


class Estimator(ABC):
    """An estimate of what a target earns a decision, as a function of a few means.

    `columns` has what is averaged and `combine` what is made of the averages. So one pass over a
    log serves all estimators, in pieces of any size; a bootstrap reweights sums; and the delta
    method gives standard errors of all of them alike.

    One whose tuning the data choose has several `candidates`, and `choose` picks among them.

    >>> class Rewards(Estimator):
    ...     name, assumes = "rewards", "The target does what the logger did."
    ...     def columns(self, sample):
    ...         return sample.rewards[:, None]
    >>> sample = Sample(np.array([0.0, 1.0]), np.ones(2), np.ones(2))
    >>> float(Rewards().of(sample))
    0.5
    """

    name: str
    assumes: str  # a sentence: what must hold for it to be right
    needs_model: bool = False  # whether it looks at `fitted` and `baseline`
    needs_propensities: bool = True

    @abstractmethod
    def columns(self, sample: Sample) -> Array:
        """What is averaged, (n, k)."""

    def combine(self, means: Array) -> Array:
        """The estimate from the averages, (…, k) to (…): the only one, unless it says otherwise."""
        estimate: Array = means[..., 0]
        return estimate

    def gradient(self, means: Array) -> Array:
        """The derivatives of `combine`, (…, k)."""
        return means * 0 + 1

    def candidates(self) -> tuple["Estimator", ...]:
        """What there is to choose from: itself, unless its tuning is chosen by the data."""
        return (self,)

    def choose(self, values: Array, errors: Array) -> int:
        """Which candidate to choose, by the estimates of all and their standard errors."""
        return 0

    def of(self, sample: Sample) -> Array:
        """The estimate from a whole sample, at once."""
        return self.combine(np.average(self.columns(sample), axis=0, weights=sample.counts))


def model_of(sample: Sample) -> tuple[Array, Array]:
    """What the model expects of the chosen arm and of the target."""
    if sample.fitted is None or sample.baseline is None:
        remedy = "this estimator needs a model of rewards: give one, or use ips or snips"
        raise InvalidInput("fitted", None, remedy)
    return sample.fitted, sample.baseline


def quotient(top: Array, bottom: Array) -> Array:
    """A ratio of means; NaN where nothing was seen.

    >>> quotient(np.array([1.0, 0.0]), np.array([2.0, 0.0])).tolist()
    [0.5, nan]
    """
    seen = np.asarray(bottom) != 0
    ratio: Array = np.where(seen, top / np.where(seen, bottom, 1.0), np.nan)
    return ratio


def quotient_gradient(top: Array, bottom: Array) -> tuple[Array, Array]:
    """The derivatives of a ratio by what is above and what is below."""
    return quotient(np.ones_like(bottom), bottom), -quotient(quotient(top, bottom), bottom)
