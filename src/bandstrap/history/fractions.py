"""Rewards that count more or less than once, kept row by row."""

import numpy as np

from bandstrap.arrays import Array
from bandstrap.kernels.lazy.direct import Fractions
from bandstrap.remapping import ArmMap, remapped
from bandstrap.storage.schema import Of, Schema, require

LEAST = 1e-300  # that a row can count
FORGOTTEN = 1e-4  # what counts less than this is dropped, so that memory and cost stay bounded


class FractionalRewards:
    """For each arm of each run, rewards and the factor on the bootstrap weight of each.

    >>> some = FractionalRewards(1, 2)
    >>> some.add(0, 1, np.array([0.3, 0.7]), 0.5)
    >>> some.fade(0.5)
    >>> [each.tolist() for each in some.of(0, 1)]
    [[0.3, 0.7], [0.25, 0.25]]
    """

    schema = Schema(arrays=Of(Fractions))

    def verify_saved(self) -> None:
        rewards, factors, used = self.arrays
        require((used <= rewards.shape[2]).all(), "used is beyond the rows")
        taken = np.arange(rewards.shape[2]) < used[..., None]
        # A draw goes on until some weight is above 0.
        require((factors[taken] >= LEAST).all(), "a row counts nothing")

    def __init__(self, runs: int, n_arms: int) -> None:
        empty = np.zeros((runs, n_arms, 0))
        self.arrays = Fractions(empty, empty.copy(), np.zeros((runs, n_arms), dtype=np.int64))

    def of(self, run: int, arm: int) -> tuple[Array, Array]:
        """One arm's rewards, and what each of them counts."""
        used = self.arrays.used[run, arm]
        return self.arrays.rewards[run, arm, :used], self.arrays.factors[run, arm, :used]

    def add(self, run: int, arm: int, rewards: Array, factor: float) -> None:
        """More rewards of an arm that each count `factor` times."""
        start = self.arrays.used[run, arm]
        end = start + rewards.size
        room = self.arrays.rewards.shape[2]
        if room < end:  # it doubles, so that copying stays rare
            more = ((0, 0), (0, 0), (0, max(2 * room, int(end)) - room))
            kept, factors = (np.pad(each, more) for each in self.arrays[:2])
            self.arrays = Fractions(kept, factors, self.arrays.used)
        self.arrays.rewards[run, arm, start:end] = rewards
        self.arrays.factors[run, arm, start:end] = factor
        self.arrays.used[run, arm] = end

    def fade(self, factor: float) -> None:
        """Let all count only `factor` as much, and drop what then counts next to nothing."""
        self.arrays.factors[:] *= factor
        for run, arm in np.ndindex(self.arrays.used.shape):
            rewards, factors = self.of(run, arm)
            kept = factors >= FORGOTTEN
            left = int(kept.sum())
            rewards[:left], factors[:left] = rewards[kept], factors[kept]
            self.arrays.used[run, arm] = left

    def remapped(self, before: ArmMap) -> "FractionalRewards":
        """The same with other arms; new ones are empty."""
        made = FractionalRewards(self.arrays.used.shape[0], len(before))
        pairs = zip(self.arrays, made.arrays, strict=True)
        made.arrays = Fractions(*(remapped(old, new, before, axis=1) for old, new in pairs))
        return made
