"""Replicas of one model for all arms, whose features may be of very different size."""

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.choice import highest, replica_probabilities
from bandstrap.models.features import as_numbers
from bandstrap.models.online.replicas import ReplicaLearner

JUMP = 2.0  # a feature's root mean square has grown this much by one row: it was no scale at all


class SharedReplicas(ReplicaLearner):
    """What `ReplicaLearner` does, for features whose scale is not known from the first few rows.

    How far a parameter may move is told by the size of its feature so far. Of a share, say, one arm
    has a millionth and the next one half: a parameter that has moved as a millionth allows is far
    out of reach of the steps that one half allows. So where a row shows that a feature is much
    larger than it seemed, its parameter shrinks in proportion, and what it adds to a margin is as
    much as before: the idea of normalised online learning (Ross, Mineiro and Langford, 2013).
    """

    def scores_of(self, contexts: Array, rng: Rng) -> Array:
        return self._expected(self._margins_of(contexts, rng))

    def choose_of(self, contexts: Array, rng: Rng, allowed: Array) -> tuple[int, Array]:
        margins = self._margins_of(contexts, rng)  # probabilities near 1 would tie
        return highest(margins, allowed, rng), self._expected(margins)

    def decide_of(
        self, contexts: Array, rng: Rng, allowed: Array
    ) -> tuple[int, Array, Array | None]:
        replica = self._drawn_replica(rng)
        # One chooses and all vote by the same numbers: a product for one alone may round otherwise,
        # and arms that tie here would not tie there.
        all_margins = self._all_margins(contexts, slice(self.count))
        margins = all_margins[:, replica]
        chosen = highest(margins, allowed, rng)
        return chosen, self._expected(margins), replica_probabilities(all_margins.T, allowed)

    def shares_of(self, contexts: Array, allowed: Array) -> Array | None:
        if self.untaught or self.pseudo_weights.shape[1] != self.pseudo.count:
            return None  # a draw learns them first, at random
        return replica_probabilities(self._all_margins(contexts, slice(self.count)).T, allowed)

    def _margins_of(self, contexts: Array, rng: Rng) -> Array:
        replica = self._drawn_replica(rng)
        return self._all_margins(contexts, slice(replica, replica + 1))[:, 0]

    def _all_margins(self, contexts: Array, replicas: slice) -> Array:
        """What some replicas think of each context, (contexts, replicas)."""
        theta = self.theta[0][:, replicas]
        if self.pseudo.count + self.rows[0].count == 0:
            return np.full((len(contexts), theta.shape[1]), np.inf)  # to be tried first
        margins: Array = as_numbers(contexts) @ theta[:-1] + theta[-1]
        return margins

    def _keep(self, context: Array, arm: int, reward: float, weight: float, drawn: Array) -> None:
        self._rescale(as_numbers(context))
        super()._keep(context, arm, reward, weight, drawn)

    def _rescale(self, context: Array) -> None:
        squares, counts = self.scales[:, :-1]
        met = np.flatnonzero((squares > 0) & (context != 0))
        before = squares[met] / counts[met]
        after = (squares[met] + context[met] ** 2) / (counts[met] + 1)
        jumped = after > JUMP**2 * before
        self.theta[:, met[jumped]] *= np.sqrt(before / after)[jumped, None]
