"""What arms are expected to pay, by earlier decisions alone; at constant cost."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bandstrap.arrays import Array
from bandstrap.bandit.decision import Arm
from bandstrap.evaluation.reward_models import Linear, RidgeLearning
from bandstrap.service.forms import COUNT, WEIGHED, Fields, Listed, check
from bandstrap.storage.schema import ListOf, Maybe, Name, Real, Whole, require

__all__ = ["RunningModel"]

STRENGTH = 5.0  # decisions that the mean of all arms is worth in an arm's own
CELLS = 4096  # numbers that are kept of contexts: with more, contexts are not looked at
LARGEST = 1e6  # number in a context that is looked at: squares stay exact enough
FIRST, GROWTH = 50, 1.25  # rewards before contexts are looked at, and until they are again
ROWS = ListOf(ListOf(Real(), "wide"), "arms")
RIDGE = Listed(
    ListOf(ListOf(ListOf(Real(), "wide"), "wide"), "arms"), ROWS, ROWS, Maybe(Real()), Maybe(Real())
)
FORM = Fields(
    arms=ListOf(Name(), "arms"), counts=ListOf(COUNT, "arms"), sums=ListOf(WEIGHED, "arms"),
    rewards=COUNT, features=Maybe(COUNT), due=Whole(1), ridge=Maybe(RIDGE),
    fit=Maybe(Listed(ListOf(ListOf(Real(), "wide")), Real(), Real())),
)  # fmt: skip


class RunningModel:
    """Means of arms, drawn towards that of all; with contexts a ridge regression for each arm.

    The regression is fit again when rewards have grown by a quarter, so that a reward costs the
    same however many came before. Contexts of another width than the first one, or with numbers
    that are missing or huge, are not looked at. Rewards are from 0 to 1.

    >>> model = RunningModel()
    >>> model.add("red", 1.0, None)
    >>> model.add("green", 0.0, None)
    >>> model.expects(["red", "green", "blue"], None).round(2).tolist()
    [0.58, 0.42, 0.5]
    """

    def __init__(self) -> None:
        self.arms: list[Arm] = []
        self.counts: list[int] = []
        self.sums: list[float] = []
        self.rewards = 0
        self.features: int | None = None  # known after the first reward
        self.due = FIRST
        self._ridge: RidgeLearning | None = None
        self._fit: Any = None  # a `Linear`

    def expects(self, arms: Sequence[Arm], row: Array | None) -> Array:
        """What each arm is expected to pay, from 0 to 1, in a context (1, features) or none."""
        mean = (sum(self.sums) + 0.5 * STRENGTH) / (self.rewards + STRENGTH)
        sums = zip(self.arms, self.sums, self.counts, strict=True)
        expected = {arm: (paid + STRENGTH * mean) / (n + STRENGTH) for arm, paid, n in sums}
        if self._fit is not None and self._reads(row):  # it knows the first arms only
            expected.update(zip(self.arms, self._fit(row, 1)[0].tolist(), strict=False))
        clipped: Array = np.clip(np.array([expected.get(arm, mean) for arm in arms]), 0.0, 1.0)
        return clipped

    def add(self, arm: Arm, reward: float, row: Array | None) -> None:
        """Take in a reward from 0 to 1."""
        if self.features is None:
            self.features = _width(row)
        if arm not in self.arms:
            self._begin(arm)
        place = self.arms.index(arm)
        self.counts[place] += 1
        self.sums[place] += reward
        self.rewards += 1
        if self._ridge is None:
            return
        if self._reads(row):
            self._ridge.add(row, np.array([place]), np.array([reward]), np.ones(1))
        if self.rewards >= self.due:
            self.due = int(self.rewards * GROWTH)
            self._fit = self._ridge.fit() if np.isfinite(self._ridge.low) else None

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it; the fit too, for it is older than the sums."""
        ridge, fit = self._ridge, self._fit
        arrays: list[Any] | None = None
        if ridge is not None and self.rewards:
            arrays = [each.tolist() for each in (ridge.squares, ridge.sums, ridge.paid)]
            ends = float(ridge.low), float(ridge.high)
            arrays += ends if np.isfinite(ends[0]) else (None, None)
        return {
            "arms": [*self.arms], "counts": [*self.counts], "sums": [*self.sums],
            "rewards": self.rewards, "features": self.features, "due": self.due, "ridge": arrays,
            "fit": None if fit is None else [fit.slopes.tolist(), fit.low, fit.high],
        }  # fmt: skip

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "RunningModel":
        check(FORM, kept)
        _check_sizes(kept)
        made = cls()
        made.arms, made.counts, made.sums = ([*kept[name]] for name in ("arms", "counts", "sums"))
        made.rewards, made.features, made.due = kept["rewards"], kept["features"], kept["due"]
        if kept["ridge"] is not None:
            made._ridge = RidgeLearning(len(made.arms), made.features or 0, STRENGTH, False)
            squares, sums, paid, low, high = kept["ridge"]
            made._ridge.squares, made._ridge.sums, made._ridge.paid = map(
                np.array, (squares, sums, paid)
            )
            if low is not None:
                made._ridge.low, made._ridge.high = low, high
        if kept["fit"] is not None:
            slopes, low, high = kept["fit"]
            made._fit = Linear(np.array(slopes), low, high)
        return made

    def _reads(self, row: Array | None) -> bool:
        wide = row is not None and row.shape[1] == self.features
        return wide and bool((np.abs(row) <= LARGEST).all())  # type: ignore[arg-type]

    def _begin(self, arm: Arm) -> None:
        """Room for one more arm; where contexts would take too much, they are given up for good."""
        before, features = self._ridge, self.features or 0
        self.arms.append(arm)
        self.counts.append(0)
        self.sums.append(0.0)
        fits = features > 0 and len(self.arms) * (features + 1) ** 2 <= CELLS
        if not fits or (before is None and self.rewards):
            self._ridge, self._fit = None, None
            return
        self._ridge = RidgeLearning(len(self.arms), features, STRENGTH, together=False)
        if before is not None:
            self._ridge.squares[:-1], self._ridge.sums[:-1] = before.squares, before.sums
            self._ridge.paid[:-1] = before.paid
            self._ridge.low, self._ridge.high = before.low, before.high


def _check_sizes(kept: Mapping[str, Any]) -> None:
    """What no single field says."""
    arms, wide = len(kept["arms"]), (kept["features"] or 0) + 1
    require(sum(kept["counts"]) == kept["rewards"], "arms have other rewards than there are")
    rows = [] if kept["ridge"] is None else kept["ridge"][1]
    rows = [*rows, *([] if kept["fit"] is None else kept["fit"][0])]
    require(all(len(row) == wide for row in rows), "rows are not as wide as contexts")
    require(kept["ridge"] is None or arms * wide**2 <= CELLS, "contexts are too wide")
    require(kept["fit"] is None or len(kept["fit"][0]) <= arms, "a fit has more arms")
    if kept["ridge"] is not None:
        ends = kept["ridge"][3:]
        require((ends[0] is None) == (ends[1] is None), "one end is missing")


def _width(row: Array | None) -> int:
    return 0 if row is None else int(row.shape[1])
