"""What a claim says, piece by piece: each piece holds, fails or stays open, given the errors.

Runs of two policies meet the same contexts in the same order, so their rewards are compared run by
run. With few runs an error is itself uncertain: intervals use Student's t at the confidence that
2.5 standard errors have with many runs.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np
from scipy.special import ndtr, stdtrit  # scipy.stats would take a second to import

from bandstrap.arrays import Array
from bandstrap.experiments.base import Verdict
from bandstrap.experiments.compare import THRESHOLD
from bandstrap.simulation import Trace

# What words mean, in reward per step; figures span 0 to 1.
ALIKE = 0.02
SLIGHTLY = 0.05

HORIZON = 50_000  # rounds that the paper's claims with contexts are about
ENOUGH = HORIZON // 10  # fewer decide nothing: at first those are ahead that explore least

LOADING = 100  # one part in so many of the rounds is not timed


class Outcome(Enum):
    """What the numbers say of a statement."""

    HOLDS = "holds"
    OPEN = "open"
    FAILS = "fails"


@dataclass(frozen=True)
class Gap:
    """Reward per step of one policy minus another's, up to the same round, with an interval."""

    first: str
    second: str
    last: int
    mean: float
    half: float  # of the interval's width

    @property
    def low(self) -> float:
        return self.mean - self.half

    @property
    def high(self) -> float:
        return self.mean + self.half

    def between(self, low: float, high: float) -> Outcome:
        """Whether the difference is between two bounds."""
        if low <= self.low and self.high <= high:
            return Outcome.HOLDS
        return Outcome.FAILS if self.high < low or self.low > high else Outcome.OPEN

    def beyond(self, bound: float = 0.0) -> Outcome:
        """Whether the difference is above a bound."""
        if self.low > bound:
            return Outcome.HOLDS
        return Outcome.FAILS if self.high < bound else Outcome.OPEN

    def __str__(self) -> str:
        said = f"{self.first} − {self.second} = {self.mean:+.4f} ± {self.half:.4f}"
        return said if self.last >= HORIZON else f"{said} over {self.last} rounds"


CONFIDENCE = float(2 * ndtr(THRESHOLD) - 1)


@lru_cache
def quantile(runs: int, confidence: float = CONFIDENCE) -> float:
    """How many standard errors an interval reaches each way, given so many runs.

    Two runs may agree by accident, and one has no spread at all: they decide nothing.
    """
    return float(stdtrit(runs - 1, 0.5 + confidence / 2)) if runs > 2 else np.inf


def gap(first: Trace, second: Trace, last: int | None = None, tests: int = 1) -> Gap:
    """The paired difference up to round `last`, or the last that both have recorded.

    Where it is one of several `tests` the interval is wider, so that all hold together.
    """
    last = common_rounds(first, second)[-1] if last is None else last
    paired = per_step(first, last) - per_step(second, last)
    width = quantile(paired.size, 1 - (1 - CONFIDENCE) / tests)
    error = paired.std(ddof=1) / np.sqrt(paired.size) if np.isfinite(width) else 1.0
    half = float(width * error)
    return Gap(first.policy, second.policy, int(last), float(paired.mean()), half)


def common_rounds(first: Trace, second: Trace) -> Array:
    """Rounds that both have recorded."""
    return np.intersect1d(first.rounds, second.rounds)


def per_step(trace: Trace, last: int) -> Array:
    """Reward per step of each run up to a recorded round."""
    point = int(np.searchsorted(trace.rounds, last))
    rewards: Array = trace.reward[:, point] / last
    return rewards


def seconds_per_round(trace: Trace, last: int) -> float:
    """CPU seconds of a round in one run, on average up to the last; between two recorded rounds
    each is taken to cost the same.

    The first of every hundred rounds are left out: compiled code is loaded, or made, in the first.
    """
    before = trace.rounds[trace.rounds < last]
    late = before[before >= last / LOADING]
    start = (late if late.size else before[-1:])[:1]
    if not start.size:
        return float(trace.seconds[0] / last / trace.runs)
    spent = np.interp(last, trace.rounds, trace.seconds) - np.interp(
        start[0], trace.rounds, trace.seconds
    )
    return float(spent / (last - start[0]) / trace.runs)


@dataclass(frozen=True)
class Statement:
    """A piece of a claim, what came of it, and the numbers."""

    text: str
    outcome: Outcome
    numbers: str

    def __str__(self) -> str:
        return f"{self.text}: {self.outcome.value} ({self.numbers})"


def all_of(text: str, pieces: Iterable[tuple[Gap, Outcome]]) -> Statement:
    """A statement that holds if all its comparisons do, and fails if any of them does."""
    pieces = list(pieces)
    outcomes = [outcome for _, outcome in pieces]
    numbers = ", ".join(str(gap) for gap, _ in pieces)
    return Statement(text, worst(outcomes), numbers)


def decided(outcome: Outcome, rounds: int) -> Outcome:
    """What a comparison over so many rounds says."""
    return outcome if rounds >= ENOUGH else Outcome.OPEN


def worst(outcomes: list[Outcome]) -> Outcome:
    if Outcome.FAILS in outcomes:
        return Outcome.FAILS
    return Outcome.OPEN if Outcome.OPEN in outcomes else Outcome.HOLDS


def verdict_of(statements: list[Statement]) -> Verdict:
    """Reproduced if everything holds; not if more fails than holds; open where nothing is said."""
    outcomes = [statement.outcome for statement in statements]
    hold, fail = outcomes.count(Outcome.HOLDS), outcomes.count(Outcome.FAILS)
    if hold + fail == 0:
        return Verdict.UNDECIDED
    if hold == len(outcomes):
        return Verdict.REPRODUCED
    return Verdict.NOT_REPRODUCED if fail > hold else Verdict.IN_PART
