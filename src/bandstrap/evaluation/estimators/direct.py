"""The direct method: what a model expects of the target."""

from dataclasses import dataclass

from bandstrap.arrays import Array
from bandstrap.evaluation.estimators.base import Estimator, model_of
from bandstrap.evaluation.sample import Sample

__all__ = ["DirectMethod"]


@dataclass(frozen=True)
class DirectMethod(Estimator):
    """The mean over decisions of Σ π(a) q̂(a), whatever was chosen and paid.

    Its standard error by itself is that of contexts alone: it cannot know how wrong the model is.
    An evaluation gives it the error and the interval of dr.

    >>> import numpy as np
    >>> ones = np.ones(2)
    >>> sample = Sample(ones, ones, ones, fitted=ones, baseline=np.array([0.2, 0.4]))
    >>> round(float(DirectMethod().of(sample)), 3)
    0.3
    """

    name = "dm"
    assumes = "The model of rewards is right, also for arms that the log seldom chose."
    needs_model = True
    needs_propensities = False

    def columns(self, sample: Sample) -> Array:
        return model_of(sample)[1][:, None]
