"""What is evaluated: rules, bandits and policies, and how probable they make each arm."""

from bandstrap.evaluation.targets.base import Shares, Target
from bandstrap.evaluation.targets.best_arm import BestArm
from bandstrap.evaluation.targets.frozen import Frozen
from bandstrap.evaluation.targets.policies import Learnt, Trained
from bandstrap.evaluation.targets.rerun import HadItRun, Rerun
from bandstrap.evaluation.targets.rules import Always, ColumnRule, Rule, Uniform

__all__ = [
    "Always",
    "BestArm",
    "ColumnRule",
    "Frozen",
    "HadItRun",
    "Learnt",
    "Rerun",
    "Rule",
    "Shares",
    "Target",
    "Trained",
    "Uniform",
]
