"""A prior that learns how arms pay: pseudo-rewards like those seen, in the mean context."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array
from bandstrap.contexts import as_numbers
from bandstrap.priors.pseudo_examples import WIDEST, ExamplePrior, PseudoExamples, both_rewards
from bandstrap.problem import Problem
from bandstrap.storage.registry import saved
from bandstrap.storage.schema import ArrayOf, Fixed, Flag, Real, Row, Schema, Whole, require

ENOUGH = 10.0  # full rewards after which it is known how often arms pay, to about a third
MOST_EXAMPLES = 100  # every arm is fit to all of them
ROUNDING = 1e-9  # a share this near to an end of the rewards is that end
SLACK = 1 + 1e-6  # what sums of many shares may lose by rounding


@saved
@dataclass(frozen=True)
class AdaptiveExamples(ExamplePrior):
    """Rewards like those seen so far, of all arms, in the mean of the contexts seen.

    Two values stand for the rewards: those that have, with their shares, the mean, the variance and
    the skewness of the rewards. With rewards of 0 and 1 these are 0 and 1. The rarer value is there
    once and the other as often as its share asks for: where one arm in ten pays, a pseudo-reward
    of 1 and nine of 0. Before the first reward they are the lowest and the highest, once each.

    A policy soon earns more than an arm pays on average, so how arms pay is learnt from the first
    rewards alone, until they add up to ten times the highest. `EigenExamples`, the paper's, say
    that every arm pays half the time, with the weight of 4d rewards. See "Which prior?" in the
    documentation for both on fifteen data sets.

    >>> pseudo = AdaptiveExamples().start(Problem(3, n_features=2))
    >>> for reward in (0.0, 0.0):
    ...     pseudo.see(np.array([4.0, 6.0]), reward)
    >>> pseudo.contexts[0].tolist(), pseudo.rewards.tolist()
    ([4.0, 6.0], [1.0, 0.0, 0.0, 0.0])
    """

    def start(self, problem: Problem) -> PseudoExamples:
        return MeanExamples(problem)


@saved
class MeanExamples(PseudoExamples):
    """Examples at one context. They are renewed whenever the contexts seen have doubled.

    Columns of words have no mean, nor have missing numbers: in a table with such columns the
    context is the latest one.
    """

    schema = Schema(
        ends=Fixed(Row(Real(), Real())),
        values=ArrayOf(np.float64, "values", fixed=True),
        wordy=Fixed(Flag()),
        seen=Whole(),
        total=ArrayOf(np.float64, "features", low=-WIDEST, high=WIDEST, finite=False),
        rewarded=Whole(),
        powers=Row(Real(0.0), Real(0.0), Real(0.0)),
    )

    def verify_saved(self) -> None:
        super().verify_saved()
        require(2 <= self.count <= MOST_EXAMPLES and len(self.axes) == 0, "examples are too many")
        first, second, third = self.powers
        known = third <= second <= first <= self.rewarded and self.rewarded <= self.seen
        require(known and first <= ENOUGH + 1, "no rewards have these sums")
        require(_at_most(first * first, second * self.rewarded), "no rewards have these squares")
        require(_at_most(second * second, first * third), "no rewards have these cubes")

    def __init__(self, problem: Problem) -> None:
        self.ends = both_rewards(problem)
        self.values = np.array(problem.support.values or ())
        columns = problem.columns
        self.wordy = columns is not None and (bool(columns.text) or columns.missing)
        self.seen = 0
        self.total = np.zeros(problem.n_features)
        self.rewarded = 0  # rewards that are learnt from
        self.powers = (0.0, 0.0, 0.0)  # sums of their shares of the range, squares and cubes
        super().__init__(*self._examples(self.total), np.zeros((0, problem.n_features)))

    def see(self, context: Array, reward: float) -> None:
        numbers = as_numbers(context)
        self.seen += 1
        self.total += numbers
        learnt = self.powers[0] < ENOUGH
        if learnt:
            self._learn(reward)
        if self.seen & (self.seen - 1) == 0 or (learnt and self.powers[0] >= ENOUGH):
            mean = numbers if self.wordy else self.total / self.seen
            self.contexts, self.rewards = self._examples(mean)
            self.version += 1

    def _learn(self, reward: float) -> None:
        low, high = self.ends
        share = min(max((reward - low) / (high - low), 0.0), 1.0)
        first, second, third = self.powers
        self.powers = (first + share, second + share**2, third + share**3)
        self.rewarded += 1

    def _examples(self, context: Array) -> tuple[Array, Array]:
        below, above, often = self._two_values()
        rare, usual = (above, below) if often <= 0.5 else (below, above)
        share = max(min(often, 1 - often), 1 / MOST_EXAMPLES)  # of the rarer
        count = max(int(np.rint(1 / share)), 2)
        rewards = np.full(count, usual)
        rewards[0] = rare
        return np.tile(np.array(context, dtype=np.float64), (count, 1)), rewards

    def _two_values(self) -> tuple[float, float, float]:
        """Two rewards and how often the higher one is paid: Gauss's rule for the rewards' law.

        The lowest and the highest reward count as seen once.
        """
        n = self.rewarded + 2
        mean, square, cube = ((each + 1) / n for each in self.powers)
        variance = max(square - mean**2, ROUNDING)
        skew = (cube - 3 * mean * square + 2 * mean**3) / variance
        half = np.sqrt(variance + skew**2 / 4)
        nodes = np.clip(mean + skew / 2 + np.array([-half, half]), 0.0, 1.0)
        often = (mean - nodes[0]) / (nodes[1] - nodes[0])
        below, above = (self._reward(float(node)) for node in nodes)
        return below, above, float(often)

    def _reward(self, share: float) -> float:
        """A share of the range as a reward, as one of the values if there are only some."""
        low, high = self.ends
        if min(share, 1 - share) < ROUNDING:
            return high if share > 0.5 else low
        reward = low + share * (high - low)
        if self.values.size:
            return float(self.values[np.abs(self.values - reward).argmin()])
        return reward


def _at_most(least: float, most: float) -> bool:
    """Whether one product of sums is at most another, as Cauchy and Schwarz say, but for rounding.

    The smallest numbers of all have few digits.
    """
    return least <= most * SLACK + 1e-300
