"""Models of what arms pay: fit to some rows of a log, they expect rewards of all arms."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.printable import brief
from bandstrap.seeding import generator
from bandstrap.validation import require_positive, require_whole

__all__ = ["ByArm", "Expects", "Learning", "RewardModel", "Ridge", "as_reward_model"]

# What each arm is expected to pay in each of m contexts, (m, arms), from (m, features) and m.
Expects = Callable[[Array | None, int], Array]
CELLS = 4_000_000  # of the squares of contexts, by arm: with more, arms share slopes
LEAST = 20  # rows of an arm that a model of its own is fit to
MANY = 200  # rows of an arm that any model must be able to be fit to
MOST = 100_000  # rows that are kept to fit a model to
TINY = 1e-12


class Learning(ABC):
    """What a model has taken in: a piece after the other, in bounded memory."""

    @abstractmethod
    def add(self, contexts: Array | None, chosen: Array, rewards: Array, counts: Array) -> None:
        """Take in rows: contexts (n, features), arms, rewards and how often each counts."""

    @abstractmethod
    def fit(self) -> Expects:
        """The model of all rows so far; there may be none."""


class RewardModel(ABC):
    """Frozen parameters of a model of rewards."""

    growth: float = 0.25  # of a log, after which it is fit again, where it must know only the past

    @abstractmethod
    def start(self, arms: int, features: int) -> Learning:
        """Before the first row."""


@dataclass(frozen=True)
class Ridge(RewardModel):
    """A linear model of each arm, drawn towards one that all share: quick, and enough for most.

    `strength` is how many rows the shared model is worth in an arm's own. Without contexts it is
    the arm's mean, drawn towards that of all. Expectations stay within the rewards seen. Where arms
    and features are so many that squares would not fit into memory, arms share slopes.

    >>> learning = Ridge(strength=1.0).start(arms=3, features=0)
    >>> chosen = np.array([0, 0, 1])
    >>> learning.add(None, chosen, np.array([1.0, 1.0, 0.0]), np.ones(3))
    >>> learning.fit()(None, 1).round(2).tolist()
    [[0.89, 0.33, 0.67]]
    """

    strength: float = 5.0

    def __post_init__(self) -> None:
        require_positive(strength=self.strength)

    def start(self, arms: int, features: int) -> Learning:
        together = arms * (features + 1) ** 2 > CELLS
        return RidgeLearning(arms, features, self.strength, together)


class RidgeLearning(Learning):
    """Sums of squares and products, by arm; of squares perhaps of all arms `together`."""

    def __init__(self, arms: int, features: int, strength: float, together: bool) -> None:
        self.arms, self.strength, self.together = arms, strength, together
        self.squares = np.zeros((1 if together else arms, features + 1, features + 1))
        self.sums = np.zeros((arms, features + 1))  # of contexts and a 1, by arm
        self.paid = np.zeros((arms, features + 1))  # the same times rewards
        self.low, self.high = np.inf, -np.inf

    def add(self, contexts: Array | None, chosen: Array, rewards: Array, counts: Array) -> None:
        if not len(rewards):
            return
        order = np.argsort(chosen, kind="stable")
        rows = np.ones((len(rewards), self.sums.shape[1]))
        if contexts is not None:
            rows[:, :-1] = contexts
        rows, chosen, weighted = rows[order], chosen[order], rows[order] * counts[order, None]
        starts = np.flatnonzero(np.diff(chosen, prepend=-1))
        arms = chosen[starts]
        self.sums[arms] += np.add.reduceat(weighted, starts)
        self.paid[arms] += np.add.reduceat(weighted * rewards[order, None], starts)
        self._square(rows, weighted, arms, np.append(starts, len(rows)))
        self.low, self.high = min(self.low, rewards.min()), max(self.high, rewards.max())

    def _square(self, rows: Array, weighted: Array, arms: Array, bounds: Array) -> None:
        if self.together:
            self.squares[0] += rows.T @ weighted
            return
        for arm, start, stop in zip(arms, bounds[:-1], bounds[1:], strict=True):
            self.squares[arm] += rows[start:stop].T @ weighted[start:stop]

    def fit(self) -> Expects:
        if not np.isfinite(self.low):
            return Constant(np.zeros(self.arms))
        to_units = self._units()
        squares = to_units @ self.squares @ to_units.T
        paid, sums = self.paid @ to_units.T, self.sums @ to_units.T
        penalty = np.full(len(to_units), self.strength * max(len(to_units) - 1, 1))
        penalty[-1] = TINY  # the shared level is free
        shared = np.linalg.solve(squares.sum(axis=0) + np.diag(penalty), paid.sum(axis=0))
        penalty[-1] = self.strength
        own = np.tile(shared, (self.arms, 1))
        if self.together:
            own[:, -1] += (paid[:, -1] - sums @ shared) / (sums[:, -1] + self.strength)
        else:
            off = paid - squares @ shared
            own += np.linalg.solve(squares + np.diag(penalty), off[..., None])[..., 0]
        return Linear(own @ to_units, float(self.low), float(self.high))

    def _units(self) -> Array:
        """What makes features have mean 0 and variance 1, (features + 1, features + 1)."""
        squares, sums = self.squares.sum(axis=0), self.sums.sum(axis=0)
        means = sums / sums[-1]
        variances = np.diag(squares) / sums[-1] - means**2
        flat = variances <= TINY * np.maximum(np.diag(squares) / sums[-1], 1e-300)
        scales = np.where(flat, 0.0, 1 / np.sqrt(np.where(flat, 1.0, variances)))
        scales[-1] = 1.0
        units = np.diag(scales)
        units[:-1, -1] = -(means * scales)[:-1]
        return units


@dataclass(frozen=True)
class Constant:
    """The same for every context."""

    values: Array  # (arms,)

    def __call__(self, contexts: Array | None, rows: int) -> Array:
        return np.tile(self.values, (rows, 1))


@dataclass(frozen=True)
class Linear:
    """Linear in contexts, within the rewards seen."""

    slopes: Array  # (arms, features + 1), the level last
    low: float
    high: float

    def __call__(self, contexts: Array | None, rows: int) -> Array:
        levels = np.tile(self.slopes[:, -1], (rows, 1))
        if contexts is not None:
            levels += contexts @ self.slopes[:, :-1].T
        expected: Array = np.clip(levels, self.low, self.high)
        return expected


@dataclass(frozen=True)
class ByArm(RewardModel):
    """Any model, fit to the rows of each arm by itself; arms with few have the quick one's.

    Few are less than `least`, or so many that the model cannot be fit to them, below 200.

    `fit` makes a fit of contexts, rewards and weights, and `predict` has a fit say what it expects
    in contexts. At most 100,000 rows are kept to fit to, every second or fourth and so on of more.

    >>> from sklearn.linear_model import LinearRegression
    >>> learning = as_reward_model(LinearRegression()).start(arms=2, features=1)
    >>> contexts = np.arange(40.0)[:, None]
    >>> learning.add(contexts, np.zeros(40, int), 2 * contexts[:, 0], np.ones(40))
    >>> learning.fit()(np.array([[3.0]]), 1).round(2).tolist()
    [[6.0, 9.67]]
    """

    fit: Callable[[Array, Array, Array], Any]
    predict: Callable[[Any, Array], Array]
    least: int = LEAST
    name: str = "model"

    growth = 1.0

    def __post_init__(self) -> None:
        require_whole(1, least=self.least)

    def start(self, arms: int, features: int) -> Learning:
        quick = Ridge().start(arms, features)
        return quick if features == 0 else ByArmLearning(self, quick, arms)


class ByArmLearning(Learning):
    """Rows to fit to, thinned where they are too many, and the quick model of all."""

    def __init__(self, model: ByArm, quick: Learning, arms: int) -> None:
        self.model, self.quick, self.arms = model, quick, arms
        self.kept: list[tuple[Array, ...]] = []
        self.rows, self.stride, self.skip = 0, 1, 0

    def add(self, contexts: Array | None, chosen: Array, rewards: Array, counts: Array) -> None:
        self.quick.add(contexts, chosen, rewards, counts)
        if contexts is None or not len(rewards):
            return
        every = slice(self.skip, None, self.stride)
        self.skip = (self.skip - len(rewards)) % self.stride
        piece = tuple(np.array(each[every]) for each in (contexts, chosen, rewards, counts))
        self.kept.append(piece)
        self.rows += len(piece[1])
        if self.rows > MOST:
            self._thin()

    def _thin(self) -> None:
        """Keep every second row, now and later."""
        together = self._together()
        self.kept = [tuple(each[::2] for each in together)]
        self.skip += self.stride * (len(together[1]) % 2)
        self.stride *= 2
        self.rows = len(self.kept[0][1])

    def _together(self) -> tuple[Array, ...]:
        return tuple(np.concatenate(each) for each in zip(*self.kept, strict=True))

    def fit(self) -> Expects:
        fits: dict[int, Any] = {}
        if self.kept:
            contexts, chosen, rewards, counts = self._together()
            for arm in range(self.arms):
                own = chosen == arm
                if own.sum() >= self.model.least and np.ptp(rewards[own]) > 0:
                    fits[arm] = self._fit(contexts[own], rewards[own], counts[own])
        found = {arm: fit for arm, fit in fits.items() if fit is not None}
        return FitsByArm(self.model, found, self.quick.fit())

    def _fit(self, contexts: Array, rewards: Array, counts: Array) -> Any:
        """A fit that predicts; None if there are too few rows for the model."""
        try:
            fit = self.model.fit(contexts, rewards, counts)
            self.model.predict(fit, contexts[:1])
        except InvalidInput:
            raise
        except ValueError as error:  # as of 30 neighbours among 20 rows, or of folds without one
            if len(rewards) < MANY:
                return None
            problem = (
                f"it cannot be fit to {len(rewards):,} rows of an arm ({brief(str(error), 200)})"
            )
            raise InvalidInput("model", self.model.name, f"{problem}; give another") from error
        return fit


@dataclass(frozen=True)
class FitsByArm:
    """A fit for each arm that has one; the quick model for others."""

    model: ByArm
    fits: dict[int, Any]
    quick: Expects

    def __call__(self, contexts: Array | None, rows: int) -> Array:
        expected = self.quick(contexts, rows)
        for arm, fit in self.fits.items():
            expected[:, arm] = self.model.predict(fit, contexts)  # type: ignore[arg-type]
        return expected


def as_reward_model(model: Any) -> RewardModel:
    """A model of rewards from one of ours with `fit` and `predict`, or scikit-learn's.

    >>> from bandstrap import LogisticRegression
    >>> as_reward_model(None), type(as_reward_model(LogisticRegression())).__name__
    (Ridge(strength=5.0), 'ByArm')
    """
    if model is None:
        return Ridge()
    if hasattr(model, "start"):
        return model  # type: ignore[no-any-return]
    if hasattr(model, "get_params"):
        return _from_sklearn(model)
    if not (hasattr(model, "fit") and hasattr(model, "predict")):
        remedy = "give a model with fit and predict, like LogisticRegression(), or None"
        raise InvalidInput("model", model, remedy)
    rng = generator(0, "rewards")
    name = type(model).__name__
    return ByArm(lambda x, y, w: model.fit(x, y, w, None, rng), model.predict, name=name)


def _from_sklearn(estimator: Any) -> RewardModel:
    from sklearn.base import clone, is_classifier
    from sklearn.utils.multiclass import type_of_target

    from bandstrap.models.sklearn.fit import weight_keyword

    keyword, name = weight_keyword(estimator), type(estimator).__name__

    def fit(contexts: Array, rewards: Array, counts: Array) -> Any:
        if is_classifier(estimator) and type_of_target(rewards).startswith("continuous"):
            remedy = "it is a classifier, but rewards are not whole numbers: give a regressor"
            raise InvalidInput("model", name, remedy)
        weights = {keyword: counts} if keyword else {}
        return clone(estimator).fit(contexts, rewards, **weights)

    def expected(fitted: Any, contexts: Array) -> Array:
        if is_classifier(fitted) and hasattr(fitted, "predict_proba"):
            means: Array = fitted.predict_proba(contexts) @ fitted.classes_
            return means
        return np.ravel(fitted.predict(contexts)).astype(np.float64)

    return ByArm(fit, expected, name=name)
