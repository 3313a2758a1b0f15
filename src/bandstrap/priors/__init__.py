"""What stands in before there is data."""

from bandstrap.priors.pseudo_rewards import Prior, PseudoRewards, PseudoRewardsAt

__all__ = ["Prior", "PseudoRewards", "PseudoRewardsAt"]
