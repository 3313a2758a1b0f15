"""A bootstrap's rewards and weights for a model, drawn again where nothing would count."""

import numpy as np

from bandstrap.resampling import Resampling


def drawn(
    resampling: Resampling, rewards: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Rewards and weights of some examples, of which at least one counts, if there are any."""
    while True:
        perturbed, weights = resampling.perturb(rewards, rng)
        if weights.any() or weights.size == 0:
            return perturbed, weights
