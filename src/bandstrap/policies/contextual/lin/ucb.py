"""LinUCB and OFUL: optimism over a confidence ellipsoid of linear models."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from bandstrap.arrays import Array
from bandstrap.models import Learner
from bandstrap.policies.contextual.ellipsoids import EllipsoidLearner, half_range
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.problem import Problem
from bandstrap.storage.schema import Fixed, Of, Real, Schema
from bandstrap.validation import require_positive, require_share


class Width(ABC):
    """How far above the mean to look, in widths of the ellipsoid."""

    @abstractmethod
    def radii(self, learner: EllipsoidLearner, penalty: float) -> Array:
        """One radius for each arm."""


@dataclass(frozen=True)
class FixedWidth(Width):
    """The same number always: the alpha of Li et al. (2010).

    >>> from bandstrap import Bandit
    >>> bandit = Bandit(LinUCB(FixedWidth(0.5)), ["a", "b"])
    >>> {arm: round(score, 2) for arm, score in bandit.decide([1.0]).scores.items()}
    {'a': 0.71, 'b': 0.71}
    """

    alpha: float = 1.0

    def __post_init__(self) -> None:
        require_positive(alpha=self.alpha)

    def radii(self, learner: EllipsoidLearner, penalty: float) -> Array:
        return np.full(learner.problem.n_arms, self.alpha)


@dataclass(frozen=True)
class ConfidenceEllipsoid(Width):
    """The radius of Abbasi-Yadkori et al. (2011, their theorem "Confidence Ellipsoid").

    noise √(2 log(K / delta) + log det(A / penalty)) + √penalty norm. K, which is ours, lets the
    ellipsoids of K arms hold all at once: theirs has one θ and K = 1.
    `noise` is the sub-Gaussian scale of rewards (None: half the length of their interval) and
    `norm` bounds the length of every arm's parameters.

    >>> from bandstrap import Bandit
    >>> bandit = Bandit(LinUCB(ConfidenceEllipsoid(delta=0.05, noise=0.5)), ["a", "b"])
    >>> {arm: round(score, 2) for arm, score in bandit.decide([1.0]).scores.items()}
    {'a': 3.33, 'b': 3.33}
    """

    delta: float = 0.1
    noise: float | None = None
    norm: float = 1.0

    def __post_init__(self) -> None:
        require_share(delta=self.delta)
        require_positive(noise=self.noise, norm=self.norm)

    def radii(self, learner: EllipsoidLearner, penalty: float) -> Array:
        noise = half_range(learner.problem) if self.noise is None else self.noise
        doubt = 2 * np.log(learner.problem.n_arms / self.delta) + learner.arms.log_dets
        return np.asarray(noise * np.sqrt(doubt) + np.sqrt(penalty) * self.norm)


class LinUCBLearner(EllipsoidLearner):
    schema = Schema(width=Fixed(Of(Width)), penalty=Fixed(Real(low=0.0)))

    def __init__(self, problem: Problem, width: Width, penalty: float) -> None:
        super().__init__(problem, penalty)
        self.width = width
        self.penalty = penalty

    def _scores(self, means: Array, widths: Array) -> tuple[Array, Array | None]:
        return np.asarray(means + self.width.radii(self, self.penalty) * widths), None


@dataclass(frozen=True)
class LinUCB(LearnerPolicy):
    """Ridge regression for each arm; the arm whose most optimistic model promises most.

    By default this is OFUL, whose width follows from its confidence; `LinUCB(FixedWidth(0.3))` is
    LinUCB. A constant feature is added to every context.

    >>> from bandstrap.problem import Problem
    >>> policy = LinUCB()
    >>> state = policy.start(Problem(n_arms=2, n_features=1))
    >>> rng = np.random.default_rng(0)
    >>> for _ in range(200):
    ...     x = rng.choice([-1.0, 1.0], (1, 1))
    ...     arm = policy.select(state, x, rng)
    ...     policy.update(state, x, arm, (x[:, 0] > 0) == arm)
    >>> int(policy.select(state, np.array([[1.0]]), rng)[0])
    1
    """

    width: Width = field(default_factory=ConfidenceEllipsoid)
    penalty: float = 1.0

    def __post_init__(self) -> None:
        require_positive(penalty=self.penalty)

    def _learner(self, problem: Problem) -> Learner:
        return LinUCBLearner(problem, self.width, self.penalty)
