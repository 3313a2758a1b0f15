"""Thompson sampling with a Beta posterior, for rewards in [0, 1]."""

from dataclasses import dataclass, field

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng, Weights
from bandstrap.errors import InvalidInput
from bandstrap.history.rewards import RewardHistory
from bandstrap.kernels.codes import EXPONENTIAL
from bandstrap.kernels.lazy.observe import ATOMS, ROUNDED
from bandstrap.policies.base import needed
from bandstrap.policies.rewards.bootstrap import BootstrapState, HistoryPolicy
from bandstrap.priors import PseudoRewards
from bandstrap.problem import Problem, Support


@dataclass(frozen=True)
class BetaThompson(HistoryPolicy, in_kernels=True):
    """Draw each arm's mean from Beta(α₀ + ones, β₀ + zeros) and act greedily.

    A reward strictly between 0 and 1 is rounded to 1 with probability equal to itself
    (Agrawal and Goyal, 2012), so `update` needs a generator for such rewards.

    >>> from bandstrap import Bandit, Support
    >>> bandit = Bandit(BetaThompson(), ["a", "b"], seed=1, rewards=Support.binary())
    >>> bandit.learn(arm=["a", "b"] * 30, reward=[1, 0] * 30)
    >>> bandit.decide().arm
    'a'
    """

    prior: PseudoRewards = field(default_factory=PseudoRewards)

    def _start(self, problem: Problem, runs: int) -> BootstrapState:
        support = problem.support
        if not (support.low >= 0.0 and support.high <= 1.0):
            given = support.low, support.high
            raise InvalidInput("support", given, "a Beta posterior needs rewards in [0, 1]")
        if min(self.prior.ones, self.prior.zeros) <= 0:
            raise InvalidInput("prior", self.prior, "a Beta prior needs positive counts")
        values, counts = self.prior.atoms(Support.binary())
        keeps = ATOMS if support.values == (0.0, 1.0) else ROUNDED
        history = RewardHistory.start(runs, problem.n_arms, values, counts, keeps, EXPONENTIAL)
        return BootstrapState(problem, runs, history)

    def _scores(self, state: BootstrapState, contexts: Contexts, rng: Rng) -> Array:
        # They are exponentially weighted means of zeros and ones, so the lazy choice serves too.
        counts = state.history.arrays.counts
        return rng.beta(counts[:, :, 1], counts[:, :, 0])

    def _update(
        self,
        state: BootstrapState,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
        weights: Weights = None,
    ) -> None:
        history = state.history
        if history.keeps != ROUNDED:
            history.observe(arms, rewards, None, weights)
        elif weights is None:
            history.observe(arms, rewards, needed(rng, self))
        else:
            # A whole weight is that many rewards, each rounded by itself; any other is one reward.
            times = np.where(weights == np.rint(weights), weights, 1.0)
            drawn = needed(rng, self).binomial(times.astype(np.int64), rewards)
            ones = drawn * (weights / times)
            history.observe(arms, np.ones(rewards.shape), None, ones)
            history.observe(arms, np.zeros(rewards.shape), None, weights - ones)
