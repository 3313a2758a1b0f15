"""Mean rewards with confidence intervals, ranked."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, inf, log10, nan, sqrt

import numpy as np
from scipy.stats import t as student

from bandstrap.arrays import Array
from bandstrap.simulation import Trace

CONFIDENCE = 0.95


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
    """A policy's place, its reward per round, and the CPU microseconds of a decision."""

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


def ranked(
    traces: list[Trace],
    low: float = -inf,
    high: float = inf,
    costs: Mapping[str, float] | None = None,
) -> tuple[Standing, ...]:
    """Best first, ties by name; rewards lie between `low` and `high`.

    `costs` are those of a product, in microseconds; if there are none, those of the simulation.
    """
    order = sorted(traces, key=lambda trace: (-per_round(trace).mean(), trace.policy))
    return tuple(
        Standing(
            place,
            trace.policy,
            ConfidenceInterval.of(per_round(trace)).within(low, high),
            cost(trace) if costs is None else costs[trace.policy],
            gap(order[0], trace).difference,
        )
        for place, trace in enumerate(order, start=1)
    )
