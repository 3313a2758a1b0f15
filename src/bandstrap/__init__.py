"""bandstrap: turn any model into a bandit by bootstrapping."""

from bandstrap.errors import BandstrapError, InvalidInput, OutputError, UnknownName
from bandstrap.policies import (
    BetaThompson,
    BinomialBootstrap,
    Bootstrap,
    DirichletThompson,
    ForcedPulls,
    GaussianThompson,
    Policy,
)
from bandstrap.priors import PseudoRewards, PseudoRewardsAt
from bandstrap.problem import Problem, Support
from bandstrap.resampling import (
    DoubleOrNothing,
    Exponential,
    GaussianNoise,
    Multinomial,
    NoResampling,
    Poisson,
)

__version__ = "0.1.0"
