"""A bootstrap's rewards and weights for a model, drawn again where nothing would count."""

from bandstrap.arrays import Array, Rng
from bandstrap.resampling import Resampling


def drawn(resampling: Resampling, rewards: Array, rng: Rng) -> tuple[Array, Array]:
    """Rewards and weights of some examples, of which at least one counts, if there are any."""
    while True:
        perturbed, weights = resampling.perturb(rewards, rng)
        if weights.any() or weights.size == 0:
            return perturbed, weights
