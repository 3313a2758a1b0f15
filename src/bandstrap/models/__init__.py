"""What is refit: models that a bootstrap turns into bandits."""

from bandstrap.models.base import Learner, Model, WeightedModel
from bandstrap.models.budget import Budgeted
from bandstrap.models.network import NeuralNetwork
from bandstrap.models.network_heads import NetworkHeads
from bandstrap.models.network_shared import SharedNetwork

__all__ = [
    "Budgeted",
    "Learner",
    "Model",
    "NetworkHeads",
    "NeuralNetwork",
    "SharedNetwork",
    "WeightedModel",
]
