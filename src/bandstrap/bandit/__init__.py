"""A bandit to hold in a product."""

from bandstrap.bandit.bandit import Bandit
from bandstrap.bandit.contexts import ArmFeatures
from bandstrap.bandit.control import Control
from bandstrap.bandit.decision import Decision
from bandstrap.bandit.explanation import Explanation
from bandstrap.bandit.forgetting import HalfLife, NoForgetting, Window
from bandstrap.bandit.lock_in import LockInWarning
from bandstrap.bandit.log.file import LogFile
from bandstrap.bandit.pending import Expiry
from bandstrap.bandit.propensity import Propensity
from bandstrap.bandit.stats import Stats

__all__ = [
    "ArmFeatures",
    "Bandit",
    "Control",
    "Decision",
    "Expiry",
    "Explanation",
    "HalfLife",
    "LockInWarning",
    "LogFile",
    "NoForgetting",
    "Propensity",
    "Stats",
    "Window",
]
