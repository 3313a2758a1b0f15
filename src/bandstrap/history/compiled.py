"""Runs that are played in kernels, without Python between rounds."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.history.rewards import RewardHistory
from bandstrap.kernels.lazy.play import play
from bandstrap.seeding import kernel_stream

BLOCK = 64  # rounds of one run before the next run is played


@dataclass(frozen=True)
class Law:
    """A reward distribution as kernels know it, up to an arm's parameter."""

    code: int
    scale: float = 1.0


@dataclass(frozen=True)
class Compiled:
    """A policy's state as kernels know it: a history to choose by, after the pulls still owed."""

    history: RewardHistory
    owed: Array  # (runs, arms)

    def play(
        self,
        rounds: int,
        law: Law,
        arms: tuple[Array, Array],
        totals: tuple[Array, Array],
        rng: Rng,
        reward_rng: Rng,
    ) -> None:
        """Play on; `arms` are parameters and means, `totals` regret and reward so far."""
        history = self.history
        best = arms[1].max(axis=1)
        allowed = np.ones(arms[1].shape, dtype=np.bool_)
        stream, reward_stream = kernel_stream(rng), kernel_stream(reward_rng)
        while rounds > 0:
            block = min(rounds, BLOCK, history.ensure_room())
            kept = history.arrays, history.scheme, history.keeps, self.owed, allowed
            play(stream, reward_stream, *kept, law.code, law.scale, arms, best, block, totals)
            history.advance(block)
            rounds -= block
