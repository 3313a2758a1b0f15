"""What confidence sequences add up: terms with the right mean and a known lower bound."""

from dataclasses import dataclass

import numpy as np

from bandstrap.arrays import Array
from bandstrap.errors import InvalidInput
from bandstrap.evaluation.intervals.base import scaled
from bandstrap.evaluation.sample import Sample

__all__ = [
    "Terms",
    "bounds",
    "difference_terms",
    "dr_terms",
    "ips_terms",
    "same_slack",
    "unit_means",
    "unit_terms",
]


@dataclass(frozen=True)
class Terms:
    """Of each decision, for rewards from 0 to 1: `gains` average to what the target earns and
    `losses` to what it misses, 1 less that.

    No term is below `-slack`, however large: a bound from below is all that sequences need.
    """

    gains: Array  # (n,)
    losses: Array  # (n,)
    slack: float = 0.0
    counts: Array | None = None  # decisions a row stands for; all but one of them have terms of 0


def ips_terms(sample: Sample, low: float = 0.0, high: float = 1.0) -> Terms:
    """Weighted rewards, and weighted shortfalls.

    >>> sample = Sample(np.array([1.0, 0.0]), np.full(2, 2.0), np.full(2, 0.75))
    >>> terms = ips_terms(sample)
    >>> terms.gains.tolist(), terms.losses.tolist()
    ([1.5, 0.0], [0.0, 1.5])
    """
    rewards = scaled(sample.rewards, low, high)
    weights = sample.ratios if sample.counts is None else sample.ratios * sample.counts
    return Terms(weights * rewards, weights * (1 - rewards), counts=sample.counts)


def dr_terms(
    sample: Sample,
    chosen: Array,
    model: Array,
    target: Array,
    most: Array,
    slack: float = 1.0,
    low: float = 0.0,
    high: float = 1.0,
) -> Terms:
    """Doubly robust terms; the model is cut where ratios may be large (Waudby-Smith et al., 2024).

    `model` has what each arm is expected to pay, fit to past decisions alone, `target` the arms'
    probabilities and `most` the ratio that each may have at most, all (n, arms). An arm with ratios
    up to 50 is expected to pay `slack / 50` at most, so that terms are at least `-slack`.

    >>> sample = Sample(np.array([1.0]), np.array([2.0]), np.array([0.5]))
    >>> half = np.array([[0.5, 0.5]])
    >>> terms = dr_terms(sample, np.array([0]), half, target=half, most=np.array([[1.0, 1.0]]))
    >>> terms.gains.tolist(), terms.losses.tolist()
    ([1.0], [0.0])
    """
    if sample.counts is not None:
        raise InvalidInput("counts", "given", "rows must stand for one decision: use ips_terms")
    rewards, expected = (
        scaled(sample.rewards, low, high),
        np.clip((model - low) / (high - low), 0, 1),
    )
    bound = slack / np.maximum(most, np.finfo(float).tiny)
    gains = _corrected(sample, chosen, rewards, np.minimum(expected, bound), target)
    losses = _corrected(sample, chosen, 1 - rewards, np.minimum(1 - expected, bound), target)
    return Terms(gains, losses, slack)


def _corrected(sample: Sample, chosen: Array, paid: Array, model: Array, target: Array) -> Array:
    fitted = model[np.arange(len(chosen)), chosen]
    terms: Array = sample.ratios * (paid - fitted) + (model * target).sum(axis=1)
    return terms


def difference_terms(one: Terms, other: Terms) -> Terms:
    """Terms of the difference of two targets on one log, which lies between -1 and 1.

    Give them to a sequence with `low=-1, high=1`, times the range of rewards.

    >>> sample = Sample(np.array([1.0, 0.0]), np.full(2, 2.0), np.array([1.0, 0.0]))
    >>> other = Sample(np.array([1.0, 0.0]), np.full(2, 2.0), np.array([0.0, 1.0]))
    >>> difference_terms(ips_terms(sample), ips_terms(other)).gains.tolist()
    [1.0, 1.0]
    """
    gains, losses = (one.gains + other.losses) / 2, (one.losses + other.gains) / 2
    return Terms(gains, losses, (one.slack + other.slack) / 2, one.counts)


def same_slack(before: float | None, terms: Terms) -> float:
    """The bound of terms, which must not change."""
    if before is not None and before != terms.slack:
        raise InvalidInput("slack", terms.slack, f"it was {before:g}: keep to one kind of terms")
    return terms.slack


def unit_terms(terms: Terms) -> tuple[Array, Array]:
    """Gains and losses as terms that are at least 0 and have means up to 1."""
    slack = terms.slack
    return (terms.gains + slack) / (1 + slack), (terms.losses + slack) / (1 + slack)


def unit_means(value: float, slack: float, low: float, high: float) -> tuple[float, float]:
    """The means of such terms if the target earns this value.

    >>> unit_means(2.0, 1.0, low=0.0, high=4.0)
    (0.75, 0.75)
    """
    share = (value - low) / (high - low)
    return (share + slack) / (1 + slack), (1 - share + slack) / (1 + slack)


def bounds(
    gained: float, lost: float, slack: float, low: float, high: float
) -> tuple[float, float]:
    """Where the value lies if the means of such terms are at least these.

    Both may be so large that no value is left. Then propensities are wrong or chance was unkind,
    and what lies between the two ends is said instead.

    >>> bounds(0.75, 0.5, 1.0, low=0.0, high=4.0)
    (2.0, 4.0)
    """
    ends = gained * (1 + slack) - slack, 1 - (lost * (1 + slack) - slack)
    first, last = sorted(min(max(end, 0.0), 1.0) for end in ends)
    return low + (high - low) * first, low + (high - low) * last
