"""NPB by the paper's equation for any reward in an interval: a binomial around the mean."""

from dataclasses import dataclass, field

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.errors import InvalidInput
from bandstrap.history.rewards import RewardHistory
from bandstrap.kernels.lazy.observe import SHARES
from bandstrap.kernels.schemes import MULTINOMIAL
from bandstrap.policies.rewards.bootstrap import Bootstrap, BootstrapState
from bandstrap.priors import Prior, PseudoRewards
from bandstrap.problem import Problem
from bandstrap.resampling import Multinomial, Resampling


@dataclass(frozen=True)
class BinomialBootstrap(Bootstrap):
    """θ̃ = Bin(n, mean) / n, with pseudo-rewards among the n, whatever the rewards' own spread.

    On 0/1 rewards this is NPB. On others it replaces their spread by that of 0/1 rewards with the
    same mean; `Bootstrap(Multinomial())` resamples the rewards themselves.
    """

    resampling: Resampling = field(default_factory=Multinomial, init=False)
    prior: Prior = field(default_factory=PseudoRewards)

    def _start(self, problem: Problem, runs: int) -> BootstrapState:
        support = problem.support
        values, counts = self.prior.atoms(support)
        if values != (support.low, support.high) or any(c != round(c) for c in counts):
            raise InvalidInput(
                "prior",
                self.prior,
                "the binomial estimator needs whole pseudo-counts at the ends of a bounded support",
            )
        history = RewardHistory.start(runs, problem.n_arms, values, counts, SHARES, MULTINOMIAL)
        return BootstrapState(problem, runs, history)

    def _scores(self, state: BootstrapState, contexts: Contexts, rng: Rng) -> Array:
        history = state.history
        return self.resampling.means(history.arrays.values, history.arrays.counts, rng)
