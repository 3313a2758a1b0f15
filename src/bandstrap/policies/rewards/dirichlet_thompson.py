"""Thompson sampling with a Dirichlet posterior, for rewards from a few known values."""

from dataclasses import dataclass

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.errors import InvalidInput
from bandstrap.history.rewards import RewardHistory
from bandstrap.kernels.codes import EXPONENTIAL
from bandstrap.kernels.lazy.history import MOST_REWARDS
from bandstrap.kernels.lazy.observe import ATOMS
from bandstrap.policies.base import Draw, Policy
from bandstrap.policies.rewards.bootstrap import BootstrapState, HistoryPolicy
from bandstrap.problem import Problem
from bandstrap.validation import LEAST_COUNT, require_number


@dataclass(frozen=True)
class DirichletThompson(HistoryPolicy, in_kernels=True):
    """Draw each arm's category probabilities from a Dirichlet; act on the mean they give.

    `pseudo_count` is the prior count of every category.

    >>> from bandstrap import Bandit, Support
    >>> stars = Support.categories((1.0, 2.0, 3.0))
    >>> bandit = Bandit(DirichletThompson(), ["a", "b"], seed=1, rewards=stars)
    >>> bandit.learn(arm=["a", "b"] * 30, reward=[3, 1] * 30)
    >>> bandit.decide().arm
    'a'
    """

    pseudo_count: float = 1.0

    def __post_init__(self) -> None:
        require_number(LEAST_COUNT, MOST_REWARDS, pseudo_count=self.pseudo_count)

    def _start(self, problem: Problem, runs: int) -> BootstrapState:
        values = problem.support.values
        if values is None:
            given = problem.support.low, problem.support.high
            remedy = "a Dirichlet posterior needs Support.categories(values)"
            raise InvalidInput("support", given, remedy)
        counts = [self.pseudo_count] * len(values)
        history = RewardHistory.start(runs, problem.n_arms, values, counts, ATOMS, EXPONENTIAL)
        return BootstrapState(problem, runs, history)

    def _scores(self, state: BootstrapState, contexts: Contexts, rng: Rng) -> Array:
        weights = rng.standard_gamma(state.history.arrays.counts)
        scores: Array = weights @ state.history.arrays.values / weights.sum(axis=-1)
        return scores

    def decide(
        self, state: BootstrapState, contexts: Contexts, rng: Rng, allowed: Array | None
    ) -> Draw:
        # By scores, not lazily: saved bandits go on with the random numbers they began with.
        return Policy.decide(self, state, contexts, rng, allowed)
