"""Epoch-greedy: one random round, then as many greedy ones as it has paid for."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt

from bandstrap.arrays import Array, Contexts, Rng, Weights
from bandstrap.errors import InvalidInput
from bandstrap.models import Learner, Model
from bandstrap.policies.contextual.learners import LearnerPolicy, LearnerState
from bandstrap.priors import ExamplePrior, NoExamples
from bandstrap.problem import Problem
from bandstrap.resampling import NoResampling
from bandstrap.storage.schema import LARGEST, Schema, Whole, require
from bandstrap.validation import is_whole, require_positive, require_within

LONGEST = 10**15  # rounds of an epoch


class Epochs(ABC):
    """How many greedy rounds follow each random one."""

    @abstractmethod
    def length(self, samples: int, n_arms: int) -> int:
        """Greedy rounds after `samples` random ones, the last of which opens this epoch."""


@dataclass(frozen=True)
class ConstantEpochs(Epochs):
    """The same number of greedy rounds in every epoch: a share 1 / (1 + rounds) is random.

    >>> ConstantEpochs(9).length(samples=100, n_arms=4)
    9
    """

    rounds: int = 9

    def __post_init__(self) -> None:
        require_within(0, LONGEST, rounds=self.rounds)

    def length(self, samples: int, n_arms: int) -> int:
        return self.rounds


@dataclass(frozen=True)
class GrowingEpochs(Epochs):
    """⌊scale √(samples / arms)⌋ greedy rounds, so that of T rounds about T^⅔ are random.

    After Langford and Zhang's schedule for the best of m policies: n random rounds on K arms tell
    what it is worth to about √(K log m / n), so that c √(n / (K log m)) greedy rounds cost about
    as much as a random one. Hence scale = c / √log m; models have no m, and 1 is our choice.

    >>> GrowingEpochs().length(samples=100, n_arms=4)
    5
    """

    scale: float = 1.0

    def __post_init__(self) -> None:
        require_positive(scale=self.scale)

    def length(self, samples: int, n_arms: int) -> int:
        return int(min(self.scale * sqrt(samples / n_arms), LONGEST))


class EpochState(LearnerState):
    schema = Schema(samples=Whole(), left=Whole())

    def verify_saved(self) -> None:
        super().verify_saved()
        require(self.samples <= self.rounds, "there are more samples than rounds")

    def __init__(self, problem: Problem, runs: int, learners: list[Learner]) -> None:
        super().__init__(problem, runs, learners)
        self.samples = 0  # random rounds so far, the only ones that are learnt
        self.left = 0  # greedy rounds of this epoch that are still to come

    def skip(self, rewards: Array, weights: Weights) -> None:
        """A greedy round: its rewards are checked, and not learnt."""
        for run, learner in enumerate(self.learners):
            learner.check_reward(float(rewards[run]), 1.0 if weights is None else weights[run])
        self.left -= 1
        self.rounds += 1


@dataclass(frozen=True)
class EpochGreedy(LearnerPolicy):
    """Each epoch is one uniformly random round, which is learnt, and greedy ones, which are not.

    What is learnt is thus a sample that no earlier choice has biased, as the guarantee of Langford
    and Zhang (2008) needs it. A round ends when its reward is learnt, whatever the weight: give
    rewards in the order of decisions, or greedy choices may be taken for random ones. Rounds do not
    fade when rewards do (`HalfLife`).

    >>> import numpy as np
    >>> from bandstrap import LogisticRegression
    >>> policy = EpochGreedy(LogisticRegression(), ConstantEpochs(2))
    >>> state, rng = policy.start(Problem(n_arms=2, n_features=1)), np.random.default_rng(0)
    >>> for _ in range(7):
    ...     arms = policy.select(state, np.ones((1, 1)), rng)
    ...     policy.update(state, np.ones((1, 1)), arms, arms)
    >>> state.rounds, state.samples, state.left
    (7, 3, 2)
    """

    model: Model
    epochs: Epochs = field(default_factory=GrowingEpochs)
    prior: ExamplePrior = field(default_factory=NoExamples)

    @property
    def _reads_tables(self) -> bool:
        return self.model.reads_tables

    def check(self, problem: Problem, rewards: Sequence[float] = ()) -> None:
        super().check(problem, rewards)
        self.model.check(problem.support, NoResampling(), rewards)

    def _learner(self, problem: Problem) -> Learner:
        return self.model.learner(problem, NoResampling(), self.prior)

    def _start(self, problem: Problem, runs: int) -> EpochState:
        return EpochState(problem, runs, super()._start(problem, runs).learners)

    def _at_random(self, state: EpochState) -> bool:  # type: ignore[override]
        return state.left == 0

    def _update(  # type: ignore[override]
        self,
        state: EpochState,
        contexts: Contexts,
        arms: Array,
        rewards: Array,
        rng: Rng | None,
        weights: Weights = None,
    ) -> None:
        if not self._at_random(state):
            state.skip(rewards, weights)
            return
        left = self._length(state)
        super()._update(state, contexts, arms, rewards, rng, weights)
        state.samples += 1
        state.left = left

    def _length(self, state: EpochState) -> int:
        length = self.epochs.length(state.samples + 1, state.problem.n_arms)
        if not (is_whole(length) and 0 <= length <= LARGEST):
            remedy = "length must return a whole number, 0 or more"
            raise InvalidInput("epochs", length, remedy)
        return int(length)
