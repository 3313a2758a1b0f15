"""What decides where nobody has chosen a policy."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bandstrap.arrays import Array, Contexts, Rng, Weights
from bandstrap.policies.base import Draw, Policy, Probabilities
from bandstrap.policies.contextual.auto import Auto
from bandstrap.policies.rewards.bootstrap import Bootstrap
from bandstrap.policies.state import State
from bandstrap.problem import Problem
from bandstrap.storage.registry import saved


@saved
@dataclass(frozen=True)
class Default(Policy[Any]):
    """`Auto()` where there are contexts, `Bootstrap()` where there are none.

    It is what a `Bandit` without a policy has. The first decision or reward tells which: it comes
    with a context or without.

    >>> Default().suited(Problem(2, n_features=3))
    Auto(budget=2000.0)
    >>> Default().suited(Problem(2)) == Bootstrap()
    True
    """

    def suited(self, problem: Problem) -> Policy[Any]:
        return Auto() if problem.n_features > 0 else Bootstrap()

    def check(self, problem: Problem, rewards: Sequence[float] = ()) -> None:
        Auto().check(problem, rewards)

    def _start(self, problem: Problem, runs: int) -> State:
        state: State = self.suited(problem).start(problem, runs)
        return state

    def _scores(self, state: State, contexts: Contexts, rng: Rng) -> Array:
        return self.suited(state.problem)._scores(state, contexts, rng)

    def _select(self, state: State, contexts: Contexts, rng: Rng, allowed: Array) -> Array:
        return self.suited(state.problem)._select(state, contexts, rng, allowed)

    def decide(self, state: State, contexts: Contexts, rng: Rng, allowed: Array | None) -> Draw:
        return self.suited(state.problem).decide(state, contexts, rng, allowed)

    def _probabilities(self, state: State, contexts: Contexts, allowed: Array) -> Probabilities:
        return self.suited(state.problem)._probabilities(state, contexts, allowed)

    def _update(
        self,
        state: State,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
        weights: Weights = None,
    ) -> None:
        self.suited(state.problem)._update(state, contexts, arms, rewards, rng, weights)
