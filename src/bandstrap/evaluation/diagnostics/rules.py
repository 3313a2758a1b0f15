"""The rules of the verdict, stated before they are applied. docs/evaluate.md repeats them.

A finding is fine, calls for care, or stops: the worst one of a target decides its verdict, "trust",
"with care" or "cannot say". benchmarks/verdicts.py measures how often intervals hold by verdict.
"""

from dataclasses import dataclass
from enum import IntEnum

__all__ = ["RULES", "Limit", "Severity"]


class Severity(IntEnum):
    """How much a finding matters."""

    FINE = 0
    CARE = 1
    STOP = 2


@dataclass(frozen=True)
class Limit:
    """Where a number calls for care, and where nothing can be said any more.

    >>> RULES["size"].judge(50), RULES["size"].judge(5000)
    (<Severity.STOP: 2>, <Severity.FINE: 0>)
    """

    what: str
    care: float
    stop: float
    low: bool = False  # whether small numbers are the bad ones

    def judge(self, value: float) -> Severity:
        """What a number means; one that is not a number stops."""
        if self._within(value, self.care):
            return Severity.FINE
        return Severity.CARE if self._within(value, self.stop) else Severity.STOP

    def _within(self, value: float, limit: float) -> bool:
        return value >= limit if self.low else value <= limit


INF = float("inf")

RULES = {
    "support": Limit("the share of a target's choices that the log cannot judge", 0.01, 0.10),
    "size": Limit("the effective sample size", 400, 100, low=True),
    # An arm that paid well by luck is chosen often by a logger that learns, and then looks as if it
    # were well known: the more there is of it, the less luck is left.
    "learnt size": Limit("the same, where the logger may have learnt", 600, 100, low=True),
    "rewards": Limit("how many unusual rewards an estimate rests on", 50, 10, low=True),
    "largest": Limit("the largest weight, as a share of all weight", 0.02, 0.10),
    "tail": Limit("Pareto's k of the weights", 0.7, INF),
    "mean": Limit("how many standard errors the mean weight is from 1", 3.0, 6.0),
    "choices": Limit("the e-value against the logged propensities", 20, 1000),
    "drift": Limit("−log₁₀ of the p-value of rewards that are the same at all times", 3.0, INF),
    "missing": Limit("the share of decisions without a reward", 0.02, 0.30),
    "late": Limit("how many times as many rewards are missing in the last tenth", 3.0, INF),
    "acceptance": Limit("the rounds that a replay has accepted", 500, 100, low=True),
}
