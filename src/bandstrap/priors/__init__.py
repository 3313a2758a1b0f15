"""What stands in before there is data."""

from bandstrap.priors.pseudo_examples import ExamplePrior, NoExamples, PseudoExamples
from bandstrap.priors.pseudo_rewards import Prior, PseudoRewards, PseudoRewardsAt

__all__ = [
    "ExamplePrior",
    "NoExamples",
    "Prior",
    "PseudoExamples",
    "PseudoRewards",
    "PseudoRewardsAt",
]
