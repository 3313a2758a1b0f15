"""Epsilon-greedy on a model: its best arm, and now and then any arm."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from bandstrap.arrays import Array, Contexts, Rng
from bandstrap.choice import explored, highest
from bandstrap.models import Learner, Model
from bandstrap.policies.base import Draw
from bandstrap.policies.contextual.learners import LearnerPolicy, LearnerState
from bandstrap.policies.rewards.epsilon_greedy import EpsilonGreedy
from bandstrap.policies.schedules import Decay, Schedule
from bandstrap.policies.validation import checked_decision
from bandstrap.priors import ExamplePrior, NoExamples
from bandstrap.problem import Problem
from bandstrap.resampling import NoResampling
from bandstrap.storage.schema import Function, Schema


@dataclass(frozen=True)
class ContextualEpsilonGreedy(LearnerPolicy):
    """With probability schedule(t) a uniformly random arm, else the one the model likes best.

    t is 1 + the number of rewards learnt, whatever their weights; it does not fade when rewards do
    (`HalfLife`). The default schedule, 50 / (50 + t), is the one that the paper tuned.

    >>> from bandstrap import LogisticRegression
    >>> policy = ContextualEpsilonGreedy(LogisticRegression())
    >>> state, rng = policy.start(Problem(n_arms=3, n_features=2)), np.random.default_rng(0)
    >>> policy.select(state, np.ones((1, 2)), rng).shape
    (1,)
    """

    model: Model
    schedule: Schedule = field(default_factory=Decay)
    prior: ExamplePrior = field(default_factory=NoExamples)

    schema = Schema(schedule=Function("Constant", "Decay"))

    def __post_init__(self) -> None:
        EpsilonGreedy(self.schedule)  # checks it

    @property
    def _reads_tables(self) -> bool:
        return self.model.reads_tables

    def check(self, problem: Problem, rewards: Sequence[float] = ()) -> None:
        super().check(problem, rewards)
        self.model.check(problem.support, NoResampling(), rewards)

    def _learner(self, problem: Problem) -> Learner:
        return self.model.learner(problem, NoResampling(), self.prior)

    def _scores(self, state: LearnerState, contexts: Contexts, rng: Rng) -> Array:
        scores = super()._scores(state, contexts, rng)
        explore = self._explore(state, rng)
        scores[explore] = rng.random((int(explore.sum()), state.problem.n_arms))
        return scores

    def _select(self, state: LearnerState, contexts: Contexts, rng: Rng, allowed: Array) -> Array:
        assert contexts is not None
        arms = np.empty(state.runs, dtype=np.int64)
        for run, explore in enumerate(self._explore(state, rng)):
            if explore:  # no need to ask the model
                arms[run] = rng.choice(np.flatnonzero(allowed[run]))
            else:
                arms[run] = state.learners[run].best(contexts[run], rng, allowed[run])
        return arms

    def decide(
        self, state: LearnerState, contexts: Contexts, rng: Rng, allowed: Array | None
    ) -> Draw:
        contexts, open_ = checked_decision(state, contexts, allowed)
        assert contexts is not None
        arm, scores, exact = state.learners[0].decide(contexts[0], rng, open_[0])
        if self._explore(state, rng)[0]:
            scores = rng.random(state.problem.n_arms)
            arm = highest(scores, open_[0], rng)
        return Draw(arm, scores, self._mixed(state, exact, open_))

    def _probabilities(
        self, state: LearnerState, contexts: Contexts, allowed: Array
    ) -> Array | None:
        return self._mixed(state, super()._probabilities(state, contexts, allowed), allowed)

    def _mixed(self, state: LearnerState, exact: Array | None, allowed: Array) -> Array | None:
        return None if exact is None else explored(self._epsilon(state), exact, allowed[0])

    def _epsilon(self, state: LearnerState) -> float:
        return EpsilonGreedy(self.schedule).epsilon(state.rounds + 1)

    def _explore(self, state: LearnerState, rng: Rng) -> Array:
        return rng.random(state.runs) < self._epsilon(state)
