"""What is refit: models that a bootstrap turns into bandits."""

from bandstrap.models.base import Learner, Model, WeightedModel
from bandstrap.models.budget import Budgeted
from bandstrap.models.convex import ConvexModel
from bandstrap.models.estimator import from_sklearn
from bandstrap.models.gaussian_limit import GaussianLimit
from bandstrap.models.grouped import Grouped
from bandstrap.models.linear import LinearRegression
from bandstrap.models.logistic import LogisticRegression
from bandstrap.models.network import NeuralNetwork
from bandstrap.models.network_heads import NetworkHeads
from bandstrap.models.network_shared import SharedNetwork
from bandstrap.models.one_step import OneStep
from bandstrap.models.refits import Every, EveryRound, Growth, Online
from bandstrap.models.replicas import OnlineLinear, OnlineLogistic, Replicas
from bandstrap.models.stochastic import StochasticLinearRegression, StochasticLogisticRegression
from bandstrap.models.torch_model import from_torch
from bandstrap.models.tree import DecisionTree

__all__ = [
    "Budgeted",
    "ConvexModel",
    "DecisionTree",
    "Every",
    "EveryRound",
    "GaussianLimit",
    "Grouped",
    "Growth",
    "Learner",
    "LinearRegression",
    "LogisticRegression",
    "Model",
    "NetworkHeads",
    "NeuralNetwork",
    "OneStep",
    "Online",
    "OnlineLinear",
    "OnlineLogistic",
    "Replicas",
    "SharedNetwork",
    "StochasticLinearRegression",
    "StochasticLogisticRegression",
    "WeightedModel",
    "from_sklearn",
    "from_torch",
]
