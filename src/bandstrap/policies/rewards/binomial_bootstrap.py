"""NPB by the paper's equation for any reward in an interval: a binomial around the mean."""

from dataclasses import dataclass, field

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.errors import InvalidInput
from bandstrap.history.rewards import RewardHistory
from bandstrap.kernels.codes import MULTINOMIAL
from bandstrap.kernels.lazy.observe import SHARES
from bandstrap.policies.rewards.bootstrap import BootstrapState, HistoryPolicy
from bandstrap.priors import Prior, PseudoRewards
from bandstrap.problem import Problem
from bandstrap.resampling import Multinomial, Resampling


@dataclass(frozen=True)
class BinomialBootstrap(HistoryPolicy, in_kernels=True):
    """θ̃ = Bin(n, mean) / n, with pseudo-rewards among the n, whatever the rewards' own spread.

    On 0/1 rewards this is NPB. On others it replaces their spread by that of 0/1 rewards with the
    same mean; `Bootstrap(Multinomial())` resamples the rewards themselves.

    >>> from bandstrap import Bandit
    >>> bandit = Bandit(BinomialBootstrap(), ["a", "b"], seed=1)
    >>> bandit.learn(arm=["a"] * 40, reward=[0.9] * 40)
    >>> bandit.learn(arm=["b"] * 40, reward=[0.1] * 40)
    >>> bandit.decide().arm
    'a'
    """

    resampling: Resampling = field(default_factory=Multinomial, init=False)
    prior: Prior = field(default_factory=PseudoRewards)

    def _start(self, problem: Problem, runs: int) -> BootstrapState:
        support = problem.support
        values, counts = self.prior.atoms(support)
        if values != (support.low, support.high) or any(c != round(c) for c in counts):
            remedy = "a binomial needs whole pseudo-counts at the ends of a bounded support"
            raise InvalidInput("prior", self.prior, remedy)
        history = RewardHistory.start(runs, problem.n_arms, values, counts, SHARES, MULTINOMIAL)
        return BootstrapState(problem, runs, history)

    def _scores(self, state: BootstrapState, contexts: Contexts, rng: Rng) -> Array:
        history = state.history
        return self.resampling.means(history.arrays.values, history.arrays.counts, rng)
