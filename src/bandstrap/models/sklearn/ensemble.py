"""Replicas of each arm's estimator, refit now and then, each to fresh weights of its own."""

from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import Any, ClassVar, Protocol

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.choice import replica_probabilities
from bandstrap.models.sklearn.fit import Fit
from bandstrap.models.sklearn.learner import SEEDS, EstimatorLearner, Setting, Snapshot
from bandstrap.seeding import generator
from bandstrap.storage.schema import Anything, Fixed, ListOf, Of, Schema, Whole, require

STALE = 2  # refit when the rewards of all arms have grown by this factor
FADED = log(1.1)  # refit when rows have faded by this much


class Schedule(Protocol):
    def due(self, before: int, now: int) -> bool: ...


@dataclass(frozen=True)
class RefitRecord:
    """What an arm's replicas were fit to: from it the fits can be made again, bit for bit."""

    snapshot: Snapshot
    seed: int  # of the random weights
    total: int  # rewards of all arms

    former_fields: ClassVar[dict[str, str]] = {"moment": "snapshot"}
    schema = Schema(seed=Whole(0, SEEDS), total=Whole(1))


class EnsembleLearner(EstimatorLearner):
    """A decision asks one replica, picked at random, for every arm.

    Fits are not saved but `chains`, the records that they are made again from: for each arm the
    last one, or all if fits start from earlier ones.
    """

    unsaved: ClassVar[tuple[str, ...]] = ("fits",)
    by_arm: ClassVar[tuple[str, ...]] = (*EstimatorLearner.by_arm, "chains", "fits")
    schema = Schema(
        schedule=Fixed(Anything()),  # the model's own
        replicas=Fixed(Whole(1)),
        chains=ListOf(ListOf(Of(RefitRecord)), "arms"),
    )

    def verify_saved(self) -> None:
        super().verify_saved()
        for arm, chain in enumerate(self.chains):
            require(self.fitter.warm or len(chain) <= 1, "earlier fits are of no use")
            for record in chain:
                self._verify_snapshot(arm, record.snapshot)
            # Each costs a fit of every replica, so there is a reason for each.
            for last, next_ in pairwise(chain):
                require(self._outdated(last, next_.snapshot, next_.total), "fits were not due")

    def _verify_snapshot(self, arm: int, snapshot: Snapshot) -> None:
        require(snapshot.rows <= self.rows[arm].count, "a fit is to more rows than there are")
        require(snapshot.version <= self.pseudo.version, "a fit is to examples yet to come")
        require(snapshot.fading >= self.fading, "a fit is to rows yet to fade")
        self.importance[arm].verify_since(snapshot.fading, snapshot.rows)
        self.verify_examples(snapshot.contexts, snapshot.rewards)

    def __init__(self, setting: Setting, schedule: Schedule) -> None:
        super().__init__(setting)
        self.schedule = schedule
        self.replicas = setting.replicas
        self.chains: list[list[RefitRecord]] = [[] for _ in self.rows]
        self.fits: list[list[Fit | None]] = [[None] * self.replicas for _ in self.rows]

    def _remake(self) -> None:
        self.fits = [[None] * self.replicas for _ in self.rows]
        for arm, chain in enumerate(self.chains):
            for record in chain:
                self.fits[arm] = self._fitted(arm, record)

    def margins(self, contexts: Array, rng: Rng) -> Array:
        self._renew_due(rng)
        return self._asked(int(rng.integers(self.replicas)), self.table(contexts))

    def probabilities(self, contexts: Array, allowed: Array) -> Array | None:
        if any(self._due(arm) for arm in range(len(self.rows))):
            return None
        table = self.table(contexts)
        asked = [self._asked(replica, table) for replica in range(self.replicas)]
        return replica_probabilities(np.array(asked), allowed)

    def _renew_due(self, rng: Rng) -> None:
        for arm in range(len(self.rows)):
            if self._due(arm):
                self._renew(arm, int(rng.integers(SEEDS)))

    def _asked(self, replica: int, table: Any) -> Array:
        return self.means([fits[replica] for fits in self.fits], table)

    def _due(self, arm: int) -> bool:
        rows, chain = self.rows[arm].count, self.chains[arm]
        if not chain:
            return rows + self.pseudo.count > 0
        return self._outdated(chain[-1], self.snapshot(arm), self._total())

    def _outdated(self, record: RefitRecord, now: Snapshot, total: int) -> bool:
        """Whether fits are too old for the examples that there are now."""
        last = record.snapshot
        if total >= STALE * record.total:
            return True  # or the bad luck of an arm that is not pulled would last
        faded = last.rows > 0 and last.fading - now.fading > FADED
        changed = last.version != now.version
        return faded or changed or self.schedule.due(last.rows, now.rows)

    def _total(self) -> int:
        return max(1, sum(rows.count for rows in self.rows))

    def _renew(self, arm: int, seed: int) -> None:
        if not self.fitter.warm:  # warm fits are made again from all rows
            self.forget(arm)
        record = RefitRecord(self.snapshot(arm), seed, self._total())
        self.fits[arm] = self._fitted(arm, record)
        kept = self.chains[arm] if self.fitter.warm else []
        self.chains[arm] = [*kept, record]

    def _fitted(self, arm: int, record: RefitRecord) -> list[Fit | None]:
        examples = self.examples(arm, record.snapshot)
        return [
            self.fitted(arm, examples, generator(record.seed, replica), start)
            for replica, start in enumerate(self.fits[arm])
        ]
