"""Policies as targets: frozen, as they were trained beforehand, or as they learnt from the log."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from bandstrap.evaluation.feedback import Feedback
from bandstrap.evaluation.targets.base import (
    FROZEN,
    LEARNT,
    Shares,
    Target,
    row_blocks,
    row_slices,
)
from bandstrap.evaluation.targets.judge import Judge
from bandstrap.evaluation.targets.learning import batch_after, learn_rows
from bandstrap.evaluation.targets.problem import played
from bandstrap.policies import Policy
from bandstrap.policies.own import variant_name
from bandstrap.seeding import generator
from bandstrap.validation import require_share

__all__ = ["Learnt", "Trained"]


@dataclass(frozen=True)
class Learnt(Target):
    """A policy as it learnt from this log: it judges a row before it sees the row's reward.

    The first row meets a policy that knows nothing, the last one that has seen all others. `draws`
    is how often it draws for a row where it does not know its probabilities.

    >>> from bandstrap import EpsilonGreedy
    >>> log = Feedback(("a", "b"), np.array([0, 1, 0]), np.array([0.0, 1.0, 0.0]))
    >>> next(Learnt(EpsilonGreedy()).shares(log)).every[0].tolist()
    [0.5, 0.5]
    """

    answer: ClassVar[str] = LEARNT
    policy: Policy[Any]
    name: str = ""
    draws: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", self.name or variant_name(type(self.policy), {}))

    def shares(self, feedback: Feedback, seed: int = 0) -> Iterator[Shares]:
        ready = played(self.policy, feedback, self.name)
        judge, state = Judge(ready, self.draws, seed, self.name), ready.start()
        rng = generator(seed, "learning", self.name)
        for rows in row_slices(feedback):
            every = np.empty((rows.stop - rows.start, len(feedback.arms)))
            at = rows.start
            while at < rows.stop:
                size = batch_after(at, ready.contexts is not None)
                batch = slice(at, min(at + size, rows.stop))
                into = every[at - rows.start : batch.stop - rows.start]
                judge.fill(state, feedback, batch, into)
                learn_rows(ready, state, feedback, batch, rng)
                at = batch.stop
            yield Shares(rows, every, judge.fewest, judge.grouping.taken())


@dataclass(frozen=True)
class Trained(Target):
    """A policy that learns the first rows of the log and is then frozen; the others judge it.

    >>> from bandstrap import EpsilonGreedy
    >>> log = Feedback(("a", "b"), np.array([0, 1] * 4), np.array([0.0, 1.0] * 4))
    >>> found = next(Trained(EpsilonGreedy()).shares(log))
    >>> found.rows, found.every[0].round(3).tolist()
    (slice(4, 8, None), [0.455, 0.545])
    """

    answer: ClassVar[str] = FROZEN
    policy: Policy[Any]
    name: str = ""
    share: float = 0.5  # of the rows that it learns
    draws: int | None = None

    def __post_init__(self) -> None:
        require_share(share=self.share)
        object.__setattr__(self, "name", self.name or variant_name(type(self.policy), {}))

    def first(self, feedback: Feedback) -> int:
        return int(self.share * len(feedback))

    def shares(self, feedback: Feedback, seed: int = 0) -> Iterator[Shares]:
        ready = played(self.policy, feedback, self.name)
        state, rng = ready.start(), generator(seed, "learning", self.name)
        first = self.first(feedback)
        learn_rows(ready, state, feedback, slice(0, first), rng)
        state.settle(rng)
        judge = Judge(ready, self.draws, seed, self.name)
        for rows in row_slices(feedback, first):
            every = np.empty((rows.stop - rows.start, len(feedback.arms)))
            for block in row_blocks(feedback, rows):
                into = every[block.start - rows.start : block.stop - rows.start]
                judge.fill(state, feedback, block, into)
            yield Shares(rows, every, judge.fewest, judge.grouping.taken())
