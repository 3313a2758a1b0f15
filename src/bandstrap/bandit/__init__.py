"""A bandit to hold in a product."""

from bandstrap.bandit.bandit import Bandit
from bandstrap.bandit.contexts import ArmFeatures
from bandstrap.bandit.decision import Decision
from bandstrap.bandit.explanation import Explanation
from bandstrap.bandit.forgetting import HalfLife, NoForgetting, Window
from bandstrap.bandit.lock_in import LockInWarning
from bandstrap.bandit.pending import Expiry
from bandstrap.bandit.propensity import Propensity

__all__ = [
    "ArmFeatures",
    "Bandit",
    "Decision",
    "Expiry",
    "Explanation",
    "HalfLife",
    "LockInWarning",
    "NoForgetting",
    "Propensity",
    "Window",
]
