"""The protocol of estimators: a smooth function of means over decisions."""

from abc import ABC, abstractmethod
from typing import ClassVar

from bandstrap.arrays import Array
from bandstrap.evaluation.sample import Sample

__all__ = ["Estimator"]


class Estimator(ABC):
    """An estimate of what a target earns a decision, as a function of a few means.

    `columns` has what is averaged and `combine` what is made of the averages. So one pass over a
    log serves all estimators, in pieces of any size; a bootstrap reweights sums; and the delta
    method gives standard errors of all of them alike.
    """

    name: ClassVar[str]
    needs_model: ClassVar[bool] = False  # whether it looks at `fitted` and `baseline`
    needs_propensities: ClassVar[bool] = True

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
