"""Logistic regression, native and fast."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array
from bandstrap.kernels.convex.loss import LOGISTIC
from bandstrap.models.checks import check_shares
from bandstrap.models.convex.model import ConvexModel
from bandstrap.models.link import sigmoid


@dataclass(frozen=True)
class LogisticRegression(ConvexModel):
    """P(reward) = 1 / (1 + exp(-x·θ)), for rewards in [0, 1].

    >>> rng = np.random.default_rng(0)
    >>> x = rng.standard_normal((500, 2))
    >>> y = (x[:, 0] + 0.5 * rng.standard_normal(500) > 0) * 1.0
    >>> model = LogisticRegression()
    >>> theta = model.fit(x, y, np.ones(500), None, rng)
    >>> bool(model.predict(theta, np.array([[2.0, 0.0]]))[0] > 0.9)
    True
    """

    loss: ClassVar[int] = LOGISTIC

    def check_reward(self, reward: float) -> None:
        if not 0 <= reward <= 1:
            self.check_rewards(np.array([reward]))

    def check_rewards(self, rewards: Array) -> None:
        check_shares(rewards, "logistic regression takes [0, 1]: rescale, or use LinearRegression")

    def expected(self, margins: Array) -> Array:
        return sigmoid(margins)
