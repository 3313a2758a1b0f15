"""Replicas of one model for all arms, whose features may be of very different size."""

import numpy as np

from bandstrap.models.features import as_numbers
from bandstrap.models.replicas import ReplicaLearner

JUMP = 2.0  # a feature's root mean square has grown this much by one row: it was no scale at all


class SharedReplicas(ReplicaLearner):
    """What `ReplicaLearner` does, for features whose scale is not known from the first few rows.

    How far a parameter may move is told by the size of its feature so far. Of a share, say, one arm
    has a millionth and the next one half: a parameter that has moved as a millionth allows is far
    out of reach of the steps that one half allows. So where a row shows that a feature is much
    larger than it seemed, its parameter shrinks in proportion, and what it adds to a margin is as
    much as before: the idea of normalised online learning (Ross, Mineiro and Langford, 2013).
    """

    def _keep(
        self, context: np.ndarray, arm: int, reward: float, weight: float, drawn: np.ndarray
    ) -> None:
        self._rescale(as_numbers(context))
        super()._keep(context, arm, reward, weight, drawn)

    def _rescale(self, context: np.ndarray) -> None:
        squares, counts = self.scales[:, :-1]
        met = np.flatnonzero((squares > 0) & (context != 0))
        before = squares[met] / counts[met]
        after = (squares[met] + context[met] ** 2) / (counts[met] + 1)
        jumped = after > JUMP**2 * before
        self.theta[:, met[jumped]] *= np.sqrt(before / after)[jumped, None]
