"""What is refit: models that a bootstrap turns into bandits."""

from bandstrap.models.base import Learner, Model, WeightedModel

__all__ = ["Learner", "Model", "WeightedModel"]
