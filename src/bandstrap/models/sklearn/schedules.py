"""When `from_sklearn` fits again: schedules, each with its cost, and replicas refit by them."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from math import log
from typing import Any, ClassVar

from bandstrap.arrays import Array, Rng
from bandstrap.errors import InvalidInput
from bandstrap.models.base import Learner
from bandstrap.models.cost import EVERY, FIRST, unused, warn_of_cost
from bandstrap.models.sklearn.fit import Fit
from bandstrap.models.sklearn.learner import (
    SEEDS,
    EstimatorLearner,
    FreshLearner,
    Setting,
    Snapshot,
)
from bandstrap.models.sklearn.online import OnlineLearner
from bandstrap.seeding import generator
from bandstrap.storage.schema import Anything, Fixed, ListOf, Of, Schema, Whole, require
from bandstrap.validation import require_positive, require_whole

STALE = 2  # refit when the rewards of all arms have grown by this factor
FADED = log(1.1)  # refit when rows have faded by this much


class Refit(ABC):
    """When fits are made anew."""

    online: ClassVar[bool] = False  # whether examples are learnt one by one

    @abstractmethod
    def learner(self, setting: Setting) -> Learner:
        """What learns and draws by this schedule in one run."""


@dataclass(frozen=True)
class EveryRound(Refit):
    """Fresh weights and a fresh fit of every allowed arm at every decision: the bootstrap itself.

    Exact, and costs one fit to the whole history per arm and decision. Nothing is kept from one
    decision to the next, so replicas and `warm_start` play no part.

    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from bandstrap import from_sklearn
    >>> from_sklearn(DecisionTreeClassifier(), refit=EveryRound()).refit
    EveryRound()
    """

    def learner(self, setting: Setting) -> Learner:
        learner = FreshLearner(setting)
        _warn(setting, learner, setting.problem.n_arms, EVERY)
        return learner


class Schedule(Refit):
    """Replicas of each arm's estimator, refit now and then, each to fresh weights of its own."""

    @abstractmethod
    def due(self, before: int, now: int) -> bool:
        """Whether fits to `before` rows of an arm are too old when there are `now`."""

    def learner(self, setting: Setting) -> Learner:
        learner = EnsembleLearner(setting, self)
        _warn(setting, learner, setting.problem.n_arms * setting.replicas, FIRST)
        return learner


@dataclass(frozen=True)
class Every(Schedule):
    """An arm's replicas are fit afresh after every `n` of its rewards; young arms more often.

    An arm with fewer than `n` rewards is refit when their number has doubled, and every arm when
    those of all arms together have, so that bad luck of an arm that is not pulled does not last.
    The cost is `replicas` / `n` fits per round, each to all rows of one arm.

    >>> [now for now in range(1, 13) if Every(4).due(4, now)]
    [8, 9, 10, 11, 12]
    """

    n: int

    def __post_init__(self) -> None:
        require_whole(1, n=self.n)

    def due(self, before: int, now: int) -> bool:
        return now > before and now >= before + min(self.n, max(before, 1))


@dataclass(frozen=True)
class Growth(Schedule):
    """An arm's replicas are fit afresh when its rewards have grown in number by `share`.

    The cost falls as history grows: an arm with n rewards is fit `replicas` / (share n) times per
    reward of its own, and all fits of a replica together go through (1 + 1 / share) n rows. With
    the default, 10 replicas and a thousand rewards of an arm that is 0.1 fits per round, each to a
    thousand rows. Every arm is also refit when the rewards of all arms together have doubled, so
    that bad luck of an arm that is not pulled does not last.

    >>> [now for now in range(20, 25) if Growth(0.1).due(20, now)]
    [22, 23, 24]
    """

    share: float = 0.1

    def __post_init__(self) -> None:
        require_positive(share=self.share)

    def due(self, before: int, now: int) -> bool:
        return now > before and now >= before * (1 + self.share)


@dataclass(frozen=True)
class Online(Refit):
    """No refits: each replica weighs each example once, when it comes, and learns it then.

    For estimators with `partial_fit`, and schemes that weigh examples independently: `Poisson`,
    `DoubleOrNothing`, `Exponential`. The cost is `replicas` calls of `partial_fit` per reward,
    whatever the history's length; a restored run learns its history once more. What is learnt
    cannot be discounted later.

    >>> from sklearn.naive_bayes import GaussianNB
    >>> from bandstrap import from_sklearn
    >>> from_sklearn(GaussianNB(), refit=Online()).refit.online
    True
    """

    online: ClassVar[bool] = True

    def learner(self, setting: Setting) -> Learner:
        if not setting.resampling.independent:
            use = "use Poisson(), DoubleOrNothing() or Exponential(), or refit=Growth()"
            remedy = f"Online() weighs examples as they come: {use}"
            raise InvalidInput("resampling", setting.resampling, remedy)
        return OnlineLearner(setting)


def _warn(
    setting: Setting, learner: EstimatorLearner, fits: int, schedule: tuple[str, str]
) -> None:

    def fit(n: int) -> Any:
        weights = unused().poisson(size=n) + 0.0
        rows = learner.pseudo.contexts[:n], learner.pseudo.rewards[:n], weights
        return setting.fitter.fit(setting.model.estimator, rows, 0)

    warn_of_cost(type(setting.model.estimator).__name__, fit, learner.pseudo, fits, schedule)


def check_refit(refit: Any) -> None:
    if not isinstance(refit, Refit):
        raise InvalidInput("refit", refit, "give EveryRound(), Every(n), Growth(share) or Online()")


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
            for snapshot in (record.snapshot for record in chain):
                few = snapshot.rows <= self.rows[arm].count
                require(few, "a fit is to more rows than there are")
                require(snapshot.version <= self.pseudo.version, "a fit is to examples yet to come")
                require(snapshot.fading >= self.fading, "a fit is to rows yet to fade")
                self.importance[arm].verify_since(snapshot.fading, snapshot.rows)
                self.verify_examples(snapshot.contexts, snapshot.rewards)
            # Each costs a fit of every replica, so there is a reason for each.
            for last, next_ in pairwise(chain):
                require(self._outdated(last, next_.snapshot, next_.total), "fits were not due")

    def __init__(self, setting: Setting, schedule: Schedule) -> None:
        super().__init__(setting)
        self.schedule = schedule
        self.replicas = setting.replicas
        self.chains: list[list[RefitRecord]] = [[] for _ in self.rows]
        self._remake()

    def _remake(self) -> None:
        self.fits: list[list[Fit | None]] = [[None] * self.replicas for _ in self.rows]
        for arm, chain in enumerate(self.chains):
            for record in chain:
                self.fits[arm] = self._fitted(arm, record)

    def margins(self, contexts: Array, rng: Rng) -> Array:
        for arm in range(len(self.rows)):
            if self._due(arm):
                self._renew(arm, int(rng.integers(SEEDS)))
        replica = int(rng.integers(self.replicas))
        return self.means([fits[replica] for fits in self.fits], self.table(contexts))

    def probabilities(self, contexts: Array, allowed: Array) -> Array | None:
        if any(self._due(arm) for arm in range(len(self.rows))):
            return None
        return self.shares(zip(*self.fits, strict=True), contexts, allowed)

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
