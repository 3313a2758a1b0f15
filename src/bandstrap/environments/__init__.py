"""What policies are played on."""

from collections.abc import Callable

from bandstrap.environments.base import Environment, Round
from bandstrap.environments.labelled import Labelled
from bandstrap.environments.stationary import (
    Bernoulli,
    Beta,
    Categorical,
    Gaussian,
    Stationary,
    Triangular,
    TruncatedNormal,
    TwoArm,
)
from bandstrap.environments.table import ClassPayoffs, FullPayoffs, TableEnvironment

ENVIRONMENTS: dict[str, Callable[..., Stationary]] = {
    "bernoulli": Bernoulli,
    "truncated-normal": TruncatedNormal,
    "beta": Beta,
    "triangular": Triangular,
    "gaussian": Gaussian,
    "categorical": Categorical,
    "two-arm": TwoArm,
}

__all__ = [
    "ENVIRONMENTS",
    "Bernoulli",
    "Beta",
    "Categorical",
    "ClassPayoffs",
    "Environment",
    "FullPayoffs",
    "Gaussian",
    "Labelled",
    "Round",
    "Stationary",
    "TableEnvironment",
    "Triangular",
    "TruncatedNormal",
    "TwoArm",
]
