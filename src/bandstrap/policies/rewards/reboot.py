"""ReBoot: the residual bootstrap, with two pseudo-residuals that keep it wide."""

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng, Weights
from bandstrap.choice import normal_probabilities
from bandstrap.policies.base import Policy, Probabilities
from bandstrap.policies.rewards.means import MeanState
from bandstrap.problem import Problem, Support
from bandstrap.remapping import ArmMap, remapped
from bandstrap.storage.registry import saved
from bandstrap.storage.schema import ArrayOf, Schema
from bandstrap.validation import LARGEST, require_number, require_positive

MOST_INFLATION = 1e6


@saved
class SpreadState(MeanState):
    """Also the sum of squared residuals, the gaps between rewards and their mean."""

    schema = Schema(squares=ArrayOf(np.float64, "runs", "arms", low=0.0))

    def __init__(self, problem: Problem, runs: int) -> None:
        super().__init__(problem, runs)
        self.squares = np.zeros((runs, problem.n_arms))

    def observe(self, arms: Array, rewards: Array, weights: Weights = None) -> None:
        at = self._rows, arms
        gaps = rewards - self.mean[at]
        super().observe(arms, rewards, weights)
        squares = np.maximum(gaps * (rewards - self.mean[at]), 0.0)  # rounding may go below
        self.squares[at] += squares if weights is None else weights * squares

    def remap_arms(self, fresh: "SpreadState", before: ArmMap) -> None:  # type: ignore[override]
        super().remap_arms(fresh, before)
        self.squares = remapped(self.squares, fresh.squares, before, axis=1)

    def discount(self, fresh: MeanState, factor: float) -> None:
        super().discount(fresh, factor)
        self.squares *= factor


@saved
@dataclass(frozen=True)
class ReBoot(Policy[SpreadState]):
    """mean + Σ wᵢ eᵢ / (n + 2) with wᵢ ~ N(0, 1) (Wang et al., 2020).

    The residuals eᵢ are the gaps between an arm's n rewards and their mean, and two more of
    ±√(n + 2) σ, so that few rewards, or equal ones, leave it wide. σ is `inflation` times `noise`,
    the standard deviation of rewards; None stands for half the length of their interval, or 1 if
    they have none. The sum is a normal number with the residuals' sum of squares as its variance.
    An arm never pulled is tried first.

    >>> from bandstrap import Bandit
    >>> bandit = Bandit(ReBoot(), ["a", "b"], seed=1)
    >>> bandit.learn(arm=["a", "b"] * 30, reward=[0.9, 0.1] * 30)
    >>> bandit.decide().arm
    'a'
    """

    context_free: ClassVar[bool] = True

    inflation: float = 1.0
    noise: float | None = None

    def __post_init__(self) -> None:
        require_number(0, MOST_INFLATION, inflation=self.inflation)
        require_positive(noise=self.noise)

    def _start(self, problem: Problem, runs: int) -> SpreadState:
        return SpreadState(problem, runs)

    def _update(
        self,
        state: SpreadState,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
        weights: Weights = None,
    ) -> None:
        state.observe(arms, rewards, weights)

    def _scores(self, state: SpreadState, contexts: Contexts, rng: Rng) -> Array:
        means, spreads = self._law(state)
        return means + spreads * rng.standard_normal(means.shape)

    def _probabilities(
        self, state: SpreadState, contexts: Contexts, allowed: Array
    ) -> Probabilities:
        means, spreads = self._law(state)
        return partial(normal_probabilities, means[0], spreads[0], allowed[0])

    def _law(self, state: SpreadState) -> tuple[Array, Array]:
        """Means and standard deviations of the draws, (runs, arms)."""
        sigma = self.inflation * reward_noise(self.noise, state.problem.support)
        spreads = residual_spread(state.count, state.squares, sigma)
        means = np.where(state.count > 0, state.mean, np.inf)
        return means, np.where(state.count > 0, spreads, 0.0)


def residual_spread(counts: Array, squares: Array, sigma: float) -> Array:
    """The standard deviation of a bootstrapped mean of residuals and of two pseudo-residuals.

    >>> residual_spread(np.array([2.0]), np.array([0.5]), 0.5).round(3).tolist()
    [0.395]
    """
    n = counts + 2.0
    spread: Array = np.sqrt(squares + 2.0 * n * sigma**2) / n
    return spread


def reward_noise(noise: float | None, support: Support) -> float:
    """The standard deviation given, or half the interval of rewards, which is an upper bound."""
    if noise is not None:
        return noise
    half = (support.high - support.low) / 2
    return half if half < LARGEST else 1.0
