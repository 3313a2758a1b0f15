"""How a bandit is doing: counts, propensities, and how long decisions have waited."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from statistics import median

import numpy as np

from bandstrap.bandit.decision import Arm
from bandstrap.printable import called
from bandstrap.remapping import ArmMap
from bandstrap.storage.registry import saved
from bandstrap.storage.schema import ListOf, Real, Schema, Whole


@saved
class Tally:
    """What is counted as a bandit goes on, by place of the arm."""

    schema = Schema(
        decisions=ListOf(Whole(), "arms"),
        rewards=ListOf(Whole(), "arms"),
        sums=ListOf(Real(), "arms"),
        dropped=Whole(),
        expired=Whole(),
        controlled=Whole(),
        weighed=Whole(),
        least=Real(0, 1),
        weights=Real(0),
        squares=Real(0),
    )

    def __init__(self, n_arms: int) -> None:
        self.decisions = [0] * n_arms
        self.rewards = [0] * n_arms
        self.sums = [0.0] * n_arms
        self.dropped = self.expired = self.controlled = 0
        self.weighed = 0  # decisions whose propensity a log has asked for
        self.least = 1.0
        self.weights = self.squares = 0.0

    def weigh(self, propensity: float | None, weight: float | None) -> None:
        """Count a propensity that is known."""
        if propensity is None or weight is None:
            return
        self.weighed += 1
        self.least = min(self.least, propensity)
        self.weights += weight
        self.squares += weight * weight

    def remap_arms(self, before: ArmMap) -> None:
        """Go on with other arms; those that are gone are forgotten."""
        self.decisions = [0 if at is None else self.decisions[at] for at in before]
        self.rewards = [0 if at is None else self.rewards[at] for at in before]
        self.sums = [0.0 if at is None else self.sums[at] for at in before]


@dataclass(frozen=True)
class ArmStats:
    """An arm since it was added.

    >>> ArmStats("red", decisions=2, rewards=1, mean=0.5, retired=False).rewards
    1
    """

    arm: Arm
    decisions: int
    rewards: int  # learnt, also those of other deciders
    mean: float | None  # of the rewards, as they came
    retired: bool


@dataclass(frozen=True)
class PropensityStats:
    """How well the decisions that a log has written down can be weighted.

    The mean weight should be near the number of arms. A small effective size, beside the number of
    decisions, means that a few of them carry an estimate.

    >>> PropensityStats(decisions=4, least=0.1, mean_weight=4.0, effective=2.9).least
    0.1
    """

    decisions: int
    least: float  # propensity
    mean_weight: float
    effective: float  # sample size, (Σw)² / Σw²


@dataclass(frozen=True)
class Ages:
    """How many seconds the waiting decisions have waited.

    >>> Ages(oldest=60.0, median=20.0, youngest=1.0).oldest
    60.0
    """

    oldest: float
    median: float
    youngest: float


@dataclass(frozen=True)
class Stats:
    """How a bandit is doing, from `Bandit.stats`.

    >>> from bandstrap import Bandit, Bootstrap
    >>> bandit = Bandit(Bootstrap(), ["red", "green"], seed=1)
    >>> bandit.learn(arm="red", reward=0.5)
    >>> print(bandit.stats())
    0 decisions, 0 waiting, 0 dropped, 0 expired, 0 by control, 1 rewards learnt
    arm              decisions   rewards      mean
    red                      0         1       0.5
    green                    0         0         -
    """

    decisions: int
    waiting: int
    dropped: int
    expired: int
    controlled: int  # decisions by the bandit's control
    rewards: int
    arms: tuple[ArmStats, ...]
    propensities: PropensityStats | None  # None without a log
    ages: Ages | None  # None if no decision waits

    def __str__(self) -> str:
        lines = [
            f"{self.decisions} decisions, {self.waiting} waiting, {self.dropped} dropped, "
            f"{self.expired} expired, {self.controlled} by control, {self.rewards} rewards learnt",
            f"{'arm':<16} {'decisions':>9} {'rewards':>9} {'mean':>9}",
        ]
        for each in self.arms:
            mean = "-" if each.mean is None else f"{each.mean:.4g}"
            line = f"{called(each.arm):<16} {each.decisions:>9} {each.rewards:>9} {mean:>9}"
            lines.append(line + (" retired" if each.retired else ""))
        if self.propensities is not None:
            told = self.propensities
            lines.append(
                f"propensities: least {told.least:.4g}, mean weight {told.mean_weight:.4g}, "
                f"effective size {told.effective:.0f} of {told.decisions}"
            )
        if self.ages is not None:
            told_ages = self.ages
            lines.append(
                f"waiting for {told_ages.oldest:.0f} s at most, {told_ages.median:.0f} s in the "
                f"median, {told_ages.youngest:.0f} s at least"
            )
        return "\n".join(lines)


def arm_stats(names: Sequence[Arm], retired: Sequence[Arm], tally: Tally) -> tuple[ArmStats, ...]:
    """Each arm's counts."""
    counts = zip(names, tally.decisions, tally.rewards, tally.sums, strict=True)
    return tuple(
        ArmStats(name, decisions, rewards, total / rewards if rewards else None, name in retired)
        for name, decisions, rewards, total in counts
    )


def propensity_stats(tally: Tally) -> PropensityStats | None:
    """None if no propensity was asked for."""
    if not tally.weighed:
        return None
    effective = tally.weights**2 / tally.squares if 0 < tally.squares < inf else 0.0
    return PropensityStats(tally.weighed, tally.least, tally.weights / tally.weighed, effective)


def ages(times: Sequence[float], now: float) -> Ages | None:
    """None if nothing waits."""
    if not times:
        return None
    waited = now - np.array(times)
    return Ages(float(waited.max()), float(median(waited)), float(waited.min()))
