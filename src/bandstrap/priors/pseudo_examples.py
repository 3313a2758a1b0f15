"""Pseudo-examples: contexts with rewards that every arm's history starts with."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Literal

import numpy as np

from bandstrap.arrays import Array
from bandstrap.contexts import as_numbers
from bandstrap.errors import InvalidInput
from bandstrap.kernels.checks import LARGEST
from bandstrap.problem import Problem
from bandstrap.storage.schema import ArrayOf, Grows, Schema, Whole, require

WIDEST = 1e10 * LARGEST  # an axis is longer than any context along it, if there are many features
CONTEXTS = REWARDS = np.float64  # what examples are kept as, whatever a prior makes them from
BY_ROWS: tuple[Literal["C"], Literal["A"], Literal["W"]] = ("C", "A", "W")  # as kernels read them


class PseudoExamples:
    """The pseudo-examples of one run, the same for every arm.

    `contexts` (count, features) and `rewards` (count,) are the examples themselves. Where they are
    the axes of an ellipsoid, `axes` (n, features) holds them: each row stands for four of the
    examples, itself and its negative with the lower and the upper reward, in the order
    (+, low), (+, high), (-, low), (-, high). It has no rows otherwise. `version` counts changes.
    The arrays are replaced, never written to, so that models may hold on to them.

    >>> examples = PseudoExamples(np.eye(2), np.array([0.0, 1.0]), np.zeros((0, 2)))
    >>> examples.count, examples.rewards
    (2, array([0., 1.]))
    """

    schema = Schema(
        contexts=ArrayOf(
            CONTEXTS, Grows("examples"), "features", low=-WIDEST, high=WIDEST, shared=True
        ),
        rewards=ArrayOf(REWARDS, Grows("examples"), shared=True),
        axes=ArrayOf(np.float64, Grows("axes"), "features", low=-WIDEST, high=WIDEST, shared=True),
        version=Whole(),
    )

    def verify_saved(self) -> None:
        require(4 * len(self.axes) <= self.count, "axes have too few examples")

    def __init__(self, contexts: Array, rewards: Array, axes: Array) -> None:
        self.contexts = np.require(as_numbers(contexts), CONTEXTS, BY_ROWS)
        self.rewards = np.require(rewards, REWARDS, BY_ROWS)
        self.axes = np.require(axes, np.float64, BY_ROWS)
        self.version = 0

    @property
    def count(self) -> int:
        return int(self.rewards.size)

    def see(self, context: Array, reward: float) -> None:
        """Take note of an example that was learnt, for priors that estimate something."""


def both_rewards(problem: Problem) -> tuple[float, float]:
    """The lowest and the highest reward; refuses a support without ends."""
    low, high = problem.support.low, problem.support.high
    if not np.isfinite([low, high]).all():
        remedy = "pseudo-examples carry the lowest and the highest reward; declare Support.interval"
        raise InvalidInput("support", (low, high), remedy)
    return low, high


class ExamplePrior(ABC):
    """Where pseudo-examples come from.

    >>> class OnePoor(ExamplePrior):
    ...     def start(self, problem):
    ...         none = np.zeros((0, problem.n_features))
    ...         return PseudoExamples(np.ones((1, problem.n_features)), np.zeros(1), none)
    >>> OnePoor().start(Problem(3, n_features=2)).contexts
    array([[1., 1.]])
    """

    @abstractmethod
    def start(self, problem: Problem) -> PseudoExamples:
        """The pseudo-examples of a run before its first round."""


@dataclass(frozen=True)
class NoExamples(ExamplePrior):
    """No pseudo-examples: an arm is tried before it is modelled.

    >>> NoExamples().start(Problem(3, n_features=2)).count
    0
    """

    def start(self, problem: Problem) -> PseudoExamples:
        none = np.zeros((0, problem.n_features))
        return PseudoExamples(none, np.zeros(0), none)
