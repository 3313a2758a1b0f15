"""Estimators of what a target would have earned, one in a file, and their names."""

from math import inf

from bandstrap.evaluation.estimators.base import Estimator
from bandstrap.evaluation.estimators.clipped_ips import ClippedIPS
from bandstrap.evaluation.estimators.direct import DirectMethod
from bandstrap.evaluation.estimators.doubly_robust import DoublyRobust
from bandstrap.evaluation.estimators.ips import IPS
from bandstrap.evaluation.estimators.optimistic_shrinkage import OptimisticShrinkageDR
from bandstrap.evaluation.estimators.replay import Replay
from bandstrap.evaluation.estimators.self_normalised_dr import SelfNormalisedDR
from bandstrap.evaluation.estimators.self_normalised_ips import SelfNormalisedIPS
from bandstrap.evaluation.estimators.slope import Tuned
from bandstrap.evaluation.estimators.sub_gaussian_dr import SubGaussianDR
from bandstrap.evaluation.estimators.sub_gaussian_ips import SubGaussianIPS
from bandstrap.evaluation.estimators.switch import SwitchDR

__all__ = [
    "ESTIMATORS",
    "IPS",
    "ClippedIPS",
    "DirectMethod",
    "DoublyRobust",
    "Estimator",
    "OptimisticShrinkageDR",
    "Replay",
    "SelfNormalisedDR",
    "SelfNormalisedIPS",
    "SubGaussianDR",
    "SubGaussianIPS",
    "SwitchDR",
    "Tuned",
]

RATIOS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
RATES = (0.0, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3)

# Where there is something to tune, SLOPE does.
_EVERY: tuple[Estimator, ...] = (
    DoublyRobust(),
    SelfNormalisedDR(),
    Tuned(SwitchDR, (*RATIOS, inf)),
    Tuned(OptimisticShrinkageDR, tuple(ratio**2 for ratio in RATIOS)),
    Tuned(SubGaussianDR, RATES),
    IPS(),
    SelfNormalisedIPS(),
    Tuned(ClippedIPS, (*RATIOS, 1e9)),
    Tuned(SubGaussianIPS, RATES),
    DirectMethod(),
    Replay(),
)
ESTIMATORS: dict[str, Estimator] = {each.name: each for each in _EVERY}
