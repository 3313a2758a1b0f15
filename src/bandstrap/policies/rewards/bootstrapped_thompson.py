"""Bootstrapped Thompson sampling: a fresh artificial history for every decision."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.kernels.lazy.direct import union_scores
from bandstrap.policies.base import Policy
from bandstrap.policies.rewards.bootstrap import Bootstrap, BootstrapState, HistoryPolicy
from bandstrap.policies.validation import bounded_width
from bandstrap.priors import PseudoRewards
from bandstrap.problem import Problem, Support
from bandstrap.resampling import Exponential, Resampling
from bandstrap.seeding import kernel_stream
from bandstrap.validation import require_within

MOST = 10_000  # rewards: each costs a draw


class ArtificialHistory(ABC):
    """Where made-up rewards come from: one method, `rewards`.

    >>> class Hopes(ArtificialHistory):
    ...     def rewards(self, support, shape, rng):
    ...         return np.full((*shape, 1), support.high)
    >>> Hopes().rewards(Support.interval(0, 5), (1, 2), np.random.default_rng(0)).ravel()
    array([5., 5.])
    """

    def check(self, support: Support) -> None:  # noqa: B027 - most have nothing to check
        """Raise InvalidInput if no rewards can be made up for this support."""

    @abstractmethod
    def rewards(self, support: Support, shape: tuple[int, ...], rng: Rng) -> Array:
        """Some rewards of the support for every arm: `shape` and one axis more."""


@dataclass(frozen=True)
class UniformRewards(ArtificialHistory):
    """`count` rewards, uniform on the support.

    >>> UniformRewards(3).rewards(Support.interval(), (2, 4), np.random.default_rng(0)).shape
    (2, 4, 3)
    """

    count: int = 2

    def __post_init__(self) -> None:
        require_within(1, MOST, count=self.count)

    def check(self, support: Support) -> None:
        bounded_width(support, self)

    def rewards(self, support: Support, shape: tuple[int, ...], rng: Rng) -> Array:
        if support.values is None:
            return rng.uniform(support.low, support.high, (*shape, self.count))
        return rng.choice(np.array(support.values), (*shape, self.count))


@dataclass(frozen=True)
class BootstrappedThompson(HistoryPolicy):
    """Bootstrap each arm's rewards together with made-up ones (Osband and Van Roy, 2015).

    `artificial` makes those up anew at every decision; they stand for the prior.

    >>> from bandstrap import Bandit
    >>> bandit = Bandit(BootstrappedThompson(artificial=UniformRewards(1)), ["a", "b"], seed=1)
    >>> bandit.learn(arm=["a", "b"] * 30, reward=[0.9, 0.1] * 30)
    >>> bandit.decide().arm
    'a'
    """

    resampling: Resampling = field(default_factory=Exponential)
    artificial: ArtificialHistory = field(default_factory=UniformRewards)

    def _start(self, problem: Problem, runs: int) -> BootstrapState:
        self.artificial.check(problem.support)
        bare = Bootstrap(self.resampling, PseudoRewards(0, 0)).start(problem, runs)
        return BootstrapState(problem, runs, bare.history)

    def _scores(self, state: BootstrapState, contexts: Contexts, rng: Rng) -> Array:
        history, support = state.history, state.problem.support
        extra = self.artificial.rewards(support, (state.runs, state.problem.n_arms), rng)
        if not self.resampling.needs_rewards:
            count = history.count + extra.shape[-1]
            mean = history.mean + (extra - history.mean[..., None]).sum(axis=-1) / count
            return self.resampling.means_by_moments(count, mean, rng)
        if support.values is not None:
            atoms = support.positions(extra)
            tally = np.stack([(atoms == i).sum(axis=-1) for i in range(len(support.values))], -1)
            return self.resampling.means(history.arrays.values, history.arrays.counts + tally, rng)
        scores = np.empty((state.runs, state.problem.n_arms))
        if self.resampling.code is not None:
            extra = np.ascontiguousarray(extra)  # the one layout kernels compile for
            union_scores(kernel_stream(rng), self.resampling.code, history.arrays, extra, scores)
            return scores
        for run, arm in np.ndindex(scores.shape):
            rewards = np.concatenate([extra[run, arm], history.rewards(run, arm)])
            scores[run, arm] = self.resampling.means(rewards, np.ones(rewards.size), rng)
        return scores

    def _select(self, state: BootstrapState, contexts: Contexts, rng: Rng, allowed: Array) -> Array:
        return Policy._select(self, state, contexts, rng, allowed)  # with artificial rewards
