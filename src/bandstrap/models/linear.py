"""Linear regression, native and fast."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.errors import InvalidInput
from bandstrap.kernels.convex_loss import LINEAR
from bandstrap.models.convex import ConvexModel


@dataclass(frozen=True)
class LinearRegression(ConvexModel):
    """E(reward) = x·θ, by least squares; the loss is half the squared error.

    With `GaussianNoise` a draw is N(θ̂, Σ) exactly and needs no walk over the history.

    >>> x = np.array([[0.0], [1.0], [2.0]])
    >>> theta = LinearRegression(tolerance=1e-12).fit(x, 2 * x[:, 0], np.ones(3), None, None)
    >>> np.round(theta, 2).tolist()
    [2.0, 0.0]
    """

    loss: ClassVar[int] = LINEAR

    def check_rewards(self, rewards: np.ndarray) -> None:
        if not np.isfinite(rewards).all():
            raise InvalidInput("rewards", "NaN or infinity", "give finite rewards")

    def expected(self, margins: np.ndarray) -> np.ndarray:
        return margins
