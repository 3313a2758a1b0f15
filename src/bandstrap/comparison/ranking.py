"""Mean rewards with confidence intervals, ranked, and the recommendation that follows."""

from dataclasses import dataclass
from math import ceil, inf, log10, nan, sqrt

import numpy as np
from scipy.stats import t as student

from bandstrap.arrays import Array
from bandstrap.simulation import Trace

CONFIDENCE = 0.95
MUCH = 2.0  # a policy must be cheaper by this factor to be preferred to a better one
LITTLE = 0.1  # share of the first's lead over the best arm that a cheaper one may lose


@dataclass(frozen=True)
class ConfidenceInterval:
    """A mean over runs with its confidence interval by Student's t; NaN from a single run.

    >>> print(ConfidenceInterval.of(np.array([0.5, 0.6, 0.7])))
    0.6 [0.3516, 0.8484]
    """

    mean: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Array) -> "ConfidenceInterval":
        mean = float(values.mean())
        if values.size < 2:
            return cls(mean, nan, nan)
        quantile = float(student.ppf(0.5 + CONFIDENCE / 2, values.size - 1))
        half = quantile * float(values.std(ddof=1)) / sqrt(values.size)
        return cls(mean, mean - half, mean + half)

    @property
    def known(self) -> bool:
        return not np.isnan(self.low)

    def within(self, low: float, high: float) -> "ConfidenceInterval":
        """The interval, clipped to possible values."""
        if not self.known:
            return self
        return ConfidenceInterval(self.mean, max(self.low, low), min(self.high, high))

    def shown(self, value: float) -> str:
        """A value to four digits, or to as many as show the width of the interval; from a single
        run, whole numbers are not rounded."""
        size, half = abs(self.mean), (self.high - self.low) / 2
        if self.known and half > 0:
            digits = 1 + ceil(log10(size / half)) if size > half else 4
        else:
            digits = 2 + ceil(log10(size)) if size > 1 else 4
        return f"{value:.{min(max(digits, 4), 15)}g}"

    @property
    def ends(self) -> str:
        return f"{self.shown(self.low)} to {self.shown(self.high)}" if self.known else "one run"

    def __str__(self) -> str:
        if not self.known:
            return self.shown(self.mean)
        return f"{self.shown(self.mean)} [{self.shown(self.low)}, {self.shown(self.high)}]"


@dataclass(frozen=True)
class Standing:
    """A policy's place, its reward per round, and the CPU microseconds per decision."""

    place: int
    policy: str
    reward: ConfidenceInterval
    cost: float
    behind: ConfidenceInterval  # reward of the first minus this one, paired by run

    @property
    def tied(self) -> bool:
        """Whether the difference from the first may be zero."""
        return not self.behind.low > 0


@dataclass(frozen=True)
class Gap:
    """Reward per round of one policy minus another, paired by run: both met the same rows."""

    first: str
    second: str
    difference: ConfidenceInterval

    @property
    def real(self) -> bool:
        """Whether the interval excludes zero."""
        return self.difference.low > 0 or self.difference.high < 0


def per_round(trace: Trace) -> Array:
    """Each run's mean reward per round, (runs,)."""
    earned: Array = trace.reward[:, -1] / trace.rounds[-1]
    return earned


def cost(trace: Trace) -> float:
    """CPU microseconds per decision and its learning, over the whole run."""
    return float(1e6 * trace.seconds[-1] / (trace.rounds[-1] * trace.runs))


def gap(first: Trace, second: Trace) -> Gap:
    """The paired difference of two policies."""
    paired = per_round(first) - per_round(second)
    return Gap(first.policy, second.policy, ConfidenceInterval.of(paired))


def ranked(traces: list[Trace], low: float = -inf, high: float = inf) -> tuple[Standing, ...]:
    """Best first, ties by name; rewards lie between `low` and `high`."""
    order = sorted(traces, key=lambda trace: (-per_round(trace).mean(), trace.policy))
    return tuple(
        Standing(
            place,
            trace.policy,
            ConfidenceInterval.of(per_round(trace)).within(low, high),
            cost(trace),
            gap(order[0], trace).difference,
        )
        for place, trace in enumerate(order, start=1)
    )


@dataclass(frozen=True)
class Advice:
    """Which policy to use, and why."""

    policy: str
    sentence: str


def advice(ranking: tuple[Standing, ...], gap: Gap | None, floor: float) -> Advice:
    """What follows from a ranking; `floor` is the reward per round of the best arm alone."""
    first = ranking[0]
    if first.reward.mean <= floor:
        sentence = (
            f"None earns more than always pulling the best arm ({first.reward.shown(floor)} per "
            f"round) in this many rounds; the nearest is {first.policy} with {first.reward}: try "
            "more --rounds, or columns that say more."
        )
        return Advice(first.policy, sentence)
    if gap is None:
        return _use(first, "; it played alone", floor)
    lead = f", {gap.difference} more than {gap.second}"
    if not first.reward.known:
        return _use(first, f"{lead} in a single run, which may be chance: use more --runs", floor)
    if gap.real:
        return _use(first, f"{lead}, the next, at {first.cost:,.0f} µs per decision", floor)
    return _among_equals(ranking, floor)


def _among_equals(ranking: tuple[Standing, ...], floor: float) -> Advice:
    """The best of those that cost about the least; times vary too much to choose more finely.

    A policy that does not differ from the first is not preferred for that alone, as few runs
    separate nothing: the worst-case loss must be small too.
    """
    first, *others = ranking
    little = LITTLE * (first.reward.mean - floor)
    tied = [each for each in others if each.tied and each.reward.low > floor]
    close = [first, *(each for each in tied if each.behind.high <= little)]
    least = min(standing.cost for standing in close)
    chosen = next(standing for standing in close if standing.cost <= MUCH * least)
    why = f" at {chosen.cost:,.0f} µs per decision; "
    if chosen is not first:
        shown = first.reward.shown
        why += (
            f"{first.policy} earned {shown(first.reward.mean)} at {first.cost:,.0f} µs, "
            f"at best {shown(chosen.behind.high)} more, which may be chance"
        )
        return _use(chosen, why, floor)
    if not tied:
        none = "no other that may be as good earns significantly more than the best arm"
        return _use(first, why + none, floor)
    names = ", ".join(each.policy for each in tied[:4]) + (" …" if len(tied) > 4 else "")
    if any(MUCH * each.cost <= first.cost for each in tied):
        return _use(first, why + f"{names} may be as good; more --runs would tell", floor)
    return _use(first, why + f"{names} may be as good, but cost at least half as much", floor)


def _use(chosen: Standing, why: str, floor: float) -> Advice:
    """With a warning if the best arm alone may be as good."""
    reward = chosen.reward
    doubt = ""
    if reward.known and reward.low <= floor:
        doubt = f"; but that is not significantly more than the best arm ({reward.shown(floor)})"
    return Advice(chosen.policy, f"Use {chosen.policy}: {reward} per round{why}{doubt}.")
