"""Policies that have a `Learner` in each run, and their state."""

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng, Weights
from bandstrap.choice import explored, highest, one_of
from bandstrap.errors import InvalidInput
from bandstrap.models import Learner
from bandstrap.models.base import draw_scores, learn_reward
from bandstrap.policies.base import Draw, Policy
from bandstrap.policies.state import MOST, State
from bandstrap.policies.validation import check_numbers, checked_decision
from bandstrap.problem import Problem
from bandstrap.remapping import ArmMap
from bandstrap.storage.schema import ListOf, Of, Schema, Whole, require

SETTLED = 10_000  # draws that are caught up at once; those due beyond are waived


class LearnerState(State):
    schema = Schema(learners=ListOf(Of(Learner), "runs"), rounds=Whole())
    repeats_weights = whole_weights = False  # `learn_reward` repeats, for learners that do

    def verify_saved(self) -> None:
        require(len(self.learners) == self.runs, "runs have no learners")
        for learner in self.learners:
            learner.verify_problem(self.problem)

    def __init__(self, problem: Problem, runs: int, learners: list[Learner]) -> None:
        super().__init__(problem, runs)
        self.learners = learners
        self.rounds = 0  # rewards learnt, in every run

    def remap_arms(self, fresh: "LearnerState", before: ArmMap) -> None:
        for learner, new in zip(self.learners, fresh.learners, strict=True):
            learner.remap_arms(new, before)

    def check_contexts(self, contexts: Array) -> None:
        for run, learner in enumerate(self.learners):
            learner.check_context(contexts[run])

    def check_reward(self, reward: float, weight: float) -> None:
        if weight > MOST:
            raise InvalidInput("weight", weight, f"give at most {MOST:,} at once")
        self.learners[0].check_reward(reward, weight)

    def learn(
        self, contexts: Array, arms: Array, rewards: Array, rng: Rng | None, weights: Weights
    ) -> None:
        """One reward in each run."""
        for run, learner in enumerate(self.learners):
            context, arm, reward = contexts[run], int(arms[run]), float(rewards[run])
            weight = 1.0 if weights is None else float(weights[run])
            learner.check_reward(reward, weight)
            learn_reward(learner, context, arm, reward, rng, weight)
        self.rounds += 1

    @property
    def unsettled(self) -> bool:
        return any(learner.owed > 0 for learner in self.learners)

    def settle(self, rng: Rng) -> None:
        nowhere = np.zeros(self.problem.n_features)
        for learner in self.learners:
            for _ in range(min(learner.owed, SETTLED)):
                learner.margins(nowhere, rng)
            if learner.owed > 0:
                learner.owed = 0

    def discount(self, fresh: "LearnerState", factor: float) -> None:
        for learner in self.learners:
            learner.discount(factor)


class LearnerPolicy(Policy[LearnerState]):
    """A policy that leaves learning to a `Learner` in each run and acts greedily on its draw."""

    costly: ClassVar[bool] = True

    @abstractmethod
    def _learner(self, problem: Problem) -> Learner: ...

    @property
    def _reads_tables(self) -> bool:
        """Whether contexts may hold words, which are codes in rows."""
        return False

    def _at_random(self, state: LearnerState) -> bool:
        """Whether the next decision is any arm, whatever has been learnt."""
        return False

    def _start(self, problem: Problem, runs: int) -> LearnerState:
        if problem.n_features < 1:
            remedy = "a model needs contexts: declare features, or use Bootstrap or EpsilonGreedy"
            raise InvalidInput("n_features", problem.n_features, remedy)
        if not self._reads_tables:
            remedy = "encode them as numbers, or use from_sklearn() with a pipeline that does"
            check_numbers(problem, remedy)
        return LearnerState(problem, runs, [self._learner(problem) for _ in range(runs)])

    def _scores(self, state: LearnerState, contexts: Contexts, rng: Rng) -> Array:
        assert contexts is not None
        if self._at_random(state):
            return rng.random((state.runs, state.problem.n_arms))
        pairs = zip(state.learners, contexts, strict=True)
        return np.array([draw_scores(learner, context, rng) for learner, context in pairs])

    def _select(self, state: LearnerState, contexts: Contexts, rng: Rng, allowed: Array) -> Array:
        assert contexts is not None
        arms = np.empty(state.runs, dtype=np.int64)  # filled in place: a list costs a microsecond
        if self._at_random(state):
            arms[:] = [one_of(np.flatnonzero(open_), rng) for open_ in allowed]
            return arms
        for run, learner in enumerate(state.learners):
            arms[run] = learner.best(contexts[run], rng, allowed[run])
        return arms

    def decide(
        self, state: LearnerState, contexts: Contexts, rng: Rng, allowed: Array | None
    ) -> Draw:
        contexts, every = checked_decision(state, contexts, allowed)
        assert contexts is not None
        learner, context, open_ = state.learners[0], contexts[0], every[0]
        if self._at_random(state):
            scores = rng.random(open_.size)
            return Draw(highest(scores, open_, rng), scores, _uniform(open_))
        return Draw(*learner.decide(context, rng, open_))

    def _update(
        self,
        state: LearnerState,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
        weights: Weights = None,
    ) -> None:
        assert contexts is not None
        state.learn(contexts, arms, rewards, rng, weights)

    def _probabilities(
        self, state: LearnerState, contexts: Contexts, allowed: Array
    ) -> Array | None:
        assert contexts is not None
        if self._at_random(state):
            return _uniform(allowed[0])
        return state.learners[0].probabilities(contexts[0], allowed[0])


def _uniform(allowed: Array) -> Array:
    return explored(1.0, np.zeros(allowed.size), allowed)
