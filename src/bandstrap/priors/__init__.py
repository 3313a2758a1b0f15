"""What stands in for data before there is any."""

from bandstrap.priors.adaptive_examples import AdaptiveExamples
from bandstrap.priors.eigen_examples import EigenExamples
from bandstrap.priors.gaussian_examples import GaussianExamples
from bandstrap.priors.pseudo_examples import ExamplePrior, NoExamples, PseudoExamples
from bandstrap.priors.pseudo_rewards import Prior, PseudoRewards, PseudoRewardsAt
from bandstrap.priors.seen_examples import SeenExamples

__all__ = [
    "AdaptiveExamples",
    "EigenExamples",
    "ExamplePrior",
    "GaussianExamples",
    "NoExamples",
    "Prior",
    "PseudoExamples",
    "PseudoRewards",
    "PseudoRewardsAt",
    "SeenExamples",
]
