"""What all ways to bootstrap an estimator share, and the one that refits at every decision."""

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log
from typing import Any, ClassVar

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.choice import one_of, replica_probabilities
from bandstrap.errors import BandstrapError, InvalidInput
from bandstrap.history.fractions import FORGOTTEN
from bandstrap.models.base import Learner, Model
from bandstrap.models.features import Examples, as_numbers, perturbed, verify_rows
from bandstrap.models.sklearn.fit import MISTAKES, Fit, Fitter, WrongEstimator
from bandstrap.priors import ExamplePrior, PseudoExamples
from bandstrap.priors.pseudo_examples import CONTEXTS, REWARDS, WIDEST
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped_list
from bandstrap.resampling import Resampling
from bandstrap.storage.schema import (
    ArrayOf,
    Fixed,
    Flag,
    Grows,
    ListOf,
    Of,
    Real,
    Schema,
    Whole,
    require,
)
from bandstrap.storage.unpacking import CannotRestore

NOTHING = 1e-9  # smaller weights are zero
LEAST = -1e15  # lower bound of the logarithm of all discounts
Fits = Sequence[Fit | None]  # of each arm
SEEDS = 2**63
SMALLEST = 1e-300  # a discount by 0 has no logarithm
FADING = Real(LEAST, 0.0)
STATES = 2**31 - 1  # random states of estimators are below

# Pseudo-examples may be in use by several snapshots.
EXAMPLES = ArrayOf(CONTEXTS, Grows("examples"), "features", low=-WIDEST, high=WIDEST, shared=True)
EXAMPLE_REWARDS = ArrayOf(REWARDS, Grows("examples"), shared=True)


class Importance:
    """The weight that each row came with, and what had been forgotten by then.

    Forgetting is one number for all rows, the logarithm of all discounts so far; so the weight of a
    row at any earlier time can be recomputed.

    >>> importance = Importance()
    >>> importance.add(1.0, 0.0)
    >>> importance.add(0.5, -np.log(4))
    >>> importance.at(-np.log(8), 2).round(6).tolist()
    [0.125, 0.25]
    """

    schema = Schema(count=Whole(), _rows=ArrayOf(np.float64, Grows(), 2, low=LEAST, high=1.0))

    def verify_saved(self) -> None:
        require(self.count <= len(self._rows), "count is beyond the rows")
        weights, births = self._rows[: self.count].T
        require((weights >= 0).all() and (births <= 0).all(), "a row counts for too much")

    def verify_since(self, fading: float, count: int) -> None:
        """Refuse a file whose first `count` rows came after `fading`."""
        require((self._rows[:count, 1] >= fading).all(), "a row came later than it was used")

    def __init__(self) -> None:
        self.count = 0
        self._rows = np.zeros((0, 2))

    def add(self, weight: float, fading: float) -> None:
        if self.count == len(self._rows):
            self._rows = np.concatenate([self._rows, np.zeros((max(64, self.count), 2))])
        self._rows[self.count] = weight, fading
        self.count += 1

    def own(self, place: int) -> float:
        """The weight that a row came with."""
        return float(self._rows[place, 0])

    def faded(self, fading: float) -> Array:
        """Which rows have faded to almost nothing, (count,)."""
        lost: Array = fading - self._rows[: self.count, 1] < log(FORGOTTEN)
        return lost

    def keep(self, kept: Array) -> None:
        rows = self._rows[: self.count][kept]
        self._rows[: len(rows)] = rows
        self.count = len(rows)

    def at(self, fading: float, count: int) -> Array:
        """The weights of the first `count` rows when `fading` has been forgotten."""
        weights, births = self._rows[:count].T
        counts: Array = weights * np.exp(fading - births)
        return np.where(counts > NOTHING, counts, 0.0)


@dataclass(frozen=True)
class Setting:
    """What a learner is made from."""

    model: Any  # holds the estimator as the user gave it
    fitter: Fitter
    problem: Problem
    resampling: Resampling
    prior: ExamplePrior
    replicas: int


@dataclass(frozen=True)
class Snapshot:
    """What an arm's examples were at some time: pseudo-examples, rows, and how much they faded."""

    version: int
    contexts: Array  # of the pseudo-examples
    rewards: Array
    rows: int
    fading: float

    schema = Schema(
        version=Whole(), contexts=EXAMPLES, rewards=EXAMPLE_REWARDS, rows=Whole(), fading=FADING
    )


class EstimatorLearner(Learner):
    """Rows by arm, and how much they count; subclasses make the fits."""

    repeats: ClassVar[bool] = False
    one_for_all: ClassVar[bool] = True
    by_arm: ClassVar[tuple[str, ...]] = ("rows", "importance")  # lists with an entry for each arm
    warned = False  # that the estimator refuses examples
    former_fields: ClassVar[dict[str, str]] = {"told": "warned"}
    schema = Schema(
        model=Fixed(Of(Model)),
        fitter=Of(Fitter),
        resampling=Fixed(Of(Resampling)),
        rows=ListOf(Of(Examples), "arms"),
        importance=ListOf(Of(Importance), "arms"),
        fading=FADING,
        pseudo=Of(PseudoExamples),
        warned=Flag(),
    )

    def verify_saved(self) -> None:
        self.verify_examples(self.pseudo.contexts, self.pseudo.rewards)
        for rows, importance in zip(self.rows, self.importance, strict=True):
            require(importance.count == rows.count, "rows and what they count differ in number")
            importance.verify_since(self.fading, rows.count)
            self.verify_examples(rows.contexts, rows.rewards)

    def verify_examples(self, contexts: Array, rewards: Array) -> None:
        """Refuse a file with examples that no arm can have."""
        require(contexts.shape[1] == self.rows[0].n_features, "examples are of another width")
        classes = self.fitter.values
        require(classes is None or np.isin(rewards, classes).all(), "a reward is not a class")

    def verify_problem(self, problem: Problem) -> None:
        verify_rows(self.rows, problem)
        require(self.fitter.columns is problem.columns, "columns are of another problem")

    def restore(self) -> None:
        try:
            self._remake()
        except WrongEstimator as error:
            if isinstance(error.__cause__, ImportError):
                raise error.__cause__ from error
            name = type(self).__name__
            raise CannotRestore(f"a {name} could not be made again: {error}") from error

    def _remake(self) -> None:
        """Make the fits again, if they are kept."""

    def __init__(self, setting: Setting) -> None:
        problem = setting.problem
        self.model = setting.model
        self.fitter = setting.fitter
        self.resampling = setting.resampling
        self.rows = [Examples(problem.n_features) for _ in range(problem.n_arms)]
        self.importance = [Importance() for _ in range(problem.n_arms)]
        self.fading = 0.0  # the logarithm of all discounts
        self.pseudo = setting.prior.start(problem)
        for reward in set(self.pseudo.rewards.tolist()):
            self.fitter.check(reward)

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        """As many rows as the weight has whole parts, and one that counts the rest."""
        self.check_reward(reward, weight)
        rest = weight % 1.0
        for _ in range(int(weight)):
            self._add(context, arm, reward, rng, 1.0)
        if rest:
            self._add(context, arm, reward, rng, rest)
        self.pseudo.see(context, reward)  # last: a refusal leaves nothing behind

    def check_reward(self, reward: float, weight: float) -> None:
        if weight % 1.0 and self.fitter.repeats:
            remedy = "rows are repeated for this estimator or scheme: give whole weights"
            raise InvalidInput("weights", weight, remedy)
        self.fitter.check(reward)

    def _add(self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float) -> None:
        self.rows[arm].add(context, reward)
        self.importance[arm].add(weight, self.fading)

    def remap_arms(self, fresh: Any, before: ArmMap) -> None:
        for name in self.by_arm:
            setattr(self, name, remapped_list(getattr(self, name), getattr(fresh, name), before))

    def discount(self, factor: float) -> None:
        if self.fitter.repeats:
            remedy = "rows are repeated for this estimator or scheme: forget by Window()"
            raise InvalidInput("factor", factor, remedy)
        self.fading += log(max(factor, SMALLEST))

    def forget(self, arm: int) -> None:
        """Drop rows of an arm that no longer count."""
        lost = self.importance[arm].faded(self.fading)
        if lost.any():
            self.importance[arm].keep(~lost)
            self.rows[arm].keep(~lost)

    def snapshot(self, arm: int) -> Snapshot:
        pseudo = self.pseudo
        rows = self.rows[arm].count
        return Snapshot(pseudo.version, pseudo.contexts, pseudo.rewards, rows, self.fading)

    def examples(self, arm: int, snapshot: Snapshot) -> tuple[Array, Array, Array]:
        """Contexts, rewards and counts of a snapshot: pseudo-examples, then rows."""
        rows, n = self.rows[arm], snapshot.rows
        contexts = np.concatenate([snapshot.contexts, as_numbers(rows.contexts[:n])])
        rewards = np.concatenate([snapshot.rewards, rows.rewards[:n]])
        counts = self.importance[arm].at(snapshot.fading, n)
        return contexts, rewards, np.concatenate([np.ones(snapshot.rewards.size), counts])

    def fitted(
        self, arm: int, examples: tuple[Array, Array, Array], rng: Rng, start: Fit | None = None
    ) -> Fit | None:
        """A fit to freshly weighted examples; None if they all count zero."""
        contexts, rewards, counts = examples
        if not counts.any():
            return None
        targets, weights = perturbed(self.resampling, rewards, rng, counts)
        data, state = (contexts, targets, weights), int(rng.integers(STATES))
        fit = self.fitter.fit(self.model.estimator, data, state, start)
        if fit.refusal is not None:
            self._warn(arm, fit.refusal)
        return fit

    def table(self, contexts: Array) -> Any:
        """One context or several as estimators take them."""
        return self.fitter.table(np.atleast_2d(as_numbers(contexts)))

    def shares(self, replicas: Iterable[Fits], contexts: Array, allowed: Array) -> Array:
        """The share of replicas, each with a fit for each arm, that prefer each arm."""
        table = self.table(contexts)
        return replica_probabilities(np.array([self.means(f, table) for f in replicas]), allowed)

    def means(self, fits: Fits, table: Any, arms: Iterable[int] | None = None) -> Array:
        """The reward that each arm's fit expects, of all arms or some; infinite without a fit."""
        pairs = zip(range(len(fits)) if arms is None else arms, fits, strict=True)
        untried = np.full(len(table), np.inf)
        return np.concatenate(
            [untried if fit is None else self._predicted(arm, fit, table) for arm, fit in pairs]
        )

    def _predicted(self, arm: int, fit: Fit, table: Any) -> Array:
        cause = "it predicts numbers that are not finite"
        try:
            predicted = self.fitter.expected(fit, table)
        except BandstrapError:
            raise
        except MISTAKES as error:
            raise WrongEstimator(fit.estimator, error) from error
        except Exception as error:  # a word that the fit has not met, too few rows
            predicted, cause = np.full(len(table), np.nan), str(error)
        finite = np.isfinite(predicted)
        if finite.all():
            return predicted
        self._warn(arm, cause)
        return np.where(finite, predicted, fit.constant)

    def _warn(self, arm: int, cause: str) -> None:
        """Warn, once, that an estimator refuses to be fit or to predict."""
        if self.warned:
            return
        self.warned = True
        from sklearn.exceptions import FitFailedWarning  # takes long to import

        warnings.warn(
            f"{type(self.model.estimator).__name__} refuses what arm {arm} (the first is 0) has "
            f"learnt or is asked: {cause}. Where it does, the weighted mean of the arm's rewards "
            "stands in; raise `least`, let encoders ignore what they have not met "
            '(handle_unknown="ignore"), or give another estimator or prior',
            FitFailedWarning,
            stacklevel=2,
        )


class FreshLearner(EstimatorLearner):
    """The bootstrap itself: every allowed arm is fit afresh at every decision, and no fit kept."""

    def discount(self, factor: float) -> None:
        super().discount(factor)
        for arm in range(len(self.rows)):
            self.forget(arm)

    def margins(self, contexts: Array, rng: Rng) -> Array:
        fits = [self._fit(arm, rng) for arm in range(len(self.rows))]
        return self.means(fits, self.table(contexts))

    def best(self, contexts: Array, rng: Rng, allowed: Array) -> int:
        if contexts.ndim > 1:
            return super().best(contexts, rng, allowed)
        arms = np.flatnonzero(allowed)  # others need no fit
        fits = [self._fit(int(arm), rng) for arm in arms]
        means = self.means(fits, self.table(contexts), arms.tolist())
        return one_of(arms[means == means.max()], rng)

    def _fit(self, arm: int, rng: Rng) -> Fit | None:
        return self.fitted(arm, self.examples(arm, self.snapshot(arm)), rng)
