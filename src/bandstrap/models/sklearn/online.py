"""Replicas of each arm's estimator that learn each example as it comes, by `partial_fit`."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.errors import BandstrapError, InvalidInput
from bandstrap.models.features import as_numbers
from bandstrap.models.sklearn.fit import MISTAKES, Fit, WrongEstimator
from bandstrap.models.sklearn.learner import (
    EXAMPLE_REWARDS,
    EXAMPLES,
    SEEDS,
    STATES,
    EstimatorLearner,
    Setting,
)
from bandstrap.seeding import generator
from bandstrap.storage.schema import Fixed, ListOf, Maybe, Of, Schema, Whole, require

NONE_SEEN = np.nan


@dataclass(frozen=True)
class PriorUpdate:
    """Pseudo-examples that an arm's replicas learnt after `rows` rows."""

    rows: int
    contexts: Array
    rewards: Array

    schema = Schema(rows=Whole(), contexts=EXAMPLES, rewards=EXAMPLE_REWARDS)


class OnlineArm:
    """The replicas of one arm."""

    def __init__(self, replicas: int) -> None:
        self.fits: list[Fit] = []
        self.only = np.full(replicas, NONE_SEEN)  # the one reward that a replica has seen
        self.mixed = np.zeros(replicas, dtype=np.bool_)  # it has seen several
        self.sums = np.zeros((2, replicas))  # of weights, and of weighted rewards

    @property
    def unseen(self) -> Array:
        unseen: Array = np.isnan(self.only) & ~self.mixed
        return unseen


class OnlineLearner(EstimatorLearner):
    """Each arm has a seed, from which come the weights of its examples and so its fits.

    Fits are not saved: they are made again from the seed, the rows and `updates`.
    """

    unsaved: ClassVar[tuple[str, ...]] = ("arms",)
    former_fields: ClassVar[dict[str, str]] = {"marks": "updates", "told": "warned"}
    by_arm: ClassVar[tuple[str, ...]] = (
        *EstimatorLearner.by_arm, "seeds", "updates", "versions", "arms"
    )  # fmt: skip
    schema = Schema(
        replicas=Fixed(Whole(1)),
        seeds=ListOf(Maybe(Whole(0, SEEDS)), "arms"),
        updates=ListOf(ListOf(Of(PriorUpdate)), "arms"),
        versions=ListOf(Whole(-1), "arms"),
    )

    def verify_saved(self) -> None:
        super().verify_saved()
        for arm, updates in enumerate(self.updates):
            seeded = self.seeds[arm] is not None
            require(seeded or not (updates or self.rows[arm].count), "what was learnt has no seed")
            require(self.versions[arm] <= self.pseudo.version, "examples are yet to come")
            require(len(updates) <= self.versions[arm] + 1, "more examples than there were")
            # Each is learnt by every replica: the arrays of each version are its own.
            apart = len({id(update.contexts) for update in updates}) == len(updates)
            require(apart, "examples were learnt twice")
            places = [0, *(update.rows for update in updates), self.rows[arm].count]
            require(places == sorted(places), "examples were learnt after rows that never came")
            for update in updates:
                self.verify_examples(update.contexts, update.rewards)

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.replicas = setting.replicas
        self.seeds: list[int | None] = [None] * len(self.rows)
        self.updates: list[list[PriorUpdate]] = [[] for _ in self.rows]
        self.versions = [-1] * len(self.rows)  # of the pseudo-examples learnt
        self._remake()

    def _remake(self) -> None:
        self.arms = [OnlineArm(self.replicas) for _ in self.rows]
        for arm in range(len(self.rows)):
            self._learn_again(arm)

    def _learn_again(self, arm: int) -> None:
        """Make an arm's fits from nothing."""
        self.arms[arm], learnt = OnlineArm(self.replicas), 0
        for number, update in enumerate(self.updates[arm]):
            self._learn_rows(arm, range(learnt, update.rows))
            self._learn_update(arm, number)
            learnt = update.rows
        self._learn_rows(arm, range(learnt, self.rows[arm].count))

    def discount(self, factor: float) -> None:
        raise InvalidInput("factor", factor, "what is learnt online stays: forget by Window()")

    def _add(self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float) -> None:
        if rng is None:
            raise InvalidInput("rng", rng, "replicas weigh rewards at random; pass a generator")
        self._catch_up(rng)
        self._seed(arm, rng)
        super()._add(context, arm, reward, rng, weight)
        rows, importance = self.rows[arm], self.importance[arm]
        try:
            self._learn_rows(arm, range(rows.count - 1, rows.count))
        except Exception as error:
            rows.count, importance.count = rows.count - 1, importance.count - 1
            self._learn_again(arm)  # some replicas may have learnt it
            name = type(self.model.estimator).__name__
            remedy = f"{name} refuses to learn it ({error}): leave it out"
            raise InvalidInput("context", context.tolist(), remedy) from error

    def margins(self, contexts: Array, rng: Rng) -> Array:
        self._catch_up(rng)
        return self.means(self._fits(int(rng.integers(self.replicas))), self.table(contexts))

    def probabilities(self, contexts: Array, allowed: Array) -> Array | None:
        if contexts.ndim > 1 or any(version != self.pseudo.version for version in self.versions):
            return None
        return self.shares(map(self._fits, range(self.replicas)), contexts, allowed)

    def _fits(self, replica: int) -> list[Fit | None]:
        return [self._fit(arm, replica) for arm in self.arms]

    def _fit(self, arm: OnlineArm, replica: int) -> Fit | None:
        if arm.unseen[replica]:
            return None
        if arm.mixed[replica]:
            weights, rewards = arm.sums[:, replica]
            return replace(arm.fits[replica], constant=float(rewards / weights))
        return Fit(None, None, constant=float(arm.only[replica]))

    def _seed(self, arm: int, rng: Rng) -> None:
        if self.seeds[arm] is None:
            self.seeds[arm] = int(rng.integers(SEEDS))

    def _catch_up(self, rng: Rng) -> None:
        """Learn pseudo-examples that are new."""
        for arm, version in enumerate(self.versions):
            if version == self.pseudo.version:
                continue
            self.versions[arm] = self.pseudo.version
            if self.pseudo.count:
                self._seed(arm, rng)
                count, pseudo = self.rows[arm].count, self.pseudo
                self.updates[arm].append(PriorUpdate(count, pseudo.contexts, pseudo.rewards))
                self._learn_update(arm, len(self.updates[arm]) - 1)

    def _learn_update(self, arm: int, number: int) -> None:
        update = self.updates[arm][number]
        for i, reward in enumerate(update.rewards):
            try:
                self._learn(arm, update.contexts[i], float(reward), 1.0, ("mark", number, i))
            except BandstrapError:
                raise
            except MISTAKES as error:
                raise WrongEstimator(self.model.estimator, error) from error
            except Exception as error:  # the user did not give it, and cannot take it back
                self._warn(arm, str(error))

    def _learn_rows(self, arm: int, places: range) -> None:
        rows, importance = self.rows[arm], self.importance[arm]
        for i in places:
            row = as_numbers(rows.contexts[i]), float(rows.rewards[i]), importance.own(i)
            self._learn(arm, *row, ("row", i))

    def _learn(
        self, arm: int, context: Array, reward: float, count: float, name: tuple[Any, ...]
    ) -> None:
        seed, learnt = self.seeds[arm], self.arms[arm]
        assert seed is not None
        if not learnt.fits:
            states = generator(seed, "states").integers(STATES, size=self.replicas)
            new, template = self.fitter.new, self.model.estimator
            learnt.fits = [new(template, int(state)) for state in states]
        rewards, weights = self._weighed(learnt, reward, generator(seed, *name))
        for replica in np.flatnonzero(weights > 0):
            own, seen = count * float(weights[replica]), rewards[replica : replica + 1]
            self.fitter.learn(learnt.fits[replica], context[None], seen, own)
            learnt.sums[:, replica] += own, own * seen[0]
            if learnt.unseen[replica]:
                learnt.only[replica] = seen[0]
            elif learnt.only[replica] != seen[0]:
                learnt.mixed[replica] = True

    def _weighed(self, learnt: OnlineArm, reward: float, rng: Rng) -> tuple[Array, Array]:
        """One reward for every replica; one that has seen none gets some weight."""
        rewards, weights = self.resampling.perturb(np.full(self.replicas, reward), rng)
        while (void := learnt.unseen & (weights <= 0)).any():
            again, drawn = self.resampling.perturb(np.full(self.replicas, reward), rng)
            rewards, weights = np.where(void, again, rewards), np.where(void, drawn, weights)
        return rewards, weights
