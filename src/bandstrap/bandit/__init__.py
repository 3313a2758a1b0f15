"""A bandit to hold in a product.

`LoggedBandit` is imported on first use: importing scikit-learn takes long.
"""

from typing import TYPE_CHECKING

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

if TYPE_CHECKING:
    from bandstrap.bandit.logged import LoggedBandit

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
    "LoggedBandit",
    "NoForgetting",
    "Propensity",
    "Stats",
    "Window",
]


def __getattr__(name: str) -> object:
    if name != "LoggedBandit":
        raise AttributeError(f"module 'bandstrap.bandit' has no attribute {name!r}")
    from bandstrap.bandit.logged import LoggedBandit

    return LoggedBandit
