"""Bootstrapped Thompson sampling: a fresh artificial history for every decision."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.kernels.lazy.direct import union_scores
from bandstrap.policies.base import Policy
from bandstrap.policies.rewards.artificial import ArtificialHistory, UniformRewards
from bandstrap.policies.rewards.bootstrap import Bootstrap, BootstrapState
from bandstrap.priors import PseudoRewards
from bandstrap.problem import Problem
from bandstrap.resampling import Exponential, Resampling
from bandstrap.seeding import kernel_stream


@dataclass(frozen=True)
class BootstrappedThompson(Policy[BootstrapState]):
    """Bootstrap each arm's rewards together with made-up ones (Osband and Van Roy, 2015).

    `artificial` makes those up anew at every decision; they stand for the prior.
    """

    context_free: ClassVar[bool] = True

    resampling: Resampling = field(default_factory=Exponential)
    artificial: ArtificialHistory = field(default_factory=UniformRewards)

    def _start(self, problem: Problem, runs: int) -> BootstrapState:
        self.artificial.check(problem.support)
        return BootstrapState(problem, runs, self._bare().start(problem, runs).history)

    def _bare(self) -> Bootstrap:
        return Bootstrap(self.resampling, PseudoRewards(0, 0))

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

    def _update(
        self,
        state: BootstrapState,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
    ) -> None:
        self._bare().update(state, contexts, arms, rewards)
