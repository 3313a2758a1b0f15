"""How long rewards take, in bounded memory, and how many never come."""

from collections.abc import Mapping
from math import ceil, log
from typing import Any

from bandstrap.service.forms import COUNT, Fields, Listed, check
from bandstrap.storage.schema import ListOf, Whole, require

__all__ = ["Delays"]

GROWTH = 1.05  # of the bounds of classes: quantiles are right to 2.5%
LEAST, MOST = 1e-3, 1e9  # seconds
STEP = log(GROWTH)
FURTHEST = 1000  # class: beyond that of LEAST and that of MOST
CLASS = Listed(Whole(-FURTHEST, FURTHEST), COUNT)
FORM = Fields(lessons=COUNT, given=COUNT, classes=ListOf(CLASS))


class Delays:
    """Counts of delays by classes whose bounds grow by 5%.

    >>> delays = Delays()
    >>> for seconds in range(1, 101):
    ...     delays.add(True, float(seconds))
    >>> round(delays.quantile(0.5)), delays.missing
    (51, 0.0)
    """

    def __init__(self) -> None:
        self.lessons = 0
        self.given = 0
        self._classes: dict[int, int] = {}

    def add(self, given: bool, delay: float | None) -> None:
        """Count a decision: whether a reward came in time, and how long it took."""
        self.lessons += 1
        self.given += given
        if given and delay is not None:
            place = ceil(log(min(max(delay, LEAST), MOST)) / STEP)
            self._classes[place] = self._classes.get(place, 0) + 1

    @property
    def missing(self) -> float:
        """The share of decisions whose reward did not come in time."""
        return (self.lessons - self.given) / self.lessons if self.lessons else 0.0

    def quantile(self, share: float) -> float | None:
        """The delay that a share of rewards does not exceed; None if none has come."""
        left = share * sum(self._classes.values())
        for place in sorted(self._classes):
            left -= self._classes[place]
            if left <= 0:
                return float(GROWTH ** (place - 0.5))
        return None

    def told(self) -> dict[str, Any] | None:
        if not self._classes:
            return None
        return {"median": self.quantile(0.5), "p95": self.quantile(0.95)}

    def to_dict(self) -> dict[str, Any]:
        classes = [[place, count] for place, count in self._classes.items()]
        return {"lessons": self.lessons, "given": self.given, "classes": classes}

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "Delays":
        check(FORM, kept)
        counted = sum(count for _, count in kept["classes"])
        require(counted <= kept["given"] <= kept["lessons"], "more delays than rewards")
        made = cls()
        made.lessons, made.given = kept["lessons"], kept["given"]
        made._classes = dict(map(tuple, kept["classes"]))
        return made
