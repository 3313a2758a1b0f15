"""Intervals by the normal distribution: for one look, or for looks at any time."""

from math import log, sqrt

from scipy.special import ndtri

from bandstrap.evaluation.intervals.base import Interval
from bandstrap.validation import require_positive, require_share

__all__ = ["asymptotic_sequence", "normal"]


def normal(value: float, error: float, level: float = 0.95) -> Interval:
    """The value and as many standard errors as the level asks for; for one look.

    >>> interval = normal(0.5, 0.1)
    >>> round(interval.low, 3), round(interval.high, 3)
    (0.304, 0.696)
    """
    require_share(level=level)
    half = float(ndtri((1 + level) / 2)) * error
    return Interval(value - half, value + half, level, "normal")


def asymptotic_sequence(
    value: float, error: float, decisions: float, level: float = 0.95, best_at: float = 1000.0
) -> Interval:
    """The same, but wide enough for a look after every decision (Waudby-Smith et al., 2024).

    It holds in the limit of long logs, for any estimator and rewards without bounds. It is
    narrowest, compared with what is possible, at `best_at` decisions, which must not be chosen by
    the data.

    >>> once, always = normal(0.5, 0.1), asymptotic_sequence(0.5, 0.1, 1000)
    >>> round((always.high - always.low) / (once.high - once.low), 2)
    1.55
    """
    require_share(level=level)
    require_positive(decisions=decisions, best_at=best_at)
    spare = -2 * log(1 - level)
    share = (spare + log(spare) + 1) * decisions / best_at  # t ρ² of the boundary
    half = error * sqrt(2 * (share + 1) / share * (log(share + 1) / 2 - log(1 - level)))
    return Interval(value - half, value + half, level, "asymptotic-sequence")
