"""Linear Thompson sampling: a linear model for each arm, drawn from a Gaussian around its fit."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from bandstrap.arrays import Array
from bandstrap.models import Learner
from bandstrap.policies.contextual.ellipsoids import EllipsoidLearner, half_range
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.problem import Problem
from bandstrap.storage.schema import Fixed, Of, Schema
from bandstrap.validation import require_positive, require_share


class Spread(ABC):
    """The factor v of the standard deviations that A⁻¹ gives."""

    @abstractmethod
    def scale(self, learner: EllipsoidLearner) -> float: ...


@dataclass(frozen=True)
class FixedSpread(Spread):
    """The same v in every round; v = 1 is the posterior of unit noise.

    >>> from bandstrap import Bandit
    >>> Bandit(LinThompson(FixedSpread(0.3)), ["a", "b"], seed=0).decide([1.0]).arm
    'a'
    """

    v: float = 1.0

    def __post_init__(self) -> None:
        require_positive(v=self.v)

    def scale(self, learner: EllipsoidLearner) -> float:
        return self.v


@dataclass(frozen=True)
class PublishedSpread(Spread):
    """v = noise √(9 d log(t / delta)), Agrawal and Goyal's (2013, the revised edition).

    The first edition has noise √(24 / ε d log(1 / delta)), with an ε to choose; the revised one has
    the horizon T where we have the round t, so that none need be known. They have one θ for all
    arms; here d counts one arm's parameters. `noise` None means half the length of the rewards'
    interval.

    >>> from bandstrap import Bandit
    >>> Bandit(LinThompson(PublishedSpread(delta=0.05)), ["a", "b"], seed=0).decide([1.0]).arm
    'a'
    """

    delta: float = 0.1
    noise: float | None = None

    def __post_init__(self) -> None:
        require_share(delta=self.delta)
        require_positive(noise=self.noise)

    def scale(self, learner: EllipsoidLearner) -> float:
        noise = half_range(learner.problem) if self.noise is None else self.noise
        rounds = learner.rounds + 1
        return float(noise * np.sqrt(9 * learner.arms.size * np.log(rounds / self.delta)))


class LinThompsonLearner(EllipsoidLearner):
    schema = Schema(spread=Fixed(Of(Spread)))

    def __init__(self, problem: Problem, spread: Spread, penalty: float) -> None:
        super().__init__(problem, penalty)
        self.spread = spread

    def _scores(self, means: Array, widths: Array) -> tuple[Array, Array | None]:
        return means, self.spread.scale(self) * widths


@dataclass(frozen=True)
class LinThompson(LearnerPolicy):
    """Draw θ from N(θ̂, v² A⁻¹) for each arm and act greedily.

    A constant feature is added to every context.

    >>> from bandstrap.problem import Problem
    >>> state = LinThompson(FixedSpread(0.5)).start(Problem(n_arms=3, n_features=2))
    >>> LinThompson().select(state, np.zeros((1, 2)), np.random.default_rng(1)).shape
    (1,)
    """

    spread: Spread = field(default_factory=PublishedSpread)
    penalty: float = 1.0

    def __post_init__(self) -> None:
        require_positive(penalty=self.penalty)

    def _learner(self, problem: Problem) -> Learner:
        return LinThompsonLearner(problem, self.spread, self.penalty)
