"""Replicas of each arm's estimator, refit now and then, each to fresh weights of its own."""

from dataclasses import dataclass
from typing import ClassVar, Protocol

import numpy as np

from bandstrap.models.estimator_fit import Fit
from bandstrap.models.estimator_learner import SEEDS, STATES, EstimatorLearner, Setting
from bandstrap.models.estimator_weights import drawn
from bandstrap.models.features import as_numbers
from bandstrap.models.votes import vote_shares
from bandstrap.seeding import generator


class Schedule(Protocol):
    def due(self, before: int, now: int) -> bool: ...


@dataclass(frozen=True)
class Renewal:
    """What an arm's replicas were last fit to: so many rows, pseudo-examples, and random weights.

    From it the fits can be made again, bit for bit.
    """

    rows: int
    seed: int
    version: int
    contexts: np.ndarray  # of the pseudo-examples at the time
    rewards: np.ndarray


class EnsembleLearner(EstimatorLearner):
    """A decision asks one replica, picked at random, for every arm.

    Fits are not saved: `chains` tells for each arm how they were made, only the last time unless
    fits start from earlier ones.
    """

    unsaved: ClassVar[tuple[str, ...]] = ("fits",)

    def __init__(self, setting: Setting, schedule: Schedule) -> None:
        super().__init__(setting)
        self.schedule = schedule
        self.replicas = setting.replicas
        self.chains: list[list[Renewal]] = [[] for _ in self.rows]
        self.fits: list[list[Fit | None]] = [[None] * self.replicas for _ in self.rows]

    def restore(self) -> None:
        self.fits = [[None] * self.replicas for _ in self.rows]
        for arm, chain in enumerate(self.chains):
            for renewal in chain:
                self.fits[arm] = self._fitted(arm, renewal)

    def scores(self, context: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        for arm in range(len(self.rows)):
            if self._due(arm):
                self._renew(arm, int(rng.integers(SEEDS)))
        return self._asked(int(rng.integers(self.replicas)), context)

    def probabilities(self, context: np.ndarray, allowed: np.ndarray) -> np.ndarray | None:
        """How probable each arm is, by votes of the replicas; None before a refit."""
        if any(self._due(arm) for arm in range(len(self.rows))):
            return None
        asked = [self._asked(replica, context) for replica in range(self.replicas)]
        return vote_shares(np.array(asked), allowed)

    def _asked(self, replica: int, context: np.ndarray) -> np.ndarray:
        return self.expected([fits[replica] for fits in self.fits], context)

    def _due(self, arm: int) -> bool:
        rows, chain = self.rows[arm].count, self.chains[arm]
        if not chain:
            return rows + self.pseudo.count > 0
        last = chain[-1]
        return last.version != self.pseudo.version or self.schedule.due(last.rows, rows)

    def _renew(self, arm: int, seed: int) -> None:
        pseudo = self.pseudo
        renewal = Renewal(
            self.rows[arm].count, seed, pseudo.version, pseudo.contexts, pseudo.rewards
        )
        self.fits[arm] = self._fitted(arm, renewal)
        kept = self.chains[arm] if self.fitter.warm else []
        self.chains[arm] = [*kept, renewal]

    def _fitted(self, arm: int, renewal: Renewal) -> list[Fit | None]:
        rows, count = self.rows[arm], renewal.rows
        contexts = np.concatenate([renewal.contexts, as_numbers(rows.contexts[:count])])
        rewards = np.concatenate([renewal.rewards, rows.rewards[:count]])
        fits: list[Fit | None] = []
        for replica, start in enumerate(self.fits[arm]):
            rng = generator(renewal.seed, replica)
            targets, weights = drawn(self.resampling, rewards, rng)
            data = (contexts, targets, weights)
            state = int(rng.integers(STATES))
            fits.append(self.fitter.fit(self.model.estimator, data, state, start))
        return fits
