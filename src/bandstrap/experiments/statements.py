"""What a claim says, statement by statement: each holds, fails or is open, given the errors.

Runs of two policies meet the same arms, or the same contexts in the same order, so they are
compared run by run. With few runs an error is itself uncertain: intervals are by Student's t, at
the confidence that 2.5 standard errors have with many runs.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np
from scipy.special import ndtr, stdtrit  # scipy.stats would take a second to import

from bandstrap.arrays import Array
from bandstrap.experiments.base import Statements, Verdict
from bandstrap.simulation import Trace

THRESHOLD = 2.5  # standard errors beyond which a difference is taken for real
CONFIDENCE = float(2 * ndtr(THRESHOLD) - 1)

# What words mean, in reward per step; figures span 0 to 1.
ALIKE = 0.02
SLIGHTLY = 0.05

HORIZON = 50_000  # rounds that the paper's claims with contexts are about: fewer decide nothing


class Outcome(Enum):
    """What the numbers say of a statement."""

    HOLDS = "holds"
    OPEN = "open"
    FAILS = "fails"


class Relation(Enum):
    """How one policy compares with another."""

    BETTER = "better"
    ALIKE = "alike"
    WORSE = "worse"
    OPEN = "open"


@dataclass(frozen=True)
class Difference:
    """The mean of one policy's runs minus another's, with `half` the width of its interval."""

    first: str
    second: str
    mean: float
    half: float
    shown: str

    @property
    def low(self) -> float:
        return self.mean - self.half

    @property
    def high(self) -> float:
        return self.mean + self.half

    @property
    def sign(self) -> int:
        """1 or -1 if the interval lies on one side of zero, else 0."""
        return int(self.low > 0) - int(self.high < 0)

    def even(self) -> Outcome:
        """Whether the two may be equal."""
        return Outcome.FAILS if self.sign else Outcome.HOLDS

    def above(self) -> Outcome:
        """Whether the first is above the second."""
        return (Outcome.OPEN, Outcome.HOLDS, Outcome.FAILS)[self.sign]

    def __str__(self) -> str:
        return f"{self.first} − {self.second} = {self.shown}"


def regret_difference(first: Trace, second: Trace) -> Difference:
    """The paired difference of final regret."""
    mean, half = _interval(first.regret[:, -1] - second.regret[:, -1])
    return Difference(first.policy, second.policy, mean, half, f"{mean:+.2f} ± {half:.2f}")


@dataclass(frozen=True)
class RewardDifference(Difference):
    """A difference of reward per step, and whether both policies have played all rounds."""

    complete: bool

    @property
    def relation(self) -> Relation:
        """Alike if all of the interval is within ALIKE of zero, else by the side of zero it is on.

        An interval with zero in it that is wider leaves it open, and so do rounds not yet played.
        """
        if not self.complete:
            return Relation.OPEN
        if self.low >= -ALIKE and self.high <= ALIKE:
            return Relation.ALIKE
        return (Relation.OPEN, Relation.BETTER, Relation.WORSE)[self.sign]

    def __str__(self) -> str:
        return f"{super().__str__()}, {self.relation.value}"


def reward_difference(
    first: Trace, second: Trace, last: int | None = None, tests: int = 1
) -> RewardDifference:
    """The paired difference of reward per step up to `last`, by default the last common round.

    The interval is wider for one of several `tests`, so that all hold together.
    """
    last = int(common_rounds(first, second)[-1]) if last is None else last
    both = min(first.runs, second.runs)  # more runs of one have nothing to be compared with
    paired = per_step(first, last)[:both] - per_step(second, last)[:both]
    mean, half = _interval(paired, tests)
    shown = f"{mean:+.4f} ± {half:.4f}" + ("" if last >= HORIZON else f" over {last} rounds")
    complete = min(first.rounds[-1], second.rounds[-1]) >= HORIZON
    return RewardDifference(first.policy, second.policy, mean, half, shown, bool(complete))


def _interval(paired: Array, tests: int = 1) -> tuple[float, float]:
    width = quantile(paired.size, 1 - (1 - CONFIDENCE) / tests)
    error = paired.std(ddof=1) / np.sqrt(paired.size) if np.isfinite(width) else 1.0
    return float(paired.mean()), float(width * error)


@lru_cache
def quantile(runs: int, confidence: float = CONFIDENCE) -> float:
    """How many standard errors an interval reaches each way, by Student's t.

    Two runs may agree by accident, and one has no spread at all: they decide nothing.
    """
    return float(stdtrit(runs - 1, 0.5 + confidence / 2)) if runs > 2 else np.inf


def common_rounds(first: Trace, second: Trace) -> Array:
    """Rounds that both have recorded."""
    return np.intersect1d(first.rounds, second.rounds)


def per_step(trace: Trace, last: int) -> Array:
    """Reward per step of each run up to a recorded round."""
    point = int(np.searchsorted(trace.rounds, last))
    rewards: Array = trace.reward[:, point] / last
    return rewards


@dataclass(frozen=True)
class Rule:
    """What is claimed of a difference: its relation, and bounds for the whole of its interval.

    If the two are alike and the interval passes a bound, the claim fails: a tie is not "slightly
    better", however many runs are added.
    """

    relations: tuple[Relation, ...]
    low: float = -np.inf
    high: float = np.inf

    def outcome(self, difference: RewardDifference) -> Outcome:
        if difference.relation is Relation.OPEN:
            return Outcome.OPEN
        outside = difference.high < self.low or difference.low > self.high
        if outside or difference.relation not in self.relations:
            return Outcome.FAILS
        if self.low <= difference.low and difference.high <= self.high:
            return Outcome.HOLDS
        return Outcome.FAILS if difference.relation is Relation.ALIKE else Outcome.OPEN

    def slack(self, difference: RewardDifference) -> float:
        """How far the mean is inside of what is claimed: the least decides."""
        if self.relations == (Relation.ALIKE,):
            return ALIKE - abs(difference.mean)
        return min(difference.mean - max(self.low, -ALIKE), self.high - difference.mean)


BETTER = Rule((Relation.BETTER,))
NO_WORSE = Rule((Relation.BETTER, Relation.ALIKE))
SAME = Rule((Relation.ALIKE,))
SLIGHTLY_BETTER = Rule((Relation.BETTER, Relation.ALIKE), 0.0, SLIGHTLY)
FAR_BETTER = Rule((Relation.BETTER,), SLIGHTLY)


@dataclass(frozen=True)
class Statement:
    """A sentence of a claim, its outcome, and the numbers that decided it."""

    text: str
    outcome: Outcome
    numbers: str

    def __str__(self) -> str:
        return f"{self.text}: {self.outcome.value} ({self.numbers})"


def decided(text: str, differences: Iterable[RewardDifference], rule: Rule) -> Statement:
    """A statement that holds if all comparisons do, and fails if one does: that one is shown."""
    ranked = sorted(differences, key=rule.slack)
    for outcome in (Outcome.FAILS, Outcome.OPEN, Outcome.HOLDS):
        deciding = [each for each in ranked if rule.outcome(each) is outcome]
        if deciding:
            return Statement(text, outcome, str(deciding[0]))
    return Statement(text, Outcome.OPEN, "nothing was compared")


def verdict_of(statements: Sequence[Statement]) -> Verdict:
    """Reproduced if all hold, not reproduced if more fail than hold, undecided if all are open."""
    found = tally_of(statements)
    if found.hold + found.fail == 0:
        return Verdict.UNDECIDED
    if found.hold == found.total:
        return Verdict.REPRODUCED
    return Verdict.NOT_REPRODUCED if found.fail > found.hold else Verdict.IN_PART


def tally_of(statements: Sequence[Statement]) -> Statements:
    """How they came out, in numbers."""
    outcomes = [statement.outcome for statement in statements]
    return Statements(
        *(outcomes.count(each) for each in (Outcome.HOLDS, Outcome.FAILS, Outcome.OPEN))
    )
