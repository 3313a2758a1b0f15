"""WB with additive weights: Gaussian noise on every reward."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.resampling.base import Resampling


@dataclass(frozen=True)
class GaussianNoise(Resampling):
    """y + N(0, scale²) in place of y: the mean of n rewards becomes N(mean, scale²/n).

    The weights here are the noise; they are added to rewards, not multiplied.

    >>> rewards, weights = GaussianNoise(0.1).perturb(np.ones(1000), np.random.default_rng(0))
    >>> print(f"{rewards.mean():.1f} ± {rewards.std():.1f}")
    1.0 ± 0.1
    """

    scale: float = 1.0

    whole_counts: ClassVar[bool] = False
    needs_rewards: ClassVar[bool] = False
    variance: ClassVar[float] = 0.0

    def __post_init__(self) -> None:
        if not (np.isfinite(self.scale) and self.scale > 0):
            raise InvalidInput("scale", self.scale, "give a positive standard deviation")

    @property
    def noise(self) -> float:
        return self.scale

    def weights(self, shape: tuple[int, ...], rng: Rng) -> Array:
        return self.scale * rng.standard_normal(shape)

    def perturb(self, rewards: Array, rng: Rng) -> tuple[Array, Array]:
        return rewards + self.weights(rewards.shape, rng), np.ones(rewards.shape)

    def means_by_moments(self, count: Array, mean: Array, rng: Rng) -> Array:
        noise = self.scale * rng.standard_normal(count.shape)
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.where(count > 0, mean + noise / np.sqrt(count), np.inf)
