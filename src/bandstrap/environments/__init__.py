"""Where rewards come from."""

from collections.abc import Callable

from bandstrap.environments.base import Environment, Round
from bandstrap.environments.bernoulli import Bernoulli
from bandstrap.environments.beta import Beta
from bandstrap.environments.categorical import Categorical
from bandstrap.environments.gaussian import Gaussian
from bandstrap.environments.labelled import Labelled
from bandstrap.environments.own_table import ClassPayoffs, GivenPayoffs, OwnTable
from bandstrap.environments.stationary import Arms, Stationary
from bandstrap.environments.triangular import Triangular
from bandstrap.environments.truncated_normal import TruncatedNormal
from bandstrap.environments.two_arm import TwoArm

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
    "Arms",
    "Bernoulli",
    "Beta",
    "Categorical",
    "ClassPayoffs",
    "Environment",
    "Gaussian",
    "GivenPayoffs",
    "Labelled",
    "OwnTable",
    "Round",
    "Stationary",
    "Triangular",
    "TruncatedNormal",
    "TwoArm",
]
