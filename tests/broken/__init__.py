"""Classes that each break one rule, and the rule. They are wrong on purpose."""

from broken.environments import ENVIRONMENTS
from broken.models import MODELS, Least
from broken.policies import POLICIES
from broken.resampling import RESAMPLING

__all__ = ["ENVIRONMENTS", "MODELS", "POLICIES", "RESAMPLING", "Least"]
