"""Traffic and rewards over time, in few buckets that merge as time goes on."""

from collections.abc import Mapping
from math import sqrt
from typing import Any

from bandstrap.bandit.decision import Arm
from bandstrap.problem import Support
from bandstrap.service.forms import COUNT, TIME, Fields, Listed, check
from bandstrap.storage.schema import ListOf, Maybe, Name, Real, Whole, require

__all__ = ["Series"]

MOST = 60  # buckets
SECONDS = 1.0  # of a bucket at first
NORMAL = 1.96  # standard errors of a bucket's band
DROPPED, REWARDED, SUM, SQUARES = range(4)  # what a bucket adds up besides arms
FORM = Fields(
    arms=ListOf(Name()),
    start=Maybe(TIME),
    seconds=Real(SECONDS, 1e12),
    buckets=ListOf(Listed(Whole(0, MOST - 1), ListOf(COUNT), ListOf(Real(), 4))),
)


class Series:
    """Choices by arm and rewards in at most 60 spans of equal length, which doubles when needed.

    >>> series = Series(Support.interval())
    >>> for second in range(100):
    ...     series.add(1000.0 + second, "red", 0.5)
    >>> len(series.told()["traffic"]["times"]), series.seconds
    (50, 2.0)
    """

    def __init__(self, support: Support) -> None:
        self.support = support
        self.arms: list[Arm] = []
        self.start: float | None = None
        self.seconds = SECONDS
        self.buckets: dict[int, tuple[list[int], list[float]]] = {}  # by arm, and sums

    def add(self, time: float, arm: Arm, reward: float | None) -> None:
        """Count a decision; an early one that comes late is counted as the first."""
        if self.start is None:
            self.start = time
        if arm not in self.arms:
            self.arms.append(arm)
        while (time - self.start) // self.seconds >= MOST:
            self._merge()
        counts, sums = self._bucket(max(0, int((time - self.start) // self.seconds)))
        counts.extend([0] * (len(self.arms) - len(counts)))
        counts[self.arms.index(arm)] += 1
        if reward is None:
            sums[DROPPED] += 1
            return
        for place, more in ((REWARDED, 1.0), (SUM, reward), (SQUARES, reward * reward)):
            sums[place] += more

    def told(self) -> dict[str, Any]:
        """The two charts of the page."""
        places = sorted(self.buckets)
        times = [(self.start or 0.0) + place * self.seconds for place in places]
        shares: dict[str, list[float]] = {str(arm): [] for arm in self.arms}
        for place in places:
            counts = self.buckets[place][0]
            total = sum(counts)
            for at, arm in enumerate(self.arms):
                shares[str(arm)].append(counts[at] / total if at < len(counts) else 0.0)
        bands = [self._band(self.buckets[place][1]) for place in places]
        mean, low, high = ([band[at] for band in bands] for at in range(3))
        return {
            "traffic": {"times": times, "shares": shares},
            "reward": {"times": times, "mean": mean, "low": low, "high": high},
        }

    def dropped(self, last: float) -> tuple[float, float]:
        """The share of decisions without any reward in the last share of them, and before."""
        rows = [(sum(counts), sums[DROPPED]) for _, (counts, sums) in sorted(self.buckets.items())]
        total, recent, lost = sum(n for n, _ in rows), 0, 0.0
        all_lost = sum(dropped for _, dropped in rows)
        while rows and recent < last * total:
            n, dropped = rows.pop()
            recent, lost = recent + n, lost + dropped
        return lost / max(recent, 1), (all_lost - lost) / max(total - recent, 1)

    def to_dict(self) -> dict[str, Any]:
        rows = [[place, [*counts], [*sums]] for place, (counts, sums) in self.buckets.items()]
        kept = {"arms": [*self.arms], "start": self.start, "seconds": self.seconds}
        return {**kept, "buckets": rows}

    @classmethod
    def from_dict(cls, support: Support, kept: Mapping[str, Any]) -> "Series":
        check(FORM, kept)
        require((kept["start"] is None) == (not kept["buckets"]), "buckets without a start")
        for _, counts, sums in kept["buckets"]:
            require(len(counts) <= len(kept["arms"]), "a bucket has more arms than there are")
            require(min(sums[DROPPED], sums[REWARDED], sums[SQUARES]) >= 0, "a count is negative")
        made = cls(support)
        made.arms, made.start, made.seconds = [*kept["arms"]], kept["start"], kept["seconds"]
        made.buckets = {place: ([*counts], [*sums]) for place, counts, sums in kept["buckets"]}
        return made

    def _bucket(self, place: int) -> tuple[list[int], list[float]]:
        return self.buckets.setdefault(place, ([], [0.0] * 4))

    def _merge(self) -> None:
        """Two and two become one of twice the length."""
        before, self.buckets, self.seconds = self.buckets, {}, 2 * self.seconds
        for place, (more, numbers) in before.items():
            counts, sums = self._bucket(place // 2)
            counts.extend([0] * (len(more) - len(counts)))
            for at, count in enumerate(more):
                counts[at] += count
            for at, number in enumerate(numbers):
                sums[at] += number

    def _band(self, sums: list[float]) -> tuple[float | None, float | None, float | None]:
        """The mean of a bucket and where it lies, as if it were the only one looked at.

        As if one reward more had been as far off as can be: few rewards that are equal are not
        certain.
        """
        count, width = sums[REWARDED], self.support.high - self.support.low
        if not count:
            return None, None, None
        mean = sums[SUM] / count
        spread = max(sums[SQUARES] / count - mean * mean, 0.0) + width * width / count
        half = NORMAL * sqrt(spread / count)
        return mean, max(mean - half, self.support.low), min(mean + half, self.support.high)
