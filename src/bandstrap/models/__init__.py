"""Models that a bootstrap turns into bandits."""

from bandstrap.models.base import Learner, Model
from bandstrap.models.convex.approximations import GaussianLimit, Grouped, OneStep
from bandstrap.models.convex.regression import ConvexModel, LinearRegression, LogisticRegression
from bandstrap.models.network.model import Budgeted, NeuralNetwork
from bandstrap.models.network.shared import NetworkHeads, SharedNetwork
from bandstrap.models.online.recursive import RecursiveLinear, RecursiveLogistic, RecursiveModel
from bandstrap.models.online.replicas import OnlineLinear, OnlineLogistic, Replicas
from bandstrap.models.online.stochastic import (
    RepeatedRows,
    StochasticLinearRegression,
    StochasticLogisticRegression,
)
from bandstrap.models.refit import WeightedModel
from bandstrap.models.sklearn.model import from_sklearn
from bandstrap.models.sklearn.schedules import Every, EveryRound, Growth, Online
from bandstrap.models.torch.model import from_torch
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
    "RecursiveLinear",
    "RecursiveLogistic",
    "RecursiveModel",
    "RepeatedRows",
    "Replicas",
    "SharedNetwork",
    "StochasticLinearRegression",
    "StochasticLogisticRegression",
    "WeightedModel",
    "from_sklearn",
    "from_torch",
]
