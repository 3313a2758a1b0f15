"""Epsilon-greedy: the best mean, and now and then any arm at all."""

from dataclasses import dataclass, field
from functools import partial

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.choice import best_probabilities, explored
from bandstrap.errors import InvalidInput
from bandstrap.policies.base import Probabilities
from bandstrap.policies.rewards.means import MeanPolicy, MeanState
from bandstrap.policies.schedules import Decay, Schedule
from bandstrap.storage.schema import Function, Schema


@dataclass(frozen=True)
class EpsilonGreedy(MeanPolicy):
    """With probability schedule(t) a uniformly random arm, else the best mean (Auer et al., 2002).

    t is 1 + the number of rewards learnt, each counted by its weight; where rewards fade
    (`HalfLife`), by what is left of it. So t stands still while rewards are awaited. An arm never
    pulled has the best mean. The default schedule, 50 / (50 + t), is the one that the paper tuned.

    >>> from bandstrap import Bandit, Constant
    >>> bandit = Bandit(EpsilonGreedy(Constant(0.2)), ["a", "b"], seed=1)
    >>> bandit.learn(arm=["a", "b"], reward=[0.9, 0.1])
    >>> {arm: round(p, 3) for arm, p in bandit.decide().propensities.items()}
    {'a': 0.892, 'b': 0.108}
    """

    schema = Schema(schedule=Function("Constant", "Decay"))

    schedule: Schedule = field(default_factory=Decay)

    def __post_init__(self) -> None:
        if not callable(self.schedule):
            remedy = "give Constant(epsilon), Decay(c) or a function of t"
            raise InvalidInput("schedule", self.schedule, remedy)

    def epsilon(self, t: int) -> float:
        """The probability of a random arm after t - 1 rewards."""
        epsilon = self.schedule(t)
        if not 0 <= epsilon <= 1:
            raise InvalidInput("schedule", epsilon, f"give a probability at every t, also at {t}")
        return epsilon

    def _scores(self, state: MeanState, contexts: Contexts, rng: Rng) -> Array:
        explore = rng.random(state.runs) < self._epsilon_now(state)
        scores = np.where(state.count > 0, state.mean, np.inf)
        # Independent uniform scores make every arm the best allowed one equally often.
        scores[explore] = rng.random((int(explore.sum()), state.problem.n_arms))
        return scores

    def _epsilon_now(self, state: MeanState) -> float:
        return self.epsilon(int(state.count[0].sum()) + 1)  # every run is updated in every round

    def _probabilities(self, state: MeanState, contexts: Contexts, allowed: Array) -> Probabilities:
        scores = np.where(state.count > 0, state.mean, np.inf)[0]
        known = self._epsilon_now(state), scores, allowed[0], state.problem.support.scale
        return partial(_law, *known)


def _law(epsilon: float, scores: Array, allowed: Array, scale: float) -> Array:
    return explored(epsilon, best_probabilities(scores, allowed, scale), allowed)
