"""Bootstrapped UCB: a bound from the rewards themselves, by the multiplier bootstrap."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from math import ceil, log
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng, Weights
from bandstrap.history.rewards import RewardHistory
from bandstrap.kernels.lazy.observe import ATOMS, REWARDS
from bandstrap.policies.base import Policy
from bandstrap.policies.rewards.bootstrap import BootstrapState
from bandstrap.policies.validation import bounded_width
from bandstrap.problem import Problem
from bandstrap.storage.registry import saved
from bandstrap.validation import require_share, require_within

MOST_DRAWS = 100_000  # of signs for all rewards of an arm, in every decision


class Correction(ABC):
    """What is added to the quantile of n rewards for its error, as a multiple of φ."""

    @abstractmethod
    def factor(self, n: Array, alpha: float, delta: float) -> Array: ...


@saved
@dataclass(frozen=True)
class PublishedCorrection(Correction):
    """√(log(2 / αδ) / n): with it the bound is proved, for symmetric rewards.

    >>> PublishedCorrection().factor(np.array([1.0, 100.0]), alpha=0.1, delta=0.1).round(2)
    array([2.3 , 0.23])
    """

    def factor(self, n: Array, alpha: float, delta: float) -> Array:
        return np.asarray(np.sqrt(log(2.0 / (alpha * delta)) / n))


@saved
@dataclass(frozen=True)
class PracticalCorrection(Correction):
    """1 / √n, as the authors advise in practice: theirs is conservative.

    >>> PracticalCorrection().factor(np.array([1.0, 100.0]), alpha=0.1, delta=0.1)
    array([1. , 0.1])
    """

    def factor(self, n: Array, alpha: float, delta: float) -> Array:
        return np.asarray(1.0 / np.sqrt(n))


@saved
@dataclass(frozen=True)
class BootstrappedUCB(Policy[BootstrapState]):
    """mean + q + correction × φ (Hao et al., 2019).

    q is the quantile that (1/n) Σ wᵢ (yᵢ - mean) exceeds with probability α (1 - δ) under random
    signs wᵢ, as `draws` draws of them show it. φ is the width of Hoeffding's bound on the mean at
    level α, ½ L √(2 log(1 / α) / n) for rewards in an interval of length L. α is 1 / (t + 1) after
    t rewards. An arm never pulled is tried first.

    >>> from bandstrap import Bandit
    >>> bandit = Bandit(BootstrappedUCB(), ["a", "b"], seed=1)
    >>> bandit.learn(arm=["a", "b"] * 30, reward=[0.9, 0.1] * 30)
    >>> bandit.decide().arm
    'a'
    """

    context_free: ClassVar[bool] = True
    costly: ClassVar[bool] = True  # the signs of all rewards, `draws` times

    delta: float = 0.1
    draws: int = 200
    correction: Correction = field(default_factory=PublishedCorrection)

    def __post_init__(self) -> None:
        require_share(delta=self.delta)
        require_within(1, MOST_DRAWS, draws=self.draws)

    def _start(self, problem: Problem, runs: int) -> BootstrapState:
        bounded_width(problem.support, self)
        support = problem.support
        values = support.values or (support.low, support.high)
        keeps = REWARDS if support.values is None else ATOMS
        history = RewardHistory.start(runs, problem.n_arms, values, [0.0] * len(values), keeps)
        return BootstrapState(problem, runs, history)

    def _scores(self, state: BootstrapState, contexts: Contexts, rng: Rng) -> Array:
        count, mean = state.history.count, state.history.mean
        n, alpha = np.maximum(count, 1.0), 1.0 / (float(count[0].sum()) + 1.0)
        half = bounded_width(state.problem.support, self) / 2
        width = half * np.sqrt(2.0 * log(1.0 / alpha) / n)
        correction = self.correction.factor(n, alpha, self.delta) * width
        draws = self._sums(state, rng) / n
        place = ceil((1.0 - alpha * (1.0 - self.delta)) * (self.draws - 1))
        quantile = np.partition(draws, place, axis=0)[place]
        return np.where(count > 0, mean + quantile + correction, np.inf)

    def _sums(self, state: BootstrapState, rng: Rng) -> Array:
        """Draws of the sum of residuals with random signs, (draws, runs, arms)."""
        history, shape = state.history, (self.draws, state.runs, state.problem.n_arms)
        if history.keeps == ATOMS:  # n equal residuals with signs: heads less tails of n coins
            counts = history.arrays.counts.astype(np.int64)
            signs = 2 * rng.binomial(counts, 0.5, (self.draws, *counts.shape)) - counts
            gaps = history.arrays.values - history.mean[..., None]
            return np.asarray((signs * gaps).sum(axis=-1))
        sums = np.zeros(shape)
        for run, arm in np.ndindex(shape[1:]):
            gaps = history.rewards(run, arm) - history.mean[run, arm]
            heads = rng.integers(0, 2, (self.draws, gaps.size), dtype=np.int8)
            sums[:, run, arm] = (2.0 * heads - 1.0) @ gaps
        return sums

    def _update(
        self,
        state: BootstrapState,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
        weights: Weights = None,
    ) -> None:
        state.history.observe(arms, rewards)
