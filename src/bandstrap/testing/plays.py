"""A small world in which policies are played, for any problem."""

from copy import deepcopy
from math import isfinite
from typing import Any

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.choice import best_probabilities
from bandstrap.policies import Policy
from bandstrap.problem import Problem, Support

OFTEN = 0.9  # how often the best arm pays; the others pay with 1 - OFTEN


def ends(support: Support) -> tuple[float, float]:
    """A poor and a good reward."""
    finite = isfinite(support.low) and isfinite(support.high)
    return (support.low, support.high) if finite else (0.0, 1.0)


class World:
    """One arm in each run pays well nine times in ten, the others one time in ten."""

    def __init__(self, problem: Problem, best: Array) -> None:
        self.problem = problem
        self.best = best  # (runs,)
        self.runs = best.size

    def contexts(self, rng: Rng) -> Array | None:
        """What a decision sees: where arms have features, the first one marks the best."""
        problem = self.problem
        if problem.n_features == 0:
            return None
        if problem.per_arm:
            features = rng.standard_normal((self.runs, problem.n_arms, problem.n_features))
            features[:, :, 0] = np.arange(problem.n_arms) == self.best[:, None]
            return features
        contexts = rng.standard_normal((self.runs, problem.n_features))
        contexts[:, 0] = 1.0  # for models without an intercept
        return contexts

    def learnt(self, contexts: Contexts, arms: Array) -> Array | None:
        """What an update sees."""
        if contexts is None or not self.problem.per_arm:
            return contexts
        rows: Array = contexts[np.arange(self.runs), arms]
        return rows

    def rewards(self, arms: Array, rng: Rng) -> Array:
        poor, good = ends(self.problem.support)
        chance = np.where(arms == self.best, OFTEN, 1 - OFTEN)
        return np.where(rng.random(self.runs) < chance, good, poor)


def play(policy: Policy[Any], state: Any, world: World, rng: Rng, rounds: int) -> Array:
    """Let a policy choose and learn, in place; the arms it chose, (rounds, runs)."""
    chosen = np.empty((rounds, world.runs), dtype=np.int64)
    for turn in range(rounds):
        contexts = world.contexts(rng)
        chosen[turn] = arms = policy.select(state, contexts, rng)
        policy.update(state, world.learnt(contexts, arms), arms, world.rewards(arms, rng), rng)
    return chosen


def teach(policy: Policy[Any], state: Any, world: World, rng: Rng, rounds: int) -> None:
    """Let a policy learn each arm in turn."""
    for turn in range(rounds):
        contexts, arms = world.contexts(rng), np.full(world.runs, turn % world.problem.n_arms)
        policy.update(state, world.learnt(contexts, arms), arms, world.rewards(arms, rng), rng)


class Frozen:
    """A policy that has learnt a little in one run, and one decision that it has to make."""

    def __init__(self, policy: Policy[Any], problem: Problem, rng: Rng, rounds: int) -> None:
        world = World(problem, np.zeros(1, dtype=np.int64))
        self.policy = policy
        self.problem = problem
        self.state = policy.start(problem)
        teach(policy, self.state, world, rng, rounds)
        self.contexts = world.contexts(rng)

    def chosen(self, rng: Rng, allowed: Array, draws: int) -> Array:
        """How often `select` chooses each arm, every time as if it were the first."""
        arms = [
            self.policy.select(deepcopy(self.state), self.contexts, rng, allowed)[0]
            for _ in range(draws)
        ]
        return self._counted(arms)

    def chosen_on(self, rng: Rng, allowed: Array, draws: int) -> Array:
        """How often it does when one decision follows the other."""
        state = deepcopy(self.state)
        arms = [
            self.policy.select(state, self.contexts, rng, allowed)[0] for _ in range(draws)
        ]  # fmt: skip
        return self._counted(arms)

    def best(self, rng: Rng, allowed: Array, draws: int) -> Array:
        """How often each arm has the largest score, ties at random."""
        arms = []
        for _ in range(draws):
            scores = self.policy.scores(deepcopy(self.state), self.contexts, rng)[0]
            probabilities = best_probabilities(scores, allowed[0], self.problem.support.scale)
            arms.append(rng.choice(probabilities.size, p=probabilities))
        return self._counted(arms)

    def _counted(self, arms: list[Any]) -> Array:
        return np.bincount(np.array(arms, dtype=np.int64), minlength=self.problem.n_arms)
