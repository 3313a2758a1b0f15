"""What a claim says, statement by statement: each holds, fails or is open, given the errors.

Runs of two policies meet the same arms, or the same contexts in the same order, so they are
compared run by run.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

import numpy as np
from scipy.special import ndtr, stdtrit  # scipy.stats would take a second to import

from bandstrap.arrays import Array
from bandstrap.experiments.base import Verdict
from bandstrap.simulation import Trace

THRESHOLD = 2.5  # standard errors beyond which a difference is taken for real
CONFIDENCE = float(2 * ndtr(THRESHOLD) - 1)

# What words mean, in reward per step; figures span 0 to 1.
ALIKE = 0.02
SLIGHTLY = 0.05

HORIZON = 50_000  # rounds that the paper's claims with contexts are about
ENOUGH = HORIZON // 10  # fewer decide nothing: at first those are ahead that explore least

LOADING = 100  # the first of this many parts of the rounds is not timed


class Outcome(Enum):
    """What the numbers say of a statement."""

    HOLDS = "holds"
    OPEN = "open"
    FAILS = "fails"


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

    def between(self, low: float, high: float) -> Outcome:
        """Whether the difference lies between two bounds."""
        if low <= self.low and self.high <= high:
            return Outcome.HOLDS
        return Outcome.FAILS if self.high < low or self.low > high else Outcome.OPEN

    def above(self, bound: float = 0.0) -> Outcome:
        """Whether the difference exceeds a bound."""
        if self.low > bound:
            return Outcome.HOLDS
        return Outcome.FAILS if self.high < bound else Outcome.OPEN

    def __str__(self) -> str:
        return f"{self.first} − {self.second} = {self.shown}"


def regret_difference(first: Trace, second: Trace) -> Difference:
    """The paired difference of final regret; it is shown with its standard error."""
    paired = first.regret[:, -1] - second.regret[:, -1]
    mean = float(paired.mean())
    error = paired.std(ddof=1) / np.sqrt(paired.size) if paired.size > 1 else np.inf
    shown = f"{mean:+.2f} ± {error:.2f}"
    return Difference(first.policy, second.policy, mean, float(THRESHOLD * error), shown)


def reward_difference(
    first: Trace, second: Trace, last: int | None = None, tests: int = 1
) -> Difference:
    """The paired difference of reward per step up to `last`, by default the last common round.

    The interval is wider for one of several `tests`, so that all hold together.
    """
    last = common_rounds(first, second)[-1] if last is None else last
    paired = per_step(first, last) - per_step(second, last)
    width = quantile(paired.size, 1 - (1 - CONFIDENCE) / tests)
    error = paired.std(ddof=1) / np.sqrt(paired.size) if np.isfinite(width) else 1.0
    mean, half = float(paired.mean()), float(width * error)
    shown = f"{mean:+.4f} ± {half:.4f}" + ("" if last >= HORIZON else f" over {last} rounds")
    return Difference(first.policy, second.policy, mean, half, shown)


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


def seconds_per_round(trace: Trace, last: int) -> float:
    """CPU seconds of a round of one run, on average up to `last`, interpolated.

    The first hundredth of the rounds is left out: it loads or compiles kernels.
    """
    before = trace.rounds[trace.rounds < last]
    late = before[before >= last / LOADING]
    start = (late if late.size else before[-1:])[:1]
    if not start.size:
        return float(trace.seconds[0] / last / trace.runs)
    begun, spent = np.interp([start[0], last], trace.rounds, trace.seconds)
    return float((spent - begun) / (last - start[0]) / trace.runs)


@dataclass(frozen=True)
class Statement:
    """A sentence of a claim, its outcome, and the numbers."""

    text: str
    outcome: Outcome
    numbers: str

    def __str__(self) -> str:
        return f"{self.text}: {self.outcome.value} ({self.numbers})"


def all_of(text: str, comparisons: Iterable[tuple[Difference, Outcome]]) -> Statement:
    """A statement that holds if all its comparisons do, and fails if any of them does."""
    differences, outcomes = zip(*comparisons, strict=True)
    return Statement(text, worst(outcomes), ", ".join(map(str, differences)))


def decided(outcome: Outcome, rounds: int) -> Outcome:
    """The outcome, or open if it rests on too few rounds."""
    return outcome if rounds >= ENOUGH else Outcome.OPEN


def worst(outcomes: Sequence[Outcome]) -> Outcome:
    if Outcome.FAILS in outcomes:
        return Outcome.FAILS
    return Outcome.OPEN if Outcome.OPEN in outcomes else Outcome.HOLDS


def verdict_of(statements: list[Statement]) -> Verdict:
    """Reproduced if all hold, not reproduced if more fail than hold, undecided if all are open."""
    outcomes = [statement.outcome for statement in statements]
    hold, fail = outcomes.count(Outcome.HOLDS), outcomes.count(Outcome.FAILS)
    if hold + fail == 0:
        return Verdict.UNDECIDED
    if hold == len(outcomes):
        return Verdict.REPRODUCED
    return Verdict.NOT_REPRODUCED if fail > hold else Verdict.IN_PART


def count_of(statements: list[Statement]) -> str:
    """For example: 3 of 4 statements hold, 1 open."""
    outcomes = [statement.outcome for statement in statements]
    hold, fail, none = (outcomes.count(o) for o in (Outcome.HOLDS, Outcome.FAILS, Outcome.OPEN))
    parts = [f"{hold} of {len(outcomes)} statements hold"]
    parts += [f"{fail} fail{'s' * (fail == 1)}"] if fail else []
    parts += [f"{none} open"] if none else []
    return ", ".join(parts)
