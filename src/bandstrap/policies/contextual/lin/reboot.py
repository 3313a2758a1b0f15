"""ReBoot with linear models: the residual bootstrap around each arm's ridge regression."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array, Rng
from bandstrap.models import Learner
from bandstrap.policies.contextual.ellipsoids import EllipsoidLearner
from bandstrap.policies.contextual.learners import LearnerPolicy
from bandstrap.policies.rewards.reboot import MOST_INFLATION, residual_spread, reward_noise
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap, remapped
from bandstrap.storage.schema import ArrayOf, Fixed, Real, Schema
from bandstrap.validation import LARGEST, require_number, require_positive


class LinReBootLearner(EllipsoidLearner):
    schema = Schema(
        sigma=Fixed(Real(low=0.0)),
        scale=Fixed(Real(low=0.0)),
        paid=ArrayOf(np.float64, "arms", low=-LARGEST, high=LARGEST),
        squares=ArrayOf(np.float64, "arms", low=0.0),
    )

    def __init__(self, problem: Problem, penalty: float, sigma: float, scale: float) -> None:
        super().__init__(problem, penalty)
        self.sigma, self.scale = sigma, scale
        self.paid, self.squares = np.zeros((2, problem.n_arms))  # mean reward, squares around it

    def learn(
        self, context: Array, arm: int, reward: float, rng: Rng | None, weight: float = 1.0
    ) -> None:
        super().learn(context, arm, reward, rng, weight)
        gap = reward - self.paid[arm]
        self.paid[arm] += weight * gap / self.arms.counts[arm]
        self.squares[arm] += weight * max(gap * (reward - self.paid[arm]), 0.0)  # up to rounding

    def discount(self, factor: float) -> None:
        super().discount(factor)
        self.squares *= factor

    def remap_arms(  # type: ignore[override]
        self, fresh: "LinReBootLearner", before: ArmMap
    ) -> None:
        super().remap_arms(fresh, before)
        self.paid = remapped(self.paid, fresh.paid, before)
        self.squares = remapped(self.squares, fresh.squares, before)

    def _scores(self, means: Array, widths: Array) -> tuple[Array, Array | None]:
        counts = self.arms.counts
        residuals = self.squares + counts * (self.paid - means) ** 2  # from the means here
        spreads = self.scale * residual_spread(counts, residuals, self.sigma)
        return np.where(counts > 0, means, np.inf), np.where(counts > 0, spreads, 0.0)


@dataclass(frozen=True)
class LinReBoot(LearnerPolicy):
    """x·θ̂ + Σ wᵢ eᵢ / (n + 2) with wᵢ ~ N(0, scale²) for each arm (Wu et al., 2022).

    θ̂ is the arm's ridge regression on its n rewards, and the residuals eᵢ are the gaps between
    these rewards and x·θ̂, the mean in today's context. Theirs are these; ours are two more, as
    `ReBoot` has them without contexts, of ±√(n + 2) times `inflation` times `noise`. Without them
    an arm that has paid nothing so far has residuals of 0 and is never pulled again.

    >>> state = LinReBoot().start(Problem(n_arms=3, n_features=2))
    >>> LinReBoot().select(state, np.zeros((1, 2)), np.random.default_rng(1)).shape
    (1,)
    """

    scale: float = 1.0
    inflation: float = 1.0
    noise: float | None = None
    penalty: float = 1.0

    def __post_init__(self) -> None:
        require_positive(scale=self.scale, noise=self.noise, penalty=self.penalty)
        require_number(0, MOST_INFLATION, inflation=self.inflation)

    def _learner(self, problem: Problem) -> Learner:
        sigma = self.inflation * reward_noise(self.noise, problem.support)
        return LinReBootLearner(problem, self.penalty, sigma, self.scale)
